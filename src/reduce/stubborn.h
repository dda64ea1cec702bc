/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets (Valmari, "Stubborn sets for reduced state space generation",
 * 1989; in terms of guards: Laarman, Pater, van de Pol, Hansen, "Guard-based
 * partial-order reduction", STTT 2016).
 *
 * A set T of transitions is strongly stubborn in a state when
 *   - a disabled t in T has a false guard all of whose enablers are in T;
 *   - an enabled t in T has in T every transition that it may disable, that may
 *     disable it, or with which it does not commute;
 *   - T has an enabled transition, if there is one at all.
 * It is weakly stubborn when "that may disable it" is asked of one enabled
 * transition only (a key), and of another enabled t, for each of its guards,
 * either that every disabler or that every enabler of the guard is in T: then
 * t, once disabled from outside T, stays so, and only sequences along which it
 * stays enabled count.
 * Pairs that are never enabled together are left out everywhere: along a
 * sequence from outside T the enabled t stays enabled, so its partner never is.
 * With visible transitions, an enabled visible t in T brings all visible ones.
 * What the relations call local is a set without any of this: see src/model/local.c.
 *
 * Preserves deadlocks; with visibility and a safety proviso invariants.
 *
 * Goal-directed sets (Schmidt, "Stubborn sets for standard properties", 1999; Kristensen, Schmidt, Valmari,
 * "Question-guided stubborn set methods for state properties", 2006; Boenneland et al., "Start pruning when time gets
 * urgent", 2018) are for the states in which a property is decided, the goals.  In a state that is none, T
 *   - holds a set of attractors: one of them occurs on every path to a goal;
 *   - has of a disabled member a false guard's enablers, as above;
 *   - has of an enabled member t what t may disable or does not commute with, and of each of its guards all disablers
 *     or all enablers: as above, but without a key.
 * Nothing else is asked: no visibility, no proviso, not even an enabled member.  Let w be a path from an explored
 * state s to a goal.  If it is empty, the goal is explored.  Else s is a goal itself, or a member of T occurs in w; let
 * t be the first.  It is enabled in s, since a disabled member stays disabled as long as no member occurs; and enabled
 * all along the way to its place in w, since once disabled from outside it would stay so.  So it commutes with
 * everything before it (never_together may be used, as the two are enabled together if the other occurs at all): s
 * has a successor by t, which is explored, and from there the rest of w leads to the same goal.  The rest is
 * shorter, so in the end the goal is explored; nothing can be put off forever, as every step on the way comes from w.
 * For several goals T holds attractors of each that has not been met: the argument is about one at a time.
 * With visibility and a proviso of the safety form other sets may be taken in some states: there w loses an action, or
 * is kept behind the key, and the proviso sees to it that following keys leads to a state that is fully expanded or
 * has a directed set.
 * Deadlocks are not kept, except as goals: a path to one that is none need not have a member of T.
 */
#ifndef REDUCE_STUBBORN_H
#define REDUCE_STUBBORN_H

#include "base/lists.h"
#include "reduce/reduction.h"

enum stubborn_algorithm {
    STUBBORN_CLOSURE, /* terminal strong components of the "t needs u" graph */
    STUBBORN_DELETION /* delete while the rest stays stubborn: subset-minimal */
};

struct portolan_stubborn {
    struct reduction base;
    const struct portolan_system *system;
    const struct portolan_relations *relations;
    enum stubborn_algorithm algorithm;
    bool weak;
    bool adaptive;
    bool pairwise;   /* conflicts are listed pair by pair */
    bool weak_asked; /* by the options, so that it must be */
    bool directed;   /* at the goal; where a proviso makes others sound as well, the smaller set is taken */
    bool seeks_goal; /* the set being computed is directed */
    bool has_others; /* there is a proviso */
    bool without_idle;
    bool asked_early; /* nothing was remembered for the state that choose_early was asked of last */
    bool judged;      /* a proviso judges the sets */
    bool closely;     /* sets that deletion leaves in several orders are compared */
    const struct reduction_goal *goal;

    /* fixed for the system */
    struct portolan_lists conflicts;   /* t -> nodes (below) that an enabled t needs in T, strong or as key */
    struct portolan_lists overrides;   /* t -> what it may disable or not commute with: also asked of a non-key */
    struct portolan_lists users;       /* guard -> transitions that have it */
    struct portolan_lists may_enable;  /* t -> guards of which it is an enabler */
    struct portolan_lists may_disable; /* t -> guards of which it is a disabler */
    uint32_t *visible;                 /* the visible transitions */
    uint32_t visible_count;
    bool has_singles; /* some transition has no conflicts, or is local */
    uint32_t *local;  /* per transition: as in the relations, where the demands allow it; NULL: none is */
    bool *relevant;   /* per transition, of directed sets: one that changes the goal may need it; NULL: all are */

    /* of the present state; an entry counts only when its stamp is the present one */
    uint32_t stamp;
    uint32_t *enabled_stamp; /* per transition */
    uint32_t *guard_stamp;   /* per guard: when it was evaluated */
    bool *guard_value;
    unsigned char *standing; /* per index of the choice: enum successor */
    bool *idle;              /* per transition: it changes nothing, and is treated as if it were never enabled */

    uint32_t *attractor_stamp; /* per transition, of directed sets: it is one, listed in ... */
    uint32_t *attractors, attractor_count;
    uint32_t *goal_set, goal_set_count; /* the directed set of the present state, indexes */

    struct closure *closure;
    struct deletion *deletion;
    struct remembered *remembered; /* NULL: a set must depend on its state alone */
    struct carried *carried;       /* the same */
    struct outlook *outlook;       /* the same */
    struct learned *learned;       /* the same; also where there are too many transitions or guards */
    uint32_t *rank;    /* per transition: steps from those enabled initially, along "may enable"; 0 breadth-first */
    uint64_t *score;   /* scratch of the order */
    uint32_t *order;   /* scratch: enabled indexes in the order of deletion */
    uint32_t *enabled; /* scratch of portolan_stubborn_set */
    unsigned attempts; /* the algorithm has made in the present state */

    /* Effort, in list entries looked at.  A computation that finds nothing costs its work, one that reduces earns
     * several times that; below zero, states are expanded fully and pay back a fraction of their own cost. */
    int64_t work, balance;
    int64_t early_work;              /* where choose_early was asked in vain */
    int64_t balance_if_refused;      /* a set that the proviso refuses has cost its work and earns nothing */
    int64_t order_effort;            /* spent on keeping to one order of transitions */
    int64_t seen_balance;            /* the same for asking which successors were seen */
    int64_t effort;                  /* since it was last looked at whether sets pay, ... */
    uint64_t states, offered, taken; /* ... and the states since then, their actions, those in their sets */
    uint64_t rest, rest_left;        /* if they do not: for so many states none are computed, of which are left */
};

/*
 * Up to so many transitions, and pairs of them that meet in a guard, conflicts are listed pair by pair; that is what
 * deletion and the pairs that are never enabled together need.  Above, a transition's conflicts go through nodes that
 * stand for whole lists.
 */
enum { STUBBORN_PAIRWISE = 4096, STUBBORN_PAIRS = 2000000 };

/* The nodes of the "needs" graph: transitions, the disablers, users and enablers of a guard, the visible ones. */
static inline uint32_t stubborn_disablers_node(const struct portolan_stubborn *s, uint32_t guard)
{
    return s->relations->transitions + guard;
}

static inline uint32_t stubborn_users_node(const struct portolan_stubborn *s, uint32_t guard)
{
    return s->relations->transitions + s->relations->guards + guard;
}

static inline uint32_t stubborn_enablers_node(const struct portolan_stubborn *s, uint32_t guard)
{
    return s->relations->transitions + 2 * s->relations->guards + guard;
}

static inline uint32_t stubborn_visible_node(const struct portolan_stubborn *s)
{
    return s->relations->transitions + 3 * s->relations->guards;
}

/* Is it enabled, and not idle?  A way to anywhere is one without its idle transitions, too. */
static inline bool stubborn_is_enabled(const struct portolan_stubborn *s, uint32_t t)
{
    return s->enabled_stamp[t] == s->stamp;
}

/* Where there is a goal, what has nothing to do with it is best left alone. */
static inline bool stubborn_is_relevant(const struct portolan_stubborn *s, uint32_t t)
{
    return !s->relevant || s->relevant[t];
}

static inline bool stubborn_guard_holds(struct portolan_stubborn *s, const void *state, uint32_t guard)
{
    if (s->guard_stamp[guard] != s->stamp) {
        s->guard_stamp[guard] = s->stamp;
        s->guard_value[guard] = s->relations->holds(s->system->model, state, guard);
    }
    return s->guard_value[guard];
}

/* A whole reduction; released by portolan_stubborn_free. */
enum portolan_status stubborn_make(const struct portolan_system *system, const char *options,
                                   const struct reduction_demands *demands, struct portolan_stubborn **result,
                                   struct portolan_error *error);

/* Conflicts go through guards, which only the closure can do. */
static inline void stubborn_use_guards(struct portolan_stubborn *s)
{
    s->pairwise = false;
    s->algorithm = STUBBORN_CLOSURE;
    s->weak = false;
}

/* Fills the fixed lists; where those of pairs have no room, guards take their place. */
bool stubborn_prepare(struct portolan_stubborn *s, const struct reduction_demands *demands);

/* Each algorithm writes indexes into choice->enabled and returns how many. */
bool closure_make(struct portolan_stubborn *s);
/* Forgets every stamp. */
void closure_forget(struct portolan_stubborn *s);
void closure_free(struct closure *closure);
uint32_t closure_choose(struct portolan_stubborn *s, const struct choice *choice, unsigned attempt, uint32_t *out);
/* Everything that the given actions need, closed. */
uint32_t closure_of(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *actions,
                    uint32_t action_count, uint32_t *out);
/* Is there no other enabled action among what the given one needs? */
bool closure_is_alone(struct portolan_stubborn *s, const struct choice *choice, uint32_t action);

bool deletion_make(struct portolan_stubborn *s);
void deletion_free(struct deletion *deletion);
/* In each state, before the next three. */
void deletion_begin(struct portolan_stubborn *s, const struct choice *choice);
uint32_t deletion_enabled_conflicts(const struct portolan_stubborn *s, uint32_t t);
/* Are all these guards false? */
struct row_word;
bool deletion_all_false(struct portolan_stubborn *s, const void *state, const struct row_word *guards, uint32_t words);
/* The same of the members of a set: are they true? */
bool deletion_all_true(struct portolan_stubborn *s, const void *state, const uint64_t *guards);
/* The deletion of t is known to fail. */
void deletion_keep(struct portolan_stubborn *s, uint32_t t);
/* order: all indexes into choice->enabled, those to be deleted first in front. */
uint32_t deletion_choose(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *order,
                         uint32_t *out);
/* Guards, by number, that are false and make what was chosen last stubborn: while they are, and the same transitions
 * enabled, it is. Returns how many, UINT32_MAX when the relations say too little. */
uint32_t deletion_reasons(struct portolan_stubborn *s, const void *state, uint32_t *guards);
/* Guards that are true, so that nothing could be deleted: while they are, and the same transitions enabled, nothing
 * can.
 */
uint32_t deletion_obstacles(const struct portolan_stubborn *s, uint32_t *guards);
/* Leaves out of these guards, which all have the value, those of which what is enabled tells it; how many are left. */
uint32_t deletion_leave_out_told(const struct portolan_stubborn *s, uint32_t *guards, uint32_t count, bool value);

/* Beside another worker's (or NULL), of the same search: they share what they remember. */
bool remembered_make(struct portolan_stubborn *s, const struct portolan_stubborn *beside);
void remembered_free(struct remembered *memo);
size_t remembered_bytes(const struct remembered *memo);
/* A set computed before that will do in this state, or 0; kind tells apart what is computed in one state.  If sets are
 * judged, only a full one; smaller ones then, which depend on where successors stand. */
uint32_t remembered_find(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind, uint32_t *out);
uint32_t remembered_find_judged(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out);
/* Is it better to do without a set where remembered_find found nothing? */
bool remembered_gives_up(struct portolan_stubborn *s, const struct choice *choice);
/* A set computed where something else was enabled that will do in this state, or 0; then it is remembered. */
uint32_t remembered_carry_over(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out);
/* Keeps what deletion chose where neither found anything. */
void remembered_keep(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t count);

bool learned_make(struct portolan_stubborn *s);
void learned_free(struct learned *learned);
size_t learned_bytes(const struct learned *learned);
/* That the deletion of t, the first in this state, has failed. */
void learned_keep(struct portolan_stubborn *s, uint32_t t);
/* Is it known, after deletion_begin, that nothing can be deleted?  If not, what cannot is no longer tried. */
bool learned_is_full(struct portolan_stubborn *s, const struct choice *choice);

bool outlook_make(struct portolan_stubborn *s);
void outlook_free(struct outlook *outlook);
/* Will the set that could be computed hardly be smaller than everything?  The tag stands for what is enabled. */
bool outlook_is_poor(struct portolan_stubborn *s, const struct choice *choice, uint32_t tag);
void outlook_learn(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t count);

bool carried_make(struct portolan_stubborn *s, const struct portolan_stubborn *beside); /* as above */
void carried_free(struct carried *carried);
size_t carried_bytes(const struct carried *carried);
/* A set that will do, its reasons in `reasons`; or 0. */
uint32_t carried_find(struct portolan_stubborn *s, const struct choice *choice, uint32_t *reasons,
                      uint32_t *reason_count, uint32_t *out);
void carried_keep(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t count,
                  const uint32_t *reasons, uint32_t reason_count);

#endif
