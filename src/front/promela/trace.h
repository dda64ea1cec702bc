/* SPDX-License-Identifier: Apache-2.0 */
/* Trace assertions: which sends and receives there may be, in which order. */
#ifndef FRONT_PROMELA_TRACE_H
#define FRONT_PROMELA_TRACE_H

#include "front/promela/lowering.h"

/* Makes its flow, and refuses what a trace cannot have. */
enum portolan_status promela_check_trace(struct parser *parser);
/* Does the trace move when something is sent, or received? */
bool promela_is_traced(const struct lowering *l, bool is_send, const struct channel *c);
/* The trace moves, if it speaks of that; values are as in the program. */
void pml_emit_event(struct lowering *l, bool is_send, const struct channel *c, const struct operand *values);
/* May the model end where the trace is? */
bool promela_trace_may_end(const struct syntax *syntax, int64_t event);

#endif
