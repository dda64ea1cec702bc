/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answer.h"

#include "cli/fired.h"
#include "report/trace.h"
#include "report/words.h"
#include "search/combination.h"
#include "stateless/shards.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "1 state", "2 states" */
static void print_count(FILE *out, const char *before, uint64_t count, const char *noun, const char *after)
{
    struct short_text text = {0};
    fprintf(out, "%s%s %s%s%s", before, with_commas(count, &text), noun, count == 1 ? "" : "s", after);
}

static bool is_stateless(const struct portolan_result *result)
{
    return search_find(result->search) == &search_executions;
}

/* What random runs that found nothing are worth. */
static void print_guarantee(const struct job *job, FILE *out)
{
    const struct portolan_statistics *statistics = &job->result.statistics;
    struct short_text steps = {0};
    unsigned depth = job->options.bug_depth ? job->options.bug_depth : 3;
    if (job->result.stop == PORTOLAN_DECIDED)
        return;
    if (statistics->guarantee > 0)
        fprintf(out,
                "\nchance     an error of depth %u would have been found with probability %.3g or more (%u agents, %s "
                "steps)",
                depth, statistics->guarantee < 0.999 ? statistics->guarantee : 0.999, statistics->agents,
                with_commas(statistics->depth, &steps));
    else
        fprintf(out,
                "\nchance     no guarantee: executions were cut, a thread did not end, or there were too few runs");
}

/* What a search without states has covered. */
static void print_executions(const struct job *job, FILE *out)
{
    const struct portolan_result *result = &job->result;
    const struct portolan_statistics *statistics = &result->statistics;
    struct short_text blocked = {0}, cut = {0}, bound = {0}, size = {0}, rate = {0};
    if (job->options.random_runs)
        fprintf(out, "search     random priorities, seed %" PRIu64, job->options.seed);
    else
        fprintf(out, "search     reduction %s, stateless", result->reduction);
    if (job->options.threads > 1)
        fprintf(out, ", %u threads", job->options.threads);
    print_count(out, "\ncovered    ", statistics->executions, "execution", "");
    fprintf(out, ", %s blocked", with_commas(statistics->blocked, &blocked));
    print_count(out, ", ", statistics->transitions, "step", "");
    if (result->stop != PORTOLAN_DECIDED)
        print_count(out, ", ", statistics->deadlocks, "deadlock", "");
    if (statistics->cut)
        fprintf(out, "\nbound      %s of them were cut: a thread took %s steps", with_commas(statistics->cut, &cut),
                with_commas(job->options.bound, &bound));
    if (job->options.bounds_preemptions)
        print_count(out, "\nbound      ", job->options.preemptions, "preemption",
                    statistics->left_out                ? "; executions with more were left out"
                    : result->stop == PORTOLAN_COMPLETE ? "; no execution needs more"
                                                        : "");
    if (job->options.random_runs)
        print_guarantee(job, out);
    double seconds = statistics->seconds > 0 ? statistics->seconds : 1e-9;
    fprintf(out, "\ncost       %.2f s, %s, %s executions/s\n", statistics->seconds, size_word(statistics->bytes, &size),
            rounded((uint64_t)((double)statistics->executions / seconds), &rate));
    if (result->stop > PORTOLAN_DECIDED && !(job->options.random_runs && result->stop == PORTOLAN_STATE_LIMIT))
        fprintf(out, "stopped    %s\n", stop_word(result->stop));
}

const char *answer_text(const struct portolan_property *property, const struct portolan_answer *answer,
                        struct answer_words *words)
{
    if (property->kind != PORTOLAN_MAXIMUM || answer->verdict == PORTOLAN_VIOLATED || !answer->has_maximum)
        return verdict_capitals(answer->verdict);
    snprintf(words->text, sizeof words->text, "%s%" PRId64,
             answer->verdict == PORTOLAN_HOLDS ? "" : "UNDECIDED, at least ", answer->maximum);
    return words->text;
}

/* What random walks beside the search have done. */
static void print_walks(const struct job *job, FILE *out)
{
    const struct portolan_statistics *statistics = &job->result.statistics;
    if (!statistics->walks)
        return;
    print_count(out, "walks      ", statistics->walks, "random walk", "");
    print_count(out, ", ", statistics->walk_steps, "step", "");
    fprintf(out, ", seed %" PRIu64 "\n", job->options.seed);
}

/* In which form a grammar was opened that nobody asked for. */
static void print_opened(const struct job *job, FILE *out)
{
    if (!job->opened_with)
        return;
    bool is_ground = strcmp(job->opened_with, "ground=1") == 0;
    fprintf(out, "grammar    %s\n",
            is_ground ? "applications of rules are listed in advance, as with --ground"
                      : "graphs are compared for equality, as with --isomorphism off");
}

static void print_checkpoint(const struct job *job, FILE *out)
{
    const struct portolan_result *result = &job->result;
    if (result->checkpoint_trouble[0])
        fprintf(out, "checkpoint %s\n", result->checkpoint_trouble);
    if (job->options.shard && job->options.shard->task == SHARD_EXPLORE)
        fprintf(out, "shard      %s\n",
                result->stop == PORTOLAN_SHARD || result->stop <= PORTOLAN_DECIDED
                    ? "done: 'portolan merge' gives the answer when all are"
                    : "not done: start its job again");
    else if (result->can_resume)
        fprintf(out, "checkpoint %s: '%sportolan resume %s' goes on\n", job->options.checkpoint,
                job->transport ? "mpirun -n N " : "", job->options.checkpoint);
    else if (job->options.checkpoint && result->stop > PORTOLAN_DECIDED)
        fprintf(out, "checkpoint none: the search ended before one could be written\n");
}

void print_coverage(const struct job *job, FILE *out)
{
    const struct portolan_result *result = &job->result;
    const struct portolan_statistics *statistics = &result->statistics;
    struct short_text visited = {0}, fully = {0}, size = {0};
    print_opened(job, out);
    if (is_stateless(result)) {
        print_executions(job, out);
        print_checkpoint(job, out);
        fired_print(job, out);
        return;
    }
    if (job->simplified.changed) {
        char text[600];
        simplify_report_text(&job->simplified, text, sizeof text);
        fprintf(out, "simplified %s\n", text);
    }
    if (job->simplified.used && !job->simplified.searched) {
        fprintf(out, "covered    no states: nothing was left to search\ncost       %.2f s\n", statistics->seconds);
        return;
    }
    fprintf(out, "search     reduction %s, proviso %s, %s", result->reduction, result->proviso, result->search);
    if (result->threads > 1)
        fprintf(out, ", %u threads", result->threads);
    if (result->store[0] && strcmp(result->store, "plain") != 0)
        fprintf(out, ", store %s", result->store);
    fputc('\n', out);
    print_count(out, "covered    ", statistics->states, "state", "");
    if (job->options.chains)
        fprintf(out, " stored, %s visited", with_commas(statistics->visited, &visited));
    print_count(out, ", ", statistics->transitions, "transition", "");
    fprintf(out, ", %s fully expanded", with_commas(statistics->expanded_fully, &fully));
    if (result->stop != PORTOLAN_DECIDED && statistics->product_states == 0)
        print_count(out, ", ", statistics->deadlocks, "deadlock", "");
    if (statistics->product_states) {
        print_count(out, "\nproduct    ", statistics->product_states, "state", "");
        print_count(out, ", ", statistics->product_transitions, "transition", "");
    }
    if (statistics->vectors) {
        print_count(out, "\nvectors    ", statistics->vectors, "vector", "");
        print_count(out, ", ", statistics->missed, "missed action", "");
    }
    fprintf(out, "\ncost       %.2f s, %s", statistics->seconds, size_word(statistics->bytes, &size));
    if (statistics->spilled)
        fprintf(out, ", %s in a file", size_word(statistics->spilled, &size));
    fprintf(out, "%s\n", statistics->natively ? ", native code" : "");
    print_walks(job, out);
    if (result->stop > PORTOLAN_DECIDED)
        fprintf(out, "stopped    %s\n", stop_word(result->stop));
    if (result->unbounded)
        fprintf(out, "unbounded  '%s' can grow forever, so the state space is infinite\n", result->growing);
    print_checkpoint(job, out);
    fired_print(job, out);
}

void json_statistics(struct json *json, const struct portolan_result *result)
{
    const struct portolan_statistics *statistics = &result->statistics;
    json_string(json, "reduction", result->reduction);
    json_string(json, "proviso", result->proviso);
    json_string(json, "search", result->search);
    json_integer(json, "threads", result->threads > 1 ? result->threads : 1);
    if (result->store[0])
        json_string(json, "store", result->store);
    else
        json_null(json, "store");
    if (statistics->coverage > 0)
        json_number(json, "covered", statistics->coverage);
    else
        json_null(json, "covered");
    json_string(json, "stop", stop_word(result->stop));
    json_integer(json, "states", (int64_t)statistics->states);
    json_integer(json, "visited", (int64_t)statistics->visited);
    json_integer(json, "transitions", (int64_t)statistics->transitions);
    json_integer(json, "fully_expanded", (int64_t)statistics->expanded_fully);
    if (statistics->product_states) {
        json_integer(json, "product_states", (int64_t)statistics->product_states);
        json_integer(json, "product_transitions", (int64_t)statistics->product_transitions);
    } else {
        json_null(json, "product_states");
        json_null(json, "product_transitions");
    }
    if (result->stop == PORTOLAN_DECIDED || statistics->product_states)
        json_null(json, "deadlocks");
    else
        json_integer(json, "deadlocks", (int64_t)statistics->deadlocks);
    if (is_stateless(result)) {
        json_integer(json, "executions", (int64_t)statistics->executions);
        json_integer(json, "blocked", (int64_t)statistics->blocked);
        json_integer(json, "cut", (int64_t)statistics->cut);
        json_integer(json, "left_out", (int64_t)statistics->left_out);
    } else {
        json_null(json, "executions");
        json_null(json, "blocked");
        json_null(json, "cut");
        json_null(json, "left_out");
    }
    if (statistics->guarantee > 0)
        json_number(json, "guarantee", statistics->guarantee);
    else
        json_null(json, "guarantee");
    if (statistics->vectors) {
        json_integer(json, "vectors", (int64_t)statistics->vectors);
        json_integer(json, "missed", (int64_t)statistics->missed);
    } else {
        json_null(json, "vectors");
        json_null(json, "missed");
    }
    json_string(json, "engine", statistics->natively ? "native" : "interpreted");
    json_integer(json, "expanded_natively", (int64_t)statistics->natively);
    json_integer(json, "walks", (int64_t)statistics->walks);
    json_integer(json, "walk_steps", (int64_t)statistics->walk_steps);
    json_integer(json, "depth", (int64_t)statistics->depth);
    json_number(json, "seconds", statistics->seconds);
    json_integer(json, "bytes", (int64_t)statistics->bytes);
    json_integer(json, "spilled", (int64_t)statistics->spilled);
    json_integer(json, "peak_rss_bytes", (int64_t)peak_memory());
    json_boolean(json, "unbounded", result->unbounded);
    if (result->unbounded)
        json_string(json, "growing", result->growing);
    else
        json_null(json, "growing");
}

static void json_checkpoint(const struct job *job, struct json *json)
{
    const struct portolan_result *result = &job->result;
    json_integer(json, "checkpoints", (int64_t)result->statistics.checkpoints);
    if (result->can_resume)
        json_string(json, "checkpoint", job->options.checkpoint);
    else
        json_null(json, "checkpoint");
    if (result->checkpoint_trouble[0])
        json_string(json, "checkpoint_trouble", result->checkpoint_trouble);
    else
        json_null(json, "checkpoint_trouble");
}

static void json_simplified(const struct simplify_report *report, struct json *json)
{
    if (!report->used) {
        json_null(json, "simplified");
        return;
    }
    json_open(json, "simplified", '{');
    json_integer(json, "places", report->places);
    json_integer(json, "transitions", report->transitions);
    json_integer(json, "small_places", report->small_places);
    json_integer(json, "small_transitions", report->small_transitions);
    json_boolean(json, "searched", report->searched);
    json_open(json, "rules", '{');
    for (int i = 0; i < SIMPLIFY_RULES; i++)
        if (report->fired[i])
            json_integer(json, simplify_rule_words[i], report->fired[i]);
    json_close(json, '}');
    json_close(json, '}');
}

static void json_note(struct json *json, const struct portolan_answer *answer)
{
    if (answer->note[0])
        json_string(json, "note", answer->note);
    else
        json_null(json, "note");
}

static void json_maximum(struct json *json, const struct portolan_property *property,
                         const struct portolan_answer *answer)
{
    if (property->kind == PORTOLAN_MAXIMUM && answer->has_maximum)
        json_integer(json, "maximum", answer->maximum);
    else if (property->kind == PORTOLAN_MAXIMUM)
        json_null(json, "maximum");
}

static enum portolan_status json_trace(struct job *job, const struct portolan_answer *answer, struct json *json,
                                       struct portolan_error *error)
{
    if (answer && answer->has_trace)
        json_string(json, "found_by", answer->by_walk ? "walk" : "search");
    else
        json_null(json, "found_by");
    json_cycle_start(json, answer && answer->has_trace ? answer->cycle_start : PORTOLAN_NO_CYCLE);
    if (answer && answer->has_trace)
        return trace_json(job->system, answer->trace, answer->trace_length, json, error);
    json_null(json, "trace");
    json_null(json, "message");
    return PORTOLAN_OK;
}

/* The first answer with a trace stands for all. */
static const struct portolan_answer *first_trace(const struct portolan_result *result)
{
    for (size_t i = 0; i < result->answer_count; i++)
        if (result->answers[i].has_trace)
            return &result->answers[i];
    return NULL;
}

/* Every property in one string, separated by semicolons. */
static char *all_properties(const struct job *job)
{
    size_t length = 1;
    for (size_t i = 0; i < job->property_count; i++)
        length += strlen(portolan_property_text(job->properties[i])) + 2;
    char *text = calloc(1, length), *end = text;
    for (size_t i = 0; text && i < job->property_count; i++)
        end += sprintf(end, "%s%s", i ? "; " : "", portolan_property_text(job->properties[i]));
    return text;
}

enum portolan_status write_json_answer(struct job *job, const char *model, FILE *out, struct portolan_error *error)
{
    const struct portolan_result *result = &job->result;
    enum portolan_status status = PORTOLAN_OK;
    char *properties = all_properties(job);
    struct json json;
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "model", model);
    json_string(&json, "format", job->system->format);
    if (job->opened_with)
        json_string(&json, "opened_with", job->opened_with);
    else
        json_null(&json, "opened_with");
    if (job->property_count) {
        json_string(&json, "property", properties ? properties : "");
        json_string(&json, "verdict", verdict_word(worst_verdict(result)));
    } else {
        json_null(&json, "property");
        json_null(&json, "verdict");
    }
    json_simplified(&job->simplified, &json);
    json_statistics(&json, result);
    json_checkpoint(job, &json);
    fired_json(job, &json);
    if (job->property_count != 1) {
        json_open(&json, "properties", '[');
        for (size_t i = 0; i < job->property_count && status == PORTOLAN_OK; i++) {
            json_open(&json, NULL, '{');
            json_string(&json, "property", portolan_property_text(job->properties[i]));
            json_string(&json, "verdict", verdict_word(result->answers[i].verdict));
            json_note(&json, &result->answers[i]);
            json_maximum(&json, job->properties[i], &result->answers[i]);
            status = json_trace(job, &result->answers[i], &json, error);
            json_close(&json, '}');
        }
        json_close(&json, ']');
    }
    if (job->property_count == 1) {
        json_note(&json, &result->answers[0]);
        json_maximum(&json, job->properties[0], &result->answers[0]);
    }
    if (status == PORTOLAN_OK)
        status = json_trace(job, first_trace(result), &json, error);
    json_close(&json, '}');
    free(properties);
    return status;
}
