/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a whole text, for the languages that are parsed from memory. */
#ifndef BASE_TEXT_FILE_H
#define BASE_TEXT_FILE_H

#include "portolan/portolan.h"

enum { TEXT_FILE_MOST = 1 << 30 }; /* bytes; positions in a text then fit every counter */

/* Reads a file into memory that the caller frees.  A zero stands behind the text; one within it is an error. */
enum portolan_status text_file_read(const char *path, char **text, size_t *length, struct portolan_error *error);

/* Where the name of a file starts, behind its directories; *length is that without the ending, NULL: any. */
const char *file_stem(const char *path, const char *ending, size_t *length);

#endif
