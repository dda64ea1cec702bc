/* SPDX-License-Identifier: Apache-2.0 */
/* The search that stores no states: executions, one after the other, as a method asks for them. */
#ifndef STATELESS_STATELESS_H
#define STATELESS_STATELESS_H

#include "soundness/soundness.h"
#include "stateless/machine.h"

struct method; /* worker.h */

/* The method of a table that the options name or leave open, and its traits; refuses a name that is none. */
enum portolan_status method_choose(const struct method *const *table, const struct portolan_options *options,
                                   const struct method **method, struct traits *traits, struct portolan_error *error);

struct search_shared; /* shared.h */

/* Explores by a method with a worker for each machine, and frees the machines.  `shared` has options, result, the
 * number of machines, and what it may have; statistics and stop of the result are filled in. */
enum portolan_status search_machines(struct search_shared *shared, const struct method *method,
                                     struct machine *const *machines, struct portolan_error *error);
/* Writes into a result what the search is called. */
void name_stateless_parts(const struct method *method, struct portolan_result *result);

/* Do several workers explore one tree together by the method that these options ask for (common_tree.h)? */
bool wants_common_tree(const struct portolan_options *options);

struct split;       /* split.h */
struct leaf_source; /* leaves.h */

/* The same for one machine, by the method that the options ask for, if that is sound.  There are no properties but what
 * the machine itself finds (`failed`).  `split` and `leaves` tell which part is for this process; NULL: everything. */
enum portolan_status search_machine(struct machine *machine, const struct portolan_options *options,
                                    struct split *split, struct leaf_source *leaves, struct portolan_result *result,
                                    struct portolan_error *error);

#endif
