/* SPDX-License-Identifier: Apache-2.0 */
/* Values as the language writes them, and reading them again. */
#include "highlevel/evaluator.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct writer {
    char *text;
    size_t size, length; /* length goes on counting where the text is cut */
};

static void write_text(struct writer *w, const char *text)
{
    size_t length = strlen(text), room = w->length < w->size ? w->size - w->length : 0;
    if (room > 0)
        snprintf(w->text + w->length, room, "%s", text);
    w->length += length;
}

static void write_colour(struct writer *w, const struct colour_type *type, const int64_t *cells);

static void write_row(struct writer *w, const char *brackets, const struct colour_type *of, const int64_t *cells,
                      size_t count)
{
    write_text(w, (char[]){brackets[0], '\0'});
    for (size_t i = 0; i < count; i++) {
        write_text(w, i > 0 ? ", " : "");
        write_colour(w, of, cells + i * of->cells);
    }
    write_text(w, (char[]){brackets[1], '\0'});
}

static void write_struct(struct writer *w, const struct colour_type *type, const int64_t *cells)
{
    write_text(w, "{");
    for (size_t i = 0; i < type->fields.count; i++) {
        write_text(w, i > 0 ? ", " : "");
        write_colour(w, type->fields.item[i].type, cells + type->fields.item[i].offset);
    }
    write_text(w, "}");
}

static void write_scalar(struct writer *w, const struct colour_type *type, int64_t value)
{
    char number[24];
    bool is_named = type->kind == COLOUR_NAMED && type->names && value >= type->low && value <= type->high;
    snprintf(number, sizeof number, "%" PRId64, value);
    write_text(w, is_named ? type->names[value - type->low] : number);
}

static void write_colour(struct writer *w, const struct colour_type *type, const int64_t *cells)
{
    switch (type->kind) {
    case COLOUR_VECTOR: write_row(w, "[]", type->of, cells, element_count(type)); break;
    case COLOUR_STRUCT: write_struct(w, type, cells); break;
    case COLOUR_LIST:
    case COLOUR_SET: write_row(w, "||", type->of, cells + 1, (size_t)cells[0]); break;
    default: write_scalar(w, type, cells[0]);
    }
}

size_t colour_text(const struct colour_type *type, const int64_t *cells, char *text, size_t size)
{
    struct writer w = {text, size, 0};
    if (size > 0)
        text[0] = '\0';
    write_colour(&w, type, cells);
    return w.length;
}

/* ------------------------------------------------------------------- reading */

static bool take(const char **text, char wanted)
{
    while (**text == ' ')
        ++*text;
    if (**text != wanted)
        return false;
    ++*text;
    return true;
}

static bool parse_name(const struct colour_type *type, const char **text, int64_t *value)
{
    size_t length = strcspn(*text, " ,|]})>");
    for (int64_t i = type->low; i <= type->high; i++)
        if (strlen(type->names[i - type->low]) == length && strncmp(type->names[i - type->low], *text, length) == 0) {
            *value = i;
            *text += length;
            return true;
        }
    return false;
}

static bool parse_scalar(const struct colour_type *type, const char **text, int64_t *value)
{
    while (**text == ' ')
        ++*text;
    if (type->kind == COLOUR_NAMED && type->names)
        return parse_name(type, text, value);
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    bool fine = end != *text && errno == 0 && *value >= type->low && *value <= type->high;
    *text = end;
    return fine;
}

/* Elements up to the bracket; how many there are. */
static bool parse_row(const struct colour_type *of, const char **text, char end, int64_t *cells, size_t most,
                      size_t *count)
{
    for (*count = 0; !take(text, end); ++*count)
        if (*count == most || (*count > 0 && !take(text, ',')) || !colour_parse(of, text, cells + *count * of->cells))
            return false;
    return true;
}

static bool parse_struct(const struct colour_type *type, const char **text, int64_t *cells)
{
    for (size_t i = 0; i < type->fields.count; i++)
        if (!take(text, i > 0 ? ',' : '{') ||
            !colour_parse(type->fields.item[i].type, text, cells + type->fields.item[i].offset))
            return false;
    return take(text, '}');
}

bool colour_parse(const struct colour_type *type, const char **text, int64_t *cells)
{
    size_t count;
    switch (type->kind) {
    case COLOUR_VECTOR:
        return take(text, '[') && parse_row(type->of, text, ']', cells, element_count(type), &count) &&
               count == element_count(type);
    case COLOUR_STRUCT: return parse_struct(type, text, cells);
    case COLOUR_LIST:
    case COLOUR_SET:
        memset(cells, 0, type->cells * sizeof *cells);
        if (!take(text, '|') || !parse_row(type->of, text, '|', cells + 1, type->capacity, &count))
            return false;
        cells[0] = (int64_t)count;
        return colour_has(type, cells);
    default: return parse_scalar(type, text, cells);
    }
}
