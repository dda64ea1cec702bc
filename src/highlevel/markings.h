/* SPDX-License-Identifier: Apache-2.0 */
/* Markings of places: multisets of tokens, each kept once and numbered, per place; the empty one is 0. */
#ifndef HIGHLEVEL_MARKINGS_H
#define HIGHLEVEL_MARKINGS_H

#include "base/sequences.h"
#include "highlevel/bindings.h"

enum { NO_MARKING = UINT32_MAX, TOO_MANY_TOKENS = UINT32_MAX - 1 };

struct markings {
    const struct tokens *tokens;
    struct sequences *place; /* of each: the tokens of a marking by increasing number, then how many of each */
    uint32_t places;
    VECTOR(uint32_t) scratch;
};

bool markings_make(struct markings *markings, const struct tokens *tokens, uint32_t places);
void markings_clear(struct markings *markings);

/* Its tokens, and behind them as many counts; valid until a marking is made. */
static inline const uint32_t *marking_tokens(const struct markings *markings, uint32_t place, uint32_t marking,
                                             uint32_t *count)
{
    size_t length;
    const uint32_t *tokens = sequence_get(&markings->place[place], marking, &length);
    *count = (uint32_t)(length / 2);
    return tokens;
}

/* How many of the token there are. */
uint32_t marking_count(const struct markings *markings, uint32_t place, uint32_t marking, uint32_t token);
/* How many tokens there are. */
int64_t marking_total(const struct markings *markings, uint32_t place, uint32_t marking);
/* The marking with those of `in` that are in this place taken away and those of `out` added; both by increasing token.
 * NO_MARKING when memory is exhausted, TOO_MANY_TOKENS when there are more of one than can be counted. */
uint32_t marking_change(struct markings *markings, uint32_t place, uint32_t marking, const struct token_count *in,
                        uint32_t in_count, const struct token_count *out, uint32_t out_count);

#endif
