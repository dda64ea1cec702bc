/* SPDX-License-Identifier: Apache-2.0 */
/* The program's side of its supervision: src/cli/supervise.c has the other one. */
#include "native/supervision.h"
#include "native/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Nobody but the supervisor may have made the descriptor. */
static bool is_ours(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 && status.st_size == (off_t)sizeof(struct supervision);
}

bool supervision_join(void)
{
    const char *number = getenv(SUPERVISION_VARIABLE);
    if (!number)
        return true;
    int file = (int)strtol(number, NULL, 10);
    unsetenv(SUPERVISION_VARIABLE);
    if (!is_ours(file))
        return false;
    void *memory = mmap(NULL, sizeof(struct supervision), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED)
        return false;
    runtime->supervision = memory;
    live_is(0);
    return true;
}

void live_is(uint32_t number)
{
    runtime->live = &runtime->supervision->live[number];
    atomic_store(&runtime->live->process, getpid());
}

void live_begin(void)
{
    if (!runtime->live)
        return;
    atomic_store(&runtime->live->executions, 0);
    atomic_store(&runtime->live->depth, 0);
}

void live_progress(void *unused, const struct portolan_statistics *so_far)
{
    (void)unused;
    atomic_store(&runtime->live->expected, so_far->expected);
}

void live_birth(uint32_t agent)
{
    if (!runtime->live)
        return;
    runtime->supervision->births[agent].parent = runtime->births[agent].parent;
    runtime->supervision->births[agent].index = runtime->births[agent].index;
    runtime->supervision->threads = agent + 1;
}

enum portolan_stop reason_to_stop(void)
{
    switch (runtime->supervision->stop) {
    case STOP_TIME: return PORTOLAN_TIME_LIMIT;
    case STOP_MEMORY: return PORTOLAN_MEMORY_LIMIT;
    default: return PORTOLAN_INTERRUPTED;
    }
}

/* --- the report */

FILE *part_open(enum part part)
{
    return fmemopen(runtime->supervision->parts[part], PART_CAPACITY, "w");
}

void part_close(FILE *file, enum part part)
{
    bool fine = fflush(file) == 0 && !ferror(file);
    long size = ftell(file);
    runtime->supervision->sizes[part] = fine && size >= 0 ? (uint64_t)size : PART_TOO_LARGE;
    fclose(file);
}

void supervision_done(int exit_status)
{
    runtime->supervision->exit_status = exit_status;
    atomic_store(&runtime->supervision->state, SUPERVISION_DONE);
}
