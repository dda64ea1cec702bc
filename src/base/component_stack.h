/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strong components of a graph that somebody walks depth-first (H. Gabow, "Path-based depth-first search for strong and
 * biconnected components", 2000).  The walk is the caller's: it may build the graph as it goes, stop early, or come
 * back to a node with further edges.  It tells here when it enters a node, when it meets an edge back to a node whose
 * component is open, and when it leaves a node; here is kept which nodes belong together.
 *
 *     enter         the node is a component of its own, on top
 *     edge          to an open node: join makes all components above the node's one with it
 *     leave         when the node is the first of its component, is_root, the component is complete: its members are
 *                   the last of `open`, from `top` on; complete takes them off
 *
 * A caller that knows something of each component keeps a vector as long as `roots`, and joins its last entries when
 * join has made roots fewer.
 */
#ifndef BASE_COMPONENT_STACK_H
#define BASE_COMPONENT_STACK_H

#include "base/vector.h"

#include <string.h>

struct component_stack {
    /* per node, relative to `start`: below, it was not met; equal, its component is complete; above, it is open, and
     * that is where it stands in `open`, counted from 1 */
    uint32_t *place;
    size_t capacity;
    uint32_t start;
    VECTOR(uint32_t) open;  /* the nodes of components that are not complete, in the order in which they were met */
    VECTOR(uint32_t) roots; /* of each open component the first node, as an index into `open` */
};

/* Room for the nodes below `nodes`, which count as not met; false when memory ran out. */
static inline bool component_stack_grow(struct component_stack *c, size_t nodes)
{
    size_t old = c->capacity;
    if (nodes <= old)
        return true;
    if (!vector_grow((void **)&c->place, &c->capacity, nodes, sizeof *c->place))
        return false;
    memset(c->place + old, 0, (c->capacity - old) * sizeof *c->place);
    c->start += c->start == 0;
    return true;
}

static inline void component_stack_clear(struct component_stack *c)
{
    free(c->place);
    free(c->open.item);
    free(c->roots.item);
    *c = (struct component_stack){0};
}

static inline size_t component_stack_bytes(const struct component_stack *c)
{
    return (c->capacity + c->open.capacity + c->roots.capacity) * sizeof(uint32_t);
}

/* Every node counts as not met again. */
static inline void component_stack_restart(struct component_stack *c)
{
    c->open.count = c->roots.count = 0;
    if (c->start < UINT32_MAX - 2 - c->capacity) {
        c->start += (uint32_t)c->capacity + 1;
        return;
    }
    memset(c->place, 0, c->capacity * sizeof *c->place);
    c->start = 1;
}

static inline bool component_is_met(const struct component_stack *c, uint32_t node)
{
    return c->place[node] >= c->start;
}

static inline bool component_is_open(const struct component_stack *c, uint32_t node)
{
    return c->place[node] > c->start;
}

/* Where the component on top begins in `open`. */
static inline uint32_t component_top(const struct component_stack *c)
{
    return c->roots.item[c->roots.count - 1];
}

/* Is the node in the component on top? */
static inline bool component_is_on_top(const struct component_stack *c, uint32_t node)
{
    return c->place[node] > c->start + component_top(c);
}

/* Is the node, which is open, the first of the component on top? */
static inline bool component_is_root(const struct component_stack *c, uint32_t node)
{
    return c->place[node] == c->start + component_top(c) + 1;
}

/* A node that was not met; there is room for it.  False when memory ran out. */
static inline bool component_enter(struct component_stack *c, uint32_t node)
{
    uint32_t index = (uint32_t)c->open.count;
    if (!vector_push(&c->open, node) || !vector_push(&c->roots, index))
        return false;
    c->place[node] = c->start + index + 1;
    return true;
}

/* An edge leads from the component on top to an open node. */
static inline void component_join(struct component_stack *c, uint32_t node)
{
    while (c->place[node] <= c->start + component_top(c))
        c->roots.count--;
}

/* The component on top is complete: takes it off. */
static inline void component_complete(struct component_stack *c)
{
    uint32_t first = component_top(c);
    while (c->open.count > first)
        c->place[c->open.item[--c->open.count]] = c->start;
    c->roots.count--;
}

#endif
