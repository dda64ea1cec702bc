/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wake-up trees: Abdulla, Aronis, Jonsson and Sagonas, "Source sets: a foundation for
 * optimal dynamic partial order reduction", JACM 2017, definition 6.3 and the operation insert.
 */
#include "stateless/plan.h"

#include <string.h>

bool kept_step_make(struct kept_step *kept, const struct footprint *step)
{
    *kept = (struct kept_step){step->agent, step->access_count, step->touched, step->written, {{0}}, NULL};
    size_t size = step->access_count * sizeof *step->accesses;
    if (step->access_count > sizeof kept->few / sizeof kept->few[0]) {
        kept->many = malloc(size);
        if (!kept->many)
            return false;
        memcpy(kept->many, step->accesses, size);
    } else if (size) {
        memcpy(kept->few, step->accesses, size);
    }
    return true;
}

static struct plan *plan_make(const struct footprint *step)
{
    struct plan *plan = calloc(1, sizeof *plan);
    if (plan && !kept_step_make(&plan->step, step)) {
        free(plan);
        return NULL;
    }
    return plan;
}

static void add_last(struct plans *plans, struct plan *plan)
{
    if (plans->first)
        plans->last->next = plan;
    else
        plans->first = plan;
    plans->last = plan;
}

void plans_clear(struct plans *plans)
{
    while (plans->first) {
        struct plan *plan = plans->first;
        plans->first = plan->next;
        if (plan->first) { /* its children are freed after its siblings: no recursion */
            plan->last->next = plans->first;
            plans->first = plan->first;
        }
        free(plan->step.many);
        free(plan);
    }
    plans->last = NULL;
}

/* Appends the items that are not removed as a chain. */
static bool append_chain(struct plans *plans, const struct sequence *sequence, const bool *removed)
{
    struct plans top = {0};
    struct plan *above = NULL;
    for (uint32_t i = 0; i < sequence->length; i++) {
        if (removed && removed[i])
            continue;
        struct footprint step = sequence_at(sequence, i);
        struct plan *plan = plan_make(&step);
        if (!plan) {
            plans_clear(&top);
            return false;
        }
        if (above)
            above->first = above->last = plan;
        else
            top.first = top.last = plan;
        above = plan;
    }
    if (top.first)
        add_last(plans, top.first);
    return true;
}

bool plans_append(struct plans *plans, const struct sequence *sequence)
{
    return append_chain(plans, sequence, NULL);
}

static bool insert(struct plans *plans, const struct sequence *sequence, bool *removed)
{
    struct plan *at = NULL; /* where we are; NULL is the root */
    struct remainder rest;
    remainder_make(&rest, sequence, removed);
    for (struct plan *branch = plans->first; branch;) {
        struct footprint step = kept_footprint(&branch->step);
        if (!take_out(&rest, &step)) {
            branch = branch->next;
            continue;
        }
        if (!branch->first)
            return true; /* a leaf: all that follows it will be explored */
        at = branch;
        branch = branch->first;
    }
    struct plans here = {at ? at->first : plans->first, at ? at->last : plans->last};
    if (!append_chain(&here, sequence, removed))
        return false;
    if (at) {
        at->first = here.first;
        at->last = here.last;
    } else {
        *plans = here;
    }
    return true;
}

bool plans_insert(struct plans *plans, const struct sequence *sequence)
{
    bool few[256] = {false};
    bool *removed = sequence->length <= sizeof few ? few : calloc(sequence->length, sizeof *removed);
    bool fine = removed && insert(plans, sequence, removed);
    if (removed != few)
        free(removed);
    return fine;
}

void plans_take_first(struct plans *plans, struct plans *rest)
{
    struct plan *plan = plans->first;
    plans->first = plan->next;
    if (!plans->first)
        plans->last = NULL;
    *rest = (struct plans){plan->first, plan->last};
    free(plan->step.many);
    free(plan);
}

bool plans_take_agent(struct plans *plans, uint32_t agent, struct plans *rest)
{
    struct plan *before = NULL, *plan = plans->first;
    while (plan && plan->step.agent != agent) {
        before = plan;
        plan = plan->next;
    }
    if (!plan)
        return false;
    if (!before) {
        plans_take_first(plans, rest);
        return true;
    }
    before->next = plan->next;
    if (plans->last == plan)
        plans->last = before;
    *rest = (struct plans){plan->first, plan->last};
    free(plan->step.many);
    free(plan);
    return true;
}

bool plans_have_agent(const struct plans *plans, uint32_t agent)
{
    for (const struct plan *plan = plans->first; plan; plan = plan->next)
        if (plan->step.agent == agent)
            return true;
    return false;
}
