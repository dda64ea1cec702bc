/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions, compiled and evaluated: postfix code for a stack machine.  The code is plain data; what it reads comes
 * from the evaluation that it is run in.
 */
#ifndef EXPRESSION_CODE_H
#define EXPRESSION_CODE_H

#include "expression/tree.h"

struct expression_instruction {
    uint16_t code;
    uint16_t operation;
    uint32_t target; /* of a jump, a loop */
    union {
        int64_t operand;
        const struct node *node;
    };
};

struct expression_code {
    VECTOR(struct expression_instruction) program;
    VECTOR(const struct node *) origin; /* of each instruction */
    uint32_t stack;                     /* values on it at once, at most */
    struct expression_code *next;       /* in a list */
};

/* Where and on what an expression is evaluated; only what it reads need be there. */
struct evaluation {
    int32_t *slots;
    const int32_t *const *rows; /* of cells */
    /* the state of a system */
    const struct portolan_system *system;
    const void *state;
    bool is_deadlock;
    uint32_t *enabled; /* room for all actions, where fireable is asked without relations */
    /* messages that aggregates go through: bind makes the slots those of one of them */
    uint32_t messages;
    void (*bind)(void *user, uint32_t message);
    void *user;
    /* what had no value, NULL when everything had one */
    const char *failure;
    const struct node *failed_at;
};

/*
 * Compiles a tree; with `fuse` operations and their constant operands become one instruction, and then only the whole
 * can be evaluated, not its parts.  The tree must outlive the code.  False when memory ran out.
 */
bool code_make(struct expression_code *code, struct node *tree, bool fuse);
void code_clear(struct expression_code *code);

/* The value of the node; 0 where it has none, and then evaluation->failure says why.  Several may run at a time. */
int64_t code_value(const struct node *node, struct evaluation *evaluation);

#endif
