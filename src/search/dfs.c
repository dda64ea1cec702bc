/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depth-first search.
 *
 * All successors of a state's reduced set are stored when it is expanded, but
 * a state begins only when it is taken from the pending list, so the order is
 * that of a true depth-first search and the stack is one for the provisos.
 */
#include "search/search.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/vector.h"

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
    uint8_t *flags; /* per state */
    size_t capacity;
    uint32_t *extra; /* scratch: actions that a proviso wants explored */
};

static struct dfs *own(struct search *s)
{
    return s->own;
}

static enum standing standing(struct search *s, uint32_t state)
{
    const struct dfs *d = own(s);
    if (state >= d->capacity || !(d->flags[state] & BEGUN))
        return STANDING_NEW;
    return d->flags[state] & OPEN ? STANDING_OPEN : STANDING_CLOSED;
}

static size_t path(struct search *s, uint32_t state, uint32_t **actions)
{
    const struct dfs *d = own(s);
    struct action_path found = {0};
    for (size_t i = 1; i <= d->frames.count; i++) {
        uint32_t to = i < d->frames.count ? d->frames.item[i].state : state;
        uint32_t from = d->frames.item[i - 1].state;
        if (from == state)
            break;
        if (!find_step(s, from, to, &found)) {
            free(found.item);
            return SIZE_MAX;
        }
    }
    *actions = found.item;
    return found.count;
}

static size_t stack_bytes(const struct search *s)
{
    const struct dfs *d = s->own;
    return d->frames.capacity * sizeof *d->frames.item + d->pending.capacity * sizeof *d->pending.item + d->capacity;
}

static void out_of_memory(struct search *s)
{
    end_short_of_memory(s);
}

/* Queues the successors of the expansion just made, the first action on top. */
static bool push_pending(struct search *s)
{
    struct dfs *d = own(s);
    const struct expansion *e = &s->now;
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

static void begin_state(struct search *s, uint32_t state, bool last)
{
    struct dfs *d = own(s);
    size_t old = d->capacity;
    if (!vector_grow((void **)&d->flags, &d->capacity, (size_t)state + 1, sizeof *d->flags)) {
        out_of_memory(s);
        return;
    }
    memset(d->flags + old, 0, d->capacity - old);
    d->flags[state] = BEGUN | OPEN;
    if (s->proviso_class->enter && !s->proviso_class->enter(s->proviso, state, last)) {
        out_of_memory(s);
        return;
    }
    if (!expand(s, state))
        return;
    struct frame frame = {.state = state, .explored = s->now.chosen_count, .pending = (uint32_t)d->pending.count};
    bool told = !s->proviso_class->expanded ||
                s->proviso_class->expanded(s->proviso, state, s->now.fully, s->now.action, s->now.chosen_count);
    if (!told || !vector_push(&d->frames, frame) || !push_pending(s)) {
        out_of_memory(s);
        return;
    }
    if (d->frames.count > s->result->statistics.depth)
        s->result->statistics.depth = d->frames.count;
    observe_state(s);
}

/* The top state has just been expanded by more than before: counts, tells, queues. */
static void further_expanded(struct search *s, uint32_t explored_now, bool fully)
{
    struct dfs *d = own(s);
    struct frame *top = &d->frames.item[d->frames.count - 1];
    s->result->statistics.transitions += explored_now - top->explored;
    s->result->statistics.expanded_fully += fully;
    top->explored = explored_now;
    bool told = !s->proviso_class->expanded ||
                s->proviso_class->expanded(s->proviso, top->state, fully, s->now.action, s->now.chosen_count);
    if (!told || !push_pending(s))
        out_of_memory(s);
    else
        tell_expanded(s, fully);
}

static void expand_top_fully(struct search *s)
{
    struct dfs *d = own(s);
    if (expand_fully(s, d->frames.item[d->frames.count - 1].state))
        further_expanded(s, s->now.enabled_count, true);
}

/* Tells the proviso of an edge of the top state to a begun one. */
static void tell_edge(struct search *s, uint32_t to, bool returned)
{
    struct dfs *d = own(s);
    const struct frame *top = &d->frames.item[d->frames.count - 1];
    if (s->proviso_class->edge &&
        s->proviso_class->edge(s->proviso, top->state, to, returned, d->pending.count == top->pending))
        expand_top_fully(s);
}

/* Adds what the proviso found ignored; false when there is nothing to add. */
static bool add_ignored(struct search *s)
{
    struct dfs *d = own(s);
    const struct frame *top = &d->frames.item[d->frames.count - 1];
    if (!s->proviso_class->leaving || !s->proviso_class->leaving(s->proviso, top->state))
        return false;
    if (!load_state(s, top->state))
        return true;
    uint32_t count = s->proviso_class->ignored(s->proviso, top->state, s->now.enabled, s->now.enabled_count, d->extra);
    if (count == 0)
        return false;
    if (count == UINT32_MAX) {
        expand_top_fully(s);
        return true;
    }
    /* a reduced set with the first of them; of that set, what the component has not explored */
    struct choice choice = {.state = s->now.bytes, .enabled = s->now.enabled, .enabled_count = s->now.enabled_count};
    uint32_t chosen = s->reduction_class->choose_with(s->reduction, &choice, d->extra[0], s->now.chosen);
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool in_set = false;
        for (uint32_t j = 0; j < chosen; j++)
            in_set |= s->now.enabled[s->now.chosen[j]] == d->extra[i];
        if (in_set)
            d->extra[wanted++] = d->extra[i];
    }
    if (expand_by(s, top->state, d->extra, wanted)) {
        uint32_t explored = top->explored + s->now.chosen_count;
        further_expanded(s, explored, explored == s->now.enabled_count);
    }
    return true;
}

static void leave_top(struct search *s)
{
    struct dfs *d = own(s);
    uint32_t state = d->frames.item[--d->frames.count].state;
    d->flags[state] &= (uint8_t)~OPEN;
    if (s->proviso_class->leave)
        s->proviso_class->leave(s->proviso, state);
    if (d->frames.count)
        tell_edge(s, state, true);
}

void search_dfs(struct search *s)
{
    struct dfs dfs = {.extra = calloc((size_t)fixed_actions(s->system) + 1, sizeof *dfs.extra)};
    s->own = &dfs; // cppcheck-suppress autoVariables
    s->standing = standing;
    s->path = path;
    s->stack_bytes = stack_bytes;
    if (!dfs.extra)
        s->status = fail_memory(s->error);
    else if (insert_initial(s))
        begin_state(s, 0, true);
    while (!s->ended && s->status == PORTOLAN_OK && dfs.frames.count) {
        struct frame *top = &dfs.frames.item[dfs.frames.count - 1];
        if (dfs.pending.count > top->pending) {
            uint32_t to = dfs.pending.item[--dfs.pending.count];
            if (dfs.flags[to] & BEGUN)
                tell_edge(s, to, false);
            else
                begin_state(s, to, dfs.pending.count == top->pending);
        } else if (!add_ignored(s)) {
            leave_top(s);
        }
        observe_limits(s);
    }
    free(dfs.frames.item);
    free(dfs.pending.item);
    free(dfs.flags);
    free(dfs.extra);
    s->own = NULL;
}
