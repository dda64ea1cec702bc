/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for optimal dynamic partial order
 * reduction", JACM 2017, definition 6.3 and the operation insert.
 *
 * Two things differ, because the paper's sequences are as long as executions.
 *
 * Only what is needed of a sequence becomes a branch.  The definition asks of a leaf w that (1) no step that sleeps at
 * the root is a weak initial of w, and (2) no branch that comes before w's at one of the nodes on its way is one of
 * what is left of w there.  While a sequence v is compared with the sleepers and goes down the tree, each step p that
 * is no weak initial is kept from it by an item in conflict with p, before p's own item if there is one.  These items,
 * and all that have to happen before them, are what is kept.  They make a prefix of a sequence equivalent to v, and p
 * is no weak initial of it for the same reason.  So (1) and (2) hold, and at a leaf nobody sleeps: what is explored
 * from there is never blocked.  Nothing is lost: where v belongs was decided with all of v, and a new branch begins
 * with an initial of v, which is what the proof asks of the steps that are explored from a node: a source set.
 *
 * What is not needed is worth doing first all the same: a race that was reversed late has a short way to its end, which
 * the executions that differ in later races share.  So a tree has a trunk: steps to be taken, one after the other,
 * before any of its branches.  Taking the first of them hands the rest of the trunk and all branches down.  It holds
 * that (a) the steps of the trunk are independent of all in the branches and of other agents, so the branches are a
 * wake-up tree after the trunk, too (those who still sleep there slept before); (b) they are weak initials, one after
 * the other, of every sequence that is in the tree or was found to be covered by a leaf, so whichever step is explored
 * first is a weak initial of them all; (c) so the first of them does not sleep.  When a sequence comes that cannot
 * begin with one of them, that step and those that follow it leave the trunk.
 */
#include "stateless/wakeup_tree.h"

#include "checkpoint/archive.h"

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

/* The first node of a block leads to the block before. */
static bool add_block(struct wakeup_pool *pool)
{
    enum { NODES = 256, LINE = 64 };
    struct wakeup_node *block = aligned_alloc(LINE, NODES * sizeof *block);
    if (!block)
        return false;
    block->next = pool->blocks;
    pool->blocks = block;
    for (size_t i = NODES; --i > 0;) {
        block[i].next = pool->free;
        pool->free = &block[i];
    }
    return true;
}

static struct wakeup_node *wakeup_node_make(struct wakeup_pool *pool)
{
    if (!pool->free && !add_block(pool))
        return NULL;
    struct wakeup_node *node = pool->free;
    pool->free = node->next;
    node->next = node->first = NULL;
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
    while (pool->blocks) {
        struct wakeup_node *block = pool->blocks;
        pool->blocks = block->next;
        free(block);
    }
    pool->free = NULL;
}

static struct wakeup_node *last_of(struct wakeup_node *siblings)
{
    while (siblings && siblings->next)
        siblings = siblings->next;
    return siblings;
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
        if (node->first) { /* its children are freed before its siblings: no recursion */
            last_of(node->first)->next = tree->first;
            tree->first = node->first;
        }
        wakeup_node_free(pool, node);
    }
    tree->last = NULL;
    while (tree->trunk) {
        struct wakeup_node *node = tree->trunk;
        tree->trunk = node->next;
        wakeup_node_free(pool, node);
    }
}

/* Adds a step below another one, or at the top. */
static void add_below(struct wakeup_tree *top, struct wakeup_node *above, struct wakeup_node *node)
{
    if (above)
        above->first = node;
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
        node->step.access_count = 0;
        node->step.many = NULL;
        add_below(&top, above, node);
        above = node;
    }
    add_last(tree, top.first);
    return true;
}

static struct wakeup_node *make_item(struct wakeup_pool *pool, const struct remainder *rest, const struct item *item)
{
    struct footprint step = item_footprint(rest, item);
    struct wakeup_node *node = wakeup_node_make(pool);
    return node && kept_step_make(&node->step, &step) ? node : NULL; /* it stays in its block */
}

/* Makes a chain of what is kept; *chain is NULL when nothing is. */
static bool make_chain(struct wakeup_pool *pool, struct remainder *rest, struct wakeup_node **chain)
{
    struct wakeup_tree top = {0};
    struct wakeup_node *above = NULL;
    for (uint32_t i = rest->start; i < rest->end; i++) {
        if (!rest->item[i].kept)
            continue;
        struct wakeup_node *node = make_item(pool, rest, &rest->item[i]);
        if (!node) {
            wakeup_clear(pool, &top);
            return false;
        }
        note_item(rest, &rest->item[i]);
        add_below(&top, above, node);
        above = node;
    }
    *chain = top.first;
    return true;
}

/* The trunk of a tree with one sequence: all that happens after nothing that is kept. */
static bool make_trunk(struct wakeup_pool *pool, struct wakeup_tree *tree, struct remainder *rest)
{
    struct wakeup_node **link = &tree->trunk;
    pass_first(rest);
    for (uint32_t i = rest->start; i < rest->end; i++) {
        if (!rest->item[i].passed)
            continue;
        if (!(*link = make_item(pool, rest, &rest->item[i])))
            return false;
        link = &(*link)->next;
    }
    return true;
}

/* Leaves in the trunk what one more sequence can begin with, too. */
static void trim_trunk(struct wakeup_pool *pool, struct wakeup_tree *tree, struct remainder *rest)
{
    struct wakeup_node **link = &tree->trunk, *node;
    uint32_t from = rest->start;
    bool all = true;
    while ((node = *link)) {
        struct footprint step = kept_footprint(&node->step);
        if (goes_first(rest, &step, &from, all)) {
            link = &node->next;
            continue;
        }
        all = false;
        *link = node->next;
        wakeup_node_free(pool, node);
    }
}

/* Goes down the tree with a sequence; the place of its branch, or NULL when it has come to a leaf. */
static struct wakeup_node **go_down(struct wakeup_tree *tree, struct remainder *rest)
{
    struct wakeup_node **link = &tree->first, *branch;
    while ((branch = *link)) {
        __builtin_prefetch(branch->next);
        bool taken = take_out_first(rest, branch->step.agent);
        if (!taken) {
            struct footprint step = kept_footprint(&branch->step);
            taken = take_out(rest, &step);
        }
        if (!taken)
            link = &branch->next;
        else if (branch->first)
            link = &branch->first;
        else
            return NULL;
    }
    return link;
}

bool wakeup_insert(struct wakeup_pool *pool, struct wakeup_tree *tree, struct remainder *rest)
{
    struct wakeup_node **place = go_down(tree, rest);
    bool is_first = !tree->first;
    if (place) {
        keep_needed(rest);
        if (!make_chain(pool, rest, place))
            return false;
        if (is_first || (*place && *place == tree->last->next))
            tree->last = *place;
    }
    if (is_first)
        return make_trunk(pool, tree, rest);
    trim_trunk(pool, tree, rest);
    return true;
}

bool wakeup_take_agent(struct wakeup_pool *pool, struct wakeup_tree *tree, uint32_t agent, struct wakeup_tree *rest)
{
    struct wakeup_node *before = NULL, *node = tree->trunk;
    if (node) {
        if (node->step.agent != agent)
            return false;
        *rest = (struct wakeup_tree){tree->first, tree->last, node->next};
        *tree = (struct wakeup_tree){0};
        wakeup_node_free(pool, node);
        return true;
    }
    node = tree->first;
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
    *rest = (struct wakeup_tree){node->first, last_of(node->first), NULL};
    wakeup_node_free(pool, node);
    return true;
}

/* ------------------------------------------------------------------------- files */

void kept_step_keep(struct kept_step *step, struct archive *archive)
{
    enum { MOST_ACCESSES = 1 << 20 };
    archive_bytes(archive, &step->agent, sizeof step->agent);
    archive_bytes(archive, &step->access_count, sizeof step->access_count);
    archive_number(archive, &step->touched);
    archive_number(archive, &step->written);
    if (archive->reading && step->access_count > MOST_ACCESSES)
        archive->failed = true;
    if (archive->reading && !archive->failed && step->access_count > KEPT_FEW &&
        !(step->many = calloc(step->access_count, sizeof *step->many)))
        archive->failed = true;
    if (!archive->failed)
        archive_bytes(archive, step->many ? step->many : step->few, step->access_count * sizeof *step->few);
}

/* A node is followed by its children; each is told whether one more follows.  Trees may be deep, so this keeps a stack
 * of its own. */
static void keep_below(struct wakeup_pool *pool, struct wakeup_node **place, struct archive *archive)
{
    VECTOR(struct wakeup_node *) path = {0}; /* of the node at hand, whose siblings come next */
    bool more = *place;
    archive_flag(archive, &more);
    while (!archive->failed && (more || path.count)) {
        if (more) {
            struct wakeup_node *node = archive->reading ? wakeup_node_make(pool) : *place;
            if (!node || !vector_push(&path, node)) {
                archive->failed = true;
                break;
            }
            if (archive->reading) {
                node->step = (struct kept_step){0};
                *place = node;
            }
            kept_step_keep(&node->step, archive);
            place = &node->first;
        } else {
            place = &path.item[--path.count]->next;
        }
        more = *place;
        archive_flag(archive, &more);
    }
    free(path.item);
}

void wakeup_keep(struct wakeup_pool *pool, struct wakeup_tree *tree, struct archive *archive)
{
    keep_below(pool, &tree->first, archive);
    keep_below(pool, &tree->trunk, archive);
    tree->last = last_of(tree->first);
}
