/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Terminal automata accept once a component that accepts everything is reached: breadth-first search finds a shortest
 * prefix that no continuation makes good (Bloem, Ravi, Somenzi, "Efficient decision procedures for model checking of
 * linear time logic properties", CAV 1999).  Fairness makes no difference: every prefix can go on fairly.
 */
#include "search/product.h"

#include <stdlib.h>
#include <string.h>

struct arrival {
    uint32_t parent, action;
};

struct reach {
    struct product *product;
    VECTOR(struct arrival) arrivals; /* per node */
};

static void out_of_memory(struct reach *r)
{
    end_short_of_memory(r->product->explorer->search);
    r->product->failed = true;
}

/* Does reading what is true in the program state of this node decide? */
static bool decides(const struct product *p, uint32_t node)
{
    struct product_node pair = product_node(p, node);
    uint64_t letter = recorded(p->recording, pair.state)->letter;
    if (p->property->accepting[pair.automaton_state])
        return true;
    for_edges(edge, p->automaton, pair.automaton_state) if (automaton_edge_takes(edge, letter) &&
                                                            p->property->accepting[edge->target]) return true;
    return false;
}

static void found(struct reach *r, uint32_t node)
{
    struct product *p = r->product;
    bool stays = false; /* the program has ended, and it takes some time to show */
    for (; node; node = r->arrivals.item[node].parent) {
        uint32_t action = r->arrivals.item[node].action;
        stays |= action == PRODUCT_STUTTER;
        if (action != PRODUCT_STUTTER && !vector_push(&p->trace, action)) {
            out_of_memory(r);
            return;
        }
    }
    for (size_t i = 0, j = p->trace.count; i + 1 < j; i++) {
        uint32_t swapped = p->trace.item[i];
        p->trace.item[i] = p->trace.item[--j];
        p->trace.item[j] = swapped;
    }
    p->cycle_start = stays ? p->trace.count : PORTOLAN_NO_CYCLE;
    p->found = true;
}

static void look_at(struct reach *r, uint32_t node)
{
    struct product *p = r->product;
    struct product_cursor cursor;
    struct product_step step;
    if (!product_enter(p, node, &cursor))
        return;
    if (recorded(p->recording, product_node(p, node).state)->expanded && decides(p, node)) {
        found(r, node);
        return;
    }
    while (product_next(p, &cursor, &step))
        if (step.target == r->arrivals.count &&
            !vector_push(&r->arrivals, ((struct arrival){.parent = node, .action = step.action})))
            out_of_memory(r);
}

static void find_prefix(struct product *p)
{
    struct reach r = {.product = p};
    if (!vector_push(&r.arrivals, (struct arrival){0}))
        out_of_memory(&r);
    for (uint32_t node = 0; node < p->nodes->count && !p->found && !p->failed; node++) {
        look_at(&r, node);
        p->bytes = r.arrivals.capacity * sizeof *r.arrivals.item;
        if (!p->found && !p->failed)
            product_goes_on(p);
    }
    free(r.arrivals.item);
}

const struct search_class search_reach = {
    .name = "reach", .of = OF_RUNS, .find_cycle = find_prefix, .finds_fair_runs = true};
