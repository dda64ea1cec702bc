/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads place/transition nets in PNML.
 *
 * Source: ISO/IEC 15909-2:2011, "Software and system engineering -- High-level Petri nets -- Part 2: Transfer
 * format", the core model and place/transition nets; the dialects of common editors for arc types and labels; and
 * the tool section of Nested-Unit Petri Nets (H. Garavel, "Nested-unit Petri nets", JLAMP 104, 2019).
 *
 * pnml_walk.c goes through the file once, in order.  Arcs, references and units may name nodes that come later, so they
 * are collected and connected at the end.  What is ignored must not change the behaviour of the net: labels that would
 * (capacities, high-level annotations, unknown arc types) are errors.
 */
#include "base/diagnostic.h"
#include "front/petri/net.h"
#include "front/petri/pnml_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum arc_type { ARC_NORMAL, ARC_READ, ARC_INHIBITOR };

struct collected_arc {
    struct pnml_ends ends;
    uint32_t weight;
    enum arc_type type;
};

struct collected_unit {
    size_t first, count; /* of unit_nodes */
    struct xml_spot spot;
};

struct reading {
    struct pnml_walk *walk;
    const struct pnml_other *other; /* NULL: none */
    struct net_builder *builder;
    VECTOR(struct collected_arc) arcs;
    VECTOR(struct collected_unit) units;
    VECTOR(uint32_t) unit_nodes;
};

/* ------------------------------------------------------------------ labels */

/* A number, also as PIPE writes it: "Default,2" are two tokens of its default colour. */
static bool parse_number(struct reading *reading, const struct pnml_label *label, const char *text, uint32_t *number)
{
    static const char colour[] = "Default,";
    struct xml_cursor *cursor = &reading->walk->cursor;
    const char *digits = strncmp(text, colour, strlen(colour)) == 0 ? text + strlen(colour) : text;
    size_t count = strspn(digits, "0123456789");
    if (digits[0] == '-' && digits[1] && strspn(digits + 1, "0123456789") == strlen(digits + 1))
        return xml_wrong(cursor, label->spot, "%s is negative: '%s'", label->what, xml_quote(text).text);
    if (count == 0 || digits[count]) {
        xml_wrong(cursor, label->spot, "%s is not a number: '%s'", label->what, xml_quote(text).text);
        if (strchr(text, ','))
            hint(cursor->error, "only tokens of the one colour Default are supported");
        return false;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        value = 10 * value + (uint64_t)(digits[i] - '0');
        if (value > NET_MAX_TOKENS)
            return xml_wrong(cursor, label->spot, "%s is too large: '%s', the limit is %d", label->what,
                             xml_quote(text).text, NET_MAX_TOKENS);
    }
    *number = (uint32_t)value;
    return true;
}

/* *number keeps its value when the label has no text. */
static bool read_number(struct reading *reading, struct pnml_label *label, uint32_t *number)
{
    const char *text;
    return pnml_read_label(reading->walk, label, &text) && (!text || parse_number(reading, label, text, number));
}

/* The annotations of high-level nets carry behaviour that a place/transition net has not. */
static bool refuse_high_level(struct reading *reading)
{
    static const char *const annotations[] = {"hlinitialMarking", "hlinscription", "condition"};
    for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++)
        if (xml_is(&reading->walk->cursor, annotations[i])) {
            xml_wrong(&reading->walk->cursor, xml_here(&reading->walk->cursor),
                      "<%s> belongs to a high-level net, only place/transition nets are supported", annotations[i]);
            hint(reading->walk->cursor.error, "unfold the net into a place/transition net first");
            return false;
        }
    return true;
}

/* ------------------------------------------------------------------- nodes */

/* TAPAAL's own format has the same root, but markings as attributes. */
static bool refuse_marking_attribute(struct reading *reading)
{
    const char *marking;
    if (!xml_attribute(&reading->walk->cursor, "initialMarking", &marking))
        return false;
    if (!marking)
        return true;
    xml_wrong(&reading->walk->cursor, xml_here(&reading->walk->cursor),
              "the marking of a place is given as an attribute");
    hint(reading->walk->cursor.error, "this is not PNML but TAPAAL's own format: export the net as PNML");
    return false;
}

static bool read_place_label(struct reading *reading, struct pnml_label *labels, char **name, uint32_t *tokens)
{
    struct xml_cursor *cursor = &reading->walk->cursor;
    if (xml_is(cursor, "name"))
        return pnml_read_name(reading->walk, &labels[0], name);
    if (xml_is(cursor, "initialMarking"))
        return read_number(reading, &labels[1], tokens);
    if (xml_is(cursor, "capacity")) { /* PIPE: 0 is none */
        uint32_t capacity = 0;
        if (!read_number(reading, &labels[2], &capacity))
            return false;
        return capacity == 0 ? true
                             : xml_wrong(cursor, labels[2].spot, "a place has a capacity, which is not supported");
    }
    return refuse_high_level(reading);
}

static bool read_place(struct pnml_walk *walk, uint32_t node)
{
    struct reading *reading = walk->user;
    struct pnml_label labels[] = {{.what = "the name"}, {.what = "the initial marking"}, {.what = "the capacity"}};
    uint32_t tokens = 0;
    if (!refuse_marking_attribute(reading))
        return false;
    char *name = NULL;
    struct xml_children children = xml_children(&reading->walk->cursor);
    while (xml_next_child(&reading->walk->cursor, &children))
        read_place_label(reading, labels, &name, &tokens);
    if (reading->walk->cursor.status == PORTOLAN_OK)
        reading->walk->nodes.nodes.item[node].number =
            net_builder_place(reading->builder, pnml_nodes_id(&reading->walk->nodes, node), name, tokens);
    free(name);
    return reading->walk->cursor.status == PORTOLAN_OK;
}

static bool read_transition(struct pnml_walk *walk, uint32_t node)
{
    struct reading *reading = walk->user;
    struct pnml_label label = {.what = "the name"};
    char *name = NULL;
    struct xml_children children = xml_children(&reading->walk->cursor);
    while (xml_next_child(&reading->walk->cursor, &children))
        xml_is(&reading->walk->cursor, "name") ? pnml_read_name(reading->walk, &label, &name)
                                               : refuse_high_level(reading);
    if (reading->walk->cursor.status == PORTOLAN_OK)
        reading->walk->nodes.nodes.item[node].number =
            net_builder_transition(reading->builder, pnml_nodes_id(&reading->walk->nodes, node), name);
    free(name);
    return reading->walk->cursor.status == PORTOLAN_OK;
}

/* -------------------------------------------------------------------- arcs */

static bool parse_arc_type(struct reading *reading, struct xml_spot spot, const char *text, enum arc_type *type)
{
    static const struct {
        const char *name;
        enum arc_type type;
    } types[] = {{"normal", ARC_NORMAL}, {"test", ARC_READ}, {"read", ARC_READ}, {"inhibitor", ARC_INHIBITOR}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcasecmp(text, types[i].name) == 0) {
            *type = types[i].type;
            return true;
        }
    xml_wrong(&reading->walk->cursor, spot, "the arc type '%s' is not supported", xml_quote(text).text);
    hint(reading->walk->cursor.error, "the types are normal, inhibitor, test and read");
    return false;
}

/* <type value="inhibitor"/> or <arctype><text>inhibitor</text></arctype> */
static bool read_arc_type(struct reading *reading, struct pnml_label *label, enum arc_type *type)
{
    const char *text;
    struct xml_spot spot = xml_here(&reading->walk->cursor);
    if (!xml_attribute(&reading->walk->cursor, "value", &text))
        return false;
    if (text && !label->given) {
        label->given = true;
        return parse_arc_type(reading, spot, text, type);
    }
    if (!pnml_read_label(reading->walk, label, &text))
        return false;
    return text ? parse_arc_type(reading, label->spot, text, type)
                : xml_wrong(&reading->walk->cursor, spot, "<%s> has no value", xml_element(&reading->walk->cursor));
}

static bool read_inscription(struct reading *reading, struct pnml_label *label, uint32_t *weight)
{
    if (!read_number(reading, label, weight))
        return false;
    return *weight > 0 ? true : xml_wrong(&reading->walk->cursor, label->spot, "%s is zero", label->what);
}

static bool read_arc_label(struct reading *reading, struct pnml_label *labels, struct collected_arc *arc)
{
    if (xml_is(&reading->walk->cursor, "inscription"))
        return read_inscription(reading, &labels[0], &arc->weight);
    if (xml_is(&reading->walk->cursor, "type") || xml_is(&reading->walk->cursor, "arctype"))
        return read_arc_type(reading, &labels[1], &arc->type);
    return refuse_high_level(reading);
}

static bool read_arc(struct pnml_walk *walk, const struct pnml_ends *ends)
{
    struct reading *reading = walk->user;
    struct pnml_label labels[] = {{.what = "the weight of an arc"}, {.what = "the type of an arc"}};
    struct xml_cursor *cursor = &reading->walk->cursor;
    struct collected_arc arc = {.ends = *ends, .weight = 1, .type = ARC_NORMAL};
    const char *type;
    if (!xml_attribute(cursor, "type", &type) || (type && !parse_arc_type(reading, ends->spot, type, &arc.type)))
        return false;
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children))
        read_arc_label(reading, labels, &arc);
    if (cursor->status != PORTOLAN_OK)
        return false;
    return vector_push(&reading->arcs, arc) ? true : xml_no_memory(cursor);
}

/* ------------------------------------------------------------------- units */

static bool add_unit_places(struct reading *reading, struct collected_unit *unit, const char *list)
{
    static const char white_space[] = " \t\r\n";
    for (list += strspn(list, white_space); *list; list += strspn(list, white_space)) {
        size_t length = strcspn(list, white_space);
        uint32_t node;
        if (!pnml_nodes_mention(&reading->walk->nodes, list, length, &node) || !vector_push(&reading->unit_nodes, node))
            return xml_no_memory(&reading->walk->cursor);
        unit->count++;
        list += length;
    }
    return true;
}

/* The own places of a unit; its subunits add nothing that we use. */
static bool read_unit(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->walk->cursor;
    struct collected_unit unit = {.first = reading->unit_nodes.count, .spot = xml_here(cursor)};
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        if (!xml_is(cursor, "places"))
            continue;
        unit.spot = xml_here(cursor);
        struct xml_children texts = xml_children(cursor);
        for (const char *list; xml_next_text(cursor, &texts, &list);)
            add_unit_places(reading, &unit, list);
    }
    if (cursor->status != PORTOLAN_OK)
        return false;
    if (unit.count == 0)
        return true;
    return vector_push(&reading->units, unit) ? true : xml_no_memory(cursor);
}

static bool read_nupn(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->walk->cursor;
    struct xml_children sections = xml_children(cursor);
    while (xml_next_child(cursor, &sections)) {
        if (!xml_is(cursor, "structure"))
            continue;
        struct xml_children units = xml_children(cursor);
        while (xml_next_child(cursor, &units))
            if (xml_is(cursor, "unit"))
                read_unit(reading);
    }
    return cursor->status == PORTOLAN_OK;
}

static bool read_tool_section(struct pnml_walk *walk)
{
    struct reading *reading = walk->user;
    const char *tool;
    if (!xml_is(&walk->cursor, "toolspecific"))
        return true;
    if (!xml_attribute(&reading->walk->cursor, "tool", &tool))
        return false;
    return tool && strcmp(tool, "nupn") == 0 ? read_nupn(reading) : true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcasecmp(text + length - end_length, end) == 0;
}

static bool set_name(struct pnml_walk *walk, const char *name)
{
    struct reading *reading = walk->user;
    return net_builder_name(reading->builder, name);
}

static const struct pnml_dialect plain = {
    .name = set_name, .place = read_place, .transition = read_transition, .arc = read_arc, .other = read_tool_section};

static bool is_plain(const char *type)
{
    /* ProM writes the core model; what is no plain net in it is found by its labels */
    static const char *const whole[] = {"", "ptnet", "P/T net", "PT net", "pnmlcoremodel"};
    static const char *const ends[] = {"/ptnet", "/ptnet.pntd", "/ptNetb", "/pnmlcoremodel"};
    for (size_t i = 0; type && i < sizeof whole / sizeof *whole; i++)
        if (strcasecmp(type, whole[i]) == 0)
            return true;
    for (size_t i = 0; type && i < sizeof ends / sizeof *ends; i++)
        if (ends_with(type, ends[i]))
            return true;
    return !type;
}

static bool choose(struct pnml_walk *walk, const char *type)
{
    const struct reading *reading = walk->user;
    walk->dialect = &plain;
    if (is_plain(type))
        return true;
    if (reading->other && reading->other->takes(type)) {
        walk->dialect = reading->other->dialect;
        walk->user = reading->other->user;
        return true;
    }
    xml_wrong(&walk->cursor, xml_here(&walk->cursor), "the net type '%s' is not supported", xml_quote(type).text);
    hint(walk->cursor.error, reading->other ? "place/transition nets and symmetric nets are read"
                                            : "only place/transition nets are read; unfold a coloured net first");
    return false;
}

/* -------------------------------------------------------------- connecting */

static bool connect_arc(struct reading *reading, const struct collected_arc *arc)
{
    struct pnml_connection at;
    if (!pnml_connect(reading->walk, &arc->ends, &at))
        return false;
    if (arc->type != ARC_NORMAL && !at.from_place)
        return xml_wrong(&reading->walk->cursor, arc->ends.spot, "%s arc leads from a transition to a place",
                         arc->type == ARC_READ ? "a read" : "an inhibitor");
    enum net_arc_kind kind = arc->type == ARC_READ        ? NET_READ
                             : arc->type == ARC_INHIBITOR ? NET_INHIBIT
                             : at.from_place              ? NET_CONSUME
                                                          : NET_PRODUCE;
    if (!net_builder_arc(reading->builder, kind, at.place, at.transition, arc->weight))
        return xml_no_memory(&reading->walk->cursor);
    return true;
}

/* Whether the section says safe="true" does not matter: what a unit promises is proved before it is used. */
static bool connect_unit(struct reading *reading, const struct collected_unit *unit)
{
    uint32_t *places = reading->unit_nodes.item + unit->first;
    for (size_t i = 0; i < unit->count; i++) {
        const struct pnml_node *node = pnml_nodes_target(&reading->walk->nodes, places[i]);
        if (node->kind != PNML_PLACE)
            return xml_wrong(&reading->walk->cursor, unit->spot, "a NUPN unit names '%s', which is not a place",
                             xml_quote(pnml_nodes_id(&reading->walk->nodes, places[i])).text);
        places[i] = node->number;
    }
    if (!net_builder_unit(reading->builder, places, (uint32_t)unit->count))
        return xml_no_memory(&reading->walk->cursor);
    return true;
}

static bool connect_all(struct reading *reading)
{
    for (size_t i = 0; i < reading->arcs.count; i++)
        if (!connect_arc(reading, &reading->arcs.item[i]))
            return false;
    for (size_t i = 0; i < reading->units.count; i++)
        if (!connect_unit(reading, &reading->units.item[i]))
            return false;
    return true;
}

/* Takes the builder. */
static struct net *finish(struct reading *reading)
{
    bool overflow = false;
    struct net *net = net_builder_finish(reading->builder, &overflow);
    reading->builder = NULL;
    if (overflow)
        reading->walk->cursor.status =
            fail_at(reading->walk->cursor.error, reading->walk->cursor.source->name, 0, 0, NULL,
                    "the weights of parallel arcs add up to more than %d", NET_MAX_TOKENS);
    else if (!net)
        xml_no_memory(&reading->walk->cursor);
    return net;
}

enum portolan_status pnml_read_source(struct xml_source *source, struct pnml_other *other, struct net **net,
                                      struct portolan_error *error)
{
    struct pnml_walk walk = {.choose = choose};
    struct reading reading = {.walk = &walk, .other = other};
    *net = NULL;
    walk.user = &reading;
    if (xml_cursor_open(&walk.cursor, source, "PNML", "pnml", error)) {
        reading.builder = net_builder_new("");
        if (!reading.builder)
            xml_no_memory(&walk.cursor);
        else if (pnml_walk_document(&walk) && walk.dialect != &plain)
            other->finish(&walk);
        else if (walk.cursor.status == PORTOLAN_OK && connect_all(&reading))
            *net = finish(&reading);
    }
    net_builder_free(reading.builder);
    pnml_nodes_clear(&walk.nodes);
    free(reading.arcs.item);
    free(reading.units.item);
    free(reading.unit_nodes.item);
    xml_cursor_close(&walk.cursor);
    return walk.cursor.status;
}

enum portolan_status pnml_read_path(const char *path, struct pnml_other *other, struct net **net,
                                    struct portolan_error *error)
{
    struct xml_source source;
    *net = NULL;
    int failure = xml_source_open(&source, path);
    if (failure) {
        fail(error, PORTOLAN_IO, "cannot open the file: %s", strerror(failure));
        if (error)
            snprintf(error->file, sizeof error->file, "%s", path);
        return PORTOLAN_IO;
    }
    enum portolan_status status = pnml_read_source(&source, other, net, error);
    xml_source_close(&source);
    return status;
}

enum portolan_status pnml_read(const char *path, struct net **net, struct portolan_error *error)
{
    return pnml_read_path(path, NULL, net, error);
}

enum portolan_status pnml_read_memory(const char *name, const char *text, size_t length, struct net **net,
                                      struct portolan_error *error)
{
    struct xml_source source;
    xml_source_memory(&source, name, text, length);
    return pnml_read_source(&source, NULL, net, error);
}
