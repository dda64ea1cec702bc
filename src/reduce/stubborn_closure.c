/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strong stubborn sets as terminal strong components.
 *
 * Once a false guard is picked for every disabled transition, "t needs u" is a
 * graph: an enabled t needs its conflicts, a disabled one the enablers of its
 * guard.  The smallest closed sets with an enabled transition are the strong
 * components from which no other component with an enabled transition can be
 * reached (Valmari 1988); one walk over what the seeds reach finds all of them
 * (base/component_stack.h).
 *
 * In large models many disabled transitions wait for one of many enablers of the
 * same guard.  Such a list is a node of its own, and what it costs is computed
 * once in a state: else each of them would look at all of it.
 */
#include "reduce/stubborn.h"

#include "base/component_stack.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

struct visit {
    uint32_t node;
    const uint32_t *next, *end; /* what it needs and is still to be looked at */
};

struct closure {
    struct component_stack components;
    bool *beyond; /* of each open component: an enabled transition is reachable in a complete one */
    bool *leads;  /* of a node in a complete one: an enabled transition is in or behind its component */
    struct visit *visits;
    uint32_t *index_of; /* enabled transition -> its index in the choice */
    uint32_t *enablers; /* per guard: the node of its enablers */
    uint32_t *cost;     /* per guard with many enablers: what they cost in the present state, by ... */
    uint32_t *cost_stamp;

    /* found sets, in order of discovery: indexes into the choice */
    uint32_t *set;
    uint32_t *set_start;
    bool *taken; /* by an earlier attempt */
    uint32_t sets;
    uint32_t alone; /* a transition that is asked about: another enabled one ends the walk; UINT32_MAX: none is */
};

bool closure_make(struct portolan_stubborn *s)
{
    size_t n = (size_t)stubborn_visible_node(s) + 1, guards = s->relations->guards;
    struct closure *c = s->closure = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->beyond = calloc(n, sizeof *c->beyond);
    c->leads = calloc(n, sizeof *c->leads);
    c->visits = calloc(n, sizeof *c->visits);
    c->index_of = calloc(n, sizeof *c->index_of);
    c->enablers = calloc(guards + 1, sizeof *c->enablers);
    c->cost = calloc(guards + 1, sizeof *c->cost);
    c->cost_stamp = calloc(guards + 1, sizeof *c->cost_stamp);
    for (uint32_t g = 0; c->enablers && g < guards; g++)
        c->enablers[g] = stubborn_enablers_node(s, g);
    c->set = calloc(n, sizeof *c->set);
    c->set_start = calloc(n + 1, sizeof *c->set_start);
    c->taken = calloc(n, sizeof *c->taken);
    c->alone = UINT32_MAX;
    return component_stack_grow(&c->components, n) && vector_reserve(&c->components.open, n) &&
           vector_reserve(&c->components.roots, n) && c->beyond && c->leads && c->visits && c->index_of && c->set &&
           c->set_start && c->taken && c->enablers && c->cost && c->cost_stamp;
}

void closure_forget(struct portolan_stubborn *s)
{
    component_stack_restart(&s->closure->components);
    memset(s->closure->cost_stamp, 0, s->relations->guards * sizeof *s->closure->cost_stamp);
}

void closure_free(struct closure *c)
{
    if (!c)
        return;
    component_stack_clear(&c->components);
    free(c->beyond);
    free(c->leads);
    free(c->visits);
    free(c->index_of);
    free(c->enablers);
    free(c->cost);
    free(c->cost_stamp);
    free(c->set);
    free(c->set_start);
    free(c->taken);
    free(c);
}

/* What these would add to what has been reached: few enabled ones are cheap, then few. */
static uint32_t cost_of(const struct portolan_stubborn *s, const struct portolan_lists *lists, uint32_t list)
{
    uint32_t cost = 0;
    for_list (u, *lists, list)
        if (!component_is_met(&s->closure->components, *u))
            cost += stubborn_is_enabled(s, *u) ? 64 : 1;
    return cost;
}

enum { MANY = 256 }; /* entries of a list that is not looked at for every transition */

static uint32_t cost_of_enablers(struct portolan_stubborn *s, uint32_t guard)
{
    struct closure *c = s->closure;
    if (list_length(&s->relations->enablers, guard) < MANY)
        return cost_of(s, &s->relations->enablers, guard);
    if (c->cost_stamp[guard] != s->stamp) {
        c->cost_stamp[guard] = s->stamp;
        c->cost[guard] = cost_of(s, &s->relations->enablers, guard);
        s->work += list_length(&s->relations->enablers, guard);
    }
    return c->cost[guard];
}

/* The false guard of a disabled transition whose enablers look cheapest. */
static uint32_t pick_guard(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    uint32_t best = UINT32_MAX, best_cost = UINT32_MAX;
    for_list (g, s->relations->guards_of, t) {
        if (stubborn_guard_holds(s, state, *g))
            continue;
        uint32_t cost = cost_of_enablers(s, *g);
        if (cost < best_cost) {
            best = *g;
            best_cost = cost;
        }
    }
    return best;
}

static struct visit visit_list(uint32_t node, const struct portolan_lists *lists, uint32_t list)
{
    return (struct visit){
        .node = node, .next = lists->item + lists->offset[list], .end = lists->item + lists->offset[list + 1]};
}

/* The disablers of a guard; without a key its enablers will do as well. */
static struct visit visit_disablers(const struct portolan_stubborn *s, uint32_t node, uint32_t guard)
{
    const struct portolan_relations *r = s->relations;
    bool by_enablers = s->seeks_goal && cost_of(s, &r->enablers, guard) < cost_of(s, &r->disablers, guard);
    return visit_list(node, by_enablers ? &r->enablers : &r->disablers, guard);
}

static struct visit visit_enablers(const struct portolan_stubborn *s, uint32_t node, uint32_t guard)
{
    if (list_length(&s->relations->enablers, guard) < MANY)
        return visit_list(node, &s->relations->enablers, guard);
    const uint32_t *of_all = &s->closure->enablers[guard];
    return (struct visit){.node = node, .next = of_all, .end = of_all + 1};
}

/* What a node needs. */
static struct visit start_visit(struct portolan_stubborn *s, const void *state, uint32_t node)
{
    const struct portolan_relations *r = s->relations;
    if (node == stubborn_visible_node(s))
        return (struct visit){
            .node = node, .next = s->visible, .end = s->visible + (s->seeks_goal ? 0 : s->visible_count)};
    if (node >= stubborn_enablers_node(s, 0))
        return visit_list(node, &r->enablers, node - stubborn_enablers_node(s, 0));
    if (node >= stubborn_users_node(s, 0))
        return visit_list(node, &s->users, node - stubborn_users_node(s, 0));
    if (node >= r->transitions)
        return visit_disablers(s, node, node - r->transitions);
    if (stubborn_is_enabled(s, node))
        return visit_list(node, &s->conflicts, node);
    uint32_t guard = pick_guard(s, state, node);
    if (guard == UINT32_MAX) /* disabled without a false guard: relations that say too little; check_relations tells */
        return (struct visit){.node = node};
    return visit_enablers(s, node, guard);
}

static bool is_enabled_transition(const struct portolan_stubborn *s, uint32_t node)
{
    return node < s->relations->transitions && stubborn_is_enabled(s, node);
}

/* Takes the component on top off; keeps its enabled transitions as a set when nothing smaller is behind.  Is an enabled
 * transition in it or behind? */
static bool finish_component(struct portolan_stubborn *s)
{
    struct closure *c = s->closure;
    const struct component_stack *stack = &c->components;
    uint32_t start = c->set_start[c->sets], count = start, first = component_top(stack);
    bool beyond = c->beyond[stack->roots.count - 1];
    for (size_t i = stack->open.count; i-- > first;)
        if (is_enabled_transition(s, stack->open.item[i]))
            c->set[count++] = c->index_of[stack->open.item[i]];
    for (size_t i = first; i < stack->open.count; i++)
        c->leads[stack->open.item[i]] = beyond || count > start;
    if (count > start && !beyond)
        c->set_start[++c->sets] = count;
    component_complete(&c->components);
    return beyond || count > start;
}

static void enter(struct portolan_stubborn *s, const void *state, uint32_t node, uint32_t depth)
{
    struct closure *c = s->closure;
    c->visits[depth] = start_visit(s, state, node);
    component_enter(&c->components, node); /* there is room for all */
    c->beyond[c->components.roots.count - 1] = false;
}

/* An edge to an open node: what is known of the components above its own holds of it. */
static void join(struct closure *c, uint32_t node)
{
    size_t before = c->components.roots.count;
    component_join(&c->components, node);
    while (before-- > c->components.roots.count)
        c->beyond[c->components.roots.count - 1] |= c->beyond[before];
}

/* Is it another enabled transition than the one that is asked about? */
static bool is_company(const struct portolan_stubborn *s, uint32_t node)
{
    uint32_t alone = s->closure->alone;
    return alone != UINT32_MAX && node != alone && is_enabled_transition(s, node);
}

/* Explores what a seed needs. */
static void traverse(struct portolan_stubborn *s, const void *state, uint32_t seed)
{
    struct closure *c = s->closure;
    uint32_t depth = 0;
    enter(s, state, seed, depth);
    for (;;) {
        struct visit *v = &c->visits[depth];
        s->work++;
        if (v->next < v->end) {
            uint32_t u = *v->next++;
            bool is_met = component_is_met(&c->components, u);
            if (!is_met && (limits_reached() || is_company(s, u)))
                return; /* the search ends, whatever the set is; or the answer is known */
            if (!is_met)
                enter(s, state, u, ++depth);
            else if (component_is_open(&c->components, u))
                join(c, u);
            else
                c->beyond[c->components.roots.count - 1] |= c->leads[u];
            continue;
        }
        bool leads = component_is_root(&c->components, v->node) && finish_component(s);
        if (depth-- == 0)
            return;
        c->beyond[c->components.roots.count - 1] |= leads;
    }
}

static uint32_t take_set(const struct closure *c, uint32_t set, uint32_t *out)
{
    uint32_t count = c->set_start[set + 1] - c->set_start[set];
    memcpy(out, c->set + c->set_start[set], count * sizeof *out);
    return count;
}

/* What a set costs: successors that a proviso refuses weigh most, then its size, then successors that are new. */
static uint64_t cost_of_set(const struct closure *c, uint32_t set, const struct choice *choice)
{
    uint64_t refused = 0, fresh = 0;
    for (uint32_t i = c->set_start[set]; choice->successor && i < c->set_start[set + 1]; i++) {
        enum successor successor = choice->successor(choice->user, c->set[i]);
        refused += successor == SUCCESSOR_REFUSED;
        fresh += successor == SUCCESSOR_NEW;
    }
    return refused << 42 | (uint64_t)(c->set_start[set + 1] - c->set_start[set]) << 21 | fresh;
}

static void begin(struct closure *c, const struct choice *choice)
{
    component_stack_restart(&c->components);
    c->sets = 0;
    c->set_start[0] = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        c->index_of[choice->enabled[i]] = i;
}

/* The best set that no earlier attempt took. */
static uint32_t best_set(const struct portolan_stubborn *s, const struct choice *choice)
{
    const struct closure *c = s->closure;
    uint32_t best = UINT32_MAX;
    uint64_t best_cost = UINT64_MAX, least = UINT64_C(1) << 21; /* a single known successor */
    for (uint32_t i = 0; i < c->sets && best_cost > least; i++) {
        if (c->taken[i] || !stubborn_is_relevant(s, choice->enabled[c->set[c->set_start[i]]]))
            continue;
        uint64_t cost = cost_of_set(c, i, choice);
        if (cost < best_cost) {
            best = i;
            best_cost = cost;
        }
    }
    return best;
}

uint32_t closure_choose(struct portolan_stubborn *s, const struct choice *choice, unsigned attempt, uint32_t *out)
{
    struct closure *c = s->closure;
    if (attempt == 0) {
        begin(c, choice);
        for (uint32_t i = 0; i < choice->enabled_count; i++)
            if (stubborn_is_enabled(s, choice->enabled[i]) && !component_is_met(&c->components, choice->enabled[i]))
                traverse(s, choice->state, choice->enabled[i]);
        memset(c->taken, 0, c->sets * sizeof *c->taken);
    }
    uint32_t best = best_set(s, choice);
    if (best == UINT32_MAX)
        return 0;
    c->taken[best] = true;
    return take_set(c, best, out);
}

uint32_t closure_of(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *actions,
                    uint32_t action_count, uint32_t *out)
{
    struct closure *c = s->closure;
    begin(c, choice);
    for (uint32_t i = 0; i < action_count; i++)
        if (!component_is_met(&c->components, actions[i]))
            traverse(s, choice->state, actions[i]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (component_is_met(&c->components, choice->enabled[i]) && stubborn_is_enabled(s, choice->enabled[i]))
            out[count++] = i;
    return count;
}

bool closure_is_alone(struct portolan_stubborn *s, const struct choice *choice, uint32_t action)
{
    struct closure *c = s->closure;
    begin(c, choice);
    c->alone = action;
    traverse(s, choice->state, action);
    c->alone = UINT32_MAX;
    return c->components.open.count == 0 && !limits_reached();
}
