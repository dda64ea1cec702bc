/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets by deletion (Valmari 1988; Varpaaniemi 1993): begin with all
 * transitions and try to delete the enabled ones in turn.  A deletion spreads
 * to whatever no longer meets its condition; when it would delete the last
 * enabled transition (the last key, for weak sets) it is undone.  What remains
 * is subset-minimal: no stubborn set has fewer of its enabled transitions.  Of
 * goal-directed sets only the attractors must remain.
 *
 * A transition whose deletion failed once cannot be deleted later either, since
 * less is left then; a deletion that spreads to such a one fails at once.
 *
 * Sets are bit sets and relations bit matrices, so that most of the spreading is
 * a few word operations; nets too large for that use the closure algorithm.
 */
#include "base/bits.h"
#include "reduce/stubborn.h"

#include <stdlib.h>
#include <string.h>

struct deletion {
    size_t words;         /* of a set of transitions */
    uint64_t *conflicted; /* row x: the transitions that have x among their conflicts */
    uint64_t *overriders; /* row x: those that may disable x or do not commute with it */
    uint64_t *users;      /* row g: the transitions that have guard g */
    uint64_t *visible;
    uint64_t *enabled;              /* in the present state */
    uint64_t *alive, *alive_before; /* not deleted; the copy is for undoing */
    uint64_t *keys, *keys_before;   /* of weak sets: enabled ones that nobody outside can disable */
    uint64_t *kept;                 /* whose deletion has failed */
    uint32_t *support;              /* per transition: its guard that was found false with all its enablers last */
    uint32_t *usable;               /* per guard, by stamp: it is false and has all its enablers */
    uint32_t *noted;                /* per guard, by stamp: it is true and something was deleted for that, listed in */
    uint32_t *true_guards, true_guard_count;
    uint32_t *enabler_gone; /* per guard, by stamp: an enabler has been deleted */
    uint32_t *gone_guards;  /* these guards, for undoing */
    uint32_t gone_guard_count;
    bool *is_reason; /* per guard, of deletion_reasons */
    uint32_t *queue; /* deleted, its effects still to be looked at */
    uint32_t queued;
    uint32_t left; /* enabled transitions (keys, for weak sets) not deleted */
};

static uint64_t *make_rows(const struct portolan_lists *lists, uint32_t rows, size_t words)
{
    uint64_t *bits = calloc(rows * words + 1, sizeof *bits);
    for (uint32_t i = 0; bits && i < rows; i++)
        for_list (item, *lists, i)
            bit_set(bits + i * words, *item);
    return bits;
}

/* The transpose, over transitions only. */
static uint64_t *make_columns(const struct portolan_stubborn *s, const struct portolan_lists *lists, size_t words)
{
    uint32_t n = s->relations->transitions;
    uint64_t *bits = calloc(n * words + 1, sizeof *bits);
    for (uint32_t t = 0; bits && t < n; t++)
        for_list (x, *lists, t)
            if (*x < n)
                bit_set(bits + *x * words, t);
    return bits;
}

bool deletion_make(struct portolan_stubborn *s)
{
    uint32_t n = s->relations->transitions, guards = s->relations->guards;
    struct deletion *d = s->deletion = calloc(1, sizeof *d);
    if (!d)
        return false;
    d->words = bit_words(n);
    d->conflicted = make_columns(s, &s->conflicts, d->words);
    d->overriders = make_columns(s, &s->overrides, d->words);
    d->users = make_rows(&s->users, guards, d->words);
    uint64_t **sets[] = {&d->visible, &d->enabled, &d->alive, &d->alive_before, &d->keys, &d->keys_before, &d->kept};
    bool fine = true;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        fine = (*sets[i] = calloc(d->words + 1, sizeof **sets[i])) && fine;
    for (uint32_t i = 0; fine && i < s->visible_count; i++)
        bit_set(d->visible, s->visible[i]);
    d->enabler_gone = calloc((size_t)guards + 1, sizeof *d->enabler_gone);
    d->gone_guards = calloc((size_t)guards + 1, sizeof *d->gone_guards);
    d->is_reason = calloc((size_t)guards + 1, sizeof *d->is_reason);
    d->support = calloc((size_t)n + 1, sizeof *d->support);
    d->queue = calloc((size_t)n + 1, sizeof *d->queue);
    d->usable = calloc((size_t)guards + 1, sizeof *d->usable);
    d->noted = calloc((size_t)guards + 1, sizeof *d->noted);
    d->true_guards = calloc((size_t)guards + 1, sizeof *d->true_guards);
    for (uint32_t t = 0; d->support && t < n; t++)
        d->support[t] = list_length(&s->relations->guards_of, t)
                            ? s->relations->guards_of.item[s->relations->guards_of.offset[t]]
                            : guards; /* one that is never usable: it has no guards, and is never disabled */
    return fine && d->is_reason && d->support && d->usable && d->noted && d->true_guards && d->conflicted &&
           d->overriders && d->users && d->enabler_gone && d->gone_guards && d->queue;
}

void deletion_forget(struct portolan_stubborn *s)
{
    if (!s->deletion)
        return;
    memset(s->deletion->enabler_gone, 0, s->relations->guards * sizeof *s->deletion->enabler_gone);
    memset(s->deletion->usable, 0, s->relations->guards * sizeof *s->deletion->usable);
    memset(s->deletion->noted, 0, s->relations->guards * sizeof *s->deletion->noted);
}

void deletion_free(struct deletion *d)
{
    if (!d)
        return;
    free(d->conflicted);
    free(d->overriders);
    free(d->users);
    free(d->visible);
    free(d->enabled);
    free(d->alive);
    free(d->alive_before);
    free(d->keys);
    free(d->keys_before);
    free(d->kept);
    free(d->enabler_gone);
    free(d->gone_guards);
    free(d->is_reason);
    free(d->support);
    free(d->usable);
    free(d->noted);
    free(d->true_guards);
    free(d->queue);
    free(d);
}

/* Sets that lead to the goal are weak, without a key. */
static bool is_weak(const struct portolan_stubborn *s)
{
    return s->weak || s->seeks_goal;
}

/* Is the guard false, with all its enablers?  What is known to be so is quickly seen. */
static bool supports(struct portolan_stubborn *s, const void *state, uint32_t guard)
{
    struct deletion *d = s->deletion;
    if (d->enabler_gone[guard] == s->stamp || stubborn_guard_holds(s, state, guard))
        return false;
    d->usable[guard] = s->stamp;
    return true;
}

/* The disabled t is deleted, also because these guards of it are true. */
static void note_true_guards(struct portolan_stubborn *s, uint32_t t)
{
    struct deletion *d = s->deletion;
    for_list (g, s->relations->guards_of, t)
        if (d->enabler_gone[*g] != s->stamp && d->noted[*g] != s->stamp) {
            d->noted[*g] = s->stamp;
            d->true_guards[d->true_guard_count++] = *g;
        }
}

/* Is there still a false guard of the disabled t with all its enablers?  The one found last, be it in another state, is
 * looked at first. */
static bool has_necessary_enablers(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    uint32_t *last = &s->deletion->support[t];
    if (supports(s, state, *last))
        return true;
    for_list (g, s->relations->guards_of, t)
        if (supports(s, state, *g)) {
            *last = *g;
            return true;
        }
    note_true_guards(s, t);
    return false;
}

/* For a non-key: has each guard of the enabled t all its enablers, or all its disablers that t can meet? */
static bool guards_are_guarded(const struct portolan_stubborn *s, uint32_t t)
{
    const struct deletion *d = s->deletion;
    for_list (g, s->relations->guards_of, t) {
        if (d->enabler_gone[*g] != s->stamp)
            continue;
        for_list (u, s->relations->disablers, *g)
            if (*u != t && !bit_get(d->alive, *u) && bit_get(d->conflicted + *u * d->words, t))
                return false;
    }
    return true;
}

/* Deletes the given members of one word of the set; false when one must remain, or none of those would remain of
 * which one must. */
static bool discard(struct portolan_stubborn *s, uint64_t members, size_t word)
{
    struct deletion *d = s->deletion;
    if (members & d->kept[word])
        return false;
    d->alive[word] &= ~members;
    uint32_t t;
    for_bits(t, members, word)
    {
        d->queue[d->queued++] = t;
        d->left -= bit_get(is_weak(s) ? d->keys : d->enabled, t);
    }
    return d->left > 0 || s->seeks_goal;
}

static bool discard_one(struct portolan_stubborn *s, uint32_t t)
{
    return discard(s, UINT64_C(1) << (t % 64), t / 64);
}

/* Of weak sets: x is gone, so those that x may disable are no keys any more and may have to go. */
static bool spread_to_non_keys(struct portolan_stubborn *s, uint32_t x)
{
    struct deletion *d = s->deletion;
    const uint64_t *conflicted = d->conflicted + x * d->words;
    for (size_t w = 0; w < d->words; w++) {
        uint64_t met = conflicted[w] & d->alive[w] & d->enabled[w];
        if (!met)
            continue;
        uint32_t t;
        for_bits(t, met & d->keys[w], w) d->left--;
        d->keys[w] &= ~met;
        if (d->left == 0 && !s->seeks_goal)
            return false;
        for_bits(t, met, w) if (!guards_are_guarded(s, t) && !discard_one(s, t)) return false;
    }
    return true;
}

/* x, an enabler of g, is gone: users of g that relied on its enablers may have to go. */
static bool spread_over_guard(struct portolan_stubborn *s, const void *state, uint32_t g)
{
    struct deletion *d = s->deletion;
    const uint32_t stamp = s->stamp, *support = d->support, *usable = d->usable;
    const uint64_t *enabled = d->enabled, *keys = is_weak(s) ? d->keys : d->enabled;
    if (d->enabler_gone[g] == stamp || (!is_weak(s) && stubborn_guard_holds(s, state, g)))
        return true;
    d->enabler_gone[g] = stamp;
    d->usable[g] = 0;
    d->gone_guards[d->gone_guard_count++] = g;
    const uint64_t *users = d->users + g * d->words;
    for (size_t w = 0, words = d->words; w < words; w++) {
        uint64_t relying = users[w] & d->alive[w] & ~(enabled[w] & keys[w]);
        uint32_t u;
        for_bits(u, relying, w)
        {
            s->work++;
            if (usable[support[u]] == stamp && !bit_get(enabled, u))
                continue;
            bool stays = bit_get(enabled, u) ? guards_are_guarded(s, u) : has_necessary_enablers(s, state, u);
            if (!stays && !discard_one(s, u))
                return false;
            s->work += 3;
        }
    }
    return true;
}

static bool spread(struct portolan_stubborn *s, const void *state, uint32_t x)
{
    struct deletion *d = s->deletion;
    /* strong: every enabled transition in conflict with x; weak: those that override x */
    const uint64_t *dependents = (is_weak(s) ? d->overriders : d->conflicted) + x * d->words;
    bool is_visible = !s->seeks_goal && bit_get(d->visible, x);
    s->work += 3 * (int64_t)d->words + 2 * list_length(&s->may_enable, x);
    for (size_t w = 0; w < d->words; w++) {
        uint64_t lost = (dependents[w] | (is_visible ? d->visible[w] : 0)) & d->alive[w] & d->enabled[w];
        if (lost && !discard(s, lost, w))
            return false;
    }
    if (is_weak(s) && !spread_to_non_keys(s, x))
        return false;
    for_list (g, s->may_enable, x)
        if (!spread_over_guard(s, state, *g))
            return false;
    return true;
}

static void try_to_delete(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    size_t bytes = d->words * sizeof *d->alive;
    uint32_t guards = d->gone_guard_count, left = d->left, done = 0;
    memcpy(d->alive_before, d->alive, bytes);
    memcpy(d->keys_before, d->keys, bytes);
    d->queued = 0;
    bool fine = discard_one(s, t);
    while (fine && done < d->queued)
        fine = spread(s, state, d->queue[done++]);
    if (fine)
        return;
    memcpy(d->alive, d->alive_before, bytes);
    memcpy(d->keys, d->keys_before, bytes);
    while (d->gone_guard_count > guards)
        d->enabler_gone[d->gone_guards[--d->gone_guard_count]] = 0;
    d->left = left;
    bit_set(d->kept, t);
}

uint32_t deletion_choose(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *order, uint32_t *out)
{
    struct deletion *d = s->deletion;
    size_t bytes = d->words * sizeof *d->alive;
    memset(d->alive, 0xff, bytes);
    memset(d->enabled, 0, bytes);
    memset(d->kept, 0, bytes);
    d->left = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (stubborn_is_enabled(s, choice->enabled[i])) {
            bit_set(d->enabled, choice->enabled[i]);
            d->left++;
        }
    for (uint32_t i = 0; s->seeks_goal && i < s->attractor_count; i++)
        bit_set(d->kept, s->attractors[i]);
    memcpy(d->keys, d->enabled, bytes);
    d->gone_guard_count = d->true_guard_count = 0;
    for (uint32_t i = 0; i < choice->enabled_count && (d->left > 1 || is_weak(s)); i++)
        if (bit_get(d->alive, choice->enabled[order[i]]) && bit_get(d->enabled, choice->enabled[order[i]]))
            try_to_delete(s, choice->state, choice->enabled[order[i]]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (bit_get(d->alive, choice->enabled[i]) && bit_get(d->enabled, choice->enabled[i]))
            out[count++] = i;
    return count;
}

/* --- why a set is stubborn */

/* Members still to be looked at are in the queue, those met in alive_before. */
static void meet(struct deletion *d, uint32_t t)
{
    if (bit_get(d->alive_before, t))
        return;
    bit_set(d->alive_before, t);
    d->queue[d->queued++] = t;
}

static void meet_list(struct deletion *d, const struct portolan_lists *lists, uint32_t list)
{
    for_list (t, *lists, list)
        meet(d, *t);
}

/* What an enabled member needs as a key, or of a strong set. */
static void meet_conflicts(const struct portolan_stubborn *s, uint32_t t)
{
    for_list (u, s->conflicts, t)
        if (*u < s->relations->transitions)
            meet(s->deletion, *u);
}

/* What an enabled member needs that is no key. */
static void meet_needs_of_non_key(const struct portolan_stubborn *s, uint32_t t)
{
    struct deletion *d = s->deletion;
    const struct portolan_relations *r = s->relations;
    meet_list(d, &s->overrides, t);
    for_list (g, r->guards_of, t) {
        if (d->enabler_gone[*g] != s->stamp) {
            meet_list(d, &r->enablers, *g);
            continue;
        }
        for_list (u, r->disablers, *g)
            if (*u != t && bit_get(d->conflicted + *u * d->words, t))
                meet(d, *u);
    }
}

/* The false guard of a disabled member whose enablers are all there; one that is a reason already, else the one with
 * the fewest. */
static uint32_t reason_of(struct portolan_stubborn *s, const void *state, uint32_t t, const bool *is_reason)
{
    uint32_t best = UINT32_MAX;
    for_list (g, s->relations->guards_of, t) {
        if (s->deletion->enabler_gone[*g] == s->stamp || stubborn_guard_holds(s, state, *g))
            continue;
        if (is_reason[*g])
            return *g;
        if (best == UINT32_MAX || list_length(&s->relations->enablers, *g) < list_length(&s->relations->enablers, best))
            best = *g;
    }
    return best;
}

/* The members that must be there: a key, or the attractors. */
static void meet_first(const struct portolan_stubborn *s)
{
    struct deletion *d = s->deletion;
    memset(d->alive_before, 0, d->words * sizeof *d->alive_before);
    d->queued = 0;
    for (uint32_t i = 0; s->seeks_goal && i < s->attractor_count; i++)
        meet(d, s->attractors[i]);
    const uint64_t *keys = is_weak(s) ? d->keys : d->enabled;
    for (size_t w = 0; !s->seeks_goal && d->queued == 0 && w < d->words; w++)
        if (keys[w] & d->alive[w])
            meet(d, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(keys[w] & d->alive[w]));
}

uint32_t deletion_obstacles(const struct portolan_stubborn *s, uint32_t *guards)
{
    const struct deletion *d = s->deletion;
    memcpy(guards, d->true_guards, d->true_guard_count * sizeof *guards);
    return d->true_guard_count;
}

uint32_t deletion_reasons(struct portolan_stubborn *s, const void *state, uint32_t *guards)
{
    struct deletion *d = s->deletion;
    uint32_t count = 0, guard = 0;
    meet_first(s);
    for (uint32_t i = 0; i < d->queued && guard != UINT32_MAX; i++) {
        uint32_t t = d->queue[i];
        bool enabled = bit_get(d->enabled, t);
        if (enabled && (i == 0 || !is_weak(s)) && !s->seeks_goal)
            meet_conflicts(s, t);
        else if (enabled)
            meet_needs_of_non_key(s, t);
        for (uint32_t v = 0; enabled && !s->seeks_goal && bit_get(d->visible, t) && v < s->visible_count; v++)
            meet(d, s->visible[v]);
        if (enabled || (guard = reason_of(s, state, t, d->is_reason)) == UINT32_MAX)
            continue;
        if (!d->is_reason[guard]) {
            d->is_reason[guard] = true;
            guards[count++] = guard;
            meet_list(d, &s->relations->enablers, guard);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        d->is_reason[guards[i]] = false;
    return guard == UINT32_MAX ? UINT32_MAX : count;
}
