/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe sets: the worked examples of the two documents step by step, the
 * systems on which their printed rules lose a deadlock, the views.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/petri/generate/generate.h"
#include "front/petri/system.h"
#include "random_entities.h"
#include "search/search_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRATEGIES = 4 };
static const char *const strategies[STRATEGIES] = {"all-but-one", "independent", "reversing-free",
                                                   "reversing-free-strict"};
static const char *const own_provisos[] = {"nodup", "age"};

/* ---------------------------------------------------------------- running searches */

struct lines {
    char text[4096];
};

/* Keeps a line with single spaces. */
static void keep_line(void *user, const char *line)
{
    char *text = ((struct lines *)user)->text, *end = text + strlen(text);
    for (; *line; line++)
        if (*line != ' ' || (end > text && end[-1] != ' ' && end[-1] != '\n'))
            *end++ = *line;
    while (end > text && end[-1] == ' ')
        end--;
    *end++ = '\n';
    *end = '\0';
}

struct found {
    bool deadlock[ENTITY_DRAFT_STATES];
};

static void keep_deadlock(void *user, uint32_t state, const void *bytes)
{
    (void)state;
    ((struct found *)user)->deadlock[*(const uint64_t *)bytes] = true;
}

static struct found deadlocks_of(const struct entity_draft *draft, const char *reduction, const char *proviso,
                                 const char *search, struct lines *lines)
{
    struct found found = {0};
    struct portolan_result result;
    struct portolan_system *system = entity_draft_system(draft);
    struct portolan_options options = {
        .reduction = reduction,
        .proviso = proviso,
        .search = search,
        .time_limit = 20, /* instead of forever */
        .callbacks = {
            .user = &found, .deadlock = keep_deadlock, .explain = lines ? keep_line : NULL, .explain_user = lines}};
    assert_non_null(system);
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_COMPLETE);
    result_clear(&result);
    portolan_system_free(system);
    return found;
}

/* ------------------------------------------------------------- worked examples */

#define E(number) ((uint16_t)(1 << (number)))

/* Figure 1 of Kastenberg & Rensink.  Their table (9) has the forbidden entities of x2 and x0 (and of y2 and y0) the
 * wrong way round: x + y < 3 means that x2 forbids y > 1 and x0 forbids y > 0; as printed, y1 would disable x2, and row
 * 2 of figure 4 would not be a probe set. */
static const struct entity_draft running_example = {.entities = 4, /* x > 0, x > 1, y > 0, y > 1 */
                                                    .actions = 6,  /* x1 x2 x0 y1 y2 y0 */
                                                    .reads = {0, E(0), 0, 0, E(2), 0},
                                                    .forbids = {0, E(3), E(2), 0, E(1), E(0)},
                                                    .deletes = {0, 0, E(0) | E(1), 0, 0, E(2) | E(3)},
                                                    .creates = {E(0), E(1), 0, E(2), E(3), 0}};

/* The eight rows of figure 4, in their order.  It lists a missed action with the vector along which it is missed, we
 * with the step that leads there; it drops row 4 because the state is known, we find there that the next vector is. */
static void test_figure_4(void **state)
{
    (void)state;
    struct lines lines = {0};
    deadlocks_of(&running_example, "probe:choice=shortest", "nodup", "bfs", &lines);
    assert_string_equal(lines.text, "vector probe set leads to missed new states\n"
                                    "1 (s0, ε) a0 ↦ ε (s0, a0) s0 s1\n"
                                    "2 (s0, a0) a1 ↦ ε (s0, a0·a1) s2\n"
                                    "3 (s0, a0·a1) a2 ↦ a0·a1 (s2, a2)\n"
                                    "a3 ↦ ε (s0, a0·a3·a1) a3·a4 to (s4, ε) s3 s5 s4\n"
                                    "4 (s2, a2) a0 ↦ a2 known: (s0, a0)\n"
                                    "5 (s0, a0·a3·a1) deadlock\n"
                                    "6 (s4, ε) a0 ↦ ε (s4, a0) s6\n"
                                    "a5 ↦ ε (s4, a5)\n"
                                    "7 (s4, a0) deadlock\n"
                                    "8 (s4, a5) a0 ↦ a5 known: (s0, a0)\n");
}

/* Figure 2.3 of the thesis: entities fork 1, fork 2, and for each philosopher idle, left, both, right. */
static const struct entity_draft philosophers = {
    .entities = 10,
    .actions = 8, /* glf1 grf1 plf1 prf1 glf2 grf2 plf2 prf2 */
    .initial = E(0) | E(1) | E(2) | E(6),
    .deletes = {E(2) | E(0), E(3) | E(1), E(4), E(5), E(6) | E(1), E(7) | E(0), E(8), E(9)},
    .creates = {E(3), E(4), E(5) | E(0), E(2) | E(1), E(7), E(8), E(9) | E(1), E(6) | E(0)}};

/* Table 2.2 with the missed action of section 2.3.6.  Rows 1 to 5 of the table are rows 1, 2, 6, 7 and 8 here, since
 * the vector of the missed action (rows 3 to 5) is taken first.  In the table's row 6, glf1 keeps prf1; we discharge
 * it: glf2, which is passed over, depends on it as well.  So its row 7 is our known vector (s0, glf1). */
static void test_table_2_2(void **state)
{
    (void)state;
    struct lines lines = {0};
    deadlocks_of(&philosophers, "probe:choice=shortest", "nodup", "dfs", &lines);
    assert_string_equal(lines.text, "vector probe set leads to missed new states\n"
                                    "1 (s0, ε) a0 ↦ ε (s0, a0) s0 s1\n"
                                    "2 (s0, a0) a1 ↦ a0 (s1, a1) s2\n"
                                    "a4 ↦ ε (s0, a0·a4) a4·a5 to (s4, ε) s3 s5 s4\n"
                                    "3 (s4, ε) a6 ↦ ε (s4, a6) s6\n"
                                    "4 (s4, a6) a7 ↦ a6 (s6, a7)\n"
                                    "5 (s6, a7) a0 ↦ a7 known: (s0, a0)\n"
                                    "6 (s0, a0·a4) deadlock\n"
                                    "7 (s1, a1) a2 ↦ a1 (s2, a2) s7\n"
                                    "8 (s2, a2) a3 ↦ a2 (s7, a3)\n"
                                    "9 (s7, a3) a0 ↦ a3 known: (s0, a0)\n");
}

/* ------------------------------------------------------------- printed rules */

/* Every strategy and proviso finds all deadlocks. */
static void expect_sound(const struct entity_draft *draft)
{
    struct entity_truth truth;
    entity_draft_explore(draft, &truth);
    for (size_t s = 0; s < STRATEGIES; s++)
        for (size_t p = 0; p < 2; p++) {
            char reduction[64];
            snprintf(reduction, sizeof reduction, "probe:strategy=%s,choice=shortest", strategies[s]);
            struct found found = deadlocks_of(draft, reduction, own_provisos[p], "dfs", NULL);
            assert_memory_equal(found.deadlock, truth.deadlock, sizeof found.deadlock);
        }
}

/* With the printed rule, this deadlock is lost by every strategy. */
static void expect_lost(const struct entity_draft *draft, const char *printed, uint16_t lost)
{
    struct entity_truth truth;
    entity_draft_explore(draft, &truth);
    assert_true(truth.deadlock[lost]);
    for (size_t s = 0; s < STRATEGIES; s++) {
        char reduction[96];
        snprintf(reduction, sizeof reduction, "probe:strategy=%s,choice=shortest,%s", strategies[s], printed);
        assert_false(deadlocks_of(draft, reduction, "nodup", "dfs", NULL).deadlock[lost]);
    }
}

/* The prime cause of a missed action need not enable it: that of a2 behind a0 a1 is a0 a1, but a0 disables a2, which is
 * enabled behind a1 alone. */
static void test_proposition_19(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 6,
                                       .actions = 3,
                                       .initial = E(0) | E(2) | E(4) | E(5),
                                       .reads = {0, E(2), 0},
                                       .deletes = {E(0) | E(5), 0, E(0) | E(1) | E(2) | E(4)},
                                       .creates = {0, E(1), 0}};
    expect_sound(&draft);
    expect_lost(&draft, "printed-missed", E(5));
}

/* A missed action need not be disabled at the end of the trace: behind a0 a2, a1 is enabled.  But it is enabled behind
 * a2 already, and there it prevents a0. */
static void test_definition_13(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 3,
                                       .actions = 3,
                                       .initial = E(0) | E(1) | E(2),
                                       .reads = {E(0), 0, 0},
                                       .forbids = {0, E(2), 0},
                                       .deletes = {E(1), E(0), E(2)}};
    expect_sound(&draft);
    expect_lost(&draft, "printed-disabled", E(1));
    expect_lost(&draft, "printed-missed", E(1));
}

/* Algorithm 2, line 6: a known state is not explored again, though the trace that leads there may miss other actions.
 */
static void test_pruning_on_states(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 4,
                                       .actions = 5,
                                       .initial = E(2),
                                       .forbids = {0, E(2) | E(3), 0, 0, 0},
                                       .deletes = {0, E(1), 0, E(2), E(2)},
                                       .creates = {E(1), 0, E(0) | E(2), E(1) | E(3), E(1)}};
    struct entity_truth truth;
    entity_draft_explore(&draft, &truth);
    expect_sound(&draft);
    for (uint32_t lost = 0; lost < ENTITY_DRAFT_STATES; lost++)
        if (truth.deadlock[lost] &&
            !deadlocks_of(&draft, "probe:choice=shortest,printed-keys", "nodup", "dfs", NULL).deadlock[lost]) {
            expect_lost(&draft, "printed-keys", (uint16_t)lost);
            return;
        }
    fail_msg("nothing is lost");
}

/* Thesis, section 4.2.2: what is forbidden makes no dependency. */
static void test_forbidden_entities(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 2, .actions = 2, .forbids = {0, E(0)}, .creates = {E(0), E(1)}};
    expect_sound(&draft);
    struct entity_truth truth;
    entity_draft_explore(&draft, &truth);
    assert_true(truth.deadlock[E(0)] && truth.deadlock[E(0) | E(1)]);
    expect_lost(&draft, "printed-inhibitors", E(0) | E(1));
}

/* --------------------------------------------------- what a random search found */

/* As expect_sound, with sleep sets and many choices of probe sets besides: each of the systems below needs one of its
 * own. */
static void expect_sound_with_all_choices(const struct entity_draft *draft)
{
    static const char *const searches[] = {"dfs", "bfs"};
    struct entity_truth truth;
    entity_draft_explore(draft, &truth);
    for (int i = 0; i < 4 * 2 * 2 * 2 * 10; i++) {
        char reduction[96];
        snprintf(reduction, sizeof reduction, "probe:strategy=%s,choice=random:%d%s", strategies[i % 4], i / 32,
                 i / 16 % 2 ? ",sleep" : "");
        struct found found = deadlocks_of(draft, reduction, own_provisos[i / 4 % 2], searches[i / 8 % 2], NULL);
        assert_memory_equal(found.deadlock, truth.deadlock, sizeof found.deadlock);
    }
}

static void note_loop(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    (void)to;
    *(bool *)user |= from == 0 && action == 1;
}

/* Does the search explore the second action in the initial state?  The first can be seen. */
static bool explores_loop(const struct entity_draft *draft, const char *reduction)
{
    bool explored = false;
    struct portolan_property *property;
    struct portolan_result result;
    struct portolan_system *system = entity_draft_system(draft);
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, "e0 = 1 && e1 = 1", &property, NULL), PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {.reduction = reduction,
                                       .properties = properties,
                                       .property_count = 1,
                                       .callbacks = {.user = &explored, .edge = note_loop}};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
    return explored;
}

/* examples/entities/put-off.ent: a0 is seen, a1 and a2 go round and round.  The run that never takes a0 is not
 * explored, so "in the end e1" would hold of all that is. */
static void test_runs_are_not_kept(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 6,
                                       .actions = 3,
                                       .initial = E(0) | E(2) | E(4) | E(5),
                                       .reads = {0, E(4) | E(5), E(4) | E(5)},
                                       .deletes = {E(0), E(2), E(3)},
                                       .creates = {E(1), E(3), E(2)}};
    assert_true(explores_loop(&draft, "none"));
    for (size_t s = 0; s < STRATEGIES; s++) {
        char reduction[64];
        snprintf(reduction, sizeof reduction, "probe:strategy=%s", strategies[s]);
        assert_false(explores_loop(&draft, reduction));
    }
}

/* examples/entities/bind.ent: e0 is free, e2 e3 the loop. */
struct finishes {
    uint16_t state[64]; /* by number */
    bool explored[64];  /* a3, there */
};

static void note_state(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    (void)enabled;
    (void)fully;
    ((struct finishes *)user)->state[state] = (uint16_t) * (const uint64_t *)bytes;
}

static void note_finish(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    (void)to;
    ((struct finishes *)user)->explored[from] |= action == 3;
}

/* Is a3, which can be seen like a4, explored where the loop a1 a2 can go on? */
static bool finishes_while_free(const struct entity_draft *draft, const char *reduction)
{
    struct finishes finishes = {0};
    bool free = false;
    struct portolan_property *property;
    struct portolan_result result;
    struct portolan_system *system = entity_draft_system(draft);
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, "e5 = 1 && e4 = 1 && e7 = 1", &property, NULL),
                     PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {.reduction = reduction,
                                       .properties = properties,
                                       .property_count = 1,
                                       .callbacks = {.user = &finishes, .expanded = note_state, .edge = note_finish}};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    for (size_t i = 0; i < 64; i++)
        free |= finishes.explored[i] && finishes.state[i] & E(0);
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
    return free;
}

/* The run a3 (a1 a2)^w is put off from start to start: a0, which cannot be seen, comes first, and a2 is missed. */
static void test_runs_are_not_kept_by_invisible_keepers(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 8,
                                       .actions = 5,
                                       .initial = E(0) | E(2) | E(4) | E(6),
                                       .reads = {0, 0, E(0), 0, E(1) | E(5)},
                                       .deletes = {E(0), E(2), E(3), E(4), E(6)},
                                       .creates = {E(1), E(3), E(2), E(5), E(7)}};
    assert_true(finishes_while_free(&draft, "none"));
    assert_false(finishes_while_free(&draft, "probe"));
    assert_false(finishes_while_free(&draft, "probe:strategy=independent"));
}

/* Missed actions must be looked for also at a step that leads to a known vector: its trace may have ended with another
 * event before. */
static void test_missed_at_known_vectors(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 7,
                                       .actions = 5,
                                       .initial = E(0) | E(2) | E(4) | E(6),
                                       .reads = {E(0), 0, 0, E(4), 0},
                                       .deletes = {E(2), E(4), E(0), 0, E(6)},
                                       .creates = {0, 0, E(6), E(1), E(1)}};
    expect_sound_with_all_choices(&draft);
}

/* The keeper of a probe set must be followed even when it sleeps: others rely on it. */
static void test_keeper_does_not_sleep(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 6,
                                       .actions = 6,
                                       .initial = E(3) | E(5),
                                       .reads = {0, 0, 0, 0, E(3), 0},
                                       .forbids = {0, E(0), 0, 0, 0, 0},
                                       .deletes = {E(5), 0, 0, E(1) | E(5), 0, E(0) | E(3)},
                                       .creates = {E(0), E(1), E(1), 0, E(0), 0}};
    expect_sound_with_all_choices(&draft);
}

/* A vector that is reached again with fewer actions asleep must be explored again. */
static void test_vectors_wake_up(void **state)
{
    (void)state;
    const struct entity_draft draft = {.entities = 10,
                                       .actions = 7,
                                       .initial = E(0) | E(7),
                                       .reads = {0, 0, E(0), 0, E(6), 0, 0},
                                       .forbids = {0, E(0), 0, 0, 0, 0, 0},
                                       .deletes = {0, E(9), E(8), E(6), E(0), E(7), E(0) | E(7)},
                                       .creates = {E(0) | E(6), E(7), 0, E(5), 0, E(0) | E(8), E(9)}};
    expect_sound_with_all_choices(&draft);
}

/* ------------------------------------------------------------------------ nets */

static struct portolan_statistics explored(struct net *net, const char *reduction, const char *proviso)
{
    struct portolan_system *system;
    struct portolan_options options = {.reduction = reduction, .proviso = proviso};
    struct portolan_result result;
    assert_int_equal(net_system_new(net, &system, NULL), PORTOLAN_OK);
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_COMPLETE);
    struct portolan_statistics statistics = result.statistics;
    result_clear(&result);
    portolan_system_free(system);
    return statistics;
}

/* A producer into a place that inhibits another transition: both orders count. */
static struct net *inhibited_net(void)
{
    struct net_builder *b = net_builder_new("inhibited");
    uint32_t source = net_builder_place(b, "source", NULL, 1), buffer = net_builder_place(b, "buffer", NULL, 0);
    uint32_t ready = net_builder_place(b, "ready", NULL, 1), produce = net_builder_transition(b, "produce", NULL);
    uint32_t run = net_builder_transition(b, "run", NULL);
    net_builder_arc(b, NET_CONSUME, source, produce, 1);
    net_builder_arc(b, NET_PRODUCE, buffer, produce, 1);
    net_builder_arc(b, NET_CONSUME, ready, run, 1);
    net_builder_arc(b, NET_INHIBIT, buffer, run, 1);
    return net_builder_finish(b, NULL);
}

static void test_inhibitor_arcs(void **state)
{
    (void)state;
    assert_int_equal(explored(inhibited_net(), "probe:tokens=explicit", "nodup").deadlocks, 2);
    assert_int_equal(explored(inhibited_net(), "probe:tokens=symbolic", "nodup").deadlocks, 2);
    assert_int_equal(explored(inhibited_net(), "probe:tokens=identity", "nodup").deadlocks, 2);
    assert_int_equal(explored(inhibited_net(), "probe:tokens=explicit,printed-inhibitors", "nodup").deadlocks, 1);
    assert_int_equal(explored(inhibited_net(), "probe:tokens=symbolic,printed-inhibitors", "nodup").deadlocks, 1);
    assert_int_equal(explored(inhibited_net(), "probe:tokens=identity,printed-inhibitors", "nodup").deadlocks, 1);
}

/* Two tokens in a pool: drop takes one, mark takes one and marks, finish takes one and the mark. */
static struct net *two_tokens_net(void)
{
    struct net_builder *b = net_builder_new("two-tokens");
    uint32_t pool = net_builder_place(b, "pool", NULL, 2), marked = net_builder_place(b, "marked", NULL, 0);
    uint32_t drop = net_builder_transition(b, "drop", NULL), mark = net_builder_transition(b, "mark", NULL);
    uint32_t finish = net_builder_transition(b, "finish", NULL);
    net_builder_arc(b, NET_CONSUME, pool, drop, 1);
    net_builder_arc(b, NET_CONSUME, pool, mark, 1);
    net_builder_arc(b, NET_PRODUCE, marked, mark, 1);
    net_builder_arc(b, NET_CONSUME, pool, finish, 1);
    net_builder_arc(b, NET_CONSUME, marked, finish, 1);
    return net_builder_finish(b, NULL);
}

/* Thesis, definition 47: drop and mark do not disable each other while there are two tokens; yet the order counts. */
static void test_local_dependency(void **state)
{
    (void)state;
    for (size_t s = 0; s < STRATEGIES; s++) {
        char reduction[96];
        snprintf(reduction, sizeof reduction, "probe:strategy=%s", strategies[s]);
        assert_int_equal(explored(two_tokens_net(), reduction, "nodup").deadlocks, 3);
        strcat(reduction, ",printed-local");
        assert_true(explored(two_tokens_net(), reduction, "nodup").deadlocks < 3);
    }
}

/* A new token has the lowest free name, so which one depends on what was taken before: the order of a taker and a
 * maker counts, and the tokens that make a name the lowest belong to the action. */
static struct net *refilled_net(void)
{
    struct net_builder *b = net_builder_new("refilled");
    uint32_t pool = net_builder_place(b, "pool", NULL, 2), spare = net_builder_place(b, "spare", NULL, 2);
    uint32_t gone = net_builder_place(b, "gone", NULL, 0), take = net_builder_transition(b, "take", NULL);
    uint32_t make = net_builder_transition(b, "make", NULL), pair = net_builder_transition(b, "pair", NULL);
    net_builder_arc(b, NET_CONSUME, pool, take, 1);
    net_builder_arc(b, NET_PRODUCE, gone, take, 1);
    net_builder_arc(b, NET_CONSUME, spare, make, 1);
    net_builder_arc(b, NET_PRODUCE, pool, make, 1);
    net_builder_arc(b, NET_CONSUME, pool, pair, 3);
    net_builder_arc(b, NET_READ, gone, pair, 1);
    return net_builder_finish(b, NULL);
}

static void test_names_of_new_tokens(void **state)
{
    (void)state;
    struct portolan_statistics full = explored(refilled_net(), "none", "none");
    for (size_t s = 0; s < STRATEGIES; s++)
        for (size_t p = 0; p < 2; p++) {
            char reduction[96];
            snprintf(reduction, sizeof reduction, "probe:strategy=%s,tokens=identity,persistent", strategies[s]);
            struct portolan_statistics found = explored(refilled_net(), reduction, own_provisos[p]);
            assert_int_equal(found.deadlocks, full.deadlocks);
            assert_in_range(found.states, 1, full.states);
        }
}

static struct net *family(const char *name, long parameter)
{
    struct net *net = NULL;
    assert_int_equal(generate_net(name, &parameter, 1, &net, NULL), PORTOLAN_OK);
    return net;
}

/* Threads that meet nobody take one step after the other: 5 steps each in the file system, 12 in the indexer. */
static void test_threads_that_meet_nobody(void **state)
{
    (void)state;
    static const char *const reductions[] = {"probe", "probe:strategy=independent", "probe:tokens=explicit"};
    for (size_t r = 0; r < 3; r++)
        for (size_t p = 0; p < 2; p++) {
            struct portolan_statistics files = explored(family("filesystem", 13), reductions[r], own_provisos[p]);
            struct portolan_statistics index = explored(family("indexer", 11), reductions[r], own_provisos[p]);
            assert_int_equal(files.states, 13 * 5 + 1);
            assert_int_equal(files.vectors, 13 * 5 + 1);
            assert_int_equal(files.missed, 0);
            assert_int_equal(index.states, 11 * 12 + 1);
        }
}

/* The largest file system of the thesis, which has 55,060 nodes there. */
static void test_threads_that_collide(void **state)
{
    (void)state;
    struct portolan_statistics statistics = explored(family("filesystem", 16), "probe", "nodup");
    assert_int_equal(statistics.deadlocks, 1);
    assert_true(statistics.states < 1000);
}

/* Cycles that have nothing to do with each other, and cycles in all processes: ages and vectors stay finite. */
static void test_termination(void **state)
{
    (void)state;
    const struct entity_draft two_cycles = {.entities = 4,
                                            .actions = 4,
                                            .initial = E(0) | E(2),
                                            .deletes = {E(0), E(1), E(2), E(3)},
                                            .creates = {E(1), E(0), E(3), E(2)}};
    expect_sound(&two_cycles);
    for (size_t s = 0; s < STRATEGIES; s++)
        for (size_t p = 0; p < 2; p++) {
            char reduction[64];
            snprintf(reduction, sizeof reduction, "probe:strategy=%s", strategies[s]);
            assert_int_equal(explored(family("philosophers", 3), reduction, own_provisos[p]).deadlocks, 1);
            assert_int_equal(explored(family("szymanski", 2), reduction, own_provisos[p]).deadlocks, 0);
        }
}

/* --------------------------------------------------------------------- refusals */

static enum portolan_status status_of(const char *reduction, const char *proviso, bool chains, bool with_view)
{
    struct portolan_system *system = entity_draft_system(&philosophers);
    struct portolan_options options = {.reduction = reduction, .proviso = proviso, .chains = chains};
    struct portolan_result result;
    if (!with_view)
        system->entities = NULL;
    enum portolan_status status = search_system(system, &options, &result, NULL);
    if (status == PORTOLAN_OK)
        result_clear(&result);
    portolan_system_free(system);
    return status;
}

static void test_refusals(void **state)
{
    (void)state;
    assert_int_equal(status_of("probe", "auto", false, true), PORTOLAN_OK);
    assert_int_equal(status_of("probe", "scc", false, true), PORTOLAN_REFUSED);
    assert_int_equal(status_of("probe", "none", false, true), PORTOLAN_REFUSED);
    assert_int_equal(status_of("probe", "auto", true, true), PORTOLAN_REFUSED);
    assert_int_equal(status_of("probe", "auto", false, false), PORTOLAN_REFUSED);
    assert_int_equal(status_of("none", "age", false, true), PORTOLAN_REFUSED);
    assert_int_equal(status_of("probe:strategy=best", "auto", false, true), PORTOLAN_BAD_OPTION);
    assert_int_equal(status_of("probe:choice=random:", "auto", false, true), PORTOLAN_BAD_OPTION);
    assert_int_equal(status_of("probe:tokens=explicit", "auto", false, true), PORTOLAN_REFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_4),
        cmocka_unit_test(test_table_2_2),
        cmocka_unit_test(test_proposition_19),
        cmocka_unit_test(test_definition_13),
        cmocka_unit_test(test_pruning_on_states),
        cmocka_unit_test(test_forbidden_entities),
        cmocka_unit_test(test_missed_at_known_vectors),
        cmocka_unit_test(test_runs_are_not_kept),
        cmocka_unit_test(test_runs_are_not_kept_by_invisible_keepers),
        cmocka_unit_test(test_keeper_does_not_sleep),
        cmocka_unit_test(test_vectors_wake_up),
        cmocka_unit_test(test_inhibitor_arcs),
        cmocka_unit_test(test_local_dependency),
        cmocka_unit_test(test_names_of_new_tokens),
        cmocka_unit_test(test_threads_that_meet_nobody),
        cmocka_unit_test(test_threads_that_collide),
        cmocka_unit_test(test_termination),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
