/* SPDX-License-Identifier: Apache-2.0 */
#include "checkpoint/archive.h"

#include "base/diagnostic.h"
#include "base/vector.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, CHECKSUM = 16, MAGIC = 16, MOST_TEXT = 1 << 20 };
/* The version of the file changes with what any of its parts looks like, so it is that of the program. */
static const char magic[MAGIC] = "portolan saved\n";
/* The number behind the version rises whenever what some part keeps changes, between releases, too. */
#define WRITER PORTOLAN_VERSION "/2"

static void give_up(struct archive *a, int error)
{
    if (!a->failed)
        a->error = error;
    a->failed = true;
}

/* ------------------------------------------------------------------------- writing */

static void flush(struct archive *a)
{
    XXH3_128bits_update(a->checksum, a->buffer, a->filled);
    for (size_t done = 0; done < a->filled && !a->failed;) {
        ssize_t written = write(a->file, a->buffer + done, a->filled - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            give_up(a, errno);
    }
    a->filled = 0;
}

static bool make_buffer(struct archive *a)
{
    a->buffer = malloc(BUFFER);
    a->checksum = XXH3_createState();
    if (!a->buffer || !a->checksum || XXH3_128bits_reset(a->checksum) != XXH_OK)
        give_up(a, ENOMEM);
    return !a->failed;
}

static void open_partial(struct archive *a, const char *path)
{
    *a = (struct archive){.file = -1};
    if (strlen(path) >= sizeof a->path) {
        give_up(a, ENAMETOOLONG);
        return;
    }
    strcpy(a->path, path);
    snprintf(a->partial, sizeof a->partial, "%s.partial", path);
    a->file = open(a->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (a->file < 0)
        give_up(a, errno);
}

enum portolan_status archive_can_create(const char *path, struct portolan_error *error)
{
    struct archive a;
    open_partial(&a, path);
    if (a.failed)
        return fail(error, PORTOLAN_IO, "cannot write '%s': %s", path, strerror(a.error));
    close(a.file);
    (void)unlink(a.partial);
    return PORTOLAN_OK;
}

void archive_create(struct archive *a, const char *path)
{
    open_partial(a, path);
    if (a->failed || !make_buffer(a))
        return;
    char head[MAGIC], version[MAGIC] = WRITER;
    memcpy(head, magic, MAGIC);
    archive_bytes(a, head, MAGIC);
    archive_bytes(a, version, MAGIC);
}

static void put(struct archive *a, const unsigned char *bytes, size_t count)
{
    while (count && !a->failed) {
        size_t part = BUFFER - a->filled < count ? BUFFER - a->filled : count;
        memcpy(a->buffer + a->filled, bytes, part);
        a->filled += part;
        a->offset += part;
        bytes += part;
        count -= part;
        if (a->filled == BUFFER)
            flush(a);
    }
}

/* The name itself must survive as well. */
static void sync_directory(const char *path)
{
    char copy[4096];
    const char *slash = strrchr(path, '/');
    snprintf(copy, sizeof copy, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    int directory = open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return;
    (void)fsync(directory);
    close(directory);
}

void archive_finish(struct archive *a)
{
    if (a->failed || a->finished)
        return;
    a->finished = true;
    flush(a);
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(a->checksum));
    for (size_t done = 0; done < CHECKSUM && !a->failed;) {
        ssize_t written = write(a->file, sum.digest + done, CHECKSUM - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            give_up(a, errno);
    }
}

static void commit(struct archive *a)
{
    if (!a->failed && fsync(a->file) != 0 && errno != EINVAL) /* which means that it is no file of a disk */
        give_up(a, errno);
    if (!a->failed && rename(a->partial, a->path) != 0)
        give_up(a, errno);
    if (!a->failed)
        sync_directory(a->path);
}

/* ------------------------------------------------------------------------- reading */

static bool refill(struct archive *a)
{
    ssize_t got;
    do
        got = read(a->file, a->buffer, BUFFER);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        give_up(a, errno);
    a->filled = got > 0 ? (size_t)got : 0;
    a->used = 0;
    return a->filled;
}

static void get(struct archive *a, unsigned char *bytes, size_t count)
{
    if (count > a->end - a->offset)
        give_up(a, 0);
    while (count && !a->failed) {
        if (a->used == a->filled && !refill(a)) {
            give_up(a, 0);
            return;
        }
        size_t part = a->filled - a->used < count ? a->filled - a->used : count;
        memcpy(bytes, a->buffer + a->used, part);
        a->used += part;
        a->offset += part;
        bytes += part;
        count -= part;
    }
}

/* Reads all of it once, and then stands at the beginning. */
static bool has_its_checksum(struct archive *a)
{
    uint64_t left = a->end;
    while (left && !a->failed && refill(a)) {
        size_t part = a->filled < left ? a->filled : (size_t)left;
        XXH3_128bits_update(a->checksum, a->buffer, part);
        left -= part;
    }
    XXH128_canonical_t sum, there;
    XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(a->checksum));
    if (left || a->failed || pread(a->file, there.digest, CHECKSUM, (off_t)a->end) != CHECKSUM)
        return false;
    a->filled = a->used = 0;
    return lseek(a->file, 0, SEEK_SET) == 0 && memcmp(&sum, &there, CHECKSUM) == 0;
}

static enum portolan_status look_at(struct archive *a, const char *path, struct portolan_error *error)
{
    struct stat about;
    char head[MAGIC] = {0}, version[MAGIC] = {0};
    a->file = open(path, O_RDONLY | O_CLOEXEC);
    if (a->file < 0 || fstat(a->file, &about) != 0)
        return fail(error, PORTOLAN_IO, "cannot read '%s': %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return fail(error, PORTOLAN_IO, "cannot read '%s': it is not a regular file", path);
    if (!make_buffer(a))
        return fail_memory(error);
    uint64_t size = (uint64_t)about.st_size;
    a->end = size > CHECKSUM ? size - CHECKSUM : 0;
    if (pread(a->file, head, MAGIC, 0) != MAGIC || memcmp(head, magic, MAGIC) != 0)
        return fail(error, PORTOLAN_BAD_INPUT, "'%s' is not a checkpoint", path);
    if (pread(a->file, version, MAGIC, MAGIC) == MAGIC && version[MAGIC - 1] == '\0' && strcmp(version, WRITER) != 0 &&
        version[0])
        return fail(error, PORTOLAN_REFUSED, "'%s' was written by version %s of portolan, but this is version %s", path,
                    version, WRITER);
    if (!has_its_checksum(a))
        return fail(error, PORTOLAN_BAD_INPUT, "'%s' is damaged: its checksum does not match", path);
    get(a, (unsigned char *)head, MAGIC);
    get(a, (unsigned char *)version, MAGIC);
    return PORTOLAN_OK;
}

static void clear(struct archive *a)
{
    if (a->file >= 0)
        close(a->file);
    free(a->buffer);
    XXH3_freeState(a->checksum);
    a->file = -1;
    a->buffer = NULL;
    a->checksum = NULL;
}

enum portolan_status archive_open(struct archive *a, const char *path, struct portolan_error *error)
{
    *a = (struct archive){.reading = true, .file = -1};
    snprintf(a->path, sizeof a->path, "%s", path);
    enum portolan_status status = look_at(a, path, error);
    if (status != PORTOLAN_OK)
        clear(a);
    return status;
}

enum portolan_status archive_close(struct archive *a, struct portolan_error *error)
{
    enum portolan_status status = PORTOLAN_OK;
    if (!a->reading) {
        archive_finish(a);
        commit(a);
    }
    if (a->failed && a->reading)
        status = a->error ? fail(error, PORTOLAN_IO, "cannot read '%s': %s", a->path, strerror(a->error))
                          : fail(error, PORTOLAN_BAD_INPUT, "'%s' does not contain what was expected", a->path);
    else if (a->failed && a->error == ENOMEM)
        status = fail_memory(error);
    else if (a->failed)
        status = fail(error, PORTOLAN_IO, "cannot write '%s': %s", a->path, strerror(a->error));
    if (!a->reading && status != PORTOLAN_OK && a->file >= 0)
        (void)unlink(a->partial);
    clear(a);
    return status;
}

/* ------------------------------------------------------------------------- both */

void archive_bytes(struct archive *a, void *bytes, size_t count)
{
    if (a->failed)
        return;
    if (a->reading)
        get(a, bytes, count);
    else
        put(a, bytes, count);
}

void archive_number(struct archive *a, uint64_t *number)
{
    archive_bytes(a, number, sizeof *number);
}

void archive_count(struct archive *a, size_t *count)
{
    archive_bytes(a, count, sizeof *count);
}

void archive_flag(struct archive *a, bool *flag)
{
    uint8_t byte = *flag;
    archive_bytes(a, &byte, 1);
    *flag = byte != 0;
}

void archive_same(struct archive *a, uint64_t number)
{
    uint64_t there = number;
    archive_number(a, &there);
    if (there != number)
        give_up(a, 0);
}

/* Nothing is allocated for what the file cannot hold. */
static bool make_room(struct archive *a, void **items, size_t count, size_t *capacity, size_t size)
{
    if (a->failed)
        return false;
    if (a->reading && count > (a->end - a->offset) / size)
        give_up(a, 0);
    else if (a->reading && !vector_grow(items, capacity, count, size))
        give_up(a, ENOMEM);
    return !a->failed;
}

void archive_array(struct archive *a, void **items, size_t count, size_t *capacity, size_t size)
{
    if (count && make_room(a, items, count, capacity, size))
        archive_bytes(a, *items, count * size);
}

void archive_items(struct archive *a, void **items, size_t *count, size_t *capacity, size_t size)
{
    size_t wanted = *count;
    archive_count(a, &wanted);
    archive_array(a, items, wanted, capacity, size);
    *count = a->failed ? 0 : wanted;
}

void archive_known(struct archive *a, void **items, size_t *capacity, size_t most, size_t size)
{
    size_t count = *capacity < most ? *capacity : most;
    archive_items(a, items, &count, capacity, size);
    if (a->reading && *capacity > count)
        memset((char *)*items + count * size, 0, (*capacity - count) * size);
}

void archive_text(struct archive *a, char **text)
{
    size_t length = a->reading ? 0 : strlen(*text);
    archive_count(a, &length);
    if (a->reading) {
        *text = NULL;
        if (length > MOST_TEXT)
            give_up(a, 0);
        if (!a->failed && !(*text = calloc(1, length + 1)))
            give_up(a, ENOMEM);
    }
    archive_bytes(a, *text, length);
}
