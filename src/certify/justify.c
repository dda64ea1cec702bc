/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/justify.h"
#include "certify/goal.h"
#include "system/local_sets.h"

#include <string.h>

bool justifier_make(struct justifier *j, const struct view *view, const struct states *states, const bool *visible)
{
    size_t n = (size_t)states->system->actions + 1;
    size_t guards = (size_t)(view->relations ? view->relations->guards : 0) + 1;
    *j = (struct justifier){.view = view,
                            .states = states,
                            .visible = visible,
                            .gone = calloc(n, sizeof *j->gone),
                            .enabler_gone = calloc(guards, sizeof *j->enabler_gone),
                            .evaluated = calloc(guards, sizeof *j->evaluated),
                            .holds = calloc(guards, sizeof *j->holds),
                            .queue = calloc(n, sizeof *j->queue),
                            .member = calloc(n, sizeof *j->member),
                            .list = calloc(n, sizeof *j->list),
                            .guard = calloc(n, sizeof *j->guard)};
    if (j->gone && j->enabler_gone && j->evaluated && j->holds && j->queue && j->member && j->list && j->guard)
        return true;
    justifier_clear(j);
    return false;
}

void justifier_clear(struct justifier *j)
{
    free(j->gone);
    free(j->enabler_gone);
    free(j->evaluated);
    free(j->holds);
    free(j->queue);
    free(j->member);
    free(j->list);
    free(j->guard);
    memset(j, 0, sizeof *j);
}

static bool is_gone(const struct justifier *j, uint32_t t)
{
    return j->gone[t] == j->stamp;
}

static bool holds(struct justifier *j, uint32_t guard)
{
    if (j->evaluated[guard] != j->stamp) {
        j->evaluated[guard] = j->stamp;
        j->holds[guard] = j->view->relations->holds(j->states->system->model, j->states->present, guard);
    }
    return j->holds[guard];
}

static void begin_set(struct justifier *j)
{
    j->size = 0;
    j->spoiled = false;
    if (++j->set_stamp > 0)
        return;
    memset(j->member, 0, j->states->system->actions * sizeof *j->member);
    j->set_stamp = 1;
}

static void join(struct justifier *j, uint32_t t)
{
    if (j->member[t] == j->set_stamp)
        return;
    j->member[t] = j->set_stamp;
    j->list[j->size++] = t;
    j->spoiled |= is_gone(j, t);
}

/* ---------------------------------------------------------- the largest set */

static void discard(struct justifier *j, uint32_t t)
{
    if (is_gone(j, t))
        return;
    j->gone[t] = j->stamp;
    j->queue[j->queued++] = t;
}

/* Has t a disabler of this guard, one that it can meet, outside of the set? */
static bool is_exposed(const struct justifier *j, uint32_t t, uint32_t guard)
{
    for_list (u, j->view->relations->disablers, guard)
        if (*u != t && is_gone(j, *u) && !view_never_together(j->view, t, *u))
            return true;
    return false;
}

/* Does the transition still meet the condition on its guards? */
static bool may_stay(struct justifier *j, uint32_t t)
{
    bool enabled = states_is_enabled(j->states, t);
    for_list (g, j->view->relations->guards_of, t) {
        bool complete = j->enabler_gone[*g] != j->stamp;
        if (enabled && !complete && is_exposed(j, t, *g))
            return false;
        if (!enabled && complete && !holds(j, *g))
            return true;
    }
    return enabled;
}

/* An enabled transition that may disable x, or does not commute with it, must go with x. */
static void discard_overriders(struct justifier *j, uint32_t x)
{
    const struct portolan_relations *r = j->view->relations;
    for_list (g, r->guards_of, x)
        for_list (u, r->disablers, *g)
            if (*u != x && states_is_enabled(j->states, *u) && !view_never_together(j->view, *u, x))
                discard(j, *u);
    for_list (u, r->not_commuting, x)
        if (states_is_enabled(j->states, *u) && !view_never_together(j->view, *u, x))
            discard(j, *u);
    if (j->directed || !j->visible || !j->visible[x] || j->visible_gone)
        return;
    j->visible_gone = true;
    for (uint32_t i = 0; i < j->states->enabled_count; i++)
        if (j->visible[j->states->enabled[i]])
            discard(j, j->states->enabled[i]);
}

static void spread(struct justifier *j, uint32_t x)
{
    const struct view *view = j->view;
    discard_overriders(j, x);
    for_list (g, view->may_disable, x)
        for_list (u, view->users, *g)
            if (!is_gone(j, *u) && states_is_enabled(j->states, *u) && !may_stay(j, *u))
                discard(j, *u);
    for_list (g, view->may_enable, x) {
        if (j->enabler_gone[*g] == j->stamp)
            continue;
        j->enabler_gone[*g] = j->stamp;
        for_list (u, view->users, *g)
            if (!is_gone(j, *u) && !may_stay(j, *u))
                discard(j, *u);
    }
}

/* ------------------------------------------------------------ the small set */

static void join_disablers(struct justifier *j, uint32_t t, uint32_t guard)
{
    for_list (u, j->view->relations->disablers, guard)
        if (*u != t && !view_never_together(j->view, t, *u))
            join(j, *u);
}

static void join_enablers(struct justifier *j, uint32_t guard)
{
    for_list (u, j->view->relations->enablers, guard)
        join(j, *u);
}

/* What taking these in would cost: members that are new, enabled ones above all, and never one that is gone. */
static uint32_t cost_of(const struct justifier *j, const struct portolan_lists *lists, uint32_t guard)
{
    uint32_t cost = 0;
    for_list (u, *lists, guard) {
        if (j->member[*u] != j->set_stamp)
            cost += is_gone(j, *u) ? 1 << 20 : states_is_enabled(j->states, *u) ? 64 : 1;
    }
    return cost;
}

/* For each guard its enablers or its disablers, whichever is allowed and costs less. */
static void guard_non_key(struct justifier *j, uint32_t t)
{
    const struct portolan_relations *r = j->view->relations;
    for_list (g, r->guards_of, t) {
        bool by_enablers = j->enabler_gone[*g] != j->stamp;
        if (by_enablers && !is_exposed(j, t, *g))
            by_enablers = cost_of(j, &r->enablers, *g) < cost_of(j, &r->disablers, *g);
        if (by_enablers)
            join_enablers(j, *g);
        else
            join_disablers(j, t, *g);
    }
}

static void need_of_enabled(struct justifier *j, uint32_t t, bool key)
{
    const struct portolan_relations *r = j->view->relations;
    for_list (g, j->view->may_disable, t)
        for_list (u, j->view->users, *g)
            if (*u != t && !view_never_together(j->view, t, *u))
                join(j, *u);
    for_list (u, r->not_commuting, t)
        if (!view_never_together(j->view, t, *u))
            join(j, *u);
    if (!j->directed && j->visible && j->visible[t])
        for (uint32_t u = 0; u < r->transitions; u++)
            if (j->visible[u])
                join(j, u);
    if (!key)
        guard_non_key(j, t);
    else
        for_list (g, r->guards_of, t)
            join_disablers(j, t, *g);
}

static void need_of_disabled(struct justifier *j, uint32_t t)
{
    uint32_t best = UINT32_MAX, best_cost = UINT32_MAX;
    for_list (g, j->view->relations->guards_of, t) {
        if (j->enabler_gone[*g] == j->stamp || holds(j, *g))
            continue;
        uint32_t cost = cost_of(j, &j->view->relations->enablers, *g);
        if (cost < best_cost) {
            best = *g;
            best_cost = cost;
        }
    }
    j->guard[t] = best;
    if (best == UINT32_MAX)
        j->spoiled = true;
    else
        join_enablers(j, best);
}

/* Adds to the small set what its members need; false when it came upon something that is gone. */
static bool close_set(struct justifier *j, uint32_t key)
{
    for (uint32_t i = 0; i < j->size && !j->spoiled; i++) {
        uint32_t t = j->list[i];
        if (states_is_enabled(j->states, t))
            need_of_enabled(j, t, t == key);
        else
            need_of_disabled(j, t);
    }
    return !j->spoiled;
}

/* Grows the small set from a key. */
static bool grow(struct justifier *j, uint32_t key)
{
    begin_set(j);
    join(j, key);
    return close_set(j, key);
}

/* -------------------------------------------------------------- both together */

static void next_stamp(struct justifier *j)
{
    if (++j->stamp > 0)
        return;
    size_t guards = j->view->relations->guards;
    memset(j->gone, 0, j->states->system->actions * sizeof *j->gone);
    memset(j->enabler_gone, 0, guards * sizeof *j->enabler_gone);
    memset(j->evaluated, 0, guards * sizeof *j->evaluated);
    j->stamp = 1;
}

static void begin(struct justifier *j, const uint32_t *explored, uint32_t count, bool directed)
{
    next_stamp(j);
    j->directed = directed;
    j->local = false;
    begin_set(j);
    j->queued = 0;
    j->visible_gone = false;
    for (uint32_t i = 0; i < count; i++)
        join(j, explored[i]);
    for (uint32_t i = 0; i < j->states->enabled_count; i++)
        if (j->member[j->states->enabled[i]] != j->set_stamp)
            discard(j, j->states->enabled[i]);
    j->exact = false;
}

void justify(struct justifier *j, const uint32_t *explored, uint32_t count)
{
    begin(j, explored, count, false);
    uint32_t number = local_number(j->view->relations, explored, count, j->visible), enabled = 0;
    for (uint32_t i = 0; number != UINT32_MAX && i < j->states->enabled_count; i++)
        enabled += j->view->relations->local[j->states->enabled[i]] == number;
    j->local = number != UINT32_MAX && enabled == count;
    j->explored = explored;
    j->explored_count = count;
}

/* Removes what those that are gone take with them. */
static void make_exact(struct justifier *j)
{
    for (uint32_t i = 0; i < j->queued; i++)
        spread(j, j->queue[i]);
    j->exact = true;
}

static bool is_there(void *user, uint32_t action)
{
    return !is_gone(user, action);
}

static bool take_in(void *user, uint32_t action)
{
    join(user, action);
    return true;
}

bool justify_by_goal(struct justifier *j, const struct claims *claims, const uint32_t *explored, uint32_t count)
{
    const struct goal_set largest = {is_there, j}, small = {take_in, j};
    begin(j, explored, count, true);
    make_exact(j);
    if (claims_unmet(claims, j->states, &largest))
        return false;
    begin_set(j);
    for (size_t i = 0; i < claims->list.count; i++)
        goal_take(claims->list.item[i].goal, &small);
    return close_set(j, UINT32_MAX);
}

bool justify_is_key(struct justifier *j, uint32_t action)
{
    if (j->local || (!j->exact && grow(j, action)))
        return true;
    if (!j->exact)
        make_exact(j);
    if (is_gone(j, action))
        return false;
    for_list (g, j->view->relations->guards_of, action)
        if (is_exposed(j, action, *g))
            return false;
    return true;
}

void justify_from(struct justifier *j, uint32_t key)
{
    if (j->local) {
        begin_set(j);
        join(j, key);
        for (uint32_t i = 0; i < j->explored_count; i++)
            join(j, j->explored[i]);
        return;
    }
    if (grow(j, key) || j->exact)
        return;
    make_exact(j);
    grow(j, key);
}
