/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor of .lna: #define, #undefine, #ifdef, #ifndef, #else, #endif, from the first column on.  Symbols are
 * defined or not, nothing is replaced by anything.
 */
#include "front/lna/reader.h"

#include "base/diagnostic.h"

#include <string.h>

enum { DEEPEST = 64 };

struct symbol_name {
    const char *name;
    size_t length;
    bool is_defined;
};

struct preprocessor {
    const char *file;
    const char *line, *end; /* of the present line: `end` is its line feed, or the end of the text */
    char *out;              /* the line of the copy */
    unsigned number;
    bool in_comment;
    VECTOR(struct symbol_name) symbols;
    unsigned depth;            /* conditions that are open */
    bool taken[DEEPEST + 1];   /* at this depth what stands here counts */
    bool is_else[DEEPEST + 1]; /* its #else has come */
    unsigned opened[DEEPEST + 1];
    struct portolan_error *error;
};

static enum portolan_status fail_here(const struct preprocessor *pre, const char *message)
{
    char line[sizeof pre->error->source];
    snprintf(line, sizeof line, "%.*s", (int)(pre->end - pre->line < 200 ? pre->end - pre->line : 200), pre->line);
    return fail_at(pre->error, pre->file, pre->number, 1, line, "%s", message);
}

static bool is_symbol_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_at(const char *from, const char *end)
{
    size_t length = 0;
    while (from + length < end && is_symbol_character(from[length]))
        length++;
    return length;
}

static struct symbol_name *find_symbol(const struct preprocessor *pre, const char *name, size_t length)
{
    for (size_t i = 0; i < pre->symbols.count; i++)
        if (pre->symbols.item[i].length == length && memcmp(pre->symbols.item[i].name, name, length) == 0)
            return &pre->symbols.item[i];
    return NULL;
}

static bool set_symbol(struct preprocessor *pre, const char *name, size_t length, bool is_defined)
{
    struct symbol_name *known = find_symbol(pre, name, length);
    if (known)
        known->is_defined = is_defined;
    return known || vector_push(&pre->symbols, ((struct symbol_name){name, length, is_defined}));
}

static enum portolan_status open_condition(struct preprocessor *pre, bool holds)
{
    if (pre->depth == DEEPEST)
        return fail_here(pre, "conditions are nested too deeply (more than 64 levels)");
    bool outside = pre->taken[pre->depth++];
    pre->taken[pre->depth] = outside && holds;
    pre->is_else[pre->depth] = false;
    pre->opened[pre->depth] = pre->number;
    return PORTOLAN_OK;
}

static enum portolan_status turn_condition(struct preprocessor *pre)
{
    if (pre->depth == 0 || pre->is_else[pre->depth])
        return fail_here(pre, "#else without #ifdef or #ifndef");
    pre->is_else[pre->depth] = true;
    pre->taken[pre->depth] = pre->taken[pre->depth - 1] && !pre->taken[pre->depth];
    return PORTOLAN_OK;
}

static enum portolan_status close_condition(struct preprocessor *pre)
{
    if (pre->depth == 0)
        return fail_here(pre, "#endif without #ifdef or #ifndef");
    pre->depth--;
    return PORTOLAN_OK;
}

static bool is_word(const char *word, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(word, wanted, length) == 0;
}

/* A directive that has a symbol. */
static enum portolan_status with_symbol(struct preprocessor *pre, const char *word, size_t length)
{
    const char *name = word + length;
    while (name < pre->end && (*name == ' ' || *name == '\t'))
        name++;
    size_t name_length = word_at(name, pre->end);
    if (name_length == 0)
        return fail_here(pre, "the directive needs the name of a symbol");
    const struct symbol_name *known = find_symbol(pre, name, name_length);
    bool is_defined = known && known->is_defined;
    if (is_word(word, length, "ifdef") || is_word(word, length, "ifndef"))
        return open_condition(pre, is_defined == is_word(word, length, "ifdef"));
    bool defines = is_word(word, length, "define");
    return !pre->taken[pre->depth] || set_symbol(pre, name, name_length, defines) ? PORTOLAN_OK
                                                                                  : fail_memory(pre->error);
}

static enum portolan_status directive(struct preprocessor *pre)
{
    const char *word = pre->line + 1;
    while (word < pre->end && (*word == ' ' || *word == '\t'))
        word++;
    size_t length = word_at(word, pre->end);
    static const char *const with[] = {"define", "undefine", "undef", "ifdef", "ifndef"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (is_word(word, length, with[i]))
            return with_symbol(pre, word, length);
    if (is_word(word, length, "else"))
        return turn_condition(pre);
    if (is_word(word, length, "endif"))
        return close_condition(pre);
    fail_here(pre, "unknown directive");
    hint(pre->error, "directives are #define, #undefine, #ifdef, #ifndef, #else, #endif");
    return PORTOLAN_BAD_INPUT;
}

/* Where a comment in brackets ends or goes on behind this line. */
static void follow_comments(struct preprocessor *pre)
{
    bool quoted = false;
    for (const char *c = pre->line; c + 1 < pre->end; c++) {
        if (pre->in_comment) {
            pre->in_comment = !(c[0] == '*' && c[1] == '/');
            c += !pre->in_comment;
        } else if (quoted && *c == '\\') {
            c++;
        } else if (*c == '"') {
            quoted = !quoted;
        } else if (!quoted && c[0] == '/' && c[1] == '/') {
            return;
        } else if (!quoted && c[0] == '/' && c[1] == '*') {
            pre->in_comment = true;
            c++;
        }
    }
}

static enum portolan_status take_line(struct preprocessor *pre)
{
    bool is_directive = !pre->in_comment && pre->line < pre->end && *pre->line == '#';
    enum portolan_status status = is_directive ? directive(pre) : PORTOLAN_OK;
    if (!is_directive)
        follow_comments(pre);
    if (is_directive || !pre->taken[pre->depth])
        memset(pre->out, ' ', (size_t)(pre->end - pre->line));
    return status;
}

static bool define_symbols(struct preprocessor *pre, const char *const *definitions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strchr(definitions[i], '=') && !set_symbol(pre, definitions[i], strlen(definitions[i]), true))
            return false;
    return true;
}

enum portolan_status lna_preprocess(const char *file, const char *text, size_t length, char *copy,
                                    const char *const *definitions, size_t count, struct portolan_error *error)
{
    struct preprocessor pre = {.file = file, .error = error, .taken = {true}};
    enum portolan_status status = define_symbols(&pre, definitions, count) ? PORTOLAN_OK : fail_memory(error);
    for (pre.line = text; status == PORTOLAN_OK && pre.line < text + length; pre.line = pre.end + 1) {
        pre.end = memchr(pre.line, '\n', (size_t)(text + length - pre.line));
        pre.end = pre.end ? pre.end : text + length;
        pre.out = copy + (pre.line - text);
        pre.number++;
        status = take_line(&pre);
    }
    if (status == PORTOLAN_OK && pre.depth > 0)
        status = fail_at(error, file, pre.opened[pre.depth], 1, "", "the condition has no #endif");
    free(pre.symbols.item);
    return status;
}
