/* SPDX-License-Identifier: Apache-2.0 */
#include "search/crew.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

#ifndef CREW_TURNS /* looks for the end of a meeting before the thread sleeps; tests have fewer */
#define CREW_TURNS 1000
#endif

void crew_free(struct crew *c)
{
    if (!c)
        return;
    for (uint32_t i = 1; c->explorers && i < c->workers; i++)
        if (c->explorers[i]) {
            explorer_clear(c->explorers[i]);
            free(c->explorers[i]);
        }
    free(c->explorers);
    free(c->published);
    free(c->errors);
    pthread_mutex_destroy(&c->mutex);
    pthread_mutex_destroy(&c->telling);
    pthread_cond_destroy(&c->changed);
    free(c);
}

enum portolan_status crew_make(struct explorer *first, uint32_t workers, const char *words)
{
    struct search *s = first->search;
    struct crew *c = calloc(1, sizeof *c);
    if (!c)
        return fail_memory(first->error);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_mutex_init(&c->telling, NULL);
    pthread_cond_init(&c->changed, NULL);
    s->crew = c;
    c->workers = workers;
    c->explorers = calloc(workers, sizeof *c->explorers);
    c->published = calloc(workers, sizeof *c->published);
    c->errors = calloc(workers, sizeof *c->errors);
    if (!c->explorers || !c->published || !c->errors)
        return fail_memory(first->error);
    c->explorers[0] = first;
    for (uint32_t i = 1; i < workers; i++) {
        struct explorer *x = c->explorers[i] = calloc(1, sizeof *x);
        if (!x)
            return fail_memory(first->error);
        *x = (struct explorer){
            .search = s, .strategy = first->strategy, .system = s->system, .worker = i, .error = first->error};
        enum portolan_status status = explorer_make(x, words);
        if (status != PORTOLAN_OK)
            return status;
        x->error = &c->errors[i];
    }
    return PORTOLAN_OK;
}

/* --- resting; the caller holds the mutex */

static void doze(struct crew *c, uint64_t *round)
{
    if (!c->part || *round == c->round) {
        pthread_cond_wait(&c->changed, &c->mutex);
        return;
    }
    *round = c->round;
    c->helping++;
    void (*part)(void *) = c->part;
    void *argument = c->argument;
    pthread_mutex_unlock(&c->mutex);
    part(argument);
    pthread_mutex_lock(&c->mutex);
    c->helping--;
    pthread_cond_broadcast(&c->changed);
}

static void rest(struct crew *c)
{
    uint64_t round = c->round;
    c->resting++;
    pthread_cond_broadcast(&c->changed);
    while (c->alone)
        doze(c, &round);
    c->resting--;
}

void crew_rest(struct crew *c)
{
    pthread_mutex_lock(&c->mutex);
    rest(c);
    pthread_mutex_unlock(&c->mutex);
}

bool crew_stop_others(struct crew *c)
{
    pthread_mutex_lock(&c->mutex);
    bool first = !c->alone;
    if (first) {
        c->alone = true;
        atomic_store_explicit(&c->stopping, true, memory_order_release);
        while (c->resting < c->workers - 1)
            pthread_cond_wait(&c->changed, &c->mutex);
    } else {
        rest(c);
    }
    pthread_mutex_unlock(&c->mutex);
    return first;
}

void crew_let_go(struct crew *c)
{
    pthread_mutex_lock(&c->mutex);
    c->alone = false;
    atomic_store_explicit(&c->stopping, false, memory_order_release);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

void crew_together(void *user, void (*part)(void *), void *argument)
{
    struct crew *c = user;
    pthread_mutex_lock(&c->mutex);
    c->part = part;
    c->argument = argument;
    c->round++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
    part(argument);
    pthread_mutex_lock(&c->mutex);
    c->part = NULL;
    while (c->helping)
        pthread_cond_wait(&c->changed, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
}

/* Most meetings are short, and being woken takes longer than they do. */
static void stay_awake(const struct crew *c, uint64_t meeting)
{
    for (int i = 0; i < CREW_TURNS && atomic_load_explicit(&c->meeting, memory_order_relaxed) == meeting; i++) {
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    }
}

bool crew_meet(struct crew *c)
{
    pthread_mutex_lock(&c->mutex);
    uint64_t meeting = c->meeting, round = c->round;
    bool last = ++c->arrived == c->workers;
    if (!last) {
        c->resting++;
        pthread_cond_broadcast(&c->changed);
        pthread_mutex_unlock(&c->mutex);
        stay_awake(c, meeting);
        pthread_mutex_lock(&c->mutex);
        while (c->meeting == meeting || c->alone)
            doze(c, &round);
        c->resting--;
    }
    pthread_mutex_unlock(&c->mutex);
    return last;
}

void crew_send_on(struct crew *c)
{
    pthread_mutex_lock(&c->mutex);
    c->arrived = 0;
    c->meeting++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

/* --- sharing work */

bool crew_idle(struct crew *c, struct explorer *x, bool (*take)(struct explorer *explorer))
{
    pthread_mutex_lock(&c->mutex);
    bool taken = take(x);
    if (!taken) {
        uint64_t round = c->round;
        c->resting++;
        if (++c->idle == c->workers)
            c->over = true;
        pthread_cond_broadcast(&c->changed);
        while (!c->over && (c->alone || !(taken = take(x))))
            doze(c, &round);
        c->idle--;
        c->resting--;
    }
    pthread_mutex_unlock(&c->mutex);
    return taken;
}

void crew_give(struct crew *c, struct explorer *x, void (*give)(struct explorer *explorer))
{
    pthread_mutex_lock(&c->mutex);
    give(x);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

void crew_leave(struct crew *c)
{
    pthread_mutex_lock(&c->mutex);
    c->over = true;
    c->resting++;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mutex);
}

/* --- threads */

struct start {
    struct crew *crew;
    struct explorer *explorer;
    struct portolan_limits *limits;
    void (*work)(struct explorer *explorer);
    pthread_t thread;
};

/* The counters of limits are a worker's own, or they would be passed to and fro between processors all the time. */
static void do_work(struct explorer *x, void (*work)(struct explorer *explorer))
{
    struct portolan_limits own;
    limits_begin(&own, 0, 0, NULL);
    if (x->search->options->checkpoint)
        limits_be_patient(&own);
    work(x);
    if (!x->search->ended && limits_stop() != PORTOLAN_COMPLETE)
        end_search(x->search, limits_stop()); /* something was left out on the way */
    limits_end(&own);
}

static void *run_worker(void *argument)
{
    const struct start *start = argument;
    limits_adopt(start->limits);
    pthread_mutex_lock(&start->crew->mutex); /* until it is known that all are there */
    bool complete = start->work;
    pthread_mutex_unlock(&start->crew->mutex);
    if (complete)
        do_work(start->explorer, start->work);
    return NULL;
}

static void add_counts(struct portolan_statistics *sum, const struct portolan_statistics *part)
{
    sum->visited += part->visited;
    sum->transitions += part->transitions;
    sum->expanded_fully += part->expanded_fully;
    sum->deadlocks += part->deadlocks;
    sum->natively += part->natively;
    sum->product_transitions += part->product_transitions;
    sum->checkpoints += part->checkpoints;
    if (part->depth > sum->depth)
        sum->depth = part->depth;
    if (part->bytes > sum->bytes)
        sum->bytes = part->bytes;
    if (part->spilled > sum->spilled)
        sum->spilled = part->spilled;
}

/* What all have counted becomes what one has. */
static void gather_counts(struct explorer *to)
{
    struct crew *c = to->search->crew;
    for (uint32_t i = 0; i < c->workers; i++) {
        struct explorer *x = c->explorers[i];
        if (x == to)
            continue;
        add_counts(&to->counted, &x->counted);
        memset(&x->counted, 0, sizeof x->counted);
        memset(&c->published[i], 0, sizeof c->published[i]);
    }
}

bool crew_stop_between_steps(struct explorer *x)
{
    struct crew *c = x->search->crew;
    if (!crew_stop_others(c))
        return false;
    for (uint32_t i = 0; i < c->workers; i++)
        if (c->explorers[i]->within_step) {
            crew_let_go(c);
            return false;
        }
    gather_counts(x);
    return true;
}

/* What the others counted and what went wrong with them. */
static void gather(struct crew *c)
{
    struct explorer *first = c->explorers[0];
    gather_counts(first);
    for (uint32_t i = 1; i < c->workers; i++) {
        struct explorer *x = c->explorers[i];
        if (first->status == PORTOLAN_OK && x->status != PORTOLAN_OK) {
            first->status = x->status;
            if (first->error)
                *first->error = c->errors[i];
        }
    }
}

void crew_run(struct crew *c, void (*work)(struct explorer *explorer))
{
    struct explorer *first = c->explorers[0];
    struct start starts[STORE_MOST_THREADS] = {0};
    uint32_t started = 1;
    c->idle = 0;
    c->resting = c->arrived = 0;
    c->over = false;
    pthread_mutex_lock(&c->mutex);
    for (; started < c->workers; started++) {
        starts[started] =
            (struct start){.crew = c, .explorer = c->explorers[started], .limits = limits_present, .work = work};
        if (pthread_create(&starts[started].thread, NULL, run_worker, &starts[started]) != 0)
            break;
    }
    bool complete = started == c->workers;
    for (uint32_t i = 1; i < started && !complete; i++)
        starts[i].work = NULL;
    pthread_mutex_unlock(&c->mutex);
    if (complete)
        do_work(first, work);
    else
        first->status = fail(first->error, PORTOLAN_NO_MEMORY, "cannot start that many threads");
    for (uint32_t i = 1; i < started; i++)
        pthread_join(starts[i].thread, NULL);
    gather(c);
}

/* --- statistics */

struct portolan_statistics crew_sum(struct explorer *x)
{
    struct crew *c = x->search->crew;
    struct portolan_statistics sum = x->counted;
    c->published[x->worker] = x->counted;
    for (uint32_t i = 0; i < c->workers; i++)
        if (i != x->worker)
            add_counts(&sum, &c->published[i]);
    return sum;
}

uint64_t crew_visited(const struct crew *c)
{
    uint64_t visited = 0;
    for (uint32_t i = 0; i < c->workers; i++)
        visited += c->explorers[i]->counted.visited;
    return visited;
}
