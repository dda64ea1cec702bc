/* SPDX-License-Identifier: Apache-2.0 */
/* Explanations of reduced sets on random nets: each is a stubborn set by the definition, its enabled members are those
 * that the reduction has chosen, and every reason is true. */
#include "base/lists.h"
#include "front/petri/generate/generate.h"
#include "front/petri/system.h"
#include "random_net.h"
#include "search/chooser.h"
#include "system/stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

struct explained {
    const struct portolan_system *system;
    const struct portolan_relations *r;
    const struct stepper *at;
    const struct set_explanation *why;
    const uint32_t *chosen;
    uint32_t chosen_count;
};

static bool contains(const struct portolan_lists *lists, uint32_t list, uint32_t item)
{
    for_list (i, *lists, list)
        if (*i == item)
            return true;
    return false;
}

static bool is_member(const struct explained *e, uint32_t t)
{
    for (size_t i = 0; i < e->why->members.count; i++)
        if (e->why->members.item[i].action == t)
            return true;
    return false;
}

static bool is_enabled(const struct explained *e, uint32_t t)
{
    for (uint32_t i = 0; i < e->at->enabled_count; i++)
        if (e->at->enabled[i] == t)
            return true;
    return false;
}

static bool never_meet(const struct explained *e, uint32_t t, uint32_t u)
{
    return e->r->never_together.offset && contains(&e->r->never_together, t, u);
}

static bool may_disable(const struct explained *e, uint32_t t, uint32_t u)
{
    for_list (g, e->r->guards_of, u)
        if (contains(&e->r->disablers, *g, t))
            return true;
    return false;
}

static bool has_all(const struct explained *e, const struct portolan_lists *lists, uint32_t guard, uint32_t t, bool met)
{
    for_list (u, *lists, guard)
        if (*u != t && !is_member(e, *u) && !(met && never_meet(e, t, *u)))
            return false;
    return true;
}

/* Nothing outside can disable it; or, of a weak set, once disabled from outside it stays so. */
static bool keeps_its_guards(const struct explained *e, uint32_t t, bool as_key)
{
    for_list (g, e->r->guards_of, t)
        if (!has_all(e, &e->r->disablers, *g, t, true) &&
            (as_key || !has_all(e, &e->r->enablers, *g, UINT32_MAX, false)))
            return false;
    return true;
}

static void assert_member(const struct explained *e, uint32_t t)
{
    bool fine = false;
    if (!is_enabled(e, t)) {
        for_list (g, e->r->guards_of, t)
            fine |=
                !e->r->holds(e->system->model, e->at->state, *g) && has_all(e, &e->r->enablers, *g, UINT32_MAX, false);
        assert_true(fine);
        return;
    }
    for (uint32_t u = 0; u < e->r->transitions; u++)
        if (u != t && !never_meet(e, t, u) && (may_disable(e, t, u) || contains(&e->r->not_commuting, t, u)))
            assert_true(is_member(e, u));
    assert_true(keeps_its_guards(e, t, false));
}

static void assert_reason(const struct explained *e, size_t i)
{
    const struct set_member *m = &e->why->members.item[i];
    uint32_t t = m->action, u = e->why->members.item[m->on_behalf_of].action;
    bool enables = false;
    for_list (g, e->r->guards_of, u)
        enables |= contains(&e->r->enablers, *g, t);
    assert_true(m->on_behalf_of < i || m->relation == SET_BEGINS || m->relation == SET_GOAL ||
                m->relation == SET_LOCAL);
    assert_int_equal(m->is_enabled, is_enabled(e, t));
    switch (m->relation) {
    case SET_BEGINS: assert_true(m->is_enabled); break;
    case SET_GOAL: break;
    case SET_MAY_DISABLE: assert_true(may_disable(e, t, u)); break;
    case SET_MAY_BE_LOST: assert_true(may_disable(e, u, t)); break;
    case SET_NOT_COMMUTING: assert_true(contains(&e->r->not_commuting, u, t)); break;
    case SET_MAY_ENABLE: assert_true(enables && !is_enabled(e, u)); break;
    case SET_MAY_RESTORE: assert_true(enables && is_enabled(e, u)); break;
    case SET_VISIBLE: assert_true(is_enabled(e, u)); break;
    case SET_LOCAL: assert_true(m->is_enabled && e->r->local[t] != UINT32_MAX); break;
    }
}

static void assert_explained(const struct explained *e, bool directed)
{
    uint32_t enabled_members = 0;
    bool has_key = directed;
    assert_true(e->why->is_whole);
    for (size_t i = 0; i < e->why->members.count; i++) {
        assert_member(e, e->why->members.item[i].action);
        assert_reason(e, i);
        enabled_members += e->why->members.item[i].is_enabled;
        has_key |= e->why->members.item[i].is_enabled && keeps_its_guards(e, e->why->members.item[i].action, true);
    }
    assert_int_equal(enabled_members, e->chosen_count);
    for (uint32_t i = 0; i < e->chosen_count; i++)
        assert_true(is_member(e, e->at->enabled[e->chosen[i]]));
    assert_true(has_key);
}

/* Walks about, and has the set of every state on the way explained. */
static unsigned explain_along(struct portolan_system *system, const struct portolan_options *options,
                              struct random *random)
{
    enum { STEPS = 12 };
    struct chooser *chooser;
    struct stepper at;
    uint32_t chosen[DRAFT_TRANSITIONS + 1];
    unsigned reduced = 0;
    assert_int_equal(chooser_new(system, options, &chooser, NULL), PORTOLAN_OK);
    assert_true(stepper_make(&at, system));
    for (int step = 0; step < STEPS; step++) {
        struct set_explanation why;
        uint32_t count;
        assert_int_equal(chooser_explain(chooser, at.state, at.enabled, at.enabled_count, chosen, &count, &why, NULL),
                         PORTOLAN_OK);
        if (count < at.enabled_count) {
            const struct explained e = {system, system->relations, &at, &why, chosen, count};
            assert_explained(&e, options->property_count);
            reduced++;
        }
        explanation_clear(&why);
        if (!at.enabled_count ||
            stepper_fire(&at, at.enabled[random_below(random, at.enabled_count)], NULL) != PORTOLAN_OK)
            break;
    }
    stepper_clear(&at);
    chooser_free(chooser);
    return reduced;
}

static void test_random_nets(void **state)
{
    static const char *const reductions[] = {"stubborn", "stubborn:strong", "stubborn:closure", "stubborn:guards",
                                             "lpor",     "lpor:plain",      "stubborn:goal"};
    enum { NETS = 300, REDUCTIONS = sizeof reductions / sizeof *reductions };
    unsigned reduced[REDUCTIONS] = {0};
    (void)state;
    for (uint64_t n = 0; n < NETS; n++) {
        struct random random = random_from(15, n);
        struct draft draft;
        draft_random(&draft, &random);
        struct portolan_system *system;
        struct portolan_property *property;
        assert_int_equal(net_system_new(draft_net(&draft, "random"), &system, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, "p0 >= 3", &property, NULL), PORTOLAN_OK);
        const struct portolan_property *properties[] = {property};
        for (size_t i = 0; i < REDUCTIONS; i++) {
            bool directed = strstr(reductions[i], "goal");
            struct portolan_options options = {
                .reduction = reductions[i], .properties = properties, .property_count = directed};
            reduced[i] += explain_along(system, &options, &random);
        }
        portolan_property_free(property);
        portolan_system_free(system);
    }
    for (size_t i = 0; i < REDUCTIONS; i++)
        assert_true(reduced[i] > NETS / 10);
}

/* A set that is none: it is said so. */
static void test_no_stubborn_set(void **state)
{
    (void)state;
    struct net *net = NULL;
    struct portolan_system *system = NULL;
    struct stepper at;
    uint32_t taken[] = {1}; /* a fork that the neighbour could take as well */
    assert_int_equal(generate_net("philosophers", (long[]){3}, 1, &net, NULL), PORTOLAN_OK);
    assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
    assert_true(stepper_make(&at, system));
    assert_int_equal(stepper_fire(&at, at.enabled[0], NULL), PORTOLAN_OK);
    struct chosen_set set = {.system = system,
                             .state = at.state,
                             .enabled = at.enabled,
                             .enabled_count = at.enabled_count,
                             .chosen = taken,
                             .chosen_count = 1};
    struct set_explanation why;
    assert_int_equal(explain_set(&set, &why, NULL), PORTOLAN_OK);
    assert_false(why.is_whole);
    assert_int_equal(why.members.count, 1);
    explanation_clear(&why);
    stepper_clear(&at);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_nets), cmocka_unit_test(test_no_stubborn_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
