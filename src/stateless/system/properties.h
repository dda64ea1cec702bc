/* SPDX-License-Identifier: Apache-2.0 */
/* Which properties of a system its executions decide: looked at where an execution ends, and by random runs at every
 * point. */
#ifndef STATELESS_SYSTEM_PROPERTIES_H
#define STATELESS_SYSTEM_PROPERTIES_H

#include "stateless/shared.h"

struct properties {
    struct observer observer; /* of the search */
    struct portolan_system *system;
    const struct portolan_options *options;
    struct portolan_result *result;
    bool *decided; /* per property */
    size_t undecided;
    bool *visible; /* per action: it may change a property of states; NULL when there is no such property */
};

/* Also makes the answers of the result, which stay.  False when memory is short; clear it all the same. */
bool properties_make(struct properties *properties, struct portolan_system *system,
                     const struct portolan_options *options, struct portolan_result *result);
void properties_clear(struct properties *properties);
/* When the search has ended, and the result says why: gives the verdicts, and replays the traces. */
enum portolan_status properties_conclude(struct properties *properties, struct portolan_error *error);

#endif
