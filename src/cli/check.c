/* SPDX-License-Identifier: Apache-2.0 */
/* portolan check MODEL */
#include "cli/answer.h"
#include "cli/certify.h"
#include "cli/fired.h"
#include "cli/page.h"
#include "cli/screen.h"
#include "cli/shards.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "ltl/ltl_property.h"
#include "property/property.h"
#include "report/columns.h"
#include "report/junit.h"
#include "report/msc.h"
#include "report/pictures.h"
#include "report/trace.h"
#include "report/words.h"
#include "search/combination.h"
#include "search/shorten.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "trace      3 steps, then a cycle of 4, replayed": what kind of run it is. */
static void print_trace_line(struct job *job, const struct portolan_property *property,
                             const struct portolan_answer *answer, FILE *out)
{
    size_t length = answer->trace_length, prefix = length;
    bool has_cycle = answer->cycle_start != PORTOLAN_NO_CYCLE;
    if (has_cycle)
        prefix = answer->cycle_start;
    fprintf(out, "trace      %zu step%s", prefix, prefix == 1 ? "" : "s");
    if (has_cycle && prefix < length)
        fprintf(out, ", then a cycle of %zu", length - prefix);
    else if (has_cycle)
        fprintf(out, ", then its last state forever");
    else if (answer->has_no_value)
        fprintf(out, ", to a state in which the property has no value");
    else if (property_is_temporal(property))
        fprintf(out, ", false whatever follows");
    if (has_columns(job->system) && !has_cycle) {
        size_t switches = count_switches(job->system, answer->trace, length);
        fprintf(out, ", %zu switch%s", switches, switches == 1 ? "" : "es");
    }
    const char *words;
    bool shortest = answer->shortest ||
                    (!answer->by_walk && !job->simplified.used && search_find(job->result.search) == &search_bfs &&
                     reduction_find(job->result.reduction, &words) == &reduction_none);
    fprintf(out, "%s, replayed%s\n", answer->by_walk ? ", found by a random walk" : "",
            shortest && !property_is_temporal(property) && !has_columns(job->system) ? ", shortest" : "");
}

static const char *const verdict_colours[] = {
    [PORTOLAN_UNKNOWN] = "\033[33m", [PORTOLAN_HOLDS] = "\033[32m", [PORTOLAN_VIOLATED] = "\033[31m"};

static enum portolan_status print_answers(struct job *job, const char *model, bool quiet, FILE *out,
                                          struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    fprintf(out, "model      %s\n", model);
    for (size_t i = 0; i < job->property_count && status == PORTOLAN_OK; i++) {
        const struct portolan_answer *answer = &job->result.answers[i];
        struct answer_words words;
        bool colours = out == stdout && screen_has_colours();
        fprintf(out, "property   %s: %s%s%s\n", portolan_property_text(job->properties[i]),
                colours ? verdict_colours[answer->verdict] : "", answer_text(job->properties[i], answer, &words),
                colours ? "\033[0m" : "");
        if (answer->note[0] && !quiet)
            fprintf(out, "note       %s\n", answer->note);
        if (!answer->has_trace || quiet)
            continue;
        print_trace_line(job, job->properties[i], answer, out);
        status = trace_print(job->system, answer->trace, answer->trace_length, answer->cycle_start, out, error);
    }
    if (!quiet)
        print_coverage(job, out);
    else if (job->lists_fired)
        fired_print(job, out);
    return status;
}

/* The contest has no file for deadlocks, and asks whether there is one. */
static enum portolan_verdict opposite_verdict(enum portolan_verdict verdict)
{
    return verdict == PORTOLAN_HOLDS ? PORTOLAN_VIOLATED : verdict == PORTOLAN_VIOLATED ? PORTOLAN_HOLDS : verdict;
}

static enum portolan_status print_contest(const struct job *job)
{
    static const char *const words[] = {
        [PORTOLAN_UNKNOWN] = "CANNOT_COMPUTE", [PORTOLAN_HOLDS] = "TRUE", [PORTOLAN_VIOLATED] = "FALSE"};
    bool reduced = strcmp(job->result.reduction, "none") != 0;
    for (size_t i = 0; i < job->property_count; i++) {
        const struct portolan_answer *answer = &job->result.answers[i];
        bool deadlock = !job->questions.list.count && job->properties[i]->kind == PORTOLAN_NO_DEADLOCK;
        printf("FORMULA %s ", deadlock ? "ReachabilityDeadlock" : portolan_property_text(job->properties[i]));
        if (job->properties[i]->kind == PORTOLAN_MAXIMUM && answer->verdict == PORTOLAN_HOLDS)
            printf("%" PRId64, answer->maximum);
        else
            printf("%s", words[deadlock ? opposite_verdict(answer->verdict) : answer->verdict]);
        if (answer->verdict != PORTOLAN_UNKNOWN)
            printf(" TECHNIQUES EXPLICIT STATE_COMPRESSION%s", reduced ? " STUBBORN_SETS" : "");
        printf("\n");
    }
    return PORTOLAN_OK;
}

/* The first trace found goes to the file. */
static enum portolan_status save_trace(const struct job *job, const char *path, struct portolan_error *error)
{
    for (size_t i = 0; i < job->property_count; i++) {
        const struct portolan_answer *answer = &job->result.answers[i];
        if (!answer->has_trace)
            continue;
        FILE *out = open_output(path, error);
        if (!out)
            return PORTOLAN_IO;
        trace_write(job->system, job->opened_with, portolan_property_text(job->properties[i]), answer->trace,
                    answer->trace_length, answer->cycle_start, out);
        return close_output(out, path, error) ? PORTOLAN_OK : PORTOLAN_IO;
    }
    return PORTOLAN_OK;
}

static enum portolan_status draw_chart(struct portolan_system *system, const uint32_t *actions, size_t count,
                                       const char *end, const char *path, struct portolan_error *error)
{
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    enum portolan_status status = msc_write(system, actions, count, end, out, error);
    return close_output(out, path, error) ? status : PORTOLAN_IO;
}

typedef enum portolan_status drawing(struct portolan_system *system, const uint32_t *actions, size_t count,
                                     const char *end, const char *path, struct portolan_error *error);

/* The first trace found is drawn. */
static enum portolan_status save_drawing(struct job *job, drawing *draw, const char *path, struct portolan_error *error)
{
    for (size_t i = 0; i < job->property_count; i++) {
        const struct portolan_answer *answer = &job->result.answers[i];
        if (!answer->has_trace)
            continue;
        char end[256];
        snprintf(end, sizeof end, "%s: %s", portolan_property_text(job->properties[i]),
                 verdict_capitals(answer->verdict));
        return draw(job->system, answer->trace, answer->trace_length, end, path, error);
    }
    return PORTOLAN_OK;
}

/* One case of a suite for CI systems; its text is to be freed. */
static enum portolan_status make_case(struct job *job, size_t property, struct junit_case *one, char **text,
                                      struct portolan_error *error)
{
    static const enum junit_outcome outcomes[] = {
        [PORTOLAN_UNKNOWN] = JUNIT_SKIPPED, [PORTOLAN_HOLDS] = JUNIT_PASSED, [PORTOLAN_VIOLATED] = JUNIT_FAILED};
    const struct portolan_answer *answer = &job->result.answers[property];
    *one =
        (struct junit_case){.name = portolan_property_text(job->properties[property]),
                            .outcome = outcomes[answer->verdict],
                            .type = "violated",
                            .message = answer->verdict == PORTOLAN_VIOLATED ? "violated" : stop_word(job->result.stop)};
    FILE *memory = open_memstream(text, &one->text_size);
    if (!memory)
        return fail_memory(error);
    enum portolan_status status = PORTOLAN_OK;
    if (answer->has_trace)
        status = trace_print(job->system, answer->trace, answer->trace_length, answer->cycle_start, memory, error);
    if (fclose(memory) != 0 && status == PORTOLAN_OK)
        status = fail_memory(error);
    one->text = *text;
    return status;
}

/* One suite for the model, one case for each property. */
static enum portolan_status save_junit(struct job *job, const char *model, const char *path,
                                       struct portolan_error *error)
{
    const struct portolan_result *result = &job->result;
    struct junit_case *cases = calloc(job->property_count + 1, sizeof *cases);
    char **texts = calloc(job->property_count + 1, sizeof *texts);
    struct junit_suite suite = {
        .name = model,
        .seconds = result->statistics.seconds,
        .properties = {{"reduction", result->reduction}, {"proviso", result->proviso}, {"search", result->search}},
        .cases = cases,
        .case_count = job->property_count};
    enum portolan_status status = cases && texts ? PORTOLAN_OK : fail_memory(error);
    for (size_t i = 0; i < job->property_count && status == PORTOLAN_OK; i++)
        status = make_case(job, i, &cases[i], &texts[i], error);
    FILE *out = status == PORTOLAN_OK ? open_output(path, error) : NULL;
    if (out)
        junit_write(&suite, out);
    else if (status == PORTOLAN_OK)
        status = PORTOLAN_IO;
    if (out && !close_output(out, path, error))
        status = PORTOLAN_IO;
    for (size_t i = 0; i < job->property_count && texts; i++)
        free(texts[i]);
    free(texts);
    free(cases);
    return status;
}

/* The answer as a page; as text, too, for those who have no scripts. */
static enum portolan_status save_page(struct job *job, const char *model, const char *path,
                                      struct portolan_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fail_memory(error);
    enum portolan_status status = print_answers(job, model, false, memory, error);
    if (fclose(memory) != 0 && status == PORTOLAN_OK)
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        status = write_answer_page(job, model, text, path, error);
    free(text);
    return status;
}

static enum portolan_status deliver(struct job *job, const struct settings *settings, struct portolan_error *error)
{
    const char *model = settings->words.item[0];
    enum portolan_status status = PORTOLAN_OK;
    if (settings->trace_file)
        status = save_trace(job, settings->trace_file, error);
    if (status == PORTOLAN_OK && settings->junit_file)
        status = save_junit(job, model, settings->junit_file, error);
    if (status == PORTOLAN_OK && settings->msc_file)
        status = save_drawing(job, draw_chart, settings->msc_file, error);
    if (status == PORTOLAN_OK && (!settings->json || settings->json_file))
        status = settings->contest ? print_contest(job) : print_answers(job, model, settings->quiet, stdout, error);
    if (status == PORTOLAN_OK && settings->pictures_file)
        status = save_drawing(job, save_pictures, settings->pictures_file, error);
    if (status == PORTOLAN_OK && settings->html_file)
        status = save_page(job, model, settings->html_file, error);
    if (status == PORTOLAN_OK && settings->json) {
        FILE *out = open_output(settings->json_file, error);
        if (!out)
            return PORTOLAN_IO;
        status = write_json_answer(job, model, out, error);
        if (!close_output(out, settings->json_file, error))
            status = PORTOLAN_IO;
    }
    return status;
}

/* What there is is told whole, whatever limit was reached: it takes no longer than finding it did. */
static enum portolan_status deliver_whole(struct job *job, const struct settings *settings,
                                          struct portolan_error *error)
{
    struct portolan_limits *outer = limits_present;
    limits_adopt(NULL);
    enum portolan_status status = deliver(job, settings, error);
    limits_adopt(outer);
    return status;
}

/* Can a random walk decide one of the properties? */
static bool has_use_for_walks(const struct job *job)
{
    bool of_states = false;
    for (size_t i = 0; i < job->property_count; i++)
        of_states |= !property_is_temporal(job->properties[i]);
    return of_states && !wants_executions(&job->options);
}

/* Unless the user says so, no walk helps where more than the first violation is wanted, or a search asked for by name:
 * breadth-first, say, for the shortest trace. */
static enum portolan_status choose_walk(struct job *job, const struct settings *settings, struct portolan_error *error)
{
    bool has_use = has_use_for_walks(job);
    if (settings->walk_steps && !has_use)
        return fail(error, PORTOLAN_BAD_OPTION, "--walk needs a search that stores states, and properties of states");
    bool is_auto = !settings->search || strcmp(settings->search, "auto") == 0;
    bool helps = has_use && is_auto && !settings->no_walk && !settings->all && !settings->certificate &&
                 !settings->check_relations && !settings->checkpoint && !settings->resume && !settings->transport;
    job->options.walk = settings->walk_steps ? settings->walk_steps : helps ? PORTOLAN_WALK_BESIDE : 0;
    return PORTOLAN_OK;
}

/* For --print-automaton. */
static enum portolan_status print_automata(const struct job *job, struct portolan_error *error)
{
    bool some = false;
    for (size_t i = 0; i < job->property_count; i++) {
        const struct portolan_property *property = job->properties[i];
        if (!property_is_temporal(property))
            continue;
        automaton_write_hoa(property->ltl->counterexamples, portolan_property_text(property), stdout);
        some = true;
    }
    return some ? PORTOLAN_OK : fail(error, PORTOLAN_BAD_OPTION, "--print-automaton needs a formula: --ltl FORMULA");
}

/* Who says how to search, wants to count or to see what fired, means the net as it is. */
static bool wants_simplification(const struct settings *settings)
{
    if (settings->simplify == SIMPLIFY_NONE || settings->coverage || settings->all || settings->checkpoint ||
        settings->resume || settings->transport || settings->shards)
        return false;
    return settings->simplify == SIMPLIFY_AUTO ||
           !(settings->reduction || settings->proviso || settings->search || settings->chains || settings->states ||
             settings->walk_steps || settings->no_walk);
}

/* Steps, and where threads have columns, how often another one goes on. */
static size_t lines_to_read(struct portolan_system *system, const uint32_t *trace, size_t length)
{
    return length + (has_columns(system) ? count_switches(system, trace, length) : 0);
}

/* Searches, and makes the traces fit to be read. */
static enum portolan_status search_and_shorten(struct job *job, const struct settings *settings,
                                               struct portolan_error *error)
{
    enum portolan_status status = job_run(job, settings->quiet || settings->json, error);
    for (size_t i = 0;
         status == PORTOLAN_OK && i < job->property_count && !settings->as_found && !is_silent_rank(settings); i++)
        shorten_answer(job->system, job->properties[i], job->options.fairness, &job->result.statistics, lines_to_read,
                       &job->result.answers[i]);
    return status;
}

int command_check(struct settings *settings)
{
    struct portolan_error error = {0};
    struct job job;
    struct record record = {0};
    if (settings->words.count != 1)
        return wrong_usage("check");
    if (job_make(&job, settings, true, &error) != PORTOLAN_OK)
        return wrong(&error);
    int exit_status = EXIT_WRONG;
    job.simplifies = wants_simplification(settings);
    if (settings->print_automaton) {
        exit_status = print_automata(&job, &error) == PORTOLAN_OK ? EXIT_HOLDS : wrong(&error);
    } else if (settings->shards && !settings->shard) {
        exit_status = plan_model(&job, settings);
    } else if (!can_write(settings->json_file, &error) || !can_write(settings->trace_file, &error) ||
               !can_write(settings->junit_file, &error) || !can_write(settings->html_file, &error) ||
               (settings->msc_file && (!has_chart(job.system, &error) || !can_write(settings->msc_file, &error))) ||
               (settings->pictures_file &&
                (!has_pictures(job.system, &error) || !can_write(settings->pictures_file, &error))) ||
               choose_walk(&job, settings, &error) != PORTOLAN_OK ||
               certify_begin(&job, settings->certificate, &record, &error) != PORTOLAN_OK ||
               search_and_shorten(&job, settings, &error) != PORTOLAN_OK ||
               deliver_whole(&job, settings, &error) != PORTOLAN_OK ||
               certify_end(&job, settings->certificate, &record, !settings->json && !settings->quiet, &error) !=
                   PORTOLAN_OK)
        exit_status = wrong(&error);
    else
        exit_status = verdict_status(worst_verdict(&job.result));
    record_clear(&record);
    job_clear(&job);
    return exit_status;
}
