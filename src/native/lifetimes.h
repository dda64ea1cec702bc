/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes and their like must be initialised before they are used, not twice, and not be used after they are destroyed.
 */
#ifndef NATIVE_LIFETIMES_H
#define NATIVE_LIFETIMES_H

#include "native/operations.h"

#include <stddef.h>

/* It is about to be used, or was just now: fails when it is not there. */
void check_life(const volatile void *object, enum thing thing, uintptr_t caller);
/* It begins, with a count, or ends. */
void begin_life(volatile void *object, size_t size, enum thing thing, unsigned count, uintptr_t caller);
void end_life(volatile void *object, enum thing thing, uintptr_t caller);

/* Checks what check_life cannot, in the scheduler, when the object begins or ends: is somebody using it? */
void check_use(uint32_t agent, const struct pending *operation, uint32_t object);
/* Gives it the state of a new object. */
void begin_object(uint32_t object, const struct pending *operation);
/* The same, if this is the first use of an object that was initialised by being zero. */
void begin_by_use(const struct pending *operation);

#endif
