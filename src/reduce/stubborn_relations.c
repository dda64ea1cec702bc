/* What stubborn sets need of the relations view, laid out once per system. */
#include "reduce/stubborn.h"

#include "base/bits.h"

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
        for_list(g, r->guards_of, u) for_list(t, r->disablers, *g)
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

static void add_conflict(const struct portolan_relations *r, uint64_t *rows, uint32_t t, uint32_t u)
{
    size_t words = bit_words(r->transitions);
    if (t == u || bit_get(rows + t * words, u) || never_together(r, t, u))
        return;
    bit_set(rows + t * words, u);
    bit_set(rows + u * words, t);
}

/* A pair comes about through many guards, so rows of bits are faster than a list to be sorted. */
bool stubborn_conflicts(const struct portolan_relations *r, struct portolan_lists *lists)
{
    struct lists_builder conflicts = {0};
    size_t words = bit_words(r->transitions);
    uint64_t *rows = calloc(r->transitions * words + 1, sizeof *rows);
    conflicts.failed = !rows;
    for (uint32_t t = 0; rows && t < r->transitions; t++) {
        for_list(g, r->guards_of, t) for_list(u, r->disablers, *g) add_conflict(r, rows, t, *u);
        for_list(u, r->not_commuting, t) add_conflict(r, rows, t, *u);
    }
    for (uint32_t t = 0; rows && t < r->transitions; t++)
        for (size_t w = 0; w < words; w++) {
            uint32_t u;
            for_bits(u, rows[t * words + w], w) lists_add(&conflicts, t, u);
        }
    free(rows);
    return lists_finish(&conflicts, r->transitions, lists);
}

static bool only_member(const struct portolan_lists *lists, uint32_t list, uint32_t t)
{
    uint32_t length = list_length(lists, list);
    return length == 0 || (length == 1 && lists->item[lists->offset[list]] == t);
}

/* Large systems: conflicts by way of guards, so that their number stays that of the relations themselves. */
static void add_by_guards(const struct portolan_stubborn *s, struct lists_builder *conflicts)
{
    const struct portolan_relations *r = s->relations;
    for (uint32_t t = 0; t < r->transitions; t++) {
        for_list(g, r->guards_of, t) if (!only_member(&r->disablers, *g, t))
            lists_add(conflicts, t, stubborn_disablers_node(s, *g));
        for_list(g, s->may_disable, t) if (!only_member(&s->users, *g, t))
            lists_add(conflicts, t, stubborn_users_node(s, *g));
        for_list(u, r->not_commuting, t) lists_add(conflicts, t, *u);
    }
}

/* A visible transition needs the node of all visible ones. */
static bool add_visible(struct portolan_stubborn *s, const bool *visible, struct lists_builder *conflicts)
{
    uint32_t n = s->relations->transitions, count = 0;
    s->visible = calloc((size_t)n + 1, sizeof *s->visible);
    if (!s->visible)
        return false;
    for (uint32_t t = 0; t < n; t++)
        if (visible[t])
            s->visible[count++] = t;
    s->visible_count = count;
    for (uint32_t i = 0; count > 1 && i < count; i++)
        lists_add(conflicts, s->visible[i], stubborn_visible_node(s));
    return true;
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
            for_list(g, s->may_enable, t) for_list(u, s->users, *g) if (s->rank[*u] == UINT32_MAX)
            {
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
    if (!lists_transpose(&r->guards_of, r->transitions, r->guards, &s->users) ||
        !lists_transpose(&r->enablers, r->guards, r->transitions, &s->may_enable) ||
        !lists_transpose(&r->disablers, r->guards, r->transitions, &s->may_disable) || !rank_transitions(s))
        return false;
    struct lists_builder conflicts = {0}, overrides = {0};
    if (s->pairwise) {
        add_disabled(r, &conflicts, &overrides);
        add_not_commuting(r, &conflicts, &overrides);
    } else {
        add_by_guards(s, &conflicts);
    }
    if (visible && !add_visible(s, visible, &conflicts))
        conflicts.failed = true;
    bool fine = lists_finish(&conflicts, r->transitions, &s->conflicts);
    for (uint32_t t = 0; fine && t < r->transitions; t++)
        s->has_singles |= list_length(&s->conflicts, t) == 0;
    return lists_finish(&overrides, r->transitions, &s->overrides) && fine;
}
