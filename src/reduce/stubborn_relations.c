/* What stubborn sets need of the relations view, laid out once per system. */
#include "reduce/stubborn.h"

#include <stdlib.h>
#include <string.h>

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

/* Breadth-first from the transitions enabled initially; what is never reached comes last. */
static bool rank_transitions(struct portolan_stubborn *s)
{
    const struct portolan_system *system = s->system;
    uint32_t n = s->relations->transitions, first = 0, last;
    unsigned char *state = malloc(system->state_bytes);
    uint32_t *queue = calloc((size_t)n + 1, sizeof *queue);
    s->rank = malloc(((size_t)n + 1) * sizeof *s->rank);
    if (state && queue && s->rank) {
        memset(s->rank, 0xff, ((size_t)n + 1) * sizeof *s->rank);
        system->initial(system->model, state);
        last = system->enabled(system->model, state, queue);
        for (uint32_t i = 0; i < last; i++)
            s->rank[queue[i]] = 0;
        while (first < last) {
            uint32_t t = queue[first++];
            for_list(g, s->may_enable, t)
                for_list(u, s->users, *g)
                    if (s->rank[*u] == UINT32_MAX) {
                        s->rank[*u] = s->rank[t] + 1;
                        queue[last++] = *u;
                    }
        }
    }
    bool fine = state && queue && s->rank;
    free(state);
    free(queue);
    return fine;
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
           lists_transpose(&r->disablers, r->guards, r->transitions, &s->may_disable) && rank_transitions(s);
}
