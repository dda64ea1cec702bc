/* SPDX-License-Identifier: Apache-2.0 */
/* Takes that fail, after which a thread only looks until it tries again: no steps. */
#ifndef NATIVE_RETRIES_H
#define NATIVE_RETRIES_H

#include "native/threads.h"

/* A search begins: what was found about values is forgotten. */
void retries_reset(void);
/* The thread is in a loop and about to take what it finds to have a value, which is asked about for all.  Does it fail
 * then, and would only come back to where it has been? */
bool retries_in_vain(const struct pending *operation, uint64_t value);

#endif
