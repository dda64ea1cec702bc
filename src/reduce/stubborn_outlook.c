/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a set is worth computing.  Some transitions are never, or hardly ever, in a set smaller than everything,
 * whatever else is enabled: they lead to where processes compete.  Where only such ones are enabled the set would
 * hardly ever be smaller, so it is computed only when what is enabled turns up again and again.  The same is asked of
 * pairs: a smaller set has one transition and not another, so where no two of the enabled ones were often parted, it
 * would hardly be smaller either.  Whatever is expanded fully is expanded soundly; and how good the outlook is has been
 * learned from the sets that were computed.
 */
#include "reduce/stubborn.h"

#include "base/apart.h"

#include <limits.h>
#include <stdlib.h>

enum {
    FIRST_SETS = 300,   /* are computed whatever the outlook, so that there is something to learn from */
    GOOD_PART = 10,     /* of the sets one in so many must have been smaller, with one of the transitions in it */
    OCCURRENCES = 4,    /* it is computed every so many times, less often where the outlook is worse */
    COUNTERS = 1 << 14, /* of occurrences, found by hashing; others that share one only bring it forward */
    PAIRS = 1 << 12,    /* histories of pairs, found by hashing */
    MOST_PAIRED = 8,    /* enabled transitions of which pairs are looked at */
    GOOD_PAIR = 5,      /* one in so many sets must have parted a pair */
    WORST_PART = UCHAR_MAX / OCCURRENCES * GOOD_PART /* one in so many, of the best */
};

struct history {
    uint32_t computed, smaller;
};

struct outlook {
    struct history *of;    /* per transition: sets where it was enabled; of these the smaller ones that it is in */
    struct history *pairs; /* sets where both were enabled; of these those with only one of them */
    unsigned char *occurrences;
    uint32_t learned; /* from so many sets, as far as it matters */
};

bool outlook_make(struct portolan_stubborn *s)
{
    struct outlook *o = s->outlook = calloc_apart(1, sizeof *o);
    if (!o)
        return false;
    o->of = calloc_apart((size_t)s->relations->transitions + 1, sizeof *o->of);
    o->pairs = calloc_apart(PAIRS, sizeof *o->pairs);
    o->occurrences = calloc_apart(COUNTERS, sizeof *o->occurrences);
    return o->of && o->pairs && o->occurrences;
}

void outlook_free(struct outlook *o)
{
    if (!o)
        return;
    free(o->of);
    free(o->pairs);
    free(o->occurrences);
    free(o);
}

static struct history *history_of_pair(const struct outlook *o, uint32_t t, uint32_t u)
{
    uint32_t mixed = (t * UINT32_C(0x9e3779b1)) ^ (u * UINT32_C(0x85ebca6b));
    return &o->pairs[(mixed ^ mixed >> 16) % PAIRS];
}

/* One in how many sets was smaller, at best? */
static uint32_t part_of(const struct history *h)
{
    return (h->computed + 2) / (h->smaller + 1);
}

static uint32_t best_part(const struct outlook *o, const struct choice *choice)
{
    uint32_t part = WORST_PART;
    for (uint32_t i = 0; i < choice->enabled_count; i++) {
        uint32_t other = part_of(&o->of[choice->enabled[i]]);
        part = other < part ? other : part;
    }
    return part;
}

static uint32_t best_part_of_pairs(const struct outlook *o, const struct choice *choice)
{
    uint32_t part = WORST_PART;
    if (choice->enabled_count > MOST_PAIRED)
        return 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        for (uint32_t k = 0; k < i && part >= GOOD_PAIR; k++) {
            uint32_t other = part_of(history_of_pair(o, choice->enabled[k], choice->enabled[i]));
            part = other < part ? other : part;
        }
    return part;
}

bool outlook_is_poor(struct portolan_stubborn *s, const struct choice *choice, uint32_t tag)
{
    struct outlook *o = s->outlook;
    if (o->learned < FIRST_SETS)
        return false;
    uint32_t part = best_part(o, choice), parted = best_part_of_pairs(o, choice);
    s->work += choice->enabled_count;
    if (part < GOOD_PART && parted < GOOD_PAIR)
        return false;
    uint32_t due = part * OCCURRENCES / GOOD_PART, due_by_pairs = parted * OCCURRENCES / GOOD_PAIR;
    due = due_by_pairs > due ? due_by_pairs : due;
    unsigned char *times = &o->occurrences[tag % COUNTERS];
    bool is_due = ++*times >= (due < UCHAR_MAX ? due : UCHAR_MAX);
    if (is_due)
        *times = 0;
    return !is_due;
}

static void count(struct history *h, bool smaller)
{
    enum { LONG_AGO = 1 << 16 };
    h->smaller += smaller;
    if (++h->computed == LONG_AGO) {
        h->computed /= 2;
        h->smaller /= 2;
    }
}

void outlook_learn(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t set_count)
{
    struct outlook *o = s->outlook;
    o->learned += o->learned < FIRST_SETS;
    bool is_in[MOST_PAIRED] = {0}, smaller = set_count < choice->enabled_count;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        count(&o->of[choice->enabled[i]], false);
    for (uint32_t i = 0; smaller && i < set_count; i++)
        o->of[choice->enabled[set[i]]].smaller++;
    if (choice->enabled_count > MOST_PAIRED)
        return;
    for (uint32_t i = 0; i < set_count; i++)
        is_in[set[i]] = true;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        for (uint32_t k = 0; k < i; k++)
            count(history_of_pair(o, choice->enabled[k], choice->enabled[i]), is_in[i] != is_in[k]);
}
