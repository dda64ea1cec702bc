/* SPDX-License-Identifier: Apache-2.0 */
/* What lives as long as a system of a DVE model. */
#ifndef FRONT_DVE_VARIABLES_H
#define FRONT_DVE_VARIABLES_H

#include "front/dve/lowering.h"

enum dve_shown_kind { SHOWS_CELL, SHOWS_PROCESS, SHOWS_STATE, SHOWS_SLOT, SHOWS_LENGTH, SHOWS_TRUTH };

/* Per variable of the model. */
struct dve_shown {
    enum dve_shown_kind kind;
    uint32_t number;          /* of the process, the channel */
    const struct node *truth; /* SHOWS_TRUTH */
    int64_t shift;            /* SHOWS_SLOT: what a message has in a cell is that much more; 0: nothing */
};

struct dve_text {
    char *item;
    size_t count, capacity;
};

struct dve_language {
    struct syntax syntax;
    VECTOR(struct dve_shown) shown;
    struct portolan_type *enumerations; /* per process: its states */
};

#endif
