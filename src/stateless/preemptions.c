/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions with few preemptions: switches away from an agent that could go on.  Most errors need very few (Musuvathi
 * and Qadeer, "Iterative context bounding", PLDI 2007).
 *
 * bpor     Coons, Musuvathi and McKinley, "Bounded partial-order reduction", OOPSLA 2013.  As in dpor, an event in
 *          conflict with somebody's next step gets its node an agent to explore; but that may cost a preemption
 *          that is not left.  The same agent could have gone earlier at no cost: where the run of steps that the event
 *          belongs to began.  So it goes into the backtrack set there too.
 *
 * What is preserved: every trace that has an execution within the bound, with its last state and all that can be asked
 * there.  The paper proves less, of what each agent can get to; tests/preemptions checks it of traces.  For these it is
 * not enough to look at the last event in conflict that could change places with the step: a thread that runs into a
 * lock is left at no cost, so it may be worth going where the step would have to wait.  Hence all events in conflict
 * count.  What is required: no sleep sets, since what was explored before may have been explored with fewer preemptions
 * left.
 */
#include "base/bits.h"
#include "base/limits.h"
#include "stateless/shared.h"

static bool is_preemption(const struct worker *w, size_t depth, uint32_t agent)
{
    if (depth == 0)
        return false;
    uint32_t last = w->execution.events.item[depth - 1].agent;
    return last != agent && bit_get(node_at(w, depth)->enabled, last);
}

void count_preemptions(struct worker *w, size_t depth)
{
    if (!w->shared->options->bounds_preemptions)
        return;
    struct node *node = node_at(w, depth);
    node->preemptions = 0;
    if (depth)
        node->preemptions =
            node_at(w, depth - 1)->preemptions + is_preemption(w, depth - 1, w->execution.events.item[depth - 1].agent);
}

bool bound_allows(struct worker *w, size_t depth, uint32_t agent)
{
    const struct portolan_options *options = w->shared->options;
    if (!options->bounds_preemptions ||
        node_at(w, depth)->preemptions + is_preemption(w, depth, agent) <= options->preemptions)
        return true;
    w->left_out++;
    return false;
}

/* --- bpor */

/* Where the run of steps of one agent began that the event belongs to. */
static uint32_t start_of_run(const struct execution *x, uint32_t event)
{
    while (event && x->events.item[event - 1].agent == x->events.item[event].agent)
        event--;
    return event;
}

/* Has the agent explored from the node; all that are enabled when it is not, or may touch other things there. */
static bool backtrack(struct worker *w, size_t depth, uint32_t agent)
{
    const struct node *node = node_at(w, depth);
    bool alone = bit_get(node->enabled, agent) && !w->step.varies;
    for (uint32_t a = alone ? agent : 0; a < (alone ? agent + 1 : w->machine->agents); a++)
        if (bit_get(node->enabled, a) && bound_allows(w, depth, a) && !add_to_backtrack(w, depth, a))
            return false;
    return true;
}

/* The agent's next step is in w->step. */
static bool look_at_conflicts(struct worker *w, uint32_t agent)
{
    const struct execution *x = &w->execution;
    for (uint32_t e = (uint32_t)x->events.count; e-- > 0;) {
        const struct event *event = &x->events.item[e];
        if (limits_reached())
            return false;
        if (event->agent == agent ||
            !accesses_conflict(accesses_of(x, e), event->access_count, w->step.accesses, w->step.access_count))
            continue;
        if (!backtrack(w, e, agent) || !backtrack(w, start_of_run(x, e), agent))
            return false;
    }
    return true;
}

/* The same for the ends of agents that it waited for, though nothing is touched then. */
static bool look_at_joins(struct worker *w, uint32_t agent)
{
    const struct execution *x = &w->execution;
    size_t count = x->last_of[agent] == NO_EVENT ? 0 : worker_follows(w, agent); /* it was born, and did not wait */
    for (size_t i = 0; i < count; i++)
        if (!backtrack(w, x->follows[i], agent) || !backtrack(w, start_of_run(x, x->follows[i]), agent))
            return false;
    return true;
}

static bool bounded_entered(struct worker *w, size_t depth)
{
    find_enabled(w, node_at(w, depth));
    count_preemptions(w, depth);
    for (uint32_t agent = 0; agent < w->machine->agents; agent++)
        if (worker_next(w, agent, &w->step) && (!look_at_conflicts(w, agent) || !look_at_joins(w, agent)))
            return false;
    return true;
}

const struct method method_bounded = {.name = "bpor",
                                      .summary = "dynamic reduction for a bound on preemptions",
                                      .preserves_traces = true,
                                      .preserves_bounded_traces = true,
                                      .entered = bounded_entered};
