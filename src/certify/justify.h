/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds, for a state and the actions explored there, a stubborn set that says
 * why these are enough.  It asks nobody how they were chosen: weak stubborn
 * sets are closed under union, so there is a largest one whose enabled members
 * have all been explored, found by removing what breaks a condition until
 * nothing does.  Out of that one a small set is grown from a key; often that
 * works without the largest one, which is then not looked for.
 */
#ifndef CERTIFY_JUSTIFY_H
#define CERTIFY_JUSTIFY_H

#include "base/vector.h"
#include "certify/claims.h"
#include "certify/states.h"
#include "certify/view.h"

struct justifier {
    const struct view *view;
    const struct states *states; /* whose present state is looked at */
    const bool *visible;         /* NULL: visibility does not matter */
    bool directed;               /* the set is to be goal-directed: without a key, whatever is visible */
    uint32_t stamp;              /* of the present state; the arrays below count when they have it */
    uint32_t *gone;              /* per transition: not in the largest set */
    uint32_t *enabler_gone;      /* per guard: one of its enablers is not */
    uint32_t *evaluated;         /* per guard */
    bool *holds;                 /* per guard */
    uint32_t *queue;             /* removed, its effects still to be looked at */
    uint32_t queued;
    bool visible_gone;
    bool local; /* what is explored is a set whatever else is enabled: `explored`, so many */
    const uint32_t *explored;
    uint32_t explored_count;
    bool exact; /* what is gone has taken everything with it that must go too */
    /* the small set */
    uint32_t set_stamp;
    uint32_t *member; /* per transition, by set_stamp */
    uint32_t *list;   /* the members, the key first */
    uint32_t *guard;  /* per transition: of a disabled member, its false guard */
    uint32_t size;
    bool spoiled; /* it came upon one that is gone */
};

bool justifier_make(struct justifier *justifier, const struct view *view, const struct states *states,
                    const bool *visible);
void justifier_clear(struct justifier *justifier);

/* Finds the largest stubborn set of the present state with only these of the enabled actions. */
void justify(struct justifier *justifier, const uint32_t *explored, uint32_t count);
/* The same for a goal-directed set; false when it does not hold what the claims ask for.  Also grows the small set. */
bool justify_by_goal(struct justifier *justifier, const struct claims *claims, const uint32_t *explored,
                     uint32_t count);
/* May the action lead on: enabled, in the largest set, and nothing outside of it can disable the action? */
bool justify_is_key(struct justifier *justifier, uint32_t action);
/* Grows the small set from a key. */
void justify_from(struct justifier *justifier, uint32_t key);

#endif
