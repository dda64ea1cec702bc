/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint/closing.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct closing {
    pthread_t thread;
    struct archive archive;
    enum portolan_status status;
    struct portolan_error error;
    _Atomic bool is_over;
};

static void *close_it(void *argument)
{
    struct closing *c = argument;
    c->status = archive_close(&c->archive, &c->error);
    atomic_store(&c->is_over, true);
    return NULL;
}

/* Signals are for the threads that search. */
static bool start(struct closing *c)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool fine = pthread_create(&c->thread, NULL, close_it, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fine;
}

struct closing *closing_begin(struct archive *archive)
{
    struct closing *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    archive_finish(archive);
    c->archive = *archive;
    if (start(c))
        return c;
    free(c);
    return NULL;
}

bool closing_is_over(const struct closing *closing)
{
    return atomic_load(&closing->is_over);
}

enum portolan_status closing_end(struct closing *closing, struct portolan_error *error)
{
    pthread_join(closing->thread, NULL);
    enum portolan_status status = closing->status;
    if (error)
        *error = closing->error;
    free(closing);
    return status;
}
