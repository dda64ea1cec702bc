/* SPDX-License-Identifier: Apache-2.0 */
/* Small random nets, reproducible from a seed and a number, in a form that is easy to change. */
#ifndef TESTS_RANDOM_NET_H
#define TESTS_RANDOM_NET_H

#include "front/petri/net.h"

/* --- a generator of random numbers (splitmix64) */

struct random {
    uint64_t state;
};

struct random random_from(uint64_t seed, uint64_t number);
/* 0 ... limit - 1; limit is at least 1. */
uint32_t random_below(struct random *random, uint32_t limit);
/* True in so many of 100 cases. */
bool random_chance(struct random *random, uint32_t percent);

/* --- drafts */

enum { DRAFT_PLACES = 10, DRAFT_TRANSITIONS = 12, DRAFT_UNITS = 4 };

struct draft_arc { /* weights and thresholds; 0 is no such arc */
    uint8_t consume, produce, read, inhibit;
};

struct draft {
    uint32_t places, transitions, units;
    uint8_t tokens[DRAFT_PLACES];
    struct draft_arc arc[DRAFT_TRANSITIONS][DRAFT_PLACES];
    bool unit[DRAFT_UNITS][DRAFT_PLACES]; /* members */
};

/* Draws a net: noise, a few processes with locks, variables and buffers, or workers around switches. */
void draft_random(struct draft *draft, struct random *random);
/* The net of a draft, places p0 p1 ... and transitions t0 t1 ...; NULL when out of memory. */
struct net *draft_net(const struct draft *draft, const char *name);
void draft_drop_place(struct draft *draft, uint32_t place);
void draft_drop_transition(struct draft *draft, uint32_t transition);
void draft_drop_unit(struct draft *draft, uint32_t unit);

#endif
