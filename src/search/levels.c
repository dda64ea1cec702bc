/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first search by several workers.  A level is a range of numbers; workers take pieces of it, and what they
 * find is the next level.  They meet between levels, so a state is expanded after every state of the levels before:
 * paths are shortest.  Levels that are not worth a meeting are expanded by one of them.
 *
 * Whether a reduced set may stand alone is decided by numbers, not by what has been expanded by now: a successor counts
 * as unexpanded if its number is larger than that of the state.  Numbers are given once, so two workers cannot close
 * each other's cycle: along a cycle numbers fall somewhere, and what they fall from is expanded fully (liveness, all
 * successors larger); or, from a state whose set has one larger successor, going on to larger numbers ends at a state
 * that is expanded fully (safety).
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "search/crew.h"

uint32_t levels_least = 32;

struct levels {
    struct bfs bfs; /* first */
    uint64_t next;  /* state of this level that nobody has taken */
    uint32_t piece; /* how many a worker takes at a time */
    bool done;
    bool watches; /* it is done because somebody wants to look at what there is */
};

static bool expand_one(struct explorer *x, uint32_t state)
{
    struct search *s = x->search;
    if (!search_goes_on(x))
        return false;
    if (expand(x, state)) {
        observe_state(x);
        observe_limits(x);
    }
    if (x->status != PORTOLAN_OK && !s->ended)
        end_search(s, PORTOLAN_INTERRUPTED); /* an error of one ends all */
    return !s->ended;
}

static void expand_level(struct explorer *x, struct levels *levels)
{
    enum { AHEAD = 8 };
    struct crew *crew = x->search->crew;
    uint32_t end = levels->bfs.level_end, piece = levels->piece;
    bool fine = true;
    x->counted.depth = levels->bfs.level.count;
    while (fine) {
        uint64_t first = __atomic_fetch_add(&levels->next, piece, __ATOMIC_RELAXED);
        if (first >= end)
            return;
        uint32_t last = end - first < piece ? end : (uint32_t)first + piece;
        for (uint32_t state = (uint32_t)first; state < last && fine; state++) {
            crew_pause(crew);
            if (end - state > AHEAD)
                store_prefetch_state(&x->search->store, state + AHEAD); /* another worker may have written it */
            fine = expand_one(x, state);
        }
    }
}

/* The others rest: begins the next level that is worth sharing. */
static void lead(struct explorer *x, struct levels *levels)
{
    enum { PIECES = 16, MOST = 64 };
    struct search *s = x->search;
    struct bfs *bfs = &levels->bfs;
    for (;;) {
        observe_length(x);
        store_settle(&s->store);
        uint32_t first = bfs->level_end, count = s->store.count - first;
        if (!search_goes_on(x) || count == 0)
            break;
        if (x->strategy->watch && s->store.count >= x->strategy->next_watch) {
            levels->watches = true;
            break;
        }
        if (!vector_push(&bfs->level, first)) {
            end_short_of_memory(s);
            break;
        }
        bfs->level_end = s->store.count;
        if (count >= levels_least) {
            uint32_t piece = count / (s->crew->workers * PIECES);
            levels->next = first;
            levels->piece = piece < 1 ? 1 : piece > MOST ? MOST : piece;
            return;
        }
        x->counted.depth = bfs->level.count;
        for (uint32_t state = first; state < bfs->level_end; state++)
            if (!expand_one(x, state))
                break;
    }
    levels->done = true;
}

static void work(struct explorer *x)
{
    struct levels *levels = x->strategy->own;
    do {
        if (crew_meet(x->search->crew)) {
            lead(x, levels);
            crew_send_on(x->search->crew);
        }
        if (!levels->done)
            expand_level(x, levels);
    } while (!levels->done);
}

/* A number that somebody remembers must not change when a level has been found. */
static bool choose_numbers(struct explorer *x)
{
    struct search *s = x->search;
    if (x->strategy->recording || s->options->callbacks.edge || store_number_in_blocks(&s->store, s->crew->workers))
        return true;
    end_short_of_memory(s);
    return false;
}

void search_levels(struct explorer *x)
{
    struct levels levels = {0};
    if (choose_numbers(x) && bfs_begin(x, &levels.bfs)) {
        levels.bfs.level.count = levels.bfs.level_end = 0;
        do {
            if (levels.watches)
                observe_between(x); /* which may have the workers do something else */
            levels.done = levels.watches = false;
            crew_run(x->search->crew, work);
            store_settle(&x->search->store);
        } while (levels.watches);
    }
    bfs_end(&levels.bfs);
    x->strategy->own = NULL;
}
