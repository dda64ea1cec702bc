/* SPDX-License-Identifier: Apache-2.0 */
/* What a label stands for, once its variables are bound: tokens and how many of each. */
#ifndef HIGHLEVEL_LABEL_H
#define HIGHLEVEL_LABEL_H

#include "highlevel/tokens.h"

struct token_sum {
    uint32_t token;
    int64_t count;
};

struct token_bag {
    struct token_count *item;
    size_t count, capacity;
};

struct labels { /* scratch, and where to evaluate */
    const struct colour_net *net;
    struct tokens *tokens;
    struct colour_evaluation *evaluation;
    int64_t *tuple; /* room for the largest */
    VECTOR(struct token_sum) sums;
};

void labels_clear(struct labels *labels);
/* Adds what the label stands for to the bag; false, with the bag as it was, when it has no value
 * (evaluation->failure). */
bool label_add(struct labels *labels, uint32_t place, const struct arc_term *terms, struct token_bag *bag);
/* Puts a bag in order, each token once: with the sum of its counts, or with the least of them.  False when a sum is too
 * large. */
bool bag_sort(struct token_bag *bag, bool least);

#endif
