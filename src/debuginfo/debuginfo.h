/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the debug information of a program says: places in the source, functions, variables, types.  Addresses are those
 * of the running program; the modules say where each file was loaded.  Names belong to the struct.  The runtime that is
 * linked into every program is left out of it.
 */
#ifndef DEBUGINFO_DEBUGINFO_H
#define DEBUGINFO_DEBUGINFO_H

#include "portolan/portolan.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debuginfo;

/* What reads it is loaded when it is first needed; whoever asks before knows why that cannot be. */
bool debuginfo_load(struct portolan_error *error);
/* NULL: no memory, or nothing to read it. */
struct debuginfo *debuginfo_make(void);
/* A file of the program and what was added to its addresses; false: it cannot be read. */
bool debuginfo_add(struct debuginfo *debuginfo, const char *path, uint64_t base);
/* No more files come. */
void debuginfo_ready(struct debuginfo *debuginfo);
void debuginfo_free(struct debuginfo *debuginfo);

/* --- places.c */

struct code_place {
    const char *function;  /* as people write it; NULL: not known */
    const char *file;      /* as the compiler was given it */
    const char *directory; /* where it was then; NULL: not known */
    int line;
};

typedef void take_place(void *user, const struct code_place *place);
/* The place of an instruction; with those of the calls that the compiler has put in place, the innermost first. */
void debuginfo_places(struct debuginfo *debuginfo, uint64_t address, bool inlined, take_place *take, void *user);
/* The function, or variable, that begins at an address or has it, by the table of symbols; NULL: none. */
const char *debuginfo_function(struct debuginfo *debuginfo, uint64_t address);
/* The same with how far the address is from there: "table+8"; false when there is none. */
bool debuginfo_symbol(struct debuginfo *debuginfo, uint64_t address, char *text, size_t room);

/* Everything of which there is a line, unit by unit: code from an address on, up to another.  A statement may begin
 * there. */
typedef void take_line(void *user, uint64_t start, uint64_t end, bool begins, const struct code_place *place);
void debuginfo_lines(struct debuginfo *debuginfo, take_line *take, void *user);
/* The code of functions, also where it was put into others: each piece with its first address and the one behind its
 * last. */
typedef void take_function(void *user, const char *name, uint64_t start, uint64_t end);
void debuginfo_functions(struct debuginfo *debuginfo, take_function *take, void *user);

/* --- variables.c */

struct variable {
    uint64_t start; /* its address; of a thread-local one, from the beginning of those of a thread */
    uint64_t size;
    const char *name;
    Dwarf_Die type;
    bool is_thread_local;
};

/* Those outside of functions, and static ones, by address; those of threads come last. */
const struct variable *debuginfo_variables(struct debuginfo *debuginfo, size_t *count);
const struct variable *debuginfo_variable(struct debuginfo *debuginfo, uint64_t address, bool is_thread_local);

/* A function that has not returned. */
struct code_frame {
    uint64_t address;       /* of an instruction in it */
    uint64_t cfa;           /* what DWARF calls the canonical frame address */
    uint64_t registers[16]; /* by their numbers in DWARF; only those that calls preserve */
};

/* One of its local variables: where it is, or what it is when it is in a register. */
struct local_variable {
    const char *name;
    Dwarf_Die type;
    bool is_value;
    uint64_t address, value;
};

typedef void take_local(void *user, const struct local_variable *local);
void debuginfo_locals(struct debuginfo *debuginfo, const struct code_frame *frame, take_local *take, void *user);

/* --- types.c */

/* Writes ".member[3]" for the part of an object that has this offset and size (0: the largest that begins there), and
 * tells what type that has.  Members with reserved names, which belong to libraries, are not named.  False: nothing of
 * it is known. */
bool type_part(const Dwarf_Die *type, uint64_t offset, uint64_t size, char *text, size_t room, Dwarf_Die *part);
/* 0: not known. */
uint64_t type_size(const Dwarf_Die *type);
/* The type that a pointer of this type points to; false when it is none, or points to void or a function. */
bool type_pointee(const Dwarf_Die *type, Dwarf_Die *pointee);
bool type_is_pointer(const Dwarf_Die *type);
bool type_has_members(const Dwarf_Die *type);
/* "node" for `struct node`; NULL: it has no name. */
const char *type_name(const Dwarf_Die *type);
/* A number, boolean or enumerator as the source would write it; false when the type does not say. */
bool type_value(const Dwarf_Die *type, uint64_t value, char *text, size_t room);
/* Calls for each pointer in an object, with the path to it as above. */
typedef void take_pointer(void *user, const char *path, uint64_t offset, const Dwarf_Die *type);
void type_pointers(const Dwarf_Die *type, take_pointer *take, void *user);

/* --- demangle.c */

/* The name as C++ writes it, or the name itself; to be freed.  NULL: no memory. */
char *demangled(const char *name);

#endif
