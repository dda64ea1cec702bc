/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the program, and runs that do not end. */
#ifndef NATIVE_SIGNALS_H
#define NATIVE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

extern uintptr_t accessing; /* where the program last accessed memory, by itself or by a function that it called */

/* Catches faults of the program, and looks every tenth of a second whether it goes on. */
bool signals_make(void);
/* Signals that a handler has left blocked are let through again. */
void signals_release(void);
/* Reads a byte: a bad address fails here, for this caller. */
void touch(const volatile void *address, uintptr_t caller);

#endif
