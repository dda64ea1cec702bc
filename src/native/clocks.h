/* SPDX-License-Identifier: Apache-2.0 */
/* Happens-before by synchronisation: clock vectors of threads and objects. */
#ifndef NATIVE_CLOCKS_H
#define NATIVE_CLOCKS_H

#include "native/effects.h"
#include "native/objects.h"

bool clocks_make(struct object *object);
void clocks_free(struct object *object);
/* The first is for mutexes and the like, the second for atomics. */
void exchange_clocks(uint32_t agent, uint32_t object, const struct effect *effect);
void exchange_clocks_of_memory(uint32_t agent, const struct pending *operation, const struct effect *effect);
void fence(int order);

#endif
