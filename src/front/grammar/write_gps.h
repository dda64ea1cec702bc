/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a grammar as GROOVE's directory of XML files. */
#ifndef FRONT_GRAMMAR_WRITE_GPS_H
#define FRONT_GRAMMAR_WRITE_GPS_H

#include "graph/grammar.h"

#include <stdio.h>

/* Writes the directory, which must not exist yet: whole, or not at all.  PORTOLAN_REFUSED: the format has no words for
 * something in the grammar. */
enum portolan_status gps_write(const struct grammar *grammar, const char *path, struct portolan_error *error);

/* ------------------------------------------------------------------ shared by the files of this writer */

struct gps_writer {
    const struct grammar *grammar;
    const char *directory; /* where it is written before it gets its name */
    FILE *out;             /* the present file */
    struct portolan_error *error;
    enum portolan_status status; /* the first failure sticks */
};

enum portolan_status gps_refuse(struct gps_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text with < > & " as XML has them. */
void gps_text(struct gps_writer *w, const char *text);
void gps_node(struct gps_writer *w, const char *prefix, uint32_t number);
/* An edge whose label is put together from the pieces behind its ends, the last of which is NULL. */
#define gps_edge(w, from_prefix, from, to_prefix, to, ...)                                                             \
    gps_edge_of(w, from_prefix, from, to_prefix, to, (const char *const[]){__VA_ARGS__})
void gps_edge_of(struct gps_writer *w, const char *from_prefix, uint32_t from, const char *to_prefix, uint32_t to,
                 const char *const *pieces);
/* "int:3" into text; a text that is too long is refused. */
const char *gps_value(struct gps_writer *w, uint32_t value, char *text, size_t size);
enum portolan_status gps_write_rule(struct gps_writer *w, const struct rule *rule);

#endif
