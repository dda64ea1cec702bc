/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first search, by one worker or several, with a store that forgets states: what is still to be expanded, and
 * how it was found, is in the frontier.  As in levels.c workers meet between levels, so paths are shortest; a proviso
 * may only count as unexplored what was not found before.
 */
#include "search/crew.h"
#include "search/frontier.h"

struct forgetful {
    struct bfs bfs; /* first */
    const struct frontier *frontier;
    uint64_t depth;
    uint32_t first, count; /* of this level: the number of its first state, and how many it has */
    bool done;
    bool watches; /* it is done because somebody wants to look at what there is */
};

static bool found(struct explorer *x, uint32_t state, const unsigned char *key, uint32_t action)
{
    (void)state;
    return frontier_add(x->search->frontier, x->worker, key, action);
}

static size_t path(struct explorer *x, uint32_t state, uint32_t **actions)
{
    (void)state; /* the present one */
    return frontier_path(x->search->frontier, x->worker, actions);
}

static size_t bytes(const struct strategy *strategy)
{
    const struct forgetful *own = strategy->own;
    return frontier_bytes(own->frontier);
}

/* False: there is nothing left, or the search has ended. */
static bool expand_next(struct explorer *x, const struct forgetful *own)
{
    struct search *s = x->search;
    uint32_t number;
    if (!search_goes_on(x) || !(x->taken = frontier_take(s->frontier, x->worker, &number)))
        return false;
    x->counted.depth = own->depth;
    if (expand(x, own->first + number)) {
        observe_state(x);
        observe_limits(x);
    }
    if (x->status != PORTOLAN_OK && !s->ended)
        end_search(s, PORTOLAN_INTERRUPTED); /* an error of one ends all */
    return !s->ended;
}

/* The others rest: begins the next level that is worth sharing. */
static void lead(struct explorer *x, struct forgetful *own)
{
    struct search *s = x->search;
    for (;;) {
        observe_length(x);
        if (!search_goes_on(x))
            break;
        if (x->strategy->watch && s->store.count >= x->strategy->next_watch) {
            own->watches = true;
            break;
        }
        own->first += own->count;
        if (!frontier_turn(s->frontier, &own->count)) {
            end_short_of_memory(s);
            break;
        }
        if (own->count == 0)
            break;
        own->depth++;
        if (own->count >= levels_least)
            return;
        while (expand_next(x, own))
            ;
    }
    own->done = true;
}

static void work(struct explorer *x)
{
    struct forgetful *own = x->strategy->own;
    do {
        if (crew_meet(x->search->crew)) {
            lead(x, own);
            crew_send_on(x->search->crew);
        }
        while (!own->done && expand_next(x, own))
            crew_pause(x->search->crew);
    } while (!own->done);
}

void search_forgetful(struct explorer *x)
{
    struct forgetful own = {.frontier = x->search->frontier};
    bool fine = bfs_begin(x, &own.bfs);
    x->strategy->found = found;
    x->strategy->path = path;
    x->strategy->bytes = bytes;
    if (fine && !frontier_add(x->search->frontier, 0, x->now.bytes, 0)) {
        end_short_of_memory(x->search);
        fine = false;
    }
    while (fine) {
        if (own.watches)
            observe_between(x); /* which may have the workers do something else */
        own.done = own.watches = false;
        crew_run(x->search->crew, work);
        fine = own.watches;
    }
    bfs_end(&own.bfs);
    x->strategy->own = NULL;
    x->strategy->found = NULL;
}
