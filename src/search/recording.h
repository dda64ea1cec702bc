/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The explored graph of a program, remembered: which set of actions was explored in each state and where they
 * lead, so that a set is chosen once and used by whatever looks at the state later.
 */
#ifndef SEARCH_RECORDING_H
#define SEARCH_RECORDING_H

#include "base/vector.h"
#include "ltl/ltl_property.h"

struct recorded_edge {
    uint32_t action, target;
};

struct recorded_state {
    uint64_t letter; /* the values of the atomic propositions */
    uint64_t first;  /* its edges start here */
    uint32_t count;
    uint32_t missing; /* enabled actions that have not been explored */
    bool expanded;
    bool no_value; /* the formula has none here, and so the letter no meaning */
};

struct recording {
    const struct portolan_system *system;
    const struct ltl_property *property; /* NULL: letters do not matter */
    bool by_agent;                       /* remember who takes each edge */
    VECTOR(struct recorded_state) states;
    VECTOR(struct recorded_edge) edges;
    VECTOR(uint32_t) agents; /* with by_agent, one an edge */
    uint32_t classes;        /* the largest of recorded_class, plus 1 */
    uint32_t *stamp;         /* scratch, per action */
    size_t stamp_capacity;
    uint32_t round;
    struct portolan_step step; /* scratch */
};

/* False when memory ran out; there is then nothing to clear. */
bool recording_make(struct recording *recording, const struct portolan_system *system,
                    const struct ltl_property *property, bool by_agent);
void recording_clear(struct recording *recording);
size_t recording_bytes(const struct recording *recording);

/* A state has been expanded by these actions, in addition to those it was expanded by before; enabled_count is the
 * number of its enabled ones.  False when memory ran out. */
bool recording_add(struct recording *recording, uint32_t state, const void *bytes, uint32_t enabled_count,
                   const uint32_t *actions, const uint32_t *targets, uint32_t count);

static inline const struct recorded_state *recorded(const struct recording *recording, uint32_t state)
{
    static const struct recorded_state nothing;
    return state < recording->states.count ? &recording->states.item[state] : &nothing;
}

/* Whom fairness must do justice to for this edge: the action, or the agent. */
static inline uint32_t recorded_class(const struct recording *recording, uint64_t edge)
{
    return recording->by_agent ? recording->agents.item[edge] : recording->edges.item[edge].action;
}

/* The actions of a shortest recorded path from state 0; false when memory ran out. */
bool recording_path(const struct recording *recording, uint32_t state, uint32_t **actions, size_t *length);

#endif
