/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic sections, as the Competition on Software Verification has them. */
#ifndef NATIVE_SECTIONS_H
#define NATIVE_SECTIONS_H

#include <stdint.h>

extern uint32_t section_count; /* functions of the program that are atomic by their names */

/* Looks for them in the symbols of the program; once, before it runs. */
void sections_find(void);
/* A function begins or ends, the one that has this address. */
void function_begins(uintptr_t address);
void function_ends(uintptr_t address);

#endif
