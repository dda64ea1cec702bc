/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a run of a simplified net becomes one of the original net.  A recipe is a transition of the original net (recipe
 * t is transition t), or one recipe some times and then another one some times.
 */
#ifndef SIMPLIFY_RECIPE_H
#define SIMPLIFY_RECIPE_H

#include "base/vector.h"
#include "front/petri/net.h"

struct recipe_part {
    uint32_t recipe, times;
};

struct recipe {
    struct recipe_part first, second;
};

struct recipes {
    uint32_t transitions;                /* of the original net */
    VECTOR(struct recipe) composed;      /* recipe transitions + i is composed[i] */
    VECTOR(struct recipe_part) at_first; /* what leads from the original initial marking to that of the small net */
    VECTOR(uint32_t) at_last;            /* put off by pre-agglomerations: a dead marking is reached after these */
};

void recipes_clear(struct recipes *recipes);
/* UINT32_MAX when memory is exhausted. */
uint32_t recipes_compose(struct recipes *recipes, struct recipe_part first, struct recipe_part second);

struct firing_sequence {
    uint32_t *item;
    size_t count, capacity;
};

/*
 * Writes the run of the original net that a run of the small one stands for, given as recipes.  to_dead_end: the run of
 * the small net ends in a dead marking, and that of the original net goes on to one.  False when memory or time is
 * exhausted.
 */
bool recipes_expand(const struct recipes *recipes, const struct net *original, const uint32_t *run, size_t length,
                    bool to_dead_end, struct firing_sequence *out);

#endif
