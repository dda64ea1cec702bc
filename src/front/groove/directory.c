/* SPDX-License-Identifier: Apache-2.0 */
#include "front/groove/directory.h"

#include "base/diagnostic.h"
#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 20 };

/* "one" "between" "two" */
static const char *join(struct reading *reading, const char *one, const char *between, const char *two)
{
    size_t size = strlen(one) + strlen(between) + strlen(two) + 1;
    char *joined = arena_get(&reading->scratch, size);
    if (!joined) {
        no_memory(reading);
        return NULL;
    }
    snprintf(joined, size, "%s%s%s", one, between, two);
    return joined;
}

const char *directory_file(struct reading *reading, const struct directory *directory, const char *name)
{
    return join(reading, directory->path, "/", name);
}

static bool add_file(struct reading *reading, struct directory *directory, const char *path, const char *name)
{
    static const char *const extensions[] = {"gst", "gpr", "gty", "gcp"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof extensions / sizeof *extensions; i++) {
        if (strcmp(dot + 1, extensions[i]) != 0)
            continue;
        struct member member = {path, keep(reading, name, (size_t)(dot - name)), extensions[i]};
        return member.name && (vector_push(&directory->members, member) || no_memory(reading));
    }
    return true;
}

static bool add_all(struct reading *reading, struct directory *directory, const char *path, const char *prefix,
                    unsigned depth);

static bool add_entry(struct reading *reading, struct directory *directory, const char *path, const char *name,
                      unsigned depth)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return true; /* gone, or a link to nothing */
    if (S_ISDIR(status.st_mode))
        return depth == DEEPEST ? wrong_file(reading, path, PORTOLAN_BAD_INPUT, "directories are nested too deeply")
                                : add_all(reading, directory, path, name, depth + 1);
    return add_file(reading, directory, path, name);
}

static bool add_all(struct reading *reading, struct directory *directory, const char *path, const char *prefix,
                    unsigned depth)
{
    DIR *entries = opendir(path);
    if (!entries)
        return errno == ENOMEM
                   ? no_memory(reading)
                   : wrong_file(reading, path, PORTOLAN_IO, "cannot open the directory: %s", strerror(errno));
    bool fine = true;
    for (struct dirent *entry; fine && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.')
            continue;
        const char *file = join(reading, path, "/", entry->d_name);
        const char *name = join(reading, prefix, *prefix ? "." : "", entry->d_name);
        fine = file && name && add_entry(reading, directory, file, name, depth);
        if (limits_reached())
            fine = no_memory(reading);
    }
    closedir(entries);
    return fine;
}

static int by_name(const void *a, const void *b)
{
    const struct member *one = a, *other = b;
    int order = strcmp(one->name, other->name);
    return order ? order : strcmp(one->extension, other->extension);
}

/* The end of the first part of the path that ends with ".gps", or NULL. */
static const char *end_of_grammar(const char *path)
{
    for (const char *at = path; (at = strstr(at, ".gps")); at++)
        if (at[4] == '\0' || at[4] == '/')
            return at + 4;
    return NULL;
}

/* What follows the directory in the path is a start graph: a/b.gst is a.b. */
static bool split_start(struct reading *reading, const char *path, const char *rest, const char **start)
{
    size_t length = strlen(rest);
    if (length < 5 || strcmp(rest + length - 4, ".gst") != 0) {
        wrong_file(reading, path, PORTOLAN_BAD_INPUT, "this is not a start graph of a grammar");
        hint(reading->error, "open NAME.gps, or NAME.gps/GRAPH.gst");
        return false;
    }
    char *name = arena_copy(&reading->scratch, rest, length - 4);
    if (!name)
        return no_memory(reading);
    for (char *slash; (slash = strchr(name, '/'));)
        *slash = '.';
    *start = name;
    return true;
}

bool directory_open(struct reading *reading, struct directory *directory, const char *path, const char **start)
{
    const char *end = end_of_grammar(path);
    if (!end)
        return wrong_file(reading, path, PORTOLAN_BAD_INPUT, "a grammar is a directory whose name ends with .gps");
    directory->path = keep(reading, path, (size_t)(end - path));
    if (!directory->path)
        return false;
    const char *slash = strrchr(directory->path, '/'), *base = slash ? slash + 1 : directory->path;
    directory->name = keep(reading, base, strlen(base) - 4);
    const char *rest = end + strspn(end, "/");
    if (!directory->name || (*rest && !split_start(reading, path, rest, start)) ||
        !add_all(reading, directory, directory->path, "", 0))
        return false;
    if (directory->members.count > 1)
        qsort(directory->members.item, directory->members.count, sizeof *directory->members.item, by_name);
    return true;
}

void directory_clear(struct directory *directory)
{
    free(directory->members.item);
    directory->members.item = NULL;
}
