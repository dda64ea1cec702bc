/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of control programs.
 *
 *     program    [package NAME;] {import NAME;} {function | recipe | statement}
 *     procedure  (function | recipe) NAME([[out] TYPE NAME, ...]) [priority NUMBER] block
 *     statement  {...} | <...> | alap S | while (C) S | until (C) S | do S while (C) | do S until (C)
 *                | if (C) S [else S] | try S [else S] | choice S or S ... | TYPE NAME, ... [:= call]; | expression;
 *     expression call | NAME, ... := call | (E) | E|E | E* | E+ | #E
 */
#include "graph/control_syntax.h"

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "expression/parse.h"

#include <string.h>

static const struct lexer_rules rules = {.symbols = ":= . | # + * - , ; ( ) < > { } `", .name_characters = "-"};

static const char *const reserved[] = {"alap",   "any",      "atomic", "bool",    "choice",   "do",     "else",
                                       "false",  "function", "if",     "import",  "int",      "node",   "or",
                                       "other",  "out",      "real",   "package", "priority", "recipe", "star",
                                       "string", "try",      "true",   "until",   "while",    "_",      NULL};
static const struct language language = {.reserved = reserved, .most_open = 200};

static const char *const types[] = {"node", "int", "real", "bool", "string", NULL}; /* in the order of enum sort */

/* ------------------------------------------------------------------ words */

static const struct token *token_of(const struct parser *p)
{
    return &p->lexer->token;
}

/* NAME, or `NAME` where it is a word of the language. */
static enum portolan_status read_name(struct parser *p, const char *wanted, const char **name)
{
    if (!parser_take(p, "`"))
        return parser_new_name(p, wanted, name);
    if (parser_name(p, wanted, name))
        return p->status;
    return parser_expect(p, "`", "'`'");
}

static const char *join(struct parser *p, const char *prefix, const char *name)
{
    size_t before = strlen(prefix), length = strlen(name);
    char *joined;
    if (before == 0 || parser_get(p, before + length + 2, &joined))
        return before == 0 ? name : NULL;
    memcpy(joined, prefix, before);
    joined[before] = '.';
    memcpy(joined + before + 1, name, length);
    return joined;
}

/* NAME.NAME...; stops before `any`, `other` and `*` when those may come. */
static enum portolan_status read_qualified(struct parser *p, bool or_group, const char **name)
{
    const char *piece;
    if (read_name(p, "the name of a rule, a function or a recipe", name))
        return p->status;
    while (!p->status && parser_take(p, ".")) {
        if (or_group && (parser_is(p, "*") || parser_is(p, "any") || parser_is(p, "other")))
            return p->status;
        if (limits_reached() || read_name(p, "a name after the dot", &piece))
            return p->status ? p->status : (p->status = fail_memory(p->error));
        *name = join(p, *name, piece);
    }
    return p->status;
}

static bool is_type(struct parser *p, enum sort *sort)
{
    for (unsigned i = 0; types[i]; i++)
        if (parser_is(p, types[i])) {
            *sort = (enum sort)i;
            return true;
        }
    return false;
}

static struct control_word *new_word(struct parser *p, enum control_word_kind kind)
{
    struct control_word *word;
    if (parser_get(p, sizeof *word, &word))
        return NULL;
    word->kind = kind;
    word->at = token_of(p)->at;
    return word;
}

/* 12, or 12.5: an integer, a dot and, right behind it, digits. */
static enum portolan_status read_number(struct parser *p, struct control_word *word, bool is_negative)
{
    const char *start = token_of(p)->start, *dot = start + token_of(p)->length;
    struct position at = token_of(p)->at;
    word->value = (struct value){.sort = SORT_INT, .integer = is_negative ? -token_of(p)->value : token_of(p)->value};
    if (parser_advance(p) || !parser_is(p, ".") || token_of(p)->start != dot)
        return p->status;
    char digits[64];
    size_t length = (size_t)(dot + 1 - start);
    if (parser_advance(p))
        return p->status;
    if (token_of(p)->kind == TOKEN_INTEGER && token_of(p)->start == dot + 1) {
        length += token_of(p)->length;
        parser_advance(p);
    }
    if (length >= sizeof digits)
        return parser_fail(p, &at, "the number has too many digits");
    memcpy(digits, start, length);
    digits[length] = '\0';
    double real = strtod(digits, NULL);
    word->value = (struct value){.sort = SORT_REAL, .real = is_negative ? -real : real};
    return p->status;
}

static enum portolan_status read_value(struct parser *p, struct control_word *word)
{
    word->kind = WORD_VALUE;
    bool is_true = parser_is(p, "true");
    if (is_true || parser_is(p, "false")) {
        word->value = (struct value){.sort = SORT_BOOL, .integer = is_true};
        return parser_advance(p);
    }
    if (token_of(p)->kind == TOKEN_QUOTED) {
        const char *text = arena_copy(p->arena, token_of(p)->name, strlen(token_of(p)->name));
        word->value = (struct value){.sort = SORT_STRING, .string = text};
        return text ? parser_advance(p) : (p->status = fail_memory(p->error));
    }
    bool is_negative = parser_take(p, "-");
    if (token_of(p)->kind == TOKEN_INTEGER)
        return read_number(p, word, is_negative);
    return parser_expected(p, "an argument");
}

static enum portolan_status read_argument(struct parser *p, struct control_word **word)
{
    *word = new_word(p, WORD_NAME);
    if (!*word)
        return p->status;
    if (parser_take(p, "_")) {
        (*word)->kind = WORD_ANY;
        return p->status;
    }
    if (parser_take(p, "out")) {
        (*word)->kind = WORD_OUT;
        (*word)->at = token_of(p)->at;
        return read_name(p, "the name of a variable", &(*word)->name);
    }
    if (token_of(p)->kind == TOKEN_NAME && !parser_is(p, "true") && !parser_is(p, "false"))
        return read_name(p, "an argument", &(*word)->name);
    return read_value(p, *word);
}

static enum portolan_status read_parameter(struct parser *p, struct control_word **word)
{
    bool is_out = parser_take(p, "out");
    *word = new_word(p, is_out ? WORD_OUT : WORD_NAME);
    if (!*word)
        return p->status;
    if (!is_type(p, &(*word)->sort))
        return parser_expected(p, "a type ('node', 'int', 'real', 'bool' or 'string')");
    parser_advance(p);
    (*word)->at = token_of(p)->at;
    return read_name(p, "the name of a parameter", &(*word)->name);
}

/* ( ... , ... ) */
static enum portolan_status read_words(struct parser *p,
                                       enum portolan_status (*read)(struct parser *, struct control_word **),
                                       struct control_word **words)
{
    if (parser_expect(p, "(", "'('") || parser_take(p, ")"))
        return p->status;
    do {
        if (read(p, words))
            return p->status;
        words = &(*words)->next;
    } while (parser_take(p, ","));
    if (!p->status && !parser_is(p, ")")) {
        parser_expected(p, "',' or ')'");
        hint(p->error, "an argument is a variable, a constant, 'out' and a variable, or _; what must be calculated is "
                       "the result of a rule");
        return p->status;
    }
    return parser_expect(p, ")", "')'");
}

/* ------------------------------------------------------------------ calls and expressions */

static struct statement *new_statement(struct parser *p, enum statement_kind kind)
{
    struct statement *statement;
    if (parser_get(p, sizeof *statement, &statement))
        return NULL;
    statement->kind = kind;
    statement->at = token_of(p)->at;
    return statement;
}

/* any, other, *.any, NAME.any, NAME.*.any: the prefix has been read. */
static enum portolan_status read_group(struct parser *p, struct statement *call)
{
    call->kind = STATEMENT_GROUP;
    if (parser_take(p, "*")) {
        call->below = true;
        parser_expect(p, ".", "'.'");
    }
    call->is_other = parser_is(p, "other");
    if (!call->is_other && !parser_is(p, "any"))
        return parser_expected(p, "'any' or 'other'");
    parser_advance(p);
    if (!p->status && parser_is(p, "("))
        return parser_fail(p, &token_of(p)->at, "'%s' takes no arguments", call->is_other ? "other" : "any");
    return p->status;
}

static bool at_group(struct parser *p)
{
    return parser_is(p, "*") || parser_is(p, "any") || parser_is(p, "other");
}

static enum portolan_status read_call(struct parser *p, struct statement **result)
{
    struct statement *call = *result = new_statement(p, STATEMENT_CALL);
    if (!call)
        return p->status;
    if (at_group(p))
        return read_group(p, call);
    if (read_qualified(p, true, &call->name))
        return p->status;
    if (at_group(p) && p->last_end && p->last_end[-1] == '.')
        return read_group(p, call);
    call->has_words = parser_is(p, "(");
    return call->has_words ? read_words(p, read_argument, &call->words) : p->status;
}

/* A name that has been read as a call is the first of: x, y := call */
static enum portolan_status read_assignment(struct parser *p, struct statement **result)
{
    struct statement *first = *result;
    struct control_word *targets = new_word(p, WORD_OUT), **next = &targets;
    if (!targets)
        return p->status;
    targets->at = first->at;
    targets->name = first->name;
    while (!p->status && parser_take(p, ",")) {
        next = &(*next)->next;
        *next = new_word(p, WORD_OUT);
        if (*next)
            read_name(p, "the name of a variable", &(*next)->name);
    }
    if (parser_expect(p, ":=", "':='") || read_call(p, result))
        return p->status;
    (*result)->results = targets;
    return p->status;
}

static enum portolan_status read_expression(struct parser *p, struct statement **result);

static enum portolan_status read_atom(struct parser *p, struct statement **result)
{
    if (parser_enter(p))
        return p->status;
    if (parser_take(p, "(")) {
        if (!read_expression(p, result))
            parser_expect(p, ")", "')'");
    } else if (!read_call(p, result)) {
        bool is_name = (*result)->kind == STATEMENT_CALL && !(*result)->has_words;
        if (is_name && (parser_is(p, ",") || parser_is(p, ":=")))
            read_assignment(p, result);
    }
    p->depth--;
    return p->status;
}

static enum portolan_status put_around(struct parser *p, enum statement_kind kind, struct statement **part)
{
    struct statement *around = new_statement(p, kind);
    if (!around)
        return p->status;
    around->at = (*part)->at;
    around->parts = *part;
    *part = around;
    return p->status;
}

/* Another node for the same statement, which then stands in two lists. */
static struct statement *again(struct parser *p, const struct statement *statement)
{
    struct statement *copy = new_statement(p, statement->kind);
    if (copy) {
        *copy = *statement;
        copy->next = NULL;
    }
    return copy;
}

static enum portolan_status read_repeated(struct parser *p, struct statement **result)
{
    if (parser_take(p, "#"))
        return read_atom(p, result) ? p->status : put_around(p, STATEMENT_ALAP, result);
    if (read_atom(p, result))
        return p->status;
    if (parser_take(p, "*"))
        return put_around(p, STATEMENT_STAR, result);
    if (!parser_take(p, "+"))
        return p->status;
    struct statement *rest = again(p, *result);
    if (!rest || put_around(p, STATEMENT_STAR, &rest) || put_around(p, STATEMENT_BLOCK, result))
        return p->status;
    (*result)->parts->next = rest;
    return p->status;
}

static enum portolan_status read_expression(struct parser *p, struct statement **result)
{
    if (read_repeated(p, result) || !parser_is(p, "|") || put_around(p, STATEMENT_CHOICE, result))
        return p->status;
    struct statement **next = &(*result)->parts->next;
    while (!p->status && parser_take(p, "|")) {
        read_repeated(p, next);
        next = p->status ? next : &(*next)->next;
    }
    return p->status;
}

/* ------------------------------------------------------------------ statements */

static enum portolan_status read_statement(struct parser *p, struct statement **result);

static enum portolan_status read_condition_atom(struct parser *p, struct statement **result)
{
    if (!parser_is(p, "true"))
        return read_call(p, result);
    *result = new_statement(p, STATEMENT_TRUE);
    return parser_advance(p);
}

/* ( C | C ... ) */
static enum portolan_status read_condition(struct parser *p, struct statement **result)
{
    if (parser_expect(p, "(", "'('") || read_condition_atom(p, result))
        return p->status;
    if (parser_is(p, "|") && !put_around(p, STATEMENT_CHOICE, result)) {
        struct statement **next = &(*result)->parts->next;
        while (!p->status && parser_take(p, "|")) {
            read_condition_atom(p, next);
            next = p->status ? next : &(*next)->next;
        }
    }
    return parser_expect(p, ")", "')'");
}

/* Statements up to the closing symbol, which is taken. */
static enum portolan_status read_list(struct parser *p, const char *close, const char *wanted, struct statement **list)
{
    while (!p->status && !parser_is(p, close) && token_of(p)->kind != TOKEN_END) {
        if (limits_reached())
            return p->status = fail_memory(p->error);
        if (!read_statement(p, list))
            list = &(*list)->next;
    }
    return parser_expect(p, close, wanted);
}

static enum portolan_status read_block(struct parser *p, struct statement **result)
{
    *result = new_statement(p, STATEMENT_BLOCK);
    if (parser_expect(p, "{", "'{'"))
        return p->status;
    return read_list(p, "}", "'}'", &(*result)->parts);
}

static enum portolan_status read_atomic(struct parser *p, struct statement **result)
{
    struct statement *body = new_statement(p, STATEMENT_BLOCK);
    if (parser_advance(p) || read_list(p, ">", "'>'", &body->parts))
        return p->status;
    *result = body;
    return put_around(p, STATEMENT_ATOM, result);
}

/* while (C) S, until (C) S, if (C) S [else S] */
static enum portolan_status read_conditional(struct parser *p, enum statement_kind kind, struct statement **result)
{
    struct statement *statement = *result = new_statement(p, kind);
    if (parser_advance(p) || read_condition(p, &statement->parts) || read_statement(p, &statement->parts->next))
        return p->status;
    if (kind == STATEMENT_IF && parser_take(p, "else"))
        return read_statement(p, &statement->parts->next->next);
    return p->status;
}

/* alap S, try S [else S], choice S or S ... */
static enum portolan_status read_prefixed(struct parser *p, enum statement_kind kind, struct statement **result)
{
    struct statement *statement = *result = new_statement(p, kind);
    if (parser_advance(p) || read_statement(p, &statement->parts))
        return p->status;
    if (kind == STATEMENT_TRY && parser_take(p, "else"))
        return read_statement(p, &statement->parts->next);
    struct statement **next = &statement->parts->next;
    while (!p->status && kind == STATEMENT_CHOICE && parser_take(p, "or")) {
        read_statement(p, next);
        next = p->status ? next : &(*next)->next;
    }
    return p->status;
}

/* do S while (C) is S while (C) S, and so is until. */
static enum portolan_status read_do(struct parser *p, struct statement **result)
{
    struct statement *block = *result = new_statement(p, STATEMENT_BLOCK);
    if (parser_advance(p) || read_statement(p, &block->parts))
        return p->status;
    bool is_while = parser_is(p, "while");
    if (!is_while && !parser_is(p, "until"))
        return parser_expected(p, "'while' or 'until'");
    struct statement *loop = new_statement(p, is_while ? STATEMENT_WHILE : STATEMENT_UNTIL);
    struct statement *body = again(p, block->parts);
    if (parser_advance(p) || read_condition(p, &loop->parts))
        return p->status;
    loop->parts->next = body;
    block->parts->next = loop;
    parser_take(p, ";");
    return p->status;
}

/* TYPE x, y [:= call]; */
static enum portolan_status read_declaration(struct parser *p, enum sort sort, struct statement **result)
{
    struct statement *declaration = *result = new_statement(p, STATEMENT_DECLARATION);
    if (parser_advance(p))
        return p->status;
    struct control_word **next = &declaration->words;
    do {
        *next = new_word(p, WORD_OUT);
        if (!*next || read_name(p, "the name of a variable", &(*next)->name))
            return p->status;
        (*next)->sort = sort;
        next = &(*next)->next;
    } while (parser_take(p, ","));
    if (!p->status && parser_take(p, ":=") && !read_call(p, &declaration->parts))
        declaration->parts->results = declaration->words;
    return parser_expect(p, ";", "';'");
}

static enum portolan_status read_simple(struct parser *p, struct statement **result)
{
    enum sort sort;
    if (is_type(p, &sort))
        return read_declaration(p, sort, result);
    if (read_expression(p, result))
        return p->status;
    return parser_expect(p, ";", "';'");
}

static enum portolan_status choose_statement(struct parser *p, struct statement **result)
{
    static const struct {
        const char *word;
        enum statement_kind kind;
        enum portolan_status (*read)(struct parser *, enum statement_kind, struct statement **);
    } statements[] = {{"alap", STATEMENT_ALAP, read_prefixed},      {"try", STATEMENT_TRY, read_prefixed},
                      {"choice", STATEMENT_CHOICE, read_prefixed},  {"if", STATEMENT_IF, read_conditional},
                      {"while", STATEMENT_WHILE, read_conditional}, {"until", STATEMENT_UNTIL, read_conditional}};
    if (parser_is(p, "{"))
        return read_block(p, result);
    if (parser_is(p, "<"))
        return read_atomic(p, result);
    if (parser_is(p, "do"))
        return read_do(p, result);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (parser_is(p, statements[i].word))
            return statements[i].read(p, statements[i].kind, result);
    return read_simple(p, result);
}

static enum portolan_status read_statement(struct parser *p, struct statement **result)
{
    if (parser_enter(p))
        return p->status;
    choose_statement(p, result);
    p->depth--;
    return p->status;
}

/* ------------------------------------------------------------------ the program */

static enum portolan_status read_procedure(struct parser *p, struct control_source *source, struct procedure **result)
{
    struct procedure *procedure;
    if (parser_get(p, sizeof *procedure, &procedure))
        return p->status;
    *result = procedure;
    procedure->source = source;
    procedure->is_recipe = parser_is(p, "recipe");
    parser_advance(p);
    procedure->at = token_of(p)->at;
    if (read_name(p, "a name", &procedure->name) || read_words(p, read_parameter, &procedure->parameters))
        return p->status;
    procedure->name = join(p, source->package, procedure->name);
    if (procedure->is_recipe && parser_take(p, "priority")) {
        if (token_of(p)->kind != TOKEN_INTEGER)
            return parser_expected(p, "a number");
        procedure->priority = token_of(p)->value;
        parser_advance(p);
    }
    return read_block(p, &procedure->body);
}

static enum portolan_status read_head(struct parser *p, struct control_source *source)
{
    source->package = "";
    if (parser_take(p, "package")) {
        read_qualified(p, false, &source->package);
        parser_expect(p, ";", "';'");
    }
    struct import **next = &source->imports;
    while (!p->status && parser_take(p, "import")) {
        if (parser_get(p, sizeof **next, next) || read_qualified(p, false, &(*next)->name))
            return p->status;
        parser_expect(p, ";", "';'");
        next = &(*next)->next;
    }
    return p->status;
}

static enum portolan_status read_program(struct parser *p, struct control_source *source)
{
    struct procedure **procedure = &source->procedures;
    struct statement *block = new_statement(p, STATEMENT_BLOCK), **next = block ? &block->parts : NULL;
    if (!block || read_head(p, source))
        return p->status;
    while (!p->status && token_of(p)->kind != TOKEN_END) {
        if (limits_reached())
            return p->status = fail_memory(p->error);
        if (parser_is(p, "function") || parser_is(p, "recipe")) {
            if (!read_procedure(p, source, procedure))
                procedure = &(*procedure)->next;
        } else if (!read_statement(p, next)) {
            next = &(*next)->next;
        }
    }
    source->main = block->parts ? block : NULL;
    return p->status;
}

enum portolan_status control_parse(struct control_source *source, const struct control_text *text, struct arena *arena,
                                   struct portolan_error *error)
{
    struct parser parser = {.language = &language, .lexer = &source->lexer, .arena = arena, .error = error};
    lexer_init(&source->lexer, &rules, text->file, text->text, text->length);
    return parser_advance(&parser) ? parser.status : read_program(&parser, source);
}
