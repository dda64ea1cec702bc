/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/system.h"

#include "base/diagnostic.h"
#include "codec/packed.h"
#include "front/petri/compiled.h"
#include "front/petri/entities.h"
#include "front/petri/invariants.h"
#include "front/petri/node_names.h"
#include "front/petri/relations.h"
#include "system/action_footprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct net_views { /* what never changes, shared by the instances */
    struct net_relations relations;
    struct action_footprint footprint;
    struct node_names place_names, transition_names;
    void *attached;
    void (*release)(void *attached);
    uint32_t *order;      /* of the fields */
    struct range *limits; /* of the counts */
};

struct net_model {
    struct packed packed; /* first */
    struct net *net;      /* and views: of a compact system they belong to the opened one */
    struct net_views *views;
    struct compiled compiled;
    uint64_t *likeness; /* per place: equal for places with the same tokens and arcs; NULL until it is needed */
    struct invariants invariants; /* of a compact system */
    struct told_words told;
};

static uint32_t tokens_in(const struct net_model *m, const void *state, uint32_t place)
{
    return (uint32_t)field_get(&m->packed.layout.field[place], state);
}

static void initial(const void *model, void *state)
{
    const struct net_model *m = model;
    memset(state, 0, (size_t)m->packed.layout.words * 8);
    for (uint32_t p = 0; p < m->net->places; p++)
        field_put(&m->packed.layout.field[p], state, m->net->initial[p]);
}

static uint32_t keep_highest(const int64_t *priority, uint32_t *actions, uint32_t count)
{
    uint32_t kept = 0;
    int64_t highest = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        int64_t mine = priority[actions[i]];
        if (mine > highest) {
            highest = mine;
            kept = 0;
        }
        if (mine == highest)
            actions[kept++] = actions[i];
    }
    return kept;
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct net_model *m = model;
    uint32_t count = compiled_enabled(&m->compiled, state, out);
    return m->net->priority ? keep_highest(m->net->priority, out, count) : count;
}

/* The first place of t whose new count does not fit its field. */
static uint32_t find_narrow(const struct net_model *m, const uint64_t *state, uint32_t t, uint64_t *count)
{
    const struct net *net = m->net;
    for_arcs (arc, net, t) {
        *count = (uint64_t)tokens_in(m, state, arc->place) - arc->consume + arc->produce;
        if (*count > m->packed.layout.field[arc->place].mask)
            return arc->place;
    }
    return UINT32_MAX;
}

/* Takes a note for widen, which follows where the system is compact. */
static enum portolan_fired does_not_fit(uint32_t place, uint64_t count)
{
    misfit = (struct misfit){.field = place, .value = count > NET_MAX_TOKENS ? NET_MAX_TOKENS : (uint32_t)count};
    return count > NET_MAX_TOKENS ? PORTOLAN_TOO_LARGE : PORTOLAN_TOO_NARROW;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct net_model *m = model;
    if (compiled_fire(&m->compiled, state, action, successor))
        return PORTOLAN_FIRED;
    uint64_t count = 0;
    uint32_t place = find_narrow(m, state, action, &count);
    return does_not_fit(place, count);
}

enum portolan_fired net_state_of_marking(const void *model, const uint32_t *marking, void *state)
{
    const struct net_model *m = model;
    memset(state, 0, (size_t)m->packed.layout.words * 8);
    for (uint32_t p = 0; p < m->net->places; p++) {
        if (marking[p] > m->packed.layout.field[p].mask)
            return does_not_fit(p, marking[p]);
        field_put(&m->packed.layout.field[p], state, marking[p]);
    }
    return PORTOLAN_FIRED;
}

/* The same for places with the same initial tokens and the same kinds of arcs. */
static uint64_t *find_likeness(const struct net *net)
{
    uint64_t *likeness = calloc((size_t)net->places + 1, sizeof *likeness);
    for (uint32_t p = 0; likeness && p < net->places; p++)
        likeness[p] = net->initial[p];
    for (uint32_t i = 0; likeness && i < net->arc_offset[net->transitions]; i++) {
        const struct net_arc *arc = &net->arc[i];
        const uint32_t weights[] = {arc->need, arc->consume, arc->produce, arc->inhibit};
        likeness[arc->place] += XXH3_64bits(weights, sizeof weights);
    }
    return likeness;
}

static enum portolan_status widen(struct portolan_system *system)
{
    struct net_model *m = system->model;
    struct layout layout = {0};
    struct compiled compiled = {0};
    struct told_words told = {0};
    const uint32_t *order = m->invariants.order;
    if (m->packed.widenings >= WIDEN_ONE_TIMES && !m->likeness && !(m->likeness = find_likeness(m->net)))
        return PORTOLAN_NO_MEMORY;
    if (!packed_wider(&m->packed, m->views->limits, m->likeness, order, &layout) ||
        !compile_net(&compiled, m->net, &layout) || !told_words_make(&told, &m->invariants, m->net, &layout)) {
        compiled_clear(&compiled);
        told_words_clear(&told);
        layout_clear(&layout);
        return PORTOLAN_NO_MEMORY;
    }
    enum portolan_status status = packed_widen(system, &layout, order);
    compiled_clear(status == PORTOLAN_OK ? &m->compiled : &compiled);
    told_words_clear(status == PORTOLAN_OK ? &m->told : &told);
    if (status == PORTOLAN_OK) {
        m->compiled = compiled;
        m->told = told;
    }
    return status;
}

static void restore(const void *model, void *state)
{
    told_words_compute(&((const struct net_model *)model)->told, state);
}

/* Of the old state perhaps only the key is given. */
static void convert(const void *model, const void *old_state, void *new_state)
{
    const struct net_model *m = model;
    conversion_run(&m->packed.conversion, old_state, new_state);
    told_words_compute(&m->told, new_state);
}

/* Told places that are 0 may not have been given: the key tells them.  If there is none, as when all fields are at
 * their least or their largest, it may tell what never was: but nothing that needs more room than was described. */
static bool open_described(const void *model, const void *description, const void *state, void *opened_state)
{
    const struct net_model *m = model;
    const struct layout *opened = &m->packed.opened->layout;
    if (!layout_open(description, state, opened, opened_state))
        return false;
    for (uint32_t i = 0; i < m->invariants.told; i++) {
        uint32_t place = m->invariants.order[m->invariants.kept + i];
        struct field field;
        memcpy(&field, (const char *)description + place * sizeof field, sizeof field);
        int64_t tokens = told_tokens(&m->invariants, i, m->net, opened, opened_state);
        if (field_get(&opened->field[place], opened_state) == 0 && field_fits(&field, tokens))
            field_put(&opened->field[place], opened_state, tokens);
    }
    return true;
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    const struct net_model *m = model;
    const struct net_guard *g = &m->views->relations.guard[guard];
    return (tokens_in(m, state, g->place) < g->threshold) == g->below;
}

static bool is_enabled(const struct net_model *m, const void *state, uint32_t t)
{
    for_arcs (arc, m->net, t) {
        uint32_t tokens = tokens_in(m, state, arc->place);
        if (tokens < arc->need || (arc->inhibit && tokens >= arc->inhibit))
            return false;
    }
    return true;
}

static bool next_step(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct net_model *m = model;
    action_footprint_step(&m->views->footprint, agent, step);
    step->enabled = is_enabled(m, state, agent);
    return true;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct net_model *m = model;
    return tokens_in(m, state, variable);
}

static bool change(const void *model, uint32_t action, uint32_t variable, int64_t *by)
{
    const struct net *net = ((const struct net_model *)model)->net;
    *by = 0;
    for_arcs (arc, net, action)
        if (arc->place == variable)
            *by += (int64_t)arc->produce - arc->consume;
    return true;
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    const struct net_model *m = model;
    return node_names_find(&m->views->transition_names, name, action);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct net_model *m = model;
    return node_names_find(&m->views->place_names, name, variable);
}

static bool is_ambiguous(const void *model, bool is_action, const char *name, char *advice, size_t size)
{
    const struct net_model *m = model;
    return node_names_doubt(is_action ? &m->views->transition_names : &m->views->place_names, name, advice, size);
}

static const char *action_name(const void *model, uint32_t action)
{
    const struct net_model *m = model;
    return node_names_show(&m->views->transition_names, action);
}

static const char *variable_name(const void *model, uint32_t variable)
{
    const struct net_model *m = model;
    return node_names_show(&m->views->place_names, variable);
}

static void guard_text(const void *model, uint32_t guard, char *text, size_t size)
{
    const struct net_model *m = model;
    const struct net_guard *g = &m->views->relations.guard[guard];
    snprintf(text, size, "%s %s %" PRIu32, variable_name(model, g->place), g->below ? "<" : ">=", g->threshold);
}

static bool make_names(struct net_model *m)
{
    const struct net *net = m->net;
    return node_names_make(&m->views->place_names, net->place_id, net->place_name, net->places) &&
           node_names_make(&m->views->transition_names, net->transition_id, net->transition_name, net->transitions);
}

static void destroy(void *model)
{
    struct net_model *m = model;
    if (!m->packed.opened) {
        net_free(m->net);
        net_relations_clear(&m->views->relations);
        action_footprint_clear(&m->views->footprint);
        node_names_clear(&m->views->place_names);
        node_names_clear(&m->views->transition_names);
        free(m->views->order);
        free(m->views->limits);
        if (m->views->release)
            m->views->release(m->views->attached);
        free(m->views);
    }
    packed_clear(&m->packed);
    compiled_clear(&m->compiled);
    invariants_clear(&m->invariants);
    told_words_clear(&m->told);
    free(m->likeness);
    free(m);
}

/* A transition writes the places whose count it changes and reads those it only tests. */
static bool make_footprint(struct net_model *m)
{
    const struct net *net = m->net;
    if (!action_footprint_make(&m->views->footprint, net->transitions, net->places, net->arc_offset[net->transitions]))
        return false;
    for (uint32_t t = 0; t < net->transitions; t++)
        for_arcs (arc, net, t) {
            action_footprint_add(&m->views->footprint, t, arc->place, arc->consume != arc->produce,
                                 arc->need || arc->inhibit);
        }
    action_footprint_finish(&m->views->footprint);
    return true;
}

/* Places come in their order, but stocks (more than one token initially) last: transitions are looked at in the order
 * of fields, and a search does better when it moves what is on its way before it draws on a stock. */
static bool make_order(struct net_views *views, const struct net *net)
{
    uint32_t count = 0;
    views->order = calloc((size_t)net->places + 1, sizeof *views->order);
    views->limits = calloc((size_t)net->places + 1, sizeof *views->limits);
    if (!views->order || !views->limits)
        return false;
    for (int stocks = 0; stocks < 2; stocks++)
        for (uint32_t p = 0; p < net->places; p++)
            if ((net->initial[p] > 1) == stocks)
                views->order[count++] = p;
    for (uint32_t p = 0; p < net->places; p++)
        views->limits[p].high = NET_MAX_TOKENS;
    return true;
}

static bool first_layout(struct net_model *m, const uint32_t *order, uint32_t key_fields, bool widest)
{
    uint32_t places = m->net->places;
    m->packed.ranges = calloc((size_t)places + 1, sizeof *m->packed.ranges);
    if (!m->packed.ranges)
        return false;
    for (uint32_t p = 0; p < places; p++)
        m->packed.ranges[p].high = widest ? NET_MAX_TOKENS : m->net->initial[p] ? m->net->initial[p] : 1;
    return layout_make_with_key(&m->packed.layout, m->packed.ranges, places, order, key_fields) &&
           compile_net(&m->compiled, m->net, &m->packed.layout);
}

/* Places that watch transitions stay in the key, so that transitions are found in the same order as ever. */
static bool find_told_places(struct net_model *m)
{
    bool *watches = calloc((size_t)m->net->places + 1, sizeof *watches);
    bool fine = watches && find_watching_places(m->net, watches) &&
                invariants_find(&m->invariants, m->net, m->views->order, watches);
    free(watches);
    return fine;
}

static struct portolan_system *compact(const struct portolan_system *system)
{
    struct net_model *m = calloc(1, sizeof *m);
    const struct net_model *original = system->model;
    if (!m)
        return NULL;
    *m = (struct net_model){.packed.opened = &original->packed, .net = original->net, .views = original->views};
    bool fine = find_told_places(m) && first_layout(m, m->invariants.order, m->invariants.kept, false) &&
                told_words_make(&m->told, &m->invariants, m->net, &m->packed.layout);
    struct portolan_system *copy = fine ? packed_compact(system, &m->packed, widen) : NULL;
    if (!copy) {
        destroy(m);
        return NULL;
    }
    copy->convert = convert;
    copy->restore = m->invariants.told ? restore : NULL;
    copy->open_described = open_described;
    return copy;
}

static bool make_views(struct net_model *m)
{
    return net_relations_make(&m->views->relations, m->net) && make_footprint(m) && make_names(m) &&
           make_order(m->views, m->net) && first_layout(m, m->views->order, m->net->places, true);
}

static const struct portolan_rules transitions = {.noun = "transition"};

/* With priorities an action may be disabled by what it does not touch, of which no view tells. */
static void take_views_away(struct portolan_system *system)
{
    system->relations = NULL;
    system->footprint = NULL;
    system->entities = NULL;
    system->monotone = false;
    system->has_priorities = true;
}

enum portolan_status net_system_new(struct net *net, struct portolan_system **system, struct portolan_error *error)
{
    return net_system_new_with(net, NULL, NULL, system, error);
}

enum portolan_status net_system_new_with(struct net *net, void *attached, void (*release)(void *attached),
                                         struct portolan_system **result, struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct net_model *m = calloc(1, sizeof *m);
    struct net_views *views = calloc(1, sizeof *views);
    if (!system || !m || !views) {
        free(system);
        free(m);
        free(views);
        net_free(net);
        if (release)
            release(attached);
        return fail_memory(error);
    }
    *views = (struct net_views){.attached = attached, .release = release};
    *m = (struct net_model){.net = net, .views = views};
    if (!make_views(m)) {
        destroy(m);
        free(system);
        return fail_memory(error);
    }
    views->relations.view.holds = holds;
    views->relations.view.guard_text = guard_text;
    views->footprint.view.next = next_step;
    *system = (struct portolan_system){.model = m,
                                       .name = net->name,
                                       .format = "pnml",
                                       .actions = net->transitions,
                                       .initial = initial,
                                       .enabled = enabled,
                                       .fire = fire,
                                       .compact = compact,
                                       .action_name = action_name,
                                       .find_action = find_action,
                                       .variables = net->places,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .is_ambiguous = is_ambiguous,
                                       .value = value,
                                       .changers = views->relations.changers,
                                       .change = change,
                                       .monotone = !net_has_inhibitors(net),
                                       .relations = &views->relations.view,
                                       .footprint = &views->footprint.view,
                                       .rules = &transitions,
                                       .entities = net_entities,
                                       .destroy = destroy};
    if (net->priority)
        take_views_away(system);
    packed_describe(system, &m->packed);
    *result = system;
    return PORTOLAN_OK;
}

void *net_attached(const void *model)
{
    return ((const struct net_model *)model)->views->attached;
}

uint32_t net_tokens(const void *model, const void *state, uint32_t place)
{
    return tokens_in(model, state, place);
}

const struct net *net_of_system(const struct portolan_system *system)
{
    return system->fire == fire ? ((const struct net_model *)system->model)->net : NULL;
}
