/* SPDX-License-Identifier: Apache-2.0 */
/* Our syntax: declarations of constants, variables, locks, conditions, functions and threads. */
#include "front/threads/ast.h"

#include "base/diagnostic.h"

/* = e, or = { e, e } for arrays */
static enum portolan_status parse_values(struct parser *parser, struct declaration *declaration)
{
    if (!declaration->is_array)
        return parse_expression(parser, &declaration->values);
    parser_expect(parser, "{", "'{', since this is an array,");
    for (struct node **end = &declaration->values; !parser_is(parser, "}"); end = &(*end)->next) {
        if (parse_expression(parser, end))
            return parser->status;
        if (!parser_take(parser, ","))
            break;
    }
    return parser_expect(parser, "}", "',' or '}'");
}

static enum portolan_status parse_constant(struct parser *parser)
{
    struct declaration *declaration = parser_declare(parser, DECLARED_CONSTANT);
    if (!declaration)
        return parser->status;
    parser_advance(parser);
    parser_take(parser, "int");
    declaration->at = parser->lexer->token.at;
    parser_new_name(parser, "the name of a constant", &declaration->name);
    parser_expect(parser, "=", "'='");
    parse_expression(parser, &declaration->values);
    return parser_expect(parser, ";", "';'");
}

/* lock m, cond c[2] */
static enum portolan_status parse_object(struct parser *parser, enum declaration_kind kind)
{
    do {
        struct declaration *declaration = parser_declare(parser, kind);
        if (!declaration || parser_advance(parser))
            return parser->status;
        declaration->at = parser->lexer->token.at;
        parser_new_name(parser, "a name", &declaration->name);
        declaration->is_array = parse_index(parser, &declaration->size);
    } while (parser_is(parser, ","));
    return parser_expect(parser, ";", "',' or ';'");
}

/* (int a, b): the type may be left out */
static enum portolan_status parse_parameters(struct parser *parser, struct declaration *declaration)
{
    parser_expect(parser, "(", "'('");
    if (parser_take(parser, ")"))
        return parser->status;
    struct node **end = &declaration->parameters;
    do {
        if (!(*end = parser_node(parser, NODE_DECLARE)))
            return parser->status;
        (*end)->type = parser_is(parser, "bool") ? TYPE_BOOL : TYPE_INT;
        if (parser_is(parser, "bool") || parser_is(parser, "int"))
            parser_advance(parser);
        parser_new_name(parser, "the name of a parameter", &(*end)->name);
        end = &(*end)->next;
    } while (parser_take(parser, ","));
    return parser->status;
}

static enum portolan_status parse_function(struct parser *parser, struct declaration *function)
{
    function->kind = DECLARED_FUNCTION;
    parse_parameters(parser, function);
    if (function->parameters)
        parser_expect(parser, ")", "',' or ')'");
    return parse_block(parser, &function->body);
}

/* Variables and functions look alike up to the name. */
static enum portolan_status parse_typed(struct parser *parser, bool is_atomic)
{
    enum type type = parser_is(parser, "bool") ? TYPE_BOOL : parser_is(parser, "int") ? TYPE_INT : TYPE_VOID;
    bool may_be_function = !is_atomic;
    do {
        struct declaration *declaration = parser_declare(parser, DECLARED_VARIABLE);
        if (!declaration || parser_advance(parser))
            return parser->status;
        declaration->type = type;
        declaration->is_atomic = is_atomic;
        declaration->at = parser->lexer->token.at;
        parser_new_name(parser, "a name", &declaration->name);
        if (may_be_function && (parser_is(parser, "(") || type == TYPE_VOID))
            return parse_function(parser, declaration);
        may_be_function = false;
        declaration->is_array = parse_index(parser, &declaration->size);
        if (parser_take(parser, "="))
            parse_values(parser, declaration);
    } while (parser_is(parser, ","));
    return parser_expect(parser, ";", "'=', ',' or ';'");
}

static enum portolan_status parse_atomic(struct parser *parser)
{
    parser_advance(parser);
    if (!parser_is(parser, "int") && !parser_is(parser, "bool"))
        return parser_expected(parser, "'int' or 'bool'");
    return parse_typed(parser, true);
}

/* * n, or in a..b within the parameters */
static enum portolan_status parse_instances(struct parser *parser, struct declaration *thread)
{
    bool range = parser_take(parser, "in");
    if (range) {
        parse_expression(parser, &thread->first);
        parser_expect(parser, "..", "'..'");
        parse_expression(parser, &thread->last);
    }
    if (thread->parameters || range)
        parser_expect(parser, ")", "',', 'in' or ')'");
    if (!range && parser_take(parser, "*"))
        parse_expression(parser, &thread->last);
    if (!parser->status && thread->last && thread->parameters && thread->parameters->next) {
        parser_fail(parser, &thread->at, "a thread with instances has one parameter, its number");
        hint(parser->error, "write thread %.40s(id) * 3, or start the threads with spawn", thread->name);
    }
    return parser->status;
}

static enum portolan_status parse_thread(struct parser *parser)
{
    struct declaration *thread = parser_declare(parser, DECLARED_THREAD);
    if (!thread)
        return parser->status;
    parser_advance(parser);
    thread->at = parser->lexer->token.at;
    parser_new_name(parser, "the name of a thread", &thread->name);
    bool parameters = parser_is(parser, "(");
    if (parameters)
        parse_parameters(parser, thread);
    parse_instances(parser, thread);
    thread->single = !parameters && !thread->last;
    return parse_block(parser, &thread->body);
}

enum portolan_status parse_program(struct parser *parser)
{
    while (!parser->status && parser->lexer->token.kind != TOKEN_END) {
        if (parser_is(parser, "const"))
            parse_constant(parser);
        else if (parser_is(parser, "lock"))
            parse_object(parser, DECLARED_LOCK);
        else if (parser_is(parser, "cond"))
            parse_object(parser, DECLARED_CONDITION);
        else if (parser_is(parser, "int") || parser_is(parser, "bool") || parser_is(parser, "void"))
            parse_typed(parser, false);
        else if (parser_is(parser, "atomic"))
            parse_atomic(parser);
        else if (parser_is(parser, "thread"))
            parse_thread(parser);
        else
            parser_expected(parser, "a declaration (const, int, bool, atomic, lock, cond, void or thread)");
    }
    return parser->status;
}
