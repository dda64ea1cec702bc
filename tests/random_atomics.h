/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random C programs of atomics with memory orders around plain data, and what is true of them.
 *
 * The oracle shares nothing with the runtime: it goes through every interleaving of the atomic steps, writes down the
 * events and the modification order of each byte, and finds release sequences and happens-before by the letter of
 * C17 5.1.2.4 and 7.17.4.
 */
#ifndef TESTS_RANDOM_ATOMICS_H
#define TESTS_RANDOM_ATOMICS_H

#include "explore_c.h"

enum { ATOMICS_THREADS = 3, ATOMICS_STATEMENTS = 8 };

enum atomics_kind {
    DO_LOAD,
    DO_STORE,
    DO_EXCHANGE,
    DO_ADD,
    DO_OR,
    DO_AND,
    DO_SET,
    DO_CLEAR,
    DO_SWAP,
    DO_LOCK,
    DO_UNLOCK,
    DO_AWAIT,  /* a loop that loads until it finds the value */
    DO_CHOOSE, /* one of so many values */
    DO_FENCE,  /* this and the next are no steps */
    DO_ASSUME, /* that the last value was not this one */
    DO_READ,
    DO_WRITE
};
enum atomics_order { RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
enum atomics_place { X, Y, W, B0, B1, G, F, ATOMIC_PLACES }; /* W is B0 and B1 */
enum atomics_plain { P, Q, E, N, PLAIN_PLACES };             /* E and N are for expected values */

struct atomics_statement {
    enum atomics_kind kind;
    enum atomics_order order, failure;
    enum atomics_place place;
    int plain;           /* of an access, or where the expected value is; -1: it is given */
    int value, expected; /* -1, of a plain write: the last value */
    int guard;           /* it is done only if the last value was this one; -1: always */
    bool ignored;        /* nobody asks for its value: it may commute with its like */
    struct atomics_loop {
        bool differs;   /* it ends at another value than this one */
        bool by_or;     /* it reads by or-ing 0 */
        int second;     /* a place that it reads then, where 1 ends it too; -1: none */
        int most;       /* rounds; 0: any number */
        int found;      /* a round that has read this accesses the plain place; -1: every one */
        bool has_plain; /* there is such an access, ... */
        bool writes;    /* which writes the value that is there at the start, or ... */
        int ending;     /* ... reads, and this ends the loop */
        bool has_own;   /* the value that ends it is in a variable of the thread's own */
    } loop;
};

struct atomics_program {
    struct atomics_statement statements[ATOMICS_THREADS][ATOMICS_STATEMENTS];
    int count[ATOMICS_THREADS], threads;
    bool is_volatile[ATOMIC_PLACES]; /* not atomic: loads and stores are relaxed */
};

struct atomics_truth {
    bool race, complete, stuck;
    uint64_t interleavings, visits;
    struct text_set ends; /* of all that have no race */
};

enum atomics_subject { ATOMICS_ALONE, ATOMICS_LOOPS, ATOMICS_CHOICES }; /* the last with loops and volatile, too */

void random_atomics(uint64_t seed, enum atomics_subject subject, struct atomics_program *program);
void atomics_write_c(const struct atomics_program *programs, size_t count, enum atomics_subject subject, FILE *out);
/* Ends at the first race, unless it goes on: then it is known whether threads may wait for ever in executions without.
 */
void atomics_find_truth(const struct atomics_program *program, bool goes_on, struct atomics_truth *truth);

#endif
