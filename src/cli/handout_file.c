/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/handout.h"

#include "base/diagnostic.h"
#include "base/vector.h"
#include "checkpoint/head.h"
#include "cli/shards.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------- files */

bool read_whole(const char *path, unsigned char **bytes, size_t *count)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool fine = file >= 0 && fstat(file, &about) == 0 && (*bytes = malloc((size_t)about.st_size + 1));
    *count = fine ? (size_t)about.st_size : 0;
    for (size_t done = 0; fine && done < *count;) {
        ssize_t got = read(file, *bytes + done, *count - done);
        fine = got > 0 || (got < 0 && errno == EINTR);
        done += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0)
        close(file);
    return fine;
}

bool write_whole(const char *path, const void *bytes, size_t count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool fine = file >= 0;
    for (size_t done = 0; fine && done < count;) {
        ssize_t put = write(file, (const unsigned char *)bytes + done, count - done);
        fine = put >= 0 || errno == EINTR;
        done += put > 0 ? (size_t)put : 0;
    }
    return file >= 0 && close(file) == 0 && fine;
}

enum portolan_status directory_make(struct handout *h, struct portolan_error *error)
{
    const char *place = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/portolan-ranks-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(path))
        return fail(error, PORTOLAN_IO, "cannot make the directory '%s': %s", path, strerror(errno));
    size_t end = strlen(path);
    snprintf(path + end, sizeof path - end, "/jobs"); /* which the planner makes */
    h->directory = strdup(path);
    return h->directory ? PORTOLAN_OK : fail_memory(error);
}

void directory_remove(struct handout *h)
{
    char path[4096];
    if (!h->directory)
        return;
    DIR *directory = opendir(h->directory);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", h->directory, entry->d_name);
        (void)unlink(path);
    }
    if (directory)
        closedir(directory);
    (void)rmdir(h->directory);
    *strrchr(h->directory, '/') = '\0';
    (void)rmdir(h->directory);
    free(h->directory);
    h->directory = NULL;
}

/* ------------------------------------------------------------------------- all in one file */

static bool is_kept(const char *name)
{
    const char *ending = strrchr(name, '.');
    return strcmp(name, "plan") == 0 || strcmp(name, "tree") == 0 || (ending && strcmp(ending, ".answer") == 0);
}

static void keep_file(const struct handout *h, char *name, struct archive *a)
{
    char path[4096];
    unsigned char *bytes = NULL;
    size_t count = 0, room = 0;
    archive_text(a, &name);
    if (a->failed || strchr(name, '/') || !is_kept(name)) {
        a->failed = true;
        return;
    }
    snprintf(path, sizeof path, "%s/%s", h->directory, name);
    if (!a->reading && !read_whole(path, &bytes, &count))
        a->failed = true;
    archive_items(a, (void **)&bytes, &count, &room, 1);
    if (a->reading && !a->failed && !write_whole(path, bytes, count))
        a->failed = true;
    free(bytes);
    if (a->reading)
        free(name);
}

enum portolan_status handout_save(const struct handout *h, struct portolan_error *error)
{
    struct archive archive;
    VECTOR(char *) names = {0};
    DIR *directory = opendir(h->directory);
    archive_create(&archive, h->settings->checkpoint);
    archive_put_head(&archive, ARCHIVE_HANDOUT, h->settings->as_given);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char *name = is_kept(entry->d_name) ? strdup(entry->d_name) : NULL;
        archive.failed |= is_kept(entry->d_name) && (!name || !vector_push(&names, name));
    }
    archive.failed |= !directory;
    archive_count(&archive, &names.count);
    for (size_t i = 0; i < names.count; i++) {
        keep_file(h, names.item[i], &archive);
        free(names.item[i]);
    }
    free(names.item);
    if (directory)
        closedir(directory);
    archive_same(&archive, ARCHIVE_HANDOUT); /* it really ends here */
    return archive_close(&archive, error);
}

enum portolan_status handout_read(const struct handout *h, struct portolan_error *error)
{
    struct archive archive;
    size_t count = 0;
    if (mkdir(h->directory, 0777) != 0)
        return fail(error, PORTOLAN_IO, "cannot make the directory '%s': %s", h->directory, strerror(errno));
    enum portolan_status status = archive_open_as(&archive, h->settings->resume, ARCHIVE_HANDOUT, error);
    if (status != PORTOLAN_OK)
        return status;
    archive_count(&archive, &count);
    for (size_t i = 0; i < count && !archive.failed; i++)
        keep_file(h, NULL, &archive);
    archive_same(&archive, ARCHIVE_HANDOUT);
    return archive_close(&archive, error);
}

enum portolan_status handout_plan(struct handout *h, struct portolan_error *error)
{
    struct archive_head head = {0};
    enum portolan_status status = plan_read(h->directory, &h->order, &head, error);
    archive_head_clear(&head);
    h->order.directory = h->directory;
    return status;
}
