/* SPDX-License-Identifier: Apache-2.0 */
#include "front/protocols/protocols.h"

#include "base/diagnostic.h"
#include "base/lists.h"
#include "base/text_file.h"
#include "front/protocols/model.h"

#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------- system */

static void initial(const void *model, void *state)
{
    model_initial(model, state);
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    return model_enabled(model, state, out);
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    return model_fire(model, state, action, successor);
}

static enum portolan_status widen(struct portolan_system *system)
{
    struct protocol_model *m = system->model;
    m->old_width = m->width;
    m->width *= 2;
    model_lay_out_counts(m);
    system->state_bytes = system->key_bytes = model_words(m) * sizeof(uint64_t);
    return PORTOLAN_OK;
}

static void convert(const void *model, const void *old_state, void *new_state)
{
    model_convert(model, old_state, new_state);
}

static bool is_final(const void *model, const void *state)
{
    return model_is_final(model, state);
}

static void leave_out(void *model, bool out)
{
    ((struct protocol_model *)model)->without_stops = out;
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    return guard_holds(model, state, guard);
}

static const char *action_name(const void *model, uint32_t action)
{
    return names_get(&((const struct protocol_model *)model)->action_names, action);
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    return names_find(&((const struct protocol_model *)model)->action_names, name, action);
}

static const char *variable_name(const void *model, uint32_t variable)
{
    return names_get(&((const struct protocol_model *)model)->variable_names, variable);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    return names_find(&((const struct protocol_model *)model)->variable_names, name, variable);
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    return model_value(model, state, variable);
}

static void value_text(const void *model, uint32_t variable, int64_t wanted, char *text, size_t size)
{
    model_value_text(model, variable, wanted, text, size);
}

/* ------------------------------------------------------------------- footprint */

/* Every action is an agent.  Its objects: the local state of its process, and each message or queue. */
static bool next_step(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct protocol_model *m = model;
    action_footprint_step(&m->footprint, agent, step);
    step->enabled = action_is_enabled(m, state, agent);
    return true;
}

static void object_name(const void *model, uint32_t object, char *text, size_t size)
{
    const struct protocol_model *m = model;
    const struct protocol *p = &m->protocol;
    if (object < p->process_count) {
        snprintf(text, size, "%s", p->automata[object].name);
    } else if ((object -= p->process_count) >= p->messages.count) {
        object -= (uint32_t)p->messages.count;
        snprintf(text, size, "%s to %s", p->automata[object / p->process_count].name,
                 p->automata[object % p->process_count].name);
    } else if (p->messages.item[object].kind == MESSAGE_CRASH) {
        snprintf(text, size, "crashes");
    } else {
        message_text(m, object, text, size);
    }
}

static uint32_t object_of(const struct protocol_model *m, uint32_t message)
{
    const struct protocol *p = &m->protocol;
    uint32_t queue = p->messages.item[message].queue;
    return p->process_count + (queue == NO_QUEUE ? message : (uint32_t)p->messages.count + queue);
}

struct touched { /* the objects of an action, each once */
    uint32_t *seen, stamp;
    VECTOR(uint32_t) objects;
    bool failed;
};

static void touch(struct touched *t, uint32_t object)
{
    if (t->seen[object] == t->stamp)
        return;
    t->seen[object] = t->stamp;
    t->failed |= !vector_push(&t->objects, object);
}

/* First what it waits for, then what it sends; returns how many of the first there are. */
static size_t touch_all(const struct protocol_model *m, const struct action *a, struct touched *t)
{
    t->stamp++;
    t->objects.count = 0;
    if (is_step(a) || a->kind == ACTION_CRASH)
        touch(t, a->process);
    for (uint32_t i = 0; i < a->need_count; i++)
        touch(t, object_of(m, m->needs.item[a->first_need + i]));
    size_t waits = t->objects.count;
    if (a->kind == ACTION_FORGE) {
        touch(t, object_of(m, a->sends));
        if (m->protocol.syntax.is_fifo) /* it stops when there is no room */
            touch(t, a->process);
    }
    for (uint32_t k = 0; is_step(a) && k < m->protocol.automata[a->process].states.count; k++) {
        const struct edge *edge = model_edge(m, a, k);
        size_t count = 0;
        const uint32_t *sends = edge ? sequence_get(&m->protocol.sends, edge->sends, &count) : NULL;
        for (size_t i = 0; i < count; i++)
            touch(t, object_of(m, sends[i]));
    }
    return waits;
}

bool model_make_footprint(struct protocol_model *m)
{
    uint32_t actions = (uint32_t)m->actions.count;
    uint32_t objects = m->protocol.process_count + (uint32_t)m->protocol.messages.count + m->protocol.queue_count;
    struct touched t = {.seen = calloc((size_t)objects + 1, sizeof *t.seen)};
    size_t accesses = 0;
    t.failed = !t.seen;
    for (uint32_t i = 0; i < actions && !t.failed; i++) {
        touch_all(m, &m->actions.item[i], &t);
        accesses += t.objects.count;
    }
    bool fine = !t.failed && action_footprint_make(&m->footprint, actions, objects, accesses);
    for (uint32_t i = 0; i < actions && fine; i++) {
        size_t waits = touch_all(m, &m->actions.item[i], &t);
        for (size_t k = 0; k < t.objects.count; k++)
            action_footprint_add(&m->footprint, i, t.objects.item[k], true, k < waits);
    }
    free(t.seen);
    free(t.objects.item);
    if (!fine)
        return false;
    action_footprint_finish(&m->footprint);
    m->footprint.view.next = next_step;
    m->footprint.view.object_name = object_name;
    return true;
}

/* ---------------------------------------------------------------------- making */

static void destroy(void *model)
{
    model_clear(model);
}

/* The name in the file, or that of the file without directories and ".mp". */
static char *model_name(const struct protocol_model *m, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    size_t length = strlen(start);
    if (m->protocol.syntax.name)
        return strdup(m->protocol.syntax.name);
    if (length > 3 && strcmp(start + length - 3, ".mp") == 0)
        length -= 3;
    return strndup(start, length);
}

static enum portolan_status make_views(struct protocol_model *m, const char *path, struct portolan_error *error)
{
    bool too_large = false;
    m->name = model_name(m, path);
    if (!m->name || !model_make_actions(m) || !model_make_layout(m) || !model_make_names(m) ||
        !model_make_relations(m, &too_large) || !model_make_footprint(m))
        return fail_memory(error);
    model_make_messages(m);
    model_make_rules(m);
    m->relations.view.holds = holds;
    if (!too_large)
        return PORTOLAN_OK;
    enum portolan_status status =
        fail(error, PORTOLAN_BAD_INPUT, "too many pairs of steps of one process do not commute");
    hint(error, "declare narrower ranges, fewer processes or smaller quorums");
    return status;
}

static void fill_system(struct portolan_system *system, struct protocol_model *m)
{
    size_t bytes = model_words(m) * sizeof(uint64_t);
    bool has_final = false;
    for (const struct condition *c = m->protocol.syntax.conditions; c; c = c->next)
        has_final |= c->is_final;
    *system = (struct portolan_system){.model = m,
                                       .name = m->name,
                                       .format = "mp",
                                       .state_bytes = bytes,
                                       .key_bytes = bytes,
                                       .actions = (uint32_t)m->actions.count,
                                       .initial = initial,
                                       .enabled = enabled,
                                       .fire = fire,
                                       .widen = widen,
                                       .convert = convert,
                                       .too_large = "the same message is on its way more than 255 times",
                                       .action_name = action_name,
                                       .find_action = find_action,
                                       .variables = m->listed,
                                       .unlisted = (uint32_t)m->variables.count - m->listed,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .value = value,
                                       .value_text = value_text,
                                       .changers = m->relations.changers,
                                       .is_final = has_final ? is_final : NULL,
                                       .stated = m->stated.item,
                                       .stated_count = m->stated.count,
                                       .stops = m->stops,
                                       .leave_out = list_length(&m->stops, 0) ? leave_out : NULL,
                                       .relations = &m->relations.view,
                                       .footprint = &m->footprint.view,
                                       .messages = &m->messages,
                                       .rules = &m->rules,
                                       .destroy = destroy};
}

/* Takes the text. */
static enum portolan_status open_owned(const char *path, char *text, size_t length,
                                       const struct protocols_options *options, struct portolan_system **result,
                                       struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct protocol_model *m = calloc(1, sizeof *m);
    if (!system || !m) {
        free(system);
        free(m);
        free(text);
        return fail_memory(error);
    }
    m->protocol.text = text;
    m->keeps_dead = options->keep_dead;
    enum portolan_status status = protocols_read(&m->protocol.syntax, path, text, length, error);
    if (status == PORTOLAN_OK)
        status = protocols_define(&m->protocol.syntax, options->definitions, options->definition_count, error);
    if (status == PORTOLAN_OK)
        status = protocols_resolve(&m->protocol.syntax, error);
    if (status == PORTOLAN_OK)
        status = protocol_unfold(&m->protocol, error);
    if (status == PORTOLAN_OK)
        status = make_views(m, path, error);
    if (status != PORTOLAN_OK) {
        model_clear(m);
        free(system);
        return status;
    }
    fill_system(system, m);
    *result = system;
    return PORTOLAN_OK;
}

enum portolan_status protocols_open_text_with(const char *path, const char *text, size_t length,
                                              const struct protocols_options *options, struct portolan_system **system,
                                              struct portolan_error *error)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return fail_memory(error);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return open_owned(path, copy, length, options, system, error);
}

enum portolan_status protocols_open_text(const char *path, const char *text, size_t length,
                                         struct portolan_system **system, struct portolan_error *error)
{
    return protocols_open_text_with(path, text, length, &(struct protocols_options){0}, system, error);
}

enum portolan_status protocols_open(const char *path, const char *const *definitions, size_t count,
                                    struct portolan_system **system, struct portolan_error *error)
{
    struct protocols_options options = {.definitions = definitions, .definition_count = count};
    char *text = NULL;
    size_t length = 0;
    enum portolan_status status = text_file_read(path, &text, &length, error);
    return status == PORTOLAN_OK ? open_owned(path, text, length, &options, system, error) : status;
}
