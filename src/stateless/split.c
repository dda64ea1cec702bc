#include "stateless/split.h"

#include "base/bits.h"

#include <stdlib.h>

static uint64_t key_of(const struct worker *w, uint32_t agent)
{
    return w->machine->class->key ? w->machine->class->key(w->machine, agent) : agent;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Agents may be numbered differently in another process; their keys are the same. */
bool split_expand(struct worker *w)
{
    uint32_t agents = w->machine->agents, count = 0;
    struct {
        uint64_t key;
        uint32_t agent;
    } *found = malloc(((size_t)agents + 1) * sizeof *found);
    if (!found)
        return false;
    for (uint32_t agent = 0; agent < agents; agent++)
        if (worker_next(w, agent, &w->step) && w->step.enabled) {
            uint32_t i = count++;
            uint64_t key = key_of(w, agent);
            for (; i && found[i - 1].key > key; i--)
                found[i] = found[i - 1];
            found[i].key = key;
            found[i].agent = agent;
        }
    bool fine = true;
    for (uint32_t i = 0; i < count && fine; i++)
        fine = want_agent(w, w->execution.events.count, found[i].agent);
    free(found);
    return fine;
}

bool split_take(struct worker *w)
{
    struct split *split = w->split;
    uint64_t hash = 1;
    split->points++;
    if (split->only_counts)
        return false;
    for (size_t i = 0; i < w->execution.events.count; i++)
        hash = mix(hash, key_of(w, w->execution.events.item[i].agent) + 1);
    hash += !hash;
    for (size_t place = hash & (split->capacity - 1);; place = (place + 1) & (split->capacity - 1)) {
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&split->taken[place], &there, hash))
            return true;
        if (there == hash)
            return false;
    }
}
