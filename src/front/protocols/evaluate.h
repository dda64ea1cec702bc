/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of expressions and statements. */
#ifndef FRONT_PROTOCOLS_EVALUATE_H
#define FRONT_PROTOCOLS_EVALUATE_H

#include "front/protocols/ast.h"

/* Why there is no value at an index. */
extern const char no_element[], no_member[];

struct environment {
    int32_t slot[MOST_SLOTS];
    int32_t *cells; /* of the process that acts */
    uint32_t process;
    /* what it consumes */
    const struct rule *rule;
    uint32_t size;
    const int32_t *fields[MOST_QUORUM];
    uint32_t senders[MOST_QUORUM]; /* processes */
    /* what went wrong first, NULL when nothing did */
    const char *failure; /* may be the text below */
    const struct position *failed_at;
    char text[200];
    /* sends, in their order: called for each message; fields are in the ranges of the message */
    void (*send)(struct environment *environment, const struct message_type *message, uint32_t to,
                 const int32_t *fields);
    void *user;
};

/* The value of an expression, which has been resolved, or a part of it. */
int64_t protocols_evaluate(struct environment *environment, const struct node *node);
/*
 * Is a condition about the state true?  The rows are the cells of all processes, and one that says who has crashed.
 * Where it has no value it is not true, and the evaluation says why and where.
 */
bool condition_holds(const struct condition *condition, const int32_t *const *rows, struct evaluation *evaluation);
/* Makes the names of a pattern stand for the fields of message j of the input. */
void bind_message(struct environment *environment, uint32_t j);
/* Does the input match the patterns, and does the condition hold (for each message)?  True when that fails. */
bool rule_is_enabled(struct environment *environment);
/* Runs statements; stops where something fails. */
void protocols_execute(struct environment *environment, const struct statement *body);

#endif
