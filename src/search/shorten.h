/* SPDX-License-Identifier: Apache-2.0 */
/* Traces that people read are made shorter than the search happened to find them. */
#ifndef SEARCH_SHORTEN_H
#define SEARCH_SHORTEN_H

#include "portolan/portolan.h"

/* How much there is to read: the less, the better a trace. */
typedef size_t trace_measure(struct portolan_system *system, const uint32_t *trace, size_t length);

/*
 * Replaces the answer's trace by one that decides the property too and measures less, where one is found with about as
 * much effort as the search had.  Steps that are not needed are left out, and a search without reduction looks for
 * another one: of a property of states breadth-first, for a shortest one.  What is put there has been replayed. Nothing
 * changes when a limit is reached or memory runs out.
 */
void shorten_answer(struct portolan_system *system, const struct portolan_property *property,
                    enum portolan_fairness fairness, const struct portolan_statistics *effort, trace_measure *measure,
                    struct portolan_answer *answer);

#endif
