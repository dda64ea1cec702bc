/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of our syntax: C's operators with C's precedence, by precedence climbing. */
#include "front/threads/ast.h"
#include "front/threads/symbols.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST_NESTING = 200 };

static const struct binary {
    enum symbol symbol;
    unsigned precedence;
    enum operation operation;
} binaries[] = {{SYMBOL_OR, 1, OPERATION_OR},
                {SYMBOL_AND, 2, OPERATION_AND},
                {SYMBOL_BIT_OR, 3, OPERATION_BIT_OR},
                {SYMBOL_BIT_XOR, 4, OPERATION_BIT_XOR},
                {SYMBOL_BIT_AND, 5, OPERATION_BIT_AND},
                {SYMBOL_EQUALS, 6, OPERATION_EQUAL},
                {SYMBOL_NOT_EQUAL, 6, OPERATION_NOT_EQUAL},
                {SYMBOL_LESS, 7, OPERATION_LESS},
                {SYMBOL_LESS_EQUAL, 7, OPERATION_LESS_EQUAL},
                {SYMBOL_GREATER, 7, OPERATION_GREATER},
                {SYMBOL_GREATER_EQUAL, 7, OPERATION_GREATER_EQUAL},
                {SYMBOL_SHIFT_LEFT, 8, OPERATION_SHIFT_LEFT},
                {SYMBOL_SHIFT_RIGHT, 8, OPERATION_SHIFT_RIGHT},
                {SYMBOL_PLUS, 9, OPERATION_ADD},
                {SYMBOL_MINUS, 9, OPERATION_SUBTRACT},
                {SYMBOL_TIMES, 10, OPERATION_MULTIPLY},
                {SYMBOL_OVER, 10, OPERATION_DIVIDE},
                {SYMBOL_MODULO, 10, OPERATION_REMAINDER}};

static const struct binary *binary_at(const struct token *token)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (token_is_operator(token, binaries[i].symbol))
            return &binaries[i];
    return NULL;
}

/* ( a, b, ... ) */
static enum portolan_status parse_arguments(struct parser *parser, struct node **list)
{
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN, "'('");
    if (status || token_is_operator(&parser->lexer->token, SYMBOL_CLOSE))
        return status ? status : parser_advance(parser);
    for (;;) {
        if ((status = parse_expression(parser, list)))
            return status;
        list = &(*list)->next;
        if (!token_is_operator(&parser->lexer->token, SYMBOL_COMMA))
            return parser_expect(parser, SYMBOL_CLOSE, "',' or ')'");
        if ((status = parser_advance(parser)))
            return status;
    }
}

/* Takes the list of arguments apart into the children of a built-in, which has `count` of them. */
static enum portolan_status parse_builtin(struct parser *parser, struct node *node, unsigned count)
{
    struct node *list = NULL;
    enum portolan_status status = parser_advance(parser);
    if (status || (status = parse_arguments(parser, &list)))
        return status;
    struct node **child[] = {&node->a, &node->b, &node->c};
    unsigned given = 0;
    for (struct node *argument = list, *next; argument; argument = next, given++) {
        next = argument->next;
        argument->next = NULL;
        if (given < count)
            *child[given] = argument;
    }
    if (given == count)
        return parser_close(parser, node);
    status = lexer_fail(parser->lexer, &node->at, parser->error, "%.*s takes %u argument%s, not %u",
                        (int)strcspn(node->start, "( \t\n"), node->start, count, count == 1 ? "" : "s", given);
    if (node->kind == NODE_CAS)
        hint(parser->error, "cas(x, old, new) writes new to x when x is old, and is true then");
    if (node->kind == NODE_FETCH_ADD)
        hint(parser->error, "fetch_add(x, n) adds n to x and gives the value before");
    return status;
}

static enum portolan_status parse_spawn(struct parser *parser, struct node *node)
{
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parser_name(parser, "the name of a thread", &node->name);
    if (!status)
        status = parse_arguments(parser, &node->a);
    return status ? status : parser_close(parser, node);
}

static enum portolan_status parse_named(struct parser *parser, struct node *node)
{
    static const struct {
        const char *word;
        enum node_kind kind;
        unsigned arguments;
    } builtins[] = {{"cas", NODE_CAS, 3}, {"fetch_add", NODE_FETCH_ADD, 2}, {"trylock", NODE_TRYLOCK, 1}};
    const struct token *token = &parser->lexer->token;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (token_is_word(token, builtins[i].word)) {
            node->kind = builtins[i].kind;
            return parse_builtin(parser, node, builtins[i].arguments);
        }
    if (token_is_word(token, "spawn")) {
        node->kind = NODE_SPAWN;
        return parse_spawn(parser, node);
    }
    if (token_is_word(token, "true") || token_is_word(token, "false")) {
        node->kind = NODE_INTEGER;
        node->value = token_is_word(token, "true");
        enum portolan_status status = parser_advance(parser);
        return status ? status : parser_close(parser, node);
    }
    enum portolan_status status = parser_name(parser, "a name", &node->name);
    if (!status && token_is_operator(token, SYMBOL_OPEN)) {
        node->kind = NODE_CALL;
        status = parse_arguments(parser, &node->a);
    } else if (!status && token_is_operator(token, SYMBOL_OPEN_INDEX)) {
        node->kind = NODE_INDEX;
        status = parser_advance(parser);
        if (!status)
            status = parse_expression(parser, &node->a);
        if (!status)
            status = parser_expect(parser, SYMBOL_CLOSE_INDEX, "']'");
    }
    return status ? status : parser_close(parser, node);
}

static enum portolan_status parse_unary(struct parser *parser, struct node **expression);

static enum portolan_status parse_operand(struct parser *parser, struct node **expression)
{
    const struct token *token = &parser->lexer->token;
    struct node *node = parser_node(parser, NODE_NAME);
    enum portolan_status status;
    if (!node)
        return parser_memory(parser);
    *expression = node;
    if (token->kind == TOKEN_NAME)
        return parse_named(parser, node);
    if (token->kind == TOKEN_INTEGER) {
        node->kind = NODE_INTEGER;
        status = parser_integer(parser, &node->value);
        return status ? status : parser_close(parser, node);
    }
    if (!token_is_operator(token, SYMBOL_OPEN))
        return lexer_expected(parser->lexer, parser->error, "an expression");
    status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, expression);
    return status ? status : parser_expect(parser, SYMBOL_CLOSE, "')'");
}

static enum portolan_status parse_unary(struct parser *parser, struct node **expression)
{
    const struct token *token = &parser->lexer->token;
    enum operation operation = token_is_operator(token, SYMBOL_MINUS)        ? OPERATION_NEGATE
                               : token_is_operator(token, SYMBOL_NOT)        ? OPERATION_NOT
                               : token_is_operator(token, SYMBOL_COMPLEMENT) ? OPERATION_COMPLEMENT
                                                                             : OPERATION_NONE;
    enum portolan_status status;
    if (++parser->depth > DEEPEST_NESTING)
        return lexer_fail(parser->lexer, &token->at, parser->error, "this is nested too deeply (more than %d levels)",
                          DEEPEST_NESTING);
    if (operation == OPERATION_NONE) {
        status = parse_operand(parser, expression);
    } else {
        struct node *node = parser_node(parser, NODE_UNARY);
        if (!node)
            return parser_memory(parser);
        node->operation = operation;
        *expression = node;
        status = parser_advance(parser);
        if (!status)
            status = parse_unary(parser, &node->a);
        if (!status)
            status = parser_close(parser, node);
    }
    parser->depth--;
    return status;
}

static enum portolan_status parse_binary(struct parser *parser, unsigned weakest, struct node **expression)
{
    enum portolan_status status = parse_unary(parser, expression);
    const struct binary *binary;
    while (!status && (binary = binary_at(&parser->lexer->token)) && binary->precedence >= weakest) {
        struct node *node = parser_node(parser, NODE_BINARY);
        if (!node)
            return parser_memory(parser);
        node->operation = binary->operation;
        node->a = *expression;
        node->at = node->a->at;
        node->start = node->a->start;
        *expression = node;
        status = parser_advance(parser);
        if (!status)
            status = parse_binary(parser, binary->precedence + 1, &node->b);
        if (!status)
            status = parser_close(parser, node);
    }
    return status;
}

enum portolan_status parse_expression(struct parser *parser, struct node **expression)
{
    enum portolan_status status = parse_binary(parser, 1, expression);
    if (status || !token_is_operator(&parser->lexer->token, SYMBOL_QUESTION))
        return status;
    struct node *node = parser_node(parser, NODE_CONDITIONAL);
    if (!node)
        return parser_memory(parser);
    node->a = *expression;
    node->at = node->a->at;
    node->start = node->a->start;
    *expression = node;
    if (++parser->depth > DEEPEST_NESTING)
        return lexer_fail(parser->lexer, &node->at, parser->error, "this is nested too deeply (more than %d levels)",
                          DEEPEST_NESTING);
    status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, &node->b);
    if (!status)
        status = parser_expect(parser, SYMBOL_COLON, "':'");
    if (!status)
        status = parse_expression(parser, &node->c);
    parser->depth--;
    return status ? status : parser_close(parser, node);
}
