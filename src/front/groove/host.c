/* SPDX-License-Identifier: Apache-2.0 */
/* Host graphs: several of them are one, side by side. */
#include "base/diagnostic.h"
#include "front/groove/parts.h"

#include <stdlib.h>
#include <string.h>

struct host {
    struct reading *reading;
    const struct gxl *gxl;
    uint32_t *number; /* by node of the GXL graph: that of the host graph */
    uint32_t *value;  /* the same: of a value node */
    uint32_t *type;   /* the same: label of its type */
    bool *is_remark;
};

/* The one node of a value in the host graph. */
static bool value_node(struct host *host, uint32_t value, uint32_t *node)
{
    struct host_graph *graph = host->reading->host;
    for (size_t i = 0; i < graph->nodes.count; i++)
        if (graph->nodes.item[i].value == value) {
            *node = (uint32_t)i;
            return true;
        }
    struct host_node added = {.value = value};
    *node = (uint32_t)graph->nodes.count;
    return vector_push(&graph->nodes, added) || no_memory(host->reading);
}

/* The node behind one of the GXL graph, made when it is first asked for. */
static bool host_node(struct host *host, uint32_t node, uint32_t *number)
{
    struct host_graph *graph = host->reading->host;
    if (host->number[node] != NO_NUMBER) {
        *number = host->number[node];
        return true;
    }
    if (host->value[node] != NO_NUMBER) {
        if (!value_node(host, host->value[node], number))
            return false;
    } else {
        const char *id = names_get(&host->gxl->ids, node);
        struct host_node added = {.value = NO_NUMBER, .name = grammar_text(host->reading->grammar, id, strlen(id))};
        *number = (uint32_t)graph->nodes.count;
        if (!added.name || !vector_push(&graph->nodes, added))
            return no_memory(host->reading);
    }
    host->number[node] = *number;
    return true;
}

static bool add_edge(struct host *host, uint32_t from, enum label_kind kind, const char *text, uint32_t to)
{
    struct host_edge edge = {from, grammar_label(host->reading->grammar, kind, text), to};
    return (edge.label != NO_NUMBER && vector_push(&host->reading->host->edges, edge)) || no_memory(host->reading);
}

/* What the loops of a node say of the node itself. */
static bool read_node_aspect(struct host *host, const struct gxl_edge *edge)
{
    struct label_parts parts;
    if (!label_split(host->reading, &host->gxl->file, edge, IN_HOST, &parts))
        return false;
    enum sort sort = sort_of(parts.aspect);
    if (parts.aspect == ASPECT_REMARK && *parts.text == '\0')
        host->is_remark[edge->from] = true;
    if (sort == SORT_NONE || edge->from != edge->to)
        return true;
    if (host->value[edge->from] != NO_NUMBER)
        return groove_wrong(host->reading, &host->gxl->file, parts.at, "a node has two values");
    return constant_number(host->reading, &host->gxl->file, parts.at, parts.text, sort, &host->value[edge->from]);
}

/* let:a = 3 */
static bool read_let(struct host *host, const struct gxl_edge *edge, const struct label_parts *parts)
{
    const char *equals = strchr(parts->text, '=');
    if (!equals)
        return groove_wrong(host->reading, &host->gxl->file, parts->at, "'let:' needs a name, '=' and a value");
    const char *name = parts->text + strspn(parts->text, " "), *text = equals + 1 + strspn(equals + 1, " ");
    size_t length = (size_t)(equals - name);
    while (length > 0 && name[length - 1] == ' ')
        length--;
    struct place at = {parts->at.line, parts->at.column + (unsigned)(text - parts->text)};
    uint32_t from, to, value;
    static const struct {
        const char *prefix;
        enum sort sort;
    } sorts[] = {{"int:", SORT_INT}, {"real:", SORT_REAL}, {"bool:", SORT_BOOL}, {"string:", SORT_STRING}};
    enum sort sort = SORT_NONE;
    for (size_t i = 0; i < 4; i++)
        if (strncmp(text, sorts[i].prefix, strlen(sorts[i].prefix)) == 0) {
            sort = sorts[i].sort;
            text += strlen(sorts[i].prefix);
        }
    const char *kept = keep(host->reading, name, length);
    return kept && constant_number(host->reading, &host->gxl->file, at, text, sort, &value) &&
           host_node(host, edge->from, &from) && value_node(host, value, &to) &&
           add_edge(host, from, LABEL_BINARY, kept, to);
}

static const struct node_type *find_type(const struct grammar *grammar, uint32_t label)
{
    for (size_t i = 0; i < grammar->node_types.count; i++)
        if (grammar->node_types.item[i].label == label)
            return &grammar->node_types.item[i];
    return NULL;
}

static bool set_type(struct host *host, const struct gxl_edge *edge, const struct label_parts *parts)
{
    uint32_t label = grammar_label(host->reading->grammar, LABEL_TYPE, parts->text);
    if (label == NO_NUMBER)
        return no_memory(host->reading);
    const struct node_type *type = find_type(host->reading->grammar, label);
    if (host->type[edge->from] != NO_NUMBER)
        return groove_wrong(host->reading, &host->gxl->file, parts->at, "a node has two types");
    if (!type || type->is_abstract)
        return groove_wrong(host->reading, &host->gxl->file, parts->at,
                            type ? "the type '%.80s' is abstract" : "the type graph has no type '%.80s'", parts->text);
    host->type[edge->from] = label;
    return true;
}

static bool read_plain(struct host *host, const struct gxl_edge *edge, const struct label_parts *parts)
{
    uint32_t from, to;
    if (host->value[edge->from] != NO_NUMBER)
        return groove_wrong(host->reading, &host->gxl->file, parts->at, "an edge begins at a value");
    if (parts->kind != LABEL_BINARY && edge->from != edge->to)
        return groove_wrong(host->reading, &host->gxl->file, parts->at, "a %s is a label of one node, not of an edge",
                            parts->kind == LABEL_TYPE ? "type" : "flag");
    if (!host_node(host, edge->from, &from) || !host_node(host, edge->to, &to) ||
        !add_edge(host, from, parts->kind, parts->text, to))
        return false;
    return parts->kind != LABEL_TYPE || !host->reading->grammar->is_typed || set_type(host, edge, parts);
}

/* mult=3: that many equal edges. */
static bool read_several(struct host *host, const struct gxl_edge *edge, const struct label_parts *parts)
{
    enum { MOST_EQUAL = 10000 };
    char *end = NULL;
    unsigned long count = parts->content ? strtoul(parts->content, &end, 10) : 0;
    if (!end || *end || count < 1 || count > MOST_EQUAL)
        return groove_wrong(host->reading, &host->gxl->file, edge->at, "'mult=' is a number of edges from 1 to %d",
                            MOST_EQUAL);
    if (count > 1 && !host->reading->settings.parallel_edges) {
        groove_wrong(host->reading, &host->gxl->file, edge->at, "'mult=': graphs are simple here");
        hint(host->reading->error, "parallelEdges=DPO in system.properties allows equal edges");
        return false;
    }
    bool fine = true;
    for (; count && fine; count--)
        fine = read_plain(host, edge, parts);
    return fine;
}

static bool read_edge(struct host *host, const struct gxl_edge *edge)
{
    struct label_parts parts;
    if (host->is_remark[edge->from] || host->is_remark[edge->to] || *edge->label == '\0')
        return true;
    if (!label_split(host->reading, &host->gxl->file, edge, IN_HOST, &parts))
        return false;
    if (parts.aspect == ASPECT_MULTIPLICITY)
        return read_several(host, edge, &parts);
    if (sort_of(parts.aspect) != SORT_NONE && edge->from != edge->to)
        return groove_wrong(host->reading, &host->gxl->file, edge->at,
                            "a value is a label of one node, not of an edge");
    if (parts.aspect == ASPECT_LET)
        return read_let(host, edge, &parts);
    return parts.aspect != ASPECT_NONE || read_plain(host, edge, &parts);
}

/* ------------------------------------------------------------------ against the type graph */

static uint32_t type_of_node(const struct host *host, uint32_t node)
{
    struct grammar *grammar = host->reading->grammar;
    return host->value[node] == NO_NUMBER ? host->type[node]
                                          : sort_label(grammar, grammar->values.item[host->value[node]].sort);
}

static bool check_edge(struct host *host, const struct gxl_edge *edge)
{
    struct label_parts parts;
    if (host->is_remark[edge->from] || host->is_remark[edge->to] || *edge->label == '\0')
        return true;
    if (!label_split(host->reading, &host->gxl->file, edge, IN_HOST, &parts))
        return false;
    if ((parts.aspect != ASPECT_NONE && parts.aspect != ASPECT_MULTIPLICITY) || parts.kind == LABEL_TYPE)
        return true;
    uint32_t label = grammar_label(host->reading->grammar, parts.kind, parts.text);
    uint32_t from = type_of_node(host, edge->from), to = type_of_node(host, edge->to);
    if (label == NO_NUMBER || from == NO_NUMBER || to == NO_NUMBER) /* nodes have types by now */
        return no_memory(host->reading);
    return is_edge_allowed(host->reading->grammar, from, label, to) ||
           groove_wrong(host->reading, &host->gxl->file, parts.at,
                        "the type graph has no edge '%.80s' between these types", parts.text);
}

/* Every node has a type, and every edge is one that the type graph has. */
static bool check_types(struct host *host)
{
    const struct gxl *gxl = host->gxl;
    for (size_t i = 0; i < gxl->nodes.count; i++)
        if (!host->is_remark[i] && host->value[i] == NO_NUMBER && host->type[i] == NO_NUMBER)
            return groove_wrong(host->reading, &gxl->file, gxl->nodes.item[i], "a node has no type");
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!check_edge(host, &gxl->edges.item[i]))
            return false;
    return true;
}

static bool read_all(struct host *host)
{
    const struct gxl *gxl = host->gxl;
    uint32_t number;
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!read_node_aspect(host, &gxl->edges.item[i]))
            return false;
    /* ordinary nodes without edges count; a value without edges does not */
    for (uint32_t i = 0; i < gxl->nodes.count; i++)
        if (!host->is_remark[i] && host->value[i] == NO_NUMBER && !host_node(host, i, &number))
            return false;
    for (size_t i = 0; i < gxl->edges.count; i++)
        if (!read_edge(host, &gxl->edges.item[i]))
            return false;
    return !host->reading->grammar->is_typed || check_types(host);
}

bool host_add(struct reading *reading, const struct gxl *gxl)
{
    size_t nodes = gxl->nodes.count;
    struct host host = {.reading = reading,
                        .gxl = gxl,
                        .number = arena_get(&reading->scratch, (nodes + 1) * sizeof(uint32_t)),
                        .value = arena_get(&reading->scratch, (nodes + 1) * sizeof(uint32_t)),
                        .type = arena_get(&reading->scratch, (nodes + 1) * sizeof(uint32_t)),
                        .is_remark = arena_get(&reading->scratch, nodes + 1)};
    if (!host.number || !host.value || !host.type || !host.is_remark)
        return no_memory(reading);
    for (size_t i = 0; i < nodes; i++)
        host.number[i] = host.value[i] = host.type[i] = NO_NUMBER;
    return read_all(&host);
}
