/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocating a block counts as writing to all of it: a thread that gets hold of the block must come after that, or the
 * two race.  Nothing is noted for each word.  A thread's heap only grows within a run, so which of its blocks are from
 * before a point of its past is told by their addresses; the address and the clock are kept wherever the clock is
 * another one than at the block before.
 */
#include "native/memory.h"
#include "native/races.h"
#include "native/settings.h"

enum { MOST_POINTS = 1 << 18 }; /* for each thread */

struct allocation_point {
    uintptr_t start; /* of the first block with this clock */
    uint32_t clock;
};

static KEPT struct allocation_point *allocation_points; /* of each thread */

bool allocations_make(void)
{
    allocation_points = reserve((size_t)MOST_THREADS * MOST_POINTS * sizeof *allocation_points);
    return allocation_points;
}

static struct allocation_point *points_of(uint32_t agent)
{
    return allocation_points + (size_t)agent * MOST_POINTS;
}

/* Is this the allocation of the race that is being reported? */
static bool is_watched(uintptr_t start, size_t size, uint32_t clock, uintptr_t caller)
{
    const struct failure *race = &watch.race;
    return watch.on && agents.current == race->other && clock == race->other_clock && caller == race->other_caller &&
           race->address - start < size;
}

void note_allocation(uintptr_t start, size_t size, uintptr_t caller)
{
    struct thread *thread = current_thread();
    struct allocation_point *points = points_of(agents.current);
    uint32_t clock = thread->clock[agents.current];
    if (!chosen.exploring)
        return;
    if (is_watched(start, size, clock, caller))
        fail_run(FAILED_RACE, caller, "is here first");
    if (thread->allocations && points[thread->allocations - 1].clock == clock)
        return;
    if (thread->allocations == MOST_POINTS)
        fail_run(FAILED_REFUSED, caller, "one run allocates too often to look for data races");
    points[thread->allocations++] = (struct allocation_point){start, clock};
}

/* The owner's clock when it allocated the block with this address. */
static uint32_t allocated_at(uint32_t owner, uintptr_t address)
{
    const struct allocation_point *points = points_of(owner);
    uint32_t low = 0, high = threads[owner].allocations;
    while (low < high) { /* those before `low` begin at the address or before it */
        uint32_t middle = low + (high - low) / 2;
        if (points[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? points[low - 1].clock : 0;
}

bool find_unordered_allocation(uint32_t agent, uint32_t owner, uintptr_t address, struct failure *failure)
{
    uint32_t clock = allocated_at(owner, address);
    if (clock <= threads[agent].clock[owner])
        return false;
    const struct block *block = block_with(address);
    failure->other = owner;
    failure->other_clock = clock;
    failure->other_caller = block ? block->allocated : 0;
    failure->address = address;
    return true;
}
