/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What differs from run to run elsewhere must be the same in every one: time goes on with each look at it, random
 * numbers follow one another, for each thread on its own.
 */
#include "native/accesses.h"
#include "native/calls.h"
#include "native/rounds.h"

#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* --- time */

static const uint64_t BEGINNING = UINT64_C(1700000000000); /* in milliseconds */

static uint64_t milliseconds(void)
{
    return BEGINNING + (in_program() ? ++current_thread()->ticks : 0);
}

void time_is_over(const struct timespec *until)
{
    enum { MILLION = 1000000 };
    uint64_t time = (uint64_t)until->tv_sec * 1000 + ((uint64_t)until->tv_nsec + MILLION - 1) / MILLION;
    if (in_program() && until->tv_sec > 0 && time > BEGINNING + current_thread()->ticks)
        current_thread()->ticks = time - BEGINNING;
}

static struct timespec now(void)
{
    uint64_t time = milliseconds();
    return (struct timespec){(time_t)(time / 1000), (long)(time % 1000) * 1000000};
}

EXPORT time_t __wrap_time(time_t *time);
EXPORT time_t __wrap_time(time_t *time)
{
    time_t seconds = now().tv_sec;
    if (time) {
        writes(time, sizeof *time, CALLER);
        *time = seconds;
    }
    return seconds;
}

EXPORT int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
EXPORT int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    writes(time, sizeof *time, CALLER);
    *time = now();
    return 0;
}

EXPORT int __wrap_timespec_get(struct timespec *time, int base);
EXPORT int __wrap_timespec_get(struct timespec *time, int base)
{
    writes(time, sizeof *time, CALLER);
    *time = now();
    return base;
}

EXPORT int __wrap_gettimeofday(struct timeval *time, void *zone);
EXPORT int __wrap_gettimeofday(struct timeval *time, void *zone)
{
    (void)zone;
    writes(time, sizeof *time, CALLER);
    struct timespec found = now();
    *time = (struct timeval){found.tv_sec, found.tv_nsec / 1000};
    return 0;
}

EXPORT clock_t __wrap_clock(void);
EXPORT clock_t __wrap_clock(void)
{
    return (clock_t)(milliseconds() - BEGINNING) * 1000;
}

EXPORT clock_t __wrap_times(struct tms *times);
EXPORT clock_t __wrap_times(struct tms *times)
{
    clock_t ticks = (clock_t)(milliseconds() - BEGINNING) / 10;
    if (times)
        writes(times, sizeof *times, CALLER);
    if (times)
        *times = (struct tms){.tms_utime = ticks};
    return ticks;
}

EXPORT int __wrap_getrusage(int who, struct rusage *usage);
EXPORT int __wrap_getrusage(int who, struct rusage *usage)
{
    (void)who;
    uint64_t used = milliseconds() - BEGINNING;
    writes(usage, sizeof *usage, CALLER);
    memset(usage, 0, sizeof *usage);
    usage->ru_utime = (struct timeval){(time_t)(used / 1000), (long)(used % 1000) * 1000};
    return 0;
}

/* --- dates: the one that a call gives is overwritten by the next, of any thread */

static struct tm broken_down_time;
static char text_of_time[26];

#define BREAKS_DOWN(name)                                                                                              \
    EXPORT struct tm *__wrap_##name(const time_t *time);                                                               \
    EXPORT struct tm *__wrap_##name(const time_t *time)                                                                \
    {                                                                                                                  \
        reads(time, sizeof *time, CALLER);                                                                             \
        writes(&broken_down_time, sizeof broken_down_time, CALLER);                                                    \
        return name##_r(time, &broken_down_time);                                                                      \
    }                                                                                                                  \
    EXPORT struct tm *__wrap_##name##_r(const time_t *time, struct tm *to);                                            \
    EXPORT struct tm *__wrap_##name##_r(const time_t *time, struct tm *to)                                             \
    {                                                                                                                  \
        reads(time, sizeof *time, CALLER);                                                                             \
        writes(to, sizeof *to, CALLER);                                                                                \
        return name##_r(time, to);                                                                                     \
    }

BREAKS_DOWN(localtime)
BREAKS_DOWN(gmtime)

EXPORT char *__wrap_asctime(const struct tm *time);
EXPORT char *__wrap_asctime(const struct tm *time)
{
    reads(time, sizeof *time, CALLER);
    writes(text_of_time, sizeof text_of_time, CALLER);
    return asctime_r(time, text_of_time);
}

EXPORT char *__wrap_ctime(const time_t *time);
EXPORT char *__wrap_ctime(const time_t *time)
{
    reads(time, sizeof *time, CALLER);
    writes(&broken_down_time, sizeof broken_down_time, CALLER);
    writes(text_of_time, sizeof text_of_time, CALLER);
    return ctime_r(time, text_of_time);
}

EXPORT char *__wrap_asctime_r(const struct tm *time, char *to);
EXPORT char *__wrap_asctime_r(const struct tm *time, char *to)
{
    reads(time, sizeof *time, CALLER);
    writes(to, sizeof text_of_time, CALLER);
    return asctime_r(time, to);
}

EXPORT char *__wrap_ctime_r(const time_t *time, char *to);
EXPORT char *__wrap_ctime_r(const time_t *time, char *to)
{
    reads(time, sizeof *time, CALLER);
    writes(to, sizeof text_of_time, CALLER);
    return ctime_r(time, to);
}

/* --- sleeping takes no time: what happens meanwhile is for the schedule to say */

EXPORT unsigned __wrap_sleep(unsigned seconds);
EXPORT unsigned __wrap_sleep(unsigned seconds)
{
    (void)seconds;
    pass_time(CALLER);
    return 0;
}

EXPORT int __wrap_usleep(unsigned microseconds);
EXPORT int __wrap_usleep(unsigned microseconds)
{
    (void)microseconds;
    pass_time(CALLER);
    return 0;
}

EXPORT int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
EXPORT int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    pass_time(CALLER);
    if (left) {
        writes(left, sizeof *left, CALLER);
        *left = (struct timespec){0, 0};
    }
    return 0;
}

EXPORT int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left);
EXPORT int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    (void)clock, (void)flags, (void)time;
    pass_time(CALLER);
    if (left) {
        writes(left, sizeof *left, CALLER);
        *left = (struct timespec){0, 0};
    }
    return 0;
}

EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return __wrap_nanosleep(time, left);
}

/* --- random numbers */

/* 48 bits. */
static uint64_t next_random(void)
{
    static uint64_t outside;
    uint64_t *state = in_program() ? &current_thread()->random : &outside;
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 16;
}

static void seed(uint64_t value)
{
    if (in_program())
        current_thread()->random = value;
}

static void random_bytes(void *to, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)to)[i] = (unsigned char)(next_random() >> 40);
}

#define GIVES(type, name, value)                                                                                       \
    EXPORT type __wrap_##name(void);                                                                                   \
    EXPORT type __wrap_##name(void)                                                                                    \
    {                                                                                                                  \
        return (type)(value);                                                                                          \
    }
#define SEEDS(type, name)                                                                                              \
    EXPORT void __wrap_##name(type value);                                                                             \
    EXPORT void __wrap_##name(type value)                                                                              \
    {                                                                                                                  \
        seed((uint64_t)value);                                                                                         \
    }

GIVES(int, rand, next_random() >> 17)
GIVES(long, random, next_random() >> 17)
GIVES(long, lrand48, next_random() >> 17)
GIVES(long, mrand48, (int32_t)(next_random() >> 16))
GIVES(double, drand48, (double)next_random() / (double)(UINT64_C(1) << 48))
GIVES(uint32_t, arc4random, next_random() >> 16)
SEEDS(unsigned, srand)
SEEDS(unsigned, srandom)
SEEDS(long, srand48)

EXPORT int __wrap_rand_r(unsigned *state);
EXPORT int __wrap_rand_r(unsigned *state)
{
    writes(state, sizeof *state, CALLER);
    return rand_r(state);
}

EXPORT uint32_t __wrap_arc4random_uniform(uint32_t limit);
EXPORT uint32_t __wrap_arc4random_uniform(uint32_t limit)
{
    return limit ? (uint32_t)(next_random() >> 16) % limit : 0;
}

EXPORT void __wrap_arc4random_buf(void *to, size_t size);
EXPORT void __wrap_arc4random_buf(void *to, size_t size)
{
    writes(to, size, CALLER);
    random_bytes(to, size);
}

EXPORT ssize_t __wrap_getrandom(void *to, size_t size, unsigned flags);
EXPORT ssize_t __wrap_getrandom(void *to, size_t size, unsigned flags)
{
    (void)flags;
    writes(to, size, CALLER);
    random_bytes(to, size);
    return (ssize_t)size;
}

EXPORT int __wrap_getentropy(void *to, size_t size);
EXPORT int __wrap_getentropy(void *to, size_t size)
{
    writes(to, size, CALLER);
    random_bytes(to, size);
    return 0;
}
