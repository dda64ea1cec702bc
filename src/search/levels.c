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
 *
 * A state whose successors do not fit the layout is put off until all others of its level have been expanded.  Then one
 * of those is expanded by one worker, which widens the layout, and all try the rest again.  Which one that is depends
 * on the states alone, so the layouts of a search do not depend on who was faster, and code that was compiled for them
 * is found again the next time.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "checkpoint/archive.h"
#include "search/crew.h"
#include "search/saved.h"

#include <stdlib.h>
#include <string.h>

uint32_t levels_least = 32;

/* What a worker has taken of a level and not expanded. */
struct taken {
    struct state_range states;
    VECTOR(uint32_t) put_off;
    unsigned char apart[32]; /* from what others write */
};

struct levels {
    struct bfs bfs;      /* first */
    uint64_t next;       /* state of this level that nobody has taken, ... */
    uint32_t end;        /* ... up to here */
    uint32_t piece;      /* how many a worker takes at a time */
    struct taken *taken; /* one per worker */
    bool is_listed;      /* these are not states, but places in the list of those that were put off */
    VECTOR(uint32_t) list;
    bool done;
    bool watches; /* it is done because somebody wants to look at what there is */
};

static uint32_t state_at(const struct levels *levels, uint32_t place)
{
    return levels->is_listed ? levels->list.item[place] : place;
}

/* The next of those that the worker has taken. */
static bool expand_one(struct explorer *x, struct levels *levels)
{
    struct search *s = x->search;
    struct taken *taken = &levels->taken[x->worker];
    uint32_t state = state_at(levels, taken->states.next);
    x->counted.depth = levels->bfs.level.count;
    x->next = taken->states.next + 1;
    x->next_end = (x->fires_all || x->chooses_ahead) && !levels->is_listed ? taken->states.end : 0;
    if (!search_goes_on(x))
        return false;
    x->within_step = true;
    bool expanded = expand(x, state);
    if (expanded)
        observe_state(x);
    x->within_step = false;
    if (x->was_put_off && !vector_push(&taken->put_off, state))
        end_short_of_memory(s);
    if (expanded || x->was_put_off) {
        x->was_put_off = false;
        taken->states.next++;
        if (is_saved(s))
            save_between_steps(x);
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
    struct state_range *taken = &levels->taken[x->worker].states;
    uint32_t end = levels->end, piece = levels->piece;
    bool fine = true;
    x->puts_off = true;
    while (fine) {
        uint64_t first = __atomic_fetch_add(&levels->next, piece, __ATOMIC_RELAXED);
        if (first >= end)
            break;
        taken->next = (uint32_t)first;
        taken->end = end - first < piece ? end : (uint32_t)first + piece;
        while (taken->next < taken->end && fine) {
            crew_pause(crew);
            if (end - taken->next > AHEAD) /* another worker may have written it */
                store_prefetch_state(&x->search->store, state_at(levels, taken->next + AHEAD));
            fine = expand_one(x, levels);
        }
    }
    x->puts_off = false;
}

/* Has these states expanded by all. */
static void share(struct levels *levels, uint32_t workers, struct state_range states)
{
    enum { PIECES = 16, MOST = 256 }; /* where a piece begins nothing is on its way yet */
    uint32_t piece = (states.end - states.next) / (workers * PIECES);
    levels->next = states.next;
    levels->end = states.end;
    levels->piece = piece < 1 ? 1 : piece > MOST ? MOST : piece;
}

/* By one worker, which widens the layout where it must. */
static void expand_alone(struct explorer *x, struct levels *levels, struct state_range states)
{
    struct state_range *taken = &levels->taken[x->worker].states;
    *taken = states;
    while (taken->next < taken->end && expand_one(x, levels)) {
    }
}

/* Lists what was put off; false when nothing was. */
static bool list_put_off(struct explorer *x, struct levels *levels)
{
    levels->list.count = 0;
    for (uint32_t i = 0; i < x->search->crew->workers; i++) {
        struct taken *taken = &levels->taken[i];
        for (size_t k = 0; k < taken->put_off.count; k++)
            if (!vector_push(&levels->list, taken->put_off.item[k]))
                end_short_of_memory(x->search);
        taken->put_off.count = 0;
    }
    levels->is_listed = levels->list.count;
    return levels->is_listed;
}

/* Moves the state whose bytes come first to the front of the list, in which order they ever came there. */
static void choose_first(struct explorer *x, struct levels *levels)
{
    const struct store *store = &x->search->store;
    uint32_t *list = levels->list.item;
    if (!follow_layout(x)) {
        end_short_of_memory(x->search);
        return;
    }
    store_copy(store, list[0], x->goal_key);
    for (size_t i = 1; i < levels->list.count; i++) {
        store_copy(store, list[i], x->now.bytes);
        if (memcmp(x->now.bytes, x->goal_key, store->key_bytes) >= 0)
            continue;
        uint32_t first = list[i];
        list[i] = list[0];
        list[0] = first;
        memcpy(x->goal_key, x->now.bytes, store->key_bytes);
    }
}

/* The others rest: begins the next level that is worth sharing. */
static void lead(struct explorer *x, struct levels *levels)
{
    struct search *s = x->search;
    struct bfs *bfs = &levels->bfs;
    for (;;) {
        observe_length(x);
        store_settle(&s->store);
        if (list_put_off(x, levels)) {
            choose_first(x, levels);
            share(levels, s->crew->workers, (struct state_range){.next = 1, .end = (uint32_t)levels->list.count});
            expand_alone(x, levels, (struct state_range){.end = 1});
            return;
        }
        if (bfs->left.count) {
            share(levels, s->crew->workers, bfs->left.item[--bfs->left.count]);
            return;
        }
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
        struct state_range level = {.next = first, .end = bfs->level_end};
        if (count >= levels_least) {
            share(levels, s->crew->workers, level);
            return;
        }
        expand_alone(x, levels, level);
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
    x->next_end = 0;
}

/* --- checkpoints */

static bool leave_state(struct levels *levels, uint32_t state)
{
    return vector_push(&levels->bfs.left, ((struct state_range){.next = state, .end = state + 1}));
}

/* Notes that these have not been expanded. */
static bool leave(struct levels *levels, struct state_range states)
{
    if (!levels->is_listed)
        return states.next >= states.end || vector_push(&levels->bfs.left, states);
    for (uint32_t i = states.next; i < states.end; i++)
        if (!leave_state(levels, state_at(levels, i)))
            return false;
    return true;
}

static void keep(struct explorer *x, struct archive *archive)
{
    struct levels *levels = x->strategy->own;
    struct bfs *bfs = &levels->bfs;
    size_t left = bfs->left.count;
    bool fine = levels->next >= levels->end ||
                leave(levels, (struct state_range){.next = (uint32_t)levels->next, .end = levels->end});
    for (uint32_t i = 0; fine && i < x->search->crew->workers; i++) {
        const struct taken *taken = &levels->taken[i];
        fine = leave(levels, taken->states);
        for (size_t k = 0; fine && k < taken->put_off.count; k++)
            fine = leave_state(levels, taken->put_off.item[k]);
    }
    archive->failed |= !fine;
    bfs_keep(bfs, archive);
    bfs->left.count = left;
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
    struct levels levels = {.taken = calloc(x->search->crew->workers, sizeof *levels.taken)};
    if (!levels.taken)
        end_short_of_memory(x->search);
    if (levels.taken && choose_numbers(x) && bfs_begin(x, &levels.bfs)) {
        x->strategy->keep = keep;
        levels.bfs.present = (struct state_range){0};
        if (!x->search->options->resume)
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
    for (uint32_t i = 0; levels.taken && i < x->search->crew->workers; i++)
        free(levels.taken[i].put_off.item);
    free(levels.taken);
    free(levels.list.item);
    x->strategy->own = NULL;
}
