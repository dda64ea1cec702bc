/* SPDX-License-Identifier: Apache-2.0 */
/* Random walks that may decide properties of states before a search does. */
#ifndef SEARCH_WALK_H
#define SEARCH_WALK_H

#include "search/search.h"

/* Walks until every property is decided or so many actions have been fired. */
void walk_about(struct explorer *explorer, uint64_t steps);

/* The search that is about to run is helped by walks now and then, with a part of its own effort: one that is soon over
 * does not wait for them. */
void walk_beside(struct explorer *explorer);

#endif
