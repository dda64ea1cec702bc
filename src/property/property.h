/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a system, and what a search has to know of one. */
#ifndef PROPERTY_PROPERTY_H
#define PROPERTY_PROPERTY_H

#include "portolan/portolan.h"
#include "property/expression.h"

#include <stdbool.h>

struct ltl_property; /* src/ltl */

/* What a property of runs tells of itself. */
struct run_property_class {
    void (*free)(struct ltl_property *property);
    const char *(*why_every_state)(const struct ltl_property *property);
    bool (*needs_runs)(const struct ltl_property *property);
    void (*mark_visible)(const struct ltl_property *property, const struct portolan_system *system, bool *visible);
    bool (*why_no_value)(const struct ltl_property *property, const struct portolan_system *system, const void *state,
                         bool is_deadlock, char *text, size_t size);
};

struct portolan_property {
    enum portolan_kind kind;
    struct expression *expression; /* of PORTOLAN_INVARIANT, REACH and MAXIMUM; NULL for the others */
    char *text;
    const char *name;                      /* that the model gives it, to be shown instead; NULL when it gives none */
    bool lasting;                          /* once broken it stays so */
    struct ltl_property *ltl;              /* of PORTOLAN_LTL and PORTOLAN_AUTOMATON; NULL for the others */
    const struct run_property_class *runs; /* of these */
};

/* Is it a property of runs, not of states? */
static inline bool property_is_temporal(const struct portolan_property *property)
{
    return property->ltl != NULL;
}

/* This state alone settles it: a deadlock, an invariant that fails, a reach expression that is true, a number that has
 * no value. */
bool property_is_decided_by(const struct portolan_property *property, const struct portolan_system *system,
                            const void *state, bool is_deadlock);

/* Has it no value in this state?  That is an error, of which text tells which part fails and why. */
bool property_has_no_value(const struct portolan_property *property, const struct portolan_system *system,
                           const void *state, bool is_deadlock, char *text, size_t size);

/* Only deadlock states can decide it: any stubborn set preserves it, without a proviso and without visibility. */
bool property_needs_only_deadlocks(const struct portolan_property *property);
/* Why no reduction preserves it, NULL when one may: it asks for deadlock in another way ("x > 0 -> !deadlock" does not,
 * "deadlock || x > 0" does), or can tell how often a state is repeated. */
extern const char tells_live_states[]; /* the first of these reasons */
const char *property_why_every_state(const struct portolan_property *property);
static inline bool property_needs_every_state(const struct portolan_property *property)
{
    return property_why_every_state(property) != NULL;
}
/* It is decided by infinite runs, beyond what every finite one shows. */
bool property_needs_runs(const struct portolan_property *property);

/*
 * Sets visible[a] for every action a that a reduction must treat as visible: none when only deadlocks matter, all
 * when every state does, otherwise those that may change the expression.  visible has an entry per fixed action.
 */
void property_mark_visible(const struct portolan_property *property, const struct portolan_system *system,
                           bool *visible);

/* A limit came before the answer's trace could be put together or replayed: nothing is claimed, *stop says why. */
void answer_withdraw(struct portolan_answer *answer, enum portolan_stop *stop);

#endif
