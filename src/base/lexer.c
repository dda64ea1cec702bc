/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lexer.h"

#include "base/diagnostic.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lexer_init(struct lexer *lexer, const struct lexer_rules *rules, const char *file, const char *text, size_t length)
{
    *lexer = (struct lexer){.rules = rules,
                            .file = file,
                            .next = text,
                            .end = text + length,
                            .line_start = text,
                            .line = 1,
                            .token.start = text};
}

void lexer_clear(struct lexer *lexer)
{
    free(lexer->name.item);
    lexer->name.item = NULL;
    lexer->name.count = lexer->name.capacity = 0;
}

/* ------------------------------------------------------------------ errors */

/* Copies the line for display; empty when the column would lie outside of what fits. */
static void copy_line(const struct lexer *lexer, const struct position *at, char *out, size_t size)
{
    size_t length = 0;
    for (const char *c = at->line_start; c < lexer->end && *c != '\n' && length + 1 < size; c++) {
        bool is_control = ((unsigned char)*c < ' ' && *c != '\t') || *c == 0x7f;
        if (is_control && *c == '\r' && (c + 1 == lexer->end || c[1] == '\n'))
            break;
        out[length++] = is_control ? '?' : *c;
    }
    if (at->column >= size)
        length = 0;
    out[length] = '\0';
}

enum portolan_status lexer_fail(const struct lexer *lexer, const struct position *at, struct portolan_error *error,
                                const char *format, ...)
{
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char line[sizeof error->source];
    copy_line(lexer, at, line, sizeof line);
    return fail_at(error, lexer->file, at->line, at->column, line, "%s", message);
}

enum portolan_status lexer_expected(const struct lexer *lexer, struct portolan_error *error, const char *wanted)
{
    const struct token *token = &lexer->token;
    if (token->kind == TOKEN_END)
        return lexer_fail(lexer, &token->at, error, "expected %s, found the end of the input", wanted);
    int shown = token->length < 60 ? (int)token->length : 60;
    if (token->kind == TOKEN_QUOTED)
        return lexer_fail(lexer, &token->at, error, "expected %s, found %.*s", wanted, shown, token->start);
    return lexer_fail(lexer, &token->at, error, "expected %s, found '%.*s'", wanted, shown, token->start);
}

/* -------------------------------------------------------------- characters */

/* Not isalpha and friends: those depend on the locale. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* "[]" is no part of a name: in formulas it is an operator. */
static bool continues_name(const struct lexer_rules *rules, char c, char next)
{
    if (c == '[' && next == ']')
        return false;
    return starts_name(c) || is_digit(c) || (c && rules->name_characters && strchr(rules->name_characters, c));
}

bool lexer_is_bare_name(const struct lexer_rules *rules, const char *name)
{
    if (!starts_name(*name))
        return false;
    while (*name && continues_name(rules, *name, name[1]))
        name++;
    return !*name;
}

static struct position here(const struct lexer *lexer)
{
    return (struct position){.line_start = lexer->line_start,
                             .line = lexer->line,
                             .column = (unsigned)(lexer->next - lexer->line_start) + 1};
}

static bool in_name(const struct lexer *lexer)
{
    return lexer->next < lexer->end &&
           continues_name(lexer->rules, *lexer->next, lexer->next + 1 < lexer->end ? lexer->next[1] : '\0');
}

static bool looking_at(const struct lexer *lexer, const char *text, size_t length)
{
    return (size_t)(lexer->end - lexer->next) >= length && memcmp(lexer->next, text, length) == 0;
}

/* ---------------------------------------------------- spaces and comments */

static void skip_character(struct lexer *lexer)
{
    if (*lexer->next++ == '\n') {
        lexer->line++;
        lexer->line_start = lexer->next;
    }
}

static enum portolan_status skip_bracketed_comment(struct lexer *lexer, struct portolan_error *error)
{
    struct position at = here(lexer);
    lexer->next += 2;
    while (lexer->next < lexer->end && !looking_at(lexer, "*/", 2))
        skip_character(lexer);
    if (lexer->next == lexer->end)
        return lexer_fail(lexer, &at, error, "the comment is not closed");
    lexer->next += 2;
    return PORTOLAN_OK;
}

static enum portolan_status skip_space(struct lexer *lexer, struct portolan_error *error)
{
    while (lexer->next < lexer->end) {
        if (strchr(" \t\r\n\f\v", *lexer->next) && *lexer->next) {
            skip_character(lexer);
        } else if (looking_at(lexer, "//", 2) || (lexer->rules->hash_comments && *lexer->next == '#')) {
            while (lexer->next < lexer->end && *lexer->next != '\n')
                lexer->next++;
        } else if (looking_at(lexer, "/*", 2)) {
            enum portolan_status status = skip_bracketed_comment(lexer, error);
            if (status)
                return status;
        } else {
            break;
        }
    }
    return PORTOLAN_OK;
}

/* ------------------------------------------------------------------ tokens */

static enum portolan_status finish_name(struct lexer *lexer, enum token_kind kind, struct portolan_error *error)
{
    if (!vector_push(&lexer->name, '\0'))
        return fail_memory(error);
    lexer->token.kind = kind;
    lexer->token.name = lexer->name.item;
    return PORTOLAN_OK;
}

static enum portolan_status read_name(struct lexer *lexer, struct portolan_error *error)
{
    for (; in_name(lexer); lexer->next++)
        if (!vector_push(&lexer->name, *lexer->next))
            return fail_memory(error);
    return finish_name(lexer, TOKEN_NAME, error);
}

/* Appends one character of a quoted name, at an escape sequence the one it stands for. */
static enum portolan_status read_quoted_character(struct lexer *lexer, struct portolan_error *error)
{
    struct position at = here(lexer);
    char c = *lexer->next++;
    if (c == '\0')
        return lexer_fail(lexer, &at, error, "a zero byte in a quoted name");
    if (c == '\\') {
        if (lexer->rules->is_ada_like && looking_at(lexer, "\n", 1)) {
            skip_character(lexer);
            return PORTOLAN_OK;
        }
        c = lexer->next < lexer->end ? *lexer->next++ : '\0';
        if (c == 'n')
            c = '\n';
        else if (c == 't')
            c = '\t';
        else if (c != '\\' && c != '"' && c != '\'') {
            enum portolan_status status = lexer_fail(lexer, &at, error, "unknown escape sequence in a quoted name");
            hint(error, "write \\\\ for a backslash");
            return status;
        }
    }
    return vector_push(&lexer->name, c) ? PORTOLAN_OK : fail_memory(error);
}

static enum portolan_status read_quoted(struct lexer *lexer, struct portolan_error *error)
{
    struct position at = here(lexer);
    char quote = *lexer->next++;
    while (lexer->next < lexer->end && *lexer->next != quote && *lexer->next != '\n') {
        enum portolan_status status = read_quoted_character(lexer, error);
        if (status)
            return status;
    }
    if (lexer->next == lexer->end || *lexer->next != quote)
        return lexer_fail(lexer, &at, error, "the quoted name has no closing %c on this line", quote);
    lexer->next++;
    return finish_name(lexer, TOKEN_QUOTED, error);
}

static enum portolan_status read_integer(struct lexer *lexer, struct portolan_error *error)
{
    struct token *token = &lexer->token;
    bool overflow = false;
    token->kind = TOKEN_INTEGER;
    for (; lexer->next < lexer->end && is_digit(*lexer->next); lexer->next++)
        overflow |= __builtin_mul_overflow(token->value, 10, &token->value) ||
                    __builtin_add_overflow(token->value, *lexer->next - '0', &token->value);
    if (in_name(lexer)) {
        while (in_name(lexer))
            lexer->next++;
        int shown = lexer->next - token->start < 60 ? (int)(lexer->next - token->start) : 60;
        enum portolan_status status =
            lexer_fail(lexer, &token->at, error, "'%.*s' is neither an integer nor a name", shown, token->start);
        hint(error, "a name that starts with a digit is quoted: \"%.*s\"", shown, token->start);
        return status;
    }
    if (overflow)
        return lexer_fail(lexer, &token->at, error, "the integer is larger than %lld", (long long)INT64_MAX);
    return PORTOLAN_OK;
}

static enum portolan_status read_operator(struct lexer *lexer, struct portolan_error *error)
{
    size_t longest = 0, length;
    for (const char *symbol = lexer->rules->symbols; *symbol; symbol += length + (symbol[length] == ' ')) {
        length = strcspn(symbol, " ");
        if (length > longest && looking_at(lexer, symbol, length))
            longest = length;
    }
    unsigned char c = (unsigned char)*lexer->next;
    if (!longest && c > ' ' && c < 0x7f)
        return lexer_fail(lexer, &lexer->token.at, error, "unexpected character '%c'", c);
    if (!longest)
        return lexer_fail(lexer, &lexer->token.at, error, "unexpected byte 0x%02x", c);
    lexer->token.kind = TOKEN_OPERATOR;
    lexer->next += longest;
    return PORTOLAN_OK;
}

static enum portolan_status read_token(struct lexer *lexer, struct portolan_error *error)
{
    if (lexer->next == lexer->end)
        return PORTOLAN_OK;
    if (starts_name(*lexer->next))
        return read_name(lexer, error);
    if (is_digit(*lexer->next))
        return read_integer(lexer, error);
    if (*lexer->next == '"' || (*lexer->next == '\'' && !lexer->rules->is_ada_like))
        return read_quoted(lexer, error);
    return read_operator(lexer, error);
}

enum portolan_status lexer_next(struct lexer *lexer, struct portolan_error *error)
{
    enum portolan_status status = skip_space(lexer, error);
    if (status)
        return status;
    lexer->name.count = 0;
    lexer->token = (struct token){.kind = TOKEN_END, .at = here(lexer), .start = lexer->next};
    status = read_token(lexer, error);
    lexer->token.length = (size_t)(lexer->next - lexer->token.start);
    return status;
}

bool token_is(const struct token *token, const char *text)
{
    if (token->kind == TOKEN_OPERATOR)
        return strlen(text) == token->length && memcmp(token->start, text, token->length) == 0;
    return token->kind == TOKEN_NAME && strcmp(token->name, text) == 0;
}
