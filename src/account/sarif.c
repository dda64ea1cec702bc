/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The account as SARIF 2.1.0 (OASIS standard), which code hosts and editors show at the line: a result for each error,
 * with the schedule as a thread flow.
 */
#include "account/account.h"

#include "report/json.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "data-race" */
static void rule_name(const char *kind, char *text, size_t size)
{
    snprintf(text, size, "%s", kind);
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? '-' : *c;
}

/* A path as a URI: relative to where we are if it is below. */
static void uri_of(const char *path, char *text, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    char here[PATH_MAX] = "";
    size_t used = 0;
    if (getcwd(here, sizeof here) && strncmp(path, here, strlen(here)) == 0 && path[strlen(here)] == '/')
        path += strlen(here) + 1;
    else if (path[0] == '/')
        used = (size_t)snprintf(text, size, "file://");
    for (; *path && used + 4 < size; path++) {
        unsigned char c = (unsigned char)*path;
        if (isalnum(c) || strchr("/._-~+", c)) {
            text[used++] = (char)c;
            continue;
        }
        text[used++] = '%';
        text[used++] = digits[c >> 4];
        text[used++] = digits[c & 15];
    }
    text[used] = '\0';
}

static void message(struct json *json, const char *text)
{
    json_open(json, "message", '{');
    json_string(json, "text", text);
    json_close(json, '}');
}

/* The inside of a location. */
static void location(const struct account *account, uint64_t caller, const char *text, struct json *json)
{
    struct source_place place;
    char uri[PATH_MAX];
    find_place(account, caller, &place);
    if (place.line) {
        uri_of(place.file, uri, sizeof uri);
        json_open(json, "physicalLocation", '{');
        json_open(json, "artifactLocation", '{');
        json_string(json, "uri", uri);
        json_close(json, '}');
        json_open(json, "region", '{');
        json_integer(json, "startLine", place.line);
        json_close(json, '}');
        json_close(json, '}');
    }
    if (text)
        message(json, text);
}

static void thread_flow(const struct account *account, const struct failed_execution *failed, struct json *json)
{
    json_open(json, "codeFlows", '[');
    json_open(json, NULL, '{');
    json_open(json, "threadFlows", '[');
    json_open(json, NULL, '{');
    json_open(json, "locations", '[');
    for (size_t i = 0; i < failed->rows.count; i++) {
        const struct row *row = &failed->rows.item[i];
        const struct recorded_event *event = &failed->events.item[row->event];
        char name[40], text[480];
        name_thread(failed, event->agent, name, sizeof name);
        snprintf(text, sizeof text, "%s: %s", name, row->text);
        json_open(json, NULL, '{');
        json_integer(json, "executionOrder", (int64_t)i + 1);
        json_open(json, "location", '{');
        location(account, event->caller, text, json);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
}

/* Where it shows: the failing access, or all who wait. */
static void locations(const struct account *account, const struct failed_execution *failed, struct json *json)
{
    const struct recorded_error *error = &failed->error;
    uint64_t first = error->caller ? error->caller : failed->waits.count ? failed->waits.item[0].caller : 0;
    const struct typed_block *block = error->is_leak ? block_at(failed, error->address) : NULL;
    json_open(json, "locations", '[');
    json_open(json, NULL, '{');
    location(account, block ? block->block.allocated : first, NULL, json);
    json_close(json, '}');
    json_close(json, ']');
    json_open(json, "relatedLocations", '[');
    if (error->is_race) {
        json_open(json, NULL, '{');
        location(account, error->other_caller, "the other access", json);
        json_close(json, '}');
    }
    for (size_t i = 1; i < failed->waits.count; i++) {
        json_open(json, NULL, '{');
        location(account, failed->waits.item[i].caller, "another thread waits here", json);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void result(const struct account *account, const struct failed_execution *failed, struct json *json)
{
    char rule[WORD_LENGTH], text[1600], what[1200];
    rule_name(failed->error.kind, rule, sizeof rule);
    describe_error(account, failed, what, sizeof what);
    snprintf(text, sizeof text, "%s: %s%s%s", failed->error.kind, what, failed->missing[0] ? "; " : "",
             failed->missing);
    json_open(json, NULL, '{');
    json_string(json, "ruleId", rule);
    json_string(json, "level", failed->error.is_unknown ? "warning" : "error");
    message(json, text);
    locations(account, failed, json);
    thread_flow(account, failed, json);
    json_close(json, '}');
}

static void begin(struct json *json, FILE *out)
{
    json_start(json, out);
    json_open(json, NULL, '{');
    json_string(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_string(json, "version", "2.1.0");
    json_open(json, "runs", '[');
    json_open(json, NULL, '{');
}

/* Each kind of error once. */
static void tool(const struct account *account, struct json *json)
{
    json_open(json, "tool", '{');
    json_open(json, "driver", '{');
    json_string(json, "name", "Portolan");
    json_string(json, "version", PORTOLAN_VERSION);
    json_open(json, "rules", '[');
    for (size_t i = 0; account && i < account->failed.count; i++) {
        char rule[WORD_LENGTH];
        bool is_new = account->failed.item[i].error.kind[0];
        for (size_t k = 0; k < i; k++)
            is_new = is_new && strcmp(account->failed.item[k].error.kind, account->failed.item[i].error.kind) != 0;
        if (!is_new)
            continue;
        rule_name(account->failed.item[i].error.kind, rule, sizeof rule);
        json_open(json, NULL, '{');
        json_string(json, "id", rule);
        json_open(json, "shortDescription", '{');
        json_string(json, "text", account->failed.item[i].error.kind);
        json_close(json, '}');
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, '}');
}

/* Was the search carried out?  That it is not complete, or that there is something else to know, are notifications. */
static void invocation(bool successful, const char *const *notes, size_t count, struct json *json)
{
    json_open(json, "invocations", '[');
    json_open(json, NULL, '{');
    json_boolean(json, "executionSuccessful", successful);
    json_open(json, "toolExecutionNotifications", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "level", "note");
        message(json, notes[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
    json_close(json, ']');
}

static void end(struct json *json)
{
    json_close(json, '}');
    json_close(json, ']');
    json_close(json, '}');
}

void sarif_account(const struct account *account, FILE *out)
{
    struct json json;
    const char *notes[64];
    size_t count = 0;
    for (; count < account->reservations.count && count < 64; count++)
        notes[count] = account->reservations.item[count].text;
    begin(&json, out);
    tool(account, &json);
    invocation(account->search.exit_status != 2, notes, count, &json);
    json_open(&json, "results", '[');
    for (size_t i = 0; i < account->failed.count; i++)
        if (account->failed.item[i].error.kind[0])
            result(account, &account->failed.item[i], &json);
    json_close(&json, ']');
    end(&json);
}

void sarif_remark(const char *program, const char *kind, const char *text, FILE *out)
{
    struct json json;
    char note[800];
    const char *const notes[] = {note};
    snprintf(note, sizeof note, "%s: %s: %s", program, kind, text);
    begin(&json, out);
    tool(NULL, &json);
    invocation(false, notes, 1, &json);
    json_open(&json, "results", '[');
    json_close(&json, ']');
    end(&json);
}
