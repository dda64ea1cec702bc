/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and types of protocols: the usual operators, as symbols or as words. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST = 200, COMPARISON = 4, SUM = 5 };

enum portolan_status read_arguments(struct parser *parser, struct node **list, struct node **highs)
{
    bool more = false;
    enum portolan_status status = parser_take(parser, OPEN, &more);
    if (status || !more)
        return status; /* a message without fields */
    if (parser_is(parser, CLOSE))
        return parser_advance(parser);
    for (more = true; more && !status;) {
        if ((status = parse_expression(parser, list)))
            return status;
        if (highs) {
            bool is_range = false;
            struct node *low = *list;
            if ((status = parser_take(parser, RANGE, &is_range)))
                return status;
            if (is_range)
                status = parse_expression(parser, highs);
            else if (!(status = parser_get(parser, sizeof **highs, highs)))
                **highs = *low;
            if (status)
                return status;
            highs = &(*highs)->next;
        }
        list = &(*list)->next;
        status = parser_take(parser, COMMA, &more);
    }
    return status ? status : parser_expect(parser, CLOSE, "',' or ')'");
}

enum portolan_status read_bracketed(struct parser *parser, struct node **index)
{
    bool there = false;
    enum portolan_status status = parser_take(parser, OPEN_INDEX, &there);
    if (status || !there)
        return status;
    status = parse_expression(parser, index);
    return status ? status : parser_expect(parser, CLOSE_INDEX, "']'");
}

/* max(e), best(e by k), size(S), count(e) */
static enum portolan_status parse_function(struct parser *parser, struct node *node)
{
    static const char *const aggregates[] = {"max", "min", "sum", "count", "all", "some", "best"};
    enum portolan_status status = parser_expect(parser, OPEN, "'('");
    if (status)
        return status;
    if (strcmp(node->name, "size") == 0) {
        node->kind = NODE_SIZE;
        status = parser_name(parser, "the name of a set", &node->name);
        return status ? status : parser_expect(parser, CLOSE, "')'");
    }
    node->kind = NODE_AGGREGATE;
    for (unsigned i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        if (strcmp(node->name, aggregates[i]) == 0)
            node->operation = i;
    status = parse_expression(parser, &node->a);
    if (!status && node->operation == AGGREGATE_BEST && !(status = parser_expect_word(parser, "by")))
        status = parse_expression(parser, &node->b);
    return status ? status : parser_expect(parser, CLOSE, "')'");
}

/* forall p in Proposer: e; count p in Proposer: e */
static enum portolan_status parse_quantifier(struct parser *parser, struct node *node)
{
    bool is_pair = false;
    enum portolan_status status = read_new_name(parser, "a name", &node->name);
    if (!status)
        status = parser_take(parser, COMMA, &is_pair);
    if (!status && is_pair) { /* forall p, q in T is forall p in T: forall q in T */
        if (!(node->a = parser_node(parser, NODE_QUANTIFIER)))
            return parser_memory(parser);
        node->a->operation = node->operation;
        if ((status = parser_enter(parser)) || (status = parse_quantifier(parser, node->a)))
            return status;
        parser->depth--;
        node->range = node->a->range;
    } else if (!status && !(status = parser_expect_word(parser, "in"))) {
        status = read_type(parser, &node->range);
        if (!status)
            status = parser_expect(parser, COLON, "':'");
        if (!status)
            status = parse_expression(parser, &node->a);
    }
    return status ? status : parser_close(parser, node);
}

static bool is_function(const char *name)
{
    static const char *const functions[] = {"max", "min", "sum", "count", "all", "some", "best", "size"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i]) == 0)
            return true;
    return false;
}

static enum portolan_status parse_named(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    static const char *const quantifiers[] = {"forall", "exists", "count"};
    enum portolan_status status = parser_name(parser, parser->language->wanted, &node->name);
    if (status)
        return status;
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(node->name, quantifiers[i]) == 0 && parser->lexer->token.kind == TOKEN_NAME) {
            node->kind = NODE_QUANTIFIER;
            node->operation = i;
            return parse_quantifier(parser, node);
        }
    if (strcmp(node->name, "true") == 0 || strcmp(node->name, "false") == 0) {
        node->kind = NODE_NUMBER;
        node->gives.kind = VALUE_BOOLEAN;
        node->value = node->name[0] == 't';
        return PORTOLAN_OK;
    }
    if (is_function(node->name) && parser_is(parser, OPEN))
        return parse_function(parser, node);
    status = read_bracketed(parser, &node->a);
    if (status || !parser_is(parser, DOT))
        return status;
    node->kind = NODE_MEMBER;
    node->owner = node->name;
    if (!(status = parser_advance(parser)))
        status = parser_name(parser, "the name of a variable", &node->name);
    return status ? status : read_bracketed(parser, &node->b);
}

/* e in S */
static enum portolan_status parse_set(struct parser *parser, struct node *node)
{
    node->kind = NODE_IN;
    return parser_name(parser, "the name of a set", &node->name);
}

static const struct operator binaries[] = {
    {.symbol = IMPLIES, .word = "implies", .precedence = 1, .operation = OPERATION_IMPLIES, .groups_right = true},
    {.symbol = OR, .word = "or", .precedence = 2, .operation = OPERATION_OR},
    {.symbol = AND, .word = "and", .precedence = 3, .operation = OPERATION_AND},
    {.symbol = EQUALS, .precedence = COMPARISON, .operation = OPERATION_EQUAL},
    {.symbol = NOT_EQUAL, .precedence = COMPARISON, .operation = OPERATION_NOT_EQUAL},
    {.symbol = LESS, .precedence = COMPARISON, .operation = OPERATION_LESS},
    {.symbol = GREATER, .precedence = COMPARISON, .operation = OPERATION_GREATER},
    {.symbol = LESS_EQUAL, .precedence = COMPARISON, .operation = OPERATION_LESS_EQUAL},
    {.symbol = GREATER_EQUAL, .precedence = COMPARISON, .operation = OPERATION_GREATER_EQUAL},
    {.symbol = NO_SYMBOL, .word = "in", .precedence = COMPARISON, .operation = OPERATION_EQUAL, .right = parse_set},
    {.symbol = PLUS, .precedence = SUM, .operation = OPERATION_ADD},
    {.symbol = MINUS, .precedence = SUM, .operation = OPERATION_SUBTRACT},
    {.symbol = TIMES, .precedence = 6, .operation = OPERATION_MULTIPLY},
    {.symbol = OVER, .precedence = 6, .operation = OPERATION_DIVIDE},
    {.symbol = MODULO, .precedence = 6, .operation = OPERATION_REMAINDER},
    {.precedence = 0},
};

static const struct operator unaries[] = {
    {.symbol = NOT, .word = "not", .precedence = 1, .operation = OPERATION_NOT},
    {.symbol = MINUS, .precedence = 1, .operation = OPERATION_NEGATE},
    {.precedence = 0},
};

const struct language protocols_language = {.binaries = binaries,
                                            .unaries = unaries,
                                            .open = OPEN,
                                            .close = CLOSE,
                                            .question = QUESTION,
                                            .colon = COLON,
                                            .most_open = DEEPEST,
                                            .deepest = DEEPEST,
                                            .primary = parse_named,
                                            .wanted = "an expression",
                                            .largest = 1000000,
                                            .integer = INTEGER_64};

/* ----------------------------------------------------------------------- types */

static enum portolan_status parse_enumeration(struct parser *parser, struct type_node *type)
{
    struct literal **end = &type->literals;
    enum portolan_status status = parser_advance(parser);
    bool more = true;
    type->kind = TYPE_ENUM;
    for (int32_t value = 0; more && !status; value++) {
        struct literal *literal;
        if ((status = parser_get(parser, sizeof *literal, &literal)))
            return status;
        literal->at = parser->lexer->token.at;
        literal->value = value;
        *end = literal;
        end = &literal->next;
        if (!(status = read_new_name(parser, "a name", &literal->name)))
            status = parser_take(parser, COMMA, &more);
    }
    return status ? status : parser_expect(parser, CLOSE_BLOCK, "',' or '}'");
}

static enum portolan_status parse_collection(struct parser *parser, struct type_node *type)
{
    type->kind = parser_is_word(parser, "set") ? TYPE_SET : TYPE_ARRAY;
    enum portolan_status status = parser_advance(parser);
    if (!status && type->kind == TYPE_ARRAY) {
        if (!(status = parser_expect(parser, OPEN_INDEX, "'['")))
            status = read_type(parser, &type->index);
        if (!status)
            status = parser_expect(parser, CLOSE_INDEX, "']'");
    }
    if (!status)
        status = parser_expect_word(parser, "of");
    return status ? status : read_type(parser, type->kind == TYPE_SET ? &type->index : &type->element);
}

enum portolan_status read_type(struct parser *parser, struct type_node **result)
{
    struct type_node *type;
    enum portolan_status status = parser_get(parser, sizeof *type, &type);
    if (status)
        return status;
    *result = type;
    type->at = parser->lexer->token.at;
    if (parser->depth > DEEPEST)
        return lexer_fail(parser->lexer, &type->at, parser->error, "this is nested too deeply");
    parser->depth++;
    if (parser_is(parser, OPEN_BLOCK)) {
        status = parse_enumeration(parser, type);
    } else if (parser_is_word(parser, "bool")) {
        type->kind = TYPE_BOOL;
        status = parser_advance(parser);
    } else if (parser_is_word(parser, "set") || parser_is_word(parser, "array")) {
        status = parse_collection(parser, type);
    } else if (!(status = parse_tight(parser, SUM, &type->low))) {
        bool is_range = false;
        status = parser_take(parser, RANGE, &is_range);
        if (!status && is_range) {
            status = parse_tight(parser, SUM, &type->high);
        } else if (!status && type->low->kind == NODE_NAME && !type->low->a) {
            type->kind = TYPE_NAMED;
            type->name = type->low->name;
        } else if (!status) {
            status = lexer_expected(parser->lexer, parser->error, "'..'");
            hint(parser->error, "a type is LOW..HIGH, bool, {a, b, c}, a process, set of T or array[T] of T");
        }
    }
    parser->depth--;
    return status;
}
