/* SPDX-License-Identifier: Apache-2.0 */
/* --distributed: this process is one of several that mpirun has started. */
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/own_place.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "distributed/transport.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool find_libraries(char *path, size_t size)
{
    if (!find_own_directory(path, size))
        return false;
    size_t end = strlen(path);
    if (snprintf(path + end, size - end, "/portolan-mpi.so") >= (int)(size - end))
        return false;
    bool is_beside = access(path, F_OK) == 0; /* as it was built */
    path[end] = '\0';
    return is_beside || snprintf(path + end, size - end, "/%s", RUNTIME_DIRECTORY) < (int)(size - end);
}

bool is_silent_rank(const struct settings *settings)
{
    return settings->transport && settings->transport->rank > 0;
}

static uint32_t present_rank;
static const char *present_checkpoint;

/* Somebody does not answer any more; mpirun tells who, and ends us. */
static void report_lost(void)
{
    if (present_rank == 0)
        fprintf(stderr, "portolan: a rank ended early or does not answer, and the search ends with it; what it had not "
                        "finished is unknown\n");
    if (present_rank == 0 && present_checkpoint && access(present_checkpoint, F_OK) == 0)
        fprintf(stderr, "hint: 'mpirun -n N portolan resume %s' continues from the last checkpoint, with any N\n",
                present_checkpoint);
    fflush(stderr);
    _exit(EXIT_UNDECIDED);
}

/* MPI itself may wait forever for a rank that is gone; this thread does not. */
static void *watch_over(void *argument)
{
    enum { LOOK = 50000000, PATIENCE = 6 };
    struct transport *transport = argument;
    uint64_t seen = 0;
    for (int waited = 0; waited < PATIENCE; nanosleep(&(struct timespec){.tv_nsec = LOOK}, NULL)) {
        uint64_t calls = atomic_load(&transport->calls);
        bool is_stuck = *transport->interrupt && calls % 2 && calls == seen;
        waited = is_stuck ? waited + 1 : 0;
        seen = calls;
    }
    report_lost();
    return NULL;
}

static void begin_watch(struct transport *transport)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch_over, transport) == 0)
        pthread_detach(thread);
}

/* While ranks join, which they do together: MPI knows no limits, and waits for one that never comes. */
static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool over;
    struct timespec deadline;
    unsigned long rank; /* MPI cannot be asked yet */
} joining = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* The first rank speaks, or, if it is the one that does not come, the second; nobody else needs to. */
static void *watch_joining(void *unused)
{
    (void)unused;
    int late = 0;
    pthread_mutex_lock(&joining.mutex);
    while (!joining.over && !late)
        late = pthread_cond_timedwait(&joining.changed, &joining.mutex, &joining.deadline);
    if (!joining.over) {
        if (joining.rank < 2)
            fprintf(stderr, "portolan: the time limit is over, and not all ranks have begun: nothing was searched\n");
        fflush(stderr);
        _exit(EXIT_UNDECIDED);
    }
    pthread_mutex_unlock(&joining.mutex);
    return NULL;
}

static enum portolan_status join(const char *directory, struct settings *settings, struct portolan_error *error)
{
    pthread_t thread;
    bool is_watched = false;
    if (settings->time > 0 && clock_gettime(CLOCK_REALTIME, &joining.deadline) == 0) {
        const char *rank = getenv("OMPI_COMM_WORLD_RANK");
        joining.rank = rank ? strtoul(rank, NULL, 10) : 0;
        joining.deadline.tv_sec += (time_t)settings->time + (joining.rank ? 3 : 2);
        is_watched = pthread_create(&thread, NULL, watch_joining, NULL) == 0;
    }
    enum portolan_status status = transport_load(directory, &settings->transport, error);
    pthread_mutex_lock(&joining.mutex);
    joining.over = true;
    pthread_cond_signal(&joining.changed);
    pthread_mutex_unlock(&joining.mutex);
    if (is_watched)
        pthread_join(thread, NULL);
    return status;
}

/* The first rank has the answer and writes all there is to write. */
static void fall_silent(struct settings *settings)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    settings->json_file = settings->trace_file = settings->msc_file = settings->pictures_file = NULL;
    settings->junit_file = settings->html_file = settings->output = NULL;
}

enum portolan_status ranks_join(struct settings *settings, struct portolan_error *error)
{
    char directory[4096];
    if (!settings->distributed)
        return PORTOLAN_OK;
    if (!find_libraries(directory, sizeof directory))
        return fail(error, PORTOLAN_REFUSED, "--distributed: cannot find out where this program is");
    enum portolan_status status = join(directory, settings, error);
    if (status != PORTOLAN_OK)
        return status;
    present_rank = settings->transport->rank;
    settings->transport->lost = report_lost;
    settings->transport->interrupt = command_interrupt();
    if (settings->time > 0) /* and as long again for traces */
        settings->transport->deadline = (double)monotonic_now() / 1e9 + 2 * settings->time + 2;
    present_checkpoint = settings->checkpoint;
    if (!is_silent_rank(settings))
        begin_watch(settings->transport);
    settings->memory = settings->memory / settings->transport->ranks + (settings->memory != 0);
    if (is_silent_rank(settings))
        fall_silent(settings);
    return PORTOLAN_OK;
}

int ranks_leave(struct settings *settings, int exit_status)
{
    if (!settings->transport)
        return exit_status;
    bool is_silent = is_silent_rank(settings);
    if (!settings->transport->has_met)
        transport_meet(settings->transport, false);
    settings->transport->close(settings->transport);
    settings->transport = NULL;
    return is_silent ? EXIT_HOLDS : exit_status;
}
