/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is a library's: *stdout, C++ exceptions, what is allocated inside of libc.  It may be another block by
 * the time that it is used again, and what the library itself does with it is not seen.  So a data race on it is no
 * error; that there may be one leaves the verdict open.
 */
#ifndef NATIVE_FOREIGN_H
#define NATIVE_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An access of the program to a word of it. */
void note_foreign(uint32_t agent, uintptr_t address, bool writes);
/* A block begins there: nothing of before counts. */
void foreign_begins(uintptr_t address, size_t size);

#endif
