/* SPDX-License-Identifier: Apache-2.0 */
/* Traces are replayed before they are given out. */
#ifndef SYSTEM_REPLAY_H
#define SYSTEM_REPLAY_H

#include "portolan/portolan.h"

/* Replays the answer's trace, which must decide the property, and notes when it does so because its expression has no
 * value. */
enum portolan_status replay_answer(struct portolan_system *system, const struct portolan_property *property,
                                   struct portolan_answer *answer, struct portolan_error *error);

#endif
