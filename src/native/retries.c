/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking before looking: `while (exchange(&lock, 1)) while (load(&lock));`.  Who fails to take the lock looks at it
 * until it seems free, and tries again.  If each value leads from the look to itself, or to where the thread has been
 * before, then nobody who has failed gets anywhere without coming back: to fail was a round like others of a waiting
 * loop (awaits.c), and whoever leaves it out has an execution with the same steps of the others and the same future. So
 * the take waits for the values with which it does not fail like that.
 *
 * All values means all that the search asks about for the take: as long as a thread stands at the take, each value that
 * others give to the object is asked about sooner or later, because it is before a write that races with the take.
 * What was said of fewer values is corrected when another one leads from a look to a new place: then that take is one
 * whose failures are steps, and the search begins again.  On the way from take to look and round, nothing may be read
 * that others write.
 */
#include "native/retries.h"
#include "base/vector.h"
#include "native/await_graph.h"
#include "native/awaits.h"
#include "native/run.h"
#include "native/settings.h"

enum { MOST_VALUES = 16, MOST_LOOKS = 4 };

struct retry {
    uint32_t path; /* the thread has come to take */
    uint32_t value_count, look_count;
    uint64_t values[MOST_VALUES]; /* about which was asked */
    uint32_t looks[MOST_LOOKS];   /* nodes after failures, from which nothing leads on */
};

static KEPT VECTOR(uintptr_t) apart; /* takes whose failures are steps */
static KEPT VECTOR(struct retry) retries;
static KEPT VECTOR(uint32_t) retry_at_end; /* per path: that at its end + 1 */

void retries_reset(void)
{
    retries.count = retry_at_end.count = 0;
}

static bool is_apart(uintptr_t caller)
{
    for (size_t i = 0; i < apart.count; i++)
        if (apart.item[i] == caller)
            return true;
    return false;
}

static void set_apart(uintptr_t caller)
{
    if (!vector_push(&apart, caller))
        fail_exhausted();
    else if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "who fails to take a lock may do more than try again");
}

static struct retry *retry_of(uint32_t path)
{
    while (retry_at_end.count <= path)
        if (!vector_push(&retry_at_end, 0))
            return NULL;
    if (!retry_at_end.item[path]) {
        if (!vector_push(&retries, ((struct retry){.path = path})))
            return NULL;
        retry_at_end.item[path] = (uint32_t)retries.count;
    }
    return &retries.item[retry_at_end.item[path] - 1];
}

static bool is_plain(const struct edge *edge)
{
    return edge->next != LEADS_OUT && !edge->is_unstable && edge->read_count == 0;
}

/* Does a value lead from a look no further than it has been? */
static bool stays(const struct retry *retry, uint32_t look, uint64_t value)
{
    const struct edge *edge = edge_of(look, value, MEMORY_OF_NOW);
    return is_plain(edge) && (edge->next == look + 1 || has_been(retry->path, edge->next - 1));
}

/* A value is asked about for the first time: what was said of the looks must be true of it too. */
static bool add_value(struct retry *retry, uint64_t value)
{
    for (uint32_t i = 0; i < retry->value_count; i++)
        if (retry->values[i] == value)
            return true;
    if (retry->value_count == MOST_VALUES)
        return false;
    retry->values[retry->value_count++] = value;
    for (uint32_t i = 0; i < retry->look_count; i++)
        if (!stays(retry, retry->looks[i], value))
            return false;
    return true;
}

static bool is_look(const struct pending *look, const struct pending *take)
{
    return (look->kind == OP_LOAD || look->kind == OP_VOLATILE_READ) && look->address == take->address &&
           look->size == take->size;
}

/* A failed take leads to a node: does nothing lead on from there? */
static bool is_in_vain(struct retry *retry, const struct pending *take, uint32_t look)
{
    for (uint32_t i = 0; i < retry->look_count; i++)
        if (retry->looks[i] == look)
            return true;
    if (retry->look_count == MOST_LOOKS || !is_look(operation_of(look), take))
        return false;
    for (uint32_t i = 0; i < retry->value_count; i++)
        if (!stays(retry, look, retry->values[i]))
            return false;
    retry->looks[retry->look_count++] = look;
    return true;
}

bool retries_in_vain(const struct pending *op, uint64_t value)
{
    bool takes = op->kind == OP_EXCHANGE || op->kind == OP_COMPARE_EXCHANGE;
    if (!takes || op->look || !is_first_round(op->await) || is_apart(op->caller))
        return false;
    struct retry *retry = retry_of(op->await);
    if (!retry) {
        fail_exhausted();
        return false;
    }
    if (!add_value(retry, value)) {
        set_apart(op->caller);
        return false;
    }
    struct edge edge = *edge_of(node_at_end(op->await), value, MEMORY_OF_NOW);
    return is_plain(&edge) && !has_been(op->await, edge.next - 1) && is_in_vain(retry, op, edge.next - 1);
}
