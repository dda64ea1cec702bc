/* SPDX-License-Identifier: Apache-2.0 */
/* A net that becomes smaller as the steps of a certificate say: its nodes keep their numbers until the end. */
#ifndef CERTIFY_SMALLER_H
#define CERTIFY_SMALLER_H

#include "base/vector.h"
#include "front/petri/net.h"

struct smaller_arcs {
    struct net_arc *item; /* by increasing place */
    size_t count, capacity;
};

struct smaller_transition {
    struct smaller_arcs arcs;
    bool gone;
    bool named; /* a claim asks whether it is enabled */
};

struct smaller_place {
    VECTOR(uint32_t) users; /* transitions that have, or had, an arc there, by increasing number */
    uint32_t tokens;
    bool gone, observed;
};

struct smaller {
    const struct net *net; /* the original one */
    struct smaller_place *place;
    VECTOR(struct smaller_transition) transitions; /* those of the net come first */
    bool deadlocks;                                /* a claim is about deadlocks */
    bool exact;                                    /* a claim is about runs, or says `deadlock` */
};

/* False when memory ran out; to be cleared in any case. */
bool smaller_make(struct smaller *smaller, const struct net *net);
void smaller_clear(struct smaller *smaller);
/* The arc between them; all its numbers are 0 when there is none. */
const struct net_arc *smaller_arc(const struct smaller *smaller, uint32_t transition, uint32_t place);
/* Takes the arcs over, also on failure. */
bool smaller_add(struct smaller *smaller, struct smaller_arcs arcs);
void smaller_remove_place(struct smaller *smaller, uint32_t place);
/* What is left; NULL when memory ran out. */
struct net *smaller_finish(const struct smaller *smaller);

static inline int64_t effect_of(const struct net_arc *arc)
{
    return (int64_t)arc->produce - arc->consume;
}

static inline bool tests(const struct net_arc *arc)
{
    return arc->need || arc->inhibit;
}

static inline bool only_puts(const struct net_arc *arc)
{
    return arc->produce && !tests(arc);
}

static inline bool only_takes(const struct net_arc *arc)
{
    return arc->consume && arc->need == arc->consume && !arc->produce && !arc->inhibit;
}

#define for_arcs_of(arc, s, t)                                                                                         \
    for (const struct net_arc *arc = (s)->transitions.item[t].arcs.item,                                               \
                              *end_of_##arc = arc + (s)->transitions.item[t].arcs.count;                               \
         arc < end_of_##arc; arc++)

/* Each transition that is left and has an arc at the place. */
#define for_users_of(t, arc, s, p)                                                                                     \
    for (size_t number_of_##t = 0; number_of_##t < (s)->place[p].users.count; number_of_##t++)                         \
        for (uint32_t t = (s)->place[p].users.item[number_of_##t], seen_##t = 0; !seen_##t; seen_##t = 1)              \
            for (const struct net_arc *arc = smaller_arc(s, t, p); arc; arc = NULL)                                    \
                if (!(s)->transitions.item[t].gone && (tests(arc) || arc->produce))

#endif
