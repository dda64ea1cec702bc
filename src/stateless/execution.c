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
    x->stride = clock_width(machine->agents);
    x->object_capacity = machine->objects;
    x->objects = malloc((x->object_capacity + 1) * sizeof *x->objects);
    x->last_of = malloc(((size_t)x->agents + 1) * sizeof *x->last_of);
    x->follows = malloc(((size_t)x->agents + 1) * sizeof *x->follows);
    x->zero = calloc((size_t)x->stride + 1, sizeof *x->zero);
    x->prefix = malloc(((size_t)x->stride + 1) * sizeof *x->prefix);
    if (!x->objects || !x->last_of || !x->follows || !x->zero || !x->prefix) {
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
    free(x->zero);
    free(x->prefix);
    free(x->predecessors.item);
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

void make_floor(const struct execution *x, size_t followed, uint32_t *floor)
{
    memset(floor, 0, x->stride * sizeof *floor);
    for (size_t i = 0; i < followed; i++)
        clock_join(floor, clock_of(x, x->follows[i]), x->stride);
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

/* --- what an event follows */

static bool add_predecessor(struct execution *x, uint32_t touch)
{
    struct predecessor p = {x->touches.item[touch].event, (uint32_t)x->predecessors.count};
    return vector_push(&x->predecessors, p);
}

/* The write before this one if the two are of the same kind, and commute; else NO_EVENT. */
static uint32_t before_in_run(const struct execution *x, uint32_t write)
{
    const struct touch *touch = &x->touches.item[write];
    uint8_t group = x->accesses.item[write].group;
    bool goes_on = group && touch->last_read == NO_EVENT && touch->last_write != NO_EVENT &&
                   x->accesses.item[touch->last_write].group == group;
    return goes_on ? touch->last_write : NO_EVENT;
}

/* All reads since a write, or if there are none that write, and all that commute with it and come right before. */
static bool add_last(struct execution *x, uint32_t write, uint32_t read)
{
    bool fine = true;
    for (uint32_t touch = read; touch != NO_EVENT && fine; touch = x->touches.item[touch].last_read)
        fine = add_predecessor(x, touch);
    for (uint32_t touch = read == NO_EVENT ? write : NO_EVENT; touch != NO_EVENT && fine;
         touch = before_in_run(x, touch))
        fine = add_predecessor(x, touch);
    return fine;
}

/* A read follows the last write, a write all reads since then, or if there are none the last write.  For this, writes
 * of a kind that come one after the other are one, and a further one of the kind follows what they follow. */
static bool find_predecessors(struct execution *x, const struct portolan_step *step)
{
    bool fine = true;
    x->predecessors.count = 0;
    for (uint32_t i = 0; i < step->access_count && fine; i++) {
        const struct portolan_access *access = &step->accesses[i];
        if (!know_object(x, access->object))
            return false;
        struct heads last = x->objects[access->object];
        bool joins = access->group && last.write != NO_EVENT && last.read == NO_EVENT &&
                     x->accesses.item[last.write].group == access->group;
        while (joins && before_in_run(x, last.write) != NO_EVENT)
            last.write = before_in_run(x, last.write);
        if (joins)
            last = (struct heads){x->touches.item[last.write].last_write, x->touches.item[last.write].last_read};
        fine = add_last(x, last.write, access->writes ? last.read : NO_EVENT);
    }
    return fine;
}

static bool comes_later(const struct predecessor *a, const struct predecessor *b)
{
    return a->event > b->event;
}

static bool was_found_earlier(const struct predecessor *a, const struct predecessor *b)
{
    return a->found < b->found;
}

/* There are few, and mostly in order. */
static void sort(struct predecessor *item, size_t count,
                 bool (*before)(const struct predecessor *, const struct predecessor *))
{
    for (size_t i = 1; i < count; i++) {
        struct predecessor moved = item[i];
        size_t j = i;
        for (; j > 0 && before(&moved, &item[j - 1]); j--)
            item[j] = item[j - 1];
        item[j] = moved;
    }
}

/* Joins the clocks of the predecessors, the latest first.  One that the clock does not know by then is of another
 * agent, has nothing between it and the event, and does not happen before what its agent did before: they race. */
static void follow_predecessors(struct execution *x, struct event *e, uint32_t *clock)
{
    struct predecessor *item = x->predecessors.item;
    size_t count = x->predecessors.count, racing = 0;
    if (e->access_count > 1) /* those of one object are in order */
        sort(item, count, comes_later);
    if (count && item[0].event >= e->after)
        e->after = item[0].event + 1;
    for (size_t i = 0; i < count; i++) {
        const struct event *f = &x->events.item[item[i].event];
        if (x->met)
            x->met[e->agent] |= agent_bit(f->agent);
        if (clock[f->agent] >= f->order)
            continue;
        clock_join(clock, clock_of(x, item[i].event), x->stride);
        item[racing++] = item[i];
        x->events.item[item[i].event].followers++;
    }
    if (e->access_count > 1)
        sort(item, racing, was_found_earlier);
    for (size_t i = 0; i < racing; i++)
        x->races.item[x->races.count++] = (struct race){.first = item[i].event, .depends = ON_EVERYTHING};
    e->race_count = (uint32_t)racing;
}

static void link_touch(struct execution *x, struct event *e, uint32_t event, const struct portolan_access *access)
{
    struct heads *heads = &x->objects[access->object];
    uint32_t number = (uint32_t)x->touches.count;
    x->touches.item[x->touches.count++] = (struct touch){event, heads->write, heads->read};
    x->accesses.item[x->accesses.count++] = *access;
    add_to_masks(access, &e->touched, &e->written);
    if (access->writes)
        *heads = (struct heads){number, NO_EVENT};
    else
        heads->read = number;
}

/* What the event follows by birth or joining. */
static void follow_floor(struct execution *x, struct event *e, size_t followed, uint32_t *clock)
{
    clock_join(clock, floor_of(x, e), x->stride);
    for (size_t i = 0; i < followed; i++) {
        if (x->follows[i] >= e->after)
            e->after = x->follows[i] + 1;
        if (x->met)
            x->met[e->agent] |= agent_bit(x->events.item[x->follows[i]].agent);
    }
}

bool execution_append(struct execution *x, uint32_t agent, const struct portolan_step *step, size_t followed)
{
    uint32_t previous = x->last_of[agent], event = (uint32_t)x->events.count, floor = NO_EVENT;
    if (!find_predecessors(x, step) || !vector_reserve(&x->events, 1) || !vector_reserve(&x->clocks, x->stride) ||
        !vector_reserve(&x->touches, step->access_count) || !vector_reserve(&x->accesses, step->access_count) ||
        !vector_reserve(&x->races, x->predecessors.count) || (followed && !add_floor(x, followed, &floor)))
        return false;
    struct event *e = &x->events.item[event];
    *e = (struct event){.agent = agent,
                        .order = previous == NO_EVENT ? 1 : x->events.item[previous].order + 1,
                        .action = step->action,
                        .waits_for = step->waits_for,
                        .first_touch = (uint32_t)x->touches.count,
                        .access_count = step->access_count,
                        .previous = previous,
                        .floor = floor,
                        .after = previous == NO_EVENT ? 0 : previous + 1,
                        .first_race = (uint32_t)x->races.count,
                        .varies = step->varies,
                        .open = ON_EVERYTHING}; /* until the method says less: a search that goes on from a file */
    uint32_t *clock = x->clocks.item + x->clocks.count;
    clock_copy(clock, previous == NO_EVENT ? x->zero : clock_of(x, previous), x->stride);
    if (followed)
        follow_floor(x, e, followed, clock);
    follow_predecessors(x, e, clock);
    for (uint32_t i = 0; i < step->access_count; i++)
        link_touch(x, e, event, &step->accesses[i]);
    clock[agent] = e->order;
    x->clocks.count += x->stride;
    x->events.count++;
    x->varying += e->varies;
    x->last_of[agent] = event;
    return true;
}

void execution_cut(struct execution *x, size_t length)
{
    while (x->events.count > length) {
        const struct event *e = &x->events.item[--x->events.count];
        x->last_of[e->agent] = e->previous;
        x->varying -= e->varies;
        for (x->races.count = e->first_race + e->race_count; x->races.count > e->first_race;)
            x->events.item[x->races.item[--x->races.count].first].followers--;
        if (e->floor != NO_EVENT)
            x->floors.count = e->floor;
        while (x->touches.count > e->first_touch) {
            const struct touch *touch = &x->touches.item[--x->touches.count];
            const struct portolan_access *access = &x->accesses.item[--x->accesses.count];
            x->objects[access->object] = (struct heads){touch->last_write, touch->last_read};
        }
    }
    x->clocks.count = x->events.count * x->stride;
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
