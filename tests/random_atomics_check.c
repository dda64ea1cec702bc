/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs of atomics (random_atomics.h), explored by every method: is there a data race, and if there is none,
 * which values are there at the end of all executions?
 *
 *     random_atomics PORTOLAN [--programs N] [--seed S] [--first K] [--subject atomics|loops|choices]
 *
 * PORTOLAN_CC chooses the compiler, as ever.  Methods that see each trace once must see equally many.
 */
#include "random_atomics.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct method methods[] = {{"optimal", false, NULL, "1"},        {"optimal", false, "unchecked", "2"},
                                        {"optimal", false, "unchecked", "3"}, {"source", false, "never", "1"},
                                        {"lazy", false, "unchecked", "1"},    {"dpor", false, NULL, "1"},
                                        {"none", false, NULL, "1"},           {NULL, false, NULL, NULL}};

struct tally {
    uint64_t passed, failed, skipped, races, stuck;
};

/* Several processes may come to a deadlock before one of them comes to a race. */
static bool may_wait_for_ever(const struct atomics_program *program, const struct atomics_truth *truth)
{
    struct atomics_truth whole = {.complete = true};
    if (truth->stuck || !truth->race)
        return truth->stuck;
    atomics_find_truth(program, true, &whole);
    clear_set(&whole.ends);
    return whole.stuck || !whole.complete;
}

/* What is wrong with what a method found; false when nothing is. */
static bool differs(const struct atomics_program *program, const struct atomics_truth *truth, const struct found *found,
                    const struct method *method, char *wrong, size_t size)
{
    const char *strange = truth->race ? NULL : not_in(&found->ends, &truth->ends);
    const char *missed = truth->race || !found->holds ? NULL : not_in(&truth->ends, &found->ends);
    bool is_possible = (truth->race && strcmp(found->error, "data race") == 0) ||
                       (strcmp(found->error, "deadlock") == 0 && may_wait_for_ever(program, truth));
    if (found->wrong && !is_possible)
        snprintf(wrong, size, "%s on %s: %s is not possible", method->reduction, method->threads, found->error);
    else if (found->holds && truth->race)
        snprintf(wrong, size, "%s on %s: the race is not found", method->reduction, method->threads);
    else if (found->holds && truth->stuck)
        snprintf(wrong, size, "%s on %s: that it waits forever is not found", method->reduction, method->threads);
    else if (strange || missed)
        snprintf(wrong, size, "%s on %s: '%s' is %s", method->reduction, method->threads, strange ? strange : missed,
                 strange ? "not possible" : "missing");
    return *wrong;
}

static bool check_program(const struct workshop *shop, enum atomics_subject subject,
                          const struct atomics_program *program, size_t number, const struct atomics_truth *truth,
                          char *wrong, size_t size)
{
    uint64_t traces = 0;
    for (const struct method *method = methods; method->reduction && !*wrong; method++) {
        struct found found;
        bool none = strcmp(method->reduction, "none") == 0;
        if (!explore(shop, number, method, &found)) {
            snprintf(wrong, size, "%s: cannot be run", method->reduction);
            return false;
        }
        if (!differs(program, truth, &found, method, wrong, size) && found.holds && !none) {
            traces = traces ? traces : found.executions;
            bool optimal = strcmp(method->reduction, "optimal") == 0 && *method->threads == '1';
            if (found.executions != traces || (optimal && found.blocked && subject == ATOMICS_ALONE))
                snprintf(wrong, size, "%s on %s: %" PRIu64 " executions (%" PRIu64 " blocked), not %" PRIu64,
                         method->reduction, method->threads, found.executions, found.blocked, traces);
        }
        clear_set(&found.ends);
    }
    return !*wrong;
}

static void check_batch(const struct workshop *shop, uint64_t seed, enum atomics_subject subject, uint64_t first,
                        size_t count, struct tally *tally)
{
    struct atomics_program programs[BATCH];
    for (size_t i = 0; i < count; i++)
        random_atomics(seed * 1000003 + first + i, subject, &programs[i]);
    FILE *out = open_source(shop);
    if (out)
        atomics_write_c(programs, count, subject, out);
    bool compiled = out && fclose(out) == 0 && compile_source(shop);
    for (size_t i = 0; i < count; i++) {
        struct atomics_truth truth = {.complete = true};
        char wrong[300] = "";
        if (compiled)
            atomics_find_truth(&programs[i], false, &truth);
        else
            snprintf(wrong, sizeof wrong, "the batch does not compile");
        if (!truth.complete) {
            tally->skipped++;
        } else if (compiled && check_program(shop, subject, &programs[i], i, &truth, wrong, sizeof wrong)) {
            tally->passed++;
            tally->races += truth.race;
            tally->stuck += truth.stuck;
        } else {
            tally->failed++;
            printf("program %" PRIu64 " of seed %" PRIu64 " (race %d): %s\n", first + i, seed, truth.race, wrong);
            atomics_write_c(&programs[i], 1, subject, stdout);
        }
        clear_set(&truth.ends);
    }
}

int main(int argc, char **argv)
{
    static const char *const subjects[] = {"atomics", "loops", "choices"};
    uint64_t programs = BATCH, seed = 1, first = 0;
    enum atomics_subject subject = ATOMICS_ALONE;
    struct workshop shop;
    struct tally tally = {0};
    for (int i = 2; i + 1 < argc; i += 2) {
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--programs") == 0)
            programs = value;
        else if (strcmp(argv[i], "--seed") == 0)
            seed = value;
        else if (strcmp(argv[i], "--first") == 0)
            first = value;
        else if (strcmp(argv[i], "--subject") != 0)
            return 2;
        while (strcmp(argv[i], "--subject") == 0 && strcmp(argv[i + 1], subjects[subject]) != 0)
            if (++subject > ATOMICS_CHOICES)
                return 2;
    }
    if (argc < 2 || !workshop_open(&shop, argv[1]))
        return 2;
    shop.volatile_is_atomic = subject == ATOMICS_CHOICES;
    for (uint64_t done = 0; done < programs; done += BATCH) {
        uint64_t left = programs - done;
        check_batch(&shop, seed, subject, first + done, left < BATCH ? (size_t)left : BATCH, &tally);
    }
    workshop_close(&shop);
    printf("%" PRIu64 " passed, %" PRIu64 " of them with races, %" PRIu64 " that wait forever; %" PRIu64
           " failed, %" PRIu64 " too large\n",
           tally.passed, tally.races, tally.stuck, tally.failed, tally.skipped);
    return tally.failed != 0 || tally.passed == 0;
}
