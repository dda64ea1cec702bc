/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Actions found on the fly: a model whose actions are counted is wrapped in a system that numbers them as they are
 * met, in another order.  Whatever is asked of the one must be answered alike by the other.
 */
#include "base/vector.h"
#include "certify/certify.h"
#include "library/open.h"
#include "support.h"

#include <stdio.h>
#include <unistd.h>

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

/* --- the wrapper */

struct wrapper {
    struct portolan_system *inner;
    struct portolan_system system;
    VECTOR(uint32_t) met; /* actions of the inner system, by number */
    uint32_t *enabled;    /* scratch */
    uint64_t calls;       /* of find_enabled */
    uint64_t fails_at;    /* this call says that out of memory; 0: none does */
    struct portolan_footprint footprint;
    struct portolan_entities entities;
    const struct portolan_entities *views[2];
};

static bool number_of(struct wrapper *w, uint32_t action, uint32_t *number)
{
    for (*number = 0; *number < w->met.count; ++*number)
        if (w->met.item[*number] == action)
            return true;
    return vector_push(&w->met, action);
}

static void initial(const void *model, void *state)
{
    const struct portolan_system *inner = ((const struct wrapper *)model)->inner;
    inner->initial(inner->model, state);
}

static bool find_enabled(void *model, const void *state, const struct portolan_receiver *receiver)
{
    struct wrapper *w = model;
    uint32_t number, count = w->inner->enabled(w->inner->model, state, w->enabled);
    if (++w->calls == w->fails_at)
        return false;
    for (uint32_t i = count; i-- > 0;)
        if (!number_of(w, w->enabled[i], &number) || !receiver->give(receiver->user, number))
            return false;
    return true;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct wrapper *w = model;
    return w->inner->fire(w->inner->model, state, w->met.item[action], successor);
}

static void restore(const void *model, void *state)
{
    const struct portolan_system *inner = ((const struct wrapper *)model)->inner;
    if (inner->restore)
        inner->restore(inner->model, state);
}

static enum portolan_status widen(struct portolan_system *system)
{
    struct wrapper *w = system->model;
    enum portolan_status status = w->inner->widen(w->inner);
    system->state_bytes = w->inner->state_bytes;
    system->key_bytes = w->inner->key_bytes;
    return status;
}

static void convert(const void *model, const void *old_state, void *new_state)
{
    const struct portolan_system *inner = ((const struct wrapper *)model)->inner;
    inner->convert(inner->model, old_state, new_state);
}

static const char *action_name(const void *model, uint32_t action)
{
    const struct wrapper *w = model;
    return action < w->met.count ? w->inner->action_name(w->inner->model, w->met.item[action]) : NULL;
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    struct wrapper *w = (struct wrapper *)model;
    uint32_t inner;
    return w->inner->find_action(w->inner->model, name, &inner) && number_of(w, inner, action);
}

static const char *variable_name(const void *model, uint32_t variable)
{
    const struct portolan_system *inner = ((const struct wrapper *)model)->inner;
    return inner->variable_name(inner->model, variable);
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct portolan_system *inner = ((const struct wrapper *)model)->inner;
    return inner->value(inner->model, state, variable);
}

static bool is_final(const void *model, const void *state)
{
    const struct portolan_system *inner = ((const struct wrapper *)model)->inner;
    return inner->is_final && inner->is_final(inner->model, state);
}

static bool next(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    struct wrapper *w = (struct wrapper *)model;
    return w->inner->footprint->next(w->inner->model, state, agent, step) && number_of(w, step->action, &step->action);
}

static bool next_as_if(const void *model, const void *state, uint32_t agent, const void *earlier,
                       struct portolan_step *step)
{
    struct wrapper *w = (struct wrapper *)model;
    return w->inner->footprint->next_as_if(w->inner->model, state, agent, earlier, step) &&
           number_of(w, step->action, &step->action);
}

/* The opened view is the inner one; only its actions are to be translated, which need the wrapper. */
static struct wrapper *viewed;

static void *open_view(const struct portolan_system *system)
{
    viewed = system->model;
    return viewed->inner->entities[0]->open(viewed->inner);
}

static uint32_t action_of_view(const void *view, uint32_t action)
{
    uint32_t number;
    assert_true(number_of(viewed, viewed->inner->entities[0]->action(view, action), &number));
    return number;
}

static void wrap_views(struct wrapper *w)
{
    if (w->inner->footprint) {
        w->footprint = (struct portolan_footprint){.agents = w->inner->footprint->agents,
                                                   .objects = w->inner->footprint->objects,
                                                   .most_accesses = w->inner->footprint->most_accesses,
                                                   .next = next,
                                                   .next_as_if = w->inner->footprint->next_as_if ? next_as_if : NULL};
        w->system.footprint = &w->footprint;
    }
    if (w->inner->entities) {
        w->entities = *w->inner->entities[0];
        w->entities.open = open_view;
        w->entities.action = action_of_view;
        w->views[0] = &w->entities;
        w->system.entities = w->views;
    }
}

static struct wrapper *wrap(struct portolan_system *inner)
{
    struct wrapper *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->inner = inner;
    w->enabled = calloc((size_t)inner->actions + 1, sizeof *w->enabled);
    assert_non_null(w->enabled);
    w->system = (struct portolan_system){.model = w,
                                         .name = "wrapped",
                                         .format = "test",
                                         .state_bytes = inner->state_bytes,
                                         .key_bytes = inner->key_bytes,
                                         .actions = PORTOLAN_ACTIONS_ON_THE_FLY,
                                         .initial = initial,
                                         .find_enabled = find_enabled,
                                         .fire = fire,
                                         .restore = restore,
                                         .widen = inner->widen ? widen : NULL,
                                         .convert = inner->widen ? convert : NULL,
                                         .action_name = action_name,
                                         .find_action = find_action,
                                         .variables = inner->variables,
                                         .variable_name = variable_name,
                                         .value = value,
                                         .is_final = is_final};
    wrap_views(w);
    return w;
}

static void unwrap(struct wrapper *w)
{
    portolan_system_free(w->inner);
    free(w->met.item);
    free(w->enabled);
    free(w);
}

static struct wrapper *wrap_file(const char *path)
{
    char full[512];
    struct portolan_system *system;
    snprintf(full, sizeof full, "%s/%s", SOURCE_DIR, path);
    assert_int_equal(portolan_open(full, &system, NULL), PORTOLAN_OK);
    return wrap(system);
}

/* --- exploring */

static const char *const models[] = {"examples/philosophers.pnml", "examples/threads/peterson.dl",
                                     "examples/protocols/two-phase-commit.mp", "examples/entities/philosophers.ent"};

static void same_states(struct wrapper *w, const char *search)
{
    struct portolan_statistics by_inner = explored(w->inner, "none", "none", search);
    struct portolan_statistics by_wrapper = explored(&w->system, "none", "none", search);
    assert_int_equal(by_wrapper.states, by_inner.states);
    assert_int_equal(by_wrapper.transitions, by_inner.transitions);
    assert_int_equal(by_wrapper.deadlocks, by_inner.deadlocks);
}

static void exploring(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct wrapper *w = wrap_file(models[i]);
        same_states(w, "bfs");
        same_states(w, "dfs");
        assert_true(w->met.count > 1 && w->met.count <= w->inner->actions);
        unwrap(w);
    }
}

/* --- properties */

static struct portolan_property *property_of(const struct portolan_system *system, enum portolan_kind kind,
                                             const char *text)
{
    struct portolan_property *property;
    struct portolan_error error = {0};
    if (portolan_property_new(system, kind, text, &property, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return property;
}

/* Replays the trace of an answer; on the inner system too, with its own numbers. */
static void replays(struct wrapper *w, const struct portolan_answer *answer, enum portolan_fairness fairness,
                    const struct portolan_property *property, const struct portolan_property *inner)
{
    uint32_t *translated = calloc(answer->trace_length + 1, sizeof *translated);
    assert_non_null(translated);
    for (size_t i = 0; i < answer->trace_length; i++)
        translated[i] = w->met.item[answer->trace[i]];
    bool run = !portolan_property_text(property) || strncmp(portolan_property_text(property), "ltl", 3) == 0;
    if (run) {
        assert_int_equal(portolan_replay_run(&w->system, answer->trace, answer->trace_length, answer->cycle_start,
                                             fairness, property, NULL),
                         PORTOLAN_OK);
        assert_int_equal(
            portolan_replay_run(w->inner, translated, answer->trace_length, answer->cycle_start, fairness, inner, NULL),
            PORTOLAN_OK);
    } else {
        assert_int_equal(portolan_replay(&w->system, answer->trace, answer->trace_length, property, NULL), PORTOLAN_OK);
        assert_int_equal(portolan_replay(w->inner, translated, answer->trace_length, inner, NULL), PORTOLAN_OK);
    }
    free(translated);
}

struct question {
    enum portolan_kind kind;
    const char *text, *reduction, *search;
    enum portolan_fairness fairness;
};

static enum portolan_verdict asked(struct portolan_system *system, const struct question *question,
                                   const struct portolan_property *property, struct portolan_result *result)
{
    struct portolan_options options = {.reduction = question->reduction,
                                       .search = question->search,
                                       .properties = &property,
                                       .property_count = 1,
                                       .fairness = question->fairness};
    struct portolan_error error = {0};
    if (search_system(system, &options, result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", portolan_property_text(property), error.message);
    return result->answers[0].verdict;
}

static void same_answer(struct wrapper *w, const struct question *question)
{
    struct portolan_property *inner = property_of(w->inner, question->kind, question->text);
    struct portolan_property *wrapped = property_of(&w->system, question->kind, question->text);
    struct portolan_result by_inner, by_wrapper;
    enum portolan_verdict expected = asked(w->inner, question, inner, &by_inner);
    enum portolan_verdict verdict = asked(&w->system, question, wrapped, &by_wrapper);
    if (verdict != expected || verdict == PORTOLAN_UNKNOWN)
        fail_msg("%s %s: %d, not %d", question->reduction, portolan_property_text(wrapped), verdict, expected);
    assert_int_equal(by_wrapper.statistics.executions, by_inner.statistics.executions);
    if (by_wrapper.answers[0].has_trace)
        replays(w, &by_wrapper.answers[0], question->fairness, wrapped, inner);
    result_clear(&by_inner);
    result_clear(&by_wrapper);
    portolan_property_free(inner);
    portolan_property_free(wrapped);
}

static const struct question of_philosophers[] = {
    {.kind = PORTOLAN_NO_DEADLOCK, .reduction = "none", .search = "bfs"},
    {.kind = PORTOLAN_NO_DEADLOCK, .reduction = "none", .search = "dfs"},
    {.kind = PORTOLAN_NO_DEADLOCK, .reduction = "probe"},
    {.kind = PORTOLAN_INVARIANT, .text = "eats_1 + eats_2 <= 1", .reduction = "none"},
    {.kind = PORTOLAN_INVARIANT, .text = "eats_1 + eats_3 <= 1", .reduction = "none"},
    {.kind = PORTOLAN_INVARIANT, .text = "eats_1 + eats_2 <= 1", .reduction = "probe"},
    {.kind = PORTOLAN_INVARIANT, .text = "eats_1 + eats_3 <= 1", .reduction = "probe"},
    {.kind = PORTOLAN_REACH, .text = "fireable(take_right_2) && eats_4 = 1", .reduction = "none"},
    {.kind = PORTOLAN_INVARIANT, .text = "!fireable(take_right_2) || eats_1 = 0", .reduction = "none"},
    {.kind = PORTOLAN_LTL, .text = "G (eats_1 + eats_2 <= 1)", .reduction = "none"},
    {.kind = PORTOLAN_LTL, .text = "F (eats_1 = 1)", .reduction = "none", .search = "scc"},
    {.kind = PORTOLAN_LTL, .text = "F (eats_1 = 1)", .reduction = "none", .search = "ndfs"},
    {.kind = PORTOLAN_LTL, .text = "G F fireable(take_left_1)", .reduction = "none"},
    {.kind = PORTOLAN_LTL, .text = "F (deadlock || eats_1 = 1)", .fairness = PORTOLAN_FAIR_ACTIONS},
    {.kind = PORTOLAN_LTL, .text = "G F (eats_1 = 0)", .fairness = PORTOLAN_FAIR_ACTIONS},
    {.kind = PORTOLAN_LTL, .text = "G (fireable(put_back_1) -> F (eats_1 = 1))", .fairness = PORTOLAN_FAIR_ACTIONS}};

static void properties(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof of_philosophers / sizeof *of_philosophers; i++) {
        struct wrapper *w = wrap_file("examples/philosophers.pnml");
        same_answer(w, &of_philosophers[i]);
        unwrap(w);
    }
}

static void executions(void **unused)
{
    static const char *const methods[] = {"dpor", "source", "optimal", "lazy"};
    (void)unused;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct wrapper *w = wrap_file("examples/threads/philosophers.dl");
        same_answer(w, &(struct question){.kind = PORTOLAN_NO_DEADLOCK, .reduction = methods[i]});
        unwrap(w);
        w = wrap_file("examples/protocols/two-phase-commit.mp");
        same_answer(w, &(struct question){.kind = PORTOLAN_NO_DEADLOCK, .reduction = methods[i]});
        unwrap(w);
    }
}

/* What is reached by independent steps in a certain order only: every action may change it, as far as is known. */
static void visibility(void **unused)
{
    static const char text[] = "initial a1 a2\n"
                               "action x1: deletes a1, creates b1\naction y1: deletes b1, creates c1\n"
                               "action x2: deletes a2, creates b2\naction y2: deletes b2, creates c2\n";
    static const char *const reductions[] = {"none", "probe", "dpor", "source", "optimal"};
    (void)unused;
    char path[] = "/tmp/on-the-fly-XXXXXX.ent";
    int file = mkstemps(path, 4);
    assert_true(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        struct portolan_system *system;
        assert_int_equal(portolan_open(path, &system, NULL), PORTOLAN_OK);
        struct wrapper *w = wrap(system);
        struct question question = {.kind = PORTOLAN_REACH, .text = "b1 = 1 && b2 = 1", .reduction = reductions[i]};
        struct portolan_property *property = property_of(&w->system, question.kind, question.text);
        struct portolan_result result;
        assert_int_equal(asked(&w->system, &question, property, &result), PORTOLAN_HOLDS);
        result_clear(&result);
        portolan_property_free(property);
        unwrap(w);
    }
    unlink(path);
}

/* One philosopher eats forever, and another could begin all the time. */
static void unfair_runs(void **unused)
{
    static const char *const names[] = {"take_left_1", "take_right_1", "put_back_1"};
    (void)unused;
    struct wrapper *w = wrap_file("examples/philosophers.pnml");
    uint32_t trace[3];
    struct portolan_error error;
    for (size_t i = 0; i < 3; i++)
        assert_true(find_action(w, names[i], &trace[i]));
    assert_int_equal(portolan_replay_run(&w->system, trace, 3, 0, PORTOLAN_UNFAIR, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replay_run(&w->system, trace, 3, 0, PORTOLAN_FAIR_ACTIONS, NULL, &error),
                     PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "not fair"));
    unwrap(w);
}

/* --- many at once: lists grow */

enum { MANY = 5000 };

static void many_initial(const void *model, void *state)
{
    (void)model;
    *(uint64_t *)state = 0;
}

/* From 0 to anywhere, and from there back; the way back has a number of its own for each. */
static bool many_find(void *model, const void *state, const struct portolan_receiver *receiver)
{
    uint64_t at = *(const uint64_t *)state;
    (void)model;
    for (uint32_t i = 0; at == 0 && i < MANY; i++)
        if (!receiver->give(receiver->user, i))
            return false;
    return at == 0 || receiver->give(receiver->user, MANY + (uint32_t)at);
}

static enum portolan_fired many_fire(const void *model, const void *state, uint32_t action, void *successor)
{
    (void)model;
    (void)state;
    *(uint64_t *)successor = action < MANY ? action + 1 : 0;
    return PORTOLAN_FIRED;
}

static struct portolan_system many_system(void)
{
    return (struct portolan_system){.name = "many",
                                    .format = "test",
                                    .state_bytes = 8,
                                    .key_bytes = 8,
                                    .actions = PORTOLAN_ACTIONS_ON_THE_FLY,
                                    .initial = many_initial,
                                    .find_enabled = many_find,
                                    .fire = many_fire};
}

static void growing(void **unused)
{
    (void)unused;
    struct portolan_system system = many_system();
    struct portolan_statistics statistics = explored(&system, "none", "none", "dfs");
    assert_int_equal(statistics.states, MANY + 1);
    assert_int_equal(statistics.transitions, 2 * MANY);
    const uint32_t there_and_back[] = {4321, MANY + 4322}, elsewhere[] = {4321, MANY + 4321};
    struct portolan_error error;
    assert_int_equal(portolan_replay(&system, there_and_back, 2, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replay_run(&system, there_and_back, 2, 0, PORTOLAN_UNFAIR, NULL, NULL), PORTOLAN_OK);
    assert_int_equal(portolan_replay(&system, elsewhere, 2, NULL, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "step 2: 'an unknown action' is not enabled"));
}

/* --- what needs actions that are counted */

static void refused(enum portolan_status status, enum portolan_status expected, const struct portolan_error *error,
                    const char *text)
{
    assert_int_equal(status, expected);
    if (!strstr(error->message, text))
        fail_msg("'%s' is not in '%s'", text, error->message);
}

static void refusals(void **unused)
{
    static const char *const reductions[] = {"stubborn", "lpor"};
    (void)unused;
    struct portolan_error error;
    struct portolan_result result;
    struct wrapper *w = wrap_file("examples/philosophers.pnml");
    for (size_t i = 0; i < 2; i++) {
        struct portolan_options options = {.reduction = reductions[i]};
        refused(search_system(&w->system, &options, &result, &error), PORTOLAN_REFUSED, &error, "relations view");
    }
    refused(certificate_allows(&w->system, "no deadlock", &error), PORTOLAN_REFUSED, &error, "known in advance");
    struct portolan_options options = {0};
    w->system.relations = w->inner->relations;
    refused(search_system(&w->system, &options, &result, &error), PORTOLAN_BAD_OPTION, &error, "'relations' needs");
    w->system.relations = NULL;
    w->system.changers = w->inner->changers;
    refused(search_system(&w->system, &options, &result, &error), PORTOLAN_BAD_OPTION, &error, "'changers' needs");
    w->system.changers = (struct portolan_lists){0};
    w->system.find_enabled = NULL;
    refused(search_system(&w->system, &options, &result, &error), PORTOLAN_BAD_OPTION, &error, "'find_enabled'");
    w->system.find_action = NULL;
    struct portolan_property *property;
    refused(portolan_property_new(&w->system, PORTOLAN_REACH, "fireable(take_left_1)", &property, &error),
            PORTOLAN_BAD_INPUT, &error, "take_left_1");
    unwrap(w);
}

/* --- memory that runs out */

/* A search of which something failed claims nothing that is not so: it says what it would have said, or nothing. */
static enum portolan_status honest(struct wrapper *w, const struct portolan_property *property,
                                   const struct question *question, enum portolan_verdict truth)
{
    struct portolan_options options = {.reduction = question->reduction,
                                       .search = question->search,
                                       .properties = &property,
                                       .property_count = 1,
                                       .fairness = question->fairness};
    struct portolan_result result;
    enum portolan_status status = search_system(&w->system, &options, &result, NULL);
    if (status != PORTOLAN_OK)
        return status;
    enum portolan_verdict verdict = result.answers[0].verdict;
    if (verdict == PORTOLAN_UNKNOWN)
        assert_int_equal(result.stop, PORTOLAN_MEMORY_LIMIT);
    else
        assert_int_equal(verdict, truth);
    result_clear(&result);
    return verdict == PORTOLAN_UNKNOWN ? PORTOLAN_NO_MEMORY : PORTOLAN_OK;
}

static const struct {
    struct question question;
    enum portolan_verdict truth;
} hard[] = {{{.kind = PORTOLAN_NO_DEADLOCK, .reduction = "none", .search = "dfs"}, PORTOLAN_VIOLATED},
            {{.kind = PORTOLAN_INVARIANT, .text = "eats_1 + eats_2 <= 1", .reduction = "none"}, PORTOLAN_HOLDS},
            {{.kind = PORTOLAN_INVARIANT, .text = "fireable(take_left_1) || fireable(put_back_1) || eats_1 = 0"},
             PORTOLAN_HOLDS},
            {{.kind = PORTOLAN_REACH, .text = "fireable(take_left_1) && eats_1 = 1"}, PORTOLAN_VIOLATED},
            {{.kind = PORTOLAN_LTL, .text = "G F (eats_1 = 0)", .fairness = PORTOLAN_FAIR_ACTIONS}, PORTOLAN_HOLDS},
            {{.kind = PORTOLAN_LTL, .text = "fireable(take_left_1)"}, PORTOLAN_HOLDS},
            {{.kind = PORTOLAN_LTL, .text = "F (eats_1 = 1)", .fairness = PORTOLAN_FAIR_ACTIONS}, PORTOLAN_VIOLATED}};

static void memory(void **unused)
{
    enum { STEP = 7, MOST = 100000 };
    (void)unused;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        struct wrapper *w = wrap_file("examples/philosophers.pnml");
        struct portolan_property *property = property_of(&w->system, hard[i].question.kind, hard[i].question.text);
        unsigned failures = 0;
        bool last;
        for (w->fails_at = 1; w->fails_at < MOST; w->fails_at += STEP) {
            w->calls = 0;
            failures += honest(w, property, &hard[i].question, hard[i].truth) != PORTOLAN_OK;
            if (w->calls < w->fails_at)
                break;
        }
        assert_true(failures > 0);
        w->fails_at = 0;
        uint64_t at = 0;
        do {
            allocations = 0;
            fails_at = ++at;
            honest(w, property, &hard[i].question, hard[i].truth);
            last = allocations < fails_at;
            fails_at = 0;
        } while (!last);
        assert_true(at > 10);
        portolan_property_free(property);
        unwrap(w);
    }
}

/* Replaying while memory runs out fails; a trace is not found right that is wrong: both properties hold. */
static void memory_of_replays(void **unused)
{
    (void)unused;
    struct wrapper *w = wrap_file("examples/philosophers.pnml");
    struct portolan_property *property = property_of(&w->system, PORTOLAN_INVARIANT, "fireable(take_left_1)");
    struct portolan_property *formula = property_of(&w->system, PORTOLAN_LTL, "fireable(take_left_1)");
    for (w->fails_at = 1; w->fails_at <= 2; w->fails_at++) {
        w->calls = 0;
        enum portolan_status status = portolan_replay(&w->system, NULL, 0, property, NULL);
        assert_true(status == PORTOLAN_NO_MEMORY || status == PORTOLAN_STOPPED);
    }
    uint32_t trace[16];
    size_t length = 0;
    char name[40] = "take_left_1";
    while (find_action(w, name, &trace[length])) /* until all wait for each other */
        snprintf(name, sizeof name, "take_left_%zu", ++length + 1);
    w->calls = w->fails_at = 0;
    portolan_replay_run(&w->system, trace, length, length, PORTOLAN_UNFAIR, formula, NULL);
    uint64_t calls = w->calls;
    for (w->fails_at = 1; w->fails_at <= calls; w->fails_at++) {
        w->calls = 0;
        assert_int_not_equal(portolan_replay_run(&w->system, trace, length, length, PORTOLAN_UNFAIR, formula, NULL),
                             PORTOLAN_OK);
    }
    portolan_property_free(property);
    portolan_property_free(formula);
    unwrap(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exploring),  cmocka_unit_test(properties),  cmocka_unit_test(executions),
        cmocka_unit_test(visibility), cmocka_unit_test(unfair_runs), cmocka_unit_test(growing),
        cmocka_unit_test(refusals),   cmocka_unit_test(memory),      cmocka_unit_test(memory_of_replays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
