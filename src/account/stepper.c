/* SPDX-License-Identifier: Apache-2.0 */
/* An execution as src/page/answer.js shows it: the rows of the schedule, and the values that each of them changes. */
#include "account/account.h"

#include "base/text_file.h"
#include "report/run_summary.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WATCHED = 400, MOST_SOURCES = 12, LONGEST_SOURCE = 200000 };

/* A variable or a lock that a row is about. */
struct watched_value {
    uint64_t address;
    uint8_t size; /* 0: a lock */
    char name[200], value[80];
    bool is_known, is_changed;
};

struct stepping {
    const struct account *account;
    const struct failed_execution *failed;
    struct json *json;
    VECTOR(struct watched_value) values;
    VECTOR(char *) sources; /* paths */
};

static bool is_value(const struct recorded_event *event)
{
    return event->form >= FORM_READ && event->form <= FORM_PLAIN_WRITE && event->size;
}

static bool is_lock(const struct recorded_event *event)
{
    return event->form == FORM_LOCK || event->form == FORM_UNLOCK;
}

static struct watched_value *find_value(struct stepping *s, uint64_t address, uint8_t size)
{
    for (size_t i = 0; i < s->values.count; i++)
        if (s->values.item[i].address == address && s->values.item[i].size == size)
            return &s->values.item[i];
    return NULL;
}

static bool watch_value(struct stepping *s, const struct recorded_event *event)
{
    struct watched_value value = {.address = event->address, .size = is_lock(event) ? 0 : event->size};
    Dwarf_Die part;
    if ((!is_value(event) && !is_lock(event)) || find_value(s, value.address, value.size) ||
        s->values.count == MOST_WATCHED)
        return true;
    name_address(s->account, s->failed, event->address, value.size ? value.size : 1, value.name, sizeof value.name,
                 &part);
    return vector_push(&s->values, value);
}

static void set_text(struct watched_value *value, const char *text)
{
    value->is_changed = value->is_changed || !value->is_known || strcmp(value->value, text) != 0;
    value->is_known = true;
    snprintf(value->value, sizeof value->value, "%s", text);
}

static void set_number(struct stepping *s, struct watched_value *value, uint64_t number)
{
    char name[200], text[80];
    Dwarf_Die part, *type = NULL;
    if (name_address(s->account, s->failed, value->address, value->size, name, sizeof name, &part))
        type = &part;
    name_value(s->account, s->failed, number, value->size, type, text, sizeof text);
    set_text(value, text);
}

/* What an event leaves behind; `first`: what it finds, where nothing was known before. */
static void take_event(struct stepping *s, const struct recorded_event *event, bool first)
{
    bool takes = event->form == FORM_LOCK && !event->fails;
    uint64_t address = event->form == FORM_WAIT ? event->second : event->address;
    struct watched_value *value = find_value(s, address, is_value(event) ? event->size : 0);
    if (!value || (first && value->is_known))
        return;
    if (is_value(event)) {
        bool writes = event->form == FORM_WRITE || event->form == FORM_UPDATE || event->form == FORM_PLAIN_WRITE;
        if (first || !event->is_unfinished)
            set_number(s, value, !first && writes ? event->after : event->before);
    } else if (first) {
        set_text(value, "free");
    } else if (takes) {
        char thread[40], text[80];
        name_thread(s->failed, event->agent, thread, sizeof thread);
        snprintf(text, sizeof text, "held by %s", thread);
        set_text(value, text);
    } else if (event->form == FORM_UNLOCK || event->form == FORM_WAIT) {
        set_text(value, "free");
    }
}

static void tell_values(struct stepping *s, const char *what)
{
    json_open(s->json, what, '{');
    for (size_t i = 0; i < s->values.count; i++) {
        struct watched_value *value = &s->values.item[i];
        if (value->is_changed)
            json_string(s->json, value->name, value->value);
        value->is_changed = false;
    }
    json_close(s->json, '}');
}

static bool add_source(struct stepping *s, const char *path)
{
    for (size_t i = 0; i < s->sources.count; i++)
        if (strcmp(s->sources.item[i], path) == 0)
            return true;
    char *copy = s->sources.count < MOST_SOURCES ? strdup(path) : NULL;
    if (s->sources.count == MOST_SOURCES)
        return true;
    if (copy && vector_push(&s->sources, copy))
        return true;
    free(copy);
    return false;
}

static bool tell_row(struct stepping *s, const struct row *row)
{
    const struct recorded_event *event = &s->failed->events.item[row->event];
    const char *function = start_function(s->account, s->failed, event->agent);
    struct source_place place;
    char name[40], agent[200];
    bool fine = true;
    name_thread(s->failed, event->agent, name, sizeof name);
    snprintf(agent, sizeof agent, function ? "%s (%.120s)" : "%s", name, function);
    find_place(s->account, event->caller, &place);
    json_string(s->json, "action", row->text);
    json_string(s->json, "agent", agent);
    json_string(s->json, "text", row->text);
    if (place.line) {
        json_string(s->json, "file", place.file);
        json_integer(s->json, "line", place.line);
        fine = add_source(s, place.file);
    }
    if (row->is_racing)
        json_boolean(s->json, "races", true);
    if (row->rounds) {
        char rounds[60];
        snprintf(rounds, sizeof rounds, "... %u rounds%s", row->rounds, row->round_length > 1 ? " of these" : "");
        json_open(s->json, "messages", '[');
        json_string(s->json, NULL, rounds);
        json_close(s->json, ']');
    }
    return fine;
}

static bool tell_rows(struct stepping *s)
{
    const struct failed_execution *failed = s->failed;
    bool fine = true;
    for (size_t i = 0; i < failed->rows.count && fine; i++)
        fine = watch_value(s, &failed->events.item[failed->rows.item[i].event]);
    for (size_t i = 0; i < failed->events.count; i++)
        take_event(s, &failed->events.item[i], true);
    tell_values(s, "start");
    json_null(s->json, "cycle_start");
    json_open(s->json, "steps", '[');
    for (size_t i = 0, event = 0; i < failed->rows.count && fine; i++) {
        for (; event <= failed->rows.item[i].event; event++)
            take_event(s, &failed->events.item[event], false);
        json_open(s->json, NULL, '{');
        fine = tell_row(s, &failed->rows.item[i]);
        tell_values(s, "changes");
        json_close(s->json, '}');
    }
    json_close(s->json, ']');
    return fine;
}

static bool tell_sources(struct stepping *s)
{
    bool fine = true;
    json_open(s->json, "sources", '{');
    for (size_t i = 0; i < s->sources.count && fine; i++) {
        char *text = NULL;
        size_t length;
        struct portolan_error error;
        enum portolan_status status = text_file_read(s->sources.item[i], &text, &length, &error);
        if (status == PORTOLAN_OK && length <= LONGEST_SOURCE)
            json_string(s->json, s->sources.item[i], text);
        fine = status != PORTOLAN_NO_MEMORY;
        free(text);
    }
    json_close(s->json, '}');
    return fine;
}

static bool tell_failed(struct stepping *s)
{
    const struct failed_execution *failed = s->failed;
    bool is_wrong = failed->error.kind[0];
    char text[1200];
    describe_error(s->account, failed, text, sizeof text);
    json_open(s->json, NULL, '{');
    json_string(s->json, "property", failed->error.is_unknown ? "unknown" : is_wrong ? "error found" : "replayed");
    json_string(s->json, "verdict", failed->error.is_unknown ? "unknown" : is_wrong ? "violated" : "holds");
    json_string(s->json, "answer", is_wrong ? failed->error.kind : "no error in this schedule");
    if (text[0])
        json_string(s->json, "note", text);
    if (failed->rows.count) {
        json_open(s->json, "trace", '{');
        bool fine = tell_rows(s);
        if (failed->missing[0]) {
            snprintf(text, sizeof text, "missing: %s", failed->missing);
            json_string(s->json, "message", text);
        }
        if (failed->output_size)
            json_string(s->json, "output", failed->output);
        json_close(s->json, '}');
        if (!fine)
            return false;
    }
    json_close(s->json, '}');
    s->values.count = 0;
    return true;
}

static void tell_verdict(const struct account *account, struct json *json)
{
    const struct recorded_search *search = &account->search;
    struct portolan_options options = options_of(account);
    char why[120];
    bool holds = search->exit_status == 0;
    describe_unknown(&search->result, &options, undecided_because(account), why, sizeof why);
    json_open(json, NULL, '{');
    json_string(json, "property", "no error in any schedule");
    json_string(json, "verdict", run_verdict(search->exit_status));
    json_string(json, "answer", holds ? "HOLDS" : "UNKNOWN");
    if (!holds)
        json_string(json, "note", why);
    json_close(json, '}');
}

bool stepper_account(const struct account *account, struct json *json)
{
    struct stepping s = {.account = account, .json = json};
    bool fine = true;
    json_open(json, "properties", '[');
    for (size_t i = 0; i < account->failed.count && fine; i++) {
        s.failed = &account->failed.item[i];
        fine = tell_failed(&s);
    }
    if (!account->failed.count)
        tell_verdict(account, json);
    json_close(json, ']');
    fine = fine && tell_sources(&s);
    for (size_t i = 0; i < s.sources.count; i++)
        free(s.sources.item[i]);
    free(s.sources.item);
    free(s.values.item);
    return fine;
}
