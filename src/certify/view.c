/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/view.h"

#include <string.h>

bool view_make(struct view *view, const struct portolan_system *system)
{
    const struct portolan_relations *r = system->relations;
    memset(view, 0, sizeof *view);
    if (!r || r->transitions != system->actions)
        return true;
    view->relations = r;
    if (lists_transpose(&r->guards_of, r->transitions, r->guards, &view->users) &&
        lists_transpose(&r->enablers, r->guards, r->transitions, &view->may_enable) &&
        lists_transpose(&r->disablers, r->guards, r->transitions, &view->may_disable))
        return true;
    view_clear(view);
    return false;
}

void view_clear(struct view *view)
{
    lists_clear(&view->users);
    lists_clear(&view->may_enable);
    lists_clear(&view->may_disable);
    memset(view, 0, sizeof *view);
}

bool view_never_together(const struct view *view, uint32_t t, uint32_t u)
{
    const struct portolan_lists *lists = &view->relations->never_together;
    if (!lists->offset)
        return false;
    uint32_t low = lists->offset[t], high = lists->offset[t + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lists->item[middle] == u)
            return true;
        if (lists->item[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

uint32_t view_local(const struct view *view, const uint32_t *transitions, uint32_t count, const bool *visible)
{
    const struct portolan_relations *r = view->relations;
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
