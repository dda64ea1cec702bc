/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/recipe.h"

#include "base/limits.h"

#include <string.h>

void recipes_clear(struct recipes *recipes)
{
    free(recipes->composed.item);
    free(recipes->at_first.item);
    free(recipes->at_last.item);
    memset(recipes, 0, sizeof *recipes);
}

uint32_t recipes_compose(struct recipes *recipes, struct recipe_part first, struct recipe_part second)
{
    struct recipe recipe = {.first = first, .second = second};
    if (!vector_push(&recipes->composed, recipe))
        return UINT32_MAX;
    return recipes->transitions + (uint32_t)recipes->composed.count - 1;
}

/* Appends what a part stands for. */
static bool expand_part(const struct recipes *recipes, struct recipe_part part, struct firing_sequence *out)
{
    VECTOR(struct recipe_part) open = {0};
    bool fine = vector_push(&open, part);
    while (fine && open.count) {
        struct recipe_part *top = &open.item[open.count - 1];
        if (top->times == 0) {
            open.count--;
            continue;
        }
        top->times--;
        uint32_t recipe = top->recipe;
        if (recipe < recipes->transitions) {
            fine = vector_push(out, recipe) && !limits_reached();
        } else {
            const struct recipe *composed = &recipes->composed.item[recipe - recipes->transitions];
            fine = vector_push(&open, composed->second) && vector_push(&open, composed->first);
        }
    }
    free(open.item);
    return fine;
}

/* ---------------------------------------------------------- firing on markings */

static bool fire(const struct net *net, uint32_t transition, uint64_t *marking)
{
    const struct net_arc *arc = net->arc + net->arc_offset[transition],
                         *end = net->arc + net->arc_offset[transition + 1];
    for (const struct net_arc *a = arc; a < end; a++)
        if (marking[a->place] < a->need || (a->inhibit && marking[a->place] >= a->inhibit))
            return false;
    for (const struct net_arc *a = arc; a < end; a++)
        marking[a->place] += (uint64_t)a->produce - a->consume;
    return true;
}

static uint64_t *marking_after(const struct net *net, const struct firing_sequence *run)
{
    uint64_t *marking = calloc((size_t)net->places + 1, sizeof *marking);
    for (uint32_t p = 0; marking && p < net->places; p++)
        marking[p] = net->initial[p];
    for (size_t i = 0; marking && i < run->count; i++)
        fire(net, run->item[i], marking); /* where it cannot be fired, the replay of the whole run will say so */
    return marking;
}

/* Appends the steps as often as they can be fired, all of them each time. */
static bool repeat(const struct net *net, const struct firing_sequence *steps, uint64_t *marking, uint64_t *scratch,
                   struct firing_sequence *out)
{
    for (;;) {
        memcpy(scratch, marking, ((size_t)net->places + 1) * sizeof *marking);
        for (size_t i = 0; i < steps->count; i++)
            if (!fire(net, steps->item[i], scratch))
                return true;
        memcpy(marking, scratch, ((size_t)net->places + 1) * sizeof *marking);
        for (size_t i = 0; i < steps->count; i++)
            if (!vector_push(out, steps->item[i]))
                return false;
        if (limits_reached())
            return false;
    }
}

/* What was put off last is a step of the net that was put off before, so it goes first. */
static bool finish_put_off(const struct recipes *recipes, const struct net *net, struct firing_sequence *out)
{
    uint64_t *marking = marking_after(net, out), *scratch = calloc((size_t)net->places + 1, sizeof *scratch);
    struct firing_sequence steps = {0};
    bool fine = marking && scratch;
    for (size_t i = recipes->at_last.count; fine && i-- > 0;) {
        steps.count = 0;
        fine = expand_part(recipes, (struct recipe_part){recipes->at_last.item[i], 1}, &steps) &&
               repeat(net, &steps, marking, scratch, out);
    }
    free(steps.item);
    free(marking);
    free(scratch);
    return fine;
}

bool recipes_expand(const struct recipes *recipes, const struct net *original, const uint32_t *run, size_t length,
                    bool to_dead_end, struct firing_sequence *out)
{
    bool fine = true;
    for (size_t i = 0; fine && i < recipes->at_first.count; i++)
        fine = expand_part(recipes, recipes->at_first.item[i], out);
    for (size_t i = 0; fine && i < length; i++)
        fine = expand_part(recipes, (struct recipe_part){run[i], 1}, out);
    if (fine && to_dead_end && recipes->at_last.count)
        fine = finish_put_off(recipes, original, out);
    return fine;
}
