/* SPDX-License-Identifier: Apache-2.0 */
/* What is C in a model, as text: c_decl, c_code and c_expr with their braces, c_state and c_track with their quotes. */
#include "base/diagnostic.h"
#include "front/promela/ast.h"

#include <string.h>

static enum portolan_status allow(struct parser *parser)
{
    if (parser->status || parser->syntax->allows_c)
        return parser->status;
    parser_fail(parser, &parser->lexer->token.at,
                "the model contains C code, which would run with all your permissions");
    hint(parser->error, "--allow-c compiles and runs it");
    return parser->status;
}

/* Behind the text in quotes that begins here. */
static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote)
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

enum portolan_status promela_braced(struct parser *parser, char close, const char **start, size_t *length)
{
    struct lexer *lexer = parser->lexer;
    char open = close == '}' ? '{' : '[';
    const char *at = lexer->next;
    unsigned depth = 1;
    *start = at;
    *length = 0;
    if (!parser_is(parser, close == '}' ? "{" : "["))
        return parser_expected(parser, close == '}' ? "'{'" : "'['");
    while (at < lexer->end) {
        depth += *at == open;
        if (*at == close && --depth == 0)
            break;
        at = *at == '"' || *at == '\'' ? skip_quoted(at, lexer->end) : at + 1;
    }
    for (const char *c = *start; c < at; c++)
        if (*c == '\n') {
            lexer->line++;
            lexer->line_start = c + 1;
        }
    *length = (size_t)(at - *start);
    lexer->next = at;
    parser->status = lexer_next(lexer, parser->error);
    return parser->status ? parser->status : depth ? parser_expected(parser, "'}'") : parser_advance(parser);
}

/* A backslash before # keeps it from the preprocessor. */
static const char *copy_c(struct parser *parser, const char *start, size_t length)
{
    char *copy = arena_copy(parser->arena, start, length);
    if (!copy) {
        parser->status = fail_memory(parser->error);
        return "";
    }
    for (char *c = copy; *c; c++)
        if (c[0] == '\\' && c[1] == '#')
            *c = ' ';
    return copy;
}

static enum portolan_status parse_text(struct parser *parser, char close, const char **text, struct position *at)
{
    const char *start;
    size_t length;
    *at = parser->lexer->token.at;
    at->column++; /* behind the brace */
    if (!promela_braced(parser, close, &start, &length))
        *text = copy_c(parser, start, length);
    return parser->status;
}

enum portolan_status promela_c_text(struct parser *parser, uint32_t *number)
{
    struct c_text text = {.proctype = parser->syntax->present};
    *number = (uint32_t)parser->syntax->c_texts.count;
    if (allow(parser) || parser_advance(parser))
        return parser->status;
    if (parser_is(parser, "["))
        parse_text(parser, ']', &text.condition, &text.condition_at);
    if (!parser->status)
        parse_text(parser, '}', &text.text, &text.at);
    if (!parser->status && !vector_push(&parser->syntax->c_texts, text))
        parser->status = fail_memory(parser->error);
    return parser->status;
}

static enum portolan_status parse_quoted(struct parser *parser, const char **text)
{
    if (!parser->status && parser->lexer->token.kind != TOKEN_QUOTED)
        return parser_expected(parser, "a text in quotes");
    if (!parser->status)
        *text = copy_c(parser, parser->lexer->token.name, strlen(parser->lexer->token.name));
    return parser_advance(parser);
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "int a[3] = ..." declares a: the last word before brackets and an initial value. */
static const char *declared_name(struct parser *parser, const char *declaration)
{
    const char *end = declaration + strcspn(declaration, "[=");
    while (end > declaration && !in_word(end[-1]))
        end--;
    const char *start = end;
    while (start > declaration && in_word(start[-1]))
        start--;
    return copy_c(parser, start, (size_t)(end - start));
}

/* "Global", "Hidden", "Local P" */
static enum portolan_status parse_where(struct parser *parser, struct c_variable *v)
{
    const char *where = "";
    struct position at = parser->lexer->token.at;
    if (parse_quoted(parser, &where))
        return parser->status;
    where += strspn(where, " ");
    size_t length = strcspn(where, " ");
    v->kind = strncmp(where, "Global", length) == 0   ? C_GLOBAL
              : strncmp(where, "Hidden", length) == 0 ? C_HIDDEN
                                                      : C_LOCAL;
    if (v->kind == C_LOCAL && (length != strlen("Local") || strncmp(where, "Local", length) != 0))
        return parser_fail(parser, &at, "a c_state is \"Global\", \"Hidden\" or \"Local\" and a proctype");
    v->proctype = where + length + strspn(where + length, " ");
    return parser->status;
}

static enum portolan_status parse_variable(struct parser *parser, bool is_tracked)
{
    struct c_variable v = {.at = parser->lexer->token.at, .kind = C_TRACKED};
    const char *how = "";
    parser_advance(parser);
    struct position at = parser->lexer->token.at;
    parse_quoted(parser, &v.declaration);
    if (is_tracked) {
        parse_quoted(parser, &v.size);
        at = parser->lexer->token.at;
        if (!parser->status && parser->lexer->token.kind == TOKEN_QUOTED)
            parse_quoted(parser, &how);
        if (!parser->status && *how && strcmp(how, "Matched") != 0 && strcmp(how, "UnMatched") != 0)
            return parser_fail(parser, &at, "what is tracked is \"Matched\" or \"UnMatched\"");
    } else {
        parse_where(parser, &v);
        if (!parser->status && parser->lexer->token.kind == TOKEN_QUOTED)
            parse_quoted(parser, &v.initial);
        if (!parser->status)
            v.name = declared_name(parser, v.declaration);
        if (!parser->status && !*v.name)
            return parser_fail(parser, &at, "this declares no variable");
    }
    if (!parser->status && !vector_push(&parser->syntax->c_variables, v))
        parser->status = fail_memory(parser->error);
    return parser->status;
}

bool promela_starts_c(const struct parser *parser)
{
    return parser_is(parser, "c_decl") || parser_is(parser, "c_code") || parser_is(parser, "c_state") ||
           parser_is(parser, "c_track");
}

enum portolan_status promela_parse_c(struct parser *parser)
{
    struct c_piece piece = {.is_code = parser_is(parser, "c_code")};
    if (allow(parser))
        return parser->status;
    if (parser_is(parser, "c_state") || parser_is(parser, "c_track"))
        return parse_variable(parser, parser_is(parser, "c_track"));
    parser_advance(parser);
    if (!parser->status && !parse_text(parser, '}', &piece.text, &piece.at) &&
        !vector_push(&parser->syntax->c_pieces, piece))
        parser->status = fail_memory(parser->error);
    return parser->status;
}
