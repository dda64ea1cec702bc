/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depth-first search.
 *
 * All successors of a state's reduced set are stored when it is expanded, but
 * a state begins only when it is taken from the pending list, so the order is
 * that of a true depth-first search and the stack is one for the provisos.
 */
#include "search/saved.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/vector.h"
#include "checkpoint/archive.h"

#include <stdlib.h>
#include <string.h>

enum { BEGUN = 1, OPEN = 2 };

struct frame {
    uint32_t state;
    uint32_t explored; /* number of actions */
    uint32_t pending;  /* its pending successors start here */
};

struct dfs {
    VECTOR(struct frame) frames;
    VECTOR(uint32_t) pending;
    VECTOR(uint32_t) actions; /* explored in the states of the stack, kept for goal-directed sets */
    VECTOR(size_t) first;     /* per frame where its actions start; empty where none are kept */
    uint8_t *flags;           /* per state */
    size_t capacity;
    uint32_t *extra; /* scratch: actions that a proviso wants explored */
};

static struct dfs *own(struct explorer *x)
{
    return x->strategy->own;
}

static enum standing standing(struct explorer *x, uint32_t state)
{
    const struct dfs *d = own(x);
    if (state >= d->capacity || !(d->flags[state] & BEGUN))
        return STANDING_NEW;
    return d->flags[state] & OPEN ? STANDING_OPEN : STANDING_CLOSED;
}

static size_t path(struct explorer *x, uint32_t state, uint32_t **actions)
{
    const struct dfs *d = own(x);
    struct action_path found = {0};
    for (size_t i = 1; i <= d->frames.count; i++) {
        uint32_t to = i < d->frames.count ? d->frames.item[i].state : state;
        uint32_t from = d->frames.item[i - 1].state;
        if (from == state)
            break;
        if (!find_step(x, from, to, &found)) {
            free(found.item);
            return SIZE_MAX;
        }
    }
    *actions = found.item;
    return found.count;
}

static size_t stack_bytes(const struct strategy *strategy)
{
    const struct dfs *d = strategy->own;
    return d->frames.capacity * sizeof *d->frames.item + d->pending.capacity * sizeof *d->pending.item + d->capacity;
}

static void out_of_memory(struct explorer *x)
{
    end_short_of_memory(x->search);
}

/* Queues the successors of the expansion just made, the first action on top. */
static bool push_pending(struct explorer *x)
{
    struct search *s = x->search;
    struct dfs *d = own(x);
    const struct expansion *e = &x->now;
    bool tell_edges = s->proviso_class->edge != NULL;
    size_t old = d->capacity;
    if (!vector_reserve(&d->pending, e->chosen_count) ||
        !vector_grow((void **)&d->flags, &d->capacity, s->store.count, sizeof *d->flags))
        return false;
    memset(d->flags + old, 0, d->capacity - old);
    for (uint32_t i = e->chosen_count; i-- > 0;)
        if (tell_edges || !(d->flags[e->target[i]] & BEGUN))
            d->pending.item[d->pending.count++] = e->target[i];
    return true;
}

static bool is_directed(const struct explorer *x)
{
    return x->search->traits.reduction & GOAL_DIRECTED;
}

/* Which actions were explored in the top state may be asked when it is expanded further. */
static bool keep_actions(struct explorer *x)
{
    struct dfs *d = own(x);
    if (!is_directed(x))
        return true;
    if (d->first.count < d->frames.count && !vector_push(&d->first, d->actions.count))
        return false;
    for (uint32_t i = 0; i < x->now.chosen_count; i++)
        if (!vector_push(&d->actions, x->now.action[i]))
            return false;
    return true;
}

static void begin_state(struct explorer *x, uint32_t state, bool last)
{
    struct search *s = x->search;
    struct dfs *d = own(x);
    size_t old = d->capacity;
    if (!vector_grow((void **)&d->flags, &d->capacity, (size_t)state + 1, sizeof *d->flags)) {
        out_of_memory(x);
        return;
    }
    memset(d->flags + old, 0, d->capacity - old);
    d->flags[state] = BEGUN | OPEN;
    if (s->proviso_class->enter && !s->proviso_class->enter(x->strategy->proviso, state, last)) {
        out_of_memory(x);
        return;
    }
    if (!expand(x, state))
        return;
    struct frame frame = {.state = state, .explored = x->now.chosen_count, .pending = (uint32_t)d->pending.count};
    bool told = !s->proviso_class->expanded || s->proviso_class->expanded(x->strategy->proviso, state, x->now.complete,
                                                                          x->now.action, x->now.chosen_count);
    if (!told || !vector_push(&d->frames, frame) || !keep_actions(x) || !push_pending(x)) {
        out_of_memory(x);
        return;
    }
    if (d->frames.count > x->counted.depth)
        x->counted.depth = d->frames.count;
    observe_state(x);
}

/* The top state has just been expanded by more than before: counts, tells, queues. */
static void further_expanded(struct explorer *x, uint32_t explored_now, bool complete)
{
    bool fully = explored_now == x->now.enabled_count;
    struct search *s = x->search;
    struct dfs *d = own(x);
    struct frame *top = &d->frames.item[d->frames.count - 1];
    x->counted.transitions += explored_now - top->explored;
    x->counted.expanded_fully += fully;
    top->explored = explored_now;
    bool told = !s->proviso_class->expanded || s->proviso_class->expanded(x->strategy->proviso, top->state, complete,
                                                                          x->now.action, x->now.chosen_count);
    if (!told || !keep_actions(x) || !push_pending(x))
        out_of_memory(x);
    else
        tell_expanded(x, fully);
}

static bool is_explored(const struct dfs *d, uint32_t action)
{
    for (size_t i = d->first.item[d->frames.count - 1]; i < d->actions.count; i++)
        if (d->actions.item[i] == action)
            return true;
    return false;
}

/* Expands the top state by what leads to the goal from there. */
static void expand_top_to_goal(struct explorer *x)
{
    struct dfs *d = own(x);
    const struct frame *top = &d->frames.item[d->frames.count - 1];
    if (!load_state(x, top->state))
        return;
    struct choice choice = {.state = x->now.bytes, .enabled = x->now.enabled, .enabled_count = x->now.enabled_count};
    uint32_t wanted = 0, count = x->search->reduction_class->choose_complete(x->reduction, &choice, x->now.chosen);
    for (uint32_t i = 0; i < count; i++)
        if (!is_explored(d, x->now.enabled[x->now.chosen[i]]))
            d->extra[wanted++] = x->now.enabled[x->now.chosen[i]];
    if (expand_by(x, top->state, d->extra, wanted))
        further_expanded(x, top->explored + x->now.chosen_count, true);
}

/* Expands the top state so that nothing is put off there. */
static void complete_top(struct explorer *x)
{
    struct dfs *d = own(x);
    if (is_directed(x))
        expand_top_to_goal(x);
    else if (expand_fully(x, d->frames.item[d->frames.count - 1].state))
        further_expanded(x, x->now.enabled_count, true);
}

/* Tells the proviso of an edge of the top state to a begun one. */
static void tell_edge(struct explorer *x, uint32_t to, bool returned)
{
    const struct proviso_class *proviso = x->search->proviso_class;
    if (!proviso->edge)
        return;
    const struct dfs *d = own(x);
    const struct frame *top = &d->frames.item[d->frames.count - 1];
    if (proviso->edge(x->strategy->proviso, top->state, to, returned, d->pending.count == top->pending))
        complete_top(x);
}

/* Adds what the proviso found ignored; false when there is nothing to add. */
static bool add_ignored(struct explorer *x)
{
    struct search *s = x->search;
    struct dfs *d = own(x);
    const struct frame *top = &d->frames.item[d->frames.count - 1];
    if (!s->proviso_class->leaving || !s->proviso_class->leaving(x->strategy->proviso, top->state))
        return false;
    if (!load_state(x, top->state))
        return true;
    uint32_t count =
        s->proviso_class->ignored(x->strategy->proviso, top->state, x->now.enabled, x->now.enabled_count, d->extra);
    if (count == 0)
        return false;
    if (count == UINT32_MAX || is_directed(x)) {
        complete_top(x);
        return true;
    }
    /* a reduced set with the first of them; of that set, what the component has not explored */
    struct choice choice = {.state = x->now.bytes, .enabled = x->now.enabled, .enabled_count = x->now.enabled_count};
    uint32_t chosen = s->reduction_class->choose_with(x->reduction, &choice, d->extra[0], x->now.chosen);
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool in_set = false;
        for (uint32_t j = 0; j < chosen; j++)
            in_set |= x->now.enabled[x->now.chosen[j]] == d->extra[i];
        if (in_set)
            d->extra[wanted++] = d->extra[i];
    }
    if (expand_by(x, top->state, d->extra, wanted)) {
        uint32_t explored = top->explored + x->now.chosen_count;
        further_expanded(x, explored, explored == x->now.enabled_count);
    }
    return true;
}

static void leave_top(struct explorer *x)
{
    struct search *s = x->search;
    struct dfs *d = own(x);
    uint32_t state = d->frames.item[--d->frames.count].state;
    if (is_directed(x))
        d->actions.count = d->first.item[--d->first.count];
    d->flags[state] &= (uint8_t)~OPEN;
    if (s->proviso_class->leave)
        s->proviso_class->leave(x->strategy->proviso, state);
    if (d->frames.count)
        tell_edge(x, state, true);
}

static void keep(struct explorer *x, struct archive *archive)
{
    struct dfs *d = own(x);
    archive_vector(archive, &d->frames);
    archive_vector(archive, &d->pending);
    archive_vector(archive, &d->actions);
    archive_vector(archive, &d->first);
    archive_known(archive, (void **)&d->flags, &d->capacity, x->search->store.count, sizeof *d->flags);
}

static void run(struct explorer *x)
{
    struct search *s = x->search;
    if (s->crew) {
        search_pool(x);
        return;
    }
    struct dfs dfs = {.extra = calloc((size_t)fixed_actions(s->system) + 1, sizeof *dfs.extra)};
    x->strategy->own = &dfs; // cppcheck-suppress autoVariables
    x->strategy->standing = standing;
    x->strategy->path = path;
    x->strategy->bytes = stack_bytes;
    x->strategy->keep = keep;
    if (!dfs.extra)
        x->status = fail_memory(x->error);
    else if (insert_initial(x) && !dfs.frames.count)
        begin_state(x, 0, true);
    while (!s->ended && x->status == PORTOLAN_OK && dfs.frames.count) {
        struct frame *top = &dfs.frames.item[dfs.frames.count - 1];
        if (dfs.pending.count > top->pending) {
            uint32_t to = dfs.pending.item[--dfs.pending.count];
            if (dfs.flags[to] & BEGUN)
                tell_edge(x, to, false);
            else
                begin_state(x, to, dfs.pending.count == top->pending);
        } else if (!add_ignored(x)) {
            leave_top(x);
        }
        if (is_saved(x->search))
            save_between_steps(x);
        observe_limits(x);
    }
    free(dfs.frames.item);
    free(dfs.pending.item);
    free(dfs.actions.item);
    free(dfs.first.item);
    free(dfs.flags);
    free(dfs.extra);
    x->strategy->own = NULL;
}

const struct search_class search_dfs = {
    .name = "dfs", .summary = "depth-first", .of = OF_STATES, .order = DEPTH_FIRST, .run = run};
