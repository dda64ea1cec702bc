/* SPDX-License-Identifier: Apache-2.0 */
/* What properties ask of a net, and the same properties asked of a smaller net. */
#ifndef SIMPLIFY_QUESTION_H
#define SIMPLIFY_QUESTION_H

#include "property/property.h"
#include "simplify/simplify.h"

/* False when memory is exhausted; question_clear releases it in any case. */
bool question_make(struct simplify_question *question, const struct net *net);
void question_clear(struct simplify_question *question);
/* Adds what a property asks; false when no rule is known to preserve it. */
bool question_add(struct simplify_question *question, const struct net *net, const struct portolan_property *property);

/* Where nodes of the original net are in the smaller one; UINT32_MAX: nowhere. */
struct node_map {
    uint32_t *place, *transition;
};

bool node_map_make(struct node_map *map, const struct net *original, const struct simplification *simplification);
void node_map_clear(struct node_map *map);

/* The property, compiled for the original system, as one of the smaller net; to be freed. */
enum portolan_status property_for_small(const struct portolan_system *original,
                                        const struct portolan_property *property, const struct node_map *map,
                                        struct portolan_property **out, struct portolan_error *error);

#endif
