/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entities view of a system whose entities and actions are all known: an
 * action has four sets of entities, a state is a bit set of the entities there are.
 *
 * A front end puts the view of its systems together from these functions:
 *
 *     static void *open(const struct portolan_system *system)
 *     {
 *         return entity_lists_open(the lists of system);
 *     }
 *     static const struct portolan_entities view = {.name = "entities", .open = open, ENTITY_LISTS_VIEW};
 */
#ifndef SYSTEM_ENTITY_LISTS_H
#define SYSTEM_ENTITY_LISTS_H

#include "system/touch_table.h"

struct entity_lists {
    uint32_t entities, actions;
    const uint64_t *initial; /* a bit set */
    /* action -> entities; each list is increasing, the four of an action have nothing in common */
    struct portolan_lists reads, forbids, deletes, creates;
};

/* The lists must outlive the view, but not this struct. */
void *entity_lists_open(const struct entity_lists *lists);

void entity_lists_initial(const void *view, uint32_t *count);
/* States are bit sets of the entities: whole 64-bit words, entity 0 the lowest bit of the first. */
enum portolan_fired entity_lists_state(const void *view, const uint32_t *count, void *state);

#define ENTITY_LISTS_VIEW TOUCH_TABLE_VIEW, .initial = entity_lists_initial, .state = entity_lists_state

#endif
