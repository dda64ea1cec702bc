/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rule, compiled: for each level and each embargo the order in which its parts are looked for, and the anchor of each
 * level.  What a rule binds is an array of numbers: images of its nodes, then labels of its variables, then labels of
 * its edges that are wildcards.
 */
#ifndef GRAPH_PROGRAM_H
#define GRAPH_PROGRAM_H

#include "graph/universe.h"

enum step_kind { STEP_NODE, STEP_EDGE, STEP_OPERATION, STEP_COUNT, STEP_EMBARGO };

struct step {
    enum step_kind kind;
    uint32_t item; /* node, edge, operation, level, embargo */
};

typedef VECTOR(struct step) search_plan;

struct level_program {
    search_plan plan;
    numbers anchor;   /* what is bound and tells this application from others */
    numbers children; /* levels */
    numbers creators; /* nodes that it creates */
    bool changes;     /* it has something to do itself */
};

/* Does a rule find a label, does it forbid it? */
enum label_use { LABEL_FOUND = 1, LABEL_FORBIDDEN = 2 };

struct program {
    const struct rule *rule;
    uint32_t number;
    uint32_t bindings;
    bool is_condition;
    bool is_inheritable; /* inherit.h */
    uint8_t *label_use;  /* by label: a set of enum label_use; behind them of nodes without edges */
    struct level_program *levels;
    search_plan *embargoes;
    search_plan *from_node; /* by node of the root: the root's plan where that node is bound before */
    bool *is_plain;         /* by node: every ordinary node will do */
    uint32_t *constants;    /* of the bindings: the nodes of constants, all else NO_NUMBER */
};

/* After a failure program_clear is still to be called. */
enum portolan_status program_make(struct program *program, struct universe *universe, uint32_t rule,
                                  struct portolan_error *error);
void program_clear(struct program *program);

static inline uint32_t variable_binding(const struct rule *rule, uint32_t variable)
{
    return (uint32_t)rule->nodes.count + variable;
}

/* Where the label of an edge is bound: the variable of its wildcard, or a place of its own. */
static inline uint32_t label_binding(const struct rule *rule, uint32_t edge)
{
    uint32_t variable = rule->choices.item[rule->edges.item[edge].choice].variable;
    return variable != NO_NUMBER ? variable_binding(rule, variable)
                                 : (uint32_t)rule->nodes.count + rule->label_variables + edge;
}

#endif
