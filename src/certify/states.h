/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of a certificate, by number.  A certificate does not list them:
 * state 0 is the initial one, and each other one is what firing gives.
 */
#ifndef CERTIFY_STATES_H
#define CERTIFY_STATES_H

#include "portolan/portolan.h"

struct states {
    struct portolan_system *system;
    unsigned char *keys; /* key_bytes each */
    size_t capacity;     /* bytes */
    uint32_t count;
    /* the present state */
    uint32_t number;
    unsigned char *present, *next; /* whole states; next: the last successor */
    uint32_t *enabled;
    uint32_t enabled_count;
    uint32_t *enabled_in; /* per action: the last state, + 1, in which it was enabled */
};

/* Begins with the initial state as number 0; false when memory ran out. */
bool states_make(struct states *states, struct portolan_system *system);
void states_clear(struct states *states);
/* Makes a state the present one. */
void states_load(struct states *states, uint32_t number);
static inline bool states_is_enabled(const struct states *states, uint32_t action)
{
    return states->enabled_in[action] == states->number + 1;
}
/* Fires an enabled action in the present state; the layout may widen. */
enum portolan_status states_fire(struct states *states, uint32_t action, struct portolan_error *error);
/* Is the last successor this state? */
bool states_is_next(const struct states *states, uint32_t number);
/* Gives the last successor the next number; false when memory ran out. */
bool states_add_next(struct states *states);

#endif
