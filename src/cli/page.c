/* SPDX-License-Identifier: Apache-2.0 */
/* --html FILE */
#include "cli/page.h"

#include "base/diagnostic.h"
#include "cli/answer.h"
#include "property/property.h"
#include "report/dot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum portolan_status tell_property(struct html_page *page, struct job *job, size_t i,
                                          struct portolan_error *error)
{
    const struct portolan_answer *answer = &job->result.answers[i];
    struct json *json = &page->json;
    struct answer_words words;
    enum portolan_status status = PORTOLAN_OK;
    json_open(json, NULL, '{');
    json_string(json, "property", portolan_property_text(job->properties[i]));
    json_string(json, "verdict", verdict_word(answer->verdict));
    json_string(json, "answer", answer_text(job->properties[i], answer, &words));
    if (answer->note[0])
        json_string(json, "note", answer->note);
    if (answer->has_trace)
        status = page_trace(page, job->system, answer->trace, answer->trace_length, answer->cycle_start, error);
    json_close(json, '}');
    return status;
}

static enum portolan_status tell_coverage(struct html_page *page, const struct job *job, struct portolan_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory)
        print_coverage(job, memory);
    bool fine = memory && fclose(memory) == 0;
    if (fine)
        json_string(&page->json, "coverage", text);
    free(text);
    return fine ? PORTOLAN_OK : fail_memory(error);
}

/* Whose page it is. */
struct told {
    struct job *job;
    const char *model;
    struct graph *graph; /* of explore */
};

static enum portolan_status tell_answers(struct html_page *page, void *what, struct portolan_error *error)
{
    struct told *told = what;
    struct job *job = told->job;
    bool has_trace = false;
    enum portolan_status status = PORTOLAN_OK;
    json_open(&page->json, "properties", '[');
    for (size_t i = 0; i < job->property_count && status == PORTOLAN_OK; i++) {
        has_trace |= job->result.answers[i].has_trace;
        status = tell_property(page, job, i, error);
    }
    json_close(&page->json, ']');
    if (status == PORTOLAN_OK && has_trace)
        status = page_source(page, job->system, told->model, error);
    if (status == PORTOLAN_OK && has_trace)
        status = page_net(page, job->system, error);
    return status == PORTOLAN_OK ? tell_coverage(page, job, error) : status;
}

enum portolan_status write_page(tell_function *tell, void *what, const char *title, const char *text, const char *path,
                                struct portolan_error *error)
{
    FILE *out = open_output(path, error);
    if (!out)
        return PORTOLAN_IO;
    enum portolan_status status = page_of(tell, what, title, text, out, error);
    if (!close_output(out, path, status == PORTOLAN_OK ? error : NULL) && status == PORTOLAN_OK)
        status = PORTOLAN_IO;
    return status;
}

enum portolan_status write_answer_page(struct job *job, const char *model, const char *text, const char *path,
                                       struct portolan_error *error)
{
    struct told told = {.job = job, .model = model};
    return write_page(tell_answers, &told, model, text, path, error);
}

/* ------------------------------------------------------------------ explore */

static enum portolan_status tell_graph(struct html_page *page, struct graph *graph, struct portolan_error *error)
{
    char *drawn = NULL;
    FILE *in = tmpfile();
    if (!in)
        return fail(error, PORTOLAN_IO, "cannot create a temporary file: %s", strerror(errno));
    graph_write(graph, "dot", in);
    enum portolan_status status = dot_draw(in, &drawn, error);
    fclose(in);
    const char *svg = drawn ? strstr(drawn, "<svg") : NULL;
    if (svg)
        json_string(&page->json, "graph", svg);
    free(drawn);
    return page_without_picture(page, status, error);
}

static enum portolan_status tell_exploration(struct html_page *page, void *what, struct portolan_error *error)
{
    struct told *told = what;
    enum portolan_status status = tell_coverage(page, told->job, error);
    bool is_shown = told->graph->states.count && !told->graph->is_cut && !told->graph->failed;
    if (told->graph->is_cut)
        snprintf(page->no_picture, sizeof page->no_picture,
                 "the state space has more than %d states (--export dot writes it, whatever its size)",
                 MOST_DRAWN_STATES);
    return status == PORTOLAN_OK && is_shown ? tell_graph(page, told->graph, error) : status;
}

enum portolan_status write_exploration_page(struct job *job, const char *model, struct graph *graph, const char *path,
                                            struct portolan_error *error)
{
    struct told told = {.job = job, .model = model, .graph = graph};
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fail_memory(error);
    fprintf(memory, "model      %s\n", model);
    print_coverage(job, memory);
    enum portolan_status status = fclose(memory) == 0 ? PORTOLAN_OK : fail_memory(error);
    if (status == PORTOLAN_OK)
        status = write_page(tell_exploration, &told, model, text, path, error);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ compare */

static enum portolan_status tell_rows(struct html_page *page, void *what, struct portolan_error *error)
{
    const row_list *rows = what;
    struct json *json = &page->json;
    (void)error;
    json_open(json, "rows", '[');
    for (size_t i = 0; i < rows->count; i++) {
        const struct portolan_result *result = &rows->item[i].result;
        bool stateless = row_is_stateless(&rows->item[i]);
        char name[200];
        snprintf(name, sizeof name, "%s, %s, %s", result->reduction, result->proviso, result->search);
        json_open(json, NULL, '{');
        json_string(json, "name", name);
        json_string(json, "verdict", verdict_word(worst_verdict(result)));
        json_integer(json, "count", (int64_t)(stateless ? result->statistics.executions : result->statistics.states));
        json_string(json, "unit", stateless ? "executions" : "states");
        json_number(json, "seconds", result->statistics.seconds);
        json_string(json, "stop", result->stop > PORTOLAN_DECIDED ? stop_word(result->stop) : "");
        json_boolean(json, "differs", rows->item[i].differs);
        json_close(json, '}');
    }
    json_close(json, ']');
    return PORTOLAN_OK;
}

enum portolan_status write_comparison_page(const row_list *rows, const char *model, const char *path,
                                           struct portolan_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fail_memory(error);
    print_groups(rows, memory);
    enum portolan_status status = fclose(memory) == 0 ? PORTOLAN_OK : fail_memory(error);
    if (status == PORTOLAN_OK)
        status = write_page(tell_rows, (void *)rows, model, text, path, error);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ serve */

enum portolan_status write_walk_page(const struct job *job, const char *model, FILE *out, struct portolan_error *error)
{
    struct html_page page;
    enum portolan_status status = page_begin(&page, error);
    if (status == PORTOLAN_OK) {
        json_string(&page.json, "title", model);
        status = page_net(&page, job->system, error);
    }
    if (status == PORTOLAN_OK)
        status = page_source(&page, job->system, model, error);
    if (status == PORTOLAN_OK)
        status = page_write(&page, model, NULL, out, error);
    page_clear(&page);
    return status;
}
