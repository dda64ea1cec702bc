/* SPDX-License-Identifier: Apache-2.0 */
#include "system/growing.h"

#include "base/enabled.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { WALKS = 16, LONGEST_WALK = 5000, MOST_LOOKS = 20000000 }; /* looks at variables: on a large model few steps */

struct walk {
    unsigned char *present, *next, *anchor;
    uint32_t *enabled;
    size_t enabled_capacity;
    uint32_t steps_left; /* of all walks */
};

/* The variable that is larger in `after`, when none is smaller; NOT_GROWING otherwise. */
static uint32_t covering(const struct portolan_system *system, const void *before, const void *after)
{
    uint32_t larger = NOT_GROWING;
    int64_t most = 0;
    for (uint32_t v = 0; v < system->variables; v++) {
        int64_t difference = system->value(system->model, after, v) - system->value(system->model, before, v);
        if (difference < 0)
            return NOT_GROWING;
        if (difference > most) {
            most = difference;
            larger = v;
        }
    }
    return larger;
}

/* Walks at random and compares with an anchor set anew after 1, 2, 4, ... steps: a state that covers an earlier one
 * on its path can be pumped (Karp and Miller 1969).  Says nothing when it finds nothing. */
static uint32_t pump(const struct portolan_system *system, struct walk *walk, uint64_t seed)
{
    system->initial(system->model, walk->present);
    memcpy(walk->anchor, walk->present, system->state_bytes);
    for (uint32_t step = 1, next_anchor = 2; step < LONGEST_WALK && walk->steps_left && !limits_reached(); step++) {
        uint32_t count;
        walk->steps_left--;
        if (!enabled_list(system, walk->present, &walk->enabled, &walk->enabled_capacity, &count) || count == 0)
            return NOT_GROWING;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t action = walk->enabled[(seed >> 33) % count];
        if (system->fire(system->model, walk->present, action, walk->next) != PORTOLAN_FIRED)
            return NOT_GROWING;
        unsigned char *swapped = walk->present;
        walk->present = walk->next;
        walk->next = swapped;
        uint32_t variable = covering(system, walk->anchor, walk->present);
        if (variable != NOT_GROWING)
            return variable;
        if (step == next_anchor) {
            memcpy(walk->anchor, walk->present, system->state_bytes);
            next_anchor *= 2;
        }
    }
    return NOT_GROWING;
}

uint32_t find_growing_variable(const struct portolan_system *system)
{
    if (!system->monotone || !system->value || !system->variable_name)
        return NOT_GROWING;
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_A_WALK);
    struct walk walk = {.present = malloc(system->state_bytes),
                        .next = malloc(system->state_bytes),
                        .anchor = malloc(system->state_bytes),
                        .steps_left = MOST_LOOKS / (system->variables + 1)};
    uint32_t variable = NOT_GROWING;
    if (walk.present && walk.next && walk.anchor && enabled_make(system, &walk.enabled, &walk.enabled_capacity))
        for (uint64_t i = 0; i < WALKS && variable == NOT_GROWING; i++)
            variable = pump(system, &walk, i + 1);
    limits_end(&finishing);
    free(walk.present);
    free(walk.next);
    free(walk.anchor);
    free(walk.enabled);
    return variable;
}
