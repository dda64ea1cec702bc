/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For stores that forget states: those of a breadth-first search that are still to be expanded, and how they and their
 * ancestors were found.
 *
 * States stand in blocks, each as what is different from the one before: states that are found one after another have
 * most in common.  A block's states are given up when it has been expanded.  What stays is the origin of each: the
 * action that led to it, and how far behind the last one's parent its own comes in the order of all, mostly not at all
 * or by one.  So a state takes some two bytes from then on, until nothing that is still to be expanded descends from
 * it: when origins have grown by a quarter those are left out, and the others numbered anew.
 *
 * A worker fills blocks of its own; it takes those of the present level in order, which is why parents never go back.
 */
#ifndef SEARCH_FRONTIER_H
#define SEARCH_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frontier;
struct spill;

struct frontier *frontier_new(uint32_t workers, size_t key_bytes);
/* Accepts NULL. */
void frontier_free(struct frontier *frontier);
/* Of an empty one: states are kept in a file from now on. */
void frontier_spill(struct frontier *frontier, struct spill *spill);
size_t frontier_bytes(const struct frontier *frontier);

/* A state of the next level, found by an action from the one that the worker has taken; the first of all has no parent.
 * False when memory ran out. */
bool frontier_add(struct frontier *frontier, uint32_t worker, const unsigned char *key, uint32_t action);
/* The next level becomes the present one, while nobody else uses it; *states: how many it has.  False when memory ran
 * out. */
bool frontier_turn(struct frontier *frontier, uint32_t *states);
/* Several workers take states of the present level: the next one's key, until the next call, and its number within the
 * level.  NULL: there is none left. */
const unsigned char *frontier_take(struct frontier *frontier, uint32_t worker, uint32_t *number);
/* The actions that led to the state that the worker has taken; the length, or SIZE_MAX when memory ran out. */
size_t frontier_path(const struct frontier *frontier, uint32_t worker, uint32_t **actions);

#endif
