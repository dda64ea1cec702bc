/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Valmari's solution ("Stubborn sets for reduced state space generation",
 * 1989): ignoring can only happen in a terminal strong component of the reduced
 * graph.  Tarjan's algorithm runs along with the search; when the root of a
 * terminal component is about to be left and an action enabled in it was
 * explored nowhere in the component, the root is expanded further by a set that
 * contains the action.
 *
 * With strong sets an action that is enabled and not explored stays enabled, so
 * looking at the root is enough.  Weak sets may disable it on the way: there a
 * terminal component without a fully expanded state has its root expanded fully.
 */
#include "base/vector.h"
#include "proviso/all.h"

#include <string.h>

enum { COMPLETED = UINT32_MAX };

struct visit {
    uint32_t state;
    uint32_t low;
    size_t fired; /* where its explored actions start */
    bool exits;   /* an edge leaves the component */
    bool fully;   /* a state of the component is fully expanded */
};

struct components {
    struct proviso base;
    bool weak_sets;
    uint32_t *number; /* per state: its Tarjan number, COMPLETED when its component is */
    size_t capacity;
    uint32_t next;
    VECTOR(struct visit) visits;
    VECTOR(uint32_t) open;  /* Tarjan's stack */
    VECTOR(uint32_t) fired; /* explored actions of the states on it, in the same order */
    struct visit left;      /* the state left last */
    bool *explored;         /* scratch, per action */
    uint32_t actions;
};

static struct proviso *make(const struct proviso_class *class, uint32_t actions, bool weak_sets)
{
    struct components *p = (struct components *)proviso_new(class, sizeof *p);
    if (!p)
        return NULL;
    p->explored = calloc((size_t)actions + 1, sizeof *p->explored);
    if (!p->explored) {
        free(p);
        return NULL;
    }
    p->weak_sets = weak_sets;
    p->actions = actions;
    return &p->base;
}

static void free_proviso(struct proviso *proviso)
{
    struct components *p = (struct components *)proviso;
    free(p->number);
    free(p->visits.item);
    free(p->open.item);
    free(p->fired.item);
    free(p->explored);
    free(p);
}

static size_t bytes(const struct proviso *proviso)
{
    const struct components *p = (const struct components *)proviso;
    return p->capacity * sizeof *p->number + p->visits.capacity * sizeof *p->visits.item +
           p->open.capacity * sizeof *p->open.item + p->fired.capacity * sizeof *p->fired.item;
}

static struct visit *top(struct components *p)
{
    return &p->visits.item[p->visits.count - 1];
}

static bool enter(struct proviso *proviso, uint32_t state, bool last)
{
    struct components *p = (struct components *)proviso;
    (void)last;
    struct visit visit = {.state = state, .low = p->next, .fired = p->fired.count};
    if (!vector_grow((void **)&p->number, &p->capacity, (size_t)state + 1, sizeof *p->number) ||
        !vector_push(&p->visits, visit) || !vector_push(&p->open, state))
        return false;
    p->number[state] = p->next++;
    return true;
}

static bool accept(struct proviso *proviso, uint32_t state, const struct seen_successor *successors, size_t count)
{
    (void)proviso;
    (void)state;
    (void)successors;
    (void)count;
    return true;
}

static bool expanded(struct proviso *proviso, uint32_t state, bool fully, const uint32_t *actions, size_t count)
{
    struct components *p = (struct components *)proviso;
    (void)state;
    top(p)->fully |= fully;
    if (!vector_reserve(&p->fired, count))
        return false;
    for (size_t i = 0; i < count; i++)
        p->fired.item[p->fired.count++] = actions[i];
    return true;
}

static bool edge(struct proviso *proviso, uint32_t from, uint32_t to, bool returned, bool last)
{
    struct components *p = (struct components *)proviso;
    struct visit *visit = top(p);
    (void)from;
    (void)last;
    if (p->number[to] == COMPLETED) {
        visit->exits = true;
        return false;
    }
    uint32_t low = p->number[to];
    if (returned) { /* the same component: what was learnt there holds here */
        low = p->left.low;
        visit->exits |= p->left.exits;
        visit->fully |= p->left.fully;
    }
    if (low < visit->low)
        visit->low = low;
    return false;
}

static bool leaving(struct proviso *proviso, uint32_t state)
{
    struct components *p = (struct components *)proviso;
    const struct visit *visit = top(p);
    return visit->low == p->number[state] && !visit->exits && !visit->fully;
}

static uint32_t ignored(struct proviso *proviso, uint32_t state, const uint32_t *enabled, uint32_t count, uint32_t *out)
{
    struct components *p = (struct components *)proviso;
    (void)state;
    if (p->weak_sets)
        return UINT32_MAX;
    memset(p->explored, 0, p->actions * sizeof *p->explored);
    for (size_t i = top(p)->fired; i < p->fired.count; i++)
        p->explored[p->fired.item[i]] = true;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!p->explored[enabled[i]])
            out[found++] = enabled[i];
    return found;
}

static void leave(struct proviso *proviso, uint32_t state)
{
    struct components *p = (struct components *)proviso;
    p->left = p->visits.item[--p->visits.count];
    if (p->left.low != p->number[state])
        return;
    uint32_t member;
    do {
        member = p->open.item[--p->open.count];
        p->number[member] = COMPLETED;
    } while (member != state);
    p->fired.count = p->left.fired;
}

const struct proviso_class proviso_scc = {.name = "scc",
                                          .summary = "expand what a terminal strong component ignores",
                                          .order = DEPTH_FIRST,
                                          .form = PROVISO_SAFETY,
                                          .prefers_strong = true,
                                          .make = make,
                                          .free = free_proviso,
                                          .bytes = bytes,
                                          .enter = enter,
                                          .accept = accept,
                                          .expanded = expanded,
                                          .edge = edge,
                                          .leaving = leaving,
                                          .ignored = ignored,
                                          .leave = leave};
