/* SPDX-License-Identifier: Apache-2.0 */
/* libdw of elfutils, loaded when the first program is looked at: a search that finds nothing needs none of it. */
#ifndef DEBUGINFO_LIBRARY_H
#define DEBUGINFO_LIBRARY_H

#include "base/library.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#define LIBDW_FUNCTIONS(X)                                                                                             \
    X(dwarf_aggregate_size)                                                                                            \
    X(dwarf_attr)                                                                                                      \
    X(dwarf_attr_integrate)                                                                                            \
    X(dwarf_child)                                                                                                     \
    X(dwarf_diename)                                                                                                   \
    X(dwarf_filesrc)                                                                                                   \
    X(dwarf_formref_die)                                                                                               \
    X(dwarf_formsdata)                                                                                                 \
    X(dwarf_formstring)                                                                                                \
    X(dwarf_formudata)                                                                                                 \
    X(dwarf_getlocation)                                                                                               \
    X(dwarf_getlocation_addr)                                                                                          \
    X(dwarf_getlocations)                                                                                              \
    X(dwarf_getscopes)                                                                                                 \
    X(dwarf_getscopes_die)                                                                                             \
    X(dwarf_getsrc_die)                                                                                                \
    X(dwarf_getsrcfiles)                                                                                               \
    X(dwarf_getsrclines)                                                                                               \
    X(dwarf_haspc)                                                                                                     \
    X(dwarf_lineaddr)                                                                                                  \
    X(dwarf_linebeginstatement)                                                                                        \
    X(dwarf_lineendsequence)                                                                                           \
    X(dwarf_lineno)                                                                                                    \
    X(dwarf_linesrc)                                                                                                   \
    X(dwarf_onesrcline)                                                                                                \
    X(dwarf_peel_type)                                                                                                 \
    X(dwarf_ranges)                                                                                                    \
    X(dwarf_siblingof)                                                                                                 \
    X(dwarf_tag)                                                                                                       \
    X(dwfl_addrmodule)                                                                                                 \
    X(dwfl_begin)                                                                                                      \
    X(dwfl_end)                                                                                                        \
    X(dwfl_getmodules)                                                                                                 \
    X(dwfl_module_addrinfo)                                                                                            \
    X(dwfl_module_addrname)                                                                                            \
    X(dwfl_module_getsym_info)                                                                                         \
    X(dwfl_module_getsymtab)                                                                                           \
    X(dwfl_nextcu)                                                                                                     \
    X(dwfl_offline_section_address)                                                                                    \
    X(dwfl_report_begin)                                                                                               \
    X(dwfl_report_elf)                                                                                                 \
    X(dwfl_report_end)

struct libdw {
    LIBDW_FUNCTIONS(LIBRARY_POINTER)
};
extern struct libdw libdw;

#endif
