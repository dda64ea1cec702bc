/* SPDX-License-Identifier: Apache-2.0 */
/* In builds that do not explore C programs: nothing is known of any. */
#include "debuginfo/debuginfo.h"

bool debuginfo_load(struct portolan_error *error)
{
    (void)error;
    return true;
}

struct debuginfo *debuginfo_make(void)
{
    return NULL;
}

bool debuginfo_add(struct debuginfo *debuginfo, const char *path, uint64_t base)
{
    (void)debuginfo, (void)path, (void)base;
    return false;
}

void debuginfo_ready(struct debuginfo *debuginfo)
{
    (void)debuginfo;
}

void debuginfo_free(struct debuginfo *debuginfo)
{
    (void)debuginfo;
}

void debuginfo_places(struct debuginfo *debuginfo, uint64_t address, bool inlined, take_place *take, void *user)
{
    (void)debuginfo, (void)address, (void)inlined, (void)take, (void)user;
}

const char *debuginfo_function(struct debuginfo *debuginfo, uint64_t address)
{
    (void)debuginfo, (void)address;
    return NULL;
}

bool debuginfo_symbol(struct debuginfo *debuginfo, uint64_t address, char *text, size_t room)
{
    (void)debuginfo, (void)address, (void)text, (void)room;
    return false;
}

void debuginfo_lines(struct debuginfo *debuginfo, take_line *take, void *user)
{
    (void)debuginfo, (void)take, (void)user;
}

void debuginfo_functions(struct debuginfo *debuginfo, take_function *take, void *user)
{
    (void)debuginfo, (void)take, (void)user;
}

const struct variable *debuginfo_variables(struct debuginfo *debuginfo, size_t *count)
{
    (void)debuginfo;
    *count = 0;
    return NULL;
}

const struct variable *debuginfo_variable(struct debuginfo *debuginfo, uint64_t address, bool is_thread_local)
{
    (void)debuginfo, (void)address, (void)is_thread_local;
    return NULL;
}

void debuginfo_locals(struct debuginfo *debuginfo, const struct code_frame *frame, take_local *take, void *user)
{
    (void)debuginfo, (void)frame, (void)take, (void)user;
}

bool type_part(const Dwarf_Die *type, uint64_t offset, uint64_t size, char *text, size_t room, Dwarf_Die *part)
{
    (void)type, (void)offset, (void)size, (void)text, (void)room, (void)part;
    return false;
}

uint64_t type_size(const Dwarf_Die *type)
{
    (void)type;
    return 0;
}

bool type_pointee(const Dwarf_Die *type, Dwarf_Die *pointee)
{
    (void)type, (void)pointee;
    return false;
}

bool type_is_pointer(const Dwarf_Die *type)
{
    (void)type;
    return false;
}

bool type_has_members(const Dwarf_Die *type)
{
    (void)type;
    return false;
}

const char *type_name(const Dwarf_Die *type)
{
    (void)type;
    return NULL;
}

bool type_value(const Dwarf_Die *type, uint64_t value, char *text, size_t room)
{
    (void)type, (void)value, (void)text, (void)room;
    return false;
}

void type_pointers(const Dwarf_Die *type, take_pointer *take, void *user)
{
    (void)type, (void)take, (void)user;
}
