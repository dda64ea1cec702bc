/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures by dot, of Graphviz. */
#ifndef REPORT_DOT_H
#define REPORT_DOT_H

#include "portolan/portolan.h"

#include <stdio.h>

/* Has dot draw the graphs in a file that can be read from its beginning; what it prints is to be freed. */
enum portolan_status dot_draw(FILE *statements, char **drawn, struct portolan_error *error);

struct drawing {
    const char *body, *end;                      /* behind <svg ...>, and </svg> */
    double width, height, left, top, wide, high; /* in points; the view box */
};

/* The next picture in what dot has printed; false when there is none. */
bool next_drawing(const char **text, struct drawing *drawing);

#endif
