/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control flow of a proctype, element by element as Spin builds it (its flow.c and pangen2.c), so that states are
 * the same and so are their numbers: gotos, the ends of selections and blocks are passed over, but not where an atomic
 * sequence is left through one.
 */
#ifndef FRONT_PROMELA_FLOW_H
#define FRONT_PROMELA_FLOW_H

#include "front/promela/ast.h"

#define NO_ELEMENT UINT32_MAX

enum element_kind {
    ELEMENT_PLAIN, /* one statement */
    ELEMENT_CHOICE,
    ELEMENT_BLOCK, /* braces, or atomic */
    ELEMENT_D_STEP,
    ELEMENT_UNLESS,
    ELEMENT_PASSED, /* the end of a selection, what a break leads to */
    ELEMENT_GOTO,
    ELEMENT_END
};

struct element {
    enum element_kind kind;
    const struct statement *statement;
    uint32_t number; /* Spin's, in the order in which it makes elements */
    uint32_t next;
    uint32_t target;                /* ELEMENT_GOTO; of a choice: where its options end */
    uint32_t first_sub, subs;       /* in flow.subs: where options, the block, main and escape begin */
    uint32_t first_escape, escapes; /* in flow.escapes, the outermost first */
    bool in_atomic, is_last_in_atomic;
    bool in_d_step;
    bool is_end, is_progress, is_accepting;
    bool is_state; /* the process may rest here */
};

struct flow_label {
    const char *name;
    unsigned instance;
    uint32_t element;
    struct position at;
};

/* A step that leaves a state. */
struct transition {
    uint32_t element;
    uint32_t target; /* NO_ELEMENT: the end of the process */
    uint32_t escape; /* the first element of the escape that it belongs to; NO_ELEMENT: none */
    bool goes_on;    /* atomically */
};

struct transitions {
    struct transition *item;
    size_t count, capacity;
};

struct span {
    uint32_t first, last;
};

struct flow {
    VECTOR(struct element) elements;
    VECTOR(uint32_t) subs;
    VECTOR(struct span) escape_spans; /* per escape: its elements */
    VECTOR(struct flow_label) labels;
    uint32_t start;
    VECTOR(uint32_t) * element_escapes; /* while it is made: per element its escapes, as numbers of spans */
    VECTOR(uint32_t) escapes;           /* first elements */
    struct transitions transitions;     /* of each state, side by side */
    uint32_t *first_transition;         /* per element and one more; NULL until all states are known */
};

/* False when memory ran out or a label is missing: then the parser has failed. */
bool promela_flow(struct parser *parser, struct proctype *proctype);
void promela_flow_clear(struct flow *flow);
/* The transitions that leave a state, in Spin's order; false when memory ran out. */
bool flow_transitions(const struct flow *flow, uint32_t state, struct transitions *out);
uint32_t flow_label(const struct flow *flow, const char *name);

#endif
