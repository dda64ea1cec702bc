/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local partial-order reduction for any model checker.
 *
 * You keep your states, your search and your transitions, which are numbered from 0.  You say which transition can
 * enable which, and which depends on which; in each state you hand over the enabled transitions and get back those that
 * must be explored: a strong stubborn set.  All deadlocks stay reachable.  No search path is needed, so that
 * depth-first and breadth-first search will do, and cycles are allowed.  A transition may have several successors in a
 * state; then all of them are to be explored.
 *
 * The relations may say more than is true, never less.  portolan_lpor_check tests them in a state.
 * Bokor, Kinder, Serafini, Suri, "Supporting domain-specific state space reductions through local partial-order
 * reduction", ASE 2011; examples/lpor.c uses this header, docs/library.md explains it.
 */
#ifndef PORTOLAN_LPOR_H
#define PORTOLAN_LPOR_H

#include <portolan/portolan.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PORTOLAN_LPOR_RELATIONS(...) PORTOLAN_FILLED(portolan_lpor_relations, __VA_ARGS__)
#define PORTOLAN_LPOR_OPTIONS(...) PORTOLAN_FILLED(portolan_lpor_options, __VA_ARGS__)
#define PORTOLAN_LPOR_STEPS(...) PORTOLAN_FILLED(portolan_lpor_steps, __VA_ARGS__)

/* Arrays and lists are the caller's and must live as long as what is made of them, `visible` only during the call. */
struct portolan_lpor_relations {
    size_t size; /* PORTOLAN_LPOR_RELATIONS sets it */
    uint32_t transitions;
    const void *user; /* passed to `holds` */

    /* List t: every u that t depends on.  t depends on u when in some state that enables both, u can disable t, or
     * u followed by t leads to a state to which t followed by u does not.  Not symmetric in general. */
    struct portolan_lists depends_on;
    /* List t: every u that t can enable: u is disabled, t is taken, u is enabled.  May be left out (offset NULL) when
     * the conditions below are complete: a transition is enabled exactly when all it asks for holds. */
    struct portolan_lists can_enable;

    /* Optional: what a transition needs before it can be enabled.  A condition is true or false in a state.  An enabled
     * transition has all conditions of its list `needs`, and of each quorum in its list `quorums_of` at least
     * `least` of the quorum's conditions.  A necessary enabling transition u of t: a condition of t that only u makes
     * true.  A necessary enabling set: a condition that the members of the set make true. */
    uint32_t conditions;
    struct portolan_lists needs;    /* transition -> conditions */
    struct portolan_lists enablers; /* condition -> every transition that may turn it from false to true */
    bool (*holds)(const void *user, const void *state, uint32_t condition);
    uint32_t quorums;
    struct portolan_lists quorums_of; /* transition -> quorums; offset NULL when there are none */
    struct portolan_lists quorum;     /* quorum -> conditions */
    const uint32_t *least;            /* of each quorum */

    /* Optional, a flag for each transition: it may change what a property looks at.  A set with a visible transition
     * has all visible ones that may come.  For invariants; besides, nothing may be put off forever (docs/provisos.md)
     * when the state space has cycles. */
    const bool *visible;
};

struct portolan_lpor_options {
    size_t size;   /* PORTOLAN_LPOR_OPTIONS sets it */
    bool plain;    /* do without conditions: forward enable sets alone, smaller cost, larger sets */
    bool online;   /* search forward enable sets in each state instead of computing them all in advance */
    bool adaptive; /* stop looking at conditions while that does not pay; a set then depends on the states before */
};

struct portolan_lpor;

#define PORTOLAN_LPOR_BEST UINT32_MAX

/* options may be NULL.  PORTOLAN_BAD_INPUT: a list is out of range. */
PORTOLAN_API enum portolan_status portolan_lpor_new(const struct portolan_lpor_relations *relations,
                                                    const struct portolan_lpor_options *options,
                                                    struct portolan_lpor **lpor, struct portolan_error *error);
PORTOLAN_API void portolan_lpor_free(struct portolan_lpor *lpor);

/* The stubborn set of a state, given its enabled transitions, each once.  `initial` is the enabled transition from
 * which the set grows; PORTOLAN_LPOR_BEST looks for the one with the smallest set.  state is passed to `holds`.  Writes
 * members in the order of `enabled`, which `out` may be, returns how many: none only when none is enabled. */
PORTOLAN_API uint32_t portolan_lpor_set(struct portolan_lpor *lpor, const void *state, const uint32_t *enabled,
                                        uint32_t count, uint32_t initial, uint32_t *out);

/* Can t begin a sequence, each step enabling the next, whose last transition u depends on?  (The index of forward
 * enable sets.) */
PORTOLAN_API bool portolan_lpor_leads_to(struct portolan_lpor *lpor, uint32_t t, uint32_t u);

/* The same on a system with the relations view; what is made lives no longer than the system. */
PORTOLAN_API enum portolan_status portolan_lpor_of_system(const struct portolan_system *system, const bool *visible,
                                                          const struct portolan_lpor_options *options,
                                                          struct portolan_lpor **lpor, struct portolan_error *error);

/* ------------------------------------------------------------ lists by asking */

/* List i holds each j for which related(user, i, j): for those who have relations as functions. */
PORTOLAN_API enum portolan_status portolan_lists_new(uint32_t from, uint32_t to,
                                                     bool (*related)(void *user, uint32_t i, uint32_t j), void *user,
                                                     struct portolan_lists *lists, struct portolan_error *error);
PORTOLAN_API void portolan_lists_clear(struct portolan_lists *lists);

/* ------------------------------------------------------------- the check mode */

/* How the check takes steps.  States are strings of state_bytes; they are compared byte by byte. */
struct portolan_lpor_steps {
    size_t size; /* PORTOLAN_LPOR_STEPS sets it */
    size_t state_bytes;
    void *user;
    uint32_t (*enabled)(void *user, const void *state, uint32_t *out);
    /* How many successors t has in a state that enables it; and the one with the given number, from 0. */
    uint32_t (*successors)(void *user, const void *state, uint32_t t);
    void (*fire)(void *user, const void *state, uint32_t t, uint32_t number, void *successor);
    /* optional: a value that only visible transitions may change */
    int64_t (*observed)(void *user, const void *state);
    /* optional: names for messages, written to text */
    void (*name)(void *user, uint32_t t, char *text, size_t size);
    void (*describe)(void *user, const void *state, char *text, size_t size);
};

/* Tests the relations in one state by taking every step, and every two steps; call it in each state you visit.
 * PORTOLAN_BAD_INPUT names the state, the transitions and the reason. */
PORTOLAN_API enum portolan_status portolan_lpor_check(const struct portolan_lpor_relations *relations,
                                                      const struct portolan_lpor_steps *steps, const void *state,
                                                      struct portolan_error *error);

#ifdef __cplusplus
}
#endif

#endif
