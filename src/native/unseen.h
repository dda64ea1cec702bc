/* SPDX-License-Identifier: Apache-2.0 */
/* What the program does that nobody reports. */
#ifndef NATIVE_UNSEEN_H
#define NATIVE_UNSEEN_H

#include <stdbool.h>

/* Adds a reservation for all that is not seen: objects, libraries, inline assembly, functions of libc.  `trusted` has a
 * pattern in each line and must stay.  False when there is any, trusted or not. */
bool all_is_seen(const char *trusted);
/* A thread touches the stack of another: accesses of local variables that are not reported matter. */
void stacks_are_shared(void);
/* Does the user vouch for it? */
bool is_trusted(const char *name);

/* --- harmless.c */

/* Is all that the program takes from libraries known not to write to its memory behind our back? */
bool imports_are_harmless(void);
/* cplusplus_known.c: the same of one name that a program takes from libstdc++. */
bool is_harmless_in_cplusplus(const char *name);
/* Has it called something that is not?  It does so now. */
bool has_called_unseen(void);
void calls_unseen(void);

#endif
