/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and types of protocols: the usual operators, as symbols or as words, by precedence climbing. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST_TREE = 200, COMPARISON = 4 };

static const struct binary {
    enum symbol symbol;
    const char *word; /* that means the same */
    unsigned precedence;
} binaries[] = {{IMPLIES, "implies", 1},
                {OR, "or", 2},
                {AND, "and", 3},
                {EQUALS, NULL, COMPARISON},
                {NOT_EQUAL, NULL, COMPARISON},
                {LESS, NULL, COMPARISON},
                {GREATER, NULL, COMPARISON},
                {LESS_EQUAL, NULL, COMPARISON},
                {GREATER_EQUAL, NULL, COMPARISON},
                {PLUS, NULL, 5},
                {MINUS, NULL, 5},
                {TIMES, NULL, 6},
                {OVER, NULL, 6},
                {MODULO, NULL, 6}};

static const struct binary *binary_at(const struct parser *parser)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (read_is(parser, binaries[i].symbol) || (binaries[i].word && read_is_word(parser, binaries[i].word)))
            return &binaries[i];
    return NULL;
}

static enum portolan_status new_node(struct parser *parser, enum node_kind kind, struct node **node)
{
    enum portolan_status status = read_get(parser, sizeof **node, node);
    if (!status) {
        (*node)->kind = kind;
        (*node)->at = parser->lexer->token.at;
    }
    return status;
}

/* Trees are walked recursively, so they must not be deep. */
static enum portolan_status close_node(struct parser *parser, struct node *node)
{
    const struct node *children[] = {node->a, node->b, node->c};
    for (size_t i = 0; i < 3; i++)
        if (children[i] && children[i]->depth >= node->depth)
            node->depth = children[i]->depth + 1;
    if (node->depth <= DEEPEST_TREE)
        return PORTOLAN_OK;
    return lexer_fail(parser->lexer, &node->at, parser->error, "this is nested too deeply (more than %d levels)",
                      DEEPEST_TREE);
}

enum portolan_status read_arguments(struct parser *parser, struct node **list, struct node **highs)
{
    bool more = false;
    enum portolan_status status = read_take(parser, OPEN, &more);
    if (status || !more)
        return status; /* a message without fields */
    if (read_is(parser, CLOSE))
        return read_advance(parser);
    for (more = true; more && !status;) {
        if ((status = read_expression(parser, list)))
            return status;
        if (highs) {
            bool is_range = false;
            struct node *low = *list;
            if ((status = read_take(parser, RANGE, &is_range)))
                return status;
            if (is_range)
                status = read_expression(parser, highs);
            else if (!(status = new_node(parser, NODE_NUMBER, highs)))
                **highs = *low;
            if (status)
                return status;
            highs = &(*highs)->next;
        }
        list = &(*list)->next;
        status = read_take(parser, COMMA, &more);
    }
    return status ? status : read_expect(parser, CLOSE, "',' or ')'");
}

enum portolan_status read_bracketed(struct parser *parser, struct node **index)
{
    bool there = false;
    enum portolan_status status = read_take(parser, OPEN_INDEX, &there);
    if (status || !there)
        return status;
    status = read_expression(parser, index);
    return status ? status : read_expect(parser, CLOSE_INDEX, "']'");
}

/* max(e), best(e by k), size(S), count(e) */
static enum portolan_status parse_function(struct parser *parser, struct node *node)
{
    static const char *const aggregates[] = {"max", "min", "sum", "count", "all", "some", "best"};
    enum portolan_status status = read_expect(parser, OPEN, "'('");
    if (status)
        return status;
    if (strcmp(node->name, "size") == 0) {
        node->kind = NODE_SIZE;
        status = read_name(parser, "the name of a set", &node->name);
        return status ? status : read_expect(parser, CLOSE, "')'");
    }
    node->kind = NODE_AGGREGATE;
    for (unsigned i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        if (strcmp(node->name, aggregates[i]) == 0)
            node->operation = i;
    status = read_expression(parser, &node->a);
    if (!status && node->operation == AGGREGATE_BEST && !(status = read_expect_word(parser, "by")))
        status = read_expression(parser, &node->b);
    return status ? status : read_expect(parser, CLOSE, "')'");
}

/* forall p in Proposer: e; count p in Proposer: e */
static enum portolan_status parse_quantifier(struct parser *parser, struct node *node)
{
    bool is_pair = false;
    enum portolan_status status = read_new_name(parser, "a name", &node->name);
    if (!status)
        status = read_take(parser, COMMA, &is_pair);
    if (!status && is_pair) { /* forall p, q in T is forall p in T: forall q in T */
        if ((status = new_node(parser, NODE_QUANTIFIER, &node->a)))
            return status;
        node->a->operation = node->operation;
        status = parser->depth++ > DEEPEST_TREE ? lexer_expected(parser->lexer, parser->error, "'in'")
                                                : parse_quantifier(parser, node->a);
        parser->depth--;
        node->range = node->a->range;
    } else if (!status && !(status = read_expect_word(parser, "in"))) {
        status = read_type(parser, &node->range);
        if (!status)
            status = read_expect(parser, COLON, "':'");
        if (!status)
            status = read_expression(parser, &node->a);
    }
    return status ? status : close_node(parser, node);
}

static bool is_function(const char *name)
{
    static const char *const functions[] = {"max", "min", "sum", "count", "all", "some", "best", "size"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(name, functions[i]) == 0)
            return true;
    return false;
}

static enum portolan_status parse_named(struct parser *parser, struct node *node)
{
    static const char *const quantifiers[] = {"forall", "exists", "count"};
    enum portolan_status status = read_name(parser, "a name", &node->name);
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
        node->value = node->name[0] == 't';
        return PORTOLAN_OK;
    }
    if (is_function(node->name) && read_is(parser, OPEN))
        return parse_function(parser, node);
    status = read_bracketed(parser, &node->a);
    if (status || !read_is(parser, DOT))
        return status;
    node->kind = NODE_MEMBER;
    node->owner = node->name;
    if (!(status = read_advance(parser)))
        status = read_name(parser, "the name of a variable", &node->name);
    return status ? status : read_bracketed(parser, &node->b);
}

static enum portolan_status parse_operand(struct parser *parser, struct node **expression)
{
    const struct token *token = &parser->lexer->token;
    enum portolan_status status;
    if (token->kind == TOKEN_OPERATOR && token->symbol == OPEN) {
        if ((status = read_advance(parser)) || (status = read_expression(parser, expression)))
            return status;
        return read_expect(parser, CLOSE, "')'");
    }
    if ((status = new_node(parser, NODE_NAME, expression)))
        return status;
    struct node *node = *expression;
    if (token->kind == TOKEN_NAME) {
        status = parse_named(parser, node);
    } else if (token->kind == TOKEN_INTEGER) {
        if (token->value > 1000000)
            return lexer_fail(parser->lexer, &token->at, parser->error, "the number is larger than 1000000");
        node->kind = NODE_NUMBER;
        node->value = (int32_t)token->value;
        status = read_advance(parser);
    } else {
        return lexer_expected(parser->lexer, parser->error, "an expression");
    }
    return status ? status : close_node(parser, node);
}

static enum portolan_status parse_unary(struct parser *parser, struct node **expression)
{
    enum portolan_status status;
    bool is_not = read_is(parser, NOT) || read_is_word(parser, "not");
    if (parser->depth > DEEPEST_TREE)
        return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error,
                          "this is nested too deeply (more than %d levels)", DEEPEST_TREE);
    if (!is_not && !read_is(parser, MINUS))
        return parse_operand(parser, expression);
    if ((status = new_node(parser, NODE_UNARY, expression)))
        return status;
    struct node *node = *expression;
    node->operation = is_not ? NOT : MINUS;
    parser->depth++;
    if (!(status = read_advance(parser)))
        status = parse_unary(parser, &node->a);
    parser->depth--;
    return status ? status : close_node(parser, node);
}

/* e in S: binds as a comparison */
static enum portolan_status parse_membership(struct parser *parser, struct node **expression)
{
    struct node *node;
    enum portolan_status status = new_node(parser, NODE_IN, &node);
    if (status)
        return status;
    node->a = *expression;
    node->at = node->a->at;
    *expression = node;
    if (!(status = read_advance(parser)))
        status = read_name(parser, "the name of a set", &node->name);
    return status ? status : close_node(parser, node);
}

static enum portolan_status comparisons_chain(struct parser *parser)
{
    lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error, "comparisons do not chain");
    hint(parser->error, "write a < b && b < c, or parentheses");
    return PORTOLAN_BAD_INPUT;
}

static enum portolan_status parse_binary(struct parser *parser, unsigned weakest, struct node **expression)
{
    enum portolan_status status = parse_unary(parser, expression);
    const struct binary *binary;
    bool compared = false; /* what stands on the left is a comparison without parentheses */
    for (;;) {
        struct node *node;
        if (!status && weakest <= COMPARISON && read_is_word(parser, "in"))
            status = parse_membership(parser, expression);
        if (status || !(binary = binary_at(parser)) || binary->precedence < weakest)
            return status;
        if (compared && binary->precedence == COMPARISON)
            return comparisons_chain(parser);
        compared = binary->precedence == COMPARISON;
        if ((status = new_node(parser, NODE_BINARY, &node)))
            return status;
        node->operation = binary->symbol;
        node->a = *expression;
        node->at = node->a->at;
        *expression = node;
        unsigned next = binary->precedence + (binary->symbol != IMPLIES);
        if (!(status = read_advance(parser)))
            status = parse_binary(parser, next, &node->b);
        if (!status)
            status = close_node(parser, node);
    }
}

enum portolan_status read_expression(struct parser *parser, struct node **expression)
{
    if (++parser->depth > DEEPEST_TREE)
        return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error,
                          "this is nested too deeply (more than %d levels)", DEEPEST_TREE);
    enum portolan_status status = parse_binary(parser, 1, expression);
    struct node *node;
    if (!status && read_is(parser, QUESTION) && !(status = new_node(parser, NODE_CONDITIONAL, &node))) {
        node->a = *expression;
        node->at = node->a->at;
        *expression = node;
        if (!(status = read_advance(parser)))
            status = read_expression(parser, &node->b);
        if (!status)
            status = read_expect(parser, COLON, "':'");
        if (!status)
            status = read_expression(parser, &node->c);
        if (!status)
            status = close_node(parser, node);
    }
    parser->depth--;
    return status;
}

/* ----------------------------------------------------------------------- types */

static enum portolan_status parse_enumeration(struct parser *parser, struct type_node *type)
{
    struct literal **end = &type->literals;
    enum portolan_status status = read_advance(parser);
    bool more = true;
    type->kind = TYPE_ENUM;
    for (int32_t value = 0; more && !status; value++) {
        struct literal *literal;
        if ((status = read_get(parser, sizeof *literal, &literal)))
            return status;
        literal->at = parser->lexer->token.at;
        literal->value = value;
        *end = literal;
        end = &literal->next;
        if (!(status = read_new_name(parser, "a name", &literal->name)))
            status = read_take(parser, COMMA, &more);
    }
    return status ? status : read_expect(parser, CLOSE_BLOCK, "',' or '}'");
}

static enum portolan_status parse_collection(struct parser *parser, struct type_node *type)
{
    type->kind = read_is_word(parser, "set") ? TYPE_SET : TYPE_ARRAY;
    enum portolan_status status = read_advance(parser);
    if (!status && type->kind == TYPE_ARRAY) {
        if (!(status = read_expect(parser, OPEN_INDEX, "'['")))
            status = read_type(parser, &type->index);
        if (!status)
            status = read_expect(parser, CLOSE_INDEX, "']'");
    }
    if (!status)
        status = read_expect_word(parser, "of");
    return status ? status : read_type(parser, type->kind == TYPE_SET ? &type->index : &type->element);
}

enum portolan_status read_type(struct parser *parser, struct type_node **result)
{
    struct type_node *type;
    enum portolan_status status = read_get(parser, sizeof *type, &type);
    if (status)
        return status;
    *result = type;
    type->at = parser->lexer->token.at;
    if (parser->depth > DEEPEST_TREE)
        return lexer_fail(parser->lexer, &type->at, parser->error, "this is nested too deeply");
    parser->depth++;
    if (read_is(parser, OPEN_BLOCK)) {
        status = parse_enumeration(parser, type);
    } else if (read_is_word(parser, "bool")) {
        type->kind = TYPE_BOOL;
        status = read_advance(parser);
    } else if (read_is_word(parser, "set") || read_is_word(parser, "array")) {
        status = parse_collection(parser, type);
    } else if (!(status = parse_binary(parser, 5, &type->low))) {
        bool is_range = false;
        status = read_take(parser, RANGE, &is_range);
        if (!status && is_range) {
            status = parse_binary(parser, 5, &type->high);
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
