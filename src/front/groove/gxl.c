/* SPDX-License-Identifier: Apache-2.0 */
#include "front/groove/gxl.h"

#include "base/diagnostic.h"
#include "xml/cursor.h"

#include <string.h>

struct walk {
    struct reading *reading;
    struct gxl *gxl;
    struct xml_cursor cursor;
    const struct place *places; /* of start tags; the root is 1 */
};

static struct place here(const struct walk *walk)
{
    return walk->places[walk->cursor.elements];
}

/* An attribute of the present tag, kept; NULL when it is missing and that is an error. */
static const char *required(struct walk *walk, const char *name)
{
    const char *value;
    if (!xml_attribute(&walk->cursor, name, &value))
        return NULL;
    if (value)
        return keep(walk->reading, value, strlen(value));
    groove_wrong(walk->reading, &walk->gxl->file, here(walk), "<%s> has no attribute '%s'", xml_element(&walk->cursor),
                 name);
    return NULL;
}

/* <attr name="..."><string>...</string></attr>; *at is the place of the text. */
static bool read_value(struct walk *walk, const char **value, struct place *at)
{
    static const char *const kinds[] = {"string", "int", "bool", "float", "enum"};
    struct xml_children children = xml_children(&walk->cursor);
    *value = NULL;
    *at = here(walk);
    while (xml_next_child(&walk->cursor, &children)) {
        const char *text;
        bool known = false;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            known |= xml_is(&walk->cursor, kinds[i]);
        if (!known || *value)
            return groove_wrong(walk->reading, &walk->gxl->file, here(walk),
                                *value ? "an attribute has two values"
                                       : "a value is a string, int, bool or float, not <%s>",
                                xml_element(&walk->cursor));
        *at = here(walk);
        at->column += (unsigned)strlen(xml_element(&walk->cursor)) + 2;
        if (!xml_text(&walk->cursor, &text))
            return false;
        *value = keep(walk->reading, text, strlen(text));
    }
    return walk->cursor.status == PORTOLAN_OK && walk->reading->status == PORTOLAN_OK;
}

static bool is_layout(const char *name)
{
    return strcmp(name, "layout") == 0;
}

/* An attribute of the graph: a property of the rule. */
static bool read_property(struct walk *walk)
{
    struct gxl_attribute attribute = {.name = required(walk, "name")};
    if (!attribute.name || is_layout(attribute.name))
        return attribute.name != NULL;
    if (!read_value(walk, &attribute.value, &attribute.at))
        return false;
    if (!attribute.value)
        attribute.value = "";
    return vector_push(&walk->gxl->attributes, attribute) || no_memory(walk->reading);
}

static bool read_node(struct walk *walk)
{
    const char *id = required(walk, "id");
    struct place at = here(walk);
    uint32_t number, before = names_count(&walk->gxl->ids);
    if (!id)
        return false;
    if (!names_add(&walk->gxl->ids, id, &number) || !vector_push(&walk->gxl->nodes, at))
        return no_memory(walk->reading);
    return number == before ||
           groove_wrong(walk->reading, &walk->gxl->file, at, "there are two nodes '%s'", xml_quote(id).text);
}

static bool find_end(struct walk *walk, const char *attribute, uint32_t *node)
{
    const char *id = required(walk, attribute);
    return id && (names_find(&walk->gxl->ids, id, node) ||
                  groove_wrong(walk->reading, &walk->gxl->file, here(walk),
                               "an edge refers to node '%s', which does not exist", xml_quote(id).text));
}

static bool read_edge(struct walk *walk)
{
    struct gxl_edge edge = {.at = here(walk)};
    if (!find_end(walk, "from", &edge.from) || !find_end(walk, "to", &edge.to))
        return false;
    struct xml_children children = xml_children(&walk->cursor);
    while (xml_next_child(&walk->cursor, &children)) {
        const char *name = xml_is(&walk->cursor, "attr") ? required(walk, "name") : "";
        if (!name)
            return false;
        if (strcmp(name, "label") == 0 && !read_value(walk, &edge.label, &edge.at))
            return false;
    }
    if (walk->cursor.status != PORTOLAN_OK)
        return false;
    if (!edge.label)
        return groove_wrong(walk->reading, &walk->gxl->file, edge.at, "an edge has no label");
    return vector_push(&walk->gxl->edges, edge) || no_memory(walk->reading);
}

static bool read_part(struct walk *walk)
{
    if (xml_is(&walk->cursor, "node"))
        return read_node(walk);
    if (xml_is(&walk->cursor, "edge"))
        return read_edge(walk);
    if (xml_is(&walk->cursor, "attr"))
        return read_property(walk);
    return groove_wrong(walk->reading, &walk->gxl->file, here(walk),
                        "a graph has nodes, edges and attributes, not <%s>",
                        xml_quote(xml_element(&walk->cursor)).text);
}

static bool read_document(struct walk *walk)
{
    struct xml_cursor *cursor = &walk->cursor;
    bool seen = false;
    if (!xml_root(cursor))
        return false;
    if (!xml_is(cursor, "gxl"))
        return groove_wrong(walk->reading, &walk->gxl->file, here(walk), "the root element is <%s>, not <gxl>",
                            xml_quote(xml_element(cursor)).text);
    struct xml_children graphs = xml_children(cursor);
    while (xml_next_child(cursor, &graphs)) {
        if (!xml_is(cursor, "graph") || seen)
            return groove_wrong(walk->reading, &walk->gxl->file, here(walk),
                                "a file holds one <graph>, and nothing else");
        seen = true;
        struct xml_children parts = xml_children(cursor);
        while (xml_next_child(cursor, &parts))
            if (!read_part(walk))
                return false;
    }
    return xml_end(cursor) &&
           (seen || groove_wrong(walk->reading, &walk->gxl->file, walk->places[1], "there is no <graph>"));
}

/* Where every start tag stands; what has a place is a node or a label, and nearly every tag is one. */
static bool find_places(struct reading *reading, const struct file *file, struct place **places)
{
    size_t tags = 2;
    for (const char *at = file->text; (at = strchr(at, '<')); at++)
        tags++;
    *places = calloc(tags, sizeof **places);
    if (!*places)
        return no_memory(reading);
    struct xml_scanner scanner = {0};
    struct place at = {1, 1};
    for (size_t i = 0; i < file->length; i++) {
        uint32_t before = scanner.elements;
        xml_scan_byte(&scanner, file->text[i]);
        if (scanner.elements != before) /* the first byte of its name */
            (*places)[scanner.elements] = (struct place){at.line, at.column - 1};
        at.column++;
        if (file->text[i] == '\n')
            at = (struct place){at.line + 1, 1};
    }
    return true;
}

bool gxl_read_text(struct reading *reading, struct gxl *gxl, struct file file)
{
    struct walk walk = {.reading = reading, .gxl = gxl};
    struct place *places = NULL;
    struct xml_source source;
    *gxl = (struct gxl){.file = file};
    xml_source_memory(&source, file.name, file.text, file.length);
    if (reading->status != PORTOLAN_OK || !find_places(reading, &file, &places))
        return false;
    walk.places = places;
    if (xml_cursor_open(&walk.cursor, &source, "GXL", "gxl", reading->error))
        read_document(&walk);
    xml_cursor_close(&walk.cursor);
    if (reading->status == PORTOLAN_OK)
        reading->status = walk.cursor.status;
    free(places);
    return reading->status == PORTOLAN_OK;
}

bool gxl_read(struct reading *reading, struct gxl *gxl, const char *name)
{
    struct file file;
    *gxl = (struct gxl){0};
    if (!file_read(reading, &file, name)) {
        free(file.text);
        return false;
    }
    return gxl_read_text(reading, gxl, file);
}

void gxl_clear(struct gxl *gxl)
{
    free(gxl->file.text);
    free(gxl->attributes.item);
    free(gxl->nodes.item);
    free(gxl->edges.item);
    names_clear(&gxl->ids);
    *gxl = (struct gxl){0};
}
