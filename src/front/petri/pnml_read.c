/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads place/transition nets in PNML.
 *
 * Source: ISO/IEC 15909-2:2011, "Software and system engineering -- High-level Petri nets -- Part 2: Transfer
 * format", the core model and place/transition nets; the dialects of common editors for arc types and labels; and
 * the tool section of Nested-Unit Petri Nets (H. Garavel, "Nested-unit Petri nets", JLAMP 104, 2019).
 *
 * The file is read once, in order.  Arcs, references and units may name nodes that come later, so they are
 * collected and connected at the end.  What is ignored must not change the behaviour of the net: labels that
 * would (capacities, high-level annotations, unknown arc types) are errors.
 */
#include "base/diagnostic.h"
#include "front/petri/net.h"
#include "front/petri/pnml_nodes.h"
#include "xml/cursor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum arc_type { ARC_NORMAL, ARC_READ, ARC_INHIBITOR };

struct collected_arc {
    uint32_t source, target; /* nodes */
    uint32_t weight;
    enum arc_type type;
    struct xml_spot spot;
};

struct collected_unit {
    size_t first, count; /* of unit_nodes */
    struct xml_spot spot;
};

struct reading {
    struct xml_cursor cursor;
    struct net_builder *builder;
    struct pnml_nodes nodes;
    VECTOR(struct collected_arc) arcs;
    VECTOR(struct collected_unit) units;
    VECTOR(uint32_t) unit_nodes;
};

/* ------------------------------------------------------------------ labels */

/* A label that may be given once; its text is in a <text> or, in older files, a <value>. */
struct label {
    const char *what; /* for messages */
    bool given;
    struct xml_spot spot;
};

/* *text is NULL when the label has none, else valid until the next text is read. */
static bool read_label(struct reading *reading, struct label *label, const char **text)
{
    struct xml_cursor *cursor = &reading->cursor;
    *text = NULL;
    struct xml_spot spot = xml_here(cursor);
    if (label->given)
        return xml_wrong(cursor, spot, "%s is given twice", label->what);
    label->given = true;
    label->spot = spot;
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        if (!xml_is(cursor, "text") && !xml_is(cursor, "value"))
            continue;
        label->spot = xml_here(cursor);
        if (*text)
            return xml_wrong(cursor, label->spot, "%s has two texts", label->what);
        if (!xml_text(cursor, text))
            return false;
    }
    return cursor->status == PORTOLAN_OK;
}

/* *name is a copy to be freed; it stays NULL when the label is empty. */
static bool read_name(struct reading *reading, struct label *label, char **name)
{
    const char *text;
    if (!read_label(reading, label, &text))
        return false;
    if (text && *text) {
        *name = strdup(text);
        if (!*name)
            return xml_no_memory(&reading->cursor);
    }
    return true;
}

/* A number, also as PIPE writes it: "Default,2" are two tokens of its default colour. */
static bool parse_number(struct reading *reading, const struct label *label, const char *text, uint32_t *number)
{
    static const char colour[] = "Default,";
    struct xml_cursor *cursor = &reading->cursor;
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
static bool read_number(struct reading *reading, struct label *label, uint32_t *number)
{
    const char *text;
    return read_label(reading, label, &text) && (!text || parse_number(reading, label, text, number));
}

/* The annotations of high-level nets carry behaviour that a place/transition net has not. */
static bool refuse_high_level(struct reading *reading)
{
    static const char *const annotations[] = {"hlinitialMarking", "hlinscription", "condition"};
    for (size_t i = 0; i < sizeof annotations / sizeof *annotations; i++)
        if (xml_is(&reading->cursor, annotations[i])) {
            xml_wrong(&reading->cursor, xml_here(&reading->cursor),
                      "<%s> belongs to a high-level net, only place/transition nets are supported", annotations[i]);
            hint(reading->cursor.error, "unfold the net into a place/transition net first");
            return false;
        }
    return true;
}

/* ------------------------------------------------------------------- nodes */

/* Reads an attribute that names a node. */
static bool read_mention(struct reading *reading, const char *attribute, uint32_t *node)
{
    struct xml_cursor *cursor = &reading->cursor;
    const char *id;
    if (!xml_attribute(cursor, attribute, &id))
        return false;
    if (!id || !*id)
        return xml_wrong(cursor, xml_here(cursor), "<%s> has no %s", xml_element(cursor), attribute);
    return pnml_nodes_mention(&reading->nodes, id, strlen(id), node) ? true : xml_no_memory(cursor);
}

/* Declares the node that the present element is. */
static bool declare(struct reading *reading, enum pnml_kind kind, uint32_t *node)
{
    struct xml_cursor *cursor = &reading->cursor;
    if (!read_mention(reading, "id", node))
        return false;
    struct pnml_node *entry = &reading->nodes.nodes.item[*node];
    if (entry->kind != PNML_MENTIONED)
        return xml_wrong(cursor, xml_here(cursor), "the id '%s' is used twice",
                         xml_quote(pnml_nodes_id(&reading->nodes, *node)).text);
    entry->kind = kind;
    entry->spot = xml_here(cursor);
    return true;
}

/* TAPAAL's own format has the same root, but markings as attributes. */
static bool refuse_marking_attribute(struct reading *reading)
{
    const char *marking;
    if (!xml_attribute(&reading->cursor, "initialMarking", &marking))
        return false;
    if (!marking)
        return true;
    xml_wrong(&reading->cursor, xml_here(&reading->cursor), "the marking of a place is given as an attribute");
    hint(reading->cursor.error, "this is not PNML but TAPAAL's own format: export the net as PNML");
    return false;
}

static bool read_place_label(struct reading *reading, struct label *labels, char **name, uint32_t *tokens)
{
    struct xml_cursor *cursor = &reading->cursor;
    if (xml_is(cursor, "name"))
        return read_name(reading, &labels[0], name);
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

static bool read_place(struct reading *reading)
{
    struct label labels[] = {{.what = "the name"}, {.what = "the initial marking"}, {.what = "the capacity"}};
    uint32_t node, tokens = 0;
    if (!declare(reading, PNML_PLACE, &node) || !refuse_marking_attribute(reading))
        return false;
    char *name = NULL;
    struct xml_children children = xml_children(&reading->cursor);
    while (xml_next_child(&reading->cursor, &children))
        read_place_label(reading, labels, &name, &tokens);
    if (reading->cursor.status == PORTOLAN_OK)
        reading->nodes.nodes.item[node].number =
            net_builder_place(reading->builder, pnml_nodes_id(&reading->nodes, node), name, tokens);
    free(name);
    return reading->cursor.status == PORTOLAN_OK;
}

static bool read_transition(struct reading *reading)
{
    struct label label = {.what = "the name"};
    uint32_t node;
    if (!declare(reading, PNML_TRANSITION, &node))
        return false;
    char *name = NULL;
    struct xml_children children = xml_children(&reading->cursor);
    while (xml_next_child(&reading->cursor, &children))
        xml_is(&reading->cursor, "name") ? read_name(reading, &label, &name) : refuse_high_level(reading);
    if (reading->cursor.status == PORTOLAN_OK)
        reading->nodes.nodes.item[node].number =
            net_builder_transition(reading->builder, pnml_nodes_id(&reading->nodes, node), name);
    free(name);
    return reading->cursor.status == PORTOLAN_OK;
}

static bool read_reference(struct reading *reading, enum pnml_kind kind)
{
    uint32_t node, target;
    if (!declare(reading, kind, &node) || !read_mention(reading, "ref", &target))
        return false;
    reading->nodes.nodes.item[node].number = target;
    return true;
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
    xml_wrong(&reading->cursor, spot, "the arc type '%s' is not supported", xml_quote(text).text);
    hint(reading->cursor.error, "the types are normal, inhibitor, test and read");
    return false;
}

/* <type value="inhibitor"/> or <arctype><text>inhibitor</text></arctype> */
static bool read_arc_type(struct reading *reading, struct label *label, enum arc_type *type)
{
    const char *text;
    struct xml_spot spot = xml_here(&reading->cursor);
    if (!xml_attribute(&reading->cursor, "value", &text))
        return false;
    if (text && !label->given) {
        label->given = true;
        return parse_arc_type(reading, spot, text, type);
    }
    if (!read_label(reading, label, &text))
        return false;
    return text ? parse_arc_type(reading, label->spot, text, type)
                : xml_wrong(&reading->cursor, spot, "<%s> has no value", xml_element(&reading->cursor));
}

static bool read_inscription(struct reading *reading, struct label *label, uint32_t *weight)
{
    if (!read_number(reading, label, weight))
        return false;
    return *weight > 0 ? true : xml_wrong(&reading->cursor, label->spot, "%s is zero", label->what);
}

static bool read_arc_label(struct reading *reading, struct label *labels, struct collected_arc *arc)
{
    if (xml_is(&reading->cursor, "inscription"))
        return read_inscription(reading, &labels[0], &arc->weight);
    if (xml_is(&reading->cursor, "type") || xml_is(&reading->cursor, "arctype"))
        return read_arc_type(reading, &labels[1], &arc->type);
    return refuse_high_level(reading);
}

static bool read_arc(struct reading *reading)
{
    struct label labels[] = {{.what = "the weight of an arc"}, {.what = "the type of an arc"}};
    struct xml_cursor *cursor = &reading->cursor;
    struct collected_arc arc = {.weight = 1, .type = ARC_NORMAL, .spot = xml_here(cursor)};
    const char *type;
    if (!read_mention(reading, "source", &arc.source) || !read_mention(reading, "target", &arc.target) ||
        !xml_attribute(cursor, "type", &type) || (type && !parse_arc_type(reading, arc.spot, type, &arc.type)))
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
        if (!pnml_nodes_mention(&reading->nodes, list, length, &node) || !vector_push(&reading->unit_nodes, node))
            return xml_no_memory(&reading->cursor);
        unit->count++;
        list += length;
    }
    return true;
}

/* The own places of a unit; its subunits add nothing that we use. */
static bool read_unit(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->cursor;
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
    struct xml_cursor *cursor = &reading->cursor;
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

static bool read_tool_section(struct reading *reading)
{
    const char *tool;
    if (!xml_attribute(&reading->cursor, "tool", &tool))
        return false;
    return tool && strcmp(tool, "nupn") == 0 ? read_nupn(reading) : true;
}

/* ------------------------------------------------------- pages and the net */

static bool read_page(struct reading *reading);

static bool read_object(struct reading *reading)
{
    const struct xml_cursor *cursor = &reading->cursor;
    if (xml_is(cursor, "place"))
        return read_place(reading);
    if (xml_is(cursor, "transition"))
        return read_transition(reading);
    if (xml_is(cursor, "arc"))
        return read_arc(reading);
    if (xml_is(cursor, "referencePlace"))
        return read_reference(reading, PNML_REFERENCE_PLACE);
    if (xml_is(cursor, "referenceTransition"))
        return read_reference(reading, PNML_REFERENCE_TRANSITION);
    if (xml_is(cursor, "toolspecific"))
        return read_tool_section(reading);
    if (xml_is(cursor, "page"))
        return read_page(reading); /* the cursor limits the depth */
    return true;
}

static bool read_page(struct reading *reading)
{
    struct xml_children children = xml_children(&reading->cursor);
    while (xml_next_child(&reading->cursor, &children))
        read_object(reading);
    return reading->cursor.status == PORTOLAN_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcasecmp(text + length - end_length, end) == 0;
}

static bool check_net_type(struct reading *reading)
{
    /* ProM writes the core model; what is no plain net in it is found by its labels */
    static const char *const whole[] = {"", "ptnet", "P/T net", "PT net", "pnmlcoremodel"};
    static const char *const ends[] = {"/ptnet", "/ptnet.pntd", "/ptNetb", "/pnmlcoremodel"};
    const char *type;
    if (!xml_attribute(&reading->cursor, "type", &type))
        return false;
    if (!type)
        return true;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcasecmp(type, whole[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(type, ends[i]))
            return true;
    xml_wrong(&reading->cursor, xml_here(&reading->cursor), "the net type '%s' is not supported", xml_quote(type).text);
    hint(reading->cursor.error, "only place/transition nets are read; unfold a coloured net first");
    return false;
}

static bool read_net(struct reading *reading)
{
    struct label label = {.what = "the name of the net"};
    struct xml_cursor *cursor = &reading->cursor;
    const char *id;
    if (!check_net_type(reading) || !xml_attribute(cursor, "id", &id))
        return false;
    if (id && !net_builder_name(reading->builder, id))
        return xml_no_memory(cursor);
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        const char *name;
        if (!xml_is(cursor, "name"))
            read_object(reading);
        else if (read_label(reading, &label, &name) && name && *name && !net_builder_name(reading->builder, name))
            return xml_no_memory(cursor);
    }
    return cursor->status == PORTOLAN_OK;
}

static bool read_document(struct reading *reading)
{
    struct xml_cursor *cursor = &reading->cursor;
    if (!xml_root(cursor))
        return false;
    struct xml_spot root = xml_here(cursor);
    if (!xml_is(cursor, "pnml")) {
        xml_wrong(cursor, root, "the root element is <%s>, not <pnml>", xml_quote(xml_element(cursor)).text);
        hint(cursor->error, "this is XML, but not PNML");
        return false;
    }
    bool seen = false;
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        if (!xml_is(cursor, "net"))
            continue;
        if (seen) {
            xml_wrong(cursor, xml_here(cursor), "the file holds a second net");
            hint(cursor->error, "put each net into a file of its own");
            return false;
        }
        seen = true;
        read_net(reading);
    }
    return xml_end(cursor) && (seen || xml_wrong(cursor, root, "the file holds no <net>"));
}

/* -------------------------------------------------------------- connecting */

static bool resolve_references(struct reading *reading)
{
    uint32_t wrong = 0;
    enum pnml_reference_fault fault = pnml_nodes_resolve(&reading->nodes, &wrong);
    if (fault == PNML_REFERENCES_FINE)
        return true;
    const struct pnml_node *node = &reading->nodes.nodes.item[wrong];
    struct xml_quoted id = xml_quote(pnml_nodes_id(&reading->nodes, wrong));
    struct xml_quoted target = xml_quote(pnml_nodes_id(&reading->nodes, node->number));
    const char *wanted = node->kind == PNML_REFERENCE_PLACE ? "place" : "transition";
    switch (fault) {
    case PNML_REFERENCE_DANGLING:
        return xml_wrong(&reading->cursor, node->spot, "'%s' refers to '%s', which does not exist", id.text,
                         target.text);
    case PNML_REFERENCE_CYCLE:
        return xml_wrong(&reading->cursor, node->spot, "'%s' refers to itself in a cycle of references", id.text);
    default:
        return xml_wrong(&reading->cursor, node->spot, "'%s' refers to '%s', which is not a %s", id.text, target.text,
                         wanted);
    }
}

static bool check_arc_end(struct reading *reading, const struct collected_arc *arc, const char *end, uint32_t node)
{
    if (pnml_nodes_target(&reading->nodes, node)->kind != PNML_MENTIONED)
        return true;
    return xml_wrong(&reading->cursor, arc->spot, "the %s of an arc, '%s', does not exist", end,
                     xml_quote(pnml_nodes_id(&reading->nodes, node)).text);
}

static bool connect_arc(struct reading *reading, const struct collected_arc *arc)
{
    if (!check_arc_end(reading, arc, "source", arc->source) || !check_arc_end(reading, arc, "target", arc->target))
        return false;
    const struct pnml_node *source = pnml_nodes_target(&reading->nodes, arc->source);
    const struct pnml_node *target = pnml_nodes_target(&reading->nodes, arc->target);
    if (source->kind == target->kind)
        return xml_wrong(&reading->cursor, arc->spot, "an arc leads from a %s to a %s",
                         source->kind == PNML_PLACE ? "place" : "transition",
                         target->kind == PNML_PLACE ? "place" : "transition");
    if (arc->type != ARC_NORMAL && source->kind != PNML_PLACE)
        return xml_wrong(&reading->cursor, arc->spot, "%s arc leads from a transition to a place",
                         arc->type == ARC_READ ? "a read" : "an inhibitor");
    bool from_place = source->kind == PNML_PLACE;
    enum net_arc_kind kind = arc->type == ARC_READ        ? NET_READ
                             : arc->type == ARC_INHIBITOR ? NET_INHIBIT
                             : from_place                 ? NET_CONSUME
                                                          : NET_PRODUCE;
    uint32_t place = from_place ? source->number : target->number;
    uint32_t transition = from_place ? target->number : source->number;
    return net_builder_arc(reading->builder, kind, place, transition, arc->weight) ? true
                                                                                   : xml_no_memory(&reading->cursor);
}

/* Whether the section says safe="true" does not matter: what a unit promises is proved before it is used. */
static bool connect_unit(struct reading *reading, const struct collected_unit *unit)
{
    uint32_t *places = reading->unit_nodes.item + unit->first;
    for (size_t i = 0; i < unit->count; i++) {
        const struct pnml_node *node = pnml_nodes_target(&reading->nodes, places[i]);
        if (node->kind != PNML_PLACE)
            return xml_wrong(&reading->cursor, unit->spot, "a NUPN unit names '%s', which is not a place",
                             xml_quote(pnml_nodes_id(&reading->nodes, places[i])).text);
        places[i] = node->number;
    }
    if (!net_builder_unit(reading->builder, places, (uint32_t)unit->count))
        return xml_no_memory(&reading->cursor);
    return true;
}

static bool connect_all(struct reading *reading)
{
    if (!resolve_references(reading))
        return false;
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
        reading->cursor.status = fail_at(reading->cursor.error, reading->cursor.source->name, 0, 0, NULL,
                                         "the weights of parallel arcs add up to more than %d", NET_MAX_TOKENS);
    else if (!net)
        xml_no_memory(&reading->cursor);
    return net;
}

static enum portolan_status read_source(struct xml_source *source, struct net **net, struct portolan_error *error)
{
    struct reading reading = {0};
    *net = NULL;
    if (xml_cursor_open(&reading.cursor, source, "PNML", "pnml", error)) {
        reading.builder = net_builder_new("");
        if (!reading.builder)
            xml_no_memory(&reading.cursor);
        else if (read_document(&reading) && connect_all(&reading))
            *net = finish(&reading);
    }
    net_builder_free(reading.builder);
    pnml_nodes_clear(&reading.nodes);
    free(reading.arcs.item);
    free(reading.units.item);
    free(reading.unit_nodes.item);
    xml_cursor_close(&reading.cursor);
    return reading.cursor.status;
}

enum portolan_status pnml_read(const char *path, struct net **net, struct portolan_error *error)
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
    enum portolan_status status = read_source(&source, net, error);
    xml_source_close(&source);
    return status;
}

enum portolan_status pnml_read_memory(const char *name, const char *text, size_t length, struct net **net,
                                      struct portolan_error *error)
{
    struct xml_source source;
    xml_source_memory(&source, name, text, length);
    return read_source(&source, net, error);
}
