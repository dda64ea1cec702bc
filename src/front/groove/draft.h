/* SPDX-License-Identifier: Apache-2.0 */
/* A rule while it is read: its graph, with what is known of each node. */
#ifndef FRONT_GROOVE_DRAFT_H
#define FRONT_GROOVE_DRAFT_H

#include "front/groove/expression.h"
#include "front/groove/parts.h"

struct draft_node {
    enum aspect role;       /* ASPECT_NONE: a reader */
    enum aspect quantifier; /* ASPECT_NONE: no level */
    bool is_product, is_remark;
    enum sort sort;
    uint32_t value; /* of a constant, or NO_NUMBER */
    const char *level_name, *id;
    uint32_t level;  /* where it is, of a quantifier: which it is; of the rule */
    uint32_t outer;  /* of a quantifier: the node of the level around it */
    uint32_t number; /* in the rule; NO_NUMBER: it has none */
    struct place at;
};

struct draft_parameter {
    uint32_t position; /* NO_NUMBER: hidden */
    struct rule_parameter parameter;
    struct place at;
};

/* Two nodes of one embargo. */
struct connection {
    uint32_t one, other; /* of the rule */
};

struct draft {
    struct rule_labels labels;
    const struct gxl *gxl;
    struct draft_node *nodes;
    VECTOR(uint32_t) adders; /* edges of the rule that are forbidden too */
    VECTOR(struct draft_parameter) parameters;
    VECTOR(struct connection) connections; /* or: */
};

/* Each returns false after an error. */
bool draft_wrong(struct draft *draft, struct place at, const char *what);
bool draft_edges(struct draft *draft);
bool draft_products(struct draft *draft);
bool draft_terms(struct draft *draft);
bool draft_embargoes(struct draft *draft);

/* "at", "in" or "count" to or from a quantifier, with or without "nested:"; NULL when the edge is none of them. */
const char *nesting(const struct draft *draft, const struct gxl_edge *edge);

/* Adds to the rule; NO_NUMBER when memory is exhausted. */
uint32_t add_rule_node(struct draft *draft, struct rule_node node);
bool add_rule_edge(struct draft *draft, struct rule_edge edge);
/* The deeper of two levels, one of which must be within the other; NO_NUMBER and an error if not. */
uint32_t deeper_level(struct draft *draft, struct place at, uint32_t one, uint32_t other);

/* ------------------------------------------------------------------ operators */

struct operator_of_values {
    const char *name;
    enum operator_kind kind;
    uint32_t operands;
    unsigned sorts;   /* of the operands: bits */
    enum sort result; /* SORT_NONE: that of the operands */
};

const struct operator_of_values *find_operator(const char *name, enum sort sort);
bool add_operation(struct draft *draft, struct rule_operation operation);

#endif
