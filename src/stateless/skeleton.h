/* SPDX-License-Identifier: Apache-2.0 */
/* The tree whose leaves are handed out: leaves.h. */
#ifndef STATELESS_SKELETON_H
#define STATELESS_SKELETON_H

#include "checkpoint/archive.h"
#include "stateless/leaves.h"

struct skeleton_node {
    struct skeleton_node *parent, *next, *first, *last; /* children are in the order in which they came */
    uint32_t agent;                                     /* whose step leads here from the parent */
    uint32_t depth;
    uint32_t open;      /* leaves below, or itself, that nobody explores */
    uint32_t remaining; /* those, and the ones that somebody does */
    bool is_new;        /* nobody has been there */
    bool is_taken;
};

struct skeleton {
    struct skeleton_node *root;
    uint64_t leaves; /* that were taken */
};

/* With one leaf, the root; false when memory is short. */
bool skeleton_make(struct skeleton *skeleton);
void skeleton_clear(struct skeleton *skeleton);

static inline bool skeleton_is_done(const struct skeleton *skeleton)
{
    return !skeleton->root->remaining;
}

/* The leftmost leaf that is open, or NULL; whoever takes it is told by the letter. */
struct skeleton_node *skeleton_choose(const struct skeleton *skeleton);
bool skeleton_take(struct skeleton *skeleton, struct skeleton_node *leaf, struct letter_words *letter);
/* It was not even begun, and is open again. */
void skeleton_reopen(struct skeleton_node *leaf);
/* Somebody who has taken a leaf reports; *leaf is where they are now, or NULL when they have none any more.  False:
 * memory is short, or the letter makes no sense. */
bool skeleton_hear(struct skeleton *skeleton, struct skeleton_node **leaf, const uint32_t *letter, size_t count);
/* Into a file or out of it.  What is taken is written as if it were open. */
void skeleton_keep(struct skeleton *skeleton, struct archive *archive);

#endif
