/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this directory share. */
#ifndef DEBUGINFO_MODULES_H
#define DEBUGINFO_MODULES_H

#include "base/vector.h"
#include "debuginfo/debuginfo.h"
#include "debuginfo/library.h"

/* A piece of code, and the unit that has it: a table of our own, since not all compilers write one. */
struct unit_range {
    uint64_t start, end;
    Dwarf_Die unit;
    Dwarf_Addr bias;
};

struct debuginfo {
    Dwfl *dwfl;
    VECTOR(struct unit_range) units; /* by start */
    char *runtime;                   /* how names of the runtime's files begin; NULL: there are none */
    VECTOR(struct variable) variables;
    bool knows_variables;
    VECTOR(char *) names; /* that were made */
};

/* The unit that has an address, and what was added to its addresses; NULL: none. */
Dwarf_Die *unit_at(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *bias);
/* Is it a unit of the runtime that is linked into the program? */
bool is_of_runtime(const struct debuginfo *debuginfo, Dwarf_Die *unit);
/* A name of C as it is, one of C++ as people write it. */
const char *readable_name(struct debuginfo *debuginfo, const char *name);
/* Of a function or variable, in C++ with its namespace. */
const char *name_of(struct debuginfo *debuginfo, Dwarf_Die *die);

#endif
