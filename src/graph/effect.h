/* SPDX-License-Identifier: Apache-2.0 */
/* What an application of a rule does to the present graph. */
#ifndef GRAPH_EFFECT_H
#define GRAPH_EFFECT_H

#include "graph/present.h"
#include "graph/program.h"

/* One application of one level. */
struct event {
    uint32_t level;
    const uint32_t *images; /* of its anchor */
    size_t created;         /* where its new nodes begin in effect.created */
};

struct merger {
    uint32_t node, into;
};

struct effect {
    struct universe *universe;
    const struct present *present;
    numbers removed, added; /* entities, sorted, with nothing in common: the result */
    numbers deleted;        /* nodes */
    numbers erased;         /* entities that the rule names */
    numbers created;        /* nodes, of all events */
    numbers image, how;     /* scratch */
    VECTOR(struct event) events;
    VECTOR(struct merger) mergers;
};

void effect_clear(struct effect *effect);

/* The effect of the application with this key (match.h); false when memory is exhausted. */
bool effect_find(struct effect *effect, const struct program *program, const uint32_t *key, size_t length);

/* Does a node that it deletes have edges that it does not name?  False when memory is exhausted. */
bool leaves_dangling(struct effect *effect, const struct program *program, const uint32_t *key, size_t length,
                     bool *dangles);

#endif
