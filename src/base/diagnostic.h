/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values: filling a struct portolan_error, and writing one the way compilers do. */
#ifndef BASE_DIAGNOSTIC_H
#define BASE_DIAGNOSTIC_H

#include "portolan/portolan.h"

#include <stdio.h>

/* Fills error (which may be NULL) with a status and a formatted message; returns the status. */
enum portolan_status fail(struct portolan_error *error, enum portolan_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at a place of a text; column is 1-based and counts bytes.  source may be NULL. */
enum portolan_status fail_at(struct portolan_error *error, const char *file, unsigned line, unsigned column,
                             const char *source, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Adds a hint to an error that was filled before; does nothing when error is NULL. */
void hint(struct portolan_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum portolan_status fail_memory(struct portolan_error *error);

/* "file:line:column: error: message", the line, a caret, the hint. */
void diagnostic_write(const struct portolan_error *error, FILE *out);

#endif
