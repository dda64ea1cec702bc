/* SPDX-License-Identifier: Apache-2.0 */
/* Graph grammars as text, .gg files: docs/graphs.md has the language. */
#ifndef FRONT_GRAMMAR_GRAMMAR_TEXT_H
#define FRONT_GRAMMAR_GRAMMAR_TEXT_H

#include "graph/grammar.h"

#include <stdio.h>

/* start: the name of the start graph; NULL is the first one.  The caller owns the grammar. */
enum portolan_status gg_read(const char *path, const char *start, struct grammar **grammar,
                             struct portolan_error *error);
/* The same from memory; file is for messages. */
enum portolan_status gg_parse(const char *text, size_t length, const char *file, const char *start,
                              struct grammar **grammar, struct portolan_error *error);

/* Writes a grammar as text.  PORTOLAN_REFUSED: the text has no words for something in it. */
enum portolan_status gg_write(const struct grammar *grammar, FILE *out, struct portolan_error *error);

#endif
