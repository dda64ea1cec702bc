/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of the four sorts. */
#include "front/groove/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_number(const char *text, const char *further)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    return (digits > 0 || *text == '.') && strspn(text, further) == strlen(text) && strpbrk(text, "0123456789");
}

static bool parse_int(const char *text, struct value *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *value = (struct value){.sort = SORT_INT, .integer = number};
    return is_number(text, "0123456789") && *end == '\0' && errno == 0 && number >= INT32_MIN && number <= INT32_MAX;
}

static bool parse_real(const char *text, struct value *value)
{
    char *end;
    double number = strtod(text, &end);
    *value = (struct value){.sort = SORT_REAL, .real = number};
    return is_number(text, "0123456789.eE+-") && *end == '\0' && isfinite(number);
}

static bool parse_bool(const char *text, struct value *value)
{
    *value = (struct value){.sort = SORT_BOOL, .integer = strcmp(text, "true") == 0};
    return value->integer || strcmp(text, "false") == 0;
}

/* In double quotes; \" and \\ stand for themselves. */
static bool parse_string(struct reading *reading, const char *text, struct value *value)
{
    size_t length = strlen(text), count = 0;
    if (length < 2 || text[0] != '"' || text[length - 1] != '"')
        return false;
    char *copy = arena_get(&reading->scratch, length);
    if (!copy)
        return no_memory(reading);
    for (size_t i = 1; i < length - 1; i++) {
        i += text[i] == '\\' && i + 1 < length - 1;
        copy[count++] = text[i];
    }
    *value = (struct value){.sort = SORT_STRING, .string = copy};
    return true;
}

bool constant_parse(struct reading *reading, const char *text, enum sort sort, struct value *value)
{
    switch (sort) {
    case SORT_INT: return parse_int(text, value);
    case SORT_REAL: return parse_real(text, value);
    case SORT_BOOL: return parse_bool(text, value);
    case SORT_STRING: return parse_string(reading, text, value);
    default:
        return parse_bool(text, value) || parse_int(text, value) || parse_real(text, value) ||
               parse_string(reading, text, value);
    }
}

bool constant_number(struct reading *reading, const struct file *file, struct place at, const char *text,
                     enum sort sort, uint32_t *number)
{
    static const char *const names[] = {"constant", "int", "real", "bool", "string in double quotes"};
    struct value value;
    if (!constant_parse(reading, text, sort, &value))
        return groove_wrong(reading, file, at, "'%.80s' is not a valid %s%s", text, names[sort],
                            sort == SORT_INT ? " of 32 bits" : "");
    *number = grammar_value(reading->grammar, value);
    return *number != NO_NUMBER || no_memory(reading);
}
