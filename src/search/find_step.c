/* SPDX-License-Identifier: Apache-2.0 */
/* Finding again the step that a search took from one state to another. */
#include "search/search.h"

#include "base/limits.h"
#include "base/vector.h"

#include <string.h>

uint32_t chain_action(struct explorer *x, const unsigned char *state)
{
    struct search *s = x->search;
    struct choice choice = {.state = state,
                            .enabled = x->chain_enabled}; /* chains need a reduction, which needs a fixed set */
    choice.enabled_count = x->system->enabled(x->system->model, state, x->chain_enabled);
    if (choice.enabled_count == 0)
        return UINT32_MAX;
    uint32_t count = s->reduction_class->choose(x->reduction, &choice, 0, x->chain_chosen);
    return count == 1 ? x->chain_enabled[x->chain_chosen[0]] : UINT32_MAX;
}

bool find_step(struct explorer *x, uint32_t from, uint32_t to, struct action_path *path)
{
    struct search *s = x->search;
    struct expansion *e = &x->now;
    size_t key = x->system->key_bytes, bytes = x->system->state_bytes, before = path->count;
    if (limits_reached() || !load_state(x, from))
        return false;
    store_copy(&s->store, to, x->goal_key);
    for (uint32_t i = 0; i < e->enabled_count; i++) {
        uint32_t action = e->enabled[i];
        if (x->system->fire(x->system->model, e->bytes, action, e->successor) != PORTOLAN_FIRED)
            continue;
        memcpy(x->chain_anchor, e->successor, bytes);
        for (uint64_t steps = 1, next_anchor = 2;; steps++) {
            if (limits_reached() || !vector_push(path, action))
                return false;
            if (memcmp(e->successor, x->goal_key, key) == 0)
                return true;
            if (!s->options->chains || (steps > 1 && memcmp(e->successor, x->chain_anchor, key) == 0))
                break;
            if (steps == next_anchor) {
                memcpy(x->chain_anchor, e->successor, bytes);
                next_anchor *= 2;
            }
            action = chain_action(x, e->successor);
            if (action == UINT32_MAX ||
                x->system->fire(x->system->model, e->successor, action, x->chain_next) != PORTOLAN_FIRED)
                break;
            memcpy(e->successor, x->chain_next, bytes);
        }
        path->count = before;
    }
    return false;
}
