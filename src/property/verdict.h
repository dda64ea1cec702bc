/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one rule of all answers: a property is decided by a trace, or by having seen everything; whatever was cut off
 * leaves it open.  Verdicts, their words and exit statuses are made here and nowhere else.
 */
#ifndef PROPERTY_VERDICT_H
#define PROPERTY_VERDICT_H

#include "portolan/portolan.h"

/* has_trace: a counterexample was found, or the witness of a reach property. */
enum portolan_verdict verdict_of(enum portolan_kind kind, bool has_trace, enum portolan_stop stop);

/* Has a search that ended so seen everything that its reduction asks for? */
bool stop_is_complete(enum portolan_stop stop);
/* "complete", "decided", "time limit", ... */
const char *stop_word(enum portolan_stop stop);

/* "holds", "violated", "unknown" */
const char *verdict_word(enum portolan_verdict verdict);
/* "HOLDS", "VIOLATED", "UNDECIDED" */
const char *verdict_capitals(enum portolan_verdict verdict);
/* The exit status of every command that gives verdicts: 0 holds, 1 violated, 3 unknown. */
int verdict_status(enum portolan_verdict verdict);

/* The worst verdict: violated before unknown before holds. */
enum portolan_verdict worst_verdict(const struct portolan_result *result);

#endif
