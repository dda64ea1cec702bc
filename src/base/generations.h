/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory to which several threads add, in which all look things up without a lock, and of which everything is forgotten
 * at once when it is full.
 *
 * It comes in generations.  What is in one was written by one thread, published by one atomic store, and stays where it
 * is until the generation goes.  A full one is followed by an empty one; who still looks at the old one holds on to it,
 * and lets go when it begins its next look-up: between two of them it has no pointers into any.  The last to let go
 * releases it.  (Quiescent states: McKenney, Slingwine, "Read-copy update: using execution history to solve concurrency
 * problems", 1998.)  So there is at most one generation for each thread, and one more.
 */
#ifndef BASE_GENERATIONS_H
#define BASE_GENERATIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct generation_block;

struct generation {
    struct generation_block *blocks; /* all that were taken */
    size_t taken;                    /* bytes of those that make it fuller, ... */
    size_t apart;                    /* ... and of the others */
    unsigned holders;                /* under the mutex */
    max_align_t root[];
};

struct generations {
    struct generation *present; /* NULL: nobody has looked yet, or all have let go */
    size_t root_bytes, most;
    pthread_mutex_t mutex; /* for going from one to the next */
    unsigned users;
};

/* One for each thread.  All zero: there is nothing to clear. */
struct holder {
    struct generations *all;
    struct generation *held; /* where it looked last; or NULL */
    unsigned char *next;     /* free bytes that are its own there, ... */
    size_t left;             /* ... so many */
};

/* Of the same generations as another one; or (beside NULL) of new ones, with a root of so many bytes that are zero at
 * first, and room for `most` bytes besides.  False when memory ran out. */
bool holder_make(struct holder *holder, const struct holder *beside, size_t root_bytes, size_t most);
void holder_clear(struct holder *holder);
void holder_move_on(struct holder *holder);

/* Begins a look-up: the root of the present generation; pointers from before count no longer.  NULL when memory ran
 * out. */
static inline void *holder_root(struct holder *holder)
{
    if (__builtin_expect(__atomic_load_n(&holder->all->present, __ATOMIC_RELAXED) != holder->held || !holder->held, 0))
        holder_move_on(holder);
    return holder->held ? holder->held->root : NULL;
}

/* Room in the generation of the last root, which was not NULL; aligned for pointers.  NULL: there is none, and the next
 * root may be that of another generation. */
void *holder_take(struct holder *holder, size_t bytes);
/* The same, all zero and a block of its own, which makes the generation no fuller. */
void *holder_take_apart(struct holder *holder, size_t bytes);
/* Has no pointers into any generation, and will not soon. */
void holder_let_go(struct holder *holder);
/* What was taken of the generation that it holds, divided among all holders. */
size_t holder_bytes(const struct holder *holder);

#endif
