/* SPDX-License-Identifier: Apache-2.0 */
/* What a deletion (stubborn_deletion.c) has at hand, for what is learned from it (stubborn_learned.c). */
#ifndef REDUCE_DELETION_H
#define REDUCE_DELETION_H

#include "reduce/word_rows.h"

#define DELETION_UNTOLD UINT32_MAX

struct deletion {
    size_t words, guard_words;   /* of a set of transitions, of guards */
    uint32_t each;               /* so many words every row has, or 0 */
    struct word_rows conflicted; /* row t: its conflicts, which have it among theirs */
    uint64_t *overriding;        /* of each word of these: those that may disable it or do not commute with it */
    struct word_rows guards_of;  /* row t */
    struct word_rows may_enable; /* row t: guards */
    struct word_rows leaning;    /* row t: the transitions that have a guard which t may enable */
    struct word_rows users;      /* row g: the transitions that have guard g */
    struct word_rows rivals;     /* row g: guards of which at most one holds, g among them */
    struct word_rows told;       /* row t: those of its guards */
    struct word_rows disablers;  /* row g */
    struct word_rows enablers;   /* row g */
    uint64_t *visible;
    uint64_t *met, *explained, *reasons; /* scratch of deletion_reasons */
    uint64_t *enabled;                   /* in the present state */
    uint64_t *kept;                      /* whose deletion has failed */
    uint64_t *near;                      /* in conflict with an enabled transition */
    uint64_t *is_false, *is_true;        /* guards as far as they were looked at, or others tell */
    uint64_t *told_true, *told_false;    /* what is enabled tells of guards */
    uint64_t *noted;                     /* guards that are true, for which something was deleted */
    /* what is undone, in one block with a copy of it */
    uint64_t *alive;   /* not deleted */
    uint64_t *keys;    /* of weak sets: enabled ones that nobody outside can disable */
    uint64_t *held;    /* disabled ones that may stay, since one of the holding guards is theirs */
    uint64_t *gone;    /* guards an enabler of which has been deleted */
    uint64_t *holding; /* false guards with all their enablers */
    uint64_t *before;
    uint32_t *queue; /* deleted, its effects still to be looked at */
    uint32_t queued;
    uint32_t left;    /* enabled transitions (keys, for weak sets) not deleted */
    bool has_deleted; /* some deletion has not failed */
    /* how the present one came about, for what can be learned from it */
    uint32_t by;          /* whose deletion is being looked at */
    uint32_t *cause;      /* per transition in the queue: whose deletion led to its own, or DELETION_UNTOLD */
    uint32_t *position;   /* its place there */
    uint32_t *key_cause;  /* per transition that is no key any more: whose deletion led to that */
    uint32_t *gone_cause; /* per guard that is gone */
    uint32_t hit;         /* what had to remain and would have been deleted, or UINT32_MAX */
};

#endif
