/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C library or the kernel keeps for the whole process and the program may change: set back before each
 * execution.  It cannot be undone by the journal, so that a program which changes it after its first step is run again.
 */
#include "native/accesses.h"
#include "native/environment.h"
#include "native/journal.h"
#include "native/run.h"
#include "native/unseen.h"

#include <fcntl.h>
#include <getopt.h>
#include <locale.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

static KEPT struct { /* by the program, in whatever run */
    bool locale, thread_locale;
    int directory; /* the first one; 0: it was not changed */
    uint32_t mask; /* the first one + 1 */
} changed;

/* Before the first step there is nothing to go back to. */
static void changes(void)
{
    if (!run.beginning)
        calls_unseen();
}

void process_reset(void)
{
    if (changed.locale)
        setlocale(LC_ALL, "C");
    if (changed.directory)
        (void)!fchdir(changed.directory);
    if (changed.mask)
        umask(changed.mask - 1);
    __fpurge(stdin);
    clearerr(stdin);
    clearerr(stdout);
}

/* --- options: the C library remembers where in an argument it is */

static bool has_begun; /* in this execution */

static void begin_options(char *const *arguments, const char *options)
{
    if (!in_program())
        return;
    changes();
    if (has_begun)
        return;
    char *nothing[] = {arguments[0], NULL};
    int index = optind;
    has_begun = true;
    optind = 0; /* glibc: begins anew, with this kind of options */
    getopt(1, nothing, options);
    optind = index;
}

EXPORT int __wrap_getopt(int count, char *const *arguments, const char *options);
EXPORT int __wrap_getopt(int count, char *const *arguments, const char *options)
{
    begin_options(arguments, options);
    return getopt(count, arguments, options);
}

#define GETOPT(name)                                                                                                   \
    EXPORT int __wrap_##name(int count, char *const *arguments, const char *options, const struct option *more,        \
                             int *index);                                                                              \
    EXPORT int __wrap_##name(int count, char *const *arguments, const char *options, const struct option *more,        \
                             int *index)                                                                               \
    {                                                                                                                  \
        begin_options(arguments, options);                                                                             \
        if (index)                                                                                                     \
            will_write(index, sizeof *index);                                                                          \
        return name(count, arguments, options, more, index);                                                           \
    }

GETOPT(getopt_long)
GETOPT(getopt_long_only)

/* --- languages */

EXPORT char *__wrap_setlocale(int category, const char *name);
EXPORT char *__wrap_setlocale(int category, const char *name)
{
    if (name && in_program()) {
        changes();
        changed.locale = true;
    }
    return setlocale(category, name);
}

EXPORT locale_t __wrap_uselocale(locale_t locale);
EXPORT locale_t __wrap_uselocale(locale_t locale)
{
    if (locale && in_program()) {
        changes();
        changed.thread_locale = true;
    }
    return uselocale(locale);
}

void begin_thread_locale(void)
{
    if (changed.thread_locale)
        uselocale(LC_GLOBAL_LOCALE);
}

/* --- files */

/* Where the program was begun, under a number that it will not come to. */
static void remember_directory(void)
{
    changes();
    if (changed.directory)
        return;
    int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    changed.directory = fcntl(here, F_DUPFD_CLOEXEC, MOST_FILES);
    close(here);
}

EXPORT int __wrap_chdir(const char *path);
EXPORT int __wrap_chdir(const char *path)
{
    reads_text(path, WHOLE_TEXT, CALLER);
    if (in_program())
        remember_directory();
    return chdir(path);
}

EXPORT int __wrap_fchdir(int directory);
EXPORT int __wrap_fchdir(int directory)
{
    if (in_program())
        remember_directory();
    return fchdir(directory);
}

EXPORT mode_t __wrap_umask(mode_t mask);
EXPORT mode_t __wrap_umask(mode_t mask)
{
    mode_t before = umask(mask);
    if (in_program()) {
        changes();
        if (!changed.mask)
            changed.mask = before + 1;
    }
    return before;
}
