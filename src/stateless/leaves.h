/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One tree of executions, explored by processes that share nothing but letters: the ranks of a distributed search.
 *
 * Who explores what is kept in one place, in a skeleton (skeleton.h): a tree whose leaves each stand for all that can
 * follow the way to them.  A worker takes a leaf, and goes there.  The nodes on its way are common: what is to the left
 * of its way sleeps there, whether it is explored or only will be, and what is to the right counts as what will be
 * explored.  Where the worker reverses races at common nodes it adds to their backtrack sets as always, but explores
 * none of that itself: when its leaf is done it tells what is new, and only what nobody has told before becomes a leaf.
 * When somebody else has nothing to do the worker gives away what is open at that of its own nodes that is nearest to
 * the root: this node is common from then on, and so are those above.
 *
 * Letters name agents only, not what their steps touch: that is asked of the machine by whoever goes there.  So objects
 * may have other numbers in every process.  Of a sequence that was to be explored from a common node only the first
 * step becomes a leaf, with all that can follow it.  So executions may be blocked that wake-up trees would not have
 * begun, but none is explored twice: the sleep sets see to that.
 *
 * Why none is missing.  What is below a leaf is complete by what is known of the method, which begins there with a
 * sleep set.  It may not rely on it that what sleeps since a common node and is not explored yet was (from_above).  At
 * a common node m whatever a worker below m finds has an initial (`optimal`: a weak initial) among what sleeps, what
 * is to the right, and what that worker adds; in the end all of these are children of m or sleep there.  So for every
 * race that was reversed at m there is one, as if one worker had explored m, and who explored what and when is of no
 * consequence for the proofs (JACM 2017, theorem 5.2 for source sets; for weak initials see common_tree.h: that a leaf
 * is one step, and not a sequence, only adds to what is explored below it).
 */
#ifndef STATELESS_LEAVES_H
#define STATELESS_LEAVES_H

#include "stateless/worker.h"

#define NO_AGENT_HERE UINT32_MAX

enum leaf_wish { GO_ON, GIVE_SOME, GIVE_ALL };

/* Letters are sequences of words.
 *
 * A leaf: 1 if nobody has been there, or 0; the length of the way; and for each node on it: the agent that goes on, how
 * many are to the left and to the right of it, those to the left (times 2, and 1 more if something remains to be
 * explored there), those to the right.
 *
 * A report: enum report; how many nodes are common; for each how many agents were added, and those.  Then how many of
 * the worker's own nodes follow, which are common from now on; for each the agent that goes on (or NO_AGENT_HERE, at
 * the last one), how many are explored and how many open, and those. */
enum report {
    LEAF_GOES_ON, /* at the end of what is told of its own nodes */
    LEAF_IS_DONE,
    LEAF_IS_LEFT /* it will not be explored by this worker, but is open again, with its end there */
};

struct leaf_source {
    /* What is wanted of the worker?  Asked at the end of each execution. */
    enum leaf_wish (*wish)(struct leaf_source *source, const struct worker *worker);
    /* Sends the letter.  False: nobody takes it. */
    bool (*send)(struct leaf_source *source);
    /* Waits for a leaf, and puts it into the letter; false when there will be none. */
    bool (*take)(struct leaf_source *source);
    struct letter_words {
        uint32_t *item;
        size_t count, capacity;
    } letter;
    bool gave_all;           /* nothing more is taken */
    enum portolan_stop stop; /* the limit because of which it has given everything back, unasked */
};

/* Goes to the next leaf; false when there is none, or the search is over. */
bool leaves_next(struct worker *worker);
/* All below it is explored, or given away. */
void leaves_done(struct worker *worker);
/* Between two steps: gives away what is wanted. */
void leaves_share(struct worker *worker);
/* Between two steps: if a limit is due everything is given back, and this worker explores nothing any more: true. */
bool leaves_look_at_limits(struct worker *worker);

#endif
