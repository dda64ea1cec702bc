/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/node.h"

#include "base/bits.h"

#include <sched.h>
#include <string.h>

enum { SETS = 4 }; /* of agents, in a node */

struct node *node_make(struct node_pool *pool)
{
    struct node *node = pool->free;
    if (node) {
        pool->free = node->next_free;
    } else {
        node = calloc(1, sizeof *node + SETS * pool->words * sizeof(uint64_t));
        if (!node)
            return NULL;
        atomic_flag_clear(&node->lock);
        node->shared = pool->shared;
        node->enabled = node->asleep + pool->words;
        node->ended = node->enabled + pool->words;
        node->backtracks = node->ended + pool->words;
        pool->nodes++;
    }
    for (size_t i = 0; i < SETS * pool->words; i++)
        node->asleep[i] = 0;
    atomic_store_explicit(&node->references, 1, memory_order_relaxed);
    node->entered = false;
    node->explored = 0;
    return node;
}

static void forget(struct node_pool *pool, struct node *node)
{
    for (size_t i = 0; i < node->sleep_set.count; i++)
        if (node->sleep_set.item[i].explored_here)
            free(node->sleep_set.item[i].step.many);
    node->sleep_set.count = 0;
    wakeup_clear(&pool->wakeup, &node->backtrack);
}

void node_release(struct node_pool *pool, struct node *node)
{
    if (atomic_load_explicit(&node->references, memory_order_acquire) > 1 && /* else nobody can come to have it */
        atomic_fetch_sub_explicit(&node->references, 1, memory_order_acq_rel) > 1)
        return;
    forget(pool, node);
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
    wakeup_pool_clear(&pool->wakeup);
}

size_t node_pool_bytes(const struct node_pool *pool)
{
    enum { FEW_SLEEPERS = 8 }; /* what a node holds besides itself, roughly */
    return pool->nodes *
               (sizeof(struct node) + SETS * pool->words * sizeof(uint64_t) + FEW_SLEEPERS * sizeof(struct sleeper)) +
           pool->wakeup.bytes;
}

void node_wait_for_lock(struct node *node)
{
    while (atomic_flag_test_and_set_explicit(&node->lock, memory_order_acquire))
        sched_yield();
}

bool node_add_branch(struct node_pool *pool, struct node *node, const struct sequence *sequence)
{
    if (!wakeup_append(&pool->wakeup, &node->backtrack, sequence))
        return false;
    bit_set(node->backtracks, sequence_agent(sequence, 0));
    return true;
}

void node_tell_apart(const struct node *node, struct prefix *prefix, const struct remainder *sequence)
{
    for (size_t i = node->sleep_set.count; i-- > 0;) /* the first of the race comes last */
        tell_apart(prefix, sequence, &node->sleep_set.item[i].step);
}

bool node_insert(struct node_pool *pool, struct node *node, struct remainder *sequence)
{
    struct prefix prefix;
    if (wakeup_covers(&node->backtrack, sequence))
        return true;
    remainder_restore(sequence);
    prefix_make(&prefix, sequence->sequence);
    node_tell_apart(node, &prefix, sequence);
    if (!wakeup_insert(&pool->wakeup, &node->backtrack, sequence, &prefix))
        return false;
    if (node->backtrack.last)
        bit_set(node->backtracks, node->backtrack.last->step.agent);
    return true;
}

void node_take_branch(struct node_pool *pool, struct node *node, uint32_t agent, struct wakeup_tree *rest,
                      struct hint **hint)
{
    *rest = (struct wakeup_tree){0};
    *hint = NULL;
    if (!bit_get(node->backtracks, agent))
        return;
    wakeup_take_agent(&pool->wakeup, &node->backtrack, agent, rest, hint);
    bit_clear(node->backtracks, agent);
}

struct wakeup_tree node_take_backtrack(struct node_pool *pool, struct node *node)
{
    struct wakeup_tree all = node->backtrack;
    node->backtrack = (struct wakeup_tree){0};
    memset(node->backtracks, 0, pool->words * sizeof *node->backtracks);
    return all;
}

void node_set_backtrack(struct node *node, struct wakeup_tree tree)
{
    node->backtrack = tree;
    for (const struct wakeup_node *branch = tree.first; branch; branch = branch->next)
        bit_set(node->backtracks, branch->step.agent);
}

bool node_explore(struct node *node, const struct footprint *step)
{
    if (!vector_reserve(&node->sleep_set, 1))
        return false;
    struct sleeper *sleeper = &node->sleep_set.item[node->sleep_set.count];
    if (!kept_step_make(&sleeper->step, step))
        return false;
    sleeper->explored_here = true;
    sleeper->from_above = false;
    node->sleep_set.count++;
    bit_set(node->asleep, step->agent);
    node->explored++;
    return true;
}

void node_wake_explored(struct node *node)
{
    struct sleeper *last = node->sleep_set.item + node->sleep_set.count;
    for (; node->sleep_set.count && (--last)->explored_here; node->sleep_set.count--) {
        bit_clear(node->asleep, last->step.agent);
        free(last->step.many);
    }
    for (size_t i = 0; i < node->sleep_set.count; i++)
        bit_set(node->asleep, node->sleep_set.item[i].step.agent);
    node->explored = 0;
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

/*
 * Several steps may have been explored from here, or from earlier nodes, that race with the same later one: readers of
 * what it writes.  Each such race gives a sequence without one of them, so most sequences are given more than once.
 * Abdulla, Atig, Das, Jonsson and Sagonas, "Parsimonious optimal dynamic partial order reduction", CAV 2024, reverse
 * races once; this rule has their aim, but is another one.
 *
 * Let v.e' be the sequence of the race of the present step e, and let x sleep here besides e, so that it was explored
 * before, be independent of v and in conflict with e'.  Then the race of x and e' does what has to be done.
 *
 * Proof sketch: that every trace is explored is shown by taking the first node, in the order in which they are left,
 * and a w from there that none of the steps explored or asleep can begin.  Each is in conflict with an event of w; of
 * those for which this event comes last the proof takes one, p, and then the execution p.u.e', where u is w before e'.
 * It was explored, since what was explored before p and is independent of it conflicts with u or e'; and its race of p
 * and e' gives a sequence that begins with u.e', so that something that can begin w was explored after all.  Let p be
 * the first explored of those.  If its race was not reversed because of x, then x is independent of all that can be in
 * u, so that e' is the first event in conflict with x too, and x was explored before p: a contradiction.
 *
 * If an event that is new is in conflict with x, this has to be asked again.  An e' that waits or varies need not come
 * after u and x, nor be the same there.
 */
const struct kept_step *node_reverses_otherwise(const struct node *node, const struct footprint *last,
                                                const struct masks *beside, uint64_t agents)
{
    const struct sleeper *sleeper = node->sleep_set.item;
    for (size_t i = 1; i < node->sleep_set.count; i++, sleeper++) { /* the last one is the present step */
        const struct kept_step *step = &sleeper->step;
        struct masks touched = {step->touched, step->written};
        if (sleeper->from_above || agents >> (step->agent % 64) & 1 || step->agent == last->agent ||
            masks_meet(&touched, beside))
            continue;
        struct footprint footprint = kept_footprint(step);
        if (footprints_conflict(&footprint, last))
            return step;
    }
    return NULL;
}

/* A sleeper without a step in the sequence counts too: while its own step was explored, whatever has to come before it
 * was found and added to the backtrack set here.  Not so if another process explored it. */
static bool is_trusted(const struct sleeper *sleeper, enum trusted trusted)
{
    return !sleeper->from_above || trusted == EXPLORED_ANYWHERE ||
           (trusted == EXPLORED_FROM_HERE && sleeper->explored_here);
}

bool node_sleeps_through(const struct node *node, struct remainder *sequence, enum trusted trusted)
{
    uint32_t place;
    /* The last step of a reversed race is the likeliest: it was explored here before. */
    uint32_t last = sequence->sequence->last.agent;
    for (int others = bit_get(node->asleep, last) ? 0 : 1; others < 2; others++)
        for (size_t i = 0; i < node->sleep_set.count; i++) {
            const struct kept_step *step = &node->sleep_set.item[i].step;
            if ((step->agent != last) != others)
                continue;
            if (meets_last(sequence, step))
                continue;
            struct footprint sleeper = kept_footprint(step);
            if (!is_weak_initial(sequence, &sleeper, &place) ||
                (place == sequence->end && !is_trusted(&node->sleep_set.item[i], trusted)))
                continue;
            if (place == sequence->end)
                masks_add(&sequence->depends.steps, sleeper.touched, sleeper.written);
            else
                note_item(sequence, &sequence->item[place]);
            return true;
        }
    return false;
}
