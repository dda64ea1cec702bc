/* SPDX-License-Identifier: Apache-2.0 */
/* Graph grammars: small ones whose states and steps were counted by hand, feature by feature. */
#include "base/enabled.h"
#include "front/grammar/grammar_text.h"
#include "graph/engine.h"
#include "support.h"

#include <stdio.h>

/* --- allocations that fail: the linker leads here (--wrap) */

static uint64_t allocations, fails_at;

static bool fails(void)
{
    return ++allocations == fails_at;
}

/* NOLINTBEGIN: the linker makes these names */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}
/* NOLINTEND */

/* --- systems */

static struct portolan_system *open_grammar(const char *text)
{
    struct portolan_system *system = NULL;
    struct grammar *grammar = NULL;
    struct portolan_error error = {0};
    if (gg_parse(text, strlen(text), "test.gg", NULL, &grammar, &error) || graph_system_new(grammar, &system, &error))
        fail_msg("%u:%u: %s: %s", error.line, error.column, error.message, text);
    return system;
}

struct expected {
    const char *text;
    uint64_t states, transitions, deadlocks;             /* up to equality */
    uint64_t iso_states, iso_transitions, iso_deadlocks; /* up to isomorphism */
};

static void check_one(const struct expected *e, bool up_to_isomorphism)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", up_to_isomorphism ? "" : "isomorphism off\n", e->text);
    struct portolan_system *system = open_grammar(text);
    struct portolan_statistics s = explored(system, "none", NULL, "bfs");
    uint64_t states = up_to_isomorphism ? e->iso_states : e->states;
    uint64_t transitions = up_to_isomorphism ? e->iso_transitions : e->transitions;
    uint64_t deadlocks = up_to_isomorphism ? e->iso_deadlocks : e->deadlocks;
    if (s.states != states || s.transitions != transitions || s.deadlocks != deadlocks)
        fail_msg("%llu states, %llu transitions, %llu deadlocks, expected %llu, %llu, %llu:\n%s",
                 (unsigned long long)s.states, (unsigned long long)s.transitions, (unsigned long long)s.deadlocks,
                 (unsigned long long)states, (unsigned long long)transitions, (unsigned long long)deadlocks, text);
    portolan_system_free(system);
}

static const struct expected grammars[] = {
    /* each of three nodes may go */
    {"graph g { a [x]; b [x]; c [x] } rule drop { - a [x] }", 8, 12, 1, 4, 6, 1},
    /* a node that is created where one was deleted is that node again */
    {"graph g { a [x]; b [x] } rule make { a [x]; + a -n-> b [y]; not a -n-> c [y] } "
     "rule drop { a -n-> b [y]; - b }",
     4, 8, 0, 3, 6, 0},
    /* nodes that come to be in the same way are told apart by the smallest number that is free */
    {"graph g { a [x] } rule make { forall count n: int { b [y] }; where n < 3; + d [y] } rule drop { - b [y] }", 8, 19,
     0, 4, 9, 0},
    /* also where each is made by a step of its own, and others come in between */
    {"graph g { a [x]; c [z] } rule make { a [x]; not { p [y]; q [y]; p != q }; + a -e-> b [y] } "
     "rule mark { c [z]; not c [m]; + c [m] }",
     6, 7, 1, 6, 7, 1},
    /* an embargo speaks of the label that was found, not of any */
    {"graph g { n [z] -b-> m [k]; m -v-> 1; m -a-> m } "
     "rule r { q -?x-> m [k]; not m -?x-> m; - m -v-> i: int; where i < 3; + m -v-> (i + 1) }",
     3, 2, 1, 3, 2, 1},
    /* the ends of an edge become one, the edge a loop, whose ends are one already */
    {"graph g { a [x] -e-> b [x] } rule merge { a -e-> b; + a = b }", 2, 2, 0, 2, 2, 0},
    /* all at once, and also when there is nothing */
    {"graph g { a [x]; b [x]; c [x] } rule all { forall { a [x]; - a [x]; + a [y] } }", 2, 2, 0, 2, 2, 0},
    {"graph g { a [x]; b [x]; c [x] } rule all { forall nonempty { a [x]; - a [x]; + a [y] } }", 2, 1, 1, 2, 1, 1},
    /* each x chooses a y: four choices, up to isomorphism two */
    {"graph g { a [x]; b [x]; c [y]; d [y] } "
     "rule pair { not q [done]; forall { a [x]; exists { b [y]; + a -e-> b } }; + z [done] }",
     5, 4, 4, 3, 4, 2},
    /* no y for one of them: then not at all */
    {"graph g { a [x]; b [x] } rule pair { forall { a [x]; exists { a -e-> b; + b [y] } } }", 1, 0, 1, 1, 0, 1},
    /* how many there are is a value */
    {"graph g { a [x]; b [x]; c [x]; d [y] } rule drop { - a [x] } "
     "rule count { d [y]; not d -c-> z: int; forall count n: int { a [x] }; + d -c-> n }",
     28, 44, 4, 14, 20, 4},
    /* paths: six pairs, each may be joined */
    {"graph g { a -n-> b -n-> c -n-> d } rule far { a -{n+}-> b; not a -f-> b; + a -f-> b }", 64, 192, 1, 64, 192, 1},
    {"graph g { a -n-> b -m-> c } rule wild { - a -?-> b }", 4, 4, 1, 4, 4, 1},
    /* the same label twice */
    {"graph g { a -n-> b -m-> c -m-> d } rule same { - a -?x-> b; - b -?x-> c }", 2, 1, 1, 2, 1, 1},
    /* a node with an edge that the rule does not name stays, or loses it */
    {"graph g { a -n-> b -m-> c } rule d dangling { a -n-> b; - b }", 1, 0, 1, 1, 0, 1},
    {"graph g { a -n-> b -m-> c } rule d { a -n-> b; - b }", 2, 1, 1, 2, 1, 1},
    /* two nodes may be one, or not */
    {"graph g { a [x]; b [x] } rule e { a [x]; b [x]; not a -e-> b; + a -e-> b }", 16, 32, 1, 10, 20, 1},
    {"graph g { a [x]; b [x] } rule e injective { a [x]; b [x]; not a -e-> b; + a -e-> b }", 4, 4, 1, 3, 3, 1},
    /* the lower one waits */
    {"graph g { a [x]; b [y] } rule hi priority 2 { - a [x] } rule lo priority 1 { - b [y] }", 3, 2, 1, 3, 2, 1},
    /* 1 and true are two values, whatever their bits are */
    {"graph g { a [x] -v-> 1; a -w-> true; b [y] } rule swap { a [x] -v-> m: int; a -w-> n: bool; - a -v-> m; "
     "- a -w-> n; + a -v-> n; + a -w-> m } rule back { a -v-> n: bool; a -w-> m: int; - a -v-> n; - a -w-> m; "
     "+ a -v-> m; + a -w-> n }",
     2, 2, 0, 2, 2, 0},
    /* computed values; those that no edge leads to are not part of the graph */
    {"graph g { a [x] -v-> 0 } rule inc { a [x] -v-> n: int; where n < 5; - a -v-> n; + a -v-> (n + 1) }", 6, 5, 1, 6,
     5, 1},
};

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        check_one(&grammars[i], false);
        check_one(&grammars[i], true);
    }
}

/* Explores while one allocation fails; false when there are not so many. */
static bool explore_while_failing(const struct expected *e, uint64_t which)
{
    struct grammar *grammar = NULL;
    struct portolan_system *system = NULL;
    struct portolan_options options = {.reduction = "none"};
    struct portolan_result result = {0};
    assert_int_equal(gg_parse(e->text, strlen(e->text), "test.gg", NULL, &grammar, NULL), PORTOLAN_OK);
    allocations = 0;
    fails_at = which;
    enum portolan_status status = graph_system_new(grammar, &system, NULL);
    if (status == PORTOLAN_OK)
        status = search_system(system, &options, &result, NULL);
    bool failed = allocations >= fails_at;
    fails_at = 0;
    bool is_right = status != PORTOLAN_OK || result.stop != PORTOLAN_COMPLETE ||
                    (result.statistics.states == e->iso_states && result.statistics.deadlocks == e->iso_deadlocks);
    if (status == PORTOLAN_OK)
        result_clear(&result);
    portolan_system_free(system);
    if (!is_right)
        fail_msg("allocation %llu failed, and the answer is another one: %s", (unsigned long long)which, e->text);
    return failed;
}

static void failing_allocations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++)
        for (uint64_t which = 1; explore_while_failing(&grammars[i], which); which++)
            ;
}

/* An overflow is told when the step is taken. */
static void overflow(void **state)
{
    (void)state;
    struct portolan_system *system =
        open_grammar("graph g { a -v-> 2147483647 } rule inc { a -v-> n: int; - a -v-> n; + a -v-> (n + 1) }");
    struct portolan_options options = {.reduction = "none"};
    struct portolan_result result;
    struct portolan_error error = {0};
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OVERFLOW);
    assert_non_null(strstr(error.message, "inc"));
    portolan_system_free(system);
}

static const char *const growing = "isomorphism off graph g { a [x]; b [x] } "
                                   "rule grow { p [x]; not p -n-> z; + p -n-> q [y] } "
                                   "rule more { p [y]; not p -n-> z; + p -n-> q [w] } rule drop { - p [w] }";

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Goes some steps, always along the last action that is enabled; writes the actions. */
static void walk(struct portolan_system *system, uint32_t *path, uint32_t steps)
{
    uint64_t at[2][4] = {0};
    system->initial(system->model, at[0]);
    for (uint32_t i = 0, count; i < steps; i++) {
        uint32_t *list = NULL;
        size_t capacity = 0;
        assert_true(enabled_list(system, at[i % 2], &list, &capacity, &count));
        path[i] = list[count - 1];
        system->fire(system->model, at[i % 2], path[i], at[(i + 1) % 2]);
        free(list);
    }
}

/* The names of all actions that a search meets, sorted; free() releases the list. */
static const char **names_met(struct portolan_system *system, const char *search, uint32_t *count)
{
    explored(system, "none", NULL, search);
    for (*count = 0; system->action_name(system->model, *count);)
        ++*count;
    const char **names = calloc(*count + 1, sizeof *names);
    for (uint32_t i = 0; i < *count; i++)
        names[i] = system->action_name(system->model, i);
    qsort(names, *count, sizeof *names, by_name);
    return names;
}

static void names_do_not_depend_on_the_order(void **state)
{
    (void)state;
    struct portolan_system *one = open_grammar(growing), *two = open_grammar(growing);
    uint32_t count, other, path[3];
    walk(two, path, 3);
    const char **first = names_met(one, "bfs", &count), **second = names_met(two, "dfs", &other);
    assert_int_equal(count, other);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(first[i], second[i]);
    free(first);
    free(second);
    portolan_system_free(one);
    portolan_system_free(two);
}

struct wanted {
    uint32_t action;
    bool met;
};

static bool look(void *user, uint32_t action)
{
    struct wanted *wanted = user;
    wanted->met |= wanted->action == action;
    return true;
}

/* A trace names nodes that the system has yet to create. */
static void actions_are_found_before_they_are_met(void **state)
{
    (void)state;
    struct portolan_system *one = open_grammar(growing), *two = open_grammar(growing);
    uint32_t path[3], count = 3;
    uint64_t at[2][4] = {0};
    walk(one, path, count);
    uint32_t found[3], none;
    for (uint32_t i = 0; i < count; i++)
        assert_true(two->find_action(two->model, one->action_name(one->model, path[i]), &found[i]));
    assert_false(two->find_action(two->model, "shrink(n1)", &none));
    two->initial(two->model, at[0]);
    for (uint32_t i = 0; i < count; i++) {
        struct wanted wanted = {.action = found[i]};
        struct portolan_receiver receiver = {.give = look, .user = &wanted};
        assert_true(two->find_enabled(two->model, at[i % 2], &receiver));
        assert_true(wanted.met);
        assert_int_equal(two->fire(two->model, at[i % 2], found[i], at[(i + 1) % 2]), PORTOLAN_FIRED);
    }
    portolan_system_free(one);
    portolan_system_free(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts), cmocka_unit_test(failing_allocations),
                                       cmocka_unit_test(overflow), cmocka_unit_test(names_do_not_depend_on_the_order),
                                       cmocka_unit_test(actions_are_found_before_they_are_met)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
