/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every combination that there is of a reduction with its options, a proviso and a search: one table for `portolan
 * compare` and for every tester, made from the tables of the parts.
 */
#ifndef SEARCH_VARIANTS_H
#define SEARCH_VARIANTS_H

#include "search/search.h"

struct variant {
    /* as the options of a search name them */
    const char *reduction, *proviso, *search;
    const struct reduction_class *reduction_class; /* NULL: of the stateless search, which has a method instead */
    const struct method *method;
    const struct proviso_class *proviso_class;
    const struct search_class *search_class;
    bool is_shown; /* by compare; the others differ from one that is in how they compute, not in what */
};

/* Goes through all of them, those of one reduction together, unreduced ones first; start with {0}. */
struct variant_cursor {
    size_t reduction, option, proviso, search, method;
};

/* The next one for properties of states, or of runs; false at the end. */
bool variant_next(struct variant_cursor *cursor, bool temporal, struct variant *variant);
/* Does the table of src/soundness allow it for what is asked?  Weak sets are only known to be weak when they are made.
 */
bool variant_is_sound(const struct variant *variant, const struct portolan_system *system,
                      const struct portolan_options *options);

#endif
