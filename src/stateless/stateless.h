/* SPDX-License-Identifier: Apache-2.0 */
/* The search that stores no states: executions, one after the other, as a method asks for them. */
#ifndef STATELESS_STATELESS_H
#define STATELESS_STATELESS_H

#include "soundness/soundness.h"
#include "stateless/machine.h"

struct method; /* worker.h */

/* The method that the options name or leave open, and its traits; refuses a name that is none. */
enum portolan_status method_choose(const struct portolan_options *options, const struct method **method,
                                   struct traits *traits, struct portolan_error *error);

/* portolan_search by such a method. */
enum portolan_status search_stateless(struct portolan_system *system, const struct portolan_options *options,
                                      const struct method *method, struct portolan_result *result,
                                      struct portolan_error *error);

struct split; /* split.h */

/* The same for a machine that is no model: properties are its own affair (`failed`).  Frees the machine.  `split` tells
 * which part is for this process; NULL: everything. */
enum portolan_status search_machine(struct machine *machine, const struct portolan_options *options,
                                    struct split *split, struct portolan_result *result, struct portolan_error *error);

#endif
