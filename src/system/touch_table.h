/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The touches of actions that are all known in advance, with an index by
 * entity: what most of an entities view consists of.
 */
#ifndef SYSTEM_TOUCH_TABLE_H
#define SYSTEM_TOUCH_TABLE_H

#include "base/vector.h"
#include "portolan/portolan.h"

struct touch_table {
    uint32_t actions, entities;
    VECTOR(struct portolan_touch) touches;
    VECTOR(uint32_t) ends;          /* touches of action a end before ends[a] */
    struct portolan_lists users;    /* entity -> the actions that touch it */
    struct portolan_lists watchers; /* entity -> actions that need it, each in the list of one entity */
    VECTOR(uint32_t) unwatched;     /* actions that need nothing */
};

/* Adds a touch to the action that is being written, ends that action, and, after all, makes the index.  False when
 * memory is exhausted; touch_table_clear is then still to be called. */
bool touch_table_add(struct touch_table *table, struct portolan_touch touch);
bool touch_table_end(struct touch_table *table);
bool touch_table_index(struct touch_table *table, uint32_t entities);
void touch_table_clear(struct touch_table *table);

/* The functions of a view whose struct begins with its table. */
const struct portolan_touch *touch_table_get(const void *view, uint32_t action, uint32_t *count);
bool touch_table_enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver);
bool touch_table_possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                          const struct portolan_receiver *receiver);
uint32_t touch_table_entities(const void *view);
uint32_t touch_table_action(const void *view, uint32_t action);
void touch_table_close(void *view);

#define TOUCH_TABLE_VIEW                                                                                               \
    .close = touch_table_close, .entities = touch_table_entities, .enabled = touch_table_enabled,                      \
    .possible = touch_table_possible, .touches = touch_table_get, .action = touch_table_action

#endif
