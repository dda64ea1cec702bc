/* SPDX-License-Identifier: Apache-2.0 */
/* Type graphs: each node is a type, each edge one that graphs may have. */
#include "front/groove/parts.h"

#include <string.h>

struct types {
    struct reading *reading;
    const struct gxl *gxl;
    uint32_t *label; /* of the type, by node; NO_NUMBER: a remark or not known yet */
    bool *is_abstract, *is_remark;
};

uint32_t sort_label(struct grammar *grammar, enum sort sort)
{
    static const char *const names[] = {"", "int", "real", "bool", "string"};
    return grammar_label(grammar, LABEL_TYPE, names[sort]);
}

/* The loops that make a node a type. */
static bool read_node(struct types *types, const struct gxl_edge *edge)
{
    struct label_parts parts;
    if (edge->from != edge->to || *edge->label == '\0')
        return true;
    if (!label_split(types->reading, &types->gxl->file, edge, IN_TYPE, &parts))
        return false;
    enum sort sort = sort_of(parts.aspect);
    if (parts.is_abstract && (*parts.text == '\0' || parts.kind == LABEL_TYPE))
        types->is_abstract[edge->from] = true;
    if (parts.aspect == ASPECT_REMARK && *parts.text == '\0')
        types->is_remark[edge->from] = true;
    if (sort == SORT_NONE && parts.kind != LABEL_TYPE)
        return true;
    uint32_t label = sort == SORT_NONE ? grammar_label(types->reading->grammar, LABEL_TYPE, parts.text)
                                       : sort_label(types->reading->grammar, sort);
    if (label == NO_NUMBER)
        return no_memory(types->reading);
    if (types->label[edge->from] != NO_NUMBER)
        return groove_wrong(types->reading, &types->gxl->file, parts.at, "a node of a type graph has two types");
    types->label[edge->from] = label;
    return true;
}

static struct node_type *find_type(struct grammar *grammar, uint32_t label)
{
    for (size_t i = 0; i < grammar->node_types.count; i++)
        if (grammar->node_types.item[i].label == label)
            return &grammar->node_types.item[i];
    struct node_type type = {.label = label};
    return vector_push(&grammar->node_types, type) ? &grammar->node_types.item[grammar->node_types.count - 1] : NULL;
}

static bool read_subtype(struct types *types, const struct gxl_edge *edge, const struct label_parts *parts)
{
    uint32_t above = types->label[edge->to], below = types->label[edge->from];
    struct node_type *type = find_type(types->reading->grammar, below);
    if (!type)
        return no_memory(types->reading);
    if (is_subtype(types->reading->grammar, above, below))
        return groove_wrong(types->reading, &types->gxl->file, parts->at,
                            "types are subtypes of each other in a cycle");
    return vector_push(&type->supertypes, above) || no_memory(types->reading);
}

/* Any number, if graphs are not held against their types. */
static bool multiplicity(struct types *types, const struct label_parts *parts, const char *text, uint32_t *least,
                         uint32_t *most)
{
    *least = 0;
    *most = NO_NUMBER;
    if (!text)
        return true;
    if (!multiplicity_split(text, least, most))
        return groove_wrong(types->reading, &types->gxl->file, parts->at,
                            "'%.40s' is not a multiplicity: 1, 0..1, 2..*", text);
    if (types->reading->settings.ignores_types) {
        *least = 0;
        *most = NO_NUMBER;
    }
    return true;
}

static bool read_edge(struct types *types, const struct gxl_edge *edge)
{
    struct label_parts parts;
    if (types->is_remark[edge->from] || types->is_remark[edge->to] || *edge->label == '\0')
        return true;
    if (!label_split(types->reading, &types->gxl->file, edge, IN_TYPE, &parts))
        return false;
    if (parts.aspect == ASPECT_SUBTYPE)
        return read_subtype(types, edge, &parts);
    if (parts.aspect != ASPECT_NONE || parts.kind == LABEL_TYPE || *parts.text == '\0')
        return true;
    struct edge_type type = {.from = types->label[edge->from], .to = types->label[edge->to]};
    type.is_part = parts.is_part && !types->reading->settings.ignores_types;
    type.label = grammar_label(types->reading->grammar, parts.kind, parts.text);
    return multiplicity(types, &parts, parts.in, &type.least_in, &type.most_in) &&
           multiplicity(types, &parts, parts.out, &type.least_out, &type.most_out) &&
           ((type.label != NO_NUMBER && vector_push(&types->reading->grammar->edge_types, type)) ||
            no_memory(types->reading));
}

bool is_edge_allowed(const struct grammar *grammar, uint32_t from, uint32_t label, uint32_t to)
{
    for (size_t i = 0; i < grammar->edge_types.count; i++) {
        const struct edge_type *type = &grammar->edge_types.item[i];
        if (type->label == label && (from == NO_NUMBER || is_subtype(grammar, from, type->from)) &&
            (to == NO_NUMBER || is_subtype(grammar, to, type->to)))
            return true;
    }
    return false;
}

static bool add_types(struct types *types)
{
    const struct gxl *gxl = types->gxl;
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!read_node(types, &gxl->edges.item[i]))
            return false;
    for (size_t i = 0; i < gxl->nodes.count; i++) {
        if (types->is_remark[i])
            continue;
        if (types->label[i] == NO_NUMBER)
            return groove_wrong(types->reading, &gxl->file, gxl->nodes.item[i], "a node of a type graph has no type");
        struct node_type *type = find_type(types->reading->grammar, types->label[i]);
        if (!type)
            return no_memory(types->reading);
        type->is_abstract |= types->is_abstract[i];
    }
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!read_edge(types, &gxl->edges.item[i]))
            return false;
    return true;
}

bool types_add(struct reading *reading, const struct gxl *gxl)
{
    size_t nodes = gxl->nodes.count;
    struct types types = {.reading = reading,
                          .gxl = gxl,
                          .label = arena_get(&reading->scratch, (nodes + 1) * sizeof(uint32_t)),
                          .is_abstract = arena_get(&reading->scratch, nodes + 1),
                          .is_remark = arena_get(&reading->scratch, nodes + 1)};
    if (!types.label || !types.is_abstract || !types.is_remark)
        return no_memory(reading);
    for (size_t i = 0; i < nodes; i++)
        types.label[i] = NO_NUMBER;
    reading->grammar->is_typed = true;
    return add_types(&types);
}
