/* SPDX-License-Identifier: Apache-2.0 */
/* Small random entity systems, reproducible from a seed and a number, and plain full exploration of them. */
#ifndef TESTS_RANDOM_ENTITIES_H
#define TESTS_RANDOM_ENTITIES_H

#include "random_net.h"

enum { ENTITY_DRAFT_ENTITIES = 10, ENTITY_DRAFT_ACTIONS = 10, ENTITY_DRAFT_STATES = 1 << ENTITY_DRAFT_ENTITIES };

/* Sets are bit masks; the four of an action have nothing in common. */
struct entity_draft {
    uint32_t entities, actions;
    uint16_t initial;
    uint16_t reads[ENTITY_DRAFT_ACTIONS], forbids[ENTITY_DRAFT_ACTIONS];
    uint16_t deletes[ENTITY_DRAFT_ACTIONS], creates[ENTITY_DRAFT_ACTIONS];
};

void entity_draft_random(struct entity_draft *draft, struct random *random);
/* As text, one line per action. */
void entity_draft_print(const struct entity_draft *draft);
/* A system with entities e0 e1 ..., actions a0 a1 ... and the entities view; the draft must outlive it.  NULL when
 * out of memory. */
struct portolan_system *entity_draft_system(const struct entity_draft *draft);

bool entity_draft_enabled(const struct entity_draft *draft, uint16_t state, uint32_t action);
/* Marks the reachable states and, among them, the deadlocks. */
struct entity_truth {
    bool reachable[ENTITY_DRAFT_STATES], deadlock[ENTITY_DRAFT_STATES];
};
void entity_draft_explore(const struct entity_draft *draft, struct entity_truth *truth);

/* Removes actions, and entities from sets, as long as it fails. */
typedef bool entity_draft_fails(void *user, const struct entity_draft *draft);
void entity_draft_shrink(struct entity_draft *draft, entity_draft_fails *fails, void *user);

#endif
