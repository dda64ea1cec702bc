/* SPDX-License-Identifier: Apache-2.0 */
#include "front/threads/repetition.h"

#include "base/diagnostic.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 1 << 22, MOST_COPIES = 10000 };

static void locate(const struct expansion *e, size_t offset, struct position *at)
{
    *at = (struct position){.line_start = e->original, .line = 1};
    for (size_t i = 0; i < offset && i < e->original_length; i++)
        if (e->original[i] == '\n') {
            at->line++;
            at->line_start = e->original + i + 1;
        }
    at->column = (unsigned)(e->original + offset - at->line_start) + 1;
}

static enum portolan_status fail_original(const struct expansion *e, size_t offset, struct portolan_error *error,
                                          const char *message)
{
    struct lexer lexer;
    struct position at;
    locate(e, offset, &at);
    lexer_init(&lexer, NULL, e->file, e->original, e->original_length);
    return lexer_fail(&lexer, &at, error, "%s", message);
}

static bool looking_at(const struct expansion *e, size_t offset, const char *mark)
{
    return offset + 1 < e->original_length && memcmp(e->original + offset, mark, 2) == 0;
}

/* The end of the comment that may start here. */
static size_t behind_comment(const struct expansion *e, size_t offset)
{
    if (looking_at(e, offset, "//"))
        while (offset < e->original_length && e->original[offset] != '\n')
            offset++;
    return offset;
}

static bool append(struct expansion *e, size_t original, const char *text, size_t length)
{
    struct piece piece = {.start = e->text.count, .original = original};
    if (length == 0)
        return true;
    if (!vector_push(&e->pieces, piece) || !vector_reserve(&e->text, length))
        return false;
    memcpy(e->text.item + e->text.count, text, length);
    e->text.count += length;
    return true;
}

/* Copies the original from..to, with $ replaced. */
static bool append_copy(struct expansion *e, size_t from, size_t to, unsigned number)
{
    char digits[16];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%u", number);
    for (size_t at = from; at < to;) {
        const char *dollar = memchr(e->original + at, '$', to - at);
        size_t end = dollar ? (size_t)(dollar - e->original) : to;
        if (!append(e, at, e->original + at, end - at) || (dollar && !append(e, end, digits, length)))
            return false;
        at = end + (dollar != NULL);
    }
    return true;
}

/* The block that starts at *at, behind which *at is moved. */
static enum portolan_status expand_block(struct expansion *e, size_t *at, struct portolan_error *error)
{
    size_t start = *at, end = start + 2;
    unsigned copies = 0;
    while (end < e->original_length && strchr(" \t\r\n", e->original[end]) && e->original[end])
        end++;
    if (end == e->original_length || e->original[end] < '0' || e->original[end] > '9')
        return fail_original(e, end, error, "expected the number of repetitions");
    for (; end < e->original_length && e->original[end] >= '0' && e->original[end] <= '9'; end++)
        if ((copies = copies * 10 + (unsigned)(e->original[end] - '0')) > MOST_COPIES)
            return fail_original(e, end, error, "more than 10000 repetitions");
    size_t from = end;
    while (end < e->original_length && !looking_at(e, end, "}>")) {
        if (looking_at(e, end, "<{"))
            return fail_original(e, end, error, "repetition blocks do not nest");
        size_t behind = behind_comment(e, end);
        end = behind > end ? behind : end + 1;
    }
    if (end >= e->original_length)
        return fail_original(e, start, error, "the repetition block is not closed by '}>'");
    if ((end - from + 4) * copies > MOST_TEXT)
        return fail_original(e, start, error, "the repeated text is longer than 4 MB");
    for (unsigned copy = 0; copy < copies; copy++)
        if (!append_copy(e, from, end, copy))
            return fail_memory(error);
    *at = end + 2;
    return PORTOLAN_OK;
}

static enum portolan_status expand(struct expansion *e, struct portolan_error *error)
{
    size_t plain = 0, at = 0;
    while (at < e->original_length) {
        size_t behind = behind_comment(e, at);
        if (behind > at) {
            at = behind;
        } else if (looking_at(e, at, "<{")) {
            if (!append(e, plain, e->original + plain, at - plain))
                return fail_memory(error);
            enum portolan_status status = expand_block(e, &at, error);
            if (status)
                return status;
            if (e->text.count > MOST_TEXT)
                return fail_original(e, at, error, "the repeated text is longer than 4 MB");
            plain = at;
        } else {
            at++;
        }
    }
    return append(e, plain, e->original + plain, at - plain) ? PORTOLAN_OK : fail_memory(error);
}

enum portolan_status expansion_new(struct expansion *expansion, const char *file, const char *text, size_t length,
                                   struct portolan_error *error)
{
    *expansion = (struct expansion){.file = file, .original = text, .original_length = length};
    enum portolan_status status = expand(expansion, error);
    if (!status && !vector_reserve(&expansion->text, 1)) /* so that it is never NULL */
        status = fail_memory(error);
    if (status)
        expansion_clear(expansion);
    return status;
}

void expansion_clear(struct expansion *expansion)
{
    free(expansion->text.item);
    free(expansion->pieces.item);
    *expansion = (struct expansion){0};
}

static size_t original_offset(const struct expansion *e, size_t offset)
{
    size_t low = 0, high = e->pieces.count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (e->pieces.item[middle].start <= offset)
            low = middle;
        else
            high = middle;
    }
    if (e->pieces.count == 0)
        return 0;
    const struct piece *piece = &e->pieces.item[low];
    return piece->original + offset - piece->start; /* no token starts within a number that replaced a $ */
}

unsigned expansion_line(const struct expansion *expansion, const struct position *at)
{
    size_t offset = (size_t)(at->line_start - expansion->text.item) + at->column - 1;
    struct position original;
    locate(expansion, original_offset(expansion, offset), &original);
    return original.line;
}

void expansion_relocate(const struct expansion *expansion, struct portolan_error *error)
{
    if (!error || error->line == 0)
        return;
    size_t offset = 0;
    for (unsigned line = 1; line < error->line && offset < expansion->text.count; offset++)
        line += expansion->text.item[offset] == '\n';
    struct position at;
    locate(expansion, original_offset(expansion, offset + error->column - 1), &at);
    char message[sizeof error->message], advice[sizeof error->hint];
    memcpy(message, error->message, sizeof message);
    memcpy(advice, error->hint, sizeof advice);
    struct lexer lexer;
    lexer_init(&lexer, NULL, expansion->file, expansion->original, expansion->original_length);
    lexer_fail(&lexer, &at, error, "%s", message);
    memcpy(error->hint, advice, sizeof advice);
}
