/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting in loops.  A loop whose rounds change nothing that anybody sees is a graph: its nodes are states of the
 * thread before a read, its edges the values that the read can find.  A thread that comes back to a node where it has
 * been since it last did something else might as well have stayed there: whoever leaves out all between the two visits
 * has an execution with the same steps of the others and the same future.  So a read is a step only if it leads out
 * of the loop, or to a node where the thread has not been; else the search sees a step that waits for its object to
 * change.  A loop over one object waits for exactly the values that end it.
 *
 * (What is left out may have synchronised: a thread that did not read has less happens-before, and what is a data race
 * then is one.  And a round may be one half of a data race itself, if it reads what others write by accesses that are
 * not atomic.  So where there are such writes, in whatever execution, each value is once a step that leads round.)
 *
 * Where an edge leads is found by trying: the thread runs from the node with the value, up to its next visible
 * operation or the first thing that is more than a read, and is put back.  Nobody can tell.  What a try has found is
 * kept; a node is known by the state of the thread and by what is in the other memory that rounds from this place read.
 *
 * At the end of an execution a thread may stand at a node from which it could go on by going round, through nodes where
 * it has been.  That execution is like one in which it has stayed where it would come to, and does not count.
 */
#include "native/awaits.h"
#include "native/context.h"
#include "native/effects.h"
#include "native/journal.h"
#include "native/landing.h"
#include "native/locals.h"
#include "native/objects.h"
#include "native/races.h"
#include "native/settings.h"
#include "native/slots.h"
#include "native/trial.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <xxhash.h>

enum { LEADS_OUT = 0, MOST_WORDS = 32, LONGEST_PATH = 64 };

/* A read of the program in loops, and the other memory that rounds from there look at: whole words. */
struct place {
    uintptr_t caller;
    bool is_hopeless; /* too much of that */
    uint32_t word_count;
    uintptr_t words[MOST_WORDS];
};

struct edge {
    uint64_t value;
    uint32_t next;    /* a node + 1, or LEADS_OUT */
    bool is_unstable; /* others write to what a round reads here, by accesses that are not atomic */
    bool touches_own; /* it accesses its own stack, which others know */
    uint32_t read_count;
    struct trial_read *reads; /* of other memory */
};

struct node {
    uint64_t state;
    struct snapshot *snapshot;
    struct pending operation;
    uint64_t words[MOST_WORDS]; /* what is in those of its place */
    VECTOR(struct edge) edges;
};

/* Where a thread has been in a loop: a node, and the path before it. */
struct path {
    uint32_t node, before; /* the latter + 1 */
    uint32_t length;
    uint64_t value; /* that led here */
};

KEPT bool awaits_everywhere;
static KEPT VECTOR(struct place *) places;
static KEPT VECTOR(struct node *) nodes;
static KEPT VECTOR(struct path) paths;
static KEPT struct table {
    uint32_t *slots; /* numbers + 1, hashed */
    size_t capacity;
} node_table, path_table;

/* --- places */

static struct place *place_at(uintptr_t caller)
{
    for (size_t i = 0; i < places.count; i++)
        if (places.item[i]->caller == caller)
            return places.item[i];
    return NULL;
}

static struct place *add_place(uintptr_t caller)
{
    struct place *place = calloc(1, sizeof *place);
    if (!place || !vector_push(&places, place)) {
        free(place);
        fail_exhausted();
        return NULL;
    }
    place->caller = caller;
    // cppcheck-suppress memleak ; places has it
    return place;
}

bool is_await_place(uintptr_t caller)
{
    return place_at(caller);
}

bool learn_places(const uintptr_t *callers, size_t count)
{
    bool is_new = false;
    for (size_t i = 0; i < count; i++)
        if (!place_at(callers[i])) {
            is_new = true;
            if (!add_place(callers[i]))
                return false;
        }
    return is_new;
}

static bool has_word(const struct place *place, uintptr_t word)
{
    for (uint32_t i = 0; i < place->word_count; i++)
        if (place->words[i] == word)
            return true;
    return false;
}

/* False when it is known. */
static bool add_word(struct place *place, uintptr_t word)
{
    if (has_word(place, word))
        return false;
    watch_for_writes(word);
    if (place->word_count < MOST_WORDS)
        place->words[place->word_count++] = word;
    else
        place->is_hopeless = true;
    return true;
}

/* Rounds from a place look at these words too, and at those of the next place.  Those of before were taken for the same
 * whatever was there. */
static void look_at_words(struct place *place, const struct place *next, const struct trial_read *reads, uint32_t count)
{
    bool is_new = false;
    for (uint32_t i = 0; i < count; i++)
        for (uintptr_t at = reads[i].address & ~(uintptr_t)7; at < reads[i].address + reads[i].size; at += 8)
            is_new |= add_word(place, at);
    for (uint32_t i = 0; next && i < next->word_count; i++)
        is_new |= add_word(place, next->words[i]);
    if (!is_new)
        place->is_hopeless = true; /* something else makes the difference */
    fail_run(SEARCH_AGAIN, 0, "a loop looks at more than it seemed");
}

/* --- tables of numbers */

static bool table_grow(struct table *table, size_t count, uint64_t (*hash)(uint32_t))
{
    if (count * 2 < table->capacity)
        return true;
    size_t larger = table->capacity ? table->capacity * 2 : 256;
    uint32_t *slots = calloc(larger, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i]) {
            size_t at = hash(table->slots[i] - 1) & (larger - 1);
            while (slots[at])
                at = (at + 1) & (larger - 1);
            slots[at] = table->slots[i];
        }
    free(table->slots);
    *table = (struct table){slots, larger};
    return true;
}

/* --- nodes */

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
    case OP_SEMAPHORE_TRY_WAIT: return true;
    default: return false;
    }
}

/* Does the operation only read when it finds this value?  What does it give then? */
static bool only_reads(const struct pending *op, uint32_t agent, uint64_t value, unsigned __int128 *result)
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
    default: *result = value; return value_after(op, value) == value;
    }
}

/* What is at the address that the thread is about to read is no part of its state, be it on its own stack: that is what
 * it will find. */
static uint64_t state_but_value(struct thread *thread)
{
    const struct pending *op = &thread->pending;
    bool is_own = is_on_stack(thread, op->address) || is_own_local(thread, op->address);
    uint64_t value = 0, nothing = 0;
    if (!is_own || !is_memory(op))
        return local_state(thread);
    memcpy(&value, (void *)op->address, op->size);
    memcpy((void *)op->address, &nothing, op->size);
    uint64_t state = local_state(thread);
    memcpy((void *)op->address, &value, op->size);
    return state;
}

static struct place *place_of(const struct node *node)
{
    return place_at(node->operation.caller);
}

static uint64_t node_hash(uint32_t number)
{
    return nodes.item[number]->state;
}

static bool is_variable(uintptr_t address)
{
    return address - region.variables < region.variables_size;
}

/* Can a word be read, whoever runs? */
static bool is_readable(uintptr_t address)
{
    return is_on_heap(address) || is_variable(address);
}

static void read_words(const struct place *place, uint64_t *words)
{
    for (uint32_t i = 0; i < place->word_count; i++)
        words[i] = is_readable(place->words[i]) ? *(const uint64_t *)place->words[i] : 0;
}

static uint32_t make_node(const struct thread *thread, uint64_t state, const uint64_t *words, uint32_t word_count)
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
    memcpy(node->words, words, word_count * sizeof *words);
    // cppcheck-suppress memleak ; nodes has it
    return (uint32_t)nodes.count;
}

/* The node at which the thread has stopped, + 1; 0: it is none, or memory is short. */
static uint32_t node_of(struct thread *thread)
{
    const struct pending *op = &thread->pending;
    uint64_t words[MOST_WORDS];
    if (!may_await(op))
        return 0;
    const struct place *place = place_at(op->caller);
    if (!place && awaits_everywhere)
        place = add_place(op->caller);
    if (!place || place->is_hopeless || !table_grow(&node_table, nodes.count, node_hash))
        return 0;
    read_words(place, words);
    uint64_t seed = op->caller ^ (op->address * 3) ^ (uint64_t)(thread - threads) << 56;
    uint64_t state = state_but_value(thread) ^ XXH3_64bits_withSeed(words, place->word_count * sizeof *words, seed);
    size_t at = state & (node_table.capacity - 1);
    for (; node_table.slots[at]; at = (at + 1) & (node_table.capacity - 1))
        if (nodes.item[node_table.slots[at] - 1]->state == state)
            return node_table.slots[at];
    return node_table.slots[at] = make_node(thread, state, words, place->word_count);
}

void awaits_reset(void)
{
    for (size_t i = 0; i < nodes.count; i++) {
        struct node *node = nodes.item[i];
        for (size_t k = 0; k < node->edges.count; k++)
            free(node->edges.item[k].reads);
        free(node->edges.item);
        free(node->snapshot);
        free(node);
    }
    nodes.count = paths.count = 0;
    free(node_table.slots);
    free(path_table.slots);
    node_table = path_table = (struct table){0};
}

/* --- edges */

/* Tries what a thread does at a node that finds a value. */
static bool try(struct node *node, uint64_t value, unsigned __int128 result, struct edge *edge)
{
    const struct place *place = place_of(node);
    struct trial trial = {.snapshot = node->snapshot, .operation = &node->operation, .result = result, .value = value};
    trial.words = place->words;
    trial.contents = node->words;
    trial.word_count = place->word_count;
    if (!trial_begin(&trial))
        return false;
    edge->next = trial.is_over ? LEADS_OUT : node_of(trial.thread);
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

/* Is all that was read known to make a difference, and all that is read from the next place on? */
static bool knows_words(const struct place *place, const struct place *next, const struct edge *edge)
{
    for (uint32_t i = 0; i < edge->read_count; i++)
        for (uintptr_t at = edge->reads[i].address & ~(uintptr_t)7; at < edge->reads[i].address + edge->reads[i].size;
             at += 8)
            if (!has_word(place, at))
                return false;
    for (uint32_t i = 0; next && i < next->word_count; i++)
        if (!has_word(place, next->words[i]))
            return false;
    return true;
}

/* Does somebody write to what is read here, so that a round may be one half of a data race? */
static bool is_unstable(const struct node *node, const struct edge *edge)
{
    const struct pending *op = &node->operation;
    uint32_t agent = node->snapshot->agent;
    if (edge->touches_own) /* it may write as well: the stack is compared as a whole */
        return true;
    if (chosen.interleave && is_memory(op) && !is_variable(op->address)) /* others may free it */
        return true;
    if (is_memory(op))
        watch_for_writes(op->address);
    if (is_memory(op) && is_written_by_others(agent, op->address, op->size))
        return true;
    for (uint32_t i = 0; i < edge->read_count; i++)
        if (is_written_by_others(agent, edge->reads[i].address, edge->reads[i].size))
            return true;
    return false;
}

static const struct edge leads_out;

/* Where a thread at a node goes that finds a value.  The answer is good until the next question. */
static const struct edge *edge_of(uint32_t number, uint64_t value)
{
    struct node *node = nodes.item[number];
    unsigned __int128 result;
    for (size_t i = 0; i < node->edges.count; i++)
        if (node->edges.item[i].value == value)
            return &node->edges.item[i];
    struct edge edge = {.value = value};
    if (only_reads(&node->operation, node->snapshot->agent, value, &result) && !try(node, value, result, &edge))
        fail_exhausted();
    struct place *place = place_of(node);
    const struct place *next = edge.next == LEADS_OUT ? NULL : place_of(nodes.item[edge.next - 1]);
    if (next && !knows_words(place, next, &edge))
        look_at_words(place, next, edge.reads, edge.read_count);
    edge.is_unstable = edge.next != LEADS_OUT && is_unstable(node, &edge);
    if (run.failure.kind == NO_FAILURE && vector_push(&node->edges, edge))
        return &node->edges.item[node->edges.count - 1];
    free(edge.reads);
    return &leads_out;
}

/* --- paths */

static uint64_t path_hash(uint32_t number)
{
    const struct path *path = &paths.item[number];
    return (path->node * UINT64_C(0x9e3779b97f4a7c15) ^ path->before ^ path->value << 7) *
               UINT64_C(0xbf58476d1ce4e5b9) >>
           20;
}

static bool has_been(uint32_t path, uint32_t node)
{
    for (; path; path = paths.item[path - 1].before)
        if (paths.item[path - 1].node == node)
            return true;
    return false;
}

static bool has_taken(uint32_t path, uint32_t node, uint64_t value)
{
    for (; path && paths.item[path - 1].before; path = paths.item[path - 1].before)
        if (paths.item[path - 1].value == value && paths.item[paths.item[path - 1].before - 1].node == node)
            return true;
    return false;
}

/* The path that goes on to a node, by this value, + 1; 0 when memory is short. */
static uint32_t extend(uint32_t before, uint32_t node, uint64_t value)
{
    struct path path = {node, before, before ? paths.item[before - 1].length + 1 : 1, before ? value : 0};
    if (!vector_push(&paths, path) || !table_grow(&path_table, paths.count, path_hash)) {
        fail_exhausted();
        return 0;
    }
    uint32_t number = (uint32_t)paths.count - 1;
    size_t at = path_hash(number) & (path_table.capacity - 1);
    for (; path_table.slots[at]; at = (at + 1) & (path_table.capacity - 1)) {
        const struct path *other = &paths.item[path_table.slots[at] - 1];
        if (other->node != node || other->before != before || other->value != path.value)
            continue;
        paths.count--;
        return path_table.slots[at];
    }
    return path_table.slots[at] = number + 1;
}

void look_for_await(struct thread *thread)
{
    struct pending *op = &thread->pending;
    uint32_t number = node_of(thread), before = thread->wrote ? 0 : thread->path;
    op->await = 0;
    thread->path = 0;
    if (!number)
        return;
    const struct edge *edge = before ? edge_of(paths.item[before - 1].node, thread->path_value) : NULL;
    bool is_round = before && has_been(before, number - 1);
    if (is_round && !edge->is_unstable && chosen.exploring) { /* the last step was thought to lead out */
        const struct node *last = nodes.item[paths.item[before - 1].node];
        look_at_words(place_of(last), place_at(op->caller), edge->reads, edge->read_count);
        return;
    }
    if (before && (paths.item[before - 1].length == LONGEST_PATH || (is_round && !edge->is_unstable)))
        before = 0;
    op->await = extend(before, number - 1, thread->path_value);
    struct object *object = object_numbered(op->object);
    bool is_news = object->has_groups && !object->is_awaited;
    object->is_awaited = true;
    if (is_news && chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a loop waits for what others do in any order");
}

void remember_await(struct thread *thread, const struct pending *op, uint64_t value)
{
    unsigned __int128 result;
    thread->path = op->await && only_reads(op, (uint32_t)(thread - threads), value, &result) ? op->await : 0;
    thread->path_value = value;
}

/* --- questions */

bool leads_on(const struct pending *op, uint64_t value)
{
    uint32_t node = paths.item[op->await - 1].node;
    const struct edge *edge = edge_of(node, value);
    return edge->next == LEADS_OUT || !has_been(op->await, edge->next - 1) ||
           (edge->is_unstable && !has_taken(op->await, node, value));
}

bool goes_on_by_going_round(uint32_t agent)
{
    const struct pending *op = &threads[agent].pending;
    uint32_t walk = 0, node = node_of(&threads[agent]); /* it came with what was in memory then */
    if (!node--)
        return false;
    for (;;) {
        struct pending here = nodes.item[node]->operation;
        here.object = object_at(here.address, here.size);
        walk = extend(walk, node, 0);
        if (here.object == UINT32_MAX || !walk)
            return false;
        const struct edge *edge = edge_of(node, object_value(&here, 0));
        uint32_t next = edge->next;
        if (next != LEADS_OUT && has_been(walk, next - 1))
            return false;
        struct place *place = place_of(nodes.item[node]);
        if (next == LEADS_OUT && !knows_words(place, NULL, edge)) /* it may have led out with other words only */
            look_at_words(place, NULL, edge->reads, edge->read_count);
        if (next == LEADS_OUT || !has_been(op->await, next - 1))
            return true;
        node = next - 1;
    }
}
