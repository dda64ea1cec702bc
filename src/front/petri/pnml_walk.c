/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/pnml_walk.h"

#include "base/diagnostic.h"

#include <string.h>

/* ------------------------------------------------------------------ labels */

bool pnml_read_label(struct pnml_walk *walk, struct pnml_label *label, const char **text)
{
    struct xml_cursor *cursor = &walk->cursor;
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

bool pnml_read_name(struct pnml_walk *walk, struct pnml_label *label, char **name)
{
    const char *text;
    if (!pnml_read_label(walk, label, &text))
        return false;
    if (text && *text) {
        *name = strdup(text);
        if (!*name)
            return xml_no_memory(&walk->cursor);
    }
    return true;
}

/* ------------------------------------------------------------------ nodes */

/* Reads an attribute that names a node. */
static bool read_mention(struct pnml_walk *walk, const char *attribute, uint32_t *node)
{
    struct xml_cursor *cursor = &walk->cursor;
    const char *id;
    if (!xml_attribute(cursor, attribute, &id))
        return false;
    if (!id || !*id)
        return xml_wrong(cursor, xml_here(cursor), "<%s> has no %s", xml_element(cursor), attribute);
    return pnml_nodes_mention(&walk->nodes, id, strlen(id), node) ? true : xml_no_memory(cursor);
}

/* Declares the node that the present element is. */
static bool declare(struct pnml_walk *walk, enum pnml_kind kind, uint32_t *node)
{
    struct xml_cursor *cursor = &walk->cursor;
    if (!read_mention(walk, "id", node))
        return false;
    struct pnml_node *entry = &walk->nodes.nodes.item[*node];
    if (entry->kind != PNML_MENTIONED)
        return xml_wrong(cursor, xml_here(cursor), "the id '%s' is used twice",
                         xml_quote(pnml_nodes_id(&walk->nodes, *node)).text);
    entry->kind = kind;
    entry->spot = xml_here(cursor);
    return true;
}

static bool read_reference(struct pnml_walk *walk, enum pnml_kind kind)
{
    uint32_t node, target;
    if (!declare(walk, kind, &node) || !read_mention(walk, "ref", &target))
        return false;
    walk->nodes.nodes.item[node].number = target;
    return true;
}

/* ------------------------------------------------------------------ pages and the net */

static bool read_page(struct pnml_walk *walk);

static bool read_node(struct pnml_walk *walk, enum pnml_kind kind)
{
    uint32_t node;
    return declare(walk, kind, &node) &&
           (kind == PNML_PLACE ? walk->dialect->place(walk, node) : walk->dialect->transition(walk, node));
}

static bool read_arc(struct pnml_walk *walk)
{
    struct pnml_ends ends = {.spot = xml_here(&walk->cursor)};
    return read_mention(walk, "source", &ends.source) && read_mention(walk, "target", &ends.target) &&
           walk->dialect->arc(walk, &ends);
}

static bool read_object(struct pnml_walk *walk)
{
    const struct xml_cursor *cursor = &walk->cursor;
    if (xml_is(cursor, "place"))
        return read_node(walk, PNML_PLACE);
    if (xml_is(cursor, "transition"))
        return read_node(walk, PNML_TRANSITION);
    if (xml_is(cursor, "arc"))
        return read_arc(walk);
    if (xml_is(cursor, "referencePlace"))
        return read_reference(walk, PNML_REFERENCE_PLACE);
    if (xml_is(cursor, "referenceTransition"))
        return read_reference(walk, PNML_REFERENCE_TRANSITION);
    if (xml_is(cursor, "page"))
        return read_page(walk); /* the cursor limits the depth */
    return walk->dialect->other(walk);
}

static bool read_page(struct pnml_walk *walk)
{
    struct xml_children children = xml_children(&walk->cursor);
    while (xml_next_child(&walk->cursor, &children))
        read_object(walk);
    return walk->cursor.status == PORTOLAN_OK;
}

static bool read_net(struct pnml_walk *walk)
{
    struct pnml_label label = {.what = "the name of the net"};
    struct xml_cursor *cursor = &walk->cursor;
    const char *id, *type;
    if (!xml_attribute(cursor, "type", &type) || !walk->choose(walk, type) || !xml_attribute(cursor, "id", &id))
        return false;
    if (id && !walk->dialect->name(walk, id))
        return xml_no_memory(cursor);
    struct xml_children children = xml_children(cursor);
    while (xml_next_child(cursor, &children)) {
        const char *name;
        if (!xml_is(cursor, "name"))
            read_object(walk);
        else if (pnml_read_label(walk, &label, &name) && name && *name && !walk->dialect->name(walk, name))
            return xml_no_memory(cursor);
    }
    return cursor->status == PORTOLAN_OK;
}

static bool read_document(struct pnml_walk *walk)
{
    struct xml_cursor *cursor = &walk->cursor;
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
        read_net(walk);
    }
    return xml_end(cursor) && (seen || xml_wrong(cursor, root, "the file holds no <net>"));
}

/* ------------------------------------------------------------------ connecting */

static bool resolve_references(struct pnml_walk *walk)
{
    uint32_t wrong = 0;
    enum pnml_reference_fault fault = pnml_nodes_resolve(&walk->nodes, &wrong);
    if (fault == PNML_REFERENCES_FINE)
        return true;
    const struct pnml_node *node = &walk->nodes.nodes.item[wrong];
    struct xml_quoted id = xml_quote(pnml_nodes_id(&walk->nodes, wrong));
    struct xml_quoted target = xml_quote(pnml_nodes_id(&walk->nodes, node->number));
    const char *wanted = node->kind == PNML_REFERENCE_PLACE ? "place" : "transition";
    switch (fault) {
    case PNML_REFERENCE_DANGLING:
        return xml_wrong(&walk->cursor, node->spot, "'%s' refers to '%s', which does not exist", id.text, target.text);
    case PNML_REFERENCE_CYCLE:
        return xml_wrong(&walk->cursor, node->spot, "'%s' refers to itself in a cycle of references", id.text);
    default:
        return xml_wrong(&walk->cursor, node->spot, "'%s' refers to '%s', which is not a %s", id.text, target.text,
                         wanted);
    }
}

static bool check_end(struct pnml_walk *walk, const struct pnml_ends *ends, const char *end, uint32_t node)
{
    if (pnml_nodes_target(&walk->nodes, node)->kind != PNML_MENTIONED)
        return true;
    return xml_wrong(&walk->cursor, ends->spot, "the %s of an arc, '%s', does not exist", end,
                     xml_quote(pnml_nodes_id(&walk->nodes, node)).text);
}

bool pnml_connect(struct pnml_walk *walk, const struct pnml_ends *ends, struct pnml_connection *connection)
{
    if (!check_end(walk, ends, "source", ends->source) || !check_end(walk, ends, "target", ends->target))
        return false;
    const struct pnml_node *source = pnml_nodes_target(&walk->nodes, ends->source);
    const struct pnml_node *target = pnml_nodes_target(&walk->nodes, ends->target);
    if (source->kind == target->kind)
        return xml_wrong(&walk->cursor, ends->spot, "an arc leads from a %s to a %s",
                         source->kind == PNML_PLACE ? "place" : "transition",
                         target->kind == PNML_PLACE ? "place" : "transition");
    bool from_place = source->kind == PNML_PLACE;
    *connection = (struct pnml_connection){.from_place = from_place,
                                           .place = from_place ? source->number : target->number,
                                           .transition = from_place ? target->number : source->number};
    return true;
}

bool pnml_walk_document(struct pnml_walk *walk)
{
    return read_document(walk) && resolve_references(walk);
}
