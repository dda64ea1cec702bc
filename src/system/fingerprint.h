/* SPDX-License-Identifier: Apache-2.0 */
/* Is this the same model, and is the same asked of it?  For what is written in one run and read in another. */
#ifndef SYSTEM_FINGERPRINT_H
#define SYSTEM_FINGERPRINT_H

#include "portolan/portolan.h"

/* A number made of the names and sizes of a system, its first state, and what happens on some ways from there; and of
 * those options that decide what is explored, with the names of the parts chosen. */
uint64_t fingerprint(const struct portolan_system *system, const struct portolan_options *options,
                     const struct portolan_result *chosen);
/* The same of any bytes, beginning with a number. */
uint64_t fingerprint_add(uint64_t number, const void *bytes, size_t count);

#endif
