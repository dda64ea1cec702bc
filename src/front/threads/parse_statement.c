/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of our syntax. */
#include "front/threads/ast.h"

#include "base/diagnostic.h"

enum portolan_status parse_block(struct parser *parser, struct node **block)
{
    struct node *node = *block = parser_node(parser, NODE_BLOCK);
    if (!node || parser_expect(parser, "{", "'{'"))
        return parser->status;
    for (struct node **end = &node->a; !parser_is(parser, "}");) {
        if (parse_statement(parser, end))
            return parser->status;
        while (*end)
            end = &(*end)->next;
    }
    parser_advance(parser);
    return parser_close(parser, node);
}

/* int i = e, int a[3], bool b */
static enum portolan_status parse_local(struct parser *parser, struct node *node)
{
    node->type = parser_is(parser, "bool") ? TYPE_BOOL : TYPE_INT;
    parser_advance(parser);
    parser_new_name(parser, "the name of a variable", &node->name);
    node->is_array = parse_index(parser, &node->a);
    if (!node->is_array && parser_take(parser, "="))
        parse_expression(parser, &node->b);
    return parser_close(parser, node);
}

/* x = e, x += e, x++, or an expression for its effects */
static enum portolan_status parse_assignment(struct parser *parser, struct node *node)
{
    static const struct {
        const char *symbol;
        enum operation operation;
        bool by_one;
    } updates[] = {{"+=", OPERATION_ADD, false},
                   {"-=", OPERATION_SUBTRACT, false},
                   {"*=", OPERATION_MULTIPLY, false},
                   {"++", OPERATION_ADD, true},
                   {"--", OPERATION_SUBTRACT, true}};
    parse_expression(parser, &node->a);
    if (parser_take(parser, "=")) {
        node->kind = NODE_ASSIGN;
        return parse_expression(parser, &node->b);
    }
    if (parser_is(parser, ":=")) {
        parser_expected(parser, "'=' or ';'");
        hint(parser->error, "':=' assigns in programs that start with '<'; here it is '='");
    }
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        if (!parser_is(parser, updates[i].symbol))
            continue;
        node->kind = NODE_UPDATE;
        node->operation = updates[i].operation;
        if (updates[i].by_one && (node->b = parser_node(parser, NODE_INTEGER)))
            node->b->value = 1;
        parser_advance(parser);
        return updates[i].by_one ? parser->status : parse_expression(parser, &node->b);
    }
    return parser->status;
}

static enum portolan_status parse_condition(struct parser *parser, struct node **condition)
{
    parser_expect(parser, "(", "'('");
    parse_expression(parser, condition);
    return parser_expect(parser, ")", "')'");
}

static enum portolan_status parse_if(struct parser *parser, struct node *node)
{
    parse_condition(parser, &node->a);
    parse_statement(parser, &node->b);
    return parser_take(parser, "else") ? parse_statement(parser, &node->c) : parser->status;
}

static enum portolan_status parse_while(struct parser *parser, struct node *node)
{
    parse_condition(parser, &node->a);
    return parse_statement(parser, &node->b);
}

/* for (i in a..b) s */
static enum portolan_status parse_range(struct parser *parser, struct node *node)
{
    node->kind = NODE_FOR_RANGE;
    parser_new_name(parser, "a name or a type", &node->name);
    parser_expect_word(parser, "in");
    parse_expression(parser, &node->a);
    parser_expect(parser, "..", "'..'");
    parse_expression(parser, &node->b);
    parser_expect(parser, ")", "')'");
    return parse_statement(parser, &node->c);
}

/* for (int i = a; c; i++) s becomes { int i = a; while (c) s } with the step between the rounds. */
static enum portolan_status parse_for(struct parser *parser, struct node *node)
{
    parser_expect(parser, "(", "'('");
    if (!parser_is(parser, "int") && !parser_is(parser, "bool"))
        return parse_range(parser, node);
    struct node *first = parser_node(parser, NODE_DECLARE), *loop = parser_node(parser, NODE_WHILE);
    if (!first || !loop)
        return parser->status;
    loop->at = node->at;
    node->kind = NODE_BLOCK;
    node->a = first;
    first->next = loop;
    parse_local(parser, first);
    parser_expect(parser, ";", "';'");
    parse_expression(parser, &loop->a);
    parser_expect(parser, ";", "';'");
    if (!(loop->c = parser_node(parser, NODE_EXPRESSION)))
        return parser->status;
    parse_assignment(parser, loop->c);
    parser_close(parser, loop->c);
    parser_expect(parser, ")", "')'");
    parse_statement(parser, &loop->b);
    return parser_close(parser, loop);
}

static enum portolan_status parse_return(struct parser *parser, struct node *node)
{
    return parser_is(parser, ";") ? PORTOLAN_OK : parse_expression(parser, &node->a);
}

static enum portolan_status parse_one_argument(struct parser *parser, struct node *node)
{
    return parse_condition(parser, &node->a);
}

static enum portolan_status parse_two_arguments(struct parser *parser, struct node *node)
{
    parser_expect(parser, "(", "'('");
    parse_expression(parser, &node->a);
    parser_expect(parser, ",", "',' and the lock");
    parse_expression(parser, &node->b);
    return parser_expect(parser, ")", "')'");
}

static enum portolan_status parse_atomic(struct parser *parser, struct node *node)
{
    return parse_block(parser, &node->a);
}

static const struct {
    const char *word;
    unsigned kind;
    bool semicolon;                                                          /* behind it */
    enum portolan_status (*parse)(struct parser *parser, struct node *node); /* NULL: it is the word alone */
} keywords[] = {{"if", NODE_IF, false, parse_if},
                {"while", NODE_WHILE, false, parse_while},
                {"for", NODE_BLOCK, false, parse_for},
                {"break", NODE_BREAK, true, NULL},
                {"continue", NODE_CONTINUE, true, NULL},
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
                {"skip", NODE_SKIP, true, NULL}};

static bool parse_keyword(struct parser *parser, struct node *node)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (!parser_is(parser, keywords[i].word))
            continue;
        node->kind = keywords[i].kind;
        parser_advance(parser);
        if (keywords[i].parse)
            keywords[i].parse(parser, node);
        parser_close(parser, node);
        if (keywords[i].semicolon)
            parser_expect(parser, ";", "';'");
        return true;
    }
    return false;
}

static enum portolan_status parse_simple(struct parser *parser, struct node *node)
{
    if (!node || parse_keyword(parser, node))
        return parser->status;
    if (parser_is(parser, "int") || parser_is(parser, "bool")) {
        node->kind = NODE_DECLARE;
        parse_local(parser, node);
    } else {
        parse_assignment(parser, node);
        parser_close(parser, node);
    }
    return parser_expect(parser, ";", "';'");
}

enum portolan_status parse_statement(struct parser *parser, struct node **statement)
{
    parser_enter(parser);
    if (parser_is(parser, "{"))
        parse_block(parser, statement);
    else
        parse_simple(parser, *statement = parser_node(parser, NODE_EXPRESSION));
    parser->depth--;
    return parser->status;
}
