/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the stateless search: schedules with few switches, canonical orders, races, wake-up trees, limits,
 * several workers. */
#include "unit/support.h"

#include "random_program.h"
#include "report/columns.h"
#include "sanitized.h"
#include "stateless/node.h"
#include "stateless/stateless.h"
#include "stateless/system/reschedule.h"
#include "stateless/system/state_machine.h"
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
    for (uint64_t seed = 1; seed < SOME(150); seed++) {
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
    assert_true(compared > SOME(200));
    free(walk);
}

/* ------------------------------------------------------------------- races of events */

enum { EVENTS = 40, AGENTS = 5, OBJECTS = 70 };

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

static void draw_step(uint64_t *seed, struct taken *step)
{
    *step = (struct taken){.agent = draw(seed, AGENTS)};
    for (uint32_t wanted = draw(seed, 4); wanted > 0; wanted--) {
        /* few objects, some of whose bits in masks are shared */
        uint32_t object = draw(seed, 3) + 33 * draw(seed, 3), i = 0;
        while (i < step->access_count && step->accesses[i].object != object)
            i++;
        if (i == step->access_count)
            step->accesses[step->access_count++] =
                (struct portolan_access){.object = object, .writes = draw(seed, 3) == 0};
    }
}

/* Happens-before by definition: program order and conflicts, and what follows from these. */
static void order_events(const struct taken *steps, uint32_t count, bool before[EVENTS][EVENTS])
{
    for (uint32_t e = 0; e < count; e++)
        for (uint32_t f = e; f-- > 0;) {
            before[f][e] = in_conflict(&steps[f], &steps[e]);
            for (uint32_t g = f + 1; g < e; g++)
                before[f][e] |= before[f][g] && before[g][e];
        }
}

static bool is_race(const struct taken *steps, bool before[EVENTS][EVENTS], uint32_t f, uint32_t e)
{
    if (steps[f].agent == steps[e].agent || !in_conflict(&steps[f], &steps[e]))
        return false;
    for (uint32_t g = f + 1; g < e; g++)
        if (before[f][g] && before[g][e])
            return false;
    return true;
}

static void append_steps(struct execution *x, struct taken *steps, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < count; i++) {
        struct portolan_step step = {
            .waits_for = PORTOLAN_NO_OBJECT, .access_count = steps[i].access_count, .accesses = steps[i].accesses};
        assert_true(execution_append(x, steps[i].agent, &step, 0));
    }
}

static void compare_events(const struct execution *x, const struct taken *steps, uint32_t count)
{
    static bool before[EVENTS][EVENTS];
    order_events(steps, count, before);
    for (uint32_t e = 0; e < count; e++) {
        uint32_t races = 0, after = 0;
        for (uint32_t f = 0; f < e; f++) {
            assert_int_equal(happens_before(x, f, e), before[f][e]);
            after = before[f][e] ? f + 1 : after;
            bool found = false;
            for (uint32_t i = 0; i < x->events.item[e].race_count; i++)
                found |= races_of(x, e)[i].first == f;
            assert_int_equal(found, is_race(steps, before, f, e));
            races += found;
            struct footprint a = footprint_of(0, steps[e].accesses, steps[e].access_count);
            struct footprint b = footprint_of(1, steps[f].accesses, steps[f].access_count);
            assert_int_equal(footprints_conflict(&a, &b),
                             accesses_conflict(a.accesses, a.access_count, b.accesses, b.access_count));
        }
        assert_int_equal(x->events.item[e].race_count, races); /* each once */
        assert_int_equal(x->events.item[e].after, after);
    }
}

/* Also after going back and on in another way. */
static void events_race_by_definition(void **unused)
{
    (void)unused;
    static struct taken steps[EVENTS];
    for (uint64_t seed = 1; seed <= SOME(200); seed++) {
        uint64_t state = seed;
        struct execution x;
        assert_true(execution_make(&x, &(struct machine){.agents = AGENTS, .objects = OBJECTS}));
        for (uint32_t i = 0; i < EVENTS; i++)
            draw_step(&state, &steps[i]);
        append_steps(&x, steps, 0, EVENTS);
        compare_events(&x, steps, EVENTS);
        uint32_t kept = draw(&state, EVENTS);
        execution_cut(&x, kept);
        for (uint32_t i = kept; i < EVENTS; i++)
            draw_step(&state, &steps[i]);
        append_steps(&x, steps, kept, EVENTS);
        compare_events(&x, steps, EVENTS);
        execution_clear(&x);
    }
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
    struct prefix prefix;
    struct item room[3] = {0};
    remainder_make(&all, &s, room);
    if (!wakeup_covers(tree, &all)) {
        remainder_make(&all, &s, room);
        prefix_make(&prefix, &s);
        assert_true(wakeup_insert(&pool, tree, &all, &prefix));
    }
    execution_clear(&x);
    return count_leaves(tree->first);
}

static void a_wakeup_tree_keeps_what_is_new(void **unused)
{
    (void)unused;
    struct wakeup_tree tree = {0}, rest = {0};
    struct hint *hint;
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
    assert_true(node_pool_bytes(&(struct node_pool){.wakeup = pool}) >= 6 * sizeof(struct wakeup_node));
    assert_true(wakeup_take_agent(&pool, &tree, 2, &rest, &hint));
    assert_int_equal(count_leaves(rest.first), 2);
    assert_false(wakeup_take_agent(&pool, &tree, 2, &(struct wakeup_tree){0}, &hint));
    wakeup_clear(&pool, &rest);
    wakeup_clear(&pool, &tree);
    assert_null(tree.first);
    wakeup_pool_clear(&pool);
}

/* Who goes in the last branch, as digits. */
static uint32_t agents_of_last(const struct wakeup_tree *tree, const struct hint **hint)
{
    uint32_t agents = 0;
    *hint = NULL;
    for (const struct wakeup_node *node = tree->last; node; node = node->first) {
        agents = agents * 10 + node->step.agent;
        *hint = node->hint;
    }
    return agents;
}

static void a_wakeup_tree_keeps_a_prefix_and_a_hint(void **unused)
{
    (void)unused;
    struct wakeup_tree tree = {0}, rest;
    const struct hint *hint;
    struct hint *taken;
    /* 4, which writes y, is in no race: it is hinted at, to come first */
    const uint32_t steps[][3] = {{2, 0, 0}, {4, 1, 1}, {0, 0, 1}};
    assert_int_equal(leaves_after(&tree, steps, 3), 1);
    assert_int_equal(agents_of_last(&tree, &hint), 20);
    assert_int_equal(hint->count, 1);
    assert_int_equal(hint->lonely, 1);
    assert_int_equal(hint->step[0].agent, 4);
    assert_int_equal(hint->step[0].order, 1);
    assert_true(wakeup_take_agent(&pool, &tree, 2, &rest, &taken));
    assert_null(taken);
    assert_true(wakeup_take_agent(&pool, &rest, 0, &tree, &taken));
    assert_ptr_equal(taken, hint);
    wakeup_free_hint(&pool, taken);
    /* behind a branch of 3 that writes y, 4 is what tells it from that */
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{3, 1, 1}}, 1), 1);
    assert_int_equal(leaves_after(&tree, steps, 3), 2);
    assert_int_equal(agents_of_last(&tree, &hint), 240);
    assert_null(hint);
    /* behind one of 1 that writes x, nothing more is needed than the race itself */
    wakeup_clear(&pool, &tree);
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{1, 0, 1}}, 1), 1);
    assert_int_equal(leaves_after(&tree, steps, 3), 2);
    assert_int_equal(agents_of_last(&tree, &hint), 20);
    /* behind one of 4 that comes first only if 3 does not: the item of its own that is held goes in, and what holds it
     */
    wakeup_clear(&pool, &tree);
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{4, 1, 0}}, 1), 1);
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{3, 1, 1}, {4, 1, 0}, {0, 0, 1}}, 3), 2);
    assert_int_equal(agents_of_last(&tree, &hint), 30);
    /* 4 touches something else there, behind what 0 does, and nothing is in conflict with what it touches here */
    wakeup_clear(&pool, &tree);
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{4, 1, 0}}, 1), 1);
    assert_int_equal(leaves_after(&tree, (const uint32_t[][3]){{0, 0, 1}, {4, 0, 0}, {2, 1, 0}}, 3), 2);
    assert_int_equal(agents_of_last(&tree, &hint), 42);
    wakeup_clear(&pool, &tree);
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
    static const struct portolan_options wrong[] = {{.reduction = "optimal", .search = "bfs"},
                                                    {.reduction = "lazy", .proviso = "scc"},
                                                    {.reduction = "stubborn", .search = "stateless"},
                                                    {.reduction = "optimal", .chains = true},
                                                    {.reduction = "none", .search = "dfs", .bound = 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct portolan_error error = {0};
        struct portolan_result r = searched(counter, wrong[i], &error);
        assert_int_equal(error.status, PORTOLAN_REFUSED);
        assert_null(r.answers);
    }
}

/* A machine that learns something at one of the questions it is asked, as the runtime of C programs does: until it is
 * brought to an earlier depth nobody has a step, and the search must end. */
struct learner {
    struct machine machine;
    struct machine *inner;
    uint64_t questions, last_question;
    bool has_learned;
    size_t depth;
};

static bool ask(struct learner *l, size_t depth)
{
    if (depth < l->depth)
        l->has_learned = false;
    l->depth = depth;
    if (++l->questions == l->last_question)
        l->has_learned = true;
    return !l->has_learned;
}

static bool learner_next(struct machine *m, size_t depth, uint32_t agent, struct portolan_step *step)
{
    struct learner *l = (struct learner *)m;
    return ask(l, depth) && l->inner->class->next(l->inner, depth, agent, step);
}

static bool learner_next_as_if(struct machine *m, size_t now, uint32_t agent, size_t earlier,
                               struct portolan_step *step)
{
    struct learner *l = (struct learner *)m;
    return ask(l, l->depth) && l->inner->class->next_as_if(l->inner, now, agent, earlier, step);
}

static bool learner_next_after(struct machine *m, size_t depth, const uint32_t *agents, size_t count, uint32_t agent,
                               struct portolan_step *step)
{
    struct learner *l = (struct learner *)m;
    return ask(l, l->depth) && l->inner->class->next_after(l->inner, depth, agents, count, agent, step);
}

static enum portolan_status learner_take(struct machine *m, size_t depth, uint32_t agent,
                                         const struct portolan_step *step, struct portolan_error *error)
{
    struct learner *l = (struct learner *)m;
    l->depth = depth + 1;
    return l->inner->class->take(l->inner, depth, agent, step, error);
}

static enum machine_end learner_end(struct machine *m, size_t depth)
{
    struct learner *l = (struct learner *)m;
    return l->inner->class->end(l->inner, depth);
}

static size_t learner_bytes(const struct machine *m)
{
    (void)m;
    return 0;
}

static void learner_free(struct machine *m)
{
    struct learner *l = (struct learner *)m;
    l->inner->class->free(l->inner);
}

static bool learner_failed(struct machine *m, const struct execution *x)
{
    (void)x;
    return ((struct learner *)m)->has_learned;
}

static struct portolan_result searched_by_learner(struct portolan_system *system, const char *method,
                                                  struct learner *learner)
{
    static const struct machine_class class = {.next = learner_next,
                                               .next_as_if = learner_next_as_if,
                                               .next_after = learner_next_after,
                                               .take = learner_take,
                                               .end = learner_end,
                                               .bytes = learner_bytes,
                                               .free = learner_free,
                                               .failed = learner_failed};
    struct portolan_options options = {.reduction = method};
    struct portolan_result result;
    learner->inner = state_machine_make(system, NULL);
    assert_non_null(learner->inner);
    learner->machine = *learner->inner;
    learner->machine.class = &class;
    assert_int_equal(search_machine(&learner->machine, &options, NULL, NULL, &result, NULL), PORTOLAN_OK);
    return result;
}

/* Also when it was learned at the end of an execution that is given up because all that could follow sleeps. */
static void whatever_question_teaches_ends_it(void **unused)
{
    (void)unused;
    static const char last_zero[] = "int a[5]; lock m;"
                                    "thread reader { int i = 4; while (a[i] != 0) { i = i - 1; } lock(m); unlock(m); }"
                                    "thread writer(n) * 3 { a[n + 1] = a[n] + 1; if (n == 0) { lock(m); unlock(m); } }";
    static const char *const methods[] = {"dpor", "source", "lazy", "optimal", "none"};
    struct portolan_system *system = open_program(last_zero);
    uint64_t blocked = 0;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct learner all = {0};
        struct portolan_result result = searched_by_learner(system, methods[i], &all);
        assert_int_equal(result.stop, PORTOLAN_COMPLETE);
        blocked += result.statistics.blocked;
        result_clear(&result);
        uint64_t step = all.questions / 60 + 1; /* not all of them: it takes long */
        for (uint64_t question = 1; question <= all.questions; question += step) {
            struct learner one = {.last_question = question};
            result = searched_by_learner(system, methods[i], &one);
            assert_int_equal(result.stop, PORTOLAN_DECIDED);
            assert_int_equal(one.questions >= question, true);
            result_clear(&result);
        }
    }
    assert_true(blocked > 0);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_the_fewest_switches),
        cmocka_unit_test(a_wakeup_tree_keeps_what_is_new),
        cmocka_unit_test(a_wakeup_tree_keeps_a_prefix_and_a_hint),
        cmocka_unit_test(several_workers_find_the_same),
        cmocka_unit_test(limits_end_it),
        cmocka_unit_test(refuses_what_it_cannot_see),
        cmocka_unit_test(events_race_by_definition),
        cmocka_unit_test(whatever_question_teaches_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
