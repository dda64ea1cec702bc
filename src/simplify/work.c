/* SPDX-License-Identifier: Apache-2.0 */
#include "simplify/work.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------- making */

static bool add_user(struct work *work, uint32_t place, uint32_t transition)
{
    return vector_push(&work->place[place].users, transition);
}

static bool copy_transition(struct work *work, uint32_t t)
{
    const struct net *net = work->original;
    struct work_transition copy = {.recipe = t, .named = work->question->named[t]};
    uint32_t first = net->arc_offset[t], count = net->arc_offset[t + 1] - first;
    bool fine = vector_reserve(&copy.arcs, count + 1) && vector_push(&work->transitions, copy);
    if (!fine) {
        free(copy.arcs.item);
        return false;
    }
    struct work_arcs *arcs = &work->transitions.item[t].arcs;
    for (uint32_t i = first; fine && i < first + count; i++) {
        const struct net_arc *arc = &net->arc[i];
        if (arc_tests(arc) || arc->produce)
            fine = vector_push(arcs, *arc) && add_user(work, arc->place, t);
    }
    return fine;
}

bool work_make(struct work *work, const struct net *net, const struct simplify_question *question, uint32_t *fired)
{
    *work = (struct work){.original = net,
                          .question = question,
                          .live_places = net->places,
                          .live_transitions = net->transitions,
                          .recipes.transitions = net->transitions,
                          .fired = fired};
    work->place = calloc((size_t)net->places + 1, sizeof *work->place);
    bool fine = work->place != NULL;
    for (uint32_t p = 0; fine && p < net->places; p++) {
        work->place[p].tokens = net->initial[p];
        work->place[p].observed = question->observed[p];
    }
    for (uint32_t t = 0; fine && t < net->transitions; t++)
        fine = copy_transition(work, t) && !limits_reached();
    return fine;
}

void work_clear(struct work *work)
{
    for (uint32_t p = 0; work->place && p < work->original->places; p++)
        free(work->place[p].users.item);
    for (size_t t = 0; t < work->transitions.count; t++)
        free(work->transitions.item[t].arcs.item);
    free(work->place);
    free(work->transitions.item);
    recipes_clear(&work->recipes);
}

/* ------------------------------------------------------------------- changing */

struct net_arc *work_arc(const struct work *work, uint32_t transition, uint32_t place)
{
    const struct work_arcs *arcs = &work->transitions.item[transition].arcs;
    size_t low = 0, high = arcs->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (arcs->item[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < arcs->count && arcs->item[low].place == place ? &arcs->item[low] : NULL;
}

const struct work_users *work_users_of(struct work *work, uint32_t place)
{
    struct work_users *users = &work->place[place].users;
    size_t kept = 0;
    for (size_t i = 0; i < users->count; i++)
        if (!work->transitions.item[users->item[i]].gone && work_arc(work, users->item[i], place))
            users->item[kept++] = users->item[i];
    users->count = kept;
    return users;
}

bool work_is_inhibited(struct work *work, uint32_t place)
{
    const struct work_users *users = work_users_of(work, place);
    for (size_t i = 0; i < users->count; i++)
        if (work_arc(work, users->item[i], place)->inhibit)
            return true;
    return false;
}

void work_remove_transition(struct work *work, uint32_t transition)
{
    work->transitions.item[transition].gone = true;
    work->live_transitions--;
}

void work_drop_arc(struct work *work, uint32_t transition, uint32_t place)
{
    struct work_arcs *arcs = &work->transitions.item[transition].arcs;
    struct net_arc *arc = work_arc(work, transition, place);
    memmove(arc, arc + 1, (size_t)(arcs->item + arcs->count - (arc + 1)) * sizeof *arc);
    arcs->count--;
}

void work_remove_place(struct work *work, uint32_t place)
{
    const struct work_users *users = work_users_of(work, place);
    for (size_t i = 0; i < users->count; i++)
        work_drop_arc(work, users->item[i], place);
    work->place[place].users.count = 0;
    work->place[place].gone = true;
    work->live_places--;
}

void work_add_transition(struct work *work, struct work_arcs arcs, uint32_t recipe)
{
    struct work_transition transition = {.arcs = arcs, .recipe = recipe};
    uint32_t number = (uint32_t)work->transitions.count;
    if (recipe == UINT32_MAX || !vector_push(&work->transitions, transition)) {
        free(arcs.item);
        work->failed = true;
        return;
    }
    work->live_transitions++;
    for (size_t i = 0; i < arcs.count; i++)
        work->failed |= !add_user(work, arcs.item[i].place, number);
}

void work_note(const struct work *work, const char *format, ...)
{
    va_list arguments;
    if (!work->question->proof)
        return;
    va_start(arguments, format);
    vfprintf(work->question->proof, format, arguments);
    va_end(arguments);
}

/* ------------------------------------------------------------------ finishing */

static void give_arcs(struct net_builder *builder, const struct work *work, uint32_t t, uint32_t number,
                      const uint32_t *number_of)
{
    for_work_arcs (arc, work, t) {
        uint32_t place = number_of[arc->place];
        if (arc->consume)
            net_builder_arc(builder, NET_CONSUME, place, number, arc->consume);
        if (arc->produce)
            net_builder_arc(builder, NET_PRODUCE, place, number, arc->produce);
        if (arc->need > arc->consume)
            net_builder_arc(builder, NET_READ, place, number, arc->need);
        if (arc->inhibit)
            net_builder_arc(builder, NET_INHIBIT, place, number, arc->inhibit);
    }
}

/* What units say is proved before it is used, so those of which something is left stay. */
static bool give_units(struct net_builder *builder, const struct work *work, const uint32_t *number_of)
{
    const struct net *net = work->original;
    uint32_t *members = calloc((size_t)net->places + 1, sizeof *members);
    for (uint32_t u = 0; members && u < net->units; u++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < net->unit[u].count; i++) {
            uint32_t place = net->unit_places[net->unit[u].first + i];
            if (!work->place[place].gone)
                members[count++] = number_of[place];
        }
        if (count > 1)
            net_builder_unit(builder, members, count);
    }
    free(members);
    return members != NULL;
}

static void give_transition(struct net_builder *builder, const struct work *work, uint32_t t, const uint32_t *number_of)
{
    const struct net *net = work->original;
    char id[24], name[24];
    snprintf(id, sizeof id, "\001%u", (unsigned)t); /* a character that no file can have in a name */
    snprintf(name, sizeof name, "joined %u", (unsigned)t);
    uint32_t number = t < net->transitions
                          ? net_builder_transition(builder, net->transition_id[t], net->transition_name[t])
                          : net_builder_transition(builder, id, name);
    give_arcs(builder, work, t, number, number_of);
}

/* Adds the places and transitions; number_of has room for the number of each place. */
static bool give_nodes(struct net_builder *builder, const struct work *work, uint32_t *number_of, uint32_t *place,
                       uint32_t *recipe)
{
    const struct net *net = work->original;
    uint32_t places = 0, transitions = 0;
    for_live_places(p, work)
    {
        number_of[p] = net_builder_place(builder, net->place_id[p], net->place_name[p], work->place[p].tokens);
        place[places++] = p;
    }
    for_live_transitions(t, work)
    {
        give_transition(builder, work, t, number_of);
        recipe[transitions++] = work->transitions.item[t].recipe;
    }
    return give_units(builder, work, number_of);
}

struct net *work_finish(const struct work *work, uint32_t **place, uint32_t **recipe)
{
    struct net_builder *builder = net_builder_new(work->original->name);
    uint32_t *number_of = calloc((size_t)work->original->places + 1, sizeof *number_of);
    *place = calloc((size_t)work->live_places + 1, sizeof **place);
    *recipe = calloc((size_t)work->live_transitions + 1, sizeof **recipe);
    struct net *made = NULL;
    if (builder && number_of && *place && *recipe && give_nodes(builder, work, number_of, *place, *recipe))
        made = net_builder_finish(builder, NULL);
    else
        net_builder_free(builder);
    free(number_of);
    if (made)
        return made;
    free(*place);
    free(*recipe);
    *place = *recipe = NULL;
    return NULL;
}
