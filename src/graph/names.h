/* SPDX-License-Identifier: Apache-2.0 */
/* The names of actions, "get(n1,n4)", and finding actions by them. */
#ifndef GRAPH_NAMES_H
#define GRAPH_NAMES_H

#include "graph/engine.h"

/* The name of a rule or, behind the rules, of a recipe. */
const char *graph_rule_name(const struct engine *engine, uint32_t rule);
/* (locked) NULL when there is no such action, or memory is exhausted. */
const char *graph_action_name(struct engine *engine, uint32_t action);
/* (locked) Also one that was not met yet, if a rule has such a name.  False when there is none, or memory is exhausted.
 */
bool graph_find_action(struct engine *engine, const char *name, uint32_t *action);
/* (locked) An action with a new key: one that is awaited by its name, or NO_NUMBER.  False when memory is exhausted. */
bool graph_awaited(struct engine *engine, uint32_t key, uint32_t *action);

#endif
