/* SPDX-License-Identifier: Apache-2.0 */
#include "system/entity_lists.h"

#include "base/bits.h"
#include "base/lists.h"
#include "system/touch_table.h"

#include <string.h>

struct view {
    struct touch_table table; /* first */
    struct entity_lists lists;
};

static bool add_touches(struct touch_table *table, const struct portolan_lists *entities, uint32_t action,
                        struct portolan_touch touch)
{
    for_list (e, *entities, action) {
        touch.entity = *e;
        if (!touch_table_add(table, touch))
            return false;
    }
    return true;
}

static bool add_action(struct view *v, uint32_t a)
{
    return add_touches(&v->table, &v->lists.reads, a, (struct portolan_touch){.low = 1, .high = UINT32_MAX}) &&
           add_touches(&v->table, &v->lists.forbids, a, (struct portolan_touch){.low = 0, .high = 0}) &&
           add_touches(&v->table, &v->lists.deletes, a,
                       (struct portolan_touch){.low = 1, .high = UINT32_MAX, .change = -1}) &&
           add_touches(&v->table, &v->lists.creates, a, (struct portolan_touch){.low = 0, .high = 0, .change = 1}) &&
           touch_table_end(&v->table);
}

void *entity_lists_open(const struct entity_lists *lists)
{
    struct view *v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    v->lists = *lists;
    for (uint32_t a = 0; a < lists->actions; a++)
        if (!add_action(v, a)) {
            touch_table_close(v);
            return NULL;
        }
    if (!touch_table_index(&v->table, lists->entities)) {
        touch_table_close(v);
        return NULL;
    }
    return v;
}

void entity_lists_initial(const void *view, uint32_t *count)
{
    const struct view *v = view;
    for (uint32_t e = 0; e < v->lists.entities; e++)
        count[e] = bit_get(v->lists.initial, e);
}

enum portolan_fired entity_lists_state(const void *view, const uint32_t *count, void *state)
{
    uint32_t entities = ((const struct view *)view)->lists.entities;
    uint64_t *words = state;
    memset(words, 0, (bit_words(entities) ? bit_words(entities) : 1) * sizeof *words);
    for (uint32_t e = 0; e < entities; e++)
        if (count[e])
            bit_set(words, e);
    return PORTOLAN_FIRED;
}
