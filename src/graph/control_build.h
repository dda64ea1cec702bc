/* SPDX-License-Identifier: Apache-2.0 */
/* From the terms of a control program to its automaton. */
#ifndef GRAPH_CONTROL_BUILD_H
#define GRAPH_CONTROL_BUILD_H

#include "graph/control.h"
#include "graph/control_term.h"

/* The calls that terms number; to and recipe come from the terms. */
struct named_calls {
    struct control_call *item;
    size_t count, capacity;
};

/* Fills locations, calls and live variables of a program whose arguments and variables are there; false when memory
 * ran out or a limit was reached. */
bool control_build(struct control_program *program, struct terms *terms, const struct named_calls *calls,
                   uint32_t start);

#endif
