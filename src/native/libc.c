/*
 * Library functions that the program may not have from libc: those that end it, that touch shared memory on its behalf
 * (the linker gives the program `__wrap_NAME` for NAME, see scripts/runtime), that are not the same in every run.
 */
#include "native/runtime.h"

#include <assert.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* --- ends */

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    if (in_program())
        fail_run(FAILED_ASSERTION, CALLER, "%s:%u: %s: assertion '%s' failed", file, line, function ? function : "",
                 expression);
    fprintf(stderr, "%s:%u: assertion '%s' failed\n", file, line, expression);
    _exit(134);
}

EXPORT void abort(void)
{
    if (in_program())
        fail_run(FAILED_ABORT, CALLER, "calls abort");
    _exit(134);
}

/* --- memory and strings */

static void reads(const void *address, size_t size, uintptr_t caller)
{
    if (in_program())
        note_access((uintptr_t)address, size, false, caller);
}

static void writes(void *address, size_t size, uintptr_t caller)
{
    if (in_program())
        note_access((uintptr_t)address, size, true, caller);
}

EXPORT void *__wrap_memcpy(void *to, const void *from, size_t size);
EXPORT void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    reads(from, size, CALLER);
    writes(to, size, CALLER);
    return memcpy(to, from, size);
}

EXPORT void *__wrap_memmove(void *to, const void *from, size_t size);
EXPORT void *__wrap_memmove(void *to, const void *from, size_t size)
{
    reads(from, size, CALLER);
    writes(to, size, CALLER);
    return memmove(to, from, size);
}

EXPORT void *__wrap_memset(void *to, int byte, size_t size);
EXPORT void *__wrap_memset(void *to, int byte, size_t size)
{
    writes(to, size, CALLER);
    return memset(to, byte, size);
}

EXPORT int __wrap_memcmp(const void *a, const void *b, size_t size);
EXPORT int __wrap_memcmp(const void *a, const void *b, size_t size)
{
    reads(a, size, CALLER);
    reads(b, size, CALLER);
    return memcmp(a, b, size);
}

EXPORT void *__wrap_memchr(const void *in, int byte, size_t size);
EXPORT void *__wrap_memchr(const void *in, int byte, size_t size)
{
    void *found = memchr(in, byte, size);
    reads(in, found ? (size_t)((char *)found - (const char *)in) + 1 : size, CALLER);
    return found;
}

EXPORT size_t __wrap_strlen(const char *text);
EXPORT size_t __wrap_strlen(const char *text)
{
    size_t length = strlen(text);
    reads(text, length + 1, CALLER);
    return length;
}

EXPORT char *__wrap_strcpy(char *to, const char *from);
EXPORT char *__wrap_strcpy(char *to, const char *from)
{
    size_t size = strlen(from) + 1;
    reads(from, size, CALLER);
    writes(to, size, CALLER);
    return memcpy(to, from, size);
}

EXPORT char *__wrap_strncpy(char *to, const char *from, size_t size);
EXPORT char *__wrap_strncpy(char *to, const char *from, size_t size)
{
    size_t length = strnlen(from, size);
    reads(from, length < size ? length + 1 : size, CALLER);
    writes(to, size, CALLER);
    memset(to, 0, size);
    return memcpy(to, from, length);
}

static char *append(char *to, const char *from, size_t length, uintptr_t caller)
{
    size_t used = strlen(to);
    reads(to, used + 1, caller);
    reads(from, length, caller);
    writes(to + used, length + 1, caller);
    memcpy(to + used, from, length);
    to[used + length] = '\0';
    return to;
}

EXPORT char *__wrap_strcat(char *to, const char *from);
EXPORT char *__wrap_strcat(char *to, const char *from)
{
    return append(to, from, strlen(from), CALLER);
}

EXPORT char *__wrap_strncat(char *to, const char *from, size_t size);
EXPORT char *__wrap_strncat(char *to, const char *from, size_t size)
{
    return append(to, from, strnlen(from, size), CALLER);
}

EXPORT int __wrap_strcmp(const char *a, const char *b);
EXPORT int __wrap_strcmp(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    reads(a, i + 1, CALLER);
    reads(b, i + 1, CALLER);
    return (unsigned char)a[i] - (unsigned char)b[i];
}

EXPORT int __wrap_strncmp(const char *a, const char *b, size_t size);
EXPORT int __wrap_strncmp(const char *a, const char *b, size_t size)
{
    size_t i = 0;
    while (i < size && a[i] && a[i] == b[i])
        i++;
    reads(a, i < size ? i + 1 : size, CALLER);
    reads(b, i < size ? i + 1 : size, CALLER);
    return i == size ? 0 : (unsigned char)a[i] - (unsigned char)b[i];
}

EXPORT char *__wrap_strchr(const char *text, int byte);
EXPORT char *__wrap_strchr(const char *text, int byte)
{
    reads(text, strlen(text) + 1, CALLER);
    return strchr(text, byte);
}

EXPORT char *__wrap_strrchr(const char *text, int byte);
EXPORT char *__wrap_strrchr(const char *text, int byte)
{
    reads(text, strlen(text) + 1, CALLER);
    return strrchr(text, byte);
}

EXPORT char *__wrap_strstr(const char *text, const char *part);
EXPORT char *__wrap_strstr(const char *text, const char *part)
{
    reads(text, strlen(text) + 1, CALLER);
    reads(part, strlen(part) + 1, CALLER);
    return strstr(text, part);
}

EXPORT char *__wrap_strdup(const char *text);
EXPORT char *__wrap_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    reads(text, size, CALLER);
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

EXPORT char *__wrap_strndup(const char *text, size_t size);
EXPORT char *__wrap_strndup(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    reads(text, length < size ? length + 1 : size, CALLER);
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    copy[length] = '\0';
    return memcpy(copy, text, length);
}

/* --- what must be the same in every run: time goes on with each look at it, for each thread on its own */

static uint64_t milliseconds(void)
{
    return UINT64_C(1700000000000) + (in_program() ? ++current_thread()->ticks : 0);
}

EXPORT time_t __wrap_time(time_t *time);
EXPORT time_t __wrap_time(time_t *time)
{
    time_t now = (time_t)(milliseconds() / 1000);
    if (time)
        *time = now;
    return now;
}

EXPORT int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
EXPORT int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
    uint64_t now = milliseconds();
    (void)clock;
    *time = (struct timespec){(time_t)(now / 1000), (long)(now % 1000) * 1000000};
    return 0;
}

EXPORT int __wrap_gettimeofday(struct timeval *time, void *zone);
EXPORT int __wrap_gettimeofday(struct timeval *time, void *zone)
{
    uint64_t now = milliseconds();
    (void)zone;
    *time = (struct timeval){(time_t)(now / 1000), (long)(now % 1000) * 1000};
    return 0;
}

EXPORT clock_t __wrap_clock(void);
EXPORT clock_t __wrap_clock(void)
{
    return (clock_t)(milliseconds() - UINT64_C(1700000000000)) * 1000;
}

EXPORT unsigned __wrap_sleep(unsigned seconds);
EXPORT unsigned __wrap_sleep(unsigned seconds)
{
    (void)seconds;
    return 0;
}

EXPORT int __wrap_usleep(unsigned microseconds);
EXPORT int __wrap_usleep(unsigned microseconds)
{
    (void)microseconds;
    return 0;
}

EXPORT int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
EXPORT int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)time;
    if (left)
        *left = (struct timespec){0, 0};
    return 0;
}

EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    return __wrap_nanosleep(time, left);
}

EXPORT int __wrap_rand(void);
EXPORT int __wrap_rand(void)
{
    if (!in_program())
        return 0;
    struct thread *thread = current_thread();
    thread->random = thread->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)(thread->random >> 33);
}

EXPORT void __wrap_srand(unsigned seed);
EXPORT void __wrap_srand(unsigned seed)
{
    if (in_program())
        current_thread()->random = seed;
}
