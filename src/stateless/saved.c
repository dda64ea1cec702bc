/* SPDX-License-Identifier: Apache-2.0 */
#include "stateless/saved.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "checkpoint/head.h"
#include "stateless/split.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double EVERY = 600;

bool saved_make(struct saved *saved, const struct portolan_options *options, enum archive_kind kind, uint64_t mark)
{
    *saved = (struct saved){.mark = mark,
                            .kind = kind,
                            .file = options->checkpoint,
                            .from = options->resume,
                            .words = options->checkpoint_words,
                            .every = options->checkpoint_every > 0 ? options->checkpoint_every : EVERY};
    saved->next = saved->every;
    return saved->file || saved->from;
}

bool saved_is_over(enum portolan_stop stop)
{
    return stop <= PORTOLAN_DECIDED || stop == PORTOLAN_PREEMPTION_LIMIT || stop == PORTOLAN_STEP_LIMIT ||
           stop == PORTOLAN_PARTIAL;
}

void saved_end(struct saved *saved, struct portolan_result *result)
{
    bool is_over = saved_is_over(result->stop);
    if (is_over && saved->can_resume && !saved->stays)
        (void)unlink(saved->file);
    result->can_resume = saved->can_resume && !is_over;
    result->statistics.checkpoints = saved->written;
    snprintf(result->checkpoint_trouble, sizeof result->checkpoint_trouble, "%s", saved->trouble);
    free(saved->races.item);
    free(saved->open.item);
}

/* ------------------------------------------------------------------------- what is kept */

static void keep_counters(struct worker *w, struct archive *a)
{
    uint64_t *const counters[] = {&w->executions, &w->blocked, &w->cut, &w->steps, &w->deadlocks, &w->left_out};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        archive_number(a, counters[i]);
    archive_bytes(a, &w->agents_seen, sizeof w->agents_seen);
    archive_count(a, &w->deepest);
    if (w->split)
        archive_number(a, &w->split->points);
    bool *fired = w->shared->result->fired;
    uint64_t actions = fired ? w->shared->fired_count : 0;
    archive_same(a, actions);
    if (fired)
        archive_bytes(a, fired, actions * sizeof *fired);
}

/* What sleeps because an earlier node explored it is that node's, where there is much of it. */
static void borrow_step(struct sleeper *sleeper, const struct node *parent, struct archive *a)
{
    free(sleeper->step.many);
    sleeper->step.many = NULL;
    for (size_t i = 0; parent && i < parent->sleep_set.count; i++)
        if (parent->sleep_set.item[i].step.agent == sleeper->step.agent) {
            sleeper->step = parent->sleep_set.item[i].step;
            return;
        }
    a->failed = true;
}

static void keep_sleepers(struct node *node, const struct node *parent, struct archive *a)
{
    size_t count = node->sleep_set.count;
    archive_count(a, &count);
    for (size_t i = 0; i < count && !a->failed; i++) {
        if (a->reading && !vector_push(&node->sleep_set, (struct sleeper){0})) {
            a->failed = true;
            return;
        }
        struct sleeper *sleeper = &node->sleep_set.item[i];
        archive_flag(a, &sleeper->explored_here);
        archive_flag(a, &sleeper->from_above);
        kept_step_keep(&sleeper->step, a);
        if (a->reading && !sleeper->explored_here && sleeper->step.access_count > KEPT_FEW)
            borrow_step(sleeper, parent, a);
    }
}

static void keep_node(struct worker *w, struct node *node, const struct node *parent, struct archive *a)
{
    enum { SETS = 4 }; /* of agents, behind each other: asleep, enabled, ended, backtracks */
    archive_flag(a, &node->entered);
    archive_bytes(a, &node->explored, sizeof node->explored);
    archive_bytes(a, &node->preemptions, sizeof node->preemptions);
    archive_bytes(a, node->asleep, SETS * w->pool.words * sizeof *node->asleep);
    wakeup_keep(&w->pool.wakeup, &node->backtrack, a);
    keep_sleepers(node, parent, a);
}

static void keep_stack(struct worker *w, struct archive *a)
{
    size_t count = w->stack.count;
    archive_same(a, w->machine->agents);
    archive_same(a, w->pool.words);
    archive_count(a, &count);
    if (a->reading)
        worker_drop_stack(w);
    for (size_t i = 0; i < count && !a->failed; i++) {
        struct node *node = a->reading ? node_make(&w->pool) : w->stack.item[i];
        if (!node || (a->reading && !vector_push(&w->stack, node))) {
            a->failed = true;
            return;
        }
        keep_node(w, node, i ? w->stack.item[i - 1] : NULL, a);
    }
    if (a->reading)
        worker_set_hint(w, NULL);
    hint_keep(&w->hint, a);
    if (a->reading)
        w->pool.wakeup.bytes += hint_bytes(w->hint);
}

static void write_path(const struct worker *w, struct archive *a)
{
    uint64_t events = w->execution.events.count, races = w->execution.races.count, seen = w->seen_events,
             favourite = w->favourite;
    archive_number(a, &events);
    for (size_t i = 0; i < events; i++)
        archive_bytes(a, &w->execution.events.item[i].agent, sizeof w->execution.events.item[i].agent);
    archive_number(a, &events);
    for (size_t i = 0; i < events; i++)
        archive_bytes(a, &w->execution.events.item[i].open, sizeof w->execution.events.item[i].open);
    archive_number(a, &races);
    for (size_t i = 0; i < races; i++)
        archive_bytes(a, &w->execution.races.item[i], sizeof w->execution.races.item[i]);
    archive_number(a, &seen);
    archive_number(a, &favourite);
}

static void read_path(struct worker *w, struct archive *a)
{
    struct saved *saved = w->shared->saved;
    archive_vector(a, &w->given);
    archive_vector(a, &saved->open);
    archive_vector(a, &saved->races);
    archive_number(a, &saved->seen_events);
    archive_number(a, &saved->favourite);
    if (w->given.count + 1 != w->stack.count || saved->open.count != w->given.count)
        a->failed = true;
}

static void keep_all(struct worker *w, struct archive *a)
{
    struct search_shared *shared = w->shared;
    if (shared->saved->keep)
        shared->saved->keep(a);
    keep_counters(w, a);
    if (shared->observer && shared->observer->keep)
        shared->observer->keep(shared->observer, a);
    keep_stack(w, a);
    if (a->reading)
        read_path(w, a);
    else
        write_path(w, a);
    archive_same(a, shared->saved->kind); /* it really ends here */
}

/* ------------------------------------------------------------------------- the file */

enum portolan_status saved_read(struct worker *w, struct portolan_error *error)
{
    struct saved *saved = w->shared->saved;
    struct archive archive;
    enum portolan_status status = archive_open_as(&archive, saved->from, saved->kind, error);
    if (status != PORTOLAN_OK)
        return status;
    uint64_t mark = 0;
    archive_number(&archive, &mark);
    if (mark != saved->mark) {
        archive.failed = true;
        archive_close(&archive, NULL);
        return fail(
            error, PORTOLAN_REFUSED,
            "'%s' belongs to another model or program or an earlier version of it, or was written with other options",
            saved->from);
    }
    keep_all(w, &archive);
    saved->resumed = true;
    saved->can_resume = saved->file && strcmp(saved->file, saved->from) == 0;
    return archive_close(&archive, error);
}

bool saved_follow(struct worker *w)
{
    struct saved *saved = w->shared->saved;
    if (!saved->resumed)
        return true;
    saved->resumed = false;
    bool is_same = saved->races.count == w->execution.races.count && saved->open.count == w->execution.events.count;
    for (size_t i = 0; is_same && i < saved->races.count; i++)
        is_same = saved->races.item[i].first == w->execution.races.item[i].first;
    if (!is_same) {
        worker_give_up(
            w, fail(&w->error, PORTOLAN_REFUSED, "'%s': its execution went differently this time", saved->from));
        return true;
    }
    for (size_t i = 0; i < saved->races.count; i++)
        w->execution.races.item[i] = saved->races.item[i];
    for (size_t i = 0; i < saved->open.count; i++)
        w->execution.events.item[i].open = saved->open.item[i];
    w->seen_events = saved->seen_events;
    w->favourite = (uint32_t)saved->favourite;
    return true;
}

static void save(struct worker *w)
{
    struct saved *saved = w->shared->saved;
    struct archive archive;
    struct portolan_error error;
    if (!saved->file)
        return;
    archive_create(&archive, saved->file);
    archive_put_head(&archive, saved->kind, saved->words);
    archive_number(&archive, &saved->mark);
    keep_all(w, &archive);
    saved->trouble[0] = '\0';
    if (archive_close(&archive, &error) == PORTOLAN_OK) {
        saved->written++;
        saved->can_resume = true;
    } else {
        snprintf(saved->trouble, sizeof saved->trouble, "%.159s", error.message);
    }
}

void save_when_due(struct worker *w)
{
    struct saved *saved = w->shared->saved;
    if (atomic_load(&w->shared->over) || !w->stack.count || seconds_since(&w->shared->start) < saved->next)
        return;
    save(w);
    saved->next = seconds_since(&w->shared->start) + saved->every;
}

void save_at_limit(struct worker *w)
{
    uint64_t most = w->shared->options->state_limit;
    enum portolan_stop due = limits_due();
    if (due == PORTOLAN_COMPLETE && most && w->executions > most)
        due = PORTOLAN_STATE_LIMIT;
    if (due != PORTOLAN_COMPLETE && w->stack.count)
        observe_stop(w, due);
}

void save_at_end(struct worker *w)
{
    if (w->shared->stop > PORTOLAN_DECIDED && w->status == PORTOLAN_OK)
        save(w);
}
