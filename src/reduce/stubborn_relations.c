/* SPDX-License-Identifier: Apache-2.0 */
/* What stubborn sets need of the relations view, laid out once per system. */
#include "reduce/stubborn.h"

#include "base/bits.h"
#include "base/limits.h"

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

static void add_override(const struct portolan_stubborn *s, uint64_t *rows, uint32_t t, uint32_t u)
{
    const struct portolan_relations *r = s->relations;
    uint64_t *row = rows + t * bit_words(r->transitions);
    if (t != u && !s->idle[t] && !s->idle[u] && !bit_get(row, u) && !never_together(r, t, u))
        bit_set(row, u);
}

/* Rows of bits: t may disable u, through a guard of u, or does not commute with it.  A pair comes about through many
 * guards, so they are faster than lists to be sorted, and smaller.  NULL when memory is short. */
static uint64_t *override_rows(const struct portolan_stubborn *s)
{
    const struct portolan_relations *r = s->relations;
    size_t size = r->transitions * bit_words(r->transitions) + 1;
    uint64_t *rows = limits_allow(size * sizeof *rows) ? calloc(size, sizeof *rows) : NULL;
    for (uint32_t u = 0; rows && u < r->transitions; u++) {
        for_list (g, r->guards_of, u)
            for_list (t, r->disablers, *g)
                add_override(s, rows, *t, u);
        for_list (t, r->not_commuting, u)
            add_override(s, rows, u, *t);
        if (limits_reached()) {
            free(rows);
            rows = NULL;
        }
    }
    return rows;
}

/* Makes the rows symmetric: a conflict is one in both directions. */
static void add_converse(uint64_t *rows, uint32_t count)
{
    size_t words = bit_words(count);
    for (uint32_t t = 0; t < count; t++)
        for (size_t w = 0; w < words; w++) {
            uint32_t u;
            for_bits(u, rows[t * words + w], w) bit_set(rows + u * words, t);
        }
}

/* Is there room for the lists of pairs, three numbers each, and as much again for the search? */
static bool has_room(const struct portolan_relations *r, const uint64_t *rows)
{
    size_t bits = 0, words = r->transitions * bit_words(r->transitions);
    for (size_t i = 0; i < words; i++)
        bits += (size_t)__builtin_popcountll(rows[i]);
    return bits * 3 * sizeof(uint32_t) < limits_room() / 2;
}

/* Conflicts and overrides pair by pair.  A visible transition also needs the node of all visible ones. */
static bool list_pairs(struct portolan_stubborn *s, uint64_t *rows)
{
    const struct portolan_relations *r = s->relations;
    struct portolan_lists pairs = {0};
    if (!lists_from_rows(rows, r->transitions, &s->overrides))
        return false;
    add_converse(rows, r->transitions);
    if (s->visible_count < 2)
        return lists_from_rows(rows, r->transitions, &s->conflicts);
    bool fine =
        lists_from_rows(rows, r->transitions, &pairs) &&
        lists_append(&pairs, r->transitions, s->visible, s->visible_count, stubborn_visible_node(s), &s->conflicts);
    lists_clear(&pairs);
    return fine;
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
        for_list (g, r->guards_of, t)
            if (!only_member(&r->disablers, *g, t))
                lists_add(conflicts, t, stubborn_disablers_node(s, *g));
        for_list (g, s->may_disable, t)
            if (!only_member(&s->users, *g, t))
                lists_add(conflicts, t, stubborn_users_node(s, *g));
        for_list (u, r->not_commuting, t)
            lists_add(conflicts, t, *u);
    }
    for (uint32_t i = 0; s->visible_count > 1 && i < s->visible_count; i++)
        lists_add(conflicts, s->visible[i], stubborn_visible_node(s));
}

static bool list_visible(struct portolan_stubborn *s, const bool *visible)
{
    uint32_t n = s->relations->transitions, count = 0;
    s->visible = calloc((size_t)n + 1, sizeof *s->visible);
    if (!s->visible)
        return false;
    for (uint32_t t = 0; t < n; t++)
        if (visible[t])
            s->visible[count++] = t;
    s->visible_count = count;
    return true;
}

/* Those that use the guard come next after t, the first that may enable it. */
static uint32_t rank_users(struct portolan_stubborn *s, uint32_t guard, uint32_t t, uint32_t *queue, uint32_t last)
{
    for_list (u, s->users, guard)
        if (s->rank[*u] == UINT32_MAX) {
            s->rank[*u] = s->rank[t] + 1;
            queue[last++] = *u;
        }
    return last;
}

/* Breadth-first from the transitions enabled initially (a search that is breadth-first itself has no use for it: what
 * is let in comes through later anyway); what is never reached comes last.  A guard is looked at once: large nets have
 * many transitions that enable and many that use it. */
static bool rank_transitions(struct portolan_stubborn *s, bool breadth_first)
{
    const struct portolan_system *system = s->system;
    uint32_t n = s->relations->transitions, last = 0;
    unsigned char *state = malloc(system->state_bytes);
    uint32_t *queue = calloc((size_t)n + 1, sizeof *queue);
    bool *seen = calloc((size_t)s->relations->guards + 1, sizeof *seen);
    s->rank = malloc(((size_t)n + 1) * sizeof *s->rank);
    bool fine = state && queue && seen && s->rank;
    if (fine && breadth_first) {
        memset(s->rank, 0, ((size_t)n + 1) * sizeof *s->rank);
    } else if (fine) {
        memset(s->rank, 0xff, ((size_t)n + 1) * sizeof *s->rank);
        system->initial(system->model, state);
        last = system->enabled(system->model, state, queue);
    }
    for (uint32_t i = 0; i < last; i++)
        s->rank[queue[i]] = 0;
    for (uint32_t first = 0; first < last; first++)
        for_list (g, s->may_enable, queue[first])
            if (!seen[*g]) {
                seen[*g] = true;
                last = rank_users(s, *g, queue[first], queue, last);
            }
    free(state);
    free(queue);
    free(seen);
    return fine;
}

static bool has_disablers(const struct portolan_relations *r, uint32_t t)
{
    for_list (g, r->guards_of, t)
        if (list_length(&r->disablers, *g))
            return true;
    return false;
}

/* The transitions that change nothing, where the system tells and nobody minds.  One that stays enabled forever is
 * none of them where deadlocks matter: where it is enabled there are none ahead. */
static bool find_idle(struct portolan_stubborn *s)
{
    const struct portolan_system *system = s->system;
    uint32_t n = s->relations->transitions;
    s->idle = calloc((size_t)n + 1, sizeof *s->idle);
    if (!s->idle || !s->without_idle || !system->change || !system->changers.offset)
        return s->idle;
    memset(s->idle, true, n);
    for (uint32_t v = 0; v < system->variables + system->unlisted; v++)
        for_list (t, system->changers, v)
            s->idle[*t] = false;
    for (uint32_t t = 0; t < n; t++)
        s->idle[t] = s->idle[t] && (s->directed || has_disablers(s->relations, t));
    return true;
}

static void note_relevant(struct portolan_stubborn *s, const struct portolan_lists *lists, uint32_t list,
                          uint32_t *queue, uint32_t *count)
{
    for_list (t, *lists, list)
        if (!s->relevant[*t] && !s->idle[*t]) {
            s->relevant[*t] = true;
            queue[(*count)++] = *t;
        }
}

/* Whatever a set with a visible transition may ever come to hold. */
static bool find_relevant(struct portolan_stubborn *s)
{
    const struct portolan_relations *r = s->relations;
    uint32_t offset[] = {0, s->visible_count}, count = 0;
    struct portolan_lists visible = {.offset = offset, .item = s->visible};
    uint32_t *queue = calloc((size_t)r->transitions + 1, sizeof *queue);
    s->relevant = calloc((size_t)r->transitions + 1, sizeof *s->relevant);
    bool fine = queue && s->relevant;
    if (fine)
        note_relevant(s, &visible, 0, queue, &count);
    for (uint32_t i = 0; fine && i < count; i++) {
        for_list (g, r->guards_of, queue[i]) {
            note_relevant(s, &r->enablers, *g, queue, &count);
            note_relevant(s, &r->disablers, *g, queue, &count);
        }
        for_list (g, s->may_disable, queue[i])
            note_relevant(s, &s->users, *g, queue, &count);
        note_relevant(s, &r->not_commuting, queue[i], queue, &count);
        fine = !limits_reached();
    }
    free(queue);
    return fine;
}

/* Those that are local; a visible one, or one that has visible ones beside it, is not. */
static bool find_local(struct portolan_stubborn *s, const bool *visible)
{
    const struct portolan_relations *r = s->relations;
    uint32_t n = r->transitions;
    if (!r->local || s->directed)
        return true;
    s->local = malloc(((size_t)n + 1) * sizeof *s->local);
    bool *seen = calloc((size_t)n + 1, sizeof *seen); /* per number */
    for (uint32_t t = 0; s->local && seen && t < n; t++) {
        uint32_t number = s->local[t] = r->local[t];
        if (number == UINT32_MAX || !visible)
            continue;
        seen[number] |= visible[t];
        for_list (u, r->local_beside, number)
            seen[number] |= visible[*u];
    }
    for (uint32_t t = 0; s->local && seen && t < n; t++) {
        if (s->local[t] != UINT32_MAX && seen[s->local[t]])
            s->local[t] = UINT32_MAX;
        s->has_singles |= s->local[t] != UINT32_MAX;
    }
    free(seen);
    return s->local && seen;
}

/* How many pairs of transitions come about through guards, those that do so more than once included: what it takes to
 * list them. */
static uint64_t pairs_through_guards(const struct portolan_relations *r)
{
    uint64_t pairs = 0;
    for (uint32_t u = 0; u < r->transitions; u++)
        for_list (g, r->guards_of, u)
            pairs += list_length(&r->disablers, *g);
    return pairs;
}

bool stubborn_prepare(struct portolan_stubborn *s, const struct reduction_demands *demands)
{
    const struct portolan_relations *r = s->relations;
    if (!find_idle(s) || !lists_transpose(&r->guards_of, r->transitions, r->guards, &s->users) ||
        !lists_transpose(&r->enablers, r->guards, r->transitions, &s->may_enable) ||
        !lists_transpose(&r->disablers, r->guards, r->transitions, &s->may_disable) ||
        !rank_transitions(s, demands->breadth_first) || (demands->visible && !list_visible(s, demands->visible)) ||
        (s->directed && s->visible_count && !find_relevant(s)) || !find_local(s, demands->visible))
        return false;
    if (s->pairwise && !s->weak_asked && pairs_through_guards(r) > STUBBORN_PAIRS)
        stubborn_use_guards(s);
    struct lists_builder conflicts = {0}, none = {0};
    uint64_t *rows = s->pairwise ? override_rows(s) : NULL;
    if (s->pairwise && !rows)
        return false;
    if (s->pairwise && !s->weak_asked && !has_room(r, rows))
        stubborn_use_guards(s);
    bool fine;
    if (s->pairwise) {
        fine = list_pairs(s, rows);
    } else {
        add_by_guards(s, &conflicts);
        fine = lists_finish(&conflicts, r->transitions, &s->conflicts);
        fine = lists_finish(&none, r->transitions, &s->overrides) && fine;
    }
    free(rows);
    for (uint32_t t = 0; fine && t < r->transitions; t++)
        s->has_singles |= list_length(&s->conflicts, t) == 0 && !s->idle[t];
    return fine;
}
