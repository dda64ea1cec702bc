/* SPDX-License-Identifier: Apache-2.0 */
/* A search of a simplified net, with answers about the original one. */
#ifndef SIMPLIFY_SEARCH_H
#define SIMPLIFY_SEARCH_H

#include "simplify/simplify.h"

struct simplify_report {
    bool used;     /* the answers are not those of a search of the net as it is */
    bool changed;  /* some rule was used */
    bool searched; /* some property had to be searched for */
    uint32_t places, transitions, small_places, small_transitions;
    uint32_t fired[SIMPLIFY_RULES]; /* how often each rule was used */
};

/* "41 places, 30 transitions -> 5, 4 (2 post-agglomerations)" */
void simplify_report_text(const struct simplify_report *report, char *text, size_t size);

/* What a certificate says of the simplification; to be zeroed but for `again`. */
struct simplify_proof {
    void (*again)(void *user); /* what has been recorded of a search is to be forgotten: another one begins */
    void *user;
    char *text;                     /* its lines; NULL: the net was searched as it is */
    struct portolan_system *system; /* of the small net: what was searched */
    bool *open;                     /* per property: the search shows it, not the structure */
};

void simplify_proof_clear(struct simplify_proof *proof);

/*
 * As search_system, which it calls for what the structure of the net does not decide; systems and requests that cannot
 * be simplified are handed to it as they are, and report->used is false.  Traces are those of the system that is given.
 * think_first: everything that the structure may decide is tried before any search, for tests.  proof may be NULL.
 */
enum portolan_status search_simplified(struct portolan_system *system, const struct portolan_options *options,
                                       bool think_first, struct simplify_report *report, struct simplify_proof *proof,
                                       struct portolan_result *result, struct portolan_error *error);

#endif
