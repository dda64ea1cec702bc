/* SPDX-License-Identifier: Apache-2.0 */
#include "report/trace.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/nearest.h"
#include "base/text_file.h"
#include "report/columns.h"
#include "report/step.h"
#include "system/deadlock.h"
#include "system/stepper.h"

#include <stdlib.h>
#include <string.h>

static int digits(size_t number)
{
    int count = 1;
    while (number >= 10) {
        number /= 10;
        count++;
    }
    return count;
}

/* Fires a trace and tells of each step. */
struct teller {
    void (*step)(struct teller *teller, const struct stepper *stepper, const struct values *values, uint32_t action);
    void *user;
};

static enum portolan_status tell(struct portolan_system *system, const uint32_t *actions, size_t count,
                                 struct teller *teller, struct stepper *stepper, struct values *values,
                                 struct portolan_error *error)
{
    if (!stepper_make(stepper, system) || !values_make(values, system))
        return fail_memory(error);
    values_take_all(values, stepper);
    for (size_t i = 0; i < count; i++) {
        enum portolan_status status = stepper_fire(stepper, actions[i], error);
        if (status != PORTOLAN_OK)
            return status;
        values_take(values, stepper, actions[i]);
        teller->step(teller, stepper, values, actions[i]);
    }
    return PORTOLAN_OK;
}

struct printer {
    struct teller teller;
    FILE *out;
    int step_width, name_width;
    size_t cycle_start;
};

static void print_told(struct teller *teller, const struct stepper *stepper, const struct values *values,
                       uint32_t action)
{
    struct printer *printer = (struct printer *)teller;
    if (stepper->steps == printer->cycle_start + 1)
        fprintf(printer->out, "  repeated forever:\n");
    step_print(stepper, values, action, printer->step_width, printer->name_width, printer->out);
}

enum portolan_status trace_print(struct portolan_system *system, const uint32_t *actions, size_t count,
                                 size_t cycle_start, FILE *out, struct portolan_error *error)
{
    enum { WIDEST_NAME = 32 };
    if (has_table(system))
        return columns_print(system, actions, count, cycle_start, out, error);
    struct printer printer = {
        .teller.step = print_told, .out = out, .step_width = digits(count), .cycle_start = cycle_start};
    for (size_t i = 0; i < count; i++) {
        char buffer[16];
        int width = (int)strnlen(step_name(system, actions[i], buffer), WIDEST_NAME);
        if (width > printer.name_width)
            printer.name_width = width;
    }
    struct stepper stepper = {0};
    struct values values = {0};
    enum portolan_status status = tell(system, actions, count, &printer.teller, &stepper, &values, error);
    if (status == PORTOLAN_OK)
        state_print(&stepper, &values, out);
    stepper_clear(&stepper);
    values_clear(&values);
    return status;
}

/* Appends to a text; returns the length it would have. */
static size_t append(char *text, size_t size, size_t used, const char *more)
{
    if (used < size)
        snprintf(text + used, size - used, "%s", more);
    return used + strlen(more);
}

/* "deadlock: a waits for lock l; b waits for lock m" */
static void describe_end(const struct stepper *stepper, char *text, size_t size)
{
    const struct portolan_system *system = stepper->system;
    const struct portolan_footprint *view = system->footprint;
    bool deadlock = is_deadlock(system, stepper->state, stepper->enabled_count), first = true;
    text[0] = '\0';
    size_t used = append(text, size, 0, deadlock ? "deadlock: " : "");
    for (uint32_t agent = 0; view && view->standing && view->agent_name && agent < view->agents; agent++) {
        char name[100], why[200], one[sizeof name + sizeof why + 3];
        if (!view->standing(system->model, stepper->state, agent, why, sizeof why))
            continue;
        view->agent_name(system->model, agent, name, sizeof name);
        snprintf(one, sizeof one, "%s%s %s", first ? "" : "; ", name, why);
        used = append(text, size, used, one);
        first = false;
    }
    if (first && system->failure) {
        char why[300];
        if (system->failure(system->model, stepper->state, why, sizeof why)) {
            used = append(text, size, used, why);
            first = false;
        }
    }
    if (deadlock && first)
        append(text, size, used, "nothing is enabled");
}

void json_message(const struct stepper *stepper, struct json *json)
{
    char text[1000];
    describe_end(stepper, text, sizeof text);
    if (text[0])
        json_string(json, "message", text);
    else
        json_null(json, "message");
}

struct json_teller {
    struct teller teller;
    struct json *json;
};

static void json_told(struct teller *teller, const struct stepper *stepper, const struct values *values,
                      uint32_t action)
{
    struct json *json = ((struct json_teller *)teller)->json;
    const struct portolan_system *system = stepper->system;
    char buffer[16], text[LONGEST_TEXT];
    uint32_t count;
    const uint32_t *changed = changed_variables(values, action, &count);
    json_open(json, NULL, '{');
    json_string(json, "action", step_name(system, action, buffer));
    if (system->action_text && system->action_text(system->model, action, text, sizeof text))
        json_string(json, "description", text);
    json_open(json, "changes", '{');
    for (uint32_t i = 0; i < count && system->variable_name; i++)
        if (values->before[changed[i]] != values->after[changed[i]])
            json_integer(json, system->variable_name(system->model, changed[i]), values->after[changed[i]]);
    json_close(json, '}');
    json_close(json, '}');
}

enum portolan_status trace_json(struct portolan_system *system, const uint32_t *actions, size_t count,
                                struct json *json, struct portolan_error *error)
{
    struct json_teller teller = {.teller.step = json_told, .json = json};
    struct stepper stepper = {0};
    struct values values = {0};
    json_open(json, "trace", '[');
    enum portolan_status status = tell(system, actions, count, &teller.teller, &stepper, &values, error);
    json_close(json, ']');
    if (status == PORTOLAN_OK)
        json_message(&stepper, json);
    stepper_clear(&stepper);
    values_clear(&values);
    return status;
}

void json_cycle_start(struct json *json, size_t cycle_start)
{
    if (cycle_start == PORTOLAN_NO_CYCLE)
        json_null(json, "cycle_start");
    else
        json_integer(json, "cycle_start", (int64_t)cycle_start);
}

/* A comment to those who do not look for it. */
static const char cycle_marker[] = "# cycle";

static const char opened_marker[] = "\n# opened with: ";

void trace_write(const struct portolan_system *system, const char *opened_with, const char *property,
                 const uint32_t *actions, size_t count, size_t cycle_start, FILE *out)
{
    fprintf(out, "# portolan trace, one action a line\n# model: %s", system->name);
    if (opened_with)
        fprintf(out, "%s%s", opened_marker, opened_with);
    fprintf(out, "\n# property: %s\n", property);
    for (size_t i = 0; i <= count; i++) {
        char buffer[16];
        if (i == cycle_start)
            fprintf(out, "%s: %s\n", cycle_marker,
                    i < count ? "what follows is repeated forever" : "nothing is enabled, the last state is repeated");
        if (i < count)
            fprintf(out, "%s\n", step_name(system, actions[i], buffer));
    }
}

static enum portolan_status unknown_action(const struct portolan_system *system, const char *path, unsigned line,
                                           const char *name, struct portolan_error *error)
{
    struct nearest nearest = nearest_to(name);
    for (uint32_t a = 0; system->action_name && a < fixed_actions(system); a++)
        nearest_offer(&nearest, system->action_name(system->model, a));
    fail_at(error, path, line, 1, name, "the model has no action '%.100s'", name);
    if (nearest.best)
        hint(error, "did you mean %s?", nearest.best);
    return PORTOLAN_BAD_INPUT;
}

/* One line of a trace: an action, a comment, or the mark of a cycle. */
static enum portolan_status read_line(const struct portolan_system *system, const char *path, const char *text,
                                      unsigned line, struct trace *trace, struct portolan_error *error)
{
    uint32_t action;
    if (strncmp(text, cycle_marker, sizeof cycle_marker - 1) == 0)
        trace->cycle_start = trace->actions.count;
    if (text[0] == '#' || text[0] == '\0')
        return PORTOLAN_OK;
    if (!system->find_action || !system->find_action(system->model, text, &action))
        return unknown_action(system, path, line, text, error);
    bool fine = vector_push(&trace->actions, action) && vector_push(&trace->lines, line);
    return fine ? PORTOLAN_OK : fail_memory(error);
}

enum portolan_status trace_open(const char *path, struct trace *trace, struct portolan_error *error)
{
    static const char *const known[] = {"ground=1", "isomorphism=off"};
    size_t length;
    memset(trace, 0, sizeof *trace);
    trace->cycle_start = PORTOLAN_NO_CYCLE;
    enum portolan_status status = text_file_read(path, &trace->text, &length, error);
    const char *said = status == PORTOLAN_OK ? strstr(trace->text, opened_marker) : NULL;
    for (size_t i = 0; said && i < sizeof known / sizeof *known; i++)
        if (strncmp(said + sizeof opened_marker - 1, known[i], strlen(known[i])) == 0)
            trace->opened_with = known[i];
    return status;
}

enum portolan_status trace_read(const struct portolan_system *system, const char *path, struct trace *trace,
                                struct portolan_error *error)
{
    unsigned line = 0;
    enum portolan_status status = PORTOLAN_OK;
    for (char *next = trace->text, *end; status == PORTOLAN_OK && next; next = end) {
        end = strchr(next, '\n');
        if (end)
            *end++ = '\0';
        size_t size = strlen(next);
        while (size && next[size - 1] == '\r')
            next[--size] = '\0';
        status = read_line(system, path, next, ++line, trace, error);
    }
    return status;
}

void trace_clear(struct trace *trace)
{
    free(trace->text);
    free(trace->actions.item);
    free(trace->lines.item);
    memset(trace, 0, sizeof *trace);
}
