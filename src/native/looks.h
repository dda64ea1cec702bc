/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at what is taken next: no steps of their own. */
#ifndef NATIVE_LOOKS_H
#define NATIVE_LOOKS_H

#include "native/threads.h"

/* A search begins: what was found about values is forgotten, not which looks there are. */
void looks_reset(void);
/* A read in a loop, by an operation at the end of a path, leads to a node: is it a look? */
void look_for_look(const struct pending *operation, uint64_t value, uint32_t next);
/* Is the thread's pending operation a look?  Its number then, 0 if not; and what the thread is to find. */
uint32_t look_of(const struct thread *thread, uint64_t *value);
/* Would one who takes, and finds this value, have come there if it had looked just before? */
bool look_finds(uint32_t look, uint64_t value);

#endif
