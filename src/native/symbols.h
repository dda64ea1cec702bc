/* SPDX-License-Identifier: Apache-2.0 */
/* Names for people.  These functions allocate, so they are not for contexts of the program. */
#ifndef NATIVE_SYMBOLS_H
#define NATIVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void agent_name(uint32_t agent, char *text, size_t size);
void describe_address(uintptr_t address, char *text, size_t size);
/* A value that is the address of something in the program; false when it is none. */
bool describe_pointer(uintptr_t address, char *text, size_t size);
void describe_place(uintptr_t caller, char *text, size_t size);
/* Function, file and line of each, with those that the compiler put into another one if `inlined`; index counts the
 * callers. */
typedef void take_frame(void *user, size_t index, const char *function, const char *place);
void find_frames(const uintptr_t *callers, size_t count, bool inlined, take_frame *take, void *user);

#endif
