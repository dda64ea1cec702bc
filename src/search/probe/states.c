/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a search by probe sets, each kept once and numbered.
 *
 * A state is the list of its entities, in blocks.  Where there is more than one
 * block, the blocks are the leaves of a tree whose nodes are kept once as well: so
 * a state shares with the one before it all but the blocks that the step
 * changes and the nodes above, and costs what it changes, however many entities
 * there are.  (Hash-consing, as for the binary decision diagrams of Bryant 1986.)
 *
 * The counts of the start state of the trace are there as an array; another
 * start state is loaded by going through both trees where they differ.
 */
#include "search/probe/probe.h"

#include <string.h>

enum { BITS = 6, WIDTH = 1 << BITS }; /* entities of a block, children of a node */

/* In a block an entity with count 1 stands alone; otherwise it is marked and its count follows. */
static const uint32_t MARK = UINT32_C(1) << 31;

struct tree {
    uint32_t levels; /* of nodes above the blocks */
    uint32_t root;   /* in p->nodes */
};

static uint32_t keep_node(struct prober *p, const uint32_t *item, size_t length)
{
    bool is_new;
    return sequence_insert(&p->nodes, item, length, &is_new);
}

/* The block from this entity on as a list. */
static size_t list_block(const uint32_t *count, uint32_t first, uint32_t end, uint32_t *list)
{
    size_t length = 0;
    if (end > first + WIDTH)
        end = first + WIDTH;
    for (uint32_t e = first; e < end; e++) {
        if (!count[e])
            continue;
        list[length++] = count[e] == 1 ? e : e | MARK;
        if (count[e] != 1)
            list[length++] = count[e];
    }
    return length;
}

/* A state of one block is that list.  Others are a 0, which is no entity, the levels and the root. */
static bool tree_of(struct prober *p, uint32_t state, struct tree *tree)
{
    size_t length;
    *tree = (struct tree){.root = NO_NODE};
    if (state == NOTHING)
        return true;
    const uint32_t *item = sequence_get(&p->states, state, &length);
    if (length == 3 && item[0] == VISIBLE_ENTITY)
        *tree = (struct tree){.levels = item[1], .root = item[2]};
    else
        tree->root = keep_node(p, item, length);
    return tree->root != SEQUENCE_NONE;
}

/* The children of a node, by their index; those that are not there are empty. */
static void load_node(const struct prober *p, uint32_t node, uint32_t *child)
{
    size_t length;
    const uint32_t *item = sequence_get(&p->nodes, node, &length);
    memset(child, 0, WIDTH * sizeof *child);
    for (size_t i = 0; i < length; i += 2)
        child[item[i]] = item[i + 1];
}

static uint32_t keep_children(struct prober *p, const uint32_t *child)
{
    uint32_t pairs[2 * WIDTH];
    size_t length = 0;
    for (uint32_t i = 0; i < WIDTH; i++)
        if (child[i] != NO_NODE) {
            pairs[length++] = i;
            pairs[length++] = child[i];
        }
    return keep_node(p, pairs, length);
}

/* The tree with the counts of the changed entities, which are sorted and lie below this node. */
static uint32_t change_node(struct prober *p, uint32_t node, uint32_t level, const uint32_t *count,
                            const uint32_t *changed, size_t changes)
{
    uint32_t child[2 * WIDTH];
    if (level == 0) {
        size_t length = list_block(count, changed[0] & ~(uint32_t)(WIDTH - 1), p->trace.entities, child);
        return keep_node(p, child, length);
    }
    load_node(p, node, child);
    for (size_t i = 0, end; i < changes; i = end) {
        uint32_t index = changed[i] >> (BITS * level);
        for (end = i; end < changes && changed[end] >> (BITS * level) == index; end++)
            ;
        uint32_t *place = &child[index & (WIDTH - 1)];
        *place = change_node(p, *place, level - 1, count, changed + i, end - i);
        if (*place == SEQUENCE_NONE)
            return SEQUENCE_NONE;
    }
    return keep_children(p, child);
}

/* One level more, the root as first child. */
static bool raise_tree(struct prober *p, struct tree *tree)
{
    uint32_t pair[] = {0, tree->root};
    tree->root = keep_node(p, pair, tree->root == NO_NODE ? 0 : 2);
    tree->levels++;
    return tree->root != SEQUENCE_NONE;
}

/* A state has one tree, whatever entities were met meanwhile: the lowest. */
static void lower_tree(const struct prober *p, struct tree *tree)
{
    uint32_t child[WIDTH];
    while (tree->levels > 0) {
        size_t length;
        const uint32_t *item = sequence_get(&p->nodes, tree->root, &length);
        if (length > 2 || (length == 2 && item[0] != 0))
            return;
        load_node(p, tree->root, child);
        tree->root = child[0];
        tree->levels--;
    }
}

static uint32_t keep_state(struct prober *p, const uint32_t *item, size_t length)
{
    bool is_new;
    uint32_t state = sequence_insert(&p->states, item, length, &is_new);
    if (state == SEQUENCE_NONE ||
        (is_new && (!vector_push(&p->state_number, NOTHING) || !vector_push(&p->state_done, false) ||
                    !vector_push(&p->origin, NOTHING) || !vector_push(&p->explored, 0))))
        return NOTHING;
    return state;
}

static uint32_t keep_tree(struct prober *p, struct tree tree)
{
    size_t length;
    uint32_t item[] = {VISIBLE_ENTITY, tree.levels, tree.root};
    if (tree.levels)
        return keep_state(p, item, 3);
    const uint32_t *block = sequence_get(&p->nodes, tree.root, &length);
    return keep_state(p, block, length);
}

static uint32_t changed_tree(struct prober *p, struct tree tree, const uint32_t *count)
{
    const struct numbers *changed = &p->changed;
    while (changed->item[changed->count - 1] >> (BITS * (tree.levels + 1)))
        if (!raise_tree(p, &tree))
            return NOTHING;
    tree.root = change_node(p, tree.root, tree.levels, count, changed->item, changed->count);
    if (tree.root == SEQUENCE_NONE)
        return NOTHING;
    lower_tree(p, &tree);
    return keep_tree(p, tree);
}

bool states_start(struct prober *p)
{
    p->trace.start = NOTHING;
    return keep_node(p, NULL, 0) == NO_NODE;
}

/* Notes which state of the system a new state is. */
static uint32_t note_shown(struct prober *p, uint32_t state, const uint32_t *count)
{
    if (!p->entities->state_number || state == NOTHING || state < p->shown.count)
        return state;
    uint32_t number = p->entities->state_number(p->view, count + 1);
    return number != UINT32_MAX && vector_push(&p->shown, number) ? state : NOTHING;
}

static uint32_t find_state(struct prober *p, uint32_t base, const uint32_t *count)
{
    uint32_t list[2 * WIDTH];
    struct tree tree;
    p->work += 2 + p->changed.count;
    if (p->changed.count == 0 && base != NOTHING)
        return base;
    if (p->trace.entities <= WIDTH)
        return keep_state(p, list, list_block(count, 1, p->trace.entities, list));
    if (!tree_of(p, base, &tree))
        return NOTHING;
    numbers_sort(&p->changed);
    return p->changed.count ? changed_tree(p, tree, count) : keep_tree(p, tree);
}

uint32_t state_of_counts(struct prober *p, uint32_t base, const uint32_t *count)
{
    return note_shown(p, find_state(p, base, count), count);
}

uint32_t target_state(struct prober *p)
{
    const struct trace *t = &p->trace;
    p->changed.count = 0;
    for (size_t i = 0; i < t->accesses.count; i++)
        if (t->accesses.item[i].writes && t->accesses.item[i].entity != VISIBLE_ENTITY &&
            !vector_push(&p->changed, t->accesses.item[i].entity))
            return NOTHING;
    uint32_t state = state_of_counts(p, t->start, t->count);
    p->changed.count = 0;
    return state;
}

/* ---------------------------------------------------------------------- loading */

static void set_count(struct trace *t, uint32_t entity, uint32_t count)
{
    t->start_count[entity] = t->count[entity] = t->low[entity] = t->high[entity] = t->scratch[entity] = count;
}

/* Sets the counts of a block's entities, or takes them away. */
static void set_block(struct trace *t, const uint32_t *item, size_t length, bool there)
{
    for (size_t i = 0; i < length; i++) {
        uint32_t count = item[i] & MARK ? item[i + 1] : 1;
        set_count(t, item[i] & ~MARK, there ? count : 0);
        i += item[i] & MARK ? 1 : 0;
    }
}

/* Goes from the counts of one tree to those of another of the same height. */
static void exchange(struct prober *p, uint32_t old, uint32_t new, uint32_t level)
{
    size_t length;
    uint32_t from[WIDTH], to[WIDTH];
    if (old == new)
        return;
    if (level == 0) {
        const uint32_t *item = sequence_get(&p->nodes, old, &length);
        set_block(&p->trace, item, length, false);
        item = sequence_get(&p->nodes, new, &length);
        set_block(&p->trace, item, length, true);
        return;
    }
    load_node(p, old, from);
    load_node(p, new, to);
    for (uint32_t i = 0; i < WIDTH; i++)
        exchange(p, from[i], to[i], level - 1);
}

bool load_start(struct prober *p, uint32_t state)
{
    struct tree old, new;
    if (state == p->trace.start)
        return true;
    if (!tree_of(p, p->trace.start, &old) || !tree_of(p, state, &new))
        return false;
    while (old.levels < new.levels)
        if (!raise_tree(p, &old))
            return false;
    while (new.levels < old.levels)
        if (!raise_tree(p, &new))
            return false;
    exchange(p, old.root, new.root, old.levels);
    p->trace.start = state;
    return true;
}
