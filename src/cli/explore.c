/* SPDX-License-Identifier: Apache-2.0 */
/* portolan explore MODEL */
#include "cli/answer.h"
#include "cli/page.h"
#include "cli/shards.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "report/graph.h"
#include "search/combination.h"

#include <string.h>

static enum portolan_status unknown_format(const char *name, struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    nearest_offer(&nearest, "dot");
    nearest_offer(&nearest, "aut");
    fail(error, PORTOLAN_BAD_OPTION, "--export takes dot or aut, not '%s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    return PORTOLAN_BAD_OPTION;
}

static enum portolan_status check_export(const struct settings *settings, struct portolan_error *error)
{
    if (!settings->export)
        return settings->output ? fail(error, PORTOLAN_BAD_OPTION, "--output needs --export") : PORTOLAN_OK;
    if (strcmp(settings->export, "dot") != 0 && strcmp(settings->export, "aut") != 0)
        return unknown_format(settings->export, error);
    if (settings->chains)
        return fail(error, PORTOLAN_REFUSED,
                    "--export cannot be combined with --chains: states passed over have no number");
    if (settings->traces_file)
        return fail(
            error, PORTOLAN_REFUSED,
            "--export cannot be combined with --traces: the one needs stored states, the other a stateless search");
    return PORTOLAN_OK;
}

static enum portolan_status write_graph(struct graph *graph, const struct settings *settings,
                                        struct portolan_error *error)
{
    if (graph->failed)
        return fail_memory(error);
    FILE *out = open_output(settings->output, error);
    if (!out)
        return PORTOLAN_IO;
    graph_write(graph, settings->export, out);
    return close_output(out, settings->output, error) ? PORTOLAN_OK : PORTOLAN_IO;
}

/* The graph has standard output to itself when it goes there. */
static enum portolan_status deliver(struct job *job, const struct settings *settings, struct graph *graph,
                                    struct portolan_error *error)
{
    const char *model = settings->words.item[0];
    FILE *text = settings->export && !settings->output ? stderr : stdout;
    enum portolan_status status = PORTOLAN_OK;
    if (settings->export)
        status = write_graph(graph, settings, error);
    if (status == PORTOLAN_OK && settings->html_file)
        status = write_exploration_page(job, model, graph, settings->html_file, error);
    if (status == PORTOLAN_OK && settings->json) {
        FILE *out = settings->json_file ? open_output(settings->json_file, error) : text;
        if (!out)
            return PORTOLAN_IO;
        status = write_json_answer(job, model, out, error);
        if (out != stderr && !close_output(out, settings->json_file, error))
            status = PORTOLAN_IO;
    } else if (status == PORTOLAN_OK && !(settings->quiet && settings->export)) {
        fprintf(text, "model      %s\n", model);
        print_coverage(job, text);
    }
    return status;
}

/* What there is is told whole, whatever limit was reached: time was put aside for it. */
static enum portolan_status deliver_whole(struct job *job, const struct settings *settings, struct graph *graph,
                                          struct portolan_error *error)
{
    struct portolan_limits *outer = limits_present;
    limits_adopt(NULL);
    enum portolan_status status = deliver(job, settings, graph, error);
    limits_adopt(outer);
    return status;
}

int command_explore(struct settings *settings)
{
    struct portolan_error error = {0};
    struct job job;
    if (settings->words.count != 1)
        return wrong_usage("explore");
    if (check_export(settings, &error) != PORTOLAN_OK || job_make(&job, settings, false, &error) != PORTOLAN_OK)
        return wrong(&error);
    struct graph graph = {.system = job.system};
    if (settings->export) {
        job.options.time_limit = limits_seconds_left() / 2; /* writing a graph takes about as long as finding it */
        graph.wants_labels = strcmp(settings->export, "dot") == 0;
        job.options.callbacks = graph_callbacks(&graph);
    } else if (settings->html_file && !settings->checkpoint && !settings->resume && !settings->chains &&
               !settings->traces_file && !wants_executions(&job.options)) {
        graph.most = MOST_DRAWN_STATES;
        graph.wants_labels = true;
        job.options.callbacks = graph_callbacks(&graph);
    }
    int exit_status = EXIT_WRONG;
    if (settings->shards && !settings->shard)
        exit_status = plan_model(&job, settings);
    else if (!can_write(settings->json_file, &error) || !can_write(settings->output, &error) ||
             !can_write(settings->html_file, &error) ||
             job_run(&job, settings->quiet || settings->json, &error) != PORTOLAN_OK ||
             deliver_whole(&job, settings, &graph, &error) != PORTOLAN_OK)
        exit_status = wrong(&error);
    else
        exit_status = stop_is_complete(job.result.stop) ? EXIT_HOLDS : EXIT_UNDECIDED;
    graph_clear(&graph);
    job_clear(&job);
    return exit_status;
}
