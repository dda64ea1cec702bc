/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/system/shards.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "stateless/saved.h"
#include "stateless/stateless.h"
#include "system/saved_answers.h"

#include <stdlib.h>
#include <unistd.h>

enum { POINTS_EACH = 64, DEEPEST = 10000 };

enum portolan_status shards_check(const struct portolan_system *system, const struct portolan_options *options,
                                  const struct method *method, struct portolan_error *error)
{
    const char *why = options->random_runs          ? "random runs: give each job a seed of its own"
                      : options->bounds_preemptions ? "a bound on preemptions"
                      : options->threads > 1        ? "--threads: write more shards instead"
                      : method->run                 ? "a method that explores in its own way"
                      : !method->sleeps && method != &method_none
                          ? "a method without sleep sets: shards would explore the same"
                      : options->callbacks.execution ? "a list of executions"
                      : !has_fixed_actions(system)   ? "this model: its actions are numbered as they are met"
                                                     : NULL;
    return why ? fail(error, PORTOLAN_REFUSED, "--shards cannot be combined with %s", why) : PORTOLAN_OK;
}

enum portolan_status shards_plan(struct properties *p, const struct method *method, explore_system *explore,
                                 struct portolan_error *error)
{
    struct shard_order *order = p->options->shard;
    struct portolan_options options = *p->options;
    enum portolan_status status = PORTOLAN_OK;
    uint64_t enough = (uint64_t)order->shards * POINTS_EACH;
    bool is_done = false;
    options.checkpoint = options.resume = NULL;
    for (uint64_t depth = 1; status == PORTOLAN_OK && !is_done; depth += 1 + depth / 8) {
        order->depth = depth;
        struct split split = {.depth = order->depth, .only_counts = true, .everybody = true};
        struct portolan_result result = {0};
        struct search_shared shared = {.options = &options, .result = &result, .worker_count = 1, .split = &split};
        status = explore(p, &shared, method, error);
        order->points = split.points;
        if (status == PORTOLAN_OK && result.stop != PORTOLAN_COMPLETE && result.stop != PORTOLAN_PARTIAL)
            status = fail(error, PORTOLAN_STOPPED, "a limit was reached before the search could be divided");
        is_done = split.points >= enough || !split.deep || depth > DEEPEST;
    }
    return status;
}

struct split shard_split(const struct shard_order *order)
{
    return (struct split){.depth = order->depth, .everybody = true, .shard = order->shard - 1, .shards = order->shards};
}

/* ------------------------------------------------------------------------- answers */

static void keep_fired(const struct portolan_system *system, bool *fired, struct archive *a)
{
    archive_same(a, fixed_actions(system));
    archive_bytes(a, fired, fixed_actions(system) * sizeof *fired);
}

enum portolan_status shard_end(struct properties *p, const struct split *split, struct portolan_error *error)
{
    const struct shard_order *order = p->options->shard;
    struct portolan_result *result = p->result;
    uint64_t points = split ? split->points : order->points;
    struct shard_answer answer = {.stop = result->stop, .points = points, .statistics = result->statistics};
    struct archive archive;
    if (!saved_is_over(result->stop))
        return PORTOLAN_OK;
    if (result->stop != PORTOLAN_DECIDED && points != order->points)
        return fail(error, PORTOLAN_REFUSED, "internal error: the tree has %llu points, and the plan says %llu",
                    (unsigned long long)points, (unsigned long long)order->points);
    shard_answer_begin(order, &answer, &archive);
    keep_fired(p->system, result->fired, &archive);
    p->observer.keep(&p->observer, &archive);
    archive_same(&archive, ARCHIVE_SHARD);
    enum portolan_status status = archive_close(&archive, error);
    if (status == PORTOLAN_OK && p->options->checkpoint)
        (void)unlink(p->options->checkpoint);
    if (result->stop == PORTOLAN_COMPLETE)
        result->stop = PORTOLAN_SHARD; /* which says nothing of the others */
    return status;
}

struct merging {
    struct properties *properties;
    bool *fired, *decided;
    struct portolan_answer *answers;
};

/* What the first shard has found counts; a trace to where there is no value is less than an answer. */
static void join_answer(struct properties *p, size_t i, bool decided, struct portolan_answer *theirs)
{
    struct portolan_answer *ours = &p->result->answers[i];
    bool better = (decided && !p->decided[i]) || (!p->decided[i] && !ours->has_trace && theirs->has_trace);
    if (better) {
        free(ours->trace);
        *ours = *theirs;
        p->undecided -= decided;
        p->decided[i] = decided;
    } else {
        free(theirs->trace);
    }
    *theirs = (struct portolan_answer){0};
}

static void take(void *user, const struct shard_answer *answer, struct archive *a)
{
    struct merging *m = user;
    struct properties *p = m->properties;
    size_t count = p->options->property_count, undecided;
    (void)answer;
    keep_fired(p->system, m->fired, a);
    for (uint32_t i = 0; !a->failed && i < fixed_actions(p->system); i++)
        p->result->fired[i] |= m->fired[i];
    keep_answers(a, m->answers, m->decided, count, &undecided);
    for (size_t i = 0; i < count; i++) {
        if (!a->failed)
            join_answer(p, i, m->decided[i], &m->answers[i]);
        free(m->answers[i].trace);
        m->answers[i] = (struct portolan_answer){0};
    }
}

enum portolan_status shards_merge(struct properties *p, struct portolan_error *error)
{
    struct shard_answer sum;
    size_t count = p->options->property_count;
    struct merging m = {.properties = p,
                        .fired = calloc((size_t)fixed_actions(p->system) + 1, sizeof *m.fired),
                        .decided = calloc(count + 1, sizeof *m.decided),
                        .answers = calloc(count + 1, sizeof *m.answers)};
    enum portolan_status status = m.fired && m.decided && m.answers
                                      ? shards_collect(p->options->shard, take, &m, &sum, error)
                                      : fail_memory(error);
    if (status == PORTOLAN_OK) {
        p->result->statistics = sum.statistics;
        p->result->stop = (enum portolan_stop)sum.stop;
    }
    free(m.fired);
    free(m.decided);
    free(m.answers);
    return status;
}
