/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that are processes of one machine and share a piece of memory: the same contract as MPI's (transport.h), for
 * tests of what is behind it, thousands of times in a second. */
#ifndef TESTS_RANKS_LOCAL_H
#define TESTS_RANKS_LOCAL_H

#include "distributed/transport.h"

/* Runs `task` in so many processes at once, and returns what it returned in rank 0: 0 when all is well. */
int ranks_run(uint32_t ranks, int (*task)(struct transport *transport, void *user), void *user);

#endif
