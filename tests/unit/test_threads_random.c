/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about every program, tried on random ones and on the examples: the relations view is true, the footprint view
 * keeps its contract, and reductions find every end and every failure that full exploration finds.
 */
#include "threads_support.h"

#include "search/search_system.h"
#include "system/check_relations.h"

enum { PROGRAMS = 500, MOST_AGENTS = 32, MOST_ACCESSES = 160 };

static const char *const examples[] = {"bank",
                                       "bounded-buffer",
                                       "bounded-buffer-if",
                                       "dekker",
                                       "double-checked",
                                       "double-checked-wrong",
                                       "lastzero",
                                       "peterson",
                                       "philosophers",
                                       "philosophers-ordered",
                                       "readers-writers",
                                       "spawn",
                                       "stack",
                                       "ticket-lock",
                                       "document/branching",
                                       "document/listing-1.1",
                                       "document/listing-1.2",
                                       "document/listing-4.1",
                                       "document/listing-4.2",
                                       "document/listing-4.3"};

/* Two failures on one line are one: what is in scope there is in scope at both. */
static const char *const corners[] = {
    "int x; thread t { { int i = 0; assert(x == 0); } { int k = 7; x = 1; assert(x == 0); x = k; } }",
    "int x; int a[3]; thread t(i) * 2 { int b[2]; b[x] = i; { int k = x; b[k] = 2; } a[b[0]] = b[1]; }",
    "lock m[2]; cond c[2]; int x; thread t(i) * 2 { lock(m[x]); wait(c[x], m[x]); } thread s { x = 1; signal(c[x]); }",
    "int x; thread c(v) { x = v; } thread t { int h[2]; for (i in 0..1) h[i] = spawn c(i); join(h[0]); join(h[1]); }"};

static struct portolan_system *example(size_t number)
{
    char path[300];
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    snprintf(path, sizeof path, "%s/examples/threads/%s.dl", SOURCE_DIR, examples[number]);
    if (portolan_open(path, &system, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", path, error.message);
    return system;
}

/* Runs a check on random programs and on the examples. */
static void on_all(void (*check)(struct portolan_system *system, const char *what))
{
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        char what[32], *text = random_program(seed);
        assert_non_null(text);
        struct portolan_system *system = opened(text);
        snprintf(what, sizeof what, "random program %d", (int)seed);
        check(system, what);
        portolan_system_free(system);
        free(text);
    }
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        struct portolan_system *system = opened(corners[i]);
        check(system, corners[i]);
        portolan_system_free(system);
    }
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct portolan_system *system = example(i);
        check(system, examples[i]);
        portolan_system_free(system);
    }
}

/* ------------------------------------------------------------------ relations */

static void check_all_relations(struct portolan_system *system, const char *what)
{
    struct relation_check check;
    struct portolan_error error = {0};
    struct state_set set = all_states(system);
    assert_int_equal(relation_check_make(&check, system, &error), PORTOLAN_OK);
    for (size_t i = 0; i < set.count; i++)
        if (check_relations(&check, state_at(&set, i), &error) != PORTOLAN_OK)
            fail_msg("%s: %s", what, error.message);
    relation_check_clear(&check);
    state_set_clear(&set);
}

static void relations_are_true(void **unused)
{
    (void)unused;
    on_all(check_all_relations);
}

/* ------------------------------------------------------------------- footprint */

struct steps { /* of all agents in a state */
    bool has[MOST_AGENTS];
    struct portolan_step step[MOST_AGENTS];
    struct portolan_access accesses[MOST_AGENTS][MOST_ACCESSES];
};

static void take_steps(const struct portolan_system *system, const void *state, struct steps *steps)
{
    const struct portolan_footprint *f = system->footprint;
    assert_true(f->agents <= MOST_AGENTS && f->most_accesses <= MOST_ACCESSES);
    for (uint32_t a = 0; a < f->agents; a++) {
        steps->step[a] = (struct portolan_step){.accesses = steps->accesses[a]};
        steps->has[a] = f->next(system->model, state, a, &steps->step[a]);
        if (!steps->has[a])
            continue;
        assert_true(steps->step[a].access_count <= f->most_accesses);
        for (uint32_t i = 0; i < steps->step[a].access_count; i++) {
            assert_true(steps->accesses[a][i].object < f->objects);
            for (uint32_t k = 0; k < i; k++)
                assert_int_not_equal(steps->accesses[a][i].object, steps->accesses[a][k].object);
        }
    }
}

static bool same_step(const struct portolan_step *a, const struct portolan_step *b)
{
    if (a->action != b->action || a->enabled != b->enabled || a->waits_for != b->waits_for ||
        a->access_count != b->access_count)
        return false;
    for (uint32_t i = 0; i < a->access_count; i++)
        if (a->accesses[i].object != b->accesses[i].object || a->accesses[i].writes != b->accesses[i].writes ||
            a->accesses[i].synchronises != b->accesses[i].synchronises)
            return false;
    return true;
}

/* Do they touch the same, in the same way? */
static bool same_objects(const struct portolan_step *a, const struct portolan_step *b)
{
    if (a->access_count != b->access_count)
        return false;
    for (uint32_t i = 0; i < a->access_count; i++)
        if (a->accesses[i].object != b->accesses[i].object || a->accesses[i].writes != b->accesses[i].writes)
            return false;
    return true;
}

/* What a's step does to agent b. */
static void check_pair(const struct portolan_system *system, const char *what, const void *state, const void *after,
                       const struct steps *before, const struct steps *later, uint32_t a, uint32_t b)
{
    unsigned char one[system->state_bytes], other[system->state_bytes], both[system->state_bytes];
    const struct portolan_step *step = &before->step[b], *then = &later->step[b];
    if (!before->has[b]) {
        if (later->has[b] && !steps_conflict(&before->step[a], then))
            fail_msg("%s: an agent is born without a conflict", what);
        return;
    }
    if (!later->has[b] || step->action != then->action)
        fail_msg("%s: another agent's step changes which one is next", what);
    struct portolan_access accesses[system->footprint->most_accesses + 1];
    struct portolan_step as_if = {.accesses = accesses};
    if (!system->footprint->next_as_if(system->model, after, b, state, &as_if) || !same_step(step, &as_if))
        fail_msg("%s: next_as_if is wrong about '%s'", what, system->action_name(system->model, step->action));
    if (!step->varies && then->access_count && !same_objects(step, then))
        fail_msg("%s: '%s' varies and does not say so", what, system->action_name(system->model, step->action));
    if (steps_conflict(&before->step[a], step))
        return;
    if (!same_step(step, then))
        fail_msg("%s: '%s' changes the footprint of '%s'", what,
                 system->action_name(system->model, before->step[a].action),
                 system->action_name(system->model, step->action));
    if (!step->enabled)
        return;
    system->fire(system->model, after, step->action, one);
    system->fire(system->model, state, step->action, other);
    system->fire(system->model, other, before->step[a].action, both);
    if (memcmp(one, both, system->key_bytes) != 0)
        fail_msg("%s: '%s' and '%s' do not commute", what, system->action_name(system->model, before->step[a].action),
                 system->action_name(system->model, step->action));
}

static void check_footprints(struct portolan_system *system, const char *what)
{
    struct state_set set = all_states(system);
    struct steps *before = malloc(sizeof *before), *later = malloc(sizeof *later);
    uint32_t *enabled = calloc((size_t)system->actions + 1, sizeof *enabled);
    unsigned char after[system->state_bytes];
    assert_true(before && later && enabled);
    for (size_t i = 0; i < set.count; i++) {
        const unsigned char *state = state_at(&set, i);
        take_steps(system, state, before);
        uint32_t count = system->enabled(system->model, state, enabled), seen = 0;
        for (uint32_t a = 0; a < system->footprint->agents; a++) {
            if (!before->has[a] || !before->step[a].enabled)
                continue;
            assert_int_equal(enabled[seen++], before->step[a].action);
            system->fire(system->model, state, before->step[a].action, after);
            take_steps(system, after, later);
            for (uint32_t b = 0; b < system->footprint->agents; b++)
                if (a != b)
                    check_pair(system, what, state, after, before, later, a, b);
        }
        assert_int_equal(seen, count);
    }
    free(before);
    free(later);
    free(enabled);
    state_set_clear(&set);
}

static void footprints_keep_their_contract(void **unused)
{
    (void)unused;
    on_all(check_footprints);
}

/* ------------------------------------------------------------------ reductions */

struct ends {
    const struct portolan_system *system;
    struct state_set set;
};

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct ends *ends = user;
    (void)state;
    (void)fully;
    if (enabled == 0)
        state_add(&ends->set, bytes);
}

struct found {
    struct ends ends;
    uint64_t deadlocks;
    enum portolan_verdict safe;
};

static struct found search_with(struct portolan_system *system, const char *reduction, bool assertions)
{
    struct found found = {.ends = {.system = system, .set.size = system->state_bytes}};
    struct portolan_property *property = NULL;
    struct portolan_result result;
    struct portolan_error error = {0};
    assert_int_equal(portolan_property_new(system, assertions ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK,
                                           assertions ? "failed == 0" : NULL, &property, &error),
                     PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {.reduction = reduction,
                                       .search = "dfs",
                                       .properties = properties,
                                       .property_count = 1,
                                       .all = true,
                                       .callbacks = {.user = &found.ends, .expanded = on_expanded}};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", reduction, error.message);
    found.deadlocks = result.statistics.deadlocks;
    found.safe = result.answers[0].verdict;
    result_clear(&result);
    portolan_property_free(property);
    return found;
}

static void compare_with(struct portolan_system *system, const char *what, const char *reduction)
{
    struct found full = search_with(system, "none", false), reduced = search_with(system, reduction, false);
    size_t count = full.ends.set.count;
    if (reduced.ends.set.count != count || reduced.deadlocks != full.deadlocks || reduced.safe != full.safe)
        fail_msg("%s with %s: %zu ends and %d deadlocks, not %zu and %d", what, reduction, reduced.ends.set.count,
                 (int)reduced.deadlocks, count, (int)full.deadlocks);
    for (size_t i = 0; i < count; i++) /* adding changes nothing: the sets are equal */
        if (state_add(&reduced.ends.set, state_at(&full.ends.set, i)))
            fail_msg("%s with %s: an end is lost", what, reduction);
    state_set_clear(&full.ends.set);
    state_set_clear(&reduced.ends.set);
    full = search_with(system, "none", true);
    reduced = search_with(system, reduction, true);
    if (full.safe != reduced.safe)
        fail_msg("%s with %s: another verdict on the assertions", what, reduction);
    state_set_clear(&full.ends.set);
    state_set_clear(&reduced.ends.set);
}

static void check_reductions(struct portolan_system *system, const char *what)
{
    compare_with(system, what, "stubborn");
    compare_with(system, what, "lpor");
}

static void reductions_lose_nothing(void **unused)
{
    (void)unused;
    on_all(check_reductions);
}

/* ------------------------------------------------------- states on the way */

/* Searches for a state with these values of the first two variables; true when it need not be found. */
static bool finds(struct portolan_system *system, const char *reduction, int64_t first, int64_t second)
{
    char text[200];
    struct portolan_property *property = NULL;
    struct portolan_result result;
    struct portolan_error error = {0};
    snprintf(text, sizeof text, "%s == %d && %s == %d", system->variable_name(system->model, 0), (int)first,
             system->variable_name(system->model, 1), (int)second);
    assert_int_equal(portolan_property_new(system, PORTOLAN_REACH, text, &property, &error), PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    struct portolan_options options = {
        .reduction = reduction, .properties = properties, .property_count = 1, .bound = 30, .state_limit = 2000};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s: %s", reduction, text, error.message);
    bool found = result.answers[0].verdict == PORTOLAN_HOLDS;
    bool excused = result.stop == PORTOLAN_STATE_LIMIT || result.statistics.cut;
    result_clear(&result);
    portolan_property_free(property);
    return found || excused;
}

/* Every method meets every pair of values that two variables ever have at the same time. */
static void dynamic_searches_see_states_on_the_way(void **unused)
{
    (void)unused;
    static const char *const reductions[] = {"dpor", "source", "lazy", "optimal"};
    for (uint64_t seed = 1; seed <= PROGRAMS / 5; seed++) {
        char *text = random_program(seed);
        struct portolan_system *system = opened(text);
        struct state_set set = all_states(system), pairs = {.size = 2 * sizeof(int64_t)};
        for (size_t i = 0; i < set.count && system->variables > 1; i++) {
            int64_t pair[] = {system->value(system->model, state_at(&set, i), 0),
                              system->value(system->model, state_at(&set, i), 1)};
            if (!state_add(&pairs, (const unsigned char *)pair))
                continue;
            for (size_t r = 0; r < 4; r++)
                if (!finds(system, reductions[r], pair[0], pair[1]))
                    fail_msg("%s\n%s does not meet %d and %d", text, reductions[r], (int)pair[0], (int)pair[1]);
        }
        state_set_clear(&pairs);
        state_set_clear(&set);
        portolan_system_free(system);
        free(text);
    }
}

/* The random programs are worth something: all sorts of ends occur, and sizes are as promised. */
static void random_programs_vary(void **unused)
{
    (void)unused;
    unsigned deadlocks = 0, failures = 0, blocked = 0;
    size_t states = 0, largest = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        char *text = random_program(seed);
        struct portolan_system *system = opened(text);
        struct found found = search_with(system, "none", false);
        struct state_set set = all_states(system);
        states += set.count;
        largest = set.count > largest ? set.count : largest;
        deadlocks += found.deadlocks > 0;
        blocked += found.deadlocks == found.ends.set.count;
        state_set_clear(&found.ends.set);
        found = search_with(system, "none", true);
        failures += found.safe == PORTOLAN_VIOLATED;
        state_set_clear(&found.ends.set);
        state_set_clear(&set);
        portolan_system_free(system);
        free(text);
    }
    print_message("%zu states, at most %zu; %u deadlock, %u always, %u fail\n", states, largest, deadlocks, blocked,
                  failures);
    assert_true(deadlocks > PROGRAMS / 10 && failures > PROGRAMS / 10 && blocked < PROGRAMS / 2);
    assert_true(largest < 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_vary), cmocka_unit_test(relations_are_true),
                                       cmocka_unit_test(footprints_keep_their_contract),
                                       cmocka_unit_test(reductions_lose_nothing),
                                       cmocka_unit_test(dynamic_searches_see_states_on_the_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
