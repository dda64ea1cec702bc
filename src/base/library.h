/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries that are loaded when something needs them, and not before: a search that reads no XML and serves no pages
 * does not pay for what does, in time or in memory.
 *
 *     #define LIBFOO_FUNCTIONS(X) X(foo_open) X(foo_close)
 *     struct libfoo { LIBFOO_FUNCTIONS(LIBRARY_POINTER) };
 *     extern struct libfoo libfoo;
 *
 *     if (libfoo_load(error)) libfoo.foo_open(...);
 *
 * The library is looked for by the name that programs linked with it have in them, so its version is the one whose
 * header was read.  Where no such name is known to the build (FILE is not defined) the functions are linked.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include "portolan/portolan.h"

#include <stddef.h>

#define LIBRARY_POINTER(function) __typeof__(function) *function;
#define LIBRARY_NAME(function) #function,
#define LIBRARY_LINKED(function) .function = function,

struct library {
    const char *file;         /* NULL: it is linked */
    const char *what;         /* who needs it, for messages: "reading XML" */
    const char *package;      /* of Debian, for the same */
    const char *const *names; /* of functions */
    size_t count;
    void *functions; /* a struct of as many pointers, in this order */
    void *handle;    /* NULL: not loaded */
};

/* Loads it, unless that was done before; several threads may ask at once. */
bool library_load(struct library *library, struct portolan_error *error);
/* What it takes is given back; it is loaded again when it is needed.  Nobody may be using it. */
void library_unload(struct library *library);

#endif
