/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a grammar, each from its graph or text. */
#ifndef FRONT_GROOVE_PARTS_H
#define FRONT_GROOVE_PARTS_H

#include "front/groove/aspects.h"

/* A constant: 3, -1.5, true, "a".  Without a sort it is told from the text.  False: it is none, without an error. */
bool constant_parse(struct reading *reading, const char *text, enum sort sort, struct value *value);
/* The same as a number of grammar.values, or the error. */
bool constant_number(struct reading *reading, const struct file *file, struct place at, const char *text,
                     enum sort sort, uint32_t *number);

/* Adds a graph to reading->host. */
bool host_add(struct reading *reading, const struct gxl *gxl);
/* Adds a type graph to the types of the grammar. */
bool types_add(struct reading *reading, const struct gxl *gxl);
/* Adds a rule; the priority is the one in its file name. */
bool rule_add(struct reading *reading, const struct gxl *gxl, const char *name, int64_t priority);

/* With parallelEdges=DPO, after all else but control: every edge becomes a node. */
bool split_parallel_edges(struct reading *reading);

/* Has the type graph such an edge between these types, of which NO_NUMBER stands for any? */
bool is_edge_allowed(const struct grammar *grammar, uint32_t from, uint32_t label, uint32_t to);

/* The label of a sort in a type graph. */
uint32_t sort_label(struct grammar *grammar, enum sort sort);

#endif
