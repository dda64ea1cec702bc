/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fired.h"

#include "base/diagnostic.h"
#include "base/names.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

/* --- messages: each step says what it sends and receives */

struct message_seen {
    bool sent, taken;
};

struct messages_seen {
    const struct portolan_system *system;
    struct portolan_callbacks others; /* that want to hear of the search, too */
    VECTOR(uint32_t) actions;         /* fired in the state that is being expanded */
    struct names names;
    VECTOR(struct message_seen) messages; /* by number of the name */
    bool failed;
};

static void on_acts(void *user, uint32_t process, const char *text, bool stops)
{
    (void)user;
    (void)process;
    (void)text;
    (void)stops;
}

/* Messages of the same name count as one, whatever they carry. */
static void on_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    struct messages_seen *seen = user;
    char name[256];
    uint32_t number;
    (void)from;
    (void)to;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "("), text);
    if (!names_add(&seen->names, name, &number) ||
        (number == seen->messages.count && !vector_push(&seen->messages, (struct message_seen){0}))) {
        seen->failed = true;
        return;
    }
    seen->messages.item[number].sent |= event == PORTOLAN_SENT;
    seen->messages.item[number].taken |= event == PORTOLAN_RECEIVED;
}

static void on_edge(void *user, uint32_t from, uint32_t action, uint32_t to)
{
    struct messages_seen *seen = user;
    seen->failed |= !vector_push(&seen->actions, action);
    if (seen->others.edge)
        seen->others.edge(seen->others.user, from, action, to);
}

static void on_expanded(void *user, uint32_t state, const void *bytes, uint32_t enabled, bool fully)
{
    struct messages_seen *seen = user;
    const struct portolan_message_receiver receiver = {.user = seen, .acts = on_acts, .message = on_message};
    for (size_t i = 0; i < seen->actions.count && !seen->failed; i++)
        seen->system->messages->tell(seen->system->model, bytes, seen->actions.item[i], &receiver);
    seen->actions.count = 0;
    if (seen->others.expanded)
        seen->others.expanded(seen->others.user, state, bytes, enabled, fully);
}

static void on_deadlock(void *user, uint32_t state, const void *bytes)
{
    const struct messages_seen *seen = user;
    if (seen->others.deadlock)
        seen->others.deadlock(seen->others.user, state, bytes);
}

enum portolan_status fired_begin(struct job *job, struct portolan_error *error)
{
    struct portolan_callbacks *callbacks = &job->options.callbacks;
    if (!job->lists_fired || !job->system->messages || callbacks->execution)
        return PORTOLAN_OK;
    struct messages_seen *seen = job->messages_seen = calloc(1, sizeof *seen);
    if (!seen)
        return fail_memory(error);
    seen->system = job->system;
    seen->others = *callbacks;
    callbacks->user = seen;
    callbacks->edge = on_edge;
    callbacks->expanded = on_expanded;
    callbacks->deadlock = on_deadlock;
    return PORTOLAN_OK;
}

void messages_seen_free(struct messages_seen *seen)
{
    if (!seen)
        return;
    names_clear(&seen->names);
    free(seen->messages.item);
    free(seen->actions.item);
    free(seen);
}

static bool knows_messages(const struct job *job)
{
    return job->messages_seen && !job->messages_seen->failed && job->result.fired && job->result.statistics.visited;
}

static uint32_t count_messages(const struct messages_seen *seen, bool only_not_taken)
{
    uint32_t count = 0;
    for (size_t i = 0; i < seen->messages.count; i++)
        count += seen->messages.item[i].sent && !(only_not_taken && seen->messages.item[i].taken);
    return count;
}

/* --- rules */

struct rules_fired {
    const struct portolan_system *system;
    const char *noun, *done;
    uint32_t numbers; /* of rules, some of which may stand for none */
    bool *fired;
    uint32_t count, count_fired;
};

static bool rule_text(const struct rules_fired *r, uint32_t rule, char *text, size_t size)
{
    const struct portolan_system *system = r->system;
    if (system->rules && system->rules->text)
        return system->rules->text(system->model, rule, text, size);
    const char *name = system->action_name ? system->action_name(system->model, rule) : NULL;
    snprintf(text, size, name ? "%s" : "action %s%u", name ? name : "", rule);
    return true;
}

static void mark_rules(struct rules_fired *r, const bool *fired)
{
    const struct portolan_rules *rules = r->system->rules;
    for (uint32_t a = 0; a < r->system->actions; a++) {
        uint32_t rule = rules && rules->rule_of ? rules->rule_of(r->system->model, a) : a;
        if (fired[a] && rule < r->numbers)
            r->fired[rule] = true;
    }
}

/* False when memory ran out. */
static bool rules_fired_make(struct rules_fired *r, const struct job *job)
{
    const struct portolan_rules *rules = job->system->rules;
    char text[8];
    *r = (struct rules_fired){.system = job->system,
                              .noun = rules && rules->noun ? rules->noun : "action",
                              .done = rules && rules->done ? rules->done : "fired",
                              .numbers = rules && rules->rule_of ? rules->count : job->system->actions};
    r->fired = calloc((size_t)r->numbers + 1, sizeof *r->fired);
    if (!r->fired)
        return false;
    mark_rules(r, job->result.fired);
    for (uint32_t i = 0; i < r->numbers; i++)
        if (rule_text(r, i, text, sizeof text)) {
            r->count++;
            r->count_fired += r->fired[i];
        }
    return true;
}

/* The rule that did not fire, at this number or behind it; false when there is none. */
static bool next_not_fired(const struct rules_fired *r, uint32_t *rule, char *text, size_t size)
{
    for (; *rule < r->numbers; ++*rule)
        if (!r->fired[*rule] && rule_text(r, *rule, text, size))
            return true;
    return false;
}

/* --- telling */

static bool is_reduced(const struct portolan_result *result)
{
    return strcmp(result->reduction, "none") != 0 && strcmp(result->search, "stateless") != 0;
}

static void print_list(const struct rules_fired *r, FILE *out)
{
    char text[512];
    for (uint32_t rule = 0; next_not_fired(r, &rule, text, sizeof text); rule++)
        fprintf(out, "  %s\n", text);
}

static void print_messages(const struct job *job, FILE *out)
{
    const struct messages_seen *seen = job->messages_seen;
    if (seen && seen->failed)
        fprintf(out, "coverage   which messages are taken is not known: out of memory\n");
    if (!knows_messages(job))
        return;
    uint32_t sent = count_messages(seen, false), left = count_messages(seen, true);
    const char *when = job->result.fired_all ? "never taken" : "not taken so far";
    if (left == 0)
        fprintf(out, "coverage   every kind of message that is sent is also taken\n");
    else
        fprintf(out, "coverage   %u of %u kinds of messages sent %s %s:\n", left, sent, left == 1 ? "is" : "are", when);
    for (uint32_t i = 0; i < seen->messages.count; i++)
        if (seen->messages.item[i].sent && !seen->messages.item[i].taken)
            fprintf(out, "  %s\n", names_get(&seen->names, i));
}

/* The whole of it, for --coverage. */
static void print_all(const struct job *job, const struct rules_fired *r, FILE *out)
{
    const struct portolan_result *result = &job->result;
    uint32_t left = r->count - r->count_fired;
    if (left == 0)
        fprintf(out, "coverage   all %u %s%s %s\n", r->count, r->noun, r->count == 1 ? "" : "s", r->done);
    else if (is_reduced(result))
        fprintf(out, "coverage   %u of %u %ss %s; only a search without a reduction can tell about the others\n",
                r->count_fired, r->count, r->noun, r->done);
    else
        fprintf(out, "coverage   %u of %u %ss %s %s%s:\n", left, r->count, r->noun, result->fired_all ? "never" : "not",
                r->done, result->fired_all ? "" : " so far");
    if (left == 0 || !is_reduced(result))
        print_list(r, out);
    if (!is_reduced(result))
        print_messages(job, out);
}

void fired_print(const struct job *job, FILE *out)
{
    struct rules_fired r;
    if (!job->lists_fired && !job->result.fired_all)
        return;
    if (!job->result.fired) {
        fprintf(out, "coverage   not known from this search: use 'portolan explore --coverage'\n");
        return;
    }
    if (!rules_fired_make(&r, job))
        fprintf(out, "coverage   not known: out of memory\n");
    else if (job->lists_fired)
        print_all(job, &r, out);
    else if (r.count_fired < r.count)
        fprintf(out, "coverage   %u of %u %ss never %s: --coverage lists them\n", r.count - r.count_fired, r.count,
                r.noun, r.done);
    free(r.fired);
}

static void json_lists(const struct job *job, const struct rules_fired *r, struct json *json)
{
    char text[512];
    const struct messages_seen *seen = job->messages_seen;
    json_open(json, "not_fired", '[');
    for (uint32_t rule = 0; next_not_fired(r, &rule, text, sizeof text); rule++)
        json_string(json, NULL, text);
    json_close(json, ']');
    if (!knows_messages(job)) {
        json_null(json, "not_taken");
        return;
    }
    json_open(json, "not_taken", '[');
    for (uint32_t i = 0; i < seen->messages.count; i++)
        if (seen->messages.item[i].sent && !seen->messages.item[i].taken)
            json_string(json, NULL, names_get(&seen->names, i));
    json_close(json, ']');
}

void fired_json(const struct job *job, struct json *json)
{
    struct rules_fired r;
    if (!job->result.fired || !rules_fired_make(&r, job)) {
        json_null(json, "coverage");
        return;
    }
    json_open(json, "coverage", '{');
    json_string(json, "of", r.noun);
    json_integer(json, "count", r.count);
    json_integer(json, "fired", r.count_fired);
    json_boolean(json, "complete", job->result.fired_all || r.count_fired == r.count);
    if (job->lists_fired)
        json_lists(job, &r, json);
    json_close(json, '}');
    free(r.fired);
}
