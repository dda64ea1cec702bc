/* What stubborn sets need of the relations view, laid out once per system. */
#include "reduce/stubborn.h"

#include <stdlib.h>

static bool never_together(const struct portolan_relations *r, uint32_t t, uint32_t u)
{
    if (!r->never_together.offset)
        return false;
    uint32_t low = r->never_together.offset[t], high = r->never_together.offset[t + 1], end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (r->never_together.item[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && r->never_together.item[low] == u;
}

/* Pairs (t, u) such that t may disable u, through a guard of u. */
static void add_disabled(const struct portolan_relations *r, struct lists_builder *conflicts,
                         struct lists_builder *overrides)
{
    for (uint32_t u = 0; u < r->transitions; u++)
        for_list(g, r->guards_of, u)
            for_list(t, r->disablers, *g)
            {
                if (*t == u || never_together(r, *t, u))
                    continue;
                lists_add(overrides, *t, u);
                lists_add(conflicts, *t, u);
                lists_add(conflicts, u, *t);
            }
}

static void add_not_commuting(const struct portolan_relations *r, struct lists_builder *conflicts,
                              struct lists_builder *overrides)
{
    for (uint32_t t = 0; t < r->transitions; t++)
        for_list(u, r->not_commuting, t)
        {
            if (*u == t || never_together(r, t, *u))
                continue;
            lists_add(overrides, t, *u);
            lists_add(conflicts, t, *u);
        }
}

static void add_visible(const struct portolan_relations *r, const bool *visible, struct lists_builder *conflicts,
                        struct lists_builder *overrides)
{
    for (uint32_t t = 0; t < r->transitions; t++)
        for (uint32_t u = 0; visible[t] && u < r->transitions; u++)
            if (visible[u] && t != u) {
                lists_add(overrides, t, u);
                lists_add(conflicts, t, u);
            }
}

bool stubborn_prepare(struct portolan_stubborn *s, const bool *visible)
{
    const struct portolan_relations *r = s->relations;
    struct lists_builder conflicts = {0}, overrides = {0};
    add_disabled(r, &conflicts, &overrides);
    add_not_commuting(r, &conflicts, &overrides);
    if (visible)
        add_visible(r, visible, &conflicts, &overrides);
    bool fine = lists_finish(&conflicts, r->transitions, &s->conflicts);
    fine = lists_finish(&overrides, r->transitions, &s->overrides) && fine;
    return fine && lists_transpose(&s->overrides, r->transitions, r->transitions, &s->overriders) &&
           lists_transpose(&s->conflicts, r->transitions, r->transitions, &s->conflicted) &&
           lists_transpose(&r->guards_of, r->transitions, r->guards, &s->users) &&
           lists_transpose(&r->enablers, r->guards, r->transitions, &s->may_enable) &&
           lists_transpose(&r->disablers, r->guards, r->transitions, &s->may_disable);
}
