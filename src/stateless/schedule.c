/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An agent may as well run on for as long as nobody else is needed: that only lets
 * more of the others happen.  So a search over the points between such runs, breadth
 * first by the number of runs, finds an order with the fewest.
 */
#include "stateless/schedule.h"

#include <string.h>
#include <xxhash.h>

enum { MOST_POINTS = 50000 };

/* Events by agent, so that "the third event of agent 2" can be found. */
struct by_agent {
    uint32_t agents;
    uint32_t *first; /* agents + 1 */
    uint32_t *event;
};

static bool by_agent_make(struct by_agent *b, const struct execution *x)
{
    b->agents = x->agents;
    b->first = calloc((size_t)x->agents + 2, sizeof *b->first);
    b->event = malloc((x->events.count + 1) * sizeof *b->event);
    if (!b->first || !b->event)
        return false;
    for (size_t i = 0; i < x->events.count; i++)
        b->first[x->events.item[i].agent + 1]++;
    for (uint32_t a = 0; a < x->agents; a++)
        b->first[a + 1] += b->first[a];
    for (size_t i = 0; i < x->events.count; i++) {
        const struct event *e = &x->events.item[i];
        b->event[b->first[e->agent] + e->order - 1] = (uint32_t)i;
    }
    return true;
}

static void by_agent_clear(struct by_agent *b)
{
    free(b->first);
    free(b->event);
}

/* The agent's next event after `done` of its own, or NO_EVENT when it has no more or must wait for another. */
static uint32_t possible_event(const struct execution *x, const struct by_agent *b, const uint32_t *done,
                               uint32_t agent)
{
    if (b->first[agent] + done[agent] == b->first[agent + 1])
        return NO_EVENT;
    uint32_t event = b->event[b->first[agent] + done[agent]];
    const uint32_t *clock = clock_of(x, event);
    for (uint32_t a = 0; a < x->agents; a++)
        if (a != agent && clock[a] > done[a])
            return NO_EVENT;
    return event;
}

/* Lets the agent run as far as it can within the cut; how far. */
static uint32_t run(const struct execution *x, const struct by_agent *b, const uint32_t *cut, uint32_t *done,
                    uint32_t agent)
{
    uint32_t before = done[agent];
    while (done[agent] < cut[agent] && possible_event(x, b, done, agent) != NO_EVENT)
        done[agent]++;
    return done[agent] - before;
}

/* The points found: how many events of each agent are done, and the run that led there. */
struct points {
    uint32_t agents;
    VECTOR(uint32_t) done; /* agents per point */
    VECTOR(uint32_t) from;
    VECTOR(uint32_t) by;
    uint32_t *slot;
    uint32_t mask;
};

static const uint32_t *point(const struct points *p, uint32_t i)
{
    return p->done.item + (size_t)i * p->agents;
}

/* Adds a point unless it is known; false when memory is short. */
static bool add_point(struct points *p, const uint32_t *done, uint32_t from, uint32_t by)
{
    size_t size = p->agents * sizeof *done;
    uint32_t place = (uint32_t)XXH3_64bits(done, size) & p->mask;
    for (; p->slot[place]; place = (place + 1) & p->mask)
        if (memcmp(point(p, p->slot[place] - 1), done, size) == 0)
            return true;
    if (!vector_reserve(&p->done, p->agents) || !vector_push(&p->from, from) || !vector_push(&p->by, by))
        return false;
    memcpy(p->done.item + p->done.count, done, size);
    p->done.count += p->agents;
    p->slot[place] = (uint32_t)p->from.count;
    return true;
}

/* The point from which to go on when there are too many: the one with most done. */
static uint32_t farthest(const struct points *p, uint32_t start)
{
    uint32_t best = start;
    uint64_t most = 0;
    for (uint32_t i = start; i < p->from.count; i++) {
        uint64_t sum = 0;
        for (uint32_t a = 0; a < p->agents; a++)
            sum += point(p, i)[a];
        if (sum >= most) {
            most = sum;
            best = i;
        }
    }
    return best;
}

/* Lets everybody run from a point. */
static bool expand_point(const struct execution *x, const struct by_agent *b, const uint32_t *cut, struct points *p,
                         uint32_t i, uint32_t *scratch)
{
    for (uint32_t agent = 0; agent < x->agents; agent++) {
        memcpy(scratch, point(p, i), x->agents * sizeof *scratch);
        if (run(x, b, cut, scratch, agent) && !add_point(p, scratch, i, agent))
            return false;
    }
    return true;
}

/* The number of the point at which all is done, or NO_EVENT when memory is short. */
static uint32_t find_runs(const struct execution *x, const struct by_agent *b, const uint32_t *cut, struct points *p)
{
    uint32_t agents = x->agents, slots = 4 * MOST_POINTS, found = NO_EVENT;
    uint32_t *scratch = calloc((size_t)agents + 1, sizeof *scratch);
    p->agents = agents;
    p->mask = (UINT32_C(1) << (32 - (uint32_t)__builtin_clz(slots))) - 1;
    p->slot = calloc((size_t)p->mask + 1, sizeof *p->slot);
    if (!scratch || !p->slot || !add_point(p, scratch, NO_EVENT, 0)) {
        free(scratch);
        return NO_EVENT;
    }
    for (uint32_t i = 0; i < p->from.count; i++) {
        if (memcmp(point(p, i), cut, agents * sizeof *cut) == 0) {
            found = i;
            break;
        }
        if (p->from.count > MOST_POINTS) { /* from here on, greedily */
            i = farthest(p, i);
            p->from.count = p->by.count = (size_t)i + 1;
            p->done.count = p->from.count * agents;
            memset(p->slot, 0, ((size_t)p->mask + 1) * sizeof *p->slot);
        }
        if (!expand_point(x, b, cut, p, i, scratch))
            break;
    }
    free(scratch);
    return found;
}

/* Appends the events of the runs that lead to a point. */
static bool append_runs(const struct by_agent *b, const struct points *p, uint32_t last, struct event_list *order)
{
    VECTOR(uint32_t) path = {0};
    bool fine = true;
    for (uint32_t i = last; p->from.item[i] != NO_EVENT && fine; i = p->from.item[i])
        fine = vector_push(&path, i);
    while (path.count && fine) {
        uint32_t i = path.item[--path.count], agent = p->by.item[i];
        const uint32_t *before = point(p, p->from.item[i]), *after = point(p, i);
        for (uint32_t k = before[agent]; k < after[agent] && fine; k++)
            fine = vector_push(order, b->event[b->first[agent] + k]);
    }
    free(path.item);
    return fine;
}

bool fewest_switches(const struct execution *x, const uint32_t *cut, struct event_list *order)
{
    if (x->agents == 0) /* a model without actions */
        return true;
    struct by_agent b = {0};
    struct points p = {0};
    bool fine = by_agent_make(&b, x);
    uint32_t last = fine ? find_runs(x, &b, cut, &p) : NO_EVENT;
    fine = last != NO_EVENT && append_runs(&b, &p, last, order);
    by_agent_clear(&b);
    free(p.done.item);
    free(p.from.item);
    free(p.by.item);
    free(p.slot);
    return fine;
}

bool canonical_order(const struct execution *x, struct event_list *order)
{
    struct by_agent b = {0};
    uint32_t *done = calloc((size_t)x->agents + 1, sizeof *done);
    bool fine = by_agent_make(&b, x) && done;
    for (size_t n = 0; n < x->events.count && fine; n++) {
        uint32_t agent = 0, event = NO_EVENT;
        while (agent < x->agents && (event = possible_event(x, &b, done, agent)) == NO_EVENT)
            agent++;
        fine = event != NO_EVENT && vector_push(order, event);
        if (fine)
            done[agent]++;
    }
    by_agent_clear(&b);
    free(done);
    return fine;
}
