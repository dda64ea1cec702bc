/* SPDX-License-Identifier: Apache-2.0 */
/* portolan check MODEL --certify FILE, and portolan certify FILE MODEL */
#include "cli/certify.h"

#include "base/diagnostic.h"
#include "base/input.h"
#include "certify/certify.h"
#include "cli/page.h"
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
        return fail(error, PORTOLAN_REFUSED,
                    "--certify cannot be combined with --chains: the states passed over would have no proof");
    if (job->options.fairness)
        return fail(error, PORTOLAN_REFUSED,
                    "--certify cannot be combined with --fair: the certificate would speak of all runs");
    if (wants_executions(&job->options))
        return fail(error, PORTOLAN_REFUSED,
                    "--certify cannot be combined with a stateless search: it has no graph to show");
    if (reduction && reduction->has_search && words && strstr(words, "sleep"))
        return fail(error, PORTOLAN_REFUSED,
                    "--certify cannot be combined with sleep sets: sleeping actions would have no proof");
    if (reduction && reduction->has_search && words && strstr(words, "tokens=") && !strstr(words, "tokens=symbolic"))
        return fail(error, PORTOLAN_REFUSED,
                    "--certify needs tokens=symbolic: it knows the actions of the model, not those of single tokens");
    if (job->questions.list.count)
        return fail(error, PORTOLAN_REFUSED,
                    "--certify cannot be combined with --properties, which takes several searches");
    for (size_t i = 0; i < job->property_count; i++) {
        if (job->properties[i]->kind == PORTOLAN_MAXIMUM)
            return fail(error, PORTOLAN_REFUSED,
                        "--certify cannot be combined with --maximum: certify an --invariant instead");
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

static void print_size(const char *head, const struct certificate_size *size, FILE *out)
{
    struct short_text states = {0}, edges = {0}, fully = {0}, sets = {0};
    if (size->steps || size->decided) {
        fprintf(out, "%s%s step%s of simplification, %s claim%s decided by the structure\n", head,
                with_commas(size->steps, &states), size->steps == 1 ? "" : "s", with_commas(size->decided, &edges),
                size->decided == 1 ? "" : "s");
        head = "           ";
    }
    if (!size->states && !size->vectors)
        return;
    if (size->vectors) {
        fprintf(out, "%s%s vector%s, %s explored action%s\n", head, with_commas(size->vectors, &states),
                size->vectors == 1 ? "" : "s", with_commas(size->edges, &edges), size->edges == 1 ? "" : "s");
        return;
    }
    fprintf(out, "%s%s state%s, %s edge%s, %s fully expanded, %s set%s\n", head, with_commas(size->states, &states),
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
        print_size("certified  ", &size, stdout);
    return status;
}

/* ------------------------------------------------------------------ portolan certify */

/* What came of a certificate. */
struct certified {
    const char *model, *path;
    bool is_valid;
    const struct certificate_report *report; /* of a valid one */
    const struct portolan_error *error;      /* else */
    double seconds;
};

static void print_certified(const struct certified *c, bool quiet, FILE *out)
{
    fprintf(out, "model      %s\n", c->model);
    if (!c->is_valid) {
        fprintf(out, "NOT VALID  %s:%u: %s\n", c->path, c->error->line, c->error->message);
        return;
    }
    for (size_t i = 0; i < c->report->claim_count; i++)
        fprintf(out, "claim      %s: CERTIFIED\n", c->report->claims[i]);
    if (!quiet) {
        print_size("checked    ", &c->report->size, out);
        fprintf(out, "cost       %.2f s\n", c->seconds);
    }
}

static void tell_claim(struct json *json, const char *claim, bool is_valid, const char *note)
{
    json_open(json, NULL, '{');
    json_string(json, "property", claim);
    json_string(json, "verdict", is_valid ? "holds" : "violated");
    json_string(json, "answer", is_valid ? "CERTIFIED" : "NOT VALID");
    json_string(json, "note", note);
    json_close(json, '}');
}

static enum portolan_status tell_certified(struct html_page *page, void *what, struct portolan_error *error)
{
    const struct certified *c = what;
    struct json *json = &page->json;
    char note[1200], *text = NULL;
    size_t size;
    json_open(json, "properties", '[');
    snprintf(note, sizeof note, "shown by %s, checked without trusting the search", c->path);
    for (size_t i = 0; c->is_valid && i < c->report->claim_count; i++)
        tell_claim(json, c->report->claims[i], true, note);
    if (!c->is_valid) {
        snprintf(note, sizeof note, "line %u: %s", c->error->line, c->error->message);
        tell_claim(json, c->path, false, note);
    }
    json_close(json, ']');
    FILE *memory = open_memstream(&text, &size);
    if (memory && c->is_valid)
        print_size("checked    ", &c->report->size, memory);
    if (memory)
        fprintf(memory, "cost       %.2f s\n", c->seconds);
    bool fine = memory && fclose(memory) == 0;
    if (fine)
        json_string(json, "coverage", text);
    free(text);
    return fine ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status save_page(struct certified *c, const char *path, struct portolan_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fail_memory(error);
    print_certified(c, false, memory);
    enum portolan_status status = fclose(memory) == 0 ? PORTOLAN_OK : fail_memory(error);
    if (status == PORTOLAN_OK)
        status = write_page(tell_certified, c, c->model, text, path, error);
    free(text);
    return status;
}

/* Checks the certificate and says what came of it. */
static int certify(const struct settings *settings, struct portolan_system *system, FILE *in)
{
    struct portolan_error error = {0}, other;
    struct certificate_report report;
    clock_t start = clock();
    const char *path = settings->words.item[0];
    enum portolan_status status = certificate_check(system, path, in, &report, &error);
    if (status != PORTOLAN_OK && status != PORTOLAN_REFUSED)
        return wrong(&error);
    struct certified certified = {.model = settings->words.item[1],
                                  .path = path,
                                  .is_valid = status == PORTOLAN_OK,
                                  .report = &report,
                                  .error = &error,
                                  .seconds = (double)(clock() - start) / CLOCKS_PER_SEC};
    print_certified(&certified, settings->quiet, stdout);
    int exit_status = certified.is_valid ? EXIT_HOLDS : EXIT_VIOLATED;
    if (settings->html_file && save_page(&certified, settings->html_file, &other) != PORTOLAN_OK)
        exit_status = wrong(&other);
    if (certified.is_valid)
        certificate_report_clear(&report);
    return exit_status;
}

int command_certify(struct settings *settings)
{
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    if (settings->words.count != 2)
        return wrong_usage("certify");
    const char *path = settings->words.item[0], *model = settings->words.item[1], *with;
    if (!can_write(settings->html_file, &error) ||
        open_model_for(settings, model, NULL, &system, &with, &error) != PORTOLAN_OK)
        return wrong(&error);
    FILE *in = input_stream(path);
    if (!in)
        fail(&error, PORTOLAN_IO, "cannot read '%s': %s", path, strerror(errno));
    int exit_status = in ? certify(settings, system, in) : wrong(&error);
    if (in)
        fclose(in);
    portolan_system_free(system);
    return exit_status;
}
