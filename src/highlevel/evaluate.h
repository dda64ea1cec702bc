/* SPDX-License-Identifier: Apache-2.0 */
/* Values of high-level nets: evaluating expressions, going through the values of a type, writing them. */
#ifndef HIGHLEVEL_EVALUATE_H
#define HIGHLEVEL_EVALUATE_H

#include "highlevel/net.h"

/* The tokens in a place, for propositions: cells of the i-th distinct one, and how many of it there are. */
struct colour_marking {
    const void *user;
    uint32_t (*distinct)(const void *user, uint32_t place);
    const int64_t *(*token)(const void *user, uint32_t place, uint32_t i, uint32_t *count);
};

extern const char outside_type[]; /* the failure of a conversion; failure_words (words.h) says which type */

struct colour_evaluation {
    int64_t *frame;                       /* cells of the variables */
    const struct colour_marking *marking; /* NULL: nothing that is evaluated asks for it */
    /* what failed, NULL when nothing has */
    const char *failure;
    const struct node *failed_at;
    bool is_out_of_memory; /* it failed for want of memory, or because a limit was reached: nothing is wrong with it */
    void *stack;           /* the evaluator's own; NULL at the beginning, released by colour_evaluation_clear */
};

/* Writes the cells of the value; false when there is none.  The frame may be changed where iterators are; the cells
 * must be none that the node reads. */
bool colour_value(const struct node *node, struct colour_evaluation *evaluation, int64_t *cells);
/* The same of a scalar; 0 and evaluation->failure when there is none. */
int64_t colour_scalar(const struct node *node, struct colour_evaluation *evaluation);
void colour_evaluation_clear(struct colour_evaluation *evaluation);

/* Goes through what an iterator takes: `begin` writes the first value to the frame, `next` the next one; false when
 * there is none (or something failed: evaluation->failure). */
struct iteration_state {
    int64_t low, high;        /* of a scalar type */
    const int64_t *container; /* elements, in memory of the state */
    uint32_t at, count;
    int64_t multiplicity; /* of the present token of a place; else 1 */
};
bool iterator_begin(const struct iterator *iterator, struct iteration_state *state,
                    struct colour_evaluation *evaluation);
bool iterator_next(const struct iterator *iterator, struct iteration_state *state,
                   struct colour_evaluation *evaluation);
void iteration_clear(struct iteration_state *state);

/* Calls body for every combination of values of a list of iterators (once where there is none); multiplicity is the
 * product of those of tokens.  False when body returned false or something failed. */
typedef bool iteration_body(void *user, struct colour_evaluation *evaluation, int64_t multiplicity);
bool iterate(const struct iterator *iterators, struct colour_evaluation *evaluation, iteration_body *body, void *user);

/* The first value of a type, and the next one after cells; false after the last (also where there are too many to go
 * through: a list or set has all its values in some order). */
void colour_first(const struct colour_type *type, int64_t *cells);
bool colour_next(const struct colour_type *type, int64_t *cells);
/* Is it one: scalars within their ranges, all the way down. */
bool colour_has(const struct colour_type *type, const int64_t *cells);

/* Writes a value as the language does: 3, red, [1, 2], {1, true}, |a, b|; cut to size, ended by 0; returns its length.
 */
size_t colour_text(const struct colour_type *type, const int64_t *cells, char *text, size_t size);
/* The other way round: reads a value at *text and goes behind it; blanks make no difference.  False: there is none. */
bool colour_parse(const struct colour_type *type, const char **text, int64_t *cells);

#endif
