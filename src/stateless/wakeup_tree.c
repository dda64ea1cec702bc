/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for optimal dynamic partial order
 * reduction", JACM 2017, definition 6.3 and the operation insert.
 */
#include "stateless/wakeup_tree.h"

#include <string.h>

bool kept_step_make(struct kept_step *kept, const struct footprint *step)
{
    *kept = (struct kept_step){step->agent, step->access_count, step->touched, step->written, {{0}}, NULL};
    if (step->access_count > KEPT_FEW) {
        kept->many = malloc(step->access_count * sizeof *step->accesses);
        if (!kept->many)
            return false;
        memcpy(kept->many, step->accesses, step->access_count * sizeof *step->accesses);
        return true;
    }
    for (uint32_t i = 0; i < step->access_count; i++)
        kept->few[i] = step->accesses[i];
    return true;
}

static struct wakeup_node *wakeup_node_make(struct wakeup_pool *pool)
{
    struct wakeup_node *node = pool->free;
    if (node)
        pool->free = node->next;
    else
        node = malloc(sizeof *node);
    if (node)
        node->next = node->first = node->last = NULL;
    return node;
}

static void wakeup_node_free(struct wakeup_pool *pool, struct wakeup_node *node)
{
    free(node->step.many);
    node->next = pool->free;
    pool->free = node;
}

void wakeup_pool_clear(struct wakeup_pool *pool)
{
    while (pool->free) {
        struct wakeup_node *node = pool->free;
        pool->free = node->next;
        free(node);
    }
}

static void add_last(struct wakeup_tree *tree, struct wakeup_node *node)
{
    if (tree->first)
        tree->last->next = node;
    else
        tree->first = node;
    tree->last = node;
}

void wakeup_clear(struct wakeup_pool *pool, struct wakeup_tree *tree)
{
    while (tree->first) {
        struct wakeup_node *node = tree->first;
        tree->first = node->next;
        if (node->first) { /* its children are freed after its siblings: no recursion */
            node->last->next = tree->first;
            tree->first = node->first;
        }
        wakeup_node_free(pool, node);
    }
    tree->last = NULL;
}

/* Adds a step below another one, or at the top. */
static void add_below(struct wakeup_tree *top, struct wakeup_node *above, struct wakeup_node *node)
{
    if (above)
        above->first = above->last = node;
    else
        top->first = top->last = node;
}

bool wakeup_append(struct wakeup_pool *pool, struct wakeup_tree *tree, const struct sequence *sequence)
{
    struct wakeup_tree top = {0};
    struct wakeup_node *above = NULL;
    for (uint32_t i = 0; i < sequence->length; i++) {
        struct wakeup_node *node = wakeup_node_make(pool);
        if (!node) {
            wakeup_clear(pool, &top);
            return false;
        }
        node->step.agent = sequence_agent(sequence, i);
        node->step.many = NULL;
        add_below(&top, above, node);
        above = node;
    }
    add_last(tree, top.first);
    return true;
}

/* Appends the items that are not removed as a chain. */
static bool append_rest(struct wakeup_pool *pool, struct wakeup_tree *tree, const struct remainder *rest)
{
    struct wakeup_tree top = {0};
    struct wakeup_node *above = NULL;
    for (uint32_t i = rest->start; i < rest->sequence->length; i++) {
        if (rest->removed[i])
            continue;
        struct footprint step = sequence_at(rest->sequence, i);
        struct wakeup_node *node = wakeup_node_make(pool);
        if (!node || !kept_step_make(&node->step, &step)) {
            free(node);
            wakeup_clear(pool, &top);
            return false;
        }
        add_below(&top, above, node);
        above = node;
    }
    if (top.first)
        add_last(tree, top.first);
    return true;
}

bool wakeup_insert(struct wakeup_pool *pool, struct wakeup_tree *tree, struct remainder *rest)
{
    struct wakeup_node *at = NULL; /* where we are; NULL is the root */
    for (struct wakeup_node *branch = tree->first; branch;) {
        struct footprint step = kept_footprint(&branch->step);
        if (!take_out(rest, &step)) {
            branch = branch->next;
            continue;
        }
        if (!branch->first)
            return true; /* a leaf: all that follows it will be explored */
        at = branch;
        branch = branch->first;
    }
    struct wakeup_tree here = {at ? at->first : tree->first, at ? at->last : tree->last};
    if (!append_rest(pool, &here, rest))
        return false;
    if (at) {
        at->first = here.first;
        at->last = here.last;
    } else {
        *tree = here;
    }
    return true;
}

bool wakeup_take_agent(struct wakeup_pool *pool, struct wakeup_tree *tree, uint32_t agent, struct wakeup_tree *rest)
{
    struct wakeup_node *before = NULL, *node = tree->first;
    while (node && node->step.agent != agent) {
        before = node;
        node = node->next;
    }
    if (!node)
        return false;
    if (before)
        before->next = node->next;
    else
        tree->first = node->next;
    if (tree->last == node)
        tree->last = before;
    *rest = (struct wakeup_tree){node->first, node->last};
    wakeup_node_free(pool, node);
    return true;
}
