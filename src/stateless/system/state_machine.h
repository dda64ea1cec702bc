/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of a system with the footprint view: it keeps the states of the present execution on a stack. */
#ifndef STATELESS_SYSTEM_STATE_MACHINE_H
#define STATELESS_SYSTEM_STATE_MACHINE_H

#include "stateless/machine.h"

/* NULL when memory is short.  Steps by actions that are visible (NULL: none is) have to keep their order. */
struct machine *state_machine_make(struct portolan_system *system, const bool *visible);
/* The state at a depth of the present execution. */
const void *state_machine_state(const struct machine *machine, size_t depth);
/* The size of a state as it is stored. */
size_t state_machine_key_bytes(const struct machine *machine);

#endif
