/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a grammar: those in a subdirectory a have names that begin with "a.". */
#ifndef FRONT_GROOVE_DIRECTORY_H
#define FRONT_GROOVE_DIRECTORY_H

#include "front/groove/reading.h"

struct member {
    const char *path;
    const char *name;      /* qualified, without the extension */
    const char *extension; /* "gst", "gpr", "gty", "gcp" */
};

struct directory {
    const char *path;              /* of the .gps */
    const char *name;              /* without its extension */
    VECTOR(struct member) members; /* in the order of their names */
};

/* A path to the directory, or to a start graph in it, whose name *start then is.  directory_clear is due also after a
 * failure; texts live in the scratch arena. */
bool directory_open(struct reading *reading, struct directory *directory, const char *path, const char **start);
void directory_clear(struct directory *directory);

/* The path of a file in it; NULL when memory is exhausted. */
const char *directory_file(struct reading *reading, const struct directory *directory, const char *name);

#endif
