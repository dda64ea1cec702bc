/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Incremental matching: a graph that a step led to is asked twice what is enabled.  The first answer is found by what
 * it inherits, the second anew, since what was inherited is used up.
 */
#include "support.h"

#include "base/enabled.h"
#include "front/grammar/grammar_text.h"
#include "graph/engine.h"

#include <stdio.h>

enum { MOST_STATES = 200, MOST_ACTIONS = 200 };

static struct portolan_system *open_grammar(const char *text, bool up_to_isomorphism)
{
    struct portolan_system *system = NULL;
    struct grammar *grammar = NULL;
    struct portolan_error error = {0};
    if (gg_parse(text, strlen(text), "test.gg", NULL, &grammar, &error) != PORTOLAN_OK)
        fail_msg("%u:%u: %s: %s", error.line, error.column, error.message, text);
    grammar->up_to_isomorphism = up_to_isomorphism;
    assert_int_equal(graph_system_new(grammar, &system, &error), PORTOLAN_OK);
    return system;
}

struct actions {
    uint32_t item[MOST_ACTIONS], count;
};

static bool add(void *user, uint32_t action)
{
    struct actions *all = user;
    assert_true(all->count < MOST_ACTIONS);
    all->item[all->count++] = action;
    return true;
}

static bool has(const struct actions *all, uint32_t action)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->item[i] == action)
            return true;
    return false;
}

/* What is enabled, asked twice. */
static void ask_twice(struct portolan_system *system, const struct graph_state *state, struct actions *inherited,
                      const char *text)
{
    struct actions anew = {.count = 0};
    inherited->count = 0;
    assert_true(system->find_enabled(system->model, state, &(struct portolan_receiver){add, inherited}));
    assert_true(system->find_enabled(system->model, state, &(struct portolan_receiver){add, &anew}));
    for (uint32_t i = 0; i < anew.count; i++)
        if (!has(inherited, anew.item[i]))
            fail_msg("%s is missed in\n%s", system->action_name(system->model, anew.item[i]), text);
    for (uint32_t i = 0; i < inherited->count; i++)
        if (!has(&anew, inherited->item[i]))
            fail_msg("%s is not enabled in\n%s", system->action_name(system->model, inherited->item[i]), text);
}

/* Every state, the steps of each fired while its matches are known; returns how many states there are. */
static unsigned explore(const char *text, bool up_to_isomorphism)
{
    struct portolan_system *system = open_grammar(text, up_to_isomorphism);
    static struct graph_state states[MOST_STATES];
    unsigned count = 1;
    system->initial(system->model, &states[0]);
    for (unsigned i = 0; i < count; i++) {
        struct actions actions;
        ask_twice(system, &states[i], &actions, text);
        for (uint32_t a = 0; a < actions.count; a++) {
            struct graph_state next;
            assert_int_equal(system->fire(system->model, &states[i], actions.item[a], &next), PORTOLAN_FIRED);
            unsigned known = 0;
            while (known < count && memcmp(&states[known], &next, sizeof next) != 0)
                known++;
            if (known == count && count < MOST_STATES)
                states[count++] = next;
        }
    }
    portolan_system_free(system);
    return count;
}

static const char *const grammars[] = {
    /* edges that forbid come and go */
    "graph g { a: A; b: A } rule on { x: A; + not x[f] } rule off { x: A; - x[f] }\n"
    "rule go { x: A; y: A; not x[f]; + not x -v-> y }",
    "graph g { a: A; b: A; c: C } rule on { x: A; c: C; + not x -e-> c } rule off { x: A -e-> c: C; - x -e-> c }\n"
    "rule go { x: A; not x -e-> z: C; + not x[g] } rule back { x: A; - x[g] }",
    /* an edge at a node that a rule would delete */
    "graph g { x: A; y: B; z: A } rule drop dangling { - x: A }\n"
    "rule link { x: A; y: B; + not y -e-> x } rule cut { y: B -e-> x: A; - y -e-> x; + not y[cut] }",
    /* a node that must not be there, with labels and with types, and two that are connected to nothing else */
    "graph g { a: A } rule go { x: A; not z: Z; + not x[f] } rule back { x: A; - x[f] }\n"
    "rule make { x: A; not z: Z; + z: Z } rule kill { x: A; z: Z; - z; + not x[k] }",
    "types { A [f, k]; Z; Y < Z } graph g { a: A } rule go { x: A; not z: Z; + not x[f] } rule back { x: A; - x[f] }\n"
    "rule make { x: A; not z: Y; + z: Y } rule kill { x: A; z: Z; - z; + not x[k] }",
    "graph g { a: A; b: W } rule go { x: A; not { z: Z -p-> w: W }; + not x[f] } rule back { x: A; - x[f] }\n"
    "rule make { w: W; not z: Z; + z: Z -p-> w } rule cut { z: Z -p-> w; - z -p-> w } rule kill { x: A; z: Z; - z; + "
    "not x[k] }",
    /* nodes that come, found by their types alone, and by nothing */
    "types { A [f]; B } graph g { b: B } rule make { b: B; not x: A[f]; + x: A } rule go { x: A; + not x[f] }\n"
    "rule kill { x: A[f]; - x }",
    "graph g { b: B } rule make { b: B; not z: C; + x: C } rule all { b: B; x; + not b -v-> x } rule kill { - x: C }",
    /* labels that change, nodes that become one */
    "graph g { a: A; b: B -e-> a } rule turn { x: A; - x: A; + x: B } rule back { x: B; - x: B; + x: A }\n"
    "rule see { x: A; y: B -e-> x; + not y[f] }",
    "graph g { a: A -e-> b: A -e-> c: A } rule merge { x: A -e-> y: A; x != y; + x = y }\n"
    "rule mark { x: A -e-> y: A; + not x[f] } rule loop { x: A -e-> x; not x[f]; - x -e-> x }",
    /* injective, with priorities, with several edges of one label */
    "graph g { a: A -e-> b: A -e-> c: A } rule go injective { x: A -e-> y: A; not y -e-> z: A; + not x[f] }\n"
    "rule cut { x: A -e-> y: A; - x -e-> y } rule join injective { x: A[f]; y: A; + not y -e-> x }",
    "graph g { a: A; b: A } rule first priority 1 { x: A[f]; - x[f]; + x[g] } rule last { x: A; not x[g]; + not x[f] "
    "}\n"
    "rule again { x: A[g]; y: A[g]; x != y; - x[g] }",
};

static void test_what_is_inherited_is_what_is_found_anew(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        unsigned equal = explore(grammars[i], false), isomorphic = explore(grammars[i], true);
        assert_true(isomorphic >= 2);
        assert_true(isomorphic <= equal);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_inherited_is_what_is_found_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
