/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is explored from a node: which agents enter its backtrack set, or which sequences its wake-up tree.
 *
 * none     every enabled agent.
 * dpor     Flanagan and Godefroid, POPL 2005, figure 5: for every next step at every point, find the last event in
 *          conflict with it that may be co-enabled and does not happen before it; the backtrack set before that event
 *          gets one agent, or all.  Here reads and writes are told apart, and there are sleep sets unless the user asks
 *          for none.
 * source   Abdulla, Aronis, Jonsson and Sagonas, JACM 2017, algorithm 1: backtrack sets grow to
 *          source sets; with sleep sets.
 * optimal  the same paper, algorithm 2: wake-up trees.  Exactly one execution per trace, none blocked.  A step taken
 *          from a node hands the subtree below it down to the child.  Of a sequence only a prefix is kept (prefix.c).
 *          Races that give the same sequence are reversed once where that is told from what sleeps (node.c).
 * lazy     Metzler, TU Darmstadt 2014, repaired: races are reversed when an execution is complete, and the rest of a
 *          reversed sequence is followed for as long as nothing in it sleeps.
 *
 * All preserve deadlocks and everything an execution can be asked at its end: which steps were taken, in which
 * order those in conflict.
 */
#include "base/bits.h"
#include "base/limits.h"
#include "stateless/common_tree.h"
#include "stateless/worker.h"

#include <stdlib.h>
#include <string.h>

bool add_to_backtrack(struct worker *w, size_t depth, uint32_t agent)
{
    struct node *node = node_at(w, depth);
    bool fine = true;
    node_lock(node);
    if (!bit_get(node->asleep, agent) && !bit_get(node->backtracks, agent)) {
        struct sequence only = {.execution = &w->execution, .length = 1, .last = {.agent = agent}};
        fine = node_add_branch(&w->pool, node, &only);
    }
    node_unlock(node);
    return fine;
}

void find_enabled(struct worker *w, struct node *node)
{
    for (uint32_t agent = 0; agent < w->machine->agents; agent++)
        if (worker_next(w, agent, &w->step) && w->step.enabled)
            bit_set(node->enabled, agent);
}

/* --- none */

static bool none_entered(struct worker *w, size_t depth)
{
    struct node *node = node_at(w, depth);
    find_enabled(w, node);
    count_preemptions(w, depth);
    for (uint32_t agent = 0; agent < w->machine->agents; agent++)
        if (bit_get(node->enabled, agent) && bound_allows(w, depth, agent) && !add_to_backtrack(w, depth, agent))
            return false;
    return true;
}

const struct method method_none = {.name = "none",
                                   .summary = "every interleaving",
                                   .preserves_traces = true,
                                   .preserves_bounded_traces = true,
                                   .entered = none_entered};

/* --- dpor */

/* Does the event happen before the agent's next step, by what the agent did before, or by its floor in w->floor? */
static bool known_to(const struct worker *w, uint32_t event, uint32_t agent)
{
    const struct execution *x = &w->execution;
    uint32_t last = x->last_of[agent];
    const struct event *e = &x->events.item[event];
    return (last != NO_EVENT && happens_before(x, event, last)) || w->floor[e->agent] >= e->order;
}

/* Was the agent explored from this node, or may it still be?  One that has slept since an earlier node never will: what
 * it did there covers what begins with its step, which need not be what the race asks for. */
static bool is_of_use(const struct node *node, uint32_t agent)
{
    if (!bit_get(node->enabled, agent))
        return false;
    if (!bit_get(node->asleep, agent))
        return true;
    for (size_t i = 0; i < node->sleep_set.count; i++)
        if (node->sleep_set.item[i].step.agent == agent)
            return node->sleep_set.item[i].explored_here;
    return false;
}

/* An agent whose step from the node before `event` leads towards the step of `agent`; all that are enabled if none. */
static bool add_backtrack_point(struct worker *w, uint32_t event, uint32_t agent)
{
    const struct execution *x = &w->execution;
    struct node *node = node_at(w, event);
    if (is_above_split(w, event))
        return true;
    node_lock(node);
    uint32_t found = is_of_use(node, agent) && !w->step.varies ? agent : NO_EVENT;
    for (uint32_t j = event + 1; j < x->events.count && found == NO_EVENT && !w->step.varies; j++)
        if (known_to(w, j, agent) && is_of_use(node, x->events.item[j].agent))
            found = x->events.item[j].agent;
    node_unlock(node);
    if (found != NO_EVENT)
        return add_to_backtrack(w, event, found);
    for (uint32_t a = 0; a < w->machine->agents; a++)
        if (bit_get(node->enabled, a) && !add_to_backtrack(w, event, a))
            return false;
    return true;
}

/* Could the agent's next step, which w->step holds, have been enabled just before the event? */
static bool may_be_coenabled(struct worker *w, uint32_t event, uint32_t agent)
{
    if (w->step.waits_for == PORTOLAN_NO_OBJECT || w->step.waits_for == PORTOLAN_SEVERAL_OBJECTS)
        return true;
    const struct portolan_access *access = accesses_of(&w->execution, event);
    for (uint32_t i = 0; i < w->execution.events.item[event].access_count; i++)
        if (access[i].object == w->step.waits_for && access[i].writes)
            return w->machine->class->next_as_if(w->machine, w->execution.events.count, agent, event, &w->other_step) &&
                   w->other_step.enabled;
    return true;
}

/* Walks the events back to the last one in conflict.  A step that waits for several objects, or that may touch others
 * elsewhere, needs them all: the published rule is for steps that always conflict with the same. */
static bool dpor_look_at(struct worker *w, uint32_t agent)
{
    const struct execution *x = &w->execution;
    bool all = w->step.varies || w->step.waits_for == PORTOLAN_SEVERAL_OBJECTS;
    if (w->machine->class->follows)
        make_floor(x, worker_follows(w, agent), w->floor);
    for (uint32_t e = (uint32_t)x->events.count; e-- > 0;) {
        if (limits_reached())
            return false;
        if (x->events.item[e].agent == agent || known_to(w, e, agent) ||
            !accesses_conflict(accesses_of(x, e), x->events.item[e].access_count, w->step.accesses,
                               w->step.access_count) ||
            !may_be_coenabled(w, e, agent))
            continue;
        if (!add_backtrack_point(w, e, agent))
            return false;
        if (!all)
            return true;
    }
    return true;
}

static bool dpor_entered(struct worker *w, size_t depth)
{
    struct node *node = node_at(w, depth);
    for (uint32_t agent = 0; agent < w->machine->agents; agent++) {
        if (!worker_next(w, agent, &w->step))
            continue;
        if (w->step.enabled)
            bit_set(node->enabled, agent);
        if (!dpor_look_at(w, agent))
            return false;
    }
    return true;
}

const struct method method_dpor = {.name = "dpor",
                                   .summary = "Flanagan and Godefroid's dynamic reduction, with sleep sets",
                                   .preserves_traces = true,
                                   .sleeps = true,
                                   .entered = dpor_entered};

const struct method method_dpor_plain = {.name = "dpor:no-sleep",
                                         .summary = "Flanagan and Godefroid's dynamic reduction as published",
                                         .preserves_traces = true,
                                         .entered = dpor_entered};

/* --- source */

/* Is an initial of the sequence in the sleep set or the backtrack set of the node? */
static bool has_initial(const struct node *node, const struct sequence *sequence)
{
    for (uint32_t i = 0; i < sequence->length; i++) {
        uint32_t agent = sequence_agent(sequence, i);
        if ((bit_get(node->asleep, agent) || bit_get(node->backtracks, agent)) && is_initial(sequence, i))
            return true;
    }
    return false;
}

static bool add_initial(struct worker *w, size_t depth, struct sequence *sequence)
{
    struct node *node = node_at(w, depth);
    node_lock(node);
    bool found = has_initial(node, sequence);
    node_unlock(node);
    return found || add_to_backtrack(w, depth, sequence_agent(sequence, 0));
}

static bool source_appended(struct worker *w, uint32_t event)
{
    return reverse_races(w, event, event, add_initial);
}

/*
 * What algorithm 1 leaves out, since there no step waits and what a step touches never varies: an agent that waits at
 * the end has a race too, also at the end of a blocked execution; and a step that touches other objects once its race
 * is reversed may meet events there that it did not see here, so its races are reversed again with all of the
 * execution.
 */
static bool source_ended(struct worker *w, bool blocked)
{
    (void)blocked;
    uint32_t length = (uint32_t)w->execution.events.count;
    for (uint32_t event = 0; event < length && w->execution.varying; event++)
        if (w->execution.events.item[event].varies && !reverse_races(w, event, length, add_initial))
            return false;
    return reverse_waits(w, add_initial);
}

const struct method method_source = {.name = "source",
                                     .summary = "dynamic reduction with source sets and sleep sets",
                                     .preserves_traces = true,
                                     .sleeps = true,
                                     .appended = source_appended,
                                     .ended = source_ended};

/* --- lazy */

static bool add_variation(struct worker *w, size_t depth, struct sequence *sequence)
{
    struct node *node = node_at(w, depth);
    node_lock(node);
    bool fine = has_initial(node, sequence) || node_add_branch(&w->pool, node, sequence);
    node_unlock(node);
    return fine;
}

static bool lazy_ended(struct worker *w, bool blocked)
{
    (void)blocked;
    uint32_t length = (uint32_t)w->execution.events.count;
    for (uint32_t event = w->execution.varying ? 0 : (uint32_t)w->seen_events; event < length; event++)
        if ((event >= w->seen_events || w->execution.events.item[event].varies) &&
            !reverse_races(w, event, length, add_variation))
            return false;
    w->seen_events = length;
    return reverse_waits(w, add_variation);
}

const struct method method_lazy = {.name = "lazy",
                                   .summary = "whole executions, and variations of their constraints",
                                   .preserves_traces = true,
                                   .sleeps = true,
                                   .sequences = HINTS,
                                   .ended = lazy_ended};

/* --- optimal */

static bool insert_unless_asleep(struct worker *w, size_t depth, struct remainder *sequence)
{
    struct node *node = node_at(w, depth);
    bool is_of_tree = is_in_common_tree(w, depth);
    enum trusted trusted = is_of_tree          ? EXPLORED_ANYWHERE
                           : depth < w->common ? EXPLORED_FROM_HERE
                                               : EXPLORED_HERE_ALONE;
    return node_sleeps_through(node, sequence, trusted) ||
           (is_of_tree ? common_tree_insert(w, depth, sequence) : node_insert(&w->pool, node, sequence));
}

static bool add_wakeup_sequence(struct worker *w, size_t depth, struct sequence *sequence)
{
    enum { FEW = 128 };
    struct item few[FEW], *room = sequence->length <= FEW ? few : malloc(sequence->length * sizeof *room);
    if (!room)
        return false;
    struct remainder all;
    remainder_make(&all, sequence, room);
    bool fine = insert_unless_asleep(w, depth, &all);
    sequence->depends = all.depends;
    if (room != few)
        free(room);
    return fine;
}

static bool optimal_ended(struct worker *w, bool blocked)
{
    (void)blocked;
    return reverse_all_races(w, add_wakeup_sequence) && reverse_waits(w, add_wakeup_sequence);
}

const struct method method_optimal = {.name = "optimal",
                                      .summary = "dynamic reduction with wake-up trees: each trace once",
                                      .preserves_traces = true,
                                      .sleeps = true,
                                      .sequences = WAKE_UP,
                                      .ended = optimal_ended};

const struct method *const machine_methods[] = {&method_none, &method_dpor,    &method_dpor_plain, &method_source,
                                                &method_lazy, &method_optimal, &method_bounded,    NULL};

const struct method *method_find(const struct method *const *table, const char *name)
{
    while (*table && strcmp((*table)->name, name) != 0)
        table++;
    return *table;
}
