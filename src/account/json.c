/* SPDX-License-Identifier: Apache-2.0 */
/* The account for programs: JSON, and JUnit for CI systems. */
#include "account/account.h"

#include "report/run_summary.h"

#include <stdlib.h>
#include <string.h>

static void json_reservations(const struct account *account, struct json *json)
{
    json_open(json, "reservations", '[');
    for (size_t i = 0; i < account->reservations.count; i++) {
        json_open(json, NULL, '{');
        json_boolean(json, "undecided", account->reservations.item[i].undecided);
        json_string(json, "text", account->reservations.item[i].text);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "weaker_orders", '[');
    for (size_t i = 0; i < account->weaker_places.count; i++)
        json_string(json, NULL, account->weaker_places.item[i]);
    json_close(json, ']');
}

static void json_threads(const struct account *account, const struct failed_execution *failed, struct json *json)
{
    json_open(json, "threads", '[');
    for (size_t i = 0; i < failed->threads.count; i++) {
        const struct recorded_thread *thread = &failed->threads.item[i];
        const char *function = thread->agent ? start_function(account, failed, thread->agent) : "main";
        char name[40];
        name_thread(failed, thread->agent, name, sizeof name);
        json_open(json, NULL, '{');
        json_integer(json, "thread", thread->agent);
        json_string(json, "name", name);
        if (function)
            json_string(json, "function", function);
        else
            json_null(json, "function");
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_place(const struct account *account, uint64_t caller, struct json *json)
{
    struct source_place place;
    char text[340], source[300];
    name_place(account, caller, text, sizeof text);
    find_place(account, caller, &place);
    source_line(&place, source, sizeof source);
    json_string(json, "place", text);
    if (!place.line)
        return;
    json_string(json, "file", place.file);
    json_integer(json, "line", place.line);
    json_string(json, "function", place.function);
    json_string(json, "source", source);
}

static void json_row(const struct account *account, const struct failed_execution *failed, const struct row *row,
                     struct json *json)
{
    const struct recorded_event *event = &failed->events.item[row->event];
    json_open(json, NULL, '{');
    json_integer(json, "thread", event->agent);
    if (row->number)
        json_integer(json, "number", (int64_t)row->number);
    else
        json_null(json, "number");
    json_string(json, "step", row->text);
    json_place(account, event->caller, json);
    if (row->is_racing)
        json_boolean(json, "races", true);
    if (row->rounds) {
        json_integer(json, "rounds", row->rounds);
        json_integer(json, "rows_of_a_round", (int64_t)row->round_length);
    }
    json_close(json, '}');
}

static void json_frame(void *user, const struct code_place *place)
{
    struct json *json = user;
    char text[340];
    snprintf(text, sizeof text, "%s:%d", base_name(place->file), place->line);
    json_open(json, NULL, '{');
    json_string(json, "function", place->function ? place->function : "");
    json_string(json, "place", text);
    json_close(json, '}');
}

/* Frames of one stack follow each other; a stack of another thread, or another one of the same, begins a new one. */
static void json_stacks(const struct account *account, const struct failed_execution *failed, struct json *json)
{
    const struct recorded_frame *last = NULL;
    json_open(json, "stacks", '[');
    for (size_t i = 0; i < failed->frames.count; i++) {
        const struct recorded_frame *frame = &failed->frames.item[i];
        if (!frame->of_error)
            continue;
        bool begins = !last || last->agent != frame->agent || frame->cfa <= last->cfa;
        if (begins && last) {
            json_close(json, ']');
            json_close(json, '}');
        }
        if (begins) {
            json_open(json, NULL, '{');
            json_integer(json, "thread", frame->agent);
            json_open(json, "frames", '[');
        }
        debuginfo_places(account->debuginfo, frame->caller - 1, true, json_frame, json);
        last = frame;
    }
    if (last) {
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_failed(const struct account *account, const struct failed_execution *failed, struct json *json)
{
    char text[1200];
    json_string(json, "error", failed->error.kind);
    describe_error(account, failed, text, sizeof text);
    json_string(json, "message", text);
    if (failed->error.address) {
        describe_address(account, failed, failed->error.address, text, sizeof text);
        json_string(json, "object", text);
    }
    if (failed->missing[0])
        json_string(json, "missing", failed->missing);
    json_threads(account, failed, json);
    json_open(json, "schedule", '[');
    for (size_t i = 0; i < failed->rows.count; i++)
        json_row(account, failed, &failed->rows.item[i], json);
    json_close(json, ']');
    json_stacks(account, failed, json);
    json_string(json, "output", failed->output);
}

uint64_t count_suppressed(const struct account *account)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < account->suppressed->rule_count && i < MOST_RULES; i++)
        count += atomic_load(&account->suppressed->rules[i].seen);
    return count;
}

static void json_suppressed(const struct account *account, struct json *json)
{
    json_open(json, "suppressed", '[');
    for (uint32_t i = 0; i < account->suppressed->rule_count && i < MOST_RULES; i++) {
        const struct suppression_rule *rule = &account->suppressed->rules[i];
        if (!atomic_load(&rule->seen))
            continue;
        json_open(json, NULL, '{');
        json_string(json, "error", rule->kind);
        json_string(json, "place", rule->pattern);
        json_integer(json, "seen", (int64_t)atomic_load(&rule->seen));
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void json_never(const struct never *never, struct json *json)
{
    json_open(json, NULL, '{');
    if (never->is_function)
        json_string(json, "function", never->name);
    json_string(json, "file", never->file);
    json_integer(json, "line", never->first);
    json_integer(json, "last_line", never->last);
    json_close(json, '}');
}

static void json_coverage(const struct account *account, struct json *json)
{
    struct covered covered;
    bool is_known = find_covered(account, &covered);
    json_open(json, "coverage", '{');
    json_integer(json, "threads", account->search.threads);
    json_boolean(json, "known", is_known);
    if (is_known) {
        json_integer(json, "functions", (int64_t)covered.functions);
        json_integer(json, "reached_functions", (int64_t)covered.reached_functions);
        json_integer(json, "lines", (int64_t)covered.lines);
        json_integer(json, "reached_lines", (int64_t)covered.reached_lines);
        json_open(json, "never", '[');
        for (size_t i = 0; i < covered.never.count; i++)
            json_never(&covered.never.item[i], json);
        json_close(json, ']');
    }
    json_close(json, '}');
    covered_clear(&covered);
}

void json_account(const struct account *account, FILE *out)
{
    struct json json;
    const struct failed_execution *first = account->failed.count ? &account->failed.item[0] : NULL;
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "format", "c");
    json_string(&json, "verdict", run_verdict(account->search.exit_status));
    if (!account->search.is_replay)
        json_counts(&account->search.result, &json);
    json_reservations(account, &json);
    json_suppressed(account, &json);
    if (!account->search.is_replay)
        json_coverage(account, &json);
    if (first && first->error.kind[0])
        json_failed(account, first, &json);
    if (account->settings->all) {
        json_open(&json, "errors", '[');
        for (size_t i = 0; i < account->failed.count; i++) {
            json_open(&json, NULL, '{');
            json_failed(account, &account->failed.item[i], &json);
            json_close(&json, '}');
        }
        json_close(&json, ']');
    }
    json_close(&json, '}');
}

/* --- JUnit */

struct portolan_options options_of(const struct account *account)
{
    const struct run_settings *s = account->settings;
    return (struct portolan_options){.bounds_preemptions = s->bounds_preemptions,
                                     .preemptions = (uint32_t)s->preemptions,
                                     .random_runs = s->random_runs,
                                     .bug_depth = (uint32_t)s->bug_depth};
}

void junit_account(const struct account *account, FILE *out)
{
    const struct failed_execution *first = account->failed.count ? &account->failed.item[0] : NULL;
    struct portolan_options options = options_of(account);
    char *text = NULL, why[120], error[800], message[1000];
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    print_account(account, &(struct page){.out = memory, .width = 100});
    if (first)
        describe_error(account, first, error, sizeof error);
    describe_unknown(&account->search.result, &options, undecided_because(account), why, sizeof why);
    if (first)
        snprintf(message, sizeof message, "%s%s%s", first->error.kind, error[0] ? ": " : "", error);
    else
        snprintf(message, sizeof message, "%s", why);
    struct run_answer answer = {.result = &account->search.result,
                                .program = account->program,
                                .kind = first ? first->error.kind : "internal error",
                                .message = message,
                                .exit_status = account->search.exit_status};
    for (size_t i = 0; i < account->reservations.count && i < 3; i++)
        answer.reservations[i] = account->reservations.item[i].text;
    if (fclose(memory) == 0) {
        answer.text = text;
        answer.text_size = size;
        run_junit(&answer, out);
    }
    free(text);
}
