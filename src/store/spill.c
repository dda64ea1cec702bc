/* SPDX-License-Identifier: Apache-2.0 */
#include "store/spill.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/vector.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

struct range {
    unsigned char *memory;
    size_t bytes;
};

struct spill {
    int file;
    pthread_mutex_t mutex; /* of what follows */
    off_t end;
    size_t bytes; /* atomic, to be read without the mutex */
    VECTOR(struct range) ranges;
};

/* A file without a name; -1: there is none. */
static int open_nameless(const char *directory)
{
#ifdef O_TMPFILE
    int file = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return file;
#endif
    char path[4096];
    if (snprintf(path, sizeof path, "%s/portolan-XXXXXX", directory) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int named = mkstemp(path);
    if (named >= 0)
        unlink(path);
    return named;
}

enum portolan_status spill_open(const char *directory, struct spill **spill, struct portolan_error *error)
{
    struct spill *s = *spill = calloc(1, sizeof *s);
    if (!s)
        return fail_memory(error);
    pthread_mutex_init(&s->mutex, NULL);
    s->file = open_nameless(directory);
    if (s->file >= 0)
        return PORTOLAN_OK;
    enum portolan_status status =
        fail(error, PORTOLAN_BAD_OPTION, "--spill: there can be no file in '%s': %s", directory, strerror(errno));
    spill_close(s);
    *spill = NULL;
    return status;
}

void spill_close(struct spill *s)
{
    if (!s)
        return;
    if (s->file >= 0)
        close(s->file);
    pthread_mutex_destroy(&s->mutex);
    free(s->ranges.item);
    free(s);
}

/* Takes blocks of the disk behind the end.  Beyond a limit of the size of files a signal would end the process. */
static bool take_blocks(const struct spill *s, size_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        (rlim_t)s->end + bytes > limit.rlim_cur)
        return false;
    return posix_fallocate(s->file, s->end, (off_t)bytes) == 0;
}

static void *map_locked(struct spill *s, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    if (!vector_reserve(&s->ranges, 1))
        return NULL;
    if (!take_blocks(s, whole)) {
        limits_run_out_of(PORTOLAN_DISK_FULL);
        return NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, s->end);
    if (memory == MAP_FAILED)
        return NULL;
    s->end += (off_t)whole;
    __atomic_fetch_add(&s->bytes, whole, __ATOMIC_RELAXED);
    s->ranges.item[s->ranges.count++] = (struct range){memory, whole};
    return memory;
}

void *spill_map(struct spill *s, size_t bytes)
{
    pthread_mutex_lock(&s->mutex);
    void *memory = map_locked(s, bytes);
    pthread_mutex_unlock(&s->mutex);
    return memory;
}

void spill_unmap(struct spill *s, void *memory, size_t bytes)
{
    if (!memory)
        return;
    pthread_mutex_lock(&s->mutex);
    for (size_t i = s->ranges.count; i-- > 0;)
        if (s->ranges.item[i].memory == memory) {
            __atomic_fetch_sub(&s->bytes, s->ranges.item[i].bytes, __ATOMIC_RELAXED);
            (void)madvise(memory, s->ranges.item[i].bytes, MADV_REMOVE); /* a hole, if the file system has any */
            s->ranges.item[i] = s->ranges.item[--s->ranges.count];
            break;
        }
    munmap(memory, bytes);
    pthread_mutex_unlock(&s->mutex);
}

size_t spill_bytes(const struct spill *s)
{
    return __atomic_load_n(&s->bytes, __ATOMIC_RELAXED);
}

void spill_relieve(void *spill)
{
    struct spill *s = spill;
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < s->ranges.count; i++)
        (void)madvise(s->ranges.item[i].memory, s->ranges.item[i].bytes, MADV_DONTNEED);
    pthread_mutex_unlock(&s->mutex);
}
