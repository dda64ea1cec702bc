/* SPDX-License-Identifier: Apache-2.0 */
/* The methods for systems: those for every machine, and those that need states. */
#ifndef STATELESS_SYSTEM_METHODS_H
#define STATELESS_SYSTEM_METHODS_H

#include "stateless/worker.h"

/* Ended by NULL. */
extern const struct method *const system_methods[];
extern const struct method method_lazy_printed, method_lazy_printed_stateful; /* lazy_printed.c */

#endif
