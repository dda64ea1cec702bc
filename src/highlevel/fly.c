/* SPDX-License-Identifier: Apache-2.0 */
/* The system of a net that runs as it is: states are packed numbers of markings. */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "codec/packed.h"
#include "highlevel/engine.h"
#include "highlevel/entities.h"

#include <stdio.h>
#include <string.h>

struct fly_model {
    struct packed packed;      /* first; of numbers of markings */
    struct fly_engine *engine; /* of a compact system: it belongs to the opened one */
    struct range *limits;
    uint64_t *likeness; /* no place is like another */
    uint64_t *loaded;   /* the state that the engine looks at, if its round is still this one */
    uint64_t round;
};

struct fly_engine *fly_engine_of(const struct portolan_system *system)
{
    return ((const struct fly_model *)system->model)->engine;
}

/* -------------------------------------------------------------------- states */

/* (locked) Looks at a state; firing mostly follows what was just looked at. */
static void load(const struct fly_model *model, const uint64_t *state)
{
    struct fly_model *m = (struct fly_model *)model;
    size_t bytes = (size_t)m->packed.layout.words * 8;
    if (m->round == m->engine->round && memcmp(m->loaded, state, bytes) == 0)
        return;
    const struct field *field = m->packed.layout.field;
    for (uint32_t i = 0; i < m->packed.layout.fields; i++)
        fly_look_at(m->engine, i, (uint32_t)field_get(&field[i], state));
    memcpy(m->loaded, state, bytes);
    m->round = ++m->engine->round;
}

/* Takes a note for widen, which follows where the system is compact; what was opened has room for every number. */
static bool put(const struct fly_model *model, uint64_t *state, uint32_t place, uint32_t marking)
{
    const struct field *field = &model->packed.layout.field[place];
    if (field_fits(field, marking)) {
        field_put(field, state, marking);
        return true;
    }
    misfit = (struct misfit){.field = place, .value = marking};
    return false;
}

static enum portolan_fired write_state(const struct fly_model *m, const uint32_t *marking, uint64_t *state)
{
    memset(state, 0, (size_t)m->packed.layout.words * 8);
    for (uint32_t i = 0; i < m->packed.layout.fields; i++)
        if (!put(m, state, i, marking[i]))
            return PORTOLAN_TOO_NARROW;
    return PORTOLAN_FIRED;
}

enum portolan_fired fly_state_of(const struct portolan_system *system, const uint32_t *marking, void *state)
{
    return write_state(system->model, marking, state);
}

static void initial(const void *model, void *state)
{
    const struct fly_model *m = model;
    write_state(m, m->engine->initial, state);
}

/* --------------------------------------------------------------------- steps */

/* Actions are given when the lock is free again: whoever takes them may ask for more. */
static bool find_enabled(void *model, const void *state, const struct portolan_receiver *receiver)
{
    const struct fly_model *m = model;
    struct fly_engine *e = m->engine;
    fly_lock(e);
    load(m, state);
    bool fine = fly_enabled(e);
    uint32_t *enabled = e->enabled.item;
    size_t count = e->enabled.count, capacity = e->enabled.capacity;
    e->enabled.item = NULL;
    e->enabled.count = e->enabled.capacity = 0;
    fly_unlock(e);
    for (size_t i = 0; i < count && fine; i++)
        fine = receiver->give(receiver->user, enabled[i]);
    fly_lock(e);
    free(e->enabled.item);
    e->enabled.item = enabled;
    e->enabled.capacity = capacity;
    e->enabled.count = 0;
    fly_unlock(e);
    return fine;
}

/* The place gets this marking, unless something went wrong before or does now. */
static void move(const struct fly_model *m, uint64_t *state, uint32_t place, uint32_t marking,
                 enum portolan_fired *outcome, bool *fine)
{
    if (marking == NO_MARKING)
        *fine = false;
    else if (marking == TOO_MANY_TOKENS)
        *outcome = PORTOLAN_TOO_LARGE;
    else if (*outcome == PORTOLAN_FIRED && !put(m, state, place, marking))
        *outcome = PORTOLAN_TOO_NARROW;
}

/* (locked) False when memory is exhausted. */
static bool apply(const struct fly_model *m, uint32_t action, uint64_t *state, enum portolan_fired *outcome)
{
    struct fly_engine *e = m->engine;
    const uint32_t *effect = fly_effect(e, action);
    if (!effect)
        return false;
    bool fine = true;
    const struct fly_transition *t = &e->transitions[e->actions.item[action].transition];
    for (uint32_t i = 0; i < t->reads; i++)
        move(m, state, t->read[i], effect[i], outcome, &fine);
    for (uint32_t i = 0; i < t->writes; i++) {
        uint32_t place = t->written[i];
        move(m, state, place, fly_changed(e, place, e->present[place], effect[t->reads + i]), outcome, &fine);
    }
    if (e->actions.item[action].failure)
        move(m, state, e->error_place, fly_after_error(e), outcome, &fine);
    return fine;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct fly_model *m = model;
    enum portolan_fired outcome = PORTOLAN_FIRED;
    size_t bytes = (size_t)m->packed.layout.words * 8;
    fly_lock(m->engine);
    load(m, state);
    memcpy(successor, state, bytes);
    bool fine = apply(m, action, successor, &outcome);
    fly_unlock(m->engine);
    if (fine)
        return outcome;
    memcpy(successor, state, bytes);
    limits_run_out();
    return PORTOLAN_FIRED;
}

/* --------------------------------------------------------------------- names */

static const char *action_name(const void *model, uint32_t action)
{
    struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    bool is_known = action < e->actions.count;
    const char *name = fly_action_name(e, action);
    fly_unlock(e);
    if (name || !is_known)
        return name;
    limits_run_out(); /* nobody can be told */
    return "?";
}

static bool action_text(const void *model, uint32_t action, char *text, size_t size)
{
    const struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    bool says = fly_action_text(e, action, text, size);
    fly_unlock(e);
    return says;
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    bool found = fly_find_action(e, name, action);
    fly_unlock(e);
    return found;
}

static uint32_t rule_of(const void *model, uint32_t action)
{
    const struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    uint32_t rule = action < e->actions.count ? e->actions.item[action].transition : PORTOLAN_NO_RULE;
    fly_unlock(e);
    return rule;
}

static bool rule_text(const void *model, uint32_t rule, char *text, size_t size)
{
    const struct fly_engine *e = ((const struct fly_model *)model)->engine;
    if (rule >= e->net->transitions.count)
        return false;
    snprintf(text, size, "%s", e->net->transitions.item[rule].name);
    return true;
}

/* ----------------------------------------------------------------- variables */

static const char *variable_name(const void *model, uint32_t variable)
{
    const struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    const char *name = fly_variable_name(e, variable);
    fly_unlock(e);
    return name;
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    bool found = fly_find_variable(e, name, variable);
    fly_unlock(e);
    return found;
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    return fly_variable_type(((const struct fly_model *)model)->engine, variable);
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct fly_model *m = model;
    fly_lock(m->engine);
    load(m, state);
    int64_t result = fly_value(m->engine, variable);
    fly_unlock(m->engine);
    return result;
}

static void value_text(const void *model, uint32_t variable, int64_t number, char *text, size_t size)
{
    const struct fly_engine *e = ((const struct fly_model *)model)->engine;
    fly_lock(e);
    fly_value_text(e, variable, number, text, size);
    fly_unlock(e);
}

static void why_no_value(const void *model, const void *state, uint32_t variable, char *text, size_t size)
{
    const struct fly_model *m = model;
    fly_lock(m->engine);
    load(m, state);
    snprintf(text, size, "%s", fly_why_no_value(m->engine, variable));
    fly_unlock(m->engine);
}

/* ------------------------------------------------------------------- layouts */

static bool make_room(struct fly_model *m, const struct layout *layout)
{
    uint64_t *room = realloc(m->loaded, (size_t)layout->words * 8);
    m->round = 0;
    m->loaded = room ? room : m->loaded;
    return room;
}

/* What was opened has 32 bits for each place, a compact system what has been needed so far. */
static bool first_layout(struct fly_model *m)
{
    uint32_t places = m->engine->places;
    m->packed.ranges = calloc(places, sizeof *m->packed.ranges);
    m->limits = calloc(places, sizeof *m->limits);
    m->likeness = calloc(places, sizeof *m->likeness);
    if (!m->packed.ranges || !m->limits || !m->likeness)
        return false;
    for (uint32_t i = 0; i < places; i++) {
        uint32_t marking = m->engine->initial[i];
        m->limits[i] = (struct range){0, UINT32_MAX};
        m->packed.ranges[i] = m->packed.opened ? (struct range){marking, marking} : m->limits[i];
        m->likeness[i] = i;
    }
    return layout_make(&m->packed.layout, m->packed.ranges, places, NULL) && make_room(m, &m->packed.layout);
}

static enum portolan_status widen(struct portolan_system *system)
{
    struct fly_model *m = system->model;
    struct layout layout = {0};
    if (!packed_wider(&m->packed, m->limits, m->likeness, NULL, &layout) || !make_room(m, &layout)) {
        layout_clear(&layout);
        return PORTOLAN_NO_MEMORY;
    }
    return packed_widen(system, &layout, NULL);
}

static void destroy(void *model)
{
    struct fly_model *m = model;
    if (!m->packed.opened && m->engine) {
        fly_engine_clear(m->engine);
        free(m->engine);
    }
    packed_clear(&m->packed);
    free(m->limits);
    free(m->likeness);
    free(m->loaded);
    free(m);
}

static struct portolan_system *compact(const struct portolan_system *system)
{
    struct fly_model *m = calloc(1, sizeof *m);
    const struct fly_model *original = system->model;
    if (!m)
        return NULL;
    *m = (struct fly_model){.packed.opened = &original->packed, .engine = original->engine};
    struct portolan_system *copy = first_layout(m) ? packed_compact(system, &m->packed, widen) : NULL;
    if (!copy)
        destroy(m);
    return copy;
}

/* ------------------------------------------------------------------ building */

static bool find_rule(const void *model, const char *name, uint32_t *rule)
{
    const struct fly_model *m = model;
    return colour_find_transition(m->engine->net, name, rule);
}

static void describe(struct portolan_system *system, struct fly_model *m)
{
    struct fly_engine *e = m->engine;
    e->rules = (struct portolan_rules){.noun = "transition",
                                       .count = (uint32_t)e->net->transitions.count,
                                       .rule_of = rule_of,
                                       .text = rule_text,
                                       .find = find_rule};
    *system = (struct portolan_system){.model = m,
                                       .name = e->net->name,
                                       .format = e->net->format,
                                       .actions = PORTOLAN_ACTIONS_ON_THE_FLY,
                                       .initial = initial,
                                       .find_enabled = find_enabled,
                                       .fire = fire,
                                       .compact = compact,
                                       .too_large = "a place has too many tokens",
                                       .action_name = action_name,
                                       .action_text = action_text,
                                       .find_action = find_action,
                                       .variables = e->places,
                                       .unlisted = e->unlisted,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .variable_type = variable_type,
                                       .value = value,
                                       .value_text = value_text,
                                       .why_no_value = why_no_value,
                                       .stated = e->stated.item,
                                       .stated_count = e->stated.count,
                                       .rules = &e->rules,
                                       .entities = e->has_priorities ? NULL : fly_entities,
                                       .has_priorities = e->has_priorities,
                                       .destroy = destroy};
    packed_describe(system, &m->packed);
}

enum portolan_status fly_system_new(struct colour_net *net, struct portolan_system **result,
                                    struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct fly_model *m = calloc(1, sizeof *m);
    struct fly_engine *engine = calloc(1, sizeof *engine);
    if (!system || !m || !engine) {
        free(system);
        free(m);
        free(engine);
        colour_net_free(net);
        return fail_memory(error);
    }
    m->engine = engine;
    enum portolan_status status = fly_engine_make(engine, net, error);
    if (status == PORTOLAN_OK && !first_layout(m))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        destroy(m);
        free(system);
        return status;
    }
    describe(system, m);
    *result = system;
    return PORTOLAN_OK;
}
