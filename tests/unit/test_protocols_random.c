/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about every protocol, tried on random ones: the relations are true in every reachable state, and each
 * reduction finds the same ends and the same verdicts as full exploration.  ACTORS_FIRST and ACTORS_COUNT choose other
 * ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"
#include "front/protocols/protocols.h"
#include "random_protocol.h"
#include "search/search_system.h"

#include <xxhash.h>

enum { PROTOCOLS = 400, MOST_STATES = 1500, MOST_EXECUTIONS = 1000 };

struct ends { /* states in which nothing is enabled, as sorted hashes */
    size_t bytes;
    VECTOR(uint64_t) hashes;
};

struct found {
    struct ends ends;
    enum portolan_status status;
    enum portolan_stop stop;
    enum portolan_verdict safe, no_failure;
    uint64_t deadlocks, states;
    char wrong[160]; /* the search itself: relations that are not true, a trace that is none */
};

static void add_end(struct ends *ends, const void *state)
{
    assert_true(vector_push(&ends->hashes, XXH3_64bits(state, ends->bytes)));
}

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    (void)state;
    (void)fully;
    if (enabled == 0)
        add_end(user, bytes);
}

static void on_execution(void *user, const struct portolan_execution *execution)
{
    if (execution->deadlock)
        add_end(user, execution->last_state);
}

static int by_value(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort_ends(struct ends *ends)
{
    size_t kept = 0;
    if (ends->hashes.count)
        qsort(ends->hashes.item, ends->hashes.count, sizeof *ends->hashes.item, by_value);
    for (size_t i = 0; i < ends->hashes.count; i++)
        if (i == 0 || ends->hashes.item[i] != ends->hashes.item[kept - 1])
            ends->hashes.item[kept++] = ends->hashes.item[i];
    ends->hashes.count = kept;
}

static struct portolan_property *property(struct portolan_system *system, const char *text)
{
    struct portolan_property *made = NULL;
    struct portolan_error error = {0};
    enum portolan_kind kind = text ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK;
    if (portolan_property_new(system, kind, text, &made, &error) != PORTOLAN_OK)
        fail_msg("%s: %s", text, error.message);
    return made;
}

enum wanted { ENDS, VERDICTS, EXECUTIONS, DYNAMIC_VERDICTS };

/* name: a reduction, or "reduction proviso". */
static struct found search_with(struct portolan_system *system, const char *name, enum wanted wanted, bool checks)
{
    const char *space = strchr(name, ' ');
    char reduction[32];
    snprintf(reduction, sizeof reduction, "%.*s", space ? (int)(space - name) : (int)strlen(name), name);
    struct found found = {.ends.bytes = system->key_bytes};
    bool has_verdicts = wanted == VERDICTS || wanted == DYNAMIC_VERDICTS, is_dynamic = wanted > VERDICTS;
    struct portolan_property *properties[] = {property(system, has_verdicts ? "safe == 1" : NULL),
                                              property(system, "failed == 0")};
    struct portolan_options options = {.reduction = reduction,
                                       .proviso = space ? space + 1 : NULL,
                                       .properties = (const struct portolan_property *const *)properties,
                                       .property_count = has_verdicts ? 2 : 1,
                                       .all = true,
                                       .check_relations = checks,
                                       .time_limit = is_dynamic ? 0.1 : 5,
                                       .state_limit = is_dynamic ? MOST_EXECUTIONS : MOST_STATES};
    options.callbacks.user = &found.ends;
    if (wanted == ENDS)
        options.callbacks.expanded = on_expanded;
    if (wanted == EXECUTIONS)
        options.callbacks.execution = on_execution;
    struct portolan_result result;
    struct portolan_error error = {0};
    found.status = search_system(system, &options, &result, &error);
    if (found.status == PORTOLAN_OK) {
        found.stop = result.stop;
        found.safe = result.answers[0].verdict;
        found.no_failure = has_verdicts ? result.answers[1].verdict : PORTOLAN_UNKNOWN;
        found.deadlocks = result.statistics.deadlocks;
        found.states = result.statistics.states;
        result_clear(&result);
    } else if (found.status != PORTOLAN_OVERFLOW) {
        snprintf(found.wrong, sizeof found.wrong, "%.150s", error.message);
    }
    portolan_property_free(properties[0]);
    portolan_property_free(properties[1]);
    sort_ends(&found.ends);
    return found;
}

/* The first disagreement of a protocol, empty when there is none. */
struct findings {
    char why[200];
    bool complete;
    size_t states;
};

static __attribute__((format(printf, 2, 3))) void differ(struct findings *f, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!f->why[0])
        vsnprintf(f->why, sizeof f->why, format, arguments);
    va_end(arguments);
}

static void compare_ends(struct portolan_system *system, struct findings *f, const char *reduction,
                         const struct found *full, enum wanted wanted)
{
    struct found reduced = search_with(system, reduction, wanted, false);
    if (reduced.wrong[0])
        differ(f, "with %s: %s", reduction, reduced.wrong);
    bool comparable = reduced.status == PORTOLAN_OK && reduced.stop == PORTOLAN_COMPLETE;
    if (comparable && (reduced.ends.hashes.count != full->ends.hashes.count ||
                       (full->ends.hashes.count && memcmp(reduced.ends.hashes.item, full->ends.hashes.item,
                                                          full->ends.hashes.count * sizeof(uint64_t)) != 0)))
        differ(f, "with %s: %zu ends, not %zu", reduction, reduced.ends.hashes.count, full->ends.hashes.count);
    free(reduced.ends.hashes.item);
}

static void compare_verdicts(struct portolan_system *system, struct findings *f, const char *reduction,
                             const struct found *full, enum wanted wanted)
{
    struct found reduced = search_with(system, reduction, wanted, false);
    if (reduced.wrong[0])
        differ(f, "with %s: %s", reduction, reduced.wrong);
    bool comparable = wanted == VERDICTS || (reduced.status == PORTOLAN_OK && reduced.stop == PORTOLAN_COMPLETE);
    if (comparable && (reduced.safe != full->safe || reduced.no_failure != full->no_failure))
        differ(f, "with %s: safe %d and failures %d, not %d and %d", reduction, (int)reduced.safe,
               (int)reduced.no_failure, (int)full->safe, (int)full->no_failure);
    free(reduced.ends.hashes.item);
}

/* Leaving out messages that nobody can take changes no answer. */
static void compare_with_dead(const char *text, struct findings *f, const struct found *full,
                              const struct found *verdicts)
{
    struct portolan_system *system = NULL;
    const char *keep_dead = "keep-dead=1";
    assert_int_equal(protocols_open_text("random.mp", text, strlen(text), &keep_dead, 1, &system, NULL), PORTOLAN_OK);
    struct found raw = search_with(system, "none", ENDS, true);
    if (raw.status == PORTOLAN_OK && raw.stop == PORTOLAN_COMPLETE) {
        struct found found = search_with(system, "none", VERDICTS, false);
        if (found.safe != verdicts->safe || found.no_failure != verdicts->no_failure ||
            (raw.deadlocks > 0) != (full->deadlocks > 0))
            differ(f, "with dead messages: safe %d, failures %d, %d deadlocks, not %d, %d, %d", (int)found.safe,
                   (int)found.no_failure, (int)raw.deadlocks, (int)verdicts->safe, (int)verdicts->no_failure,
                   (int)full->deadlocks);
        if (raw.states < full->states)
            differ(f, "%d states with dead messages, %d without", (int)raw.states, (int)full->states);
        free(found.ends.hashes.item);
    }
    free(raw.ends.hashes.item);
    portolan_system_free(system);
}

static void check_system(struct portolan_system *system, const char *text, struct findings *f)
{
    static const char *const static_ones[] = {"stubborn", "lpor", "lpor:plain", "lpor:online", "lpor:first"};
    static const char *const provisos[] = {"stubborn safe", "stubborn color-star", "stubborn queue", "lpor stack"};
    static const char *const dynamic_ones[] = {"source", "optimal"};
    /* executions end; with crashes left out of them there are fewer ends */
    bool is_finite = system->actions && !strstr(text, "duplicating");
    struct found full = search_with(system, "none", ENDS, false);
    struct found verdicts = search_with(system, "none", VERDICTS, false);
    f->states = full.states;
    for (size_t i = 0; i < sizeof static_ones / sizeof *static_ones; i++) {
        if (!system->leave_out)
            compare_ends(system, f, static_ones[i], &full, ENDS);
        compare_verdicts(system, f, static_ones[i], &verdicts, VERDICTS);
    }
    for (size_t i = 0; i < 4; i++)
        compare_verdicts(system, f, provisos[i], &verdicts, VERDICTS);
    for (size_t i = 0; i < 2 && is_finite; i++) {
        if (!system->is_final)
            compare_ends(system, f, dynamic_ones[i], &full, EXECUTIONS);
        compare_verdicts(system, f, dynamic_ones[i], &verdicts, DYNAMIC_VERDICTS);
    }
    compare_with_dead(text, f, &full, &verdicts);
    free(full.ends.hashes.item);
    free(verdicts.ends.hashes.item);
}

static struct findings check_protocol(const char *text)
{
    struct findings f = {0};
    struct portolan_system *system = NULL;
    if (protocols_open_text("random.mp", text, strlen(text), NULL, 0, &system, NULL) != PORTOLAN_OK)
        return f;
    uint32_t safe;
    if (system->find_variable(system->model, "safe", &safe)) {
        struct found widened = search_with(system, "none", ENDS, true); /* afterwards the layout is wide enough */
        if (widened.wrong[0])
            differ(&f, "%s", widened.wrong);
        f.complete = widened.status == PORTOLAN_OK && widened.stop == PORTOLAN_COMPLETE;
        free(widened.ends.hashes.item);
        if (f.complete)
            check_system(system, text, &f);
    }
    portolan_system_free(system);
    return f;
}

static bool still_fails(void *user, const char *text)
{
    (void)user;
    return check_protocol(text).why[0];
}

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void reductions_agree_with_full_exploration(void **unused)
{
    (void)unused;
    uint64_t first = number_of("ACTORS_FIRST", 1), count = number_of("ACTORS_COUNT", PROTOCOLS), complete = 0;
    size_t states = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        char *text = random_protocol(seed);
        assert_non_null(text);
        struct findings f = check_protocol(text);
        if (f.why[0]) {
            shrink_protocol(&text, still_fails, NULL);
            fail_msg("protocol %d, made smaller:\n%s%s", (int)seed, text, check_protocol(text).why);
        }
        complete += f.complete;
        states += f.states;
        free(text);
    }
    print_message("%d of %d protocols explored in full, %zu states\n", (int)complete, (int)count, states);
    assert_true(complete > count / 2);
}

/* Protocols on which something was once wrong. */
static const char *const once_wrong[] = {
    /* two sends of a process to a queue with room for one */
    "channels fifo 1 message m(v: 0..2)"
    "process P { var y: 0..2 rule r on m(x) from Q { y = 1 send m(2 - x) to P } rule s { send m(2) to P } }"
    "process Q { rule s { send m(0) to P } } invariant safe: true",
    /* broken forever by two steps that do not depend on each other: the trace needs both */
    "process P[1..2] { var x: 0..2 var n: 0..2 = 1 rule r { x = 2 n = n - 1 } }"
    "invariant safe: P[1].x != 2 or P[2].x != 2"};

static void what_was_once_wrong_is_right(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof once_wrong / sizeof *once_wrong; i++) {
        struct findings f = check_protocol(once_wrong[i]);
        if (f.why[0] || !f.complete)
            fail_msg("%s\n%s", once_wrong[i], f.complete ? f.why : "not explored in full");
    }
}

static bool sends_to_itself(void *user, const char *text)
{
    struct portolan_system *system = NULL;
    uint32_t action;
    (void)user;
    if (protocols_open_text("random.mp", text, strlen(text), NULL, 0, &system, NULL) != PORTOLAN_OK)
        return false;
    bool does = system->find_action(system->model, "A echo: ping from A", &action);
    portolan_system_free(system);
    return does;
}

static void a_failing_protocol_is_made_smaller(void **unused)
{
    (void)unused;
    char *text =
        strdup("const c = 2\nmessage ping, pong\ncrashes 1 of A\nprocess A {\n    var x: 0..c\n"
               "    rule start when x < c { x = x + 1 send ping to A }\n    rule echo on ping { send pong to B "
               "}\n}\nprocess B { rule take on pong { } }\nfinal true\n");
    assert_non_null(text);
    assert_true(sends_to_itself(NULL, text));
    shrink_protocol(&text, sends_to_itself, NULL);
    assert_true(sends_to_itself(NULL, text));
    assert_null(strstr(text, "process B"));
    assert_null(strstr(text, "crashes"));
    assert_null(strstr(text, "x + 1"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reductions_agree_with_full_exploration),
                                       cmocka_unit_test(what_was_once_wrong_is_right),
                                       cmocka_unit_test(a_failing_protocol_is_made_smaller)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
