/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/markings.h"

#include <string.h>

bool markings_make(struct markings *m, const struct tokens *tokens, uint32_t places)
{
    bool is_new, fine = true;
    *m = (struct markings){.tokens = tokens, .places = places, .place = calloc(places + 1, sizeof *m->place)};
    for (uint32_t i = 0; m->place && i < places && fine; i++)
        fine = sequence_insert(&m->place[i], NULL, 0, &is_new) == 0;
    return m->place && fine;
}

void markings_clear(struct markings *m)
{
    for (uint32_t i = 0; m->place && i < m->places; i++)
        sequences_clear(&m->place[i]);
    free(m->place);
    free(m->scratch.item);
    *m = (struct markings){0};
}

uint32_t marking_count(const struct markings *m, uint32_t place, uint32_t marking, uint32_t token)
{
    uint32_t count, low = 0;
    const uint32_t *tokens = marking_tokens(m, place, marking, &count);
    for (uint32_t high = count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        *(tokens[middle] < token ? &low : &high) = tokens[middle] < token ? middle + 1 : middle;
    }
    return low < count && tokens[low] == token ? tokens[count + low] : 0;
}

int64_t marking_total(const struct markings *m, uint32_t place, uint32_t marking)
{
    uint32_t count;
    const uint32_t *tokens = marking_tokens(m, place, marking, &count);
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total += tokens[count + i];
    return total;
}

/* The next token of the place in a list that goes through all places. */
static const struct token_count *next_here(const struct markings *m, uint32_t place, const struct token_count *next,
                                           const struct token_count *end)
{
    while (next < end && token_place(m->tokens, next->token) != place)
        next++;
    return next;
}

static uint32_t smallest(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t least = a < b ? a : b;
    return least < c ? least : c;
}

uint32_t marking_change(struct markings *m, uint32_t place, uint32_t marking, const struct token_count *in,
                        uint32_t in_count, const struct token_count *out, uint32_t out_count)
{
    uint32_t count, at = 0, kinds = 0;
    bool is_new;
    const uint32_t *tokens = marking_tokens(m, place, marking, &count);
    const struct token_count *in_end = in ? in + in_count : NULL, *out_end = out ? out + out_count : NULL;
    size_t most = (size_t)count + in_count + out_count;
    m->scratch.count = 0;
    if (!vector_reserve(&m->scratch, most * 2 + 1))
        return NO_MARKING;
    uint32_t *token = m->scratch.item, *number = token + most;
    while (true) {
        in = next_here(m, place, in, in_end);
        out = next_here(m, place, out, out_end);
        uint32_t next = smallest(at < count ? tokens[at] : UINT32_MAX, in < in_end ? in->token : UINT32_MAX,
                                 out < out_end ? out->token : UINT32_MAX);
        if (next == UINT32_MAX)
            break;
        int64_t there = at < count && tokens[at] == next ? tokens[count + at++] : 0;
        there -= in < in_end && in->token == next ? (in++)->count : 0;
        there += out < out_end && out->token == next ? (out++)->count : 0;
        if (there > INT32_MAX)
            return TOO_MANY_TOKENS;
        token[kinds] = next;
        number[kinds] = (uint32_t)there;
        kinds += there > 0;
    }
    memmove(token + kinds, number, kinds * sizeof *number);
    return sequence_insert(&m->place[place], token, (size_t)kinds * 2, &is_new);
}
