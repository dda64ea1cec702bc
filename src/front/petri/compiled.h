/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A net's transitions as word operations on one layout: what to test, what to
 * add.  All places of one bit in one word are tested by a single comparison.
 */
#ifndef FRONT_PETRI_COMPILED_H
#define FRONT_PETRI_COMPILED_H

#include "codec/layout.h"
#include "front/petri/net.h"

/* (state[word] & mask) == value */
struct bit_test {
    uint32_t word;
    uint64_t mask;
    uint64_t value;
};

/* low <= field <= high */
struct field_test {
    uint32_t word;
    uint8_t shift;
    uint32_t mask;
    uint32_t low;
    uint32_t high;
};

struct change {
    uint32_t word;
    uint64_t delta;
};

struct wide_field {
    uint64_t mask;
    uint64_t lowest;
};

/* The operations of one transition: from these positions up to those of the next transition. */
struct operations {
    uint32_t enabled_bits;   /* bit_test */
    uint32_t enabled_fields; /* field_test */
    uint32_t room_bits;      /* bit_test: what it adds still fits */
    uint32_t room_fields;    /* field_test */
    uint32_t changes;
};

struct compiled {
    uint32_t transitions;
    struct operations *transition; /* one more than there are transitions */
    struct bit_test *enabled_bits;
    struct field_test *enabled_fields;
    struct bit_test *room_bits;
    struct field_test *room_fields;
    struct change *changes;

    /* Each transition that needs a token is watched by one of its input places and looked at only when
     * that place is marked; the others stand in `unwatched`. */
    uint32_t words;
    uint64_t *watched_bits;  /* per word: the one-bit places that watch something */
    struct wide_field *wide; /* the wider ones, by word */
    uint32_t *wide_offset;   /* per word, one more than there are */
    uint32_t *bit_place;     /* per bit of every word: the place whose field starts there */
    uint32_t *watch_offset;  /* place -> watch_item */
    uint32_t *watch_item;
    uint32_t *unwatched;
    uint32_t unwatched_count;
};

bool compile_net(struct compiled *compiled, const struct net *net, const struct layout *layout);
void compiled_clear(struct compiled *compiled);

/* Notes the places that watch transitions, whose order among the fields is that of the enabled transitions.  False when
 * memory is exhausted. */
bool find_watching_places(const struct net *net, bool *watches);

uint32_t compiled_enabled(const struct compiled *compiled, const uint64_t *state, uint32_t *out);
/* False when what the transition adds does not fit; state and successor have layout->words words. */
bool compiled_fire(const struct compiled *compiled, const uint64_t *state, uint32_t transition, uint64_t *successor);

#endif
