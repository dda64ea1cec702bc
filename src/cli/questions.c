/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many questions in one run.  All properties of states are asked in one search first, which is enough where there are
 * few states, and where states that decide them are found soon.  Each of those that are left then gets a search of its
 * own, reduced for it alone, and so does each formula of LTL; what is left of the time is shared out equally.  A
 * maximum is found by searches that are directed at more than what has been seen.
 */
#include "cli/questions.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "library/properties.h"
#include "property/property.h"
#include "search/search_system.h"
#include "system/result.h"
#include "system/stepper.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_TOGETHER = 1000000, PART_OF_TIME_TOGETHER = 4 };

static bool is_chosen(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->chosen.count; i++)
        if (strcmp(settings->chosen.item[i], name) == 0)
            return true;
    return false;
}

static enum portolan_status find_chosen(const struct questions *questions, const char *name,
                                        struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; i < questions->list.count; i++) {
        nearest_offer(&nearest, questions->list.item[i].name);
        if (strcmp(questions->list.item[i].name, name) == 0)
            return PORTOLAN_OK;
    }
    fail(error, PORTOLAN_BAD_OPTION, "there is no property '%.64s' in the file", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    return PORTOLAN_BAD_OPTION;
}

/* Leaves those that --only names. */
static enum portolan_status choose(struct questions *questions, const struct settings *settings,
                                   struct portolan_error *error)
{
    for (size_t i = 0; i < settings->chosen.count; i++)
        if (find_chosen(questions, settings->chosen.item[i], error) != PORTOLAN_OK)
            return PORTOLAN_BAD_OPTION;
    size_t kept = 0;
    for (size_t i = 0; i < questions->list.count; i++) {
        struct question question = questions->list.item[i];
        bool stays = is_chosen(settings, question.name);
        if (stays)
            questions->list.item[kept++] = question;
        else
            question_forget(&question);
    }
    questions->list.count = kept;
    return PORTOLAN_OK;
}

enum portolan_status questions_make(struct job *job, const struct settings *settings, struct portolan_error *error)
{
    if (settings->properties.count || settings->print_automaton)
        return fail(error, PORTOLAN_BAD_OPTION, "--properties cannot be combined with other properties%s",
                    settings->print_automaton ? ", nor with --print-automaton" : "");
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; status == PORTOLAN_OK && i < settings->property_files.count; i++)
        status = questions_read(settings->property_files.item[i], job->system, &job->questions, error);
    if (status == PORTOLAN_OK && job->questions.list.count == 0)
        status = fail(error, PORTOLAN_BAD_INPUT, "there is no property in '%s'", settings->property_files.item[0]);
    return status == PORTOLAN_OK && settings->chosen.count ? choose(&job->questions, settings, error) : status;
}

/* A property that some question asks. */
struct asked {
    struct question *question;
    const struct asked_property *what;
    struct portolan_property *property; /* NULL: not compiled yet */
};

struct run {
    struct job *job;
    struct asked *asked; /* of all questions, one after the other */
    size_t count;
    size_t *first;                  /* of each question */
    struct portolan_result *result; /* of all searches, with an answer for each of `asked` */
};

static enum portolan_status run_make(struct run *run, struct job *job, struct portolan_error *error)
{
    size_t questions = job->questions.list.count, count = 0;
    *run = (struct run){.job = job, .result = &job->result};
    for (size_t q = 0; q < questions; q++)
        count += job->questions.list.item[q].asked.count;
    run->asked = calloc(count + 1, sizeof *run->asked);
    run->first = calloc(questions + 1, sizeof *run->first);
    run->result->answers = calloc(count + 1, sizeof *run->result->answers);
    if (!run->asked || !run->first || !run->result->answers)
        return fail_memory(error);
    for (size_t q = 0; q < questions; q++) {
        struct question *question = &job->questions.list.item[q];
        run->first[q] = run->count;
        for (size_t i = 0; i < question->asked.count; i++)
            run->asked[run->count++] = (struct asked){question, &question->asked.item[i], NULL};
    }
    run->result->answer_count = count;
    for (size_t i = 0; i < count; i++)
        run->result->answers[i].cycle_start = PORTOLAN_NO_CYCLE;
    return PORTOLAN_OK;
}

static void run_clear(struct run *run)
{
    for (size_t i = 0; run->asked && i < run->count; i++)
        portolan_property_free(run->asked[i].property);
    free(run->asked);
    free(run->first);
}

/* ------------------------------------------------------------------ searching */

/* Whatever is wrong with one property leaves the others as they are; out of memory and limits are no fault of it. */
static enum portolan_status refuse(struct run *run, size_t i, enum portolan_status status, struct portolan_error *error)
{
    if (status != PORTOLAN_BAD_INPUT && status != PORTOLAN_REFUSED)
        return status == PORTOLAN_STOPPED ? PORTOLAN_OK : status;
    struct arena *arena = &run->job->questions.arena;
    run->asked[i].question->refusal = arena_copy(arena, error->message, strlen(error->message));
    return run->asked[i].question->refusal ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status compile(struct run *run, size_t i, struct portolan_error *error)
{
    struct asked *asked = &run->asked[i];
    if (asked->property || asked->question->refusal)
        return PORTOLAN_OK;
    enum portolan_status status =
        portolan_property_new(run->job->system, asked->what->kind, asked->what->text, &asked->property, error);
    if (status == PORTOLAN_OK)
        asked->property->name = asked->question->name;
    return status == PORTOLAN_OK ? status : refuse(run, i, status, error);
}

static bool is_open(const struct run *run, size_t i)
{
    const struct question *question = run->asked[i].question;
    size_t first = run->first[question - run->job->questions.list.item];
    return !question->refusal && run->result->answers[i].verdict == PORTOLAN_UNKNOWN &&
           question_verdict(question, run->result->answers + first) == PORTOLAN_UNKNOWN;
}

/* Where one search has another name for what it did than those before. */
static void merge_word(char *sum, size_t size, const char *before)
{
    if (before[0] && strcmp(sum, before) != 0)
        snprintf(sum, size, "several");
}

static void add(struct run *run, struct portolan_result *part, const size_t *places)
{
    struct portolan_result *sum = run->result, before = *sum;
    result_add(sum, part, places);
    merge_word(sum->reduction, sizeof sum->reduction, before.reduction);
    merge_word(sum->proviso, sizeof sum->proviso, before.proviso);
    merge_word(sum->search, sizeof sum->search, before.search);
}

/* `together`: others follow it, so it does not go on for long. */
static enum portolan_status search_for(struct run *run, const struct portolan_property *const *properties, size_t count,
                                       bool together, struct portolan_result *part, struct portolan_error *error)
{
    struct portolan_options options = run->job->options;
    struct simplify_report report; /* each search has its own */
    options.properties = properties;
    options.property_count = count;
    if (together && (!options.state_limit || options.state_limit > STATES_TOGETHER))
        options.state_limit = STATES_TOGETHER;
    if (run->job->simplifies && !together)
        return search_simplified(run->job->system, &options, run->count == 1, &report, NULL, part, error);
    return search_system(run->job->system, &options, part, error);
}

/* One search for all of the places. */
static enum portolan_status search(struct run *run, const size_t *places, size_t count, bool together,
                                   struct portolan_error *error)
{
    const struct portolan_property **properties = calloc(count + 1, sizeof(struct portolan_property *));
    struct portolan_result part;
    if (!properties)
        return fail_memory(error);
    for (size_t i = 0; i < count; i++)
        properties[i] = run->asked[places[i]].property;
    enum portolan_status status = search_for(run, properties, count, together, &part, error);
    free(properties);
    if (status != PORTOLAN_OK)
        return together && status != PORTOLAN_NO_MEMORY ? PORTOLAN_OK : refuse(run, places[0], status, error);
    if (together) /* the next searches are not cut short by its limit */
        part.stop = PORTOLAN_COMPLETE;
    add(run, &part, places);
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ maxima */

/* The number in the state to which the answer's trace leads; the initial one when there is none. */
static enum portolan_status number_behind(struct run *run, const struct portolan_property *property,
                                          const struct portolan_answer *answer, int64_t *number,
                                          struct portolan_error *error)
{
    struct stepper stepper = {0};
    enum portolan_status status = stepper_make(&stepper, run->job->system) ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; status == PORTOLAN_OK && i < answer->trace_length; i++)
        status = stepper_fire(&stepper, answer->trace[i], error);
    if (status == PORTOLAN_OK && !expression_number(property->expression, run->job->system, stepper.state, number))
        *number = INT64_MAX; /* it has none, as the answer says */
    stepper_clear(&stepper);
    return status;
}

/* Asks whether the number can exceed what is known: it can, and more is known, or it cannot, and that is the maximum.
 */
static enum portolan_status exceed(struct run *run, size_t i, struct portolan_error *error)
{
    struct portolan_answer *answer = &run->result->answers[i];
    struct portolan_property *bound;
    struct portolan_result part;
    int64_t known = answer->maximum;
    char *text = NULL;
    if (asprintf(&text, "(%s) <= %" PRId64, run->asked[i].what->text, known) < 0)
        return fail_memory(error);
    enum portolan_status status = portolan_property_new(run->job->system, PORTOLAN_INVARIANT, text, &bound, error);
    free(text);
    if (status != PORTOLAN_OK)
        return status;
    const struct portolan_property *one = bound;
    status = search_for(run, &one, 1, false, &part, error);
    portolan_property_free(bound);
    if (status != PORTOLAN_OK)
        return status;
    enum portolan_verdict verdict = part.answers[0].verdict;
    bool has_no_value = part.answers[0].has_no_value;
    if (verdict == PORTOLAN_VIOLATED && !has_no_value)
        status = number_behind(run, run->asked[i].property, &part.answers[0], &known, error);
    add(run, &part, &i);
    if (has_no_value)
        return status;
    free(answer->trace);
    *answer = (struct portolan_answer){.verdict = verdict == PORTOLAN_HOLDS ? PORTOLAN_HOLDS : PORTOLAN_UNKNOWN,
                                       .cycle_start = PORTOLAN_NO_CYCLE,
                                       .maximum = known,
                                       .has_maximum = true};
    return status == PORTOLAN_OK && verdict == PORTOLAN_UNKNOWN ? PORTOLAN_STOPPED : status;
}

/* Step by step: each search is directed at a larger value, and the last one proves that there is none. */
static enum portolan_status find_maximum(struct run *run, size_t i, struct portolan_error *error)
{
    struct portolan_answer *answer = &run->result->answers[i];
    enum portolan_status status = PORTOLAN_OK;
    if (!answer->has_maximum)
        status = number_behind(run, run->asked[i].property, answer, &answer->maximum, error);
    answer->has_maximum = status == PORTOLAN_OK;
    while (status == PORTOLAN_OK && answer->verdict == PORTOLAN_UNKNOWN)
        status = exceed(run, i, error);
    return status == PORTOLAN_OK ? status : refuse(run, i, status, error);
}

/* ------------------------------------------------------------------ all of them */

/* One search, or what finds a maximum, within a share of the time; some memory is left for what follows. */
static enum portolan_status within_share(struct run *run, size_t shares, const size_t *places, size_t count,
                                         struct portolan_error *error)
{
    struct portolan_limits own;
    size_t bytes = run->job->options.memory_limit;
    bool together = count > 1;
    limits_begin(&own, limits_seconds_left() / (double)shares, bytes - bytes / 16, NULL);
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; status == PORTOLAN_OK && i < count; i++)
        status = compile(run, places[i], error);
    bool ready = status == PORTOLAN_OK;
    for (size_t i = 0; i < count; i++)
        ready &= run->asked[places[i]].property != NULL;
    if (ready && !together && run->asked[places[0]].what->kind == PORTOLAN_MAXIMUM)
        status = find_maximum(run, places[0], error);
    else if (ready)
        status = search(run, places, count, together, error);
    else if (status == PORTOLAN_OK && limits_stop() > run->result->stop && !together)
        run->result->stop = limits_stop();
    limits_end(&own);
    return status;
}

static enum portolan_status search_together(struct run *run, struct portolan_error *error)
{
    size_t *places = calloc(run->count + 1, sizeof *places), count = 0;
    enum portolan_status status = places ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; status == PORTOLAN_OK && i < run->count; i++) {
        if (run->asked[i].what->kind == PORTOLAN_LTL || run->asked[i].question->refusal)
            continue;
        status = compile(run, i, error);
        if (run->asked[i].property)
            places[count++] = i;
    }
    if (status == PORTOLAN_OK && count > 1)
        status = within_share(run, PART_OF_TIME_TOGETHER, places, count, error);
    free(places);
    return status;
}

static enum portolan_status search_each(struct run *run, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    size_t left = 0;
    for (size_t i = 0; i < run->count; i++)
        left += is_open(run, i);
    for (size_t i = 0; status == PORTOLAN_OK && i < run->count && !limits_reached(); i++)
        if (is_open(run, i)) {
            status = within_share(run, left, &i, 1, error);
            left -= left > 1;
        }
    return status;
}

/* ------------------------------------------------------------------ answering */

/* Which of its properties shows the answer to a question: one with a trace that says the same. */
static size_t telling(const struct run *run, size_t first, const struct question *question,
                      enum portolan_verdict verdict)
{
    for (size_t i = 0; i < question->asked.count; i++) {
        const struct portolan_answer *answer = &run->result->answers[first + i];
        bool agrees = (answer->verdict == verdict) != question->asked.item[i].is_negated;
        if (answer->has_trace && agrees && answer->verdict != PORTOLAN_UNKNOWN)
            return first + i;
    }
    return first;
}

/* Moves what is told of one question to its place. */
static enum portolan_status conclude(struct run *run, size_t q, struct portolan_answer *answer,
                                     struct portolan_property **property, struct portolan_error *error)
{
    const struct question *question = &run->job->questions.list.item[q];
    const struct portolan_answer *answers = run->result->answers + run->first[q];
    enum portolan_verdict verdict = question_verdict(question, answers);
    *answer = (struct portolan_answer){.cycle_start = PORTOLAN_NO_CYCLE};
    if (question->asked.count) {
        size_t shown = telling(run, run->first[q], question, verdict);
        *answer = run->result->answers[shown];
        run->result->answers[shown].trace = NULL;
        *property = run->asked[shown].property;
        run->asked[shown].property = NULL;
    }
    answer->verdict = verdict;
    if (question->refusal)
        snprintf(answer->note, sizeof answer->note, "%s", question->refusal);
    if (*property)
        return PORTOLAN_OK;
    enum portolan_status status = /* that has a name, and no answer */
        portolan_property_new(run->job->system, PORTOLAN_NO_DEADLOCK, NULL, property, error);
    if (status == PORTOLAN_OK)
        (*property)->name = question->name;
    return status;
}

static enum portolan_status conclude_all(struct run *run, struct portolan_error *error)
{
    struct job *job = run->job;
    size_t questions = job->questions.list.count;
    struct portolan_answer *answers = calloc(questions + 1, sizeof *answers);
    struct portolan_property **properties = calloc(questions + 1, sizeof(struct portolan_property *));
    enum portolan_status status = answers && properties ? PORTOLAN_OK : fail_memory(error);
    for (size_t q = 0; status == PORTOLAN_OK && q < questions; q++)
        status = conclude(run, q, &answers[q], &properties[q], error);
    for (size_t i = 0; i < run->result->answer_count; i++)
        free(run->result->answers[i].trace);
    free(run->result->answers);
    run->result->answers = answers;
    run->result->answer_count = answers ? questions : 0;
    free(job->properties);
    job->properties = properties;
    job->property_count = properties ? questions : 0;
    return status;
}

/* Why it ended: where some question is open, a limit has been reached, or it is refused. */
static void judge_stop(struct run *run)
{
    bool is_some_open = false;
    for (size_t i = 0; i < run->count; i++)
        is_some_open |= is_open(run, i);
    if (!is_some_open || run->result->stop < PORTOLAN_DECIDED)
        run->result->stop = PORTOLAN_DECIDED;
    if (is_some_open && limits_stop() != PORTOLAN_COMPLETE)
        run->result->stop = limits_stop();
}

enum portolan_status questions_search(struct job *job, struct portolan_error *error)
{
    struct run run;
    enum portolan_status status = run_make(&run, job, error);
    if (status == PORTOLAN_OK)
        status = search_together(&run, error);
    if (status == PORTOLAN_OK)
        status = search_each(&run, error);
    if (status == PORTOLAN_OK) {
        judge_stop(&run);
        struct portolan_limits *outer = limits_present;
        limits_adopt(NULL); /* what is known is told */
        status = conclude_all(&run, error);
        limits_adopt(outer);
    }
    run_clear(&run);
    return status;
}
