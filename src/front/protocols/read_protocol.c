/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the declarations of a protocol. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static const struct lexer_rules rules = {.symbols = "+ - * / % ( ) [ ] { } , : ; . .. = == != < > <= >= && || ! -> ?"};

/* ---------------------------------------------------------------- declarations */

/* NAME = a, NAME = b; the same for types, one each */
static enum portolan_status parse_constants(struct parser *parser, bool is_type)
{
    struct constant **end = &parser->syntax->constants;
    parser_advance(parser);
    while (*end)
        end = &(*end)->next;
    do {
        if (parser_get(parser, sizeof **end, end))
            return parser->status;
        (*end)->at = parser->lexer->token.at;
        parser_new_name(parser, "a name", &(*end)->name);
        parser_expect(parser, "=", "'='");
        if (is_type)
            read_type(parser, &(*end)->type);
        else
            parse_expression(parser, &(*end)->value);
        end = &(*end)->next;
    } while (parser_take(parser, ","));
    return parser->status;
}

static enum portolan_status parse_variable(struct parser *parser, struct declared **result)
{
    if (parser_get(parser, sizeof **result, result))
        return parser->status;
    (*result)->at = parser->lexer->token.at;
    parser_new_name(parser, "a name", &(*result)->name);
    parser_expect(parser, ":", "':'");
    return read_type(parser, &(*result)->type);
}

static enum portolan_status parse_message(struct parser *parser, struct message_type **result)
{
    struct message_type *message;
    if (parser_get(parser, sizeof *message, &message))
        return parser->status;
    *result = message;
    message->at = parser->lexer->token.at;
    parser_new_name(parser, "the name of a message", &message->name);
    if (!parser_take(parser, "("))
        return parser->status;
    struct declared **end = &message->fields;
    do {
        if (parse_variable(parser, end))
            return parser->status;
        end = &(*end)->next;
        if (++message->field_count > MOST_FIELDS)
            parser_fail(parser, &message->at, "a message has at most %d fields", MOST_FIELDS);
    } while (parser_take(parser, ","));
    return parser_expect(parser, ")", "',' or ')'");
}

static enum portolan_status parse_messages(struct parser *parser)
{
    struct message_type **end = &parser->syntax->messages;
    parser_advance(parser);
    while (*end)
        end = &(*end)->next;
    do {
        if (parse_message(parser, end))
            return parser->status;
        end = &(*end)->next;
    } while (parser_take(parser, ","));
    return parser->status;
}

static enum portolan_status parse_channels(struct parser *parser)
{
    struct syntax *s = parser->syntax;
    if (s->has_channels)
        return parser_fail(parser, &parser->lexer->token.at, "channels are declared twice");
    s->has_channels = true;
    if (parser_advance(parser))
        return parser->status;
    s->is_fifo = parser_take(parser, "fifo");
    if (s->is_fifo) {
        parse_expression(parser, &s->capacity);
    } else if (!parser_take(parser, "unordered") && !parser->status) {
        parser_expected(parser, "'unordered' or 'fifo'");
        hint(parser->error, "channels unordered|fifo CAPACITY, then lossy, duplicating or both");
    }
    s->is_lossy = parser_take(parser, "lossy");
    s->is_duplicating = parser_take(parser, "duplicating");
    return parser->status;
}

/* crashes 1 of Acceptor, Proposer */
static enum portolan_status parse_crash(struct parser *parser)
{
    struct crash *crash;
    if (parser->syntax->crash)
        return parser_fail(parser, &parser->lexer->token.at, "crashes are declared twice");
    if (parser_get(parser, sizeof *crash, &crash))
        return parser->status;
    parser->syntax->crash = crash;
    crash->at = parser->lexer->token.at;
    parser_advance(parser);
    parse_expression(parser, &crash->count);
    parser_expect_word(parser, "of");
    return read_destinations(parser, &crash->who);
}

static enum portolan_status parse_condition(struct parser *parser, bool is_final)
{
    struct condition **end = &parser->syntax->conditions;
    while (*end)
        end = &(*end)->next;
    if (parser_get(parser, sizeof **end, end))
        return parser->status;
    (*end)->is_final = is_final;
    (*end)->at = parser->lexer->token.at;
    parser_advance(parser);
    if (!is_final) {
        parser_new_name(parser, "the name of the invariant", &(*end)->name);
        parser_expect(parser, ":", "':'");
    }
    return parse_expression(parser, &(*end)->expression);
}

/* ------------------------------------------------------------------- processes */

static enum portolan_status parse_let(struct parser *parser, struct binder **result)
{
    if (parser_advance(parser) || parser_get(parser, sizeof **result, result))
        return parser->status;
    (*result)->at = parser->lexer->token.at;
    parser_new_name(parser, "a name", &(*result)->name);
    parser_expect(parser, "=", "'='");
    return parse_expression(parser, &(*result)->value);
}

static enum portolan_status parse_forgery(struct parser *parser, const struct process_type *process,
                                          struct forgery **result)
{
    if (!process->is_byzantine) {
        parser_fail(parser, &parser->lexer->token.at, "only a Byzantine process may send at will");
        hint(parser->error, "write 'byzantine process %s'", process->name);
    }
    parser_advance(parser);
    if (parser_expect_word(parser, "send") || parser_get(parser, sizeof **result, result))
        return parser->status;
    (*result)->at = parser->lexer->token.at;
    parser_name(parser, "the name of a message", &(*result)->name);
    read_arguments(parser, &(*result)->low, &(*result)->high);
    parser_expect_word(parser, "to");
    return read_destinations(parser, &(*result)->destinations);
}

struct ends { /* of the lists of a process */
    struct declared **variable;
    struct binder **constant;
    struct rule **rule;
    struct forgery **forgery;
};

static enum portolan_status parse_item(struct parser *parser, const struct process_type *process, struct ends *ends)
{
    if (parser_take(parser, "var")) {
        if (!parse_variable(parser, ends->variable) && parser_take(parser, "="))
            parse_expression(parser, &(*ends->variable)->initial);
        ends->variable = parser->status ? NULL : &(*ends->variable)->next;
    } else if (parser_is(parser, "let")) {
        ends->constant = parse_let(parser, ends->constant) ? NULL : &(*ends->constant)->next;
    } else if (parser_is(parser, "rule")) {
        ends->rule = read_rule(parser, ends->rule) ? NULL : &(*ends->rule)->next;
    } else if (parser_is(parser, "may")) {
        ends->forgery = parse_forgery(parser, process, ends->forgery) ? NULL : &(*ends->forgery)->next;
    } else {
        parser_expected(parser, "'var', 'let', 'rule', 'may' or '}'");
    }
    parser_take(parser, ";");
    return parser->status;
}

/* [1..3], [i: 1..3], or nothing */
static enum portolan_status parse_instances(struct parser *parser, struct process_type *process)
{
    process->is_single = !parser_take(parser, "[");
    if (process->is_single || read_type(parser, &process->range))
        return parser->status;
    if (process->range->kind == TYPE_NAMED && parser_is(parser, ":")) {
        process->parameter = process->range->name;
        parser_advance(parser);
        read_type(parser, &process->range);
    }
    return parser_expect(parser, "]", "']'");
}

static enum portolan_status parse_process(struct parser *parser)
{
    struct process_type *process, **end = &parser->syntax->processes;
    if (parser_get(parser, sizeof *process, &process))
        return parser->status;
    while (*end)
        end = &(*end)->next;
    *end = process;
    process->is_byzantine = parser_take(parser, "byzantine");
    parser_expect_word(parser, "process");
    process->at = parser->lexer->token.at;
    parser_new_name(parser, "the name of a process", &process->name);
    parse_instances(parser, process);
    parser_expect(parser, "{", "'{'");
    struct ends ends = {&process->variables, &process->constants, &process->rules, &process->forgeries};
    while (!parser->status && !parser_is(parser, "}"))
        parse_item(parser, process, &ends);
    return parser_advance(parser);
}

static void unknown_declaration(struct parser *parser)
{
    static const char *const words[] = {"protocol", "const",   "type",      "message",   "channels",
                                        "crashes",  "process", "byzantine", "invariant", "final"};
    parser_expected(parser, "a declaration");
    struct nearest nearest = nearest_to(parser->lexer->token.kind == TOKEN_NAME ? parser->lexer->token.name : "");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        nearest_offer(&nearest, words[i]);
    if (nearest.best)
        hint(parser->error, "did you mean '%s'?", nearest.best);
    else
        hint(parser->error, "const, type, message, channels, crashes, process, invariant and final declare something");
}

static enum portolan_status parse_declaration(struct parser *parser)
{
    if (parser_take(parser, "protocol"))
        parser_name(parser, "the name of the protocol", &parser->syntax->name);
    else if (parser_is(parser, "const") || parser_is(parser, "type"))
        parse_constants(parser, parser_is(parser, "type"));
    else if (parser_is(parser, "message"))
        parse_messages(parser);
    else if (parser_is(parser, "channels"))
        parse_channels(parser);
    else if (parser_is(parser, "crashes"))
        parse_crash(parser);
    else if (parser_is(parser, "process") || parser_is(parser, "byzantine"))
        parse_process(parser);
    else if (parser_is(parser, "invariant") || parser_is(parser, "final"))
        parse_condition(parser, parser_is(parser, "final"));
    else if (!parser->status)
        unknown_declaration(parser);
    parser_take(parser, ";");
    return parser->status;
}

enum portolan_status protocols_read(struct syntax *syntax, const char *path, const char *text, size_t length,
                                    struct portolan_error *error)
{
    memset(syntax, 0, sizeof *syntax);
    struct parser parser = {.language = &protocols_language,
                            .syntax = syntax,
                            .lexer = &syntax->lexer,
                            .arena = &syntax->arena,
                            .error = error};
    lexer_init(&syntax->lexer, &rules, path, text, length);
    parser_advance(&parser);
    while (!parser.status && syntax->lexer.token.kind != TOKEN_END)
        parse_declaration(&parser);
    return parser.status;
}

void syntax_clear(struct syntax *syntax)
{
    for (struct expression_code *code = syntax->codes, *next; code; code = next) {
        next = code->next; /* clearing forgets it */
        code_clear(code);
    }
    lexer_clear(&syntax->lexer);
    arena_clear(&syntax->arena);
}
