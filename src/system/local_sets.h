/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of which the relations say that they concern nobody else: see struct portolan_relations. */
#ifndef SYSTEM_LOCAL_SETS_H
#define SYSTEM_LOCAL_SETS_H

#include "portolan/portolan.h"

/* The number that these transitions share, if what is enabled of it is a set by itself; UINT32_MAX: none.  The
 * relations and visible may be NULL. */
uint32_t local_number(const struct portolan_relations *relations, const uint32_t *transitions, uint32_t count,
                      const bool *visible);

#endif
