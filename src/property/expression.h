/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boolean expressions over the states of a system; docs/properties.md is the
 * language.  An expression is parsed into a postfix sequence of nodes (the
 * intermediate form), which is compiled into a program for a small stack
 * machine.
 */
#ifndef PROPERTY_EXPRESSION_H
#define PROPERTY_EXPRESSION_H

#include "portolan/portolan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expression;

/*
 * Compiles text, which must be boolean, for a system.  Names are looked up with find_variable and find_action, or
 * among variable_name and action_name where those are missing.  On failure *out is NULL.
 */
enum portolan_status expression_parse(const struct portolan_system *system, const char *text, struct expression **out,
                                      struct portolan_error *error);
/* The same with a name that stands for the file in errors, where expression_parse has "<expression>". */
enum portolan_status expression_parse_named(const struct portolan_system *system, const char *file, const char *text,
                                            struct expression **out, struct portolan_error *error);
/* Accepts NULL. */
void expression_free(struct expression *expression);

enum expression_value { EXPRESSION_FALSE, EXPRESSION_TRUE, EXPRESSION_NO_VALUE };

/*
 * The value in a state of the system it was parsed for.  is_deadlock is the value of `deadlock`.  It has none where a
 * number that is needed has none: it divides by zero, or does not fit into 64 bits.
 * Uses scratch memory of the expression: one call at a time.
 */
enum expression_value expression_value(const struct expression *expression, const struct portolan_system *system,
                                       const void *state, bool is_deadlock);
static inline bool expression_holds(const struct expression *expression, const struct portolan_system *system,
                                    const void *state, bool is_deadlock)
{
    return expression_value(expression, system, state, is_deadlock) == EXPRESSION_TRUE;
}

/*
 * Sets visible[a] for every action a that may change the value; visible has an entry per fixed action.
 * `deadlock` marks nothing: whoever uses it asks the three functions below first.
 */
void expression_mark_visible(const struct expression *expression, const struct portolan_system *system, bool *visible);

/* After constants have been folded: "deadlock && false" does not mention it. */
bool expression_mentions_deadlock(const struct expression *expression);
/* It is false wherever `deadlock` is, whatever the rest ("deadlock && p > 3").  May miss cases, never errs. */
bool expression_only_in_deadlocks(const struct expression *expression);
/* It is true wherever `deadlock` is false, whatever the rest ("deadlock -> p > 3").  May miss cases, never errs. */
bool expression_only_fails_in_deadlocks(const struct expression *expression);

/* --------------------------------------------------- the intermediate form */

enum expression_operation {
    EXPRESSION_CONSTANT, /* operand is the value; booleans are 0 and 1 */
    EXPRESSION_VARIABLE, /* operand is the variable */
    EXPRESSION_FIREABLE, /* operand is the action */
    EXPRESSION_DEADLOCK,
    EXPRESSION_NEGATE, /* one child, from here on */
    EXPRESSION_NOT,
    EXPRESSION_ADD, /* two children, from here on */
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_REMAINDER,
    EXPRESSION_EQUAL, /* comparisons, each beside its negation */
    EXPRESSION_NOT_EQUAL,
    EXPRESSION_LESS,
    EXPRESSION_GREATER_EQUAL,
    EXPRESSION_GREATER,
    EXPRESSION_LESS_EQUAL,
    EXPRESSION_IFF,
    EXPRESSION_AND,
    EXPRESSION_OR
};

/* Children come before their parent: the last child of node n is n - 1, the one before it n - 1 - node[n - 1].size. */
struct expression_node {
    enum expression_operation operation;
    uint32_t size; /* nodes of this subtree, with itself */
    int64_t operand;
};

/* What an operator with two integer or boolean operands gives; false when it gives nothing: a result of more than 64
 * bits, a division by zero. */
bool expression_apply(enum expression_operation operation, int64_t left, int64_t right, int64_t *result);
/* Are there operands for which it gives nothing? */
bool expression_may_fail(enum expression_operation operation);

/* Compiles one boolean tree.  Takes over nodes (from malloc), also on failure. */
enum portolan_status expression_compile(const struct portolan_system *system, struct expression_node *nodes,
                                        size_t count, struct expression **out, struct portolan_error *error);

#endif
