/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce/reduction.h"

#include "base/diagnostic.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

const struct reduction_class *const reductions[] = {&reduction_none, &reduction_stubborn, &reduction_lpor,
                                                    &reduction_probe, NULL};

const struct reduction_class *reduction_find(const char *text, const char **options)
{
    size_t length = strcspn(text, ":");
    for (size_t i = 0; reductions[i]; i++)
        if (strlen(reductions[i]->name) == length && strncmp(reductions[i]->name, text, length) == 0) {
            *options = text[length] ? text + length + 1 : "";
            return reductions[i];
        }
    return NULL;
}

bool next_option(const char **options, struct option_word *word)
{
    if (!**options)
        return false;
    size_t length = strcspn(*options, ",");
    snprintf(word->text, sizeof word->text, "%.*s", (int)length, *options);
    *options += length + ((*options)[length] == ',');
    return true;
}

enum portolan_status unknown_option(const struct reduction_class *reduction, const char *word,
                                    struct portolan_error *error)
{
    static const char separators[] = " |,()";
    struct nearest nearest = nearest_to(word);
    char words[16][sizeof((struct option_word *)0)->text];
    size_t count = 0;
    for (const char *next = reduction->options; count < 16 && *(next += strspn(next, separators)); count++) {
        size_t length = strcspn(next, separators);
        snprintf(words[count], sizeof words[count], "%.*s", (int)length, next);
        nearest_offer(&nearest, words[count]);
        next += length;
    }
    fail(error, PORTOLAN_BAD_OPTION, "reduction '%s' has no option '%s'", reduction->name, word);
    if (nearest.best)
        hint(error, "did you mean %s:%s?", reduction->name, nearest.best);
    else
        hint(error, "options: %s", reduction->options);
    return PORTOLAN_BAD_OPTION;
}
