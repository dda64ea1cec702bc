/* SPDX-License-Identifier: Apache-2.0 */
/* Parsing statements of .gg files: chains of nodes and edges, patterns of labels, literals. */
#include "front/grammar/ast.h"

#include "base/diagnostic.h"

#include <string.h>

const struct lexer_rules gg_rules = {.symbols =
                                         "{ } ( ) [ ] ; : , . .. -> <- - + * / % == != <= >= < > && || => ! = ? #"};

/* ------------------------------------------------------------------ pieces of raw text */

/* Takes the text from the current token up to `end`, which comes before the line ends. */
static enum portolan_status parse_raw(struct reader *r, const char *end, const char *missing, const char **text)
{
    struct lexer *lexer = &r->lexer;
    const char *start = lexer->token.start;
    size_t wanted = strlen(end), left = (size_t)(lexer->end - start), length = 0;
    while (length < left && start[length] != '\n' && (left - length < wanted || memcmp(start + length, end, wanted)))
        length++;
    if (length == left || start[length] == '\n')
        return parser_fail(&r->parser, &lexer->token.at, "%s", missing);
    if (!(*text = arena_copy(r->grammar->arena, start, length)))
        return gg_no_memory(r);
    lexer->next = start + length;
    return parser_advance(&r->parser);
}

/* Past a comment or a quoted text; false when nothing of that kind begins here. */
static bool skip_unread(const char **next, const char *end)
{
    const char *c = *next, *stop = NULL;
    size_t left = (size_t)(end - c);
    if (left >= 2 && c[0] == '/' && c[1] == '/') {
        stop = memchr(c, '\n', left);
    } else if (left >= 2 && c[0] == '/' && c[1] == '*') {
        for (stop = c + 2; stop + 1 < end && !(stop[0] == '*' && stop[1] == '/');)
            stop++;
        stop = stop + 1 < end ? stop + 2 : end;
    } else if (*c == '"' || *c == '\'') {
        for (stop = c + 1; stop < end && *stop != *c && *stop != '\n';)
            stop += *stop == '\\' && stop + 1 < end ? 2 : 1;
        stop = stop < end ? stop + 1 : end;
    } else {
        return false;
    }
    *next = stop ? stop : end;
    return true;
}

enum portolan_status gg_parse_raw_block(struct reader *r, const char **text, size_t *length)
{
    struct lexer *lexer = &r->lexer;
    struct position at = lexer->token.at;
    if (r->parser.status || !parser_is(&r->parser, "{"))
        return parser_expected(&r->parser, "'{'");
    const char *next = lexer->next;
    for (unsigned open = 1; next < lexer->end; next++) {
        if (skip_unread(&next, lexer->end) && next == lexer->end)
            break;
        open += *next == '{';
        if (*next == '}' && --open == 0)
            break;
    }
    if (next >= lexer->end)
        return parser_fail(&r->parser, &at, "the block is not closed");
    *text = lexer->next;
    *length = (size_t)(next - lexer->next);
    for (; lexer->next < next; lexer->next++)
        if (*lexer->next == '\n') {
            lexer->line++;
            lexer->line_start = lexer->next + 1;
        }
    parser_advance(&r->parser);
    return parser_expect(&r->parser, "}", "'}'");
}

/* ------------------------------------------------------------------ labels */

static bool is_label(const struct reader *r)
{
    const struct token *token = &r->lexer.token;
    return token->kind == TOKEN_NAME || (token->kind == TOKEN_QUOTED && token->start[0] == '\'');
}

enum portolan_status gg_parse_label(struct reader *r, const char *wanted, const char **name)
{
    const struct token *token = &r->lexer.token;
    if (r->parser.status || !is_label(r)) {
        parser_expected(&r->parser, wanted);
        if (token->kind == TOKEN_QUOTED)
            hint(r->parser.error, "names are in single quotes; \"...\" is a string");
        return r->parser.status;
    }
    if (!token->name[0])
        return parser_fail(&r->parser, &token->at, "a name may not be empty");
    if (!(*name = arena_copy(r->grammar->arena, token->name, strlen(token->name))))
        return gg_no_memory(r);
    return parser_advance(&r->parser);
}

/* The label of an edge, between - and ->: a name, ?x[^a], or {next.next*}. */
static enum portolan_status parse_edge_label(struct reader *r, struct label_text *label)
{
    label->at = r->lexer.token.at;
    if (parser_is(&r->parser, "?")) {
        label->is_pattern = true;
        return parse_raw(r, "-", "the edge is not closed: it is written a -?-> b", &label->text);
    }
    if (!parser_take(&r->parser, "{"))
        return gg_parse_label(r, "a label", &label->text);
    label->is_pattern = true;
    label->at = r->lexer.token.at;
    parse_raw(r, "}-", "the path is not closed: it is written a -{next.next*}-> b", &label->text);
    return parser_expect(&r->parser, "}", "'}'");
}

/* [hungry, ?x] */
static enum portolan_status parse_flags(struct reader *r, struct label_text **list)
{
    do {
        struct label_text *flag;
        if (parser_get(&r->parser, sizeof *flag, &flag))
            return r->parser.status;
        *list = flag;
        list = &flag->next;
        flag->at = r->lexer.token.at;
        flag->is_pattern = parser_is(&r->parser, "?");
        if (flag->is_pattern)
            parse_raw(r, "]", "the list of flags has no ']'", &flag->text);
        else
            gg_parse_label(r, "a flag", &flag->text);
    } while (parser_take(&r->parser, ","));
    return parser_expect(&r->parser, "]", "',' or ']'");
}

/* : Phil, : #Phil, : int, : ?t */
static enum portolan_status parse_type(struct reader *r, struct term *term)
{
    term->is_exact = parser_take(&r->parser, "#");
    if (parser_is(&r->parser, "[")) /* no type, only flags */
        return r->parser.status;
    enum sort sort = r->lexer.token.kind == TOKEN_NAME ? gg_sort_of_word(r->lexer.token.name) : SORT_NONE;
    if (sort != SORT_NONE) {
        term->sort = sort;
        return parser_advance(&r->parser);
    }
    if (parser_get(&r->parser, sizeof *term->type, &term->type))
        return r->parser.status;
    term->type->at = r->lexer.token.at;
    if (!parser_take(&r->parser, "?"))
        return gg_parse_label(r, "a type", &term->type->text);
    term->type->is_pattern = true;
    if (!is_label(r)) {
        term->type->text = "";
        return r->parser.status;
    }
    return gg_parse_label(r, "a variable", &term->type->text);
}

/* ------------------------------------------------------------------ terms */

/* 3, 2.5, with the sign that was taken before. */
static enum portolan_status parse_number(struct reader *r, struct term *term, bool is_negative)
{
    const char *start = r->lexer.token.start;
    if (r->parser.status || r->lexer.token.kind != TOKEN_INTEGER)
        return parser_expected(&r->parser, "a number");
    term->value.sort = SORT_INT;
    term->value.integer = is_negative ? -r->lexer.token.value : r->lexer.token.value;
    parser_advance(&r->parser);
    if (!parser_take(&r->parser, "."))
        return r->parser.status;
    if (r->parser.status || r->lexer.token.kind != TOKEN_INTEGER)
        return parser_expected(&r->parser, "the digits after the point");
    term->value.sort = SORT_REAL;
    term->value.real = is_negative ? -strtod(start, NULL) : strtod(start, NULL);
    return parser_advance(&r->parser);
}

/* A string; with `real` before it the number that it spells. */
static enum portolan_status parse_string(struct reader *r, struct term *term, bool is_real)
{
    const struct token *token = &r->lexer.token;
    char *end;
    term->value.sort = is_real ? SORT_REAL : SORT_STRING;
    if (is_real) {
        term->value.real = strtod(token->name, &end);
        if (!token->name[0] || *end)
            return parser_fail(&r->parser, &token->at, "this is not a number");
    } else if (!(term->value.string = arena_copy(r->grammar->arena, token->name, strlen(token->name)))) {
        return gg_no_memory(r);
    }
    return parser_advance(&r->parser);
}

static bool is_string(const struct reader *r)
{
    return r->lexer.token.kind == TOKEN_QUOTED && r->lexer.token.start[0] == '"';
}

static enum portolan_status parse_value(struct reader *r, struct term *term)
{
    bool is_true = parser_is(&r->parser, "true");
    term->kind = TERM_VALUE;
    if (is_string(r))
        return parse_string(r, term, false);
    if (parser_take(&r->parser, "real"))
        return is_string(r) ? parse_string(r, term, true) : parser_expected(&r->parser, "a number in double quotes");
    if (!is_true && !parser_is(&r->parser, "false"))
        return parse_number(r, term, parser_take(&r->parser, "-"));
    term->value.sort = SORT_BOOL;
    term->value.integer = is_true;
    return parser_advance(&r->parser);
}

static enum portolan_status parse_named_term(struct reader *r, struct term *term)
{
    gg_parse_label(r, "a node", &term->name);
    if (parser_take(&r->parser, ":"))
        parse_type(r, term);
    if (parser_take(&r->parser, "["))
        parse_flags(r, &term->flags);
    return r->parser.status;
}

static enum portolan_status parse_term(struct reader *r, struct term **result)
{
    struct term *term;
    if (parser_get(&r->parser, sizeof *term, &term))
        return r->parser.status;
    *result = term;
    term->at = r->lexer.token.at;
    if (parser_take(&r->parser, "(")) {
        term->kind = TERM_EXPRESSION;
        parse_expression(&r->parser, &term->expression);
        return parser_expect(&r->parser, ")", "')'");
    }
    bool is_word = parser_is(&r->parser, "true") || parser_is(&r->parser, "false") || parser_is(&r->parser, "real");
    return is_label(r) && !is_word ? parse_named_term(r, term) : parse_value(r, term);
}

static enum portolan_status parse_arrow(struct reader *r, struct arrow **result)
{
    struct arrow *arrow;
    if (parser_get(&r->parser, sizeof *arrow, &arrow))
        return r->parser.status;
    *result = arrow;
    arrow->label.at = r->lexer.token.at;
    arrow->backwards = parser_is(&r->parser, "<-");
    if (parser_take(&r->parser, "="))
        arrow->kind = ARROW_EQUAL;
    else if (parser_take(&r->parser, "!="))
        arrow->kind = ARROW_UNEQUAL;
    else if (!parser_advance(&r->parser) && !parse_edge_label(r, &arrow->label))
        parser_expect(&r->parser, arrow->backwards ? "-" : "->", arrow->backwards ? "'-'" : "'->'");
    return parse_term(r, &arrow->to);
}

static bool is_arrow(const struct reader *r)
{
    return parser_is(&r->parser, "-") || parser_is(&r->parser, "<-") || parser_is(&r->parser, "=") ||
           parser_is(&r->parser, "!=");
}

enum portolan_status gg_parse_chain(struct reader *r, struct term **chain)
{
    if (parse_term(r, chain))
        return r->parser.status;
    for (struct term *last = *chain; is_arrow(r); last = last->arrow->to)
        if (parse_arrow(r, &last->arrow))
            break;
    return r->parser.status;
}
