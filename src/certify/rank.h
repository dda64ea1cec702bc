/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers that prove the cycle condition. */
#ifndef CERTIFY_RANK_H
#define CERTIFY_RANK_H

#include "certify/claims.h"

/* The explored graph, states in the order of the certificate. */
struct explored {
    uint32_t states;
    size_t *offset;            /* state -> its edges, one more at the end */
    uint32_t *action, *target; /* of an edge */
    bool *leads;               /* of an edge: its action is a key */
    bool *fully;               /* of a state */
    bool *directed;            /* of a state: its set is, which is as good as all actions */
    uint32_t *rank;            /* of a state; RANK_NONE where there is none */
};

enum { RANK_NONE = UINT32_MAX };

/*
 * Safety: steps along keys to a fully expanded state.  Liveness: the longest way to one (or to an end).  A state
 * without a rank breaks the condition.  False when memory ran out.
 */
bool rank_states(struct explored *explored, enum cycles cycles);

#endif
