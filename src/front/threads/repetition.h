/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass over a program of the document: a repetition block <{n ... }> is
 * replaced by n copies of its text, in which $ is the number of the copy, from 0.
 */
#ifndef FRONT_THREADS_REPETITION_H
#define FRONT_THREADS_REPETITION_H

#include "base/lexer.h"

struct piece {
    size_t start;    /* in the expanded text */
    size_t original; /* where it came from */
};

struct expansion {
    const char *file;
    const char *original;
    size_t original_length;
    VECTOR(char) text;
    VECTOR(struct piece) pieces;
};

/* The file name and the text must outlive the expansion. */
enum portolan_status expansion_new(struct expansion *expansion, const char *file, const char *text, size_t length,
                                   struct portolan_error *error);
void expansion_clear(struct expansion *expansion);

/* The line of the original from which a place of the expanded text came. */
unsigned expansion_line(const struct expansion *expansion, const struct position *at);
/* An error in the expanded text becomes one in the original. */
void expansion_relocate(const struct expansion *expansion, struct portolan_error *error);

#endif
