/* SPDX-License-Identifier: Apache-2.0 */
/* Room for the states that an explorer expands, and for those that it fires ahead; how many these are. */
#include "search/search.h"

#include "base/enabled.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 /* for successors */ };

static bool make_successors(const struct explorer *x, struct expansion *e, size_t room)
{
    size_t bytes = room * x->system->state_bytes;
    free(e->block);
    e->block = limits_allow(bytes) ? malloc(bytes + (size_t)2 * CACHE_LINE) : NULL;
    e->successor = e->block ? e->block + CACHE_LINE : NULL;
    e->room = e->block ? room : 0;
    return e->block;
}

bool resize_states(struct explorer *x)
{
    unsigned char **const states[] = {&x->now.bytes, &x->chain_anchor, &x->chain_next, &x->goal_key};
    enum { STATES = sizeof states / sizeof *states };
    size_t bytes = (x->system->state_bytes + 7) / 8 * 8;
    unsigned char *block = malloc((STATES + MOST_AHEAD) * bytes + (size_t)2 * CACHE_LINE);
    if (block) {
        free(x->block);
        x->block = block;
        for (int i = 0; i < STATES; i++)
            *states[i] = block + CACHE_LINE + (size_t)i * bytes;
        for (int i = 0; i < MOST_AHEAD; i++)
            x->ahead.states[i].bytes = block + CACHE_LINE + (size_t)(STATES + i) * bytes;
    }
    for (int i = 0; i < MOST_AHEAD; i++)
        x->ahead.states[i].room = 0; /* until there is something to fire */
    x->ahead.fired = x->ahead.guessed = 0;
    return make_successors(x, &x->now, FIRST_ROOM) && block;
}

bool follow_layout(struct explorer *x)
{
    if (x->layout == x->search->layout)
        return true;
    x->layout = x->search->layout;
    return resize_states(x);
}

static bool grow_array(void **array, size_t capacity, size_t size)
{
    void *moved = realloc(*array, capacity * size + CACHE_LINE);
    if (moved)
        *array = moved;
    return moved;
}

static bool grow_arrays(struct expansion *e, size_t capacity)
{
    if (!limits_allow(capacity * (sizeof *e->hash + sizeof *e->seen + 4 * sizeof *e->chosen)) ||
        !grow_array((void **)&e->hash, capacity, sizeof *e->hash) ||
        !grow_array((void **)&e->fired, capacity, sizeof *e->fired) ||
        !grow_array((void **)&e->chosen, capacity, sizeof *e->chosen) ||
        !grow_array((void **)&e->target, capacity, sizeof *e->target) ||
        !grow_array((void **)&e->action, capacity, sizeof *e->action) ||
        !grow_array((void **)&e->seen, capacity, sizeof *e->seen))
        return false;
    memset(e->fired + e->capacity, 0, (capacity - e->capacity) * sizeof *e->fired);
    e->capacity = capacity;
    return true;
}

static bool make_arrays(const struct explorer *x, struct expansion *e)
{
    return (e->enabled || enabled_make(x->system, &e->enabled, &e->enabled_capacity)) &&
           grow_arrays(e, e->enabled_capacity);
}

bool expansion_make(struct explorer *x)
{
    size_t chain;
    return resize_states(x) && make_arrays(x, &x->now) && enabled_make(x->system, &x->chain_enabled, &chain) &&
           enabled_make(x->system, &x->chain_chosen, &chain);
}

bool room_ahead(const struct explorer *x, struct expansion *e)
{
    return e->capacity || make_arrays(x, e);
}

static void free_arrays(struct expansion *e)
{
    free(e->block);
    free(e->enabled);
    free(e->hash);
    free(e->fired);
    free(e->chosen);
    free(e->target);
    free(e->action);
    free(e->seen);
}

void expansion_free(struct explorer *x)
{
    free(x->block);
    free_arrays(&x->now);
    for (int i = 0; i < MOST_AHEAD; i++)
        free_arrays(&x->ahead.states[i]);
    free(x->chain_enabled);
    free(x->chain_chosen);
}

/* A state may have as many successors as there are actions, but in a large model few have nearly as many. */
bool room_for_successors(const struct explorer *x, struct expansion *e, size_t count)
{
    if (e->capacity < e->enabled_capacity && !grow_arrays(e, e->enabled_capacity))
        return false;
    if (e->room && count <= e->room)
        return true;
    return make_successors(x, e, count < FIRST_ROOM ? FIRST_ROOM : count + count / 2);
}

/* How far ahead.  Where the store fits the caches one state is enough, and what is asked for earlier is not there yet.
 * Else what is asked for takes as long as firing ten actions and more, and less so if it is another worker that has it.
 */
void distance_ahead(struct explorer *x)
{
    enum { CACHES = 1 << 25, FAR_SLOTS = 16, FAR_RECORDS = 6, SLOTS = 10, RECORDS = 3 };
    const struct store *store = &x->search->store;
    struct ahead *ahead = &x->ahead;
    size_t bytes = store->slots * sizeof *store->slot + (size_t)store_count(store) * store->record_bytes;
    bool is_far = bytes >= CACHES, is_near = !is_far && !x->search->crew;
    uint64_t successors = x->counted.transitions / (x->counted.visited + 1) + 1;
    uint64_t fired = (is_far ? FAR_SLOTS : SLOTS) / successors + 1;
    uint64_t guessed = (is_far ? FAR_RECORDS : RECORDS) / successors + 1;
    ahead->first = 0;
    ahead->most_fired = is_near ? 1 : fired > MOST_AHEAD ? MOST_AHEAD : (uint32_t)fired;
    ahead->most_guessed = is_near ? 1 : guessed > MOST_AHEAD ? MOST_AHEAD : (uint32_t)guessed;
}
