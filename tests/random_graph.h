/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small random graph grammars, reproducible from a seed and a number: written as GROOVE grammars, and explored by a
 * naive interpreter that tries every map of nodes and knows nothing of the engine.
 */
#ifndef TESTS_RANDOM_GRAPH_H
#define TESTS_RANDOM_GRAPH_H

#include "portolan/portolan.h"
#include "random_net.h"

enum {
    GRAPH_RULES = 4,
    GRAPH_RULE_NODES = 5,
    GRAPH_RULE_EDGES = 8,
    GRAPH_NODES = 8, /* of one graph */
    GRAPH_EDGES = 48,
    GRAPH_BINARY = 3, /* labels a, b, c; then the flags p, q */
    GRAPH_LABELS = 5,
    GRAPH_TYPES = 3,                          /* T and its subtypes A and B; labels behind the others */
    GRAPH_VALUE = GRAPH_LABELS + GRAPH_TYPES, /* the label v, which leads to an integer */
    GRAPH_ALL_LABELS,
    GRAPH_STATES = 400
};

enum draft_role { DRAFT_READ, DRAFT_DELETE, DRAFT_CREATE, DRAFT_FORBID };

enum draft_edge_kind {
    DRAFT_LABEL,
    DRAFT_ANY,      /* ?: any binary label */
    DRAFT_VARIABLE, /* ?x: any binary label, the same in the whole rule */
    DRAFT_PATH,     /* one of the expressions of random_graph.c */
    DRAFT_EQUAL     /* forbidden: different nodes; created: merged */
};

struct draft_rule_edge {
    uint8_t from, to;
    enum draft_role role;
    enum draft_edge_kind kind;
    uint8_t label; /* or the number of the expression */
    bool inner;    /* of the quantifier, though its ends need not be */
};

enum draft_quantifier { DRAFT_PLAIN, DRAFT_FORALL, DRAFT_FORALL_NON_EMPTY, DRAFT_EXISTS, DRAFT_EXISTS_OPTIONAL };

/* A rule may find an integer at a node, compare it, and give a node another that is larger. */
struct draft_value {
    bool used, deletes, adds;
    uint8_t node, target; /* of the root; the target is only read */
    uint8_t bound;        /* the value is less; 0: any */
    uint8_t more;
};

struct rule_draft {
    uint8_t nodes, edges, priority;
    bool injective;
    enum draft_quantifier quantifier; /* one level below the root */
    bool inner[GRAPH_RULE_NODES];     /* nodes of that level */
    enum draft_role role[GRAPH_RULE_NODES];
    uint8_t type[GRAPH_RULE_NODES];
    struct draft_value value;
    struct draft_rule_edge edge[GRAPH_RULE_EDGES];
};

static inline bool is_inner_edge(const struct rule_draft *rule, unsigned edge)
{
    return rule->edge[edge].inner || rule->inner[rule->edge[edge].from] || rule->inner[rule->edge[edge].to];
}

struct draft_edge {
    uint16_t from;
    uint16_t label;
    uint16_t to;
};

/* How many edges of a binary label may leave a node, or arrive; of a typed grammar. */
struct draft_multiplicity {
    bool used, is_in;
    uint8_t label, least, most;
};

struct graph_draft {
    uint8_t rules, nodes, edges;
    struct draft_multiplicity multiplicity;
    bool isomorphism, injective, dangling, creator_edges, rhs_is_nac, typed;
    uint8_t type[GRAPH_NODES];  /* of the nodes of the start graph */
    uint8_t value[GRAPH_NODES]; /* and one more than what v leads to, or 0 */
    struct rule_draft rule[GRAPH_RULES];
    struct draft_edge edge[GRAPH_EDGES]; /* of the start graph */
};

void graph_draft_random(struct graph_draft *draft, struct random *random);
/* Writes the grammar into a directory that exists. */
bool graph_draft_write(const struct graph_draft *draft, const char *directory);
/* Writes what is in the directory as text; PORTOLAN_REFUSED: it has no words for something. */
enum portolan_status graph_draft_convert(const char *directory, const char *file, struct portolan_error *error);
void graph_draft_print(const struct graph_draft *draft);
/* Leaves one part out, if there is a part of this number; false when there is none. */
bool graph_draft_without(const struct graph_draft *draft, unsigned part, struct graph_draft *less);

/* What a path expression means: the pairs of nodes that it relates, as bit rows; `edge` has the edges by label. */
void draft_path_pairs(uint8_t expression, unsigned nodes, const uint16_t edge[GRAPH_ALL_LABELS][GRAPH_NODES],
                      uint16_t pairs[GRAPH_NODES]);

/* What properties can ask of one state. */
struct graph_facts {
    unsigned nodes, edges[GRAPH_ALL_LABELS];
    bool applies[GRAPH_RULES];
};

struct graph_truth {
    unsigned states, transitions, finals;
    struct graph_facts facts[GRAPH_STATES];
};

/* A property in the engine's words, and what it is of a state. */
struct graph_question {
    bool reach;            /* an invariant otherwise */
    uint8_t subject, rule; /* 0: nodes; 1 to GRAPH_LABELS: edges of a label; then whether the rule applies; then
                              the nodes of type T and of type A */
    unsigned bound;        /* at most so many */
};

void graph_question_random(const struct graph_draft *draft, struct random *random, struct graph_question *question);
/* Are the rule and the label, which is one of the start graph, still there? */
bool graph_question_fits(const struct graph_question *question, const struct graph_draft *draft);
void graph_question_text(const struct graph_question *question, char *text, size_t size);
bool graph_question_holds(const struct graph_question *question, const struct graph_truth *truth);

/* False when the grammar is too large for it. */
bool graph_draft_explore(const struct graph_draft *draft, struct graph_truth *truth);

#endif
