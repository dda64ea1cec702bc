/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/node.h"

#include "base/bits.h"

#include <sched.h>
#include <string.h>

struct node *node_make(struct node_pool *pool)
{
    struct node *node = pool->free;
    if (node) {
        pool->free = node->next_free;
    } else {
        node = calloc(1, sizeof *node + 3 * pool->words * sizeof(uint64_t));
        if (!node)
            return NULL;
        atomic_flag_clear(&node->lock);
        node->enabled = node->asleep + pool->words;
        node->ended = node->enabled + pool->words;
        pool->nodes++;
    }
    memset(node->asleep, 0, 3 * pool->words * sizeof(uint64_t));
    atomic_store_explicit(&node->references, 1, memory_order_relaxed);
    node->entered = false;
    node->explored = 0;
    return node;
}

static void forget(struct node *node)
{
    for (size_t i = 0; i < node->sleep_set.count; i++)
        if (node->sleep_set.item[i].explored_here)
            free(node->sleep_set.item[i].step.many);
    node->sleep_set.count = 0;
    wakeup_clear(&node->backtrack);
}

void node_release(struct node_pool *pool, struct node *node)
{
    if (atomic_fetch_sub_explicit(&node->references, 1, memory_order_acq_rel) > 1)
        return;
    forget(node);
    node->next_free = pool->free;
    pool->free = node;
}

void node_pool_clear(struct node_pool *pool)
{
    while (pool->free) {
        struct node *node = pool->free;
        pool->free = node->next_free;
        free(node->sleep_set.item);
        free(node);
    }
}

size_t node_pool_bytes(const struct node_pool *pool)
{
    enum { FEW_SLEEPERS = 8 }; /* what a node holds besides itself, roughly */
    return pool->nodes *
           (sizeof(struct node) + 3 * pool->words * sizeof(uint64_t) + FEW_SLEEPERS * sizeof(struct sleeper));
}

void node_lock(struct node *node)
{
    while (atomic_flag_test_and_set_explicit(&node->lock, memory_order_acquire))
        sched_yield();
}

void node_unlock(struct node *node)
{
    atomic_flag_clear_explicit(&node->lock, memory_order_release);
}

bool node_explore(struct node *node, const struct footprint *step)
{
    struct sleeper sleeper = {.explored_here = true};
    if (!kept_step_make(&sleeper.step, step))
        return false;
    if (!vector_push(&node->sleep_set, sleeper)) {
        free(sleeper.step.many);
        return false;
    }
    bit_set(node->asleep, step->agent);
    node->explored++;
    return true;
}

bool node_inherit(struct node *child, const struct node *parent, const struct footprint *step, bool above_split)
{
    if (!vector_reserve(&child->sleep_set, parent->sleep_set.count))
        return false;
    for (size_t i = 0; i < parent->sleep_set.count; i++) {
        struct footprint sleeper = kept_footprint(&parent->sleep_set.item[i].step);
        if (sleeper.agent == step->agent || footprints_conflict(&sleeper, step))
            continue;
        child->sleep_set.item[child->sleep_set.count] = parent->sleep_set.item[i];
        child->sleep_set.item[child->sleep_set.count].from_above |= above_split;
        child->sleep_set.item[child->sleep_set.count++].explored_here = false;
        bit_set(child->asleep, sleeper.agent);
    }
    return true;
}

static bool has_agent(const struct sequence *sequence, uint32_t agent)
{
    for (uint32_t i = 0; i < sequence->length; i++)
        if (sequence->items[i].agent == agent)
            return true;
    return false;
}

/* A sleeper without a step in the sequence counts too: while its own step was explored, whatever has to come before it
 * was found and added to the backtrack set here.  Not so if another process explored it. */
bool node_sleeps_through(const struct node *node, const struct sequence *sequence)
{
    /* The last step of a reversed race is the likeliest: it was explored here before. */
    uint32_t last = sequence->items[sequence->length - 1].agent;
    for (int others = bit_get(node->asleep, last) ? 0 : 1; others < 2; others++)
        for (size_t i = 0; i < node->sleep_set.count; i++) {
            struct footprint sleeper = kept_footprint(&node->sleep_set.item[i].step);
            if ((sleeper.agent != last) == others &&
                (!node->sleep_set.item[i].from_above || has_agent(sequence, sleeper.agent)) &&
                is_weak_initial(sequence, &sleeper))
                return true;
        }
    return false;
}
