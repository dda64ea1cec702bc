/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boolean expressions over the states of a system; docs/properties.md is the language.  They are trees of
 * src/expression, whose names are the variables and actions of the system.
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
/* The same of an expression whose value is a number. */
enum portolan_status expression_parse_number(const struct portolan_system *system, const char *text,
                                             struct expression **out, struct portolan_error *error);
/* Is it the name of a variable (or an action, or what is fireable when one of several actions is), and of one only? */
bool expression_knows(const struct portolan_system *system, bool is_action, const char *name);
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
/* The value of an expression that expression_parse_number has read; false when it has none. */
bool expression_number(const struct expression *expression, const struct portolan_system *system, const void *state,
                       int64_t *number);
/* Which part has no value in the state, and why; false when the expression has one. */
bool expression_why_no_value(const struct expression *expression, const struct portolan_system *system,
                             const void *state, bool is_deadlock, char *text, size_t size);
static inline bool expression_holds(const struct expression *expression, const struct portolan_system *system,
                                    const void *state, bool is_deadlock)
{
    return expression_value(expression, system, state, is_deadlock) == EXPRESSION_TRUE;
}

/* Makes it one over another system: variable v becomes variables[v] there, action a actions[a].  False when memory is
 * exhausted: then it can only be freed. */
bool expression_renumber(struct expression *expression, const uint32_t *variables, const uint32_t *actions);

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

#endif
