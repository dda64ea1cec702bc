/* SPDX-License-Identifier: Apache-2.0 */
/* What the workers of one search have in common: options, limits, properties, the work that one can take from another.
 */
#ifndef STATELESS_SHARED_H
#define STATELESS_SHARED_H

#include "stateless/worker.h"

#include <pthread.h>
#include <time.h>

/* Who looks at executions beside the search, and may end it by observe_stop.  Several workers may call at once. */
struct observer {
    /* An execution has ended; it was cut when somebody has used up the bound on steps. */
    void (*ended)(struct observer *observer, struct worker *worker, enum machine_end end, bool cut);
    /* A random run has come to a new point. */
    void (*at_point)(struct observer *observer, struct worker *worker);
    /* What it has found so far, into a file or out of it. */
    void (*keep)(struct observer *observer, struct archive *archive);
};

struct search_shared {
    struct observer *observer; /* NULL: nobody */
    const struct portolan_options *options;
    struct portolan_result *result;
    struct timespec start;
    double next_progress;
    struct portolan_limits *limits; /* of the thread that began */
    atomic_bool over;               /* everybody stops soon */
    atomic_uint_fast64_t counted;   /* executions, when their number is limited */
    enum portolan_stop stop;

    uint32_t fired_count;       /* entries of result->fired */
    struct split *split;        /* NULL: the search is not split between processes */
    struct common_tree *tree;   /* that they explore together, or NULL */
    struct leaf_source *leaves; /* where the one worker has its leaves from, or NULL: leaves.h */
    struct saved *saved;        /* the file from which it can go on, or NULL: saved.h */
    struct worker *workers;
    uint32_t worker_count;
    pthread_mutex_t mutex;      /* of everything above that changes, and of the stacks below */
    pthread_cond_t work_or_end; /* somebody has work to give away, or nobody has any */
    atomic_uint idle;
    bool finished;
};

/* Called by a worker at each end of an execution. */
void observe_execution(struct worker *worker, enum machine_end end, bool cut);
/* Called by random runs at each step. */
void observe_point(struct worker *worker);
/* Called now and then: limits, progress. */
void observe_progress(struct worker *worker);
/* A limit was reached. */
void observe_stop(struct worker *worker, enum portolan_stop stop);
/* An execution is complete: false when there are enough without it. */
bool observe_count(struct worker *worker);
/* An execution grew beyond every length that makes sense. */
void observe_too_long(struct worker *worker);
/* The method went on and on. */
void observe_divergence(struct worker *worker);

/* The machine itself has found an error. */
void observe_failure(struct worker *worker);

/* Sums up, when all workers have ended. */
void observe_end(struct search_shared *shared);

/* --- share.c */

/* Gives idle workers something to do, when there are any; called by a busy one now and then. */
void share_work(struct worker *worker);
/* Waits for work; true when the worker's stack has been filled. */
bool wait_for_work(struct worker *worker);

#endif
