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
 * Sets are bit sets and relations rows of words, so that most of the spreading is a few word operations.
 */
#include "base/bits.h"
#include "reduce/stubborn.h"
#include "reduce/word_rows.h"

#include <stdlib.h>
#include <string.h>

struct deletion {
    size_t words, guard_words;   /* of a set of transitions, of guards */
    struct word_rows conflicted; /* row t: its conflicts, which have it among theirs */
    struct word_rows overriders; /* row t: those that may disable it or do not commute with it */
    struct word_rows guards_of;  /* row t */
    struct word_rows may_enable; /* row t: guards */
    struct word_rows users;      /* row g: the transitions that have guard g */
    struct word_rows disablers;  /* row g */
    struct word_rows enablers;   /* row g */
    uint64_t *visible;
    uint64_t *single;             /* transitions with one guard */
    uint64_t *met, *reasons;      /* scratch of deletion_reasons */
    uint64_t *enabled;            /* in the present state */
    uint64_t *kept;               /* whose deletion has failed */
    uint64_t *is_false, *is_true; /* guards as far as they were looked at */
    uint64_t *noted;              /* guards that are true, for which something was deleted */
    /* what is undone, in one block with a copy of it */
    uint64_t *alive; /* not deleted */
    uint64_t *keys;  /* of weak sets: enabled ones that nobody outside can disable */
    uint64_t *gone;  /* guards an enabler of which has been deleted */
    uint64_t *before;
    uint32_t *queue; /* deleted, its effects still to be looked at */
    uint32_t queued;
    uint32_t left; /* enabled transitions (keys, for weak sets) not deleted */
};

static bool make_rows(struct portolan_stubborn *s, struct deletion *d)
{
    const struct portolan_relations *r = s->relations;
    uint32_t n = r->transitions, guards = r->guards;
    struct portolan_lists overriders = {0};
    bool fine =
        lists_transpose(&s->overrides, n, n, &overriders) && word_rows_make(&d->overriders, &overriders, n, n) &&
        word_rows_make(&d->conflicted, &s->conflicts, n, n) &&
        word_rows_make(&d->guards_of, &r->guards_of, n, guards) &&
        word_rows_make(&d->may_enable, &s->may_enable, n, guards) && word_rows_make(&d->users, &s->users, guards, n) &&
        word_rows_make(&d->disablers, &r->disablers, guards, n) &&
        word_rows_make(&d->enablers, &r->enablers, guards, n);
    lists_clear(&overriders);
    return fine;
}

static size_t undone_words(const struct deletion *d)
{
    return 2 * d->words + d->guard_words;
}

bool deletion_make(struct portolan_stubborn *s)
{
    uint32_t n = s->relations->transitions, guards = s->relations->guards;
    struct deletion *d = s->deletion = calloc(1, sizeof *d);
    if (!d || !make_rows(s, d))
        return false;
    d->words = bit_words(n);
    d->guard_words = bit_words(guards);
    /* Each block begins with the set that it is named after, and the others follow. */
    d->visible = calloc(3 * d->words + d->guard_words + 1, sizeof *d->visible);
    d->enabled = calloc(2 * d->words + 3 * d->guard_words + 1, sizeof *d->enabled);
    d->alive = calloc(undone_words(d) + 1, sizeof *d->alive);
    d->before = calloc(undone_words(d) + 1, sizeof *d->before);
    bool fine = d->visible && d->enabled && d->alive && d->before;
    if (fine) {
        d->single = d->visible + d->words;
        d->met = d->single + d->words;
        d->reasons = d->met + d->words;
        d->kept = d->enabled + d->words;
        d->is_false = d->kept + d->words;
        d->is_true = d->is_false + d->guard_words;
        d->noted = d->is_true + d->guard_words;
        d->keys = d->alive + d->words;
        d->gone = d->keys + d->words;
    }
    for (uint32_t i = 0; fine && i < s->visible_count; i++)
        bit_set(d->visible, s->visible[i]);
    for (uint32_t t = 0; fine && t < n; t++)
        if (list_length(&s->relations->guards_of, t) == 1)
            bit_set(d->single, t);
    d->queue = calloc((size_t)n + 1, sizeof *d->queue);
    return fine && d->queue;
}

void deletion_free(struct deletion *d)
{
    if (!d)
        return;
    word_rows_clear(&d->conflicted);
    word_rows_clear(&d->overriders);
    word_rows_clear(&d->guards_of);
    word_rows_clear(&d->may_enable);
    word_rows_clear(&d->users);
    word_rows_clear(&d->disablers);
    word_rows_clear(&d->enablers);
    free(d->visible);
    free(d->enabled);
    free(d->alive);
    free(d->before);
    free(d->queue);
    free(d);
}

/* Sets that lead to the goal are weak, without a key. */
static bool is_weak(const struct portolan_stubborn *s)
{
    return s->weak || s->seeks_goal;
}

/* Is one of these guards of a word, none of which has been looked at, false? */
static bool finds_false(struct portolan_stubborn *s, const void *state, uint64_t guards, uint32_t word)
{
    struct deletion *d = s->deletion;
    uint32_t g;
    for_bits(g, guards, word)
    {
        s->work += 2;
        bool holds = stubborn_guard_holds(s, state, g);
        bit_set(holds ? d->is_true : d->is_false, g);
        if (!holds)
            return true;
    }
    return false;
}

/* Is there still a false guard of the disabled t with all its enablers?  If not, it is deleted, also because its guards
 * that have all their enablers are true. */
static bool has_necessary_enablers(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    for_row (guards, d->guards_of, t)
        if (guards->bits & ~d->gone[guards->word] & d->is_false[guards->word])
            return true;
    for_row (guards, d->guards_of, t)
        if (finds_false(s, state, guards->bits & ~d->gone[guards->word] & ~d->is_true[guards->word], guards->word))
            return true;
    for_row (guards, d->guards_of, t)
        d->noted[guards->word] |= guards->bits & ~d->gone[guards->word];
    return false;
}

/* Has a transition that has been deleted, is among these of a word and in conflict with t? */
static bool meets_deleted(const struct deletion *d, const struct row_word *some, uint32_t t)
{
    uint64_t deleted = some->bits & ~d->alive[some->word];
    if (!deleted)
        return false;
    for_row (conflicts, d->conflicted, t)
        if (conflicts->word == some->word && (conflicts->bits & deleted))
            return true;
    return false;
}

/* Are all disablers of its guard that t can meet still there? */
static bool has_disablers(const struct deletion *d, uint32_t guard, uint32_t t)
{
    for_row (disablers, d->disablers, guard)
        if (meets_deleted(d, disablers, t))
            return false;
    return true;
}

/* For a non-key: has each guard of the enabled t all its enablers, or all its disablers that t can meet? */
static bool guards_are_guarded(const struct portolan_stubborn *s, uint32_t t)
{
    const struct deletion *d = s->deletion;
    for_row (guards, d->guards_of, t) {
        uint32_t g;
        for_bits(g, guards->bits & d->gone[guards->word], guards->word) if (!has_disablers(d, g, t)) return false;
    }
    return true;
}

/* Deletes the given members of one word of the set; false when one must remain, or none of those would remain of
 * which one must. */
static inline bool discard(struct portolan_stubborn *s, uint64_t members, size_t word)
{
    struct deletion *d = s->deletion;
    if (members & d->kept[word])
        return false;
    d->alive[word] &= ~members;
    uint32_t t;
    for_bits(t, members & (is_weak(s) ? d->keys : d->enabled)[word], word) d->left--;
    for_bits(t, members, word) d->queue[d->queued++] = t;
    return d->left > 0 || s->seeks_goal;
}

/* Of weak sets: x is gone, so those that x may disable are no keys any more and may have to go. */
static bool spread_to_non_keys(struct portolan_stubborn *s, uint32_t x)
{
    struct deletion *d = s->deletion;
    for_row (conflicts, d->conflicted, x) {
        uint32_t w = conflicts->word, t;
        uint64_t met = conflicts->bits & d->alive[w] & d->enabled[w], lost = 0;
        if (!met)
            continue;
        for_bits(t, met & d->keys[w], w) d->left--;
        d->keys[w] &= ~met;
        if (d->left == 0 && !s->seeks_goal)
            return false;
        for_bits(t, met, w) if (!guards_are_guarded(s, t)) lost |= UINT64_C(1) << t % 64;
        if (lost && !discard(s, lost, w))
            return false;
    }
    return true;
}

/* An enabler of g is gone: users of g that relied on its enablers may have to go. */
static bool spread_over_guard(struct portolan_stubborn *s, const void *state, uint32_t g)
{
    struct deletion *d = s->deletion;
    const uint64_t *keys = is_weak(s) ? d->keys : d->enabled;
    for_row (users, d->users, g) {
        uint32_t w = users->word, u;
        uint64_t relying = users->bits & d->alive[w] & ~(d->enabled[w] & keys[w]), lost = 0;
        if (!relying)
            continue;
        lost = relying & d->single[w] & ~d->enabled[w]; /* they have no other guard */
        for_bits(u, relying & ~lost, w)
        {
            s->work++;
            bool stays = d->enabled[w] >> u % 64 & 1 ? guards_are_guarded(s, u) : has_necessary_enablers(s, state, u);
            lost |= (uint64_t)!stays << u % 64;
        }
        s->work++;
        if (lost && !discard(s, lost, w))
            return false;
    }
    return true;
}

static bool spread_over_guards(struct portolan_stubborn *s, const void *state, uint32_t x)
{
    struct deletion *d = s->deletion;
    s->work += row_length(&d->may_enable, x);
    for_row (enabled, d->may_enable, x) {
        uint64_t lost = enabled->bits & ~d->gone[enabled->word];
        uint32_t g;
        d->gone[enabled->word] |= lost;
        for_bits(g, lost, enabled->word) if (!spread_over_guard(s, state, g)) return false;
    }
    return true;
}

/* x is visible, and gone. */
static bool spread_to_visible(struct portolan_stubborn *s)
{
    struct deletion *d = s->deletion;
    for (size_t w = 0; w < d->words; w++) {
        uint64_t lost = d->visible[w] & d->alive[w] & d->enabled[w];
        if (lost && !discard(s, lost, w))
            return false;
    }
    return true;
}

/* What the loss of x means for those that conflict with it. */
static bool spread_over_conflicts(struct portolan_stubborn *s, uint32_t x)
{
    struct deletion *d = s->deletion;
    /* strong: every enabled transition in conflict with x; weak: those that override x */
    const struct word_rows *dependents = is_weak(s) ? &d->overriders : &d->conflicted;
    s->work += 1 + row_length(dependents, x);
    for_row (row, *dependents, x) {
        uint64_t lost = row->bits & d->alive[row->word] & d->enabled[row->word];
        if (lost && !discard(s, lost, row->word))
            return false;
    }
    if (s->visible_count && !s->seeks_goal && bit_get(d->visible, x) && !spread_to_visible(s))
        return false;
    return !is_weak(s) || spread_to_non_keys(s, x);
}

/* Most deletions fail, so what is cheap and soon leads to enabled transitions comes first: what a guard has lost is
 * looked at when all conflicts have been. What remains is the same in any order. */
static bool spread(struct portolan_stubborn *s, const void *state)
{
    struct deletion *d = s->deletion;
    uint32_t conflicts = 0, guards = 0;
    while (conflicts < d->queued || guards < d->queued) {
        bool fine = conflicts < d->queued ? spread_over_conflicts(s, d->queue[conflicts++])
                                          : spread_over_guards(s, state, d->queue[guards++]);
        if (!fine)
            return false;
    }
    return true;
}

static void try_to_delete(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    size_t bytes = undone_words(d) * sizeof *d->alive;
    uint32_t left = d->left;
    memcpy(d->before, d->alive, bytes);
    d->queued = 0;
    if (discard(s, UINT64_C(1) << t % 64, t / 64) && spread(s, state))
        return;
    memcpy(d->alive, d->before, bytes);
    d->left = left;
    bit_set(d->kept, t);
}

void deletion_begin(struct portolan_stubborn *s, const struct choice *choice)
{
    struct deletion *d = s->deletion;
    size_t bytes = d->words * sizeof *d->alive, guard_bytes = d->guard_words * sizeof *d->gone;
    memset(d->alive, 0xff, bytes);
    memset(d->gone, 0, guard_bytes);
    memset(d->enabled, 0, 2 * bytes + 3 * guard_bytes); /* and the other sets of the block */
    d->left = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (stubborn_is_enabled(s, choice->enabled[i])) {
            bit_set(d->enabled, choice->enabled[i]);
            d->left++;
        }
    for (uint32_t i = 0; s->seeks_goal && i < s->attractor_count; i++)
        bit_set(d->kept, s->attractors[i]);
    memcpy(d->keys, d->enabled, bytes);
}

uint32_t deletion_enabled_conflicts(const struct portolan_stubborn *s, uint32_t t)
{
    const struct deletion *d = s->deletion;
    uint32_t count = 0;
    for_row (conflicts, d->conflicted, t)
        for (uint64_t left = conflicts->bits & d->enabled[conflicts->word]; left; left &= left - 1)
            count++;
    return count;
}

uint32_t deletion_choose(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *order, uint32_t *out)
{
    struct deletion *d = s->deletion;
    for (uint32_t i = 0; i < choice->enabled_count && (d->left > 1 || is_weak(s)); i++) {
        uint32_t t = choice->enabled[order[i]];
        if (bit_get(d->alive, t) && bit_get(d->enabled, t))
            try_to_delete(s, choice->state, t);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (bit_get(d->alive, choice->enabled[i]) && bit_get(d->enabled, choice->enabled[i]))
            out[count++] = i;
    return count;
}

/* --- why a set is stubborn */

/* Members still to be looked at are in the queue, those met in met. */
static void meet(struct deletion *d, uint32_t t)
{
    if (bit_get(d->met, t))
        return;
    bit_set(d->met, t);
    d->queue[d->queued++] = t;
}

static void meet_list(struct deletion *d, const struct portolan_lists *lists, uint32_t list)
{
    for_list (t, *lists, list)
        meet(d, *t);
}

static void meet_word(struct deletion *d, uint64_t bits, uint32_t word)
{
    uint32_t t;
    for_bits(t, bits & ~d->met[word], word) d->queue[d->queued++] = t;
    d->met[word] |= bits;
}

/* What an enabled member needs as a key, or of a strong set. */
static void meet_conflicts(struct deletion *d, uint32_t t)
{
    for_row (conflicts, d->conflicted, t)
        meet_word(d, conflicts->bits, conflicts->word);
}

static void meet_enablers(struct deletion *d, uint32_t guard)
{
    for_row (enablers, d->enablers, guard)
        meet_word(d, enablers->bits, enablers->word);
}

/* The disablers of its guard that t can meet. */
static void meet_disablers(struct deletion *d, uint32_t guard, uint32_t t)
{
    for_row (disablers, d->disablers, guard)
        for_row (conflicts, d->conflicted, t)
            if (conflicts->word == disablers->word)
                meet_word(d, conflicts->bits & disablers->bits, conflicts->word);
}

/* What an enabled member needs that is no key. */
static void meet_needs_of_non_key(const struct portolan_stubborn *s, uint32_t t)
{
    struct deletion *d = s->deletion;
    const struct portolan_relations *r = s->relations;
    meet_list(d, &s->overrides, t);
    for_list (g, r->guards_of, t) {
        if (bit_get(d->gone, *g))
            meet_disablers(d, *g, t);
        else
            meet_enablers(d, *g);
    }
}

/* The false guard of a disabled member whose enablers are all there; one that is a reason already, else the one with
 * the fewest. */
static uint32_t reason_of(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    const struct deletion *d = s->deletion;
    uint32_t best = UINT32_MAX, g;
    for_row (guards, d->guards_of, t) {
        uint64_t known = guards->bits & ~d->gone[guards->word] & d->reasons[guards->word];
        if (known)
            return guards->word * 64 + (uint32_t)__builtin_ctzll(known);
    }
    for_row (guards, d->guards_of, t)
        for_bits(g, guards->bits & ~d->gone[guards->word] & ~d->is_true[guards->word], guards->word)
        {
            if (stubborn_guard_holds(s, state, g))
                continue;
            if (best == UINT32_MAX ||
                list_length(&s->relations->enablers, g) < list_length(&s->relations->enablers, best))
                best = g;
        }
    return best;
}

/* The members that must be there: a key, or the attractors. */
static void meet_first(const struct portolan_stubborn *s)
{
    struct deletion *d = s->deletion;
    memset(d->met, 0, d->words * sizeof *d->met);
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
    uint32_t count = 0;
    for (size_t w = 0; w < d->guard_words; w++) {
        uint32_t g;
        for_bits(g, d->noted[w], w) guards[count++] = g;
    }
    return count;
}

uint32_t deletion_reasons(struct portolan_stubborn *s, const void *state, uint32_t *guards)
{
    struct deletion *d = s->deletion;
    uint32_t count = 0, guard = 0;
    memset(d->reasons, 0, d->guard_words * sizeof *d->reasons);
    meet_first(s);
    for (uint32_t i = 0; i < d->queued && guard != UINT32_MAX; i++) {
        uint32_t t = d->queue[i];
        bool enabled = bit_get(d->enabled, t);
        if (enabled && (i == 0 || !is_weak(s)) && !s->seeks_goal)
            meet_conflicts(d, t);
        else if (enabled)
            meet_needs_of_non_key(s, t);
        for (uint32_t v = 0; enabled && !s->seeks_goal && bit_get(d->visible, t) && v < s->visible_count; v++)
            meet(d, s->visible[v]);
        if (enabled || (guard = reason_of(s, state, t)) == UINT32_MAX)
            continue;
        if (!bit_get(d->reasons, guard)) {
            bit_set(d->reasons, guard);
            guards[count++] = guard;
            meet_enablers(d, guard);
        }
    }
    return guard == UINT32_MAX ? UINT32_MAX : count;
}
