/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Valmari's solution ("Stubborn sets for reduced state space generation",
 * 1989): ignoring can only happen in a terminal strong component of the reduced
 * graph.  Components are kept along with the search (base/component_stack.h); when
 * the root of a terminal component is about to be left and an action enabled in it was
 * explored nowhere in the component, the root is expanded further by a set that
 * contains the action.
 *
 * With strong sets an action that is enabled and not explored stays enabled, so
 * looking at the root is enough.  Weak sets may disable it on the way: there a
 * terminal component without a fully expanded state has its root expanded fully.
 */
#include "base/component_stack.h"
#include "checkpoint/archive.h"
#include "proviso/all.h"

#include <string.h>

struct component {
    size_t fired; /* where its explored actions start */
    bool exits;   /* an edge leaves it */
    bool fully;   /* one of its states is fully expanded */
};

struct components {
    struct proviso base;
    bool weak_sets;
    struct component_stack stack;
    VECTOR(struct component) known; /* of each open component */
    VECTOR(uint32_t) fired;         /* explored actions of the open states, component after component */
    bool *explored;                 /* scratch, per action */
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
    component_stack_clear(&p->stack);
    free(p->known.item);
    free(p->fired.item);
    free(p->explored);
    free(p);
}

static size_t bytes(const struct proviso *proviso)
{
    const struct components *p = (const struct components *)proviso;
    return component_stack_bytes(&p->stack) + p->known.capacity * sizeof *p->known.item +
           p->fired.capacity * sizeof *p->fired.item;
}

static struct component *top(struct components *p)
{
    return &p->known.item[p->known.count - 1];
}

static bool enter(struct proviso *proviso, uint32_t state, bool last)
{
    struct components *p = (struct components *)proviso;
    (void)last;
    struct component alone = {.fired = p->fired.count};
    return component_stack_grow(&p->stack, (size_t)state + 1) && vector_push(&p->known, alone) &&
           component_enter(&p->stack, state);
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
    (void)from;
    (void)returned;
    (void)last;
    if (!component_is_open(&p->stack, to)) {
        top(p)->exits = true;
        return false;
    }
    component_join(&p->stack, to);
    while (p->known.count > p->stack.roots.count) { /* the same component: what is known of one holds of all */
        struct component above = p->known.item[--p->known.count];
        top(p)->exits |= above.exits;
        top(p)->fully |= above.fully;
    }
    return false;
}

static bool leaving(struct proviso *proviso, uint32_t state)
{
    struct components *p = (struct components *)proviso;
    return component_is_root(&p->stack, state) && !top(p)->exits && !top(p)->fully;
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
    if (!component_is_root(&p->stack, state))
        return;
    p->fired.count = top(p)->fired;
    p->known.count--;
    component_complete(&p->stack);
}

static void keep(struct proviso *proviso, struct archive *archive, size_t states)
{
    struct components *p = (struct components *)proviso;
    uint64_t start = p->stack.start;
    archive_known(archive, (void **)&p->stack.place, &p->stack.capacity, states, sizeof *p->stack.place);
    archive_vector(archive, &p->stack.open);
    archive_vector(archive, &p->stack.roots);
    archive_vector(archive, &p->known);
    archive_vector(archive, &p->fired);
    archive_number(archive, &start);
    p->stack.start = (uint32_t)start;
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
                                          .leave = leave,
                                          .keep = keep};
