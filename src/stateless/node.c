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
        node = calloc(1, sizeof *node + 2 * pool->words * sizeof(uint64_t));
        if (!node)
            return NULL;
        atomic_flag_clear(&node->lock);
        node->enabled = node->asleep + pool->words;
        pool->nodes++;
    }
    memset(node->asleep, 0, 2 * pool->words * sizeof(uint64_t));
    atomic_store_explicit(&node->references, 1, memory_order_relaxed);
    node->entered = false;
    node->explored = 0;
    return node;
}

static void forget(struct node *node)
{
    for (size_t i = 0; i < node->naps.count; i++)
        if (node->naps.item[i].explored_here)
            free(node->naps.item[i].many);
    node->naps.count = 0;
    while (node->wanted) {
        struct sequence *sequence = node->wanted;
        node->wanted = sequence->next;
        sequence_free(sequence);
    }
    free(node->known);
    node->known = NULL;
    node->known_count = node->planned_from = 0;
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
        free(node->naps.item);
        free(node);
    }
}

size_t node_pool_bytes(const struct node_pool *pool)
{
    enum { FEW_NAPS = 8 }; /* what a node holds besides itself, roughly */
    return pool->nodes * (sizeof(struct node) + 2 * pool->words * sizeof(uint64_t) + FEW_NAPS * sizeof(struct nap));
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

struct footprint nap_footprint(const struct nap *nap)
{
    return (struct footprint){nap->agent, nap->access_count, nap->touched, nap->written,
                              nap->many ? nap->many : nap->few};
}

bool node_explore(struct node *node, const struct footprint *step)
{
    struct nap nap = {.agent = step->agent,
                      .access_count = step->access_count,
                      .touched = step->touched,
                      .written = step->written,
                      .explored_here = true};
    size_t size = step->access_count * sizeof *step->accesses;
    if (step->access_count > sizeof nap.few / sizeof nap.few[0]) {
        nap.many = malloc(size);
        if (!nap.many)
            return false;
        memcpy(nap.many, step->accesses, size);
    } else if (size) {
        memcpy(nap.few, step->accesses, size);
    }
    if (!vector_push(&node->naps, nap)) {
        free(nap.many);
        return false;
    }
    bit_set(node->asleep, step->agent);
    node->explored++;
    return true;
}

bool node_inherit(struct node *child, const struct node *parent, const struct footprint *step)
{
    if (!vector_reserve(&child->naps, parent->naps.count))
        return false;
    for (size_t i = 0; i < parent->naps.count; i++) {
        struct footprint sleeper = nap_footprint(&parent->naps.item[i]);
        if (sleeper.agent == step->agent || footprints_conflict(&sleeper, step))
            continue;
        child->naps.item[child->naps.count] = parent->naps.item[i];
        child->naps.item[child->naps.count++].explored_here = false;
        bit_set(child->asleep, sleeper.agent);
    }
    return true;
}

void node_want(struct node *node, struct sequence *sequence)
{
    sequence->next = NULL;
    if (node->wanted)
        node->last_wanted->next = sequence;
    else
        node->wanted = sequence;
    node->last_wanted = sequence;
}

void node_hand_down(struct node *child, struct node *parent, const struct footprint *step)
{
    struct sequence *sequence = parent->wanted;
    if (sequence && sequence->start + 1 < sequence->length) {
        child->planned_from = sequence->origin;
    } else if (sequence) {
        child->known = sequence->known;
        child->known_count = sequence->known_count;
        sequence->known = NULL;
    }
    parent->wanted = NULL;
    while (sequence) {
        struct sequence *following = sequence->next;
        uint32_t position;
        if (is_weak_initial(sequence, step, &position)) {
            if (position < sequence->length)
                sequence_remove(sequence, position);
            if (sequence->start < sequence->length)
                node_want(child, sequence);
            else
                sequence_free(sequence);
        } else {
            node_want(parent, sequence);
        }
        sequence = following;
    }
}

/* Takes the sequences that begin with an agent out; the last of them, or NULL. */
static struct sequence *take_wanted(struct node *node, uint32_t agent)
{
    struct sequence *sequence = node->wanted, *taken = NULL;
    node->wanted = NULL;
    while (sequence) {
        struct sequence *following = sequence->next;
        if (sequence->items[sequence->start].agent == agent) {
            sequence_free(taken);
            taken = sequence;
        } else {
            node_want(node, sequence);
        }
        sequence = following;
    }
    return taken;
}

void node_unwant(struct node *node, uint32_t agent)
{
    sequence_free(take_wanted(node, agent));
}

void node_hand_hint(struct node *child, struct node *parent, uint32_t agent)
{
    struct sequence *rest = take_wanted(parent, agent);
    if (rest && ++rest->start < rest->length && !bit_get(child->asleep, rest->items[rest->start].agent))
        node_want(child, rest);
    else
        sequence_free(rest);
}

bool node_covers(const struct node *node, const struct sequence *sequence)
{
    uint32_t last = sequence->items[sequence->length - 1].agent, position;
    /* The reversed step is the likeliest: it was explored here before. */
    for (int others = 0; others < 2; others++) {
        if (!others && !bit_get(node->asleep, last))
            continue;
        for (size_t i = 0; i < node->naps.count; i++) {
            if ((node->naps.item[i].agent == last) == others)
                continue;
            struct footprint sleeper = nap_footprint(&node->naps.item[i]);
            if (is_weak_initial(sequence, &sleeper, &position))
                return true;
        }
    }
    bool few[256], *removed = sequence->length <= sizeof few ? few : malloc(sequence->length);
    bool covered = false;
    if (!removed)
        return false; /* exploring twice is better than not at all */
    for (const struct sequence *u = node->wanted; u && !covered; u = u->next)
        covered = sequences_compatible(u, sequence, removed);
    if (removed != few)
        free(removed);
    return covered;
}

bool node_wants_agent(const struct node *node, uint32_t agent)
{
    for (const struct sequence *s = node->wanted; s; s = s->next)
        if (s->items[s->start].agent == agent)
            return true;
    return false;
}
