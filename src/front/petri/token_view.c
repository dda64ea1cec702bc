/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/token_view.h"

#include "base/limits.h"
#include "base/lists.h"
#include "front/petri/system.h"

#include <string.h>

enum { MOST_ENTITIES = 1 << 24 }; /* nets with more tokens have the symbolic view */

static bool meet(struct token_view *v, uint32_t place, uint32_t index)
{
    while (!token_is_met(v, place, index)) {
        uint32_t group = v->groups[place], size = group ? UINT32_C(1) << (group - 1) : 1;
        if (group == TOKEN_GROUPS || v->place.count + size > MOST_ENTITIES || !vector_reserve(&v->place, size))
            return false;
        v->group[place][group] = (uint32_t)v->place.count;
        v->groups[place]++;
        for (uint32_t i = 0; i < size; i++)
            v->place.item[v->place.count++] = place;
    }
    return true;
}

/* The first token of each place in turn, then those of the initial marking. */
static bool meet_initial(struct token_view *v)
{
    bool fine = true;
    for (uint32_t p = 0; fine && p < v->net->places; p++)
        fine = meet(v, p, 0);
    for (uint32_t p = 0; fine && p < v->net->places; p++)
        fine = v->net->initial[p] == 0 || meet(v, p, v->net->initial[p] - 1);
    return fine;
}

bool token_view_open(struct token_view *v, const struct portolan_system *system)
{
    v->system = system;
    v->net = net_of_system(system);
    size_t places = (size_t)v->net->places + 1;
    struct lists_builder users = {0};
    for (uint32_t t = 0; t < v->net->transitions; t++)
        for_arcs (arc, v->net, t)
            lists_add(&users, arc->place, t);
    v->marking = calloc(places, sizeof *v->marking);
    v->group = calloc(places, sizeof *v->group);
    v->groups = calloc(places, sizeof *v->groups);
    bool listed = lists_finish(&users, v->net->places, &v->users);
    return listed && v->marking && v->group && v->groups && meet_initial(v);
}

void token_view_close(struct token_view *v)
{
    lists_clear(&v->users);
    sequences_clear(&v->actions);
    touch_table_clear(&v->touches);
    free(v->marking);
    free(v->draft.item);
    free(v->group);
    free(v->groups);
    free(v->place.item);
    free(v->arranged.item);
}

uint32_t token_index(const struct token_view *v, uint32_t entity)
{
    uint32_t place = v->place.item[entity];
    for (uint32_t g = 0; g < v->groups[place]; g++) {
        uint32_t size = g ? UINT32_C(1) << (g - 1) : 1, first = g ? size : 0;
        if (entity - v->group[place][g] < size)
            return first + entity - v->group[place][g];
    }
    return UINT32_MAX;
}

/* Touches are kept by increasing entity. */
bool token_view_arrange(struct token_view *v, struct portolan_touch touch)
{
    if (!vector_reserve(&v->arranged, 1))
        return false;
    size_t i = v->arranged.count++;
    for (; i > 0 && v->arranged.item[i - 1].entity > touch.entity; i--)
        v->arranged.item[i] = v->arranged.item[i - 1];
    v->arranged.item[i] = touch;
    return true;
}

bool token_view_touch(struct token_view *v, uint32_t place, uint32_t index, bool present, int32_t by)
{
    return meet(v, place, index) &&
           token_view_arrange(v, (struct portolan_touch){.entity = token_entity(v, place, index),
                                                         .low = present,
                                                         .high = present ? UINT32_MAX : 0,
                                                         .change = by});
}

bool token_view_give(struct token_view *v, bool (*arrange)(struct token_view *v),
                     const struct portolan_receiver *receiver)
{
    bool is_new;
    uint32_t action = sequence_insert(&v->actions, v->draft.item, v->draft.count, &is_new);
    if (action == SEQUENCE_NONE)
        return false;
    if (!is_new)
        return receiver->give(receiver->user, action);
    v->arranged.count = 0;
    if (!arrange(v))
        return false;
    size_t room =
        4 * v->arranged.count * sizeof *v->arranged.item; /* the table may grow by half, whoever asks copies */
    if (!limits_allow(room))
        return false;
    for (size_t i = 0; i < v->arranged.count; i++)
        if (!touch_table_add(&v->touches, v->arranged.item[i]))
            return false;
    return touch_table_end(&v->touches) && receiver->give(receiver->user, action);
}

uint32_t token_view_entities(const void *view)
{
    return (uint32_t)((const struct token_view *)view)->place.count;
}

void token_view_initial(const void *view, uint32_t *count)
{
    const struct token_view *v = view;
    memset(count, 0, v->place.count * sizeof *count);
    for (uint32_t p = 0; p < v->net->places; p++)
        for (uint32_t i = 0; i < v->net->initial[p]; i++)
            count[token_entity(v, p, i)] = 1;
}

const struct portolan_touch *token_view_touches(const void *view, uint32_t action, uint32_t *count)
{
    return touch_table_get(&((const struct token_view *)view)->touches, action, count);
}

uint32_t token_view_action(const void *view, uint32_t action)
{
    size_t length;
    return sequence_get(&((const struct token_view *)view)->actions, action, &length)[0];
}
