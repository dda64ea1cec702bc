/* SPDX-License-Identifier: Apache-2.0 */
/* The search that stores no states: executions, one after the other, as a method asks for them. */
#ifndef STATELESS_STATELESS_H
#define STATELESS_STATELESS_H

#include "stateless/machine.h"

/* Do these options ask for it? */
bool is_stateless(const struct portolan_options *options);

/* portolan_search for such options. */
enum portolan_status search_stateless(struct portolan_system *system, const struct portolan_options *options,
                                      struct portolan_result *result, struct portolan_error *error);

struct split; /* split.h */

/* The same for a machine that is no model: properties are its own affair (`failed`).  Frees the machine.  `split` tells
 * which part is for this process; NULL: everything. */
enum portolan_status search_machine(struct machine *machine, const struct portolan_options *options,
                                    struct split *split, struct portolan_result *result, struct portolan_error *error);

#endif
