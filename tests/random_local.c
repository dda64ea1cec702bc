/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random Promela programs in which processes often are where what they do next concerns nobody else
 * (src/model/local.c): choices among local steps, that lead to where others send, atomic sequences with a rendezvous in
 * second place, and everything that may come in between.  The full search against every reduction, one property at a
 * time, and every set in every state against what it must do.
 *
 *     random_local [--models N] [--seed S] [--first K] [--write DIRECTORY]
 */
#include "random_frame.h"
#include "random_net.h"
#include "stubborn_judge.h"

#include "portolan/portolan.h"

#include <unistd.h>

enum { PROCESSES = 3, MOST_PLACES = 4, CHANNELS = 3, TEXT = 16384, MOST_STATES = 3000, MOST_JUDGED = 200, ONE_IN = 23 };

struct drawing {
    struct random *random;
    char *text;
    size_t used;
    unsigned places, process;
    bool has_bus, has_stranger; /* the last process does anything */
    unsigned peeks;             /* percent of conditions that look at another process */
};

static __attribute__((format(printf, 2, 3))) void put(struct drawing *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    d->used += (size_t)vsnprintf(d->text + d->used, TEXT - d->used, format, list);
    va_end(list);
}

static uint32_t below(struct drawing *d, uint32_t limit)
{
    return random_below(d->random, limit);
}

static bool chance(struct drawing *d, uint32_t percent)
{
    return random_chance(d->random, percent);
}

static const char *own(struct drawing *d)
{
    return chance(d, 60) ? "x" : "y";
}

static void put_condition(struct drawing *d, bool is_own)
{
    if (!is_own && chance(d, d->peeks))
        put(d, "P%u@s%u", below(d, PROCESSES), below(d, 2));
    else
        put(d, "%s %s %u",
            is_own          ? own(d)
            : chance(d, 50) ? "g"
                            : "h",
            chance(d, 50)   ? "=="
            : chance(d, 50) ? "!="
                            : "<",
            below(d, 3));
}

static void put_assignment(struct drawing *d, bool is_own)
{
    const char *variable = is_own ? own(d) : chance(d, 50) ? "g" : "h";
    if (is_own && chance(d, 15))
        put(d, "a[%s] = %u", own(d), below(d, 2));
    else if (chance(d, 50))
        put(d, "%s = %u", variable, below(d, 3));
    else if (chance(d, 60))
        put(d, "%s = (%s + 1) %% 3", variable, own(d));
    else
        put(d, "%s = a[%s]", variable, own(d));
}

static void put_message(struct drawing *d)
{
    unsigned c = below(d, CHANNELS);
    if (chance(d, 55))
        put(d, "c%u!%u", c, below(d, 2));
    else if (chance(d, 60))
        put(d, "c%u?%s", c, own(d));
    else
        put(d, "c%u?%u", c, below(d, 2));
}

static void put_step(struct drawing *d)
{
    uint32_t which = below(d, 100);
    if (which < 35)
        put_message(d);
    else if (which < 55)
        put_condition(d, true);
    else if (which < 75)
        put_assignment(d, true);
    else if (which < 85)
        put_condition(d, false);
    else if (which < 95)
        put_assignment(d, false);
    else
        put(d, "assert(%s != 2)", own(d));
}

/* What comes second: most of the time a message, or a choice among some. */
static void put_second(struct drawing *d)
{
    if (chance(d, 25)) {
        put(d, "if :: ");
        put_message(d);
        put(d, " :: ");
        if (chance(d, 20))
            put(d, "else");
        else if (chance(d, 60))
            put_message(d);
        else
            put_condition(d, chance(d, 50));
        put(d, " fi");
    } else if (chance(d, 70)) {
        put_message(d);
    } else {
        put_step(d);
    }
}

static void put_option(struct drawing *d)
{
    uint32_t which = below(d, 100);
    if (which < 35) {
        put(d, "atomic { ");
        if (chance(d, 50))
            put_condition(d, true);
        else if (chance(d, 75))
            put_assignment(d, true);
        else
            put_step(d);
        put(d, "; ");
        put_second(d);
        if (chance(d, 30)) {
            put(d, "; ");
            put_second(d);
        }
        put(d, " }");
    } else if (which < 45) {
        put(d, "d_step { ");
        put_condition(d, chance(d, 80));
        put(d, "; ");
        put_assignment(d, chance(d, 80));
        put(d, " }");
    } else if (which < 70) {
        put_message(d);
    } else if (which < 85) {
        put_condition(d, true);
    } else {
        put_step(d);
    }
}

/* What a bus does second: it may tell what is shared, or be met itself. */
static void put_meeting(struct drawing *d)
{
    uint32_t which = below(d, 100);
    unsigned c = below(d, CHANNELS - 1);
    if (which < 65)
        put(d, "c%u!%s", c, chance(d, 40) ? "g" : own(d));
    else if (which < 80)
        put(d, "if :: c%u!%u :: c2?%s fi", c, below(d, 2), own(d));
    else
        put_second(d);
}

/* The first process is a bus, which meets the others in the second part of atomic sequences; they think about what they
 * have got before they come back, and sometimes meet each other. */
static void put_place_by_bus(struct drawing *d, unsigned place)
{
    unsigned options = 1 + below(d, 2);
    bool is_bus = d->process == 0, thinks = !is_bus && place % 2 == 0;
    put(d, "s%u: if\n", place);
    for (unsigned i = 0; i < options; i++) {
        put(d, ":: ");
        if (thinks && chance(d, 60)) {
            put_condition(d, true);
        } else if (thinks) {
            put_assignment(d, true);
        } else if (!is_bus && chance(d, 70)) {
            put(d, "c%u?%s", below(d, CHANNELS - 1), chance(d, 70) ? "x" : "1");
        } else if (!is_bus) {
            put(d, chance(d, 50) ? "c2!%u" : "c2?%u", below(d, 2));
        } else if (chance(d, 8)) {
            put_message(d);
        } else {
            put(d, "atomic { ");
            if (chance(d, 20))
                put_condition(d, false);
            else if (chance(d, 60))
                put_condition(d, true);
            else if (chance(d, 80))
                put_assignment(d, true);
            else
                put_step(d);
            put(d, "; ");
            put_meeting(d);
            if (chance(d, 30)) {
                put(d, "; ");
                put_meeting(d);
            }
            put(d, " }");
        }
        put(d, "; goto %s%u\n", chance(d, 5) ? "e" : "s",
            is_bus ? below(d, d->places) : (place + 1 + 2 * below(d, 2)) % (d->places / 2 * 2));
    }
    if (chance(d, 4))
        put(d, ":: %s; goto s%u\n", is_bus ? "c2!1" : "g == 1", below(d, d->places));
    put(d, "fi;\n");
}

/* Some places have local steps only. */
static void put_place(struct drawing *d, unsigned place)
{
    if (d->has_bus && d->process + d->has_stranger < PROCESSES) {
        put_place_by_bus(d, place);
        return;
    }
    unsigned options = 1 + below(d, 3);
    bool is_local = chance(d, 45);
    put(d, "s%u: if\n", place);
    for (unsigned i = 0; i < options; i++) {
        put(d, ":: ");
        if (is_local && chance(d, 60))
            put_condition(d, true);
        else if (is_local)
            put_assignment(d, true);
        else
            put_option(d);
        put(d, "; goto %s%u\n", chance(d, 6) ? "e" : "s", below(d, d->places));
    }
    if (chance(d, is_local ? 10 : 4))
        put(d, ":: else; goto s%u\n", below(d, d->places));
    put(d, "fi;\n");
}

static void draw(struct drawing *d)
{
    d->peeks = chance(d, 10) ? 40 : 0;
    d->has_bus = chance(d, 80);
    d->has_stranger = chance(d, 50);
    for (unsigned c = 0; c < CHANNELS; c++)
        put(d, "chan c%u = [%u] of { byte };\n", c, chance(d, 12) ? 1 : 0);
    put(d, "byte g, h;\n");
    for (d->process = 0; d->process < PROCESSES; d->process++) {
        d->places = 2 + below(d, MOST_PLACES - 1);
        put(d, "active proctype P%u()\n{\nbyte x = %u, y;\nbyte a[3];\n", d->process, below(d, 2));
        if (chance(d, 20)) {
            put_step(d);
            put(d, ";\n");
        }
        for (unsigned place = 0; place < d->places; place++)
            put_place(d, place);
        for (unsigned place = 0; place < d->places; place++)
            put(d, "e%u: skip;\n", place);
        put(d, "}\n");
    }
}

/* ---------------------------------------------------------------------- checking */

struct check {
    struct portolan_system *system;
    struct judge_tally tally;
    char failure[700], path[64];
    uint64_t states, deadlocks, local, told;
    unsigned one_in; /* of so many variants */
};

static bool ask(struct check *c, const struct variant *v, enum portolan_kind kind, const char *text,
                struct portolan_result *result, bool *answered)
{
    struct portolan_error error = {0};
    struct portolan_options options = {
        .all = true, .check_relations = !v->reduction_class->reduces, .state_limit = 2 * MOST_STATES};
    enum portolan_status status = ask_one(c->system, v, kind, text, options, result, &error);
    *answered = status == PORTOLAN_OK;
    return *answered || status == PORTOLAN_REFUSED ||
           wrong(c, "%s %s %s, %s: %s", v->reduction, v->proviso, v->search, text ? text : "no deadlock",
                 error.message);
}

static bool sets_of(struct check *c, uint64_t states, uint64_t number)
{
    struct random random = random_from(number, 0);
    return states > MOST_JUDGED ||
           judge_stubborn_sets(c->system, &random, &(struct judge_limits){.most_states = MOST_JUDGED}, &c->tally,
                               c->failure, sizeof c->failure);
}

/* One property, without a reduction and with every one. */
static bool compare(struct check *c, enum portolan_kind kind, const char *text, uint64_t number)
{
    struct variant_cursor cursor = {0};
    struct variant v = {.reduction = "none", .proviso = "none", .search = "auto", .reduction_class = &reduction_none};
    struct portolan_result full, result;
    bool temporal = kind == PORTOLAN_LTL, answered;
    if (!ask(c, &v, kind, text, &full, &answered))
        return false;
    if (!answered)
        return true;
    bool fine = true, complete = full.stop == PORTOLAN_COMPLETE || full.stop == PORTOLAN_DECIDED;
    for (uint64_t k = number; complete && fine && variant_next(&cursor, temporal, &v); k++) {
        if (v.method || v.reduction_class->has_search || !v.reduction_class->reduces || k % c->one_in)
            continue;
        fine = ask(c, &v, kind, text, &result, &answered);
        if (!fine || !answered)
            continue;
        c->told++;
        if (result.answers[0].verdict != full.answers[0].verdict ||
            (kind == PORTOLAN_NO_DEADLOCK && result.statistics.deadlocks != full.statistics.deadlocks))
            fine = wrong(c, "%s %s %s, %s: %d, %" PRIu64 " deadlocks; in full %d, %" PRIu64, v.reduction, v.proviso,
                         v.search, text ? text : "no deadlock", result.answers[0].verdict, result.statistics.deadlocks,
                         full.answers[0].verdict, full.statistics.deadlocks);
        result_clear(&result);
    }
    if (kind == PORTOLAN_NO_DEADLOCK) {
        c->states += full.statistics.states;
        c->deadlocks += full.statistics.deadlocks > 0;
        fine = fine && (!complete || sets_of(c, full.statistics.states, number));
    }
    result_clear(&full);
    return fine;
}

static bool check_model(struct check *c, const char *text, uint64_t number, bool *skipped)
{
    struct portolan_error error = {0};
    char property[64];
    FILE *out = fopen(c->path, "w");
    if (!out || fputs(text, out) < 0 || fclose(out) != 0)
        return wrong(c, "the program cannot be written");
    *skipped = portolan_open(c->path, &c->system, &error) != PORTOLAN_OK;
    if (*skipped)
        return error.status == PORTOLAN_REFUSED || wrong(c, "%u:%u: %s", error.line, error.column, error.message);
    const uint32_t *local = c->system->relations ? c->system->relations->local : NULL;
    for (uint32_t t = 0; local && t < c->system->actions; t++)
        c->local += local[t] != UINT32_MAX;
    bool fine = compare(c, PORTOLAN_NO_DEADLOCK, NULL, number);
    snprintf(property, sizeof property, "%s <= %u", number % 2 ? "g" : "h", (unsigned)(number / 2 % 2));
    fine = fine && compare(c, PORTOLAN_INVARIANT, property, number);
    fine = fine && compare(c, PORTOLAN_INVARIANT, "failed = 0", number);
    static const char *const formulas[] = {"G F (g = 0)", "F (h = 1)", "G (g = 1 -> F h = 0)", "(g = 0) U (h = 2)"};
    fine = fine && compare(c, PORTOLAN_LTL, formulas[number % 4], number);
    portolan_system_free(c->system);
    return fine;
}

/* Without a line, as long as it fails. */
static void shrink(struct check *c, char *text, uint64_t number)
{
    static char less[TEXT];
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (char *line = text, *end; (end = strchr(line, '\n'));) {
            bool skipped = true;
            snprintf(less, sizeof less, "%.*s%s", (int)(line - text), text, end + 1);
            if (!check_model(c, less, number, &skipped) && !skipped) {
                memcpy(text, less, sizeof less);
                smaller = true;
            } else {
                line = end + 1;
            }
        }
    }
    bool skipped;
    check_model(c, text, number, &skipped);
}

/* Programs that lose a deadlock when a condition of the rule is left out, each of all variants: that what the bus
 * tests first is its own, and what it does then, that nobody minds where it begins. */
static const char *const kept[] = {
    "chan c0 = [0] of { byte }; byte g = 1, h;\n"
    "active proctype P0() { atomic { g == 1; c0!g } }\n"
    "active proctype P1() { byte y; y == 0; c0?h }\n"
    "active proctype P2() { g = 0 }\n",
    "chan c1 = [0] of { byte }; chan c2 = [0] of { byte }; byte g, h;\n"
    "active proctype P0() { byte x; atomic { x == 0; g = 1; c1!1 } }\n"
    "active proctype P1() { byte x; x == 0; if :: c1?x :: c2?x fi }\n"
    "active proctype P2() { g == 1; c2!2 }\n",
    "chan c0 = [0] of { byte }; chan c1 = [0] of { byte }; chan c2 = [0] of { byte }; byte g, h;\n"
    "active proctype P0() { byte x, y; if :: atomic { x == 0; c0!1 } :: c2?y fi }\n"
    "active proctype P1() { byte x; x == 0; if :: c0?x :: c1?x fi }\n"
    "active proctype P2() { if :: c2!1 :: else; c1!2 fi }\n"};

static bool check_kept(struct check *c)
{
    c->one_in = 1;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        bool skipped = true;
        if (!check_model(c, kept[i], i, &skipped) || skipped) {
            printf("kept program %zu: %s\n", i, skipped ? "it cannot be read" : c->failure);
            return false;
        }
    }
    c->one_in = ONE_IN;
    return true;
}

int main(int count, char **arguments)
{
    struct random_run run = {.count = 300, .seed = 1};
    if (!random_run_read(&run, "--models", count, arguments))
        return 2;
    static struct check c;
    static char text[TEXT];
    uint64_t checked = 0;
    snprintf(c.path, sizeof c.path, "/tmp/random_local.%ld.pml", (long)getpid());
    if (!check_kept(&c))
        return 1;
    for (uint64_t i = run.first; i < run.first + run.count; i++) {
        struct random random = random_from(run.seed, i);
        struct drawing d = {.random = &random, .text = text};
        bool skipped;
        draw(&d);
        if (!check_model(&c, text, i, &skipped)) {
            printf("program %" PRIu64 " of seed %" PRIu64 ": %s\n", i, run.seed, c.failure);
            if (!skipped)
                shrink(&c, text, i);
            printf("smaller: %s\n%s", c.failure, text);
            unlink(c.path);
            return 1;
        }
        checked += !skipped;
    }
    unlink(c.path);
    printf("%" PRIu64 " programs, %" PRIu64 " states, %" PRIu64 " with a deadlock, %" PRIu64 " local actions, %" PRIu64
           " sets, %" PRIu64 " local, %" PRIu64 " answers, %" PRIu64 " went further: all agree\n",
           checked, c.states, c.deadlocks, c.local, c.tally.sets, c.tally.local, c.told, c.tally.beside);
    return run.count >= 100 && (!c.tally.beside || !c.deadlocks);
}
