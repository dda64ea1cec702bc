/* SPDX-License-Identifier: Apache-2.0 */
/* Local partial-order reduction: what its files share.  The public side is portolan/lpor.h. */
#ifndef REDUCE_LPOR_H
#define REDUCE_LPOR_H

#include "base/bits.h"
#include "base/lists.h"
#include "portolan/lpor.h"
#include "reduce/rows.h"

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

    /* fixed; where can_enable is told, each transition also needs a condition "it is enabled", numbered behind the
     * declared ones */
    uint32_t conditions;
    struct portolan_lists needs;        /* transition -> conditions */
    struct portolan_lists enables;      /* transition -> conditions it may turn true */
    uint32_t asked;                     /* what `asks` has, from 0 */
    struct portolan_lists asks;         /* transition -> what must come about before it is enabled */
    struct portolan_lists bringers;     /* what is asked for -> those that can bring it about */
    struct portolan_lists own_bringers; /* the same, where it was made here */
    uint32_t *kind;                     /* per transition: the same for those that enable the same conditions */
    struct portolan_lists users;        /* condition -> transitions that ask for it and enable something themselves */
    bool is_transitive;                 /* the dependency relation, visibility included */
    size_t words;
    struct rows depends_on; /* row t: t, what t depends on, and of a visible t all visible ones too */
    struct rows leads_to;   /* row t, where it is known: those whose forward enable set meets row t of depends_on */
    size_t look_at_bytes;   /* of leads_to */
    uint64_t *needed_by;    /* row c: the transitions that need condition c; NULL where it does not pay */

    /* of the present state */
    const void *state;
    const uint32_t *enabled;
    uint32_t enabled_count;
    uint64_t *enabled_row;
    uint32_t *live, live_count;      /* the words of that row in which there is something */
    uint64_t *set;                   /* its members, all enabled */
    uint64_t *best;                  /* the smallest set so far */
    uint64_t *within;                /* a set must stay within this one */
    uint64_t *impossible;            /* found to be so, whatever the set is */
    uint64_t *row;                   /* scratch: a row */
    uint32_t *members;               /* the set as a list */
    uint32_t *queue;                 /* scratch: conditions or transitions */
    uint32_t *known, known_stamp;    /* per condition: known_stamp, known_stamp + 1 when it holds */
    uint32_t *asked_in, asking;      /* per thing asked for: seen in the present search for a row */
    uint32_t *walked, walk;          /* per condition: seen in the present walk */
    struct reach everything, others; /* without the empty set; without `set` */
    int64_t work, balance;           /* effort, as for stubborn sets */
};

/* The functions of portolan/lpor.h for callers that are built with the library: structs of its own size, options and
 * relations that are not NULL. */
enum portolan_status lpor_new(const struct portolan_lpor_relations *relations,
                              const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                              struct portolan_error *error);
enum portolan_status lpor_of_system(const struct portolan_system *system, const bool *visible,
                                    const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                                    struct portolan_error *error);
enum portolan_status lpor_check(const struct portolan_lpor_relations *relations,
                                const struct portolan_lpor_steps *steps, const void *state,
                                struct portolan_error *error);

/* Where the dependencies come from: adds what t depends on to a row of bits. */
struct lpor_dependencies {
    void (*add)(const void *user, uint32_t t, uint64_t *row);
    const void *user;
};
void lpor_listed_dependencies(const void *relations, uint32_t t, uint64_t *row);

/* The rows, and the lists behind them.  After a failure, too, lpor_tables_clear releases what was made. */
enum portolan_status lpor_tables_make(struct portolan_lpor *l, const struct lpor_dependencies *dependencies,
                                      struct portolan_error *error);
void lpor_tables_clear(struct portolan_lpor *l);
/* Row t of leads_to, in the words that are live. */
const uint64_t *lpor_leads_to(struct portolan_lpor *l, uint32_t t);

/* As lpor_new does, with dependencies from elsewhere than the lists. */
enum portolan_status lpor_make(const struct portolan_lpor_relations *relations,
                               const struct lpor_dependencies *dependencies,
                               const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                               struct portolan_error *error);
/* Finds the set of a state; its members are then in l->best, their number is returned. */
uint32_t lpor_choose(struct portolan_lpor *l, const void *state, const uint32_t *enabled, uint32_t count,
                     uint32_t initial);
size_t lpor_bytes(const struct portolan_lpor *l);

/* Checks that every list is there and within its range. */
enum portolan_status lpor_check_lists(const struct portolan_lpor_relations *r, bool depends_on_is_known,
                                      struct portolan_error *error);

#endif
