/* SPDX-License-Identifier: Apache-2.0 */
/* What fits together: from the names in the options to the parts of a search, or a refusal. */
#ifndef SEARCH_COMBINATION_H
#define SEARCH_COMBINATION_H

#include "search/search.h"

struct method;

/* NULL when there is none of that name. */
const struct search_class *search_find(const char *name);

/* The traits that the table of src/soundness speaks of. */
unsigned traits_of_reduction(const struct reduction_class *reduction, const char *reduction_options);
unsigned traits_of_proviso(const struct proviso_class *proviso);
unsigned traits_of_search(const struct search_class *search);

/* Fills in the classes from the options and the properties, or refuses. */
enum portolan_status choose_combination(struct search *search, const char **reduction_options,
                                        struct portolan_error *error);
/* Whether sets are weak is known when the reduction has been made: refuses what they do not go with. */
enum portolan_status check_weak_sets(const struct search *search, struct portolan_error *error);

/* Do they ask for a store that forgets states? */
bool store_forgets(const struct portolan_options *options);
/* Do the options ask for a search that stores no states? */
bool wants_executions(const struct portolan_options *options);
/* Is something asked for by name that needs a view which the system lacks? */
bool lacks_view(const struct portolan_system *system, const struct portolan_options *options);
/* For every state, by name? */
bool wants_full_exploration(const struct portolan_options *options);
/* For a search that is for formulas only? */
bool wants_runs(const struct portolan_options *options);
/* The method of such a search, or a refusal. */
enum portolan_status choose_method(const struct portolan_system *system, const struct portolan_options *options,
                                   const struct method **method, struct portolan_error *error);

#endif
