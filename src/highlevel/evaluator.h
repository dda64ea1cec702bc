/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the evaluator share: memory for a moment, how deeply evaluations nest, failures. */
#ifndef HIGHLEVEL_EVALUATOR_H
#define HIGHLEVEL_EVALUATOR_H

#include "highlevel/evaluate.h"

/* Keeps the first failure; false. */
bool evaluation_fail(struct colour_evaluation *e, const struct node *at, const char *why);
/* A loop goes on; false when a limit is reached. */
bool evaluation_may_go_on(struct colour_evaluation *e);

/* One level deeper; false when that is too deep. */
bool evaluation_nest(struct colour_evaluation *e, const struct node *at);
void evaluation_unnest(struct colour_evaluation *e);

/* Memory until a mark is released: it does not move.  NULL when there is none. */
struct stack_mark {
    struct stack_chunk *chunk;
    size_t used;
};
int64_t *stack_take(struct colour_evaluation *e, size_t cells);
struct stack_mark stack_mark(const struct colour_evaluation *e);
void stack_release(struct colour_evaluation *e, struct stack_mark mark);

/* The cells of a value where they are, or in memory of the stack; NULL when there is none. */
const int64_t *colour_cells(const struct node *node, struct colour_evaluation *e);

/* Of values.c */
int cells_compare(const int64_t *a, const int64_t *b, uint32_t cells);
uint32_t element_count(const struct colour_type *vector);
bool type_is_cyclic(const struct colour_type *type);

/* Of containers.c: each writes the value of a node of its kind. */
bool value_make(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_replace(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_slice(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_join(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_of_sets(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_attribute(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_member(const struct node *node, struct colour_evaluation *e, int64_t *out);
/* Where the element is that the indexes say, in cells from the container's first on. */
bool element_offset(const struct node *node, const int64_t *container, struct colour_evaluation *e, size_t *offset);

/* Of iterate.c and statements.c */
bool value_iteration(const struct node *node, struct colour_evaluation *e, int64_t *out);
bool value_call(const struct node *node, struct colour_evaluation *e, int64_t *out);

#endif
