/* SPDX-License-Identifier: Apache-2.0 */
/*
 * portolan compare MODEL: every combination that preserves the properties, side by side.  The first row, full
 * exploration, is the truth; a row with another answer is an error of ours, and said to be one.
 */
#include "cli/answer.h"
#include "cli/compare_table.h"
#include "cli/page.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "property/property.h"
#include "proviso/proviso.h"
#include "report/columns.h"
#include "search/combination.h"
#include "search/variants.h"
#include "system/result.h"

#include <stdlib.h>
#include <string.h>

/* The set of deadlock states as one number, whatever the order in which they are found. */
struct digest {
    const struct portolan_system *system;
    uint64_t sum;
};

static void add_deadlock(void *user, uint32_t state, const void *bytes)
{
    struct digest *digest = user;
    const struct portolan_system *system = digest->system;
    uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
    (void)state;
    for (uint32_t v = 0; v < system->variables && system->value; v++) {
        hash ^= (uint64_t)system->value(system->model, bytes, v);
        hash *= UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    digest->sum += hash;
}

/* One row to come. */
struct combination {
    const char *reduction, *proviso, *search;
    double most_seconds; /* 0: as many as there are */
};

struct comparison {
    struct job *job;
    VECTOR(struct combination) plan;
    row_list rows;
    bool quiet;
    bool every_variant; /* --all */
    bool temporal;      /* there are formulas: searches end at a counterexample, and count no deadlocks */
};

static bool is_final(const struct comparison *comparison, const struct row *row)
{
    return row->result.stop <= (comparison->temporal ? PORTOLAN_DECIDED : PORTOLAN_COMPLETE);
}

/* Goal-directed sets lead to what decides the properties, and not to every deadlock. */
static bool finds_deadlocks(const struct row *row)
{
    const char *options;
    const struct reduction_class *reduction = reduction_find(row->result.reduction, &options);
    return !row_is_stateless(row) && !(reduction && traits_of_reduction(reduction, options) & GOAL_DIRECTED);
}

static bool same_answer(const struct comparison *comparison, const struct row *row)
{
    const struct row *truth = &comparison->rows.item[0];
    if (!is_final(comparison, truth) || !is_final(comparison, row))
        return true; /* a limit was hit: nothing to compare */
    if (!comparison->temporal && finds_deadlocks(row) &&
        (truth->deadlock_set != row->deadlock_set ||
         truth->result.statistics.deadlocks != row->result.statistics.deadlocks))
        return false;
    for (size_t i = 0; i < truth->result.answer_count; i++)
        if (truth->result.answers[i].verdict != row->result.answers[i].verdict)
            return false;
    return true;
}

/* What --time leaves for the row i of the plan: the full exploration gets half, those behind it equal shares. */
static double seconds_for(const struct comparison *comparison, size_t i)
{
    const struct combination *row = &comparison->plan.item[i];
    size_t rows = i == 0 ? 2 : comparison->plan.count - i;
    double left = limits_seconds_left(), share = left > 0 ? left / (double)rows : 0;
    if (row->most_seconds > 0 && (share <= 0 || row->most_seconds < share))
        return row->most_seconds;
    return share;
}

/* Runs one combination; one that is refused as unsound is no row, unless it is the first. */
static enum portolan_status add_row(struct comparison *comparison, size_t i, struct portolan_error *error)
{
    struct job *job = comparison->job;
    struct digest digest = {.system = job->system};
    job->options.reduction = comparison->plan.item[i].reduction;
    job->options.proviso = comparison->plan.item[i].proviso;
    job->options.search = comparison->plan.item[i].search;
    job->options.time_limit = seconds_for(comparison, i);
    job->options.callbacks = (struct portolan_callbacks){.user = &digest, .deadlock = add_deadlock};
    enum portolan_status status = job_run(job, comparison->quiet, error);
    if (status == PORTOLAN_REFUSED && i > 0)
        return PORTOLAN_OK;
    if (status != PORTOLAN_OK)
        return status;
    struct row row = {.result = job->result, .deadlock_set = digest.sum};
    memset(&job->result, 0, sizeof job->result);
    row.differs = comparison->rows.count && !same_answer(comparison, &row);
    if (!vector_push(&comparison->rows, row)) {
        result_clear(&row.result);
        return fail_memory(error);
    }
    return PORTOLAN_OK;
}

static bool plan_row(struct comparison *comparison, const struct variant *variant, double most_seconds)
{
    struct combination row = {variant->reduction, variant->proviso, variant->search, most_seconds};
    return vector_push(&comparison->plan, row);
}

/* How long a variant may take, 0: as long as it likes.  The number of executions can be beyond all bounds, and a search
 * over vectors may take far longer than full exploration, the first row: it gets ten times as long. */
static double most_seconds_of(const struct comparison *comparison, const struct variant *variant)
{
    static const double OF_EXECUTIONS_EACH = 10;
    if (variant->search_class == &search_executions)
        return OF_EXECUTIONS_EACH;
    return variant->reduction_class->has_search ? 4 + 10 * comparison->rows.item[0].result.statistics.seconds : 0;
}

/* Is it a row?  Executions are for models made of threads. */
static bool is_compared(const struct comparison *comparison, const struct variant *variant)
{
    const struct job *job = comparison->job;
    bool of_executions = variant->search_class == &search_executions;
    if (variant->search_class->several_threads && job->options.threads <= 1)
        return false; /* by one thread the others do better */
    if (variant->search_class->behind_threads && job->options.threads > 1 && job->options.fairness == PORTOLAN_UNFAIR)
        return false; /* by several, those that take them all do */
    return (variant->is_shown || comparison->every_variant) && variant_is_sound(variant, job->system, &job->options) &&
           (!of_executions || has_columns(job->system));
}

/* The first row is full exploration, in the first way that goes with the other options; where none does, the first way
 * of all is refused with the reason. */
static bool plan_first(struct comparison *comparison, struct variant_cursor *cursor)
{
    struct variant_cursor ahead = *cursor;
    struct variant variant, first;
    bool fine = variant_next(cursor, comparison->temporal, &first);
    while (variant_next(&ahead, comparison->temporal, &variant) && variant.reduction_class &&
           !variant.reduction_class->reduces)
        if (is_compared(comparison, &variant)) {
            *cursor = ahead;
            return plan_row(comparison, &variant, 0);
        }
    return fine && plan_row(comparison, &first, 0);
}

static bool plan_others(struct comparison *comparison, struct variant_cursor *cursor)
{
    struct variant variant;
    bool fine = true;
    while (fine && variant_next(cursor, comparison->temporal, &variant))
        if (is_compared(comparison, &variant))
            fine = plan_row(comparison, &variant, most_seconds_of(comparison, &variant));
    return fine;
}

/* When a limit is reached, what was covered is shown. */
static enum portolan_status run_all(struct comparison *comparison, struct portolan_error *error)
{
    struct variant_cursor cursor = {0};
    if (!plan_first(comparison, &cursor))
        return fail_memory(error);
    enum portolan_status status = add_row(comparison, 0, error);
    if (status == PORTOLAN_OK && comparison->rows.count && !plan_others(comparison, &cursor))
        status = fail_memory(error);
    for (size_t i = 1; i < comparison->plan.count && status == PORTOLAN_OK; i++) {
        if (limits_look(limits_present))
            break;
        status = add_row(comparison, i, error);
    }
    return status;
}

static void print_table(const struct comparison *comparison, const char *model)
{
    const struct job *job = comparison->job;
    printf("model      %s\n", model);
    for (size_t i = 0; i < job->property_count; i++)
        printf("property   %s\n", portolan_property_text(job->properties[i]));
    if (comparison->every_variant)
        print_rows(&comparison->rows, stdout);
    else
        print_groups(&comparison->rows, stdout);
}

static void write_json(const struct comparison *comparison, const char *model, FILE *out)
{
    const struct job *job = comparison->job;
    struct json json;
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "model", model);
    json_string(&json, "format", job->system->format);
    json_open(&json, "properties", '[');
    for (size_t i = 0; i < job->property_count; i++)
        json_string(&json, NULL, portolan_property_text(job->properties[i]));
    json_close(&json, ']');
    json_open(&json, "rows", '[');
    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct row *row = &comparison->rows.item[i];
        json_open(&json, NULL, '{');
        json_string(&json, "verdict", verdict_word(worst_verdict(&row->result)));
        json_statistics(&json, &row->result);
        json_boolean(&json, "differs", row->differs);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

static int status_of(const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->rows.count; i++)
        if (comparison->rows.item[i].differs)
            return EXIT_VIOLATED;
    bool known = comparison->rows.count && is_final(comparison, &comparison->rows.item[0]);
    return known ? EXIT_HOLDS : EXIT_UNDECIDED;
}

static bool save_csv(const struct comparison *comparison, const char *path, struct portolan_error *error)
{
    FILE *out = open_output(path, error);
    if (!out)
        return false;
    write_csv(&comparison->rows, out);
    return close_output(out, path, error);
}

static enum portolan_status deliver(const struct comparison *comparison, const struct settings *settings,
                                    struct portolan_error *error)
{
    const char *model = settings->words.item[0];
    if (!settings->json || settings->json_file)
        print_table(comparison, model);
    if (settings->csv_file && !save_csv(comparison, settings->csv_file, error))
        return PORTOLAN_IO;
    if (settings->html_file) {
        enum portolan_status status = write_comparison_page(&comparison->rows, model, settings->html_file, error);
        if (status != PORTOLAN_OK)
            return status;
    }
    if (!settings->json)
        return PORTOLAN_OK;
    FILE *out = open_output(settings->json_file, error);
    if (!out)
        return PORTOLAN_IO;
    write_json(comparison, model, out);
    return close_output(out, settings->json_file, error) ? PORTOLAN_OK : PORTOLAN_IO;
}

/* What there is is told whole, whatever limit was reached: it takes no longer than finding it did. */
static enum portolan_status deliver_whole(const struct comparison *comparison, const struct settings *settings,
                                          struct portolan_error *error)
{
    struct portolan_limits *outer = limits_present;
    limits_adopt(NULL);
    enum portolan_status status = deliver(comparison, settings, error);
    limits_adopt(outer);
    return status;
}

int command_compare(struct settings *settings)
{
    struct portolan_error error = {0};
    struct job job;
    if (settings->words.count != 1)
        return wrong_usage("compare");
    if (job_make(&job, settings, true, &error) != PORTOLAN_OK)
        return wrong(&error);
    job.options.all = true; /* whole state spaces are compared, not how early a search ends */
    struct comparison comparison = {
        .job = &job, .quiet = settings->quiet || settings->json, .every_variant = settings->all};
    for (size_t i = 0; i < job.property_count; i++)
        comparison.temporal |= property_is_temporal(job.properties[i]);
    int exit_status = EXIT_WRONG;
    if (!can_write(settings->json_file, &error) || !can_write(settings->csv_file, &error) ||
        !can_write(settings->html_file, &error) || run_all(&comparison, &error) != PORTOLAN_OK ||
        deliver_whole(&comparison, settings, &error) != PORTOLAN_OK)
        exit_status = wrong(&error);
    else
        exit_status = status_of(&comparison);
    for (size_t i = 0; i < comparison.rows.count; i++)
        result_clear(&comparison.rows.item[i].result);
    free(comparison.rows.item);
    free(comparison.plan.item);
    job_clear(&job);
    return exit_status;
}
