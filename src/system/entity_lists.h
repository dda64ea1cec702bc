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

#include "portolan/portolan.h"

struct entity_lists {
    uint32_t entities, actions;
    const uint64_t *initial; /* a bit set */
    /* action -> entities; each list is increasing, the four of an action have nothing in common */
    struct portolan_lists reads, forbids, deletes, creates;
};

/* The lists must outlive the view, but not this struct. */
void *entity_lists_open(const struct entity_lists *lists);

void entity_lists_close(void *view);
uint32_t entity_lists_entities(const void *view);
void entity_lists_initial(const void *view, uint32_t *count);
bool entity_lists_enabled(void *view, const uint32_t *count, const struct portolan_receiver *receiver);
bool entity_lists_possible(void *view, uint32_t entity, const uint32_t *low, const uint32_t *high,
                           const struct portolan_receiver *receiver);
const struct portolan_touch *entity_lists_touches(const void *view, uint32_t action, uint32_t *count);
uint32_t entity_lists_action(const void *view, uint32_t action);
/* States are bit sets of the entities: whole 64-bit words, entity 0 the lowest bit of the first. */
enum portolan_fired entity_lists_state(const void *view, const uint32_t *count, void *state);

#define ENTITY_LISTS_VIEW                                                                                              \
    .close = entity_lists_close, .entities = entity_lists_entities, .initial = entity_lists_initial,                   \
    .enabled = entity_lists_enabled, .possible = entity_lists_possible, .touches = entity_lists_touches,               \
    .action = entity_lists_action, .state = entity_lists_state

#endif
