/* SPDX-License-Identifier: Apache-2.0 */
#include "random_net.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------ random numbers */

static uint64_t next(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

struct random random_from(uint64_t seed, uint64_t number)
{
    struct random random = {.state = seed};
    random.state = next(&random) ^ number * UINT64_C(0xd1342543de82ef95);
    next(&random);
    return random;
}

uint32_t random_below(struct random *random, uint32_t limit)
{
    return (uint32_t)(next(random) >> 32) % limit;
}

bool random_chance(struct random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

/* The smaller of two draws from low ... high: small nets find most errors and shrink fastest. */
static uint32_t skewed(struct random *random, uint32_t low, uint32_t high)
{
    uint32_t one = random_below(random, high - low + 1), other = random_below(random, high - low + 1);
    return low + (one < other ? one : other);
}

/* 1, sometimes 2 or 3. */
static uint8_t weight(struct random *random, bool weighted)
{
    return weighted && random_chance(random, 35) ? (uint8_t)(2 + random_below(random, 2)) : 1;
}

/* ---------------------------------------------------------------------- noise */

struct taste { /* of one net */
    bool weighted, inhibitors, reads, loops, wild;
};

static struct taste draw_taste(struct random *random)
{
    return (struct taste){.weighted = random_chance(random, 35),
                          .inhibitors = random_chance(random, 45),
                          .reads = random_chance(random, 45),
                          .loops = random_chance(random, 30),
                          .wild = random_chance(random, 6)};
}

static void add_tests(struct draft *d, struct random *random, const struct taste *taste, struct draft_arc *arc)
{
    if (taste->inhibitors && random_chance(random, 30))
        arc[random_below(random, d->places)].inhibit = (uint8_t)(1 + random_below(random, 3));
    if (taste->reads && random_chance(random, 30))
        arc[random_below(random, d->places)].read = (uint8_t)(1 + random_below(random, 3));
    if (taste->loops && random_chance(random, 30)) {
        struct draft_arc *loop = &arc[random_below(random, d->places)];
        if (!loop->consume && !loop->produce)
            loop->consume = loop->produce = weight(random, taste->weighted);
    }
}

/* A transition that puts no more tokens than it takes, or that an inhibitor arc keeps from doing so forever. */
static void draw_transition(struct draft *d, struct random *random, const struct taste *taste, struct draft_arc *arc)
{
    uint32_t inputs = random_chance(random, 4) ? 0 : skewed(random, 1, 3), taken = 0;
    for (uint32_t i = 0; i < inputs; i++) {
        uint8_t w = weight(random, taste->weighted);
        arc[random_below(random, d->places)].consume = w;
        taken += w;
    }
    uint32_t outputs = random_chance(random, 8) ? 0 : skewed(random, 1, 3);
    for (uint32_t i = 0; i < outputs; i++) {
        uint8_t w = weight(random, taste->weighted);
        struct draft_arc *output = &arc[random_below(random, d->places)];
        if (w > taken && !taste->wild) {
            if (!random_chance(random, 25))
                continue;
            output->inhibit = (uint8_t)(1 + random_below(random, 3));
            taken = w;
        }
        output->produce = w;
        taken = w > taken ? 0 : taken - w;
    }
    add_tests(d, random, taste, arc);
}

static void draw_noise(struct draft *d, struct random *random, const struct taste *taste)
{
    d->places = skewed(random, 3, DRAFT_PLACES);
    d->transitions = skewed(random, 3, DRAFT_TRANSITIONS);
    for (uint32_t p = 0; p < d->places; p++)
        if (random_chance(random, 55))
            d->tokens[p] = (uint8_t)(random_chance(random, 70) ? 1 : 2 + random_below(random, 2));
    for (uint32_t t = 0; t < d->transitions; t++)
        draw_transition(d, random, taste, d->arc[t]);
}

/* ------------------------------------------------------------------ processes */

/* What a step of a process does besides moving: takes or gives a shared token, tests a shared place. */
static void touch_shared(struct random *random, const struct taste *taste, struct draft_arc *shared)
{
    switch (random_below(random, 6)) {
    case 0:
    case 1: shared->consume = weight(random, taste->weighted); break;
    case 2: shared->produce = 1; break;
    case 3: shared->read = (uint8_t)(1 + random_below(random, 2)); break;
    case 4: shared->inhibit = (uint8_t)(1 + random_below(random, 2)); break;
    default: shared->consume = shared->produce = 1; break;
    }
    if (shared->produce > shared->consume && !taste->wild) /* bounded */
        shared->inhibit = (uint8_t)(1 + random_below(random, 3));
}

static void draw_processes(struct draft *d, struct random *random, const struct taste *taste)
{
    uint32_t processes = 2 + random_below(random, 2), shared = 1 + random_below(random, 3);
    uint32_t length[3], first[3];
    d->places = shared;
    for (uint32_t i = 0; i < shared; i++)
        d->tokens[i] = (uint8_t)random_below(random, 3);
    for (uint32_t i = 0; i < processes; i++) {
        uint32_t left = (DRAFT_PLACES - d->places) / (processes - i);
        length[i] = left < 2 ? left : 2 + random_below(random, left > 3 ? 2 : left - 1);
        first[i] = d->places;
        d->places += length[i];
        d->tokens[first[i]] = 1;
    }
    uint32_t wanted = skewed(random, 5, DRAFT_TRANSITIONS);
    for (uint32_t t = 0; t < wanted; t++) {
        uint32_t i = t % processes, step = t / processes;
        uint32_t from = step < length[i] ? step : random_below(random, length[i]);
        uint32_t to =
            step < length[i] && random_chance(random, 80) ? (from + 1) % length[i] : random_below(random, length[i]);
        if (step + 1 == length[i] && random_chance(random, 40))
            continue; /* the process ends */
        struct draft_arc *arc = d->arc[d->transitions++];
        arc[first[i] + from].consume = 1;
        arc[first[i] + to].produce = 1;
        if (random_chance(random, 55))
            touch_shared(random, taste, &arc[random_below(random, shared)]);
    }
    for (uint32_t i = 0; i < processes && random_chance(random, 80); i++, d->units++)
        for (uint32_t p = 0; p < length[i]; p++)
            d->unit[i][first[i] + p] = true;
}

/* ------------------------------------------------------------------- switches */

/* The places of a net with switches: each switch has two, then come those that are marked at first, then the others. */
struct rooms {
    uint32_t switches, stock, empty; /* how many switches, where the marked and the empty places start */
};

static uint32_t draw_stock(const struct rooms *rooms, struct random *random)
{
    return rooms->stock + random_below(random, rooms->empty - rooms->stock);
}

static uint32_t draw_empty(const struct draft *d, const struct rooms *rooms, struct random *random)
{
    return rooms->empty + random_below(random, d->places - rooms->empty);
}

/* Draws a worker: it may act in one position of a switch only, looks at the stock and at what others have done. */
static void draw_worker(const struct draft *d, struct random *random, const struct rooms *rooms, struct draft_arc *arc)
{
    struct draft_arc *on = &arc[2 * random_below(random, rooms->switches)];
    switch (random_below(random, 4)) {
    case 0: on[0].read = 1; break;
    case 1: on[0].inhibit = 1; break;
    case 2: on[1].read = 1; break;
    default: break;
    }
    if (random_chance(random, 45))
        arc[draw_empty(d, rooms, random)].inhibit = (uint8_t)(random_chance(random, 80) ? 1 : 2);
    if (random_chance(random, 20))
        arc[draw_stock(rooms, random)].read = 1;
    if (random_chance(random, 10))
        arc[draw_empty(d, rooms, random)].consume = 1;
    else if (random_chance(random, 95))
        arc[draw_stock(rooms, random)].consume = 1;
    else
        return;
    if (random_chance(random, 75))
        arc[random_chance(random, 10) ? draw_stock(rooms, random) : draw_empty(d, rooms, random)].produce = 1;
}

/* Two workers for opposite positions of the first switch, one of whom can spoil it for the other. */
static void draw_rivals(const struct draft *d, struct random *random, const struct rooms *rooms, struct draft_arc *one,
                        struct draft_arc *other)
{
    uint32_t stock = draw_stock(rooms, random), done = draw_empty(d, rooms, random);
    one[0].read = one[stock].consume = one[done].produce = 1;
    if (random_chance(random, 40))
        one[draw_empty(d, rooms, random)].inhibit = 1;
    if (random_chance(random, 50))
        other[0].inhibit = 1;
    else
        other[1].read = 1;
    if (random_chance(random, 50))
        other[done].inhibit = 1;
    else
        other[stock].read = 1;
    other[draw_stock(rooms, random)].consume = 1;
    if (random_chance(random, 80))
        other[draw_empty(d, rooms, random)].produce = 1;
}

/* Switches that are turned on and off, and workers who look at them: what one position allows and the other forbids
 * is never enabled together, but may follow each other. */
static void draw_switches(struct draft *d, struct random *random)
{
    struct rooms rooms = {.switches = random_chance(random, 85) ? 1 : 2};
    rooms.stock = 2 * rooms.switches;
    rooms.empty = rooms.stock + 2 + random_below(random, 3);
    d->places = rooms.empty + 1 + random_below(random, DRAFT_PLACES - rooms.empty < 3 ? DRAFT_PLACES - rooms.empty : 3);
    for (uint32_t p = rooms.stock; p < rooms.empty; p++)
        d->tokens[p] = (uint8_t)(random_chance(random, 80) ? 1 : 2);
    for (uint32_t i = 0; i < rooms.switches; i++) {
        d->tokens[2 * i + random_chance(random, 30)] = 1;
        for (uint32_t side = 0; side < 2; side++) {
            struct draft_arc *arc = d->arc[d->transitions++];
            arc[2 * i + side].consume = 1;
            arc[2 * i + 1 - side].produce = 1;
            if (random_chance(random, 35)) /* turned a limited number of times */
                arc[draw_stock(&rooms, random)].consume = 1;
        }
    }
    if (random_chance(random, 60)) {
        draw_rivals(d, random, &rooms, d->arc[d->transitions], d->arc[d->transitions + 1]);
        d->transitions += 2;
    }
    uint32_t workers = 1 + skewed(random, 0, 4);
    for (uint32_t i = 0; i < workers; i++)
        draw_worker(d, random, &rooms, d->arc[d->transitions++]);
}

/* Any places: true only by chance. */
static void claim_unit(struct draft *d, struct random *random)
{
    if (d->units == DRAFT_UNITS)
        return;
    bool *unit = d->unit[d->units++];
    for (uint32_t p = 0; p < d->places; p++)
        unit[p] = random_chance(random, 40);
    unit[random_below(random, d->places)] = true;
}

void draft_random(struct draft *d, struct random *random)
{
    memset(d, 0, sizeof *d);
    struct taste taste = draw_taste(random);
    uint32_t kind = random_below(random, 100);
    if (kind < 35)
        draw_processes(d, random, &taste);
    else if (kind < 65)
        draw_switches(d, random);
    else
        draw_noise(d, random, &taste);
    for (uint32_t i = 0; i < 2; i++)
        if (random_chance(random, 20))
            claim_unit(d, random);
}

/* -------------------------------------------------------------------- the net */

static void add_arcs(struct net_builder *builder, const struct draft *d, uint32_t t)
{
    for (uint32_t p = 0; p < d->places; p++) {
        const struct draft_arc *arc = &d->arc[t][p];
        const struct {
            enum net_arc_kind kind;
            uint8_t weight;
        } kinds[] = {{NET_CONSUME, arc->consume},
                     {NET_PRODUCE, arc->produce},
                     {NET_READ, arc->read},
                     {NET_INHIBIT, arc->inhibit}};
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (kinds[i].weight)
                net_builder_arc(builder, kinds[i].kind, p, t, kinds[i].weight);
    }
}

struct net *draft_net(const struct draft *d, const char *name)
{
    char id[16];
    struct net_builder *builder = net_builder_new(name);
    if (!builder)
        return NULL;
    for (uint32_t p = 0; p < d->places; p++) {
        snprintf(id, sizeof id, "p%u", p);
        net_builder_place(builder, id, NULL, d->tokens[p]);
    }
    for (uint32_t t = 0; t < d->transitions; t++) {
        snprintf(id, sizeof id, "t%u", t);
        net_builder_transition(builder, id, NULL);
        add_arcs(builder, d, t);
    }
    for (uint32_t u = 0; u < d->units; u++) {
        uint32_t members[DRAFT_PLACES], count = 0;
        for (uint32_t p = 0; p < d->places; p++)
            if (d->unit[u][p])
                members[count++] = p;
        net_builder_unit(builder, members, count);
    }
    return net_builder_finish(builder, NULL);
}

void draft_drop_place(struct draft *d, uint32_t place)
{
    d->places--;
    for (uint32_t p = place; p < d->places; p++) {
        d->tokens[p] = d->tokens[p + 1];
        for (uint32_t t = 0; t < d->transitions; t++)
            d->arc[t][p] = d->arc[t][p + 1];
        for (uint32_t u = 0; u < d->units; u++)
            d->unit[u][p] = d->unit[u][p + 1];
    }
}

void draft_drop_transition(struct draft *d, uint32_t transition)
{
    d->transitions--;
    memmove(d->arc[transition], d->arc[transition + 1], (d->transitions - transition) * sizeof *d->arc);
}

void draft_drop_unit(struct draft *d, uint32_t unit)
{
    d->units--;
    memmove(d->unit[unit], d->unit[unit + 1], (d->units - unit) * sizeof *d->unit);
}
