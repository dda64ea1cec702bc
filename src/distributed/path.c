/* SPDX-License-Identifier: Apache-2.0 */
/* Traces put together across ranks: backwards, level by level, by whoever has a state with a step to the one wanted. */
#include "distributed/ranks.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

/* Looks in this rank's states of a level for a step to a state; false: there is none. */
static bool find_step_to(struct levels *l, size_t level, const unsigned char *target, uint32_t *action, uint32_t *from)
{
    struct explorer *x = l->x;
    uint32_t end = level + 1 < l->level.count ? l->level.item[level + 1] : x->search->store.count;
    for (*from = l->level.item[level]; *from < end; (*from)++) {
        bool again = true;
        while (again) {
            if (limits_reached() || !load_state(x, *from))
                return false;
            again = false;
            for (uint32_t i = 0; i < x->now.enabled_count && !again; i++) {
                *action = x->now.enabled[i];
                enum portolan_fired fired = x->system->fire(x->system->model, x->now.bytes, *action, x->now.successor);
                if (fired == PORTOLAN_TOO_NARROW && x->system->widen)
                    again = widen_states(x);
                if (fired != PORTOLAN_FIRED)
                    continue;
                to_wire(l, x->now.successor, l->scratch);
                if (memcmp(l->scratch, target, l->wire_bytes) == 0)
                    return true;
            }
        }
    }
    return false;
}

bool find_path(struct levels *l, uint32_t who, uint32_t state, size_t level, struct portolan_answer *answer)
{
    unsigned char *target = calloc(1, l->wire->state_bytes + 1);
    struct action_path path = {0};
    bool fine = target;
    uint64_t all_fine = !fine;
    l->transport->largest(l->transport, &all_fine, 1);
    fine = all_fine == 0;
    if (fine && who == l->transport->rank && load_state(l->x, state))
        to_wire(l, l->x->now.bytes, target);
    if (fine)
        l->transport->share(l->transport, who, target, l->wire_bytes);
    while (fine && level-- > 0) {
        uint32_t action = 0, from = 0;
        bool has = find_step_to(l, level, target, &action, &from);
        who = first_who(l, has);
        if (who == l->transport->ranks) {
            fine = false;
            break;
        }
        if (who == l->transport->rank && load_state(l->x, from))
            to_wire(l, l->x->now.bytes, target);
        l->transport->share(l->transport, who, target, l->wire_bytes);
        l->transport->share(l->transport, who, &action, sizeof action);
        uint64_t pushed = vector_push(&path, action) ? 0 : 1;
        l->transport->largest(l->transport, &pushed, 1);
        fine = !pushed;
    }
    free(target);
    if (!fine) {
        free(path.item);
        return false;
    }
    for (size_t i = 0; i < path.count / 2; i++) {
        uint32_t swapped = path.item[i];
        path.item[i] = path.item[path.count - 1 - i];
        path.item[path.count - 1 - i] = swapped;
    }
    answer->trace = path.item;
    answer->trace_length = path.count;
    answer->has_trace = true;
    return true;
}
