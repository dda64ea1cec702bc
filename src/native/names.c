/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libc that look names of files up, make them and take them away: those of the execution. */
#include "native/accesses.h"
#include "native/environment.h"
#include "native/memory.h"
#include "native/private_files.h"
#include "native/reservations.h"
#include "native/unseen.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* The name is read, and looking it up is a step.  Is it one of the execution's own? */
static bool uses_name(const char *path, bool changes, uintptr_t caller)
{
    calls_unseen(); /* the journal cannot undo what happens to files */
    if (in_program()) {
        reads_text(path, WHOLE_TEXT, caller);
        path_used(path, changes, caller);
    }
    return files_are_private();
}

/* ARGUMENTS are those of libc's function after the path, PRIVATE is what is done instead. */
#define NAMES(name, changes, parameters, real, private)                                                                \
    EXPORT int __wrap_##name parameters;                                                                               \
    EXPORT int __wrap_##name parameters                                                                                \
    {                                                                                                                  \
        uintptr_t caller = CALLER;                                                                                     \
        (void)caller;                                                                                                  \
        return uses_name(path, changes, caller) ? private : real;                                                      \
    }

NAMES(access, false, (const char *path, int mode), access(path, mode), private_access(path, mode))
NAMES(chmod, true, (const char *path, mode_t mode), chmod(path, mode), private_chmod(path, mode, caller))
NAMES(unlink, true, (const char *path), unlink(path), private_unlink(path))
NAMES(mkdir, true, (const char *path, mode_t mode), mkdir(path, mode), private_mkdir(path, mode))
NAMES(rmdir, true, (const char *path), rmdir(path), private_rmdir(path, caller))
NAMES(truncate, true, (const char *path, off_t size), truncate(path, size), private_truncate(path, size, caller))
NAMES(truncate64, true, (const char *path, off_t size), truncate(path, size), private_truncate(path, size, caller))
NAMES(mkstemp, true, (char *path), mkstemp(path), opened_number(private_make(path, false, caller)))
NAMES(mkstemp64, true, (char *path), mkstemp(path), opened_number(private_make(path, false, caller)))

static int remove_either(const char *path, uintptr_t caller)
{
    int status = private_unlink(path);
    return status != 0 && errno == EISDIR ? private_rmdir(path, caller) : status;
}

NAMES(remove, true, (const char *path), remove(path), remove_either(path, caller))

EXPORT char *__wrap_mkdtemp(char *path);
EXPORT char *__wrap_mkdtemp(char *path)
{
    if (!uses_name(path, true, CALLER))
        return mkdtemp(path);
    return private_make(path, true, CALLER) == 0 ? path : NULL;
}

EXPORT int __wrap_rename(const char *from, const char *to);
EXPORT int __wrap_rename(const char *from, const char *to)
{
    uses_name(from, true, CALLER);
    return uses_name(to, true, CALLER) ? private_rename(from, to, CALLER) : rename(from, to);
}

#define LOOKS(name, follows)                                                                                           \
    EXPORT int __wrap_##name(const char *path, struct stat *result);                                                   \
    EXPORT int __wrap_##name(const char *path, struct stat *result)                                                    \
    {                                                                                                                  \
        bool is_private = uses_name(path, false, CALLER);                                                              \
        writes(result, sizeof *result, CALLER);                                                                        \
        return is_private ? private_stat(path, result, follows) : follows ? stat(path, result) : lstat(path, result);  \
    }

LOOKS(stat, true)
LOOKS(stat64, true)
LOOKS(lstat, false)
LOOKS(lstat64, false)

/* What libc would allocate is a block of the program's. */
EXPORT char *__wrap_realpath(const char *path, char *result);
EXPORT char *__wrap_realpath(const char *path, char *result)
{
    char found[PATH_MAX];
    bool is_found = uses_name(path, false, CALLER) ? private_path(path, found) : realpath(path, found) != NULL;
    if (!is_found)
        return NULL;
    size_t size = strlen(found) + 1;
    if (!result)
        result = program_malloc(size, CALLER);
    if (result) {
        writes(result, size, CALLER);
        memcpy(result, found, size);
    }
    return result;
}

EXPORT DIR *__wrap_opendir(const char *path);
EXPORT DIR *__wrap_opendir(const char *path)
{
    if (uses_name(path, false, CALLER) && private_differs(path))
        add_reservation(true, "the listing of a directory lacks what the program has done there");
    return opendir(path);
}
