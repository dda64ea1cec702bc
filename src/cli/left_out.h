/* SPDX-License-Identifier: Apache-2.0 */
/* Why an enabled action may be left out: what comes of it and the explored ones, in both orders. */
#ifndef CLI_LEFT_OUT_H
#define CLI_LEFT_OUT_H

#include "portolan/portolan.h"

struct explored_set {
    const struct portolan_system *system;
    const void *state;
    const uint32_t *enabled;
    const uint32_t *chosen; /* indexes into enabled */
    uint32_t count;
};

void left_out_text(const struct explored_set *set, uint32_t action, char *text, size_t size);

#endif
