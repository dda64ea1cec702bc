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
    x->stride = (machine->agents + CLOCK_LANES - 1) / CLOCK_LANES * CLOCK_LANES;
    x->object_capacity = machine->objects;
    x->objects = malloc((x->object_capacity + 1) * sizeof *x->objects);
    x->last_of = malloc(((size_t)x->agents + 1) * sizeof *x->last_of);
    x->follows = malloc(((size_t)x->agents + 1) * sizeof *x->follows);
    x->between = malloc(((size_t)x->stride + 1) * sizeof *x->between);
    if (!x->objects || !x->last_of || !x->follows || !x->between) {
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
    free(x->races.item);
    free(x->follows);
    free(x->between);
    memset(x, 0, sizeof *x);
}

size_t execution_bytes(const struct execution *x)
{
    return x->events.capacity * sizeof(struct event) +
           x->touches.capacity * (sizeof(struct touch) + sizeof(struct portolan_access)) +
           (x->clocks.capacity + x->floors.capacity + x->agents) * sizeof(uint32_t) +
           x->object_capacity * sizeof *x->objects + x->races.capacity * sizeof(struct race);
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

/* Part of a clock, as the compiler's vectors; numbers stay far below 2^31. */
typedef int32_t lanes __attribute__((vector_size(CLOCK_LANES * sizeof(int32_t)), aligned(4), may_alias));

static inline void join(uint32_t *restrict clock, const uint32_t *restrict other, uint32_t stride)
{
    for (uint32_t i = 0; i < stride; i += CLOCK_LANES) {
        lanes *mine = (lanes *)(clock + i);
        lanes theirs = *(const lanes *)(other + i), later = *mine > theirs;
        *mine = (*mine & later) | (theirs & ~later);
    }
}

static inline void copy_clock(uint32_t *restrict clock, const uint32_t *restrict other, uint32_t stride)
{
    for (uint32_t i = 0; i < stride; i += CLOCK_LANES)
        *(lanes *)(clock + i) = *(const lanes *)(other + i);
}

static void follow_touch(const struct execution *x, uint32_t touch, struct event *e, uint32_t *clock)
{
    uint32_t event = x->touches.item[touch].event;
    if (clock[x->events.item[event].agent] < x->events.item[event].order)
        join(clock, clock_of(x, event), x->stride);
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
    memset(floor, 0, x->stride * sizeof *floor);
    for (size_t i = 0; i < followed; i++)
        join(floor, clock_of(x, x->follows[i]), x->stride);
}

static bool add_floor(struct execution *x, size_t followed, uint32_t *place)
{
    if (!vector_reserve(&x->floors, x->stride))
        return false;
    *place = (uint32_t)x->floors.count;
    make_floor(x, followed, x->floors.item + x->floors.count);
    x->floors.count += x->stride;
    return true;
}

bool execution_append(struct execution *x, uint32_t agent, const struct portolan_step *step, size_t followed)
{
    uint32_t previous = x->last_of[agent], event = (uint32_t)x->events.count;
    for (uint32_t i = 0; i < step->access_count; i++)
        if (!know_object(x, step->accesses[i].object))
            return false;
    if (!vector_reserve(&x->events, 1) || !vector_reserve(&x->clocks, x->stride) ||
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
        memset(clock, 0, x->stride * sizeof *clock);
    else
        copy_clock(clock, clock_of(x, previous), x->stride);
    if (followed)
        join(clock, floor_of(x, &e), x->stride);
    for (size_t i = 0; i < followed; i++)
        if (x->follows[i] >= e.after)
            e.after = x->follows[i] + 1;
    for (size_t i = 0; i < followed && x->met; i++)
        x->met[agent] |= UINT64_C(1) << x->events.item[x->follows[i]].agent;
    for (uint32_t i = 0; i < step->access_count; i++)
        link_touch(x, &e, &step->accesses[i], clock);
    clock[agent] = e.order;
    x->clocks.count += x->stride;
    x->events.item[x->events.count++] = e;
    x->varying += e.varies;
    x->last_of[agent] = event;
    return true;
}

void execution_cut(struct execution *x, size_t length)
{
    while (x->events.count > length) {
        const struct event *e = &x->events.item[--x->events.count];
        x->last_of[e->agent] = e->previous;
        x->varying -= e->varies;
        if (e->floor != NO_EVENT)
            x->floors.count = e->floor;
        while (x->touches.count > e->first_touch) {
            const struct touch *touch = &x->touches.item[--x->touches.count];
            const struct portolan_access *access = &x->accesses.item[--x->accesses.count];
            x->objects[access->object] = (struct heads){touch->last_write, touch->last_read};
        }
    }
    x->clocks.count = x->events.count * x->stride;
    if (x->raced > x->events.count) {
        x->raced = (uint32_t)x->events.count;
        x->races.count = x->events.item[x->raced].first_race; /* of the first event that was cut */
    }
}

/* Adds a race with the event of a touch unless it is of the same agent or known to come before. */
static bool add_race(struct execution *x, const struct event *e, uint32_t touch)
{
    uint32_t event = x->touches.item[touch].event;
    const struct event *f = &x->events.item[event];
    if (f->agent == e->agent || (e->previous != NO_EVENT && clock_of(x, e->previous)[f->agent] >= f->order) ||
        (e->floor != NO_EVENT && floor_of(x, e)[f->agent] >= f->order))
        return true;
    for (size_t i = e->first_race; i < x->races.count && e->access_count > 1; i++)
        if (x->races.item[i].first == event) /* by another object */
            return true;
    return vector_push(&x->races, ((struct race){.first = event}));
}

/* Drops the races of an event with another between the two: one that happens before the first of another race. */
static void keep_immediate(struct execution *x, const struct event *e)
{
    struct race *races = x->races.item + e->first_race;
    size_t count = x->races.count - e->first_race, kept = 0;
    memset(x->between, 0, x->stride * sizeof *x->between);
    for (size_t i = 0; i < count; i++) {
        const struct event *f = &x->events.item[races[i].first];
        uint32_t own = x->between[f->agent] >= f->order ? x->between[f->agent] : f->order - 1;
        join(x->between, clock_of(x, races[i].first), x->stride);
        if (x->between[f->agent] == f->order)
            x->between[f->agent] = own;
    }
    for (size_t i = 0; i < count; i++) {
        const struct event *f = &x->events.item[races[i].first];
        if (x->between[f->agent] < f->order)
            races[kept++] = races[i];
    }
    x->races.count = e->first_race + kept;
}

static bool find_races(struct execution *x, struct event *e)
{
    e->first_race = (uint32_t)x->races.count;
    for (uint32_t i = e->first_touch; i < e->first_touch + e->access_count; i++) {
        const struct touch *touch = &x->touches.item[i];
        if (touch->last_write != NO_EVENT && !add_race(x, e, touch->last_write))
            return false;
        if (x->accesses.item[i].writes)
            for (uint32_t t = touch->last_read; t != NO_EVENT; t = x->touches.item[t].last_read)
                if (!add_race(x, e, t))
                    return false;
    }
    if (x->races.count > e->first_race + 1)
        keep_immediate(x, e);
    e->race_count = (uint32_t)x->races.count - e->first_race;
    return true;
}

size_t execution_races(struct execution *x, uint32_t number, struct race **races)
{
    for (; x->raced <= number; x->raced++)
        if (!find_races(x, &x->events.item[x->raced])) {
            x->races.count = x->events.item[x->raced].first_race;
            return SIZE_MAX;
        }
    *races = x->races.item + x->events.item[number].first_race;
    return x->events.item[number].race_count;
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
