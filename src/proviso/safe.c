/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The safe-flag proviso C2_e^S of Evangelista and Pajault, section 5, made to
 * wait.  A state is safe once a fully expanded state is known to be reachable
 * from it.  The printed rule refuses a set at once when all its successors are
 * unsafe states of the stack, though one of them may become safe a moment later
 * by another branch.  Here such a set is accepted on a promise: the state leads
 * to one below it on the stack.  A state that is left unsafe keeps its promise
 * to the lowest state it leads to; one that leads to none below itself has
 * nobody to rely on and is expanded fully before it is left.
 *
 * So when the search ends every state leads to a fully expanded one, which is
 * what the printed rule gives, with fewer of them.
 */
#include "base/vector.h"
#include "checkpoint/archive.h"
#include "proviso/all.h"

#include <string.h>

enum kind { STACKED, PROMISED, SAFE };

struct stacked {
    uint32_t state;
    uint32_t low; /* the lowest depth it leads to */
};

struct waiting {
    struct proviso base;
    uint8_t *kind;    /* per state */
    uint32_t *number; /* STACKED: its depth; PROMISED: the state it leads to */
    size_t kind_capacity, number_capacity;
    VECTOR(struct stacked) stack;
};

static struct proviso *make(const struct proviso_class *class, uint32_t actions, bool weak_sets)
{
    (void)actions;
    (void)weak_sets;
    return proviso_new(class, sizeof(struct waiting));
}

static void free_proviso(struct proviso *proviso)
{
    struct waiting *p = (struct waiting *)proviso;
    free(p->kind);
    free(p->number);
    free(p->stack.item);
    free(p);
}

static size_t bytes(const struct proviso *proviso)
{
    const struct waiting *p = (const struct waiting *)proviso;
    return p->kind_capacity + p->number_capacity * sizeof *p->number + p->stack.capacity * sizeof *p->stack.item;
}

static bool enter(struct proviso *proviso, uint32_t state, bool last)
{
    struct waiting *p = (struct waiting *)proviso;
    uint32_t depth = (uint32_t)p->stack.count;
    struct stacked stacked = {.state = state, .low = depth};
    (void)last;
    if (!vector_grow((void **)&p->kind, &p->kind_capacity, (size_t)state + 1, sizeof *p->kind) ||
        !vector_grow((void **)&p->number, &p->number_capacity, (size_t)state + 1, sizeof *p->number) ||
        !vector_push(&p->stack, stacked))
        return false;
    p->kind[state] = STACKED;
    p->number[state] = depth;
    return true;
}

/* Follows promises to a safe state or to one on the stack; what is passed on the way then points there directly. */
static uint32_t resolve(struct waiting *p, uint32_t state)
{
    uint32_t end = state;
    while (p->kind[end] == PROMISED)
        end = p->number[end];
    while (p->kind[state] == PROMISED) {
        uint32_t next = p->number[state];
        if (p->kind[end] == SAFE)
            p->kind[state] = SAFE;
        else
            p->number[state] = end;
        state = next;
    }
    return end;
}

static void mark_all_safe(struct waiting *p)
{
    for (size_t i = p->stack.count; i-- > 0 && p->kind[p->stack.item[i].state] != SAFE;)
        p->kind[p->stack.item[i].state] = SAFE;
}

static bool accept(struct proviso *proviso, uint32_t state, const struct seen_successor *successors, size_t count)
{
    struct waiting *p = (struct waiting *)proviso;
    for (size_t i = 0; i < count; i++) {
        if (successors[i].standing == STANDING_NEW)
            return true;
        if (resolve(p, successors[i].state) != state) /* safe, or below on the stack */
            return true;
    }
    return false;
}

static bool expanded(struct proviso *proviso, uint32_t state, bool fully, const uint32_t *actions, size_t count)
{
    (void)state;
    (void)actions;
    (void)count;
    if (fully)
        mark_all_safe((struct waiting *)proviso);
    return true;
}

static bool edge(struct proviso *proviso, uint32_t from, uint32_t to, bool returned, bool last)
{
    struct waiting *p = (struct waiting *)proviso;
    struct stacked *top = &p->stack.item[p->stack.count - 1];
    uint32_t end = resolve(p, to);
    (void)from;
    (void)returned;
    (void)last;
    if (p->kind[end] == SAFE)
        mark_all_safe(p);
    else if (p->number[end] < top->low)
        top->low = p->number[end];
    return false;
}

/* Unsafe, and nobody below to rely on. */
static bool leaving(struct proviso *proviso, uint32_t state)
{
    const struct waiting *p = (const struct waiting *)proviso;
    return p->kind[state] != SAFE && p->stack.item[p->stack.count - 1].low == p->stack.count - 1;
}

static uint32_t ignored(struct proviso *proviso, uint32_t state, const uint32_t *enabled, uint32_t count, uint32_t *out)
{
    (void)proviso;
    (void)state;
    (void)enabled;
    (void)count;
    (void)out;
    return UINT32_MAX;
}

static void leave(struct proviso *proviso, uint32_t state)
{
    struct waiting *p = (struct waiting *)proviso;
    struct stacked left = p->stack.item[--p->stack.count];
    if (p->kind[state] == SAFE)
        return;
    p->kind[state] = PROMISED;
    p->number[state] = p->stack.item[left.low].state;
}

static void keep(struct proviso *proviso, struct archive *archive, size_t states)
{
    struct waiting *p = (struct waiting *)proviso;
    archive_known(archive, (void **)&p->kind, &p->kind_capacity, states, sizeof *p->kind);
    archive_known(archive, (void **)&p->number, &p->number_capacity, states, sizeof *p->number);
    archive_vector(archive, &p->stack);
}

const struct proviso_class proviso_safe = {.name = "safe",
                                           .summary = "a fully expanded state is ahead, decided when a state is left",
                                           .order = DEPTH_FIRST,
                                           .form = PROVISO_SAFETY,
                                           .make = make,
                                           .free = free_proviso,
                                           .bytes = bytes,
                                           .enter = enter,
                                           .accept = accept,
                                           .expanded = expanded,
                                           .edge = edge,
                                           .leaving = leaving,
                                           .ignored = ignored,
                                           .leave = leave,
                                           .keep = keep};
