/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diagnostic.h"
#include "base/text_file.h"
#include "checkpoint/archive.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/fired.h"
#include "cli/limits.h"
#include "cli/questions.h"
#include "cli/screen.h"
#include "distributed/levels.h"
#include "property/property.h"
#include "report/progress.h"
#include "search/combination.h"
#include "search/search_system.h"
#include "xml/library.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int wrong(const struct portolan_error *error)
{
    if (error->status == PORTOLAN_STOPPED)
        return report_stopped(error);
    diagnostic_write(error, stderr);
    return EXIT_WRONG;
}

int wrong_usage(const char *command)
{
    const struct command_help *help = command_find(command);
    fprintf(stderr, "portolan: error: usage: portolan %s %s\nhint: see 'portolan %s --help'\n", command, help->usage,
            command);
    return EXIT_WRONG;
}

static enum portolan_status add_property(struct job *job, enum portolan_kind kind, const char *text,
                                         struct portolan_error *error)
{
    enum portolan_status status =
        portolan_property_new(job->system, kind, text, &job->properties[job->property_count], error);
    job->property_count += status == PORTOLAN_OK;
    return status;
}

/* One that the model states under this name; else a formula. */
static enum portolan_status add_named(struct job *job, const struct wanted_property *wanted,
                                      struct portolan_error *error)
{
    const struct portolan_system *system = job->system;
    bool is_formula = strncmp(wanted->name, "ltl ", 4) == 0;
    uint32_t variable;
    for (size_t i = 0; i < system->stated_count; i++)
        if (system->stated[i].name && strcmp(system->stated[i].name, wanted->name) == 0)
            return add_property(job, (enum portolan_kind)system->stated[i].kind, system->stated[i].text, error);
    if (!wanted->text)
        return fail(error, PORTOLAN_BAD_OPTION, "the model states no property '%.200s'", wanted->name);
    if (!is_formula && !system->find_variable(system->model, "np_cycle_", &variable))
        return fail(error, PORTOLAN_BAD_OPTION, "'%s' is for Promela models", wanted->name);
    enum portolan_status status = add_property(job, wanted->kind, wanted->text, error);
    if (status == PORTOLAN_OK && !is_formula)
        job->properties[job->property_count - 1]->name = wanted->name;
    return status;
}

/* A property whose text stands in a file; errors are about that file. */
static enum portolan_status add_from_file(struct job *job, enum portolan_kind kind, const char *path,
                                          struct portolan_error *error)
{
    char *text = NULL;
    size_t length;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    if (status != PORTOLAN_OK)
        return status;
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    status = add_property(job, kind, text, error);
    if (status == PORTOLAN_BAD_INPUT)
        snprintf(error->file, sizeof error->file, "%s", path);
    free(text);
    return status;
}

/* No deadlock, and what the model itself states. */
static enum portolan_status add_default_properties(struct job *job, struct portolan_error *error)
{
    const struct portolan_system *system = job->system;
    enum portolan_status status =
        system->never_ends ? PORTOLAN_OK : add_property(job, PORTOLAN_NO_DEADLOCK, NULL, error);
    for (size_t i = 0; status == PORTOLAN_OK && i < system->stated_count; i++)
        status = add_property(job, (enum portolan_kind)system->stated[i].kind, system->stated[i].text, error);
    return status;
}

/* A line for --traces: who goes, in the order that is the same for all equivalent executions. */
static void write_execution(void *user, const struct portolan_execution *execution)
{
    const struct job *job = user;
    const struct portolan_system *system = job->system;
    for (size_t i = 0; i < execution->length; i++) {
        char name[256];
        if (system->footprint->agent_name)
            system->footprint->agent_name(system->model, execution->agents[i], name, sizeof name);
        else
            snprintf(name, sizeof name, "%s", system->action_name(system->model, execution->agents[i]));
        fprintf(job->executions, "%s%s", i ? " " : "", name);
    }
    fprintf(job->executions, "%s%s\n", execution->deadlock ? " (deadlock)" : "", execution->cut ? " (cut)" : "");
}

static void print_line(void *user, const char *line)
{
    fprintf(user, "%s\n", line);
}

/* The table goes to standard error when something else has standard output to itself. */
static enum portolan_status listen(struct job *job, const struct settings *settings, struct portolan_error *error)
{
    bool taken = (settings->json && !settings->json_file) || (settings->export && !settings->output);
    if (!settings->explain)
        return PORTOLAN_OK;
    bool is_probe = settings->reduction && strncmp(settings->reduction, "probe", 5) == 0;
    if (!is_probe && (settings->chains || settings->threads > 1 || job->questions.list.count))
        return fail(error, PORTOLAN_BAD_OPTION,
                    "--explain cannot be combined with %s: it follows one search state by state",
                    settings->chains        ? "--chains"
                    : settings->threads > 1 ? "--threads"
                                            : "--properties");
    job->explain_to = taken ? stderr : is_probe ? screen_unwrapped() : stdout; /* a table has its own width */
    job->explains_sets = !is_probe;
    job->simplifies = job->simplifies && is_probe; /* actions have the names of the model */
    return PORTOLAN_OK;
}

static void set_options(struct portolan_options *options, const struct settings *settings)
{
    *options = (struct portolan_options){
        .reduction = settings->reduction,
        .proviso = settings->proviso,
        .search = settings->search,
        .store = settings->store,
        .spill = settings->spill,
        .fairness = settings->fairness,
        .all = settings->all,
        .chains = settings->chains,
        .check_relations = settings->check_relations,
        .memory_limit = settings->memory,
        .state_limit = settings->states,
        .threads = (uint32_t)settings->threads,
        .bound = (uint32_t)settings->bound,
        .bounds_preemptions = settings->bounds_preemptions,
        .preemptions = (uint32_t)settings->preemptions,
        .random_runs = settings->random_runs,
        .bug_depth = (uint32_t)settings->bug_depth,
        .seed = settings->seed,
        .engine = settings->says_engine ? settings->engine : PORTOLAN_NATIVE_WHEN_LONG,
        .checkpoint = settings->checkpoint,
        .checkpoint_every = settings->checkpoint_every,
        .checkpoint_words = settings->as_given,
        .resume = settings->resume,
    };
    options->shard = settings->shard;
    if (settings->shards && !options->reduction && !options->search)
        options->search = "stateless";
    if (settings->traces_file)
        options->callbacks.execution = write_execution;
}

bool wants_stateless(const struct settings *settings)
{
    struct portolan_options options;
    set_options(&options, settings);
    return wants_executions(&options);
}

/* A file holds one search: what makes several of one question, or writes while it searches, cannot be combined with it.
 */
static enum portolan_status check_checkpoint(const struct settings *settings, struct portolan_error *error)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{settings->property_files.count, "properties"},
                  {settings->simplify == SIMPLIFY_AUTO, "simplify auto"},
                  {settings->walk_steps, "walk"},
                  {settings->export, "export"},
                  {settings->certificate, "certify"},
                  {settings->coverage, "coverage"},
                  {settings->traces_file, "traces"},
                  {settings->random_runs, "random"},
                  {settings->shards && !settings->shard, "shards"}};
    if (!settings->checkpoint && !settings->resume)
        return PORTOLAN_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].given)
            return fail(error, PORTOLAN_BAD_OPTION,
                        "--checkpoint cannot be combined with --%s: a checkpoint holds one search, and nothing that "
                        "was written on the way",
                        others[i].name);
    return settings->checkpoint ? archive_can_create(settings->checkpoint, error) : PORTOLAN_OK;
}

enum portolan_status job_make(struct job *job, const struct settings *settings, bool by_default,
                              struct portolan_error *error)
{
    memset(job, 0, sizeof *job);
    set_options(&job->options, settings);
    job->transport = settings->transport;
    enum portolan_status status = check_checkpoint(settings, error);
    if (status == PORTOLAN_OK && settings->transport && settings->property_files.count)
        status = fail(error, PORTOLAN_REFUSED,
                      "--distributed cannot be combined with --properties, which takes many searches");
    if (status != PORTOLAN_OK)
        return status;
    status = open_model_for(settings, settings->words.item[0], &job->options, &job->system, &job->opened_with, error);
    if (status != PORTOLAN_OK)
        return status;
    job->properties =
        calloc(settings->properties.count + job->system->stated_count + 1, sizeof(struct portolan_property *));
    if (!job->properties)
        status = fail_memory(error);
    if (status == PORTOLAN_OK && settings->chosen.count && !settings->property_files.count)
        status = fail(error, PORTOLAN_BAD_OPTION, "--only needs --properties FILE");
    if (status == PORTOLAN_OK && settings->property_files.count)
        status = questions_make(job, settings, error);
    for (size_t i = 0; status == PORTOLAN_OK && i < settings->properties.count; i++) {
        const struct wanted_property *wanted = &settings->properties.item[i];
        status = wanted->file   ? add_from_file(job, wanted->kind, wanted->file, error)
                 : wanted->name ? add_named(job, wanted, error)
                                : add_property(job, wanted->kind, wanted->text, error);
    }
    if (status == PORTOLAN_OK && by_default && settings->properties.count + settings->property_files.count == 0)
        status = add_default_properties(job, error);
    job->options.properties = (const struct portolan_property *const *)job->properties;
    job->options.property_count = job->property_count;
    job->lists_fired = settings->coverage;
    bool any_reduction = !settings->reduction || strcmp(settings->reduction, "auto") == 0;
    if (settings->coverage && any_reduction && !wants_executions(&job->options))
        job->options.reduction = "none"; /* what a reduction does not fire may well be possible */
    if (status == PORTOLAN_OK && settings->traces_file) {
        job->executions_file = settings->traces_file;
        job->executions = open_output(settings->traces_file, error);
        job->options.callbacks.user = job;
        status = job->executions ? PORTOLAN_OK : PORTOLAN_IO;
    }
    if (status == PORTOLAN_OK)
        status = listen(job, settings, error);
    if (status != PORTOLAN_OK)
        job_clear(job);
    libxml_unload(); /* everything has been read, and the memory is for the search */
    return status;
}

static void show_progress(void *user, const struct portolan_statistics *so_far)
{
    (void)user; /* that of the other callbacks */
    progress_show(stderr, so_far);
}

enum portolan_status job_run(struct job *job, bool quiet, struct portolan_error *error)
{
    bool visible = !quiet && isatty(STDERR_FILENO);
    if (visible)
        job->options.callbacks.progress = show_progress;
    if (job->explain_to) {
        job->options.callbacks.explain = print_line;
        job->options.callbacks.explain_user = job->explain_to;
    }
    struct explaining *explaining = job->explains_sets ? explaining_begin(job, error) : NULL;
    if (job->explains_sets && !explaining)
        return error->status;
    enum portolan_status status = fired_begin(job, error);
    if (status == PORTOLAN_OK && job->questions.list.count)
        status = questions_search(job, error);
    else if (status == PORTOLAN_OK && job->transport)
        status = search_distributed(job->system, &job->options, job->transport, &job->result, error);
    else if (status == PORTOLAN_OK && job->simplifies)
        status = search_simplified(job->system, &job->options, false, &job->simplified,
                                   job->proof.again ? &job->proof : NULL, &job->result, error);
    else if (status == PORTOLAN_OK)
        status = search_system(job->system, &job->options, &job->result, error);
    if (visible)
        progress_end(stderr);
    struct portolan_error unexplained;
    if (explaining_end(explaining, status == PORTOLAN_OK ? job->explain_to : NULL, &unexplained) != PORTOLAN_OK) {
        *error = unexplained;
        status = unexplained.status;
    }
    if (job->executions) {
        FILE *out = job->executions;
        job->executions = NULL;
        if (!close_output(out, job->executions_file, status == PORTOLAN_OK ? error : NULL) && status == PORTOLAN_OK)
            status = PORTOLAN_IO;
    }
    return status;
}

void job_clear(struct job *job)
{
    result_clear(&job->result);
    simplify_proof_clear(&job->proof);
    messages_seen_free(job->messages_seen);
    for (size_t i = 0; i < job->property_count; i++)
        portolan_property_free(job->properties[i]);
    free(job->properties);
    questions_clear(&job->questions);
    portolan_system_free(job->system);
    if (job->executions && job->executions != stdout)
        fclose(job->executions);
    memset(job, 0, sizeof *job);
}

bool can_write(const char *path, struct portolan_error *error)
{
    if (!path || strcmp(path, "-") == 0)
        return true;
    bool existed = access(path, F_OK) == 0;
    FILE *out = fopen(path, "a");
    if (!out) {
        fail(error, PORTOLAN_IO, "cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    fclose(out);
    if (!existed)
        unlink(path);
    return true;
}

FILE *open_output(const char *path, struct portolan_error *error)
{
    if (!path || strcmp(path, "-") == 0)
        return stdout;
    FILE *out = fopen(path, "w");
    if (!out)
        fail(error, PORTOLAN_IO, "cannot write '%s': %s", path, strerror(errno));
    return out;
}

bool close_output(FILE *out, const char *path, struct portolan_error *error)
{
    bool fine = !ferror(out);
    if (out == stdout ? fflush(out) != 0 : fclose(out) != 0)
        fine = false;
    bool named = path && strcmp(path, "-") != 0;
    if (!fine)
        fail(error, PORTOLAN_IO, "cannot write '%s': %s", named ? path : "standard output",
             errno ? strerror(errno) : "the write failed");
    return fine;
}

size_t peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss * 1024;
}
