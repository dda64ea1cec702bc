/* SPDX-License-Identifier: Apache-2.0 */
#include "differential_naive.h"

#include <string.h>

static uint64_t hash(const uint32_t *marking, uint32_t places)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint32_t p = 0; p < places; p++)
        h = (h ^ marking[p]) * UINT64_C(0x100000001b3);
    return h ^ h >> 29;
}

const uint32_t *naive_marking(const struct naive *n, uint32_t state)
{
    return n->tokens.item + (size_t)state * n->net->places;
}

/* Where the marking is, or would go. */
static uint32_t find_slot(const struct naive *n, const uint32_t *marking)
{
    size_t bytes = n->net->places * sizeof *marking;
    uint32_t at = (uint32_t)hash(marking, n->net->places) & (n->slots - 1);
    while (n->slot[at] != NAIVE_NONE && memcmp(naive_marking(n, n->slot[at]), marking, bytes) != 0)
        at = (at + 1) & (n->slots - 1);
    return at;
}

uint32_t naive_find(const struct naive *n, const uint32_t *marking)
{
    return n->slot[find_slot(n, marking)];
}

static bool grow_table(struct naive *n)
{
    uint32_t *old = n->slot;
    n->slots = n->slots ? n->slots * 2 : 256;
    n->slot = malloc(n->slots * sizeof *n->slot);
    free(old);
    if (!n->slot)
        return false;
    memset(n->slot, 0xff, n->slots * sizeof *n->slot);
    for (uint32_t s = 0; s < n->count; s++)
        n->slot[find_slot(n, naive_marking(n, s))] = s;
    return true;
}

/* The number of the marking, new or old; NAIVE_NONE when memory ran out. */
static uint32_t add(struct naive *n, const uint32_t *marking, uint32_t distance)
{
    if (n->count * 2 >= n->slots && !grow_table(n))
        return NAIVE_NONE;
    uint32_t at = find_slot(n, marking);
    if (n->slot[at] != NAIVE_NONE)
        return n->slot[at];
    if (!vector_push(&n->distance, distance) || !vector_reserve(&n->tokens, (size_t)n->net->places + 1))
        return NAIVE_NONE;
    for (uint32_t p = 0; p < n->net->places; p++)
        n->tokens.item[n->tokens.count++] = marking[p];
    n->slot[at] = n->count;
    return n->count++;
}

/* Writes the successor; false when t is not enabled. */
static bool fire(const struct net *net, const uint32_t *marking, uint32_t t, uint32_t *after)
{
    for (uint32_t p = 0; p < net->places; p++)
        after[p] = marking[p];
    for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
        const struct net_arc *arc = &net->arc[i];
        uint32_t tokens = marking[arc->place];
        if (tokens < arc->need || (arc->inhibit && tokens >= arc->inhibit))
            return false;
        after[arc->place] = tokens - arc->consume + arc->produce;
    }
    return true;
}

static enum naive_outcome explore(struct naive *n, uint32_t most, uint32_t *before, uint32_t *after)
{
    const struct net *net = n->net;
    if (!grow_table(n) || add(n, net->initial, 0) == NAIVE_NONE)
        return NAIVE_NO_MEMORY;
    for (uint32_t s = 0; s < n->count; s++) {
        if (!vector_push(&n->edge_offset, (uint32_t)n->edges.count))
            return NAIVE_NO_MEMORY;
        memcpy(before, naive_marking(n, s), net->places * sizeof *before);
        for (uint32_t t = 0; t < net->transitions; t++) {
            if (!fire(net, before, t, after))
                continue;
            struct naive_edge edge = {.action = t, .target = add(n, after, n->distance.item[s] + 1)};
            if (edge.target == NAIVE_NONE || !vector_push(&n->edges, edge))
                return NAIVE_NO_MEMORY;
        }
        if (n->count > most)
            return NAIVE_TOO_MANY;
    }
    return vector_push(&n->edge_offset, (uint32_t)n->edges.count) ? NAIVE_COMPLETE : NAIVE_NO_MEMORY;
}

enum naive_outcome naive_explore(struct naive *n, const struct net *net, uint32_t most)
{
    memset(n, 0, sizeof *n);
    n->net = net;
    uint32_t *before = calloc((size_t)net->places + 1, sizeof *before);
    uint32_t *after = calloc((size_t)net->places + 1, sizeof *after);
    enum naive_outcome outcome = before && after ? explore(n, most, before, after) : NAIVE_NO_MEMORY;
    free(before);
    free(after);
    return outcome;
}

void naive_clear(struct naive *n)
{
    free(n->tokens.item);
    free(n->distance.item);
    free(n->edge_offset.item);
    free(n->edges.item);
    free(n->slot);
    memset(n, 0, sizeof *n);
}

uint32_t naive_enabled(const struct naive *n, uint32_t state)
{
    return n->edge_offset.item[state + 1] - n->edge_offset.item[state];
}

uint32_t naive_step(const struct naive *n, uint32_t state, uint32_t action)
{
    for (uint32_t i = n->edge_offset.item[state]; i < n->edge_offset.item[state + 1]; i++)
        if (n->edges.item[i].action == action)
            return n->edges.item[i].target;
    return NAIVE_NONE;
}
