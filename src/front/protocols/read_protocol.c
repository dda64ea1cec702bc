/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the declarations of a protocol. */
#include "front/protocols/ast.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

/* In the order of enum symbol. */
static const char *const symbols[] = {"+",  "-", "*",  "/",  "%", "(", ")",  "[",  "]",  "{",  "}", ",",  ":", ";", ".",
                                      "..", "=", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "!", "->", "?", NULL};
static const struct lexer_rules rules = {.operators = symbols};

/* ---------------------------------------------------------------- shared parts */

static const char *const reserved[] = {
    "protocol", "const",  "type",   "message", "channels", "crashes", "process", "byzantine", "invariant", "final",
    "var",      "let",    "rule",   "may",     "any",      "on",      "when",    "do",        "of",        "from",
    "send",     "to",     "add",    "remove",  "clear",    "if",      "else",    "assert",    "in",        "others",
    "sender",   "forall", "exists", "count",   "and",      "or",      "not",     "implies",   "true",      "false",
    "bool",     "set",    "array",  "by",      "crashed",  "failed",  "majority"};

enum portolan_status read_new_name(struct parser *parser, const char *wanted, const char **name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (parser_is_word(parser, reserved[i]))
            return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error,
                              "'%s' is a word of the language and cannot be a name", reserved[i]);
    return parser_name(parser, wanted, name);
}

/* ---------------------------------------------------------------- declarations */

/* NAME = a, NAME = b; the same for types, one each */
static enum portolan_status parse_constants(struct parser *parser, bool is_type)
{
    struct constant **end = &parser->syntax->constants;
    enum portolan_status status = parser_advance(parser);
    while (*end)
        end = &(*end)->next;
    for (bool more = true; more && !status; end = &(*end)->next) {
        if ((status = parser_get(parser, sizeof **end, end)))
            return status;
        (*end)->at = parser->lexer->token.at;
        if ((status = read_new_name(parser, "a name", &(*end)->name)) ||
            (status = parser_expect(parser, ASSIGN, "'='")))
            return status;
        status = is_type ? read_type(parser, &(*end)->type) : parse_expression(parser, &(*end)->value);
        if (!status)
            status = parser_take(parser, COMMA, &more);
    }
    return status;
}

static enum portolan_status parse_variable(struct parser *parser, struct declared **result)
{
    struct declared *variable;
    enum portolan_status status = parser_get(parser, sizeof *variable, &variable);
    if (status)
        return status;
    *result = variable;
    variable->at = parser->lexer->token.at;
    if (!(status = read_new_name(parser, "a name", &variable->name)))
        status = parser_expect(parser, COLON, "':'");
    return status ? status : read_type(parser, &variable->type);
}

static enum portolan_status parse_message(struct parser *parser, struct message_type **result)
{
    struct message_type *message;
    bool more = false;
    enum portolan_status status = parser_get(parser, sizeof *message, &message);
    if (status)
        return status;
    *result = message;
    message->at = parser->lexer->token.at;
    if ((status = read_new_name(parser, "the name of a message", &message->name)) ||
        (status = parser_take(parser, OPEN, &more)) || !more)
        return status;
    struct declared **end = &message->fields;
    while (more && !status) {
        if ((status = parse_variable(parser, end)))
            return status;
        end = &(*end)->next;
        if (++message->field_count > MOST_FIELDS)
            return lexer_fail(parser->lexer, &message->at, parser->error, "a message has at most %d fields",
                              MOST_FIELDS);
        status = parser_take(parser, COMMA, &more);
    }
    return status ? status : parser_expect(parser, CLOSE, "',' or ')'");
}

static enum portolan_status parse_messages(struct parser *parser)
{
    struct message_type **end = &parser->syntax->messages;
    enum portolan_status status = parser_advance(parser);
    while (*end)
        end = &(*end)->next;
    for (bool more = true; more && !status; end = &(*end)->next)
        if ((status = parse_message(parser, end)) || (status = parser_take(parser, COMMA, &more)))
            return status;
    return status;
}

static enum portolan_status parse_channels(struct parser *parser)
{
    struct syntax *s = parser->syntax;
    if (s->has_channels)
        return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error, "channels are declared twice");
    s->has_channels = true;
    enum portolan_status status = parser_advance(parser);
    if (!status && parser_is_word(parser, "fifo")) {
        s->is_fifo = true;
        if (!(status = parser_advance(parser)))
            status = parse_expression(parser, &s->capacity);
    } else if (!status && parser_is_word(parser, "unordered")) {
        status = parser_advance(parser);
    } else if (!status) {
        status = lexer_expected(parser->lexer, parser->error, "'unordered' or 'fifo'");
        hint(parser->error, "channels unordered|fifo CAPACITY, then lossy, duplicating or both");
    }
    if (!status)
        status = parser_take_word(parser, "lossy", &s->is_lossy);
    return status ? status : parser_take_word(parser, "duplicating", &s->is_duplicating);
}

/* crashes 1 of Acceptor, Proposer */
static enum portolan_status parse_crash(struct parser *parser)
{
    struct crash *crash;
    if (parser->syntax->crash)
        return lexer_fail(parser->lexer, &parser->lexer->token.at, parser->error, "crashes are declared twice");
    enum portolan_status status = parser_get(parser, sizeof *crash, &crash);
    if (status)
        return status;
    parser->syntax->crash = crash;
    crash->at = parser->lexer->token.at;
    if (!(status = parser_advance(parser)))
        status = parse_expression(parser, &crash->count);
    if (!status)
        status = parser_expect_word(parser, "of");
    return status ? status : read_destinations(parser, &crash->who);
}

static enum portolan_status parse_condition(struct parser *parser, bool is_final)
{
    struct condition **end = &parser->syntax->conditions;
    while (*end)
        end = &(*end)->next;
    enum portolan_status status = parser_get(parser, sizeof **end, end);
    if (status)
        return status;
    (*end)->is_final = is_final;
    (*end)->at = parser->lexer->token.at;
    if ((status = parser_advance(parser)))
        return status;
    if (!is_final && ((status = read_new_name(parser, "the name of the invariant", &(*end)->name)) ||
                      (status = parser_expect(parser, COLON, "':'"))))
        return status;
    return parse_expression(parser, &(*end)->expression);
}

/* ------------------------------------------------------------------- processes */

static enum portolan_status parse_let(struct parser *parser, struct binder **result)
{
    struct binder *binder;
    enum portolan_status status = parser_get(parser, sizeof *binder, &binder);
    if (status || (status = parser_advance(parser)))
        return status;
    *result = binder;
    binder->at = parser->lexer->token.at;
    if (!(status = read_new_name(parser, "a name", &binder->name)))
        status = parser_expect(parser, ASSIGN, "'='");
    return status ? status : parse_expression(parser, &binder->value);
}

static enum portolan_status parse_forgery(struct parser *parser, struct forgery **result)
{
    struct forgery *forgery;
    enum portolan_status status = parser_get(parser, sizeof *forgery, &forgery);
    if (status || (status = parser_advance(parser)) || (status = parser_expect_word(parser, "send")))
        return status;
    *result = forgery;
    forgery->at = parser->lexer->token.at;
    if (!(status = parser_name(parser, "the name of a message", &forgery->name)))
        status = read_arguments(parser, &forgery->low, &forgery->high);
    if (!status)
        status = parser_expect_word(parser, "to");
    return status ? status : read_destinations(parser, &forgery->destinations);
}

struct ends { /* of the lists of a process */
    struct declared **variable;
    struct binder **constant;
    struct rule **rule;
    struct forgery **forgery;
};

static enum portolan_status parse_item(struct parser *parser, struct process_type *process, struct ends *ends)
{
    enum portolan_status status;
    bool taken = false;
    if (parser_is_word(parser, "var")) {
        if ((status = parser_advance(parser)) || (status = parse_variable(parser, ends->variable)) ||
            (status = parser_take(parser, ASSIGN, &taken)))
            return status;
        if (taken)
            status = parse_expression(parser, &(*ends->variable)->initial);
        ends->variable = &(*ends->variable)->next;
    } else if (parser_is_word(parser, "let")) {
        status = parse_let(parser, ends->constant);
        ends->constant = *ends->constant ? &(*ends->constant)->next : ends->constant;
    } else if (parser_is_word(parser, "rule")) {
        status = read_rule(parser, ends->rule);
        ends->rule = *ends->rule ? &(*ends->rule)->next : ends->rule;
    } else if (parser_is_word(parser, "may")) {
        struct position at = parser->lexer->token.at;
        if (!process->is_byzantine) {
            status = lexer_fail(parser->lexer, &at, parser->error, "only a Byzantine process may send at will");
            hint(parser->error, "write 'byzantine process %s'", process->name);
            return status;
        }
        status = parse_forgery(parser, ends->forgery);
        ends->forgery = *ends->forgery ? &(*ends->forgery)->next : ends->forgery;
    } else {
        status = lexer_expected(parser->lexer, parser->error, "'var', 'let', 'rule', 'may' or '}'");
    }
    return status ? status : parser_take(parser, SEMICOLON, &taken);
}

/* [1..3], [i: 1..3], or nothing */
static enum portolan_status parse_instances(struct parser *parser, struct process_type *process)
{
    bool there = false;
    enum portolan_status status = parser_take(parser, OPEN_INDEX, &there);
    process->is_single = !there;
    if (status || !there)
        return status;
    if ((status = read_type(parser, &process->range)))
        return status;
    if (process->range->kind == TYPE_NAMED && parser_is(parser, COLON)) {
        process->parameter = process->range->name;
        if ((status = parser_advance(parser)) || (status = read_type(parser, &process->range)))
            return status;
    }
    return parser_expect(parser, CLOSE_INDEX, "']'");
}

static enum portolan_status parse_process(struct parser *parser)
{
    struct process_type *process, **end = &parser->syntax->processes;
    enum portolan_status status = parser_get(parser, sizeof *process, &process);
    while (*end)
        end = &(*end)->next;
    if (status)
        return status;
    *end = process;
    status = parser_take_word(parser, "byzantine", &process->is_byzantine);
    if (!status)
        status = parser_expect_word(parser, "process");
    process->at = parser->lexer->token.at;
    if (!status)
        status = read_new_name(parser, "the name of a process", &process->name);
    if (!status)
        status = parse_instances(parser, process);
    if (!status)
        status = parser_expect(parser, OPEN_BLOCK, "'{'");
    struct ends ends = {&process->variables, &process->constants, &process->rules, &process->forgeries};
    while (!status && !parser_is(parser, CLOSE_BLOCK))
        status = parse_item(parser, process, &ends);
    return status ? status : parser_advance(parser);
}

static enum portolan_status unknown_declaration(struct parser *parser)
{
    static const char *const words[] = {"protocol", "const",   "type",      "message",   "channels",
                                        "crashes",  "process", "byzantine", "invariant", "final"};
    enum portolan_status status = lexer_expected(parser->lexer, parser->error, "a declaration");
    struct nearest nearest = nearest_to(parser->lexer->token.kind == TOKEN_NAME ? parser->lexer->token.name : "");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        nearest_offer(&nearest, words[i]);
    if (nearest.best)
        hint(parser->error, "did you mean '%s'?", nearest.best);
    else
        hint(parser->error, "const, type, message, channels, crashes, process, invariant and final declare something");
    return status;
}

static enum portolan_status parse_declaration(struct parser *parser)
{
    enum portolan_status status;
    bool taken;
    if (parser_is_word(parser, "protocol")) {
        if (!(status = parser_advance(parser)))
            status = parser_name(parser, "the name of the protocol", &parser->syntax->name);
    } else if (parser_is_word(parser, "const") || parser_is_word(parser, "type")) {
        status = parse_constants(parser, parser_is_word(parser, "type"));
    } else if (parser_is_word(parser, "message")) {
        status = parse_messages(parser);
    } else if (parser_is_word(parser, "channels")) {
        status = parse_channels(parser);
    } else if (parser_is_word(parser, "crashes")) {
        status = parse_crash(parser);
    } else if (parser_is_word(parser, "process") || parser_is_word(parser, "byzantine")) {
        status = parse_process(parser);
    } else if (parser_is_word(parser, "invariant") || parser_is_word(parser, "final")) {
        status = parse_condition(parser, parser_is_word(parser, "final"));
    } else {
        status = unknown_declaration(parser);
    }
    return status ? status : parser_take(parser, SEMICOLON, &taken);
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
    enum portolan_status status = parser_advance(&parser);
    while (!status && syntax->lexer.token.kind != TOKEN_END)
        status = parse_declaration(&parser);
    return status;
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
