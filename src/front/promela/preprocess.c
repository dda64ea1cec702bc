/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor: #define with and without arguments, #undef, #if and its like, #include, #error.
 * Comments become spaces, characters in quotes numbers.  Each line of the result knows the file and line it came from.
 * Macros are expanded as C says, but for # and ##, which are refused: a macro is not expanded within itself, arguments
 * are expanded before.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/text_file.h"
#include "front/promela/ast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST_CONDITION = 64, DEEPEST_INCLUDE = 20, DEEPEST_MACRO = 100, MOST_ARGUMENTS = 64, LARGEST = 1 << 26 };

struct buffer {
    char *item;
    size_t count, capacity;
};

struct macro {
    const char *name;
    size_t length;
    const char *body;
    size_t body_length;
    bool takes_arguments, is_busy, is_gone;
    unsigned parameters;
    const char *parameter[MOST_ARGUMENTS];
    struct macro *next;
};

struct input {
    const char *file;
    const char *next, *end;
    unsigned line; /* of next */
    bool in_comment;
    bool awaits_c;    /* the next brace begins C ... */
    unsigned c_depth; /* ... and within so many it is */
};

struct preprocessor {
    struct syntax *syntax;
    struct macro *macros;
    struct buffer out;
    struct input *in;
    unsigned depth, includes;
    bool taken[DEEPEST_CONDITION + 1], was_taken[DEEPEST_CONDITION + 1], is_else[DEEPEST_CONDITION + 1];
    unsigned first; /* line of the logical line at hand */
    struct buffer line;
    struct portolan_error *error;
    enum portolan_status status;
};

static enum portolan_status read_file(struct preprocessor *pre, struct input *in);

static enum portolan_status fail_here(struct preprocessor *pre, const char *format, const char *word, size_t length)
{
    char message[300], shown[100];
    if (pre->status)
        return pre->status;
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 90 ? length : 90), word);
    snprintf(message, sizeof message, format, shown);
    return pre->status = fail_at(pre->error, pre->in->file, pre->first, 1, pre->line.item, "%s", message);
}

static void put(struct preprocessor *pre, struct buffer *out, const char *text, size_t length)
{
    if (!pre->status && (limits_reached() || out->count + length > LARGEST || !vector_reserve(out, length + 1)))
        pre->status = out->count + length > LARGEST
                          ? fail(pre->error, PORTOLAN_BAD_INPUT, "%s: macros expand to more than 64 MB", pre->in->file)
                          : fail_memory(pre->error);
    if (pre->status)
        return;
    memcpy(out->item + out->count, text, length);
    out->count += length;
    out->item[out->count] = '\0';
}

static bool starts_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t word_at(const char *from, const char *end)
{
    size_t length = 0;
    while (from + length < end && (starts_word(from[length]) || (from[length] >= '0' && from[length] <= '9')))
        length++;
    return length;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\n';
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

/* Behind the text in quotes that begins here. */
static const char *skip_quoted(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote)
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* ------------------------------------------------------------------------- macros */

static struct macro *find_macro(const struct preprocessor *pre, const char *name, size_t length)
{
    for (struct macro *m = pre->macros; m; m = m->next)
        if (!m->is_gone && m->length == length && memcmp(m->name, name, length) == 0)
            return m;
    return NULL;
}

static const char *keep(struct preprocessor *pre, const char *text, size_t length)
{
    const char *copy = pre->status ? NULL : arena_copy(&pre->syntax->arena, text, length);
    if (!copy && !pre->status)
        pre->status = fail_memory(pre->error);
    return copy;
}

static void add_macro(struct preprocessor *pre, struct macro macro)
{
    struct macro *known = find_macro(pre, macro.name, macro.length);
    if (known)
        known->is_gone = true;
    struct macro *m = arena_get(&pre->syntax->arena, sizeof *m);
    macro.name = keep(pre, macro.name, macro.length);
    macro.body = keep(pre, macro.body, macro.body_length);
    if (!m && !pre->status)
        pre->status = fail_memory(pre->error);
    if (pre->status)
        return;
    *m = macro;
    m->next = pre->macros;
    pre->macros = m;
}

struct argument {
    const char *start;
    size_t length;
};

/* The arguments between parentheses; *end is behind them, or NULL where they do not end. */
static unsigned read_arguments(const char *at, const char *end, struct argument *arguments, const char **behind)
{
    unsigned count = 0, depth = 1;
    const char *start = ++at;
    *behind = NULL;
    for (; at < end; at++) {
        if (*at == '"') {
            at = skip_quoted(at, end) - 1;
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        bool ends = (*at == ')' || *at == ']' || *at == '}') && --depth == 0;
        if (!ends && (*at != ',' || depth > 1))
            continue;
        if (count < MOST_ARGUMENTS)
            arguments[count++] = (struct argument){start, (size_t)(at - start)};
        start = at + 1;
        if (ends) {
            *behind = at + 1;
            break;
        }
    }
    return count;
}

/* Returns false where the text ends within the arguments of a macro. */
static bool expand(struct preprocessor *pre, const char *at, const char *end, struct buffer *out, unsigned depth);

/* What stands for the parameters of a macro, as it was written and expanded. */
struct given {
    const struct macro *macro;
    const struct argument *arguments;
    const struct buffer *values;
};

/* The parameter that is the word here; NULL: it is none. */
static const char *const *parameter_at(const struct macro *m, const char *at, size_t length)
{
    for (unsigned k = 0; k < m->parameters && length; k++)
        if (is_word(at, length, m->parameter[k]))
            return &m->parameter[k];
    return NULL;
}

static struct argument trimmed(struct argument a)
{
    const char *end = a.start + a.length;
    a.start = skip_spaces(a.start, end);
    while (end > a.start && is_space(end[-1]))
        end--;
    a.length = (size_t)(end - a.start);
    return a;
}

/* #x: the text of an argument in quotes, where each space is one. */
static void put_string(struct preprocessor *pre, struct argument a, struct buffer *out)
{
    a = trimmed(a);
    put(pre, out, "\"", 1);
    for (const char *at = a.start, *end = a.start + a.length; at < end && !pre->status;) {
        const char *next = *at == '"' || *at == '\'' ? skip_quoted(at, end) : at + 1;
        if (is_space(*at)) {
            at = skip_spaces(at, end);
            put(pre, out, " ", 1);
            continue;
        }
        for (bool in_quotes = next > at + 1; at < next; at++) {
            if (*at == '"' || (*at == '\\' && in_quotes))
                put(pre, out, "\\", 1);
            put(pre, out, at, 1);
        }
    }
    put(pre, out, "\"", 1);
}

static bool is_paste(const char *at, const char *end)
{
    return end - at >= 2 && at[0] == '#' && at[1] == '#';
}

/* One token of the body, from *at on. */
static void put_token(struct preprocessor *pre, const struct given *g, const char **at, const char *end, bool is_pasted,
                      struct buffer *out)
{
    const struct macro *m = g->macro;
    const char *quoted = **at == '#' && m->takes_arguments ? skip_spaces(*at + 1, end) : end;
    const char *const *parameter = parameter_at(m, quoted, word_at(quoted, end));
    if (parameter) {
        put_string(pre, g->arguments[parameter - m->parameter], out);
        *at = quoted + word_at(quoted, end);
        return;
    }
    size_t length = starts_word(**at) ? word_at(*at, end) : 0;
    parameter = parameter_at(m, *at, length);
    if (parameter) {
        struct argument raw = trimmed(g->arguments[parameter - m->parameter]);
        const struct buffer *value = &g->values[parameter - m->parameter];
        bool pastes = is_pasted || is_paste(skip_spaces(*at + length, end), end);
        put(pre, out, pastes ? raw.start : value->item ? value->item : "", pastes ? raw.length : value->count);
    } else {
        length = length ? length : **at == '"' ? (size_t)(skip_quoted(*at, end) - *at) : 1;
        put(pre, out, *at, length);
    }
    *at += length;
}

/* The body with arguments in place of parameters.  What ## joins is not expanded before. */
static void substitute(struct preprocessor *pre, const struct given *g, struct buffer *out)
{
    bool is_pasted = false;
    for (const char *at = g->macro->body, *end = at + g->macro->body_length; at < end && !pre->status;) {
        const char *next = skip_spaces(at, end);
        if (is_paste(next, end)) {
            at = skip_spaces(next + 2, end);
            is_pasted = true;
            continue;
        }
        put_token(pre, g, &at, end, is_pasted, out);
        is_pasted = false;
    }
}

/* Expands a macro with its arguments; *at is behind its name, and then behind the arguments. */
static bool expand_macro(struct preprocessor *pre, struct macro *m, const char **at, const char *end,
                         struct buffer *out, unsigned depth)
{
    struct argument arguments[MOST_ARGUMENTS];
    struct buffer values[MOST_ARGUMENTS] = {0}, text = {0};
    unsigned count = 0;
    bool whole = true;
    if (m->takes_arguments) {
        const char *behind;
        count = read_arguments(skip_spaces(*at, end), end, arguments, &behind);
        if (!behind)
            return false;
        *at = behind;
        if (count == 1 && m->parameters == 0 &&
            skip_spaces(arguments[0].start, arguments[0].start + arguments[0].length) ==
                arguments[0].start + arguments[0].length)
            count = 0;
        if (count != m->parameters)
            fail_here(pre, "the macro '%s' takes a different number of arguments", m->name, m->length);
        for (unsigned k = 0; k < count && !pre->status && whole; k++)
            whole = expand(pre, arguments[k].start, arguments[k].start + arguments[k].length, &values[k], depth + 1);
    }
    substitute(pre, &(struct given){m, arguments, values}, &text);
    m->is_busy = true;
    if (text.count && !pre->status)
        whole &= expand(pre, text.item, text.item + text.count, out, depth + 1);
    m->is_busy = false;
    for (unsigned k = 0; k < count; k++)
        free(values[k].item);
    free(text.item);
    return whole;
}

static bool expand(struct preprocessor *pre, const char *at, const char *end, struct buffer *out, unsigned depth)
{
    if (depth > DEEPEST_MACRO)
        return fail_here(pre, "macros are nested too deeply", "", 0) == PORTOLAN_OK;
    while (at < end && !pre->status) {
        size_t length = starts_word(*at) ? word_at(at, end) : 0;
        struct macro *m = length ? find_macro(pre, at, length) : NULL;
        bool calls = m && !m->is_busy;
        if (calls && m->takes_arguments) {
            const char *open = skip_spaces(at + length, end);
            calls = open < end && *open == '(';
        }
        if (calls) {
            at += length;
            if (!expand_macro(pre, m, &at, end, out, depth))
                return false;
            continue;
        }
        const char *next = length                      ? at + length
                           : *at == '"' || *at == '\'' ? skip_quoted(at, end)
                           : *at >= '0' && *at <= '9'  ? at + word_at(at, end)
                                                       : at + 1;
        put(pre, out, at, (size_t)(next - at));
        at = next;
    }
    return true;
}

/* --------------------------------------------------------------------- directives */

static void define(struct preprocessor *pre, const char *at, const char *end)
{
    struct macro m = {.name = at, .length = word_at(at, end)};
    if (!m.length) {
        fail_here(pre, "#define needs the name of a macro%s", "", 0);
        return;
    }
    at += m.length;
    if (at < end && *at == '(') {
        struct argument arguments[MOST_ARGUMENTS];
        const char *behind;
        unsigned count = read_arguments(at, end, arguments, &behind);
        m.takes_arguments = true;
        if (!behind) {
            fail_here(pre, "the parameters of the macro '%s' are not closed", m.name, m.length);
            return;
        }
        for (unsigned k = 0; k < count; k++) {
            const char *last = arguments[k].start + arguments[k].length;
            const char *start = skip_spaces(arguments[k].start, last);
            size_t length = word_at(start, last);
            if (length)
                m.parameter[m.parameters++] = keep(pre, start, length);
        }
        at = behind;
    }
    at = skip_spaces(at, end);
    while (end > at && is_space(end[-1]))
        end--;
    m.body = at;
    m.body_length = (size_t)(end - at);
    if (!pre->status)
        add_macro(pre, m);
}

/* defined(X) and defined X become 1 or 0. */
static void replace_defined(struct preprocessor *pre, const char *at, const char *end, struct buffer *out)
{
    while (at < end && !pre->status) {
        size_t length = starts_word(*at) ? word_at(at, end) : 0;
        if (!length || !is_word(at, length, "defined")) {
            length = length ? length : 1;
            put(pre, out, at, length);
            at += length;
            continue;
        }
        at = skip_spaces(at + length, end);
        bool parentheses = at < end && *at == '(';
        at = skip_spaces(at + parentheses, end);
        length = word_at(at, end);
        put(pre, out, find_macro(pre, at, length) ? "1" : "0", 1);
        at = skip_spaces(at + length, end);
        at += parentheses && at < end && *at == ')';
    }
}

/* Words that are left are 0. */
static void replace_words(struct buffer *text)
{
    for (size_t i = 0; i < text->count;) {
        size_t length = word_at(text->item + i, text->item + text->count);
        if (length && starts_word(text->item[i])) {
            memset(text->item + i, ' ', length);
            text->item[i] = '0';
        }
        i += length ? length : 1;
    }
}

static bool condition(struct preprocessor *pre, const char *at, const char *end)
{
    struct buffer asked = {0}, text = {0};
    int64_t value = 0;
    replace_defined(pre, at, end, &asked);
    put(pre, &asked, "", 0);
    if (!pre->status && !expand(pre, asked.item, asked.item + asked.count, &text, 0))
        fail_here(pre, "a macro in the condition is not closed%s", "", 0);
    put(pre, &text, "", 0);
    if (!pre->status) {
        struct lexer lexer;
        struct node *node = NULL;
        replace_words(&text);
        struct parser parser = {.language = &promela_language, .lexer = &lexer, .arena = &pre->syntax->arena};
        struct portolan_error ignored;
        parser.error = &ignored;
        lexer_init(&lexer, &promela_rules, pre->in->file, text.item, text.count);
        parser.status = lexer_next(&lexer, &ignored);
        if (parser.status || parse_tight(&parser, 1, &node) || lexer.token.kind != TOKEN_END ||
            !promela_fold(node, &value))
            fail_here(pre, "the condition of #if is not a number%s", "", 0);
        lexer_clear(&lexer);
    }
    free(asked.item);
    free(text.item);
    return value != 0;
}

static void open_condition(struct preprocessor *pre, bool holds)
{
    if (pre->depth == DEEPEST_CONDITION) {
        fail_here(pre, "conditions are nested too deeply (more than 64 levels)%s", "", 0);
        return;
    }
    bool outside = pre->taken[pre->depth++];
    pre->taken[pre->depth] = outside && holds;
    pre->was_taken[pre->depth] = !outside || holds;
    pre->is_else[pre->depth] = false;
}

static void turn_condition(struct preprocessor *pre, const char *word, size_t length, const char *at, const char *end)
{
    bool is_else = is_word(word, length, "else");
    if (pre->depth == 0 || pre->is_else[pre->depth]) {
        fail_here(pre, "#%s without #if", word, length);
        return;
    }
    bool holds = !pre->was_taken[pre->depth] && (is_else || condition(pre, at, end));
    pre->taken[pre->depth] = holds;
    pre->was_taken[pre->depth] |= holds;
    pre->is_else[pre->depth] = is_else;
}

enum { LONGEST_PATH = 1000 };

/* Where C's preprocessor looks, which Spin calls: for a name in quotes beside the file, then in the directories of
 * CPATH, then in the system's; a name in angle brackets only there.  A file that is nowhere is asked for beside it. */
static void find_included(const struct preprocessor *pre, const char *name, int length, bool is_quoted, char *path)
{
    const char *slash = strrchr(pre->in->file, '/'), *listed = getenv("CPATH");
    static const char *const usual[] = {"/usr/local/include", "/usr/include"};
    int own = slash && *name != '/' ? (int)(slash - pre->in->file + 1) : 0;
    if (is_quoted || *name == '/') {
        snprintf(path, LONGEST_PATH, "%.*s%.*s", own, pre->in->file, length, name);
        if (*name == '/' || access(path, F_OK) == 0)
            return;
    }
    for (const char *at = listed; at && *at; at += strcspn(at, ":"), at += *at == ':') {
        snprintf(path, LONGEST_PATH, "%.*s/%.*s", (int)strcspn(at, ":"), at, length, name);
        if (*at != ':' && access(path, F_OK) == 0)
            return;
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        snprintf(path, LONGEST_PATH, "%s/%.*s", usual[i], length, name);
        if (access(path, F_OK) == 0)
            return;
    }
    snprintf(path, LONGEST_PATH, "%.*s%.*s", is_quoted ? own : 0, pre->in->file, length, name);
}

static void include(struct preprocessor *pre, const char *at, const char *end)
{
    enum { LONGEST_NAME = 500 };
    bool is_quoted = at < end && *at == '"';
    const char *close = is_quoted                ? skip_quoted(at, end) - 1
                        : at < end && *at == '<' ? memchr(at, '>', (size_t)(end - at))
                                                 : NULL;
    if (!close || close <= at + 1 || *close != (is_quoted ? '"' : '>')) {
        fail_here(pre, "#include needs the name of a file in quotes or angle brackets%s", "", 0);
        return;
    }
    if (++pre->includes > DEEPEST_INCLUDE)
        fail_here(pre, "files are included too deeply%s", "", 0);
    size_t length = (size_t)(close - at - 1);
    char path[LONGEST_PATH];
    find_included(pre, at + 1, (int)(length < LONGEST_NAME ? length : LONGEST_NAME), is_quoted, path);
    char *text = NULL;
    size_t size = 0;
    if (pre->status)
        return;
    pre->status = text_file_read(path, &text, &size, pre->error);
    struct input in = {.file = keep(pre, path, strlen(path)), .next = text, .end = text + size, .line = 1};
    struct input *before = pre->in;
    unsigned first = pre->first;
    if (!pre->status)
        read_file(pre, &in);
    free(text);
    pre->in = before;
    pre->first = first;
    pre->includes--;
}

static void directive(struct preprocessor *pre, const char *at, const char *end)
{
    at = skip_spaces(at + 1, end);
    size_t length = word_at(at, end);
    const char *word = at;
    at = skip_spaces(at + length, end);
    bool counts = pre->taken[pre->depth];
    if (is_word(word, length, "ifdef") || is_word(word, length, "ifndef")) {
        open_condition(pre, (find_macro(pre, at, word_at(at, end)) != NULL) == is_word(word, length, "ifdef"));
    } else if (is_word(word, length, "if")) {
        open_condition(pre, counts && condition(pre, at, end));
    } else if (is_word(word, length, "elif") || is_word(word, length, "else")) {
        turn_condition(pre, word, length, at, end);
    } else if (is_word(word, length, "endif")) {
        if (pre->depth == 0)
            fail_here(pre, "#endif without #if%s", "", 0);
        else
            pre->depth--;
    } else if (!counts || length == 0 || is_word(word, length, "line") || is_word(word, length, "pragma") ||
               is_word(word, length, "ident")) {
        return;
    } else if (is_word(word, length, "define")) {
        define(pre, at, end);
    } else if (is_word(word, length, "undef")) {
        struct macro *m = find_macro(pre, at, word_at(at, end));
        if (m)
            m->is_gone = true;
    } else if (is_word(word, length, "include")) {
        char *copy = strndup(at, (size_t)(end - at)); /* the line is overwritten meanwhile */
        if (copy)
            include(pre, copy, copy + (end - at));
        else
            pre->status = fail_memory(pre->error);
        free(copy);
    } else if (is_word(word, length, "error")) {
        fail_here(pre, "#error %s", at, (size_t)(end - at));
    } else if (*word < '0' || *word > '9') {
        fail_here(pre, "unknown preprocessor directive #%s", word, length);
    }
}

/* -------------------------------------------------------------------------- lines */

/* A character in quotes as a number; returns where it ends. */
static const char *put_character(struct preprocessor *pre, const char *at, const char *end, struct buffer *out)
{
    char number[8];
    const char *last = skip_quoted(at, end);
    unsigned char c = at + 1 < end ? (unsigned char)at[1] : 0;
    if (c == '\\' && at + 2 < end) {
        c = (unsigned char)at[2];
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
    }
    snprintf(number, sizeof number, "%u", c);
    put(pre, out, number, strlen(number));
    return last;
}

/* A text in quotes, with escapes that the lexer knows. */
static const char *put_quoted(struct preprocessor *pre, const char *at, const char *end, struct buffer *out)
{
    const char *last = skip_quoted(at, end);
    for (; at < last; at++) {
        if (*at == '\\' && at + 1 < last) {
            if (strchr("nt\\\"'", at[1]))
                put(pre, out, at, 2);
            at++;
        } else if (*at != '\n') {
            put(pre, out, at, 1);
        }
    }
    return last;
}

/* In C between braces quotes stay as they are. */
static void look_for_c(struct input *in, const char *word, size_t length)
{
    if (is_word(word, length, "c_code") || is_word(word, length, "c_expr") || is_word(word, length, "c_decl"))
        in->awaits_c = true;
    else if (*word == '{' && (in->awaits_c || in->c_depth))
        in->c_depth++;
    else if (*word == '}' && in->c_depth)
        in->c_depth--;
    else if (*word == ';' && !in->c_depth)
        in->awaits_c = false;
    if (*word == '{')
        in->awaits_c = false;
}

/* Appends the next line without comments to the line at hand; false at the end.  A backslash joins lines. */
static bool take_line(struct preprocessor *pre)
{
    struct input *in = pre->in;
    const char *at = in->next;
    if (at >= in->end)
        return false;
    while (at < in->end && !pre->status) {
        if (in->in_comment) {
            in->line += *at == '\n';
            if (*at == '*' && at + 1 < in->end && at[1] == '/') {
                in->in_comment = false;
                at++;
            }
            at++;
        } else if (*at == '\n') {
            at++;
            in->line++;
            break;
        } else if (*at == '\\' && at + 1 < in->end && (at[1] == '\n' || (at[1] == '\r' && at + 2 < in->end))) {
            at += at[1] == '\r' ? 3 : 2;
            in->line++;
        } else if (*at == '/' && at + 1 < in->end && at[1] == '*') {
            in->in_comment = true;
            put(pre, &pre->line, " ", 1);
            at += 2;
        } else if (*at == '/' && at + 1 < in->end && at[1] == '/') {
            while (at < in->end && *at != '\n')
                at++;
        } else if (in->c_depth && (*at == '"' || *at == '\'')) {
            const char *quoted = at;
            put(pre, &pre->line, quoted, (size_t)((at = skip_quoted(at, in->end)) - quoted));
        } else if (*at == '"') {
            at = put_quoted(pre, at, in->end, &pre->line);
        } else if (*at == '\'' && at + 2 < in->end && (at[2] == '\'' || (at[1] == '\\' && at[3] == '\''))) {
            at = put_character(pre, at, in->end, &pre->line);
        } else {
            size_t length = starts_word(*at) ? word_at(at, in->end) : 1;
            look_for_c(in, at, length);
            put(pre, &pre->line, at, length);
            at += length;
        }
    }
    in->next = at;
    return true;
}

static void put_line(struct preprocessor *pre)
{
    struct buffer expanded = {0};
    while (!pre->status && !expand(pre, pre->line.item, pre->line.item + pre->line.count, &expanded, 0)) {
        for (struct macro *m = pre->macros; m; m = m->next)
            m->is_busy = false;
        expanded.count = 0;
        put(pre, &pre->line, " ", 1);
        if (!take_line(pre))
            fail_here(pre, "the file ends within the arguments of a macro%s", "", 0);
    }
    put(pre, &pre->out, expanded.item ? expanded.item : "", expanded.count);
    put(pre, &pre->out, "\n", 1);
    free(expanded.item);
    struct source_line line = {pre->in->file, pre->first};
    if (!pre->status && !vector_push(&pre->syntax->lines, line))
        pre->status = fail_memory(pre->error);
}

static enum portolan_status read_file(struct preprocessor *pre, struct input *in)
{
    unsigned depth = pre->depth;
    pre->in = in;
    while (!pre->status) {
        pre->line.count = 0;
        put(pre, &pre->line, "", 0);
        pre->first = in->line;
        if (!take_line(pre) || pre->status)
            break;
        const char *start = skip_spaces(pre->line.item, pre->line.item + pre->line.count);
        if (start < pre->line.item + pre->line.count && *start == '#')
            directive(pre, start, pre->line.item + pre->line.count);
        else if (pre->taken[pre->depth])
            put_line(pre);
    }
    if (!pre->status && pre->depth != depth)
        fail_here(pre, "a condition of the preprocessor is not closed (#endif)%s", "", 0);
    return pre->status;
}

static void define_argument(struct preprocessor *pre, const char *definition)
{
    const char *equals = strchr(definition, '=');
    size_t length = equals ? (size_t)(equals - definition) : strlen(definition);
    struct macro m = {.name = definition, .length = length, .body = "1", .body_length = 1};
    if (equals) {
        m.body = equals + 1;
        m.body_length = strlen(m.body);
    }
    if (length == 0 || word_at(definition, definition + length) != length || !starts_word(*definition))
        pre->status = fail(pre->error, PORTOLAN_BAD_OPTION, "'%.100s' defines nothing: NAME or NAME=TEXT is expected",
                           definition);
    else
        add_macro(pre, m);
}

enum portolan_status promela_preprocess(struct syntax *syntax, const char *file, const char *text, size_t length,
                                        const char *const *definitions, size_t count, struct portolan_error *error)
{
    struct preprocessor pre = {.syntax = syntax, .error = error};
    struct input in = {.file = file, .next = text, .end = text + length, .line = 1};
    pre.in = &in;
    pre.taken[0] = true;
    for (size_t i = 0; i < count && !pre.status; i++)
        define_argument(&pre, definitions[i]);
    if (!pre.status)
        read_file(&pre, &in);
    put(&pre, &pre.out, "", 0);
    free(pre.line.item);
    syntax->text = pre.out.item;
    return pre.status;
}
