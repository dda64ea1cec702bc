/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph grammar with a fixed list of rule applications: an entity system.
 *
 * Nodes and edges are entities (Kastenberg and Rensink, CONCUR 2008, section 2.2); a rule with the images of its
 * left-hand side reads, forbids, deletes and creates some of them.  A created node is named by the application that
 * creates it, as with graphs compared for equality: (rule, images of the anchor, creator, k), with the least k whose
 * node is not there.  So graphs are sets of entities, and states are those of the grammar without isomorphism.
 *
 * Which applications there can be is found by saturation: what was once there stays, and embargoes are ignored.
 * Alone that rarely ends, because an application could then create its node again and again.  So pairs are saturated
 * (Haslum and Geffner, "Admissible heuristics for optimal planning", AIPS 2000: h^2): which two entities can be there
 * at once?  Everything is an upper bound: what is not found cannot happen.
 */
#ifndef GRAPH_GROUND_GROUND_H
#define GRAPH_GROUND_GROUND_H

#include "base/lists.h"
#include "base/sequences.h"
#include "front/entities/entities.h"
#include "graph/obstacle.h"

struct ground_node {
    uint32_t value;  /* of the grammar; NO_NUMBER: an ordinary node */
    uint32_t type;   /* with a type graph: its label */
    uint32_t entity; /* NO_NUMBER for a value, which is always there */
    uint32_t first_out, first_in;
    const char *name; /* NULL: created */
};

struct ground_edge {
    uint32_t from, label, to;
    uint32_t entity;
    uint32_t next_out, next_in, next_of_label;
};

struct ground_entity {
    bool is_node;
    uint32_t number; /* of the node or edge */
};

/* Everything that may be there at some time. */
struct ground_graph {
    struct grammar *grammar; /* to which computed values are added */
    VECTOR(struct ground_node) nodes;
    VECTOR(struct ground_edge) edges;
    VECTOR(struct ground_entity) entities;
    struct sequences edge_numbers; /* from, label, to */
    struct sequences fresh_names;  /* rule, creator, k, anchor */
    VECTOR(uint32_t) fresh_node;
    VECTOR(uint32_t) value_node; /* by value */
    VECTOR(uint32_t) first_of_label;
    struct obstacle no_value; /* a number is too large, or divided by zero: in the grammar that is its own error */
};

/* --- graph.c: numbers, NO_NUMBER when memory is exhausted */
bool ground_start(struct ground_graph *u, struct grammar *grammar);
/* The node of a value; NO_NUMBER when memory is exhausted. */
uint32_t ground_value(struct ground_graph *u, uint32_t value);
void ground_clear(struct ground_graph *u);
uint32_t ground_edge(struct ground_graph *u, uint32_t from, uint32_t label, uint32_t to);
/* The same if it is known; NO_NUMBER: it is not. */
uint32_t ground_find_edge(const struct ground_graph *u, uint32_t from, uint32_t label, uint32_t to);
/* name: rule, creator, k and anchor. */
uint32_t ground_fresh(struct ground_graph *u, const uint32_t *name, size_t length, uint32_t type);
/* A label of a type graph, which belongs to the node. */
static inline bool is_node_type(const struct grammar *grammar, uint32_t label)
{
    return grammar->is_typed && grammar->labels.item[label].kind == LABEL_TYPE;
}

/* --- match.c */

/* The root of a rule (embargo NO_NUMBER), or one of its embargoes where the root is matched already. */
struct matching {
    struct ground_graph *graph;
    const struct rule *rule;
    uint32_t embargo;
    uint32_t *node;   /* node of the rule -> node; NO_NUMBER: open */
    uint32_t *edge;   /* edge of the rule -> edge; of what is no single edge NO_NUMBER */
    uint32_t *label;  /* variable -> label */
    bool *done;       /* edges of the rule, then operations */
    uint32_t current; /* edge of the rule whose source has just been matched */
    bool (*found)(struct matching *matching, void *user); /* false ends the matching as failed */
    void *user;
    bool failed;
};

bool matching_start(struct matching *m, struct ground_graph *u, const struct rule *rule);
void matching_clear(struct matching *m);
/* Every match; or every one in which an edge of the rule is this edge, or a node this node. */
bool match_all(struct matching *m);
bool match_with_edge(struct matching *m, uint32_t edge);
bool match_with_node(struct matching *m, uint32_t node);
/* The ways to complete an embargo of what is matched. */
bool match_embargo(struct matching *m, uint32_t embargo, bool (*found)(struct matching *, void *), void *user);
static inline bool is_lhs(enum role role)
{
    return role == ROLE_READER || role == ROLE_ERASER;
}

/* --- pairs.c: which two facts, an entity is there or is not, can be true together */
struct pairs {
    uint64_t *row; /* a square of bits, symmetric; (f, f): it can be true at all */
    size_t words;
    uint32_t capacity;
    uint32_t *changed; /* per fact: when its row last changed */
    uint32_t clock;
};

static inline uint32_t there(uint32_t entity)
{
    return 2 * entity;
}

static inline uint32_t missing(uint32_t entity)
{
    return 2 * entity + 1;
}

bool pairs_grow(struct pairs *pairs, uint32_t facts);
void pairs_clear(struct pairs *pairs);
bool pairs_have(const struct pairs *pairs, uint32_t a, uint32_t b);
void pairs_add(struct pairs *pairs, uint32_t a, uint32_t b);

/* --- saturate.c */

/* A match of a rule and which of the nodes of each name are there already.  Its entities are in `items`. */
struct application {
    uint32_t rule;
    uint32_t match;  /* of matches */
    uint32_t anchor; /* of anchors */
    size_t first;    /* needed, then added, then deleted: numbers of entities */
    uint32_t needed, added, deleted;
    uint32_t checked; /* the clock of the pairs when it was last tried */
    bool is_possible;
};

struct saturation {
    struct ground_graph graph;
    struct pairs pairs;
    struct sequences matches; /* rule, nodes, edges, label variables */
    struct sequences anchors; /* rule, anchor */
    struct sequences names;   /* match, k of each creator: an application */
    VECTOR(struct application) applications;
    VECTOR(uint32_t) items;
    VECTOR(uint32_t) demanded;   /* scratch: the facts that an application needs to be true */
    VECTOR(uint32_t) completion; /* scratch: of an embargo */
    uint32_t start_entities;     /* those of the start graph come first */
    uint32_t met_entities;       /* that have facts */
    uint32_t seen_entities;      /* with which matches were looked for */
    size_t most;                 /* entities, and applications */
    uint64_t work;               /* words of pairs that were looked at */
    bool is_too_large;
};

/* False when memory is exhausted, a limit was reached, or (is_too_large) the bound was passed. */
bool saturate(struct saturation *s, struct grammar *grammar);
void saturation_clear(struct saturation *s);
/* The images of a match, laid out as in struct matching. */
void load_match(const struct saturation *s, uint32_t match, struct matching *m);
/* Is the node of the rule one that tells applications apart? */
bool is_anchor(const struct rule *rule, uint32_t node);
/* Writes to `completion` what makes the match of an embargo: entities that are all there when it is violated. */
bool find_completion(struct saturation *s, const struct matching *m);

/* --- variants.c */

/* What an action does with an entity. */
enum touch_role { TOUCH_READ, TOUCH_DELETE, TOUCH_FORBID, TOUCH_CREATE, TOUCH_ROLES };

/* Actions, as lists of entity * TOUCH_ROLES + role. */
struct row {
    size_t first;
    uint32_t count;
    int64_t priority; /* NO_PRIORITY: it keeps nothing from happening */
};

#define NO_PRIORITY INT64_MIN

struct rows {
    VECTOR(struct row) list;
    VECTOR(uint32_t) items;
    size_t most; /* of one application */
    bool too_many;
};

/* Adds the rows of an application: one for each way in which what it does not need may be there.  Those of all
 * applications with a higher priority are there already: none of them may be enabled, if it gives way.  Otherwise the
 * rows only tell whether the rule can be matched. */
bool add_variants(struct saturation *s, const struct application *application, bool gives_way, struct rows *rows);

/* --- system.c */

/* A system with every view, whose states are those of the grammar without isomorphism; PORTOLAN_REFUSED: there is no
 * list.  The grammar must outlive the call only. */
enum portolan_status ground_system_new(struct grammar *grammar, struct portolan_system **system,
                                       struct portolan_error *error);

#endif
