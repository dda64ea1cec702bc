/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/handout.h"

#include "base/limits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const double GRACE_SECONDS = 5;

/* Whoever starts it is told how it ends, and takes it along when it is killed. */
static void become(const struct handout *h, char *const *words, const char *to, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_WRONG);
    if (to) {
        int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0)
            _exit(EXIT_WRONG);
    }
    execv(h->program, words);
    _exit(EXIT_WRONG);
}

static pid_t begin(const struct handout *h, char *const *words, const char *to)
{
    pid_t parent = getpid();
    fflush(stdout);
    pid_t process = fork();
    if (process == 0)
        become(h, words, to, parent);
    return process;
}

int job_call(const struct handout *h, char *const *words, const char *to)
{
    pid_t process = begin(h, words, to);
    bool is_told = false;
    int status = 0;
    if (process < 0)
        return EXIT_WRONG;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (limits_reached() && !is_told) {
            kill(process, SIGTERM);
            is_told = true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_WRONG;
}

/* Limits of the sum: of memory each rank has its part; executions are counted by the first. */
static size_t add_limits(const struct handout *h, uint64_t executions, char text[2][32], char **words)
{
    const struct settings *s = h->settings;
    size_t count = 0;
    if (s->memory) { /* which has been shared out already */
        snprintf(text[0], sizeof text[0], "%zu", s->memory);
        words[count++] = (char *)"--memory";
        words[count++] = text[0];
    }
    if (s->states) {
        snprintf(text[1], sizeof text[1], "%" PRIu64, s->states > executions ? s->states - executions : 1);
        words[count++] = (char *)"--states";
        words[count++] = text[1];
    }
    return count;
}

bool job_start(struct handout *h, uint64_t executions)
{
    char name[16], limits[2][32], log[4096];
    char *words[16] = {(char *)"portolan", (char *)"shard", h->directory, name};
    snprintf(name, sizeof name, "%u", h->process);
    add_limits(h, executions, limits, words + 4);
    shard_path(&h->order, h->process, ".log", log);
    if (setenv(MAILBOX_VARIABLE, h->mailbox_name, 1) != 0)
        return false;
    h->job = begin(h, words, log);
    if (h->job < 0)
        h->job = 0;
    return h->job;
}

bool job_has_ended(struct handout *h)
{
    int status;
    if (waitpid(h->job, &status, WNOHANG) == h->job)
        return true;
    if (h->may_be_killed && h->told_to_end && handout_seconds(h) > h->told_to_end + GRACE_SECONDS)
        kill(h->job, SIGKILL);
    return false;
}
