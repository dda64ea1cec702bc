/* SPDX-License-Identifier: Apache-2.0 */
#include "highlevel/label.h"

#include "highlevel/evaluator.h"

#include <string.h>

struct adding {
    struct labels *labels;
    uint32_t place;
    const struct arc_term *term;
};

void labels_clear(struct labels *labels)
{
    free(labels->sums.item);
    labels->sums.item = NULL;
}

static bool out_of_memory(struct colour_evaluation *evaluation)
{
    evaluation->failure = "out of memory";
    return !(evaluation->is_out_of_memory = true);
}

static bool evaluate_tuple(const struct adding *adding)
{
    const struct colour_place *place = &adding->labels->net->places.item[adding->place];
    const struct node *node = adding->term->tuple;
    for (size_t i = 0; i < place->domain.count && node; i++, node = node->next)
        if (!colour_value(node, adding->labels->evaluation,
                          adding->labels->tuple + place->tuple->fields.item[i].offset))
            return false;
    return true;
}

/* One combination of values of the iterators. */
static bool add_tuple(void *user, struct colour_evaluation *evaluation, int64_t multiplicity)
{
    const struct adding *adding = user;
    const struct arc_term *term = adding->term;
    struct labels *labels = adding->labels;
    (void)multiplicity; /* no iterator of an arc goes through the tokens of a place */
    if (term->condition && !colour_scalar(term->condition, evaluation))
        return !evaluation->failure;
    int64_t count = term->multiplicity ? colour_scalar(term->multiplicity, evaluation) : 1;
    if (evaluation->failure || !evaluate_tuple(adding))
        return false;
    if (count < 0)
        return evaluation_fail(evaluation, term->multiplicity, "a negative number of tokens");
    if (count > INT32_MAX)
        return evaluation_fail(evaluation, term->multiplicity, "too many tokens");
    struct token_sum sum = {token_number(labels->tokens, adding->place, labels->tuple),
                            term->is_subtracted ? -count : count};
    return (sum.token != UINT32_MAX && vector_push(&labels->sums, sum)) || out_of_memory(evaluation);
}

static int by_token(const void *left, const void *right)
{
    const struct token_sum *a = left, *b = right;
    return a->token < b->token ? -1 : a->token > b->token;
}

/* The sums that are not 0 go to the bag. */
static bool pour(struct labels *labels, const struct arc_term *terms, struct token_bag *bag)
{
    struct colour_evaluation *evaluation = labels->evaluation;
    size_t before = bag->count;
    if (labels->sums.count > 1)
        qsort(labels->sums.item, labels->sums.count, sizeof *labels->sums.item, by_token);
    for (size_t i = 0, next; i < labels->sums.count; i = next) {
        int64_t sum = 0; /* of numbers of 32 bits, not that many */
        for (next = i; next < labels->sums.count && labels->sums.item[next].token == labels->sums.item[i].token; next++)
            sum += labels->sums.item[next].count;
        struct token_count count = {labels->sums.item[i].token, (uint32_t)sum};
        if (sum < 0 || sum > INT32_MAX) {
            bag->count = before;
            return evaluation_fail(evaluation, terms->tuple,
                                   sum < 0 ? "a negative number of tokens" : "too many tokens");
        }
        if (sum > 0 && !vector_push(bag, count))
            return out_of_memory(evaluation);
    }
    return true;
}

bool label_add(struct labels *labels, uint32_t place, const struct arc_term *terms, struct token_bag *bag)
{
    labels->sums.count = 0;
    for (const struct arc_term *term = terms; term; term = term->next) {
        struct adding adding = {labels, place, term};
        if (!iterate(term->iterators, labels->evaluation, add_tuple, &adding))
            return false;
    }
    return pour(labels, terms, bag);
}

static int by_number(const void *left, const void *right)
{
    const struct token_count *a = left, *b = right;
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    return a->count < b->count ? -1 : a->count > b->count;
}

bool bag_sort(struct token_bag *bag, bool least)
{
    size_t kept = 0;
    bool fits = true;
    if (bag->count > 1)
        qsort(bag->item, bag->count, sizeof *bag->item, by_number);
    for (size_t i = 0; i < bag->count; i++) {
        if (!kept || bag->item[kept - 1].token != bag->item[i].token)
            bag->item[kept++] = bag->item[i];
        else if (!least && bag->item[i].count > INT32_MAX - bag->item[kept - 1].count)
            fits = false;
        else if (!least)
            bag->item[kept - 1].count += bag->item[i].count;
    }
    bag->count = kept;
    return fits;
}
