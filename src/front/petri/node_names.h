/* SPDX-License-Identifier: Apache-2.0 */
/* By which names the places, or the transitions, of a net are found and shown. */
#ifndef FRONT_PETRI_NODE_NAMES_H
#define FRONT_PETRI_NODE_NAMES_H

#include "base/name_index.h"

struct node_names {
    char **ids, **names;        /* of the net; a name is NULL when it is the id */
    struct name_index *index;   /* ids, and names that only one node has and that are no node's id */
    struct name_index *doubted; /* the other names */
    size_t count, doubted_count;
};

/* False when memory ran out; clear it all the same.  ids and names must outlive it. */
bool node_names_make(struct node_names *n, char **ids, char **names, uint32_t count);
void node_names_clear(struct node_names *n);

/* Ids win over names.  "id:X" finds the node with the id X, unless something else is called that. */
bool node_names_find(const struct node_names *n, const char *name, uint32_t *number);
/* Do several nodes have the name, or one the name and another the id?  `advice` then tells what to write instead. */
bool node_names_doubt(const struct node_names *n, const char *name, char *advice, size_t size);
/* The name when it finds its node again and fits on a line, the id otherwise. */
const char *node_names_show(const struct node_names *n, uint32_t number);

#endif
