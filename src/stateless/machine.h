/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs the steps of an execution.  The searches know agents, objects and
 * depths; where steps come from is the machine's business: a model with the
 * footprint view (system/state_machine.c) keeps the states of the execution on a
 * stack, another kind may have to run its program again from the start.
 *
 * Depth d is the point after d steps of the present execution.
 */
#ifndef STATELESS_MACHINE_H
#define STATELESS_MACHINE_H

#include "base/accesses.h"

enum machine_end {
    MACHINE_RUNNING,
    MACHINE_FINISHED,   /* every agent has ended, or need not go on */
    MACHINE_DEADLOCKED, /* somebody waits forever */
    MACHINE_REDUNDANT,  /* what it stands for is explored elsewhere, or was not wanted: it does not count */
};

struct machine;
struct execution;

struct machine_class {
    /* The agent's next step at the top, or at an earlier depth when the machine remembers; false: it has none. */
    bool (*next)(struct machine *machine, size_t depth, uint32_t agent, struct portolan_step *step);
    /* The next step of an agent at depth `now` as it would be if all it touches were as at depth `earlier`. */
    bool (*next_as_if)(struct machine *machine, size_t now, uint32_t agent, size_t earlier, struct portolan_step *step);
    /* The next step of an agent after the given agents have taken one step each from a depth; the machine stays
     * where it is.  False also when one of them could not. */
    bool (*next_after)(struct machine *machine, size_t depth, const uint32_t *agents, size_t count, uint32_t agent,
                       struct portolan_step *step);
    /* Takes the step that `next` gave at this depth; what was beyond is forgotten. */
    enum portolan_status (*take)(struct machine *machine, size_t depth, uint32_t agent,
                                 const struct portolan_step *step, struct portolan_error *error);
    /* What kind of end this is, when no agent is enabled at this depth. */
    enum machine_end (*end)(struct machine *machine, size_t depth);
    size_t (*bytes)(const struct machine *machine);
    void (*free)(struct machine *machine);
    /* optional: events that the agent's next step at the top must follow, whatever they touch: the last ones before it
     * was born, and of agents for whose end it waited.  How many; at most one per agent. */
    size_t (*follows)(struct machine *machine, uint32_t agent, uint32_t *events);
    /* optional: did the last step, the end or a question show an error, or that the search must begin again?  Asked
     * after each step and each end, also of an execution that is given up; true ends the search. */
    bool (*failed)(struct machine *machine, const struct execution *execution);
    /* optional: an execution is complete */
    void (*executed)(struct machine *machine);
};

/* Every machine starts with its class and these numbers. */
struct machine {
    const struct machine_class *class;
    uint32_t agents, objects, most_accesses;
};

#endif
