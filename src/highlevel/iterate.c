/* SPDX-License-Identifier: Apache-2.0 */
/* Iterators: variables that take one value after the other, and what is made of these values. */
#include "highlevel/evaluator.h"

#include <string.h>

/* ------------------------------------------------------------- one iterator */

static bool begin_range(const struct iterator *iterator, struct iteration_state *state, struct colour_evaluation *e)
{
    const struct colour_type *type = iterator->colour;
    state->low = iterator->low ? colour_scalar(iterator->low, e) : type->low;
    state->high = !e->failure && iterator->high ? colour_scalar(iterator->high, e) : type->high;
    if (e->failure || state->low > state->high)
        return false;
    if (state->low < type->low || state->high > type->high)
        return evaluation_fail(e, iterator->low ? iterator->low : iterator->high, outside_type);
    e->frame[iterator->local] = state->low;
    return true;
}

static void bind_element(const struct iterator *iterator, const struct iteration_state *state,
                         struct colour_evaluation *e)
{
    size_t cells = iterator->colour->cells;
    memcpy(e->frame + iterator->local, state->container + state->at * cells, cells * sizeof *e->frame);
}

/* The elements are copied: the body may assign to the variable that they come from. */
static bool begin_container(const struct iterator *iterator, struct iteration_state *state, struct colour_evaluation *e)
{
    struct stack_mark mark = stack_mark(e);
    const int64_t *cells = colour_cells(iterator->container, e);
    state->count = cells ? (uint32_t)cells[0] : 0;
    size_t bytes = (size_t)state->count * iterator->colour->cells * sizeof *cells;
    int64_t *copy = bytes > 0 ? malloc(bytes) : NULL;
    if (copy)
        memcpy(copy, cells + 1, bytes);
    stack_release(e, mark);
    state->container = copy;
    if (bytes > 0 && !copy) {
        e->is_out_of_memory = true;
        return evaluation_fail(e, NULL, "out of memory");
    }
    if (state->count > 0)
        bind_element(iterator, state, e);
    return state->count > 0;
}

static void bind_token(const struct iterator *iterator, struct iteration_state *state, struct colour_evaluation *e)
{
    uint32_t count;
    const int64_t *cells = e->marking->token(e->marking->user, iterator->place, state->at, &count);
    if (iterator->colour->cells > 0)
        memcpy(e->frame + iterator->local, cells, iterator->colour->cells * sizeof *cells);
    state->multiplicity = count;
}

static bool begin_place(const struct iterator *iterator, struct iteration_state *state, struct colour_evaluation *e)
{
    if (!e->marking)
        return evaluation_fail(e, NULL, "there is no marking here");
    state->count = e->marking->distinct(e->marking->user, iterator->place);
    if (state->count > 0)
        bind_token(iterator, state, e);
    return state->count > 0;
}

bool iterator_begin(const struct iterator *iterator, struct iteration_state *state, struct colour_evaluation *e)
{
    *state = (struct iteration_state){.multiplicity = 1};
    if (iterator->container)
        return begin_container(iterator, state, e);
    if (iterator->place != NO_PLACE)
        return begin_place(iterator, state, e);
    if (iterator->colour->kind <= COLOUR_NAMED)
        return begin_range(iterator, state, e);
    colour_first(iterator->colour, e->frame + iterator->local);
    return true;
}

bool iterator_next(const struct iterator *iterator, struct iteration_state *state, struct colour_evaluation *e)
{
    if (iterator->container || iterator->place != NO_PLACE) {
        if (++state->at >= state->count)
            return false;
        if (iterator->container)
            bind_element(iterator, state, e);
        else
            bind_token(iterator, state, e);
        return true;
    }
    if (iterator->colour->kind > COLOUR_NAMED)
        return colour_next(iterator->colour, e->frame + iterator->local);
    if (state->low == state->high)
        return false;
    e->frame[iterator->local] = ++state->low;
    return true;
}

void iteration_clear(struct iteration_state *state)
{
    free((void *)state->container);
    state->container = NULL;
}

/* ------------------------------------------------------------------- a list */

struct walk {
    struct colour_evaluation *evaluation;
    iteration_body *body;
    void *user;
};

static bool walk(const struct iterator *iterator, int64_t multiplicity, const struct walk *w)
{
    struct colour_evaluation *e = w->evaluation;
    if (!iterator)
        return w->body(w->user, e, multiplicity);
    if (!evaluation_nest(e, NULL))
        return false;
    struct iteration_state state;
    bool goes_on = true;
    for (bool more = iterator_begin(iterator, &state, e); more && goes_on; more = iterator_next(iterator, &state, e))
        goes_on = evaluation_may_go_on(e) && walk(iterator->next, multiplicity * state.multiplicity, w);
    iteration_clear(&state);
    evaluation_unnest(e);
    return goes_on && !e->failure;
}

bool iterate(const struct iterator *iterators, struct colour_evaluation *evaluation, iteration_body *body, void *user)
{
    struct walk w = {evaluation, body, user};
    return walk(iterators, 1, &w);
}

/* ---------------------------------------------------------- what is made of it */

struct tally {
    const struct node *node;
    int64_t result;
    bool is_empty;
};

static bool add_up(struct tally *tally, struct colour_evaluation *e, int64_t value)
{
    bool fits = tally->node->operation == ITERATION_PRODUCT
                    ? !__builtin_mul_overflow(tally->result, value, &tally->result)
                    : !__builtin_add_overflow(tally->result, value, &tally->result);
    return fits || evaluation_fail(e, tally->node, "a number is too large");
}

/* False when the result is known, or something failed. */
static bool count_value(struct tally *tally, struct colour_evaluation *e, int64_t multiplicity)
{
    const struct node *node = tally->node;
    bool is_first = tally->is_empty;
    if (node->operation == ITERATION_CARDINALITY)
        return add_up(tally, e, 1);
    if (node->operation == ITERATION_MULTIPLICITY)
        return add_up(tally, e, multiplicity);
    int64_t value = node->b ? colour_scalar(node->b, e) : 1;
    if (e->failure)
        return false;
    tally->is_empty = false;
    switch (node->operation) {
    case ITERATION_FORALL: tally->result = value != 0; return value != 0;
    case ITERATION_EXISTS: tally->result = value != 0; return value == 0;
    case ITERATION_MIN: tally->result = is_first || value < tally->result ? value : tally->result; return true;
    case ITERATION_MAX: tally->result = is_first || value > tally->result ? value : tally->result; return true;
    default: return add_up(tally, e, value);
    }
}

/* forall with nothing but a condition: the condition is what must hold. */
static bool tally_one(void *user, struct colour_evaluation *e, int64_t multiplicity)
{
    struct tally *tally = user;
    const struct node *node = tally->node;
    bool holds = !node->a || colour_scalar(node->a, e) != 0;
    if (e->failure)
        return false;
    if (!holds && node->operation == ITERATION_FORALL && !node->b) {
        tally->result = 0;
        return false;
    }
    return !holds || count_value(tally, e, multiplicity);
}

bool value_iteration(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    struct tally tally = {.node = node, .is_empty = true};
    tally.result = node->operation == ITERATION_FORALL || node->operation == ITERATION_PRODUCT;
    iterate(node->iterators, e, tally_one, &tally);
    if (e->failure)
        return false;
    if (tally.is_empty && (node->operation == ITERATION_MIN || node->operation == ITERATION_MAX))
        return evaluation_fail(e, node, "there is no value to choose from");
    *out = tally.result;
    return true;
}
