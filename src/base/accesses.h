/* SPDX-License-Identifier: Apache-2.0 */
/* When steps depend on each other, by what they touch. */
#ifndef BASE_ACCESSES_H
#define BASE_ACCESSES_H

#include "portolan/portolan.h"

static inline bool access_conflicts(const struct portolan_access *a, const struct portolan_access *b)
{
    return a->object == b->object && (a->writes || b->writes) && !(a->group && a->group == b->group);
}

/* Do two steps of different agents have to keep their order? */
static inline bool accesses_conflict(const struct portolan_access *a, uint32_t a_count, const struct portolan_access *b,
                                     uint32_t b_count)
{
    for (uint32_t i = 0; i < a_count; i++)
        for (uint32_t j = 0; j < b_count; j++)
            if (access_conflicts(&a[i], &b[j]))
                return true;
    return false;
}

#endif
