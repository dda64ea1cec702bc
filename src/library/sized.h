/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs that a caller fills.  They begin with their size, which says how much of them the caller's header knows: a
 * library with more fields takes the missing ones as zero, one with fewer refuses those that are not.  After
 * copy_struct_from_user of Linux.
 */
#ifndef LIBRARY_SIZED_H
#define LIBRARY_SIZED_H

#include "portolan/portolan.h"

#define SIZED_COPY(own, theirs, macro, error) sized_copy(own, sizeof *(own), theirs, macro, error)

/* `theirs` is not NULL; `macro` is the name of the macro that sets its size. */
enum portolan_status sized_copy(void *own, size_t own_size, const void *theirs, const char *macro,
                                struct portolan_error *error);

#endif
