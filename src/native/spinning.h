/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops only wait: learned from what threads do. */
#ifndef NATIVE_SPINNING_H
#define NATIVE_SPINNING_H

#include "native/threads.h"

extern struct loops {
    bool exist; /* that come by the same place again and again */
} loops;

/* The thread has stopped before its pending operation: finds out whether it is in a loop that only waits. */
void look_for_spinning(struct thread *thread);
/* An operation is taken; what it found, and whether it changes anything. */
void remember_read(struct thread *thread, const struct pending *operation, uint64_t value, bool effect);

#endif
