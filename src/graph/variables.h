/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of the system of a grammar. */
#ifndef GRAPH_VARIABLES_H
#define GRAPH_VARIABLES_H

#include "graph/engine.h"

/* Names them all; those from engine.counts on are about rules, and are not printed.  False when memory is exhausted. */
bool variables_name(struct engine *engine);
/* NULL: an integer. */
const struct portolan_type *variables_type(const struct engine *engine, uint32_t variable);
int64_t variables_value(struct engine *engine, uint32_t graph, uint32_t variable);

#endif
