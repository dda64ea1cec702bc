/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packed states of a system: those of the one that was opened are wide enough for every value and stay as they are,
 * those of a compact one widen as values grow.  It stands first in the model of such a system.
 */
#ifndef CODEC_PACKED_H
#define CODEC_PACKED_H

#include "codec/layout.h"
#include "portolan/portolan.h"

struct packed {
    const struct packed *opened; /* what a compact one was made of; NULL: it is the opened one */
    struct range *ranges;
    struct layout layout;
    struct conversion conversion; /* of states of the layout before */
    uint32_t widenings;           /* so far */
};

/* `system` has states of this layout. */
void packed_describe(struct portolan_system *system, const struct packed *packed);
/* Another system like the opened one, with a model of its own that begins with `packed`.  NULL when memory is
 * exhausted. */
struct portolan_system *packed_compact(const struct portolan_system *opened, struct packed *packed,
                                       enum portolan_status (*widen)(struct portolan_system *system));
/* The layout that comes next; for limits, alike and order see layout.h.  False when memory is exhausted. */
bool packed_wider(struct packed *packed, const struct range *limits, const uint64_t *alike, const uint32_t *order,
                  struct layout *layout);
/* Takes it over, when all that depends on it has been made; without memory all stays as it is. */
enum portolan_status packed_widen(struct portolan_system *system, struct layout *layout, const uint32_t *order);
void packed_clear(struct packed *packed);

#endif
