/* SPDX-License-Identifier: Apache-2.0 */
/* What library functions read and write on behalf of the program. */
#ifndef NATIVE_ACCESSES_H
#define NATIVE_ACCESSES_H

#include "native/races.h"

#include <stdio.h>
#include <string.h>

/* Is this one of the functions by which the compiler reports what the program does?  They throw nothing. */
bool only_reports(uintptr_t function);

static inline void reads(const void *address, size_t size, uintptr_t caller)
{
    if (in_program())
        note_access((uintptr_t)address, size, false, caller);
}

static inline void writes(void *address, size_t size, uintptr_t caller)
{
    if (in_program())
        note_access((uintptr_t)address, size, true, caller);
}

/* --- file_order.c: a file is used, by its number or stream; its name is looked up, or changes, or what has that name
 */

void number_used(int number, uintptr_t caller);
void stream_used(FILE *stream, uintptr_t caller);
void path_used(const char *path, bool changes, uintptr_t caller);

#define WHOLE_TEXT ((size_t)PTRDIFF_MAX)

/* A text with its final zero, or the first `most` bytes of a longer one. */
static inline size_t reads_text(const char *text, size_t most, uintptr_t caller)
{
    size_t length = strnlen(text, most);
    reads(text, length < most ? length + 1 : most, caller);
    return strnlen(text, most); /* another thread may have written meanwhile */
}

#endif
