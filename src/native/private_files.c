/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of an execution.  Each regular file that is opened is copied into memory first, and all that the program
 * does to it happens to the copy: so the next execution finds what the first one found, and the user's files stay as
 * they are.  Readers get the copy too, since a writer may come later.  Names that the program makes or takes away are
 * remembered here, and looked up before those of the file system.  A copy is opened by the name that the kernel has for
 * its descriptor, so that each open has a position of its own.
 */
#include "native/private_files.h"
#include "native/environment.h"
#include "native/failure.h"
#include "native/runtime.h"
#include "native/settings.h"
#include "native/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xxhash.h>

enum { MOST_NAMES = 128, LARGEST = 64 << 20 };

/* What the execution has under a name. */
struct name {
    char path[PATH_MAX];
    enum { IS_GONE, IS_FILE, IS_DIRECTORY } kind;
    int copy;     /* of a file: a descriptor that the program does not know */
    bool is_news; /* the file system has no such name, or no longer */
};

/* What a copy is known by, also when its name is gone. */
struct copied {
    dev_t device;
    ino_t inode;
    uint64_t identity;
};

static KEPT struct name names[MOST_NAMES];
static KEPT struct copied copies[MOST_NAMES];
static KEPT uint32_t name_count, copy_count, made_count;

bool files_are_private(void)
{
    return in_program() && chosen.exploring;
}

void private_files_reset(void)
{
    for (uint32_t i = 0; i < name_count; i++)
        if (names[i].kind == IS_FILE)
            close(names[i].copy);
    name_count = copy_count = made_count = 0;
}

static int fails(int error)
{
    errno = error;
    return -1;
}

/* --- names */

static struct name *find_name(const char *path)
{
    for (uint32_t i = 0; i < name_count; i++)
        if (strcmp(names[i].path, path) == 0)
            return &names[i];
    return NULL;
}

static bool is_there(const char *path)
{
    const struct name *name = find_name(path);
    return name ? name->kind != IS_GONE : access(path, F_OK) == 0;
}

static bool is_directory(const char *path)
{
    const struct name *name = find_name(path);
    struct stat file;
    return name ? name->kind == IS_DIRECTORY : stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

static struct name *add_name(const char *path)
{
    struct name *name = find_name(path);
    if (name)
        return name;
    if (name_count == MOST_NAMES) {
        fail_run(FAILED_REFUSED, 0, "uses more than %d files, which is not modelled", MOST_NAMES);
        return NULL;
    }
    name = &names[name_count++];
    *name = (struct name){.kind = IS_GONE, .is_news = true};
    snprintf(name->path, sizeof name->path, "%s", path);
    return name;
}

/* The one name of what a path leads to, whether or not it is there; its directory must be. */
static bool resolve(const char *path, char *result)
{
    char directory[PATH_MAX];
    size_t length = strlen(path);
    if (realpath(path, result))
        return true;
    if (errno != ENOENT)
        return false;
    for (; length > 1 && path[length - 1] == '/'; length--)
        ;
    size_t last = length;
    for (; last > 0 && path[last - 1] != '/'; last--)
        ;
    const char *base = path + last;
    size_t rest = length - last;
    bool is_dots = (rest == 1 && base[0] == '.') || (rest == 2 && strncmp(base, "..", 2) == 0);
    if (length >= sizeof directory || rest == 0 || is_dots)
        return fails(length >= sizeof directory ? ENAMETOOLONG : ENOENT) == 0;
    snprintf(directory, sizeof directory, "%.*s", last ? (int)last : 1, last ? path : ".");
    if (!resolve(directory, result))
        return false;
    if (!is_directory(result))
        return fails(is_there(result) ? ENOTDIR : ENOENT) == 0;
    size_t used = strcmp(result, "/") == 0 ? 0 : strlen(result);
    if (used + 1 + rest >= PATH_MAX)
        return fails(ENAMETOOLONG) == 0;
    result[used] = '/';
    memcpy(result + used + 1, base, rest);
    result[used + 1 + rest] = 0;
    return true;
}

/* May names in the directory of a path be made or taken away? */
static bool may_change_names(const char *path)
{
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(directory, sizeof directory, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    const struct name *name = find_name(directory);
    return name ? name->kind == IS_DIRECTORY : access(directory, W_OK | X_OK) == 0;
}

bool private_differs(const char *directory)
{
    char path[PATH_MAX];
    if (!resolve(directory, path))
        return false;
    size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
    for (uint32_t i = 0; i < name_count; i++) {
        const char *other = names[i].path;
        bool is_below = strncmp(other, path, length) == 0 && other[length] == '/' && !strchr(other + length + 1, '/');
        if ((is_below && names[i].is_news) || (names[i].kind == IS_DIRECTORY && strcmp(other, path) == 0))
            return true;
    }
    return false;
}

/* --- copies */

static bool fill(int copy, int from)
{
    char bytes[1 << 14];
    for (;;) {
        ssize_t count = read(from, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        if (write(copy, bytes, (size_t)count) != count)
            return false;
    }
}

/* A number that the program will hardly come to. */
static int far_number(void)
{
    struct rlimit limit;
    bool is_low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 2 < MOST_FILES;
    return is_low ? (int)(limit.rlim_cur / 2) : MOST_FILES;
}

/* Gives a name an empty file. */
static bool make_file(struct name *name, mode_t mode)
{
    struct stat file;
    int low = memfd_create("portolan", MFD_CLOEXEC);
    int copy = fcntl(low, F_DUPFD_CLOEXEC, far_number());
    close(low);
    if (copy < 0 || copy_count == MOST_NAMES || fchmod(copy, mode & 07777) != 0 || fstat(copy, &file) != 0) {
        close(copy);
        fail_run(FAILED_REFUSED, 0, "opens more files than can be copied, which is not modelled");
        return false;
    }
    uint64_t identity = XXH3_64bits_withSeed(name->path, strlen(name->path), copy_count);
    copies[copy_count++] = (struct copied){file.st_dev, file.st_ino, identity};
    name->kind = IS_FILE;
    name->copy = copy;
    return true;
}

/* Copies a file of the file system; what is too large stays where it is. */
static struct name *copy_file(const char *path, const struct stat *file)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    struct name *name = from >= 0 ? add_name(path) : NULL;
    bool is_done = name && make_file(name, file->st_mode);
    if (is_done && !fill(name->copy, from)) {
        close(name->copy);
        name->kind = IS_GONE;
        fail_run(FAILED_REFUSED, 0, "opens a file that cannot be copied, which is not modelled");
        is_done = false;
    }
    if (from >= 0)
        close(from);
    if (is_done)
        name->is_news = false;
    return is_done ? name : NULL;
}

uint64_t file_identity(const struct stat *file)
{
    for (uint32_t i = 0; i < copy_count; i++)
        if (copies[i].device == file->st_dev && copies[i].inode == file->st_ino)
            return copies[i].identity;
    return file->st_ino;
}

static int open_copy(const struct name *name, int flags)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", name->copy);
    int number = open(path, flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW));
    if (number < 0 && errno == ENOENT)
        fail_run(FAILED_REFUSED, 0, "opens a file, of which copies are made by /proc, which is not there");
    return number;
}

/* The execution's own file of a name that the file system has; NULL with errno 0: it is none that is copied. */
static struct name *own_copy(const char *path, bool will_write, uintptr_t caller)
{
    struct stat file;
    struct name *name = find_name(path);
    errno = 0;
    if (name)
        return name;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode)) {
        errno = 0;
        return NULL;
    }
    if (access(path, will_write ? W_OK : R_OK) != 0)
        return NULL;
    bool may_be_written = access(path, W_OK) == 0;
    errno = 0;
    if (!may_be_written)
        return NULL;
    if (file.st_size > LARGEST && will_write)
        fail_run(FAILED_REFUSED, caller, "writes to a file of more than 64 MB, which is not modelled");
    return file.st_size > LARGEST ? NULL : copy_file(path, &file);
}

/* --- opening */

static int open_new(const char *path, int flags, mode_t mode)
{
    if (!may_change_names(path))
        return fails(EACCES);
    mode_t mask = umask(0);
    umask(mask);
    struct name *name = add_name(path);
    return name && make_file(name, mode & ~mask) ? open_copy(name, flags) : fails(EMFILE);
}

static int open_resolved(const char *path, int flags, mode_t mode, uintptr_t caller)
{
    bool will_write = (flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC;
    if (!is_there(path))
        return flags & O_CREAT ? open_new(path, flags, mode) : fails(ENOENT);
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return fails(EEXIST);
    const struct name *name = own_copy(path, will_write, caller);
    if (!name && errno)
        return -1;
    if (!name)
        return open(path, flags & ~O_CREAT);
    if (name->kind == IS_FILE)
        return flags & O_DIRECTORY ? fails(ENOTDIR) : open_copy(name, flags);
    fail_run(FAILED_REFUSED, caller, "opens a directory that it has made, which is not modelled");
    return fails(EISDIR);
}

/* The path as seen from the working directory. */
static const char *seen_from(int directory, const char *path, char *buffer)
{
    if (directory == AT_FDCWD || path[0] == '/')
        return path;
    snprintf(buffer, PATH_MAX, "/proc/self/fd/%d/%s", directory, path);
    return buffer;
}

int private_open(int directory, const char *path, int flags, mode_t mode, uintptr_t caller)
{
    char buffer[PATH_MAX], resolved[PATH_MAX];
    struct stat file;
    if (flags & (O_PATH | (O_TMPFILE & ~O_DIRECTORY)))
        return openat(directory, path, flags, mode);
    path = seen_from(directory, path, buffer);
    if (flags & O_NOFOLLOW && lstat(path, &file) == 0 && S_ISLNK(file.st_mode))
        return fails(ELOOP);
    return resolve(path, resolved) ? open_resolved(resolved, flags, mode, caller) : -1;
}

int private_make(char *pattern, bool is_directory, uintptr_t caller)
{
    size_t length = strlen(pattern);
    if (length < 6 || strcmp(pattern + length - 6, "XXXXXX") != 0)
        return fails(EINVAL);
    for (uint32_t number = made_count++; number < 1000000; number = made_count++) {
        snprintf(pattern + length - 6, 7, "%06u", number);
        int result = is_directory ? private_mkdir(pattern, 0700)
                                  : private_open(AT_FDCWD, pattern, O_RDWR | O_CREAT | O_EXCL, 0600, caller);
        if (result >= 0 || errno != EEXIST)
            return result;
    }
    return fails(EEXIST);
}

/* --- names that come, go and are looked up */

int private_stat(const char *path, struct stat *result, bool follows)
{
    char resolved[PATH_MAX];
    if (!follows && lstat(path, result) == 0 && S_ISLNK(result->st_mode))
        return 0;
    if (!resolve(path, resolved))
        return -1;
    const struct name *name = find_name(resolved);
    if (!name)
        return stat(resolved, result);
    if (name->kind == IS_FILE) {
        int status = fstat(name->copy, result);
        result->st_nlink = 1;
        return status;
    }
    if (name->kind == IS_GONE)
        return fails(ENOENT);
    *result = (struct stat){.st_mode = S_IFDIR | 0755, .st_nlink = 2, .st_uid = geteuid(), .st_gid = getegid()};
    return 0;
}

bool private_path(const char *path, char *result)
{
    return resolve(path, result) && (is_there(result) || fails(ENOENT) == 0);
}

int private_access(const char *path, int mode)
{
    char resolved[PATH_MAX];
    struct stat file;
    if (!resolve(path, resolved))
        return -1;
    const struct name *name = find_name(resolved);
    if (!name)
        return access(resolved, mode);
    if (private_stat(resolved, &file, true) != 0)
        return -1;
    bool is_root = geteuid() == 0; /* what it has made is the user's own */
    bool lacks = ((mode & R_OK) && !(file.st_mode & S_IRUSR) && !is_root) ||
                 ((mode & W_OK) && !(file.st_mode & S_IWUSR) && !is_root) ||
                 ((mode & X_OK) && !(file.st_mode & S_IXUSR));
    return lacks ? fails(EACCES) : 0;
}

static int take_away(const char *path)
{
    struct name *name = add_name(path);
    if (!name)
        return -1;
    if (name->kind == IS_FILE)
        close(name->copy); /* who has it open still has it */
    name->kind = IS_GONE;
    name->is_news = true;
    return 0;
}

/* The name itself, not what a symbolic link leads to. */
static bool resolve_name(const char *path, char *resolved, uintptr_t caller)
{
    struct stat file;
    if (lstat(path, &file) == 0 && S_ISLNK(file.st_mode))
        fail_run(FAILED_REFUSED, caller, "changes a symbolic link, which is not modelled");
    return resolve(path, resolved);
}

int private_unlink(const char *path)
{
    char resolved[PATH_MAX];
    if (!resolve_name(path, resolved, 0))
        return -1;
    if (!is_there(resolved))
        return fails(ENOENT);
    if (is_directory(resolved))
        return fails(EISDIR);
    return may_change_names(resolved) ? take_away(resolved) : fails(EACCES);
}

int private_rename(const char *from, const char *to, uintptr_t caller)
{
    char old[PATH_MAX], new[PATH_MAX];
    if (!resolve_name(from, old, caller) || !resolve_name(to, new, caller))
        return -1;
    if (!is_there(old))
        return fails(ENOENT);
    if (is_directory(old))
        fail_run(FAILED_REFUSED, caller, "renames a directory, which is not modelled");
    if (is_directory(new))
        return fails(EISDIR);
    if (!may_change_names(old) || !may_change_names(new))
        return fails(EACCES);
    if (strcmp(old, new) == 0)
        return 0;
    struct name *source = own_copy(old, false, caller), *target = source ? add_name(new) : NULL;
    if (!target) {
        fail_run(FAILED_REFUSED, caller, "renames a file that cannot be copied, which is not modelled");
        return -1;
    }
    if (target->kind == IS_FILE)
        close(target->copy);
    target->kind = IS_FILE;
    target->copy = source->copy;
    target->is_news = true;
    source->kind = IS_GONE;
    source->is_news = true;
    return 0;
}

int private_chmod(const char *path, mode_t mode, uintptr_t caller)
{
    char resolved[PATH_MAX];
    if (!resolve(path, resolved))
        return -1;
    if (!is_there(resolved))
        return fails(ENOENT);
    const struct name *name = own_copy(resolved, false, caller);
    if (name && name->kind == IS_FILE)
        return fchmod(name->copy, mode);
    fail_run(FAILED_REFUSED, caller, "changes the mode of what is no regular file, which is not modelled");
    return -1;
}

int private_truncate(const char *path, long size, uintptr_t caller)
{
    int number = private_open(AT_FDCWD, path, O_WRONLY, 0, caller);
    int status = number < 0 ? -1 : ftruncate(number, size);
    int error = errno;
    if (number >= 0)
        close(number);
    errno = error;
    return status;
}

int private_mkdir(const char *path, mode_t mode)
{
    char resolved[PATH_MAX];
    (void)mode;
    if (!resolve(path, resolved))
        return -1;
    if (is_there(resolved))
        return fails(EEXIST);
    if (!may_change_names(resolved))
        return fails(EACCES);
    struct name *name = add_name(resolved);
    if (name)
        name->kind = IS_DIRECTORY;
    return name ? 0 : -1;
}

int private_rmdir(const char *path, uintptr_t caller)
{
    char resolved[PATH_MAX];
    if (!resolve(path, resolved))
        return -1;
    if (!is_there(resolved))
        return fails(ENOENT);
    if (!is_directory(resolved))
        return fails(ENOTDIR);
    struct name *name = find_name(resolved);
    if (!name) {
        fail_run(FAILED_REFUSED, caller, "removes a directory that it has not made, which is not modelled");
        return -1;
    }
    size_t length = strlen(resolved);
    for (uint32_t i = 0; i < name_count; i++)
        if (names[i].kind != IS_GONE && strncmp(names[i].path, resolved, length) == 0 && names[i].path[length] == '/')
            return fails(ENOTEMPTY);
    name->kind = IS_GONE;
    return 0;
}
