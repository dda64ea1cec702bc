/* SPDX-License-Identifier: Apache-2.0 */
#include "stretched_net.h"

#include <string.h>

/* A step of a transition into, or out of, a place becomes two with a new place between. */
static void stretch(struct draft *d, struct random *random)
{
    uint32_t t = random_below(random, d->transitions), p = random_below(random, d->places);
    struct draft_arc *arc = &d->arc[t][p];
    bool into = arc->produce > 0;
    if (d->places >= DRAFT_PLACES || d->transitions >= DRAFT_TRANSITIONS || (!into && !arc->consume))
        return;
    uint32_t q = d->places++, u = d->transitions++;
    uint8_t weight = random_chance(random, 65) ? 1 : 2, times = into && random_chance(random, 20) ? 2 : 1;
    if (into) {
        d->arc[u][p].produce = arc->produce;
        arc->produce = 0;
        d->arc[t][q].produce = (uint8_t)(weight * times + random_chance(random, 25)); /* now and then one too many */
        d->arc[u][q].consume = weight;
    } else {
        d->arc[u][p].consume = arc->consume;
        d->arc[u][p].produce = random_chance(random, 10);
        d->arc[u][p].read = random_chance(random, 10) ? 2 : 0;
        arc->consume = 0;
        d->arc[u][q].produce = weight;
        d->arc[t][q].consume = weight;
    }
    d->tokens[q] = random_chance(random, 20) ? weight : random_chance(random, 5);
}

static void double_transition(struct draft *d, struct random *random)
{
    uint32_t t = random_below(random, d->transitions), p = random_below(random, d->places);
    if (d->transitions >= DRAFT_TRANSITIONS)
        return;
    memcpy(d->arc[d->transitions], d->arc[t], sizeof d->arc[t]);
    struct draft_arc *arc = &d->arc[d->transitions++][p];
    switch (random_below(random, 6)) {
    case 0: arc->read++; break;
    case 1: arc->inhibit = 2; break;
    case 2: arc->produce++; break;
    case 3: arc->consume = arc->produce; break;
    default: break;
    }
}

static void double_place(struct draft *d, struct random *random)
{
    uint32_t p = random_below(random, d->places), q = d->places;
    uint8_t factor = random_chance(random, 80) ? 1 : 2;
    if (d->places >= DRAFT_PLACES)
        return;
    d->places++;
    d->tokens[q] = (uint8_t)(d->tokens[p] * factor + random_below(random, 2));
    for (uint32_t t = 0; t < d->transitions; t++) {
        struct draft_arc *arc = &d->arc[t][q];
        *arc = d->arc[t][p];
        arc->consume *= factor;
        arc->produce *= factor;
        arc->inhibit = 0;
        if (random_chance(random, 15))
            arc->read = (uint8_t)random_below(random, 3);
    }
}

/* A transition that can always put tokens, of which somebody may have to see none or few. */
static void add_source(struct draft *d, struct random *random)
{
    uint32_t p = random_below(random, d->places);
    if (d->transitions >= DRAFT_TRANSITIONS)
        return;
    if (d->transitions && random_chance(random, 30))
        d->arc[random_below(random, d->transitions)][p].inhibit = (uint8_t)(1 + random_below(random, 2));
    d->arc[d->transitions++][p].produce = (uint8_t)(1 + random_below(random, 2));
}

void draft_stretched(struct draft *d, struct random *random)
{
    draft_random(d, random);
    if (d->places && random_chance(random, 12))
        add_source(d, random);
    for (uint32_t i = random_below(random, 5); i > 0 && d->transitions && d->places; i--)
        switch (random_below(random, 4)) {
        case 0: double_transition(d, random); break;
        case 1: double_place(d, random); break;
        default: stretch(d, random); break;
        }
}
