/* SPDX-License-Identifier: Apache-2.0 */
/* The start graphs of a .gg file. */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/names.h"

#include <string.h>

struct graph_reader {
    struct reader *r;
    struct host_graph *graph;
    struct names names;        /* of ordinary nodes */
    VECTOR(uint32_t) nodes;    /* by name */
    VECTOR(uint32_t) types;    /* by node: the label of its type, for checks */
    VECTOR(uint32_t) of_value; /* node by value */
};

static uint32_t add_node(struct graph_reader *g, const char *name, uint32_t value, uint32_t type)
{
    struct host_node node = {.value = value, .name = name};
    if (!g->r->parser.status && (!vector_push(&g->graph->nodes, node) || !vector_push(&g->types, type)))
        gg_no_memory(g->r);
    return (uint32_t)g->graph->nodes.count - 1;
}

static enum portolan_status add_edge(struct graph_reader *g, uint32_t from, uint32_t label, uint32_t to,
                                     const struct position *at)
{
    struct host_edge edge = {from, label, to};
    if (g->r->parser.status)
        return g->r->parser.status;
    for (size_t i = 0; i < g->graph->edges.count; i++) /* there are no parallel ones */
        if (memcmp(&g->graph->edges.item[i], &edge, sizeof edge) == 0)
            return PORTOLAN_OK;
    if (g->r->grammar->labels.item[label].kind != LABEL_TYPE)
        gg_check_edge_type(g->r, g->types.item[from], label, g->types.item[to], false, at);
    return g->r->parser.status || vector_push(&g->graph->edges, edge) ? g->r->parser.status : gg_no_memory(g->r);
}

static uint32_t value_node(struct graph_reader *g, const struct term *term)
{
    uint32_t value = gg_value_number(g->r, &term->value);
    uint32_t type = g->r->grammar->is_typed ? gg_sort_type(g->r, term->value.sort) : NO_NUMBER;
    while (!g->r->parser.status && g->of_value.count <= value)
        if (!vector_push(&g->of_value, NO_NUMBER))
            gg_no_memory(g->r);
    if (g->r->parser.status)
        return NO_NUMBER;
    if (g->of_value.item[value] == NO_NUMBER)
        g->of_value.item[value] = add_node(g, NULL, value, type);
    return g->of_value.item[value];
}

static enum portolan_status give_type(struct graph_reader *g, uint32_t node, const struct term *term)
{
    uint32_t type = gg_type_number(g->r, term->type);
    if (g->r->parser.status)
        return g->r->parser.status;
    if (g->r->grammar->is_typed && g->types.item[node] != NO_NUMBER && g->types.item[node] != type)
        return parser_fail(&g->r->parser, &term->type->at, "'%.100s' already has a type", term->name);
    if (gg_is_abstract_type(g->r, type))
        return parser_fail(&g->r->parser, &term->type->at, "the type '%.100s' is abstract: no node can have it",
                           term->type->text);
    g->types.item[node] = type;
    return add_edge(g, node, type, node, &term->at);
}

static enum portolan_status check_term(struct graph_reader *g, const struct term *term)
{
    if (term->kind == TERM_EXPRESSION)
        return parser_fail(&g->r->parser, &term->at, "expressions belong in rules");
    if (term->sort != SORT_NONE)
        return parser_fail(&g->r->parser, &term->at, "variables belong in rules: a graph has values, 3 or \"a\"");
    if (term->is_exact || (term->type && term->type->is_pattern))
        return parser_fail(&g->r->parser, &term->type->at, "patterns of types belong in rules");
    return g->r->parser.status;
}

static uint32_t node_of(struct graph_reader *g, const struct term *term)
{
    uint32_t name = 0, known = names_count(&g->names);
    if (check_term(g, term))
        return NO_NUMBER;
    if (term->kind == TERM_VALUE)
        return value_node(g, term);
    if (!names_add(&g->names, term->name, &name) ||
        (name == known && !vector_push(&g->nodes, add_node(g, term->name, NO_NUMBER, NO_NUMBER))))
        gg_no_memory(g->r);
    if (g->r->parser.status)
        return NO_NUMBER;
    uint32_t node = g->nodes.item[name];
    if (term->type)
        give_type(g, node, term);
    if (name == known && !term->type && g->r->grammar->is_typed) {
        parser_fail(&g->r->parser, &term->at, "'%.100s' has no type", term->name);
        hint(g->r->parser.error, "write %.100s: Type where the node first occurs", term->name);
    }
    for (const struct label_text *flag = term->flags; flag && !g->r->parser.status; flag = flag->next)
        if (flag->is_pattern)
            parser_fail(&g->r->parser, &flag->at, "patterns of flags belong in rules");
        else
            add_edge(g, node, gg_label_number(g->r, LABEL_FLAG, flag->text), node, &flag->at);
    return node;
}

static enum portolan_status add_arrow(struct graph_reader *g, uint32_t from, const struct arrow *arrow, uint32_t to)
{
    const struct position *at = &arrow->label.at;
    if (g->r->parser.status)
        return g->r->parser.status;
    if (arrow->kind != ARROW_EDGE || arrow->label.is_pattern)
        return parser_fail(&g->r->parser, at, "a graph has edges with labels; patterns and '=' belong in rules");
    uint32_t source = arrow->backwards ? to : from, target = arrow->backwards ? from : to;
    if (g->graph->nodes.item[source].value != NO_NUMBER)
        return parser_fail(&g->r->parser, at, "an edge cannot start at a value");
    return add_edge(g, source, gg_label_number(g->r, LABEL_BINARY, arrow->label.text), target, at);
}

static enum portolan_status read_statement(struct graph_reader *g)
{
    struct term *term;
    if (gg_parse_chain(g->r, &term))
        return g->r->parser.status;
    uint32_t from = node_of(g, term);
    for (; term->arrow && !g->r->parser.status; term = term->arrow->to) {
        uint32_t to = node_of(g, term->arrow->to);
        add_arrow(g, from, term->arrow, to);
        from = to;
    }
    return g->r->parser.status;
}

static enum portolan_status read_body(struct graph_reader *g)
{
    struct parser *parser = &g->r->parser;
    parser_expect(parser, "{", "'{'");
    while (!parser->status && !parser_is(parser, "}")) {
        if (limits_reached())
            gg_no_memory(g->r);
        read_statement(g);
        if (!parser_take(parser, ";") && !parser_is(parser, "}"))
            parser_expected(parser, "';' or '}'");
    }
    return parser_expect(parser, "}", "'}'");
}

static void clear_graph(struct host_graph *graph)
{
    free(graph->nodes.item);
    free(graph->edges.item);
    *graph = (struct host_graph){0};
}

static enum portolan_status read_name(struct reader *r, struct host_graph *graph)
{
    uint32_t known = names_count(&r->graphs), number;
    struct position at = r->lexer.token.at;
    if (gg_parse_label(r, "the name of the graph", &graph->name))
        return r->parser.status;
    if (!names_add(&r->graphs, graph->name, &number))
        return gg_no_memory(r);
    return number == known ? PORTOLAN_OK : parser_fail(&r->parser, &at, "there are two graphs '%.100s'", graph->name);
}

/* The one that the grammar starts with; the others, unless one was asked for; or none. */
static void keep_graph(struct reader *r, struct host_graph *graph)
{
    bool is_start = !r->parser.status && !r->has_start && (!r->start || strcmp(r->start, graph->name) == 0);
    bool is_other = !r->parser.status && !is_start && !r->start;
    bool is_kept = is_start || (is_other && vector_push(&r->grammar->other_starts, *graph));
    if (is_start)
        r->grammar->start = *graph;
    if (is_other && !is_kept)
        gg_no_memory(r);
    if (!is_kept)
        clear_graph(graph);
    r->has_start |= is_start;
}

/* graph NAME { ... } */
enum portolan_status gg_read_graph(struct reader *r)
{
    struct host_graph graph = {0};
    struct graph_reader g = {.r = r, .graph = &graph};
    r->graph_at = r->lexer.token.at;
    parser_advance(&r->parser);
    read_name(r, &graph);
    read_body(&g);
    keep_graph(r, &graph);
    names_clear(&g.names);
    free(g.nodes.item);
    free(g.types.item);
    free(g.of_value.item);
    return r->parser.status;
}
