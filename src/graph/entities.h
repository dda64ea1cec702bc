/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph grammar as a system of entities whose actions are met during the search.
 *
 * Entities are nodes and edges.  An action says of each entity that it touches whether it is there before, so an
 * application of a rule (engine.h) stands for several actions: one for each way in which what it looks at (looks.h) may
 * be.  What an action touches is settled once, but edges that nobody has met yet may violate an embargo, dangle, or
 * match a universal level.  So there are counters, which are entities too: how many edges with a label leave a node,
 * how many arrive, how many it has at all, how many there are anywhere.  Whatever adds or removes such an edge changes
 * them.
 *
 * There are only counters that some rule asks for: two actions that change a counter depend on each other.
 *
 * Under a control program the control state is an entity as well (entity_control.c).
 */
#ifndef GRAPH_ENTITIES_H
#define GRAPH_ENTITIES_H

#include "graph/control_run.h"
#include "graph/engine.h"
#include "graph/obstacle.h"

enum thing_kind {
    THING_ENTITY,
    THING_OUT,
    THING_IN,
    THING_DEGREE,
    THING_LABEL,
    THING_CONTROL,
    THING_FAILURE /* whether arithmetic has failed */
};

/* An entity of the view. */
struct thing {
    uint32_t kind;
    uint32_t number; /* of an entity of the universe, the node that has the counter, or the control state */
    uint32_t label;  /* of counted edges; else 0 */
};

/* What rules ask for; by label, behind them of nodes. */
struct counters {
    bool *out, *in, *anywhere;
    bool links;        /* of nodes */
    bool value_links;  /* also of values */
    bool types_change; /* looks.h */
    bool *is_born;     /* by label: only a new node gets a loop with it */
    numbers can_go;    /* by node: 0 is not known, 1 no rule can delete it, 2 one might */
};

/* A rule as the view sees it. */
struct viewed_rule {
    const struct program *program;
    search_plan skeleton; /* of the root: what can only be found more often in a larger graph */
    bool is_single;       /* what the skeleton finds determines the match of the root */
};

/* The graphs between the least and the greatest in which a match is looked for. */
struct worlds {
    const struct viewed_rule *rule;
    const uint32_t *bindings; /* of the root */
    numbers keys;             /* applications that are found: each behind its length */
    numbers missing;          /* by entity: it is decided that it is not there */
    numbers open;             /* entities that are looked at and not decided */
    bool gives_way;           /* to a rule with a higher priority */
    bool is_hopeless;         /* in every world that has what this one has nothing can be applied */
    VECTOR(struct portolan_touch) touches;
    numbers touched;               /* by thing: one more than its place in touches; 0: none */
    numbers key;                   /* scratch */
    uint32_t control;              /* where the program is; NO_NUMBER: there is none */
    uint32_t graph;                /* of the world, under control */
    control_steps steps;           /* that are found then, instead of keys */
    control_numbers *applications; /* where matches go */
};

struct graph_view {
    struct engine *engine;
    struct present greatest; /* all that may be there */
    struct present world;    /* a graph in between */
    struct looks looks;      /* at it */
    struct matcher finder, judge;
    struct effect effect; /* in the world */
    struct present inner; /* a graph within a step of several rules; seen by: */
    struct matcher inner_judge;
    struct effect inner_effect;
    numbers loaded;            /* entities, sorted */
    numbers viewed;            /* rules, by priority where that matters */
    struct viewed_rule *rules; /* the same */
    struct sequences things;
    struct sequences actions; /* the action of the engine, then touches */
    struct counters counters;
    const uint32_t *low, *high; /* of the call; what is met during it has 0 */
    uint32_t known;
    struct worlds worlds;
    uint64_t work, budget;         /* done; of the call */
    bool gave_up;                  /* it was passed */
    numbers found;                 /* actions of the last call */
    numbers found_low, found_high; /* and its counts */
    bool is_valid;                 /* found is that of these counts */
    numbers touching;              /* scratch */
};

extern const struct portolan_entities *const graph_entities[];

/* Why the grammar offers no such view. */
struct obstacle why_no_entities(const struct engine *engine);

/* The entity of the view, numbered when it is new; NO_NUMBER when memory is exhausted. */
uint32_t thing_of(struct graph_view *view, enum thing_kind kind, uint32_t number, uint32_t label);

/* Calls give() for each counter that counts the entity: once for each end of it. */
bool counters_of(struct graph_view *view, uint32_t entity, bool (*give)(struct graph_view *, uint32_t, int32_t),
                 int32_t change);

/* Are the links of the node counted?  Only where some rule may ask for them. */
bool counts_links(struct graph_view *view, uint32_t node);

/* Finds the counters that the viewed rules ask for; false when memory is exhausted. */
bool find_counters(struct graph_view *view);
void counters_clear(struct counters *counters);

/* The rules of engine.by_priority, in that order, or all under control; false when memory is exhausted, rules_clear is
 * still to be called. */
bool view_rules(struct graph_view *view);
void rules_clear(struct graph_view *view);

/* Appends the actions of a match of the root's skeleton to view.found: all that the counts of the call allow.  False
 * when memory is exhausted. */
bool find_variants(struct graph_view *view, const struct viewed_rule *rule, const uint32_t *bindings);

/* Under control.  The same for all matches of rules that the program may call in a control state. */
bool find_steps(struct graph_view *view, uint32_t control);
/* Finds the steps of this world in worlds.steps. */
bool look_for_steps(struct graph_view *view);
/* Is it asked whether the rule has a match anywhere? */
bool control_asks(const struct control_program *program, uint32_t rule);

#endif
