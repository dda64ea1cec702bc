/* SPDX-License-Identifier: Apache-2.0 */
/* The stateless search of a system with the footprint view. */
#ifndef STATELESS_SYSTEM_SEARCH_H
#define STATELESS_SYSTEM_SEARCH_H

#include "portolan/portolan.h"

struct method; /* worker.h */

/* portolan_search by a method of system_methods, which was found to be sound for the options. */
enum portolan_status search_stateless(struct portolan_system *system, const struct portolan_options *options,
                                      const struct method *method, struct portolan_result *result,
                                      struct portolan_error *error);

#endif
