/* SPDX-License-Identifier: Apache-2.0 */
/* Views of graph grammars: what they say against what the grammar does, and every reduction against full exploration.
 */
#include "support.h"

#include "front/grammar/grammar_text.h"
#include "graph/engine.h"
#include "graph/ground/ground.h"
#include "sanitized.h"

#include <stdarg.h>
#include <stdio.h>

static struct grammar *grammar_of(const char *text)
{
    struct grammar *grammar = NULL;
    struct portolan_error error = {0};
    if (gg_parse(text, strlen(text), "test.gg", NULL, &grammar, &error) != PORTOLAN_OK)
        fail_msg("%u:%u: %s: %s\n%s", error.line, error.column, error.message, error.source, text);
    return grammar;
}

/* The grammar itself, with graphs compared for equality. */
static struct portolan_system *full_system(const char *text)
{
    struct portolan_system *system = NULL;
    struct grammar *grammar = grammar_of(text);
    grammar->up_to_isomorphism = false;
    assert_int_equal(graph_system_new(grammar, &system, NULL), PORTOLAN_OK);
    return system;
}

/* NULL: it cannot be ground, for the reason in the error. */
static struct portolan_system *ground_system(const char *text, struct portolan_error *error)
{
    struct portolan_system *system = NULL;
    struct grammar *grammar = grammar_of(text);
    enum portolan_status status = ground_system_new(grammar, &system, error);
    grammar_free(grammar);
    assert_true(status == PORTOLAN_OK || status == PORTOLAN_REFUSED);
    return system;
}

/* Is everything seen within the limit?  Then what there is. */
static bool search_all(struct portolan_system *system, const char *reduction, bool check, uint64_t *states,
                       uint64_t *deadlocks)
{
    struct portolan_options options =
        PORTOLAN_OPTIONS(.reduction = reduction, .state_limit = 400, .check_relations = check);
    struct portolan_result *result = NULL;
    struct portolan_error error = {0};
    if (portolan_search(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", reduction, error.message);
    bool whole = result->stop == PORTOLAN_COMPLETE;
    *states = result->statistics.states;
    *deadlocks = result->statistics.deadlocks;
    portolan_result_free(result);
    return whole;
}

enum { FIRST_OF_ENTITIES = 2 };
static const char *const reductions[] = {
    "stubborn", "lpor", "probe", "probe:strategy=independent", "probe:strategy=reversing-free", "probe:sleep", NULL};

/* Those that need no relations where the system has none. */
static void assert_reductions_agree(struct portolan_system *system, uint64_t states, uint64_t deadlocks,
                                    const char *text)
{
    for (int i = system->relations ? 0 : FIRST_OF_ENTITIES; reductions[i]; i++) {
        uint64_t left, found;
        search_all(system, reductions[i], false, &left, &found);
        if (found != deadlocks || left > states)
            fail_msg("%s: %llu deadlocks instead of %llu\n%s", reductions[i], (unsigned long long)found,
                     (unsigned long long)deadlocks, text);
    }
}

/* A walk through a grammar in its entities view: what is enabled in each graph on the way, and where it leads, is what
 * the grammar says, and is possible with the counts of the whole way. */
enum { MOST_ENTITIES = 4096, MOST_ACTIONS = 256, STEPS = 8 };

struct heap {
    uint32_t item[MOST_ACTIONS], count;
};

static bool gather(void *user, uint32_t number)
{
    struct heap *heap = user;
    assert_true(heap->count < MOST_ACTIONS);
    heap->item[heap->count++] = number;
    return true;
}

static bool holds(const struct heap *heap, uint32_t number)
{
    for (uint32_t i = 0; i < heap->count; i++)
        if (heap->item[i] == number)
            return true;
    return false;
}

/* Every action of the grammar is one of the view, and the other way round. */
static void assert_same_enabled(struct portolan_system *system, void *view, const uint32_t *count, struct heap *found)
{
    const struct portolan_entities *e = system->entities[0];
    struct heap real = {.count = 0}, of_view = {.count = 0};
    struct graph_state state;
    found->count = 0;
    assert_int_equal(e->state(view, count, &state), PORTOLAN_FIRED);
    assert_true(e->enabled(view, count, &(struct portolan_receiver){gather, found}));
    assert_true(system->find_enabled(system->model, &state, &(struct portolan_receiver){gather, &real}));
    for (uint32_t i = 0; i < found->count; i++) {
        gather(&of_view, e->action(view, found->item[i]));
        assert_true(holds(&real, of_view.item[i]));
    }
    for (uint32_t i = 0; i < real.count; i++)
        assert_true(holds(&of_view, real.item[i]));
}

static void assert_possible(struct portolan_system *system, void *view, const struct heap *enabled, const uint32_t *low,
                            const uint32_t *high)
{
    const struct portolan_entities *e = system->entities[0];
    for (uint32_t i = 0; i < enabled->count; i++) {
        uint32_t count;
        struct heap *possible = calloc(1, sizeof *possible);
        uint32_t entity = e->touches(view, enabled->item[i], &count)[0].entity;
        if (e->possible(view, entity, low, high, &(struct portolan_receiver){gather, possible}))
            assert_true(holds(possible, enabled->item[i]));
        else
            assert_true(e->gave_up(view));
        free(possible);
    }
}

/* The counts behind the action; the grammar leads to the same graph. */
static void step(struct portolan_system *system, void *view, uint32_t action, uint32_t *count)
{
    const struct portolan_entities *e = system->entities[0];
    struct graph_state before, after, expected;
    uint32_t touched;
    e->state(view, count, &before);
    const struct portolan_touch *touch = e->touches(view, action, &touched);
    for (uint32_t i = 0; i < touched; i++)
        count[touch[i].entity] += (uint32_t)touch[i].change;
    e->state(view, count, &after);
    assert_int_equal(system->fire(system->model, &before, e->action(view, action), &expected), PORTOLAN_FIRED);
    assert_int_equal(after.graph, expected.graph);
    assert_int_equal(after.control, expected.control);
}

static void walk(struct portolan_system *system, unsigned seed)
{
    const struct portolan_entities *e = system->entities[0];
    static uint32_t count[STEPS + 1][MOST_ENTITIES], low[MOST_ENTITIES], high[MOST_ENTITIES];
    struct heap enabled[STEPS + 1];
    unsigned steps = 0;
    void *view = e->open(system);
    memset(count, 0, sizeof count);
    memset(high, 0, sizeof high);
    e->initial(view, count[0]);
    assert_same_enabled(system, view, count[0], &enabled[0]);
    for (; steps < STEPS && enabled[steps].count && e->entities(view) < MOST_ENTITIES / 2; steps++) {
        memcpy(count[steps + 1], count[steps], sizeof *count);
        step(system, view, enabled[steps].item[(seed + 3 * steps) % enabled[steps].count], count[steps + 1]);
        assert_same_enabled(system, view, count[steps + 1], &enabled[steps + 1]);
    }
    memcpy(low, count[0], sizeof low);
    for (unsigned i = 0; i <= steps; i++)
        for (unsigned k = 0; k < MOST_ENTITIES; k++) {
            low[k] = count[i][k] < low[k] ? count[i][k] : low[k];
            high[k] = count[i][k] > high[k] ? count[i][k] : high[k];
        }
    for (unsigned i = 0; i <= steps; i++)
        assert_possible(system, view, &enabled[i], low, high);
    e->close(view);
}

/* The same for actions that are met during the search; how many grammars were compared is counted. */
static unsigned compared_on_the_fly;

static void compare_on_the_fly(struct portolan_system *full, uint64_t states, uint64_t deadlocks, const char *text)
{
    if (!full->entities)
        return;
    assert_reductions_agree(full, states, deadlocks, text);
    for (unsigned seed = 0; seed < 3; seed++)
        walk(full, seed);
    compared_on_the_fly++;
}

/* 1: compared; 0: too large, or refused. */
static int compare(const char *text)
{
    uint64_t states, deadlocks, ground_states, ground_deadlocks;
    struct portolan_system *full = full_system(text), *ground = NULL;
    struct portolan_error error = {0};
    bool small = search_all(full, "none", false, &states, &deadlocks);
    if (small)
        compare_on_the_fly(full, states, deadlocks, text);
    if (small && (ground = ground_system(text, &error))) {
        if (!search_all(ground, "none", true, &ground_states, &ground_deadlocks) || ground_states != states ||
            ground_deadlocks != deadlocks)
            fail_msg("%llu states instead of %llu, %llu deadlocks instead of %llu\n%s",
                     (unsigned long long)ground_states, (unsigned long long)states,
                     (unsigned long long)ground_deadlocks, (unsigned long long)deadlocks, text);
        assert_reductions_agree(ground, states, deadlocks, text);
    }
    bool compared = ground;
    portolan_system_free(full);
    portolan_system_free(ground);
    return compared;
}

/* ------------------------------------------------------------------ grammars one by one */

/* A buffer of three cells: what is put is a new node, named after the place where it is put. */
static const char buffer[] = "graph b { b: Buffer -first-> c1: Cell -next-> c2: Cell -next-> c3: Cell -next-> c1;\n"
                             "b -last-> c1 }\n"
                             "rule put { b: Buffer -last-> c: Cell -next-> d: Cell; not c -val-> o: Object;\n"
                             "- b -last-> c; + b -last-> d; + c -val-> o2: Object }\n"
                             "rule get { b: Buffer -first-> c: Cell -next-> d: Cell; c -val-> o: Object;\n"
                             "- b -first-> c; + b -first-> d; - o }\n";

static void test_created_nodes_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(compare(buffer), 1);
    uint64_t states, deadlocks;
    struct portolan_system *ground = ground_system(buffer, NULL);
    assert_int_equal(ground->actions, 6); /* one for each cell, to put and to get */
    assert_true(search_all(ground, "none", true, &states, &deadlocks));
    assert_int_equal(states, 12);
    portolan_system_free(ground);
}

/* Nothing bounds the nodes here. */
static void test_what_grows_for_ever_is_refused(void **state)
{
    (void)state;
    struct portolan_error error = {0};
    assert_null(ground_system("graph g { a: A } rule grow { a: A; + b: A <-next- a }", &error));
    assert_non_null(strstr(error.message, "infinitely many"));
    assert_null(ground_system("graph g { a: A -p-> b: A } rule r { a: A -{p+}-> b: A; - b }", &error));
    assert_non_null(strstr(error.message, "path expression"));
}

/* An edge that is created may be there; edges at a deleted node vanish with it, there or not. */
static void test_variants_of_an_application(void **state)
{
    (void)state;
    assert_int_equal(compare("graph g { a: A -p-> b: B -q-> c: C }\n"
                             "rule link { b: B; a: A; + a -q-> b } rule drop { b: B; - b }\n"
                             "rule cut { x -?-> b: B; - x -?-> b }\n"),
                     1);
    struct portolan_system *ground = ground_system("graph g { a: A -p-> b: B }\nrule add { a: A; b: B; + a -p-> b }\n"
                                                   "rule cut { a: A -p-> b: B; - a -p-> b }\n",
                                                   NULL);
    assert_int_equal(ground->actions, 3); /* add: it is there already, or it is not */
    portolan_system_free(ground);
}

/* Neither edge of the embargo alone forbids anything. */
static void test_an_embargo_of_two_edges(void **state)
{
    (void)state;
    static const char text[] = "graph g { a: A; b: B; c: C }\n"
                               "rule p { a: A; b: B; not a -p-> b; + a -p-> b }\n"
                               "rule q { b: B; c: C; not b -q-> c; + b -q-> c }\n"
                               "rule end { a: A; c: C; not a -p-> b: B -q-> c; not a[done]; + a[done] }\n";
    assert_int_equal(compare(text), 1);
    uint64_t states, deadlocks;
    struct portolan_system *ground = ground_system(text, NULL);
    assert_true(search_all(ground, "none", true, &states, &deadlocks));
    assert_int_equal(deadlocks, 2);
    portolan_system_free(ground);
}

/* drop(y) cannot happen in any state that has the edge, nor in one where mark has come first: only the search for
 * missed actions can find it, in a union of graphs in which the edge dangles. */
static void test_what_dangles_in_a_union_is_possible(void **state)
{
    (void)state;
    static const char text[] = "graph g { x: X -p-> y: Y; z: Z[g] }\n"
                               "rule cut { x: X -p-> y; - x -p-> y } rule mark { z: Z[g]; - z[g] }\n"
                               "rule drop dangling { z: Z[g]; - y: Y }\n";
    assert_int_equal(compare(text), 1);
    uint64_t states, deadlocks;
    struct portolan_system *full = full_system(text);
    assert_non_null(full->entities);
    assert_true(search_all(full, "probe:choice=shortest", false, &states, &deadlocks));
    assert_int_equal(deadlocks, 2);
    assert_true(states < 6);
    portolan_system_free(full);
}

static bool give_up(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                    const struct portolan_receiver *receiver)
{
    (void)view, (void)entity, (void)low, (void)high, (void)receiver;
    return false;
}

static bool has_given_up(const void *view)
{
    return view;
}

/* A view that cannot list what may have been missed: nothing is lost, since start states are expanded instead. */
static void test_a_view_that_gives_up_loses_nothing(void **state)
{
    (void)state;
    static const char text[] = "graph g { x: X -p-> y: Y; z: Z[g] }\n"
                               "rule cut { x: X -p-> y; - x -p-> y } rule mark { z: Z[g]; - z[g] }\n"
                               "rule drop dangling { z: Z[g]; - y: Y }\n";
    struct portolan_system *full = full_system(text);
    struct portolan_entities view = *full->entities[0];
    const struct portolan_entities *views[] = {&view, NULL};
    view.possible = give_up;
    view.gave_up = has_given_up;
    full->entities = views;
    static const char *const all[] = {"probe:choice=shortest", "probe:choice=shortest,persistent", "probe:sleep", NULL};
    for (int i = 0; all[i]; i++) {
        uint64_t states, deadlocks;
        assert_true(search_all(full, all[i], false, &states, &deadlocks));
        assert_int_equal(deadlocks, 2);
    }
    portolan_system_free(full);
}

/* Rules of every kind have a view where applications are met during the search.  Each of these grammars loses a
 * deadlock, or a state too many appears, when what the rule looks at is left out of its actions. */
static void test_every_kind_of_rule_has_a_view(void **state)
{
    (void)state;
    static const char *const grammars[] = {
        /* a universal level: what is marked later than `all` stays unmarked */
        "graph g { s: S; a: A; b: A }\n"
        "rule wake { a: A; not a[on]; + a[on] } rule all { s: S; not s[done]; + s[done]; forall { a: A[on]; + a[seen] "
        "} }\n",
        /* at least one match, and one that is chosen */
        "graph g { s: S; a: A; b: A } rule wake { a: A; not a[on]; + a[on] }\n"
        "rule some { s: S; not s[done]; + s[done]; forall nonempty { a: A[on]; exists { b: A; b != a; + b[seen] } } "
        "}\n",
        /* a path that another rule cuts, in what is found and in an embargo */
        "graph g { a: A -n-> b: B -n-> c: C } rule cut { x -n-> y; - x -n-> y }\n"
        "rule hop { a: A -{n+}-> c: C; not a[ok]; + a[ok] } rule lone { a: A; c: C; not a -{n+}-> c; not c[no]; + "
        "c[no] }\n",
        /* a lower priority gives way, wherever the other rule matches */
        "graph g { a: A; b: B; c: C } rule low { b: B; not b[x]; + b[x] } rule make { c: C; not c[go]; + c[go] }\n"
        "rule high priority 1 { a: A; c: C[go]; b: B; not b[x]; not a[y]; + a[y] }\n",
        /* merging takes edges along; a wildcard sees them */
        "graph g { a: A -p-> b: B; c: C -q-> d: D } rule merge { b: B; d: D; + b = d }\n"
        "rule cut { c: C -?-> x; - c -?-> x } rule link { a: A; c: C; not a -r-> c; + a -r-> c }\n",
        /* numbers, and how many matches there are */
        "graph g { a: A -v-> 0; b: B; c: B } rule up { a: A; - a -v-> n: int; where n < 2; + a -v-> (n + 1) }\n"
        "rule mark { b: B; not b[m]; + b[m] }\n"
        "rule count { a: A; not a[k]; + a[k]; forall count n: int { b: B[m] } + a -w-> n }\n",
        /* a node that can be deleted after it was marked, or since it was made: its edges go with it */
        "graph g { a [a]; b [b]; c [c] } rule arm { b [b]; not b [f]; + b [f] } rule drop { - b [f] }\n"
        "rule link { a [a]; b [b]; not a -l-> b; + a -l-> b } rule cut { a [a] -l-> b; - a -l-> b; not a [t]; + a [t] "
        "}\n",
        "graph g { a [a]; c [c] } rule make { c [c]; not c [m]; + c [m]; + n [n] <-e- c } rule drop { - n [n] }\n"
        "rule link { a [a]; n [n]; not a -l-> n; + a -l-> n } rule cut { a [a] -l-> n; - a -l-> n; not a [t]; + a [t] "
        "}\n",
        /* an embargo of two nodes that nothing connects to the rest */
        "graph g { a: A; b: B } rule pair { b: B; not { x: X -e-> y: Y }; not b[p]; + b[p] }\n"
        "rule born { a: A; not a[z]; + a[z]; + x: X -e-> y: Y }\n"};
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        uint64_t states, deadlocks;
        struct portolan_system *full = full_system(grammars[i]);
        assert_non_null(full->entities);
        assert_true(search_all(full, "none", false, &states, &deadlocks));
        compare_on_the_fly(full, states, deadlocks, grammars[i]);
        portolan_system_free(full);
    }
}

/* The control state is an entity, and what the program asks of a graph belongs to the step.  Ends count as deadlocks.
 */
static void test_control_programs_have_a_view(void **state)
{
    (void)state;
    static const char *const grammars[] = {
        /* steps of a loop commute, the one behind it comes when none of them can */
        "graph g { a: A; b: A; s: S } rule mark { x: A; not x[m]; + x[m] } rule more { x: A[m]; not x[k]; + x[k] }\n"
        "rule end { s: S; not s[d]; + s[d] } control { alap { choice mark; or more; } end; }\n",
        /* one thing or, only where that is nowhere possible, the other */
        "graph g { a: A[m]; b: A; c: C } rule take { x: A[m]; - x[m] } rule give { x: A; not x[m]; + x[m] }\n"
        "rule see { c: C; not c[s]; + c[s] }\n"
        "control { alap { choice { try take; else see; } or { give; } } }\n",
        /* the same application leads to two places in the program */
        "graph g { a: A; b: B } rule mark { x: A; not x[m]; + x[m] } rule b { y: B; not y[b]; + y[b] }\n"
        "rule c { y: B; not y[c]; + y[c] } control { choice { mark; b; } or { mark; c; } }\n",
        /* a recipe sees what its own steps have changed */
        "graph g { a: A; b: A; z: Z } rule mark { x: A; not x[m]; + x[m] } rule tie { x: A[m]; z: Z; not z -e-> x; + z "
        "-e-> x } rule cut { z: Z -e-> x: A; - z -e-> x; - x[m] }\n"
        "control { recipe both() { mark; tie; } alap { choice both; or cut; } }\n",
        /* a block that can be begun only where it can be finished */
        "graph g { a: A; b: A; z: Z[go] } rule mark { x: A; not x[m]; + x[m] } rule off { z: Z[go]; - z[go] }\n"
        "rule use { z: Z[go]; x: A[m]; not x[u]; + x[u] } rule no { z: Z; not z[n]; + z[n] }\n"
        "control { alap { choice { try < mark; use; > else no; } or { off; } } }\n",
        /* a variable has a node, which another step may delete */
        "graph g { a: A; b: A; z: Z } rule pick(out x) { x: A; not x[m]; + x[m] } rule drop { x: A; - x }\n"
        "rule use(x) { x: A; not x[u]; + x[u] }\n"
        "control { node n; pick(out n); choice { drop; use(n); } or { use(n); drop; } alap { choice drop; or use(n); } "
        "}\n",
        /* what a later step of a recipe reads, another step takes away */
        "graph g { a: A; b: A; z: Z[go] } rule mark { x: A; not x[m]; + x[m] } rule off { z: Z[go]; - z[go] }\n"
        "rule use { z: Z[go]; x: A[m]; not x[u]; + x[u] }\n"
        "control { recipe both() { mark; use; } alap { choice both; or off; } }\n",
        /* whether a rule is possible at the node of a variable, which may be deleted, and is asked from there */
        "graph g { a: A -e-> b: B; c: A -e-> d: B; z: Z } rule pick(out y) { x: A -e-> y: B; z: Z; not z[p]; + z[p] }\n"
        "rule use(y) { x -e-> y; - x -e-> y } rule drop { y: B; - y } rule see { z: Z; not z[s]; + z[s] }\n"
        "control { node n; pick(out n); alap { choice { try use(n); else see; } or { drop; } } }\n",
        /* the same of a node alone */
        "graph g { a: A; z: Z } rule pick(out x) { x: A; not x[p]; + x[p] } rule drop { x: A; - x }\n"
        "rule is(x) { x } rule see { z: Z; not z[s]; + z[s] }\n"
        "control { node n; pick(out n); alap { choice { try { is(n); } else see; } or { drop; } } }\n",
        /* a rule that only asks is a step of the program */
        "graph g { a: A; b: A; z: Z } rule mark { x: A; not x[m]; + x[m] }\n"
        "rule is { x: A[m] } control { alap mark; is; if (is) mark; }\n"};
    for (size_t i = 0; i < sizeof grammars / sizeof *grammars; i++) {
        uint64_t states, deadlocks;
        struct portolan_system *full = full_system(grammars[i]);
        assert_non_null(full->entities);
        full->is_final = NULL;
        assert_true(search_all(full, "none", false, &states, &deadlocks));
        compare_on_the_fly(full, states, deadlocks, grammars[i]);
        portolan_system_free(full);
    }
}

/* A step whose number is too large is an error, whichever way it is met. */
static void test_failing_arithmetic_is_an_error(void **state)
{
    (void)state;
    static const char text[] =
        "graph g { a: A -v-> 2147483646; b: B }\n"
        "rule up { a: A; - a -v-> n: int; + a -v-> (n + 1) } rule mark { b: B; not b[m]; + b[m] }\n";
    static const char *const all[] = {"none", "probe", "probe:persistent", NULL};
    struct portolan_system *full = full_system(text);
    for (int i = 0; all[i]; i++) {
        struct portolan_options options = PORTOLAN_OPTIONS(.reduction = all[i]);
        struct portolan_result *result = NULL;
        assert_int_equal(portolan_search(full, &options, &result, NULL), PORTOLAN_OVERFLOW);
        portolan_result_free(result);
    }
    portolan_system_free(full);
}

/* ------------------------------------------------------------------ properties */

static void assert_verdict(struct portolan_system *system, enum portolan_kind kind, const char *text,
                           const char *reduction, enum portolan_verdict verdict)
{
    struct portolan_property *property = NULL;
    struct portolan_error error = {0};
    if (portolan_property_new(system, kind, text, &property, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", text, error.message);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options =
        PORTOLAN_OPTIONS(.reduction = reduction, .properties = properties, .property_count = 1);
    struct portolan_result *result = NULL;
    if (portolan_search(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s, %s: %s", text, reduction, error.message);
    assert_int_equal(result->answers[0].verdict, verdict);
    portolan_result_free(result);
    portolan_property_free(property);
}

/* The same words, whether applications are listed or not. */
static void test_properties(void **state)
{
    (void)state;
    static const char text[] = "graph g { a: A; b: B } rule make { a: A; not a[f]; + a[f] }\n"
                               "rule leave { a: A[f]; b: B; - b } rule both { a: A[f]; b: B }\n";
    struct portolan_system *ground = ground_system(text, NULL), *full = full_system(text);
    static const char *const all[] = {"none", "none", "stubborn", "lpor", "probe", NULL};
    assert_int_equal(ground->actions, 2); /* a rule that only looks does nothing */
    for (int i = 0; all[i]; i++) {
        struct portolan_system *system = i == 0 ? full : ground;
        assert_verdict(system, PORTOLAN_INVARIANT, "\"edges(f)\" <= 1 && nodes >= 1", all[i], PORTOLAN_HOLDS);
        assert_verdict(system, PORTOLAN_INVARIANT, "nodes = 2", all[i], PORTOLAN_VIOLATED);
        assert_verdict(system, PORTOLAN_REACH, "\"applies(both)\"", all[i], PORTOLAN_HOLDS);
        assert_verdict(system, PORTOLAN_REACH, "\"applies(make)\" && \"applies(both)\"", all[i], PORTOLAN_VIOLATED);
        const char *reduction = i == 0 ? "none" : "stubborn";
        assert_verdict(system, PORTOLAN_LTL, "F \"applies(leave)\"", reduction, PORTOLAN_HOLDS);
        assert_verdict(system, PORTOLAN_LTL, "G F \"applies(leave)\"", reduction, PORTOLAN_VIOLATED);
    }
    portolan_system_free(ground);
    portolan_system_free(full);
}

/* What has a higher priority goes first, and here the other never; that it could be matched is another question. */
static void test_priorities(void **state)
{
    (void)state;
    static const char text[] = "graph g { a: A; b: A } rule go { a: A; not a[f]; not a[g]; + a[g] }\n"
                               "rule mark priority 1 { a: A; not a[f]; + a[f] }";
    assert_int_equal(compare(text), 1);
    uint64_t states, deadlocks;
    struct portolan_system *ground = ground_system(text, NULL);
    assert_true(search_all(ground, "none", true, &states, &deadlocks));
    assert_int_equal(states, 4);
    assert_verdict(ground, PORTOLAN_REACH, "\"applies(go)\"", "stubborn", PORTOLAN_HOLDS);
    assert_verdict(ground, PORTOLAN_REACH, "\"edges(g)\" > 0", "stubborn", PORTOLAN_VIOLATED);
    portolan_system_free(ground);
}

/* ------------------------------------------------------------------ random grammars */

struct writer {
    char text[4096];
    size_t used;
    uint64_t random;
};

static unsigned draw(struct writer *w, unsigned below)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(w->random >> 33) % below;
}

static void put(struct writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, arguments);
    va_end(arguments);
}

static char label(struct writer *w)
{
    return "pq"[draw(w, 2)];
}

static void put_rule(struct writer *w, unsigned number)
{
    bool two = draw(w, 3), deletes = two && !draw(w, 4);
    char found = label(w);
    put(w, "rule r%u%s%s%s { x: N;", number, draw(w, 6) ? "" : " priority 1", draw(w, 4) ? "" : " injective",
        deletes && draw(w, 2) ? " dangling" : "");
    if (two)
        put(w, draw(w, 3) ? " x -%c-> y: N;" : " y: N;", found);
    if (draw(w, 2))
        put(w, " x[f];%s", draw(w, 2) ? " - x[f];" : "");
    if (two && draw(w, 2))
        put(w, " x -%c-> y; - x -%c-> y;", found, found);
    if (deletes)
        put(w, " - y;");
    switch (draw(w, 6)) {
    case 0: put(w, " not x -%c-> z: N;", label(w)); break;
    case 1: put(w, " not x -%c-> z: N -%c-> x;", label(w), label(w)); break;
    case 2: put(w, two ? " not x -%c-> y;" : " not x -%c-> x;", label(w)); break;
    case 3: put(w, " not z: N[g];"); break;
    default: break;
    }
    if (deletes || draw(w, 2)) /* so that most rules do something: one that only looks is no action */
        put(w, " + x[%c];", "fg"[draw(w, 2)]);
    else
        put(w, " + x -%c-> x;", label(w));
    if (two && !deletes && draw(w, 2))
        put(w, " + y -%c-> x;", label(w));
    if (!draw(w, 5))
        put(w, " + x -%c-> n: N;", label(w));
    put(w, " }\n");
}

static void put_grammar(struct writer *w)
{
    put(w, "graph g { a: N[f]; b: N; c: N;");
    for (unsigned i = draw(w, 4); i > 0; i--)
        put(w, " %c -%c-> %c;", "abc"[draw(w, 3)], label(w), "abc"[draw(w, 3)]);
    put(w, " }\n");
    for (unsigned i = 0, rules = 2 + draw(w, 2); i < rules; i++)
        put_rule(w, i);
}

static void test_random_grammars(void **state)
{
    (void)state;
    int compared = 0;
    for (unsigned seed = 1; seed <= SOME(150); seed++) {
        struct writer w = {.random = seed * UINT64_C(2654435761)};
        put_grammar(&w);
        compared += compare(w.text);
    }
    assert_true(compared > SOME(40));
    assert_true(compared_on_the_fly > SOME(40));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_created_nodes_are_bounded),
                                       cmocka_unit_test(test_what_grows_for_ever_is_refused),
                                       cmocka_unit_test(test_variants_of_an_application),
                                       cmocka_unit_test(test_an_embargo_of_two_edges),
                                       cmocka_unit_test(test_what_dangles_in_a_union_is_possible),
                                       cmocka_unit_test(test_a_view_that_gives_up_loses_nothing),
                                       cmocka_unit_test(test_every_kind_of_rule_has_a_view),
                                       cmocka_unit_test(test_control_programs_have_a_view),
                                       cmocka_unit_test(test_failing_arithmetic_is_an_error),
                                       cmocka_unit_test(test_properties),
                                       cmocka_unit_test(test_priorities),
                                       cmocka_unit_test(test_random_grammars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
