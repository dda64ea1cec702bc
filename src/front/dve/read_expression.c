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

const struct language dve_language = {
    .binaries = "imply || or && and | ^ & == != < <= > >= << >> + - * / %",
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
