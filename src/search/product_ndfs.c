/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness by depth-first search.
 *
 * Strong automata: nested (Courcoubetis, Vardi, Wolper, Yannakakis, "Memory-efficient algorithms for the verification
 * of temporal properties", 1992; it ends at the stack of the outer search as in Holzmann, Peled, Yannakakis 1996). With
 * acceptance on edges: an accepting edge is looked at when its target has been left.  If that reaches the stack, there
 * is a cycle through the edge; what the inner search has seen need not be seen again.  The inner search walks the sets
 * of the recording, so both searches see the same graph.
 *
 * Weak automata: each component of the automaton accepts or does not, so an edge back to the stack in one that accepts
 * is a counterexample, and the outer search is enough (Cerna, Pelanek, "Relating hierarchy of temporal properties to
 * model checking", 2003).
 */
#include "search/product.h"

#include <stdlib.h>
#include <string.h>

enum { MET = 1, OPEN = 2, RED = 4 };

struct frame {
    struct product_cursor cursor;
    bool accepting; /* the edge that leads here */
};

struct nested {
    struct product *product;
    bool weak;
    uint8_t *flags; /* per node */
    size_t capacity;
    VECTOR(struct frame) path;
    VECTOR(struct frame) red;
};

static void out_of_memory(struct nested *n)
{
    end_short_of_memory(n->product->explorer->search);
    n->product->failed = true;
}

static bool grow(struct nested *n)
{
    size_t old = n->capacity;
    if (!vector_grow((void **)&n->flags, &n->capacity, n->product->nodes->count, 1))
        return false;
    memset(n->flags + old, 0, n->capacity - old);
    return true;
}

static void enter(struct nested *n, uint32_t node, bool accepting)
{
    struct frame frame = {.accepting = accepting};
    if (!product_enter(n->product, node, &frame.cursor))
        return;
    if (!grow(n) || !vector_push(&n->path, frame)) {
        out_of_memory(n);
        return;
    }
    n->flags[node] |= MET | OPEN;
    struct portolan_statistics *statistics = &n->product->explorer->counted;
    if (n->path.count > statistics->depth)
        statistics->depth = n->path.count;
}

/* The path from this node on, then that of the inner search, is an accepting cycle. */
static void found(struct nested *n, uint32_t from)
{
    struct product *p = n->product;
    bool *member = calloc((size_t)p->nodes->count + 1, sizeof *member);
    if (!member) {
        out_of_memory(n);
        return;
    }
    for (size_t i = 0; i < n->red.count; i++)
        member[n->red.item[i].cursor.node] = true;
    uint32_t node;
    size_t i = n->path.count;
    do {
        node = n->path.item[--i].cursor.node;
        member[node] = true;
    } while (node != from);
    product_make_lasso(p, member);
    free(member);
}

static void redden(struct nested *n, uint32_t node)
{
    struct frame frame = {.cursor.node = node};
    n->flags[node] |= RED;
    if (!vector_push(&n->red, frame))
        out_of_memory(n);
}

/* The inner search, from the target of an accepting edge of the state on top of the path. */
static void search_red(struct nested *n, uint32_t node)
{
    struct product *p = n->product;
    n->red.count = 0;
    if (!(n->flags[node] & RED))
        redden(n, node);
    while (!p->failed && n->red.count) {
        struct product_step step;
        if (!product_next(p, &n->red.item[n->red.count - 1].cursor, &step)) {
            n->red.count--;
        } else if (n->flags[step.target] & OPEN) {
            found(n, step.target);
            return;
        } else if (!(n->flags[step.target] & RED)) {
            redden(n, step.target);
        }
        product_goes_on(p);
    }
}

static bool is_accepting(const struct nested *n, const struct product_step *step)
{
    const struct product *p = n->product;
    if (n->weak)
        return p->property->accepting[product_node(p, step->target).automaton_state];
    return step->acceptance == automaton_all_sets(p->automaton);
}

static void follow(struct nested *n, const struct product_step *step)
{
    bool accepting = is_accepting(n, step);
    uint8_t flags = n->flags[step->target];
    if (!(flags & MET))
        enter(n, step->target, accepting);
    else if (accepting && flags & OPEN)
        found(n, step->target);
    else if (accepting && !n->weak)
        search_red(n, step->target);
}

static void leave(struct nested *n)
{
    struct frame top = n->path.item[--n->path.count];
    n->flags[top.cursor.node] &= (uint8_t)~OPEN;
    if (top.accepting && !n->weak && n->path.count)
        search_red(n, top.cursor.node);
}

static void search_nested(struct product *p, bool weak)
{
    struct nested n = {.product = p, .weak = weak};
    enter(&n, 0, false);
    while (!p->found && !p->failed && n.path.count) {
        struct product_step step;
        if (product_next(p, &n.path.item[n.path.count - 1].cursor, &step)) {
            if (grow(&n))
                follow(&n, &step);
            else
                out_of_memory(&n);
        } else if (!p->failed) {
            leave(&n);
        }
        p->bytes = n.capacity + (n.path.capacity + n.red.capacity) * sizeof *n.path.item;
        if (!p->found && !p->failed)
            product_goes_on(p);
    }
    free(n.flags);
    free(n.path.item);
    free(n.red.item);
}

static void find_cycle_nested(struct product *p)
{
    search_nested(p, false);
}

static void find_cycle_weak(struct product *p)
{
    search_nested(p, true);
}

const struct search_class search_ndfs = {.name = "ndfs",
                                         .summary = "LTL: nested depth-first search of the product",
                                         .of = OF_RUNS,
                                         .find_cycle = find_cycle_nested,
                                         .one_acceptance_set = true};
const struct search_class search_weak = {.name = "weak", .of = OF_RUNS, .find_cycle = find_cycle_weak};
