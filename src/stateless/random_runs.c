/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs with random priorities, for programs with too many executions to try all.
 *
 * Source: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized scheduler with probabilistic guarantees of
 * finding bugs", ASPLOS 2010 (PCT), section 3.  Agents get random priorities, the highest that is enabled goes; at d -
 * 1 random steps whoever has just gone gets a priority below all of these.  An error of depth d, one that happens
 * whenever d pairs of steps have the right order, is found by a run with probability 1 / (n k^(d-1)) or more, where n
 * agents take k steps at most.
 *
 * n and k are not known: they are the largest seen so far, and what is guaranteed counts only the runs made since they
 * last grew.  An agent that runs on and on while others could go would never end if it waits for one of them, so it is
 * made to yield; then nothing is guaranteed.
 *
 * What is preserved: what is found is real.  That nothing is found proves nothing.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/random.h"
#include "stateless/shared.h"

#include <string.h>

enum { DEFAULT_DEPTH = 3, PATIENCE = 10000, STEPS_PER_LOOK = 4096 };

struct random_runs {
    struct worker *worker;
    uint64_t state;      /* of the generator */
    uint32_t depth;      /* d */
    uint32_t *order;     /* agents, the one of highest priority first */
    int64_t *priority;   /* per agent */
    size_t *changes;     /* steps after which a priority changes: d - 1 of them */
    bool *took_part;     /* per agent, in any run */
    int64_t lowest;      /* priority so far */
    uint32_t agents;     /* n */
    size_t longest;      /* k */
    uint64_t counted;    /* runs since n or k grew */
    bool yielded;        /* somebody ran on and on */
    uint32_t until_look; /* at the clock */
};

static uint64_t draw(struct random_runs *r)
{
    return random_next(&r->state);
}

static bool is_over(const struct random_runs *r)
{
    return atomic_load_explicit(&r->worker->shared->over, memory_order_relaxed);
}

/* --- priorities */

static void draw_priorities(struct random_runs *r)
{
    uint32_t agents = r->worker->machine->agents;
    for (uint32_t i = 0; i < agents; i++) {
        uint32_t j = (uint32_t)(draw(r) % (i + 1));
        r->order[i] = r->order[j];
        r->order[j] = i;
    }
    for (uint32_t i = 0; i < agents; i++)
        r->priority[r->order[i]] = (int64_t)r->depth + agents - i;
    for (uint32_t i = 0; i + 1 < r->depth; i++)
        r->changes[i] = 1 + draw(r) % (r->longest ? r->longest : 1);
    r->lowest = 0;
}

/* Gives an agent a priority lower than the one it has. */
static void lower(struct random_runs *r, uint32_t agent, int64_t priority)
{
    uint32_t agents = r->worker->machine->agents, i = 0;
    if (priority >= r->priority[agent])
        return;
    r->priority[agent] = priority;
    while (r->order[i] != agent)
        i++;
    for (; i + 1 < agents && r->priority[r->order[i + 1]] > priority; i++)
        r->order[i] = r->order[i + 1];
    r->order[i] = agent;
}

/* Whoever is enabled and has the highest priority; its step is in w->step. */
static bool choose(struct random_runs *r, uint32_t *agent)
{
    struct worker *w = r->worker;
    w->somebody_waits = false;
    for (uint32_t i = 0; i < w->machine->agents; i++) {
        *agent = r->order[i];
        if (!worker_next(w, *agent, &w->step))
            continue;
        if (w->step.enabled)
            return true;
        w->somebody_waits = true;
    }
    return false;
}

/* --- runs */

/* Takes the step in w->step; false when the run, or everything, ends with it. */
static bool take(struct worker *w, uint32_t agent)
{
    size_t depth = w->execution.events.count, followed = worker_follows(w, agent);
    enum portolan_status status = w->machine->class->take(w->machine, depth, agent, &w->step, &w->error);
    if (status == PORTOLAN_OK && !execution_append(&w->execution, agent, &w->step, followed))
        status = fail_memory(&w->error);
    if (status != PORTOLAN_OK) {
        worker_give_up(w, status);
        return false;
    }
    w->steps++;
    if (worker_failed(w)) {
        count_execution(w);
        return false;
    }
    observe_point(w);
    return true;
}

static void note_length(struct random_runs *r)
{
    const struct execution *x = &r->worker->execution;
    bool grew = x->events.count > r->longest;
    if (grew)
        r->longest = x->events.count;
    for (uint32_t a = 0; a < x->agents; a++)
        if (x->last_of[a] != NO_EVENT && !r->took_part[a]) {
            r->took_part[a] = grew = true;
            r->agents++;
        }
    r->counted = grew ? 0 : r->counted + 1;
    r->worker->deepest = r->longest;
    r->worker->agents_seen = r->agents;
}

static void run_once(struct random_runs *r)
{
    struct worker *w = r->worker;
    uint32_t agent, last = UINT32_MAX, in_a_row = 0;
    execution_cut(&w->execution, 0);
    draw_priorities(r);
    observe_point(w);
    while (!is_over(r) && choose(r, &agent)) {
        if (!take(w, agent))
            return;
        size_t steps = w->execution.events.count;
        for (uint32_t i = 0; i + 1 < r->depth; i++)
            if (steps == r->changes[i])
                lower(r, agent, (int64_t)i + 1);
        in_a_row = agent == last ? in_a_row + 1 : 0;
        last = agent;
        if (in_a_row == PATIENCE) {
            lower(r, agent, --r->lowest);
            r->yielded = true;
            in_a_row = 0;
        }
        if (steps >= LONGEST_EXECUTION)
            observe_too_long(w);
        if (limits_reached())
            observe_stop(w, limits_stop());
        if (--r->until_look == 0 || is_interrupted(w)) {
            r->until_look = STEPS_PER_LOOK;
            observe_progress(w);
        }
    }
    if (is_over(r))
        return;
    note_length(r);
    worker_finish_execution(w);
}

/* 1 - (1 - p)^counted, by squaring, on probabilities of success so that small ones are not lost. */
static double guarantee(const struct random_runs *r)
{
    double p = 1.0 / r->agents, found = 0;
    for (uint32_t i = 1; i < r->depth; i++)
        p /= (double)r->longest;
    for (uint64_t runs = r->counted; runs; runs >>= 1, p += p - p * p)
        if (runs & 1)
            found += p - found * p;
    return found;
}

static void run_all(struct random_runs *r)
{
    struct worker *w = r->worker;
    const struct portolan_options *options = w->shared->options;
    for (uint64_t run = 0; run < options->random_runs && !is_over(r); run++)
        run_once(r);
    if (!r->yielded && !w->cut && r->longest)
        w->guarantee = guarantee(r);
}

static void run(struct worker *w)
{
    const struct portolan_options *options = w->shared->options;
    size_t agents = (size_t)w->machine->agents + 1;
    struct random_runs r = {.worker = w, .state = options->seed, .until_look = 1};
    r.depth = options->bug_depth ? options->bug_depth : DEFAULT_DEPTH;
    r.order = malloc(agents * sizeof *r.order);
    r.priority = malloc(agents * sizeof *r.priority);
    r.took_part = calloc(agents, sizeof *r.took_part);
    r.changes = malloc(r.depth * sizeof *r.changes);
    if (r.order && r.priority && r.took_part && r.changes)
        run_all(&r);
    else
        worker_give_up(w, fail_memory(&w->error));
    free(r.order);
    free(r.priority);
    free(r.took_part);
    free(r.changes);
}

const struct method method_random = {.name = "random", .summary = "runs with random priorities", .run = run};
