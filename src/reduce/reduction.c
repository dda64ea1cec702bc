#include "reduce/reduction.h"

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
