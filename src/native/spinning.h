/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that only wait. */
#ifndef NATIVE_SPINNING_H
#define NATIVE_SPINNING_H

#include "base/vector.h"
#include "native/threads.h"

/* What a loop over several objects found: it waits until one of them is different. */
struct cycle {
    uint32_t count;
    struct cycle_read {
        uintptr_t address;
        uint64_t value;
        uint32_t object, size;
    } reads[MOST_IN_LOOP];
};

extern struct loops {
    bool exist;                    /* that read the same thing again and again */
    VECTOR(struct cycle *) cycles; /* of those over several objects */
} loops;

/* What the operation waits for if it is in a loop over several objects, else NULL. */
static inline const struct cycle *cycle_of(const struct pending *operation)
{
    return operation->cycle ? loops.cycles.item[operation->cycle - 1] : NULL;
}

uint64_t value_now(const struct cycle_read *read);
/* Has one of the values that a loop found changed: to these, or now? */
bool has_changed(const struct cycle *cycle, const uint64_t *values);
bool has_changed_now(const struct cycle *cycle);

/* Finds out whether the thread is about to go round in a loop that only waits. */
void look_for_spinning(struct thread *thread);
/* An operation is taken; what it found, and whether it changes anything. */
void remember_read(struct thread *thread, const struct pending *operation, uint64_t value, bool effect);

#endif
