/* SPDX-License-Identifier: Apache-2.0 */
/* What a certificate claims, and what each claim asks of the reduced graph. */
#ifndef CERTIFY_CLAIMS_H
#define CERTIFY_CLAIMS_H

#include "base/vector.h"
#include "ltl/formula.h"
#include "portolan/portolan.h"

/* Of cycles, in order of strength. */
enum cycles {
    CYCLES_FREE,    /* nothing: deadlocks decide */
    CYCLES_SAFETY,  /* the keys lead to a fully expanded state */
    CYCLES_LIVENESS /* every cycle has a fully expanded state */
};

extern const char *const cycles_word[];

struct claim {
    char *text;
    struct portolan_property *property; /* that no state may decide against the claim; NULL: a formula */
    struct ltl *ltl;
    uint32_t formula;
    enum cycles needs;
    struct goal *goal;        /* of a claim about states: what goal-directed sets must hold */
    VECTOR(uint64_t) letters; /* of a formula: the valuation of each state, as the checker finds it */
};

struct claims {
    VECTOR(struct claim) list;
    enum cycles needs; /* the strongest */
    bool *visible;     /* per action; NULL: visibility does not matter */
};

struct goal_set;
struct states;
/* Prepares the claims for goal-directed sets; false when memory ran out. */
bool claims_seek(struct claims *claims, const struct portolan_system *system);
/* Are goal-directed sets a reason for all claims?  They lead to states, not to deadlocks or along runs. */
bool claims_are_of_states(const struct claims *claims);
/* The first claim for which the set does not hold what it must in the present state, or NULL. */
const struct claim *claims_unmet(const struct claims *claims, const struct states *states, const struct goal_set *set);

/* Adds a claim from its text, which is copied. */
enum portolan_status claims_add(struct claims *claims, const struct portolan_system *system, const char *text,
                                struct portolan_error *error);
void claims_clear(struct claims *claims);

#endif
