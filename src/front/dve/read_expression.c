/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of DVE: C's operators, the logical ones also as words, the states and variables of other processes. */
#include "front/dve/symbols.h"

#include <string.h>

static const char *const symbols[] = {"(", ")",  "[",  "]",  "{",  "}",  ",",  ";",  ":",  "->", ".", "!",
                                      "?", "=",  "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~", "<",
                                      ">", "<=", ">=", "==", "!=", "<<", ">>", "&&", "||", ":=", NULL};

const struct lexer_rules dve_rules = {.operators = symbols};

/* "imply" binds weakest. */
static const struct operator binaries[] = {
    {.symbol = NO_SYMBOL, .word = "imply", .precedence = 1, .operation = OPERATION_IMPLIES, .groups_right = true},
    {.symbol = SYMBOL_OR, .word = "or", .precedence = 2, .operation = OPERATION_OR},
    {.symbol = SYMBOL_AND, .word = "and", .precedence = 3, .operation = OPERATION_AND},
    {.symbol = SYMBOL_BIT_OR, .precedence = 4, .operation = OPERATION_BIT_OR},
    {.symbol = SYMBOL_BIT_XOR, .precedence = 5, .operation = OPERATION_BIT_XOR},
    {.symbol = SYMBOL_BIT_AND, .precedence = 6, .operation = OPERATION_BIT_AND},
    {.symbol = SYMBOL_EQUALS, .precedence = 7, .operation = OPERATION_EQUAL},
    {.symbol = SYMBOL_NOT_EQUAL, .precedence = 7, .operation = OPERATION_NOT_EQUAL},
    {.symbol = SYMBOL_LESS, .precedence = 8, .operation = OPERATION_LESS},
    {.symbol = SYMBOL_LESS_EQUAL, .precedence = 8, .operation = OPERATION_LESS_EQUAL},
    {.symbol = SYMBOL_GREATER, .precedence = 8, .operation = OPERATION_GREATER},
    {.symbol = SYMBOL_GREATER_EQUAL, .precedence = 8, .operation = OPERATION_GREATER_EQUAL},
    {.symbol = SYMBOL_SHIFT_LEFT, .precedence = 9, .operation = OPERATION_SHIFT_LEFT},
    {.symbol = SYMBOL_SHIFT_RIGHT, .precedence = 9, .operation = OPERATION_SHIFT_RIGHT},
    {.symbol = SYMBOL_PLUS, .precedence = 10, .operation = OPERATION_ADD},
    {.symbol = SYMBOL_MINUS, .precedence = 10, .operation = OPERATION_SUBTRACT},
    {.symbol = SYMBOL_TIMES, .precedence = 11, .operation = OPERATION_MULTIPLY},
    {.symbol = SYMBOL_OVER, .precedence = 11, .operation = OPERATION_DIVIDE},
    {.symbol = SYMBOL_MODULO, .precedence = 11, .operation = OPERATION_REMAINDER},
    {.precedence = 0},
};

static const struct operator unaries[] = {
    {.symbol = SYMBOL_MINUS, .precedence = 1, .operation = OPERATION_NEGATE},
    {.symbol = SYMBOL_EXCLAMATION, .word = "not", .precedence = 1, .operation = OPERATION_NOT},
    {.symbol = SYMBOL_COMPLEMENT, .precedence = 1, .operation = OPERATION_COMPLEMENT},
    {.precedence = 0},
};

static const char *const reserved[] = {"and",   "or",     "not",     "imply",   "true",   "false",  "byte",     "int",
                                       "const", "state",  "init",    "trans",   "accept", "commit", "assert",   "guard",
                                       "sync",  "effect", "process", "channel", "system", "async",  "property", NULL};

/* x, x[e], P.state, P->x[e], true, false */
static enum portolan_status parse_named(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    if (parser_is_word(parser, "true") || parser_is_word(parser, "false")) {
        node->kind = NODE_NUMBER;
        node->value = parser_is_word(parser, "true");
        return parser_advance(parser);
    }
    node->kind = NODE_ELEMENT;
    if (parser_name(parser, "a value", &node->name))
        return parser->status;
    if (parser_take(parser, SYMBOL_DOT)) {
        node->kind = NODE_AT;
        node->owner = node->name;
        return parser_name(parser, "the name of a state", &node->name);
    }
    if (parser_take(parser, SYMBOL_ARROW)) {
        node->owner = node->name;
        parser_name(parser, "the name of a variable", &node->name);
    }
    parse_index(parser, &node->a);
    return parser->status;
}

const struct language dve_language = {
    .binaries = binaries,
    .unaries = unaries,
    .open = SYMBOL_OPEN,
    .close = SYMBOL_CLOSE,
    .question = NO_SYMBOL,
    .colon = NO_SYMBOL,
    .open_index = SYMBOL_OPEN_INDEX,
    .close_index = SYMBOL_CLOSE_INDEX,
    .reserved = reserved,
    .most_open = 300,
    .deepest = 1000,
    .chains = true,
    .primary = parse_named,
    .wanted = "a value",
    .largest = INT32_MAX,
    .integer = INTEGER_32,
};
