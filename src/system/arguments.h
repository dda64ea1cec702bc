/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller of the library may get wrong and can be told. */
#ifndef SYSTEM_ARGUMENTS_H
#define SYSTEM_ARGUMENTS_H

#include "portolan/portolan.h"

/* PORTOLAN_BAD_OPTION: the system is NULL, not made by the library, lacks a function, or its sizes cannot be. */
enum portolan_status check_system(const struct portolan_system *system, struct portolan_error *error);
/* Are all numbers in the relations of such a system in range?  Looks at all of them. */
enum portolan_status check_lists(const struct portolan_system *system, struct portolan_error *error);
/* The same for options, of a system that is fine. */
enum portolan_status check_search_options(const struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_error *error);
/* For pointers that must be there: the first that is NULL is named. */
enum portolan_status check_pointer(const void *pointer, const char *name, struct portolan_error *error);

#endif
