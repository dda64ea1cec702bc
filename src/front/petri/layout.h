/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markings as bit fields.  Each place has a field that is as wide as the
 * largest count seen so far needs; fields do not cross 64-bit words, so firing
 * a transition is one addition per word it touches.  When a count outgrows its
 * field, a wider layout is made and every stored marking is rewritten: widths
 * are learnt, never guessed, and nothing about bounds is taken on trust.
 */
#ifndef FRONT_PETRI_LAYOUT_H
#define FRONT_PETRI_LAYOUT_H

#include "front/petri/net.h"

struct field {
    uint32_t word;
    uint8_t shift;
    uint8_t bits; /* 1 ... 31 */
};

struct layout {
    uint32_t places;
    uint32_t words;
    size_t bytes; /* that hold all fields, at most words * 8 */
    struct field *field;
};

/* Lays out fields of the given widths; false when memory is exhausted.  Places come in their order, but stocks (more
 * than one token initially) last: transitions are looked at in the order of fields, and a search does better when it
 * moves what is on its way before it draws on a stock. */
bool layout_make(struct layout *layout, const uint8_t *bits, const uint32_t *initial, uint32_t places);
void layout_clear(struct layout *layout);

/* The number of bits that hold a count, at least 1. */
uint8_t bits_for(uint32_t tokens);

static inline uint64_t field_mask(struct field field)
{
    return (UINT64_C(1) << field.bits) - 1;
}

static inline uint32_t layout_get(const struct layout *layout, const uint64_t *state, uint32_t place)
{
    struct field field = layout->field[place];
    return (uint32_t)(state[field.word] >> field.shift & field_mask(field));
}

/* The field must be zero before. */
static inline void layout_put(const struct layout *layout, uint64_t *state, uint32_t place, uint32_t tokens)
{
    struct field field = layout->field[place];
    state[field.word] |= (uint64_t)tokens << field.shift;
}

#endif
