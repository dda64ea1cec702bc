/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the net of what was read. */
#include "front/symmetric/reading.h"

#include <stdio.h>
#include <string.h>

static struct position position_of(struct xml_spot spot)
{
    return (struct position){.line = spot.line, .column = 1};
}

/* ------------------------------------------------------------------ names */

/* Names are shown where each stands for one node and is no other node's id; otherwise the id is. */
static bool choose_names(struct reading *reading, struct node_read *const *nodes, size_t count)
{
    struct names known = {0};
    uint32_t number, *used = calloc(count * 2 + 1, sizeof *used);
    bool fine = used != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        struct node_read *node = nodes[i];
        if (!node->name)
            node->name = node->id;
        if ((fine = names_add(&known, node->id, &number)))
            used[number]++;
        if (fine && strcmp(node->id, node->name) != 0 && (fine = names_add(&known, node->name, &number)))
            used[number]++;
    }
    for (size_t i = 0; fine && i < count; i++)
        if (names_find(&known, nodes[i]->name, &number) && used[number] > 1)
            nodes[i]->name = nodes[i]->id;
    names_clear(&known);
    free(used);
    return fine ? true : xml_no_memory(&reading->walk->cursor);
}

static bool choose_all_names(struct reading *reading)
{
    size_t places = reading->places.count, transitions = reading->transitions.count;
    struct node_read **nodes = calloc(places + transitions + 1, sizeof *nodes);
    if (!nodes)
        return xml_no_memory(&reading->walk->cursor);
    for (size_t i = 0; i < places; i++)
        nodes[i] = &reading->places.item[i].node;
    for (size_t i = 0; i < transitions; i++)
        nodes[places + i] = &reading->transitions.item[i].node;
    bool fine = choose_names(reading, nodes, places) && choose_names(reading, nodes + places, transitions);
    free(nodes);
    return fine;
}

/* ------------------------------------------------------------------ places */

/* The domain as a struct with fields "1", "2", ... */
static const struct colour_type *tuple_type(struct reading *reading, const char *name, const struct sort *domain)
{
    struct colour_type *type = reading_get(reading, sizeof *type);
    if (!type)
        return NULL;
    *type = (struct colour_type){.kind = COLOUR_STRUCT, .name = name, .cells = domain->count, .root = type};
    for (uint32_t i = 0; i < domain->count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i + 1);
        struct colour_field field = {.name = reading_copy(reading, number), .type = domain->parts[i], .offset = i};
        if (!field.name || !arena_push(reading->net->arena, &type->fields, field))
            return NULL;
    }
    return type;
}

static bool build_place(struct reading *reading, struct place_read *read)
{
    struct arena *arena = reading->net->arena;
    if (!read->sort)
        return xml_wrong(&reading->walk->cursor, read->node.spot, "the place '%s' has no type",
                         xml_quote(read->node.id).text);
    if (!resolve_sort(reading, read->sort, &read->domain))
        return false;
    struct sort domain = read->domain;
    if (domain.count == 1 && domain.parts[0] == reading->dot)
        domain.count = 0;
    struct colour_place place = {.name = read->node.name, .id = read->node.id, .at = position_of(read->node.spot)};
    place.tuple = tuple_type(reading, read->node.name, &domain);
    for (uint32_t i = 0; place.tuple && i < domain.count; i++)
        if (!arena_push(arena, &place.domain, domain.parts[i]))
            return xml_no_memory(&reading->walk->cursor);
    reading->frame = 0;
    reading->transition = 0;
    if (!place.tuple || (read->marking && !label_of(reading, read->marking, read, false, &place.initial)))
        return false;
    return arena_push(arena, &reading->net->places, place) ? true : xml_no_memory(&reading->walk->cursor);
}

/* ------------------------------------------------------------------ transitions */

static bool build_arc(struct reading *reading, const struct arc_read *read, struct colour_transition *transition,
                      const struct pnml_connection *at)
{
    const struct place_read *place = &reading->places.item[at->place];
    struct colour_arc *arc = reading_get(reading, sizeof *arc);
    if (!arc)
        return false;
    if (!read->inscription)
        return xml_wrong(&reading->walk->cursor, read->ends.spot, "an arc has no inscription");
    arc->place = at->place;
    arc->at = position_of(read->ends.spot);
    struct colour_arc **list = at->from_place ? &transition->in : &transition->out;
    while (*list)
        list = &(*list)->next;
    *list = arc;
    return label_of(reading, read->inscription, place, at->from_place, &arc->label);
}

/* Those that tokens bind come first. */
static bool keep_variables(struct reading *reading, struct colour_transition *transition)
{
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < reading->variables.count; i++) {
            struct variable_used *used = &reading->variables.item[i];
            if (used->is_bound != (pass == 0))
                continue;
            used->variable.source = used->is_bound ? VARIABLE_TOKEN : VARIABLE_FREE;
            if (!arena_push(reading->net->arena, &transition->variables, used->variable))
                return xml_no_memory(&reading->walk->cursor);
        }
    return true;
}

/* The arcs of each transition, in the order of the file: lists by transition. */
struct arcs_by_transition {
    size_t *first, *next; /* number + 1 of an arc, 0 at the end */
    struct pnml_connection *at;
};

static bool build_transition(struct reading *reading, uint32_t number, const struct arcs_by_transition *arcs)
{
    const struct transition_read *read = &reading->transitions.item[number];
    struct colour_transition transition = {
        .name = read->node.name, .id = read->node.id, .at = position_of(read->node.spot)};
    reading->transition = number + 1;
    reading->frame = 0;
    reading->variables.count = 0;
    for (size_t arc = arcs->first[number]; arc; arc = arcs->next[arc - 1])
        if (!build_arc(reading, &reading->arcs.item[arc - 1], &transition, &arcs->at[arc - 1]))
            return false;
    if (read->condition && !(transition.guard = truth_of(reading, read->condition)))
        return false;
    transition.frame = reading->frame;
    if (!keep_variables(reading, &transition))
        return false;
    return arena_push(reading->net->arena, &reading->net->transitions, transition)
               ? true
               : xml_no_memory(&reading->walk->cursor);
}

static bool build_transitions(struct reading *reading)
{
    size_t arc_count = reading->arcs.count, count = reading->transitions.count;
    struct arcs_by_transition arcs = {.first = calloc(count + 1, sizeof *arcs.first),
                                      .next = calloc(arc_count + 1, sizeof *arcs.next),
                                      .at = calloc(arc_count + 1, sizeof *arcs.at)};
    bool fine = arcs.first && arcs.next && arcs.at ? true : xml_no_memory(&reading->walk->cursor);
    for (size_t i = arc_count; fine && i-- > 0;) {
        fine = pnml_connect(reading->walk, &reading->arcs.item[i].ends, &arcs.at[i]);
        if (fine) {
            arcs.next[i] = arcs.first[arcs.at[i].transition];
            arcs.first[arcs.at[i].transition] = i + 1;
        }
    }
    for (uint32_t i = 0; fine && i < count; i++)
        fine = build_transition(reading, i, &arcs);
    free(arcs.first);
    free(arcs.next);
    free(arcs.at);
    return fine;
}

bool build_net(struct reading *reading)
{
    if (!choose_all_names(reading))
        return false;
    for (size_t i = 0; i < reading->places.count; i++)
        if (!build_place(reading, &reading->places.item[i]))
            return false;
    return build_transitions(reading);
}
