/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean ...?": the known name that looks most like a given one. */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *name;
    size_t length;
    size_t limit;     /* a better one must be at most this far away */
    const char *best; /* NULL when none comes close */
};

/* Begins a comparison with name, which must outlive it. */
struct nearest nearest_to(const char *name);
/* Offers a known name; NULL is ignored. */
void nearest_offer(struct nearest *nearest, const char *known);

#endif
