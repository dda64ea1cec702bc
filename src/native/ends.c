/* SPDX-License-Identifier: Apache-2.0 */
/* How a program ends: by itself, or because something is wrong. */
#include "native/environment.h"
#include "native/failure.h"
#include "native/live.h"
#include "native/signals.h"
#include "native/threads.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    if (in_program())
        fail_run(FAILED_ASSERTION, CALLER, "%s:%u: %s: assertion '%s' failed", file, line, function ? function : "",
                 expression);
    fprintf(stderr, "%s:%u: assertion '%s' failed\n", file, line, expression);
    _exit(134);
}

EXPORT void __assert_perror_fail(int error, const char *file, unsigned line, const char *function);
EXPORT void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    if (in_program())
        fail_run(FAILED_ASSERTION, CALLER, "%s:%u: %s: unexpected error: %s", file, line, function ? function : "",
                 strerrordesc_np(error));
    _exit(134);
}

/* The compiler's stack protector found its canary overwritten. */
EXPORT void __stack_chk_fail(void);
EXPORT void __stack_chk_fail(void)
{
    if (in_program())
        fail_run(FAILED_MEMORY, CALLER, "writes beyond a local variable");
    _exit(134);
}

EXPORT void abort(void)
{
    if (in_program())
        fail_run(FAILED_ABORT, CALLER, "calls abort");
    _exit(134);
}

/* --- all of these end the process */

/* Whoever calls exit could be the first to do so: what others do could all have come later.  So each status counts. */
void check_exit_status(int status, uintptr_t caller)
{
    const struct supervision *s = supervision;
    unsigned told = (unsigned)status & 0xff;
    if (s && told && !s->settings.allows_any_status && !s->settings.allows_status[told])
        fail_run(FAILED_STATUS, caller, "ends the program with status %u", told);
}

/* exit was called by a library: its handlers run in the context of the program. */
static void on_library_exit(int status, void *unused)
{
    if (!in_program())
        return;
    on_exit(on_library_exit, unused); /* the next execution may do the same */
    exit_program(status, accessing);
}

bool ends_make(void)
{
    return on_exit(on_library_exit, NULL) == 0;
}

#define ENDS(name)                                                                                                     \
    EXPORT void __wrap_##name(int status);                                                                             \
    EXPORT void __wrap_##name(int status)                                                                              \
    {                                                                                                                  \
        if (in_program())                                                                                              \
            end_process(status, CALLER);                                                                               \
        _exit(status);                                                                                                 \
    }

ENDS(_exit)
ENDS(_Exit)
ENDS(quick_exit)

static void complain(int status, int error, const char *format, va_list arguments, uintptr_t caller)
{
    if (format)
        vfprintf(stderr, format, arguments);
    if (error)
        fprintf(stderr, "%s%s", format ? ": " : "", strerror(error));
    fputc('\n', stderr);
    exit_program(status, caller);
}

#define COMPLAINS(name, error)                                                                                         \
    EXPORT void __wrap_v##name(int status, const char *format, va_list arguments);                                     \
    EXPORT void __wrap_v##name(int status, const char *format, va_list arguments)                                      \
    {                                                                                                                  \
        complain(status, error, format, arguments, CALLER);                                                            \
    }                                                                                                                  \
    EXPORT void __wrap_##name(int status, const char *format, ...);                                                    \
    EXPORT void __wrap_##name(int status, const char *format, ...)                                                     \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, format);                                                                                   \
        complain(status, error, format, arguments, CALLER);                                                            \
        va_end(arguments);                                                                                             \
    }

COMPLAINS(err, errno)
COMPLAINS(errx, 0)

EXPORT void __wrap_error(int status, int error, const char *format, ...);
EXPORT void __wrap_error(int status, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (status)
        complain(status, error, format, arguments, CALLER);
    else
        vfprintf(stderr, format, arguments);
    va_end(arguments);
}
