/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Happens-before by clock vectors (Mattern 1989; Flanagan and Godefroid,
 * "Dynamic partial-order reduction for model checking software", POPL 2005),
 * with reads and writes told apart: a read follows the last write of its object,
 * a write follows that and every read since.
 */
#include "stateless/execution.h"

#include <string.h>

bool execution_make(struct execution *x, const struct machine *machine)
{
    memset(x, 0, sizeof *x);
    x->agents = machine->agents;
    x->object_capacity = machine->objects;
    x->objects = malloc((x->object_capacity + 1) * sizeof *x->objects);
    x->last_of = malloc(((size_t)x->agents + 1) * sizeof *x->last_of);
    x->predecessor_capacity = (size_t)x->agents + 8;
    x->predecessors = malloc(x->predecessor_capacity * sizeof *x->predecessors);
    x->follows = malloc(((size_t)x->agents + 1) * sizeof *x->follows);
    if (!x->objects || !x->last_of || !x->predecessors || !x->follows) {
        execution_clear(x);
        return false;
    }
    memset(x->objects, 0xff, x->object_capacity * sizeof *x->objects);
    memset(x->last_of, 0xff, x->agents * sizeof *x->last_of);
    return true;
}

void execution_clear(struct execution *x)
{
    free(x->events.item);
    free(x->touches.item);
    free(x->accesses.item);
    free(x->clocks.item);
    free(x->floors.item);
    free(x->objects);
    free(x->last_of);
    free(x->predecessors);
    free(x->follows);
    memset(x, 0, sizeof *x);
}

size_t execution_bytes(const struct execution *x)
{
    return x->events.capacity * sizeof(struct event) +
           x->touches.capacity * (sizeof(struct touch) + sizeof(struct portolan_access)) +
           (x->clocks.capacity + x->floors.capacity + x->agents) * sizeof(uint32_t) +
           x->object_capacity * sizeof *x->objects;
}

/* A machine whose objects come into being on the way names new ones as it goes. */
static bool know_object(struct execution *x, uint32_t object)
{
    if (object < x->object_capacity)
        return true;
    size_t larger = (size_t)object * 2 + 64;
    struct heads *moved = realloc(x->objects, larger * sizeof *moved);
    if (!moved)
        return false;
    memset(moved + x->object_capacity, 0xff, (larger - x->object_capacity) * sizeof *moved);
    x->objects = moved;
    x->object_capacity = larger;
    return true;
}

static inline void join(uint32_t *restrict clock, const uint32_t *restrict other, uint32_t agents)
{
    for (uint32_t i = 0; i < agents; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

static void follow_touch(const struct execution *x, uint32_t touch, struct event *e, uint32_t *clock)
{
    uint32_t event = x->touches.item[touch].event;
    join(clock, clock_of(x, event), x->agents);
    if (event >= e->after)
        e->after = event + 1;
    if (x->met)
        x->met[e->agent] |= UINT64_C(1) << x->events.item[event].agent;
}

static void link_touch(struct execution *x, struct event *e, const struct portolan_access *access, uint32_t *clock)
{
    struct heads *heads = &x->objects[access->object];
    struct touch touch = {(uint32_t)x->events.count, heads->write, heads->read};
    uint32_t number = (uint32_t)x->touches.count;
    e->touched |= object_bit(access->object);
    if (heads->write != NO_EVENT)
        follow_touch(x, heads->write, e, clock);
    if (access->writes) {
        e->written |= object_bit(access->object);
        for (uint32_t t = heads->read; t != NO_EVENT; t = x->touches.item[t].last_read)
            follow_touch(x, t, e, clock);
        *heads = (struct heads){number, NO_EVENT};
    } else {
        heads->read = number;
    }
    x->touches.item[x->touches.count++] = touch;
    x->accesses.item[x->accesses.count++] = *access;
}

void make_floor(const struct execution *x, size_t followed, uint32_t *floor)
{
    memset(floor, 0, x->agents * sizeof *floor);
    for (size_t i = 0; i < followed; i++)
        join(floor, clock_of(x, x->follows[i]), x->agents);
}

static bool add_floor(struct execution *x, size_t followed, uint32_t *place)
{
    if (!vector_reserve(&x->floors, x->agents))
        return false;
    *place = (uint32_t)x->floors.count;
    make_floor(x, followed, x->floors.item + x->floors.count);
    x->floors.count += x->agents;
    return true;
}

bool execution_append(struct execution *x, uint32_t agent, const struct portolan_step *step, size_t followed)
{
    uint32_t previous = x->last_of[agent], event = (uint32_t)x->events.count;
    for (uint32_t i = 0; i < step->access_count; i++)
        if (!know_object(x, step->accesses[i].object))
            return false;
    if (!vector_reserve(&x->events, 1) || !vector_reserve(&x->clocks, x->agents) ||
        !vector_reserve(&x->touches, step->access_count) || !vector_reserve(&x->accesses, step->access_count))
        return false;
    struct event e = {.agent = agent,
                      .order = previous == NO_EVENT ? 1 : x->events.item[previous].order + 1,
                      .action = step->action,
                      .waits_for = step->waits_for,
                      .first_touch = (uint32_t)x->touches.count,
                      .access_count = step->access_count,
                      .previous = previous,
                      .floor = NO_EVENT,
                      .after = previous == NO_EVENT ? 0 : previous + 1,
                      .varies = step->varies};
    if (followed && !add_floor(x, followed, &e.floor))
        return false;
    uint32_t *clock = x->clocks.item + x->clocks.count;
    if (previous == NO_EVENT)
        memset(clock, 0, x->agents * sizeof *clock);
    else
        memcpy(clock, clock_of(x, previous), x->agents * sizeof *clock);
    if (followed)
        join(clock, floor_of(x, &e), x->agents);
    for (size_t i = 0; i < followed; i++)
        if (x->follows[i] >= e.after)
            e.after = x->follows[i] + 1;
    for (size_t i = 0; i < followed && x->met; i++)
        x->met[agent] |= UINT64_C(1) << x->events.item[x->follows[i]].agent;
    for (uint32_t i = 0; i < step->access_count; i++)
        link_touch(x, &e, &step->accesses[i], clock);
    clock[agent] = e.order;
    x->clocks.count += x->agents;
    x->events.item[x->events.count++] = e;
    x->last_of[agent] = event;
    return true;
}

void execution_cut(struct execution *x, size_t length)
{
    while (x->events.count > length) {
        const struct event *e = &x->events.item[--x->events.count];
        x->last_of[e->agent] = e->previous;
        if (e->floor != NO_EVENT)
            x->floors.count = e->floor;
        while (x->touches.count > e->first_touch) {
            const struct touch *touch = &x->touches.item[--x->touches.count];
            const struct portolan_access *access = &x->accesses.item[--x->accesses.count];
            x->objects[access->object] = (struct heads){touch->last_write, touch->last_read};
        }
    }
    x->clocks.count = x->events.count * x->agents;
}

/* Adds the event of a touch unless it is of the same agent or known to come before. */
static bool add_predecessor(struct execution *x, size_t *count, const struct event *e, uint32_t touch)
{
    uint32_t event = x->touches.item[touch].event;
    const struct event *f = &x->events.item[event];
    if (f->agent == e->agent)
        return true;
    if (e->previous != NO_EVENT && clock_of(x, e->previous)[f->agent] >= f->order)
        return true;
    if (e->floor != NO_EVENT && floor_of(x, e)[f->agent] >= f->order)
        return true;
    for (size_t i = 0; i < *count; i++)
        if (x->predecessors[i] == event)
            return true;
    if (*count == x->predecessor_capacity &&
        !vector_grow((void **)&x->predecessors, &x->predecessor_capacity, *count + 1, sizeof *x->predecessors))
        return false;
    x->predecessors[(*count)++] = event;
    return true;
}

size_t execution_races(struct execution *x, uint32_t number, const uint32_t **events)
{
    const struct event *e = &x->events.item[number];
    size_t count = 0, immediate = 0;
    bool fine = true;
    for (uint32_t i = 0; i < e->access_count && fine; i++) {
        const struct touch *touch = &x->touches.item[e->first_touch + i];
        if (touch->last_write != NO_EVENT)
            fine = add_predecessor(x, &count, e, touch->last_write);
        if (x->accesses.item[e->first_touch + i].writes)
            for (uint32_t t = touch->last_read; t != NO_EVENT && fine; t = x->touches.item[t].last_read)
                fine = add_predecessor(x, &count, e, t);
    }
    for (size_t i = 0; i < count && fine; i++) {
        bool between = false;
        for (size_t j = 0; j < count && !between; j++)
            between = i != j && happens_before(x, x->predecessors[i], x->predecessors[j]);
        if (!between) { /* keep it in front; what is moved behind still counts as between */
            uint32_t kept = x->predecessors[i];
            x->predecessors[i] = x->predecessors[immediate];
            x->predecessors[immediate++] = kept;
        }
    }
    *events = x->predecessors;
    return fine ? immediate : SIZE_MAX;
}

static uint32_t event_of(const struct execution *x, uint32_t touch)
{
    return touch == NO_EVENT ? NO_EVENT : x->touches.item[touch].event;
}

uint32_t last_writer(const struct execution *x, uint32_t object)
{
    return object < x->object_capacity ? event_of(x, x->objects[object].write) : NO_EVENT;
}

uint32_t writer_before(const struct execution *x, uint32_t event, uint32_t object)
{
    const struct event *e = &x->events.item[event];
    for (uint32_t i = 0; i < e->access_count; i++)
        if (x->accesses.item[e->first_touch + i].object == object)
            return event_of(x, x->touches.item[e->first_touch + i].last_write);
    return NO_EVENT;
}
