/* SPDX-License-Identifier: Apache-2.0 */
/* --distributed: this process is one of several that mpirun has started. */
#include "cli/command.h"
#include "cli/limits.h"
#include "cli/own_place.h"

#include "base/diagnostic.h"
#include "distributed/transport.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool find_libraries(char *path, size_t size)
{
    if (!find_own_directory(path, size))
        return false;
    size_t end = strlen(path);
    if (snprintf(path + end, size - end, "/portolan-mpi.so") >= (int)(size - end))
        return false;
    bool is_beside = access(path, F_OK) == 0; /* as it was built */
    path[end] = '\0';
    return is_beside || snprintf(path + end, size - end, "/%s", RUNTIME_DIRECTORY) < (int)(size - end);
}

bool is_silent_rank(const struct settings *settings)
{
    return settings->transport && settings->transport->rank > 0;
}

static uint32_t present_rank;

/* Somebody does not answer any more; mpirun tells who, and ends us. */
static void report_lost(void)
{
    static const char message[] =
        "portolan: a rank ended early, and with it the search; nothing is known of what it had not finished\n";
    if (present_rank == 0 && write(STDERR_FILENO, message, sizeof message - 1) < 0)
        _exit(EXIT_WRONG);
    _exit(EXIT_UNDECIDED);
}

/* The first rank has the answer and writes all there is to write. */
static void fall_silent(struct settings *settings)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    settings->json_file = settings->trace_file = settings->msc_file = settings->pictures_file = NULL;
    settings->junit_file = settings->html_file = settings->output = NULL;
}

enum portolan_status ranks_join(struct settings *settings, struct portolan_error *error)
{
    char directory[4096];
    if (!settings->distributed)
        return PORTOLAN_OK;
    if (!find_libraries(directory, sizeof directory))
        return fail(error, PORTOLAN_REFUSED, "--distributed: cannot find out where this program is");
    enum portolan_status status = transport_load(directory, &settings->transport, error);
    if (status != PORTOLAN_OK)
        return status;
    present_rank = settings->transport->rank;
    settings->transport->lost = report_lost;
    settings->transport->interrupt = command_interrupt();
    settings->memory = settings->memory / settings->transport->ranks + (settings->memory != 0);
    if (is_silent_rank(settings))
        fall_silent(settings);
    return PORTOLAN_OK;
}

int ranks_leave(struct settings *settings, int exit_status)
{
    if (!settings->transport)
        return exit_status;
    bool is_silent = is_silent_rank(settings);
    settings->transport->close(settings->transport);
    settings->transport = NULL;
    return is_silent ? EXIT_HOLDS : exit_status;
}
