/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>

/* The length of the character that the bytes begin with, in UTF-8; 0 when they begin with none: bytes that are no
 * UTF-8, control characters other than tab and newline, and what is no character.  The bytes end with a zero. */
size_t utf8_length(const unsigned char *bytes);

#endif
