/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several workers on one tree.  A worker with nothing to do is given the path to
 * the node nearest to the root whose backtrack set is not empty; both then have the nodes
 * of that path on their stacks, and each takes what it finds in their backtrack sets on its way back.
 *
 * What one worker explores from a node lies asleep in what another takes from it later, so no
 * trace is explored twice.  A sequence found late, when another worker has already gone the
 * way it would have joined, is covered by that way and dropped (node_covers); so none is lost.
 */
#include "stateless/shared.h"

static struct worker *somebody_idle(struct search_shared *shared)
{
    for (uint32_t i = 0; i < shared->worker_count; i++)
        if (shared->workers[i].waits && !shared->workers[i].has_been_given)
            return &shared->workers[i];
    return NULL;
}

static bool has_backtrack(struct node *node)
{
    node_lock(node);
    bool some = node->backtrack.first;
    node_unlock(node);
    return some;
}

/* Copies the path to the node at a depth onto the stack of another worker. */
static bool give(struct worker *w, struct worker *to, size_t depth)
{
    to->given.count = 0;
    if (!vector_reserve(&to->given, depth + 1) || !vector_reserve(&to->stack, depth + 1))
        return false;
    for (size_t i = 0; i <= depth; i++) {
        atomic_fetch_add_explicit(&w->stack.item[i]->references, 1, memory_order_relaxed);
        to->stack.item[to->stack.count++] = w->stack.item[i];
    }
    for (size_t i = 0; i < depth; i++)
        to->given.item[to->given.count++] = w->execution.events.item[i].agent;
    to->has_been_given = true;
    return true;
}

void share_work(struct worker *w)
{
    struct search_shared *shared = w->shared;
    size_t depth = 0;
    while (depth + 1 < w->stack.count && !has_backtrack(w->stack.item[depth]))
        depth++;
    if (depth + 1 >= w->stack.count)
        return;
    pthread_mutex_lock(&shared->mutex);
    struct worker *to = somebody_idle(shared);
    if (to && give(w, to, depth)) {
        atomic_fetch_sub(&shared->idle, 1);
        pthread_cond_broadcast(&shared->work_or_end);
    }
    pthread_mutex_unlock(&shared->mutex);
}

bool wait_for_work(struct worker *w)
{
    struct search_shared *shared = w->shared;
    pthread_mutex_lock(&shared->mutex);
    w->waits = true;
    if (atomic_fetch_add(&shared->idle, 1) + 1 == shared->worker_count || atomic_load(&shared->over)) {
        shared->finished = true;
        pthread_cond_broadcast(&shared->work_or_end);
    }
    while (!w->has_been_given && !shared->finished)
        pthread_cond_wait(&shared->work_or_end, &shared->mutex);
    bool given = w->has_been_given && !shared->finished;
    w->waits = false;
    w->has_been_given = false;
    pthread_mutex_unlock(&shared->mutex);
    return given;
}
