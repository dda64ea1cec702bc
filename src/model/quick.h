/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instance does by words instead of cell by cell: tests that ask for one value of a field are one masked
 * comparison for all of them in a word, and those for a range one more subtraction each; code that only counts is an
 * addition for each cell it counts.  It depends on the layout, so it is made anew when that becomes wider.  For models
 * whose processes have nothing but a location, as protocols.
 */
#ifndef MODEL_QUICK_H
#define MODEL_QUICK_H

#include "model/derived.h"

#include <stdatomic.h>

struct word_test { /* (state[word] & mask) - want <= span: with a span of 0 a comparison, else a range of a field */
    uint64_t mask, want, span;
    uint32_t word;
};

struct quick_departure {
    uint64_t mask, want; /* its first comparison */
    uint32_t word;
    uint32_t action;     /* with CHECKED: there is more to ask */
    uint32_t from, code; /* from: MODEL_NONE when the action is not plain */
};
#define CHECKED (UINT32_C(1) << 31)

/* Departures from one location that all need something of these bits; 0: they do not. */
struct group {
    uint64_t bits;
    uint32_t word, first, end;
};

struct count { /* state[word] += one */
    uint64_t one, full;
    uint32_t word;
    uint32_t owner; /* process that decides whether the cell is dead; MODEL_NONE: it never is */
};

struct quick_action {
    uint32_t first_test, tests;
    uint32_t process;
    bool is_stop;  /* it may be left out */
    bool is_slow;  /* its code may block */
    bool is_plain; /* the common part only counts */
};

struct quick_code {
    uint32_t first, counts;
    bool is_plain;         /* it only counts */
    uint32_t word;         /* of the location of its process */
    uint64_t bits;         /* there: the location to which it leads */
    const uint64_t *stays; /* row: all but the location of the process, and what is dead at the next one */
};

struct where { /* where the location of a process is in a state */
    uint64_t mask;
    uint32_t word, shift, first_location;
};

struct quick {
    struct where *where;                /* per process */
    struct quick_departure *departures; /* as those of struct derived, but by groups */
    VECTOR(struct group) groups;
    uint32_t *first_group; /* per location */
    struct quick_action *actions;
    struct quick_code *codes; /* per instruction that begins the code of an edge */
    VECTOR(struct word_test) tests;
    VECTOR(struct count) counts;
    /* rows of whole states */
    uint64_t *taken; /* per action: what the common part takes away */
    uint64_t *stays; /* per dead set, then per process for where nothing is dead, then everything */
    uint64_t *everything;
    const uint64_t **stays_at; /* per location: its row */
    /* per action: its departure when it was last found enabled, by whichever thread; NULL in what was opened, which
     * never changes */
    _Atomic(const struct quick_departure *) *hint;
};

bool quick_make(struct instance *in);
void quick_clear(struct instance *in);

static inline uint32_t quick_location(const struct where *where, const uint64_t *state)
{
    return where->first_location + (uint32_t)(state[where->word] >> where->shift & where->mask);
}

/* Of a system; the enabled actions come by number. */
uint32_t quick_enabled(const void *model, const void *state, uint32_t *out);
enum portolan_fired quick_fire(const void *model, const void *state, uint32_t action, void *successor);

#endif
