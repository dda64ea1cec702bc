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

#endif
