/* SPDX-License-Identifier: Apache-2.0 */
/* Packed texts, and what parts.js makes of them, written down once more. */
#include "page/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static char *packed(const char *text, size_t size, size_t *length)
{
    char *out = NULL;
    FILE *memory = open_memstream(&out, length);
    assert_non_null(memory);
    assert_true(pack(text, size, memory));
    assert_int_equal(fclose(memory), 0);
    return out;
}

static size_t digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    const char *at = strchr(digits, c);
    assert_true(at && *at);
    return (size_t)(at - digits);
}

static size_t unpack(const char *text, size_t size, char *out)
{
    size_t made = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '~' || text[i + 1] == '~') {
            i += text[i] == '~';
            out[made++] = text[i];
            continue;
        }
        size_t back = (digit(text[i + 1]) * 64 + digit(text[i + 2])) * 64 + digit(text[i + 3]);
        size_t count = digit(text[i + 4]) * 64 + digit(text[i + 5]) + 8;
        assert_in_range(back, 1, made);
        for (; count > 0; count--, made++)
            out[made] = out[made - back];
        i += 5;
    }
    return made;
}

static size_t round_trip(const char *text, size_t size)
{
    size_t length;
    char *small = packed(text, size, &length), *again = malloc(size + 5000);
    assert_non_null(again);
    assert_int_equal(unpack(small, length, again), size);
    assert_memory_equal(again, text, size);
    free(small);
    free(again);
    return length;
}

static void short_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "a",
                                        "~",
                                        "~~~~~~~~~~~~~~~~~~~",
                                        "12345678",
                                        "12345671234567",
                                        "aaaaaaaaaaaaaaaaaaaaaaaa",
                                        "\xc3\xa4\xc3\xb6 \xe2\x86\x92 ~\xc3\xa4\xc3\xb6 \xe2\x86\x92"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        round_trip(texts[i], strlen(texts[i]));
}

/* Runs longer than one copy, copies from further away than the window, and nothing that comes twice. */
static void long_texts(void **state)
{
    (void)state;
    enum { SIZE = 1000000 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    memset(text, 'x', SIZE);
    assert_in_range(round_trip(text, SIZE), 1, 2000);
    uint32_t seed = 7;
    for (size_t i = 0; i < SIZE; i++)
        text[i] =
            i < SIZE / 2 ? (char)(' ' + (seed = seed * 1664525 + 1013904223) / 0x2c00000 % 95) : text[i - SIZE / 2];
    round_trip(text, SIZE);
    for (size_t i = 0; i < SIZE; i += 10)
        snprintf(text + i, 10, "step %4zu", i / 10 % 1000);
    assert_in_range(round_trip(text, SIZE), 1, SIZE / 2);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_texts), cmocka_unit_test(long_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
