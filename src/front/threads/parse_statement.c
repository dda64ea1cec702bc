/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of our syntax. */
#include "front/threads/ast.h"
#include "front/threads/symbols.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST_NESTING = 200 };

enum portolan_status parse_block(struct parser *parser, struct node **block)
{
    struct node *node = parser_node(parser, NODE_BLOCK);
    if (!node)
        return parser_memory(parser);
    *block = node;
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN_BLOCK, "'{'");
    struct node **end = &node->a;
    while (!status && !parser_is(parser, SYMBOL_CLOSE_BLOCK)) {
        if ((status = parse_statement(parser, end)))
            return status;
        while (*end)
            end = &(*end)->next;
    }
    if (!status)
        status = parser_expect(parser, SYMBOL_CLOSE_BLOCK, "'}'");
    return status ? status : parser_close(parser, node);
}

/* int i = e, int a[3], bool b */
static enum portolan_status parse_local(struct parser *parser, struct node *node)
{
    node->type = parser_is_word(parser, "bool") ? TYPE_BOOL : TYPE_INT;
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parser_new_name(parser, "the name of a variable", &node->name);
    if (!status && parser_is(parser, SYMBOL_OPEN_INDEX)) {
        node->is_array = true;
        status = parser_advance(parser);
        if (!status)
            status = parse_expression(parser, &node->a);
        if (!status)
            status = parser_expect(parser, SYMBOL_CLOSE_INDEX, "']'");
    } else if (!status && parser_is(parser, SYMBOL_ASSIGN)) {
        status = parser_advance(parser);
        if (!status)
            status = parse_expression(parser, &node->b);
    }
    return status ? status : parser_close(parser, node);
}

/* The 1 of x++ and x--. */
static enum portolan_status one(struct parser *parser, struct node **expression)
{
    struct node *node = parser_node(parser, NODE_INTEGER);
    if (!node)
        return parser_memory(parser);
    node->value = 1;
    *expression = node;
    return parser_advance(parser);
}

/* x = e, x += e, x++, or an expression for its effects */
static enum portolan_status parse_assignment(struct parser *parser, struct node *node)
{
    static const struct {
        enum symbol symbol;
        enum operation operation;
    } updates[] = {{SYMBOL_ADD_ASSIGN, OPERATION_ADD},
                   {SYMBOL_SUBTRACT_ASSIGN, OPERATION_SUBTRACT},
                   {SYMBOL_MULTIPLY_ASSIGN, OPERATION_MULTIPLY}};
    enum portolan_status status = parse_expression(parser, &node->a);
    if (status)
        return status;
    if (parser_is(parser, SYMBOL_ASSIGN)) {
        node->kind = NODE_ASSIGN;
        status = parser_advance(parser);
        if (!status)
            status = parse_expression(parser, &node->b);
    } else if (parser_is(parser, SYMBOL_INCREMENT) || parser_is(parser, SYMBOL_DECREMENT)) {
        node->kind = NODE_UPDATE;
        node->operation = parser_is(parser, SYMBOL_INCREMENT) ? OPERATION_ADD : OPERATION_SUBTRACT;
        status = one(parser, &node->b);
    } else if (parser_is(parser, SYMBOL_ASSIGN_PRINTED)) {
        status = lexer_expected(parser->lexer, parser->error, "'=' or ';'");
        hint(parser->error, "':=' assigns in programs that start with '<'; here it is '='");
    } else {
        for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
            if (!parser_is(parser, updates[i].symbol))
                continue;
            node->kind = NODE_UPDATE;
            node->operation = updates[i].operation;
            status = parser_advance(parser);
            return status ? status : parse_expression(parser, &node->b);
        }
    }
    return status;
}

static enum portolan_status parse_condition(struct parser *parser, struct node **condition)
{
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN, "'('");
    if (!status)
        status = parse_expression(parser, condition);
    return status ? status : parser_expect(parser, SYMBOL_CLOSE, "')'");
}

static enum portolan_status parse_if(struct parser *parser, struct node *node)
{
    enum portolan_status status = parse_condition(parser, &node->a);
    if (!status)
        status = parse_statement(parser, &node->b);
    if (!status && parser_is_word(parser, "else")) {
        status = parser_advance(parser);
        if (!status)
            status = parse_statement(parser, &node->c);
    }
    return status;
}

static enum portolan_status parse_while(struct parser *parser, struct node *node)
{
    enum portolan_status status = parse_condition(parser, &node->a);
    return status ? status : parse_statement(parser, &node->b);
}

/* for (i in a..b) s */
static enum portolan_status parse_range(struct parser *parser, struct node *node)
{
    node->kind = NODE_FOR_RANGE;
    enum portolan_status status = parser_new_name(parser, "a name or a type", &node->name);
    if (!status && !parser_is_word(parser, "in"))
        status = lexer_expected(parser->lexer, parser->error, "'in'");
    if (!status)
        status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, &node->a);
    if (!status)
        status = parser_expect(parser, SYMBOL_RANGE, "'..'");
    if (!status)
        status = parse_expression(parser, &node->b);
    if (!status)
        status = parser_expect(parser, SYMBOL_CLOSE, "')'");
    return status ? status : parse_statement(parser, &node->c);
}

/* for (int i = a; c; i++) s becomes { int i = a; while (c) s } with the step between the rounds. */
static enum portolan_status parse_for(struct parser *parser, struct node *node)
{
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN, "'('");
    if (status || !(parser_is_word(parser, "int") || parser_is_word(parser, "bool")))
        return status ? status : parse_range(parser, node);
    struct node *first = parser_node(parser, NODE_DECLARE), *loop = parser_node(parser, NODE_WHILE);
    if (!first || !loop)
        return parser_memory(parser);
    loop->at = node->at;
    node->kind = NODE_BLOCK;
    node->a = first;
    first->next = loop;
    status = parse_local(parser, first);
    if (!status)
        status = parser_expect(parser, SYMBOL_SEMICOLON, "';'");
    if (!status)
        status = parse_expression(parser, &loop->a);
    if (!status)
        status = parser_expect(parser, SYMBOL_SEMICOLON, "';'");
    struct node *step = status ? NULL : parser_node(parser, NODE_EXPRESSION);
    if (!status && !step)
        status = parser_memory(parser);
    if (!status) {
        loop->c = step;
        status = parse_assignment(parser, step);
    }
    if (!status)
        status = parser_close(parser, step);
    if (!status)
        status = parser_expect(parser, SYMBOL_CLOSE, "')'");
    if (!status)
        status = parse_statement(parser, &loop->b);
    return status ? status : parser_close(parser, loop);
}

static enum portolan_status parse_return(struct parser *parser, struct node *node)
{
    return parser_is(parser, SYMBOL_SEMICOLON) ? PORTOLAN_OK : parse_expression(parser, &node->a);
}

static enum portolan_status parse_nothing(struct parser *parser, struct node *node)
{
    (void)parser;
    (void)node;
    return PORTOLAN_OK;
}

static enum portolan_status parse_one_argument(struct parser *parser, struct node *node)
{
    return parse_condition(parser, &node->a);
}

static enum portolan_status parse_two_arguments(struct parser *parser, struct node *node)
{
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN, "'('");
    if (!status)
        status = parse_expression(parser, &node->a);
    if (!status)
        status = parser_expect(parser, SYMBOL_COMMA, "',' and the lock");
    if (!status)
        status = parse_expression(parser, &node->b);
    return status ? status : parser_expect(parser, SYMBOL_CLOSE, "')'");
}

static enum portolan_status parse_atomic(struct parser *parser, struct node *node)
{
    return parse_block(parser, &node->a);
}

static const struct {
    const char *word;
    unsigned kind;
    bool semicolon; /* behind it */
    enum portolan_status (*parse)(struct parser *parser, struct node *node);
} keywords[] = {{"if", NODE_IF, false, parse_if},
                {"while", NODE_WHILE, false, parse_while},
                {"for", NODE_BLOCK, false, parse_for},
                {"break", NODE_BREAK, true, parse_nothing},
                {"continue", NODE_CONTINUE, true, parse_nothing},
                {"return", NODE_RETURN, true, parse_return},
                {"lock", NODE_LOCK, true, parse_one_argument},
                {"unlock", NODE_UNLOCK, true, parse_one_argument},
                {"wait", NODE_WAIT, true, parse_two_arguments},
                {"signal", NODE_SIGNAL, true, parse_one_argument},
                {"broadcast", NODE_BROADCAST, true, parse_one_argument},
                {"await", NODE_AWAIT, true, parse_one_argument},
                {"atomic", NODE_ATOMIC, false, parse_atomic},
                {"assert", NODE_ASSERT, true, parse_one_argument},
                {"join", NODE_JOIN, true, parse_one_argument},
                {"skip", NODE_SKIP, true, parse_nothing}};

static enum portolan_status parse_keyword(struct parser *parser, struct node *node, bool *known)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (!parser_is_word(parser, keywords[i].word))
            continue;
        *known = true;
        node->kind = keywords[i].kind;
        enum portolan_status status = parser_advance(parser);
        if (!status)
            status = keywords[i].parse(parser, node);
        if (!status)
            status = parser_close(parser, node);
        if (!status && keywords[i].semicolon)
            status = parser_expect(parser, SYMBOL_SEMICOLON, "';'");
        return status;
    }
    return PORTOLAN_OK;
}

static enum portolan_status parse_simple(struct parser *parser, struct node *node)
{
    bool known = false;
    enum portolan_status status = parse_keyword(parser, node, &known);
    if (status || known)
        return status;
    if (parser_is_word(parser, "int") || parser_is_word(parser, "bool")) {
        node->kind = NODE_DECLARE;
        status = parse_local(parser, node);
    } else {
        status = parse_assignment(parser, node);
        if (!status)
            status = parser_close(parser, node);
    }
    return status ? status : parser_expect(parser, SYMBOL_SEMICOLON, "';'");
}

enum portolan_status parse_statement(struct parser *parser, struct node **statement)
{
    if (++parser->depth > DEEPEST_NESTING)
        return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error,
                          "this is nested too deeply (more than %d levels)", DEEPEST_NESTING);
    enum portolan_status status;
    if (parser_is(parser, SYMBOL_OPEN_BLOCK)) {
        status = parse_block(parser, statement);
    } else {
        struct node *node = parser_node(parser, NODE_EXPRESSION);
        if (!node)
            return parser_memory(parser);
        *statement = node;
        status = parse_simple(parser, node);
    }
    parser->depth--;
    return status;
}
