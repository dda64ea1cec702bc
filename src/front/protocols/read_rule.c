/* SPDX-License-Identifier: Apache-2.0 */
/* Reading rules: what a process waits for, and what it then does. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"

#include <string.h>

/* A process, one of them by its index, those in a set, all others of the own type, or who sent the message. */
static enum portolan_status parse_destination(struct parser *parser, struct destination **result)
{
    struct destination *destination;
    bool taken = false;
    enum portolan_status status = parser_get(parser, sizeof *destination, &destination);
    if (status)
        return status;
    *result = destination;
    destination->at = parser->lexer->token.at;
    if (parser_is_word(parser, "others") || parser_is_word(parser, "sender")) {
        destination->kind = parser_is_word(parser, "others") ? TO_OTHERS : TO_SENDER;
        return parser_advance(parser);
    }
    if ((status = parser_name(parser, "a process, 'others' or 'sender'", &destination->name)) ||
        (status = read_bracketed(parser, &destination->index)))
        return status;
    destination->kind = destination->index ? TO_ONE : TO_TYPE;
    if (destination->index || (status = parser_take_word(parser, "in", &taken)) || !taken)
        return status;
    destination->kind = TO_SET;
    if ((status = parser_get(parser, sizeof *destination->index, &destination->index)))
        return status;
    destination->index->at = parser->lexer->token.at;
    destination->index->kind = NODE_SIZE;
    return parser_name(parser, "the name of a set", &destination->index->name);
}

enum portolan_status read_destinations(struct parser *parser, struct destination **list)
{
    enum portolan_status status = PORTOLAN_OK;
    for (bool more = true; more && !status; list = &(*list)->next)
        if ((status = parse_destination(parser, list)) || (status = parser_take(parser, COMMA, &more)))
            return status;
    return status;
}

/* ------------------------------------------------------------------ statements */

static enum portolan_status parse_block(struct parser *parser, struct statement **list);

static enum portolan_status parse_if(struct parser *parser, struct statement *statement)
{
    bool taken = false;
    statement->kind = STATEMENT_IF;
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, &statement->value);
    if (!status)
        status = parse_block(parser, &statement->body);
    if (!status)
        status = parser_take_word(parser, "else", &taken);
    if (status || !taken)
        return status;
    if (!parser_is_word(parser, "if"))
        return parse_block(parser, &statement->otherwise);
    if ((status = parser_get(parser, sizeof *statement->otherwise, &statement->otherwise)))
        return status;
    statement->otherwise->at = parser->lexer->token.at;
    if (++parser->depth > 100)
        return lexer_fail(parser->lexer, &statement->at, parser->error, "this is nested too deeply");
    status = parse_if(parser, statement->otherwise);
    parser->depth--;
    return status;
}

static enum portolan_status parse_send(struct parser *parser, struct statement *statement)
{
    statement->kind = STATEMENT_SEND;
    enum portolan_status status = parser_advance(parser);
    if (!status) {
        statement->at = parser->lexer->token.at;
        status = parser_name(parser, "the name of a message", &statement->name);
    }
    if (!status)
        status = read_arguments(parser, &statement->arguments, NULL);
    if (!status)
        status = parser_expect_word(parser, "to");
    return status ? status : read_destinations(parser, &statement->destinations);
}

static enum portolan_status parse_target(struct parser *parser, struct statement *statement)
{
    enum portolan_status status = parser_get(parser, sizeof *statement->target, &statement->target);
    if (status)
        return status;
    statement->target->at = parser->lexer->token.at;
    statement->target->kind = NODE_NAME;
    status = parser_name(parser, "the name of a variable", &statement->target->name);
    return status ? status : read_bracketed(parser, &statement->target->a);
}

/* add e to S, remove e from S */
static enum portolan_status parse_change_of_set(struct parser *parser, struct statement *statement)
{
    bool adds = parser_is_word(parser, "add");
    statement->kind = adds ? STATEMENT_ADD : STATEMENT_REMOVE;
    enum portolan_status status = parser_advance(parser);
    if (!status)
        status = parse_expression(parser, &statement->value);
    if (!status)
        status = parser_expect_word(parser, adds ? "to" : "from");
    return status ? status : parse_target(parser, statement);
}

static enum portolan_status parse_statement(struct parser *parser, struct statement **result)
{
    struct statement *statement;
    enum portolan_status status = parser_get(parser, sizeof *statement, &statement);
    bool taken;
    if (status)
        return status;
    *result = statement;
    statement->at = parser->lexer->token.at;
    if (parser_is_word(parser, "send")) {
        status = parse_send(parser, statement);
    } else if (parser_is_word(parser, "if")) {
        status = parse_if(parser, statement);
    } else if (parser_is_word(parser, "add") || parser_is_word(parser, "remove")) {
        status = parse_change_of_set(parser, statement);
    } else if (parser_is_word(parser, "clear")) {
        statement->kind = STATEMENT_CLEAR;
        if (!(status = parser_advance(parser)))
            status = parse_target(parser, statement);
    } else if (parser_is_word(parser, "assert")) {
        statement->kind = STATEMENT_ASSERT;
        if (!(status = parser_advance(parser)))
            status = parse_expression(parser, &statement->value);
    } else {
        statement->kind = STATEMENT_ASSIGN;
        if (!(status = parse_target(parser, statement)))
            status = parser_expect(parser, ASSIGN, "'='");
        if (!status)
            status = parse_expression(parser, &statement->value);
    }
    return status ? status : parser_take(parser, SEMICOLON, &taken);
}

static enum portolan_status parse_block(struct parser *parser, struct statement **list)
{
    enum portolan_status status = parser_expect(parser, OPEN_BLOCK, "'{'");
    if (++parser->depth > 100)
        return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error, "this is nested too deeply");
    for (; !status && !parser_is(parser, CLOSE_BLOCK); list = &(*list)->next)
        if ((status = parse_statement(parser, list)))
            return status;
    parser->depth--;
    return status ? status : parser_advance(parser);
}

/* ----------------------------------------------------------------------- rules */

/* any v in Value, w in Value */
static enum portolan_status parse_choices(struct parser *parser, struct binder **list)
{
    enum portolan_status status = parser_advance(parser);
    for (bool more = true; more && !status; list = &(*list)->next) {
        if ((status = parser_get(parser, sizeof **list, list)))
            return status;
        (*list)->at = parser->lexer->token.at;
        if ((status = read_new_name(parser, "a name", &(*list)->name)) || (status = parser_expect_word(parser, "in")) ||
            (status = read_type(parser, &(*list)->type)) || (status = parser_take(parser, COMMA, &more)))
            return status;
    }
    return status;
}

/* The name of the single message has been read as an expression when no "of" follows. */
static enum portolan_status parse_quorum(struct parser *parser, struct rule *rule)
{
    enum portolan_status status;
    if (parser->lexer->token.kind == TOKEN_INTEGER || parser_is(parser, OPEN)) {
        rule->input = INPUT_QUORUM;
        status = parse_expression(parser, &rule->count);
    } else if ((status = parser_name(parser, "the name of a message, 'majority' or a number", &rule->message_name))) {
        return status;
    } else if (parser_is_word(parser, "of")) {
        rule->input = INPUT_QUORUM;
        if (!(rule->majority = strcmp(rule->message_name, "majority") == 0)) {
            if ((status = parser_get(parser, sizeof *rule->count, &rule->count)))
                return status;
            rule->count->kind = NODE_NAME;
            rule->count->at = rule->input_at;
            rule->count->name = rule->message_name;
        }
    }
    if (status || rule->input != INPUT_QUORUM)
        return status;
    if ((status = parser_expect_word(parser, "of")))
        return status;
    rule->input_at = parser->lexer->token.at;
    return parser_name(parser, "the name of a message", &rule->message_name);
}

/* on prepare(b) from Proposer[p]; on majority of promise(b, v) from Acceptor; on 2 of ... */
static enum portolan_status parse_input(struct parser *parser, struct rule *rule)
{
    bool taken = false;
    enum portolan_status status = parser_advance(parser);
    if (status)
        return status;
    rule->input = INPUT_ONE;
    rule->input_at = parser->lexer->token.at;
    if ((status = parse_quorum(parser, rule)) || (status = read_arguments(parser, &rule->patterns, NULL)) ||
        (status = parser_take_word(parser, "from", &taken)) || !taken)
        return status;
    status = parser_name(parser, "the name of a process", &rule->from_name);
    return status ? status : read_bracketed(parser, &rule->from_index);
}

enum portolan_status read_rule(struct parser *parser, struct rule **result)
{
    struct rule *rule;
    enum portolan_status status = parser_get(parser, sizeof *rule, &rule);
    bool taken = false;
    if (status || (status = parser_advance(parser)))
        return status;
    *result = rule;
    rule->at = parser->lexer->token.at;
    status = read_new_name(parser, "the name of the rule", &rule->name);
    if (!status && parser_is_word(parser, "any"))
        status = parse_choices(parser, &rule->choices);
    if (!status && parser_is_word(parser, "on"))
        status = parse_input(parser, rule);
    if (!status)
        status = parser_take_word(parser, "when", &taken);
    if (!status && taken)
        status = parse_expression(parser, &rule->condition);
    return status ? status : parse_block(parser, &rule->body);
}
