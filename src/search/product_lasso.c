/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a strongly connected set of nodes that holds an accepting cycle to a short lasso: breadth-first searches for
 * the prefix, then from one thing that the cycle must see (an acceptance set; under fairness, an action not enabled or
 * taken) to the nearest other, and back to the start.  Several starts are tried.
 */
#include "base/bits.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "search/product.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STARTS = 64, WORK_PER_NODE = 40 };

struct arrival {
    uint32_t parent, stamp;
    struct product_step step;
};

struct move {
    uint32_t action;
    uint32_t from; /* program state */
};

struct moves {
    struct move *item;
    size_t count, capacity;
};

struct maker {
    struct product *product;
    const bool *member;
    struct arrival *arrivals; /* per node */
    uint32_t stamp;
    uint32_t *queue;
    uint64_t work;
    /* what the cycle still has to see */
    uint64_t sets;
    uint32_t classes, missing_count;
    uint64_t *missing;  /* classes */
    uint64_t *disabled; /* scratch */
};

static bool maker_make(struct maker *m)
{
    const struct product *p = m->product;
    size_t nodes = (size_t)p->nodes->count + 1;
    if (p->fairness != PORTOLAN_UNFAIR)
        m->classes = p->recording->classes;
    m->arrivals = calloc(nodes, sizeof *m->arrivals);
    m->queue = calloc(nodes, sizeof *m->queue);
    m->missing = calloc(bit_words(m->classes) + 1, sizeof *m->missing);
    m->disabled = calloc(bit_words(m->classes) + 1, sizeof *m->disabled);
    return m->arrivals && m->queue && m->missing && m->disabled;
}

static void maker_clear(struct maker *m)
{
    free(m->arrivals);
    free(m->queue);
    free(m->missing);
    free(m->disabled);
}

static void want_all(struct maker *m)
{
    m->sets = automaton_all_sets(m->product->automaton);
    m->missing_count = m->classes;
    memset(m->missing, 0, bit_words(m->classes) * sizeof *m->missing);
    for (uint32_t class = 0; class < m->classes; class ++)
        bit_set(m->missing, class);
}

/* Does the step see something that is missing?  With `take`, it is missing no longer. */
static bool sees(struct maker *m, uint32_t from, const struct product_step *step, bool take)
{
    const struct product *p = m->product;
    bool useful = (step->acceptance & m->sets) != 0;
    if (take)
        m->sets &= ~step->acceptance;
    if (m->missing_count == 0)
        return useful;
    const struct recorded_state *state = recorded(p->recording, product_node(p, from).state);
    bool rests = ltl_rests(&p->property->ltl, state->letter); /* there only what is taken counts */
    memcpy(m->disabled, m->missing, bit_words(m->classes) * sizeof *m->disabled);
    if (rests)
        memset(m->disabled, 0, bit_words(m->classes) * sizeof *m->disabled);
    for (uint32_t i = 0; i < state->count; i++)
        bit_clear(m->disabled, recorded_class(p->recording, state->first + i));
    if (step->action != PRODUCT_STUTTER && bit_get(m->missing, recorded_class(p->recording, step->edge)))
        bit_set(m->disabled, recorded_class(p->recording, step->edge));
    for (size_t w = 0; w < bit_words(m->classes); w++) {
        useful |= m->disabled[w] != 0;
        if (take) {
            m->missing[w] &= ~m->disabled[w];
            m->missing_count -= (uint32_t)__builtin_popcountll(m->disabled[w]);
        }
    }
    return useful;
}

enum goal { TO_MEMBER, TO_USEFUL_STEP, TO_NODE };

static bool is_goal(struct maker *m, enum goal goal, uint32_t node, uint32_t from, const struct product_step *step)
{
    switch (goal) {
    case TO_MEMBER: return false;
    case TO_USEFUL_STEP: return sees(m, from, step, false);
    case TO_NODE: return step->target == node;
    }
    return false;
}

static bool push_move(struct maker *m, struct moves *path, uint32_t from, const struct product_step *step)
{
    struct move move = {.action = step->action, .from = product_node(m->product, from).state};
    return vector_push(path, move);
}

/* Appends the way to a node that the last search has found, and notes what it sees. */
static bool append_path(struct maker *m, uint32_t from, uint32_t to, struct moves *path)
{
    size_t start = path->count;
    for (uint32_t node = to; node != from; node = m->arrivals[node].parent) {
        sees(m, m->arrivals[node].parent, &m->arrivals[node].step, true);
        if (!push_move(m, path, m->arrivals[node].parent, &m->arrivals[node].step))
            return false;
    }
    for (size_t i = start, j = path->count; i + 1 < j; i++) {
        struct move swapped = path->item[i];
        path->item[i] = path->item[--j];
        path->item[j] = swapped;
    }
    return true;
}

/*
 * Breadth-first among members (or, to number all members by distance, among all nodes) for a step that is the goal;
 * appends the way and the step, and moves *at to its end.  The number of nodes met; 0 when there is no such step, or
 * memory ran out.
 */
static uint32_t walk(struct maker *m, uint32_t *at, enum goal goal, uint32_t node, struct moves *path)
{
    struct product *p = m->product;
    uint32_t count = 0, from = *at;
    m->stamp++;
    m->arrivals[from].stamp = m->stamp;
    m->queue[count++] = from;
    for (uint32_t i = 0; i < count; i++) {
        struct product_cursor cursor = {.node = m->queue[i]};
        struct product_step step;
        if (limits_reached())
            return 0;
        while (product_next(p, &cursor, &step)) {
            m->work++;
            if (goal != TO_MEMBER && !m->member[step.target])
                continue;
            if (is_goal(m, goal, node, cursor.node, &step)) {
                if (!append_path(m, from, cursor.node, path) || !push_move(m, path, cursor.node, &step))
                    return 0;
                sees(m, cursor.node, &step, true);
                *at = step.target;
                return count;
            }
            struct arrival *arrival = &m->arrivals[step.target];
            if (arrival->stamp == m->stamp)
                continue;
            *arrival = (struct arrival){.parent = cursor.node, .stamp = m->stamp, .step = step};
            m->queue[count++] = step.target;
        }
    }
    return goal == TO_MEMBER ? count : 0;
}

/* A cycle through the start that sees everything. */
static bool make_cycle(struct maker *m, uint32_t start, struct moves *cycle)
{
    uint32_t at = start;
    want_all(m);
    while (m->sets || m->missing_count)
        if (!walk(m, &at, TO_USEFUL_STEP, 0, cycle))
            return false;
    return (at == start && cycle->count) || walk(m, &at, TO_NODE, start, cycle);
}

static bool same_move(const struct move *one, const struct move *other)
{
    return one->action == other->action && one->from == other->from;
}

/* A cycle of the product may go round a cycle of the program several times: once is enough. */
static void cut_repetitions(struct moves *cycle)
{
    for (size_t period = 1; period <= cycle->count / 2; period++) {
        size_t i = period;
        while (cycle->count % period == 0 && i < cycle->count && same_move(&cycle->item[i], &cycle->item[i - period]))
            i++;
        if (i == cycle->count) {
            cycle->count = period;
            return;
        }
    }
}

/* u x (v x)^w is u (x v)^w. */
static void roll_back(struct moves *prefix, struct moves *cycle)
{
    while (prefix->count && same_move(&prefix->item[prefix->count - 1], &cycle->item[cycle->count - 1])) {
        struct move last = cycle->item[cycle->count - 1];
        memmove(cycle->item + 1, cycle->item, (cycle->count - 1) * sizeof *cycle->item);
        cycle->item[0] = last;
        prefix->count--;
    }
}

static bool keep(struct product *p, const struct moves *prefix, const struct moves *cycle)
{
    p->trace.count = 0;
    for (size_t i = 0; i < prefix->count + cycle->count; i++) {
        uint32_t action = i < prefix->count ? prefix->item[i].action : cycle->item[i - prefix->count].action;
        if (action == PRODUCT_STUTTER) { /* the program has ended here, and stays */
            p->cycle_start = p->trace.count;
            return true;
        }
        if (!vector_push(&p->trace, action))
            return false;
    }
    p->cycle_start = prefix->count;
    return true;
}

/* Tries the members nearest to the initial node as starts of the cycle. */
static bool try_starts(struct maker *m)
{
    struct product *p = m->product;
    struct moves cycle = {0}, *prefixes = calloc(MOST_STARTS, sizeof *prefixes);
    uint32_t starts[MOST_STARTS], tried = 0, at = 0;
    size_t best = SIZE_MAX;
    if (!prefixes)
        return false;
    uint32_t met = walk(m, &at, TO_MEMBER, 0, NULL);
    bool fine = true;
    for (uint32_t i = 0; i < met && tried < MOST_STARTS && fine; i++)
        if (m->member[m->queue[i]]) {
            starts[tried] = m->queue[i];
            fine = append_path(m, 0, m->queue[i], &prefixes[tried++]);
        }
    m->work = 0;
    for (uint32_t i = 0; i < tried && fine && (i == 0 || m->work < (uint64_t)WORK_PER_NODE * p->nodes->count); i++) {
        cycle.count = 0;
        fine = make_cycle(m, starts[i], &cycle);
        if (fine) {
            cut_repetitions(&cycle);
            roll_back(&prefixes[i], &cycle);
        }
        if (fine && prefixes[i].count + cycle.count < best) {
            best = prefixes[i].count + cycle.count;
            fine = keep(p, &prefixes[i], &cycle);
        }
    }
    for (uint32_t i = 0; i < tried; i++)
        free(prefixes[i].item);
    free(prefixes);
    free(cycle.item);
    return fine && tried;
}

void product_make_lasso(struct product *p, const bool *member)
{
    struct maker m = {.product = p, .member = member};
    struct portolan_limits finishing;
    p->closed = true;
    limits_begin_finishing(&finishing, FOR_A_PATH);
    p->found = maker_make(&m) && try_starts(&m);
    p->failed |= !p->found;
    if (!p->found && limits_stop() != PORTOLAN_COMPLETE)
        end_search(p->explorer->search, limits_stop());
    else if (!p->found)
        p->explorer->status =
            fail(p->explorer->error, PORTOLAN_NO_MEMORY, "out of memory: a trace could not be put together");
    limits_end(&finishing);
    maker_clear(&m);
    p->closed = false;
}
