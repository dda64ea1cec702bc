/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph grammar as its readers leave it: labels, types, values, start graphs, rules, a control program.
 *
 * A graph has nodes and edges (from, label, to); there are no parallel edges of one label.  Node labels are
 * self-loops.  A value (3, "a", true) is a node that is its value: there is one of each, in every graph that has
 * edges to it.  A rule is a tree of levels: the root, which is matched once, and below it the quantified ones.
 * Semantics: single push-out on simple graphs, as GROOVE has it (Rensink, "The GROOVE simulator", AGTIVE 2003;
 * nested rules: Rensink and Kuperus, "Repotting the geraniums", GT-VMT 2009).
 */
#ifndef GRAPH_GRAMMAR_H
#define GRAPH_GRAMMAR_H

#include "base/names.h"
#include "base/sequences.h"
#include "base/vector.h"

#include <portolan/portolan.h>

#define NO_NUMBER UINT32_MAX

/* ------------------------------------------------------------------ labels and types */

/* Three spaces: type:A, flag:A and A are different labels. */
enum label_kind { LABEL_BINARY, LABEL_FLAG, LABEL_TYPE };

struct label {
    enum label_kind kind;
    const char *text;
};

/* A node type of the type graph: the label, its direct supertypes. */
struct node_type {
    uint32_t label;
    bool is_abstract;
    VECTOR(uint32_t) supertypes; /* labels */
};

/* An edge that the type graph allows, with multiplicities. */
struct edge_type {
    uint32_t from, label, to;                        /* from and to: labels of types */
    uint32_t most_in, most_out, least_in, least_out; /* NO_NUMBER: any number */
    bool is_part;                                    /* the source contains the target */
};

/* ------------------------------------------------------------------ values */

enum sort { SORT_NONE, SORT_INT, SORT_REAL, SORT_BOOL, SORT_STRING };

struct value {
    enum sort sort;
    union {
        int64_t integer; /* also of SORT_BOOL; the algebra says when it overflows */
        double real;
        const char *string;
    };
};

/* ------------------------------------------------------------------ graphs */

struct host_node {
    uint32_t value; /* a number of grammar.values; NO_NUMBER: an ordinary node */
    const char *name;
};

struct host_edge {
    uint32_t from, label, to;
};

struct host_graph {
    const char *name;
    VECTOR(struct host_node) nodes;
    VECTOR(struct host_edge) edges;
};

/* ------------------------------------------------------------------ rules */

/* What a wildcard takes: labels of one kind, all but some, or only some. */
struct label_choice {
    enum label_kind kind;
    bool is_complement;
    VECTOR(uint32_t) labels; /* empty and a complement: any */
    uint32_t variable;       /* of the rule: the label is bound to it, and the same wherever it stands; NO_NUMBER */
};

/* A regular path expression as an automaton without empty steps but for `accepting` and `is_start`. */
enum path_step_kind { PATH_LABEL, PATH_CHOICE, PATH_TYPE };

struct path_step {
    uint32_t from, to; /* states */
    enum path_step_kind kind;
    bool backwards;  /* along an edge from its target to its source */
    uint32_t label;  /* PATH_LABEL; PATH_TYPE: the node has this type (or a subtype) */
    bool is_exact;   /* of a type: no subtype */
    uint32_t choice; /* PATH_CHOICE: of rule.choices */
};

struct path {
    const char *text;
    uint32_t states; /* 0 is the start */
    VECTOR(struct path_step) steps;
    VECTOR(bool) accepting; /* by state; state 0 accepting: the empty path will do */
};

enum role { ROLE_READER, ROLE_ERASER, ROLE_CREATOR, ROLE_EMBARGO };

struct rule_node {
    enum role role;
    uint32_t level;
    uint32_t embargo;       /* of ROLE_EMBARGO: to which it belongs; else NO_NUMBER */
    bool is_edge;           /* it stands for an edge, of which there may be several */
    uint32_t type;          /* label of its type; NO_NUMBER: any node */
    bool is_exact_type;     /* no subtype */
    uint32_t type_variable; /* the type label is bound to it; NO_NUMBER */
    enum sort sort;         /* SORT_NONE: an ordinary node */
    uint32_t value;         /* of a constant; NO_NUMBER */
    const char *name;       /* for reports and for `id:`; may be NULL */
    unsigned line, column;
};

enum rule_edge_kind {
    EDGE_LABEL,  /* one label */
    EDGE_CHOICE, /* a wildcard */
    EDGE_PATH,   /* a regular path; a reader or in an embargo */
    EDGE_EQUAL /* reader: the same node; creator: merge them, the first stays; embargo: forbidden that they are the same
                */
};

struct rule_edge {
    enum role role;
    enum rule_edge_kind kind;
    bool is_negated; /* in an embargo: what is forbidden has no such edge, or two nodes that differ */
    uint32_t level, embargo;
    uint32_t from, to; /* nodes of the rule */
    uint32_t label, choice, path;
    unsigned line, column;
};

enum operator_kind { /* of values; each knows its sorts */
                     OPERATOR_ADD,
                     OPERATOR_SUB,
                     OPERATOR_MUL,
                     OPERATOR_DIV,
                     OPERATOR_MOD,
                     OPERATOR_MIN,
                     OPERATOR_MAX,
                     OPERATOR_NEG,
                     OPERATOR_ABS,
                     OPERATOR_EQ,
                     OPERATOR_NEQ,
                     OPERATOR_LT,
                     OPERATOR_LE,
                     OPERATOR_GT,
                     OPERATOR_GE,
                     OPERATOR_AND,
                     OPERATOR_OR,
                     OPERATOR_NOT,
                     OPERATOR_IMPLIES,
                     OPERATOR_CONCAT,
                     OPERATOR_LENGTH,
                     OPERATOR_ITE,
                     OPERATOR_TO_INT,
                     OPERATOR_TO_REAL,
                     OPERATOR_TO_STRING
};

#define MOST_OPERANDS 3

/* result = operator(operands): a result that is a constant or bound already is a test. */
struct rule_operation {
    enum operator_kind kind;
    enum sort sort; /* of the operands */
    uint32_t level, embargo;
    uint32_t operand[MOST_OPERANDS];
    uint32_t operand_count;
    uint32_t result; /* nodes */
    unsigned line, column;
};

/* One thing that must not be there: matched like a pattern of its own once its level is. */
struct embargo {
    uint32_t level;
};

enum level_kind {
    LEVEL_ROOT,
    LEVEL_FORALL,           /* once for every match, also for none */
    LEVEL_FORALL_NON_EMPTY, /* for at least one */
    LEVEL_EXISTS,           /* one match is chosen */
    LEVEL_EXISTS_OPTIONAL   /* one match if there is any */
};

struct rule_level {
    enum level_kind kind;
    uint32_t parent; /* NO_NUMBER for the root, which is level 0 */
    uint32_t count;  /* node whose value is the number of matches (nested:count); NO_NUMBER */
    const char *name;
};

enum direction { PARAMETER_IN, PARAMETER_OUT, PARAMETER_BOTH };

struct rule_parameter {
    enum direction direction;
    uint32_t node;
    bool is_hidden; /* not shown in names of transitions, but part of the anchor */
};

/* A condition tells something about a state; see is_condition. */
enum action_role { ACTION_BY_EFFECT, ACTION_TRANSFORMER, ACTION_CONDITION };

struct rule {
    const char *name;
    const char *file; /* where it stands; NULL: nobody knows */
    unsigned line, column;
    int64_t priority;
    enum action_role action_role;
    bool is_injective;
    bool is_enabled;
    bool checks_dangling; /* copied from the grammar unless the rule says otherwise */
    VECTOR(struct rule_level) levels;
    VECTOR(struct embargo) embargoes;
    VECTOR(struct rule_node) nodes;
    VECTOR(struct rule_edge) edges;
    VECTOR(struct rule_operation) operations;
    VECTOR(struct label_choice) choices;
    VECTOR(struct path) paths;
    VECTOR(struct rule_parameter) parameters;
    uint32_t label_variables;
};

/* ------------------------------------------------------------------ the grammar */

struct control_program; /* control.h */

struct grammar {
    const char *name;
    const char *format; /* "gps", "gg" */
    bool up_to_isomorphism;
    bool conditions_are_steps; /* as GROOVE counts them; else they only tell something about states */
    bool is_typed;             /* it has a type graph: every ordinary node has one type */
    bool edges_are_nodes;      /* x -a-> e -> y stands for an edge a, of which there may be several */
    VECTOR(struct label) labels;
    VECTOR(struct value) values;
    VECTOR(struct node_type) node_types;
    VECTOR(struct edge_type) edge_types;
    struct host_graph start;
    VECTOR(struct host_graph) other_starts; /* that could be chosen instead; for writers */
    VECTOR(struct rule) rules;
    struct control_program *control; /* NULL: any rule, by priorities */
    const char *control_text;        /* as it was read, for writers; NULL: there is none */
    struct arena *arena;             /* of all strings */
    void (*free_control)(struct control_program *control);
    struct names label_index;     /* of grammar_label */
    struct sequences value_index; /* of grammar_value */
};

/* ------------------------------------------------------------------ building one */

/* NULL when memory is exhausted. */
struct grammar *grammar_new(const char *name, const char *format);
void grammar_free(struct grammar *grammar);

/* A copy in the arena; NULL when memory is exhausted. */
const char *grammar_text(struct grammar *grammar, const char *text, size_t length);

/* The number of a label or value, which is added when it is new; NO_NUMBER when memory is exhausted.  Texts are copied.
 * Values may also be added while the system runs, labels not. */
uint32_t grammar_label(struct grammar *grammar, enum label_kind kind, const char *text);
uint32_t grammar_value(struct grammar *grammar, struct value value);

/* A rule with its root level and nothing else, to be filled: valid until the next one is added.  NULL when memory is
 * exhausted. */
struct rule *grammar_rule(struct grammar *grammar, const char *name);

/* Is a type the other one or below it? */
bool is_subtype(const struct grammar *grammar, uint32_t type, uint32_t of);

/* Is the rule said to be a condition, or does it (unless it is said to be a transformer) change nothing, with priority
 * 0 and without parameters that must be given?  Then it tells something about a state: it is looked at in every state,
 * whatever the priorities, and is one step that stays there. */
bool is_condition(const struct rule *rule);

#endif
