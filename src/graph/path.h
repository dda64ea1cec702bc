/* SPDX-License-Identifier: Apache-2.0 */
/* Regular paths: the nodes that a path leads to from one of its ends. */
#ifndef GRAPH_PATH_H
#define GRAPH_PATH_H

#include "graph/match.h"

struct path_walk {
    struct matcher *matcher;
    const struct rule *rule;
    const struct path *path;
    bool backwards; /* from the last node to the first */
    numbers reached;
};

/* Appends every node that is reached, each once; false when memory is exhausted. */
bool path_reach(struct path_walk *walk, uint32_t node);

#endif
