/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/worker.h"

#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "stateless/common_tree.h"
#include "stateless/leaves.h"
#include "stateless/saved.h"
#include "stateless/shared.h"
#include "stateless/split.h"

#include <string.h>

enum {
    STEPS_PER_LOOK = 4096 /* between looks at the clock */
};

bool worker_make(struct worker *w, struct search_shared *shared, const struct method *method, struct machine *machine)
{
    memset(w, 0, sizeof *w);
    w->shared = shared;
    w->method = method;
    w->machine = machine;
    w->news = ALL_OBJECTS;
    w->pool.words = bit_words(machine->agents);
    w->pool.shared = shared->worker_count > 1 && !shared->tree;
    w->step.accesses = calloc((size_t)machine->most_accesses + 1, sizeof *w->step.accesses);
    w->other_step.accesses = calloc((size_t)machine->most_accesses + 1, sizeof *w->other_step.accesses);
    w->floor = calloc((size_t)machine->agents + CLOCK_LANES, sizeof *w->floor);
    return w->floor && w->step.accesses && w->other_step.accesses && execution_make(&w->execution, machine);
}

void worker_drop_stack(struct worker *w)
{
    for (size_t i = 0; i < w->stack.count; i++)
        node_release(&w->pool, w->stack.item[i]);
    w->stack.count = 0;
}

void worker_clear(struct worker *w)
{
    wakeup_free_hint(&w->pool.wakeup, w->hint);
    node_pool_clear(&w->pool);
    execution_clear(&w->execution);
    free(w->stack.item);
    free(w->picked.item);
    free(w->relevant.item);
    free(w->given.item);
    free(w->path.item);
    free(w->next_path.item);
    free(w->floor);
    free(w->step.accesses);
    free(w->other_step.accesses);
    if (w->machine)
        w->machine->class->free(w->machine);
    memset(w, 0, sizeof *w);
}

bool worker_is_cut(const struct worker *w, uint32_t agent)
{
    uint32_t last = w->execution.last_of[agent];
    return w->bound && last != NO_EVENT && w->execution.events.item[last].order >= w->bound;
}

bool worker_next(struct worker *w, uint32_t agent, struct portolan_step *step)
{
    return !worker_is_cut(w, agent) && w->machine->class->next(w->machine, w->execution.events.count, agent, step);
}

size_t worker_follows(struct worker *w, uint32_t agent)
{
    return w->machine->class->follows ? w->machine->class->follows(w->machine, agent, w->execution.follows) : 0;
}

void worker_give_up(struct worker *w, enum portolan_status status)
{
    w->status = status;
    atomic_store(&w->shared->over, true);
}

/* Memory ran out, or a limit was reached in the middle of something, which ends in the same way. */
static void no_memory(struct worker *w)
{
    if (limits_stop() != PORTOLAN_COMPLETE)
        observe_stop(w, limits_stop());
    else
        worker_give_up(w, fail_memory(&w->error));
}

/* Do sleepers of a node at this depth stand for what others explore, or have explored? */
static bool is_from_above(const struct worker *w, size_t depth)
{
    return is_above_split(w, depth) || (w->leaves && depth < w->common);
}

void worker_set_hint(struct worker *w, struct hint *hint)
{
    wakeup_free_hint(&w->pool.wakeup, w->hint);
    w->hint = hint;
}

/* Records, in the locked node, that the step in w->step is explored from it, and makes the node it leads to.  There the
 * rest of the agent's branch comes next, or, if the step goes before it, all that is in the backtrack set. */
static struct node *branch(struct worker *w, struct node *parent, uint32_t agent, bool goes_before)
{
    struct footprint step = footprint_of(agent, w->step.accesses, w->step.access_count);
    struct node *child = node_make(&w->pool);
    if (!child)
        return NULL;
    for (size_t i = 0; i < w->pool.words; i++)
        child->ended[i] = parent->ended[i];
    bool fine = !w->method->sleeps || node_inherit(child, parent, &step, is_from_above(w, w->execution.events.count));
    fine = fine && node_explore(parent, &step);
    struct wakeup_tree rest;
    struct hint *hint = NULL;
    if (goes_before)
        rest = node_take_backtrack(&w->pool, parent);
    else
        node_take_branch(&w->pool, parent, agent, &rest, &hint);
    if (hint)
        worker_set_hint(w, hint);
    bool useless = w->method->sequences == FIRST_STEPS ||
                   (w->method->sequences == HINTS && rest.first && bit_get(child->asleep, rest.first->step.agent));
    if (useless)
        wakeup_clear(&w->pool.wakeup, &rest);
    node_set_backtrack(child, rest);
    if (!fine) {
        node_release(&w->pool, child);
        return NULL;
    }
    return child;
}

void count_execution(struct worker *w)
{
    w->executions++;
    if (w->machine->class->executed)
        w->machine->class->executed(w->machine);
}

bool worker_failed(struct worker *w)
{
    if (!w->machine->class->failed || !w->machine->class->failed(w->machine, &w->execution))
        return false;
    observe_failure(w);
    return true;
}

static void note_fired(const struct worker *w, uint32_t action)
{
    bool *fired = w->shared->result->fired;
    if (fired)
        __atomic_store_n(&fired[action], true, __ATOMIC_RELAXED); /* workers may do so at once */
}

/* Takes the step in w->step, which leads from the present node to the child. */
static void go(struct worker *w, uint32_t agent, struct node *child)
{
    size_t depth = w->execution.events.count, followed = worker_follows(w, agent);
    if (!child || !vector_push(&w->stack, child)) {
        if (child)
            node_release(&w->pool, child);
        no_memory(w);
        return;
    }
    enum portolan_status status = w->machine->class->take(w->machine, depth, agent, &w->step, &w->error);
    if (status != PORTOLAN_OK) {
        worker_give_up(w, status);
        return;
    }
    if (!execution_append(&w->execution, agent, &w->step, followed)) {
        no_memory(w);
        return;
    }
    note_fired(w, w->step.action);
    w->steps++;
    w->favourite = agent;
    if (w->execution.events.count > w->deepest)
        w->deepest = w->execution.events.count;
    if (worker_failed(w)) {
        count_execution(w);
        return;
    }
    if (w->method->appended && !w->method->appended(w, (uint32_t)depth))
        no_memory(w);
}

void worker_step(struct worker *w, uint32_t agent)
{
    go(w, agent, branch(w, w->stack.item[w->stack.count - 1], agent, false));
}

/* Follows the first branch of the present backtrack set; false when it is empty. */
static bool follow_backtrack(struct worker *w, struct node *node)
{
    struct node *child = NULL;
    node_lock(node);
    const struct wakeup_node *first = node->backtrack.first;
    uint32_t agent = first ? first->step.agent : 0;
    bool possible = first && worker_next(w, agent, &w->step) && w->step.enabled;
    if (possible)
        child = branch(w, node, agent, false);
    node_unlock(node);
    if (possible)
        go(w, agent, child);
    else if (first && !worker_failed(w))
        worker_give_up(w, fail(&w->error, PORTOLAN_REFUSED,
                               "internal error: a step of agent %u in a backtrack set cannot be taken", agent));
    return first;
}

/* Can the agent, which is awake, go on?  Its step is in w->step then. */
static bool can_go(struct worker *w, struct node *node, uint32_t agent)
{
    if (!worker_next(w, agent, &w->step)) {
        if (w->execution.last_of[agent] != NO_EVENT) /* else it may yet be born */
            bit_set(node->ended, agent);
        return false;
    }
    w->somebody_waits |= !w->step.enabled;
    return w->step.enabled;
}

/* The next step of a hint that can be taken from the node, if it is not the agent `but`'s; it is in w->step then. */
static bool follow_hint(struct worker *w, struct node *node, struct hint *hint, uint32_t end, uint32_t *agent)
{
    for (; hint->next < end; hint->next++) {
        struct hinted_step step = hint->step[hint->next];
        uint32_t last = w->execution.last_of[step.agent];
        uint32_t taken = last == NO_EVENT ? 0 : w->execution.events.item[last].order;
        if (step.order <= taken)
            continue;
        *agent = step.agent;
        if (step.order == taken + 1 && !bit_get(node->asleep, step.agent) && !bit_get(node->ended, step.agent) &&
            can_go(w, node, step.agent))
            return true;
    }
    return false;
}

/* Somebody who is enabled and not asleep: whoever is next in the hint, or went last if possible, so that threads switch
 * seldom.  When there is nobody, w->somebody_waits tells whether one has a step that waits. */
static bool choose_agent(struct worker *w, struct node *node, uint32_t *agent)
{
    uint32_t last = w->favourite, agents = w->machine->agents, next;
    if (w->hint && follow_hint(w, node, w->hint, w->hint->count, agent))
        return true;
    w->somebody_waits = false;
    *agent = last;
    if (last < agents && !bit_get(node->asleep, last) && !bit_get(node->ended, last) && can_go(w, node, last))
        return true;
    for (size_t i = 0; i < w->pool.words; i++)
        for_bits(next, ~(node->asleep[i] | node->ended[i]), i)
        {
            *agent = next;
            if (next >= agents)
                return false;
            if (next != last && can_go(w, node, next))
                return true;
        }
    return false;
}

/*
 * What a wake-up tree has of a sequence is little, and what was beside it can go before, after, or otherwise than it
 * did in the sequence.  Steps that raced with none go before, where the node is new: executions have more in common.
 * The proof of completeness (JACM 2017, theorem 7.4) asks nothing of what a node inherits, so that it may be explored
 * beginning with any step that does not sleep; and what is in its wake-up tree, and wakes everybody, can still be taken
 * then, if the step is independent of it.  (Where sequences have been inserted, as at a node that is gone back to, the
 * first step of a leaf answers for all of them that were found to have this leaf.  A step that is independent of the
 * leaf need not be of their rest: traces are lost on one of 1,600 machines if it goes first there.)
 */
static bool put_off_backtrack(struct worker *w, struct node *node)
{
    struct hint *hint = w->method->sequences == WAKE_UP ? wakeup_first_hint(&node->backtrack) : NULL;
    uint32_t agent;
    if (!hint || hint->next >= hint->lonely || is_above_split(w, w->execution.events.count) ||
        !follow_hint(w, node, hint, hint->lonely, &agent))
        return false;
    struct footprint step = footprint_of(agent, w->step.accesses, w->step.access_count);
    if (!wakeup_is_beside(&node->backtrack, &step))
        return false;
    go(w, agent, branch(w, node, agent, true));
    return true;
}

static bool somebody_cut(struct worker *w)
{
    for (uint32_t agent = 0; w->bound && agent < w->machine->agents; agent++)
        if (worker_is_cut(w, agent) && w->machine->class->next(w->machine, w->execution.events.count, agent, &w->step))
            return true;
    return false;
}

void worker_finish_execution(struct worker *w)
{
    const struct node *node = w->stack.item[w->stack.count - 1];
    bool blocked = node->sleep_set.count; /* sleepers stay enabled; all that could follow is explored elsewhere */
    if (w->method->ended && !w->method->ended(w, blocked))
        no_memory(w);
    if (blocked) {
        w->blocked++;
        worker_failed(w);
        return;
    }
    bool cut = somebody_cut(w), stuck = (w->somebody_waits || w->machine->agents == 0) && !cut;
    enum machine_end end = stuck ? w->machine->class->end(w->machine, w->execution.events.count) : MACHINE_FINISHED;
    if (end == MACHINE_REDUNDANT) {
        w->blocked++;
        worker_failed(w);
        return;
    }
    if (!observe_count(w))
        return;
    count_execution(w);
    w->cut += cut;
    observe_execution(w, end, cut);
    worker_failed(w);
}

void worker_go_back(struct worker *w)
{
    node_release(&w->pool, w->stack.item[--w->stack.count]);
    worker_set_hint(w, NULL);
    if (w->stack.count)
        execution_cut(&w->execution, w->stack.count - 1);
    if (w->seen_events > w->execution.events.count)
        w->seen_events = w->execution.events.count;
    if (w->execution.events.count)
        w->favourite = w->execution.events.item[w->execution.events.count - 1].agent;
}

bool is_above_split(const struct worker *w, size_t depth)
{
    return w->split && depth < w->split->depth;
}

/* Where the search is split: false when what is below the new node is for another process. */
static bool prepare_split(struct worker *w)
{
    size_t depth = w->execution.events.count;
    if (depth > w->split->depth)
        return true;
    if (depth < w->split->depth) {
        if (!split_expand(w))
            no_memory(w);
        if (node_at(w, depth)->backtrack.first)
            return true;
    }
    return split_take(w);
}

/* Goes on from the present node, or back when nothing is left there. */
static void advance(struct worker *w)
{
    struct node *node = w->stack.item[w->stack.count - 1];
    uint32_t agent;
    bool first_visit = !node->entered;
    if (first_visit) /* nobody else has it yet: a node is given away when it has been left */
        node->entered = true;
    if (first_visit && w->split && w->split->depth && !prepare_split(w)) {
        worker_go_back(w);
        return;
    }
    if (first_visit && w->method->entered && !w->method->entered(w, w->stack.count - 1)) {
        no_memory(w);
        return;
    }
    if (first_visit && put_off_backtrack(w, node))
        return;
    if (follow_backtrack(w, node))
        return;
    if (first_visit && choose_agent(w, node, &agent)) {
        go(w, agent, branch(w, node, agent, false));
        return;
    }
    if (first_visit)
        worker_finish_execution(w);
    if (first_visit && w->tree)
        common_tree_share(w);
    worker_go_back(w);
    if (first_visit && w->leaves)
        leaves_share(w);
}

/* Brings the machine and the execution to where a stack that another worker gave begins. */
static bool follow_given_path(struct worker *w)
{
    execution_cut(&w->execution, 0);
    w->seen_events = w->given.count; /* by whoever gave it */
    for (size_t i = 0; i < w->given.count; i++) {
        uint32_t agent = w->given.item[i];
        if (!w->machine->class->next(w->machine, i, agent, &w->step))
            return false;
        size_t followed = worker_follows(w, agent);
        if (w->machine->class->take(w->machine, i, agent, &w->step, &w->error) != PORTOLAN_OK ||
            !execution_append(&w->execution, agent, &w->step, followed))
            return false;
    }
    return true;
}

/* A step may take long, so this is looked at after each. */
bool is_interrupted(const struct worker *w)
{
    const volatile sig_atomic_t *interrupt = w->shared->options->interrupt;
    return interrupt && *interrupt;
}

/* The worker's own nodes begin behind so many. */
static size_t worker_base(const struct worker *w)
{
    return w->tree ? w->path.count : w->common + 1;
}

static void explore_stack(struct worker *w)
{
    uint32_t until_look = 1;
    bool whole = true; /* the last step was finished */
    while (w->stack.count >= worker_base(w) && !atomic_load_explicit(&w->shared->over, memory_order_relaxed)) {
        if (w->execution.events.count >= LONGEST_EXECUTION) {
            observe_too_long(w);
            return;
        }
        if (limits_reached()) {
            observe_stop(w, limits_stop());
            break;
        }
        advance(w);
        whole = !atomic_load_explicit(&w->shared->over, memory_order_relaxed);
        if (atomic_load_explicit(&w->shared->idle, memory_order_relaxed))
            share_work(w);
        if (w->leaves && leaves_look_at_limits(w))
            return;
        if (--until_look == 0 || is_interrupted(w)) {
            until_look = STEPS_PER_LOOK;
            observe_progress(w);
            if (w->shared->saved)
                save_when_due(w);
        }
        if (w->shared->saved)
            save_at_limit(w);
    }
    if (w->shared->saved && whole && w->stack.count)
        save_at_end(w);
}

/* Of the common tree, one after the other. */
static void explore_leaves(struct worker *w)
{
    while (common_tree_take(w)) {
        explore_stack(w);
        common_tree_leave(w);
    }
    worker_drop_stack(w);
    common_tree_leave(w);
}

void worker_explore(struct worker *w)
{
    if (w->method->run) {
        w->method->run(w);
        return;
    }
    if (w->tree) {
        explore_leaves(w);
        return;
    }
    if (w->leaves) {
        while (leaves_next(w)) {
            explore_stack(w);
            leaves_done(w);
        }
        return;
    }
    do {
        if (!follow_given_path(w) || (w->shared->saved && !saved_follow(w)))
            no_memory(w);
        explore_stack(w);
        worker_drop_stack(w);
    } while (wait_for_work(w));
}
