/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for one of several channels, or for some of them. */
#ifndef NATIVE_SELECTION_H
#define NATIVE_SELECTION_H

#include "native/channels.h"

enum { MOST_SELECTED = 64, MOST_ALTERNATIVES = 1024, NONE_READY = UINT32_MAX };

struct selection {
    uint32_t channels[MOST_SELECTED], channel_count;
    uint64_t *alternatives; /* bits of channels, at most MOST_ALTERNATIVES */
    uint32_t alternative_count, chosen;
};

/* Waits until an alternative has messages in all of its channels: any that ever has, each is explored.  Its number. */
uint32_t select_from(struct selection *selection, struct call *call);
/* The same in two parts. */
uint32_t select_choose(struct selection *selection, struct call *call);
void select_wait(struct selection *selection, struct call *call);
/* An alternative that is there now, or NONE_READY. */
uint32_t selection_ready(const struct selection *selection, struct call *call);
/* In the scheduler: does somebody wait for one alternative, and another has come, or stands for all that have not? */
bool is_selection_wrong(void);

#endif
