/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAGE_PACK_H
#define PAGE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes the text in fewer bytes, none of which is new to it but '~', letters, digits, '+' and '-'; false: no memory.
 */
bool pack(const char *text, size_t size, FILE *out);

#endif
