/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A net that is being simplified: transitions and places come and go, and each transition has the recipe of what it
 * stands for in the original net.
 */
#ifndef SIMPLIFY_WORK_H
#define SIMPLIFY_WORK_H

#include "simplify/recipe.h"
#include "simplify/simplify.h"

struct work_arcs {
    struct net_arc *item; /* by increasing place, each with some need, inhibit, consume or produce */
    size_t count, capacity;
};

struct work_transition {
    struct work_arcs arcs;
    uint32_t recipe;
    bool gone;
    bool named; /* a property asks for it, so it stays as it is */
};

struct work_users {
    uint32_t *item; /* transitions with an arc at the place */
    size_t count, capacity;
};

struct work_place {
    struct work_users users; /* read by work_users_of, which leaves out those that are gone */
    uint32_t tokens;
    bool gone, observed;
};

struct work {
    const struct net *original;
    const struct simplify_question *question;
    struct work_place *place; /* of the original net */
    VECTOR(struct work_transition) transitions;
    uint32_t live_places, live_transitions;
    struct recipes recipes;
    uint32_t *fired; /* how often each rule was used, by enum simplify_rule */
    bool failed;     /* memory or time is exhausted: the net is of no use any more */
};

bool work_make(struct work *work, const struct net *net, const struct simplify_question *question, uint32_t *fired);
void work_clear(struct work *work);

const struct work_users *work_users_of(struct work *work, uint32_t place);
/* The arc between them; NULL when there is none. */
struct net_arc *work_arc(const struct work *work, uint32_t transition, uint32_t place);
/* Has somebody an inhibitor arc there? */
bool work_is_inhibited(struct work *work, uint32_t place);
void work_remove_transition(struct work *work, uint32_t transition);
void work_remove_place(struct work *work, uint32_t place);
void work_drop_arc(struct work *work, uint32_t transition, uint32_t place);
/* Takes the arcs over, also on failure. */
void work_add_transition(struct work *work, struct work_arcs arcs, uint32_t recipe);
/* A part of the proof, if one is wanted. */
void work_note(const struct work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The net as it is now, the original place of each place and the recipe of each transition; NULL when memory is
 * exhausted. */
struct net *work_finish(const struct work *work, uint32_t **place, uint32_t **recipe);

static inline int64_t arc_effect(const struct net_arc *arc)
{
    return (int64_t)arc->produce - arc->consume;
}

static inline bool arc_tests(const struct net_arc *arc)
{
    return arc->need || arc->inhibit;
}

/* Takes tokens, and does nothing else to the place. */
static inline bool arc_only_takes(const struct net_arc *arc)
{
    return arc->consume && arc->need == arc->consume && !arc->produce && !arc->inhibit;
}

static inline bool arc_only_puts(const struct net_arc *arc)
{
    return arc->produce && !arc->need && !arc->inhibit;
}

#define for_work_arcs(arc, work, t)                                                                                    \
    for (const struct net_arc *arc = (work)->transitions.item[t].arcs.item,                                            \
                              *end_of_##arc = arc + (work)->transitions.item[t].arcs.count;                            \
         arc < end_of_##arc; arc++)

#define for_live_transitions(t, work)                                                                                  \
    for (uint32_t t = 0; t < (work)->transitions.count; t++)                                                           \
        if (!(work)->transitions.item[t].gone)

#define for_live_places(p, work)                                                                                       \
    for (uint32_t p = 0; p < (work)->original->places; p++)                                                            \
        if (!(work)->place[p].gone)

/* --- the rules; each says in its file what it preserves */

/* exact.c: nothing that can be observed changes */
void remove_dead_transitions(struct work *work);
void remove_untested_places(struct work *work);
void remove_parallel_places(struct work *work);
void remove_dominated_transitions(struct work *work);
/* implied.c: the same, when it may take long */
void remove_implied_places(struct work *work);
/* reach.c: what is observed stays reachable */
void remove_irrelevant(struct work *work);
void remove_sources(struct work *work);
/* also for deadlocks */
void remove_idle_transitions(struct work *work);
/* agglomerate.c */
void agglomerate(struct work *work);

#endif
