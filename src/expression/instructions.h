/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of the stack machine, between code.c, which makes them, and evaluate.c. */
#ifndef EXPRESSION_INSTRUCTIONS_H
#define EXPRESSION_INSTRUCTIONS_H

enum instruction_code {
    PUSH_NUMBER, /* operand */
    PUSH_VARIABLE,
    PUSH_FIREABLE,
    PUSH_DEADLOCK,
    PUSH_SLOT,
    LOAD,         /* the cell of the node, whose indexes, `target` of them, are on the stack */
    LOAD_OF_SLOT, /* of the row that a slot says */
    CONTAINS,
    SIZE,
    CALCULATE, /* operation on the two topmost values */
    CALCULATE_ONE,
    COMPARE,
    INVERT,
    ADD_VARIABLE, /* 64 bits */
    EQUAL_NUMBER, /* in the order of the comparisons */
    NOT_EQUAL_NUMBER,
    LESS_NUMBER,
    LESS_EQUAL_NUMBER,
    GREATER_NUMBER,
    GREATER_EQUAL_NUMBER,
    JUMP_IF_FALSE, /* keeps the false value when it jumps, drops the true one when not */
    JUMP_IF_TRUE,
    JUMP_IMPLIED, /* makes the false value true and jumps, or drops the true one */
    JUMP_UNLESS,  /* drops the value */
    JUMP,
    BEGIN_VALUES, /* pushes how many were true so far */
    NEXT_VALUE,
    BEGIN_MESSAGES, /* pushes the result so far, its key, and the message */
    NEXT_MESSAGE
};

#endif
