/* SPDX-License-Identifier: Apache-2.0 */
/* A trace for a page: who does what, the values at the start, what each step changes, and pictures of the whole. */
#include "page/page.h"

#include "base/diagnostic.h"
#include "report/columns.h"
#include "report/dot.h"
#include "report/msc.h"
#include "report/pictures.h"
#include "report/step.h"
#include "report/trace.h"
#include "report/words.h"

#include <stdlib.h>
#include <string.h>

/* Values as texts: of variables, or of the parts into which a model divides its states. */
struct fields {
    const struct portolan_system *system;
    uint32_t count;
    char **text; /* as last told; NULL: none yet */
};

/* False: there is no such part. */
static bool field_text(const struct fields *fields, const struct values *values, uint32_t field, const char **name,
                       struct value_text *into)
{
    const struct portolan_system *system = fields->system;
    if (system->state_part)
        return system->state_part(system->model, values->after, field, name, into->text, sizeof into->text);
    *name = system->variable_name(system->model, field);
    const char *text = value_word(system, field, values->after[field], into);
    if (text != into->text)
        snprintf(into->text, sizeof into->text, "%s", text);
    return true;
}

static bool fields_make(struct fields *fields, const struct portolan_system *system, const struct values *values)
{
    struct value_text text;
    const char *name;
    *fields = (struct fields){.system = system};
    if (system->variable_name && system->value)
        fields->count = system->variables;
    if (system->state_part)
        for (fields->count = 0; field_text(fields, values, fields->count, &name, &text);)
            fields->count++;
    fields->text = calloc((size_t)fields->count + 1, sizeof *fields->text);
    return fields->text;
}

static void fields_clear(struct fields *fields)
{
    for (uint32_t i = 0; fields->text && i < fields->count; i++)
        free(fields->text[i]);
    free(fields->text);
}

/* Tells one that differs from what was told last; false when memory is exhausted. */
static bool tell_field(struct fields *fields, const struct values *values, uint32_t field, struct json *json)
{
    struct value_text text;
    const char *name;
    if (!field_text(fields, values, field, &name, &text) ||
        (fields->text[field] && strcmp(fields->text[field], text.text) == 0))
        return true;
    free(fields->text[field]);
    fields->text[field] = strdup(text.text);
    json_string(json, name, text.text);
    return fields->text[field];
}

enum portolan_status page_values(struct json *json, const struct portolan_system *system, const struct values *values,
                                 struct portolan_error *error)
{
    struct fields fields;
    bool fine = fields_make(&fields, system, values);
    json_open(json, "values", '{');
    for (uint32_t i = 0; i < fields.count && fine; i++)
        fine = tell_field(&fields, values, i, json);
    json_close(json, '}');
    fields_clear(&fields);
    return fine ? PORTOLAN_OK : fail_memory(error);
}

static bool tell_changes(struct fields *fields, const struct values *values, uint32_t action, struct json *json)
{
    bool fine = true;
    uint32_t count = fields->count;
    const uint32_t *changed = values->all;
    if (!fields->system->state_part)
        changed = changed_variables(values, action, &count);
    json_open(json, "changes", '{');
    for (uint32_t i = 0; i < count && fine && fields->count; i++)
        fine = tell_field(fields, values, fields->system->state_part ? i : changed[i], json);
    json_close(json, '}');
    return fine;
}

struct actor {
    struct json *json;
    const struct portolan_system *system;
    char message[1000]; /* that is not told yet */
};

static void tell_last_message(struct actor *actor)
{
    if (actor->message[0])
        json_string(actor->json, NULL, actor->message);
    actor->message[0] = '\0';
}

static void tell_actor(void *user, uint32_t process, const char *text, bool stops)
{
    struct actor *actor = user;
    (void)stops;
    json_string(actor->json, "agent", actor->system->messages->process_name(actor->system->model, process));
    json_string(actor->json, "text", text);
    json_open(actor->json, "messages", '[');
}

/* The same text to several processes is one line. */
static void tell_message(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    static const char *const words[] = {
        [PORTOLAN_RECEIVED] = "receives", [PORTOLAN_SENT] = "sends", [PORTOLAN_LOST] = "loses"};
    struct actor *actor = user;
    bool receives = event == PORTOLAN_RECEIVED;
    char line[600];
    const char *other = actor->system->messages->process_name(actor->system->model, receives ? from : to);
    snprintf(line, sizeof line, "%s %s %s ", words[event], text, receives ? "from" : "to");
    size_t head = strlen(line), used = strlen(actor->message);
    if (used && strncmp(actor->message, line, head) == 0) {
        snprintf(actor->message + used, sizeof actor->message - used, ", %s", other);
        return;
    }
    tell_last_message(actor);
    snprintf(actor->message, sizeof actor->message, "%s%s", line, other);
}

static void tell_on_way(void *user, enum portolan_message_event event, uint32_t from, uint32_t to, const char *text)
{
    const struct actor *actor = user;
    const struct portolan_system *system = actor->system;
    char line[700];
    (void)event;
    snprintf(line, sizeof line, "%.400s from %.100s to %.100s", text,
             system->messages->process_name(system->model, from), system->messages->process_name(system->model, to));
    json_string(actor->json, NULL, line);
}

/* Messages on their way. */
static void tell_waiting(const struct portolan_system *system, const void *state, struct json *json)
{
    struct actor actor = {.json = json, .system = system};
    if (!system->messages || !system->messages->waiting)
        return;
    json_open(json, "waiting", '[');
    system->messages->waiting(system->model, state,
                              &(struct portolan_message_receiver){.user = &actor, .message = tell_on_way});
    json_close(json, ']');
}

/* The line of an action, where its rule is one, or begins with "NAME:LINE ". */
static unsigned long line_of(const struct portolan_system *system, uint32_t action)
{
    const struct portolan_rules *rules = system->rules;
    char text[LONGEST_TEXT];
    if (!rules || !rules->rule_of || !rules->noun)
        return 0;
    uint32_t rule = rules->rule_of(system->model, action);
    if (strcmp(rules->noun, "line") == 0)
        return rule;
    if (rule == PORTOLAN_NO_RULE || !rules->text || !rules->text(system->model, rule, text, sizeof text))
        return 0;
    const char *colon = strchr(text, ':');
    return colon ? strtoul(colon + 1, NULL, 10) : 0;
}

/* Who acts, and what is done, in the state before the step. */
static void tell_step(struct portolan_system *system, const struct stepper *stepper, uint32_t action, uint32_t agent,
                      struct json *json)
{
    char buffer[16], text[LONGEST_TEXT];
    json_string(json, "action", step_name(system, action, buffer));
    if (system->action_text && system->action_text(system->model, action, text, sizeof text))
        json_string(json, "description", text);
    if (line_of(system, action))
        json_integer(json, "line", (int64_t)line_of(system, action));
    if (has_columns(system)) {
        char name[100];
        system->footprint->agent_name(system->model, agent, name, sizeof name);
        json_string(json, "agent", name);
        system->footprint->step_text(system->model, stepper->state, agent, text, sizeof text);
        json_string(json, "text", text);
    } else if (system->messages) {
        struct actor actor = {.json = json, .system = system};
        struct portolan_message_receiver receiver = {.user = &actor, .acts = tell_actor, .message = tell_message};
        system->messages->tell(system->model, stepper->state, action, &receiver);
        tell_last_message(&actor);
        json_close(json, ']');
    }
}

static enum portolan_status tell_steps(struct portolan_system *system, const uint32_t *actions, size_t count,
                                       struct stepper *stepper, struct values *values, struct fields *fields,
                                       struct json *json, struct portolan_error *error)
{
    bool fine = true;
    json_open(json, "start", '{');
    for (uint32_t i = 0; i < fields->count && fine; i++)
        fine = tell_field(fields, values, i, json);
    json_close(json, '}');
    tell_waiting(system, stepper->state, json);
    json_open(json, "steps", '[');
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; i < count && fine && status == PORTOLAN_OK; i++) {
        uint32_t agent = 0;
        if (has_columns(system) && !step_agent(system, stepper->state, actions[i], &agent))
            return fail_memory(error);
        json_open(json, NULL, '{');
        tell_step(system, stepper, actions[i], agent, json);
        status = stepper_fire(stepper, actions[i], error);
        if (status == PORTOLAN_OK) {
            values_take(values, stepper, actions[i]);
            fine = tell_changes(fields, values, actions[i], json);
            tell_waiting(system, stepper->state, json);
        }
        json_close(json, '}');
    }
    json_close(json, ']');
    if (status == PORTOLAN_OK && fine)
        json_message(stepper, json);
    return fine ? status : fail_memory(error);
}

/* ------------------------------------------------------------------ pictures */

static enum portolan_status tell_chart(struct portolan_system *system, const uint32_t *actions, size_t count,
                                       struct json *json, struct portolan_error *error)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return fail_memory(error);
    enum portolan_status status = msc_write(system, actions, count, NULL, memory, error);
    if (fclose(memory) != 0 && status == PORTOLAN_OK)
        status = fail_memory(error);
    if (status == PORTOLAN_OK)
        json_string(json, "chart", text);
    free(text);
    return status;
}

static enum portolan_status tell_graphs(struct portolan_system *system, const uint32_t *actions, size_t count,
                                        struct json *json, struct portolan_error *error)
{
    char *drawn;
    struct drawing drawing;
    enum portolan_status status = pictures_draw(system, actions, count, &drawn, error);
    if (status != PORTOLAN_OK)
        return status;
    json_open(json, "graphs", '[');
    for (const char *rest = drawn; status == PORTOLAN_OK && next_drawing(&rest, &drawing);) {
        size_t length = (size_t)(drawing.end - drawing.body);
        char *body = strndup(drawing.body, length);
        json_open(json, NULL, '{');
        json_number(json, "width", drawing.width);
        json_number(json, "height", drawing.height);
        char box[200];
        snprintf(box, sizeof box, "%g %g %g %g", drawing.left, drawing.top, drawing.wide, drawing.high);
        json_string(json, "box", box);
        json_string(json, "body", body ? body : "");
        json_close(json, '}');
        if (!body)
            status = fail_memory(error);
        free(body);
    }
    json_close(json, ']');
    free(drawn);
    return status;
}

enum portolan_status page_present(struct json *json, const struct portolan_system *system, const void *state,
                                  struct portolan_error *error)
{
    char *drawn = NULL;
    tell_waiting(system, state, json);
    if (!system->graphs)
        return PORTOLAN_OK;
    enum portolan_status status = picture_draw(system, state, &drawn, error);
    const char *svg = drawn ? strstr(drawn, "<svg") : NULL;
    if (svg)
        json_string(json, "graph", svg);
    free(drawn);
    return status == PORTOLAN_IO ? PORTOLAN_OK : status; /* there is a page without pictures, too */
}

enum portolan_status page_trace(struct html_page *page, struct portolan_system *system, const uint32_t *actions,
                                size_t count, size_t cycle_start, struct portolan_error *error)
{
    struct json *json = &page->json;
    struct stepper stepper = {0};
    struct values values = {0};
    struct fields fields = {0};
    enum portolan_status status = PORTOLAN_OK;
    json_open(json, "trace", '{');
    json_cycle_start(json, cycle_start);
    if (!stepper_make(&stepper, system) || !values_make(&values, system))
        status = fail_memory(error);
    if (status == PORTOLAN_OK) {
        values_take_all(&values, &stepper);
        status = fields_make(&fields, system, &values)
                     ? tell_steps(system, actions, count, &stepper, &values, &fields, json, error)
                     : fail_memory(error);
    }
    if (status == PORTOLAN_OK && system->messages)
        status = tell_chart(system, actions, count, json, error);
    if (status == PORTOLAN_OK && system->graphs)
        status = page_without_picture(page, tell_graphs(system, actions, count, json, error), error);
    json_close(json, '}');
    fields_clear(&fields);
    values_clear(&values);
    stepper_clear(&stepper);
    return status;
}
