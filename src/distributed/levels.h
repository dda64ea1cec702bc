/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first search by several ranks, level by level.  Each state belongs to one rank, by a hash of what it is in
 * the opened system, whose states are the same everywhere; that rank stores and expands it.
 */
#ifndef DISTRIBUTED_LEVELS_H
#define DISTRIBUTED_LEVELS_H

#include "distributed/transport.h"

/* As search_system; every rank calls it with the same model and options, and gets the same result. */
enum portolan_status search_distributed(struct portolan_system *system, const struct portolan_options *options,
                                        struct transport *transport, struct portolan_result *result,
                                        struct portolan_error *error);

#endif
