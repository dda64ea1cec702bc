/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a set is worth computing.  Some transitions are never, or hardly ever, in a set smaller than everything,
 * whatever else is enabled: they lead to where processes compete.  Where only such ones are enabled the set would
 * hardly ever be smaller, so it is computed only when what is enabled turns up again and again.  Whatever is expanded
 * fully is expanded soundly; and how good the outlook is has been learned from the sets that were computed.
 */
#include "reduce/stubborn.h"

#include <limits.h>
#include <stdlib.h>

enum {
    FIRST_SETS = 1000, /* are computed whatever the outlook, so that there is something to learn from */
    GOOD_PART = 10,    /* of the sets one in so many must have been smaller, with one of the transitions in it */
    OCCURRENCES = 4,   /* it is computed every so many times, less often where the outlook is worse */
    COUNTERS = 1 << 14 /* of occurrences, found by hashing; others that share one only bring it forward */
};

struct outlook {
    struct history {
        uint32_t computed, smaller; /* sets where it was enabled; of these the smaller ones that it is in */
    } * of;                         /* per transition */
    unsigned char *occurrences;
    uint32_t learned; /* from so many sets, as far as it matters */
};

bool outlook_make(struct portolan_stubborn *s)
{
    struct outlook *o = s->outlook = calloc(1, sizeof *o);
    if (!o)
        return false;
    o->of = calloc((size_t)s->relations->transitions + 1, sizeof *o->of);
    o->occurrences = calloc(COUNTERS, sizeof *o->occurrences);
    return o->of && o->occurrences;
}

void outlook_free(struct outlook *o)
{
    if (!o)
        return;
    free(o->of);
    free(o->occurrences);
    free(o);
}

bool outlook_is_poor(struct portolan_stubborn *s, const struct choice *choice, uint32_t tag)
{
    struct outlook *o = s->outlook;
    uint32_t part = UCHAR_MAX / OCCURRENCES * GOOD_PART; /* one in so many, of the best */
    if (o->learned < FIRST_SETS)
        return false;
    for (uint32_t i = 0; i < choice->enabled_count; i++) {
        const struct history *h = &o->of[choice->enabled[i]];
        if ((h->smaller + 1) * part > h->computed + 2)
            part = (h->computed + 2) / (h->smaller + 1);
    }
    s->work += choice->enabled_count;
    if (part < GOOD_PART)
        return false;
    unsigned char *times = &o->occurrences[tag % COUNTERS];
    bool is_due = ++*times >= part * OCCURRENCES / GOOD_PART;
    if (is_due)
        *times = 0;
    return !is_due;
}

void outlook_learn(struct portolan_stubborn *s, const struct choice *choice, const uint32_t *set, uint32_t count)
{
    enum { LONG_AGO = 1 << 16 };
    struct outlook *o = s->outlook;
    o->learned += o->learned < FIRST_SETS;
    for (uint32_t i = 0; i < choice->enabled_count; i++) {
        struct history *h = &o->of[choice->enabled[i]];
        if (++h->computed == LONG_AGO) {
            h->computed /= 2;
            h->smaller /= 2;
        }
    }
    for (uint32_t i = 0; count < choice->enabled_count && i < count; i++)
        o->of[choice->enabled[set[i]]].smaller++;
}
