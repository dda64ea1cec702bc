/* SPDX-License-Identifier: Apache-2.0 */
/* States that are graphs, drawn: a trace as a page of pictures, and a state as statements for Graphviz. */
#ifndef REPORT_PICTURES_H
#define REPORT_PICTURES_H

#include "portolan/portolan.h"

#include <stdio.h>

/* Refuses a system without the graphs view. */
bool has_pictures(const struct portolan_system *system, struct portolan_error *error);

/* Writes the page: each state with what the next step finds, deletes, creates and forbids, then the last state, and
 * `end` (unless NULL) below.  HTML or, otherwise, SVG.  Runs dot, of Graphviz. */
enum portolan_status pictures_write(struct portolan_system *system, const uint32_t *actions, size_t count,
                                    const char *end, bool is_html, FILE *out, struct portolan_error *error);

/* The pictures of each state, as dot prints them (dot.h); the caller frees the text. */
enum portolan_status pictures_draw(struct portolan_system *system, const uint32_t *actions, size_t count, char **drawn,
                                   struct portolan_error *error);
/* The same of one state. */
enum portolan_status picture_draw(const struct portolan_system *system, const void *state, char **drawn,
                                  struct portolan_error *error);

/* The statements of dot for the graph of a state; the names of nodes begin with the prefix.  action: see
 * portolan_graphs.  False when memory is exhausted. */
bool picture_statements(const struct portolan_system *system, const void *state, uint32_t action, const char *prefix,
                        FILE *out);

#endif
