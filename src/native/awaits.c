/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting in loops.  A loop whose rounds change nothing that anybody sees is a graph (await_graph.c): its nodes are
 * states of the thread before a read, its edges the values that the read can find.  A thread that comes back to a node
 * where it has been since it last did something else might as well have stayed there: whoever leaves out all between
 * the two visits has an execution with the same steps of the others and the same future.  So only those ways through
 * the loop are explored on which no node comes twice: a read is a step only if it leads out of the loop, or to a node
 * where the thread has not been; else the search sees a step that waits for its object to change.  A loop over one
 * object waits for exactly the values that end it.
 *
 * (What is left out may have synchronised: a thread that did not read has less happens-before, and what is a data race
 * then is one.  And a round may be one half of a data race itself, or lead elsewhere by the time it is taken, if it
 * reads what others write by accesses that are no steps.  So where there are such writes, in whatever execution, each
 * value is once a step.  A thread that has gone round by such a step has done all that it was for, and stays there:
 * whoever hears of what it does later happens after the round.  But if there are operations that tell without ordering,
 * the other half of the race may need that the thread leaves its loop.  Then all steps after the one with the first
 * half lead on, to the end of the round, where the thread begins again; it stays there when it has gone round twice.)
 *
 * Whether a step is enabled depends on the value that it finds and on where the thread has been, nothing else: not on
 * what happened to be in other memory when somebody asked.  When a round reads other memory, either the step is enabled
 * whatever is there, since others write to it, or it is as it was when the thread came to the loop (await_memory.c).
 * That is why the search, which asks about values of the past and of other orders, never gets two answers.
 *
 * At the end of an execution threads may stand in loops.  If each goes round forever with the values of now, that is a
 * deadlock.  If one of them would leave its loop, it had gone into a round too early: the execution is like one in
 * which it has waited before, and does not count.
 */
#include "native/awaits.h"
#include "native/await_graph.h"
#include "native/effects.h"
#include "native/looks.h"
#include "native/objects.h"
#include "native/retries.h"
#include "native/settings.h"

enum { LONGEST_PATH = 64, LONGEST_WALK = 1000 };

/* Where a thread has been in a loop: a node, and the path before it. */
struct path {
    uint32_t node, before; /* the latter + 1 */
    uint32_t length;
    uint32_t memory; /* what was in it when the thread came to the first node */
    uint32_t rounds; /* before the first node, in the same loop */
    bool is_raced;   /* what was read since may be one half of a data race */
};

KEPT bool awaits_are_off;
static KEPT bool has_races;           /* there are rounds that may be one half of a data race */
static KEPT bool has_hints;           /* and operations that tell of themselves without ordering what came before */
static KEPT VECTOR(uintptr_t) places; /* reads of the program in loops */
static KEPT VECTOR(struct path) paths;
static KEPT struct number_table path_table;

/* --- places */

static bool is_place(uintptr_t caller)
{
    for (size_t i = 0; i < places.count; i++)
        if (places.item[i] == caller)
            return true;
    return false;
}

bool learn_places(const uintptr_t *callers, size_t count)
{
    bool is_new = false;
    for (size_t i = 0; i < count; i++)
        if (!is_place(callers[i])) {
            is_new = true;
            if (!vector_push(&places, callers[i])) {
                fail_exhausted();
                return false;
            }
        }
    return is_new;
}

void awaits_reset(void)
{
    await_graph_reset();
    looks_reset();
    retries_reset();
    paths.count = 0;
    number_table_clear(&path_table);
}

/* --- paths */

static uint64_t path_hash(uint32_t number)
{
    const struct path *path = &paths.item[number];
    return (path->node * UINT64_C(0x9e3779b97f4a7c15) ^ path->before ^ (uint64_t)path->memory << 40 ^
            path->rounds << 1 ^ path->is_raced) *
               UINT64_C(0xbf58476d1ce4e5b9) >>
           20;
}

bool has_been(uint32_t path, uint32_t node)
{
    for (; path; path = paths.item[path - 1].before)
        if (paths.item[path - 1].node == node)
            return true;
    return false;
}

uint32_t node_at_end(uint32_t path)
{
    return paths.item[path - 1].node;
}

bool is_first_round(uint32_t path)
{
    return !paths.item[path - 1].rounds && !paths.item[path - 1].is_raced;
}

/* The path that goes on to a node, perhaps by what is raced for, or begins there with what is in memory, + 1; 0 when
 * memory is short. */
static uint32_t extend(uint32_t before, uint32_t node, bool is_raced, uint32_t memory)
{
    struct path path = {.node = node, .length = 1, .memory = memory};
    if (before) {
        const struct path *last = &paths.item[before - 1];
        bool is_round = has_been(before, node);
        path.before = is_round ? 0 : before;
        path.length = is_round ? 1 : last->length + 1;
        path.memory = last->memory;
        path.rounds = last->rounds + is_round;
        path.is_raced = !is_round && (is_raced || last->is_raced);
    }
    if (!vector_push(&paths, path) || !number_table_grow(&path_table, paths.count, path_hash)) {
        fail_exhausted();
        return 0;
    }
    uint32_t number = (uint32_t)paths.count - 1;
    size_t at = path_hash(number) & (path_table.capacity - 1);
    for (; path_table.slots[at]; at = (at + 1) & (path_table.capacity - 1)) {
        const struct path *other = &paths.item[path_table.slots[at] - 1];
        if (other->node != node || other->before != path.before || other->memory != path.memory ||
            other->rounds != path.rounds || other->is_raced != path.is_raced)
            continue;
        paths.count--;
        return path_table.slots[at];
    }
    return path_table.slots[at] = number + 1;
}

/* --- what tells without ordering */

static bool is_hint(const struct pending *op)
{
    switch (op->kind) {
    case OP_LOAD:
    case OP_WAIT_VALUE: return !order_acquires(op->order);
    case OP_STORE: return !order_releases(op->order);
    case OP_COMPARE_EXCHANGE:
        return !order_acquires(op->order) || !order_releases(op->order) || !order_acquires(op->error);
    case OP_EXCHANGE:
    case OP_ADD:
    case OP_SUB:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NAND: return !order_acquires(op->order) || !order_releases(op->order);
    case OP_LOCK:
    case OP_UNLOCK:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_READ_WRITE_UNLOCK:
    case OP_SEMAPHORE_WAIT:
    case OP_SEMAPHORE_POST:
    case OP_ONCE:
    case OP_ONCE_DONE:
    case OP_ARRIVE:
    case OP_LEAVE: return false;
    default: return true; /* a lock that is not obtained, a signal, a volatile object */
    }
}

static void look_for_hint(const struct pending *op)
{
    if (has_hints || chosen.interleave || !is_hint(op))
        return;
    has_hints = true;
    if (has_races && chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "threads hear of a loop by what orders nothing");
}

void look_for_await(struct thread *thread)
{
    look_for_hint(&thread->pending);
    struct pending *op = &thread->pending;
    uint32_t number = !awaits_are_off && is_place(op->caller) ? node_of(thread) : 0;
    uint32_t before = thread->wrote ? 0 : thread->path;
    op->await = 0;
    thread->path = 0;
    if (!number)
        return;
    if (before && paths.item[before - 1].length == LONGEST_PATH)
        before = 0;
    op->await = extend(before, number - 1, thread->path_is_raced, before ? 0 : await_memory());
    struct object *object = object_numbered(op->object);
    if (object->is_awaited)
        return;
    object->is_awaited = true;
    bool others_commute = object_is_known(op->object, SOME_AWAIT) & SOME_COMMUTE;
    if ((object->has_groups || others_commute) && chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a loop waits for what others do in any order");
}

void remember_await(struct thread *thread, const struct pending *op, uint64_t value)
{
    thread->path = 0;
    if (!op->await || !only_reads(op, (uint32_t)(thread - threads), value))
        return;
    const struct edge *edge = edge_of(paths.item[op->await - 1].node, value, MEMORY_OF_NOW);
    bool may_lead_round = edge->next != LEADS_OUT || edge->touches_own; /* others may have written there since */
    thread->path = may_lead_round ? op->await : 0; /* where a try did not lead round, nothing is known */
    thread->path_is_raced = edge->is_unstable;
}

/* --- questions */

bool leads_on(const struct pending *op, uint64_t value)
{
    uint32_t most_rounds = has_hints ? 2 : 1;
    if (op->look && !look_finds(op->look, value)) /* asked of those who stay as well: a value may tell more */
        return false;
    if (paths.item[op->await - 1].rounds == most_rounds)
        return false;
    bool is_vain = retries_in_vain(op, value);
    const struct path *path = &paths.item[op->await - 1];
    const struct edge *edge = edge_of(path->node, value, path->memory);
    has_races |= edge->is_unstable;
    if (edge->is_unstable || edge->next == LEADS_OUT || (has_hints && path->is_raced))
        return true;
    uint32_t next = edge->next;
    bool is_new = !has_been(op->await, next - 1);
    if (is_new)
        look_for_look(op, value, next);
    return is_new && !is_vain;
}

bool goes_round_for_ever(struct thread *thread)
{
    uint32_t walk = 0, node = node_as_it_is(thread);
    for (uint32_t count = 0; node && count < LONGEST_WALK; count++) {
        if (has_been(walk, node - 1))
            return true;
        walk = extend(walk, node - 1, false, MEMORY_OF_NOW);
        if (!walk)
            return false;
        node = edge_of(node - 1, value_at(node - 1), MEMORY_OF_NOW)->next;
    }
    return false; /* it leaves the loop, or it is none that comes back to where it was */
}
