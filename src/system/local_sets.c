/* SPDX-License-Identifier: Apache-2.0 */
#include "system/local_sets.h"

#include "base/lists.h"

uint32_t local_number(const struct portolan_relations *r, const uint32_t *transitions, uint32_t count,
                      const bool *visible)
{
    uint32_t number = r && r->local && count ? r->local[transitions[0]] : UINT32_MAX;
    for (uint32_t i = 0; number != UINT32_MAX && i < count; i++)
        if (r->local[transitions[i]] != number)
            return UINT32_MAX;
    if (number == UINT32_MAX || !visible)
        return number;
    for (uint32_t t = 0; t < r->transitions; t++)
        if (r->local[t] == number && visible[t])
            return UINT32_MAX;
    for_list (t, r->local_beside, number)
        if (visible[*t])
            return UINT32_MAX;
    return number;
}
