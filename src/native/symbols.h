/* SPDX-License-Identifier: Apache-2.0 */
/* Names for people.  These functions allocate, so they are not for contexts of the program. */
#ifndef NATIVE_SYMBOLS_H
#define NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_range {
    uintptr_t start;
    size_t size;
};

/* The functions of the program, not of the runtime, whose names begin like that. */
uint32_t find_functions(const char *beginning, struct code_range *found, uint32_t most);

void agent_name(uint32_t agent, char *text, size_t size);
void describe_address(uintptr_t address, char *text, size_t size);

#endif
