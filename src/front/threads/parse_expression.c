/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of our syntax: C's operators with C's precedence. */
#include "front/threads/ast.h"
#include "front/threads/symbols.h"

#include "base/diagnostic.h"

#include <string.h>

static const struct operator binaries[] = {
    {.symbol = SYMBOL_OR, .precedence = 1, .operation = OPERATION_OR},
    {.symbol = SYMBOL_AND, .precedence = 2, .operation = OPERATION_AND},
    {.symbol = SYMBOL_BIT_OR, .precedence = 3, .operation = OPERATION_BIT_OR},
    {.symbol = SYMBOL_BIT_XOR, .precedence = 4, .operation = OPERATION_BIT_XOR},
    {.symbol = SYMBOL_BIT_AND, .precedence = 5, .operation = OPERATION_BIT_AND},
    {.symbol = SYMBOL_EQUALS, .precedence = 6, .operation = OPERATION_EQUAL},
    {.symbol = SYMBOL_NOT_EQUAL, .precedence = 6, .operation = OPERATION_NOT_EQUAL},
    {.symbol = SYMBOL_LESS, .precedence = 7, .operation = OPERATION_LESS},
    {.symbol = SYMBOL_LESS_EQUAL, .precedence = 7, .operation = OPERATION_LESS_EQUAL},
    {.symbol = SYMBOL_GREATER, .precedence = 7, .operation = OPERATION_GREATER},
    {.symbol = SYMBOL_GREATER_EQUAL, .precedence = 7, .operation = OPERATION_GREATER_EQUAL},
    {.symbol = SYMBOL_SHIFT_LEFT, .precedence = 8, .operation = OPERATION_SHIFT_LEFT},
    {.symbol = SYMBOL_SHIFT_RIGHT, .precedence = 8, .operation = OPERATION_SHIFT_RIGHT},
    {.symbol = SYMBOL_PLUS, .precedence = 9, .operation = OPERATION_ADD},
    {.symbol = SYMBOL_MINUS, .precedence = 9, .operation = OPERATION_SUBTRACT},
    {.symbol = SYMBOL_TIMES, .precedence = 10, .operation = OPERATION_MULTIPLY},
    {.symbol = SYMBOL_OVER, .precedence = 10, .operation = OPERATION_DIVIDE},
    {.symbol = SYMBOL_MODULO, .precedence = 10, .operation = OPERATION_REMAINDER},
    {.precedence = 0},
};

static const struct operator unaries[] = {
    {.symbol = SYMBOL_MINUS, .precedence = 1, .operation = OPERATION_NEGATE},
    {.symbol = SYMBOL_NOT, .precedence = 1, .operation = OPERATION_NOT},
    {.symbol = SYMBOL_COMPLEMENT, .precedence = 1, .operation = OPERATION_COMPLEMENT},
    {.precedence = 0},
};

/* Takes the list of arguments apart into the children of a built-in, which has `count` of them. */
static enum portolan_status parse_builtin(struct parser *parser, struct node *node, unsigned count)
{
    struct node *list = NULL;
    parser_advance(parser);
    if (parse_list(parser, SYMBOL_COMMA, &list))
        return parser->status;
    struct node **child[] = {&node->a, &node->b, &node->c};
    unsigned given = 0;
    for (struct node *argument = list, *next; argument; argument = next, given++) {
        next = argument->next;
        argument->next = NULL;
        if (given < count)
            *child[given] = argument;
    }
    if (given == count)
        return PORTOLAN_OK;
    parser_fail(parser, &node->at, "%.*s takes %u argument%s, not %u", (int)strcspn(node->start, "( \t\n"), node->start,
                count, count == 1 ? "" : "s", given);
    if (node->kind == NODE_CAS)
        hint(parser->error, "cas(x, old, new) writes new to x when x is old, and is true then");
    if (node->kind == NODE_FETCH_ADD)
        hint(parser->error, "fetch_add(x, n) adds n to x and gives the value before");
    return parser->status;
}

static enum portolan_status parse_named(struct parser *parser, struct node **expression)
{
    static const struct {
        const char *word;
        unsigned kind;
        unsigned arguments;
    } builtins[] = {{"cas", NODE_CAS, 3}, {"fetch_add", NODE_FETCH_ADD, 2}, {"trylock", NODE_TRYLOCK, 1}};
    struct node *node = *expression;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (parser_is_word(parser, builtins[i].word)) {
            node->kind = builtins[i].kind;
            return parse_builtin(parser, node, builtins[i].arguments);
        }
    if (parser_take_word(parser, "spawn")) {
        node->kind = NODE_SPAWN;
        parser_name(parser, "the name of a thread", &node->name);
        return parse_list(parser, SYMBOL_COMMA, &node->a);
    }
    if (parser_is_word(parser, "true") || parser_is_word(parser, "false")) {
        node->kind = NODE_INTEGER;
        node->value = parser_is_word(parser, "true");
        return parser_advance(parser);
    }
    parser_name(parser, parser->language->wanted, &node->name);
    if (parser_is(parser, SYMBOL_OPEN)) {
        node->kind = NODE_CALL;
        return parse_list(parser, SYMBOL_COMMA, &node->a);
    }
    if (parse_index(parser, &node->a))
        node->kind = NODE_INDEX;
    return parser->status;
}

const struct language program_language = {.binaries = binaries,
                                          .unaries = unaries,
                                          .open = SYMBOL_OPEN,
                                          .close = SYMBOL_CLOSE,
                                          .question = SYMBOL_QUESTION,
                                          .colon = SYMBOL_COLON,
                                          .open_index = SYMBOL_OPEN_INDEX,
                                          .close_index = SYMBOL_CLOSE_INDEX,
                                          .reserved = threads_reserved,
                                          .most_open = 200,
                                          .deepest = 400,
                                          .chains = true,
                                          .primary = parse_named,
                                          .wanted = "an expression",
                                          .largest = INT32_MAX,
                                          .integer = INTEGER_32};
