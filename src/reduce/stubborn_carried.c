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
#include "base/generations.h"

#include <stdlib.h>
#include <string.h>

#ifndef CARRIED_BYTES /* of all sets; then all are forgotten. Tests have room for fewer */
#define CARRIED_BYTES (1 << 22)
#endif

enum { MOST_BY_MEMBER = 24 /* sets filed under one transition */ };

struct carried_set {
    struct carried_set *next;
    uint64_t signature;        /* of its enabled transitions */
    uint32_t members, reasons; /* enabled transitions, then guards */
    uint32_t item[];
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

/* Is each reason false in the present state? */
static bool will_do(struct portolan_stubborn *s, const void *state, const struct carried_set *set)
{
    const uint32_t *reason = set->item + set->members;
    for (uint32_t i = 0; i < set->reasons; i++) {
        s->work++;
        if (stubborn_guard_holds(s, state, reason[i]))
            return false;
    }
    return true;
}

/* Are the members enabled, and the last ones in the order of deletion? */
static bool are_last(struct portolan_stubborn *s, const struct choice *choice, const struct carried_set *set)
{
    uint32_t first = choice->enabled_count - set->members;
    for (uint32_t i = 0; i < set->members; i++) {
        uint32_t at = first;
        while (at < choice->enabled_count && choice->enabled[s->order[at]] != set->item[i])
            at++;
        if (at == choice->enabled_count)
            return false;
    }
    return true;
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
            !will_do(s, choice->state, set))
            continue;
        memcpy(out, s->order + choice->enabled_count - set->members, set->members * sizeof *out);
        memcpy(reasons, set->item + set->members, set->reasons * sizeof *reasons);
        *reason_count = set->reasons;
        return set->members;
    }
    return 0;
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
    struct carried_set *kept = holder_take(holder, sizeof *kept + (count + reason_count) * sizeof *kept->item);
    if (!kept)
        return;
    *kept = (struct carried_set){.members = count, .reasons = reason_count};
    for (uint32_t i = 0; i < count; i++)
        kept->signature |= signature_bit(kept->item[i] = choice->enabled[set[i]]);
    memcpy(kept->item + count, reasons, reason_count * sizeof *reasons);
    kept->next = __atomic_load_n(&file->first, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&file->first, &kept->next, kept, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    __atomic_fetch_add(&file->length, 1, __ATOMIC_RELAXED);
}
