/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a thread that has stopped. */
#ifndef NATIVE_LANDING_H
#define NATIVE_LANDING_H

#include "native/threads.h"

/* All that decides what the thread does next, apart from what its operation gives it. */
uint64_t local_state(struct thread *thread);

#endif
