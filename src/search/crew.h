/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers of a search with several threads: how they begin, wait for each other, and stop for one of them.
 *
 * A worker is at work, or it rests: at a meeting, or because another wants to be alone.  A worker that needs to change
 * what all use (a larger table of the store, a wider layout of states) stops the others; each comes to rest at its next
 * crew_pause, at a meeting, or when it wants to be alone itself.  Nobody may do that while holding one of the locks.
 */
#ifndef SEARCH_CREW_H
#define SEARCH_CREW_H

#include "search/search.h"

#include <pthread.h>

struct crew {
    struct explorer **explorers; /* one per worker; the first belongs to the search */
    struct portolan_statistics *published;
    struct portolan_error *errors; /* of those behind the first */
    uint32_t workers;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    _Atomic bool stopping; /* somebody wants to be alone, ... */
    bool alone;            /* ... or is */
    uint32_t resting;
    uint32_t arrived; /* at the meeting of this number */
    _Atomic uint64_t meeting;
    _Atomic uint32_t idle;        /* without work, where work is shared */
    bool over;                    /* nobody has any, or the search has ended */
    void (*part)(void *argument); /* that those at rest help with */
    void *argument;
    uint64_t round;
    uint32_t helping;
    pthread_mutex_t telling; /* callbacks, answers, the recording, statistics: by one at a time */
};

/* Makes the explorers behind the first, which is ready; words are the options of the reduction. */
enum portolan_status crew_make(struct explorer *first, uint32_t workers, const char *words);
/* Accepts NULL. */
void crew_free(struct crew *crew);

/* Has every worker do `work` in a thread of its own, and returns when all have; what they counted, and the first error,
 * are then those of the first explorer. */
void crew_run(struct crew *crew, void (*work)(struct explorer *explorer));

/* Rests while somebody wants to be alone. */
void crew_rest(struct crew *crew);
static inline void crew_pause(struct crew *crew)
{
    if (__builtin_expect(atomic_load_explicit(&crew->stopping, memory_order_acquire), 0))
        crew_rest(crew);
}

/* True: all others rest until crew_let_go.  False: another worker was alone meanwhile, and has perhaps done what the
 * caller wanted to. */
bool crew_stop_others(struct crew *crew);
void crew_let_go(struct crew *crew);
/* The same, but true only if none of the others has begun to expand a state.  What they have counted is then the
 * caller's. */
bool crew_stop_between_steps(struct explorer *explorer);
/* For store_grow_shared, by the one that is alone: part(argument) in every worker. */
void crew_together(void *crew, void (*part)(void *argument), void *argument);

/* All workers meet.  True for one of them, when the others rest; it sends them on. */
bool crew_meet(struct crew *crew);
void crew_send_on(struct crew *crew);

/* Sharing work: `take` gets some for a worker, or returns false; crew_idle rests until there is some, and returns false
 * when nobody has any.  `give` leaves some of a worker's for others.  Both are called by one worker at a time. */
bool crew_idle(struct crew *crew, struct explorer *explorer, bool (*take)(struct explorer *explorer));
void crew_give(struct crew *crew, struct explorer *explorer, void (*give)(struct explorer *explorer));
static inline bool crew_has_idle(const struct crew *crew)
{
    return atomic_load_explicit(&crew->idle, memory_order_relaxed) > 0;
}
/* A worker has nothing more to do; nor have those that are idle. */
void crew_leave(struct crew *crew);

/* Around what only one may do at a time; nothing without a crew. */
static inline void crew_lock(struct crew *crew)
{
    if (crew)
        pthread_mutex_lock(&crew->telling);
}

static inline void crew_unlock(struct crew *crew)
{
    if (crew)
        pthread_mutex_unlock(&crew->telling);
}

static inline uint32_t crew_size(const struct crew *crew)
{
    return crew ? crew->workers : 1;
}

/* States that all have expanded, when none is at work. */
uint64_t crew_visited(const struct crew *crew);
/* Notes what a worker has counted; what all have, as far as they have told.  The caller holds the lock. */
struct portolan_statistics crew_sum(struct explorer *explorer);

#endif
