/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/layout.h"

#include <stdlib.h>
#include <string.h>

uint8_t bits_for(uint32_t tokens)
{
    return tokens ? (uint8_t)(32 - __builtin_clz(tokens)) : 1;
}

/* Appends the field of a place; a field that does not fit the rest of its word starts the next. */
static void append(struct layout *layout, uint32_t place, uint8_t bits, uint32_t *used)
{
    if (*used + bits > 64) {
        layout->words++;
        *used = 0;
    }
    layout->field[place] = (struct field){.word = layout->words, .shift = (uint8_t)*used, .bits = bits};
    *used += bits;
}

bool layout_make(struct layout *layout, const uint8_t *bits, const uint32_t *initial, uint32_t places)
{
    memset(layout, 0, sizeof *layout);
    layout->field = calloc((size_t)places + 1, sizeof *layout->field);
    if (!layout->field)
        return false;
    layout->places = places;
    uint32_t used = 0;
    for (uint32_t p = 0; p < places; p++)
        if (initial[p] <= 1)
            append(layout, p, bits[p], &used);
    for (uint32_t p = 0; p < places; p++)
        if (initial[p] > 1)
            append(layout, p, bits[p], &used);
    layout->bytes = (size_t)layout->words * 8 + (used + 7) / 8;
    layout->words++;
    if (layout->bytes == 0) /* a net without places still has one state */
        layout->bytes = 1;
    return true;
}

void layout_clear(struct layout *layout)
{
    free(layout->field);
    memset(layout, 0, sizeof *layout);
}
