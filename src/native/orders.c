/* SPDX-License-Identifier: Apache-2.0 */
#include "native/orders.h"
#include "native/choices.h"
#include "native/report.h"
#include "native/settings.h"
#include "native/threads.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { MOST_CALLERS = 1 << 12 };

/* In memory that all processes share, outside of what is reset between executions. */
struct orders {
    _Atomic uintptr_t callers[MOST_CALLERS]; /* hashed; 0: free */
    _Atomic uintptr_t first_volatile;
};

static struct orders *orders;

bool orders_make(void)
{
    void *memory = mmap(NULL, sizeof *orders, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED)
        orders = memory;
    return orders;
}

bool is_alone(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct thread *thread = &threads[agent];
        if (agent != agents.current && thread->exists && !thread->joined && !is_disturber(agent) && !is_chooser(agent))
            return false;
    }
    return true;
}

/* An access that is ordered with all others is as good as one that is not atomic, whatever it asks for. */
void remember_weaker(uintptr_t caller)
{
    size_t start = (caller * 0x9E3779B97F4A7C15u) >> 52;
    if (!orders || !chosen.exploring)
        return;
    for (size_t i = 0; i < MOST_CALLERS; i++) {
        _Atomic uintptr_t *slot = &orders->callers[(start + i) % MOST_CALLERS];
        uintptr_t there = atomic_load_explicit(slot, memory_order_relaxed);
        if (there == caller)
            return;
        if (!there && (is_alone() || atomic_compare_exchange_strong(slot, &there, caller)))
            return;
        if (there == caller)
            return;
    }
}

void note_volatile(uintptr_t caller)
{
    uintptr_t none = 0;
    if (orders && chosen.exploring && !atomic_load_explicit(&orders->first_volatile, memory_order_relaxed) &&
        !is_alone())
        atomic_compare_exchange_strong(&orders->first_volatile, &none, caller);
}

void orders_record(void)
{
    uint64_t caller = orders ? atomic_load(&orders->first_volatile) : 0;
    if (caller)
        record_put(RECORD_VOLATILE, &caller, sizeof caller);
    for (size_t i = 0; orders && i < MOST_CALLERS; i++) {
        caller = atomic_load(&orders->callers[i]);
        if (caller)
            record_put(RECORD_WEAKER, &caller, sizeof caller);
    }
}
