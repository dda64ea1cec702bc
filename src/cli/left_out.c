/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/left_out.h"

#include "report/step.h"
#include "system/orders.h"

#include <inttypes.h>

/* Of one pair; the action is left out, the other one explored. */
static void pair_text(enum orders orders, const char *action, const char *explored, char *text, size_t size)
{
    switch (orders) {
    case ORDERS_MEET: snprintf(text, size, "before or after %s, it leads to the same state", explored); break;
    case ORDERS_FIRST_DISABLES: snprintf(text, size, "%s disables it: the set is not stubborn", explored); break;
    case ORDERS_SECOND_DISABLES:
        snprintf(text, size, "it disables %s, which only a member of the set can enable again", explored);
        break;
    case ORDERS_DIFFER:
        snprintf(text, size, "%s and %s do not commute: the set is not stubborn", action, explored);
        break;
    case ORDERS_UNKNOWN: snprintf(text, size, "no member of the set asks for it"); break;
    }
}

void left_out_text(const struct explored_set *set, uint32_t action, char *text, size_t size)
{
    const struct portolan_system *system = set->system;
    char one[16], other[16];
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t explored = set->enabled[set->chosen[i]];
        enum orders orders = fire_both_orders(system, set->state, explored, action);
        if (orders != ORDERS_MEET || set->count == 1) {
            pair_text(orders, step_name(system, action, one), step_name(system, explored, other), text, size);
            return;
        }
    }
    snprintf(text, size, "before or after each of the %" PRIu32 " explored actions, it leads to the same state",
             set->count);
}
