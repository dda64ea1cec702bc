/* SPDX-License-Identifier: Apache-2.0 */
#include "native/orders.h"
#include "native/choices.h"
#include "native/reservations.h"
#include "native/settings.h"
#include "native/symbols.h"
#include "native/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_CALLERS = 1 << 12, LONGEST_PLACE = 100, MOST_SHOWN = 5 };

/* In memory that all processes share, outside of what is reset between executions. */
struct orders {
    _Atomic uintptr_t callers[MOST_CALLERS]; /* hashed; 0: free */
    uint32_t count;                          /* of the places, when they are found */
    char places[MOST_CALLERS][LONGEST_PLACE];
    char condition[100];
    _Atomic uintptr_t first_volatile;
    uintptr_t found[MOST_CALLERS]; /* the callers without gaps, when their places are looked up */
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

static void conclude_volatile(void)
{
    char place[LONGEST_PLACE];
    uintptr_t caller = orders ? atomic_exchange(&orders->first_volatile, 0) : 0;
    if (!caller)
        return;
    describe_place(caller, place, sizeof place);
    add_reservation(false, "volatile orders nothing: its accesses count as relaxed atomics, as at %s", place);
}

static void take_place(void *user, size_t index, const char *function, const char *place)
{
    (void)index, (void)function, (void)user;
    for (uint32_t i = 0; i < orders->count; i++)
        if (strcmp(orders->places[i], place) == 0)
            return;
    snprintf(orders->places[orders->count++], LONGEST_PLACE, "%.*s", LONGEST_PLACE - 1, place);
}

static int compare_places(const void *a, const void *b)
{
    return strverscmp(a, b);
}

void orders_conclude(void)
{
    size_t count = 0, used = 0;
    conclude_volatile();
    char shown[MOST_SHOWN * LONGEST_PLACE + 40] = "";
    for (size_t i = 0; orders && i < MOST_CALLERS; i++)
        if (atomic_load(&orders->callers[i]))
            orders->found[count++] = atomic_load(&orders->callers[i]);
    if (!count || orders->count)
        return;
    find_frames(orders->found, count, false, take_place, NULL);
    qsort(orders->places, orders->count, LONGEST_PLACE, compare_places);
    for (uint32_t i = 0; i < orders->count && i < MOST_SHOWN; i++)
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s%s", i ? ", " : ": ", orders->places[i]);
    if (orders->count > MOST_SHOWN)
        snprintf(shown + used, sizeof shown - used, " and %u more", orders->count - MOST_SHOWN);
    size_t number = orders->count ? orders->count : count; /* without debugging information there are no places */
    snprintf(orders->condition, sizeof orders->condition, " under sequential consistency; %zu access%s for less",
             number, number == 1 ? " asks" : "es ask");
    add_reservation(false, "%s%s", orders->condition + 1, shown);
}

const char *orders_condition(void)
{
    return orders ? orders->condition : "";
}

void orders_json(struct json *json)
{
    json_open(json, "weaker_orders", '[');
    for (uint32_t i = 0; orders && i < orders->count; i++)
        json_string(json, NULL, orders->places[i]);
    json_close(json, ']');
}
