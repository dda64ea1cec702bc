/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/split.h"

#include "base/bits.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

void split_relate(struct split *split)
{
    for (uint32_t a = 0; a < MOST_SPLIT_AGENTS; a++)
        split->related[a] = agent_bit(a) | split->met[a];
    for (uint32_t a = 0; a < MOST_SPLIT_AGENTS; a++)
        for (uint32_t b = 0; b < MOST_SPLIT_AGENTS; b++)
            if (split->related[a] >> b & 1)
                split->related[b] |= agent_bit(a);
    for (uint32_t middle = 0; middle < MOST_SPLIT_AGENTS; middle++)
        for (uint32_t a = 0; a < MOST_SPLIT_AGENTS; a++)
            if (split->related[a] >> middle & 1)
                split->related[a] |= split->related[middle];
}

bool split_was_wrong(const struct split *split)
{
    for (uint32_t a = 0; a < MOST_SPLIT_AGENTS; a++)
        if (split->met[a] & ~split->related[a])
            return true;
    return false;
}

bool split_expand(struct worker *w)
{
    size_t depth = w->execution.events.count;
    const struct node *node = node_at(w, depth);
    agent_set chosen = 0;
    for (uint32_t agent = 0; agent < w->machine->agents; agent++) {
        if (!worker_next(w, agent, &w->step) || !w->step.enabled || bit_get(node->asleep, agent))
            continue;
        if (!chosen)
            chosen = w->split->everybody ? UINT64_MAX : w->split->related[agent];
        if ((w->split->everybody || chosen >> agent & 1) && !add_to_backtrack(w, depth, agent))
            return false;
    }
    return true;
}

bool split_take(struct worker *w)
{
    struct split *split = w->split;
    uint64_t hash = 1, point = split->points++;
    split->deep += w->execution.events.count == split->depth;
    if (split->only_counts)
        return false;
    if (split->at_point)
        split->at_point(w, point);
    if (split->shards)
        return point >= split->skipped && point % split->shards == split->shard;
    for (size_t i = 0; i < w->execution.events.count; i++)
        hash = mix(hash, w->execution.events.item[i].agent + 1);
    hash += !hash;
    for (size_t place = hash & (split->capacity - 1);; place = (place + 1) & (split->capacity - 1)) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&split->taken[place], &there, hash))
            return true;
        if (there == hash)
            return false;
    }
}
