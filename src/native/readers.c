/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-write locks.  Steps of readers read the lock and those of writers write it, so that readers go in any order.  A
 * writer waits for several readers, whose steps are in no order: whether it could go on after some of them cannot be
 * told from one value of the lock.  It is counted from the steps that were taken.
 */
#include "native/objects.h"

void lock_take(struct lock_state *state, uint32_t object, size_t event)
{
    const struct step_record *step = &run.steps.item[event];
    if (step->operation.object != object || event < object_state(object)->began) /* another one was there */
        return;
    switch (step->operation.kind) {
    case OP_READ_LOCK:
    case OP_TRY_READ_LOCK: state->readers += step->result == 0; break;
    case OP_WRITE_LOCK:
    case OP_TRY_WRITE_LOCK: state->written |= step->result == 0; break;
    case OP_READ_WRITE_UNLOCK:
        if (state->written)
            state->written = false;
        else
            state->readers--;
        break;
    default: break;
    }
}

struct lock_state lock_at(uint32_t object, size_t depth)
{
    struct lock_state state = {0};
    for (size_t i = 0; i < depth; i++)
        lock_take(&state, object, i);
    return state;
}
