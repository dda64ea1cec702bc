/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of probe sets.  The reduction has a search of its own, since its
 * nodes are vectors, not states: src/search/probe/.
 */
#ifndef REDUCE_PROBE_H
#define REDUCE_PROBE_H

#include "reduce/reduction.h"

enum probe_strategy { PROBE_ALL_BUT_ONE, PROBE_INDEPENDENT, PROBE_REVERSING_FREE, PROBE_REVERSING_FREE_STRICT };
enum probe_choice { PROBE_LEAST_INFLUENCE, PROBE_SHORTEST, PROBE_RANDOM };

enum { PROBE_BOUND = 8, PROBE_UNBOUNDED = UINT32_MAX };

struct probe {
    struct reduction reduction; /* first */
    const struct portolan_entities *view;
    enum probe_strategy strategy;
    enum probe_choice choice;
    uint64_t seed;
    bool sleep;     /* sleep sets on top */
    uint32_t bound; /* vectors a state that may be explored before something is done about their number */
    bool *visible;  /* NULL or one flag per action of the system */
    uint32_t actions;
    /* what the documents print; each loses deadlocks */
    bool printed_missed, printed_disabled, printed_keys, printed_inhibitors, printed_local;
};

#endif
