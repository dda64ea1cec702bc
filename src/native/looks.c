/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking before taking: `while (load(&lock) || exchange(&lock, 1));`.  Whoever has seen the lock free and takes it
 * later might as well have looked just before it took it, if it would have seen it free then.  If not, it comes too
 * late, fails and looks again, as if it had not looked before.  So such a look is no step: the thread goes on as if it
 * had found what leads to the exchange, or compare-exchange, and that waits for the values with which a look would have
 * led there.
 *
 * That is right if for every value the take either is where a look leads too, and takes; or the look leads to where the
 * thread has been, and the take fails and leads to such a place or to one like the look.  A place is like the look when
 * each value leads from there to where it leads from the look, to itself, or to where the thread has been.  All that is
 * asked of every value that the search asks about, and of each place and value together; when an answer is no, look and
 * take are two steps from then on, and the search begins again.  On the way from one to the other, and round, nothing
 * may be read that others write.  And a take must acquire what the look would have: else the look is what orders, and
 * when it came matters.
 */
#include "native/looks.h"
#include "base/vector.h"
#include "native/await_graph.h"
#include "native/awaits.h"
#include "native/effects.h"
#include "native/run.h"
#include "native/settings.h"

enum { MOST_VALUES = 16, MOST_LATE = 16 };

struct look {
    uint32_t path, take; /* the thread has come to look, and goes on to this node */
    uint32_t value_count, late_count;
    uint64_t values[MOST_VALUES]; /* about which was asked */
    uint32_t late[MOST_LATE];     /* nodes like the look, to which takes lead that come too late */
};

struct place {
    uintptr_t caller;
    uint64_t value; /* that leads to a take */
};

static KEPT VECTOR(struct place) places;
static KEPT VECTOR(uintptr_t) apart; /* looks that are steps: more hangs on them than the take */
static KEPT VECTOR(struct look) looks;
static KEPT VECTOR(uint32_t) look_at_end; /* per path: that at its end + 1 */

void looks_reset(void)
{
    looks.count = look_at_end.count = 0;
}

static bool is_apart(uintptr_t caller)
{
    for (size_t i = 0; i < apart.count; i++)
        if (apart.item[i] == caller)
            return true;
    return false;
}

static void set_apart(const struct look *look)
{
    uintptr_t caller = operation_of(node_at_end(look->path))->caller;
    if (!vector_push(&apart, caller))
        fail_exhausted();
    else if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a look at a lock tells more than it seemed to");
}

/* --- which they are */

static bool is_look(const struct pending *op)
{
    return op->kind == OP_LOAD || op->kind == OP_VOLATILE_READ;
}

static bool are_about_the_same(const struct pending *a, const struct pending *b)
{
    return a->address == b->address && a->size == b->size;
}

static bool takes_after(const struct pending *look, const struct pending *take)
{
    return is_look(look) && (take->kind == OP_EXCHANGE || take->kind == OP_COMPARE_EXCHANGE) &&
           are_about_the_same(look, take) && (order_acquires(take->order) || !order_acquires(look->order));
}

static bool is_plain(const struct edge *edge)
{
    return edge->next != LEADS_OUT && !edge->is_unstable && edge->read_count == 0;
}

/* The take to which a value leads, + 1. */
static uint32_t take_after(const struct pending *op, uint64_t value)
{
    struct edge edge = *edge_of(node_at_end(op->await), value, MEMORY_OF_NOW);
    bool is_take = is_plain(&edge) && takes_after(op, operation_of(edge.next - 1)) &&
                   !only_reads(operation_of(edge.next - 1), 0, value);
    return is_take ? edge.next : 0;
}

void look_for_look(const struct pending *op, uint64_t value, uint32_t next)
{
    if (!is_look(op) || !takes_after(op, operation_of(next - 1)) || !is_first_round(op->await) ||
        is_apart(op->caller) || !take_after(op, value))
        return;
    uintptr_t take = operation_of(next - 1)->caller;
    learn_places(&take, 1);
    if (!vector_push(&places, ((struct place){op->caller, value})))
        fail_exhausted();
    else if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a thread looks before it takes");
}

static uint32_t add_look(uint32_t path, uint32_t take)
{
    while (look_at_end.count <= path)
        if (!vector_push(&look_at_end, 0)) {
            fail_exhausted();
            return 0;
        }
    if (!look_at_end.item[path] && vector_push(&looks, ((struct look){.path = path, .take = take})))
        look_at_end.item[path] = (uint32_t)looks.count;
    if (!look_at_end.item[path])
        fail_exhausted();
    return look_at_end.item[path];
}

uint32_t look_of(const struct thread *thread, uint64_t *value)
{
    const struct pending *op = &thread->pending;
    if (!places.count || !is_look(op) || !op->await || !is_first_round(op->await) || is_apart(op->caller))
        return 0;
    for (size_t i = 0; i < places.count; i++) {
        uint32_t take = places.item[i].caller == op->caller ? take_after(op, places.item[i].value) : 0;
        *value = places.item[i].value;
        if (take)
            return add_look(op->await, take - 1);
    }
    return 0;
}

/* --- what they find */

/* Where the thread has been, or the look itself. */
static bool is_back(const struct look *look, const struct edge *edge)
{
    return is_plain(edge) && has_been(look->path, edge->next - 1);
}

static bool is_alike(const struct look *look, uint32_t late, uint64_t value)
{
    struct edge from_look = *edge_of(node_at_end(look->path), value, MEMORY_OF_NOW);
    struct edge edge = *edge_of(late, value, MEMORY_OF_NOW);
    return is_back(look, &edge) || (is_plain(&edge) && (edge.next == from_look.next || edge.next == late + 1));
}

/* A take comes too late, and leads to a node. */
static bool add_late(struct look *look, uint32_t late)
{
    const struct pending *op = operation_of(late);
    for (uint32_t i = 0; i < look->late_count; i++)
        if (look->late[i] == late)
            return true;
    if (look->late_count == MOST_LATE || !is_look(op) || !are_about_the_same(op, operation_of(look->take)))
        return false;
    look->late[look->late_count++] = late;
    for (uint32_t i = 0; i < look->value_count; i++)
        if (!is_alike(look, late, look->values[i]))
            return false;
    return true;
}

/* Does it make no difference for a value that the look is no step? */
static bool is_fine(struct look *look, uint64_t value)
{
    struct edge edge = *edge_of(node_at_end(look->path), value, MEMORY_OF_NOW);
    if (look->value_count == MOST_VALUES || !is_plain(&edge))
        return false;
    look->values[look->value_count++] = value;
    for (uint32_t i = 0; i < look->late_count; i++)
        if (!is_alike(look, look->late[i], value))
            return false;
    if (edge.next == look->take + 1)
        return !only_reads(operation_of(look->take), 0, value);
    struct edge failed = *edge_of(look->take, value, MEMORY_OF_NOW);
    return is_back(look, &edge) && is_plain(&failed) && (is_back(look, &failed) || add_late(look, failed.next - 1));
}

bool look_finds(uint32_t number, uint64_t value)
{
    struct look *look = &looks.item[number - 1];
    bool is_known = false;
    for (uint32_t i = 0; i < look->value_count; i++)
        is_known |= look->values[i] == value;
    if (!is_known && !is_fine(look, value))
        set_apart(look);
    return edge_of(node_at_end(look->path), value, MEMORY_OF_NOW)->next == look->take + 1;
}
