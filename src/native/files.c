/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a run leaves open are closed before the next one: a run may be given up at any point, and the next one is
 * to find the same numbers.  What was written to them was written to copies (private_files.c).
 */
#include "native/accesses.h"
#include "native/descriptors.h"
#include "native/environment.h"
#include "native/private_files.h"
#include "native/reservations.h"
#include "native/unseen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static KEPT bool opens_files;        /* the run has opened some, ... */
static KEPT FILE *files[MOST_FILES]; /* ... these */
static KEPT bool file_numbers[MOST_FILES];

static FILE *opened(FILE *file)
{
    calls_unseen(); /* the journal cannot undo what happens to files */
    if (!file || !in_program())
        return file;
    opens_files = true;
    descriptor_opened();
    for (uint32_t i = 0; i < MOST_FILES; i++)
        if (!files[i]) {
            files[i] = file;
            break;
        }
    return file;
}

static void forget(const FILE *file)
{
    for (uint32_t i = 0; i < MOST_FILES; i++)
        if (files[i] == file)
            files[i] = NULL;
}

int opened_number(int number)
{
    calls_unseen();
    if (number > 2 && number < MOST_FILES && in_program()) {
        opens_files = file_numbers[number] = true;
        descriptor_opened();
    }
    return number;
}

void files_reset(void)
{
    for (uint32_t i = 0; i < MOST_FILES && opens_files; i++) {
        if (files[i]) {
            __fpurge(files[i]); /* what it did not write in its run is not written in another */
            fclose(files[i]);
        }
        if (file_numbers[i])
            close((int)i);
        files[i] = NULL;
        file_numbers[i] = false;
    }
    opens_files = false;
    private_files_reset();
}

/* --- streams */

/* What the mode of a stream means to open; -1: nothing. */
static int flags_of(const char *mode)
{
    int flags = mode[0] == 'w' ? O_CREAT | O_TRUNC : mode[0] == 'a' ? O_CREAT | O_APPEND : mode[0] == 'r' ? 0 : -1;
    if (flags < 0)
        return flags;
    flags |= strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    return flags | (strchr(mode, 'x') ? O_EXCL : 0) | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

static FILE *open_private(const char *path, const char *mode, uintptr_t caller)
{
    int flags = flags_of(mode);
    if (flags < 0) {
        errno = EINVAL;
        return NULL;
    }
    int number = private_open(AT_FDCWD, path, flags, 0666, caller);
    FILE *file = number < 0 ? NULL : fdopen(number, mode);
    if (number >= 0 && !file)
        close(number);
    return file;
}

#define OPENS(name)                                                                                                    \
    EXPORT FILE *__wrap_##name(const char *path, const char *mode);                                                    \
    EXPORT FILE *__wrap_##name(const char *path, const char *mode)                                                     \
    {                                                                                                                  \
        path_used(path, mode[0] != 'r', CALLER);                                                                       \
        return opened(files_are_private() ? open_private(path, mode, CALLER) : name(path, mode));                      \
    }

OPENS(fopen)
OPENS(fopen64)

EXPORT FILE *__wrap_fdopen(int number, const char *mode);
EXPORT FILE *__wrap_fdopen(int number, const char *mode)
{
    FILE *file = opened(fdopen(number, mode));
    if (file && number >= 0 && number < MOST_FILES && in_program())
        file_numbers[number] = false; /* the stream closes it */
    return file;
}

EXPORT FILE *__wrap_tmpfile(void);
EXPORT FILE *__wrap_tmpfile(void)
{
    return opened(tmpfile());
}

EXPORT FILE *__wrap_open_memstream(char **text, size_t *size);
EXPORT FILE *__wrap_open_memstream(char **text, size_t *size)
{
    add_reservation(true, "what open_memstream gives is written by libc, which is not seen");
    return opened(open_memstream(text, size));
}

EXPORT int __wrap_fclose(FILE *file);
EXPORT int __wrap_fclose(FILE *file)
{
    calls_unseen();
    if (in_program() && (file == stdin || file == stdout || file == stderr))
        return fflush(file); /* other runs need it */
    if (__fwritable(file))   /* what is left to write is written */
        stream_used(file, CALLER);
    if (in_program())
        forget(file);
    return fclose(file);
}

/* --- numbers */

static int open_number(int directory, const char *path, int flags, mode_t mode, uintptr_t caller)
{
    path_used(path, flags & (O_CREAT | O_TRUNC), caller);
    return opened_number(files_are_private() ? private_open(directory, path, flags, mode, caller)
                                             : openat(directory, path, flags, mode));
}

#define OPENS_NUMBER(name)                                                                                             \
    EXPORT int __wrap_##name(const char *path, int flags, ...);                                                        \
    EXPORT int __wrap_##name(const char *path, int flags, ...)                                                         \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = va_arg(arguments, mode_t); /* whatever it is when there is none */                               \
        va_end(arguments);                                                                                             \
        return open_number(AT_FDCWD, path, flags, mode, CALLER);                                                       \
    }

OPENS_NUMBER(open)
OPENS_NUMBER(open64)

#define OPENS_AT(name)                                                                                                 \
    EXPORT int __wrap_##name(int directory, const char *path, int flags, ...);                                         \
    EXPORT int __wrap_##name(int directory, const char *path, int flags, ...)                                          \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        mode_t mode = va_arg(arguments, mode_t);                                                                       \
        va_end(arguments);                                                                                             \
        return open_number(directory, path, flags, mode, CALLER);                                                      \
    }

OPENS_AT(openat)
OPENS_AT(openat64)

#define CREATES(name)                                                                                                  \
    EXPORT int __wrap_##name(const char *path, mode_t mode);                                                           \
    EXPORT int __wrap_##name(const char *path, mode_t mode)                                                            \
    {                                                                                                                  \
        return open_number(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode, CALLER);                                \
    }

CREATES(creat)
CREATES(creat64)

EXPORT int __wrap_close(int number);
EXPORT int __wrap_close(int number)
{
    struct call call = this_call(CALLER);
    if (in_program() && is_descriptor(number))
        return descriptor_close(number, &call);
    calls_unseen();
    if (in_program() && number >= 0 && number < 3)
        return 0; /* other runs need it */
    if (in_program() && number >= 0 && number < MOST_FILES)
        file_numbers[number] = false;
    return close(number);
}
