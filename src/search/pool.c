/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depth-first search by several workers.  Each has a stack of states that it has found and nobody has expanded; it
 * expands the topmost.  A worker with many gives the older half to those who have none, through a pool.  So a state is
 * expanded once, by whoever found it or was given it, and there is no one stack: provisos go by numbers, as for levels
 * (levels.c), which does not depend on the order.  The state from which another was found is remembered, for paths.
 */
#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/vector.h"
#include "checkpoint/archive.h"
#include "search/crew.h"
#include "search/numbered.h"
#include "search/saved.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TAKEN = 64 };

struct pending {
    uint32_t *item;
    size_t count, capacity;
};

struct pool {
    struct numbered parents; /* the states from which states were found */
    struct pending given;
    struct pending *stacks; /* one per worker */
};

static struct pool *own(const struct explorer *x)
{
    return x->strategy->own;
}

/* --- where a state was found from */

static bool note_parent(struct pool *pool, uint32_t state, uint32_t parent)
{
    uint32_t *place = numbered_at(&pool->parents, state);
    if (place)
        *place = parent;
    return place;
}

static size_t path(struct explorer *x, uint32_t state, uint32_t **actions)
{
    struct pool *pool = own(x);
    VECTOR(uint32_t) states = {0};
    struct action_path found = {0};
    bool fine = vector_push(&states, state);
    for (; fine && state; fine = vector_push(&states, state))
        state = *(const uint32_t *)numbered_at(&pool->parents, state);
    for (size_t i = states.count; fine && i-- > 1;)
        fine = find_step(x, states.item[i], states.item[i - 1], &found);
    free(states.item);
    if (!fine)
        free(found.item);
    *actions = fine ? found.item : NULL;
    return fine ? found.count : SIZE_MAX;
}

static enum standing standing(struct explorer *x, uint32_t state)
{
    return state > x->now.state ? STANDING_OPEN : STANDING_CLOSED;
}

static bool found(struct explorer *x, uint32_t state, const unsigned char *key, uint32_t action)
{
    (void)key;
    (void)action;
    struct pool *pool = own(x);
    return note_parent(pool, state, x->now.state) && vector_push(&pool->stacks[x->worker], state);
}

static size_t bytes(const struct strategy *strategy)
{
    const struct pool *pool = strategy->own;
    return numbered_bytes(&pool->parents);
}

static void keep(struct explorer *x, struct archive *archive)
{
    struct pool *pool = own(x);
    size_t given = pool->given.count;
    for (uint32_t i = 1; i < x->search->store.count; i++) {
        uint32_t *parent = numbered_at(&pool->parents, i);
        if (parent)
            archive_bytes(archive, parent, sizeof *parent);
        else
            archive->failed = true;
    }
    for (uint32_t i = 0; !archive->reading && i < x->search->crew->workers; i++)
        for (size_t k = 0; k < pool->stacks[i].count; k++)
            if (!vector_push(&pool->given, pool->stacks[i].item[k]))
                archive->failed = true;
    archive_vector(archive, &pool->given);
    if (!archive->reading)
        pool->given.count = given;
}

/* --- sharing; crew_give and crew_idle call these one at a time */

/* Moves up to `most` of the oldest. */
static bool move_oldest(struct pending *from, struct pending *to, size_t most)
{
    size_t moved = from->count < most ? from->count : most;
    if (!vector_reserve(to, moved))
        return false;
    memcpy(to->item + to->count, from->item, moved * sizeof *to->item);
    to->count += moved;
    from->count -= moved;
    memmove(from->item, from->item + moved, from->count * sizeof *from->item);
    return true;
}

static void give(struct explorer *x)
{
    struct pool *pool = own(x);
    struct pending *stack = &pool->stacks[x->worker];
    move_oldest(stack, &pool->given, stack->count / 2); /* without memory nothing is given */
}

static bool take(struct explorer *x)
{
    struct pool *pool = own(x);
    if (pool->given.count == 0)
        return false;
    if (!move_oldest(&pool->given, &pool->stacks[x->worker], MOST_TAKEN)) {
        end_short_of_memory(x->search);
        return false;
    }
    return true;
}

/* --- the search */

/* What changes things for all: now and then, by the first. */
static void observe_sometimes(struct explorer *x)
{
    enum { OFTEN_ENOUGH = 1 << 12 };
    const struct strategy *strategy = x->strategy;
    bool watches = strategy->watch && store_count(&x->search->store) >= strategy->next_watch;
    bool may_quicken = x->search->options->engine != PORTOLAN_INTERPRETED && x->system->quicken &&
                       x->counted.visited % OFTEN_ENOUGH == 0;
    if (x->worker || (!watches && !may_quicken) || !crew_stop_others(x->search->crew))
        return;
    observe_between(x);
    crew_let_go(x->search->crew);
}

static void work(struct explorer *x)
{
    struct search *s = x->search;
    struct crew *crew = s->crew;
    struct pending *stack = &own(x)->stacks[x->worker];
    while (search_goes_on(x) && (stack->count || crew_idle(crew, x, take))) {
        crew_pause(crew);
        if (!search_goes_on(x))
            break;
        if (stack->count > x->counted.depth)
            x->counted.depth = stack->count;
        x->within_step = true;
        if (!expand(x, stack->item[--stack->count]))
            break;
        observe_state(x);
        x->within_step = false;
        if (is_saved(s))
            save_between_steps(x);
        observe_limits(x);
        observe_sometimes(x);
        if (stack->count > 1 && crew_has_idle(crew))
            crew_give(crew, x, give);
    }
    if (x->status != PORTOLAN_OK && !s->ended)
        end_search(s, PORTOLAN_INTERRUPTED); /* an error of one ends all */
    crew_leave(crew);
}

void search_pool(struct explorer *x)
{
    uint32_t workers = x->search->crew->workers;
    struct pool pool = {.stacks = calloc(workers, sizeof *pool.stacks)};
    struct strategy *strategy = x->strategy;
    strategy->own = &pool; // cppcheck-suppress autoVariables
    strategy->standing = standing;
    strategy->path = path;
    strategy->bytes = bytes;
    strategy->keep = keep;
    strategy->found = found;
    if (!numbered_make(&pool.parents, sizeof(uint32_t)) || !pool.stacks ||
        (!x->search->options->resume && !vector_push(&pool.stacks[0], 0)))
        x->status = fail_memory(x->error);
    else if (insert_initial(x))
        crew_run(x->search->crew, work);
    numbered_clear(&pool.parents);
    for (uint32_t i = 0; pool.stacks && i < workers; i++)
        free(pool.stacks[i].item);
    free(pool.stacks);
    free(pool.given.item);
    strategy->own = NULL;
    strategy->found = NULL;
}
