/* SPDX-License-Identifier: Apache-2.0 */
/* What keeps a grammar from having a view, or a list of its applications. */
#ifndef GRAPH_OBSTACLE_H
#define GRAPH_OBSTACLE_H

#include "graph/grammar.h"

struct obstacle {
    const char *reason;      /* NULL: there is none; of a rule the rest of a sentence: "has quantifiers" */
    const struct rule *rule; /* NULL: it is the grammar as a whole */
    unsigned line, column;   /* in the rule's file; 0: where the rule begins */
};

/* Appends the obstacle to the message of an error and says where it is. */
void obstacle_tell(const struct obstacle *obstacle, struct portolan_error *error);

#endif
