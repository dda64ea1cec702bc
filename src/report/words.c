/* SPDX-License-Identifier: Apache-2.0 */
#include "report/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *with_commas(uint64_t number, struct short_text *into)
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
    char *to = into->text;
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return into->text;
}

const char *rounded(uint64_t number, struct short_text *into)
{
    const char *units = " kMGT";
    double value = (double)number;
    while (value >= 999.5 && units[1]) {
        value /= 1000;
        units++;
    }
    if (*units == ' ')
        snprintf(into->text, sizeof into->text, "%" PRIu64, number);
    else
        snprintf(into->text, sizeof into->text, "%.*f%c", value < 99.95 ? 1 : 0, value, *units);
    return into->text;
}

const char *size_word(size_t bytes, struct short_text *into)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    snprintf(into->text, sizeof into->text, "%.*f %s", unit && value < 100 ? 1 : 0, value, units[unit]);
    return into->text;
}

const char *value_word(const struct portolan_system *system, uint32_t variable, int64_t value, struct value_text *into)
{
    if (system->value_text)
        system->value_text(system->model, variable, value, into->text, sizeof into->text);
    else
        snprintf(into->text, sizeof into->text, "%" PRId64, value);
    return into->text;
}
