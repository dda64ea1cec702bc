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
    size_t size = step->access_count * sizeof *step->accesses;
    if (step->access_count > sizeof kept->few / sizeof kept->few[0]) {
        kept->many = malloc(size);
        if (!kept->many)
            return false;
        memcpy(kept->many, step->accesses, size);
    } else if (size) {
        memcpy(kept->few, step->accesses, size);
    }
    return true;
}

static struct wakeup_node *wakeup_node_make(const struct footprint *step)
{
    struct wakeup_node *node = calloc(1, sizeof *node);
    if (node && !kept_step_make(&node->step, step)) {
        free(node);
        return NULL;
    }
    return node;
}

static void add_last(struct wakeup_tree *tree, struct wakeup_node *node)
{
    if (tree->first)
        tree->last->next = node;
    else
        tree->first = node;
    tree->last = node;
}

void wakeup_clear(struct wakeup_tree *tree)
{
    while (tree->first) {
        struct wakeup_node *node = tree->first;
        tree->first = node->next;
        if (node->first) { /* its children are freed after its siblings: no recursion */
            node->last->next = tree->first;
            tree->first = node->first;
        }
        free(node->step.many);
        free(node);
    }
    tree->last = NULL;
}

/* Appends the items that are not removed as a chain. */
static bool append_chain(struct wakeup_tree *tree, const struct sequence *sequence, const bool *removed)
{
    struct wakeup_tree top = {0};
    struct wakeup_node *above = NULL;
    for (uint32_t i = 0; i < sequence->length; i++) {
        if (removed && removed[i])
            continue;
        struct footprint step = sequence_at(sequence, i);
        struct wakeup_node *node = wakeup_node_make(&step);
        if (!node) {
            wakeup_clear(&top);
            return false;
        }
        if (above)
            above->first = above->last = node;
        else
            top.first = top.last = node;
        above = node;
    }
    if (top.first)
        add_last(tree, top.first);
    return true;
}

bool wakeup_append(struct wakeup_tree *tree, const struct sequence *sequence)
{
    return append_chain(tree, sequence, NULL);
}

static bool insert(struct wakeup_tree *tree, const struct sequence *sequence, bool *removed)
{
    struct wakeup_node *at = NULL; /* where we are; NULL is the root */
    struct remainder rest;
    remainder_make(&rest, sequence, removed);
    for (struct wakeup_node *branch = tree->first; branch;) {
        struct footprint step = kept_footprint(&branch->step);
        if (!take_out(&rest, &step)) {
            branch = branch->next;
            continue;
        }
        if (!branch->first)
            return true; /* a leaf: all that follows it will be explored */
        at = branch;
        branch = branch->first;
    }
    struct wakeup_tree here = {at ? at->first : tree->first, at ? at->last : tree->last};
    if (!append_chain(&here, sequence, removed))
        return false;
    if (at) {
        at->first = here.first;
        at->last = here.last;
    } else {
        *tree = here;
    }
    return true;
}

bool wakeup_insert(struct wakeup_tree *tree, const struct sequence *sequence)
{
    bool few[256] = {false};
    bool *removed = sequence->length <= sizeof few ? few : calloc(sequence->length, sizeof *removed);
    bool fine = removed && insert(tree, sequence, removed);
    if (removed != few)
        free(removed);
    return fine;
}

void wakeup_take_first(struct wakeup_tree *tree, struct wakeup_tree *rest)
{
    struct wakeup_node *node = tree->first;
    tree->first = node->next;
    if (!tree->first)
        tree->last = NULL;
    *rest = (struct wakeup_tree){node->first, node->last};
    free(node->step.many);
    free(node);
}

bool wakeup_take_agent(struct wakeup_tree *tree, uint32_t agent, struct wakeup_tree *rest)
{
    struct wakeup_node *before = NULL, *node = tree->first;
    while (node && node->step.agent != agent) {
        before = node;
        node = node->next;
    }
    if (!node)
        return false;
    if (!before) {
        wakeup_take_first(tree, rest);
        return true;
    }
    before->next = node->next;
    if (tree->last == node)
        tree->last = before;
    *rest = (struct wakeup_tree){node->first, node->last};
    free(node->step.many);
    free(node);
    return true;
}

bool wakeup_has_agent(const struct wakeup_tree *tree, uint32_t agent)
{
    for (const struct wakeup_node *node = tree->first; node; node = node->next)
        if (node->step.agent == agent)
            return true;
    return false;
}
