/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of inlines: the body is read anew, with what is given in place of the parameters. */
#include "base/diagnostic.h"
#include "front/promela/ast.h"

#include <string.h>

enum { DEEPEST_INLINE = 64 };

const struct inline_text *promela_inline(const struct parser *parser)
{
    for (const struct inline_text *i = parser->syntax->inlines; i; i = i->next)
        if (parser_is(parser, i->name))
            return i;
    return NULL;
}

struct texts {
    VECTOR(const char *) item;
};

/* The arguments of a call as they are written. */
static enum portolan_status read_arguments(struct parser *parser, struct texts *arguments)
{
    parser_expect(parser, "(", "'('");
    const char *start = parser->lexer->token.start;
    unsigned depth = 1;
    while (!parser->status) {
        if (parser->lexer->token.kind == TOKEN_END)
            return parser_expected(parser, "')'");
        depth += parser_is(parser, "(") || parser_is(parser, "[");
        depth -= parser_is(parser, ")") || parser_is(parser, "]");
        if (depth == 0 || (depth == 1 && parser_is(parser, ","))) {
            size_t length = (size_t)(parser->lexer->token.start - start);
            char *text = arena_copy(parser->arena, start, length);
            if (!text || !vector_push(&arguments->item, text))
                return parser->status = fail_memory(parser->error);
            for (char *c = text; *c; c++)
                if (*c == '\n')
                    *c = ' ';
            start = parser->lexer->next;
        }
        if (depth == 0)
            break;
        parser_advance(parser);
    }
    return parser_advance(parser);
}

struct letters {
    char *item;
    size_t count, capacity;
};

static bool put(struct letters *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!vector_push(out, text[i]))
            return false;
    return true;
}

static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* How long the C is that the text begins with: c_code or c_expr, and what stands in brackets and braces; 0: none. */
static size_t c_length(const char *at, size_t left)
{
    size_t length = 6;
    unsigned depth = 0;
    if (left < length || (strncmp(at, "c_code", length) != 0 && strncmp(at, "c_expr", length) != 0) ||
        (left > length && in_word(at[length])))
        return 0;
    for (; length < left; length++) {
        depth += at[length] == '{' || at[length] == '[';
        if ((at[length] == '}' || at[length] == ']') && --depth == 0 && at[length] == '}')
            return length + 1;
        if (at[length] == '"' || at[length] == '\'')
            for (char quote = at[length++]; length < left && at[length] != quote; length++)
                length += at[length] == '\\';
    }
    return left;
}

/* A text in quotes, a word, or one letter. */
static size_t piece_length(const char *at, size_t left)
{
    size_t length = 1;
    if (*at == '"') {
        while (length < left && (at[length] != '"' || at[length - 1] == '\\'))
            length++;
        return length + (length < left);
    }
    while (in_word(*at) && length < left && in_word(at[length]))
        length++;
    return length;
}

/* The body with arguments in place of parameters, but for what is C in it, as in Spin; lines stay lines. */
static char *substitute(struct parser *parser, const struct inline_text *text, const struct texts *arguments)
{
    struct letters out = {0};
    bool fine = true;
    for (size_t i = 0; i < text->length && fine;) {
        const char *at = text->start + i;
        size_t of_c = c_length(at, text->length - i), k = of_c ? text->parameters.count : 0;
        size_t length = of_c ? of_c : piece_length(at, text->length - i);
        while (k < text->parameters.count &&
               (strlen(text->parameters.item[k]) != length || strncmp(text->parameters.item[k], at, length) != 0))
            k++;
        fine = k < text->parameters.count ? put(&out, arguments->item.item[k], strlen(arguments->item.item[k]))
                                          : put(&out, at, length);
        i += length;
    }
    fine = fine && vector_push(&out, '\0');
    char *copy = fine ? arena_copy(parser->arena, out.item, out.count - 1) : NULL;
    free(out.item);
    if (!copy)
        parser->status = fail_memory(parser->error);
    return copy;
}

static enum portolan_status parse_inlined(struct parser *parser, const struct inline_text *text, char *body,
                                          struct sequence **body_read)
{
    struct lexer lexer, *before = parser->lexer;
    struct syntax *s = parser->syntax;
    const char *last_end = parser->last_end;
    unsigned instance = s->instance;
    lexer_init(&lexer, &promela_rules, before->file, body, strlen(body));
    lexer.line = text->line;
    parser->lexer = &lexer;
    s->instance = ++s->instances;
    parser->status = lexer_next(&lexer, parser->error);
    parser->last_end = body;
    promela_sequence(parser, body_read);
    if (!parser->status && lexer.token.kind != TOKEN_END)
        parser_expected(parser, "a statement");
    parser->lexer = before;
    lexer_clear(&lexer);
    parser->last_end = last_end;
    s->instance = instance;
    return parser->status;
}

enum portolan_status promela_inline_call(struct parser *parser, const struct inline_text *text,
                                         struct sequence **body_read)
{
    struct texts arguments = {0};
    struct position at = parser->lexer->token.at;
    parser_advance(parser);
    read_arguments(parser, &arguments);
    size_t count = arguments.item.count;
    if (count == 1 && text->parameters.count == 0 &&
        strspn(arguments.item.item[0], " \t") == strlen(arguments.item.item[0]))
        count = 0;
    if (!parser->status && count != text->parameters.count)
        parser_fail(parser, &at, "'%s' has %zu parameter%s", text->name, text->parameters.count,
                    text->parameters.count == 1 ? "" : "s");
    if (!parser->status && parser->syntax->inline_depth == DEEPEST_INLINE)
        parser_fail(parser, &at, "inlines are nested too deeply: does '%s' call itself?", text->name);
    char *body = parser->status ? NULL : substitute(parser, text, &arguments);
    free(arguments.item.item);
    parser->syntax->inline_depth++;
    if (body)
        parse_inlined(parser, text, body, body_read);
    parser->syntax->inline_depth--;
    return parser->status;
}
