/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program explored part by part, so that the search can be ended and go on, or be shared out to processes that have
 * nothing in common (stateless/shards.h).  The parts lie below the points at which the tree is split
 * (stateless/split.h); they are explored in order, so all that a later process need know is how many are done.
 *
 * What a process knows of the program (objects, threads, loops) decides what its tree looks like.  So everybody first
 * goes through the same executions, and when somebody learns more on the way, what was done before does not count.
 */
#include "native/live.h"
#include "native/machine.h"
#include "native/reservations.h"
#include "native/runtime.h"
#include "native/settings.h"

#include "base/diagnostic.h"
#include "stateless/mailbox.h"
#include "stateless/saved.h"
#include "stateless/split.h"

#include <string.h>

enum { LESSON = 2000, LONGER = 16, POINTS = 4096, POINTS_EACH = 64, DEEPEST = 5000 };

/* The supervisor reads what is whole: an odd version is being written. */
static void publish(const struct part_of_search *part)
{
    atomic_fetch_add(&supervision->part_version, 1);
    supervision->part = *part;
    atomic_fetch_add(&supervision->part_version, 1);
}

static KEPT struct part_of_search present; /* what was done when this process began, and the plan */

static void add(struct part_of_search *part, const struct portolan_statistics *s)
{
    part->executions += s->executions;
    part->blocked += s->blocked;
    part->cut += s->cut;
    part->steps += s->transitions;
    part->deepest = s->depth > part->deepest ? s->depth : part->deepest;
}

static void come_to_point(const struct worker *w, uint64_t point)
{
    struct part_of_search part = present;
    if (point < present.done)
        return;
    add(&part, &(struct portolan_statistics){.executions = w->executions,
                                             .blocked = w->blocked,
                                             .cut = w->cut,
                                             .transitions = w->steps,
                                             .depth = w->deepest});
    part.done = point;
    reservations_tell(part.reservations, sizeof part.reservations);
    publish(&part);
}

/* The least depth with points enough, if nothing new is learned on the way. */
static bool choose_depth(const struct portolan_options *options, struct split *split)
{
    uint64_t shards = supervision->settings.shards, enough = shards ? shards * POINTS_EACH : POINTS;
    for (size_t depth = 1;; depth += 1 + depth / 8) {
        *split = (struct split){.depth = depth, .everybody = true};
        if (!count_points(options, split))
            return false;
        if (split->points >= enough || !split->deep || depth > DEEPEST)
            return true;
    }
}

/* Leaves that ranks hand out. */
static enum portolan_status explore_leaves(const struct portolan_options *options, struct portolan_result *result,
                                           struct portolan_error *error)
{
    struct mailbox_source source;
    const char *name = supervision->settings.mailbox;
    if (!mailbox_open(&source, name, options->interrupt))
        return fail(error, PORTOLAN_IO, "cannot open '%s'", name);
    enum portolan_status status = explore_alone_once(options, NULL, &source.source, result, error);
    bool is_fine = status == PORTOLAN_OK && run.failure.kind == NO_FAILURE;
    mailbox_close(&source, is_fine ? result->stop : PORTOLAN_COMPLETE);
    return status;
}

/* All of the plan that is for this process. */
static enum portolan_status explore_points(const struct portolan_options *options, struct portolan_result *result,
                                           struct portolan_error *error)
{
    const struct run_settings *s = &supervision->settings;
    struct split split = {.depth = present.depth,
                          .everybody = true,
                          .shard = (uint32_t)(s->shards ? s->shard - 1 : 0),
                          .shards = (uint32_t)(s->shards ? s->shards : 1),
                          .skipped = present.done,
                          .at_point = come_to_point};
    struct portolan_options own = *options;
    if (own.state_limit)
        own.state_limit = own.state_limit > present.executions ? own.state_limit - present.executions : 1;
    reservations_add_told(present.reservations);
    bool has_leaves = s->mailbox[0];
    enum portolan_status status =
        has_leaves ? explore_leaves(&own, result, error) : explore_alone_once(&own, &split, NULL, result, error);
    if (has_leaves)
        split.points = present.points;
    if (status != PORTOLAN_OK || run.failure.kind != NO_FAILURE)
        return status;
    struct part_of_search part = present;
    add(&part, &result->statistics);
    result->statistics.executions = part.executions;
    result->statistics.blocked = part.blocked;
    result->statistics.cut = part.cut;
    result->statistics.transitions = part.steps;
    result->statistics.depth = part.deepest;
    if (result->stop == PORTOLAN_COMPLETE && part.cut)
        result->stop = PORTOLAN_STEP_LIMIT; /* by what was done before */
    if (!saved_is_over(result->stop))
        return PORTOLAN_OK;
    if (split.points != present.points)
        return fail(error, PORTOLAN_REFUSED, "the program has %llu parts this time, and had %llu",
                    (unsigned long long)split.points, (unsigned long long)present.points);
    part.done = split.points;
    part.stop = result->stop;
    reservations_tell(part.reservations, sizeof part.reservations);
    publish(&part);
    if (s->shards && result->stop == PORTOLAN_COMPLETE)
        result->stop = PORTOLAN_SHARD;
    return PORTOLAN_OK;
}

/* Goes through the first executions; true when there is more to do. */
static bool learn(uint64_t lesson, const struct portolan_options *options, struct portolan_result *result,
                  enum portolan_status *status, struct portolan_error *error)
{
    const struct run_settings *s = &supervision->settings;
    struct portolan_options first = *options;
    bool is_all = options->state_limit && options->state_limit <= lesson && !present.depth && !s->shards;
    first.state_limit = is_all ? options->state_limit : lesson;
    *status = explore_alone(&first, NULL, result, error);
    if (*status != PORTOLAN_OK || run.failure.kind != NO_FAILURE || is_all)
        return false;
    bool is_whole = result->stop != PORTOLAN_STATE_LIMIT; /* or somebody wants it to end */
    return !is_whole || (saved_is_over(result->stop) && (s->shards || present.depth));
}

enum portolan_status explore_in_parts(const struct portolan_options *options, struct portolan_result *result,
                                      struct portolan_error *error)
{
    const struct run_settings *s = &supervision->settings;
    enum portolan_status status = PORTOLAN_OK;
    present = s->from;
    for (uint64_t lesson = present.lesson ? present.lesson : s->lesson ? s->lesson : LESSON;; lesson *= LONGER) {
        bool is_planned = present.depth;
        if (!learn(lesson, options, result, &status, error))
            return status;
        struct split split;
        if (!is_planned && !choose_depth(options, &split)) {
            if (run.failure.kind == SEARCH_AGAIN)
                continue;
            return *options->interrupt ? status : explore_alone(options, NULL, result, error);
        }
        if (!is_planned)
            present = (struct part_of_search){.depth = split.depth, .points = split.points, .lesson = lesson};
        publish(&present);
        if (s->plans)
            return PORTOLAN_OK;
        status = explore_points(options, result, error);
        if (run.failure.kind != SEARCH_AGAIN)
            return status;
        if (s->shards) {
            run.failure.kind = NO_FAILURE;
            present.wanted = lesson * LONGER;
            publish(&present);
            fail(error, PORTOLAN_REFUSED, "this shard has learned of the program what the plan does not know");
            hint(error, "write the shards again, with --lesson %llu", (unsigned long long)(lesson * LONGER));
            return PORTOLAN_REFUSED;
        }
        present = (struct part_of_search){0};
    }
}
