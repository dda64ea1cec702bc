/* SPDX-License-Identifier: Apache-2.0 */
/* What an expression over states is made of: between parse.c, which reads it, and expression.c. */
#ifndef PROPERTY_STATE_EXPRESSION_H
#define PROPERTY_STATE_EXPRESSION_H

#include "expression/code.h"
#include "property/expression.h"

struct expression {
    struct arena arena; /* of the tree */
    struct node *tree;
    VECTOR(struct node *) nodes; /* of the tree, children before their parents */
    struct expression_code code;
    uint32_t *enabled; /* scratch: room for all actions; NULL when nothing is asked to be fireable */
    bool mentions_deadlock, only_in_deadlocks, only_fails_in_deadlocks;
};

/* Compiles and analyses the tree, which was read from this text. */
bool expression_finish(struct expression *expression, const struct portolan_system *system, const char *text,
                       size_t length);

#endif
