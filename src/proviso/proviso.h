/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Provisos against the ignoring problem (Evangelista and Pajault, "Solving the
 * ignoring problem for partial order reduction", STTT 2010).
 *
 * A proviso judges the reduced set of a state by where its successors stand in
 * the search, and keeps what it must remember itself.  It sees only what the
 * search tells it here; the search does not know which proviso runs.
 *
 * Safety form: from every state of the reduced graph a fully expanded one can
 * be reached (or, for scc, every enabled action is explored somewhere).
 * Liveness form: every cycle of the reduced graph has a fully expanded state.
 */
#ifndef PROVISO_PROVISO_H
#define PROVISO_PROVISO_H

#include "portolan/portolan.h"

struct archive;

enum state_order { ANY_ORDER, DEPTH_FIRST, BREADTH_FIRST };

enum proviso_form { PROVISO_FREE /* no promise */, PROVISO_SAFETY, PROVISO_LIVENESS };

enum standing {
    STANDING_NEW,   /* not met, or met but not yet begun */
    STANDING_OPEN,  /* on the depth-first stack, or in the breadth-first queue */
    STANDING_CLOSED /* begun and left */
};

struct seen_successor {
    uint32_t state; /* its number; PORTOLAN_NO_STATE when it has none yet */
    enum standing standing;
};

enum { PORTOLAN_NO_STATE = UINT32_MAX };

struct proviso {
    const struct proviso_class *class;
};

/* Every function but make, free and accept may be NULL. */
struct proviso_class {
    const char *name;
    const char *summary;
    enum state_order order; /* in which it is sound */
    bool of_vectors;        /* belongs to reductions that explore vectors */
    bool may_not_end;       /* a search of finitely many states may go on forever */
    enum proviso_form form;
    bool afterwards;     /* made true when all is explored (search/repair.c) */
    bool prefers_strong; /* does better on sets whose actions stay enabled */
    /* weak_sets: the reduction's sets may be weak, or must lead to a fully expanded state for another reason.  NULL
     * when memory is exhausted. */
    struct proviso *(*make)(const struct proviso_class *class, uint32_t actions, bool weak_sets);
    void (*free)(struct proviso *proviso);
    size_t (*bytes)(const struct proviso *proviso);

    /* A state is begun; `last` says that its parent has no further edges to follow.  False when memory is
     * exhausted. */
    bool (*enter)(struct proviso *proviso, uint32_t state, bool last);
    /* May the state be expanded by these successors only? */
    bool (*accept)(struct proviso *proviso, uint32_t state, const struct seen_successor *successors, size_t count);
    /* The state is expanded by these actions; fully says whether they are all enabled ones.  Told again when a
     * state is expanded further.  False when memory is exhausted. */
    bool (*expanded)(struct proviso *proviso, uint32_t state, bool fully, const uint32_t *actions, size_t count);
    /* An edge to a state that was begun before, or from which the search has just come back.  `last` says that the
     * source has no further edges to follow.  Returns true when the source must now be expanded fully. */
    bool (*edge)(struct proviso *proviso, uint32_t from, uint32_t to, bool returned, bool last);
    /* The state is about to be left.  Returns true when the proviso wants to see its enabled actions in `ignored`. */
    bool (*leaving)(struct proviso *proviso, uint32_t state);
    /* Writes those actions of the state that must still be explored; UINT32_MAX for all of them. */
    uint32_t (*ignored)(struct proviso *proviso, uint32_t state, const uint32_t *enabled, uint32_t count,
                        uint32_t *out);
    /* The state is left for good. */
    void (*leave)(struct proviso *proviso, uint32_t state);
    /* What it remembers, into a file or out of it, when there are so many states; needed where there is `enter`. */
    void (*keep)(struct proviso *proviso, struct archive *archive, size_t states);
};

/* "any", "dfs", "bfs" */
const char *state_order_name(enum state_order order);

/* A zeroed proviso of a class; its first member must be the struct proviso.  NULL when memory is exhausted. */
struct proviso *proviso_new(const struct proviso_class *class, size_t size);

/* All provisos, ended by NULL. */
extern const struct proviso_class *const provisos[];

/* Finds a proviso by its full name ("stack:safety", "safe"). */
const struct proviso_class *proviso_find(const char *name);

#endif
