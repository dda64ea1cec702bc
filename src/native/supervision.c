/* SPDX-License-Identifier: Apache-2.0 */
/* The program's side of its supervision: src/cli/supervise.c has the other one. */
#include "native/supervision.h"
#include "native/live.h"
#include "native/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

KEPT struct supervision *supervision;
KEPT struct live *own_live;

/* What `portolan run` looks for in a program. */
__attribute__((section(VERSION_SECTION), used)) static const struct version_block own_version = VERSION_BLOCK;

/* Nobody but a supervisor of this version may have made the descriptor. */
static bool is_ours(int file)
{
    struct stat status;
    struct version_block found;
    return fstat(file, &status) == 0 && status.st_size == (off_t)sizeof(struct supervision) &&
           pread(file, &found, sizeof found, 0) == sizeof found && memcmp(&found, &own_version, sizeof found) == 0;
}

bool supervision_join(void)
{
    const char *number = getenv(SUPERVISION_VARIABLE);
    if (!number)
        return true;
    int file = (int)strtol(number, NULL, 10);
    unsetenv(SUPERVISION_VARIABLE);
    if (!is_ours(file)) {
        fprintf(stderr, "error: %s is for 'portolan run' of version %s to set\n", SUPERVISION_VARIABLE,
                own_version.release);
        return false;
    }
    void *memory = mmap(NULL, sizeof(struct supervision), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "error: %s\n", strerror(errno));
        return false;
    }
    supervision = memory;
    live_is(0);
    return true;
}

void live_is(uint32_t number)
{
    own_live = &supervision->live[number];
    atomic_store(&own_live->process, getpid());
}

void live_begin(void)
{
    if (!own_live)
        return;
    atomic_store(&own_live->executions, 0);
    atomic_store(&own_live->depth, 0);
}

void live_progress(void *unused, const struct portolan_statistics *so_far)
{
    (void)unused;
    atomic_store(&own_live->expected, so_far->expected);
}

void live_executed(void)
{
    if (own_live)
        atomic_fetch_add_explicit(&own_live->executions, 1, memory_order_relaxed);
}

void live_birth(uint32_t agent)
{
    if (!own_live)
        return;
    supervision->births[agent].parent = agents.births[agent].parent;
    supervision->births[agent].index = agents.births[agent].index;
    supervision->threads = agent + 1;
}

enum portolan_stop reason_to_stop(void)
{
    switch (supervision->stop) {
    case STOP_TIME: return PORTOLAN_TIME_LIMIT;
    case STOP_MEMORY: return PORTOLAN_MEMORY_LIMIT;
    default: return PORTOLAN_INTERRUPTED;
    }
}

/* --- the report */

FILE *part_open(enum part part)
{
    return fmemopen(supervision->parts[part], PART_CAPACITY, "w");
}

void part_close(FILE *file, enum part part)
{
    bool fine = fflush(file) == 0 && !ferror(file);
    long size = ftell(file);
    supervision->sizes[part] = fine && size >= 0 ? (uint64_t)size : PART_TOO_LARGE;
    fclose(file);
}

void supervision_done(int exit_status)
{
    supervision->exit_status = exit_status;
    atomic_store(&supervision->state, SUPERVISION_DONE);
}
