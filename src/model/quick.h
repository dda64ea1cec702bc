/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instance does by words instead of cell by cell: tests that ask for one value of a field are one masked
 * comparison for all of them in a word; code that only counts is one addition for each cell it counts.  It depends on
 * the layout, so it is made anew when that becomes wider.
 */
#ifndef MODEL_QUICK_H
#define MODEL_QUICK_H

#include "model/derived.h"

struct word_test { /* (state[word] & mask) == want */
    uint64_t mask, want;
    uint32_t word;
    uint32_t first_more, more; /* further ones */
    bool is_slow;              /* there is something else to be asked: tests, stops, whether the code blocks */
};

struct count { /* state[word] += one (or -= one) */
    uint64_t one, full;
    uint32_t word;
    uint32_t owner; /* process that decides whether the cell is dead; MODEL_NONE: it never is */
};

struct quick_code {
    uint32_t first, counts;
    uint32_t target; /* location */
    bool is_plain;   /* it only counts */
};

struct quick {
    struct word_test *tests; /* per action */
    VECTOR(struct word_test) more;
    struct quick_code *taking; /* per action: what the common part takes away */
    struct quick_code *giving; /* per instruction that begins the code of an edge: what it adds */
    VECTOR(struct count) counts;
    const uint64_t **keep; /* per location: the bits that are not dead, from word 0 on; NULL: none is */
    uint32_t *hint;        /* per action: its departure when it was last found enabled */
};

bool quick_make(struct instance *in);
void quick_clear(struct instance *in);

/* Do the comparisons of an action hold?  If it is slow, that is not all. */
static inline bool quick_test(const struct quick *q, const uint64_t *state, uint32_t action)
{
    const struct word_test *test = &q->tests[action];
    if ((state[test->word] & test->mask) != test->want)
        return false;
    for (uint32_t k = test->first_more; k < test->first_more + test->more; k++)
        if ((state[q->more.item[k].word] & q->more.item[k].mask) != q->more.item[k].want)
            return false;
    return true;
}

/* Fires an action that is enabled and only counts; false when it does not, or something does not fit. */
bool quick_fire(const struct instance *in, const uint64_t *state, uint32_t action, uint64_t *successor);

#endif
