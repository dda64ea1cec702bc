/* SPDX-License-Identifier: Apache-2.0 */
#include "search/product.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "search/crew.h"

#include <stdlib.h>
#include <string.h>

/* A larger table is made by whoever comes first. */
static uint32_t insert_shared(struct product *p, const struct product_node *node, uint64_t hash)
{
    struct search *s = p->explorer->search;
    uint32_t number;
    bool is_new;
    while ((number = store_insert_shared(p->nodes, node, hash, 0, &is_new)) == STORE_FULL && !s->ended) {
        if (!crew_stop_others(s->crew))
            continue;
        if (!s->ended && !store_grow_shared(p->nodes, crew_together, s->crew))
            end_short_of_memory(s);
        crew_let_go(s->crew);
    }
    return number == STORE_FULL ? STORE_NONE : number;
}

static uint32_t insert(struct product *p, struct product_node node)
{
    uint64_t hash = store_hash(&node, sizeof node);
    if (p->closed)
        return store_find(p->nodes, &node, hash);
    uint32_t number = p->cooperation && p->explorer->search->crew ? insert_shared(p, &node, hash)
                                                                  : store_insert(p->nodes, &node, hash);
    if (number == STORE_NONE) {
        end_short_of_memory(p->explorer->search);
        p->failed = true;
    }
    return number;
}

bool product_make(struct product *p, struct explorer *explorer, const struct automaton *automaton)
{
    p->explorer = explorer;
    p->automaton = automaton;
    p->recording = explorer->strategy->recording;
    p->property = p->recording->property;
    p->cycle_start = PORTOLAN_NO_CYCLE;
    p->nodes = &p->own_nodes;
    if (!store_make(p->nodes, sizeof(struct product_node)))
        return false;
    insert(p, (struct product_node){.state = 0, .automaton_state = automaton->initial});
    return !p->failed;
}

void product_clear(struct product *p)
{
    store_clear(&p->own_nodes);
    free(p->trace.item);
    memset(&p->trace, 0, sizeof p->trace);
}

size_t product_bytes(const struct product *p)
{
    return store_bytes(p->nodes) + p->bytes;
}

struct product_node product_node(const struct product *p, uint32_t node)
{
    struct product_node pair;
    memcpy(&pair, store_key(p->nodes, node), sizeof pair);
    return pair;
}

/* The formula has no value in a state that its truth depends on: that is the answer, with a path to the state. */
static bool error_in_formula(struct product *p, uint32_t state)
{
    struct search *s = p->explorer->search;
    struct portolan_answer *answer = &s->result->answers[0];
    p->failed = true;
    if (s->ended)
        return false;
    if (limits_stop() != PORTOLAN_COMPLETE) { /* the model gave up in the middle of evaluating */
        end_search(s, limits_stop());
        return false;
    }
    if (!recording_path(p->recording, state, &answer->trace, &answer->trace_length)) {
        end_short_of_memory(s);
        return false;
    }
    answer->has_trace = answer->has_no_value = s->decided[0] = true;
    answer->cycle_start = PORTOLAN_NO_CYCLE;
    s->undecided = 0;
    end_search(s, PORTOLAN_DECIDED);
    return false;
}

bool product_enter(struct product *p, uint32_t node, struct product_cursor *cursor)
{
    *cursor = (struct product_cursor){.node = node};
    uint32_t state = product_node(p, node).state;
    if (recorded(p->recording, state)->no_value) {
        crew_lock(p->explorer->search->crew);
        error_in_formula(p, state);
        crew_unlock(p->explorer->search->crew);
        return false;
    }
    if (!p->on_the_fly || recorded(p->recording, state)->expanded)
        return true;
    struct explorer *x = p->explorer;
    if (expand(x, state))
        observe_state(x);
    else if (x->status == PORTOLAN_OK && !x->search->ended)
        end_short_of_memory(x->search);
    p->failed |= x->search->ended || x->status != PORTOLAN_OK;
    if (!p->failed && recorded(p->recording, state)->no_value)
        return error_in_formula(p, state);
    return !p->failed;
}

bool product_next(struct product *p, struct product_cursor *cursor, struct product_step *step)
{
    struct product_node node = product_node(p, cursor->node);
    const struct recorded_state *state = recorded(p->recording, node.state);
    const struct automaton *automaton = p->automaton;
    node.automaton_state &= ~PRODUCT_ACCEPTED;
    uint32_t first = automaton->first[node.automaton_state], end = automaton->first[node.automaton_state + 1];
    uint32_t edges = state->count ? state->count : state->expanded;
    uint32_t turn = cursor->turn && edges ? cursor->turn % edges : 0;
    uint64_t all_sets = automaton_all_sets(automaton);
    for (; first + cursor->automaton_edge < end; cursor->automaton_edge++, cursor->program_edge = 0) {
        const struct automaton_edge *edge = &automaton->edges[first + cursor->automaton_edge];
        if (!automaton_edge_takes(edge, state->letter))
            continue;
        while (cursor->program_edge < edges) {
            uint32_t turned = cursor->program_edge++ + turn;
            *step = (struct product_step){.action = PRODUCT_STUTTER,
                                          .acceptance = edge->acceptance,
                                          .edge = state->first + (turned < edges ? turned : turned - edges)};
            struct product_node target = {.state = node.state, .automaton_state = edge->target};
            if (p->marks_accepted && edge->acceptance == all_sets)
                target.automaton_state |= PRODUCT_ACCEPTED;
            if (state->count) {
                step->action = p->recording->edges.item[step->edge].action;
                target.state = p->recording->edges.item[step->edge].target;
            }
            step->target = insert(p, target);
            if (p->failed)
                return false;
            if (step->target == STORE_NONE)
                continue;
            p->transitions += !p->closed;
            return true;
        }
    }
    return false;
}

bool product_goes_on(struct product *p)
{
    observe_limits(p->explorer);
    p->failed |= p->explorer->search->ended || p->explorer->status != PORTOLAN_OK;
    return !p->failed;
}
