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
