/* SPDX-License-Identifier: Apache-2.0 */
/* A set of agents, a bit for each, where there are not many. */
#ifndef BASE_AGENT_SET_H
#define BASE_AGENT_SET_H

#include <stdint.h>

typedef unsigned __int128 agent_set;

enum { MOST_SET_AGENTS = 128 };

static inline agent_set agent_bit(uint32_t agent)
{
    return (agent_set)1 << agent;
}

static inline uint32_t agent_count(agent_set set)
{
    return (uint32_t)(__builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64)));
}

/* Takes the first member out of a set that has one. */
static inline uint32_t agent_take(agent_set *set)
{
    uint64_t low = (uint64_t)*set;
    uint32_t agent = low ? (uint32_t)__builtin_ctzll(low) : 64 + (uint32_t)__builtin_ctzll((uint64_t)(*set >> 64));
    *set &= *set - 1;
    return agent;
}

/* for (each member of a set) */
#define for_agents(member, set)                                                                                        \
    for (agent_set left_##member = (set); left_##member;)                                                              \
        for (uint32_t once_##member = 1, member = agent_take(&left_##member); once_##member; once_##member = 0)

#endif
