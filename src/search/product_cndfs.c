/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness by several workers: CNDFS (Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested
 * depth-first search", ATVA 2012).  Each worker searches the whole product in an order of its own, but leaves out what
 * any of them has finished (blue).  When a worker leaves an accepting node, it looks for a way from there to its own
 * stack (cyan); what it saw becomes red for all, once the accepting nodes among it are.  Without a cycle all workers
 * come to the end; only then is nothing left that one of them was still looking at.
 *
 * Acceptance stands on edges, so whether the edge that leads to a node accepts is made part of the node.
 */
#include "base/limits.h"
#include "search/crew.h"
#include "search/numbered.h"
#include "search/product.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { BLUE = 1, RED = 2 };           /* of all */
enum { CYAN = 1, IN_RED_SEARCH = 2 }; /* of one worker */

struct shared_product {
    struct product *product;
    struct numbered colours; /* a byte a node */
    _Atomic bool over;       /* a cycle was found, or somebody failed */
    bool failed;             /* under the lock, as is what follows */
    uint64_t transitions;
    VECTOR(uint32_t) cycle; /* the nodes of an accepting cycle */
};

struct nested {
    struct shared_product *shared;
    struct product product; /* the same nodes, but what else it counts and says is the worker's */
    uint8_t *own;           /* flags, per node */
    size_t capacity;
    VECTOR(struct product_cursor) path;
    VECTOR(struct product_cursor) red;
    VECTOR(uint32_t) seen; /* by the present red search */
};

static void out_of_memory(struct nested *n)
{
    end_short_of_memory(n->product.explorer->search);
    n->product.failed = true;
}

static bool goes_on(struct nested *n)
{
    struct crew *crew = n->product.explorer->search->crew;
    if (crew)
        crew_pause(crew);
    return product_goes_on(&n->product) && !n->shared->over;
}

static bool has_colour(struct nested *n, uint32_t node, uint8_t colour)
{
    const uint8_t *colours = numbered_at(&n->shared->colours, node);
    if (!colours)
        out_of_memory(n);
    return colours && __atomic_load_n(colours, __ATOMIC_ACQUIRE) & colour;
}

static void set_colour(struct nested *n, uint32_t node, uint8_t colour)
{
    uint8_t *colours = numbered_at(&n->shared->colours, node);
    if (colours)
        __atomic_fetch_or(colours, colour, __ATOMIC_ACQ_REL);
    else
        out_of_memory(n);
}

static bool is_accepting(const struct nested *n, uint32_t node)
{
    return product_node(&n->product, node).automaton_state & PRODUCT_ACCEPTED;
}

static bool grow(struct nested *n, uint32_t node)
{
    size_t old = n->capacity;
    if (!vector_grow((void **)&n->own, &n->capacity, (size_t)node + 1, 1)) {
        out_of_memory(n);
        return false;
    }
    memset(n->own + old, 0, n->capacity - old);
    return true;
}

/* Workers look at edges in different orders, so that they meet late. */
static struct product_cursor cursor_at(const struct nested *n, uint32_t node)
{
    return (struct product_cursor){.node = node, .turn = n->product.explorer->worker * (node | 1) * 0x9e3779b9U};
}

static void enter(struct nested *n, uint32_t node)
{
    struct product_cursor cursor;
    if (!product_enter(&n->product, node, &cursor) || !grow(n, node))
        return;
    if (!vector_push(&n->path, cursor_at(n, node))) {
        out_of_memory(n);
        return;
    }
    n->own[node] |= CYAN;
    struct portolan_statistics *statistics = &n->product.explorer->counted;
    if (n->path.count > statistics->depth)
        statistics->depth = n->path.count;
}

/* --- the red search */

/* The path from a node on, then that of the red search, is an accepting cycle. */
static void found(struct nested *n, uint32_t from)
{
    struct shared_product *shared = n->shared;
    struct crew *crew = n->product.explorer->search->crew;
    bool fine = true;
    crew_lock(crew);
    if (!shared->over) {
        for (size_t i = 0; i < n->red.count; i++)
            fine = fine && vector_push(&shared->cycle, n->red.item[i].node);
        size_t i = n->path.count;
        do
            fine = vector_push(&shared->cycle, n->path.item[--i].node) && fine;
        while (n->path.item[i].node != from);
        shared->over = true;
    }
    crew_unlock(crew);
    if (!fine)
        out_of_memory(n);
}

static void redden(struct nested *n, uint32_t node)
{
    if (!grow(n, node))
        return;
    n->own[node] |= IN_RED_SEARCH;
    if (!vector_push(&n->red, cursor_at(n, node)) || !vector_push(&n->seen, node))
        out_of_memory(n);
}

/* Others are looking from accepting nodes that this search has met: what they find must be known first. */
static void wait_for_others(struct nested *n, uint32_t seed)
{
    for (size_t i = 0; i < n->seen.count; i++)
        while (n->seen.item[i] != seed && is_accepting(n, n->seen.item[i]) && !has_colour(n, n->seen.item[i], RED)) {
            if (!goes_on(n))
                return;
            sched_yield();
        }
}

static void search_red(struct nested *n, uint32_t seed)
{
    n->red.count = n->seen.count = 0;
    redden(n, seed);
    while (n->red.count && goes_on(n)) {
        struct product_step step;
        if (!product_next(&n->product, &n->red.item[n->red.count - 1], &step))
            n->red.count--;
        else if (step.target < n->capacity && n->own[step.target] & CYAN)
            found(n, step.target);
        else if (!(step.target < n->capacity && n->own[step.target] & IN_RED_SEARCH) &&
                 !has_colour(n, step.target, RED))
            redden(n, step.target);
    }
    if (goes_on(n))
        wait_for_others(n, seed);
    if (!goes_on(n))
        return;
    for (size_t i = 0; i < n->seen.count; i++) {
        n->own[n->seen.item[i]] &= (uint8_t)~IN_RED_SEARCH;
        set_colour(n, n->seen.item[i], RED);
    }
}

/* --- the blue search */

static void leave(struct nested *n)
{
    uint32_t node = n->path.item[n->path.count - 1].node;
    set_colour(n, node, BLUE);
    if (is_accepting(n, node))
        search_red(n, node);
    if (!goes_on(n))
        return;
    n->own[node] &= (uint8_t)~CYAN;
    n->path.count--;
}

static void work(struct explorer *x)
{
    struct shared_product *shared = x->strategy->product->cooperation;
    const struct product *p = shared->product;
    struct nested n = {.shared = shared,
                       .product = {.explorer = x,
                                   .property = p->property,
                                   .automaton = p->automaton,
                                   .recording = p->recording,
                                   .on_the_fly = p->on_the_fly,
                                   .marks_accepted = p->marks_accepted,
                                   .nodes = p->nodes,
                                   .cooperation = shared}};
    enter(&n, 0);
    while (n.path.count && goes_on(&n)) {
        struct product_step step;
        if (!product_next(&n.product, &n.path.item[n.path.count - 1], &step)) {
            if (!n.product.failed)
                leave(&n);
        } else if (!(step.target < n.capacity && n.own[step.target] & CYAN) && !has_colour(&n, step.target, BLUE)) {
            enter(&n, step.target);
        }
    }
    crew_lock(x->search->crew);
    shared->transitions += n.product.transitions;
    shared->failed |= n.product.failed;
    if (n.product.failed)
        shared->over = true;
    crew_unlock(x->search->crew);
    if (x->search->crew)
        crew_leave(x->search->crew);
    free(n.own);
    free(n.path.item);
    free(n.red.item);
    free(n.seen.item);
}

static void make_lasso(struct shared_product *shared)
{
    struct product *p = shared->product;
    bool *member = calloc((size_t)p->nodes->count + 1, sizeof *member);
    if (!member) {
        end_short_of_memory(p->explorer->search);
        p->failed = true;
        return;
    }
    for (size_t i = 0; i < shared->cycle.count; i++)
        member[shared->cycle.item[i]] = true;
    product_make_lasso(p, member);
    free(member);
}

static void find_cycle(struct product *p)
{
    struct shared_product shared = {.product = p};
    struct explorer *x = p->explorer;
    p->cooperation = &shared; // cppcheck-suppress autoVariables
    if (!numbered_make(&shared.colours, 1)) {
        end_short_of_memory(x->search);
        p->failed = true;
    } else if (x->search->crew) {
        crew_run(x->search->crew, work);
    } else {
        work(x);
    }
    p->transitions = shared.transitions;
    p->failed |= shared.failed || x->status != PORTOLAN_OK;
    if (shared.cycle.count && !p->failed)
        make_lasso(&shared);
    p->cooperation = NULL;
    numbered_clear(&shared.colours);
    free(shared.cycle.item);
}

const struct search_class search_cndfs = {.name = "cndfs",
                                          .summary = "LTL: nested depth-first search of the product by several threads",
                                          .of = OF_RUNS,
                                          .find_cycle = find_cycle,
                                          .one_acceptance_set = true,
                                          .several_threads = true};
