/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a binder.
 *
 * A pattern is a term of an input arc that takes one token a fixed number of times: it binds the variables that stand
 * alone in its tuple.  All other terms are evaluated once everything is bound.  A plan is an order of steps for one
 * transition: match a pattern, compare, check a part of the guard, evaluate a let, try one value after the other. There
 * is a plan for each pattern to begin with, since a new token is matched first.
 *
 * A binding is given when no part of the guard is false.  What cannot be evaluated does not end the search for it: the
 * rest is matched as far as it is known, so that the order of the steps makes no difference.  A component that cannot
 * be evaluated matches any value, a variable without a value makes all that uses it fail.
 */
#ifndef HIGHLEVEL_BINDER_H
#define HIGHLEVEL_BINDER_H

#include "highlevel/label.h"
#include "highlevel/token_index.h"

enum { NO_VARIABLE = UINT32_MAX, NO_PATTERN = UINT32_MAX, NO_TOKEN = UINT32_MAX };

/* Something to evaluate, and the variables it uses. */
struct formula {
    const struct node *node;
    const uint32_t *uses;
    uint32_t use_count;
};

struct component {
    struct formula value;
    uint32_t variable;      /* that it is; NO_VARIABLE: it is something else, or its variable is bound elsewhere */
    uint32_t offset, cells; /* in the tuple */
    const struct colour_type *narrower; /* what the variable may be, where that is not all of the domain */
};

struct pattern {
    uint32_t place, count;
    struct component *component;
    uint32_t components;
};

/* An arc that is evaluated as a whole. */
struct label {
    uint32_t place;
    const struct arc_term *terms;
    struct formula uses; /* no node */
};

enum step_kind {
    STEP_MATCH,   /* pattern */
    STEP_COMPARE, /* component of pattern, which was matched before */
    STEP_CHECK,   /* part of the guard */
    STEP_LET,     /* variable */
    STEP_EACH     /* value of the variable */
};

/* What matching does with a component. */
enum role {
    ROLE_KEY,  /* its value is known before */
    ROLE_BIND, /* it gives its variable a value */
    ROLE_SAME, /* another component of the same pattern has given its variable a value */
    ROLE_LATER /* it is compared by a later step */
};

struct step {
    enum step_kind kind;
    uint32_t number; /* of the pattern, part of the guard, variable */
    uint32_t component;
    unsigned char *role; /* of each component */
    bool is_look_up;     /* all of them are keys */
    struct token_index *index;
    /* while it runs */
    int64_t *key;       /* a tuple */
    bool *is_wild;      /* components of it that cannot be evaluated */
    uint32_t at, count; /* the candidates: those of the source from `at` on, ... */
    bool by_index;      /* ... or of the index from entry `at` on, ... */
    uint32_t one;       /* ... or this one, unless it is NO_TOKEN */
    struct iteration_state iteration;
    VECTOR(int64_t) seen; /* values of a list that came before */
    const char *failure;
    const struct node *failed_at;
};

struct plan {
    struct step *step; /* NULL: not made yet */
    uint32_t steps;
};

struct rule { /* a transition, prepared */
    const struct colour_transition *transition;
    struct pattern *pattern;
    uint32_t patterns;
    struct formula *check; /* the parts of the guard */
    uint32_t checks;
    struct formula *value;            /* of each variable: a let's value, what a pick goes through */
    struct label *in, *out, *inhibit; /* in: what is not covered by patterns */
    uint32_t ins, outs, inhibits;
    struct formula priority;
    struct plan *plan; /* that begins with pattern i; the last one is for no pattern */
};

struct binder {
    const struct colour_net *net;
    struct tokens *tokens;
    struct arena arena; /* of rules and plans */
    struct rule *rule;
    struct token_index *indexes;
    struct colour_evaluation evaluation;
    uint32_t frame;    /* cells of evaluation.frame, the largest */
    int64_t *clean;    /* the frame that is given: 0 wherever there is no variable */
    bool *has_failed;  /* per variable: it has no value */
    uint32_t *matched; /* per pattern: its token */
    struct labels labels;
    struct token_bag in, out, inhibit; /* of the present binding */
    const struct token_source *source;
    uint32_t anchor;
    uint64_t steps_left; /* of all plans */
    const char *failure; /* of the present binding */
    const struct node *failed_at;
};

/* prepare.c */
bool prepare_rule(struct binder *binder, struct rule *rule, const struct colour_transition *transition);
/* Cells that evaluating the labels of initial markings and capacities asks for. */
uint32_t initial_frame(const struct colour_net *net);
/* plan.c: the plan that begins with this pattern (NO_PATTERN: with any); NULL when memory is exhausted. */
struct plan *plan_for(struct binder *binder, struct rule *rule, uint32_t first);

#endif
