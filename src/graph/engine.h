/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system of a graph grammar, and what views and properties of it need.
 *
 * A state is the number of its graph and a number for control.  An action is an application of a rule: its key
 * (match.h).  Numbers are given as things are met and mean nothing outside the process: what leaves it has names, which
 * do not depend on that order.
 *
 * Everything happens under the lock; functions marked (locked) expect the caller to hold it.
 */
#ifndef GRAPH_ENGINE_H
#define GRAPH_ENGINE_H

#include "graph/inherit.h"

#include <pthread.h>

struct graph_state {
    uint32_t graph, control;
};

struct graph_action {
    uint32_t key;   /* of engine.keys; NO_NUMBER: it has a name, but was not met yet */
    uint32_t round; /* the last search for enabled actions that found it */
    char *name;     /* NULL: nobody asked yet */
};

struct engine {
    struct grammar *grammar;
    struct universe universe;
    struct present present;
    struct matcher matcher;
    struct effect effect;
    struct program *programs; /* by rule */
    numbers by_priority;      /* rules that are enabled, the highest first; conditions come last */
    struct sequences keys;
    numbers action_of_key;
    VECTOR(struct graph_action) actions;
    struct names action_names; /* number of a name -> action_named.item, its action */
    numbers action_named;
    uint32_t names_known; /* of actions below this number the names are in the table */
    uint32_t awaited;     /* how many actions have a name only */
    numbers enabled;      /* scratch */
    struct inheritance inheritance;
    uint32_t round;
    uint32_t initial, initial_control;
    bool is_constrained; /* constraints.h */
    struct names variable_names;
    uint32_t counts; /* the variables that are printed; the others tell whether rules apply */
    struct portolan_rules rules;
    pthread_mutex_t lock;
    struct controller *controller;   /* NULL: any rule, by priorities */
    struct isomorphism *isomorphism; /* NULL: graphs are equal, or they are not */
};

/* Takes the grammar over, also when it fails. */
enum portolan_status graph_system_new(struct grammar *grammar, struct portolan_system **system,
                                      struct portolan_error *error);

static inline struct engine *engine_of_system(const struct portolan_system *system)
{
    return system->model;
}

void engine_lock(const struct engine *engine);
void engine_unlock(const struct engine *engine);

/* (locked) Looks at a graph; false when memory is exhausted. */
bool engine_load(struct engine *engine, uint32_t graph);
/* (locked) The same for a graph of a state, whose nodes may have other names outside (isomorphism.h). */
bool engine_look_at(struct engine *engine, uint32_t graph);
/* (locked) Does the graph violate a constraint, so that nothing can happen there?  False when memory is exhausted. */
bool engine_is_dead(struct engine *engine, uint32_t graph, bool *is_dead);
/* (locked) The action with this key, numbered when it is new; NO_NUMBER when memory is exhausted. */
uint32_t engine_action(struct engine *engine, const uint32_t *key, size_t length);
/* (locked) The same for the key of a match in the graph that is looked at. */
uint32_t engine_application(struct engine *engine, const struct program *program, const uint32_t *key, size_t length);
/* (locked) Its key; NULL when it was not met.  Valid until the next action is met. */
const uint32_t *engine_key(const struct engine *engine, uint32_t action, size_t *length);
/* (locked) Lists the actions enabled in a graph in engine.enabled, each once; false when memory is exhausted. */
bool engine_enabled(struct engine *engine, uint32_t graph);
/* (locked) The same of one rule, appended to engine.enabled; engine_begin comes before the first. */
void engine_begin(struct engine *engine);
bool engine_enabled_by(struct engine *engine, uint32_t rule, const uint32_t *given);
/* (locked) Appends an action, once. */
bool engine_enable(struct engine *engine, uint32_t action);
/* (locked) The same as it is, not in its canonical form. */
uint32_t engine_change(struct engine *engine, uint32_t graph, uint32_t action);
/* (locked) The graph after an action that is enabled in another; NO_NUMBER when memory is exhausted. */
uint32_t engine_apply(struct engine *engine, uint32_t graph, uint32_t action);

#endif
