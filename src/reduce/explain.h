/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a reduced set is what it is.  Whatever algorithm has chosen the enabled actions to explore (stubborn sets, lpor),
 * they are the enabled part of a stubborn set, and each member but the first is in it on behalf of another one: by one
 * of the conditions in reduce/stubborn.h.  The explanation is such a set, grown from one of the chosen actions, or from
 * the attractors of a goal, with the condition by which each member has joined.
 *
 * It is found from the relations alone.  Stubborn sets are closed under union, so there is a largest one whose enabled
 * members have all been chosen: what is left when everything has gone that breaks a condition.  Within that one the
 * explanation is grown.
 */
#ifndef REDUCE_EXPLAIN_H
#define REDUCE_EXPLAIN_H

#include "base/vector.h"
#include "portolan/portolan.h"

enum set_relation {
    SET_BEGINS,        /* nobody's: the set begins with it */
    SET_GOAL,          /* nobody's: one of those without which no goal is reached */
    SET_MAY_DISABLE,   /* it may disable the member */
    SET_MAY_BE_LOST,   /* the member may disable it */
    SET_NOT_COMMUTING, /* it and the member do not commute */
    SET_MAY_ENABLE,    /* it may enable the member, which is disabled */
    SET_MAY_RESTORE,   /* it may enable the member again, should that be disabled from outside the set */
    SET_VISIBLE,       /* both may change the property */
    SET_LOCAL          /* nobody's: one of those that concern no other process where theirs is */
};

struct set_member {
    uint32_t action;
    bool is_enabled;
    enum set_relation relation;
    uint32_t guard;        /* by which one may enable or disable the other; UINT32_MAX: by none */
    uint32_t on_behalf_of; /* a member before it in the list; its own place when the relation is nobody's */
};

struct set_explanation {
    VECTOR(struct set_member) members;
    bool is_whole; /* false: the chosen actions are no stubborn set, and are listed without a reason */
};

/* What was chosen where. */
struct chosen_set {
    const struct portolan_system *system; /* with relations */
    const void *state;
    const uint32_t *enabled;
    uint32_t enabled_count;
    const uint32_t *chosen; /* indexes into `enabled` */
    uint32_t chosen_count;
    const bool *visible;        /* per action; NULL: visibility does not matter */
    const uint32_t *attractors; /* of a set that is directed at a goal; NULL: it is not */
    uint32_t attractor_count;
    bool is_weak; /* only one of the enabled members need be safe from being disabled from outside */
};

/* Appends the members, each after the one on whose behalf it is there; explanation_clear is due, also after a failure.
 */
enum portolan_status explain_set(const struct chosen_set *set, struct set_explanation *explanation,
                                 struct portolan_error *error);
void explanation_clear(struct set_explanation *explanation);

/* The reason of a member in words: "take_right_1 may disable take_left_2 (fork_2 >= 1)". */
void set_member_text(const struct portolan_system *system, const struct set_explanation *explanation, size_t index,
                     char *text, size_t size);

#endif
