/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester of the stateless searches: random thread programs (and random nets under a bound), every
 * method against every interleaving; and random machines against a naive count of traces (executions_machines.c).
 *
 *     executions [--programs N] [--nets N] [--machines N] [--seed S] [--first K] [FILE.dl ...]
 *
 * What must agree with `none`: the set of traces (canonical forms), the set of last states, deadlock, failed
 * assertions, data races.  No method that keeps sleep sets may complete a trace twice; optimal may not be blocked.
 * `none` itself must agree with the search that stores states.
 */
#include "base/diagnostic.h"
#include "base/vector.h"
#include "executions_machines.h"
#include "front/petri/system.h"
#include "random_net.h"
#include "random_program.h"
#include "search/search_system.h"
#include "search/variants.h"
#include "stateless/worker.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_EXECUTIONS = 30000, NET_BOUND = 2 };

/* A method with so many threads. */
struct run {
    const char *reduction;
    uint32_t threads;
    bool each_once, never_blocked;
};

struct hashes {
    uint64_t *item;
    size_t count, capacity;
};

struct seen {
    const struct portolan_system *system;
    struct hashes traces, ends;
    bool out_of_memory;
};

struct outcome {
    struct seen seen;
    enum portolan_verdict verdicts[3]; /* no deadlock, stated, no race */
    uint64_t executions, blocked;
    bool complete;
};

/* States of a net are packed as tightly as the tokens seen so far allow: their values count, not their bytes. */
static uint64_t hash_state(const struct portolan_system *system, const void *state)
{
    uint64_t hash = 0;
    if (!system->widen)
        return XXH3_64bits(state, system->key_bytes);
    for (uint32_t v = 0; v < system->variables; v++) {
        int64_t value = system->value(system->model, state, v);
        hash = XXH3_64bits_withSeed(&value, sizeof value, hash + v);
    }
    return hash;
}

static void on_execution(void *user, const struct portolan_execution *execution)
{
    struct seen *seen = user;
    uint64_t trace = XXH3_64bits(execution->agents, execution->length * sizeof *execution->agents);
    uint64_t end = hash_state(seen->system, execution->last_state);
    if (!vector_push(&seen->traces, trace) || !vector_push(&seen->ends, end))
        seen->out_of_memory = true;
}

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct seen *seen = user;
    (void)state;
    (void)fully;
    uint64_t end = hash_state(seen->system, bytes);
    if (enabled == 0 && !vector_push(&seen->ends, end))
        seen->out_of_memory = true;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Sorts, and drops what is there twice. */
static void make_set(struct hashes *hashes)
{
    size_t kept = 0;
    if (hashes->count)
        qsort(hashes->item, hashes->count, sizeof *hashes->item, by_value);
    for (size_t i = 0; i < hashes->count; i++)
        if (kept == 0 || hashes->item[kept - 1] != hashes->item[i])
            hashes->item[kept++] = hashes->item[i];
    hashes->count = kept;
}

static bool equal(const struct hashes *a, const struct hashes *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->item, b->item, a->count * sizeof *a->item) == 0);
}

static void outcome_clear(struct outcome *outcome)
{
    free(outcome->seen.traces.item);
    free(outcome->seen.ends.item);
}

/* --------------------------------------------------------------- one search */

struct subject {
    struct portolan_system *system;
    struct portolan_property *properties[3];
    uint32_t bound;
};

static bool subject_make(struct subject *subject, struct portolan_system *system, uint32_t bound)
{
    *subject = (struct subject){.system = system, .bound = bound};
    struct portolan_property **p = subject->properties;
    const char *stated = system->stated_count ? system->stated[0].text : NULL;
    return portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &p[0], NULL) == PORTOLAN_OK &&
           portolan_property_new(system, stated ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK, stated, &p[1], NULL) ==
               PORTOLAN_OK &&
           portolan_property_new(system, PORTOLAN_NO_RACE, NULL, &p[2], NULL) == PORTOLAN_OK;
}

static void subject_clear(struct subject *subject)
{
    for (int i = 0; i < 3; i++)
        portolan_property_free(subject->properties[i]);
    portolan_system_free(subject->system);
}

static bool search(const struct subject *subject, const struct portolan_options *wanted, size_t properties,
                   struct outcome *outcome, char *wrong, size_t size)
{
    struct portolan_options options = *wanted;
    struct portolan_result result;
    struct portolan_error error = {0};
    *outcome = (struct outcome){.seen.system = subject->system};
    options.properties = (const struct portolan_property *const *)subject->properties;
    options.property_count = properties;
    options.all = true;
    options.callbacks.user = &outcome->seen;
    if (search_system(subject->system, &options, &result, &error) != PORTOLAN_OK) {
        snprintf(wrong, size, "%s: %s", options.reduction, error.message);
        return false;
    }
    for (size_t i = 0; i < properties; i++)
        outcome->verdicts[i] = result.answers[i].verdict;
    outcome->complete = result.stop == PORTOLAN_COMPLETE || result.stop == PORTOLAN_STEP_LIMIT; /* within the bound */
    outcome->executions = result.statistics.executions;
    outcome->blocked = result.statistics.blocked;
    result_clear(&result);
    make_set(&outcome->seen.traces);
    make_set(&outcome->seen.ends);
    if (outcome->seen.out_of_memory)
        snprintf(wrong, size, "out of memory");
    return !outcome->seen.out_of_memory;
}

static bool same_verdicts(const struct outcome *a, const struct outcome *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a->verdicts[i] != b->verdicts[i])
            return false;
    return true;
}

/* Every interleaving against the search that stores states. */
static bool check_oracle(const struct subject *subject, const struct outcome *oracle, char *wrong, size_t size)
{
    struct outcome stored;
    struct portolan_options options = {.reduction = "none", .search = "bfs", .callbacks.expanded = on_expanded};
    if (!search(subject, &options, 2, &stored, wrong, size))
        return false;
    bool same = equal(&stored.seen.ends, &oracle->seen.ends) && same_verdicts(&stored, oracle, 2);
    if (!same)
        snprintf(wrong, size, "every interleaving: %zu last states, stored %zu; verdicts %d %d, stored %d %d",
                 oracle->seen.ends.count, stored.seen.ends.count, oracle->verdicts[0], oracle->verdicts[1],
                 stored.verdicts[0], stored.verdicts[1]);
    outcome_clear(&stored);
    return same;
}

static bool check_run(const struct subject *subject, const struct run *run, const struct outcome *oracle, char *wrong,
                      size_t size)
{
    struct outcome found;
    struct portolan_options options = {.reduction = run->reduction,
                                       .search = "stateless",
                                       .threads = run->threads,
                                       .bound = subject->bound,
                                       .callbacks.execution = on_execution};
    if (!search(subject, &options, 3, &found, wrong, size)) {
        outcome_clear(&found);
        return false;
    }
    bool fine = equal(&found.seen.traces, &oracle->seen.traces) && equal(&found.seen.ends, &oracle->seen.ends) &&
                same_verdicts(&found, oracle, 3);
    fine = fine && (!run->each_once || found.executions == found.seen.traces.count);
    fine = fine && (!run->never_blocked || found.blocked == 0);
    if (!fine)
        snprintf(wrong, size,
                 "%s with %u threads: %zu of %zu traces in %" PRIu64 " executions (%" PRIu64
                 " blocked), %zu of %zu last states, verdicts %d %d %d for %d %d %d",
                 run->reduction, run->threads, found.seen.traces.count, oracle->seen.traces.count, found.executions,
                 found.blocked, found.seen.ends.count, oracle->seen.ends.count, found.verdicts[0], found.verdicts[1],
                 found.verdicts[2], oracle->verdicts[0], oracle->verdicts[1], oracle->verdicts[2]);
    outcome_clear(&found);
    return fine;
}

/* Every method that is sound but for `none`, which is the oracle, with one thread and with three.  Sleep sets keep a
 * trace from being explored twice; who has none, or wake-up trees, never gives up an execution. */
static bool check_runs(const struct subject *subject, const struct outcome *oracle, char *wrong, size_t size)
{
    struct variant_cursor cursor = {0};
    struct variant v;
    bool fine = true;
    while (fine && variant_next(&cursor, false, &v))
        for (uint32_t threads = 1; fine && threads <= 3; threads += 2) {
            const struct method *m = v.method;
            if (!m || !m->preserves_traces || strcmp(m->name, "none") == 0 ||
                (threads > 1 && (subject->system->widen || !m->sleeps)))
                continue;
            struct run run = {.reduction = m->name,
                              .threads = threads,
                              .each_once = m->sleeps,
                              .never_blocked = m->sequences == WAKE_UP || (threads == 1 && !m->sleeps)};
            fine = check_run(subject, &run, oracle, wrong, size);
        }
    return fine;
}

/* Takes the system over. */
static enum result check_system(struct portolan_system *system, uint32_t bound, char *wrong, size_t size)
{
    struct subject subject;
    struct outcome oracle = {0};
    struct portolan_options options = {.reduction = "none",
                                       .search = "stateless",
                                       .bound = bound,
                                       .state_limit = MOST_EXECUTIONS,
                                       .callbacks.execution = on_execution};
    enum result result = FAILED;
    if (subject_make(&subject, system, bound) && search(&subject, &options, 3, &oracle, wrong, size)) {
        result = oracle.complete ? PASSED : SKIPPED;
        if (result == PASSED && !bound && !check_oracle(&subject, &oracle, wrong, size))
            result = FAILED;
        if (result == PASSED && !check_runs(&subject, &oracle, wrong, size))
            result = FAILED;
    }
    outcome_clear(&oracle);
    subject_clear(&subject);
    return result;
}

static enum result check_text(const char *text, char *wrong, size_t size)
{
    struct portolan_system *system = open_program(text);
    if (!system) {
        snprintf(wrong, size, "does not open");
        return FAILED;
    }
    return check_system(system, 0, wrong, size);
}

/* ---------------------------------------------------------------- shrinking */

/* Leaves lines out for as long as the program still opens and still fails. */
static void shrink_text(char *text)
{
    char wrong[600];
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (char *line = text; *line;) {
            size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL), rest = strlen(line + length) + 1;
            char *saved = malloc(length + 1);
            if (!saved)
                return;
            memcpy(saved, line, length);
            memmove(line, line + length, rest);
            struct portolan_system *system = open_quietly(text);
            if (system && check_system(system, 0, wrong, sizeof wrong) == FAILED) {
                smaller = true;
            } else {
                memmove(line + length, line, rest);
                memcpy(line, saved, length);
                line += length;
            }
            free(saved);
        }
    }
}

static void report_program(uint64_t seed, uint64_t number, char *text, const char *wrong)
{
    printf("program %" PRIu64 " of seed %" PRIu64 ": %s\n", number, seed, wrong);
    shrink_text(text);
    char path[64];
    snprintf(path, sizeof path, "executions-%" PRIu64 "-%" PRIu64 ".dl", seed, number);
    FILE *out = fopen(path, "w");
    if (out) {
        fputs(text, out);
        fclose(out);
    }
    printf("%s\nshrunk to %s; again: executions --seed %" PRIu64 " --first %" PRIu64 " --programs 1\n", text, path,
           seed, number);
}

/* --------------------------------------------------------------------- main */

struct settings {
    uint64_t programs, nets, machines, seed, first;
};

struct tally {
    uint64_t passed, failed, skipped;
};

static void count(struct tally *tally, enum result result)
{
    tally->passed += result == PASSED;
    tally->failed += result == FAILED;
    tally->skipped += result == SKIPPED;
}

static void check_programs(const struct settings *settings, struct tally *tally)
{
    for (uint64_t i = settings->first; i < settings->first + settings->programs; i++) {
        char wrong[600] = "";
        char *text = random_program(settings->seed * 1000003 + i);
        enum result result = text ? check_text(text, wrong, sizeof wrong) : FAILED;
        count(tally, result);
        if (result == FAILED && text)
            report_program(settings->seed, i, text, wrong);
        free(text);
    }
}

static void check_nets(const struct settings *settings, struct tally *tally)
{
    for (uint64_t i = settings->first; i < settings->first + settings->nets; i++) {
        char wrong[600] = "";
        struct random random = random_from(settings->seed, i);
        struct draft draft;
        struct portolan_system *system = NULL;
        draft_random(&draft, &random);
        while (draft.transitions > 5) /* every interleaving is a lot */
            draft_drop_transition(&draft, draft.transitions - 1);
        struct net *net = draft_net(&draft, "random");
        if (!net || net_system_new(net, &system, NULL) != PORTOLAN_OK)
            continue;
        enum result result = check_system(system, NET_BOUND, wrong, sizeof wrong);
        count(tally, result);
        if (result == FAILED)
            printf("net %" PRIu64 " of seed %" PRIu64 ": %s\n", i, settings->seed, wrong);
    }
}

static void check_files(char **paths, int count_of_paths, struct tally *tally)
{
    for (int i = 0; i < count_of_paths; i++) {
        char wrong[600] = "";
        struct portolan_system *system;
        struct portolan_error error;
        enum result result = FAILED;
        if (portolan_open(paths[i], &system, &error) != PORTOLAN_OK)
            diagnostic_write(&error, stdout);
        else
            result = check_system(system, 0, wrong, sizeof wrong);
        count(tally, result);
        if (result == FAILED)
            printf("%s: %s\n", paths[i], wrong);
    }
}

int main(int argc, char **argv)
{
    struct settings settings = {.seed = 1};
    struct tally tally = {0};
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--programs") == 0)
            settings.programs = value;
        else if (strcmp(argv[i], "--nets") == 0)
            settings.nets = value;
        else if (strcmp(argv[i], "--machines") == 0)
            settings.machines = value;
        else if (strcmp(argv[i], "--seed") == 0)
            settings.seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            settings.first = value;
        else
            return 2;
    }
    mallopt(M_MMAP_THRESHOLD, 1 << 28); /* many small searches: keep their memory */
    check_files(argv + i, argc - i, &tally);
    check_programs(&settings, &tally);
    check_nets(&settings, &tally);
    for (uint64_t k = settings.first; k < settings.first + settings.machines; k++)
        count(&tally, check_machine(settings.seed, k));
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " too large\n", tally.passed, tally.failed,
           tally.skipped);
    return tally.failed != 0 || tally.passed == 0;
}
