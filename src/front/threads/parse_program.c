/* SPDX-License-Identifier: Apache-2.0 */
/* Our syntax: declarations of constants, variables, locks, conditions, functions and threads. */
#include "front/threads/ast.h"
#include "front/threads/symbols.h"

#include "base/diagnostic.h"

static enum portolan_status parse_size(struct parser *parser, struct declaration *declaration)
{
    if (!parser_is(parser, SYMBOL_OPEN_INDEX))
        return PORTOLAN_OK;
    declaration->is_array = true;
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, &declaration->size);
    return status ? status : parser_expect(parser, SYMBOL_CLOSE_INDEX, "']'");
}

/* = e, or = { e, e } for arrays */
static enum portolan_status parse_values(struct parser *parser, struct declaration *declaration)
{
    enum portolan_status status = parser_advance(parser);
    if (status || !declaration->is_array)
        return status ? status : parse_expression(parser, &declaration->values);
    status = parser_expect(parser, SYMBOL_OPEN_BLOCK, "'{', since this is an array,");
    for (struct node **end = &declaration->values; !status && !parser_is(parser, SYMBOL_CLOSE_BLOCK);) {
        status = parse_expression(parser, end);
        if (status)
            return status;
        end = &(*end)->next;
        if (!parser_is(parser, SYMBOL_COMMA))
            break;
        status = parser_advance(parser);
    }
    return status ? status : parser_expect(parser, SYMBOL_CLOSE_BLOCK, "',' or '}'");
}

static enum portolan_status parse_constant(struct parser *parser)
{
    struct declaration *declaration = parser_declare(parser, DECLARED_CONSTANT);
    if (!declaration)
        return parser_memory(parser);
    enum portolan_status status = parser_advance(parser);
    if (!status && parser_is_word(parser, "int"))
        status = parser_advance(parser);
    declaration->at = parser->lexer->token.at;
    if (!status)
        status = parser_new_name(parser, "the name of a constant", &declaration->name);
    if (!status)
        status = parser_expect(parser, SYMBOL_ASSIGN, "'='");
    if (!status)
        status = parse_expression(parser, &declaration->values);
    return status ? status : parser_expect(parser, SYMBOL_SEMICOLON, "';'");
}

/* lock m, cond c[2] */
static enum portolan_status parse_object(struct parser *parser, enum declaration_kind kind)
{
    enum portolan_status status;
    do {
        struct declaration *declaration = parser_declare(parser, kind);
        if (!declaration)
            return parser_memory(parser);
        status = parser_advance(parser);
        declaration->at = parser->lexer->token.at;
        if (!status)
            status = parser_new_name(parser, "a name", &declaration->name);
        if (!status)
            status = parse_size(parser, declaration);
    } while (!status && parser_is(parser, SYMBOL_COMMA));
    return status ? status : parser_expect(parser, SYMBOL_SEMICOLON, "',' or ';'");
}

/* (int a, b): the type may be left out */
static enum portolan_status parse_parameters(struct parser *parser, struct declaration *declaration)
{
    enum portolan_status status = parser_expect(parser, SYMBOL_OPEN, "'('");
    if (status || parser_is(parser, SYMBOL_CLOSE))
        return status ? status : parser_advance(parser);
    for (struct node **end = &declaration->parameters;; end = &(*end)->next) {
        struct node *node = parser_node(parser, NODE_DECLARE);
        if (!node)
            return parser_memory(parser);
        *end = node;
        node->type = parser_is_word(parser, "bool") ? TYPE_BOOL : TYPE_INT;
        if (parser_is_word(parser, "bool") || parser_is_word(parser, "int"))
            status = parser_advance(parser);
        if (!status)
            status = parser_new_name(parser, "the name of a parameter", &node->name);
        if (status || !parser_is(parser, SYMBOL_COMMA))
            return status;
        status = parser_advance(parser);
        if (status)
            return status;
    }
}

static enum portolan_status parse_function(struct parser *parser, struct declaration *function)
{
    function->kind = DECLARED_FUNCTION;
    enum portolan_status status = parse_parameters(parser, function);
    if (!status && function->parameters)
        status = parser_expect(parser, SYMBOL_CLOSE, "',' or ')'");
    return status ? status : parse_block(parser, &function->body);
}

/* Variables and functions look alike up to the name. */
static enum portolan_status parse_typed(struct parser *parser, bool is_atomic)
{
    enum type type = parser_is_word(parser, "bool") ? TYPE_BOOL : parser_is_word(parser, "int") ? TYPE_INT : TYPE_VOID;
    enum portolan_status status;
    for (bool first = true;; first = false) {
        struct declaration *declaration = parser_declare(parser, DECLARED_VARIABLE);
        if (!declaration)
            return parser_memory(parser);
        declaration->type = type;
        declaration->is_atomic = is_atomic;
        status = parser_advance(parser);
        declaration->at = parser->lexer->token.at;
        if (!status)
            status = parser_new_name(parser, "a name", &declaration->name);
        if (!status && first && !is_atomic && (parser_is(parser, SYMBOL_OPEN) || type == TYPE_VOID))
            return parse_function(parser, declaration);
        if (!status)
            status = parse_size(parser, declaration);
        if (!status && parser_is(parser, SYMBOL_ASSIGN))
            status = parse_values(parser, declaration);
        if (status || !parser_is(parser, SYMBOL_COMMA))
            return status ? status : parser_expect(parser, SYMBOL_SEMICOLON, "'=', ',' or ';'");
    }
}

static enum portolan_status parse_atomic(struct parser *parser)
{
    enum portolan_status status = parser_advance(parser);
    if (!status && !parser_is_word(parser, "int") && !parser_is_word(parser, "bool"))
        return lexer_expected(parser->lexer, parser->error, "'int' or 'bool'");
    return status ? status : parse_typed(parser, true);
}

/* * n, or in a..b within the parameters */
static enum portolan_status parse_instances(struct parser *parser, struct declaration *thread)
{
    bool range = parser_is_word(parser, "in");
    enum portolan_status status = PORTOLAN_OK;
    if (range) {
        status = parser_advance(parser);
        if (!status)
            status = parse_expression(parser, &thread->first);
        if (!status)
            status = parser_expect(parser, SYMBOL_RANGE, "'..'");
        if (!status)
            status = parse_expression(parser, &thread->last);
    }
    if (!status && (thread->parameters || range))
        status = parser_expect(parser, SYMBOL_CLOSE, "',', 'in' or ')'");
    if (!status && !range && parser_is(parser, SYMBOL_TIMES)) {
        status = parser_advance(parser);
        if (!status)
            status = parse_expression(parser, &thread->last);
    }
    return status;
}

static enum portolan_status check_instances(struct parser *parser, const struct declaration *thread)
{
    if (!thread->last || !thread->parameters || !thread->parameters->next)
        return PORTOLAN_OK;
    enum portolan_status status =
        lexer_fail(parser->lexer, &thread->at, parser->error, "a thread with instances has one parameter, its number");
    hint(parser->error, "write thread %.40s(id) * 3, or start the threads with spawn", thread->name);
    return status;
}

static enum portolan_status parse_thread(struct parser *parser)
{
    struct declaration *thread = parser_declare(parser, DECLARED_THREAD);
    if (!thread)
        return parser_memory(parser);
    enum portolan_status status = parser_advance(parser);
    thread->at = parser->lexer->token.at;
    if (!status)
        status = parser_new_name(parser, "the name of a thread", &thread->name);
    bool parameters = parser_is(parser, SYMBOL_OPEN);
    if (!status && parameters)
        status = parse_parameters(parser, thread);
    if (!status)
        status = parse_instances(parser, thread);
    if (!status)
        status = check_instances(parser, thread);
    thread->single = !parameters && !thread->last;
    return status ? status : parse_block(parser, &thread->body);
}

enum portolan_status parse_program(struct parser *parser)
{
    enum portolan_status status = PORTOLAN_OK;
    while (!status && parser->lexer->token.kind != TOKEN_END) {
        if (parser_is_word(parser, "const"))
            status = parse_constant(parser);
        else if (parser_is_word(parser, "lock"))
            status = parse_object(parser, DECLARED_LOCK);
        else if (parser_is_word(parser, "cond"))
            status = parse_object(parser, DECLARED_CONDITION);
        else if (parser_is_word(parser, "int") || parser_is_word(parser, "bool") || parser_is_word(parser, "void"))
            status = parse_typed(parser, false);
        else if (parser_is_word(parser, "atomic"))
            status = parse_atomic(parser);
        else if (parser_is_word(parser, "thread"))
            status = parse_thread(parser);
        else
            status = lexer_expected(parser->lexer, parser->error,
                                    "a declaration (const, int, bool, atomic, lock, cond, void or thread)");
    }
    return status;
}
