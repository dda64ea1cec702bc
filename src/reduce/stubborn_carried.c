/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets carried over to states with other enabled transitions.
 *
 * That a set is stubborn is a matter of its own members only: those that were enabled are, and of each of the others
 * the false guard that was its reason is false (stubborn_remembered.c).  What is enabled besides makes no difference.
 * So where no set is remembered for exactly what is enabled, one that was computed for something else may do.  It is
 * taken when its enabled members are those that deletion would try last: all others could be deleted, since the set
 * would stay, so deletion would end with this set or a part of it.
 *
 * The workers of a search share them: a set is written before it is put in front of a list, by one compare-and-swap,
 * and never changed.
 */
#include "reduce/stubborn.h"

#include "base/apart.h"
#include "base/bits.h"
#include "base/generations.h"
#include "reduce/word_rows.h"

#include <stdlib.h>
#include <string.h>

#ifndef CARRIED_BYTES /* of all sets; then all are forgotten. Tests have room for fewer */
#define CARRIED_BYTES (1 << 22)
#endif

enum { MOST_BY_MEMBER = 24 /* sets filed under one transition */ };

struct carried_set {
    struct carried_set *next;
    uint64_t signature; /* of its enabled transitions */
    uint32_t members, reason_words;
    struct row_word *reason; /* guards, behind the members */
    uint32_t member[];       /* enabled transitions */
};

/* Each set is filed under one of its enabled transitions. */
struct file {
    struct carried_set *first;
    uint32_t length;
};

struct carried {
    struct holder holder; /* of a struct file for each transition, which all workers share */
};

bool carried_make(struct portolan_stubborn *s, const struct portolan_stubborn *beside)
{
    struct carried *c = s->carried = calloc_apart(1, sizeof *c);
    size_t files = (size_t)s->relations->transitions + 1;
    return c && holder_make(&c->holder, beside ? &beside->carried->holder : NULL, files * sizeof(struct file),
                            CARRIED_BYTES);
}

void carried_free(struct carried *c)
{
    if (!c)
        return;
    holder_clear(&c->holder);
    free(c);
}

size_t carried_bytes(const struct carried *c)
{
    return holder_bytes(&c->holder);
}

/* A bit for each transition, which several share: of a part of them it is a part. */
static uint64_t signature_bit(uint32_t transition)
{
    return UINT64_C(1) << transition % 64;
}

/* Are the members enabled, and the last ones in the order of deletion? */
static bool are_last(struct portolan_stubborn *s, const struct choice *choice, const struct carried_set *set)
{
    uint32_t first = choice->enabled_count - set->members;
    for (uint32_t i = 0; i < set->members; i++) {
        uint32_t at = first;
        while (at < choice->enabled_count && choice->enabled[s->order[at]] != set->member[i])
            at++;
        if (at == choice->enabled_count)
            return false;
    }
    return true;
}

static uint32_t list_reasons(const struct carried_set *set, uint32_t *guards)
{
    uint32_t count = 0, g;
    for (uint32_t i = 0; i < set->reason_words; i++)
        for_bits(g, set->reason[i].bits, set->reason[i].word) guards[count++] = g;
    return count;
}

uint32_t carried_find(struct portolan_stubborn *s, const struct choice *choice, uint32_t *reasons,
                      uint32_t *reason_count, uint32_t *out)
{
    uint32_t last = choice->enabled[s->order[choice->enabled_count - 1]];
    uint64_t signature = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        signature |= signature_bit(choice->enabled[i]);
    const struct file *files = holder_root(&s->carried->holder);
    const struct carried_set *set = files ? __atomic_load_n(&files[last].first, __ATOMIC_ACQUIRE) : NULL;
    for (; set; set = set->next) {
        s->work++;
        if (set->signature & ~signature || set->members >= choice->enabled_count || !are_last(s, choice, set) ||
            !deletion_all_false(s, choice->state, set->reason, set->reason_words))
            continue;
        memcpy(out, s->order + choice->enabled_count - set->members, set->members * sizeof *out);
        *reason_count = list_reasons(set, reasons);
        return set->members;
    }
    return 0;
}

/* In increasing order. */
static uint32_t count_words(const uint32_t *reasons, uint32_t reason_count)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < reason_count; i++)
        words += i == 0 || reasons[i] / 64 != reasons[i - 1] / 64;
    return words;
}

static struct carried_set *new_set(struct holder *holder, const uint32_t *reasons, uint32_t reason_count,
                                   uint32_t members)
{
    uint32_t words = count_words(reasons, reason_count);
    size_t head = sizeof(struct carried_set) + (members + members % 2) * sizeof(uint32_t);
    struct carried_set *set = holder_take(holder, head + words * sizeof *set->reason);
    if (!set)
        return NULL;
    *set = (struct carried_set){.members = members, .reason = (struct row_word *)((char *)set + head)};
    for (uint32_t i = 0; i < reason_count; i++) {
        if (i == 0 || reasons[i] / 64 != reasons[i - 1] / 64)
            set->reason[set->reason_words++] = (struct row_word){.word = reasons[i] / 64};
        set->reason[set->reason_words - 1].bits |= UINT64_C(1) << reasons[i] % 64;
    }
    return set;
}

void carried_keep(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t count,
                  const uint32_t *reasons, uint32_t reason_count)
{
    struct holder *holder = &s->carried->holder;
    struct file *files = holder_root(holder), *file;
    uint32_t member = choice->enabled[set[0]];
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (set[k] == s->order[i])
                member = choice->enabled[set[k]];
    if (!files || __atomic_load_n(&(file = &files[member])->length, __ATOMIC_RELAXED) >= MOST_BY_MEMBER)
        return;
    struct carried_set *kept = new_set(holder, reasons, reason_count, count);
    if (!kept)
        return;
    for (uint32_t i = 0; i < count; i++)
        kept->signature |= signature_bit(kept->member[i] = choice->enabled[set[i]]);
    kept->next = __atomic_load_n(&file->first, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&file->first, &kept->next, kept, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    __atomic_fetch_add(&file->length, 1, __ATOMIC_RELAXED);
}
