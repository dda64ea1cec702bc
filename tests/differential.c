/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester: random nets, each explored in full by a naive
 * explorer and by every combination of reduction, proviso and search.  Nets
 * that once told them apart are given as files.
 *
 *     differential [--nets N] [--seed S] [--first K] [--seconds T] [--verbose] [FILE.pnml ...]
 */
#include "differential_check.h"
#include "shrink.h"

#include "base/diagnostic.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANDOM_FORMULAS = 6, FILE_FORMULAS = CHECK_FORMULAS, MOST_STATES = 3000, MOST_STATES_OF_FILE = 100000 };

struct settings {
    uint64_t nets, seed, first;
    double seconds; /* 0: no limit */
    bool verbose;
};

struct tally {
    uint64_t passed, failed, skipped;
};

/* Formula 0 is "no deadlock", the others are drawn. */
static void draw_formulas(struct formula *formulas, uint32_t count, struct random *random, uint32_t places,
                          uint32_t transitions)
{
    memset(formulas, 0, count * sizeof *formulas);
    formulas[0].kind = PORTOLAN_NO_DEADLOCK;
    for (uint32_t i = 1; i < count; i++)
        formula_random(&formulas[i], random, places, transitions);
}

static enum check_outcome check_sample(const struct sample *sample, uint32_t rotation, struct mismatch *mismatch)
{
    struct net *net = draft_net(&sample->draft, "random");
    if (!net) {
        snprintf(mismatch->kind, sizeof mismatch->kind, "error");
        snprintf(mismatch->detail, sizeof mismatch->detail, "out of memory");
        return CHECK_FAILED;
    }
    struct check_case check = {.net = net,
                               .formulas = sample->formulas,
                               .formula_count = sample->formula_count,
                               .rotation = rotation,
                               .most_states = MOST_STATES};
    enum check_outcome outcome = check_net(&check, mismatch);
    net_free(net);
    return outcome;
}

/* ------------------------------------------------------------------- a failure */

struct failure {
    uint32_t rotation;
    struct mismatch mismatch; /* the one to be kept */
};

static bool still_fails(void *user, const struct sample *sample)
{
    const struct failure *failure = user;
    struct mismatch found;
    return check_sample(sample, failure->rotation, &found) == CHECK_FAILED &&
           strcmp(found.kind, failure->mismatch.kind) == 0;
}

static void write_sample(const struct sample *sample, const char *path)
{
    struct net *net = draft_net(&sample->draft, "shrunk");
    FILE *out = net ? fopen(path, "w") : NULL;
    bool written = out && pnml_write(net, out);
    if (out && fclose(out) != 0)
        written = false;
    net_free(net);
    printf(written ? "  written to %s\n" : "  could not be written to %s\n", path);
}

static void report_failure(const struct settings *settings, uint64_t number, struct sample *sample,
                           struct failure *failure)
{
    char path[128];
    printf("net %" PRIu64 " of seed %" PRIu64 ": %s\n", number, settings->seed, failure->mismatch.detail);
    fflush(stdout);
    shrink(sample, still_fails, failure);
    check_sample(sample, failure->rotation, &failure->mismatch);
    printf("  shrunk to %u places, %u transitions: %s\n", sample->draft.places, sample->draft.transitions,
           failure->mismatch.detail);
    snprintf(path, sizeof path, "differential-%" PRIu64 "-%" PRIu64 ".pnml", settings->seed, number);
    write_sample(sample, path);
    printf("  reproduce: differential --seed %" PRIu64 " --first %" PRIu64 " --nets 1\n", settings->seed, number);
}

/* --------------------------------------------------------------------- the nets */

static void check_random(const struct settings *settings, uint64_t number, struct tally *tally)
{
    struct formula formulas[RANDOM_FORMULAS];
    struct sample sample = {.formulas = formulas, .formula_count = RANDOM_FORMULAS};
    struct random random = random_from(settings->seed, number);
    struct failure failure = {.rotation = (uint32_t)number};
    draft_random(&sample.draft, &random);
    draw_formulas(formulas, RANDOM_FORMULAS, &random, sample.draft.places, sample.draft.transitions);
    switch (check_sample(&sample, failure.rotation, &failure.mismatch)) {
    case CHECK_PASSED: tally->passed++; break;
    case CHECK_SKIPPED: tally->skipped++; break;
    case CHECK_FAILED:
        tally->failed++;
        report_failure(settings, number, &sample, &failure);
        break;
    }
}

static void check_file(const struct settings *settings, const char *path, struct tally *tally)
{
    static struct formula formulas[FILE_FORMULAS];
    struct portolan_error error;
    struct net *net = NULL;
    if (pnml_read(path, &net, &error) != PORTOLAN_OK) {
        diagnostic_write(&error, stdout);
        tally->failed++;
        return;
    }
    struct random random = random_from(settings->seed, net->places);
    struct mismatch mismatch;
    draw_formulas(formulas, FILE_FORMULAS, &random, net->places, net->transitions);
    struct check_case check = {
        .net = net, .formulas = formulas, .formula_count = FILE_FORMULAS, .most_states = MOST_STATES_OF_FILE};
    switch (check_net(&check, &mismatch)) {
    case CHECK_PASSED: tally->passed++; break;
    case CHECK_SKIPPED: tally->skipped++; break;
    case CHECK_FAILED:
        tally->failed++;
        printf("%s: %s\n", path, mismatch.detail);
        break;
    }
    if (settings->verbose)
        printf("%s\n", path);
    net_free(net);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Skipped nets are replaced by the next, but not forever; the first failure ends it. */
static void check_all_random(const struct settings *settings, struct tally *tally)
{
    double start = now();
    uint64_t last = settings->first + 2 * settings->nets;
    for (uint64_t k = settings->first; k < last && tally->passed < settings->nets && !tally->failed; k++) {
        if (settings->seconds > 0 && now() - start > settings->seconds)
            break;
        check_random(settings, k, tally);
        if (settings->verbose && (k + 1) % 100 == 0)
            printf("%" PRIu64 " nets, %.1f s\n", k + 1 - settings->first, now() - start);
    }
}

/* ------------------------------------------------------------------ the command */

static int usage(void)
{
    fprintf(stderr,
            "usage: differential [--nets N] [--seed S] [--first K] [--seconds T] [--verbose] [FILE.pnml ...]\n");
    return 2;
}

static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return *text && *text != '-' && !*end;
}

/* Reads options up to the first file; the index of that file, or 0 when they are wrong. */
static int read_settings(int count, char **words, struct settings *settings)
{
    int i = 1;
    for (; i < count && strncmp(words[i], "--", 2) == 0; i++) {
        uint64_t seconds = 0, *number = NULL;
        if (strcmp(words[i], "--verbose") == 0) {
            settings->verbose = true;
            continue;
        }
        if (strcmp(words[i], "--nets") == 0)
            number = &settings->nets;
        else if (strcmp(words[i], "--seed") == 0)
            number = &settings->seed;
        else if (strcmp(words[i], "--first") == 0)
            number = &settings->first;
        else if (strcmp(words[i], "--seconds") == 0)
            number = &seconds;
        if (!number || i + 1 == count || !read_number(words[++i], number))
            return 0;
        if (number == &seconds)
            settings->seconds = (double)seconds;
    }
    return i;
}

int main(int count, char **words)
{
    struct settings settings = {.nets = 2000, .seed = 1};
    struct tally tally = {0};
    int file = read_settings(count, words, &settings);
    if (!file)
        return usage();
    mallopt(M_TRIM_THRESHOLD, 1 << 26); /* hundreds of thousands of short searches: keep the heap */
    if (file == count)
        check_all_random(&settings, &tally);
    for (; file < count; file++)
        check_file(&settings, words[file], &tally);
    printf("differential: %" PRIu64 " passed, %" PRIu64 " failed", tally.passed, tally.failed);
    if (tally.skipped)
        printf(", %" PRIu64 " skipped", tally.skipped);
    printf("\n");
    return tally.failed ? 1 : 0;
}
