/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/system.h"

#include "base/diagnostic.h"
#include "front/petri/compiled.h"
#include "front/petri/entities.h"
#include "front/petri/layout.h"
#include "front/petri/node_names.h"
#include "front/petri/relations.h"
#include "system/action_footprint.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct net_model {
    struct net *net;
    struct layout layout;
    struct layout old_layout; /* for convert */
    struct compiled compiled;
    struct net_relations relations;
    struct action_footprint footprint;
    uint32_t narrow;    /* the place that did not fit, ... */
    uint32_t wanted;    /* ... and what should have: set by fire */
    uint32_t widenings; /* so far */
    uint64_t *likeness; /* per place: equal for places with the same tokens and arcs; NULL until it is needed */
    struct node_names place_names, transition_names;
};

static void initial(const void *model, void *state)
{
    const struct net_model *m = model;
    memset(state, 0, (size_t)m->layout.words * 8);
    for (uint32_t p = 0; p < m->net->places; p++)
        layout_put(&m->layout, state, p, m->net->initial[p]);
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct net_model *m = model;
    return compiled_enabled(&m->compiled, state, out);
}

/* The first place of t whose new count does not fit its field. */
static uint32_t find_narrow(const struct net_model *m, const uint64_t *state, uint32_t t, uint64_t *count)
{
    const struct net *net = m->net;
    for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &net->arc[i];
        *count = (uint64_t)layout_get(&m->layout, state, arc->place) - arc->consume + arc->produce;
        if (*count > field_mask(m->layout.field[arc->place]))
            return arc->place;
    }
    return UINT32_MAX;
}

/* A note for widen, which follows. */
static enum portolan_fired does_not_fit(const struct net_model *model, uint32_t place, uint64_t count)
{
    struct net_model *m = (struct net_model *)model;
    m->narrow = place;
    m->wanted = count > NET_MAX_TOKENS ? NET_MAX_TOKENS : (uint32_t)count;
    return count > NET_MAX_TOKENS ? PORTOLAN_TOO_LARGE : PORTOLAN_TOO_NARROW;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct net_model *m = model;
    if (compiled_fire(&m->compiled, state, action, successor))
        return PORTOLAN_FIRED;
    uint64_t count = 0;
    uint32_t place = find_narrow(m, state, action, &count);
    return does_not_fit(m, place, count);
}

enum portolan_fired net_state_of_marking(const void *model, const uint32_t *marking, void *state)
{
    const struct net_model *m = model;
    memset(state, 0, (size_t)m->layout.words * 8);
    for (uint32_t p = 0; p < m->net->places; p++) {
        if (marking[p] > field_mask(m->layout.field[p]))
            return does_not_fit(m, p, marking[p]);
        layout_put(&m->layout, state, p, marking[p]);
    }
    return PORTOLAN_FIRED;
}

static void set_sizes(struct portolan_system *system, const struct net_model *m)
{
    system->state_bytes = (size_t)m->layout.words * 8;
    system->key_bytes = m->layout.bytes;
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

/*
 * Which fields to widen, in `bits`.  The first times only the one that must be.  Since every time costs as much as the
 * net is large, and more the more markings are stored, a net that asks very often has all places widened that look like
 * this one, and at last all of the same width: the number of times is then no matter of how many places there are.
 */
static bool widen_fields(struct net_model *m, uint8_t *bits)
{
    enum { FEW_TIMES = 64, MANY_TIMES = 512 };
    uint8_t width = bits[m->narrow];
    if (++m->widenings > FEW_TIMES && !m->likeness && !(m->likeness = find_likeness(m->net)))
        return false;
    for (uint32_t p = 0; p < m->net->places && m->widenings > FEW_TIMES; p++)
        bits[p] += p != m->narrow && bits[p] == width && width < 31 &&
                   (m->widenings > MANY_TIMES || m->likeness[p] == m->likeness[m->narrow]);
    bits[m->narrow] = bits_for(m->wanted);
    return true;
}

static enum portolan_status widen(struct portolan_system *system)
{
    struct net_model *m = system->model;
    uint32_t places = m->net->places;
    uint8_t *bits = malloc((size_t)places + 1);
    struct layout layout = {0};
    struct compiled compiled = {0};
    for (uint32_t p = 0; bits && p < places; p++)
        bits[p] = m->layout.field[p].bits;
    bool fine = bits && widen_fields(m, bits) && layout_make(&layout, bits, m->net->initial, places) &&
                compile_net(&compiled, m->net, &layout);
    free(bits);
    if (!fine) {
        layout_clear(&layout);
        return PORTOLAN_NO_MEMORY;
    }
    layout_clear(&m->old_layout);
    compiled_clear(&m->compiled);
    m->old_layout = m->layout;
    m->layout = layout;
    m->compiled = compiled;
    set_sizes(system, m);
    return PORTOLAN_OK;
}

static void convert(const void *model, const void *old_state, void *new_state)
{
    const struct net_model *m = model;
    memset(new_state, 0, (size_t)m->layout.words * 8);
    for (uint32_t p = 0; p < m->net->places; p++)
        layout_put(&m->layout, new_state, p, layout_get(&m->old_layout, old_state, p));
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    const struct net_model *m = model;
    const struct net_guard *g = &m->relations.guard[guard];
    return (layout_get(&m->layout, state, g->place) < g->threshold) == g->below;
}

static bool is_enabled(const struct net_model *m, const void *state, uint32_t t)
{
    for (uint32_t i = m->net->arc_offset[t]; i < m->net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &m->net->arc[i];
        uint32_t tokens = layout_get(&m->layout, state, arc->place);
        if (tokens < arc->need || (arc->inhibit && tokens >= arc->inhibit))
            return false;
    }
    return true;
}

static bool next_step(const void *model, const void *state, uint32_t agent, struct portolan_step *step)
{
    const struct net_model *m = model;
    action_footprint_step(&m->footprint, agent, step);
    step->enabled = is_enabled(m, state, agent);
    return true;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct net_model *m = model;
    return layout_get(&m->layout, state, variable);
}

static bool find_action(const void *model, const char *name, uint32_t *action)
{
    const struct net_model *m = model;
    return node_names_find(&m->transition_names, name, action);
}

static bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    const struct net_model *m = model;
    return node_names_find(&m->place_names, name, variable);
}

static bool is_ambiguous(const void *model, bool is_action, const char *name, char *advice, size_t size)
{
    const struct net_model *m = model;
    return node_names_doubt(is_action ? &m->transition_names : &m->place_names, name, advice, size);
}

static const char *action_name(const void *model, uint32_t action)
{
    const struct net_model *m = model;
    return node_names_show(&m->transition_names, action);
}

static const char *variable_name(const void *model, uint32_t variable)
{
    const struct net_model *m = model;
    return node_names_show(&m->place_names, variable);
}

static bool make_names(struct net_model *m)
{
    const struct net *net = m->net;
    return node_names_make(&m->place_names, net->place_id, net->place_name, net->places) &&
           node_names_make(&m->transition_names, net->transition_id, net->transition_name, net->transitions);
}

static void destroy(void *model)
{
    struct net_model *m = model;
    net_free(m->net);
    layout_clear(&m->layout);
    layout_clear(&m->old_layout);
    compiled_clear(&m->compiled);
    net_relations_clear(&m->relations);
    action_footprint_clear(&m->footprint);
    node_names_clear(&m->place_names);
    node_names_clear(&m->transition_names);
    free(m->likeness);
    free(m);
}

/* A transition writes the places whose count it changes and reads those it only tests. */
static bool make_footprint(struct net_model *m)
{
    const struct net *net = m->net;
    if (!action_footprint_make(&m->footprint, net->transitions, net->places, net->arc_offset[net->transitions]))
        return false;
    for (uint32_t t = 0; t < net->transitions; t++)
        for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
            const struct net_arc *arc = &net->arc[i];
            action_footprint_add(&m->footprint, t, arc->place, arc->consume != arc->produce, arc->need || arc->inhibit);
        }
    action_footprint_finish(&m->footprint);
    return true;
}

static bool has_inhibitors(const struct net *net)
{
    for (uint32_t i = 0; i < net->arc_offset[net->transitions]; i++)
        if (net->arc[i].inhibit)
            return true;
    return false;
}

static bool first_layout(struct net_model *m)
{
    uint8_t *bits = malloc((size_t)m->net->places + 1);
    if (!bits)
        return false;
    for (uint32_t p = 0; p < m->net->places; p++)
        bits[p] = bits_for(m->net->initial[p]);
    bool fine = layout_make(&m->layout, bits, m->net->initial, m->net->places);
    free(bits);
    return fine && compile_net(&m->compiled, m->net, &m->layout);
}

static const struct portolan_rules transitions = {.noun = "transition"};

enum portolan_status net_system_new(struct net *net, struct portolan_system **result, struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct net_model *m = calloc(1, sizeof *m);
    if (!system || !m) {
        free(system);
        free(m);
        net_free(net);
        return fail_memory(error);
    }
    m->net = net;
    if (!first_layout(m) || !net_relations_make(&m->relations, net) || !make_footprint(m) || !make_names(m)) {
        destroy(m);
        free(system);
        return fail_memory(error);
    }
    m->relations.view.holds = holds;
    m->footprint.view.next = next_step;
    *system = (struct portolan_system){.model = m,
                                       .name = net->name,
                                       .format = "pnml",
                                       .actions = net->transitions,
                                       .initial = initial,
                                       .enabled = enabled,
                                       .fire = fire,
                                       .widen = widen,
                                       .convert = convert,
                                       .action_name = action_name,
                                       .find_action = find_action,
                                       .variables = net->places,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .is_ambiguous = is_ambiguous,
                                       .value = value,
                                       .changers = m->relations.changers,
                                       .monotone = !has_inhibitors(net),
                                       .relations = &m->relations.view,
                                       .footprint = &m->footprint.view,
                                       .rules = &transitions,
                                       .entities = net_entities,
                                       .destroy = destroy};
    set_sizes(system, m);
    *result = system;
    return PORTOLAN_OK;
}

const struct net *net_of_system(const struct portolan_system *system)
{
    return ((const struct net_model *)system->model)->net;
}

void portolan_system_free(struct portolan_system *system)
{
    if (!system)
        return;
    if (system->destroy)
        system->destroy(system->model);
    free(system);
}
