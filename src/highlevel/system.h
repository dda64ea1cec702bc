/* SPDX-License-Identifier: Apache-2.0 */
/* A high-level net as a system: grounded to an ordinary net with all views, or run as it is. */
#ifndef HIGHLEVEL_SYSTEM_H
#define HIGHLEVEL_SYSTEM_H

#include "highlevel/net.h"

enum grounding { GROUND_AUTO, GROUND_ALWAYS, GROUND_NEVER };

/* Takes the net over, also on failure.  With GROUND_AUTO the net is grounded where that ends within a limit. */
enum portolan_status colour_system_new(struct colour_net *net, enum grounding grounding,
                                       struct portolan_system **system, struct portolan_error *error);

#endif
