/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LazyPOR as printed, beside the other methods: the programs of its document by name, its figures, where it loses
 * traces or does not end, and what it refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vector.h"
#include "front/threads/system.h"
#include "search/search_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED "lazy:as-printed"
#define STATEFUL "lazy:as-printed,stateful"

/* What a search found: traces in canonical form, and the values of the first variables at their ends. */
struct found {
    const struct portolan_system *system;
    uint64_t executions;
    enum portolan_stop stop;
    VECTOR(char *) traces;
    VECTOR(char *) ends;
};

/* Did it come to the end of what it explores, if that is not everything? */
static bool saw_its_part(enum portolan_stop stop)
{
    return stop == PORTOLAN_COMPLETE || stop == PORTOLAN_PARTIAL;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void keep_execution(void *user, const struct portolan_execution *execution)
{
    struct found *found = user;
    const struct portolan_system *system = found->system;
    char *trace = calloc(execution->length + 1, 1), end[200] = "", *out = end;
    assert_non_null(trace);
    for (size_t i = 0; i < execution->length; i++)
        trace[i] = (char)('0' + execution->agents[i]);
    for (uint32_t v = 0; v < system->variables && v < 4; v++)
        out += snprintf(out, (size_t)(end + sizeof end - out), "%lld ",
                        (long long)system->value(system->model, execution->last_state, v));
    assert_true(vector_push(&found->traces, trace));
    assert_true(vector_push(&found->ends, strdup(end)));
}

static size_t distinct(char **texts, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(texts, count, sizeof *texts, by_text);
    for (size_t i = 0; i < count; i++) {
        if (kept && strcmp(texts[kept - 1], texts[i]) == 0)
            free(texts[i]);
        else
            texts[kept++] = texts[i];
    }
    return kept;
}

static bool contains(char *const *texts, size_t count, const char *text)
{
    return bsearch(&text, texts, count, sizeof *texts, by_text);
}

static bool all_contained(char *const *some, size_t some_count, char *const *all, size_t count)
{
    for (size_t i = 0; i < some_count; i++)
        if (!contains(all, count, some[i]))
            return false;
    return true;
}

static struct found find(struct portolan_system *system, const char *method, uint64_t limit)
{
    struct found found = {.system = system};
    struct portolan_options options = {.reduction = method,
                                       .search = "stateless",
                                       .state_limit = limit,
                                       .callbacks = {.user = &found, .execution = keep_execution}};
    struct portolan_result result;
    struct portolan_error error = {0};
    if (search_system(system, &options, &result, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", method, error.message);
    found.executions = result.statistics.executions;
    found.stop = result.stop;
    result_clear(&result);
    found.traces.count = distinct(found.traces.item, found.traces.count);
    found.ends.count = distinct(found.ends.item, found.ends.count);
    return found;
}

static void found_clear(struct found *found)
{
    for (size_t i = 0; i < found->traces.count; i++)
        free(found->traces.item[i]);
    for (size_t i = 0; i < found->ends.count; i++)
        free(found->ends.item[i]);
    free(found->traces.item);
    free(found->ends.item);
}

static struct portolan_system *opened(const char *text)
{
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (threads_open_text("test.dl", text, strlen(text), &system, &error) != PORTOLAN_OK)
        fail_msg("%s in %s", error.message, text);
    return system;
}

static uint64_t executions_of(const char *text, const char *method)
{
    struct portolan_system *system = opened(text);
    struct found found = find(system, method, 0);
    uint64_t executions = found.executions;
    assert_true(saw_its_part(found.stop));
    found_clear(&found);
    portolan_system_free(system);
    return executions;
}

/* --------------------------------------------------- the listings by name */

static const char *const methods[] = {"none", "dpor", "dpor:no-sleep", "source", "lazy", "optimal", PRINTED, STATEFUL};
enum { METHODS = sizeof methods / sizeof *methods, ENDLESS = 0 };

static const struct listing {
    const char *name;
    size_t traces;
    uint64_t executions[METHODS];
} listings[] = {{"1.1", 1, {120, 1, 1, 1, 1, 1, 1, 1}},
                {"1.2", 3, {6, 3, 4, 3, 3, 3, 4, 4}},
                {"4.1", 4, {6, 4, 6, 4, 4, 4, 4, 4}},
                {"4.2", 3, {19, 3, 3, 3, 3, 3, ENDLESS, 6}},
                {"4.3", 3, {3, 3, 3, 3, 3, 3, 3, 3}}};

static void listings_have_their_traces(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++) {
        const struct listing *listing = &listings[i];
        char path[300];
        struct portolan_system *system = NULL;
        snprintf(path, sizeof path, "%s/examples/threads/document/listing-%s.dl", SOURCE_DIR, listing->name);
        assert_int_equal(portolan_open(path, &system, NULL), PORTOLAN_OK);
        for (size_t m = 0; m < METHODS; m++) {
            struct found found = find(system, methods[m], 2000);
            if (listing->executions[m] == ENDLESS) {
                assert_int_equal(found.stop, PORTOLAN_STATE_LIMIT);
            } else if (!saw_its_part(found.stop) || found.executions != listing->executions[m] ||
                       found.traces.count != listing->traces) {
                fail_msg("listing %s, %s: %d executions, %d traces", listing->name, methods[m], (int)found.executions,
                         (int)found.traces.count);
            }
            found_clear(&found);
        }
        portolan_system_free(system);
    }
}

/* ------------------------------------------------------------- appendix B */

static void readers_writers_are_as_printed(void **unused)
{
    (void)unused;
    for (int readers = 1; readers <= 7; readers++) {
        char text[200];
        snprintf(text, sizeof text, "<%d, x 1, l %d> [x := 42] <{%d [ if l[$] == 0 if x == 0 ] }>", readers + 1,
                 readers, readers);
        assert_int_equal(executions_of(text, PRINTED), 1 << readers);
    }
}

/* A message is one step, as in the document's prototype. */
static void indexers_are_as_printed(void **unused)
{
    (void)unused;
    static const struct {
        int threads, messages, distance, executions;
    } rows[] = {{11, 4, 11, 1}, {12, 4, 11, 8}, {13, 4, 11, 64}, {2, 2, 2, 1},
                {3, 2, 2, 2},   {4, 2, 2, 4},   {8, 2, 2, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "int table[128];\n"
                 "thread indexer(tid) * %d {\n"
                 "    for (m in 1..%d) {\n"
                 "        int w = m * %d + tid;\n"
                 "        int h = w * 7 %% 128;\n"
                 "        atomic { while (!cas(table[h], 0, w)) h = (h + 1) %% 128; }\n"
                 "    }\n"
                 "}\n",
                 rows[i].threads, rows[i].messages, rows[i].distance);
        assert_int_equal(executions_of(text, PRINTED), rows[i].executions);
        assert_int_equal(executions_of(text, "lazy"), rows[i].executions);
    }
}

static void branching_text(char *text, size_t size, int threads)
{
    snprintf(text, size,
             "<%d, x %d, const length 1 %d> <{%d [ if x[$] == 0 then { x[$ + 1 %% length] := 1 }"
             " if x[$] == 0 then { x[$ + 1 %% length] := 1 } ] }>",
             threads, threads, threads, threads);
}

/* The counts follow from the order of exploration; the document has 49 and 393. */
static void branching_repeats_and_loses(void **unused)
{
    (void)unused;
    static const struct {
        int threads, executions;
        size_t traces, all;
    } rows[] = {{1, 1, 1, 1}, {2, 34, 8, 11}, {3, 642, 23, 28}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        branching_text(text, sizeof text, rows[i].threads);
        struct portolan_system *system = opened(text);
        struct found printed = find(system, STATEFUL, 0), ours = find(system, "lazy", 0);
        assert_int_equal(printed.executions, rows[i].executions);
        assert_int_equal(printed.traces.count, rows[i].traces);
        assert_int_equal(ours.executions, rows[i].all);
        assert_int_equal(ours.traces.count, rows[i].all);
        assert_true(all_contained(printed.traces.item, printed.traces.count, ours.traces.item, ours.traces.count));
        found_clear(&printed);
        found_clear(&ours);
        portolan_system_free(system);
    }
}

/* ---------------------------------------------------- what it loses, and where it does not end */

/* The second thread writes only if the first has not; state tracking loses the trace in which the third reads that. */
static const char branch_on_shared[] = "<3, x 1, y 1>\n"
                                       "[ if y == 0 ]\n"
                                       "[ if x == 0 then { y := 1 } ]\n"
                                       "[ x := 1 ]\n";

static void keep_interleaving(void *user, const struct portolan_execution *execution)
{
    struct found *found = user;
    char trace[8] = "";
    for (size_t i = 0; i < execution->length; i++)
        trace[i] = (char)('0' + execution->agents[i]);
    found->executions += !contains(found->traces.item, found->traces.count, trace);
}

static void state_tracking_loses_a_trace(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened(branch_on_shared);
    struct found all = find(system, "none", 0), printed = find(system, PRINTED, 0), ours = find(system, "lazy", 0);
    struct found tracking = find(system, STATEFUL, 0);
    assert_int_equal(all.executions, 11);
    assert_int_equal(all.traces.count, 3);
    assert_int_equal(ours.executions, 3);
    assert_int_equal(ours.traces.count, 3);
    assert_int_equal(printed.traces.count, 3);
    assert_int_equal(tracking.traces.count, 2);
    tracking.executions = 0; /* now: interleavings of traces that it lost */
    struct portolan_options options = {
        .reduction = "none", .search = "stateless", .callbacks = {.user = &tracking, .execution = keep_interleaving}};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    result_clear(&result);
    assert_int_equal(tracking.executions, 3);
    found_clear(&all);
    found_clear(&printed);
    found_clear(&ours);
    found_clear(&tracking);
    portolan_system_free(system);
}

static void state_tracking_loses_a_final_state(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("<2, c 1, x 1>\n"
                                            "[ if c == 0 then { if c == 0 } x := 2 ]\n"
                                            "[ x := 1 c := 1 ]\n");
    struct found all = find(system, "none", 0), ours = find(system, "lazy", 0), tracking = find(system, STATEFUL, 0);
    struct found printed = find(system, PRINTED, 1000);
    assert_int_equal(all.ends.count, 2);
    assert_int_equal(ours.ends.count, 2);
    assert_int_equal(tracking.ends.count, 1);
    assert_true(saw_its_part(tracking.stop));
    assert_string_equal(tracking.ends.item[0], "1 2 0 ");
    assert_int_equal(printed.stop, PORTOLAN_STATE_LIMIT); /* the same two executions forever */
    assert_int_equal(printed.traces.count, 2);
    found_clear(&all);
    found_clear(&ours);
    found_clear(&tracking);
    found_clear(&printed);
    portolan_system_free(system);
}

static void going_round_in_circles_is_noticed(void **unused)
{
    (void)unused;
    char text[300];
    branching_text(text, sizeof text, 2);
    struct portolan_system *system = opened(text);
    struct portolan_options options = {.reduction = PRINTED};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_DIVERGES);
    result_clear(&result);
    options.memory_limit = 1 << 20;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_MEMORY_LIMIT);
    result_clear(&result);
    options.time_limit = 1e-6;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_TIME_LIMIT);
    result_clear(&result);
    portolan_system_free(system);
}

/* ------------------------------------------------------------ what it says */

static void its_end_proves_nothing(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("int x; thread one { x = 1; assert(x == 1); }");
    struct portolan_property *property = NULL;
    assert_int_equal(portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &property, NULL), PORTOLAN_OK);
    const struct portolan_property *properties[] = {property};
    static const char *const names[] = {PRINTED, STATEFUL, "lazy"};
    for (size_t i = 0; i < 3; i++) {
        struct portolan_options options = {.reduction = names[i], .properties = properties, .property_count = 1};
        struct portolan_result result;
        assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
        assert_int_equal(result.stop, i < 2 ? PORTOLAN_PARTIAL : PORTOLAN_COMPLETE);
        assert_int_equal(result.answers[0].verdict, i < 2 ? PORTOLAN_UNKNOWN : PORTOLAN_HOLDS);
        assert_string_equal(result.reduction, names[i]);
        result_clear(&result);
    }
    portolan_property_free(property);
    portolan_system_free(system);
}

static void steps_that_wait_are_refused(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened("lock l; thread one { lock(l); unlock(l); }"); /* it never does */
    struct portolan_options options = {.reduction = PRINTED};
    struct portolan_result result;
    struct portolan_error error = {0};
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_REFUSED);
    assert_string_equal(error.message, "'lazy:as-printed' is for models in which no step ever waits");
    assert_string_equal(error.hint, "use lazy");
    portolan_system_free(system);
}

static void several_threads_are_refused(void **unused)
{
    (void)unused;
    struct portolan_system *system = opened(branch_on_shared);
    struct portolan_options options = {.reduction = STATEFUL, .threads = 2};
    struct portolan_result result;
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_REFUSED);
    portolan_system_free(system);
}

/* --------------------------------------------------------- random programs */

static uint32_t below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % limit;
}

static char *random_statements(uint64_t *seed, char *out, bool nested)
{
    static const char variables[] = "xyz";
    for (uint32_t n = 1 + below(seed, 2); n > 0; n--) {
        char variable = variables[below(seed, 3)];
        uint32_t kind = below(seed, nested ? 6 : 10);
        if (kind < 3) {
            out += sprintf(out, " if %c == 0", variable);
        } else if (kind < 6) {
            out += sprintf(out, " %c := %u", variable, 1 + below(seed, 2));
        } else {
            out += sprintf(out, " if %c == %u then {", variable, below(seed, 2));
            out = random_statements(seed, out, true);
            out += sprintf(out, " }");
        }
    }
    return out;
}

/* Where it ends it has found everything, `lazy` always has, and state tracking invents nothing. */
static void random_programs_agree(void **unused)
{
    (void)unused;
    enum { PROGRAMS = 400, LIMIT = 400 };
    size_t ended = 0, lost = 0;
    for (uint64_t number = 1; number <= PROGRAMS; number++) {
        uint64_t seed = number;
        uint32_t threads = 2 + below(&seed, 2);
        char text[600], *out = text + sprintf(text, "<%u, x 1, y 1, z 1>", threads);
        for (uint32_t i = 0; i < threads; i++) {
            out += sprintf(out, " [");
            out = random_statements(&seed, out, false);
            out += sprintf(out, " ]");
        }
        struct portolan_system *system = opened(text);
        struct found all = find(system, "none", 5000);
        if (all.stop == PORTOLAN_COMPLETE) {
            struct found ours = find(system, "lazy", 0), printed = find(system, PRINTED, LIMIT);
            struct found tracking = find(system, STATEFUL, LIMIT);
            bool complete = saw_its_part(printed.stop);
            ended += complete;
            lost += saw_its_part(tracking.stop) && tracking.traces.count < all.traces.count;
            if (ours.executions != all.traces.count || ours.traces.count != all.traces.count ||
                (complete && printed.traces.count != all.traces.count) ||
                !all_contained(printed.traces.item, printed.traces.count, all.traces.item, all.traces.count) ||
                !all_contained(tracking.traces.item, tracking.traces.count, all.traces.item, all.traces.count))
                fail_msg("%s: %d traces, lazy %d, as printed %d", text, (int)all.traces.count, (int)ours.traces.count,
                         (int)printed.traces.count);
            found_clear(&ours);
            found_clear(&printed);
            found_clear(&tracking);
        }
        found_clear(&all);
        portolan_system_free(system);
    }
    assert_true(ended > PROGRAMS / 2); /* so that the claim was tried */
    assert_true(lost > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listings_have_their_traces),
        cmocka_unit_test(readers_writers_are_as_printed),
        cmocka_unit_test(indexers_are_as_printed),
        cmocka_unit_test(branching_repeats_and_loses),
        cmocka_unit_test(state_tracking_loses_a_trace),
        cmocka_unit_test(state_tracking_loses_a_final_state),
        cmocka_unit_test(going_round_in_circles_is_noticed),
        cmocka_unit_test(its_end_proves_nothing),
        cmocka_unit_test(steps_that_wait_are_refused),
        cmocka_unit_test(several_threads_are_refused),
        cmocka_unit_test(random_programs_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
