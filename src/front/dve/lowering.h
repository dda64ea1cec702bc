/* SPDX-License-Identifier: Apache-2.0 */
/* A DVE model becomes processes as guarded commands. */
#ifndef FRONT_DVE_LOWERING_H
#define FRONT_DVE_LOWERING_H

#include "front/dve/ast.h"
#include "model/model.h"

enum failure { FAILURE_DIVISION, FAILURE_SHIFT, FAILURES };

struct operand {
    bool is_number;
    int32_t value; /* or the register */
};

/* Code addresses of jumps that wait for their target. */
struct patches {
    VECTOR(uint32_t) at;
};

struct lowering {
    struct syntax *syntax;
    struct model *m;
    uint32_t committed; /* cell that counts processes in committed states; MODEL_NONE: there are no such states */
    uint32_t *first_location, *failures; /* per process: its locations, the code of its failures */
    uint32_t *cell_variable;             /* per cell: the variable of the model that shows it */
    uint32_t *process_variable;          /* per process: the same */
    uint8_t numbers;                     /* type of expressions */
    uint32_t acting;                     /* the process whose code is made */
    bool may_fail;                       /* something has code for it */
    uint32_t top, most;                  /* registers in use */
};

/* The ways in which a process fails: those above, and per variable an index that is out of bounds. */
static inline uint32_t dve_failures(const struct lowering *l)
{
    return FAILURES + (uint32_t)l->syntax->variables.count;
}

/* code.c */
struct operand emit_value(struct lowering *l, const struct node *node);
/* Jumps when the truth of the node is `sense`. */
void emit_jump_if(struct lowering *l, const struct node *node, bool sense, struct patches *patches);
void emit_target(struct lowering *l, struct patches *patches);
/* The action blocks unless the condition holds. */
void emit_require(struct lowering *l, const struct node *condition);
/* variable = value, which comes from the node (NULL: anywhere), wrapped round. */
void emit_assign(struct lowering *l, const struct node *variable, struct operand value, const struct node *from);
struct instruction *emit_code(struct lowering *l, enum code code);
void code_a(struct instruction *i, struct operand operand);
/* Can evaluating it go wrong? */
bool dve_may_fail(const struct syntax *syntax, const struct node *node);

/* actions.c */
bool dve_lower_actions(struct lowering *l);
/* variables.c: names for all, truths that are not variables, what is to be checked. */
bool dve_lower_variables(struct lowering *l);
void dve_language_free(void *language);

#endif
