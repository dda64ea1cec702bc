/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors after which the search goes on: with --all each that is another one by its kind and places, and those that
 * --suppress asks not to be told of.
 */
#ifndef NATIVE_ERRORS_H
#define NATIVE_ERRORS_H

#include "native/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called once, before there are several processes; false when there is no memory. */
bool errors_make(void);
/* A search begins: what is counted begins anew, what was found stays. */
void errors_begin(void);
/* The present run has failed, in a schedule that is in `failing` (machine.h).  Does the search go on?  After a new
 * error it begins again, and passes it over from then on. */
bool errors_go_on(void);
/* Is this a race with which a run goes on?  May be called from contexts of the program. */
bool errors_pass_over(const struct failure *race);
/* If the present run has failed while this agent ran, and is to go on, it does so without the thread that failed. */
void errors_survive(uint32_t agent);
/* The search is over: the failure of its last run may be one of those. */
void errors_end(void);

/* With --all: how many there are, and the i-th becomes the failing execution, which is about to be run again; false
 * when memory is short. */
size_t errors_count(void);
bool errors_choose(size_t i);

#endif
