/* SPDX-License-Identifier: Apache-2.0 */
/* Local partial-order reduction: what its files share.  The public side is portolan/lpor.h. */
#ifndef REDUCE_LPOR_H
#define REDUCE_LPOR_H

#include "base/bits.h"
#include "base/lists.h"
#include "portolan/lpor.h"

/* What can still happen without the members of a set.  An entry counts only when it has the present round. */
struct reach {
    uint32_t round;
    uint32_t *condition;  /* per condition: it can come to hold */
    uint32_t *enabled_by; /* per condition: by this transition, found to be possible before */
    uint32_t *order;      /* per condition: when that was found, from 1 */
    uint32_t *taken;      /* per kind: one of the kind can be taken */
    uint32_t *transition; /* per transition: 2 * round, 2 * round + 1 when it can come to be enabled */
};

struct portolan_lpor {
    struct portolan_lpor_relations r;
    struct portolan_lpor_options options;
    struct portolan_lists own; /* the dependencies, when they were made here */

    /* fixed; where can_enable is told, each transition also needs a condition "it is enabled", numbered behind the
     * declared ones */
    uint32_t conditions;
    struct portolan_lists needs;    /* transition -> conditions */
    struct portolan_lists enables;  /* transition -> conditions it may turn true */
    struct portolan_lists enablers; /* transition -> those that can enable it */
    uint32_t *kind;                 /* per transition: the same for those that enable the same conditions */
    struct portolan_lists users;    /* condition -> transitions that ask for it and enable something themselves */
    bool is_transitive;             /* the dependency relation, visibility included */
    size_t words;
    uint64_t *depends_on; /* row t: what t depends on; of a visible t all visible ones too */
    uint64_t *leads_to;   /* row t: the transitions whose forward enable set meets row t of depends_on; NULL on-line */
    uint64_t *needed_by;  /* row c: the transitions that need condition c; NULL where it does not pay */

    /* of the present state */
    const void *state;
    const uint32_t *enabled;
    uint32_t enabled_count;
    uint64_t *enabled_row;
    uint64_t *set;                   /* its members, all enabled */
    uint64_t *best;                  /* the smallest set so far */
    uint64_t *plain;                 /* the set without NET */
    uint64_t *impossible;            /* found to be so, whatever the set is */
    uint64_t *row;                   /* on-line: a row of leads_to */
    uint32_t *members;               /* the set as a list */
    uint32_t *queue;                 /* scratch: conditions or transitions */
    uint32_t *known, known_stamp;    /* per condition: known_stamp, known_stamp + 1 when it holds */
    uint32_t *walked, walk;          /* per condition: seen in the present walk */
    struct reach everything, others; /* without the empty set; without `set` */
    int64_t work, balance;           /* effort, as for stubborn sets */
};

/* The rows, and the lists behind them.  After a failure, too, lpor_tables_clear releases what was made. */
enum portolan_status lpor_tables_make(struct portolan_lpor *l, struct portolan_error *error);
void lpor_tables_clear(struct portolan_lpor *l);
/* Writes row t of leads_to. */
void lpor_find_leads(const struct portolan_lpor *l, uint32_t t, uint64_t *row, uint32_t *queue);

/* Finds the set of a state; its members are then in l->best, their number is returned. */
uint32_t lpor_choose(struct portolan_lpor *l, const void *state, const uint32_t *enabled, uint32_t count,
                     uint32_t initial);
size_t lpor_bytes(const struct portolan_lpor *l);

/* Checks that every list is there and within its range. */
enum portolan_status lpor_check_lists(const struct portolan_lpor_relations *r, struct portolan_error *error);

#endif
