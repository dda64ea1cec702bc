/* SPDX-License-Identifier: Apache-2.0 */
/* Names for people.  These functions allocate, so they are not for contexts of the program. */
#ifndef NATIVE_SYMBOLS_H
#define NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void agent_name(uint32_t agent, char *text, size_t size);
void describe_address(uintptr_t address, char *text, size_t size);

#endif
