/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The graph of a loop that only waits.  A node is the state of a thread before a read; what is in the memory that it
 * shares with others is no part of it.  Where a value leads is found by trying: the thread runs from the node with the
 * value, up to its next visible operation or the first thing that is more than a read, and is put back.  Nobody can
 * tell.  What a try has found is kept together with all that it read of other memory and what was there: it is good
 * wherever the same is there again.
 */
#include "native/await_graph.h"
#include "native/awaits.h"
#include "native/effects.h"
#include "native/landing.h"
#include "native/objects.h"
#include "native/own_words.h"
#include "native/races.h"
#include "native/settings.h"
#include "native/slots.h"
#include "native/trial.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <xxhash.h>

struct node {
    uint64_t state;
    struct snapshot *snapshot;
    struct pending operation;
    VECTOR(struct edge) edges;
};

static KEPT VECTOR(struct node *) nodes;
static KEPT struct number_table node_table;

/* --- reads */

bool may_await(const struct pending *op)
{
    switch (op->kind) {
    case OP_LOAD:
    case OP_EXCHANGE:
    case OP_AND:
    case OP_OR:
    case OP_COMPARE_EXCHANGE:
    case OP_VOLATILE_READ:
    case OP_PLAIN_READ: return op->size <= 8;
    case OP_TRY_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_SEMAPHORE_VALUE:
    case OP_SEMAPHORE_TRY_WAIT: return true;
    default: return false;
    }
}

/* Does the operation only read when it finds this value?  What does it give then? */
static bool reads_only(const struct pending *op, uint32_t agent, uint64_t value, unsigned __int128 *result)
{
    uint32_t owner = (uint32_t)value, count = (uint32_t)(value >> 32);
    bool mine = owner == agent + 1;
    *result = (unsigned)op->error;
    switch (op->kind) {
    case OP_TRY_LOCK:
        if (mine && op->operand == PTHREAD_MUTEX_ERRORCHECK && op->error != EBUSY)
            *result = EDEADLK;
        return owner && !(mine && op->operand == PTHREAD_MUTEX_RECURSIVE);
    case OP_TRY_READ_LOCK: return owner;
    case OP_SEMAPHORE_TRY_WAIT: return !count;
    case OP_SEMAPHORE_VALUE: *result = count; return true;
    default: *result = value; return value_after(op, value) == value;
    }
}

bool only_reads(const struct pending *op, uint32_t agent, uint64_t value)
{
    unsigned __int128 result;
    return reads_only(op, agent, value, &result);
}

/* --- nodes */

static uint64_t node_hash(uint32_t number)
{
    return nodes.item[number]->state;
}

static uint32_t make_node(const struct thread *thread, uint64_t state)
{
    struct node *node = calloc(1, sizeof *node);
    struct snapshot *snapshot = snapshot_make(thread);
    if (!node || !snapshot || !vector_push(&nodes, node)) {
        free(node);
        free(snapshot);
        fail_exhausted();
        return 0;
    }
    node->state = state;
    node->snapshot = snapshot;
    node->operation = thread->pending;
    // cppcheck-suppress memleak ; nodes has it
    return (uint32_t)nodes.count;
}

uint32_t node_as_it_is(struct thread *thread)
{
    const struct pending *op = &thread->pending;
    if (!may_await(op) || !number_table_grow(&node_table, nodes.count, node_hash))
        return 0;
    uint64_t place[] = {op->caller, op->address, (uint64_t)(thread - threads), op->kind, (uint64_t)op->operand};
    uint64_t state = XXH3_64bits_withSeed(place, sizeof place, local_state(thread));
    size_t at = state & (node_table.capacity - 1);
    for (; node_table.slots[at]; at = (at + 1) & (node_table.capacity - 1))
        if (nodes.item[node_table.slots[at] - 1]->state == state)
            return node_table.slots[at];
    return node_table.slots[at] = make_node(thread, state);
}

uint32_t node_of(struct thread *thread)
{
    own_words_show(thread);
    uint32_t node = node_as_it_is(thread);
    own_words_hide(thread);
    return node;
}

void await_graph_reset(void)
{
    for (size_t i = 0; i < nodes.count; i++) {
        struct node *node = nodes.item[i];
        for (size_t k = 0; k < node->edges.count; k++)
            free(node->edges.item[k].reads);
        free(node->edges.item);
        free(node->snapshot);
        free(node);
    }
    nodes.count = 0;
    number_table_clear(&node_table);
    await_memory_reset();
}

const struct pending *operation_of(uint32_t number)
{
    return &nodes.item[number]->operation;
}

uint64_t value_at(uint32_t number)
{
    struct pending op = nodes.item[number]->operation;
    op.object = object_at(op.address, op.size);
    if (op.object != UINT32_MAX)
        return object_value(&op, 0);
    fail_exhausted();
    return 0;
}

/* --- edges */

/* Is there in all other memory what was there when the edge was found? */
static bool is_good(const struct edge *edge)
{
    for (uint32_t i = 0; i < edge->read_count; i++)
        if (memcmp((const void *)edge->reads[i].address, &edge->reads[i].content, edge->reads[i].size) != 0)
            return false;
    return true;
}

/* Tries what a thread does at a node that finds a value. */
static bool try(const struct node *node, uint64_t value, unsigned __int128 result, struct edge *edge)
{
    struct trial trial = {.snapshot = node->snapshot, .operation = &node->operation, .result = result, .value = value};
    if (!trial_begin(&trial))
        return false;
    trial_forget_value(&trial);
    edge->next = trial.is_over ? LEADS_OUT : node_as_it_is(trial.thread);
    trial_end(&trial);
    edge->touches_own = trial.touches_own;
    edge->reads = trial.read_count ? malloc(trial.read_count * sizeof *edge->reads) : NULL;
    if (trial.read_count && !edge->reads)
        return false;
    if (trial.read_count)
        memcpy(edge->reads, trial.reads, trial.read_count * sizeof *edge->reads);
    edge->read_count = trial.read_count;
    return true;
}

/* Do others write to what is read here, so that it may be one half of a data race, or not be the same later? */
static bool is_unstable(const struct node *node, const struct edge *edge)
{
    const struct pending *op = &node->operation;
    uint32_t agent = node->snapshot->agent;
    bool is_variable = op->address - region.variables < region.variables_size;
    if (edge->touches_own) /* it may write as well: the stack is compared as a whole */
        return true;
    if (chosen.interleave && is_memory(op) && !is_variable) /* others may free it */
        return true;
    bool found =
        is_written_by_others(agent, op->address, is_memory(op) ? op->size : 1, false); /* a lock can be freed */
    for (uint32_t i = 0; i < edge->read_count; i++)
        found |= is_written_by_others(agent, edge->reads[i].address, edge->reads[i].size, true);
    return found;
}

static const struct edge leads_out;

static const struct edge *find_edge(const struct node *node, uint64_t value)
{
    const struct edge *found = NULL;
    uint64_t before = exchange_memory(&node->operation, value);
    for (size_t i = 0; i < node->edges.count && !found; i++)
        if (node->edges.item[i].value == value && is_good(&node->edges.item[i]))
            found = &node->edges.item[i];
    exchange_memory(&node->operation, before);
    return found;
}

/* Is all that was read on the way round known, so that the same is asked again later?  If not, it is learned. */
static bool remembers_reads(const struct edge *edge)
{
    bool is_known = true;
    for (uint32_t i = 0; i < edge->read_count; i++) {
        const struct trial_read *read = &edge->reads[i];
        if (await_memory_knows(read->address, read->size))
            continue;
        is_known = false;
        if (await_memory_learn(read->address, read->size) && chosen.exploring)
            fail_run(SEARCH_AGAIN, 0, "a loop looks at more than it seemed");
    }
    return is_known;
}

static const struct edge *add_edge(struct node *node, uint64_t value)
{
    unsigned __int128 result;
    struct edge edge = {.value = value};
    if (reads_only(&node->operation, node->snapshot->agent, value, &result) && !try(node, value, result, &edge))
        fail_exhausted();
    edge.is_unstable = edge.next != LEADS_OUT && is_unstable(node, &edge);
    if (run.failure.kind == NO_FAILURE && vector_push(&node->edges, edge))
        return &node->edges.item[node->edges.count - 1];
    free(edge.reads);
    return &leads_out;
}

const struct edge *edge_of(uint32_t number, uint64_t value, uint32_t memory)
{
    struct node *node = nodes.item[number];
    await_memory_put(memory);
    const struct edge *edge = find_edge(node, value);
    if (!edge)
        edge = add_edge(node, value);
    await_memory_put_back(memory);
    bool is_asked_again = memory != MEMORY_OF_NOW && edge->next != LEADS_OUT && !edge->is_unstable;
    return is_asked_again && !remembers_reads(edge) ? &leads_out : edge;
}
