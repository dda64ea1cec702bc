/* SPDX-License-Identifier: Apache-2.0 */
/* portolan check MODEL --certify FILE, and portolan certify FILE MODEL */
#include "cli/certify.h"

#include "base/diagnostic.h"
#include "base/input.h"
#include "certify/certify.h"
#include "reduce/reduction.h"
#include "report/words.h"
#include "search/combination.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static enum portolan_status refuse(const struct job *job, struct portolan_error *error)
{
    const char *words, *name = job->options.reduction ? job->options.reduction : "";
    const struct reduction_class *reduction = reduction_find(name, &words);
    if (job->options.chains)
        return fail(error, PORTOLAN_REFUSED, "--certify does not go with --chains: passed states would have no proof");
    if (job->options.fairness)
        return fail(error, PORTOLAN_REFUSED, "--certify does not go with --fair: the certificate would claim all runs");
    if (wants_executions(&job->options))
        return fail(error, PORTOLAN_REFUSED, "--certify does not go with a stateless search: it has no graph to show");
    if (reduction && reduction->has_search && words && strstr(words, "sleep"))
        return fail(error, PORTOLAN_REFUSED, "--certify does not go with sleep sets: what sleeps would have no proof");
    if (reduction && reduction->has_search && words && strstr(words, "tokens=") && !strstr(words, "tokens=symbolic"))
        return fail(error, PORTOLAN_REFUSED,
                    "--certify knows the actions of the model only, not those of single tokens");
    if (job->questions.list.count)
        return fail(error, PORTOLAN_REFUSED, "--certify does not go with --properties: they take several searches");
    for (size_t i = 0; i < job->property_count; i++) {
        if (job->properties[i]->kind == PORTOLAN_MAXIMUM)
            return fail(error, PORTOLAN_REFUSED,
                        "--certify does not go with --maximum: certify an --invariant instead");
        char *claim = certificate_claim(job->properties[i]);
        enum portolan_status status = claim ? certificate_allows(job->system, claim, error) : fail_memory(error);
        free(claim);
        if (status != PORTOLAN_OK)
            return status;
    }
    return PORTOLAN_OK;
}

enum portolan_status certify_begin(struct job *job, const char *path, struct record *record,
                                   struct portolan_error *error)
{
    if (!path)
        return PORTOLAN_OK;
    enum portolan_status status = refuse(job, error);
    if (status == PORTOLAN_OK && !can_write(path, error))
        status = PORTOLAN_IO;
    job->options.certifiable = true;
    job->options.callbacks = record_callbacks(record);
    job->proof = (struct simplify_proof){.again = record_restart, .user = record};
    return status;
}

/* Why there is nothing to certify; NULL when there is. */
static const char *nothing_to_certify(const struct job *job)
{
    for (size_t i = 0; i < job->property_count; i++)
        if (job->result.answers[i].has_trace)
            return "a trace shows the answer";
    return job->result.stop == PORTOLAN_COMPLETE ? NULL : "the search did not complete";
}

static enum portolan_status write_claims(struct job *job, FILE *out, struct record *record,
                                         struct certificate_size *size, struct portolan_error *error)
{
    char **claims = calloc(job->property_count + 1, sizeof *claims),
         **open = calloc(job->property_count + 1, sizeof *open);
    size_t count = 0, open_count = 0;
    while (claims && count < job->property_count && (claims[count] = certificate_claim(job->properties[count])))
        count++;
    for (size_t i = 0; open && i < count; i++)
        if (!job->proof.text || job->proof.open[i])
            open[open_count++] = claims[i];
    record->directed = strstr(job->result.reduction, "goal");
    struct certificate_prelude prelude = {.model = job->system->name,
                                          .text = job->proof.text,
                                          .claims = (const char *const *)claims,
                                          .claim_count = count};
    enum portolan_status status =
        claims && open && count == job->property_count
            ? certificate_write(prelude.text ? job->proof.system : job->system, record, prelude.text ? &prelude : NULL,
                                (const char *const *)open, open_count, out, size, error)
            : fail_memory(error);
    for (size_t i = 0; i < count; i++)
        free(claims[i]);
    free(claims);
    free(open);
    return status;
}

static void print_size(const char *head, const struct certificate_size *size)
{
    struct short_text states = {0}, edges = {0}, fully = {0}, sets = {0};
    if (size->steps || size->decided) {
        printf("%s%s step%s of simplification, %s claim%s decided by the structure\n", head,
               with_commas(size->steps, &states), size->steps == 1 ? "" : "s", with_commas(size->decided, &edges),
               size->decided == 1 ? "" : "s");
        head = "           ";
    }
    if (!size->states && !size->vectors)
        return;
    if (size->vectors) {
        printf("%s%s vector%s, %s explored action%s\n", head, with_commas(size->vectors, &states),
               size->vectors == 1 ? "" : "s", with_commas(size->edges, &edges), size->edges == 1 ? "" : "s");
        return;
    }
    printf("%s%s state%s, %s edge%s, %s fully expanded, %s set%s\n", head, with_commas(size->states, &states),
           size->states == 1 ? "" : "s", with_commas(size->edges, &edges), size->edges == 1 ? "" : "s",
           with_commas(size->fully, &fully), with_commas(size->sets, &sets), size->sets == 1 ? "" : "s");
}

/* Half a certificate is none.  Only a file is removed: not a device, not what a link leads to. */
static void remove_half(const char *path)
{
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode))
        unlink(path);
}

enum portolan_status certify_end(struct job *job, const char *path, struct record *record, bool tell,
                                 struct portolan_error *error)
{
    struct certificate_size size;
    const char *nothing = nothing_to_certify(job);
    if (!path)
        return PORTOLAN_OK;
    if (nothing && tell)
        printf("certified  nothing: %s\n", nothing);
    if (nothing)
        return PORTOLAN_OK;
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    enum portolan_status status = write_claims(job, out, record, &size, error);
    bool in_time = status != PORTOLAN_STOPPED;
    if (!close_output(out, path, status == PORTOLAN_OK ? error : NULL) && status == PORTOLAN_OK)
        status = PORTOLAN_IO;
    if (status != PORTOLAN_OK && out != stdout)
        remove_half(path);
    if (!in_time && tell)
        printf("certified  nothing: %s\n", error->message);
    if (!in_time)
        return PORTOLAN_OK;
    if (status == PORTOLAN_OK && tell && out != stdout)
        print_size("certified  ", &size);
    return status;
}

static int print_valid(const struct certificate_report *report, bool quiet, clock_t start)
{
    for (size_t i = 0; i < report->claim_count; i++)
        printf("claim      %s: CERTIFIED\n", report->claims[i]);
    if (!quiet) {
        print_size("checked    ", &report->size);
        printf("cost       %.2f s\n", (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    return EXIT_HOLDS;
}

int command_certify(struct settings *settings)
{
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    struct certificate_report report;
    clock_t start = clock();
    if (settings->words.count != 2)
        return wrong_usage("certify");
    const char *path = settings->words.item[0], *model = settings->words.item[1], *with;
    if (open_model_for(settings, model, NULL, &system, &with, &error) != PORTOLAN_OK)
        return wrong(&error);
    FILE *in = input_stream(path);
    enum portolan_status status = in ? certificate_check(system, path, in, &report, &error)
                                     : fail(&error, PORTOLAN_IO, "cannot read '%s': %s", path, strerror(errno));
    if (in)
        fclose(in);
    int exit_status = EXIT_VIOLATED;
    if (status == PORTOLAN_OK || status == PORTOLAN_REFUSED)
        printf("model      %s\n", model);
    if (status == PORTOLAN_OK) {
        exit_status = print_valid(&report, settings->quiet, start);
        certificate_report_clear(&report);
    } else if (status == PORTOLAN_REFUSED) {
        printf("NOT VALID  %s:%u: %s\n", path, error.line, error.message);
    } else {
        exit_status = wrong(&error);
    }
    portolan_system_free(system);
    return exit_status;
}
