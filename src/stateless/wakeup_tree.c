/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for optimal dynamic partial order
 * reduction", JACM 2017, definition 6.3 and the operation insert.
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
    enum { NODES = 256 };
    struct wakeup_node *block = malloc(NODES * sizeof *block);
    if (!block)
        return false;
    block->next = pool->blocks;
    pool->blocks = block;
    pool->bytes += NODES * sizeof *block;
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
    node->hint = NULL;
    return node;
}

void wakeup_free_hint(struct wakeup_pool *pool, struct hint *hint)
{
    pool->bytes -= hint_bytes(hint);
    free(hint);
}

static void wakeup_node_free(struct wakeup_pool *pool, struct wakeup_node *node)
{
    free(node->step.many);
    wakeup_free_hint(pool, node->hint);
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
    pool->bytes = 0;
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
    *tree = (struct wakeup_tree){0};
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

/* Makes a chain of what is left; *chain is NULL when nothing is. */
static bool make_chain(struct wakeup_pool *pool, const struct remainder *rest, struct wakeup_node **chain)
{
    struct wakeup_tree top = {0};
    struct wakeup_node *above = NULL;
    for (uint32_t i = rest->start; i < rest->end; i++) {
        struct footprint step = sequence_at(rest->sequence, rest->item[i].number);
        struct wakeup_node *node = wakeup_node_make(pool);
        if (!node || !kept_step_make(&node->step, &step)) { /* the node stays in its block */
            wakeup_clear(pool, &top);
            return false;
        }
        add_below(&top, above, node);
        above = node;
    }
    *chain = top.first;
    return true;
}

/* Takes a branch's step out of what is left, if it is a weak initial of that. */
static inline bool take_branch(struct remainder *rest, const struct kept_step *branch)
{
    if (take_out_first(rest, branch->agent))
        return true;
    struct footprint step = kept_footprint(branch);
    return !meets_last(rest, branch) && take_out(rest, &step);
}

bool wakeup_covers(const struct wakeup_tree *tree, struct remainder *rest)
{
    const struct wakeup_node *branch = tree->first;
    while (branch) {
        __builtin_prefetch(branch->next);
        if (!take_branch(rest, &branch->step))
            branch = branch->next;
        else if (!branch->first)
            return true; /* a leaf: all that follows it will be explored */
        else
            branch = branch->first;
    }
    return false;
}

static void note_steps(struct wakeup_tree *tree, const struct remainder *rest)
{
    for (uint32_t i = rest->start; i < rest->end; i++) {
        masks_add(&tree->masks, rest->item[i].touched, rest->item[i].written);
        tree->agents |= UINT64_C(1) << (rest->item[i].agent % 64);
    }
}

/* Adds the prefix of what is left where the link is, with a hint of all that is left. */
static bool add_leaf(struct wakeup_pool *pool, struct remainder *rest, const struct prefix *prefix,
                     struct wakeup_node **link)
{
    struct hint *hint;
    bool fine = hint_make(rest, prefix, &hint);
    prefix_keep(prefix, rest);
    if (!fine || !make_chain(pool, rest, link)) {
        free(hint);
        return false;
    }
    while (*link && (*link)->first)
        link = &(*link)->first;
    pool->bytes += hint_bytes(hint);
    if (*link)
        (*link)->hint = hint;
    else
        wakeup_free_hint(pool, hint);
    return true;
}

bool wakeup_insert(struct wakeup_pool *pool, struct wakeup_tree *tree, struct remainder *rest, struct prefix *prefix)
{
    struct wakeup_node **link = &tree->first, *branch;
    bool at_root = true;
    while ((branch = *link)) {
        if (take_branch(rest, &branch->step)) {
            link = &branch->first;
            at_root = false;
            continue;
        }
        tell_apart(prefix, rest, &branch->step);
        link = &branch->next;
    }
    if (!add_leaf(pool, rest, prefix, link))
        return false;
    note_steps(tree, rest);
    if (at_root && *link)
        tree->last = *link;
    return true;
}

bool wakeup_take_agent(struct wakeup_pool *pool, struct wakeup_tree *tree, uint32_t agent, struct wakeup_tree *rest,
                       struct hint **hint)
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
    *rest = (struct wakeup_tree){node->first, last_of(node->first), tree->masks, tree->agents};
    *hint = node->hint;
    node->hint = NULL;
    wakeup_node_free(pool, node);
    return true;
}

struct hint *wakeup_first_hint(const struct wakeup_tree *tree)
{
    const struct wakeup_node *node = tree->first;
    while (node && node->first)
        node = node->first;
    return node ? node->hint : NULL;
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
void wakeup_keep(struct wakeup_pool *pool, struct wakeup_tree *tree, struct archive *archive)
{
    VECTOR(struct wakeup_node *) path = {0}; /* of the node at hand, whose siblings come next */
    struct wakeup_node **place = &tree->first;
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
            hint_keep(&node->hint, archive);
            pool->bytes += archive->reading ? hint_bytes(node->hint) : 0;
            place = &node->first;
        } else {
            place = &path.item[--path.count]->next;
        }
        more = *place;
        archive_flag(archive, &more);
    }
    tree->last = last_of(tree->first);
    archive_number(archive, &tree->masks.touched);
    archive_number(archive, &tree->masks.written);
    archive_number(archive, &tree->agents);
    free(path.item);
}
