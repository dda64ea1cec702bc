/* SPDX-License-Identifier: Apache-2.0 */
/* For builds that do not explore C programs, and so need no elfutils: a type that nothing has. */
#ifndef DEBUGINFO_ABSENT_LIBDW_H
#define DEBUGINFO_ABSENT_LIBDW_H

typedef struct {
    char nothing;
} Dwarf_Die;

#endif
