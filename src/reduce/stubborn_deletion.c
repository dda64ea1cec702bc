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
#include "reduce/deletion.h"
#include "reduce/stubborn.h"

#include <stdlib.h>
#include <string.h>

/* Where numbers are small every row has as many words, one or two, and what goes over them is compiled for that. */
enum { MOST_EACH = 2 };
#define FOR_EACH static inline __attribute__((always_inline))

/* Overriders, word by word beside the conflicts that they are among. */
static bool make_overriding(struct portolan_stubborn *s, struct deletion *d)
{
    uint32_t n = s->relations->transitions;
    size_t bytes = ((size_t)d->conflicted.offset[n] + 1) * sizeof *d->overriding;
    struct portolan_lists overriders = {0};
    d->overriding = limits_allow(bytes) ? calloc(1, bytes) : NULL;
    bool fine = d->overriding && lists_transpose(&s->overrides, n, n, &overriders);
    for (uint32_t t = 0; fine && t < n; t++)
        for_list (u, overriders, t)
            for_row (row, d->conflicted, t)
                if (row->word == *u / 64)
                    d->overriding[row - d->conflicted.word] |= UINT64_C(1) << *u % 64;
    lists_clear(&overriders);
    return fine;
}

/* Of the guards with the same number at most one holds. */
static bool make_rivals(const struct portolan_relations *r, struct deletion *d)
{
    uint32_t guards = r->guards;
    struct lists_builder builder = {0}, of = {0};
    struct portolan_lists groups = {0}, group_of = {0};
    struct word_rows members = {0}, group = {0};
    for (uint32_t g = 0; r->exclusive && g < guards; g++)
        if (r->exclusive[g] < guards) {
            lists_add(&builder, r->exclusive[g], g);
            lists_add(&of, g, r->exclusive[g]);
        }
    bool fine = lists_finish(&builder, guards, &groups);
    fine = lists_finish(&of, guards, &group_of) && fine;
    fine = fine && word_rows_make(&members, &groups, guards, guards, 0) &&
           word_rows_make(&group, &group_of, guards, guards, 0) &&
           word_rows_compose(&d->rivals, &group, &members, guards, guards, d->each) &&
           word_rows_compose(&d->told, &d->guards_of, &d->rivals, r->transitions, guards, d->each);
    lists_clear(&groups);
    lists_clear(&group_of);
    word_rows_clear(&members);
    word_rows_clear(&group);
    return fine;
}

static bool make_rows(struct portolan_stubborn *s, struct deletion *d)
{
    const struct portolan_relations *r = s->relations;
    uint32_t n = r->transitions, guards = r->guards, each = d->each;
    return word_rows_make(&d->conflicted, &s->conflicts, n, n, each) && make_overriding(s, d) &&
           word_rows_make(&d->guards_of, &r->guards_of, n, guards, each) &&
           word_rows_make(&d->may_enable, &s->may_enable, n, guards, each) &&
           word_rows_make(&d->users, &s->users, guards, n, each) &&
           word_rows_compose(&d->leaning, &d->may_enable, &d->users, n, n, each) && make_rivals(r, d) &&
           word_rows_make(&d->disablers, &r->disablers, guards, n, each) &&
           word_rows_make(&d->enablers, &r->enablers, guards, n, each);
}

static size_t undone_words(const struct deletion *d)
{
    return 3 * d->words + 2 * d->guard_words;
}

bool deletion_make(struct portolan_stubborn *s)
{
    uint32_t n = s->relations->transitions, guards = s->relations->guards;
    struct deletion *d = s->deletion = calloc(1, sizeof *d);
    if (!d)
        return false;
    d->words = bit_words(n);
    d->guard_words = bit_words(guards);
    if (n <= MOST_EACH * 64 && guards <= MOST_EACH * 64) {
        d->each = d->words > d->guard_words ? (uint32_t)d->words : (uint32_t)d->guard_words;
        d->words = d->guard_words = d->each;
    }
    if (!make_rows(s, d))
        return false;
    /* Each block begins with the set that it is named after, and the others follow. */
    d->visible = calloc(3 * d->words + 3 * d->guard_words + 1, sizeof *d->visible);
    d->enabled = calloc(3 * d->words + 3 * d->guard_words + 1, sizeof *d->enabled);
    d->alive = calloc(undone_words(d) + 1, sizeof *d->alive);
    d->before = calloc(undone_words(d) + 1, sizeof *d->before);
    bool fine = d->visible && d->enabled && d->alive && d->before;
    if (fine) {
        d->met = d->visible + d->words;
        d->explained = d->met + d->words;
        d->reasons = d->explained + d->words;
        d->told_true = d->reasons + d->guard_words;
        d->told_false = d->told_true + d->guard_words;
        d->kept = d->enabled + d->words;
        d->near = d->kept + d->words;
        d->is_false = d->near + d->words;
        d->is_true = d->is_false + d->guard_words;
        d->noted = d->is_true + d->guard_words;
        d->keys = d->alive + d->words;
        d->held = d->keys + d->words;
        d->gone = d->held + d->words;
        d->holding = d->gone + d->guard_words;
    }
    for (uint32_t i = 0; fine && i < s->visible_count; i++)
        bit_set(d->visible, s->visible[i]);
    d->queue = calloc((size_t)n + 1, sizeof *d->queue);
    d->cause = calloc((size_t)n + 1, sizeof *d->cause);
    d->position = calloc((size_t)n + 1, sizeof *d->position);
    d->key_cause = calloc((size_t)n + 1, sizeof *d->key_cause);
    d->gone_cause = calloc((size_t)guards + 1, sizeof *d->gone_cause);
    return fine && d->queue && d->cause && d->position && d->key_cause && d->gone_cause;
}

void deletion_free(struct deletion *d)
{
    if (!d)
        return;
    word_rows_clear(&d->conflicted);
    free(d->overriding);
    word_rows_clear(&d->guards_of);
    word_rows_clear(&d->may_enable);
    word_rows_clear(&d->leaning);
    word_rows_clear(&d->users);
    word_rows_clear(&d->rivals);
    word_rows_clear(&d->told);
    word_rows_clear(&d->disablers);
    word_rows_clear(&d->enablers);
    free(d->visible);
    free(d->enabled);
    free(d->alive);
    free(d->before);
    free(d->queue);
    free(d->cause);
    free(d->position);
    free(d->key_cause);
    free(d->gone_cause);
    free(d);
}

/* Sets that lead to the goal are weak, without a key. */
static bool is_weak(const struct portolan_stubborn *s)
{
    return s->weak || s->seeks_goal;
}

/* The place of the word of a row in a set. */
#define place_of(each, row) ((each) == 1 ? 0 : (row)->word)

/* The guard holds: so those that exclude it do not. */
static void note_true(const struct portolan_stubborn *s, uint32_t g)
{
    struct deletion *d = s->deletion;
    bit_set(d->is_true, g);
    for_row (rivals, d->rivals, g)
        d->is_false[rivals->word] |= rivals->bits & ~d->is_true[rivals->word];
}

/* The guard is false and has all its enablers: all that have it may stay. */
FOR_EACH void hold(struct deletion *d, uint32_t g, const uint32_t each)
{
    bit_set(d->holding, g);
    for_row_of(each, users, d->users, g) d->held[place_of(each, users)] |= users->bits;
}

FOR_EACH void let_go(struct deletion *d, uint64_t guards, uint32_t word, const uint32_t each)
{
    uint32_t g;
    d->holding[word] &= ~guards;
    for_bits(g, guards, word) for_row_of(each, users, d->users, g) d->held[place_of(each, users)] &= ~users->bits;
}

/* Of the guards of t some have all their enablers and are not known: is one of them false? */
static bool finds_false(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    uint32_t g;
    for_row (guards, d->guards_of, t)
        for_bits(g, guards->bits & ~d->gone[guards->word] & ~d->is_true[guards->word], guards->word)
        {
            s->work += 2;
            if (stubborn_guard_holds(s, state, g)) {
                note_true(s, g);
                continue;
            }
            bit_set(d->is_false, g);
            hold(d, g, 0);
            return true;
        }
    return false;
}

/* Is there still a false guard of the disabled t with all its enablers?  If not, it is deleted, also because its guards
 * that have all their enablers are true. */
FOR_EACH bool has_necessary_enablers(struct portolan_stubborn *s, const void *state, uint32_t t, const uint32_t each)
{
    struct deletion *d = s->deletion;
    uint64_t unknown = 0;
    for_row_of(each, guards, d->guards_of, t)
    {
        uint32_t w = place_of(each, guards);
        uint64_t whole = guards->bits & ~d->gone[w], known = whole & d->is_false[w];
        if (known) {
            hold(d, w * 64 + (uint32_t)__builtin_ctzll(known), each);
            return true;
        }
        unknown |= whole & ~d->is_true[w];
    }
    if (unknown && finds_false(s, state, t))
        return true;
    for_row_of(each, guards, d->guards_of, t) d->noted[place_of(each, guards)] |=
        guards->bits & ~d->gone[place_of(each, guards)];
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
    if (members & d->kept[word]) {
        d->hit = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(members & d->kept[word]);
        d->cause[d->hit] = d->by;
        return false;
    }
    d->alive[word] &= ~members;
    uint32_t t;
    for_bits(t, members & (is_weak(s) ? d->keys : d->enabled)[word], word) d->left--;
    for_bits(t, members, word)
    {
        d->cause[t] = d->by;
        d->position[t] = d->queued;
        d->queue[d->queued++] = t;
    }
    return d->left > 0 || s->seeks_goal;
}

/* Enabled ones that are no keys, some guard of which is guarded no more. */
static bool discard_unguarded(struct portolan_stubborn *s, uint64_t members, size_t word)
{
    uint32_t by = s->deletion->by;
    s->deletion->by = DELETION_UNTOLD;
    bool fine = discard(s, members, word);
    s->deletion->by = by;
    return fine;
}

/* Of weak sets: x is gone, so these of a word, which x may disable or the other way round, are no keys any more and may
 * have to go. */
static inline bool take_keys(struct portolan_stubborn *s, uint64_t met, uint32_t w)
{
    struct deletion *d = s->deletion;
    uint64_t lost = 0;
    uint32_t t;
    for_bits(t, met & d->keys[w], w)
    {
        d->key_cause[t] = d->by;
        d->left--;
    }
    d->keys[w] &= ~met;
    if (d->left == 0 && !s->seeks_goal)
        return false;
    for_bits(t, met, w) if (!guards_are_guarded(s, t)) lost |= UINT64_C(1) << t % 64;
    return !lost || discard_unguarded(s, lost, w);
}

/* x is gone, and with it an enabler of some guards: those that relied on the enablers of one may have to go. */
FOR_EACH bool spread_over_guards(struct portolan_stubborn *s, const void *state, uint32_t x, const uint32_t each)
{
    struct deletion *d = s->deletion;
    const uint64_t *keys = is_weak(s) ? d->keys : d->enabled;
    uint64_t all_fresh = 0;
    for_row_of(each, enabled, d->may_enable, x)
    {
        uint32_t w = place_of(each, enabled);
        uint64_t fresh = enabled->bits & ~d->gone[w], holding = fresh & d->holding[w];
        uint32_t g;
        all_fresh |= fresh;
        d->gone[w] |= fresh;
        for_bits(g, fresh, w) d->gone_cause[g] = x;
        if (holding)
            let_go(d, holding, w, each);
    }
    if (!all_fresh)
        return true;
    for_row_of(each, users, d->leaning, x)
    {
        uint32_t w = place_of(each, users), u;
        uint64_t relying = users->bits & d->alive[w] & ~(d->enabled[w] & keys[w]), lost = 0;
        for_bits(u, relying & d->enabled[w], w) if (!guards_are_guarded(s, u)) lost |= UINT64_C(1) << u % 64;
        if (lost && !discard_unguarded(s, lost, w))
            return false;
        lost = 0;
        for (relying &= ~d->enabled[w] & ~d->held[w]; relying; relying &= (relying - 1) & ~d->held[w]) {
            u = (uint32_t)__builtin_ctzll(relying);
            if (!has_necessary_enablers(s, state, w * 64 + u, each))
                lost |= UINT64_C(1) << u;
        }
        if (lost && !discard(s, lost, w))
            return false;
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

/* What the loss of x means for those that conflict with it.  Strong: every enabled one goes; weak: those that override
 * x do, and the others are no keys. */
FOR_EACH bool spread_over_conflicts(struct portolan_stubborn *s, uint32_t x, const uint32_t each)
{
    struct deletion *d = s->deletion;
    bool weak = is_weak(s);
    for_row_of(each, row, d->conflicted, x)
    {
        uint32_t w = place_of(each, row);
        uint64_t met = row->bits & d->alive[w] & d->enabled[w];
        uint64_t lost = weak && met ? met & d->overriding[row - d->conflicted.word] : met;
        if (lost && !discard(s, lost, w))
            return false;
        if (met != lost && !take_keys(s, met & ~lost, w))
            return false;
    }
    return true;
}

/* Most deletions fail, so what is cheap and soon leads to enabled transitions comes first: what a guard has lost is
 * looked at when all conflicts have been. What remains is the same in any order. */
FOR_EACH bool spread(struct portolan_stubborn *s, const void *state, const uint32_t each)
{
    struct deletion *d = s->deletion;
    bool fine = true, sees = s->visible_count && !s->seeks_goal;
    uint32_t conflicts = 0, guards = 0;
    while (fine && (conflicts < d->queued || guards < d->queued)) {
        uint32_t x = d->queue[conflicts < d->queued ? conflicts : guards];
        d->by = x;
        if (conflicts == d->queued) {
            guards++;
            fine = spread_over_guards(s, state, x, each);
            continue;
        }
        conflicts++;
        if (each == 1 ? d->near[0] >> x & 1 : bit_get(d->near, x))
            fine = spread_over_conflicts(s, x, each);
        if (fine && sees && bit_get(d->visible, x))
            fine = spread_to_visible(s);
    }
    s->work += 1 + conflicts + 3 * guards;
    return fine;
}

static bool spread_in_one(struct portolan_stubborn *s, const void *state)
{
    return spread(s, state, 1);
}

static bool spread_in_two(struct portolan_stubborn *s, const void *state)
{
    return spread(s, state, 2);
}

static bool spread_in_many(struct portolan_stubborn *s, const void *state)
{
    return spread(s, state, 0);
}

static void try_to_delete(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    size_t bytes = undone_words(d) * sizeof *d->alive;
    uint32_t left = d->left;
    memcpy(d->before, d->alive, bytes);
    d->queued = 0;
    d->hit = UINT32_MAX;
    if (discard(s, UINT64_C(1) << t % 64, t / 64) && (d->each == 1   ? spread_in_one(s, state)
                                                      : d->each == 2 ? spread_in_two(s, state)
                                                                     : spread_in_many(s, state))) {
        d->has_deleted = true;
        return;
    }
    if (s->learned && !d->has_deleted && !s->seeks_goal)
        learned_keep(s, t);
    memcpy(d->alive, d->before, bytes);
    d->left = left;
    bit_set(d->kept, t);
}

/* What is enabled tells which guards are true, and of others that they are not. */
static void note_told(struct deletion *d, const struct choice *choice)
{
    for (uint32_t i = 0; i < choice->enabled_count; i++) {
        for_row (guards, d->guards_of, choice->enabled[i])
            d->is_true[guards->word] |= guards->bits;
        for_row (told, d->told, choice->enabled[i])
            d->is_false[told->word] |= told->bits;
    }
    for (size_t w = 0; w < d->guard_words; w++) {
        d->is_false[w] &= ~d->is_true[w];
        d->told_true[w] = d->is_true[w];
        d->told_false[w] = d->is_false[w];
    }
}

void deletion_begin(struct portolan_stubborn *s, const struct choice *choice)
{
    struct deletion *d = s->deletion;
    size_t bytes = d->words * sizeof *d->alive, guard_bytes = d->guard_words * sizeof *d->gone;
    memset(d->alive, 0xff, bytes);
    memset(d->held, 0, bytes + 2 * guard_bytes);
    memset(d->enabled, 0, 3 * bytes + 3 * guard_bytes); /* and the other sets of the block */
    d->left = 0;
    d->has_deleted = false;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (stubborn_is_enabled(s, choice->enabled[i])) {
            bit_set(d->enabled, choice->enabled[i]);
            d->left++;
            for_row (conflicts, d->conflicted, choice->enabled[i])
                d->near[conflicts->word] |= conflicts->bits;
        }
    for (uint32_t i = 0; s->seeks_goal && i < s->attractor_count; i++)
        bit_set(d->kept, s->attractors[i]);
    memcpy(d->keys, d->enabled, bytes);
    note_told(d, choice);
}

bool deletion_all_true(struct portolan_stubborn *s, const void *state, const uint64_t *guards)
{
    struct deletion *d = s->deletion;
    uint32_t g;
    for (size_t w = 0; w < d->guard_words; w++)
        if (guards[w] & d->is_false[w])
            return false;
    for (size_t w = 0; w < d->guard_words; w++)
        for_bits(g, guards[w] & ~d->is_true[w], w)
        {
            s->work++;
            if (!stubborn_guard_holds(s, state, g)) {
                bit_set(d->is_false, g);
                return false;
            }
            note_true(s, g);
        }
    return true;
}

bool deletion_all_false(struct portolan_stubborn *s, const void *state, const struct row_word *guards, uint32_t words)
{
    struct deletion *d = s->deletion;
    uint32_t g;
    for (uint32_t i = 0; i < words; i++)
        if (guards[i].bits & d->is_true[guards[i].word])
            return false;
    for (uint32_t i = 0; i < words; i++)
        for_bits(g, guards[i].bits & ~d->is_false[guards[i].word], guards[i].word)
        {
            s->work++;
            if (stubborn_guard_holds(s, state, g)) {
                note_true(s, g);
                return false;
            }
            bit_set(d->is_false, g);
        }
    return true;
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

void deletion_keep(struct portolan_stubborn *s, uint32_t t)
{
    bit_set(s->deletion->kept, t);
}

uint32_t deletion_choose(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *order, uint32_t *out)
{
    struct deletion *d = s->deletion;
    for (uint32_t i = 0; i < choice->enabled_count && (d->left > 1 || is_weak(s)); i++) {
        uint32_t t = choice->enabled[order[i]];
        if (bit_get(d->alive, t) && bit_get(d->enabled, t) && !bit_get(d->kept, t))
            try_to_delete(s, choice->state, t);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (bit_get(d->alive, choice->enabled[i]) && bit_get(d->enabled, choice->enabled[i]))
            out[count++] = i;
    return count;
}

/* --- why a set is stubborn */

/* What an enabled member needs as a key, or of a strong set. */
static void meet_conflicts(struct deletion *d, uint32_t t)
{
    for_row (conflicts, d->conflicted, t)
        d->met[conflicts->word] |= conflicts->bits;
}

static void meet_enablers(struct deletion *d, uint32_t guard)
{
    for_row (enablers, d->enablers, guard)
        d->met[enablers->word] |= enablers->bits;
}

/* The disablers of its guard that t can meet. */
static void meet_disablers(struct deletion *d, uint32_t guard, uint32_t t)
{
    for_row (disablers, d->disablers, guard)
        for_row (conflicts, d->conflicted, t)
            if (conflicts->word == disablers->word)
                d->met[conflicts->word] |= conflicts->bits & disablers->bits;
}

/* What an enabled member needs that is no key. */
static void meet_needs_of_non_key(const struct portolan_stubborn *s, uint32_t t)
{
    struct deletion *d = s->deletion;
    const struct portolan_relations *r = s->relations;
    for_list (u, s->overrides, t)
        bit_set(d->met, *u);
    for_list (g, r->guards_of, t) {
        if (bit_get(d->gone, *g))
            meet_disablers(d, *g, t);
        else
            meet_enablers(d, *g);
    }
}

static void meet_needs(const struct portolan_stubborn *s, uint32_t t, bool is_key)
{
    struct deletion *d = s->deletion;
    if ((is_key || !is_weak(s)) && !s->seeks_goal)
        meet_conflicts(d, t);
    else
        meet_needs_of_non_key(s, t);
    for (size_t w = 0; !s->seeks_goal && bit_get(d->visible, t) && w < d->words; w++)
        d->met[w] |= d->visible[w];
}

/* The false guard of a disabled member whose enablers are all there, the one with the fewest.  None of them is a reason
 * already. */
static inline uint32_t reason_of(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    const struct deletion *d = s->deletion;
    uint32_t best = UINT32_MAX, fewest = UINT32_MAX, g;
    for_row (guards, d->guards_of, t)
        for_bits(g, guards->bits & ~d->gone[guards->word] & ~d->is_true[guards->word], guards->word)
        {
            uint32_t enablers = list_length(&s->relations->enablers, g);
            if (enablers >= fewest || (!bit_get(d->is_false, g) && stubborn_guard_holds(s, state, g)))
                continue;
            best = g;
            fewest = enablers;
        }
    return best;
}

/* The members that must be there: a key and what it needs, or the attractors. */
static void meet_first(const struct portolan_stubborn *s)
{
    struct deletion *d = s->deletion;
    const uint64_t *keys = is_weak(s) ? d->keys : d->enabled;
    memset(d->met, 0, 2 * d->words * sizeof *d->met); /* and those explained */
    for (uint32_t i = 0; s->seeks_goal && i < s->attractor_count; i++)
        bit_set(d->met, s->attractors[i]);
    for (size_t w = 0; !s->seeks_goal && w < d->words; w++)
        if (keys[w] & d->alive[w]) {
            uint32_t key = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(keys[w] & d->alive[w]);
            bit_set(d->met, key);
            bit_set(d->explained, key);
            meet_needs(s, key, true);
            return;
        }
}

/* Of a member that is met: what it needs is met, too.  A reason explains all that have the guard. */
static bool explain(struct portolan_stubborn *s, const void *state, uint32_t t)
{
    struct deletion *d = s->deletion;
    bit_set(d->explained, t);
    if (bit_get(d->enabled, t)) {
        meet_needs(s, t, false);
        return true;
    }
    uint32_t guard = reason_of(s, state, t);
    if (guard == UINT32_MAX)
        return false;
    bit_set(d->reasons, guard);
    for_row (users, d->users, guard)
        d->explained[users->word] |= users->bits;
    meet_enablers(d, guard);
    return true;
}

/* By number. */
static uint32_t list_guards(const struct deletion *d, const uint64_t *set, uint32_t *guards)
{
    uint32_t count = 0;
    for (size_t w = 0; w < d->guard_words; w++) {
        uint32_t g;
        for_bits(g, set[w], w) guards[count++] = g;
    }
    return count;
}

uint32_t deletion_obstacles(const struct portolan_stubborn *s, uint32_t *guards)
{
    return list_guards(s->deletion, s->deletion->noted, guards);
}

uint32_t deletion_leave_out_told(const struct portolan_stubborn *s, uint32_t *guards, uint32_t count, bool value)
{
    const uint64_t *told = value ? s->deletion->told_true : s->deletion->told_false;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!bit_get(told, guards[i]))
            guards[kept++] = guards[i];
    return kept;
}

uint32_t deletion_reasons(struct portolan_stubborn *s, const void *state, uint32_t *guards)
{
    struct deletion *d = s->deletion;
    memset(d->reasons, 0, d->guard_words * sizeof *d->reasons);
    meet_first(s);
    for (bool is_left = true; is_left;) {
        is_left = false;
        for (size_t w = 0; w < d->words; w++)
            for (uint64_t left; (left = d->met[w] & ~d->explained[w]); is_left = true)
                if (!explain(s, state, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left)))
                    return UINT32_MAX;
    }
    return list_guards(d, d->reasons, guards);
}
