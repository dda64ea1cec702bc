/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of our syntax: C's operators with C's precedence. */
#include "front/threads/ast.h"

#include "base/diagnostic.h"

#include <string.h>

/* Takes the list of arguments apart into the children of a built-in, which has `count` of them. */
static enum portolan_status parse_builtin(struct parser *parser, struct node *node, unsigned count)
{
    struct node *list = NULL;
    parser_advance(parser);
    if (parse_list(parser, &list))
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
        if (parser_is(parser, builtins[i].word)) {
            node->kind = builtins[i].kind;
            return parse_builtin(parser, node, builtins[i].arguments);
        }
    if (parser_take(parser, "spawn")) {
        node->kind = NODE_SPAWN;
        parser_name(parser, "the name of a thread", &node->name);
        return parse_list(parser, &node->a);
    }
    if (parser_is(parser, "true") || parser_is(parser, "false")) {
        node->kind = NODE_INTEGER;
        node->value = parser_is(parser, "true");
        return parser_advance(parser);
    }
    parser_name(parser, parser->language->wanted, &node->name);
    if (parser_is(parser, "(")) {
        node->kind = NODE_CALL;
        return parse_list(parser, &node->a);
    }
    if (parse_index(parser, &node->a))
        node->kind = NODE_INDEX;
    return parser->status;
}

const struct language program_language = {.binaries = "|| && | ^ & == != < <= > >= << >> + - * / %",
                                          .unaries = "- ! ~",
                                          .question = "?",
                                          .reserved = threads_reserved,
                                          .most_open = 200,
                                          .deepest = 400,
                                          .chains = true,
                                          .primary = parse_named,
                                          .wanted = "an expression",
                                          .largest = INT32_MAX,
                                          .integer = INTEGER_32};
