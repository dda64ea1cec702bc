/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine under a control program: a step is an application of a rule, or of all the rules of a recipe, with the
 * control state it leads to.
 *
 * Its action is the application itself where that tells the step from the others of the state.  Else the key of the
 * action is: a number from the number of rules on (the recipe; behind the recipes: no recipe), two halves of a hash of
 * what the step does (0 where there is only one), then the key of the application.
 */
#ifndef GRAPH_CONTROL_ENGINE_H
#define GRAPH_CONTROL_ENGINE_H

#include "graph/control_run.h"
#include "graph/engine.h"

enum { STEP_PREFIX = 3 }; /* numbers before the key of the application */

/* NULL when memory is exhausted. */
struct controller *controller_new(struct engine *engine);
void controller_free(struct controller *controller);

/* All (locked).  The control state at the start; NO_NUMBER when memory is exhausted. */
uint32_t controller_start(struct engine *engine);
/* Lists what is enabled in engine.enabled; false when memory is exhausted. */
bool controller_enabled(struct engine *engine, const struct graph_state *state);
/* The state after an enabled action; *fails: its arithmetic does.  False when memory is exhausted. */
bool controller_fire(struct engine *engine, const struct graph_state *state, uint32_t action, struct graph_state *after,
                     bool *fails);
/* Whether the program may end in the state. */
bool controller_is_final(struct engine *engine, const struct graph_state *state);

/* For those who know graphs in another way: the program with its control states, and nothing that was found out with
 * another host.  It is to be given back before the controller is used again. */
struct control_run controller_borrow(struct engine *engine, struct control_host host);
void controller_give_back(struct engine *engine, struct control_run *run);
uint32_t controller_location(const struct engine *engine, uint32_t control);
/* The action of a step from a graph; steps: at least all that begin with the same application.  NO_NUMBER when memory
 * is exhausted. */
uint32_t action_of_step(struct engine *engine, uint32_t graph, const control_steps *steps,
                        const struct control_step *step);
/* Does its arithmetic fail?  What was a parameter matched to? */
bool application_fails(const struct engine *engine, uint32_t application);
uint32_t application_image(const struct engine *engine, uint32_t application, uint32_t node);

#endif
