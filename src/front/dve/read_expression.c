/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of DVE: C's operators, the logical ones also as words, the states and variables of other processes. */
#include "front/dve/ast.h"

#include <string.h>

const struct lexer_rules dve_rules = {
    .symbols = "( ) [ ] { } , ; : -> . ! ? = + - * / % & | ^ ~ < > <= >= == != << >> && || :="};

static const char *const reserved[] = {"and",   "or",     "not",     "imply",   "true",   "false",  "byte",     "int",
                                       "const", "state",  "init",    "trans",   "accept", "commit", "assert",   "guard",
                                       "sync",  "effect", "process", "channel", "system", "async",  "property", NULL};

/* x, x[e], P.state, P->x[e], true, false */
static enum portolan_status parse_named(struct parser *parser, struct node **expression)
{
    struct node *node = *expression;
    if (parser_is(parser, "true") || parser_is(parser, "false")) {
        node->kind = NODE_NUMBER;
        node->value = parser_is(parser, "true");
        return parser_advance(parser);
    }
    node->kind = NODE_ELEMENT;
    if (parser_name(parser, "a value", &node->name))
        return parser->status;
    if (parser_take(parser, ".")) {
        node->kind = NODE_AT;
        node->owner = node->name;
        return parser_name(parser, "the name of a state", &node->name);
    }
    if (parser_take(parser, "->")) {
        node->owner = node->name;
        parser_name(parser, "the name of a variable", &node->name);
    }
    parse_index(parser, &node->a);
    return parser->status;
}

/* DiVinE has "and" and "or" on one level, and likewise the operators of bits: a or b and c is (a or b) and c. */
static const struct operator own[] = {
    {"imply", PRECEDENCE_IMPLIES, OPERATION_IMPLIES, false, NULL},
    {"||", PRECEDENCE_OR, OPERATION_OR, false, NULL},
    {"or", PRECEDENCE_OR, OPERATION_OR, false, NULL},
    {"&&", PRECEDENCE_OR, OPERATION_AND, false, NULL},
    {"and", PRECEDENCE_OR, OPERATION_AND, false, NULL},
    {"|", PRECEDENCE_BIT_OR, OPERATION_BIT_OR, false, NULL},
    {"^", PRECEDENCE_BIT_OR, OPERATION_BIT_XOR, false, NULL},
    {"&", PRECEDENCE_BIT_OR, OPERATION_BIT_AND, false, NULL},
    {0},
};

const struct language dve_language = {
    .binaries = "== != < <= > >= << >> + - * / %",
    .own = own,
    .unaries = "- ! not ~",
    .reserved = reserved,
    .most_open = 300,
    .deepest = 1000,
    .chains = true,
    .primary = parse_named,
    .wanted = "a value",
    .largest = INT32_MAX,
    .integer = INTEGER_32,
};
