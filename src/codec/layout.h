/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a state: fields of 0 to 64 bits inside 64-bit words, which they never cross.  A field has a range of
 * values and holds the distance from the lowest, so negative numbers need no sign, and a value that never changes needs
 * no bits.  The range is that of a type, or learnt: it begins with the initial value, and when a value falls outside of
 * it a wider layout is made and every stored state rewritten.  Widths are learnt, never guessed, and nothing about
 * bounds is taken on trust.
 */
#ifndef CODEC_LAYOUT_H
#define CODEC_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    int64_t low, high;
};

struct field {
    int64_t low;   /* the value when all bits are 0 */
    uint64_t mask; /* as many ones as there are bits */
    uint32_t word;
    uint8_t shift, bits;
};

struct layout {
    uint32_t fields;
    uint32_t words;      /* at least 1 */
    size_t bytes;        /* that hold all fields, at most words * 8, at least 1 */
    uint32_t key_fields; /* so many, the first in order, tell what the others hold, ... */
    size_t key_bytes;    /* ... and these hold them; words behind them hold the others */
    struct field *field;
};

/* Lays out a field for each range, in the given order (NULL: as they come); the ranges become what the fields can hold.
 * False when memory is exhausted. */
bool layout_make(struct layout *layout, struct range *ranges, uint32_t count, const uint32_t *order);
bool layout_make_with_key(struct layout *layout, struct range *ranges, uint32_t count, const uint32_t *order,
                          uint32_t key_fields);
void layout_clear(struct layout *layout);
/* Writes the state `from` of one layout as a state of another, which is at least as wide. */
void layout_convert(const struct layout *before, const uint64_t *from, const struct layout *after, uint64_t *to);

/* The same where a value may not fit, of which `misfit` tells then. */
bool layout_fit(const struct layout *before, const uint64_t *from, const struct layout *after, uint64_t *to);
/* A layout in a file: its bytes, which are written unless description is NULL; and a state that had such a layout.
 * False: it is no layout of so many fields. */
size_t layout_describe(const struct layout *layout, void *description);
bool layout_open(const void *description, const uint64_t *from, const struct layout *after, uint64_t *to);

/* The same for many states: fields that move alike are moved together. */
struct move {
    uint64_t mask; /* of the bits in word `from` */
    uint32_t from, to;
    int32_t shift; /* to the left */
};

struct conversion {
    uint32_t words;  /* of the new states */
    uint32_t common; /* words of both */
    uint64_t *stays; /* in these: the bits that stay where they are */
    uint32_t moves;
    struct move *move;
    uint64_t *added; /* per word: what fields whose lowest value is another one hold more */
};

/* order: of the fields in the new layout, as for layout_make.  False when memory is exhausted; it is to be cleared in
 * any case. */
bool conversion_make(struct conversion *conversion, const struct layout *before, const struct layout *after,
                     const uint32_t *order);
void conversion_run(const struct conversion *conversion, const uint64_t *from, uint64_t *to);
void conversion_clear(struct conversion *conversion);

/* The bits that tell so many values above the lowest apart. */
static inline uint8_t bits_for(uint64_t most)
{
    return most ? (uint8_t)(64 - __builtin_clzll(most)) : 0;
}

/* What did not fit a state when the calling thread last fired something: fire takes the note, and widen, which the same
 * thread calls next, reads it. */
struct misfit {
    uint32_t field;
    int64_t value;
};
extern _Thread_local struct misfit misfit;

/*
 * Widens `narrow` so that it holds value, in what has been widened `times` before.  The first times only that field, to
 * what fields that are alike have needed by then.  Since every time costs as much as there are fields, and more the
 * more states are stored, from then on all fields are widened that are alike (the same number in alike, NULL: all are)
 * and as wide, and at last all that are as wide: the number of times is then no matter of how many fields there are. No
 * range grows beyond its limit; limits: one for each field.
 */
void ranges_widen(struct range *ranges, const struct range *limits, uint32_t count, uint32_t narrow, int64_t value,
                  uint32_t times, const uint64_t *alike);
enum { WIDEN_ONE_TIMES = 16, WIDEN_ALIKE_TIMES = 512 };

static inline int64_t field_get(const struct field *field, const uint64_t *state)
{
    return (int64_t)((uint64_t)field->low + (state[field->word] >> field->shift & field->mask));
}

static inline bool field_fits(const struct field *field, int64_t value)
{
    return (uint64_t)value - (uint64_t)field->low <= field->mask;
}

/* The value must fit. */
static inline void field_put(const struct field *field, uint64_t *state, int64_t value)
{
    uint64_t bits = (uint64_t)value - (uint64_t)field->low;
    state[field->word] = (state[field->word] & ~(field->mask << field->shift)) | bits << field->shift;
}

#endif
