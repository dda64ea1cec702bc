/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "emit/cache.h"

#include "base/vector.h"
#include "emit/emit.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20, ABANDONED_SECONDS = 3600, NOT_OURS = S_IWGRP | S_IWOTH };
static const char WORKSHOP[] = "build-", OBJECT[] = ".so";

/* -------------------------------------------------------------------- directories */

static bool join(char result[PATH_MAX], const char *directory, const char *name)
{
    int length = snprintf(result, PATH_MAX, "%s/%s", directory, name);
    return length > 0 && length < PATH_MAX;
}

static bool is_own_directory(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & NOT_OURS);
}

bool cache_directory(char directory[PATH_MAX])
{
    const char *caches = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char parent[PATH_MAX];
    bool fine = caches && caches[0] == '/' ? snprintf(parent, sizeof parent, "%s", caches) < PATH_MAX
                                           : home && home[0] == '/' && join(parent, home, ".cache");
    if (!fine || !join(directory, parent, "portolan"))
        return false;
    if (mkdir(directory, S_IRWXU) != 0 && access(parent, F_OK) != 0)
        (void)(mkdir(parent, S_IRWXU) == 0 && mkdir(directory, S_IRWXU) == 0);
    return is_own_directory(directory);
}

bool cache_workshop(char workshop[PATH_MAX], const char *directory)
{
    char name[sizeof WORKSHOP + 6];
    snprintf(name, sizeof name, "%sXXXXXX", WORKSHOP);
    return join(workshop, directory, name) && mkdtemp(workshop);
}

static void empty(const char *workshop)
{
    DIR *entries = opendir(workshop);
    char path[PATH_MAX];
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (join(path, workshop, entry->d_name))
            unlink(path);
    if (entries)
        closedir(entries);
}

void cache_remove_workshop(const char *workshop)
{
    int tries = 3; /* parts of a compiler that is being killed may write still */
    do
        empty(workshop);
    while (rmdir(workshop) != 0 && --tries > 0);
}

/* ------------------------------------------------------------------------ objects */

/* Behind the object and the text from which it was made. */
struct trailer {
    uint64_t object, text;  /* bytes */
    XXH128_hash_t checksum; /* of both */
    char magic[16];
};
static const char MAGIC[16] = "portolan object";

bool cache_place(char place[PATH_MAX], const char *directory, const struct text *text, const char *compiler)
{
    char name[48];
    XXH128_hash_t hash = XXH3_128bits_withSeed(text->item, text->length, XXH3_64bits(compiler, strlen(compiler)));
    snprintf(name, sizeof name, "%016" PRIx64 "%016" PRIx64 "%s", (uint64_t)hash.high64, (uint64_t)hash.low64, OBJECT);
    return join(place, directory, name);
}

/* Whole, and made of this text? */
static bool is_sound(const unsigned char *bytes, size_t size, const struct text *text)
{
    struct trailer trailer;
    if (size < sizeof trailer)
        return false;
    size_t rest = size - sizeof trailer;
    memcpy(&trailer, bytes + rest, sizeof trailer);
    return memcmp(trailer.magic, MAGIC, sizeof MAGIC) == 0 && trailer.text == text->length && trailer.text <= rest &&
           trailer.object == rest - trailer.text && XXH128_isEqual(trailer.checksum, XXH3_128bits(bytes, rest)) &&
           memcmp(bytes + trailer.object, text->item, text->length) == 0;
}

void *cache_load(const char *place, const struct text *text)
{
    struct stat status;
    void *object = NULL, *bytes = MAP_FAILED;
    int file = open(place, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return NULL;
    bool fine = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                !(status.st_mode & NOT_OURS) && status.st_size > 0;
    if (fine)
        bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
        if (is_sound(bytes, (size_t)status.st_size, text))
            object = dlopen(place, RTLD_NOW | RTLD_LOCAL);
        munmap(bytes, (size_t)status.st_size);
    }
    if (object)
        (void)futimens(file, NULL); /* it is in use */
    else
        unlink(place); /* another is made */
    close(file);
    return object;
}

static bool write_all(int file, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t written = write(file, at, size);
        if (written <= 0)
            return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

/* Appends the text and the trailer. */
static bool seal(int file, const struct text *text)
{
    struct stat status;
    struct trailer trailer = {.text = text->length};
    if (fchmod(file, S_IRUSR | S_IWUSR) != 0 || lseek(file, 0, SEEK_END) < 0 ||
        !write_all(file, text->item, text->length) || fstat(file, &status) != 0)
        return false;
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return false;
    trailer.object = (size_t)status.st_size - text->length;
    trailer.checksum = XXH3_128bits(bytes, (size_t)status.st_size);
    memcpy(trailer.magic, MAGIC, sizeof MAGIC);
    munmap(bytes, (size_t)status.st_size);
    return write_all(file, &trailer, sizeof trailer);
}

bool cache_keep(const char *path, const char *place, const char *directory, const struct text *text)
{
    int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        return false;
    bool fine = seal(file, text);
    close(file);
    fine = fine && rename(path, place) == 0;
    cache_tidy(directory);
    return fine;
}

/* ------------------------------------------------------------------------- tidying */

struct kept {
    char name[64];
    off_t bytes;
    struct timespec used;
};
typedef VECTOR(struct kept) kept_objects;

static int by_age(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;
    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    return (a->used.tv_nsec > b->used.tv_nsec) - (a->used.tv_nsec < b->used.tv_nsec);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), of_end = strlen(end);
    return length >= of_end && strcmp(name + length - of_end, end) == 0;
}

static void look_at(const char *directory, const char *name, kept_objects *kept)
{
    char path[PATH_MAX];
    struct stat status;
    if (!join(path, directory, name) || lstat(path, &status) != 0)
        return;
    if (strncmp(name, WORKSHOP, strlen(WORKSHOP)) == 0 && S_ISDIR(status.st_mode)) {
        if (time(NULL) - status.st_mtim.tv_sec > ABANDONED_SECONDS)
            cache_remove_workshop(path);
    } else if (S_ISREG(status.st_mode) && ends_with(name, OBJECT) && strlen(name) < sizeof kept->item->name) {
        struct kept object = {.bytes = status.st_size, .used = status.st_mtim};
        memcpy(object.name, name, strlen(name) + 1);
        (void)vector_push(kept, object); /* what is not seen stays */
    }
}

void cache_tidy(const char *directory)
{
    kept_objects kept = {0};
    DIR *entries = opendir(directory);
    char path[PATH_MAX];
    off_t bytes = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        look_at(directory, entry->d_name, &kept);
    if (entries)
        closedir(entries);
    for (size_t i = 0; i < kept.count; i++)
        bytes += kept.item[i].bytes;
    if (bytes > MOST_BYTES)
        qsort(kept.item, kept.count, sizeof *kept.item, by_age);
    for (size_t i = 0; i < kept.count && bytes > MOST_BYTES; i++)
        if (join(path, directory, kept.item[i].name) && unlink(path) == 0)
            bytes -= kept.item[i].bytes;
    free(kept.item);
}
