/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the applications of a rule in the present graph.
 *
 * An application is a sequence of numbers, its key: the rule, the images of the root's anchor, then for each
 * application of a level below that changes something the level and the images of its anchor, in increasing order.
 * Matches with equal keys are one application.  A rule whose arithmetic fails has the key (rule, FAILED_NODE).
 */
#ifndef GRAPH_MATCH_H
#define GRAPH_MATCH_H

#include "graph/effect.h"
#include "graph/present.h"
#include "graph/program.h"

#define FAILED_NODE (NO_NUMBER - 1) /* the result of arithmetic that fails */
#define GONE_NODE (NO_NUMBER - 2)   /* what a variable of a control program had: it is in no graph */

struct matcher {
    struct universe *universe;
    const struct present *present;
    const struct program *program; /* of the rule that is being matched */
    numbers image;                 /* by binding */
    numbers root, events;          /* the bindings of the root; applications of levels below */
    numbers key;
    numbers order;     /* scratch: where events begin */
    uint64_t *visited; /* scratch of paths: a bit for each state and place */
    size_t visited_words;
    struct effect effect; /* scratch, for what would be left dangling */
    bool out_of_memory;   /* or a limit was reached */
    bool only_root;       /* found() is called with the bindings of the root, and nothing below it is looked for */
    bool is_hopeless;     /* something forbids a match of the root, whatever else were there */
    bool (*found)(void *user, const uint32_t *key, size_t length);
    void *user;
};

/* Appends applications of levels below the root to a key, in increasing order and each once; order is scratch.  False
 * when memory is exhausted. */
bool append_events(const struct program *program, const numbers *events, numbers *order, numbers *key);

/* It has no memory yet. */
void matcher_make(struct matcher *matcher, struct universe *universe, const struct present *present);
void matcher_clear(struct matcher *matcher);

/* Calls found() for every application; one may come several times.  found() returns false to stop.  given, which may be
 * NULL, has an image or NO_NUMBER for each node of the rule: parameters that are bound before.  False when memory is
 * exhausted. */
bool match_rule(struct matcher *matcher, const struct program *program, const uint32_t *given);
/* The same where all of these bindings are given that are not NO_NUMBER. */
bool match_rule_at(struct matcher *matcher, const struct program *program, const uint32_t *bindings);
/* The same along another plan for the root. */
bool match_rule_from(struct matcher *matcher, const struct program *program, const search_plan *plan,
                     const uint32_t *given);

#endif
