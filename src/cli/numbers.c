/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/numbers.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    char letter;
    uint64_t factor;
};

static const struct unit decimal[] = {{'k', 1000},       {'K', 1000},          {'M', 1000000},
                                      {'G', 1000000000}, {'T', 1000000000000}, {0}};
static const struct unit binary[] = {
    {'B', 1}, {'k', 1 << 10}, {'K', 1 << 10}, {'M', 1 << 20}, {'G', 1 << 30}, {'T', UINT64_C(1) << 40}, {0}};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

enum { MOST_DECIMALS = 15 };

/* A number as its digits and how many of them stand behind the point: "12.50" is 125 and 1. */
struct digits {
    unsigned __int128 value; /* at most UINT64_MAX unless too_large */
    unsigned __int128 scale; /* 10 to the number of decimals */
    bool too_large;
    const char *end;
};

static void add_digit(struct digits *digits, char digit)
{
    digits->value = digits->value * 10 + (unsigned)(digit - '0');
    if (digits->value > UINT64_MAX) {
        digits->too_large = true;
        digits->value = 0;
    }
}

/* False when the text does not begin with a number. */
static bool read_digits(const char *text, struct digits *digits)
{
    const char *next = text;
    *digits = (struct digits){.scale = 1};
    while (is_digit(*next))
        add_digit(digits, *next++);
    if (next > text && next[0] == '.' && is_digit(next[1]))
        for (unsigned decimals = 1; is_digit(*++next); decimals++) {
            if (decimals > MOST_DECIMALS)
                return false;
            add_digit(digits, *next);
            digits->scale *= 10;
        }
    digits->end = next;
    return next > text;
}

static enum number_fault read_whole(const char *text, const struct unit *units, uint64_t most, uint64_t *whole,
                                    const char **end)
{
    struct digits digits;
    if (!read_digits(text, &digits))
        return NUMBER_WRONG;
    *end = digits.end;
    for (const struct unit *unit = units; unit->letter; unit++)
        if (**end == unit->letter) {
            digits.value *= unit->factor;
            ++*end;
            break;
        }
    if (digits.value % digits.scale != 0)
        return NUMBER_WRONG;
    if (digits.too_large || digits.value / digits.scale > most)
        return NUMBER_TOO_LARGE;
    *whole = (uint64_t)(digits.value / digits.scale);
    return NUMBER_FINE;
}

enum number_fault read_count(const char *text, uint64_t least, uint64_t most, uint64_t *count)
{
    const char *end;
    enum number_fault fault = read_whole(text, decimal, most, count, &end);
    if (fault == NUMBER_WRONG || *end)
        return NUMBER_WRONG;
    return fault == NUMBER_FINE && *count < least ? NUMBER_WRONG : fault;
}

enum number_fault read_bytes(const char *text, uint64_t most, uint64_t *bytes)
{
    const char *end;
    enum number_fault fault = read_whole(text, binary, most, bytes, &end);
    if (fault == NUMBER_WRONG)
        return NUMBER_WRONG;
    bool has_unit = end[-1] != 'B' && !is_digit(end[-1]);
    if (has_unit && (strcmp(end, "iB") == 0 || strcmp(end, "B") == 0))
        end += strlen(end);
    if (*end || (fault == NUMBER_FINE && *bytes == 0))
        return NUMBER_WRONG;
    return fault;
}

bool read_seconds(const char *text, double *seconds)
{
    static const struct unit units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {0}};
    char *end;
    size_t plain = strspn(text, "0123456789.e-");
    if (!is_digit(text[0]) && text[0] != '.')
        return false;
    double number = strtod(text, &end);
    if (end != text + plain)
        return false;
    for (const struct unit *unit = units; unit->letter; unit++)
        if (*end == unit->letter) {
            number *= (double)unit->factor;
            end++;
            break;
        }
    *seconds = number;
    return !*end && isfinite(number) && number > 0;
}
