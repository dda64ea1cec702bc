/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph grammar as a system of entities whose actions are met during the search.
 *
 * Entities are nodes and edges.  An action says of each entity that it touches whether it is there before, so an
 * application of a rule (engine.h) stands for several actions: one for each way in which what it looks at may be.  What
 * an action touches is settled once, but edges that nobody has met yet may violate an embargo, or dangle.  So nodes
 * have counters, which are entities too: how many edges with a label leave the node, how many arrive, how many it has
 * at all.  Whatever adds or removes such an edge changes them.
 *
 * There are only counters that some rule asks for: two actions that change a counter depend on each other.
 */
#ifndef GRAPH_ENTITIES_H
#define GRAPH_ENTITIES_H

#include "graph/engine.h"
#include "graph/obstacle.h"

enum thing_kind { THING_ENTITY, THING_OUT, THING_IN, THING_DEGREE };

/* An entity of the view. */
struct thing {
    uint32_t kind;
    uint32_t number; /* of an entity of the universe, or of the node that has the counter */
    uint32_t label;  /* of counted edges; else 0 */
};

/* An edge to or from the node that an embargo has of its own, where that node may be. */
struct candidate {
    uint32_t embargo, entity, node;
};

/* A match that is becoming actions: what was decided so far. */
struct variant_draft {
    const struct program *program;
    uint32_t action;         /* of the engine */
    numbers image;           /* of the rule's nodes */
    numbers deleted, erased; /* nodes; entities that the rule names */
    numbers links;           /* other edges that vanish with a deleted node if they are there */
    numbers gone;            /* those of them that are */
    VECTOR(struct candidate) candidates;
    numbers seen;           /* candidates that are there */
    numbers there, missing; /* other entities */
    numbers added;          /* edges that come */
    VECTOR(struct portolan_touch) touches;
    numbers key; /* scratch */
};

struct graph_view {
    struct engine *engine;
    struct present present; /* all that may be there */
    numbers loaded;         /* its entities, sorted */
    struct matcher matcher;
    struct sequences things;
    struct sequences actions; /* the action of the engine, then touches */
    bool *counts_out, *counts_in, counts_links;
    const uint32_t *low, *high; /* of the call; what is met during it has 0 */
    uint32_t known;
    struct variant_draft draft;
    numbers found;                 /* actions of the last call */
    numbers found_low, found_high; /* and its counts */
    bool is_valid;                 /* found is that of these counts */
    numbers touching;              /* scratch */
};

extern const struct portolan_entities *const graph_entities[];

/* Why the grammar offers no such view. */
struct obstacle why_no_entities(const struct engine *engine);

/* The first edge between the node that an embargo has of its own and another; NULL: it has none. */
const struct rule_edge *embargo_link(const struct rule *rule, uint32_t embargo);

/* The entity of the view, numbered when it is new; NO_NUMBER when memory is exhausted. */
uint32_t thing_of(struct graph_view *view, enum thing_kind kind, uint32_t number, uint32_t label);

/* Calls give() for each counter that counts the entity: once for each end of it. */
bool counters_of(struct graph_view *view, uint32_t entity, bool (*give)(struct graph_view *, uint32_t, int32_t),
                 int32_t change);

/* Appends the actions of a match to view.found: all that the counts of the call allow.  The match is in
 * matcher.root; false when memory is exhausted. */
bool find_variants(struct graph_view *view, const uint32_t *key, size_t length);

#endif
