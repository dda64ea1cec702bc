/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of simplification on a net that shows it, and on one that it must leave alone. */
#include "simplify/decide.h"
#include "simplify/question.h"
#include "simplify/simplex.h"
#include "support.h"

#include <string.h>

enum { PLACES = 8 };

/* "2a+b -> c": what a transition takes and puts; "!a" is an inhibitor arc, "?a" a read arc. */
static void add_side(struct net_builder *builder, const char *side, size_t length, uint32_t t, enum net_arc_kind kind)
{
    uint32_t weight = 0;
    enum net_arc_kind now = kind;
    for (size_t i = 0; i < length; i++) {
        char c = side[i];
        if (c >= '0' && c <= '9') {
            weight = weight * 10 + (uint32_t)(c - '0');
        } else if (c == '!' || c == '?') {
            now = c == '!' ? NET_INHIBIT : NET_READ;
        } else if (c >= 'a' && c < 'a' + PLACES) {
            net_builder_arc(builder, now, (uint32_t)(c - 'a'), t, weight ? weight : 1);
            weight = 0;
            now = kind;
        }
    }
}

/* Places a, b, ... with these tokens ("102"), and transitions. */
static struct net *make_net(const char *tokens, const char *const *transitions)
{
    struct net_builder *builder = net_builder_new("net");
    for (uint32_t p = 0; tokens[p]; p++) {
        char id[2] = {(char)('a' + p), 0};
        net_builder_place(builder, id, NULL, (uint32_t)(tokens[p] - '0'));
    }
    for (uint32_t t = 0; transitions[t]; t++) {
        char id[16];
        const char *arrow = strstr(transitions[t], "->");
        snprintf(id, sizeof id, "t%u", t);
        net_builder_transition(builder, id, NULL);
        add_side(builder, transitions[t], (size_t)(arrow - transitions[t]), t, NET_CONSUME);
        add_side(builder, arrow + 2, strlen(arrow + 2), t, NET_PRODUCE);
    }
    struct net *net = net_builder_finish(builder, NULL);
    assert_non_null(net);
    return net;
}

struct asked {
    const char *observed; /* places */
    bool deadlocks, exact;
};

/* How often the rule is used. */
static uint32_t uses(enum simplify_rule rule, const char *tokens, const char *const *transitions, struct asked asked)
{
    struct net *net = make_net(tokens, transitions);
    struct simplify_question question;
    struct simplification result;
    assert_true(question_make(&question, net));
    for (const char *p = asked.observed ? asked.observed : ""; *p; p++)
        question.observed[*p - 'a'] = true;
    question.deadlocks = asked.deadlocks;
    question.exact = asked.exact;
    assert_true(simplify_net(net, &question, &result));
    uint32_t count = result.fired[rule];
    simplification_clear(&result);
    question_clear(&question);
    net_free(net);
    return count;
}

#define T(...) ((const char *const[]){__VA_ARGS__, NULL})
#define USES(rule, tokens, transitions, ...) uses(rule, tokens, transitions, (struct asked){__VA_ARGS__})

static void test_dead(void **state)
{
    (void)state;
    /* b and c feed each other and are never marked */
    assert_int_equal(USES(RULE_DEAD, "100", T("b -> c", "c -> b", "a -> a"), .exact = true), 2);
    assert_int_equal(USES(RULE_DEAD, "100", T("a -> b", "b -> c", "c -> a"), .exact = true), 0);
    /* the inhibitor arc never holds while a keeps its tokens, and does when they can be taken */
    assert_int_equal(USES(RULE_DEAD, "210", T("!a b -> c", "b -> b"), .exact = true), 1);
    assert_int_equal(USES(RULE_DEAD, "210", T("!a b -> c", "a -> ", "b -> b"), .exact = true, .observed = "abc"), 0);
}

static void test_places(void **state)
{
    (void)state;
    assert_int_equal(USES(RULE_CONSTANT, "110", T("a + b -> a + c", "c -> b"), .exact = true, .observed = "bc"), 1);
    assert_int_equal(USES(RULE_CONSTANT, "210", T("?2a b -> c", "c -> b"), .exact = true, .observed = "bc"), 1);
    assert_int_equal(USES(RULE_UNTESTED, "10", T("a -> b", "a -> "), .exact = true, .observed = "a"), 1);
    assert_int_equal(USES(RULE_UNTESTED, "10", T("a -> b", "!b a -> "), .exact = true, .observed = "a"), 0);
    /* b and c change alike; c has no fewer tokens */
    assert_int_equal(USES(RULE_PARALLEL, "0111", T("b + c -> a", "a -> b + c"), .exact = true, .observed = "a"), 1);
    assert_int_equal(USES(RULE_PARALLEL, "012", T("b + 2c -> a", "a -> b + 2c"), .exact = true, .observed = "ab"), 1);
    assert_int_equal(USES(RULE_PARALLEL, "110", T("b + c -> a", "a -> b + c"), .exact = true, .observed = "ac"), 1);
    assert_int_equal(USES(RULE_PARALLEL, "021", T("b + ?2c -> a", "a -> b", "c->"), .exact = true, .observed = "abc"),
                     0);
}

static void test_transitions(void **state)
{
    (void)state;
    assert_int_equal(USES(RULE_DOMINATED, "210", T("a -> b", "a -> b", "b -> a"), .exact = true, .observed = "ab"), 1);
    assert_int_equal(USES(RULE_DOMINATED, "210", T("a -> b", "?2a a -> b", "b -> a"), .exact = true, .observed = "ab"),
                     1);
    assert_int_equal(USES(RULE_DOMINATED, "210", T("a -> b", "a -> 2b", "b -> a"), .exact = true, .observed = "ab"), 0);
    assert_int_equal(USES(RULE_DOMINATED, "210", T("!b a -> b", "a -> b", "b -> a"), .exact = true, .observed = "ab"),
                     1);
    /* it may go for states, for deadlocks only where another one is enabled with it */
    assert_int_equal(USES(RULE_IRRELEVANT, "10", T("?b -> ", "a -> b", "b -> a"), .observed = "ab"), 1);
    assert_int_equal(USES(RULE_IDLE, "10", T("?b -> ", "a -> b", "b -> a"), .observed = "ab", .deadlocks = true), 1);
    assert_int_equal(USES(RULE_IDLE, "10", T("?b -> ", "a -> b"), .observed = "ab", .deadlocks = true), 0);
    assert_int_equal(USES(RULE_IDLE, "10", T("?b -> ", "a -> b"), .observed = "ab", .exact = true), 0);
}

/* What a property asks for keeps its tests, even those that always hold. */
static void test_named(void **state)
{
    (void)state;
    struct net *net = make_net("110", T("?a + b -> c", "c -> b"));
    struct simplify_question question;
    struct simplification result;
    assert_true(question_make(&question, net));
    question.named[0] = question.observed[0] = question.observed[1] = true;
    assert_true(simplify_net(net, &question, &result));
    assert_int_equal(result.recipe[0], 0);
    bool reads = false;
    for (uint32_t i = 0; i < result.net->arc_offset[1]; i++)
        reads |= result.place[result.net->arc[i].place] == 0 && result.net->arc[i].need == 1;
    assert_true(reads);
    simplification_clear(&result);
    question_clear(&question);
    net_free(net);
}

static void test_states_only(void **state)
{
    (void)state;
    assert_int_equal(USES(RULE_IRRELEVANT, "1010", T("a -> b", "b -> a", "c -> d", "d -> c"), .observed = "a"), 4);
    assert_int_equal(USES(RULE_IRRELEVANT, "1010", T("!d a -> b", "b -> a", "c -> d", "d -> c"), .observed = "a"), 0);
    assert_int_equal(USES(RULE_IRRELEVANT, "1010", T("a -> b", "b -> a", "c -> d"), .observed = "a", .deadlocks = true),
                     0);
    assert_int_equal(USES(RULE_SOURCE, "010", T("-> a", "a + b -> c", "c -> b"), .observed = "bc"), 1);
    assert_int_equal(USES(RULE_SOURCE, "010", T("-> a", "a + b -> c", "!a c -> b"), .observed = "bc"), 0);
    assert_int_equal(USES(RULE_SOURCE, "010", T("-> a", "a + b -> c", "c -> b"), .observed = "abc"), 0);
}

static void test_post(void **state)
{
    (void)state;
    struct asked both = {.observed = "ac", .deadlocks = true};
    /* a -> b -> d, where d is not observed */
    assert_int_equal(uses(RULE_POST, "1010", T("a + c -> b", "b -> d", "?2c d -> a"), both), 1);
    /* several tokens at once for one consumer, not for two */
    assert_int_equal(uses(RULE_POST, "1010", T("a + c -> 3b", "b -> d", "?c d -> a"), both), 1);
    assert_int_equal(uses(RULE_POST, "1010", T("a + c -> 3b", "b -> d", "b ->", "?c d -> a"), both), 0);
    /* consumers that take different weights, or tokens at first that one of two would have to take */
    assert_int_equal(uses(RULE_POST, "1010", T("a + c -> 2b", "b -> d", "2b -> ", "?c d -> a"), both), 0);
    assert_int_equal(uses(RULE_POST, "1110", T("a + c -> b", "b -> d", "b -> ", "?c d -> a"), both), 0);
    assert_int_equal(uses(RULE_POST, "1010", T("a + c -> b", "b -> d", "b -> ", "?c d -> a"), both), 1);
    /* tokens at first that the one consumer cannot take all of */
    assert_int_equal(uses(RULE_POST, "1110", T("a + c -> 2b", "2b -> d", "?c d -> a"), both), 0);
    assert_int_equal(uses(RULE_POST, "1210", T("a + c -> 2b", "2b -> d", "?c d -> a"), both), 1);
    /* what comes earlier would be seen */
    assert_int_equal(uses(RULE_POST, "100", T("a -> b", "b -> c", "c -> a"), both), 0);
    assert_int_equal(uses(RULE_POST, "1010", T("a + c -> b", "b -> d", "!2d c -> a", "?c d -> a"), both), 0);
    /* the consumer may have to wait */
    assert_int_equal(uses(RULE_POST, "1010", T("a -> b", "b + c -> d", "?c d -> a"), both), 0);
}

static void test_pre(void **state)
{
    (void)state;
    struct asked both = {.observed = "ac", .deadlocks = true};
    /* d -> b -> (with c) a: d has no other taker */
    assert_int_equal(uses(RULE_PRE, "1010", T("a -> d + c", "d -> b", "b + c -> a"), both), 1);
    assert_int_equal(uses(RULE_PRE, "1010", T("a -> d + c", "d -> b", "b + c -> a", "d + c -> "), both), 0);
    assert_int_equal(uses(RULE_PRE, "1010", T("a -> d + c", "d -> b", "b + c -> a", "!2d c -> a"), both), 0);
    assert_int_equal(uses(RULE_PRE, "1110", T("a -> d + c", "d -> b", "b + c -> a"), both), 0);
    /* a producer that does more than taking tokens cannot wait */
    assert_int_equal(uses(RULE_PRE, "1010", T("a -> 2d + c", "?2d d -> b", "b + c -> a"), both), 0);
    assert_int_equal(uses(RULE_PRE, "1010", T("a -> 2d + c", "2d -> b + d", "b + c -> a"), both), 0);
    /* others may take it when deadlocks do not matter */
    struct asked states = {.observed = "ac"};
    assert_int_equal(uses(RULE_FREE, "1010", T("a -> d + c", "d -> b", "b + c -> a", "d + c -> "), states), 1);
    assert_int_equal(uses(RULE_FREE, "1010", T("a -> d + c", "d -> b", "b + c -> a", "d + c -> "), both), 0);
}

/* A run of the smaller net becomes one of the original, to a dead marking where that is asked. */
static void test_expansion(void **state)
{
    (void)state;
    struct net *net = make_net("2000", T("a -> 2b", "b -> c", "c -> d"));
    struct simplify_question question;
    struct simplification result;
    assert_true(question_make(&question, net));
    question.deadlocks = true;
    assert_true(simplify_net(net, &question, &result));
    assert_int_equal(result.net->transitions, 1); /* one token of a goes all the way */
    struct firing_sequence run = {0};
    assert_true(simplification_expand(&result, net, (const uint32_t[]){0, 0}, 2, true, &run));
    assert_int_equal(run.count, 2 + 4 + 4);
    free(run.item);
    simplification_clear(&result);
    question_clear(&question);
    net_free(net);
}

static void test_siphons(void **state)
{
    (void)state;
    struct net *ring = make_net("100", T("a -> b", "b -> c", "c -> a"));
    struct net *stuck = make_net("1100", T("a + b -> c", "c -> a"));
    struct net *weighted = make_net("200", T("2a -> b", "b -> c", "c -> a"));
    struct net *reads = make_net("110", T("?a b -> c", "c -> b")); /* a is not taken away: it is a trap, too */
    assert_true(siphons_have_marked_traps(ring, NULL));
    assert_true(siphons_have_marked_traps(reads, NULL));
    assert_false(siphons_have_marked_traps(stuck, NULL));
    assert_false(siphons_have_marked_traps(weighted, NULL));
    net_free(ring);
    net_free(reads);
    net_free(stuck);
    net_free(weighted);
}

static bool is_excluded(const char *tokens, const char *const *transitions, enum portolan_kind kind, const char *text)
{
    struct portolan_system *system = NULL;
    struct portolan_property *property = NULL;
    struct portolan_error error = {0};
    assert_int_equal(net_system_new(make_net(tokens, transitions), &system, &error), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, kind, text, &property, &error), PORTOLAN_OK);
    bool excluded = state_equation_excludes(net_of_system(system), property, NULL);
    portolan_property_free(property);
    portolan_system_free(system);
    return excluded;
}

static void test_equation(void **state)
{
    (void)state;
    const char *const *ring = T("a -> b", "b -> c", "c -> a");
    assert_true(is_excluded("200", ring, PORTOLAN_NO_DEADLOCK, NULL));
    assert_true(is_excluded("200", ring, PORTOLAN_INVARIANT, "a + b + c = 2"));
    assert_true(is_excluded("200", ring, PORTOLAN_REACH, "a > 1 && 2 * b >= 1"));
    assert_true(is_excluded("200", ring, PORTOLAN_REACH, "(a = 2) <-> (b = 2 || c = 2 || b + c != 2 - a)") ==
                false); /* b = c = 1 makes both sides false */
    assert_true(is_excluded("200", ring, PORTOLAN_REACH, "a > 1 && (b = 1 <-> c < 9)"));
    assert_false(is_excluded("200", ring, PORTOLAN_REACH, "a = 1 && c = 1"));
    /* a part that has no value is not excluded */
    assert_false(is_excluded("200", ring, PORTOLAN_REACH, "a > 2 && b / c > 0"));
    assert_false(is_excluded("200", ring, PORTOLAN_REACH, "(b / c > 0 || b > 7) && a > 5"));
    /* a - b is 1 forever, so neither is empty unless the trap is */
    assert_true(is_excluded("10", T("a -> a + b", "b + a -> a"), PORTOLAN_NO_DEADLOCK, NULL));
    assert_false(is_excluded("21", T("2a -> a", "b -> "), PORTOLAN_NO_DEADLOCK, NULL));
}

/* Transitions that can be disabled in two ways each, by firing them, have nothing to do with why there is no deadlock:
 * that is found before all combinations of those ways have been looked at. */
static void test_backjumping(void **state)
{
    (void)state;
    enum { MODULES = 14, CORE = 2 * MODULES };
    struct net_builder *builder = net_builder_new("net");
    struct portolan_system *system;
    struct portolan_property *property;
    for (uint32_t p = 0; p < CORE + 4; p++) {
        char id[16];
        snprintf(id, sizeof id, "p%u", p);
        net_builder_place(builder, id, NULL, p != CORE + 1);
    }
    for (uint32_t t = 0; t < MODULES + 2; t++) {
        char id[16];
        snprintf(id, sizeof id, "t%u", t);
        net_builder_transition(builder, id, NULL);
        for (uint32_t i = 0; i < 2 && t < MODULES; i++)
            net_builder_arc(builder, NET_CONSUME, 2 * t + i, t, 1);
        if (t < MODULES)
            continue;
        net_builder_arc(builder, NET_CONSUME, CORE + t % 2, t, 1);
        net_builder_arc(builder, NET_PRODUCE, CORE + 1 - t % 2, t, 1);
        net_builder_arc(builder, NET_READ, CORE + 2, t, 1); /* these two always have their token */
        net_builder_arc(builder, NET_READ, CORE + 3, t, 1);
    }
    assert_int_equal(net_system_new(net_builder_finish(builder, NULL), &system, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL), PORTOLAN_OK);
    assert_true(state_equation_excludes(net_of_system(system), property, NULL));
    portolan_property_free(property);
    portolan_system_free(system);
}

static void test_simplex(void **state)
{
    (void)state;
    /* 3x >= 1, 7y >= 2: thirds and sevenths, exactly */
    struct simplex_system system = {.columns = 2};
    assert_true(vector_push(&system.bounds, 1) && vector_push(&system.bounds, 2));
    assert_true(vector_push(&system.entries, ((struct simplex_entry){0, 0, 3})) &&
                vector_push(&system.entries, ((struct simplex_entry){1, 1, 7})));
    int64_t values[2], scale;
    assert_true(simplex_solve(&system, values, &scale));
    assert_int_equal(scale, 21);
    assert_int_equal(values[0], 7);
    assert_int_equal(values[1], 6);
    /* what floating-point numbers may leave behind is no solution */
    assert_true(simplex_is_solution(&system, values, scale));
    values[1] = 5;
    assert_false(simplex_is_solution(&system, values, scale));
    assert_false(simplex_is_solution(&system, (int64_t[]){-1, 6}, 3));
    assert_false(simplex_is_solution(&system, (int64_t[]){7, 6}, 22));
    system.entries.item[1].value = -7;
    assert_false(simplex_is_solution(&system, (int64_t[]){7, -6}, 21)); /* both rows hold, but a number is negative */
    assert_false(simplex_solve(&system, values, &scale));
    simplex_clear(&system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dead),        cmocka_unit_test(test_places),  cmocka_unit_test(test_transitions),
        cmocka_unit_test(test_states_only), cmocka_unit_test(test_post),    cmocka_unit_test(test_pre),
        cmocka_unit_test(test_expansion),   cmocka_unit_test(test_siphons), cmocka_unit_test(test_equation),
        cmocka_unit_test(test_simplex),     cmocka_unit_test(test_named),   cmocka_unit_test(test_backjumping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
