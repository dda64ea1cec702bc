/* SPDX-License-Identifier: Apache-2.0 */
/* portolan debug PROGRAM TRACE: gdb on a program that replays a schedule (src/native/debug.c). */
#include "cli/command.h"

#include "base/diagnostic.h"
#include "cli/supervise.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The first three arguments of both functions are the same: a text, the thread, the place in the program. */
static const char script[] =
    "set confirm off\n"
    "set pagination off\n"
    "set breakpoint pending off\n"
    "set print thread-events off\n"
    "handle SIGPROF nostop noprint pass\n"
    "define portolan-place\n"
    "  printf \"%s\\n\", (char *)$rdi\n"
    "  set $portolan_place = $rdx\n"
    "  if $portolan_place\n"
    "    while $pc != $portolan_place\n"
    "      up-silently\n"
    "    end\n"
    "    frame\n"
    "  end\n"
    "end\n"
    "break portolan_failure\n"
    "commands\n"
    "  silent\n"
    "  portolan-place\n"
    "end\n"
    "break portolan_step\n"
    "commands\n"
    "  silent\n"
    "  portolan-place\n"
    "end\n"
    "disable 2\n"
    "define portolan-next\n"
    "  condition 2\n"
    "  enable once 2\n"
    "  continue\n"
    "end\n"
    "document portolan-next\n"
    "Go on to the next step of the schedule, before it is taken.\n"
    "end\n"
    "define portolan-step\n"
    "  condition 2 $rcx >= $arg0\n"
    "  enable once 2\n"
    "  run\n"
    "end\n"
    "document portolan-step\n"
    "portolan-step N: start again and stop before step N of the schedule, or the next one that can be stopped at.\n"
    "end\n"
    "run\n";

static enum portolan_status write_script(char *path, struct portolan_error *error)
{
    int file = mkstemps(path, 4);
    ssize_t size = (ssize_t)strlen(script);
    bool fine = file >= 0 && write(file, script, (size_t)size) == size;
    if (file >= 0)
        fine = close(file) == 0 && fine;
    return fine ? PORTOLAN_OK : fail(error, PORTOLAN_IO, "cannot write '%s': %s", path, strerror(errno));
}

/* "gdb -q -x SCRIPT OPTIONS --args PROGRAM ARGUMENTS" */
static enum portolan_status make_line(const struct settings *settings, const char *path, struct word_list *line,
                                      struct portolan_error *error)
{
    const char *const first[] = {"gdb", "-q", "-x", path}, *const last[] = {"--args", settings->words.item[0]};
    bool fine = true;
    for (size_t i = 0; i < 4 && fine; i++)
        fine = vector_push(line, strdup(first[i]));
    for (size_t i = 2; i < settings->words.count && fine; i++)
        fine = vector_push(line, strdup(settings->words.item[i]));
    for (size_t i = 0; i < 2 && fine; i++)
        fine = vector_push(line, strdup(last[i]));
    for (size_t i = 0; i < line->count && fine; i++)
        fine = line->item[i];
    if (!fine)
        return fail_memory(error);
    enum portolan_status status = schedule_arguments(settings->words.item[1], line, error);
    return status != PORTOLAN_OK || vector_push(line, NULL) ? status : fail_memory(error);
}

/* Its exit status is ours. */
static enum portolan_status run_debugger(struct word_list *line, int *exit_status, struct portolan_error *error)
{
    pid_t process;
    int state, failed = posix_spawnp(&process, line->item[0], NULL, NULL, line->item, environ);
    if (failed) {
        fail(error, PORTOLAN_IO, "gdb cannot be run: %s", strerror(failed));
        hint(error, "install the package 'gdb'");
        return PORTOLAN_IO;
    }
    signal(SIGINT, SIG_IGN); /* it is meant for gdb */
    while (waitpid(process, &state, 0) < 0)
        if (errno != EINTR)
            return fail(error, PORTOLAN_IO, "waiting for gdb failed: %s", strerror(errno));
    *exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_WRONG;
    return PORTOLAN_OK;
}

/* gdb passes the descriptor on to the program, each time that it is started. */
static enum portolan_status prepare_program(const struct settings *settings, struct portolan_error *error)
{
    int file;
    struct supervision *shared = supervision_make(settings, settings->words.item[1], &file, error);
    if (!shared)
        return error->status;
    shared->settings.debugs = true;
    return supervision_announce(file) ? PORTOLAN_OK : fail_memory(error);
}

int command_debug(struct settings *settings)
{
    struct portolan_error error;
    struct word_list line = {0};
    char path[] = "/tmp/portolan-XXXXXX.gdb";
    int exit_status = EXIT_WRONG;
    if (settings->words.count < 2)
        return wrong_usage("debug");
    enum portolan_status status = check_c_program(settings->words.item[0], &error);
    if (status == PORTOLAN_OK)
        status = prepare_program(settings, &error);
    if (status == PORTOLAN_OK)
        status = write_script(path, &error);
    if (status == PORTOLAN_OK) {
        status = make_line(settings, path, &line, &error);
        if (status == PORTOLAN_OK)
            status = run_debugger(&line, &exit_status, &error);
        unlink(path);
    }
    word_list_clear(&line);
    return status == PORTOLAN_OK ? exit_status : wrong(&error);
}
