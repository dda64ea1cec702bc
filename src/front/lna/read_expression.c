/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of .lna as they are written; what they mean is found in typing.c. */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST = 500, IN = PRECEDENCE_AND + 1, JOINING = PRECEDENCE_PRODUCT + 1, TIGHTEST = 100 };

enum portolan_status lna_read_expressions(struct parser *p, struct node **list)
{
    for (bool more = true; more; list = &(*list)->next) {
        if (parse_expression(p, list))
            return p->status;
        more = parser_take(p, ",");
    }
    return p->status;
}

enum portolan_status lna_read_range(struct parser *p, struct node **low, struct node **high)
{
    parser_expect_word(p, "range");
    parse_expression(p, low);
    parser_expect(p, "..", "'..'");
    return parse_expression(p, high);
}

struct node *lna_name_node(struct parser *p, const char *name, struct position at, const char *start)
{
    struct node *node = parser_node(p, NODE_NAME);
    if (node) {
        node->name = name;
        node->at = at;
        node->start = start;
        parser_close(p, node);
    }
    return node;
}

/* ----------------------------------------------------------------- iterators */

enum portolan_status lna_read_iterator(struct parser *p, struct iterator **iterator)
{
    if (parser_get(p, sizeof **iterator, iterator))
        return p->status;
    struct iterator *it = *iterator;
    it->place = NO_PLACE;
    parser_new_name(p, "the name of a variable", &it->name);
    parser_expect_word(p, "in");
    parse_expression(p, &it->container);
    return parser_is(p, "range") ? lna_read_range(p, &it->low, &it->high) : p->status;
}

enum portolan_status lna_read_iterators(struct parser *p, struct iterator **list)
{
    parser_expect(p, "(", "'('");
    for (bool more = true; more; list = &(*list)->next) {
        if (lna_read_iterator(p, list))
            return p->status;
        more = parser_take(p, ",");
    }
    return p->status;
}

static bool wants_value(unsigned iteration)
{
    return iteration != ITERATION_EXISTS && iteration != ITERATION_CARDINALITY && iteration != ITERATION_MULTIPLICITY;
}

/* forall(v in domain, ... | condition : value) */
static enum portolan_status read_iteration(struct parser *p, struct node *node, unsigned iteration)
{
    parser_advance(p);
    node->kind = NODE_ITERATION;
    node->operation = iteration;
    lna_read_iterators(p, &node->iterators);
    if (parser_take(p, "|"))
        parse_expression(p, &node->a);
    if (wants_value(iteration)) {
        parser_expect(p, ":", node->a ? "':'" : "'|' or ':'");
        parse_expression(p, &node->b);
    }
    return parser_expect(p, ")", "')'");
}

/* ------------------------------------------------------------------- values */

/* [a, b], {a, b}, |a, b| */
static enum portolan_status read_make(struct parser *p, struct node *node, enum shape shape, const char *close,
                                      const char *wanted)
{
    parser_advance(p);
    node->kind = NODE_MAKE;
    node->type = shape;
    lna_read_expressions(p, &node->a);
    return parser_expect(p, close, wanted);
}

static enum portolan_status read_neighbour(struct parser *p, struct node *node, unsigned kind)
{
    parser_advance(p);
    node->kind = kind;
    return parse_tight(p, TIGHTEST, &node->a);
}

static enum portolan_status read_symbol(struct parser *p, struct node *node)
{
    if (parser_is(p, "["))
        return read_make(p, node, SHAPE_VECTOR, "]", "',' or ']'");
    if (parser_is(p, "{"))
        return read_make(p, node, SHAPE_STRUCT, "}", "',' or '}'");
    if (parser_is(p, "|"))
        return read_make(p, node, SHAPE_CONTAINER, "|", "',' or '|'");
    return parser_expected(p, p->language->wanted);
}

static enum portolan_status read_named(struct parser *p, struct node *node)
{
    static const char *const iterations[] = {"forall", "exists", "card", "mult", "min", "max", "sum", "product"};
    for (unsigned i = 0; i < sizeof iterations / sizeof *iterations; i++)
        if (parser_is(p, iterations[i]))
            return read_iteration(p, node, i);
    if (parser_is(p, "succ") || parser_is(p, "pred"))
        return read_neighbour(p, node, parser_is(p, "succ") ? NODE_SUCCESSOR : NODE_PREDECESSOR);
    if (parser_take(p, "empty")) {
        node->kind = NODE_MAKE;
        node->type = SHAPE_CONTAINER;
        return p->status;
    }
    bool is_truth = parser_is(p, "true") || parser_is(p, "false");
    if (is_truth)
        parser_name(p, "a value", &node->name);
    else
        parser_new_name(p, p->language->wanted, &node->name);
    if (!parser_is(p, "(") || is_truth)
        return p->status;
    node->kind = NODE_CALL;
    return parse_list(p, &node->a);
}

static enum portolan_status read_primary(struct parser *p, struct node **node)
{
    if (p->lexer->token.kind == TOKEN_NAME)
        return read_named(p, *node);
    return p->lexer->token.kind == TOKEN_OPERATOR ? read_symbol(p, *node) : parser_expected(p, p->language->wanted);
}

/* ------------------------------------------------------------- behind a value */

/* [a, b], or [a .. b] */
static enum portolan_status read_index(struct parser *p, struct node *node)
{
    node->kind = NODE_ELEMENT;
    lna_read_expressions(p, &node->b);
    if (!p->status && !node->b->next && parser_take(p, "..")) {
        node->kind = NODE_SLICE;
        parse_expression(p, &node->c);
    }
    return parser_expect(p, "]", "',' or ']'");
}

/* :: ([i] := e), :: (c := e), :: (.c := e) */
static enum portolan_status read_update(struct parser *p, struct node *node)
{
    parser_expect(p, "(", "'('");
    if (parser_take(p, "[")) {
        node->kind = NODE_REPLACE;
        lna_read_expressions(p, &node->b);
        parser_expect(p, "]", "',' or ']'");
    } else {
        node->kind = NODE_SET_FIELD;
        parser_take(p, ".");
        parser_name(p, "'[' or the name of a component", &node->name);
    }
    parser_expect(p, ":=", "':='");
    parse_expression(p, &node->c);
    return parser_expect(p, ")", "')'");
}

static enum portolan_status read_attribute(struct parser *p, struct node *node)
{
    node->kind = NODE_ATTRIBUTE;
    return parser_name(p, "the name of an attribute", &node->name);
}

/* .c */
static enum portolan_status read_field(struct parser *p, struct node *node)
{
    node->kind = NODE_FIELD;
    return parser_name(p, "the name of a component", &node->name);
}

/* ->1 */
static enum portolan_status read_component(struct parser *p, struct node *node)
{
    const struct token *token = &p->lexer->token;
    if (p->status || token->kind != TOKEN_INTEGER)
        return parser_expected(p, "the number of a component");
    node->kind = NODE_FIELD;
    node->name = arena_copy(p->arena, token->start, token->length);
    return node->name ? parser_advance(p) : (p->status = fail_memory(p->error));
}

static bool take_postfix(struct parser *p, struct node **node)
{
    static const struct {
        const char *symbol;
        enum portolan_status (*read)(struct parser *p, struct node *node);
    } ways[] = {
        {"[", read_index}, {".", read_field}, {"->", read_component}, {"'", read_attribute}, {"::", read_update}};
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        if (parser_take(p, ways[i].symbol))
            return !parser_parent(p, NODE_ELEMENT, node) && !ways[i].read(p, *node) && !parser_close(p, *node);
    return false;
}

enum portolan_status lna_read_postfix(struct parser *p, struct node **node)
{
    while (take_postfix(p, node))
        continue;
    return p->status;
}

/* ------------------------------------------------------------------ operators */

static enum portolan_status read_joined(struct parser *p, struct node *node)
{
    node->kind = NODE_JOIN;
    return parse_tight(p, JOINING + 1, &node->b);
}

static enum portolan_status read_member(struct parser *p, struct node *node)
{
    node->kind = NODE_MEMBER_OF;
    return parse_tight(p, IN + 1, &node->b);
}

static const struct operator own[] = {
    {"in", IN, OPERATION_NONE, false, read_member}, {"&", JOINING, OPERATION_NONE, false, read_joined}, {0}};

static const char *const reserved[] = {
    "accept",      "and",      "assert", "capacity", "card",     "case",    "constant", "deadlock",    "default",
    "description", "dom",      "else",   "empty",    "enum",     "epsilon", "exists",   "false",       "for",
    "forall",      "function", "guard",  "if",       "import",   "in",      "init",     "inhibit",     "let",
    "list",        "ltl",      "max",    "min",      "mod",      "mult",    "not",      "of",          "or",
    "out",         "pick",     "place",  "pred",     "priority", "product", "property", "proposition", "range",
    "reject",      "return",   "safe",   "set",      "state",    "struct",  "subtype",  "succ",        "sum",
    "transition",  "true",     "type",   "until",    "vector",   "while",   "with",     NULL};

const struct lexer_rules lna_rules = {.symbols = "( ) { } [ ] , ; : := :: . .. -> ' ? | & + - * / % = != < <= > >=",
                                      .is_ada_like = true};

const struct language lna_language = {.binaries = "or and = != < > <= >= + - * / %",
                                      .unaries = "not - +",
                                      .own = own,
                                      .question = "?",
                                      .reserved = reserved,
                                      .most_open = DEEPEST,
                                      .deepest = DEEPEST,
                                      .chains = true,
                                      .primary = read_primary,
                                      .reads_symbols = true,
                                      .postfix = lna_read_postfix,
                                      .wanted = "a value",
                                      .largest = INT64_MAX,
                                      .integer = INTEGER_64};
