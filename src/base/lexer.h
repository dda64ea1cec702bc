/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One lexer for the textual languages: names, quoted names, integers, the
 * symbols of a list; comments run from two slashes (or #, when the rules
 * say so) to the end of the line, or are bracketed as this one.
 *
 *     struct lexer lexer;
 *     lexer_init(&lexer, &rules, "model.dve", text, length);
 *     while ((status = lexer_next(&lexer, error)) == PORTOLAN_OK && lexer.token.kind != TOKEN_END) ...
 *     lexer_clear(&lexer);
 *
 * The text, the rules and the file name must outlive the lexer.
 */
#ifndef BASE_LEXER_H
#define BASE_LEXER_H

#include "base/vector.h"
#include "portolan/portolan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lexer_rules {
    const char *symbols;         /* operators and brackets, with spaces between; the longest that fits is taken */
    const char *name_characters; /* part of a name besides letters, digits and _, but not its first character */
    bool hash_comments;          /* # starts a comment that runs to the end of the line */
    bool is_ada_like;            /* ' is an operator, and a backslash at the end of a line continues a quoted text */
};

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_QUOTED, TOKEN_INTEGER, TOKEN_OPERATOR };

struct position {
    const char *line_start; /* in the text */
    unsigned line, column;  /* 1-based; columns count bytes */
};

struct token {
    enum token_kind kind;
    struct position at;
    const char *start; /* as written, not terminated */
    size_t length;
    const char *name; /* TOKEN_NAME and TOKEN_QUOTED: the name itself, terminated; valid until the next lexer_next */
    int64_t value;    /* TOKEN_INTEGER */
};

struct lexer {
    const struct lexer_rules *rules;
    const char *file;
    const char *next, *end; /* what has not been read yet */
    const char *line_start;
    unsigned line;
    struct token token; /* the current one */
    VECTOR(char) name;
};

void lexer_init(struct lexer *lexer, const struct lexer_rules *rules, const char *file, const char *text,
                size_t length);
/* Releases what the lexer allocated. */
void lexer_clear(struct lexer *lexer);

/* Reads the next token into lexer->token; at the end of the text that is TOKEN_END, again and again. */
enum portolan_status lexer_next(struct lexer *lexer, struct portolan_error *error);

/* The symbol, or the unquoted name, that reads exactly so. */
bool token_is(const struct token *token, const char *text);

/* Whether the name can be written without quotes. */
bool lexer_is_bare_name(const struct lexer_rules *rules, const char *name);

/* Fails at a position, with the line it is on. */
enum portolan_status lexer_fail(const struct lexer *lexer, const struct position *at, struct portolan_error *error,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Fails at the current token: "expected WANTED, found TOKEN". */
enum portolan_status lexer_expected(const struct lexer *lexer, struct portolan_error *error, const char *wanted);

#endif
