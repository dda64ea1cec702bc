/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Emptiness by strong components, with generalised acceptance on edges (Couvreur, "On-the-fly verification of linear
 * temporal logic", FM 1999), on the components of base/component_stack.h.
 *
 * The components of the path walked so far are kept with the acceptance sets seen in them.  An edge back into one joins
 * those above it; the search ends as soon as one has seen every set.
 *
 * Weak fairness is a further acceptance set for each action (or agent): "it is not enabled here, or it is taken now".
 * They are many, so they are looked at when a component is complete: a larger component satisfies more of them.
 *
 * One thread does all this; with several, over the graph that all of them have explored before.
 */
#include "base/component_stack.h"
#include "search/product.h"

#include <stdlib.h>
#include <string.h>

struct root {
    uint64_t seen;     /* acceptance sets inside */
    uint64_t incoming; /* of the edge that leads here from the component below */
    bool has_cycle;
};

struct scc {
    struct product *product;
    uint64_t wanted;
    struct component_stack components; /* of the nodes */
    VECTOR(struct product_cursor) path;
    VECTOR(struct root) roots; /* of each open component */
    /* fairness: per class, in how many nodes it is enabled, and whether it is taken */
    struct {
        uint32_t enabled_in, met_at;
        bool taken;
    } * class;
    size_t classes;   /* that there is room for */
    uint32_t visible; /* nodes that count: where the program rests within a step nobody else can move */
};

static void out_of_memory(struct scc *s)
{
    end_short_of_memory(s->product->explorer->search);
    s->product->failed = true;
}

static void enter(struct scc *s, uint32_t node, uint64_t incoming)
{
    struct product_cursor cursor;
    struct root root = {.incoming = incoming};
    if (!product_enter(s->product, node, &cursor))
        return;
    if (!component_stack_grow(&s->components, s->product->nodes->count) || !vector_push(&s->path, cursor) ||
        !vector_push(&s->roots, root) || !component_enter(&s->components, node)) {
        out_of_memory(s);
        return;
    }
    struct portolan_statistics *statistics = &s->product->explorer->counted;
    if (s->path.count > statistics->depth)
        statistics->depth = s->path.count;
}

/* --- fairness */

static void count_node(struct scc *s, uint32_t node, uint32_t round)
{
    struct product *p = s->product;
    const struct recorded_state *state = recorded(p->recording, product_node(p, node).state);
    bool counts = !ltl_rests(&p->property->ltl, state->letter);
    s->visible += counts;
    for (uint32_t i = 0; i < state->count && counts; i++) {
        uint32_t class = recorded_class(p->recording, state->first + i);
        s->class[class].enabled_in += s->class[class].met_at != round;
        s->class[class].met_at = round;
    }
    struct product_cursor cursor = {.node = node};
    struct product_step step;
    while (product_next(p, &cursor, &step))
        if (step.action != PRODUCT_STUTTER && component_is_on_top(&s->components, step.target))
            s->class[recorded_class(p->recording, step.edge)].taken = true;
}

/* Is there a fair run through the component on top, which is complete? */
static bool is_fair(struct scc *s)
{
    uint32_t first = component_top(&s->components), nodes = (uint32_t)s->components.open.count - first,
             classes = s->product->recording->classes;
    if (!vector_grow((void **)&s->class, &s->classes, classes, sizeof *s->class)) {
        out_of_memory(s);
        return false;
    }
    if (classes)
        memset(s->class, 0, classes * sizeof *s->class);
    s->product->closed = true;
    s->visible = 0;
    for (uint32_t i = 0; i < nodes; i++)
        count_node(s, s->components.open.item[first + i], i + 1);
    s->product->closed = false;
    for (uint32_t class = 0; class < classes; class ++)
        if (s->class[class].enabled_in == s->visible && !s->class[class].taken)
            return false;
    return true;
}

/* --- the search */

/* The component on top has an accepting cycle. */
static void found(struct scc *s)
{
    struct product *p = s->product;
    bool *member = calloc((size_t)p->nodes->count + 1, sizeof *member);
    if (!member) {
        out_of_memory(s);
        return;
    }
    for (size_t i = component_top(&s->components); i < s->components.open.count; i++)
        member[s->components.open.item[i]] = true;
    product_make_lasso(p, member);
    free(member);
}

/* An edge back to an open node: the components above it are one. */
static void join(struct scc *s, uint32_t to, uint64_t acceptance)
{
    component_join(&s->components, to);
    struct root *top = &s->roots.item[s->roots.count - 1];
    for (; s->roots.count > s->components.roots.count; top--, s->roots.count--)
        acceptance |= top->seen | top->incoming;
    top->seen |= acceptance;
    top->has_cycle = true;
    if (s->product->fairness == PORTOLAN_UNFAIR && top->seen == s->wanted)
        found(s);
}

static void leave(struct scc *s)
{
    uint32_t node = s->path.item[--s->path.count].node;
    const struct root *root = &s->roots.item[s->roots.count - 1];
    if (!component_is_root(&s->components, node))
        return;
    if (s->product->fairness != PORTOLAN_UNFAIR && root->has_cycle && root->seen == s->wanted && is_fair(s)) {
        found(s);
        return;
    }
    component_complete(&s->components);
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
        } else if (!component_stack_grow(&s.components, p->nodes->count)) {
            out_of_memory(&s);
        } else if (!component_is_met(&s.components, step.target)) {
            enter(&s, step.target, step.acceptance);
        } else if (component_is_open(&s.components, step.target)) {
            join(&s, step.target, step.acceptance);
        }
        p->bytes = component_stack_bytes(&s.components) + s.path.capacity * sizeof *s.path.item +
                   s.roots.capacity * sizeof *s.roots.item;
        if (!p->found && !p->failed)
            product_goes_on(p);
    }
    free(s.path.item);
    free(s.roots.item);
    component_stack_clear(&s.components);
    free(s.class);
}

const struct search_class search_scc = {.name = "scc",
                                        .summary = "LTL: strong components of the product",
                                        .of = OF_RUNS,
                                        .find_cycle = find_cycle,
                                        .finds_fair_runs = true,
                                        .behind_threads = true};
