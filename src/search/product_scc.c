/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness by strong components, with generalised acceptance on edges (Couvreur, "On-the-fly verification of linear
 * temporal logic", FM 1999; the roots as in Gabow, "Path-based depth-first search", 2000).
 *
 * The components of the path walked so far are kept with the acceptance sets seen in them.  An edge back into one joins
 * those above it; the search ends as soon as one has seen every set.
 *
 * Weak fairness is a further acceptance set for each action (or agent): "it is not enabled here, or it is taken now".
 * They are many, so they are looked at when a component is complete: a larger component satisfies more of them.
 */
#include "search/product.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_MET = 0, DEAD = UINT32_MAX };

struct root {
    uint32_t order;    /* of its first node */
    uint64_t seen;     /* acceptance sets inside */
    uint64_t incoming; /* of the edge that leads here from the component below */
    bool has_cycle;
};

struct scc {
    struct product *product;
    uint64_t wanted;
    uint32_t *order; /* per node: when it was met, from 1 */
    size_t capacity;
    uint32_t next;
    VECTOR(struct product_cursor) path;
    VECTOR(struct root) roots;
    VECTOR(uint32_t) live; /* nodes of components that are not complete, in order */
    /* fairness: per class, in how many nodes it is enabled, and whether it is taken */
    struct {
        uint32_t enabled_in, met_at;
        bool taken;
    } * class;
    size_t classes; /* that there is room for */
};

static void out_of_memory(struct scc *s)
{
    end_short_of_memory(s->product->explorer->search);
    s->product->failed = true;
}

static bool grow(struct scc *s)
{
    size_t old = s->capacity;
    if (!vector_grow((void **)&s->order, &s->capacity, s->product->nodes.count, sizeof *s->order))
        return false;
    memset(s->order + old, 0, (s->capacity - old) * sizeof *s->order);
    return true;
}

static void enter(struct scc *s, uint32_t node, uint64_t incoming)
{
    struct product_cursor cursor;
    struct root root = {.order = ++s->next, .incoming = incoming};
    if (!product_enter(s->product, node, &cursor))
        return;
    if (!grow(s) || !vector_push(&s->path, cursor) || !vector_push(&s->roots, root) || !vector_push(&s->live, node)) {
        out_of_memory(s);
        return;
    }
    s->order[node] = root.order;
    struct portolan_statistics *statistics = &s->product->explorer->counted;
    if (s->path.count > statistics->depth)
        statistics->depth = s->path.count;
}

/* --- fairness */

static void count_node(struct scc *s, uint32_t node, uint32_t round, uint32_t lowest)
{
    struct product *p = s->product;
    const struct recorded_state *state = recorded(p->recording, product_node(p, node).state);
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t class = recorded_class(p->recording, state->first + i);
        s->class[class].enabled_in += s->class[class].met_at != round;
        s->class[class].met_at = round;
    }
    struct product_cursor cursor = {.node = node};
    struct product_step step;
    while (product_next(p, &cursor, &step))
        if (step.action != PRODUCT_STUTTER && s->order[step.target] != DEAD && s->order[step.target] >= lowest)
            s->class[recorded_class(p->recording, step.edge)].taken = true;
}

/* Is there a fair run through the component on top, which is complete? */
static bool is_fair(struct scc *s, size_t first)
{
    uint32_t nodes = (uint32_t)(s->live.count - first), classes = s->product->recording->classes;
    if (!vector_grow((void **)&s->class, &s->classes, classes, sizeof *s->class)) {
        out_of_memory(s);
        return false;
    }
    memset(s->class, 0, classes * sizeof *s->class);
    s->product->closed = true;
    for (uint32_t i = 0; i < nodes; i++)
        count_node(s, s->live.item[first + i], i + 1, s->order[s->live.item[first]]);
    s->product->closed = false;
    for (uint32_t class = 0; class < classes; class ++)
        if (s->class[class].enabled_in == nodes && !s->class[class].taken)
            return false;
    return true;
}

/* --- the search */

/* The nodes from this order on are a component with an accepting cycle. */
static void found(struct scc *s, uint32_t lowest)
{
    struct product *p = s->product;
    bool *member = calloc((size_t)p->nodes.count + 1, sizeof *member);
    if (!member || !grow(s)) {
        free(member);
        out_of_memory(s);
        return;
    }
    for (size_t i = s->live.count; i-- > 0 && s->order[s->live.item[i]] >= lowest;)
        member[s->live.item[i]] = true;
    product_make_lasso(p, member);
    free(member);
}

/* An edge back to a live node: the components above it are one. */
static void join(struct scc *s, uint32_t to, uint64_t acceptance)
{
    uint64_t seen = acceptance;
    struct root *top = &s->roots.item[s->roots.count - 1];
    for (; top->order > s->order[to]; top--, s->roots.count--)
        seen |= top->seen | top->incoming;
    top->seen |= seen;
    top->has_cycle = true;
    if (s->product->fairness == PORTOLAN_UNFAIR && top->seen == s->wanted)
        found(s, top->order);
}

static void leave(struct scc *s)
{
    uint32_t node = s->path.item[--s->path.count].node;
    const struct root *root = &s->roots.item[s->roots.count - 1];
    if (root->order != s->order[node])
        return;
    size_t first = s->live.count;
    while (s->live.item[--first] != node)
        ;
    if (s->product->fairness != PORTOLAN_UNFAIR && root->has_cycle && root->seen == s->wanted && is_fair(s, first)) {
        found(s, root->order);
        return;
    }
    while (s->live.count > first)
        s->order[s->live.item[--s->live.count]] = DEAD;
    s->roots.count--;
}

static void find_cycle(struct product *p)
{
    struct scc s = {.product = p, .wanted = automaton_all_sets(p->automaton)};
    enter(&s, 0, 0);
    while (!p->found && !p->failed && s.path.count) {
        struct product_step step;
        if (!product_next(p, &s.path.item[s.path.count - 1], &step)) {
            if (!p->failed)
                leave(&s);
        } else if (!grow(&s)) {
            out_of_memory(&s);
        } else if (s.order[step.target] == NOT_MET) {
            enter(&s, step.target, step.acceptance);
        } else if (s.order[step.target] != DEAD) {
            join(&s, step.target, step.acceptance);
        }
        p->bytes = s.capacity * sizeof *s.order + s.path.capacity * sizeof *s.path.item +
                   s.live.capacity * sizeof *s.live.item + s.roots.capacity * sizeof *s.roots.item;
        if (!p->found && !p->failed)
            product_goes_on(p);
    }
    free(s.order);
    free(s.path.item);
    free(s.roots.item);
    free(s.live.item);
    free(s.class);
}

const struct search_class search_scc = {.name = "scc",
                                        .summary = "LTL: strong components of the product",
                                        .of = OF_RUNS,
                                        .find_cycle = find_cycle,
                                        .finds_fair_runs = true};
