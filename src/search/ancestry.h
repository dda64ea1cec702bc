/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where states came from, for stores that forget states: of each state that is still to be expanded, or has such states
 * behind it, the action that led to it and what came before.  What nothing leads on from is given up at once, by
 * counting references, so a breadth-first search keeps little more than the ancestors of its present level.
 */
#ifndef SEARCH_ANCESTRY_H
#define SEARCH_ANCESTRY_H

#include "search/search.h"

enum { NO_ANCESTOR = UINT32_MAX }; /* the parent of the initial state */

struct ancestry;

struct ancestry *ancestry_new(uint32_t workers);
/* Accepts NULL. */
void ancestry_free(struct ancestry *ancestry);
size_t ancestry_bytes(const struct ancestry *ancestry);

/* A worker begins to expand a state that came so; each new state that it finds has one more reference to *mine, which
 * is made for the first.  False when memory ran out. */
bool ancestry_found(struct ancestry *ancestry, uint32_t worker, struct descent arrival, uint32_t *mine);
/* It has expanded it. */
void ancestry_done(struct ancestry *ancestry, uint32_t worker, struct descent arrival, uint32_t mine);
/* The actions that led to a state; the length, or SIZE_MAX when memory ran out. */
size_t ancestry_path(const struct ancestry *ancestry, struct descent arrival, uint32_t **actions);

#endif
