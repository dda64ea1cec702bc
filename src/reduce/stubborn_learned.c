/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What deletions that failed tell of other states.
 *
 * Most sets that are computed are everything, since each deletion spreads to all keys (stubborn_deletion.c).  How it
 * spread from an enabled t to an enabled v is a chain of which every link asks little of the state: that a transition
 * is enabled which goes, or loses v its key, because one in conflict with it has gone; that one is disabled which goes
 * because each of its guards has lost an enabler or is true.  In every state where these are enabled, those disabled
 * and these guards true, the deletion of t spreads to v again, whatever else is enabled: what has to go where some have
 * gone is a matter of these alone, and more that goes makes no difference.  So for each pair such conditions are kept,
 * and where they make every deletion spread to all keys the set is everything without its computation.
 *
 * Only first deletions count, before which nothing has gone.  Chains over an enabled transition that is no key and goes
 * because its guards are not guarded are left out.  What is enabled beside the chain may be anything, so a pair of
 * processes is learned once, not once for each state of the others.  The rule is our own; that too much is taken for
 * everything would cost states, not soundness.
 */
#include "reduce/stubborn.h"

#include "base/bits.h"
#include "reduce/deletion.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADS = 1 << 12,  /* pairs, found by hashing */
    MOST_LINKS = 6,   /* conditions of one pair */
    MOST_ENABLED = 8, /* more are not looked at */
    MOST_WORDS = 4,   /* of a set of transitions or guards */
    MOST_BYTES = 1 << 23,
    TRIALS = 1024,
    GOOD_PART = 4, /* one set in so many must be known */
    RESTS = 8      /* else nobody asks for so many times as many */
};

struct link {
    struct link *next;
    uint32_t from, to;
    bool deletes;         /* `to` goes; else it is no key any more */
    uint64_t condition[]; /* enabled transitions, disabled ones, true guards: a set each */
};

struct learned {
    struct link *head[HEADS];
    size_t link_bytes, bytes;
    uint32_t asked, answered, rest; /* since it was last looked at whether it pays; if not, for so many sets */
};

bool learned_make(struct portolan_stubborn *s)
{
    const struct deletion *d = s->deletion;
    if (d->words > MOST_WORDS || d->guard_words > MOST_WORDS)
        return true;
    struct learned *l = s->learned = calloc(1, sizeof *l);
    if (l)
        l->link_bytes = sizeof(struct link) + (2 * d->words + d->guard_words) * sizeof(uint64_t);
    return l;
}

void learned_free(struct learned *l)
{
    for (uint32_t i = 0; l && i < HEADS; i++)
        while (l->head[i]) {
            struct link *next = l->head[i]->next;
            free(l->head[i]);
            l->head[i] = next;
        }
    free(l);
}

size_t learned_bytes(const struct learned *l)
{
    return sizeof *l + l->bytes;
}

static struct link **head_of(struct learned *l, uint32_t from, uint32_t to)
{
    uint32_t mixed = from * UINT32_C(0x9e3779b1) ^ to * UINT32_C(0x85ebca6b);
    return &l->head[(mixed ^ mixed >> 16) % HEADS];
}

/* What the chain that ends with the deletion of `last` asks of the state; false where that is not told. */
static bool follow(const struct portolan_stubborn *s, uint32_t last, uint64_t *enabled, uint64_t *disabled,
                   uint64_t *guards)
{
    const struct deletion *d = s->deletion;
    uint64_t wanted[MOST_WORDS] = {0};
    if (last == DELETION_UNTOLD)
        return false;
    bit_set(wanted, last);
    for (uint32_t i = d->position[last]; i > 0; i--) {
        uint32_t u = d->queue[i], by = d->cause[u];
        if (!bit_get(wanted, u))
            continue;
        if (by == DELETION_UNTOLD)
            return false;
        if (bit_get(d->enabled, u)) {
            bit_set(enabled, u);
            bit_set(wanted, by);
            continue;
        }
        bit_set(disabled, u);
        for_list (g, s->relations->guards_of, u) {
            if (bit_get(d->gone, *g) && d->position[d->gone_cause[*g]] <= d->position[by])
                bit_set(wanted, d->gone_cause[*g]);
            else
                bit_set(guards, *g);
        }
    }
    return true;
}

static void keep_link(struct portolan_stubborn *s, uint32_t from, uint32_t to, bool deletes, uint32_t last)
{
    const struct deletion *d = s->deletion;
    struct learned *l = s->learned;
    struct link **head = head_of(l, from, to), *link;
    uint32_t alike = 0;
    for (link = *head; link; link = link->next)
        alike += link->from == from && link->to == to;
    if (alike >= MOST_LINKS || l->bytes + l->link_bytes > MOST_BYTES || !(link = calloc(1, l->link_bytes)))
        return;
    *link = (struct link){.next = *head, .from = from, .to = to, .deletes = deletes};
    if (!follow(s, last, link->condition, link->condition + d->words, link->condition + 2 * d->words)) {
        free(link);
        return;
    }
    *head = link;
    l->bytes += l->link_bytes;
}

void learned_keep(struct portolan_stubborn *s, uint32_t t)
{
    const struct deletion *d = s->deletion;
    if (s->learned->rest > 0)
        return;
    if (d->hit != UINT32_MAX) {
        keep_link(s, t, d->hit, true, d->cause[d->hit]);
        return;
    }
    for (size_t w = 0; w < d->words; w++) {
        uint32_t v;
        for_bits(v, d->enabled[w], w)
        {
            if (v == t)
                continue;
            bool is_key = bit_get(d->keys, v), is_there = bit_get(d->alive, v);
            if (!is_key)
                keep_link(s, t, v, false, d->key_cause[v]);
            else if (!is_there)
                keep_link(s, t, v, true, d->cause[v]);
        }
    }
}

static bool holds(struct portolan_stubborn *s, const void *state, const struct link *link)
{
    const struct deletion *d = s->deletion;
    const uint64_t *enabled = link->condition, *disabled = enabled + d->words;
    for (size_t w = 0; w < d->words; w++)
        if ((enabled[w] & ~d->enabled[w]) | (disabled[w] & d->enabled[w]))
            return false;
    return deletion_all_true(s, state, disabled + d->words);
}

/* What the deletion of one enabled transition brings about, as bits of indexes. */
struct effect {
    uint32_t deleted, no_key;
};

static void find_effect(struct portolan_stubborn *s, const struct choice *choice, uint32_t from, struct effect *effect)
{
    struct deletion *d = s->deletion;
    for (uint32_t to = 0; to < choice->enabled_count; to++) {
        uint32_t t = choice->enabled[from], u = choice->enabled[to], bit = UINT32_C(1) << to;
        for (const struct link *link = *head_of(s->learned, t, u); link && !(effect->deleted & bit);
             link = link->next) {
            if (link->from != t || link->to != u || (!link->deletes && effect->no_key & bit) ||
                !holds(s, choice->state, link))
                continue;
            *(link->deletes ? &effect->deleted : &effect->no_key) |= bit;
            for (size_t w = 0; w < d->guard_words; w++)
                d->noted[w] |= link->condition[2 * d->words + w];
        }
    }
}

static bool is_worth_asking(struct learned *l)
{
    if (l->rest > 0) {
        l->rest--;
        return false;
    }
    if (l->asked++ < TRIALS)
        return true;
    l->rest = l->answered < TRIALS / GOOD_PART ? RESTS * TRIALS : 0;
    l->asked = l->answered = 0;
    return l->rest == 0;
}

bool learned_is_full(struct portolan_stubborn *s, const struct choice *choice)
{
    struct effect of[MOST_ENABLED] = {{0, 0}};
    uint32_t count = choice->enabled_count, all = (UINT32_C(1) << count % 32) - 1, kept = 0;
    if (count > MOST_ENABLED || !is_worth_asking(s->learned))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!stubborn_is_enabled(s, choice->enabled[i]))
            return false;
        of[i].deleted = UINT32_C(1) << i;
        find_effect(s, choice, i, &of[i]);
    }
    for (uint32_t middle = 0; middle < count; middle++)
        for (uint32_t i = 0; i < count; i++)
            if (of[i].deleted >> middle & 1) {
                of[i].deleted |= of[middle].deleted;
                of[i].no_key |= of[middle].no_key;
            }
    for (uint32_t i = 0; i < count; i++)
        if ((of[i].deleted | of[i].no_key) == all) {
            deletion_keep(s, choice->enabled[i]);
            kept++;
        }
    s->learned->answered += kept == count;
    return kept == count;
}
