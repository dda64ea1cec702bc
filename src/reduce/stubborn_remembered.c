/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets that were computed before.
 *
 * Whether a set is stubborn depends on the state in two ways only: which transitions are enabled, and that one guard
 * of each of its disabled members is false.  So a set is kept with the enabled transitions it was computed for and
 * those false guards, its reasons; in another state with the same enabled transitions and all of these guards false
 * it is stubborn again.  That nothing smaller than everything was found is kept with the true guards for which disabled
 * transitions had to go: where they are true again, no more can be deleted.
 *
 * All workers of a search remember together: whoever computes a set publishes it for all.  An entry is written before
 * it is put into a free slot of the table, by one compare-and-swap, and never changed; a larger table gets what the
 * smaller one had, and what is put into the smaller one meanwhile is lost, which costs no more than computing it again.
 *
 * Where a proviso judges the sets, or they are compared, where the successors stand decides in which order transitions
 * are deleted, so it belongs to what is compared; so do the attractors of a directed set.  But when nothing can be
 * deleted, that is so in any order: a full set is kept without it, and found before anybody asks where successors
 * stand.  The set found may be another one than would be computed in the state, not a wrong one.  Where enabled
 * transitions hardly ever come again, nothing is kept any more.
 */
#include "reduce/stubborn.h"

#include "base/apart.h"
#include "base/generations.h"
#include "base/lists.h"

#include <stdlib.h>
#include <string.h>

#ifndef REMEMBERED_BYTES /* of all entries; then all are forgotten. Tests have room for fewer, and smaller tables */
#define REMEMBERED_BYTES (1 << 23)
#endif
#ifndef REMEMBERED_FIRST_SLOTS
#define REMEMBERED_FIRST_SLOTS 256
#endif

enum {
    LARGER = 4,     /* times as many slots has the next table */
    MOST_KEY = 512, /* longer ones are not kept: such states hardly come again */
    MOST_REASONS = 256,
    MOST_ALIKE = 16, /* entries of one key */
    TRIALS = 16384   /* after so many questions at least a sixth of them must have been answered */
};

/* key_length, set_length, reasons; then these three lists. */
enum { HEAD = 3 };

struct slot {
    const uint32_t *entry; /* NULL: free */
    uint32_t tag;          /* of its key, once it is there; else 0 */
};

struct table {
    uint32_t slots, most;            /* a power of two; of these may be used so many */
    unsigned char apart[CACHE_LINE]; /* what all read, from what is written */
    uint32_t used;
    struct slot slot[];
};

/* What all workers share. */
struct common {
    struct table *table; /* NULL: there is none yet */
    uint32_t is_growing; /* somebody makes a larger one */
};

struct remembered {
    struct holder holder; /* of struct common */
    uint32_t *key;        /* of the present state, MOST_KEY words at most */
    uint32_t key_length;
    uint32_t tag;                     /* of the key */
    uint32_t plain_length, plain_tag; /* of the key without where successors stand */
    bool is_kept;                     /* the key is not too long */
    uint32_t *reasons;                /* scratch */
    uint32_t asked, answered;         /* since it was last looked at whether it pays */
    bool is_given_up;
};

bool remembered_make(struct portolan_stubborn *s, const struct portolan_stubborn *beside)
{
    struct remembered *m = s->remembered = calloc_apart(1, sizeof *m);
    if (!m ||
        !holder_make(&m->holder, beside ? &beside->remembered->holder : NULL, sizeof(struct common), REMEMBERED_BYTES))
        return false;
    m->reasons = calloc_apart((size_t)s->relations->guards + 1, sizeof *m->reasons);
    m->key = calloc_apart(MOST_KEY, sizeof *m->key);
    return m->reasons && m->key;
}

void remembered_free(struct remembered *m)
{
    if (!m)
        return;
    holder_clear(&m->holder);
    free(m->key);
    free(m->reasons);
    free(m);
}

size_t remembered_bytes(const struct remembered *m)
{
    return holder_bytes(&m->holder);
}

static uint32_t mixed(uint32_t tag, uint32_t word)
{
    uint64_t product = (tag ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(product >> 32) ^ (uint32_t)product;
}

static uint32_t mix_all(uint32_t tag, const uint32_t *word, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tag = mixed(tag, word[i]);
    return tag;
}

/* The key of the present state, without where successors stand; kind tells apart what is computed in one state.  How
 * many words each part has is known from those before it, so keys are equal only part by part. */
static void make_key(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind)
{
    struct remembered *m = s->remembered;
    uint32_t count = choice->enabled_count, attractors = s->seeks_goal ? s->attractor_count : 0, at = 0;
    m->is_kept = count < MOST_KEY / 2 && attractors < MOST_KEY / 4;
    if (!m->is_kept)
        return;
    m->key[at++] = count << 2 | kind;
    if (s->seeks_goal)
        m->key[at++] = attractors;
    memcpy(m->key + at, choice->enabled, count * sizeof *m->key);
    at += count;
    if (attractors)
        memcpy(m->key + at, s->attractors, attractors * sizeof *m->key);
    m->key_length = m->plain_length = at + attractors;
    m->tag = m->plain_tag = mix_all(0, m->key, m->key_length);
}

/* Two bits for where each successor stands. */
static void add_standings(struct portolan_stubborn *s, uint32_t count)
{
    enum { PER_WORD = 16 };
    struct remembered *m = s->remembered;
    uint32_t *word = m->key + m->plain_length, words = (count + PER_WORD - 1) / PER_WORD;
    memset(word, 0, words * sizeof *word);
    for (uint32_t i = 0; i < count; i++)
        word[i / PER_WORD] |= (uint32_t)s->standing[i] << i % PER_WORD * 2;
    m->key_length = m->plain_length + words;
    m->tag = mix_all(m->plain_tag, word, words);
}

static inline bool has_key(const struct remembered *m, const uint32_t *entry)
{
    return entry[0] == m->key_length && memcmp(entry + HEAD, m->key, m->key_length * sizeof *m->key) == 0;
}

/* The entry in a slot, NULL when that is free. */
static inline const uint32_t *entry_in(const struct slot *slot)
{
    return __atomic_load_n(&slot->entry, __ATOMIC_ACQUIRE);
}

static inline bool has_tag(const struct slot *slot, uint32_t tag)
{
    return __atomic_load_n(&slot->tag, __ATOMIC_RELAXED) == tag;
}

static inline struct table *table_of(const struct common *common)
{
    return common ? __atomic_load_n(&common->table, __ATOMIC_ACQUIRE) : NULL;
}

/* Are the reasons of a set false, or of a full one true, in this state? */
static bool reasons_hold(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *entry)
{
    const struct portolan_relations *r = s->relations;
    const uint32_t *reason = entry + HEAD + entry[0] + entry[1];
    bool value = entry[1] == choice->enabled_count;
    s->work += entry[2];
    if (r->all_are)
        return r->all_are(s->system->model, choice->state, reason, entry[2], value);
    for (uint32_t i = 0; i < entry[2]; i++)
        if (stubborn_guard_holds(s, choice->state, reason[i]) != value)
            return false;
    return true;
}

static bool is_worth_asking(struct remembered *m)
{
    if (m->asked++ < TRIALS)
        return true;
    m->is_given_up = m->answered < TRIALS / 6;
    m->asked = m->answered = 0;
    if (m->is_given_up)
        holder_let_go(&m->holder);
    return !m->is_given_up;
}

/* Of the present key. */
static inline __attribute__((always_inline)) uint32_t find(struct portolan_stubborn *s, const struct choice *choice,
                                                           uint32_t *out)
{
    struct remembered *m = s->remembered;
    const struct table *table = table_of(holder_root(&m->holder));
    s->work += m->key_length;
    if (!table)
        return 0;
    uint32_t mask = table->slots - 1;
    const uint32_t *entry;
    for (uint32_t at = m->tag & mask; (entry = entry_in(&table->slot[at])); at = (at + 1) & mask) {
        if (!has_tag(&table->slot[at], m->tag) || !has_key(m, entry) || !reasons_hold(s, choice, entry))
            continue;
        memcpy(out, entry + HEAD + entry[0], entry[1] * sizeof *out);
        m->answered++;
        return entry[1];
    }
    return 0;
}

uint32_t remembered_find(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind, uint32_t *out)
{
    struct remembered *m = s->remembered;
    if (m->is_given_up || !is_worth_asking(m))
        return 0;
    make_key(s, choice, kind);
    return m->is_kept ? find(s, choice, out) : 0;
}

uint32_t remembered_find_judged(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out)
{
    struct remembered *m = s->remembered;
    if (m->is_given_up || !m->is_kept)
        return 0;
    add_standings(s, choice->enabled_count);
    return find(s, choice, out);
}

/* --- keeping */

/* Puts an entry into a free slot behind its place. */
static void put(struct table *table, const uint32_t *entry, uint32_t tag)
{
    uint32_t mask = table->slots - 1, at = tag & mask;
    const uint32_t *none = NULL;
    while (
        !__atomic_compare_exchange_n(&table->slot[at].entry, &none, entry, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        none = NULL;
        at = (at + 1) & mask;
    }
    __atomic_store_n(&table->slot[at].tag, tag, __ATOMIC_RELAXED);
}

/* A larger table, with all that is in the present one. */
static void grow(struct remembered *m, struct common *common, const struct table *present)
{
    uint32_t slots = present ? present->slots * LARGER : REMEMBERED_FIRST_SLOTS;
    struct table *larger = holder_take_apart(&m->holder, sizeof *larger + slots * sizeof *larger->slot);
    if (!larger)
        return;
    larger->slots = slots;
    larger->most = slots / 2;
    for (uint32_t i = 0; present && i < present->slots; i++) {
        const uint32_t *entry = entry_in(&present->slot[i]);
        if (!entry)
            continue;
        larger->used++;
        put(larger, entry, mix_all(0, entry + HEAD, entry[0]));
    }
    __atomic_store_n(&common->table, larger, __ATOMIC_RELEASE);
}

/* A table with room for one more entry, which is counted; or NULL. */
static struct table *table_with_room(struct remembered *m, struct common *common)
{
    uint32_t before = 0;
    struct table *table = table_of(common);
    if ((!table || __atomic_load_n(&table->used, __ATOMIC_RELAXED) >= table->most) &&
        __atomic_compare_exchange_n(&common->is_growing, &before, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        if (table == table_of(common))
            grow(m, common, table);
        __atomic_store_n(&common->is_growing, 0, __ATOMIC_RELEASE);
    }
    table = table_of(common);
    if (!table || __atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED) < table->most)
        return table;
    __atomic_fetch_add(&table->used, -1, __ATOMIC_RELAXED);
    return NULL;
}

/* Has the key enough entries, or just this one, which another worker has computed, too? */
static bool is_enough(const struct remembered *m, const struct table *table, const uint32_t *set, uint32_t count,
                      uint32_t reasons)
{
    uint32_t mask = table->slots - 1, alike = 0;
    const uint32_t *entry;
    for (uint32_t at = m->tag & mask; (entry = entry_in(&table->slot[at])); at = (at + 1) & mask) {
        if (!has_tag(&table->slot[at], m->tag) || !has_key(m, entry))
            continue;
        const uint32_t *kept = entry + HEAD + entry[0];
        alike++;
        if (entry[1] == count && entry[2] == reasons && memcmp(kept, set, count * sizeof *set) == 0 &&
            memcmp(kept + count, m->reasons, reasons * sizeof *m->reasons) == 0)
            return true;
    }
    return alike >= MOST_ALIKE;
}

static void keep_entry(struct remembered *m, const uint32_t *set, uint32_t count, uint32_t reasons)
{
    struct common *common = holder_root(&m->holder);
    struct table *table = common ? table_with_room(m, common) : NULL;
    if (!table)
        return; /* then it is computed again */
    size_t words = HEAD + m->key_length + count + reasons;
    uint32_t *entry = is_enough(m, table, set, count, reasons) ? NULL : holder_take(&m->holder, words * sizeof *entry);
    if (!entry) {
        __atomic_fetch_add(&table->used, -1, __ATOMIC_RELAXED);
        return;
    }
    entry[0] = m->key_length;
    entry[1] = count;
    entry[2] = reasons;
    memcpy(entry + HEAD, m->key, m->key_length * sizeof *entry);
    memcpy(entry + HEAD + m->key_length, set, count * sizeof *entry);
    memcpy(entry + HEAD + m->key_length + count, m->reasons, reasons * sizeof *entry);
    put(table, entry, m->tag);
}

/* By number: in a model the guards that are dear to ask, since code is tried for them, have the last ones. */
static void sort_reasons(struct remembered *m, uint32_t reasons)
{
    for (uint32_t i = 1; i < reasons; i++) {
        uint32_t at = i, reason = m->reasons[i];
        for (; at > 0 && m->reasons[at - 1] > reason; at--)
            m->reasons[at] = m->reasons[at - 1];
        m->reasons[at] = reason;
    }
}

/* The set is stubborn where the same transitions are enabled and these guards false. */
static void keep_reduced(struct portolan_stubborn *s, const uint32_t *set, uint32_t count, uint32_t reasons)
{
    if (reasons > MOST_REASONS)
        return;
    reasons = deletion_leave_out_told(s, s->remembered->reasons, reasons, false);
    sort_reasons(s->remembered, reasons);
    keep_entry(s->remembered, set, count, reasons);
}

bool remembered_gives_up(struct portolan_stubborn *s, const struct choice *choice)
{
    struct remembered *m = s->remembered;
    if (!s->adaptive || !m->is_kept || m->is_given_up || s->judged || s->seeks_goal ||
        !outlook_is_poor(s, choice, m->tag))
        return false;
    m->answered++;
    return true;
}

uint32_t remembered_carry_over(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out)
{
    struct remembered *m = s->remembered;
    if (!m->is_kept || m->is_given_up || s->judged || s->seeks_goal)
        return 0;
    uint32_t reasons, count = carried_find(s, choice, m->reasons, &reasons, out);
    if (count)
        keep_reduced(s, out, count, reasons);
    return count;
}

void remembered_keep(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t count)
{
    struct remembered *m = s->remembered;
    if (!m->is_kept || m->is_given_up)
        return;
    if (count == choice->enabled_count) {
        m->key_length = m->plain_length;
        m->tag = m->plain_tag;
        uint32_t obstacles = deletion_obstacles(s, m->reasons);
        if (obstacles <= MOST_REASONS)
            keep_entry(m, set, count, deletion_leave_out_told(s, m->reasons, obstacles, true));
        return;
    }
    uint32_t reasons = deletion_reasons(s, choice->state, m->reasons);
    if (reasons <= MOST_REASONS && !s->judged && !s->seeks_goal)
        carried_keep(s, choice, set, count, m->reasons, reasons);
    keep_reduced(s, set, count, reasons);
}
