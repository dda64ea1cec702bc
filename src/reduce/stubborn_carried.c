/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets carried over to states with other enabled transitions.
 *
 * That a set is stubborn is a matter of its own members only: those that were enabled are, and of each of the others
 * the false guard that was its reason is false (stubborn_remembered.c).  What is enabled besides makes no difference.
 * So where no set is remembered for exactly what is enabled, one that was computed for something else may do.  It is
 * taken when its enabled members are those that deletion would try last: all others could be deleted, since the set
 * would stay, so deletion would end with this set or a part of it.
 */
#include "reduce/stubborn.h"

#include "base/bits.h"
#include "reduce/word_rows.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_WORDS = 1 << 20, /* of all sets; then all are forgotten */
    MOST_BY_MEMBER = 24   /* sets filed under one transition */
};

struct carried_set {
    struct carried_set *next;
    uint64_t signature; /* of its enabled transitions */
    uint32_t members, reason_words;
    struct row_word *reason; /* guards, behind the members */
    uint32_t member[];       /* enabled transitions */
};

struct carried {
    struct carried_set **by_member; /* each is filed under one of its enabled transitions */
    uint32_t *length;               /* of these lists */
    uint32_t transitions;
    size_t words;
};

bool carried_make(struct portolan_stubborn *s)
{
    struct carried *c = s->carried = calloc(1, sizeof *c);
    if (!c)
        return false;
    c->transitions = s->relations->transitions;
    c->by_member = calloc((size_t)c->transitions + 1, sizeof(struct carried_set *));
    c->length = calloc((size_t)c->transitions + 1, sizeof *c->length);
    return c->by_member && c->length;
}

static void forget(struct carried *c)
{
    for (uint32_t t = 0; t < c->transitions; t++) {
        while (c->by_member[t]) {
            struct carried_set *next = c->by_member[t]->next;
            free(c->by_member[t]);
            c->by_member[t] = next;
        }
        c->length[t] = 0;
    }
    c->words = 0;
}

void carried_free(struct carried *c)
{
    if (!c)
        return;
    if (c->by_member && c->length)
        forget(c);
    free(c->by_member);
    free(c->length);
    free(c);
}

size_t carried_bytes(const struct carried *c)
{
    return c->words * sizeof(uint32_t);
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
    for (const struct carried_set *set = s->carried->by_member[last]; set; set = set->next) {
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

static struct carried_set *new_set(const uint32_t *reasons, uint32_t reason_count, uint32_t members)
{
    uint32_t words = count_words(reasons, reason_count);
    size_t head = sizeof(struct carried_set) + (members + members % 2) * sizeof(uint32_t);
    struct carried_set *set = malloc(head + words * sizeof *set->reason);
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
    struct carried *c = s->carried;
    size_t words = sizeof(struct carried_set) / sizeof *reasons + count + 4 * count_words(reasons, reason_count);
    if (c->words + words > MOST_WORDS)
        forget(c);
    uint32_t member = choice->enabled[set[0]];
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (set[k] == s->order[i])
                member = choice->enabled[set[k]];
    struct carried_set *kept = c->length[member] < MOST_BY_MEMBER ? new_set(reasons, reason_count, count) : NULL;
    if (!kept)
        return;
    kept->next = c->by_member[member];
    for (uint32_t i = 0; i < count; i++)
        kept->signature |= signature_bit(kept->member[i] = choice->enabled[set[i]]);
    c->by_member[member] = kept;
    c->length[member]++;
    c->words += words;
}
