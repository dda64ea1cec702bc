/* SPDX-License-Identifier: Apache-2.0 */
/* The graphs view: states as graphs, and what an application of a rule finds, deletes, creates and forbids there. */
#ifndef GRAPH_PICTURES_H
#define GRAPH_PICTURES_H

#include <portolan/portolan.h>

/* Of a system of graph_system_new. */
extern const struct portolan_graphs graph_pictures;
/* The same, where a state stands for all isomorphic graphs. */
extern const struct portolan_graphs graph_pictures_of_classes;

#endif
