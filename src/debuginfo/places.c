/* SPDX-License-Identifier: Apache-2.0 */
/* From addresses of code to places in the source, and the other way round. */
#include "debuginfo/modules.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *directory_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    return libdw.dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? libdw.dwarf_formstring(&attribute) : NULL;
}

/* The file and line of an instruction. */
static bool find_line(Dwarf_Die *unit, Dwarf_Addr pc, struct code_place *place)
{
    Dwarf_Line *line = libdw.dwarf_getsrc_die(unit, pc);
    place->file = line ? libdw.dwarf_linesrc(line, NULL, NULL) : NULL;
    place->directory = directory_of(unit);
    return place->file && libdw.dwarf_lineno(line, &place->line) == 0 && place->line > 0;
}

/* Where the function of an inlined call was called. */
static bool find_call(Dwarf_Die *inlined, Dwarf_Die *unit, struct code_place *place)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;
    if (!libdw.dwarf_attr(inlined, DW_AT_call_file, &attribute) || libdw.dwarf_formudata(&attribute, &file) != 0 ||
        !libdw.dwarf_attr(inlined, DW_AT_call_line, &attribute) || libdw.dwarf_formudata(&attribute, &line) != 0 ||
        libdw.dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count)
        return false;
    place->file = libdw.dwarf_filesrc(files, file, NULL, NULL);
    place->line = (int)line;
    return place->file;
}

/* The functions around an instruction, inlined ones first, of which the last one has the code. */
static void take_functions(struct debuginfo *d, Dwarf_Die *unit, Dwarf_Addr pc, struct code_place *place, bool inlined,
                           take_place *take, void *user)
{
    Dwarf_Die *scopes = NULL, *parents = NULL;
    int count = libdw.dwarf_getscopes(unit, pc, &scopes);
    int levels = count > 0 ? libdw.dwarf_getscopes_die(&scopes[0], &parents) : 0;
    for (int i = 0; i < levels; i++) {
        int tag = libdw.dwarf_tag(&parents[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        place->function = name_of(d, &parents[i]);
        take(user, place);
        if (!inlined || tag == DW_TAG_subprogram || !find_call(&parents[i], unit, place))
            break;
    }
    if (levels <= 0)
        take(user, place);
    free(scopes);
    free(parents);
}

void debuginfo_places(struct debuginfo *d, uint64_t address, bool inlined, take_place *take, void *user)
{
    struct code_place place = {0};
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_at(d, address, &bias);
    if (unit && !is_of_runtime(d, unit) && find_line(unit, address - bias, &place))
        take_functions(d, unit, address - bias, &place, inlined, take, user);
}

const char *debuginfo_function(struct debuginfo *d, uint64_t address)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = unit_at(d, address, &bias);
    Dwfl_Module *module = unit && is_of_runtime(d, unit) ? NULL : libdw.dwfl_addrmodule(d->dwfl, address);
    return module ? readable_name(d, libdw.dwfl_module_addrname(module, address)) : NULL;
}

bool debuginfo_symbol(struct debuginfo *d, uint64_t address, char *text, size_t room)
{
    GElf_Off offset = 0;
    GElf_Sym symbol;
    Dwfl_Module *module = libdw.dwfl_addrmodule(d->dwfl, address);
    const char *name = module ? libdw.dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) : NULL;
    if (!name || !name[0] || offset >= symbol.st_size)
        return false;
    if (offset)
        snprintf(text, room, "%s+%" PRIu64, readable_name(d, name), (uint64_t)offset);
    else
        snprintf(text, room, "%s", readable_name(d, name));
    return true;
}

static void take_lines(Dwarf_Die *unit, Dwarf_Addr bias, take_line *take, void *user)
{
    Dwarf_Lines *lines;
    size_t count;
    struct code_place place = {.directory = directory_of(unit)};
    if (libdw.dwarf_getsrclines(unit, &lines, &count) != 0)
        return;
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *line = libdw.dwarf_onesrcline(lines, i), *next = libdw.dwarf_onesrcline(lines, i + 1);
        Dwarf_Addr start, end;
        bool begins = false, ends = true;
        libdw.dwarf_linebeginstatement(line, &begins);
        libdw.dwarf_lineendsequence(line, &ends);
        place.file = libdw.dwarf_linesrc(line, NULL, NULL);
        if (!ends && place.file && libdw.dwarf_lineaddr(line, &start) == 0 && libdw.dwarf_lineaddr(next, &end) == 0 &&
            libdw.dwarf_lineno(line, &place.line) == 0 && place.line > 0 && start < end)
            take(user, start + bias, end + bias, begins, &place);
    }
}

void debuginfo_lines(struct debuginfo *d, take_line *take, void *user)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = libdw.dwfl_nextcu(d->dwfl, unit, &bias));)
        if (!is_of_runtime(d, unit))
            take_lines(unit, bias, take, user);
}

/* Functions, and those that were put into others. */
static void take_scope_functions(struct debuginfo *d, Dwarf_Die *scope, Dwarf_Addr bias, take_function *take,
                                 void *user)
{
    Dwarf_Die die;
    for (int none = libdw.dwarf_child(scope, &die); none == 0; none = libdw.dwarf_siblingof(&die, &die)) {
        int tag = libdw.dwarf_tag(&die);
        bool is_function = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        Dwarf_Addr base, start, end;
        for (ptrdiff_t at = 0; is_function && (at = libdw.dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
            take(user, name_of(d, &die), start + bias, end + bias);
        if (is_function || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace)
            take_scope_functions(d, &die, bias, take, user);
    }
}

void debuginfo_functions(struct debuginfo *d, take_function *take, void *user)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; (unit = libdw.dwfl_nextcu(d->dwfl, unit, &bias));)
        if (!is_of_runtime(d, unit))
            take_scope_functions(d, unit, bias, take, user);
}
