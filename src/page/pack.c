/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long traces say nearly the same again and again: texts in which what was there before is only pointed to.  After a
 * '~' come three digits, how many bytes ago, and two, how many bytes more than SHORTEST there are, in the digits below;
 * "~~" is a '~'.  parts.js undoes it.
 */
#include "page/pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 8, LONGEST = SHORTEST + 64 * 64 - 1, WINDOW = 64 * 64 * 64 - 1, HASH_BITS = 16 };

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";

static uint32_t hash_at(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return (uint32_t)(bytes * 0x9e3779b97f4a7c15u >> (64 - HASH_BITS));
}

static void write_digits(size_t number, unsigned count, FILE *out)
{
    while (count--)
        fputc(digits[number >> 6 * count & 63], out);
}

static size_t common_length(const char *a, const char *b, const char *end)
{
    size_t length = 0;
    while (length < LONGEST && b + length < end && a[length] == b[length])
        length++;
    return length;
}

bool pack(const char *text, size_t size, FILE *out)
{
    const char *end = text + size, **last = calloc((size_t)1 << HASH_BITS, sizeof *last);
    if (!last)
        return false;
    for (const char *at = text; at < end;) {
        size_t length = 0;
        const char *before = end - at >= SHORTEST ? last[hash_at(at)] : NULL;
        if (before && at - before <= WINDOW)
            length = common_length(before, at, end);
        if (length >= SHORTEST) {
            fputc('~', out);
            write_digits((size_t)(at - before), 3, out);
            write_digits(length - SHORTEST, 2, out);
        } else {
            length = 1;
            fputc(*at, out);
            if (*at == '~')
                fputc('~', out);
        }
        for (; length > 0; length--, at++)
            if (end - at >= SHORTEST)
                last[hash_at(at)] = at;
    }
    free(last);
    return true;
}
