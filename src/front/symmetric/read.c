/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads symmetric nets in PNML.
 *
 * Source: ISO/IEC 15909-2:2011, "Software and system engineering -- High-level Petri nets -- Part 2: Transfer format",
 * symmetric nets; the notes of the Model Checking Contest on their use.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "front/symmetric/reading.h"
#include "front/symmetric/symmetric.h"

#include <string.h>
#include <strings.h>

void *reading_get(struct reading *reading, size_t size)
{
    void *memory = limits_reached() ? NULL : arena_get(reading->net->arena, size);
    if (!memory)
        xml_no_memory(&reading->walk->cursor);
    return memory;
}

const char *reading_copy(struct reading *reading, const char *text)
{
    const char *copy = arena_copy(reading->net->arena, text, strlen(text));
    if (!copy)
        xml_no_memory(&reading->walk->cursor);
    return copy;
}

bool term_is(const struct term *term, const char *element)
{
    return strcmp(term->element, element) == 0;
}

bool check_children(struct reading *reading, const struct term *term, size_t least, size_t most)
{
    size_t count = 0;
    for (const struct term *child = term->children; child; child = child->next)
        count++;
    if (count >= least && count <= most)
        return true;
    return term_wrong(reading, term, "<%s> has %zu operands, not %zu", xml_quote(term->element).text, count, least);
}

/* ------------------------------------------------------------------ terms */

/* *copy stays NULL when there is no such attribute. */
static bool read_attribute(struct reading *reading, const char *attribute, const char **copy)
{
    const char *text;
    if (!xml_attribute(&reading->walk->cursor, attribute, &text))
        return false;
    return !text || (*copy = reading_copy(reading, text));
}

static struct term *read_term(struct reading *reading);

/* Appends the children of the present element, and those of <subterm>. */
static bool read_children(struct reading *reading, struct term ***end)
{
    struct xml_cursor *cursor = &reading->walk->cursor;
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        if (xml_is(cursor, "subterm")) {
            if (!read_children(reading, end))
                return false;
            continue;
        }
        struct term *child = read_term(reading);
        if (!child)
            return false;
        **end = child;
        *end = &child->next;
    }
    return cursor->status == PORTOLAN_OK;
}

/* The present element and all that is in it; NULL after an error.  The cursor limits the depth. */
static struct term *read_term(struct reading *reading)
{
    static const char *const references[] = {"declaration", "refvariable", "refpartition"};
    struct term *term = reading_get(reading, sizeof *term);
    if (!term)
        return NULL;
    struct term **end = &term->children;
    term->spot = xml_here(&reading->walk->cursor);
    term->element = reading_copy(reading, xml_element(&reading->walk->cursor));
    bool fine = term->element && read_attribute(reading, "id", &term->id) &&
                read_attribute(reading, "name", &term->name) && read_attribute(reading, "value", &term->value) &&
                read_attribute(reading, "start", &term->start) && read_attribute(reading, "end", &term->end);
    for (size_t i = 0; fine && i < sizeof references / sizeof *references; i++)
        fine = read_attribute(reading, references[i], &term->refers_to);
    return fine && read_children(reading, &end) ? term : NULL;
}

/* The term in <structure>; texts beside it are for people and are not read. */
static bool read_structure(struct reading *reading, const char *what, struct term **term)
{
    struct xml_cursor *cursor = &reading->walk->cursor;
    struct xml_spot spot = xml_here(cursor);
    if (*term)
        return xml_wrong(cursor, spot, "%s is given twice", what);
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        if (!xml_is(cursor, "structure"))
            continue;
        struct term **end = term;
        if (!read_children(reading, &end))
            return false;
        if (*term && (*term)->next)
            return xml_wrong(cursor, (*term)->next->spot, "%s has two terms", what);
    }
    if (cursor->status == PORTOLAN_OK && !*term)
        return xml_wrong(cursor, spot, "%s has no <structure> with a term in it", what);
    return cursor->status == PORTOLAN_OK;
}

/* ------------------------------------------------------------------ nodes and arcs */

static struct reading *reading_of(struct pnml_walk *walk)
{
    struct reading *reading = walk->user;
    reading->walk = walk;
    return reading;
}

/* Labels of place/transition nets, which would change the behaviour, have no meaning here. */
static bool refuse_plain(struct reading *reading)
{
    static const char *const labels[] = {"initialMarking", "inscription", "capacity", "type", "arctype"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (xml_is(&reading->walk->cursor, labels[i]))
            return xml_wrong(&reading->walk->cursor, xml_here(&reading->walk->cursor),
                             "<%s> does not belong to a symmetric net", labels[i]);
    return true;
}

static bool read_name(struct reading *reading, struct pnml_label *label, const char **name)
{
    const char *text;
    if (!pnml_read_label(reading->walk, label, &text))
        return false;
    return !text || !*text || (*name = reading_copy(reading, text));
}

static bool read_place(struct pnml_walk *walk, uint32_t node)
{
    struct reading *reading = reading_of(walk);
    struct pnml_label label = {.what = "the name"};
    struct place_read place = {.node.spot = xml_here(&walk->cursor)};
    if (!(place.node.id = reading_copy(reading, pnml_nodes_id(&walk->nodes, node))))
        return false;
    struct xml_children children = xml_children(&walk->cursor);
    while (xml_next_child(&walk->cursor, &children)) {
        if (xml_is(&walk->cursor, "name"))
            read_name(reading, &label, &place.node.name);
        else if (xml_is(&walk->cursor, "type"))
            read_structure(reading, "the type of a place", &place.sort);
        else if (xml_is(&walk->cursor, "hlinitialMarking"))
            read_structure(reading, "the initial marking", &place.marking);
        else
            refuse_plain(reading);
    }
    walk->nodes.nodes.item[node].number = (uint32_t)reading->places.count;
    if (walk->cursor.status == PORTOLAN_OK && !vector_push(&reading->places, place))
        return xml_no_memory(&walk->cursor);
    return walk->cursor.status == PORTOLAN_OK;
}

static bool read_transition(struct pnml_walk *walk, uint32_t node)
{
    struct reading *reading = reading_of(walk);
    struct pnml_label label = {.what = "the name"};
    struct transition_read transition = {.node.spot = xml_here(&walk->cursor)};
    if (!(transition.node.id = reading_copy(reading, pnml_nodes_id(&walk->nodes, node))))
        return false;
    struct xml_children children = xml_children(&walk->cursor);
    while (xml_next_child(&walk->cursor, &children)) {
        if (xml_is(&walk->cursor, "name"))
            read_name(reading, &label, &transition.node.name);
        else if (xml_is(&walk->cursor, "condition"))
            read_structure(reading, "the condition", &transition.condition);
    }
    walk->nodes.nodes.item[node].number = (uint32_t)reading->transitions.count;
    if (walk->cursor.status == PORTOLAN_OK && !vector_push(&reading->transitions, transition))
        return xml_no_memory(&walk->cursor);
    return walk->cursor.status == PORTOLAN_OK;
}

static bool read_arc(struct pnml_walk *walk, const struct pnml_ends *ends)
{
    struct reading *reading = reading_of(walk);
    struct arc_read arc = {.ends = *ends};
    struct xml_children children = xml_children(&walk->cursor);
    while (xml_next_child(&walk->cursor, &children)) {
        if (xml_is(&walk->cursor, "hlinscription"))
            read_structure(reading, "the inscription of an arc", &arc.inscription);
        else
            refuse_plain(reading);
    }
    if (walk->cursor.status == PORTOLAN_OK && !vector_push(&reading->arcs, arc))
        return xml_no_memory(&walk->cursor);
    return walk->cursor.status == PORTOLAN_OK;
}

/* <declaration><structure><declarations>...: of the net or of a page. */
static bool read_other(struct pnml_walk *walk)
{
    struct reading *reading = reading_of(walk);
    struct term *declarations = NULL;
    if (!xml_is(&walk->cursor, "declaration"))
        return true;
    if (!read_structure(reading, "a declaration", &declarations))
        return false;
    return vector_push(&reading->declarations, declarations) ? true : xml_no_memory(&walk->cursor);
}

static bool set_name(struct pnml_walk *walk, const char *name)
{
    struct reading *reading = reading_of(walk);
    reading->net->name = arena_copy(reading->net->arena, name, strlen(name));
    return reading->net->name != NULL;
}

/* ------------------------------------------------------------------ the net */

static bool is_symmetric(const char *type)
{
    static const char *const ends[] = {"symmetricnet", "symmetricnet.pntd"};
    size_t length = strlen(type);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length >= strlen(ends[i]) && strcasecmp(type + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

static bool finish(struct pnml_walk *walk)
{
    struct reading *reading = reading_of(walk);
    reading->net->file = reading_copy(reading, walk->cursor.source->name);
    return reading->net->file && read_declarations(reading) && build_net(reading);
}

static const struct pnml_dialect dialect = {
    .name = set_name, .place = read_place, .transition = read_transition, .arc = read_arc, .other = read_other};

static bool reading_make(struct reading *reading, struct pnml_other *other)
{
    *reading = (struct reading){.net = colour_net_new("")};
    if (reading->net)
        reading->net->format = "pnml";
    *other = (struct pnml_other){.takes = is_symmetric, .dialect = &dialect, .user = reading, .finish = finish};
    return reading->net != NULL;
}

/* The coloured net, where there is one. */
static enum portolan_status reading_end(struct reading *reading, enum portolan_status status, const struct net *net,
                                        struct colour_net **coloured)
{
    names_clear(&reading->ids);
    free(reading->declared.item);
    free(reading->declarations.item);
    free(reading->places.item);
    free(reading->transitions.item);
    free(reading->arcs.item);
    free(reading->variables.item);
    if (status == PORTOLAN_OK && !net)
        *coloured = reading->net;
    else
        colour_net_free(reading->net);
    return status;
}

enum portolan_status pnml_read_any(const char *path, struct net **net, struct colour_net **coloured,
                                   struct portolan_error *error)
{
    struct reading reading;
    struct pnml_other other;
    *net = NULL;
    *coloured = NULL;
    if (!reading_make(&reading, &other))
        return fail_memory(error);
    enum portolan_status status = pnml_read_path(path, &other, net, error);
    return reading_end(&reading, status, *net, coloured);
}

enum portolan_status pnml_read_any_memory(const char *name, const char *text, size_t length, struct net **net,
                                          struct colour_net **coloured, struct portolan_error *error)
{
    struct reading reading;
    struct pnml_other other;
    struct xml_source source;
    *net = NULL;
    *coloured = NULL;
    if (!reading_make(&reading, &other))
        return fail_memory(error);
    xml_source_memory(&source, name, text, length);
    enum portolan_status status = pnml_read_source(&source, &other, net, error);
    return reading_end(&reading, status, *net, coloured);
}
