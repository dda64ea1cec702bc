/* SPDX-License-Identifier: Apache-2.0 */
/* portolan_search for callers that are built with the library: structs of its own size, a result to be cleared. */
#ifndef SEARCH_SEARCH_SYSTEM_H
#define SEARCH_SEARCH_SYSTEM_H

#include "system/result.h"

/* On PORTOLAN_OK the result is filled and must be given to result_clear; otherwise there is nothing in it. */
enum portolan_status search_system(struct portolan_system *system, const struct portolan_options *options,
                                   struct portolan_result *result, struct portolan_error *error);

#endif
