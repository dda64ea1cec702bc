/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: calling them, and the statements that they are made of. */
#include "highlevel/evaluator.h"

#include <string.h>

enum outcome { GOES_ON, RETURNED, FAILED };

static enum outcome run(const struct statement *statements, struct colour_evaluation *e, int64_t *result);

/* The value is complete before anything changes: it may be about the old one. */
static bool assign(const struct statement *s, struct colour_evaluation *e)
{
    struct stack_mark mark = stack_mark(e);
    size_t cells = s->target->colour->cells;
    int64_t *value = stack_take(e, cells);
    bool fine = value && colour_value(s->value, e, value);
    int64_t *target = fine ? (int64_t *)colour_cells(s->target, e) : NULL; /* elements of a variable, in the frame */
    if (target)
        memcpy(target, value, cells * sizeof *target);
    stack_release(e, mark);
    return target;
}

static bool declare(const struct statement *s, struct colour_evaluation *e)
{
    if (s->value)
        return assign(s, e);
    colour_first(s->target->colour, e->frame + s->target->value);
    return true;
}

static enum outcome run_if(const struct statement *s, struct colour_evaluation *e, int64_t *result)
{
    bool holds = colour_scalar(s->value, e) != 0;
    return e->failure ? FAILED : run(holds ? s->body : s->otherwise, e, result);
}

static enum outcome run_while(const struct statement *s, struct colour_evaluation *e, int64_t *result)
{
    enum outcome outcome = GOES_ON;
    while (outcome == GOES_ON && colour_scalar(s->value, e))
        outcome = evaluation_may_go_on(e) ? run(s->body, e, result) : FAILED;
    return e->failure ? FAILED : outcome;
}

struct loop {
    const struct statement *body;
    int64_t *result;
    enum outcome outcome;
};

static bool run_body(void *user, struct colour_evaluation *e, int64_t multiplicity)
{
    struct loop *loop = user;
    (void)multiplicity;
    loop->outcome = run(loop->body, e, loop->result);
    return loop->outcome == GOES_ON;
}

static enum outcome run_for(const struct statement *s, struct colour_evaluation *e, int64_t *result)
{
    struct loop loop = {s->body, result, GOES_ON};
    iterate(s->iterators, e, run_body, &loop);
    return e->failure ? FAILED : loop.outcome;
}

static bool check_assertion(const struct statement *s, struct colour_evaluation *e)
{
    bool holds = colour_scalar(s->value, e) != 0;
    return !e->failure && (holds || evaluation_fail(e, s->value, "an assertion fails"));
}

static enum outcome run_one(const struct statement *s, struct colour_evaluation *e, int64_t *result)
{
    switch (s->kind) {
    case STATEMENT_ASSIGN: return assign(s, e) ? GOES_ON : FAILED;
    case STATEMENT_DECLARE: return declare(s, e) ? GOES_ON : FAILED;
    case STATEMENT_IF: return run_if(s, e, result);
    case STATEMENT_WHILE: return run_while(s, e, result);
    case STATEMENT_FOR: return run_for(s, e, result);
    case STATEMENT_RETURN: return colour_value(s->value, e, result) ? RETURNED : FAILED;
    case STATEMENT_ASSERT: return check_assertion(s, e) ? GOES_ON : FAILED;
    case STATEMENT_BLOCK: break;
    }
    return run(s->body, e, result);
}

static enum outcome run(const struct statement *statements, struct colour_evaluation *e, int64_t *result)
{
    enum outcome outcome = GOES_ON;
    if (!statements)
        return GOES_ON;
    if (!evaluation_nest(e, statements->value))
        return FAILED;
    for (const struct statement *s = statements; s && outcome == GOES_ON; s = s->next)
        outcome = run_one(s, e, result);
    evaluation_unnest(e);
    return outcome;
}

/* The arguments are evaluated in the frame of the caller, into that of the function. */
bool value_call(const struct node *node, struct colour_evaluation *e, int64_t *out)
{
    const struct colour_function *function = node->function;
    int64_t *frame = stack_take(e, function->frame), *caller = e->frame;
    if (!frame)
        return false;
    size_t at = 0;
    const struct node *argument = node->a;
    for (size_t i = 0; i < function->parameters.count && argument; i++, argument = argument->next) {
        if (!colour_value(argument, e, frame + at))
            return false;
        at += function->parameters.item[i]->cells;
    }
    if (function->imported) {
        function->imported(frame, out);
        return colour_has(function->result, out) ||
               evaluation_fail(e, node, "the imported function returns a value outside its type");
    }
    e->frame = frame;
    enum outcome outcome = run(function->body, e, out);
    e->frame = caller;
    return outcome == RETURNED || evaluation_fail(e, node, "the function ends without a result");
}
