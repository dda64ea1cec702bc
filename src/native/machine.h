/* SPDX-License-Identifier: Apache-2.0 */
/* The search through the program's executions, by one process or several, and the failing one. */
#ifndef NATIVE_MACHINE_H
#define NATIVE_MACHINE_H

#include "base/vector.h"
#include "stateless/machine.h"

/* The execution that failed, as the agents that take its steps. */
extern struct failing_order {
    VECTOR(uint32_t) agents;
} failing;

/* The program as a machine with room for so many agents; NULL when memory is short. */
struct split;       /* stateless/split.h */
struct leaf_source; /* stateless/leaves.h */

struct machine *machine_prepare(uint32_t agents);
/* There are so many objects now. */
void machine_has_objects(uint32_t count);

/* --- team.c */

enum portolan_status explore_together(const struct portolan_options *options, struct portolan_result *result,
                                      struct portolan_error *error);

/* By one process; again when it turns out on the way that there are more agents or larger objects than thought. */
enum portolan_status explore_alone(const struct portolan_options *options, struct split *split,
                                   struct portolan_result *result, struct portolan_error *error);
/* The same, but whoever calls sees to that (SEARCH_AGAIN); leaves: NULL for all of it. */
enum portolan_status explore_alone_once(const struct portolan_options *options, struct split *split,
                                        struct leaf_source *leaves, struct portolan_result *result,
                                        struct portolan_error *error);
/* How many points has the split of this depth?  False when something was learned or found on the way. */
bool count_points(const struct portolan_options *options, struct split *split);

/* --- parts.c */

enum portolan_status explore_in_parts(const struct portolan_options *options, struct portolan_result *result,
                                      struct portolan_error *error);

#endif
