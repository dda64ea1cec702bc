/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LazyPOR as printed: Metzler, "Lazy POR for the verification of distributed programs",
 * master's thesis, TU Darmstadt 2014, listing 3.1 (explore, execute, split-at-dependency),
 * listing 5.1 (solve), with program order (4.1), omission of empty solutions (4.3) and,
 * where asked for, state tracking (4.4).
 *
 * An execution is u1.u2: the dependencies of u1 are done with, every other combination of
 * directions of those of u2 is a variation.  A variation is solved, executed as far as it goes,
 * the execution completed by whoever can go on, and split again.
 *
 * What it requires: no step ever waits (definition 10).
 * What it preserves: nothing that its end would prove.  Where programs branch on shared memory
 * it may call itself forever with the same few executions (4.2), and then never sees the other
 * traces; state tracking makes it end and loses traces: a state seen before need not have been
 * explored with what came before it this time.  Where the plain algorithm ended we have not seen
 * it lose one (theorem 3.1), but rely on `lazy`; this is here for comparison.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "stateless/shared.h"
#include "stateless/system/methods.h"
#include "stateless/system/state_machine.h"
#include "store/store.h"

#include <string.h>

enum {
    DEEPEST_CALL = 100000, /* of explore within itself */
    WORK_PER_LOOK = 100000 /* at the clock: pairs of steps, about */
};

struct scheduled {
    uint32_t agent, action;
};

struct pair { /* of dependent steps of u2, first < second */
    uint32_t first, second;
};

/* A call of explore(u1, u2).  Steps of u2 are numbered from 0. */
struct call {
    uint32_t kept, length; /* of u1, of u2 */
    size_t pair_count, bytes;
    struct scheduled *steps; /* of u1 and u2 */
    struct pair *pairs;      /* the dependency list: increasing */
    bool *swapped;           /* per pair: the present variation */
};

struct lazy {
    struct worker *worker;
    bool stateful;
    struct store seen; /* u1(s0) of all calls */
    VECTOR(struct call) calls;
    size_t bytes;              /* of the calls */
    size_t work;               /* since the last look */
    VECTOR(uint32_t) solution; /* steps of u2 */
    VECTOR(uint32_t) scratch;  /* of solve */
    VECTOR(struct pair) pairs;
};

static void no_memory(struct lazy *l)
{
    if (limits_stop() != PORTOLAN_COMPLETE)
        observe_stop(l->worker, limits_stop());
    else
        worker_give_up(l->worker, fail_memory(&l->worker->error));
}

static bool is_over(const struct lazy *l)
{
    return atomic_load_explicit(&l->worker->shared->over, memory_order_relaxed);
}

/* Looks at the limits when enough work was done; false when the search is over. */
static bool go_on(struct lazy *l, size_t work)
{
    l->work += work;
    if (limits_reached())
        observe_stop(l->worker, limits_stop());
    if (l->work >= WORK_PER_LOOK) {
        l->work = 0;
        l->worker->more_bytes = l->bytes + l->pairs.capacity * sizeof *l->pairs.item;
        l->worker->more_bytes += l->stateful ? store_bytes(&l->seen) : 0;
        observe_progress(l->worker);
    }
    return !is_over(l);
}

/* --- solve */

/* The next combination of directions, the first of the list changing fastest; false after the last. */
static bool next_variation(struct call *call)
{
    size_t i = 0;
    while (i < call->pair_count && call->swapped[i])
        call->swapped[i++] = false;
    if (i == call->pair_count)
        return false;
    call->swapped[i] = true;
    return true;
}

/* What solve knows of the steps of u2 and of the agents. */
struct graph {
    uint32_t *waits;      /* per step: constraints with it as the later one that are not met */
    uint32_t *following;  /* per step: the agent's next */
    uint32_t *minimal;    /* per agent: its first step that is left, or NO_EVENT */
    uint32_t *first_pair; /* per step: of the pairs that begin with it; and one more */
};

static bool make_graph(struct lazy *l, const struct call *call, struct graph *g)
{
    uint32_t agents = l->worker->machine->agents, length = call->length;
    l->scratch.count = 0;
    if (!vector_reserve(&l->scratch, 3 * (size_t)length + 1 + agents))
        return false;
    *g = (struct graph){.waits = l->scratch.item,
                        .following = l->scratch.item + length,
                        .first_pair = l->scratch.item + 2 * (size_t)length,
                        .minimal = l->scratch.item + 3 * (size_t)length + 1};
    memset(g->waits, 0, length * sizeof *g->waits);
    memset(g->minimal, 0xff, agents * sizeof *g->minimal);
    for (uint32_t i = length; i-- > 0;) {
        uint32_t agent = call->steps[call->kept + i].agent;
        g->following[i] = g->minimal[agent];
        g->minimal[agent] = i;
    }
    size_t pair = 0;
    for (uint32_t i = 0; i <= length; i++) {
        while (pair < call->pair_count && call->pairs[pair].first < i)
            pair++;
        g->first_pair[i] = (uint32_t)pair;
    }
    for (pair = 0; pair < call->pair_count; pair++)
        g->waits[call->swapped[pair] ? call->pairs[pair].first : call->pairs[pair].second]++;
    return true;
}

/* Takes the outgoing edges of a step away. */
static void release(const struct call *call, const struct graph *g, uint32_t step)
{
    for (size_t i = 0; i < g->first_pair[step]; i++)
        if (call->pairs[i].second == step && call->swapped[i])
            g->waits[call->pairs[i].first]--;
    for (size_t i = g->first_pair[step]; i < g->first_pair[step + 1]; i++)
        if (!call->swapped[i])
            g->waits[call->pairs[i].second]--;
}

/* Listing 5.1: goes round the processes, taking from each the first step that is left when no constraint is against
 * it, until none can give one. */
static bool solve(struct lazy *l, const struct call *call)
{
    struct graph g;
    l->solution.count = 0;
    if (!make_graph(l, call, &g) || !vector_reserve(&l->solution, call->length))
        return false;
    uint32_t agents = l->worker->machine->agents, refused = 0;
    for (uint32_t agent = 0; l->solution.count < call->length && refused < agents; agent = (agent + 1) % agents) {
        uint32_t next = g.minimal[agent];
        if (next == NO_EVENT || g.waits[next]) {
            refused++;
            continue;
        }
        g.minimal[agent] = g.following[next];
        release(call, &g, next);
        l->solution.item[l->solution.count++] = next;
        refused = 0;
        if (!go_on(l, call->pair_count))
            break;
    }
    return true;
}

/* --- execute */

/* Appends a step of an agent to the execution. */
static void take_step(struct lazy *l, uint32_t agent)
{
    struct worker *w = l->worker;
    if (w->step.waits_for != PORTOLAN_NO_OBJECT) {
        fail(&w->error, PORTOLAN_REFUSED, "'%s' is for models in which no step ever waits", w->method->name);
        hint(&w->error, "use lazy");
        worker_give_up(w, PORTOLAN_REFUSED);
        return;
    }
    size_t followed = worker_follows(w, agent);
    enum portolan_status status =
        w->machine->class->take(w->machine, w->execution.events.count, agent, &w->step, &w->error);
    if (status != PORTOLAN_OK)
        worker_give_up(w, status);
    else if (!execution_append(&w->execution, agent, &w->step, followed))
        no_memory(l);
    w->steps++;
    if (w->execution.events.count > w->deepest)
        w->deepest = w->execution.events.count;
}

/* Step i of u1.v1. */
static struct scheduled scheduled_step(const struct lazy *l, const struct call *call, size_t i)
{
    return call->steps[i < call->kept ? i : call->kept + l->solution.item[i - call->kept]];
}

/* Goes back to where the last execution and u1.v1 part. */
static void return_to_common_part(struct lazy *l, const struct call *call)
{
    struct execution *x = &l->worker->execution;
    size_t scheduled = call->kept + l->solution.count, common = 0;
    for (; common < x->events.count && common < scheduled; common++) {
        struct scheduled step = scheduled_step(l, call, common);
        if (x->events.item[common].agent != step.agent || x->events.item[common].action != step.action)
            break;
    }
    execution_cut(x, common);
}

/* Follows u1.v1 up to the first step that is not enabled. */
static void follow_schedule(struct lazy *l, const struct call *call)
{
    struct worker *w = l->worker;
    return_to_common_part(l, call);
    for (size_t i = w->execution.events.count; i < call->kept + l->solution.count && !is_over(l); i++) {
        struct scheduled step = scheduled_step(l, call, i);
        if (!worker_next(w, step.agent, &w->step) || w->step.action != step.action)
            return;
        take_step(l, step.agent);
    }
}

/* Lets the last agent that can go on do so, until nobody can; false when the execution does not end. */
static bool complete(struct lazy *l)
{
    struct worker *w = l->worker;
    for (uint32_t agent = w->machine->agents; agent-- > 0 && !is_over(l);)
        while (!is_over(l) && worker_next(w, agent, &w->step)) {
            if (w->execution.events.count >= LONGEST_EXECUTION) {
                observe_too_long(w);
                return false;
            }
            take_step(l, agent);
        }
    return !is_over(l);
}

/* --- split-at-dependency */

static bool are_dependent(const struct execution *x, uint32_t a, uint32_t b)
{
    return x->events.item[a].agent != x->events.item[b].agent && events_conflict(x, a, b);
}

/* Is the dependency of two steps of v1 one of the constraints? */
static bool is_constrained(const struct lazy *l, const struct call *call, uint32_t a, uint32_t b)
{
    uint32_t p = l->solution.item[a - call->kept], q = l->solution.item[b - call->kept];
    struct pair sought = p < q ? (struct pair){p, q} : (struct pair){q, p};
    size_t low = 0, high = call->pair_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct pair *pair = &call->pairs[middle];
        if (pair->first < sought.first || (pair->first == sought.first && pair->second < sought.second))
            low = middle + 1;
        else
            high = middle;
    }
    return low < call->pair_count && call->pairs[low].first == sought.first && call->pairs[low].second == sought.second;
}

/* The length of u1': up to the first event with a dependency that is not covered (conditions 3.1 to 3.6). */
static uint32_t split_at_dependency(struct lazy *l, const struct call *call, uint32_t scheduled)
{
    const struct execution *x = &l->worker->execution;
    uint32_t kept = call ? call->kept : 0, length = (uint32_t)x->events.count;
    for (uint32_t i = 0; i < scheduled && go_on(l, length - i); i++)
        for (uint32_t j = i < kept ? kept : i + 1; j < length; j++)
            if (are_dependent(x, i, j) && (i < kept || j >= scheduled || !is_constrained(l, call, i, j)))
                return i;
    return scheduled;
}

/* --- explore */

static bool list_dependencies(struct lazy *l, uint32_t kept)
{
    const struct execution *x = &l->worker->execution;
    uint32_t length = (uint32_t)x->events.count;
    l->pairs.count = 0;
    for (uint32_t i = kept; i < length && go_on(l, length - i); i++)
        for (uint32_t j = i + 1; j < length; j++)
            if (are_dependent(x, i, j) && !vector_push(&l->pairs, ((struct pair){i - kept, j - kept})))
                return false;
    return true;
}

static bool push_call(struct lazy *l, uint32_t kept)
{
    const struct execution *x = &l->worker->execution;
    size_t length = x->events.count, count = l->pairs.count;
    size_t bytes = length * sizeof(struct scheduled) + count * (sizeof(struct pair) + sizeof(bool));
    if (!vector_reserve(&l->calls, 1))
        return false;
    struct call *top = &l->calls.item[l->calls.count];
    *top = (struct call){.kept = kept, .length = (uint32_t)length - kept, .pair_count = count, .bytes = bytes};
    top->steps = malloc(bytes);
    if (!top->steps)
        return false;
    top->pairs = (struct pair *)(top->steps + length);
    top->swapped = (bool *)(top->pairs + count);
    for (size_t i = 0; i < length; i++)
        top->steps[i] = (struct scheduled){x->events.item[i].agent, x->events.item[i].action};
    memcpy(top->pairs, l->pairs.item, count * sizeof *top->pairs);
    memset(top->swapped, 0, count * sizeof *top->swapped);
    l->calls.count++;
    l->bytes += bytes + sizeof *top;
    return true;
}

static void pop_call(struct lazy *l)
{
    struct call *call = &l->calls.item[--l->calls.count];
    l->bytes -= call->bytes + sizeof *call;
    free(call->steps);
}

/* 4.4: has a call begun in this state before? */
static bool is_known(struct lazy *l, uint32_t kept)
{
    const void *state = state_machine_state(l->worker->machine, kept);
    uint32_t before = l->seen.count, number = before;
    if (l->stateful)
        number = store_insert(&l->seen, state, store_hash(state, l->seen.key_bytes));
    if (number == STORE_NONE)
        no_memory(l);
    return number < before;
}

/* Executes u1 and the solution of a constraint system (none: call is NULL), then calls explore with what split gives.
 */
static void execute(struct lazy *l, const struct call *call)
{
    struct worker *w = l->worker;
    if (call)
        follow_schedule(l, call);
    uint32_t scheduled = (uint32_t)w->execution.events.count;
    if (is_over(l) || !complete(l))
        return;
    worker_finish_execution(w);
    uint32_t kept = split_at_dependency(l, call, scheduled);
    if (is_over(l) || kept == w->execution.events.count || is_known(l, kept))
        return;
    if (!list_dependencies(l, kept))
        no_memory(l);
    else if (is_over(l))
        return;
    else if (l->calls.count == DEEPEST_CALL)
        observe_divergence(w);
    else if (l->pairs.count && !push_call(l, kept))
        no_memory(l);
}

/* The recursion of explore, on a stack of its own. */
static void explore(struct lazy *l)
{
    execute(l, NULL);
    while (l->calls.count && go_on(l, l->calls.item[l->calls.count - 1].length)) {
        struct call *call = &l->calls.item[l->calls.count - 1];
        if (!next_variation(call))
            pop_call(l);
        else if (!solve(l, call))
            no_memory(l);
        else if (l->solution.count)
            execute(l, call);
    }
}

static void run(struct worker *w, bool stateful)
{
    struct lazy l = {.worker = w, .stateful = stateful};
    if (stateful && !store_make(&l.seen, state_machine_key_bytes(w->machine)))
        no_memory(&l);
    else
        explore(&l);
    while (l.calls.count)
        pop_call(&l);
    free(l.calls.item);
    free(l.solution.item);
    free(l.scratch.item);
    free(l.pairs.item);
    if (stateful)
        store_clear(&l.seen);
}

static void run_stateless(struct worker *w)
{
    run(w, false);
}

static void run_stateful(struct worker *w)
{
    run(w, true);
}

const struct method method_lazy_printed = {
    .name = "lazy:as-printed",
    .summary = "LazyPOR as printed, for comparison: may not end, and may miss traces, proves nothing",
    .run = run_stateless};

const struct method method_lazy_printed_stateful = {
    .name = "lazy:as-printed,stateful",
    .summary = "LazyPOR with state tracking as printed, for comparison: loses traces, proves nothing",
    .run = run_stateful};
