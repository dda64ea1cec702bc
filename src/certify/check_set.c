/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is a listed set T stubborn?  (Weakly, Valmari; with guards as Laarman et al.
 * 2016.)  In a state where its "enabled" members are enabled, and the guard
 * beside each "disabled" member is false:
 *   D1d  every enabler of that guard is in T;
 *   D1e  an enabled t of T has in T what it may disable or does not commute with,
 *        and of each of its guards all disablers or all enablers;
 *   D2   the key has in T all that may disable it;
 *   V    with an enabled visible member all visible ones are in T;
 *   I    for the liveness form the key is invisible.
 * Where the relations say that its members, all enabled, concern nobody else as long as they are all that is enabled of
 * their number ("local"), that will do.
 * A goal-directed set has no key and needs D1 only; what else it must hold depends on the state.
 * Pairs that are never enabled together do not count.
 */
#include "base/diagnostic.h"
#include "certify/check.h"
#include "certify/goal.h"
#include "system/local_sets.h"

#include <inttypes.h>

static bool is_member(const struct checker *c, uint32_t t)
{
    return c->in_set[t] == c->sets.count;
}

/* Is u, which t might meet, missing? */
static bool is_missing(const struct checker *c, uint32_t t, uint32_t u)
{
    return u != t && !is_member(c, u) && !view_never_together(&c->view, t, u);
}

static enum portolan_status missing(struct checker *c, uint32_t t, const char *relation, uint32_t u)
{
    return not_valid(c, "set %zu is not stubborn: '%s' %s '%s', which is not in it", c->sets.count - 1,
                     action_text(c, t), relation, action_text(c, u));
}

static enum portolan_status check_disabled(struct checker *c, uint32_t t, uint32_t guard)
{
    const struct portolan_relations *r = c->view.relations;
    bool own = false;
    for_list (g, r->guards_of, t)
        own |= *g == guard;
    if (!own)
        return not_valid(c, "set %zu: '%s' has no guard %" PRIu32, c->sets.count - 1, action_text(c, t), guard);
    for_list (u, r->enablers, guard)
        if (!is_member(c, *u))
            return missing(c, t, "may be enabled by", *u);
    return PORTOLAN_OK;
}

/* A disabler of the guard that is missing, or UINT32_MAX. */
static uint32_t missing_disabler(const struct checker *c, uint32_t t, uint32_t guard)
{
    for_list (u, c->view.relations->disablers, guard)
        if (is_missing(c, t, *u))
            return *u;
    return UINT32_MAX;
}

static bool has_enablers(const struct checker *c, uint32_t guard)
{
    for_list (u, c->view.relations->enablers, guard)
        if (!is_member(c, *u))
            return false;
    return true;
}

static enum portolan_status check_enabled(struct checker *c, uint32_t t, bool key, bool directed)
{
    const struct portolan_relations *r = c->view.relations;
    for_list (g, c->view.may_disable, t)
        for_list (u, c->view.users, *g)
            if (is_missing(c, t, *u))
                return missing(c, t, "may disable", *u);
    for_list (u, r->not_commuting, t)
        if (is_missing(c, t, *u))
            return missing(c, t, "does not commute with", *u);
    for_list (g, r->guards_of, t) {
        uint32_t u = missing_disabler(c, t, *g);
        if (u != UINT32_MAX && (key || !has_enablers(c, *g)))
            return missing(c, t, key ? "is the key and may be disabled by" : "may be disabled by", u);
    }
    for (uint32_t u = 0; !directed && c->claims.visible && c->claims.visible[t] && u < r->transitions; u++)
        if (c->claims.visible[u] && !is_member(c, u))
            return missing(c, t, "is visible, and so is", u);
    if (key && c->claims.needs == CYCLES_LIVENESS && c->claims.visible[t])
        return not_valid(c, "set %zu: its key '%s' is visible", c->sets.count - 1, action_text(c, t));
    return PORTOLAN_OK;
}

enum portolan_status check_set(struct checker *c)
{
    struct listed_set *set = &c->sets.item[c->sets.count - 1];
    enum portolan_status status = PORTOLAN_OK;
    if (!c->view.relations)
        return not_valid(c, "the model does not provide the relations that sets need");
    if (set->directed && !claims_are_of_states(&c->claims))
        return not_valid(c, "set %zu is goal-directed, which proves nothing of deadlocks and runs", c->sets.count - 1);
    if (set->directed && c->view.relations->has_fallbacks)
        return not_valid(c, "set %zu is goal-directed, which proves nothing where there are timeouts",
                         c->sets.count - 1);
    if (set->directed && !c->claims.list.item[0].goal && !claims_seek(&c->claims, c->system))
        return fail_memory(c->error);
    if (set->enabled == 0 && !set->directed)
        return not_valid(c, "set %zu has no key", c->sets.count - 1);
    const uint32_t *enabled = c->members.item + set->start, *disabled = enabled + set->enabled;
    set->local = set->directed || set->disabled
                     ? UINT32_MAX
                     : local_number(c->view.relations, enabled, set->enabled, c->claims.visible);
    if (set->local != UINT32_MAX)
        return PORTOLAN_OK;
    for (uint32_t i = 0; i < set->enabled; i++)
        c->in_set[enabled[i]] = (uint32_t)c->sets.count;
    for (uint32_t i = 0; i < set->disabled; i++)
        c->in_set[disabled[2 * i]] = (uint32_t)c->sets.count;
    for (uint32_t i = 0; status == PORTOLAN_OK && i < set->enabled; i++)
        status = check_enabled(c, enabled[i], i == 0 && !set->directed, set->directed);
    for (uint32_t i = 0; status == PORTOLAN_OK && i < set->disabled; i++)
        status = check_disabled(c, disabled[2 * i], disabled[2 * i + 1]);
    return status;
}

static bool is_listed(void *user, uint32_t action)
{
    const struct checker *c = user;
    return c->listed_in[action] == c->states.number + 1;
}

enum portolan_status check_goals(struct checker *c, const struct listed_set *set)
{
    const uint32_t *enabled = c->members.item + set->start, *disabled = enabled + set->enabled;
    const struct goal_set members = {is_listed, c};
    for (uint32_t i = 0; i < set->enabled; i++)
        c->listed_in[enabled[i]] = c->states.number + 1;
    for (uint32_t i = 0; i < set->disabled; i++)
        c->listed_in[disabled[2 * i]] = c->states.number + 1;
    const struct claim *unmet = claims_unmet(&c->claims, &c->states, &members);
    return unmet ? not_valid(c, "state %" PRIu32 ": something outside of set %td may lead to where '%.200s' is false",
                             c->states.number, set - c->sets.item, unmet->text)
                 : PORTOLAN_OK;
}
