/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe-flag proviso C2_e^S of Evangelista and Pajault, section 5, figure 5, as printed: a set that closes a cycle
 * without a fully expanded state is refused at once.  See safe.c for the one that waits.
 *
 * A state is safe once a fully expanded state is known to be reachable from it.
 * A reduced set is accepted when one of its successors is new or safe.  When a
 * state is fully expanded, or an edge reaches a safe state, the whole stack
 * becomes safe; the scan stops at the first safe state, since all below are.
 */
#include "base/vector.h"
#include "checkpoint/archive.h"
#include "proviso/all.h"

#include <string.h>

struct safe {
    struct proviso base;
    bool *safe; /* per state */
    size_t capacity;
    VECTOR(uint32_t) stack;
};

static struct proviso *make(const struct proviso_class *class, uint32_t actions, bool weak_sets)
{
    (void)actions;
    (void)weak_sets;
    return proviso_new(class, sizeof(struct safe));
}

static void free_proviso(struct proviso *proviso)
{
    struct safe *p = (struct safe *)proviso;
    free(p->safe);
    free(p->stack.item);
    free(p);
}

static size_t bytes(const struct proviso *proviso)
{
    const struct safe *p = (const struct safe *)proviso;
    return p->capacity * sizeof *p->safe + p->stack.capacity * sizeof *p->stack.item;
}

static bool enter(struct proviso *proviso, uint32_t state, bool last)
{
    struct safe *p = (struct safe *)proviso;
    (void)last;
    if (!vector_grow((void **)&p->safe, &p->capacity, (size_t)state + 1, sizeof *p->safe) ||
        !vector_push(&p->stack, state))
        return false;
    p->safe[state] = false;
    return true;
}

static void mark_all_safe(struct safe *p)
{
    for (size_t i = p->stack.count; i-- > 0 && !p->safe[p->stack.item[i]];)
        p->safe[p->stack.item[i]] = true;
}

static bool accept(struct proviso *proviso, uint32_t state, const struct seen_successor *successors, size_t count)
{
    const struct safe *p = (const struct safe *)proviso;
    (void)state;
    for (size_t i = 0; i < count; i++)
        if (successors[i].standing == STANDING_NEW || p->safe[successors[i].state])
            return true;
    return false;
}

static bool expanded(struct proviso *proviso, uint32_t state, bool fully, const uint32_t *actions, size_t count)
{
    (void)state;
    (void)actions;
    (void)count;
    if (fully)
        mark_all_safe((struct safe *)proviso);
    return true;
}

static bool edge(struct proviso *proviso, uint32_t from, uint32_t to, bool returned, bool last)
{
    struct safe *p = (struct safe *)proviso;
    (void)from;
    (void)returned;
    (void)last;
    if (p->safe[to])
        mark_all_safe(p);
    return false;
}

static void leave(struct proviso *proviso, uint32_t state)
{
    (void)state;
    ((struct safe *)proviso)->stack.count--;
}

static void keep(struct proviso *proviso, struct archive *archive, size_t states)
{
    struct safe *p = (struct safe *)proviso;
    archive_known(archive, (void **)&p->safe, &p->capacity, states, sizeof *p->safe);
    archive_vector(archive, &p->stack);
}

const struct proviso_class proviso_safe_printed = {.name = "safe:printed",
                                                   .summary =
                                                       "some successor is new or leads to a fully expanded state",
                                                   .order = DEPTH_FIRST,
                                                   .form = PROVISO_SAFETY,
                                                   .make = make,
                                                   .free = free_proviso,
                                                   .bytes = bytes,
                                                   .enter = enter,
                                                   .accept = accept,
                                                   .expanded = expanded,
                                                   .edge = edge,
                                                   .leave = leave,
                                                   .keep = keep};
