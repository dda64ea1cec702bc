/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strong stubborn sets as terminal strong components.
 *
 * Once a false guard is picked for every disabled transition, "t needs u" is a
 * graph: an enabled t needs its conflicts, a disabled one the enablers of its
 * guard.  The smallest closed sets with an enabled transition are the strong
 * components from which no other component with an enabled transition can be
 * reached (Valmari 1988); Tarjan's algorithm finds all of them in one pass over
 * what the seeds reach.
 */
#include "reduce/stubborn.h"

#include <stdlib.h>
#include <string.h>

struct visit {
    uint32_t node;
    const uint32_t *next, *end; /* what it needs and is still to be looked at */
    uint32_t low;
    bool beyond; /* an enabled transition is reachable in a finished component */
};

struct closure {
    uint32_t *number; /* per node: its number in this state's traversal, by stamp */
    uint32_t *number_stamp;
    bool *finished;
    bool *leads; /* of a finished one: an enabled transition is in or behind its component */
    struct visit *visits;
    uint32_t *open;     /* Tarjan's stack */
    uint32_t *index_of; /* enabled transition -> its index in the choice */

    /* found sets, in order of discovery: indexes into the choice */
    uint32_t *set;
    uint32_t *set_start;
    bool *taken; /* by an earlier attempt */
    uint32_t sets;
};

bool closure_make(struct portolan_stubborn *s)
{
    size_t n = (size_t)stubborn_visible_node(s) + 1;
    struct closure *c = s->closure = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->number = calloc(n, sizeof *c->number);
    c->number_stamp = calloc(n, sizeof *c->number_stamp);
    c->finished = calloc(n, sizeof *c->finished);
    c->leads = calloc(n, sizeof *c->leads);
    c->visits = calloc(n, sizeof *c->visits);
    c->open = calloc(n, sizeof *c->open);
    c->index_of = calloc(n, sizeof *c->index_of);
    c->set = calloc(n, sizeof *c->set);
    c->set_start = calloc(n + 1, sizeof *c->set_start);
    c->taken = calloc(n, sizeof *c->taken);
    return c->number && c->number_stamp && c->finished && c->leads && c->visits && c->open && c->index_of && c->set &&
           c->set_start && c->taken;
}

void closure_forget(struct portolan_stubborn *s)
{
    memset(s->closure->number_stamp, 0, ((size_t)stubborn_visible_node(s) + 1) * sizeof *s->closure->number_stamp);
}

void closure_free(struct closure *c)
{
    if (!c)
        return;
    free(c->number);
    free(c->number_stamp);
    free(c->finished);
    free(c->leads);
    free(c->visits);
    free(c->open);
    free(c->index_of);
    free(c->set);
    free(c->set_start);
    free(c->taken);
    free(c);
}

/* The false guard of a disabled transition whose enablers look cheapest: few enabled ones, then few. */
static uint32_t pick_guard(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    const struct closure *c = s->closure;
    uint32_t best = UINT32_MAX, best_cost = UINT32_MAX;
    for_list (g, s->relations->guards_of, t) {
        if (stubborn_guard_holds(s, state, *g))
            continue;
        uint32_t cost = 0;
        for_list (u, s->relations->enablers, *g) {
            if (c->number_stamp[*u] == s->stamp)
                continue; /* reached already: nothing new */
            cost += stubborn_is_enabled(s, *u) ? 64 : 1;
        }
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

/* What a node needs. */
static struct visit start_visit(struct portolan_stubborn *s, const void *state, uint32_t node)
{
    const struct portolan_relations *r = s->relations;
    if (node == stubborn_visible_node(s))
        return (struct visit){.node = node, .next = s->visible, .end = s->visible + s->visible_count};
    if (node >= stubborn_users_node(s, 0))
        return visit_list(node, &s->users, node - stubborn_users_node(s, 0));
    if (node >= r->transitions)
        return visit_list(node, &r->disablers, node - r->transitions);
    if (stubborn_is_enabled(s, node))
        return visit_list(node, &s->conflicts, node);
    uint32_t guard = pick_guard(s, state, node);
    if (guard == UINT32_MAX) /* disabled without a false guard: relations that say too little; check_relations tells */
        return (struct visit){.node = node};
    return visit_list(node, &r->enablers, guard);
}

static bool is_enabled_transition(const struct portolan_stubborn *s, uint32_t node)
{
    return node < s->relations->transitions && stubborn_is_enabled(s, node);
}

/* Takes a finished component off the stack; keeps its enabled transitions as a set when nothing smaller is behind. */
static void finish_component(struct portolan_stubborn *s, uint32_t *open_count, uint32_t root, bool beyond)
{
    struct closure *c = s->closure;
    uint32_t first = c->set_start[c->sets], count = first, member;
    uint32_t low = *open_count;
    do {
        member = c->open[--low];
        if (is_enabled_transition(s, member))
            c->set[count++] = c->index_of[member];
    } while (member != root);
    for (uint32_t i = low; i < *open_count; i++) {
        c->finished[c->open[i]] = true;
        c->leads[c->open[i]] = beyond || count > first;
    }
    *open_count = low;
    if (count > first && !beyond)
        c->set_start[++c->sets] = count;
}

/* Explores what a seed needs. */
static void traverse(struct portolan_stubborn *s, const void *state, uint32_t seed, uint32_t *numbers)
{
    struct closure *c = s->closure;
    uint32_t depth = 0, open = 0;
    c->visits[0] = start_visit(s, state, seed);
    c->visits[0].low = c->number[seed] = (*numbers)++;
    c->number_stamp[seed] = s->stamp;
    c->finished[seed] = false;
    c->open[open++] = seed;
    for (;;) {
        struct visit *v = &c->visits[depth];
        s->work++;
        if (v->next < v->end) {
            uint32_t u = *v->next++;
            if (c->number_stamp[u] != s->stamp) {
                struct visit child = start_visit(s, state, u);
                child.low = c->number[u] = (*numbers)++;
                c->number_stamp[u] = s->stamp;
                c->finished[u] = false;
                c->open[open++] = u;
                c->visits[++depth] = child;
            } else if (c->finished[u]) {
                v->beyond |= c->leads[u];
            } else if (c->number[u] < v->low) {
                v->low = c->number[u];
            }
            continue;
        }
        if (v->low == c->number[v->node]) {
            finish_component(s, &open, v->node, v->beyond);
            v->beyond = c->leads[v->node];
        }
        if (depth == 0)
            return;
        struct visit done = *v;
        v = &c->visits[--depth];
        v->beyond |= done.beyond;
        if (!c->finished[done.node] && done.low < v->low)
            v->low = done.low;
    }
}

static uint32_t take_set(const struct closure *c, uint32_t set, uint32_t *out)
{
    uint32_t count = c->set_start[set + 1] - c->set_start[set];
    memcpy(out, c->set + c->set_start[set], count * sizeof *out);
    return count;
}

/* Unseen successors in a set; a set whose successors are known costs nothing to explore. */
static uint32_t unseen(const struct closure *c, uint32_t set, const struct choice *choice)
{
    uint32_t count = 0;
    for (uint32_t i = c->set_start[set]; i < c->set_start[set + 1]; i++)
        count += choice->seen && !choice->seen(choice->user, c->set[i]);
    return count;
}

static void begin(struct closure *c, const struct choice *choice)
{
    c->sets = 0;
    c->set_start[0] = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        c->index_of[choice->enabled[i]] = i;
}

/* The best set that no earlier attempt took, by size and then by unseen successors. */
static uint32_t best_set(const struct closure *c, const struct choice *choice)
{
    uint32_t best = UINT32_MAX, best_size = UINT32_MAX, best_unseen = UINT32_MAX;
    for (uint32_t i = 0; i < c->sets; i++) {
        uint32_t size = c->set_start[i + 1] - c->set_start[i];
        if (c->taken[i] || size > best_size)
            continue;
        uint32_t fresh = unseen(c, i, choice);
        if (size < best_size || fresh < best_unseen) {
            best = i;
            best_size = size;
            best_unseen = fresh;
        }
        if (best_size == 1 && best_unseen == 0)
            break;
    }
    return best;
}

uint32_t closure_choose(struct portolan_stubborn *s, const struct choice *choice, unsigned attempt, uint32_t *out)
{
    struct closure *c = s->closure;
    if (attempt == 0) {
        uint32_t numbers = 0;
        begin(c, choice);
        for (uint32_t i = 0; i < choice->enabled_count; i++)
            if (c->number_stamp[choice->enabled[i]] != s->stamp)
                traverse(s, choice->state, choice->enabled[i], &numbers);
        memset(c->taken, 0, c->sets * sizeof *c->taken);
    }
    uint32_t best = best_set(c, choice);
    if (best == UINT32_MAX)
        return 0;
    c->taken[best] = true;
    return take_set(c, best, out);
}

uint32_t closure_of(struct portolan_stubborn *s, const struct choice *choice, uint32_t action, uint32_t *out)
{
    struct closure *c = s->closure;
    uint32_t numbers = 0;
    begin(c, choice);
    traverse(s, choice->state, action, &numbers);
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (c->number_stamp[choice->enabled[i]] == s->stamp)
            out[count++] = i;
    return count;
}
