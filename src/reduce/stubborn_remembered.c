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
 * Where a proviso judges the sets, where the successors stand belongs to what is compared; so do the attractors of a
 * directed set.  The set found may be another one than would be computed in the state, not a wrong one.  Where enabled
 * transitions hardly ever come again, nothing is kept any more.
 */
#include "reduce/stubborn.h"

#include "base/limits.h"
#include "base/lists.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 256,
    MOST_WORDS = 1 << 21, /* of all entries; then all are forgotten */
    MOST_KEY = 512,       /* longer ones are not kept: such states hardly come again */
    MOST_REASONS = 256,
    MOST_ALIKE = 16, /* entries of one key */
    TRIALS = 16384   /* after so many questions at least a third of them must have been answered */
};

/* key_length, set_length, reasons; then these three lists. */
enum { HEAD = 3 };

struct slot {
    uint32_t tag;
    uint32_t *entry; /* NULL: free */
};

struct remembered {
    struct slot *slots;
    uint32_t slot_count, used; /* a power of two; at most half of it */
    size_t words;
    uint32_t *key; /* of the present state, MOST_KEY words at most */
    uint32_t key_length;
    uint32_t tag;             /* of the key */
    bool is_kept;             /* the key is not too long */
    uint32_t *reasons;        /* scratch */
    uint32_t asked, answered; /* since it was last looked at whether it pays */
    bool is_spared;           /* the first time: of what several workers find, each meets again only a part so early */
    bool is_given_up;
};

bool remembered_make(struct portolan_stubborn *s, bool beside_others)
{
    struct remembered *m = s->remembered = calloc(1, sizeof *m);
    if (!m)
        return false;
    m->slot_count = FIRST_SLOTS;
    m->is_spared = beside_others;
    m->slots = calloc(m->slot_count, sizeof *m->slots);
    m->reasons = calloc((size_t)s->relations->guards + 1, sizeof *m->reasons);
    m->key = calloc(MOST_KEY, sizeof *m->key);
    return m->slots && m->reasons && m->key;
}

static void forget(struct remembered *m)
{
    for (uint32_t i = 0; i < m->slot_count; i++) {
        free(m->slots[i].entry);
        m->slots[i].entry = NULL;
    }
    m->used = 0;
    m->words = 0;
}

void remembered_free(struct remembered *m)
{
    if (!m)
        return;
    if (m->slots)
        forget(m);
    free(m->slots);
    free(m->key);
    free(m->reasons);
    free(m);
}

size_t remembered_bytes(const struct remembered *m)
{
    return m->words * sizeof(uint32_t) + m->slot_count * sizeof *m->slots;
}

static uint32_t mixed(uint32_t tag, uint32_t word)
{
    uint64_t product = (tag ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(product >> 32) ^ (uint32_t)product;
}

/* Two bits for where each successor stands. */
static uint32_t pack_standings(const struct portolan_stubborn *s, uint32_t count, uint32_t *word)
{
    enum { PER_WORD = 16 };
    uint32_t words = (count + PER_WORD - 1) / PER_WORD;
    memset(word, 0, words * sizeof *word);
    for (uint32_t i = 0; i < count; i++)
        word[i / PER_WORD] |= (uint32_t)s->standing[i] << i % PER_WORD * 2;
    return words;
}

/* The key of the present state; kind tells apart what is computed in one state. */
static void make_key(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind)
{
    struct remembered *m = s->remembered;
    uint32_t count = choice->enabled_count, attractors = s->seeks_goal ? s->attractor_count : 0, at = 0;
    m->is_kept = count < MOST_KEY / 2 && attractors < MOST_KEY / 4;
    if (!m->is_kept)
        return;
    m->key[at++] = count << 2 | kind;
    memcpy(m->key + at, choice->enabled, count * sizeof *m->key);
    at += count;
    if (s->judged)
        at += pack_standings(s, count, m->key + at);
    if (attractors)
        memcpy(m->key + at, s->attractors, attractors * sizeof *m->key);
    m->key_length = at + attractors;
    uint32_t tag = 0;
    for (uint32_t i = 0; i < m->key_length; i++)
        tag = mixed(tag, m->key[i]);
    m->tag = tag;
}

static inline bool has_key(const struct remembered *m, const struct slot *slot)
{
    return slot->tag == m->tag && slot->entry[0] == m->key_length &&
           memcmp(slot->entry + HEAD, m->key, m->key_length * sizeof *m->key) == 0;
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
    m->is_given_up = m->answered < TRIALS / 3 && !m->is_spared;
    m->is_spared = false;
    m->asked = m->answered = 0;
    if (m->is_given_up)
        forget(m);
    return !m->is_given_up;
}

uint32_t remembered_find(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind, uint32_t *out)
{
    struct remembered *m = s->remembered;
    if (m->is_given_up || !is_worth_asking(m))
        return 0;
    make_key(s, choice, kind);
    s->work += m->key_length;
    uint32_t mask = m->slot_count - 1;
    for (uint32_t at = m->tag & mask; m->is_kept && m->slots[at].entry; at = (at + 1) & mask) {
        const uint32_t *entry = m->slots[at].entry;
        if (!has_key(m, &m->slots[at]) || !reasons_hold(s, choice, entry))
            continue;
        memcpy(out, entry + HEAD + entry[0], entry[1] * sizeof *out);
        m->answered++;
        return entry[1];
    }
    return 0;
}

static bool grow(struct remembered *m)
{
    uint32_t count = m->slot_count * 2;
    struct slot *slots = limits_allow(count * sizeof *slots) ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    for (uint32_t i = 0; i < m->slot_count; i++) {
        if (!m->slots[i].entry)
            continue;
        uint32_t at = m->slots[i].tag & (count - 1);
        while (slots[at].entry)
            at = (at + 1) & (count - 1);
        slots[at] = m->slots[i];
    }
    free(m->slots);
    m->slots = slots;
    m->slot_count = count;
    return true;
}

/* A slot for a new entry of the key; NULL when it has enough. */
static struct slot *free_slot(struct remembered *m)
{
    uint32_t mask = m->slot_count - 1, at = m->tag & mask, alike = 0;
    for (; m->slots[at].entry; at = (at + 1) & mask)
        alike += has_key(m, &m->slots[at]);
    return alike < MOST_ALIKE ? &m->slots[at] : NULL;
}

static void keep_entry(struct remembered *m, const uint32_t *set, uint32_t count, uint32_t reasons)
{
    size_t words = HEAD + m->key_length + count + reasons;
    if (m->words + words > MOST_WORDS)
        forget(m);
    if (m->used >= m->slot_count / 2 && !grow(m))
        return;
    struct slot *slot = free_slot(m);
    uint32_t *entry = slot ? malloc(words * sizeof *entry) : NULL;
    if (!entry)
        return; /* then it is computed again */
    entry[0] = m->key_length;
    entry[1] = count;
    entry[2] = reasons;
    memcpy(entry + HEAD, m->key, m->key_length * sizeof *entry);
    memcpy(entry + HEAD + m->key_length, set, count * sizeof *entry);
    memcpy(entry + HEAD + m->key_length + count, m->reasons, reasons * sizeof *entry);
    *slot = (struct slot){m->tag, entry};
    m->used++;
    m->words += words;
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
