/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce/explain.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/lists.h"
#include "system/local_sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NONE = UINT32_MAX };

struct explainer {
    const struct chosen_set *set;
    const struct portolan_relations *r;
    struct portolan_lists users;       /* guard -> transitions that have it */
    struct portolan_lists may_disable; /* transition -> guards that it may turn false */
    uint64_t *enabled;
    uint64_t *allowed; /* not gone from the largest set */
    uint64_t *member;  /* of the explanation */
    uint32_t key;      /* of a weak set: nothing outside can disable it; NONE: of a goal, there is none */
    struct set_explanation *out;
    bool failed;
};

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool never_meet(const struct explainer *e, uint32_t t, uint32_t u)
{
    const struct portolan_lists *never = &e->r->never_together;
    return never->offset &&
           bsearch(&u, never->item + never->offset[t], list_length(never, t), sizeof u, compare_numbers);
}

static bool is_directed(const struct explainer *e)
{
    return e->set->attractors;
}

/* ------------------------------------------------------------- what a member needs */

/* A condition of a member: asks whether u, which it needs, is there, or has it join.  False: the condition is broken.
 */
struct needs {
    bool (*take)(struct explainer *e, uint32_t u, enum set_relation relation, uint32_t guard);
};

static bool is_allowed(struct explainer *e, uint32_t u, enum set_relation relation, uint32_t guard)
{
    (void)relation;
    (void)guard;
    return bit_get(e->allowed, u);
}

static bool take_met(struct explainer *e, const struct needs *needs, const struct portolan_lists *lists, uint32_t list,
                     uint32_t t, enum set_relation relation)
{
    uint32_t guard = relation == SET_NOT_COMMUTING ? NONE : list;
    for_list (u, *lists, list)
        if (*u != t && !never_meet(e, t, *u) && !needs->take(e, *u, relation, guard))
            return false;
    return true;
}

static bool all_allowed(const struct explainer *e, const struct portolan_lists *lists, uint32_t list)
{
    for_list (u, *lists, list)
        if (!bit_get(e->allowed, *u))
            return false;
    return true;
}

/* How many members those would be, enabled ones above all. */
static uint32_t cost_of(const struct explainer *e, const struct portolan_lists *lists, uint32_t list)
{
    uint32_t cost = 0;
    for_list (u, *lists, list)
        cost += bit_get(e->member, *u) ? 0 : bit_get(e->enabled, *u) ? 64 : 1;
    return cost;
}

static bool take_enablers(struct explainer *e, const struct needs *needs, uint32_t guard, enum set_relation relation)
{
    for_list (u, e->r->enablers, guard)
        if (!needs->take(e, *u, relation, guard))
            return false;
    return true;
}

/* One of its false guards has all its enablers. */
static bool need_of_disabled(struct explainer *e, const struct needs *needs, uint32_t t)
{
    uint32_t best = NONE, best_cost = NONE;
    for_list (g, e->r->guards_of, t) {
        if (!all_allowed(e, &e->r->enablers, *g) || e->r->holds(e->set->system->model, e->set->state, *g))
            continue;
        uint32_t cost = cost_of(e, &e->r->enablers, *g);
        if (cost < best_cost) {
            best = *g;
            best_cost = cost;
        }
    }
    return best != NONE && take_enablers(e, needs, best, SET_MAY_ENABLE);
}

static bool may_lean_on_enablers(const struct explainer *e, uint32_t t)
{
    return is_directed(e) || (e->set->is_weak && t != e->key);
}

/* Every guard has all its disablers, or (unless it is a key) all its enablers. */
static bool need_of_guards(struct explainer *e, const struct needs *needs, uint32_t t)
{
    const struct needs only_ask = {is_allowed};
    for_list (g, e->r->guards_of, t) {
        bool by_disablers = take_met(e, &only_ask, &e->r->disablers, *g, t, SET_MAY_DISABLE);
        bool by_enablers = may_lean_on_enablers(e, t) && all_allowed(e, &e->r->enablers, *g);
        if (by_disablers && by_enablers)
            by_disablers = cost_of(e, &e->r->disablers, *g) <= cost_of(e, &e->r->enablers, *g);
        if (by_disablers ? !take_met(e, needs, &e->r->disablers, *g, t, SET_MAY_DISABLE)
                         : !by_enablers || !take_enablers(e, needs, *g, SET_MAY_RESTORE))
            return false;
    }
    return true;
}

static bool need_of_visible(struct explainer *e, const struct needs *needs, uint32_t t)
{
    const bool *visible = is_directed(e) ? NULL : e->set->visible;
    for (uint32_t u = 0; visible && visible[t] && u < e->r->transitions; u++)
        if (visible[u] && u != t && !needs->take(e, u, SET_VISIBLE, NONE))
            return false;
    return true;
}

static bool need_of_enabled(struct explainer *e, const struct needs *needs, uint32_t t)
{
    for_list (g, e->may_disable, t)
        if (!take_met(e, needs, &e->users, *g, t, SET_MAY_BE_LOST))
            return false;
    return take_met(e, needs, &e->r->not_commuting, t, t, SET_NOT_COMMUTING) && need_of_guards(e, needs, t) &&
           need_of_visible(e, needs, t);
}

static bool meet_needs(struct explainer *e, const struct needs *needs, uint32_t t)
{
    return bit_get(e->enabled, t) ? need_of_enabled(e, needs, t) : need_of_disabled(e, needs, t);
}

/* ------------------------------------------------------------------ the largest set */

/* Drops what breaks a condition until nothing does; false when a limit was reached. */
static bool find_largest(struct explainer *e)
{
    const struct needs ask = {is_allowed};
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t t = 0; t < e->r->transitions; t++) {
            if (limits_reached())
                return false;
            if (!bit_get(e->allowed, t) || meet_needs(e, &ask, t))
                continue;
            bit_clear(e->allowed, t);
            changed = true;
        }
    }
    return true;
}

/* A chosen action that nothing outside can disable. */
static uint32_t find_key(struct explainer *e)
{
    const struct needs ask = {is_allowed};
    for (uint32_t i = 0; i < e->set->chosen_count; i++) {
        e->key = e->set->enabled[e->set->chosen[i]];
        if (bit_get(e->allowed, e->key) && need_of_guards(e, &ask, e->key))
            return e->key;
    }
    return NONE;
}

/* ---------------------------------------------------------------------- growing it */

static void join(struct explainer *e, uint32_t t, enum set_relation relation, uint32_t guard, uint32_t on_behalf_of)
{
    struct set_member member = {t, bit_get(e->enabled, t), relation, guard, on_behalf_of};
    bit_set(e->member, t);
    if (!vector_push(&e->out->members, member))
        e->failed = true;
}

/* The member whose needs are looked at is the one that `looked_at` counts. */
struct growing {
    struct explainer base;
    uint32_t looked_at;
};

static bool take_in(struct explainer *e, uint32_t u, enum set_relation relation, uint32_t guard)
{
    if (!bit_get(e->member, u))
        join(e, u, relation, guard, ((struct growing *)e)->looked_at);
    return bit_get(e->allowed, u);
}

static void close_members(struct growing *g)
{
    const struct needs grow = {take_in};
    struct explainer *e = &g->base;
    for (; g->looked_at < e->out->members.count && !e->failed; g->looked_at++) {
        if (limits_reached())
            e->failed = true;
        else
            e->out->is_whole &= meet_needs(e, &grow, e->out->members.item[g->looked_at].action);
    }
}

/* From the key or the attractors; chosen actions that nothing asks for begin a part of their own. */
static void grow(struct growing *g)
{
    struct explainer *e = &g->base;
    const struct chosen_set *set = e->set;
    for (uint32_t i = 0; i < set->attractor_count; i++)
        if (!bit_get(e->member, set->attractors[i]))
            join(e, set->attractors[i], SET_GOAL, NONE, (uint32_t)e->out->members.count);
    if (!is_directed(e) && e->key != NONE)
        join(e, e->key, SET_BEGINS, NONE, 0);
    close_members(g);
    for (uint32_t i = 0; i < set->chosen_count; i++)
        if (!bit_get(e->member, set->enabled[set->chosen[i]])) {
            join(e, set->enabled[set->chosen[i]], SET_BEGINS, NONE, (uint32_t)e->out->members.count);
            close_members(g);
        }
}

/* -------------------------------------------------------------------------- the door */

static bool explainer_make(struct explainer *e, const struct chosen_set *set)
{
    const struct portolan_relations *r = e->r;
    size_t words = bit_words(r->transitions) + 1;
    e->enabled = calloc(words, sizeof *e->enabled);
    e->allowed = malloc(words * sizeof *e->allowed);
    e->member = calloc(words, sizeof *e->member);
    if (!e->enabled || !e->allowed || !e->member ||
        !lists_transpose(&r->guards_of, r->transitions, r->guards, &e->users) ||
        !lists_transpose(&r->disablers, r->guards, r->transitions, &e->may_disable))
        return false;
    memset(e->allowed, 0xff, words * sizeof *e->allowed);
    for (uint32_t i = 0; i < set->enabled_count; i++) {
        bit_set(e->enabled, set->enabled[i]);
        bit_clear(e->allowed, set->enabled[i]);
    }
    for (uint32_t i = 0; i < set->chosen_count; i++)
        bit_set(e->allowed, set->enabled[set->chosen[i]]);
    return true;
}

static void explainer_clear(struct explainer *e)
{
    lists_clear(&e->users);
    lists_clear(&e->may_disable);
    free(e->enabled);
    free(e->allowed);
    free(e->member);
}

/* Is every chosen action in the largest set, and is there a key where one must be? */
static bool is_justified(struct explainer *e)
{
    for (uint32_t i = 0; i < e->set->chosen_count; i++)
        if (!bit_get(e->allowed, e->set->enabled[e->set->chosen[i]]))
            return false;
    return is_directed(e) || e->set->chosen_count == 0 || e->key != NONE;
}

/* Is it what is enabled of a process where that is on its own? */
static bool is_local(const struct explainer *e)
{
    const struct chosen_set *set = e->set;
    uint32_t first = set->chosen_count ? set->enabled[set->chosen[0]] : NONE, enabled = 0;
    uint32_t number = first == NONE || is_directed(e) ? NONE : local_number(e->r, &first, 1, set->visible);
    for (uint32_t i = 0; number != NONE && i < set->enabled_count; i++)
        enabled += e->r->local[set->enabled[i]] == number;
    for (uint32_t i = 0; number != NONE && i < set->chosen_count; i++)
        if (e->r->local[set->enabled[set->chosen[i]]] != number)
            return false;
    return number != NONE && enabled == set->chosen_count;
}

enum portolan_status explain_set(const struct chosen_set *set, struct set_explanation *explanation,
                                 struct portolan_error *error)
{
    memset(explanation, 0, sizeof *explanation);
    struct growing g = {.base = {.set = set, .r = set->system->relations, .key = NONE, .out = explanation}};
    struct explainer *e = &g.base;
    bool fine = explainer_make(e, set) && find_largest(e);
    if (fine) {
        if (!is_directed(e))
            e->key = find_key(e);
        explanation->is_whole = is_justified(e);
        if (explanation->is_whole)
            grow(&g);
        if (!explanation->is_whole) {
            explanation->members.count = 0;
            explanation->is_whole = is_local(e);
            for (uint32_t i = 0; i < set->chosen_count; i++)
                join(e, set->enabled[set->chosen[i]], explanation->is_whole ? SET_LOCAL : SET_BEGINS, NONE, i);
        }
    }
    explainer_clear(e);
    return fine && !e->failed ? PORTOLAN_OK : fail_memory(error);
}

void explanation_clear(struct set_explanation *explanation)
{
    free(explanation->members.item);
    memset(explanation, 0, sizeof *explanation);
}

static void relation_text(enum set_relation relation, const char *joining, const char *member, char *text, size_t size)
{
    switch (relation) {
    case SET_BEGINS: snprintf(text, size, "the set begins with %s", joining); break;
    case SET_GOAL: snprintf(text, size, "%s may be the next step towards the goal", joining); break;
    case SET_MAY_DISABLE: snprintf(text, size, "%s may disable %s", joining, member); break;
    case SET_MAY_BE_LOST: snprintf(text, size, "%s may disable %s", member, joining); break;
    case SET_NOT_COMMUTING: snprintf(text, size, "%s and %s do not commute", member, joining); break;
    case SET_MAY_ENABLE: snprintf(text, size, "%s may enable %s, which is disabled", joining, member); break;
    case SET_MAY_RESTORE: snprintf(text, size, "%s may enable %s again, once disabled", joining, member); break;
    case SET_LOCAL: snprintf(text, size, "%s concerns no other process", joining); break;
    case SET_VISIBLE: snprintf(text, size, "both %s and %s may change the property", member, joining); break;
    }
}

static const char *name_of(const struct portolan_system *system, uint32_t action, char number[16])
{
    snprintf(number, 16, "%" PRIu32, action);
    return system->action_name ? system->action_name(system->model, action) : number;
}

void set_member_text(const struct portolan_system *system, const struct set_explanation *explanation, size_t index,
                     char *text, size_t size)
{
    const struct set_member *one = &explanation->members.item[index];
    char joining[16], member[16], guard[200];
    relation_text(one->relation, name_of(system, one->action, joining),
                  name_of(system, explanation->members.item[one->on_behalf_of].action, member), text, size);
    if (one->guard == NONE || !system->relations->guard_text)
        return;
    system->relations->guard_text(system->model, one->guard, guard, sizeof guard);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " (%s)", guard);
}
