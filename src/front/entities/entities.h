/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entity systems: a state is a set of entities, an action tests, deletes and
 * creates some.  Kastenberg & Rensink, "Dynamic Partial Order Reduction Using
 * Probe Sets" (CONCUR 2008), definitions 9 and 10: action a is enabled in E when
 *
 *     reads(a) and deletes(a) are in E, forbids(a) and creates(a) are not,
 *
 * and leads to E without deletes(a), with creates(a).
 */
#ifndef FRONT_ENTITIES_ENTITIES_H
#define FRONT_ENTITIES_ENTITIES_H

#include "base/names.h"
#include "portolan/portolan.h"

struct entity_system {
    struct names entities, actions; /* their numbers are in the order of the text */
    uint64_t *initial;              /* a bit set; bit_words(entities) words */
    /* action -> entities: each list is increasing, the four of an action have nothing in common */
    struct portolan_lists reads, forbids, deletes, creates;
    /* Optional: further variables.  `counted` lists entities, of which the variable tells how many are there;
     * `applicable` lists actions, of which it tells whether one is enabled, or rows that the lists above have behind
     * the last action: these are never fired. */
    struct names counts, patterns;
    struct portolan_lists counted, applicable;
    uint32_t constant; /* so many entities, the last ones, never change: reports leave them out */
};

/* Reads the text format of docs/entities.md; name stands for the file in errors.  *system is NULL when it fails. */
enum portolan_status entities_read_memory(const char *name, const char *text, size_t length,
                                          struct entity_system **system, struct portolan_error *error);
void entity_system_free(struct entity_system *system);

/* As a system with the relations view, named after the file; takes the entities over, also on failure. */
enum portolan_status entities_system_new(struct entity_system *entities, const char *path,
                                         struct portolan_system **system, struct portolan_error *error);
/* The entities behind a system made by entities_system_new. */
const struct entity_system *entities_of_system(const struct portolan_system *system);

#endif
