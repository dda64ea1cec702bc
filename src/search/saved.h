/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search of states in a file, from which it can go on (checkpoint/archive.h).  It is written between two steps, when
 * everything is as it will be found again: the states in the order of their numbers, what the order of exploration and
 * the proviso remember, counters and answers.
 */
#ifndef SEARCH_SAVED_H
#define SEARCH_SAVED_H

#include "search/search.h"

/* May this search be written to a file, if that is asked for?  If not, why. */
enum portolan_status check_saving(const struct search *search, struct portolan_error *error);

/* Between two steps: writes the file when it is time, and when a limit ends the search. */
void save_between_steps(struct explorer *explorer);
/* Instead of the initial state: all that the file holds.  False when the search must end. */
bool resume_states(struct explorer *explorer);
/* Waits for the last file to be on the disk. */
void saving_waits(struct explorer *explorer);
/* The search is over: a file that nobody needs any more is removed. */
void saving_ends(struct explorer *explorer);

static inline bool is_saved(const struct search *search)
{
    return search->options->checkpoint != NULL;
}

#endif
