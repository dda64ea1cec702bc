/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the stateless search: schedules with few switches, canonical orders, wake-up trees, limits, several
 * workers. */
#include "unit/support.h"

#include "random_program.h"
#include "report/columns.h"
#include "stateless/system/reschedule.h"
#include "stateless/wakeup_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------- every interleaving, naively */

enum { MOST_STEPS = 40, MOST_ACCESSES = 32, MOST_CLASSES = 4096 };

struct taken {
    uint32_t agent, action, order, level;
    struct portolan_access accesses[MOST_ACCESSES];
    uint32_t access_count;
};

struct walk {
    struct portolan_system *system;
    struct taken steps[MOST_STEPS];
    size_t length;
    uint64_t runs;
    struct class
    {
        uint64_t key;
        size_t fewest, shown;
    } classes[MOST_CLASSES];
    size_t class_count;
};

static bool in_conflict(const struct taken *a, const struct taken *b)
{
    for (uint32_t i = 0; i < a->access_count; i++)
        for (uint32_t j = 0; j < b->access_count; j++)
            if (a->accesses[i].object == b->accesses[j].object && (a->accesses[i].writes || b->accesses[j].writes))
                return true;
    return a->agent == b->agent;
}

/* The trace as a number: each step's level in the partial order (Foata), summed up in no particular order. */
static uint64_t class_of(struct walk *walk)
{
    uint64_t key = 0;
    for (size_t i = 0; i < walk->length; i++) {
        struct taken *step = &walk->steps[i];
        step->level = step->order = 1;
        for (size_t j = 0; j < i; j++) {
            const struct taken *other = &walk->steps[j];
            step->order += other->agent == step->agent;
            if (in_conflict(step, other) && other->level >= step->level)
                step->level = other->level + 1;
        }
        uint64_t mixed = (step->agent * UINT64_C(1000003) + step->order) * UINT64_C(1000033) + step->level;
        mixed *= UINT64_C(0x9e3779b97f4a7c15);
        key += mixed ^ mixed >> 29;
    }
    return key;
}

static void finish(struct walk *walk)
{
    uint32_t trace[MOST_STEPS];
    size_t switches = 0;
    for (size_t i = 0; i < walk->length; i++) {
        trace[i] = walk->steps[i].action;
        switches += i && walk->steps[i].agent != walk->steps[i - 1].agent;
    }
    uint64_t key = class_of(walk);
    reschedule(walk->system, trace, walk->length);
    size_t shown = count_switches(walk->system, trace, walk->length);
    assert_int_equal(portolan_replay(walk->system, trace, walk->length, NULL, NULL), PORTOLAN_OK);
    size_t c = 0;
    while (c < walk->class_count && walk->classes[c].key != key)
        c++;
    assert_true(c < MOST_CLASSES);
    if (c == walk->class_count)
        walk->classes[walk->class_count++] = (struct class){key, SIZE_MAX, shown};
    if (switches < walk->classes[c].fewest)
        walk->classes[c].fewest = switches;
    assert_int_equal(shown, walk->classes[c].shown);
    walk->runs++;
}

/* Takes every enabled step in turn; false when there are too many runs. */
static bool walk_from(struct walk *walk, const void *state)
{
    enum { MOST_RUNS = 300 };
    struct portolan_system *system = walk->system;
    const struct portolan_footprint *view = system->footprint;
    bool some = false;
    if (walk->runs > MOST_RUNS || walk->length == MOST_STEPS || view->most_accesses > MOST_ACCESSES)
        return false;
    for (uint32_t agent = 0; agent < view->agents; agent++) {
        struct taken *taken = &walk->steps[walk->length];
        struct portolan_step step = {.accesses = taken->accesses};
        if (!view->next(system->model, state, agent, &step) || !step.enabled)
            continue;
        unsigned char after[system->state_bytes];
        some = true;
        taken->agent = agent;
        taken->action = step.action;
        taken->access_count = step.access_count;
        system->fire(system->model, state, step.action, after);
        walk->length++;
        bool fine = walk_from(walk, after);
        walk->length--;
        if (!fine)
            return false;
    }
    if (!some)
        finish(walk);
    return true;
}

static void shows_the_fewest_switches(void **unused)
{
    (void)unused;
    struct walk *walk = malloc(sizeof *walk);
    size_t compared = 0;
    assert_non_null(walk);
    for (uint64_t seed = 1; seed < 400; seed++) {
        char *text = random_program(seed);
        memset(walk, 0, sizeof *walk);
        walk->system = open_program(text);
        assert_non_null(walk->system);
        unsigned char state[walk->system->state_bytes];
        walk->system->initial(walk->system->model, state);
        if (walk_from(walk, state))
            for (size_t c = 0; c < walk->class_count; c++, compared++)
                assert_int_equal(walk->classes[c].shown, walk->classes[c].fewest);
        portolan_system_free(walk->system);
        free(text);
    }
    assert_true(compared > 200);
    free(walk);
}

/* ----------------------------------------------------------------------- wake-up trees */

/* An execution of steps "agent object r|w". */
static void execute(struct execution *x, const uint32_t (*steps)[3], size_t count)
{
    assert_true(execution_make(x, &(struct machine){.agents = 5, .objects = 2}));
    for (size_t i = 0; i < count; i++) {
        struct portolan_access access = {.object = steps[i][1], .writes = steps[i][2]};
        struct portolan_step step = {.waits_for = PORTOLAN_NO_OBJECT, .access_count = 1, .accesses = &access};
        assert_true(execution_append(x, steps[i][0], &step, 0));
    }
}

static size_t count_leaves(const struct wakeup_node *node)
{
    size_t leaves = 0;
    for (; node; node = node->next)
        leaves += node->first ? count_leaves(node->first) : 1;
    return leaves;
}

static struct wakeup_pool pool;

static size_t leaves_after(struct wakeup_tree *tree, const uint32_t (*steps)[3], size_t count)
{
    struct execution x;
    uint32_t events[] = {0, 1, 2}, last = (uint32_t)count - 1;
    execute(&x, steps, count);
    struct sequence s = {.execution = &x,
                         .events = events,
                         .length = (uint32_t)count,
                         .last = footprint_of(steps[last][0], accesses_of(&x, last), 1)};
    struct remainder all;
    remainder_make(&all, &s, (bool[]){false, false, false});
    assert_true(wakeup_insert(&pool, tree, &all));
    execution_clear(&x);
    return count_leaves(tree->first);
}

static void a_wakeup_tree_keeps_what_is_new(void **unused)
{
    (void)unused;
    struct wakeup_tree tree = {0}, rest = {0};
    /* 0 and 1 write x (0), 2 and 3 read it; 4 writes y (1) */
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{2, 0, 0}, {0, 0, 1}}, 2), 1);
    /* the same trace with an independent step first, or a longer one: covered */
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{4, 1, 1}, {2, 0, 0}, {0, 0, 1}}, 3), 1);
    /* another reader before the writer: a new leaf below 2 */
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{3, 0, 0}, {2, 0, 0}, {0, 0, 1}}, 3), 2);
    assert_null(tree.first->next);
    /* the writer before 2: a branch of its own */
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{1, 0, 1}, {2, 0, 0}}, 2), 3);
    assert_non_null(tree.first->next);
    assert_int_equal(tree.first->step.agent, 2);
    assert_int_equal(tree.last->step.agent, 1);
    assert_true(wakeup_take_agent(&pool, &tree, 2, &rest));
    assert_int_equal(count_leaves(rest.first), 2);
    assert_false(wakeup_take_agent(&pool, &tree, 2, &(struct wakeup_tree){0}));
    wakeup_clear(&pool, &rest);
    wakeup_clear(&pool, &tree);
    assert_null(tree.first);
    wakeup_pool_clear(&pool);
}

/* ---------------------------------------------------------------- the search */

static const char counter[] = "int x; thread t * 3 { x = x + 1; x = x + 1; } ";

static struct portolan_result searched(const char *text, struct portolan_options options, struct portolan_error *error)
{
    struct portolan_system *system = open_program(text);
    struct portolan_result result = {0};
    assert_non_null(system);
    if (search_system(system, &options, &result, error) == PORTOLAN_OK)
        error->status = PORTOLAN_OK;
    portolan_system_free(system);
    return result;
}

static void several_workers_find_the_same(void **unused)
{
    (void)unused;
    struct portolan_error error = {0};
    struct portolan_result one = searched(counter, (struct portolan_options){.reduction = "optimal"}, &error);
    assert_int_equal(one.stop, PORTOLAN_COMPLETE);
    assert_true(one.statistics.executions > 1000);
    for (uint32_t threads = 2; threads <= 4; threads++) {
        struct portolan_result many =
            searched(counter, (struct portolan_options){.reduction = "optimal", .threads = threads}, &error);
        assert_int_equal(many.statistics.executions, one.statistics.executions);
        result_clear(&many);
    }
    result_clear(&one);
}

static void limits_end_it(void **unused)
{
    (void)unused;
    struct portolan_error error = {0};
    struct portolan_result r =
        searched(counter, (struct portolan_options){.reduction = "source", .state_limit = 10}, &error);
    assert_int_equal(r.stop, PORTOLAN_STATE_LIMIT);
    result_clear(&r);
    r = searched("int x; thread t { while (x == 0) { } }", (struct portolan_options){.reduction = "optimal"}, &error);
    assert_int_equal(r.stop, PORTOLAN_DEPTH_LIMIT);
    result_clear(&r);
    r = searched("int x; thread t { while (x == 0) { } }",
                 (struct portolan_options){.reduction = "optimal", .bound = 7}, &error);
    assert_int_equal(r.stop, PORTOLAN_STEP_LIMIT);
    assert_int_equal(r.statistics.cut, 1);
    assert_int_equal(r.statistics.transitions, 7);
    result_clear(&r);
}

static void refuses_what_it_cannot_see(void **unused)
{
    (void)unused;
    static const struct portolan_options wrong[] = {
        {.reduction = "optimal", .search = "bfs"},          {.reduction = "lazy", .proviso = "scc"},
        {.reduction = "stubborn", .search = "stateless"},   {.reduction = "optimal", .chains = true},
        {.reduction = "none", .search = "dfs", .bound = 3}, {.reduction = "stubborn", .threads = 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct portolan_error error = {0};
        struct portolan_result r = searched(counter, wrong[i], &error);
        assert_int_equal(error.status, PORTOLAN_REFUSED);
        assert_null(r.answers);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_fewest_switches),     cmocka_unit_test(a_wakeup_tree_keeps_what_is_new),
        cmocka_unit_test(several_workers_find_the_same), cmocka_unit_test(limits_end_it),
        cmocka_unit_test(refuses_what_it_cannot_see),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
