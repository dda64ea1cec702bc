/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random Promela programs: what Spin says against our full search (verdicts always, the number of states where no
 * assertion fails), then every reduction x proviso x search of ours against that.  A program on which two answers
 * differ is made smaller line by line and written to a file.
 *
 *     random_promela [--programs N] [--seed S] [--first K] [--spin-only] [--safety] [--claims] [--as-drawn] [--print]
 * [--c-every N] [FILE...]
 *
 * --safety draws on and asks of the programs without claims only, --claims of those with a never claim, --as-drawn
 * makes none smaller.
 */
#include "random_promela.h"

#include "random_run.h"

#include "property/property.h"
#include "property/verdict.h"
#include "search/search_system.h"
#include "search/variants.h"
#include "threads.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { C_EVERY = 10 }; /* of so many programs one has C in it, which takes a compiler */
enum { MOST_STATES = 200000, MOST_REDUCED = 2000, MOST_EXECUTIONS = 100, MOST_STEPS = 12 };
/* Of a formula the full search may have been over soon, where a reduced one has the whole model before it begins. */
enum { MOST_UNREDUCED = 3 * MOST_STATES, MOST_TEMPORAL = 20 * MOST_REDUCED };

struct check {
    char directory[64];
    char message[600];
    bool spin_only, only_safety, only_claims, shrinks;
    struct spin_answer spin;
    uint64_t passed, skipped, refused, failed;
    uint64_t unasked; /* of those that passed: refused by us, or without such a property */
    uint64_t unfound; /* the same: Spin stopped at a violation that we had no room to reach */
};

static __attribute__((format(printf, 2, 3))) bool differ(struct check *c, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(c->message, sizeof c->message, format, list);
    va_end(list);
    return false;
}

/* ---------------------------------------------------------------------------- ours */

/* The properties that a question is about. */
struct asked {
    struct portolan_property *property[8];
    size_t count;
};

static bool is_asked(const struct promela_program *program, const struct portolan_stated_property *stated)
{
    bool temporal = stated->kind == PORTOLAN_LTL || stated->kind == PORTOLAN_AUTOMATON;
    return temporal == (program->question != ASK_SAFETY);
}

static bool ask_properties(const struct promela_program *program, const struct portolan_system *system,
                           struct asked *asked, struct portolan_error *error)
{
    asked->count = 0;
    if (program->question == ASK_SAFETY &&
        portolan_property_new(system, PORTOLAN_NO_DEADLOCK, NULL, &asked->property[asked->count++], error))
        return false;
    const char *cycles = program->question == ASK_ACCEPTANCE ? "F G !accept_"
                         : program->question == ASK_PROGRESS ? "G F !np_cycle_"
                                                             : NULL;
    if (cycles && portolan_property_new(system, PORTOLAN_LTL, cycles, &asked->property[asked->count++], error))
        return false;
    for (size_t i = 0; i < system->stated_count && asked->count < 8; i++)
        if (is_asked(program, &system->stated[i])) {
            if (portolan_property_new(system, (enum portolan_kind)system->stated[i].kind, system->stated[i].text,
                                      &asked->property[asked->count], error))
                return false;
            asked->count++;
        }
    return true;
}

static void clear_properties(struct asked *asked)
{
    for (size_t i = 0; i < asked->count; i++)
        portolan_property_free(asked->property[i]);
}

struct verdicts {
    bool complete;
    enum portolan_verdict deadlock, others; /* others: the worst of them */
    uint64_t states;
};

static uint64_t most_states(const struct promela_program *program, const struct variant *variant)
{
    if (variant && variant->method)
        return MOST_EXECUTIONS;
    return variant && program->question != ASK_SAFETY ? MOST_TEMPORAL : MOST_UNREDUCED;
}

static enum portolan_status search(const struct promela_program *program, struct portolan_system *system,
                                   const struct asked *asked, const struct variant *variant, bool all,
                                   struct verdicts *v, struct portolan_error *error)
{
    struct portolan_result result;
    struct portolan_options options = {.reduction = variant ? variant->reduction : "none",
                                       .proviso = variant ? variant->proviso : NULL,
                                       .search = variant ? variant->search : NULL,
                                       .properties = (const struct portolan_property *const *)asked->property,
                                       .property_count = asked->count,
                                       .fairness = program->fair ? PORTOLAN_FAIR_AGENTS : PORTOLAN_UNFAIR,
                                       .threads = variant && variant->method ? 0 : tester_threads(),
                                       .store = variant && variant->method ? NULL : tester_store(),
                                       .all = all,
                                       .bound = variant && variant->method ? MOST_STEPS : 0,
                                       .state_limit = most_states(program, variant)};
    *v = (struct verdicts){.deadlock = PORTOLAN_HOLDS, .others = PORTOLAN_HOLDS};
    enum portolan_status status = search_system(system, &options, &result, error);
    if (status != PORTOLAN_OK)
        return status;
    v->complete = result.stop == PORTOLAN_COMPLETE || result.stop == PORTOLAN_DECIDED;
    v->states = result.statistics.states;
    for (size_t i = 0; i < result.answer_count; i++) {
        enum portolan_verdict *verdict = asked->property[i]->kind == PORTOLAN_NO_DEADLOCK ? &v->deadlock : &v->others;
        if (result.answers[i].verdict != PORTOLAN_HOLDS && *verdict != PORTOLAN_VIOLATED)
            *verdict = result.answers[i].verdict;
    }
    result_clear(&result);
    return PORTOLAN_OK;
}

/* -------------------------------------------------------------------------- checking */

static const char *word(enum portolan_verdict verdict)
{
    return verdict_word(verdict);
}

static bool same_verdict(struct check *c, const char *what, bool violated, enum portolan_verdict ours)
{
    if (ours == (violated ? PORTOLAN_VIOLATED : PORTOLAN_HOLDS))
        return true;
    return differ(c, "%s: Spin says %s, we %s", what, violated ? "violated" : "holds", word(ours));
}

/* A fair run is a run: what is wrong with one Spin finds without -f. */
static bool is_violated_unfairly(struct check *c, const struct promela_program *program)
{
    static struct promela_program unfair;
    struct spin_answer answer;
    unfair = *program;
    unfair.fair = false;
    spin_ask(&unfair, c->directory, &answer);
    if (answer.refused || answer.unfinished || answer.has_cycle || answer.fails_assertion)
        return true;
    return differ(c, "cycles: Spin says holds even of runs that are not fair, we violated");
}

static bool compare_with_spin(struct check *c, const struct promela_program *program, const struct verdicts *ours)
{
    const struct spin_answer *spin = &c->spin;
    bool violated = spin->has_cycle || spin->fails_assertion;
    if (program->fair && !violated && ours->others == PORTOLAN_VIOLATED)
        return is_violated_unfairly(c, program); /* with -f Spin misses runs that end: docs/spin.md has one */
    if (program->question != ASK_SAFETY)
        return same_verdict(c, "cycles", violated, ours->others);
    if (spin->has_error && !spin->fails_assertion)
        return same_verdict(c, "errors", true, ours->others); /* what follows an error is Spin's own */
    if (!same_verdict(c, "assertions", spin->fails_assertion, ours->others))
        return false;
    if (spin->stopped || spin->has_error)
        return true;
    if (spin->fails_assertion) /* Spin goes on behind the failure, we do not: what we find it finds */
        return ours->deadlock != PORTOLAN_VIOLATED ||
               same_verdict(c, "end states", spin->has_invalid_end, ours->deadlock);
    if (!same_verdict(c, "end states", spin->has_invalid_end, ours->deadlock))
        return false;
    if (ours->states != spin->states)
        return differ(c, "states: Spin has %" PRIu64 ", we %" PRIu64, spin->states, ours->states);
    return true;
}

static bool compare_variants(struct check *c, const struct promela_program *program, struct portolan_system *system,
                             const struct asked *asked, const struct verdicts *full, uint64_t number)
{
    struct variant_cursor cursor = {0};
    struct variant variant;
    bool temporal = program->question != ASK_SAFETY;
    for (uint64_t i = 0; variant_next(&cursor, temporal, &variant); i++) {
        struct portolan_error error = {0};
        struct verdicts v;
        if ((i + number) % 5)
            continue; /* a fifth of them in each program */
        enum portolan_status status = search(program, system, asked, &variant, false, &v, &error);
        /* the full search may have decided before there were more processes than was expected */
        if (status == PORTOLAN_REFUSED || (status == PORTOLAN_STOPPED && temporal))
            continue;
        if (status != PORTOLAN_OK)
            return differ(c, "%s %s %s: %s", variant.reduction, variant.proviso, variant.search, error.message);
        /* where everything was covered there are few states, and so in what is left of them: only executions may be too
         * many; of a formula the full search sees no more than the automaton wants to, a reduced one sees the program
         */
        bool covered = !temporal;
        if (!v.complete && !variant.method && covered)
            return differ(c, "%s %s %s: no room for a model of %" PRIu64 " states", variant.reduction, variant.proviso,
                          variant.search, full->states);
        /* a search stops at the first violation: of several properties the others stay unknown */
        bool some = v.deadlock == PORTOLAN_VIOLATED || v.others == PORTOLAN_VIOLATED;
        bool wrong =
            (v.deadlock == PORTOLAN_VIOLATED && full->deadlock == PORTOLAN_HOLDS) ||
            (v.others == PORTOLAN_VIOLATED && full->others == PORTOLAN_HOLDS) ||
            (v.complete && !some && (full->deadlock == PORTOLAN_VIOLATED || full->others == PORTOLAN_VIOLATED));
        if (wrong)
            return differ(c, "%s %s %s: deadlock %s, others %s; in full deadlock %s, others %s", variant.reduction,
                          variant.proviso, variant.search, word(v.deadlock), word(v.others), word(full->deadlock),
                          word(full->others));
    }
    return true;
}

/* Spin has stopped at a violation, and we went on until there was no room.  We must find one, or have no room for that
 * either. */
static bool finds_one(struct check *c, const struct promela_program *program, struct portolan_system *system,
                      const struct asked *asked)
{
    struct verdicts first;
    struct portolan_error error = {0};
    if (search(program, system, asked, NULL, false, &first, &error) != PORTOLAN_OK)
        return differ(c, "searching for one: %s", error.message);
    if (first.others == PORTOLAN_VIOLATED)
        return true;
    c->unfound++;
    return !first.complete || differ(c, "cycles: Spin says violated, we %s", word(first.others));
}

static bool check_ours(struct check *c, const struct promela_program *program, uint64_t number, bool unrolls)
{
    char path[128];
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    struct asked asked = {0};
    struct verdicts full;
    static const char *const definitions[] = {"allow-c=1", "unroll=0", "INSIDE=1"};
    snprintf(path, sizeof path, "%s/m.pml", c->directory);
    if (portolan_open_with(path, definitions, unrolls ? 1 : 3, &system, &error) != PORTOLAN_OK)
        return differ(c, "opening: %u:%u: %s", error.line, error.column, error.message);
    bool fine = ask_properties(program, system, &asked, &error);
    if (!fine)
        differ(c, "properties: %s", error.message);
    enum portolan_status status = fine ? search(program, system, &asked, NULL, true, &full, &error) : PORTOLAN_OK;
    bool asks = asked.count && status != PORTOLAN_REFUSED; /* what is refused is not answered wrongly */
    if (status == PORTOLAN_STOPPED && c->spin.fails_assertion) {
        asks =
            false; /* who has failed stays, so that there may be more and more processes; in Spin it goes on and ends */
        c->unfound++;
    }
    c->unasked += !asks;
    if (status != PORTOLAN_OK && asks)
        fine = differ(c, "searching: %s", error.message);
    if (fine && !asks)
        full = (struct verdicts){0};
    else if (fine && full.complete)
        fine = compare_with_spin(c, program, &full);
    else if (fine && program->question != ASK_SAFETY && (c->spin.has_cycle || c->spin.fails_assertion)) {
        fine = full.others == PORTOLAN_VIOLATED || finds_one(c, program, system, &asked);
        asks = false; /* Spin has few states because it stopped */
    } else if (fine)
        fine = differ(c, "states: more than %d, Spin has %" PRIu64, MOST_UNREDUCED, c->spin.states);
    if (fine && asks && full.states <= MOST_REDUCED)
        fine = compare_variants(c, program, system, &asked, &full, number);
    clear_properties(&asked);
    portolan_system_free(system);
    return fine;
}

/* Do all agree?  What Spin cannot answer is nobody's fault. */
static bool agrees(struct check *c, const struct promela_program *program, uint64_t number, bool *answered)
{
    spin_ask(program, c->directory, &c->spin);
    *answered = !c->spin.refused && !c->spin.unfinished && c->spin.states <= MOST_STATES;
    c->message[0] = '\0';
    if (!*answered || c->spin_only)
        return true;
    /* states within atomic sequences are counted, but formulas do not see them */
    return check_ours(c, program, number, true) &&
           (program->question == ASK_SAFETY || check_ours(c, program, number, false));
}

/* ------------------------------------------------------------------------- shrinking */

struct text_lines {
    char *line[2000];
    size_t count;
};

static void split(char *text, struct text_lines *lines)
{
    lines->count = 0;
    for (char *line = strtok(text, "\n"); line && lines->count < 2000; line = strtok(NULL, "\n"))
        lines->line[lines->count++] = line;
}

static void join_without(const struct text_lines *lines, size_t from, size_t count, char *text)
{
    size_t used = 0;
    for (size_t i = 0; i < lines->count; i++)
        if (i < from || i >= from + count)
            used += (size_t)snprintf(text + used, PROMELA_TEXT - used, "%s\n", lines->line[i]);
}

/* The kind of a difference: its words up to the colon. */
static bool same_kind(const char *a, const char *b)
{
    size_t length = strcspn(a, ":");
    return strncmp(a, b, length + 1) == 0;
}

static void shrink(struct check *c, struct promela_program *program, uint64_t number)
{
    char kind[sizeof c->message];
    snprintf(kind, sizeof kind, "%s", c->message);
    static char text[PROMELA_TEXT];
    static struct text_lines lines;
    struct promela_program smaller = *program;
    for (size_t chunk = 16; chunk >= 1; chunk /= 2)
        for (size_t from = 0;; from++) {
            snprintf(text, sizeof text, "%s", program->text);
            split(text, &lines);
            if (from >= lines.count)
                break;
            join_without(&lines, from, chunk, smaller.text);
            bool answered;
            if (!agrees(c, &smaller, number, &answered) && same_kind(kind, c->message)) {
                *program = smaller;
                from = from ? from - 1 : 0;
            }
        }
    bool answered;
    agrees(c, program, number, &answered); /* its message */
}

/* ------------------------------------------------------------------------------ main */

static void report(struct check *c, struct promela_program *program, const char *name, uint64_t number)
{
    printf("%s: %s\n", name, c->message);
    fflush(stdout);
    if (c->shrinks)
        shrink(c, program, number);
    printf("smaller: %s%s\n%s\n", c->message, program->fair ? " (fair)" : "", program->text);
    fflush(stdout);
    c->failed++;
}

static void check_one(struct check *c, struct promela_program *program, const char *name, uint64_t number)
{
    bool answered;
    bool fine = agrees(c, program, number, &answered);
    c->refused += c->spin.refused;
    if (!fine)
        report(c, program, name, number);
    else if (!answered)
        c->skipped++;
    else
        c->passed++;
    if (c->spin_only)
        printf("%s: %s%" PRIu64 " states%s%s%s%s %.60s\n", name, answered ? "" : "(skipped) ", c->spin.states,
               c->spin.fails_assertion ? ", assertion" : "", c->spin.has_invalid_end ? ", end" : "",
               c->spin.has_cycle ? ", cycle" : "", c->spin.has_error ? ", error" : "", c->spin.message);
}

/* A program kept from earlier: its first line says what is asked: "// question 1 fair". */
static void check_file(struct check *c, const char *path)
{
    struct promela_program program = {0};
    FILE *in = fopen(path, "r");
    if (!in) {
        printf("%s: cannot be read\n", path);
        c->failed++;
        return;
    }
    program.text[fread(program.text, 1, PROMELA_TEXT - 1, in)] = '\0';
    fclose(in);
    unsigned question = 0;
    char fair[8] = "";
    sscanf(program.text, "/* question %u %7s", &question, fair);
    program.question = (enum promela_question)question;
    program.fair = strcmp(fair, "fair") == 0;
    check_one(c, &program, path, 0);
}

static uint64_t number_behind(int count, char **arguments, const char *name, uint64_t usual)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(arguments[i], name) == 0)
            return strtoull(arguments[i + 1], NULL, 10);
    return usual;
}

int main(int count, char **arguments)
{
    struct check c = {.directory = "/tmp/promela-XXXXXX", .shrinks = true};
    uint64_t programs = number_behind(count, arguments, "--programs", 50);
    uint64_t seed = number_behind(count, arguments, "--seed", 1), first = number_behind(count, arguments, "--first", 0);
    uint64_t c_every = number_behind(count, arguments, "--c-every", C_EVERY);
    bool prints = false, files = false;
    if (!mkdtemp(c.directory))
        return 2;
    for (int i = 1; i < count; i++) {
        c.spin_only |= strcmp(arguments[i], "--spin-only") == 0;
        c.only_safety |= strcmp(arguments[i], "--safety") == 0;
        c.only_claims |= strcmp(arguments[i], "--claims") == 0;
        c.shrinks &= strcmp(arguments[i], "--as-drawn") != 0;
        prints |= strcmp(arguments[i], "--print") == 0;
        if (strstr(arguments[i], ".pml")) {
            files = true;
            check_file(&c, arguments[i]);
        }
    }
    for (uint64_t i = first; i < first + programs && !files; i++) {
        static struct promela_program program;
        struct random random = random_from(seed, i);
        char name[64];
        memset(&program, 0, sizeof program);
        program.has_c = i % c_every == c_every - 1;
        promela_draw(&program, &random);
        snprintf(name, sizeof name, "seed %" PRIu64 " program %" PRIu64, seed, i);
        random_run_tell(i - first, programs, i);
        if (prints)
            printf("/* question %d%s */\n%s", program.question, program.fair ? " fair" : "", program.text);
        if ((!c.only_safety || program.question == ASK_SAFETY) && (!c.only_claims || program.question == ASK_CLAIM))
            check_one(&c, &program, name, i);
    }
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", c.directory);
    if (system(command) != 0)
        printf("%s is left behind\n", c.directory);
    printf("%" PRIu64 " passed (%" PRIu64 " of them refused by us, %" PRIu64 " without room), %" PRIu64
           " failed, %" PRIu64 " skipped (%" PRIu64 " of them not accepted by Spin)\n",
           c.passed, c.unasked, c.unfound, c.failed, c.skipped, c.refused);
    return c.failed ? 1 : 0;
}
