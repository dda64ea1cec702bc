/* SPDX-License-Identifier: Apache-2.0 */
#include "ltl_textbook.h"

#include "reduce/reduction.h"
#include "store/store.h"
#include "system/deadlock.h"

#include <string.h>

enum { ON_STACK = 1, MET = 2, RED = 4, ON_RED_STACK = 8, MOST_NODES = 20000, MOST_ACTIONS = 64 };

struct textbook_search {
    struct portolan_system *system;
    const struct ltl_property *property;
    const struct automaton *automaton;
    struct reduction *reduction;
    bool visible[MOST_ACTIONS];
    struct store nodes; /* key: state, then the automaton's */
    uint8_t flags[MOST_NODES];
    struct automaton_edges edges; /* of the product, explored */
    bool nested, found, too_large;
};

struct expansion_here {
    uint32_t automaton_state, targets[MOST_ACTIONS * 16], target_count;
    bool accepting[MOST_ACTIONS * 16];
};

static uint32_t number_of(struct textbook_search *t, const unsigned char *state, uint32_t automaton_state)
{
    unsigned char key[256] = {0};
    memcpy(key, state, t->system->key_bytes);
    memcpy(key + t->system->key_bytes, &automaton_state, sizeof automaton_state);
    uint32_t node = store_insert(&t->nodes, key, store_hash(key, t->nodes.key_bytes));
    t->too_large |= node >= MOST_NODES;
    return t->too_large ? 0 : node;
}

static bool has_invisible(const struct textbook_search *t, const uint32_t *enabled, const uint32_t *chosen,
                          uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!t->visible[enabled[chosen ? chosen[i] : i]])
            return true;
    return false;
}

/* The nodes that these actions lead to. */
static void follow(struct textbook_search *t, const unsigned char *state, const uint32_t *enabled,
                   const uint32_t *chosen, uint32_t count, uint64_t letter, struct expansion_here *e)
{
    unsigned char next[256];
    e->target_count = 0;
    for (uint32_t i = 0; i < count || (i == 0 && count == 0); i++) {
        if (count == 0)
            memcpy(next, state, t->system->state_bytes);
        else if (t->system->fire(t->system->model, state, enabled[chosen[i]], next) != PORTOLAN_FIRED)
            t->too_large = true;
        for_edges(edge, t->automaton, e->automaton_state)
        {
            if (t->too_large || !automaton_edge_takes(edge, letter))
                continue;
            t->too_large |= e->target_count == MOST_ACTIONS * 16;
            if (t->too_large)
                return;
            e->accepting[e->target_count] = edge->acceptance == automaton_all_sets(t->automaton);
            e->targets[e->target_count++] = number_of(t, next, edge->target);
        }
    }
}

static bool leads_to(const struct textbook_search *t, const struct expansion_here *e, uint8_t flag)
{
    for (uint32_t i = 0; i < e->target_count; i++)
        if (t->flags[e->targets[i]] & flag)
            return true;
    return false;
}

/* Chooses a set none of whose successors is on the stack, or everything. */
static void expand_node(struct textbook_search *t, uint32_t node, uint8_t stack_flag, struct expansion_here *e)
{
    unsigned char state[256] = {0};
    uint32_t enabled[MOST_ACTIONS], chosen[MOST_ACTIONS];
    memcpy(state, store_key(&t->nodes, node), t->system->key_bytes);
    memcpy(&e->automaton_state, store_key(&t->nodes, node) + t->system->key_bytes, sizeof e->automaton_state);
    uint32_t count = t->system->enabled(t->system->model, state, enabled);
    uint64_t letter = ltl_valuation(&t->property->ltl, t->system, state, is_deadlock(t->system, state, count), NULL);
    struct choice choice = {.state = state, .enabled = enabled, .enabled_count = count};
    for (unsigned attempt = 0; attempt < 4; attempt++) {
        uint32_t some = reduction_stubborn.choose(t->reduction, &choice, attempt, chosen);
        if (some < count && !has_invisible(t, enabled, chosen, some) && has_invisible(t, enabled, NULL, count))
            continue;
        follow(t, state, enabled, chosen, some, letter, e);
        if (some == count || !leads_to(t, e, stack_flag))
            return;
    }
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = i;
    follow(t, state, enabled, chosen, count, letter, e);
}

static void visit_red(struct textbook_search *t, uint32_t node)
{
    struct expansion_here e;
    t->flags[node] |= RED | ON_RED_STACK;
    expand_node(t, node, ON_RED_STACK, &e);
    for (uint32_t i = 0; i < e.target_count && !t->found && !t->too_large; i++) {
        t->found |= (t->flags[e.targets[i]] & ON_STACK) != 0;
        if (!t->found && !(t->flags[e.targets[i]] & RED))
            visit_red(t, e.targets[i]);
    }
    t->flags[node] &= (uint8_t)~ON_RED_STACK;
}

static void visit(struct textbook_search *t, uint32_t node)
{
    struct expansion_here e;
    t->flags[node] |= MET | ON_STACK;
    expand_node(t, node, ON_STACK, &e);
    for (uint32_t i = 0; i < e.target_count && !t->found && !t->too_large; i++) {
        uint32_t to = e.targets[i];
        edges_add(&t->edges, (struct automaton_edge){.source = node, .target = to, .acceptance = e.accepting[i]});
        if (!(t->flags[to] & MET))
            visit(t, to);
        if (!t->nested || !e.accepting[i] || t->found)
            continue;
        t->found |= (t->flags[to] & ON_STACK) != 0;
        if (!t->found && !(t->flags[to] & RED))
            visit_red(t, to);
    }
    t->flags[node] &= (uint8_t)~ON_STACK;
}

/* Has the explored part of the product an accepting cycle? */
static bool has_accepting_cycle(struct textbook_search *t)
{
    bool empty = true;
    struct automaton *product = automaton_new(t->nodes.count, 0, 1, NULL);
    if (!product || !automaton_set_edges(product, &t->edges) || !automaton_is_empty(product, &empty))
        abort();
    automaton_free(product);
    return !empty;
}

bool textbook_violated(struct portolan_system *system, const struct portolan_property *property, enum textbook how)
{
    static struct textbook_search t; /* large */
    memset(&t, 0, sizeof t);
    t.system = system;
    t.property = property->ltl;
    t.automaton = property->ltl->counterexamples;
    t.nested = how == TEXTBOOK_NESTED;
    if (t.automaton->sets > 1 || system->actions >= MOST_ACTIONS || system->state_bytes > 240)
        return true; /* nothing to be said */
    property_mark_visible(property, system, t.visible);
    struct reduction_demands demands = {.visible = t.visible, .prefer_strong = true, .repeatable = true};
    unsigned char initial[256] = {0};
    if (reduction_stubborn.make(system, "strong", &demands, &t.reduction, NULL) != PORTOLAN_OK ||
        !store_make(&t.nodes, system->key_bytes + sizeof(uint32_t)))
        abort();
    system->initial(system->model, initial);
    visit(&t, number_of(&t, initial, t.automaton->initial));
    bool violated = t.found || t.too_large;
    if (!t.nested && !violated)
        violated = has_accepting_cycle(&t);
    else
        free(t.edges.list.item);
    reduction_stubborn.free(t.reduction);
    store_clear(&t.nodes);
    return violated;
}
