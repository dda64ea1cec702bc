/*
 * Claims about every protocol, tried on random ones: the relations are true in every reachable state, and each
 * reduction finds the same ends and the same verdicts as full exploration.  ACTORS_FIRST and ACTORS_COUNT choose other
 * ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vector.h"
#include "front/actors/actors.h"
#include "random_protocol.h"

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

enum wanted { ENDS, VERDICTS, EXECUTIONS };

static struct found search_with(struct portolan_system *system, const char *reduction, enum wanted wanted, bool checks)
{
    struct found found = {.ends.bytes = system->key_bytes};
    struct portolan_property *properties[] = {property(system, wanted == VERDICTS ? "safe == 1" : NULL),
                                              property(system, "failed == 0")};
    struct portolan_options options = {.reduction = reduction,
                                       .properties = (const struct portolan_property *const *)properties,
                                       .property_count = wanted == VERDICTS ? 2 : 1,
                                       .all = true,
                                       .check_relations = checks,
                                       .time_limit = wanted == EXECUTIONS ? 0.1 : 5,
                                       .state_limit = wanted == EXECUTIONS ? MOST_EXECUTIONS : MOST_STATES};
    options.callbacks.user = &found.ends;
    if (wanted == ENDS)
        options.callbacks.expanded = on_expanded;
    if (wanted == EXECUTIONS)
        options.callbacks.execution = on_execution;
    struct portolan_result result;
    struct portolan_error error = {0};
    found.status = portolan_search(system, &options, &result, &error);
    if (found.status != PORTOLAN_OK && found.status != PORTOLAN_OVERFLOW)
        fail_msg("%s: %s", reduction, error.message);
    if (found.status == PORTOLAN_OK) {
        found.stop = result.stop;
        found.safe = result.answers[0].verdict;
        found.no_failure = wanted == VERDICTS ? result.answers[1].verdict : PORTOLAN_UNKNOWN;
        found.deadlocks = result.statistics.deadlocks;
        found.states = result.statistics.states;
        portolan_result_clear(&result);
    }
    portolan_property_free(properties[0]);
    portolan_property_free(properties[1]);
    sort_ends(&found.ends);
    return found;
}

static void compare_ends(struct portolan_system *system, const char *what, const char *reduction,
                         const struct found *full, enum wanted wanted)
{
    struct found reduced = search_with(system, reduction, wanted, false);
    bool comparable = reduced.status == PORTOLAN_OK && reduced.stop == PORTOLAN_COMPLETE;
    if (comparable && (reduced.ends.hashes.count != full->ends.hashes.count ||
                       (full->ends.hashes.count && memcmp(reduced.ends.hashes.item, full->ends.hashes.item,
                                                          full->ends.hashes.count * sizeof(uint64_t)) != 0)))
        fail_msg("%s\nwith %s: %zu ends, not %zu", what, reduction, reduced.ends.hashes.count, full->ends.hashes.count);
    free(reduced.ends.hashes.item);
}

static void compare_verdicts(struct portolan_system *system, const char *what, const char *reduction,
                             const struct found *full)
{
    struct found reduced = search_with(system, reduction, VERDICTS, false);
    if (reduced.safe != full->safe || reduced.no_failure != full->no_failure)
        fail_msg("%s\nwith %s: safe %d and failures %d, not %d and %d", what, reduction, (int)reduced.safe,
                 (int)reduced.no_failure, (int)full->safe, (int)full->no_failure);
    free(reduced.ends.hashes.item);
}

/* Returns whether the protocol could be explored in full. */
static bool check_protocol(const char *text, size_t *states)
{
    static const char *const static_ones[] = {"stubborn", "lpor", "lpor:plain", "lpor:online", "lpor:first"};
    static const char *const dynamic_ones[] = {"source", "optimal"};
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    if (actors_open_text("random.mp", text, strlen(text), &system, &error) != PORTOLAN_OK)
        fail_msg("%s\n%u:%u: %s", text, error.line, error.column, error.message);
    struct found widened = search_with(system, "none", ENDS, true); /* afterwards the layout is wide enough */
    free(widened.ends.hashes.item);
    bool complete = widened.status == PORTOLAN_OK && widened.stop == PORTOLAN_COMPLETE;
    if (complete) {
        struct found full = search_with(system, "none", ENDS, false);
        struct found verdicts = search_with(system, "none", VERDICTS, false);
        *states += full.states;
        for (size_t i = 0; i < sizeof static_ones / sizeof *static_ones; i++) {
            compare_ends(system, text, static_ones[i], &full, ENDS);
            compare_verdicts(system, text, static_ones[i], &verdicts);
        }
        bool is_finite = system->actions && !strstr(text, "duplicating"); /* executions end */
        for (size_t i = 0; i < 2 && is_finite; i++)
            compare_ends(system, text, dynamic_ones[i], &full, EXECUTIONS);
        free(full.ends.hashes.item);
        free(verdicts.ends.hashes.item);
    }
    portolan_system_free(system);
    return complete;
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
        complete += check_protocol(text, &states);
        free(text);
    }
    print_message("%d of %d protocols explored in full, %zu states\n", (int)complete, (int)count, states);
    assert_true(complete > count / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reductions_agree_with_full_exploration)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
