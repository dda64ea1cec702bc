/* SPDX-License-Identifier: Apache-2.0 */
#include "system/check_relations.h"

#include "base/diagnostic.h"
#include "base/lists.h"
#include "system/check_footprints.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_VARIABLES = 8 };

/* ------------------------------------------------------- the lists themselves */

static bool contains(const struct portolan_lists *lists, uint32_t list, uint32_t wanted)
{
    for_list (item, *lists, list)
        if (*item == wanted)
            return true;
    return false;
}

static enum portolan_status check_range(const struct portolan_lists *lists, const char *what, uint32_t count,
                                        uint32_t limit, struct portolan_error *error)
{
    if (!lists->offset)
        return fail(error, PORTOLAN_BAD_INPUT, "the relation %s is missing", what);
    for (uint32_t i = 0; i < count; i++) {
        if (lists->offset[i] > lists->offset[i + 1])
            return fail(error, PORTOLAN_BAD_INPUT, "the relation %s: list %u ends before it starts", what, i);
        for_list (item, *lists, i)
            if (*item >= limit)
                return fail(error, PORTOLAN_BAD_INPUT, "the relation %s: list %u holds %u, which is out of range", what,
                            i, *item);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_symmetry(const struct portolan_lists *lists, const char *what, uint32_t count,
                                           struct portolan_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        for_list (item, *lists, i)
            if (!contains(lists, *item, i))
                return fail(error, PORTOLAN_BAD_INPUT,
                            "the relation %s is not symmetric: %u has %u, but not conversely", what, i, *item);
    return PORTOLAN_OK;
}

static enum portolan_status check_lists(const struct portolan_system *system, struct portolan_error *error)
{
    const struct portolan_relations *r = system->relations;
    const struct {
        const struct portolan_lists *lists;
        const char *what;
        uint32_t count, limit;
        bool symmetric, optional;
    } all[] = {{&r->guards_of, "guards_of", r->transitions, r->guards, false, false},
               {&r->enablers, "enablers", r->guards, r->transitions, false, false},
               {&r->disablers, "disablers", r->guards, r->transitions, false, false},
               {&r->not_commuting, "not_commuting", r->transitions, r->transitions, true, false},
               {&r->never_together, "never_together", r->transitions, r->transitions, true, true},
               {&r->local_beside, "local_beside", r->transitions, r->transitions, false, !r->local},
               {&system->changers, "changers", system->variables + system->unlisted, r->transitions, false, true}};
    if (r->transitions != system->actions)
        return fail(error, PORTOLAN_BAD_INPUT, "the relations have %u transitions, the system has %u actions",
                    r->transitions, system->actions);
    enum portolan_status status = PORTOLAN_OK;
    for (uint32_t t = 0; r->local && t < r->transitions; t++)
        if (r->local[t] != UINT32_MAX && r->local[t] >= r->transitions)
            return fail(error, PORTOLAN_BAD_INPUT, "the relation local has %u for %u, which is out of range",
                        r->local[t], t);
    for (size_t i = 0; i < sizeof all / sizeof *all && status == PORTOLAN_OK; i++) {
        if (all[i].optional && !all[i].lists->offset)
            continue;
        status = check_range(all[i].lists, all[i].what, all[i].count, all[i].limit, error);
        if (status == PORTOLAN_OK && all[i].symmetric)
            status = check_symmetry(all[i].lists, all[i].what, all[i].count, error);
    }
    return status;
}

/* -------------------------------------------------------------------- memory */

enum portolan_status relation_check_make(struct relation_check *check, const struct portolan_system *system,
                                         struct portolan_error *error)
{
    memset(check, 0, sizeof *check);
    if (!system->relations)
        return fail(error, PORTOLAN_REFUSED, "this system has no relations to check");
    enum portolan_status status = check_lists(system, error);
    if (status != PORTOLAN_OK)
        return status;
    size_t actions = (size_t)system->actions + 1, guards = (size_t)system->relations->guards + 1;
    check->system = system;
    check->enabled = calloc(actions, sizeof *check->enabled);
    check->later = calloc(actions, sizeof *check->later);
    check->is_enabled = calloc(actions, sizeof *check->is_enabled);
    check->holds_before = calloc(guards, sizeof *check->holds_before);
    check->holds_after = calloc(guards, sizeof *check->holds_after);
    check->fits = calloc(actions, sizeof *check->fits);
    check->footprints = system->footprint ? footprint_check_make(system) : NULL;
    if (check->enabled && check->later && check->is_enabled && check->holds_before && check->holds_after &&
        check->fits && (check->footprints || !system->footprint))
        return PORTOLAN_OK;
    relation_check_clear(check);
    return fail_memory(error);
}

void relation_check_clear(struct relation_check *check)
{
    free(check->enabled);
    free(check->later);
    free(check->is_enabled);
    free(check->holds_before);
    free(check->holds_after);
    free(check->fits);
    free(check->still);
    free(check->states);
    footprint_check_free(check->footprints);
    memset(check, 0, sizeof *check);
}

static unsigned char *successor(const struct relation_check *check, uint32_t index)
{
    return check->states + (size_t)index * check->system->state_bytes;
}

static bool make_room(struct relation_check *check)
{
    size_t count = check->enabled_count;
    return vector_grow((void **)&check->states, &check->states_capacity, (count + 2) * check->system->state_bytes, 1) &&
           vector_grow((void **)&check->still, &check->still_capacity, count * count, 1);
}

/* ------------------------------------------------------------------- messages */

static const char *name_of(const struct portolan_system *system, uint32_t action)
{
    return system->action_name ? system->action_name(system->model, action) : "an action";
}

/* "p = 1, q = 2": the first variables that are not 0. */
static void describe(const struct portolan_system *system, const void *state, char *text, size_t size)
{
    size_t used = 0;
    unsigned shown = 0;
    snprintf(text, size, "a state of zeros");
    for (uint32_t v = 0; system->value && v < system->variables && shown < SHOWN_VARIABLES; v++) {
        int64_t value = system->value(system->model, state, v);
        if (value == 0 || used >= size)
            continue;
        const char *name = system->variable_name ? system->variable_name(system->model, v) : "?";
        int written = snprintf(text + used, size - used, "%s%.24s = %lld", shown ? ", " : "", name, (long long)value);
        used += written > 0 ? (size_t)written : 0;
        shown++;
    }
}

/* "in p = 1: 't' and 'u' reason"; u may be UINT32_MAX. */
static enum portolan_status lie(const struct relation_check *check, const void *state, uint32_t t, uint32_t u,
                                const char *reason, struct portolan_error *error)
{
    char shown[256];
    const struct portolan_system *system = check->system;
    describe(system, state, shown, sizeof shown);
    if (u == UINT32_MAX)
        return fail(error, PORTOLAN_BAD_INPUT, "in %s: '%.64s' %s", shown, name_of(system, t), reason);
    return fail(error, PORTOLAN_BAD_INPUT, "in %s: '%.64s' %s '%.64s'", shown, name_of(system, t), reason,
                name_of(system, u));
}

/* ------------------------------------------------------------------ the checks */

/* A transition that has the guard, to name it by; its own action when nobody has. */
static uint32_t user_of(const struct portolan_relations *r, uint32_t guard, uint32_t otherwise)
{
    for (uint32_t t = 0; t < r->transitions; t++)
        if (contains(&r->guards_of, t, guard))
            return t;
    return otherwise;
}

/* Of the guards that are said to be exclusive, does at most one hold?  And is all_are what it says? */
static enum portolan_status check_values(const struct relation_check *check, const void *state, const bool *holds,
                                         struct portolan_error *error)
{
    const struct portolan_relations *r = check->system->relations;
    for (uint32_t g = 0; g < r->guards; g++) {
        if (r->all_are && r->all_are(check->system->model, state, &g, 1, true) != holds[g])
            return lie(check, state, user_of(r, g, 0), UINT32_MAX, "has a guard of which all_are says the opposite",
                       error);
        if (!holds[g] || !r->exclusive || r->exclusive[g] == UINT32_MAX)
            continue;
        for (uint32_t h = 0; h < g; h++)
            if (holds[h] && r->exclusive[h] == r->exclusive[g])
                return lie(check, state, user_of(r, g, 0), user_of(r, h, 0),
                           "has a guard that holds, though it is exclusive, together with one of", error);
    }
    return PORTOLAN_OK;
}

/* Evaluates the guards, and compares them with what is enabled. */
static enum portolan_status check_guards(struct relation_check *check, const void *state, const uint32_t *enabled,
                                         uint32_t count, bool *holds, struct portolan_error *error)
{
    const struct portolan_system *system = check->system;
    const struct portolan_relations *r = system->relations;
    for (uint32_t g = 0; g < r->guards; g++)
        holds[g] = r->holds(system->model, state, g);
    memset(check->is_enabled, 0, system->actions * sizeof *check->is_enabled);
    for (uint32_t i = 0; i < count; i++) {
        if (enabled[i] >= system->actions)
            return fail(error, PORTOLAN_BAD_INPUT, "action %u is enabled, but there are only %u", enabled[i],
                        system->actions);
        check->is_enabled[enabled[i]] = true;
    }
    for (uint32_t t = 0; t < r->transitions; t++) {
        bool all = true;
        for_list (g, r->guards_of, t)
            all &= holds[*g];
        if (all != check->is_enabled[t])
            return lie(check, state, t, UINT32_MAX,
                       all ? "is disabled, but all its guards hold" : "is enabled, but one of its guards does not hold",
                       error);
    }
    return check_values(check, state, holds, error);
}

static enum portolan_status check_never_together(const struct relation_check *check, const void *state,
                                                 struct portolan_error *error)
{
    const struct portolan_lists *never = &check->system->relations->never_together;
    for (uint32_t i = 0; never->offset && i < check->enabled_count; i++)
        for_list (u, *never, check->enabled[i])
            if (check->is_enabled[*u])
                return lie(check, state, check->enabled[i], *u,
                           "is enabled together with, which never_together denies,", error);
    return PORTOLAN_OK;
}

/* Is a transition enabled in the state that has the guard? */
static bool is_used(const struct relation_check *check, uint32_t guard)
{
    for (uint32_t i = 0; i < check->enabled_count; i++)
        if (contains(&check->system->relations->guards_of, check->enabled[i], guard))
            return true;
    return false;
}

static enum portolan_status check_flips(const struct relation_check *check, const void *state, uint32_t t,
                                        struct portolan_error *error)
{
    const struct portolan_relations *r = check->system->relations;
    for (uint32_t g = 0; g < r->guards; g++) {
        bool is_last = r->has_fallbacks && g + 1 == r->guards; /* that of fallbacks has no enablers */
        bool before = check->holds_before[g], after = check->holds_after[g];
        if (!before && after && !is_last && !contains(&r->enablers, g, t))
            return lie(check, state, t, user_of(r, g, t), "is not declared to enable, but makes true, a guard of",
                       error);
        if (before && !after && !contains(&r->disablers, g, t) && is_used(check, g))
            return lie(check, state, t, user_of(r, g, t), "is not declared to disable, but makes false, a guard of",
                       error);
    }
    return PORTOLAN_OK;
}

static enum portolan_status check_changes(const struct relation_check *check, const void *state, uint32_t index,
                                          struct portolan_error *error)
{
    const struct portolan_system *system = check->system;
    if (!system->changers.offset || !system->value)
        return PORTOLAN_OK;
    uint32_t action = check->enabled[index];
    for (uint32_t v = 0; v < system->variables + system->unlisted; v++) {
        int64_t before = system->value(system->model, state, v), by;
        int64_t after = system->value(system->model, successor(check, index), v);
        if (before != after && !contains(&system->changers, v, action))
            return lie(check, state, action, UINT32_MAX, "changes a variable, but is not a changer of it", error);
        if (system->change && system->change(system->model, action, v, &by) && after - before != by)
            return lie(check, state, action, UINT32_MAX, "does not change a variable by what it is said to", error);
    }
    return PORTOLAN_OK;
}

/* While only others move, transitions of one number neither begin nor cease to be enabled.  The flags tell of the
 * state after the action, as does the list of `count`. */
static enum portolan_status check_local(const struct relation_check *check, const void *state, uint32_t action,
                                        uint32_t count, struct portolan_error *error)
{
    const uint32_t *local = check->system->relations->local;
    for (uint32_t i = 0; local && i < check->enabled_count; i++) {
        uint32_t t = check->enabled[i];
        if (local[t] == UINT32_MAX || local[t] == local[action])
            continue;
        if (!check->is_enabled[t])
            return lie(check, state, action, t, "disables, though that is local,", error);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t u = check->later[k];
            bool is_new = local[u] == local[t];
            for (uint32_t j = 0; is_new && j < check->enabled_count; j++)
                is_new = check->enabled[j] != u;
            if (is_new)
                return lie(check, state, action, u, "enables, beside what is local, and with the same number,", error);
        }
    }
    return PORTOLAN_OK;
}

/* Do the two commute since one of them is local? */
static bool commute_by_place(const struct portolan_relations *r, uint32_t t, uint32_t u)
{
    return r->local && r->local[t] != UINT32_MAX && r->local[t] != r->local[u] &&
           !contains(&r->local_beside, r->local[t], u);
}

/* Fires one enabled action and looks at what it has done. */
static enum portolan_status check_step(struct relation_check *check, const void *state, uint32_t index,
                                       struct portolan_error *error)
{
    const struct portolan_system *system = check->system;
    unsigned char *next = successor(check, index), *still = check->still + (size_t)index * check->enabled_count;
    check->fits[index] = system->fire(system->model, state, check->enabled[index], next) == PORTOLAN_FIRED;
    if (!check->fits[index])
        return PORTOLAN_OK;
    uint32_t count = system->enabled(system->model, next, check->later);
    enum portolan_status status = check_guards(check, next, check->later, count, check->holds_after, error);
    if (status == PORTOLAN_OK)
        status = check_flips(check, state, check->enabled[index], error);
    if (status == PORTOLAN_OK)
        status = check_local(check, state, check->enabled[index], count, error);
    if (status == PORTOLAN_OK)
        status = check_changes(check, state, index, error);
    for (uint32_t j = 0; j < check->enabled_count; j++)
        still[j] = check->is_enabled[check->enabled[j]];
    return status;
}

/* Fires two enabled actions in both orders; a pair of which one disables the other was judged by its guards. */
static enum portolan_status check_order(const struct relation_check *check, const void *state, uint32_t i, uint32_t j,
                                        struct portolan_error *error)
{
    const struct portolan_system *system = check->system;
    uint32_t count = check->enabled_count, t = check->enabled[i], u = check->enabled[j];
    if (!check->fits[i] || !check->fits[j] || !check->still[(size_t)i * count + j] ||
        !check->still[(size_t)j * count + i] ||
        (contains(&system->relations->not_commuting, t, u) && !commute_by_place(system->relations, t, u) &&
         !commute_by_place(system->relations, u, t)))
        return PORTOLAN_OK;
    unsigned char *one = successor(check, count), *other = successor(check, count + 1);
    if (system->fire(system->model, successor(check, i), u, one) != PORTOLAN_FIRED ||
        system->fire(system->model, successor(check, j), t, other) != PORTOLAN_FIRED)
        return PORTOLAN_OK;
    if (memcmp(one, other, system->key_bytes) == 0)
        return PORTOLAN_OK;
    return lie(check, state, t, u, "is declared to commute, but does not, with", error);
}

static enum portolan_status check_agents(struct relation_check *check, const void *state, struct portolan_error *error)
{
    struct footprint_lie found = {0};
    memset(check->is_enabled, 0, check->system->actions * sizeof *check->is_enabled);
    for (uint32_t i = 0; i < check->enabled_count; i++)
        check->is_enabled[check->enabled[i]] = true;
    if (check->footprints && !check_footprints(check->footprints, state, check->is_enabled, &found))
        return fail_memory(error);
    return found.reason ? lie(check, state, found.action, found.other, found.reason, error) : PORTOLAN_OK;
}

enum portolan_status check_relations(struct relation_check *check, const void *state, struct portolan_error *error)
{
    const struct portolan_system *system = check->system;
    check->enabled_count = system->enabled(system->model, state, check->enabled);
    if (!make_room(check))
        return fail_memory(error);
    enum portolan_status status =
        check_guards(check, state, check->enabled, check->enabled_count, check->holds_before, error);
    if (status == PORTOLAN_OK)
        status = check_never_together(check, state, error);
    for (uint32_t i = 0; i < check->enabled_count && status == PORTOLAN_OK; i++)
        status = check_step(check, state, i, error);
    for (uint32_t i = 0; i < check->enabled_count && status == PORTOLAN_OK; i++)
        for (uint32_t j = i + 1; j < check->enabled_count && status == PORTOLAN_OK; j++)
            status = check_order(check, state, i, j, error);
    return status == PORTOLAN_OK ? check_agents(check, state, error) : status;
}
