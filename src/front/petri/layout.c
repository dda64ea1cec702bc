#include "front/petri/layout.h"

#include <stdlib.h>
#include <string.h>

uint8_t bits_for(uint32_t tokens)
{
    return tokens ? (uint8_t)(32 - __builtin_clz(tokens)) : 1;
}

bool layout_make(struct layout *layout, const uint8_t *bits, uint32_t places)
{
    memset(layout, 0, sizeof *layout);
    layout->field = calloc((size_t)places + 1, sizeof *layout->field);
    if (!layout->field)
        return false;
    layout->places = places;
    uint32_t word = 0, used = 0;
    for (uint32_t p = 0; p < places; p++) {
        if (used + bits[p] > 64) {
            word++;
            used = 0;
        }
        layout->field[p] = (struct field){.word = word, .shift = (uint8_t)used, .bits = bits[p]};
        used += bits[p];
    }
    layout->words = word + 1;
    layout->bytes = (size_t)word * 8 + (used + 7) / 8;
    if (layout->bytes == 0) /* a net without places still has one state */
        layout->bytes = 1;
    return true;
}

void layout_clear(struct layout *layout)
{
    free(layout->field);
    memset(layout, 0, sizeof *layout);
}
