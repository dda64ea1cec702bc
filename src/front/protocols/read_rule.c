/* SPDX-License-Identifier: Apache-2.0 */
/* Reading rules: what a process waits for, and what it then does. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST_BLOCK = 100 };

/* A process, one of them by its index, those in a set, all others of the own type, or who sent the message. */
static enum portolan_status parse_destination(struct parser *parser, struct destination **result)
{
    struct destination *destination;
    if (parser_get(parser, sizeof *destination, &destination))
        return parser->status;
    *result = destination;
    destination->at = parser->lexer->token.at;
    if (parser_is(parser, "others") || parser_is(parser, "sender")) {
        destination->kind = parser_is(parser, "others") ? TO_OTHERS : TO_SENDER;
        return parser_advance(parser);
    }
    parser_name(parser, "a process, 'others' or 'sender'", &destination->name);
    destination->kind = parse_index(parser, &destination->index) ? TO_ONE : TO_TYPE;
    if (destination->index || !parser_take(parser, "in"))
        return parser->status;
    destination->kind = TO_SET;
    if (!(destination->index = parser_node(parser, NODE_SIZE)))
        return parser->status;
    return parser_name(parser, "the name of a set", &destination->index->name);
}

enum portolan_status read_destinations(struct parser *parser, struct destination **list)
{
    do {
        if (parse_destination(parser, list))
            return parser->status;
        list = &(*list)->next;
    } while (parser_take(parser, ","));
    return parser->status;
}

/* ------------------------------------------------------------------ statements */

static enum portolan_status parse_block(struct parser *parser, struct statement **list);

static enum portolan_status parse_if(struct parser *parser, struct statement *statement)
{
    statement->kind = STATEMENT_IF;
    parser_advance(parser);
    parse_expression(parser, &statement->value);
    parse_block(parser, &statement->body);
    if (!parser_take(parser, "else"))
        return parser->status;
    if (!parser_is(parser, "if"))
        return parse_block(parser, &statement->otherwise);
    if (parser_get(parser, sizeof *statement->otherwise, &statement->otherwise))
        return parser->status;
    statement->otherwise->at = parser->lexer->token.at;
    if (++parser->depth > DEEPEST_BLOCK)
        return parser_fail(parser, &statement->at, "this is nested too deeply");
    parse_if(parser, statement->otherwise);
    parser->depth--;
    return parser->status;
}

static enum portolan_status parse_send(struct parser *parser, struct statement *statement)
{
    statement->kind = STATEMENT_SEND;
    parser_advance(parser);
    statement->at = parser->lexer->token.at;
    parser_name(parser, "the name of a message", &statement->name);
    read_arguments(parser, &statement->arguments, NULL);
    parser_expect_word(parser, "to");
    return read_destinations(parser, &statement->destinations);
}

static enum portolan_status parse_target(struct parser *parser, struct statement *statement)
{
    if (!(statement->target = parser_node(parser, NODE_NAME)))
        return parser->status;
    parser_name(parser, "the name of a variable", &statement->target->name);
    parse_index(parser, &statement->target->a);
    return parser->status;
}

/* add e to S, remove e from S */
static enum portolan_status parse_change_of_set(struct parser *parser, struct statement *statement)
{
    bool adds = parser_is(parser, "add");
    statement->kind = adds ? STATEMENT_ADD : STATEMENT_REMOVE;
    parser_advance(parser);
    parse_expression(parser, &statement->value);
    parser_expect_word(parser, adds ? "to" : "from");
    return parse_target(parser, statement);
}

static enum portolan_status parse_assignment(struct parser *parser, struct statement *statement)
{
    statement->kind = STATEMENT_ASSIGN;
    parse_target(parser, statement);
    parser_expect(parser, "=", "'='");
    return parse_expression(parser, &statement->value);
}

static enum portolan_status parse_statement(struct parser *parser, struct statement **result)
{
    struct statement *statement;
    if (parser_get(parser, sizeof *statement, &statement))
        return parser->status;
    *result = statement;
    statement->at = parser->lexer->token.at;
    if (parser_is(parser, "send")) {
        parse_send(parser, statement);
    } else if (parser_is(parser, "if")) {
        parse_if(parser, statement);
    } else if (parser_is(parser, "add") || parser_is(parser, "remove")) {
        parse_change_of_set(parser, statement);
    } else if (parser_take(parser, "clear")) {
        statement->kind = STATEMENT_CLEAR;
        parse_target(parser, statement);
    } else if (parser_take(parser, "assert")) {
        statement->kind = STATEMENT_ASSERT;
        parse_expression(parser, &statement->value);
    } else {
        parse_assignment(parser, statement);
    }
    parser_take(parser, ";");
    return parser->status;
}

static enum portolan_status parse_block(struct parser *parser, struct statement **list)
{
    parser_expect(parser, "{", "'{'");
    if (++parser->depth > DEEPEST_BLOCK)
        parser_fail(parser, &parser->lexer->token.at, "this is nested too deeply");
    for (; !parser_is(parser, "}"); list = &(*list)->next)
        if (parse_statement(parser, list))
            return parser->status;
    parser->depth--;
    return parser_advance(parser);
}

/* ----------------------------------------------------------------------- rules */

/* any v in Value, w in Value */
static enum portolan_status parse_choices(struct parser *parser, struct binder **list)
{
    parser_advance(parser);
    do {
        if (parser_get(parser, sizeof **list, list))
            return parser->status;
        (*list)->at = parser->lexer->token.at;
        parser_new_name(parser, "a name", &(*list)->name);
        parser_expect_word(parser, "in");
        read_type(parser, &(*list)->type);
        list = &(*list)->next;
    } while (parser_take(parser, ","));
    return parser->status;
}

/* The name of the single message has been read as an expression when no "of" follows. */
static enum portolan_status parse_quorum(struct parser *parser, struct rule *rule)
{
    rule->input = INPUT_QUORUM;
    if (parser->lexer->token.kind == TOKEN_INTEGER || parser_is(parser, "(")) {
        parse_expression(parser, &rule->count);
    } else {
        parser_name(parser, "the name of a message, 'majority' or a number", &rule->message_name);
        if (!parser_is(parser, "of")) {
            rule->input = INPUT_ONE;
            return parser->status;
        }
        rule->majority = strcmp(rule->message_name, "majority") == 0;
        if (!rule->majority && (rule->count = parser_node(parser, NODE_NAME))) {
            rule->count->at = rule->input_at;
            rule->count->name = rule->message_name;
        }
    }
    parser_expect_word(parser, "of");
    rule->input_at = parser->lexer->token.at;
    return parser_name(parser, "the name of a message", &rule->message_name);
}

/* on prepare(b) from Proposer[p]; on majority of promise(b, v) from Acceptor; on 2 of ... */
static enum portolan_status parse_input(struct parser *parser, struct rule *rule)
{
    rule->input_at = parser->lexer->token.at;
    parse_quorum(parser, rule);
    read_arguments(parser, &rule->patterns, NULL);
    if (!parser_take(parser, "from"))
        return parser->status;
    parser_name(parser, "the name of a process", &rule->from_name);
    parse_index(parser, &rule->from_index);
    return parser->status;
}

enum portolan_status read_rule(struct parser *parser, struct rule **result)
{
    struct rule *rule;
    if (parser_advance(parser) || parser_get(parser, sizeof *rule, &rule))
        return parser->status;
    *result = rule;
    rule->at = parser->lexer->token.at;
    parser_new_name(parser, "the name of the rule", &rule->name);
    if (parser_is(parser, "any"))
        parse_choices(parser, &rule->choices);
    if (parser_take(parser, "on"))
        parse_input(parser, rule);
    if (parser_take(parser, "when"))
        parse_expression(parser, &rule->condition);
    return parse_block(parser, &rule->body);
}
