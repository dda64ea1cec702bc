/* SPDX-License-Identifier: Apache-2.0 */
#include "system/touch_table.h"

#include "base/lists.h"

#include <string.h>

bool touch_table_add(struct touch_table *table, struct portolan_touch touch)
{
    return vector_push(&table->touches, touch);
}

static int by_entity(const void *left, const void *right)
{
    uint32_t a = ((const struct portolan_touch *)left)->entity, b = ((const struct portolan_touch *)right)->entity;
    return a < b ? -1 : a > b;
}

bool touch_table_end(struct touch_table *table)
{
    uint32_t start = table->actions ? table->ends.item[table->actions - 1] : 0;
    if (table->touches.count > UINT32_MAX || !vector_push(&table->ends, (uint32_t)table->touches.count))
        return false;
    if (table->touches.count > start)
        qsort(table->touches.item + start, table->touches.count - start, sizeof *table->touches.item, by_entity);
    table->actions++;
    return true;
}

const struct portolan_touch *touch_table_get(const void *view, uint32_t action, uint32_t *count)
{
    const struct touch_table *table = view;
    uint32_t start = action ? table->ends.item[action - 1] : 0;
    *count = table->ends.item[action] - start;
    return table->touches.item + start;
}

/* The entity that the action needs and the fewest others touch; UINT32_MAX when it needs none. */
static uint32_t watched(const struct touch_table *table, uint32_t action)
{
    uint32_t count, best = UINT32_MAX;
    const struct portolan_touch *touch = touch_table_get(table, action, &count);
    for (uint32_t i = 0; i < count; i++)
        if (touch[i].low > 0 &&
            (best == UINT32_MAX || list_length(&table->users, touch[i].entity) < list_length(&table->users, best)))
            best = touch[i].entity;
    return best;
}

bool touch_table_index(struct touch_table *table, uint32_t entities)
{
    struct lists_builder users = {0}, watchers = {0};
    table->entities = entities;
    for (uint32_t a = 0; a < table->actions; a++) {
        uint32_t count;
        const struct portolan_touch *touch = touch_table_get(table, a, &count);
        for (uint32_t i = 0; i < count; i++)
            lists_add(&users, touch[i].entity, a);
    }
    if (!lists_finish(&users, entities, &table->users))
        return false;
    for (uint32_t a = 0; a < table->actions; a++) {
        uint32_t entity = watched(table, a);
        if (entity != UINT32_MAX)
            lists_add(&watchers, entity, a);
        else if (!vector_push(&table->unwatched, a))
            watchers.failed = true;
    }
    return lists_finish(&watchers, entities, &table->watchers);
}

void touch_table_clear(struct touch_table *table)
{
    free(table->touches.item);
    free(table->ends.item);
    free(table->unwatched.item);
    lists_clear(&table->users);
    lists_clear(&table->watchers);
    memset(table, 0, sizeof *table);
}

/* Could the action be enabled when counts are from low to high? */
static bool fits(const struct touch_table *table, uint32_t action, const uint32_t *low, const uint32_t *high)
{
    uint32_t count;
    const struct portolan_touch *touch = touch_table_get(table, action, &count);
    for (uint32_t i = 0; i < count; i++)
        if (high[touch[i].entity] < touch[i].low || low[touch[i].entity] > touch[i].high)
            return false;
    return true;
}

bool touch_table_enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver)
{
    const struct touch_table *table = view;
    for (size_t i = 0; i < table->unwatched.count; i++)
        if (fits(table, table->unwatched.item[i], count, count) &&
            !receiver->give(receiver->user, table->unwatched.item[i]))
            return false;
    for (uint32_t e = 0; e < table->entities; e++) {
        if (!count[e])
            continue;
        for_list (a, table->watchers, e)
            if (fits(table, *a, count, count) && !receiver->give(receiver->user, *a))
                return false;
    }
    return true;
}

bool touch_table_possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                          const struct portolan_receiver *receiver)
{
    const struct touch_table *table = view;
    for_list (a, table->users, entity)
        if (fits(table, *a, low, high) && !receiver->give(receiver->user, *a))
            return false;
    return true;
}

uint32_t touch_table_entities(const void *view)
{
    return ((const struct touch_table *)view)->entities;
}

uint32_t touch_table_action(const void *view, uint32_t action)
{
    (void)view;
    return action;
}

void touch_table_close(void *view)
{
    touch_table_clear(view);
    free(view);
}
