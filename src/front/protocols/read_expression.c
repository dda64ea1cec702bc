/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions and types of protocols: the usual operators, as symbols or as words. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST = 200, FUNCTION_SIZE = 7 };

/* e, or with highs e..e */
static enum portolan_status parse_argument(struct parser *parser, struct node **low, struct node **high)
{
    if (parse_expression(parser, low) || !high)
        return parser->status;
    if (parser_take(parser, ".."))
        return parse_expression(parser, high);
    if (!parser_get(parser, sizeof **high, high))
        **high = **low;
    return parser->status;
}

enum portolan_status read_arguments(struct parser *parser, struct node **list, struct node **highs)
{
    if (!parser_take(parser, "(") || parser_take(parser, ")"))
        return parser->status; /* a message without fields */
    do {
        if (parse_argument(parser, list, highs))
            return parser->status;
        list = &(*list)->next;
        highs = highs ? &(*highs)->next : NULL;
    } while (parser_take(parser, ","));
    return parser_expect(parser, ")", "',' or ')'");
}

/* max(e), best(e by k), size(S), count(e) */
static enum portolan_status parse_function(struct parser *parser, struct node *node, unsigned function)
{
    parser_advance(parser);
    if (function == FUNCTION_SIZE) {
        node->kind = NODE_SIZE;
        parser_name(parser, "the name of a set", &node->name);
    } else {
        node->kind = NODE_AGGREGATE;
        node->operation = function;
        parse_expression(parser, &node->a);
    }
    if (function == AGGREGATE_BEST && !parser_expect_word(parser, "by"))
        parse_expression(parser, &node->b);
    return parser_expect(parser, ")", "')'");
}

/* forall p in Proposer: e; count p in Proposer: e */
static enum portolan_status parse_quantifier(struct parser *parser, struct node *node)
{
    parser_new_name(parser, "a name", &node->name);
    if (parser_take(parser, ",")) { /* forall p, q in T is forall p in T: forall q in T */
        if (!(node->a = parser_node(parser, NODE_QUANTIFIER)))
            return parser->status;
        node->a->operation = node->operation;
        if (parser_enter(parser) || parse_quantifier(parser, node->a))
            return parser->status;
        parser->depth--;
        node->range = node->a->range;
    } else {
        parser_expect_word(parser, "in");
        read_type(parser, &node->range);
        parser_expect(parser, ":", "':'");
        parse_expression(parser, &node->a);
    }
    return parser_close(parser, node);
}

/* The number of the word, or that of those there are. */
static unsigned find_word(const char *const *words, const char *name)
{
    unsigned i = 0;
    while (words[i] && strcmp(words[i], name) != 0)
        i++;
    return i;
}

static enum portolan_status parse_named(struct parser *parser, struct node **expression)
{
    static const char *const quantifiers[] = {"forall", "exists", "count", NULL};
    static const char *const functions[] = {"max", "min", "sum", "count", "all", "some", "best", "size", NULL};
    struct node *node = *expression;
    if (parser_name(parser, parser->language->wanted, &node->name))
        return parser->status;
    unsigned quantifier = find_word(quantifiers, node->name), function = find_word(functions, node->name);
    if (quantifiers[quantifier] && parser->lexer->token.kind == TOKEN_NAME) {
        node->kind = NODE_QUANTIFIER;
        node->operation = quantifier;
        return parse_quantifier(parser, node);
    }
    if (strcmp(node->name, "true") == 0 || strcmp(node->name, "false") == 0) {
        node->kind = NODE_NUMBER;
        node->gives.kind = VALUE_BOOLEAN;
        node->value = node->name[0] == 't';
        return PORTOLAN_OK;
    }
    if (functions[function] && parser_is(parser, "("))
        return parse_function(parser, node, function);
    parse_index(parser, &node->a);
    if (!parser_take(parser, "."))
        return parser->status;
    node->kind = NODE_MEMBER;
    node->owner = node->name;
    parser_name(parser, "the name of a variable", &node->name);
    parse_index(parser, &node->b);
    return parser->status;
}

/* e in S */
static enum portolan_status parse_set(struct parser *parser, struct node *node)
{
    node->kind = NODE_IN;
    return parser_name(parser, "the name of a set", &node->name);
}

static const struct operator own[] = {{"in", PRECEDENCE_EQUALITY, OPERATION_EQUAL, false, parse_set}, {0}};

static const char *const reserved[] = {
    "protocol", "const",  "type",   "message", "channels", "crashes", "process",  "byzantine", "invariant", "final",
    "var",      "let",    "rule",   "may",     "any",      "on",      "when",     "do",        "of",        "from",
    "send",     "to",     "add",    "remove",  "clear",    "if",      "else",     "assert",    "in",        "others",
    "sender",   "forall", "exists", "count",   "and",      "or",      "not",      "implies",   "true",      "false",
    "bool",     "set",    "array",  "by",      "crashed",  "failed",  "majority", NULL};

const struct language protocols_language = {.binaries = "-> implies || or && and == != < > <= >= + - * / %",
                                            .unaries = "! not -",
                                            .own = own,
                                            .question = "?",
                                            .reserved = reserved,
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
    int32_t value = 0;
    type->kind = TYPE_ENUM;
    parser_advance(parser);
    do {
        if (parser_get(parser, sizeof **end, end))
            return parser->status;
        (*end)->at = parser->lexer->token.at;
        (*end)->value = value++;
        parser_new_name(parser, "a name", &(*end)->name);
        end = &(*end)->next;
    } while (parser_take(parser, ","));
    return parser_expect(parser, "}", "',' or '}'");
}

static enum portolan_status parse_collection(struct parser *parser, struct type_node *type)
{
    type->kind = parser_is(parser, "set") ? TYPE_SET : TYPE_ARRAY;
    parser_advance(parser);
    if (type->kind == TYPE_ARRAY) {
        parser_expect(parser, "[", "'['");
        read_type(parser, &type->index);
        parser_expect(parser, "]", "']'");
    }
    parser_expect_word(parser, "of");
    return read_type(parser, type->kind == TYPE_SET ? &type->index : &type->element);
}

/* LOW..HIGH, or the name of a type */
static enum portolan_status parse_range(struct parser *parser, struct type_node *type)
{
    if (parse_tight(parser, PRECEDENCE_SUM, &type->low) || parser_take(parser, ".."))
        return parse_tight(parser, PRECEDENCE_SUM, &type->high);
    if (!parser->status && type->low->kind == NODE_NAME && !type->low->a) {
        type->kind = TYPE_NAMED;
        type->name = type->low->name;
    } else if (!parser->status) {
        parser_expected(parser, "'..'");
        hint(parser->error, "a type is LOW..HIGH, bool, {a, b, c}, a process, set of T or array[T] of T");
    }
    return parser->status;
}

enum portolan_status read_type(struct parser *parser, struct type_node **result)
{
    struct type_node *type;
    if (parser_get(parser, sizeof *type, &type))
        return parser->status;
    *result = type;
    type->at = parser->lexer->token.at;
    if (parser->depth++ > DEEPEST)
        parser_fail(parser, &type->at, "this is nested too deeply");
    if (parser_is(parser, "{"))
        parse_enumeration(parser, type);
    else if (parser_is(parser, "set") || parser_is(parser, "array"))
        parse_collection(parser, type);
    else if (parser_take(parser, "bool"))
        type->kind = TYPE_BOOL;
    else
        parse_range(parser, type);
    parser->depth--;
    return parser->status;
}
