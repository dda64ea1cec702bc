/* SPDX-License-Identifier: Apache-2.0 */
/* GROOVE grammars: docs/groove.md says what is read and what is refused. */
#ifndef FRONT_GROOVE_GROOVE_H
#define FRONT_GROOVE_GROOVE_H

#include "graph/grammar.h"

/* The path is a directory NAME.gps, or a start graph in it, NAME.gps/GRAPH.gst.  start: names of start graphs separated
 * by spaces, which are one graph side by side; NULL: as the grammar says.  The caller owns the grammar. */
enum portolan_status groove_read(const char *path, const char *start, struct grammar **grammar,
                                 struct portolan_error *error);
/* The same with all other host graphs of the directory, unless one is asked for. */
enum portolan_status groove_read_all(const char *path, const char *start, struct grammar **grammar,
                                     struct portolan_error *error);

/* One graph from memory, as the only part of a grammar; file is for messages. */
enum groove_part { GROOVE_HOST, GROOVE_RULE, GROOVE_TYPES };
enum portolan_status groove_parse(enum groove_part part, const char *text, size_t length, const char *file,
                                  struct grammar **grammar, struct portolan_error *error);

#endif
