/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/skeleton.h"

#include "base/vector.h"

#include <stdlib.h>

/* ------------------------------------------------------------------------- the tree */

static void free_below(struct skeleton_node *node)
{
    struct skeleton_node *list = node->first;
    while (list) {
        struct skeleton_node *gone = list;
        if (gone->first) { /* children come before siblings: no recursion */
            gone->last->next = gone->next;
            list = gone->first;
        } else {
            list = gone->next;
        }
        free(gone);
    }
    node->first = node->last = NULL;
}

bool skeleton_make(struct skeleton *s)
{
    *s = (struct skeleton){.root = calloc(1, sizeof *s->root)};
    if (!s->root)
        return false;
    s->root->open = s->root->remaining = 1;
    s->root->is_new = true;
    return true;
}

void skeleton_clear(struct skeleton *s)
{
    if (s->root)
        free_below(s->root);
    free(s->root);
    s->root = NULL;
}

static struct skeleton_node *add_child(struct skeleton_node *parent, uint32_t agent)
{
    struct skeleton_node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    *node = (struct skeleton_node){.parent = parent, .agent = agent, .depth = parent->depth + 1};
    if (parent->first)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    return node;
}

static void count_leaves(struct skeleton_node *node, int open, int remaining)
{
    for (; node; node = node->parent) {
        node->open += (uint32_t)open;
        node->remaining += (uint32_t)remaining;
    }
}

/* Nothing is added where nothing remains: whoever adds explores something below. */
static void forget_explored(struct skeleton_node *node)
{
    for (; node && !node->remaining; node = node->parent)
        free_below(node);
}

static bool has_child(const struct skeleton_node *node, uint32_t agent)
{
    const struct skeleton_node *child = node->first;
    while (child && child->agent != agent)
        child = child->next;
    return child;
}

/* A leaf of its own, unless there is one that begins so. */
static bool add_open(struct skeleton_node *above, uint32_t agent)
{
    if (has_child(above, agent))
        return true;
    struct skeleton_node *leaf = add_child(above, agent);
    if (!leaf)
        return false;
    leaf->is_new = true;
    count_leaves(leaf, 1, 1);
    return true;
}

/* ------------------------------------------------------------------------- leaves */

struct skeleton_node *skeleton_choose(const struct skeleton *s)
{
    struct skeleton_node *node = s->root;
    if (!node->open)
        return NULL;
    while (node->first) {
        node = node->first;
        while (!node->open)
            node = node->next;
    }
    return node;
}

static bool write_word(struct letter_words *letter, uint32_t word)
{
    return vector_push(letter, word);
}

static bool write_siblings(const struct skeleton_node *way, struct letter_words *letter)
{
    const struct skeleton_node *child = way->parent->first;
    size_t counts = letter->count + 1;
    uint32_t left = 0, right = 0;
    bool fine = write_word(letter, way->agent) && write_word(letter, 0) && write_word(letter, 0);
    for (; child != way && fine; child = child->next, left++)
        fine = write_word(letter, child->agent * 2 + (child->remaining > 0));
    for (child = way->next; child && fine; child = child->next, right++)
        fine = write_word(letter, child->agent);
    if (fine) {
        letter->item[counts] = left;
        letter->item[counts + 1] = right;
    }
    return fine;
}

/* The nodes from below the root to this one. */
static bool find_way(struct skeleton_node *leaf, struct skeleton_node ***way)
{
    *way = calloc((size_t)leaf->depth + 1, sizeof **way);
    for (struct skeleton_node *node = leaf; *way && node->parent; node = node->parent)
        (*way)[node->depth - 1] = node;
    return *way;
}

bool skeleton_take(struct skeleton *s, struct skeleton_node *leaf, struct letter_words *letter)
{
    struct skeleton_node **way;
    letter->count = 0;
    bool fine = find_way(leaf, &way) && write_word(letter, leaf->is_new) && write_word(letter, leaf->depth);
    for (uint32_t i = 0; i < leaf->depth && fine; i++)
        fine = write_siblings(way[i], letter);
    free(way);
    if (!fine)
        return false;
    leaf->is_taken = true;
    leaf->is_new = false;
    count_leaves(leaf, -1, 0);
    s->leaves++;
    return true;
}

void skeleton_reopen(struct skeleton_node *leaf)
{
    leaf->is_taken = false;
    count_leaves(leaf, 1, 0);
}

/* ------------------------------------------------------------------------- reports */

struct reader {
    const uint32_t *word, *end;
    bool failed;
};

static uint32_t read_word(struct reader *r)
{
    if (r->word < r->end)
        return *r->word++;
    r->failed = true;
    return 0;
}

/* What was found at the nodes above the leaf. */
static bool hear_common(struct skeleton_node *leaf, struct reader *r)
{
    struct skeleton_node **way;
    bool fine = find_way(leaf, &way) && read_word(r) == leaf->depth;
    for (uint32_t i = 0; i < leaf->depth && fine; i++)
        for (uint32_t count = read_word(r); count && fine; count--) {
            uint32_t agent = read_word(r);
            fine = !r->failed && add_open(way[i]->parent, agent);
        }
    free(way);
    return fine && !r->failed;
}

/* The reporter's own node, now a common one; *node becomes the one that it leads to, or NULL. */
static bool hear_own(struct skeleton_node **node, struct reader *r)
{
    struct skeleton_node *above = *node, *way = NULL;
    uint32_t agent = read_word(r), explored = read_word(r), open = read_word(r);
    bool fine = !r->failed && !above->first;
    for (; explored && fine; explored--)
        fine = add_child(above, read_word(r)) && !r->failed;
    if (fine && agent != NO_AGENT_HERE)
        fine = (way = add_child(above, agent));
    for (; open && fine; open--)
        fine = add_open(above, read_word(r)) && !r->failed;
    *node = way;
    return fine;
}

bool skeleton_hear(struct skeleton *s, struct skeleton_node **leaf, const uint32_t *letter, size_t count)
{
    struct reader r = {letter, letter + count, false};
    struct skeleton_node *was = *leaf, *now = was;
    uint32_t report = read_word(&r);
    (void)s;
    if (!was || !was->is_taken || !hear_common(was, &r))
        return false;
    was->is_taken = false;
    for (uint32_t own = read_word(&r); own; own--)
        if (!now || !hear_own(&now, &r))
            return false;
    if (r.failed || r.word != r.end || (report != LEAF_IS_DONE && !now))
        return false;
    *leaf = report == LEAF_GOES_ON ? now : NULL;
    if (report == LEAF_GOES_ON)
        now->is_taken = true;
    if (report != LEAF_IS_DONE)
        count_leaves(now, report == LEAF_IS_LEFT, 1);
    count_leaves(was, 0, -1); /* after the others, so that nothing is forgotten */
    forget_explored(was);
    return true;
}

/* ------------------------------------------------------------------------- files */

static void keep_node(struct skeleton_node *node, bool *has_children, struct archive *a)
{
    bool remains = node->remaining, is_leaf = remains && !node->first;
    *has_children = node->first;
    archive_bytes(a, &node->agent, sizeof node->agent);
    archive_flag(a, &node->is_new);
    archive_flag(a, has_children);
    archive_flag(a, &is_leaf);
    if (a->reading && is_leaf && !*has_children)
        count_leaves(node, 1, 1);
}

/* A node is followed by its children; each is told whether one more follows. */
void skeleton_keep(struct skeleton *s, struct archive *a)
{
    struct skeleton_node *node = s->root;
    bool has_children, more;
    if (a->reading)
        node->open = node->remaining = 0;
    for (keep_node(node, &has_children, a); node && !a->failed;) {
        if (has_children) {
            node = a->reading ? add_child(node, 0) : node->first;
        } else {
            more = false;
            while (node->parent && !more) {
                more = node->next;
                archive_flag(a, &more);
                if (!more)
                    node = node->parent;
            }
            if (!node->parent)
                return;
            node = a->reading ? add_child(node->parent, 0) : node->next;
        }
        if (node)
            keep_node(node, &has_children, a);
        else
            a->failed = true;
    }
}
