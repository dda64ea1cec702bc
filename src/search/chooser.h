/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search would explore in a state, without a search: the combination is chosen, or refused, as a search with
 * these options would; sets depend on the state alone.  What a proviso would ask for in addition depends on the states
 * that a search has seen, so nothing is said of that.
 */
#ifndef SEARCH_CHOOSER_H
#define SEARCH_CHOOSER_H

#include "reduce/explain.h"

struct chooser;

/* The system and the options, with their properties, must outlive it.  Methods that choose by what has been done
 * before, not by the state (probe sets, stateless ones), are refused. */
enum portolan_status chooser_new(struct portolan_system *system, const struct portolan_options *options,
                                 struct chooser **chooser, struct portolan_error *error);
/* Accepts NULL. */
void chooser_free(struct chooser *chooser);

/* "stubborn:goal", say; lives as long as the chooser. */
const char *chooser_name(const struct chooser *chooser);
/* Would it be asked whether the set is enough, in a search? */
const char *chooser_proviso(const struct chooser *chooser);

/* Writes which of the enabled actions would be explored, as indexes; *count of them.  `chosen` has room for all. */
enum portolan_status chooser_choose(struct chooser *chooser, const void *state, const uint32_t *enabled,
                                    uint32_t enabled_count, uint32_t *chosen, uint32_t *count,
                                    struct portolan_error *error);
/* The same, and why: nothing when all are explored or the system has no relations. */
enum portolan_status chooser_explain(struct chooser *chooser, const void *state, const uint32_t *enabled,
                                     uint32_t enabled_count, uint32_t *chosen, uint32_t *count,
                                     struct set_explanation *explanation, struct portolan_error *error);
/* Why a set that a search has explored is one: nothing when it is all of them. */
enum portolan_status chooser_justify(struct chooser *chooser, const void *state, const uint32_t *enabled,
                                     uint32_t enabled_count, const uint32_t *chosen, uint32_t count,
                                     struct set_explanation *explanation, struct portolan_error *error);

#endif
