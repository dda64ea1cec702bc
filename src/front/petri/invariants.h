/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places whose count the counts of others tell: the key of a state can do without them.
 *
 * A place p follows from places q with factors y(q) when effect of t on p = sum of y(q) * effect of t on q for every
 * transition t.  Then M(p) = M0(p) + sum of y(q) * (M(q) - M0(q)) in every marking that the initial one leads to, for
 * both sides change alike with each step (place invariants; K. Lautenbach, "Liveness in Petri nets", 1975).  Whether
 * transitions are enabled does not matter, so neither do priorities and inhibitor arcs.
 */
#ifndef FRONT_PETRI_INVARIANTS_H
#define FRONT_PETRI_INVARIANTS_H

#include "codec/layout.h"
#include "front/petri/net.h"

/* One field of the key, times a factor, is a part of a word behind it. */
struct told_part {
    uint64_t mask, factor;
    uint32_t word;
    uint8_t shift;
};

struct invariants {
    uint32_t *order; /* of the fields: the key's, as they were ordered before, and behind them what they tell */
    uint32_t kept;   /* so many are the key's */
    uint32_t told;
    uint32_t *offset; /* per told place, one more than there are: where its factors begin */
    uint32_t *place;
    int64_t *factor;
};

/* Of a layout: how words behind the key are computed. */
struct told_words {
    uint32_t first, end; /* these */
    uint64_t *base;      /* of each: when all fields of the key are 0 */
    uint32_t *offset;    /* of each, and one more: where its parts begin */
    struct told_part *part;
};

/* Places that must_stay are in the key, whatever tells them; without enough others all are.  False when memory is
 * exhausted. */
bool invariants_find(struct invariants *invariants, const struct net *net, const uint32_t *order,
                     const bool *must_stay);
void invariants_clear(struct invariants *invariants);

/* What the key of a state tells of a told place, by its number among them; anything if it is no key of a state. */
int64_t told_tokens(const struct invariants *invariants, uint32_t number, const struct net *net,
                    const struct layout *layout, const uint64_t *state);

/* False when memory is exhausted; to be cleared in any case. */
bool told_words_make(struct told_words *words, const struct invariants *invariants, const struct net *net,
                     const struct layout *layout);
void told_words_clear(struct told_words *words);
/* Completes a state of which only the key is given. */
void told_words_compute(const struct told_words *words, uint64_t *state);

#endif
