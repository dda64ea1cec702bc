/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/rank.h"

#include <string.h>

struct backwards {
    size_t *offset;
    uint32_t *source;
    uint32_t *queue;
    uint32_t *pending; /* liveness: edges to partially expanded states without a rank */
};

/* Is nothing put off there? */
static bool is_complete(const struct explored *e, uint32_t state)
{
    return e->fully[state] || e->directed[state];
}

/* Does the edge count?  Of states in which nothing is put off none does. */
static bool counts(const struct explored *e, uint32_t state, size_t edge, enum cycles cycles)
{
    return !is_complete(e, state) && (cycles == CYCLES_LIVENESS || e->leads[edge]);
}

static void turn_around(const struct explored *e, struct backwards *b, enum cycles cycles)
{
    for (uint32_t s = 0; s < e->states; s++)
        for (size_t i = e->offset[s]; i < e->offset[s + 1]; i++)
            if (counts(e, s, i, cycles))
                b->offset[e->target[i] + 2]++;
    for (uint32_t s = 0; s < e->states; s++)
        b->offset[s + 2] += b->offset[s + 1];
    for (uint32_t s = 0; s < e->states; s++)
        for (size_t i = e->offset[s]; i < e->offset[s + 1]; i++)
            if (counts(e, s, i, cycles))
                b->source[b->offset[e->target[i] + 1]++] = s;
}

/* From the fully expanded states backwards; with liveness a state has its rank once all its successors have theirs. */
static void spread_ranks(struct explored *e, struct backwards *b, enum cycles cycles)
{
    uint32_t first = 0, last = 0;
    for (uint32_t s = 0; s < e->states; s++) {
        e->rank[s] = is_complete(e, s) ? 0 : RANK_NONE;
        b->pending[s] = (uint32_t)(e->offset[s + 1] - e->offset[s]);
        if (is_complete(e, s))
            b->queue[last++] = s;
    }
    while (first < last) {
        uint32_t s = b->queue[first++];
        for (size_t i = b->offset[s]; i < b->offset[s + 1]; i++) {
            uint32_t before = b->source[i];
            if (cycles == CYCLES_LIVENESS ? --b->pending[before] > 0 : e->rank[before] != RANK_NONE)
                continue;
            e->rank[before] = e->rank[s] + 1; /* s is the last one, so of the highest rank */
            b->queue[last++] = before;
        }
    }
}

bool rank_states(struct explored *e, enum cycles cycles)
{
    size_t edges = e->offset[e->states];
    struct backwards b = {.offset = calloc((size_t)e->states + 2, sizeof *b.offset),
                          .source = calloc(edges + 1, sizeof *b.source),
                          .queue = calloc((size_t)e->states + 1, sizeof *b.queue),
                          .pending = calloc((size_t)e->states + 1, sizeof *b.pending)};
    bool fine = b.offset && b.source && b.queue && b.pending;
    if (fine) {
        turn_around(e, &b, cycles);
        spread_ranks(e, &b, cycles);
    }
    free(b.offset);
    free(b.source);
    free(b.queue);
    free(b.pending);
    return fine;
}
