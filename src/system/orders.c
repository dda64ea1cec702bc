/* SPDX-License-Identifier: Apache-2.0 */
#include "system/orders.h"

#include "base/enabled.h"

#include <stdlib.h>
#include <string.h>

struct firing {
    const struct portolan_system *system;
    uint32_t *enabled;
    size_t capacity;
    bool failed;
};

static bool is_enabled(struct firing *f, const void *state, uint32_t action)
{
    uint32_t count = 0;
    if (!enabled_list(f->system, state, &f->enabled, &f->capacity, &count))
        f->failed = true;
    for (uint32_t i = 0; i < count && !f->failed; i++)
        if (f->enabled[i] == action)
            return true;
    return false;
}

/* Writes where a, then b lead; false: b is not enabled in between. */
static bool fire_two(struct firing *f, const void *state, uint32_t a, uint32_t b, void *between, void *end)
{
    const struct portolan_system *system = f->system;
    if (system->fire(system->model, state, a, between) != PORTOLAN_FIRED) {
        f->failed = true;
        return false;
    }
    if (!is_enabled(f, between, b))
        return false;
    f->failed |= system->fire(system->model, between, b, end) != PORTOLAN_FIRED;
    return !f->failed;
}

enum orders fire_both_orders(const struct portolan_system *system, const void *state, uint32_t first, uint32_t second)
{
    struct firing f = {.system = system};
    size_t size = system->state_bytes;
    unsigned char *between = calloc(3, size + 1);
    enum orders orders = ORDERS_UNKNOWN;
    if (between && enabled_make(system, &f.enabled, &f.capacity)) {
        unsigned char *one = between + size, *other = one + size;
        bool follows = fire_two(&f, state, first, second, between, one);
        bool precedes = !f.failed && fire_two(&f, state, second, first, between, other);
        orders = f.failed                                                                ? ORDERS_UNKNOWN
                 : !follows                                                              ? ORDERS_FIRST_DISABLES
                 : !precedes                                                             ? ORDERS_SECOND_DISABLES
                 : memcmp(one, other, system->key_bytes ? system->key_bytes : size) == 0 ? ORDERS_MEET
                                                                                         : ORDERS_DIFFER;
    }
    free(f.enabled);
    free(between);
    return orders;
}
