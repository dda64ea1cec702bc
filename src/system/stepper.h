/* SPDX-License-Identifier: Apache-2.0 */
/* One state that moves: for replaying traces and showing them. */
#ifndef SYSTEM_STEPPER_H
#define SYSTEM_STEPPER_H

#include "portolan/portolan.h"

struct stepper {
    struct portolan_system *system;
    unsigned char *state;
    unsigned char *before; /* the state before the last step */
    uint32_t *enabled;
    size_t enabled_capacity;
    uint32_t enabled_count;
    size_t steps;
};

/* Starts in the initial state; false when memory is exhausted. */
bool stepper_make(struct stepper *stepper, struct portolan_system *system);
void stepper_clear(struct stepper *stepper);
/* PORTOLAN_BAD_INPUT when the action is not enabled. */
enum portolan_status stepper_fire(struct stepper *stepper, uint32_t action, struct portolan_error *error);

#endif
