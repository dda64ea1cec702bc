/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breadth-first search.  States are numbered in the order in which they are
 * found, so the queue is the store itself: everything from the present number
 * on.  No parents are kept; a shortest path is found again level by level.
 */
#include "search/saved.h"

#include "base/diagnostic.h"
#include "base/vector.h"
#include "checkpoint/archive.h"

#include <stdlib.h>

static enum standing standing(struct explorer *x, uint32_t state)
{
    return state > x->now.state ? STANDING_OPEN : STANDING_CLOSED;
}

static size_t level_bytes(const struct strategy *strategy)
{
    const struct bfs *b = strategy->own;
    return b->level.capacity * sizeof *b->level.item;
}

/* Some state of the level before has a step to `to`; its number, or STORE_NONE. */
static uint32_t find_parent(struct explorer *x, uint32_t first, uint32_t end, uint32_t to, struct action_path *step)
{
    for (uint32_t from = first; from < end; from++) {
        step->count = 0;
        if (find_step(x, from, to, step))
            return from;
    }
    return STORE_NONE;
}

static size_t path(struct explorer *x, uint32_t state, uint32_t **actions)
{
    const struct bfs *b = x->strategy->own;
    struct action_path backwards = {0}, step = {0};
    size_t level = b->level.count - 1;
    bool fine = true;
    while (b->level.item[level] > state)
        level--;
    while (fine && level > 0) {
        state = find_parent(x, b->level.item[level - 1], b->level.item[level], state, &step);
        level--;
        fine = state != STORE_NONE;
        for (size_t i = step.count; fine && i-- > 0;)
            fine = vector_push(&backwards, step.item[i]);
    }
    free(step.item);
    if (!fine) {
        free(backwards.item);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < backwards.count / 2; i++) {
        uint32_t swapped = backwards.item[i];
        backwards.item[i] = backwards.item[backwards.count - 1 - i];
        backwards.item[backwards.count - 1 - i] = swapped;
    }
    *actions = backwards.item;
    return backwards.count;
}

void bfs_keep(struct bfs *b, struct archive *archive)
{
    size_t left = b->left.count;
    if (!archive->reading && b->present.next < b->present.end && !vector_push(&b->left, b->present))
        archive->failed = true;
    archive_bytes(archive, &b->level_end, sizeof b->level_end);
    archive_vector(archive, &b->level);
    archive_vector(archive, &b->left);
    if (archive->reading)
        b->present = (struct state_range){0};
    else
        b->left.count = left;
}

static void keep(struct explorer *x, struct archive *archive)
{
    bfs_keep(x->strategy->own, archive);
}

bool bfs_begin(struct explorer *x, struct bfs *bfs)
{
    *bfs = (struct bfs){.present.end = 1, .level_end = 1};
    x->strategy->own = bfs; // cppcheck-suppress autoVariables
    x->strategy->standing = standing;
    x->strategy->path = path;
    x->strategy->bytes = level_bytes;
    x->strategy->keep = keep;
    if (vector_push(&bfs->level, 0))
        return insert_initial(x);
    x->status = fail_memory(x->error);
    return false;
}

bool bfs_is_done(const struct explorer *x, const struct bfs *bfs)
{
    return bfs->present.next == bfs->present.end && !bfs->left.count && bfs->level_end >= x->search->store.count;
}

/* Begins another level, or goes on with the present one elsewhere. */
static bool go_on(struct explorer *x, struct bfs *bfs)
{
    if (bfs->left.count) {
        bfs->present = bfs->left.item[--bfs->left.count];
        return true;
    }
    bfs->present = (struct state_range){.next = bfs->level_end, .end = x->search->store.count};
    bfs->level_end = bfs->present.end;
    if (vector_push(&bfs->level, bfs->present.next))
        return true;
    end_short_of_memory(x->search);
    return false;
}

bool bfs_step(struct explorer *x, struct bfs *bfs, bool (*how)(struct explorer *explorer, uint32_t state))
{
    if (bfs->present.next == bfs->present.end && !go_on(x, bfs))
        return false;
    x->counted.depth = bfs->level.count;
    x->next = bfs->present.next + 1;
    x->next_end = x->fires_all || x->chooses_ahead ? bfs->present.end : 0;
    if (!how(x, bfs->present.next))
        return false;
    observe_state(x);
    bfs->present.next++;
    return true;
}

void bfs_end(struct bfs *bfs)
{
    free(bfs->level.item);
    free(bfs->left.item);
}

static void run(struct explorer *x)
{
    struct bfs bfs;
    if (x->search->frontier) {
        search_forgetful(x);
        return;
    }
    if (x->search->crew) {
        search_levels(x);
        return;
    }
    bool fine = bfs_begin(x, &bfs);
    while (fine && search_goes_on(x) && !bfs_is_done(x, &bfs)) {
        fine = bfs_step(x, &bfs, expand);
        if (is_saved(x->search))
            save_between_steps(x);
        observe_limits(x);
    }
    x->next_end = 0;
    bfs_end(&bfs);
    x->strategy->own = NULL;
}

const struct search_class search_bfs = {.name = "bfs",
                                        .summary = "breadth-first; without a reduction its traces are shortest",
                                        .of = OF_STATES,
                                        .order = BREADTH_FIRST,
                                        .run = run};
