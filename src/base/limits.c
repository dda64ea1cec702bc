/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_UNITS = 64, /* of work between looks at the clock */
    SHORT_WHILE = 200000,
    LONG_WHILE = 1000000,        /* nanoseconds between two looks: units are short, or long */
    BETWEEN_WEIGHINGS = 2000000, /* nanoseconds */
    WORTH_WEIGHING = 1 << 20,    /* bytes */
    PATIENCE = 1000000000        /* nanoseconds */
};

_Thread_local struct portolan_limits *limits_present;

int64_t monotonic_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The most so far, for systems that do not say what there is now. */
static size_t most_resident_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

/* In memory: all, or what no file holds. */
static size_t weigh(bool with_files)
{
    char text[128];
    size_t total, resident, of_files;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    if (length <= 0)
        return most_resident_bytes();
    text[length] = '\0';
    if (sscanf(text, "%zu %zu %zu", &total, &resident, &of_files) != 3)
        return most_resident_bytes();
    return (with_files ? resident : resident - of_files) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t resident_bytes(void)
{
    return weigh(true);
}

static int64_t later(int64_t start, double seconds)
{
    double nanoseconds = seconds * 1e9;
    return nanoseconds < (double)(INT64_MAX - start) ? start + (int64_t)nanoseconds : INT64_MAX;
}

void limits_begin(struct portolan_limits *l, double seconds, size_t bytes, const volatile sig_atomic_t *interrupt)
{
    *l = (struct portolan_limits){.outer = limits_present, .bytes = bytes, .interrupt = interrupt};
    l->start = monotonic_now();
    l->deadline = seconds > 0 ? later(l->start, seconds) : INT64_MAX;
    atomic_init(&l->interval, 1);
    atomic_init(&l->last_look, l->start);
    limits_present = l;
}

void limits_end(struct portolan_limits *l)
{
    limits_present = l->outer;
}

static struct portolan_limits *around(const struct portolan_limits *l)
{
    return l->finishing ? NULL : l->outer;
}

void limits_begin_finishing(struct portolan_limits *finishing, double part)
{
    struct portolan_limits *outer = limits_present;
    limits_begin(finishing, 0, 0, NULL);
    finishing->finishing = true;
    for (const struct portolan_limits *l = outer; l; l = around(l)) {
        int64_t deadline = INT64_MAX;
        if (l->deadline < INT64_MAX)
            deadline = later(l->deadline, part * (double)(l->deadline - l->start) / 1e9);
        if (deadline < finishing->deadline)
            finishing->deadline = deadline;
        size_t bytes = l->bytes + l->bytes / 10;
        if (bytes && (!finishing->bytes || bytes < finishing->bytes))
            finishing->bytes = bytes;
        if (l->interrupt && !*l->interrupt)
            finishing->interrupt = l->interrupt;
    }
}

void limits_relieve(void (*relieve)(void *user), void *user)
{
    if (!limits_present)
        return;
    limits_present->relieve = relieve;
    limits_present->relieved = user;
}

/* What the allocator keeps for later does not count, nor what is kept in a file. */
static bool is_too_large(size_t bytes, size_t limit)
{
    if (resident_bytes() + bytes <= limit)
        return false;
    bool is_relieved = false; /* then other threads may have read some of it again */
    for (const struct portolan_limits *l = limits_present; l; l = l->outer)
        if (l->relieve) {
            l->relieve(l->relieved);
            is_relieved = true;
        }
    malloc_trim(0);
    return weigh(!is_relieved) + bytes > limit;
}

static enum portolan_stop reached_of(const struct portolan_limits *l, int64_t now, bool weigh)
{
    if (l->interrupt && *l->interrupt)
        return PORTOLAN_INTERRUPTED;
    if (now >= l->deadline)
        return PORTOLAN_TIME_LIMIT;
    if (weigh && l->bytes && is_too_large(0, l->bytes))
        return PORTOLAN_MEMORY_LIMIT;
    return PORTOLAN_COMPLETE;
}

/* The units until the next look: as many as take about a millisecond. */
static uint32_t next_interval(uint32_t interval, int64_t elapsed)
{
    if (elapsed > LONG_WHILE)
        return interval > 4 ? interval / 4 : 1;
    return elapsed < SHORT_WHILE && interval < MOST_UNITS ? interval * 2 : interval;
}

void limits_be_patient(struct portolan_limits *l)
{
    l->patience = PATIENCE;
}

enum portolan_stop limits_due(void)
{
    struct portolan_limits *l = limits_present;
    return l ? atomic_load_explicit(&l->due, memory_order_relaxed) : PORTOLAN_COMPLETE;
}

/* May what is being done go on for a while, though a limit was reached? */
static bool is_patient(struct portolan_limits *l, enum portolan_stop stop, int64_t now)
{
    if (!l->patience)
        return false;
    if (atomic_load_explicit(&l->due, memory_order_relaxed) == PORTOLAN_COMPLETE) {
        l->due_since = now;
        atomic_store_explicit(&l->due, stop, memory_order_relaxed);
    }
    return now - l->due_since < l->patience;
}

bool limits_look(struct portolan_limits *l)
{
    if (atomic_load_explicit(&l->stop, memory_order_relaxed) != PORTOLAN_COMPLETE)
        return true;
    int64_t now = monotonic_now();
    bool weigh = now >= atomic_load_explicit(&l->next_weighing, memory_order_relaxed);
    if (weigh)
        atomic_store_explicit(&l->next_weighing, now + BETWEEN_WEIGHINGS, memory_order_relaxed);
    for (struct portolan_limits *o = l; o; o = around(o)) {
        enum portolan_stop stop = reached_of(o, now, weigh);
        if (stop == PORTOLAN_COMPLETE || is_patient(l, stop, now))
            continue;
        atomic_store_explicit(&l->stop, stop, memory_order_relaxed);
        return true;
    }
    int64_t elapsed = now - atomic_load_explicit(&l->last_look, memory_order_relaxed);
    uint32_t interval = next_interval(atomic_load_explicit(&l->interval, memory_order_relaxed), elapsed);
    atomic_store_explicit(&l->last_look, now, memory_order_relaxed);
    atomic_store_explicit(&l->interval, interval, memory_order_relaxed);
    atomic_store_explicit(&l->until_look, interval - 1, memory_order_relaxed);
    return false;
}

bool limits_begin_if_none(struct portolan_limits *limits)
{
    bool none = !limits_present;
    if (none)
        limits_begin(limits, 0, 0, NULL);
    return none;
}

void limits_run_out(void)
{
    limits_run_out_of(PORTOLAN_MEMORY_LIMIT);
}

void limits_run_out_of(enum portolan_stop stop)
{
    if (!limits_present || limits_stop() != PORTOLAN_COMPLETE) /* whoever left because of a limit did not run out */
        return;
    enum portolan_stop none = PORTOLAN_COMPLETE; /* a limit that was reached before is the reason that stays */
    atomic_compare_exchange_strong_explicit(&limits_present->stop, &none, stop, memory_order_relaxed,
                                            memory_order_relaxed);
    atomic_store_explicit(&limits_present->until_look, 0, memory_order_relaxed);
}

bool limits_allow(size_t bytes)
{
    if (!limits_present)
        return true;
    if (bytes >= WORTH_WEIGHING)
        for (struct portolan_limits *l = limits_present; l; l = around(l))
            if (l->bytes && is_too_large(bytes, l->bytes)) {
                limits_run_out();
                return false;
            }
    return !limits_reached();
}

size_t limits_room(void)
{
    size_t room = SIZE_MAX, used = 0;
    for (const struct portolan_limits *l = limits_present; l; l = around(l)) {
        if (!l->bytes)
            continue;
        used = used ? used : resident_bytes();
        size_t left = l->bytes > used ? l->bytes - used : 0;
        room = left < room ? left : room;
    }
    return room;
}

double limits_seconds_left(void)
{
    int64_t deadline = INT64_MAX, now = monotonic_now();
    for (const struct portolan_limits *l = limits_present; l; l = around(l))
        deadline = l->deadline < deadline ? l->deadline : deadline;
    if (deadline == INT64_MAX)
        return 0;
    return deadline > now ? (double)(deadline - now) / 1e9 : 1e-9;
}

enum portolan_stop limits_stop(void)
{
    struct portolan_limits *l = limits_present;
    return l ? atomic_load_explicit(&l->stop, memory_order_relaxed) : PORTOLAN_COMPLETE;
}

enum portolan_stop limits_stop_or_memory(void)
{
    enum portolan_stop stop = limits_stop();
    return stop == PORTOLAN_COMPLETE ? PORTOLAN_MEMORY_LIMIT : stop;
}

/* --- for users of the library */

struct portolan_limits *portolan_limits_begin(double seconds, size_t bytes, const volatile sig_atomic_t *interrupt)
{
    struct portolan_limits *limits = malloc(sizeof *limits);
    if (limits)
        limits_begin(limits, seconds, bytes, interrupt);
    return limits;
}

enum portolan_stop portolan_limits_reached(const struct portolan_limits *limits)
{
    return atomic_load_explicit(&limits->stop, memory_order_relaxed);
}

void portolan_limits_end(struct portolan_limits *limits)
{
    if (!limits)
        return;
    limits_end(limits);
    free(limits);
}
