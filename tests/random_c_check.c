/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differential tester of C programs: random programs in C and in .dl (random_c.h).  The C programs are compiled,
 * many in one file, and explored by every method; the .dl programs are explored by the search that stores states.
 *
 *     random_c PORTOLAN [--programs N] [--seed S] [--first K] [--shrink 0] [--cplusplus 1]
 *
 * What must agree: whether there is a deadlock, a failed assertion, a data race, and without one the set of values at
 * the end of all executions.  Methods that see each trace once must see equally many, as many as `optimal` sees of the
 * .dl program when that has the same steps.  With --cplusplus the same programs are compiled as C++, where their words
 * stand for std::thread and its like (tests/native/twin.hh).  With plain accesses interleaved, races are no errors and
 * all else is compared.
 */
#include "base/diagnostic.h"
#include "explore_c.h"
#include "front/threads/system.h"
#include "random_c.h"
#include "random_program.h"
#include "search/search_system.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What can happen, and what must. */
struct truth {
    bool deadlock, failed, race;
    bool complete, counted;
    uint64_t executions;
    struct text_set ends;
    const struct portolan_system *system;
};

enum { MOST_STATES = 60000 };

struct settings {
    struct workshop shop;
    uint64_t programs, seed, first, shrink; /* shrink 0: ends with the first failure */
};

/* --- the .dl program */

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct truth *truth = user;
    const struct portolan_system *system = truth->system;
    char line[200];
    size_t used = 0;
    (void)state;
    (void)fully;
    if (enabled)
        return;
    for (const char *const *name = twin_outcome; *name; name++) {
        uint32_t variable = 0;
        if (system->find_variable(system->model, *name, &variable))
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%" PRId64, used ? " " : "",
                                     system->value(system->model, bytes, variable));
    }
    if (!add_text(&truth->ends, line))
        truth->complete = false;
}

static bool search(struct portolan_system *system, struct portolan_options *options, bool *violated,
                   struct portolan_result *result)
{
    const char *stated = system->stated_count ? system->stated[0].text : NULL;
    struct portolan_property *properties[3] = {0};
    struct portolan_error error;
    size_t count = options->search ? 2 : 3; /* races are for those who store nothing */
    bool fine = portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &properties[0], &error) == PORTOLAN_OK &&
                portolan_property_new(system, stated ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK, stated,
                                      &properties[1], &error) == PORTOLAN_OK &&
                portolan_property_new(system, PORTOLAN_NO_RACE, NULL, &properties[2], &error) == PORTOLAN_OK;
    options->properties = (const struct portolan_property *const *)properties;
    options->property_count = count;
    options->all = true;
    fine = fine && search_system(system, options, result, &error) == PORTOLAN_OK;
    for (size_t i = 0; i < 3; i++)
        portolan_property_free(properties[i]);
    if (!fine) {
        diagnostic_write(&error, stdout);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        violated[i] = result->answers[i].verdict == PORTOLAN_VIOLATED && (i != 1 || stated);
    return true;
}

/* All about the .dl program; not complete when it is too large. */
static bool find_truth(const struct twin *twin, bool quiet, struct truth *truth)
{
    char *text = NULL;
    size_t length;
    struct portolan_result result;
    bool violated[3] = {false}, again[3] = {false};
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return false;
    twin_write_dl(twin, out);
    struct portolan_system *system = fclose(out) != 0 ? NULL : quiet ? open_quietly(text) : open_program(text);
    free(text);
    if (!system)
        return false;
    *truth = (struct truth){.complete = true, .system = system};
    struct portolan_options stored = {.reduction = "none",
                                      .search = "bfs",
                                      .state_limit = MOST_STATES,
                                      .callbacks = {.user = truth, .expanded = on_expanded}};
    struct portolan_options stateless = {.reduction = "optimal", .state_limit = MOST_EXECUTIONS};
    bool fine = search(system, &stored, violated, &result);
    if (fine) {
        truth->complete = truth->complete && result.stop == PORTOLAN_COMPLETE;
        result_clear(&result);
    }
    if (fine && truth->complete && (fine = search(system, &stateless, again, &result))) {
        truth->counted = result.stop == PORTOLAN_COMPLETE;
        truth->executions = result.statistics.executions;
        truth->complete = truth->counted || !twin->plain; /* races must be known */
        result_clear(&result);
    }
    truth->deadlock = violated[0];
    truth->failed = violated[1];
    truth->race = again[2];
    make_set(&truth->ends);
    portolan_system_free(system);
    return fine;
}

/* --- the C program */

static const struct method methods[] = {{"optimal", false, NULL, "1"},
                                        {"optimal", false, "unchecked", "1"},
                                        {"optimal", false, NULL, "2"},
                                        {"optimal", false, NULL, "3"},
                                        {"source", false, "never", "1"},
                                        {"lazy", false, "unchecked", "1"},
                                        {"dpor", false, NULL, "1"},
                                        {"none", false, NULL, "1"},
                                        {"optimal", true, "unchecked", "1"},
                                        {"source", true, NULL, "1"},
                                        {NULL, false, NULL, NULL}};

static bool compile(const struct settings *settings, const struct twin *twins, size_t count)
{
    FILE *out = open_source(&settings->shop);
    if (!out)
        return false;
    twins_write_c(twins, count, settings->shop.cplusplus, out);
    return fclose(out) == 0 && compile_source(&settings->shop);
}

/* --- comparing */

static bool is_possible(const struct truth *truth, const char *error, bool interleave)
{
    return (truth->deadlock && strcmp(error, "deadlock") == 0) ||
           (truth->failed && (strcmp(error, "assertion") == 0 || strcmp(error, "misuse") == 0)) ||
           (truth->race && !interleave && strcmp(error, "data race") == 0);
}

/* What is wrong with what a method found, as a sentence; false when nothing is. */
static bool differs(const struct truth *truth, const struct found *found, const struct method *method, char *wrong,
                    size_t size)
{
    char how[60];
    snprintf(how, sizeof how, " with %s thread(s)%s%s%s", method->threads, method->interleave ? " interleaved" : "",
             method->journal ? " journal " : "", method->journal ? method->journal : "");
    const char *strange = not_in(&found->ends, &truth->ends), *missed = not_in(&truth->ends, &found->ends);
    bool erroneous = truth->deadlock || truth->failed || (truth->race && !method->interleave);
    if (found->wrong && !is_possible(truth, found->error, method->interleave))
        snprintf(wrong, size, "%s%s: %s is not possible (deadlock %d, assertion %d, race %d)", method->reduction, how,
                 found->error, truth->deadlock, truth->failed, truth->race);
    else if (found->holds && erroneous)
        snprintf(wrong, size, "%s%s: nothing is found (deadlock %d, assertion %d, race %d)", method->reduction, how,
                 truth->deadlock, truth->failed, truth->race);
    else if (strange)
        snprintf(wrong, size, "%s%s: the outcome '%s' is not possible", method->reduction, how, strange);
    else if (found->holds && missed)
        snprintf(wrong, size, "%s%s: the outcome '%s' is missing", method->reduction, how, missed);
    return *wrong;
}

enum result { PASSED, FAILED, SKIPPED };

/* Compares what the methods say of a compiled program. */
static enum result check_program(const struct settings *settings, const struct twin *twin, size_t number,
                                 const struct truth *truth, char *wrong, size_t size)
{
    uint64_t traces = 0;
    bool interleaved = false;
    for (const struct method *method = methods; method->reduction && !*wrong; method++) {
        struct found found;
        bool none = strcmp(method->reduction, "none") == 0, optimal = strcmp(method->reduction, "optimal") == 0;
        if (method->interleave && !twin->plain)
            continue;
        if (!explore(&settings->shop, number, method, &found))
            return FAILED;
        bool undecided = !found.holds && !found.wrong;
        if (!differs(truth, &found, method, wrong, size) && found.holds && !none) {
            /* where races are no errors, what leaves a value as it was may come in any order */
            bool fewer = !twin->exact && method->interleave && !interleaved && found.executions < traces;
            interleaved = method->interleave;
            if (optimal && method->interleave == twin->plain && twin->exact && truth->counted)
                traces = truth->executions;
            if (optimal && (!traces || fewer))
                traces = found.executions;
            if (found.executions != traces || (optimal && found.blocked && !twin->looks_round))
                snprintf(wrong, size, "%s%s: %" PRIu64 " executions (%" PRIu64 " blocked), not %" PRIu64,
                         method->reduction, method->interleave ? " interleaved" : "", found.executions, found.blocked,
                         traces);
        }
        clear_set(&found.ends);
        if (undecided && !none)
            return *wrong ? FAILED : SKIPPED;
    }
    return *wrong ? FAILED : PASSED;
}

/* --- shrinking */

static bool still_fails(const struct settings *settings, const struct twin *twin, char *wrong, size_t size)
{
    struct truth truth = {0};
    *wrong = '\0';
    bool fails = find_truth(twin, true, &truth) && truth.complete && compile(settings, twin, 1) &&
                 check_program(settings, twin, 0, &truth, wrong, size) == FAILED;
    clear_set(&truth.ends);
    return fails;
}

/* The line that closes the block which a line opens; the line itself when it opens none. */
static size_t end_of_block(const struct twin *twin, size_t line)
{
    int depth = 0;
    for (size_t l = line; l < twin->count; l++) {
        for (const char *c = twin->lines[l].c; *c; c++)
            depth += (*c == '{') - (*c == '}');
        if (depth <= 0)
            return l;
    }
    return line;
}

static void drop_line(struct twin *twin, size_t line)
{
    memmove(&twin->lines[line], &twin->lines[line + 1], (twin->count - line - 1) * sizeof *twin->lines);
    twin->count--;
}

/* The program reports what is there at its end: the threads must have ended. */
static bool is_needed(const char *line)
{
    return strstr(line, "join(") || strstr(line, "pthread_create(");
}

/* Leaves lines out, one or the two around a block, for as long as something is wrong. */
static void shrink(const struct settings *settings, struct twin *twin, char *wrong, size_t size)
{
    char now[400];
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (size_t l = twin->count; l-- > 0;) {
            struct twin less = *twin;
            if (is_needed(twin->lines[l].c))
                continue;
            size_t end = end_of_block(twin, l);
            if (end != l)
                drop_line(&less, end);
            drop_line(&less, l);
            if (!still_fails(settings, &less, now, sizeof now))
                continue;
            *twin = less;
            snprintf(wrong, size, "%s", now);
            smaller = true;
        }
    }
}

static void report(const struct settings *settings, uint64_t number, const struct twin *twin, const char *wrong)
{
    struct twin shrunk = *twin;
    char now[400];
    printf("program %" PRIu64 " of seed %" PRIu64 ": %s\n", number, settings->seed, wrong);
    fflush(stdout);
    if (!settings->shrink)
        return;
    snprintf(now, sizeof now, "%s", wrong);
    shrink(settings, &shrunk, now, sizeof now);
    printf("shrunk: %s\n", now);
    twin_write_dl(&shrunk, stdout);
    for (size_t l = 0; l < shrunk.count; l++)
        printf("%s\n", shrunk.lines[l].c);
    printf("again: random_c PORTOLAN --seed %" PRIu64 " --first %" PRIu64 " --programs 1\n", settings->seed, number);
    fflush(stdout);
}

/* --- main */

struct tally {
    uint64_t count[3];
    uint64_t deadlocks, failures, races, exact;
};

static void check_batch(const struct settings *settings, uint64_t first, size_t count, struct tally *tally)
{
    static struct twin twins[BATCH];
    for (size_t i = 0; i < count; i++)
        random_twin(settings->seed * 1000003 + first + i, &twins[i]);
    bool compiled = compile(settings, twins, count);
    for (size_t i = 0; i < count && (settings->shrink || !tally->count[FAILED]); i++) {
        struct truth truth = {0};
        char wrong[400] = "";
        enum result result = FAILED;
        if (!compiled)
            snprintf(wrong, sizeof wrong, "the batch does not compile");
        else if (find_truth(&twins[i], false, &truth))
            result = truth.complete ? check_program(settings, &twins[i], i, &truth, wrong, sizeof wrong) : SKIPPED;
        tally->count[result]++;
        if (result == PASSED) {
            tally->deadlocks += truth.deadlock;
            tally->failures += truth.failed;
            tally->races += truth.race;
            tally->exact += twins[i].exact && truth.counted;
        }
        if (result == FAILED) {
            report(settings, first + i, &twins[i], wrong);
            compiled = compile(settings, twins, count); /* shrinking has overwritten it */
        }
        clear_set(&truth.ends);
    }
}

int main(int argc, char **argv)
{
    struct settings settings = {.programs = BATCH, .seed = 1, .shrink = 1};
    struct tally tally = {0};
    bool cplusplus = false;
    if (argc < 2)
        return 2;
    for (int i = 2; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--programs") == 0)
            settings.programs = value;
        else if (strcmp(argv[i], "--seed") == 0)
            settings.seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            settings.first = value;
        else if (strcmp(argv[i], "--shrink") == 0)
            settings.shrink = value;
        else if (strcmp(argv[i], "--cplusplus") == 0)
            cplusplus = value;
        else
            return 2;
    }
    if (!workshop_open(&settings.shop, argv[1]))
        return 2;
    settings.shop.cplusplus = cplusplus;
    for (uint64_t done = 0; done < settings.programs && (settings.shrink || !tally.count[FAILED]); done += BATCH) {
        uint64_t left = settings.programs - done;
        check_batch(&settings, settings.first + done, left < BATCH ? (size_t)left : BATCH, &tally);
    }
    workshop_close(&settings.shop);
    printf("%" PRIu64 " passed, %" PRIu64 " failed, %" PRIu64 " too large; of those that passed %" PRIu64
           " deadlock, %" PRIu64 " fail, %" PRIu64 " have races, %" PRIu64 " have equal steps\n",
           tally.count[PASSED], tally.count[FAILED], tally.count[SKIPPED], tally.deadlocks, tally.failures, tally.races,
           tally.exact);
    return tally.count[FAILED] != 0 || tally.count[PASSED] == 0;
}
