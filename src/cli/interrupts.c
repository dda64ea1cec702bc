/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupts.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

static sigset_t held, before;
static int depth, came;

/* Blocked signals are kept even where they are ignored, as shells do for what runs in the background. */
void interrupts_hold(void)
{
    struct sigaction hang_up;
    if (depth++)
        return;
    came = 0;
    sigemptyset(&held);
    sigaddset(&held, SIGCHLD);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGTSTP);
    if (sigaction(SIGHUP, NULL, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) /* nohup */
        sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &before);
}

/* What the terminal sends to us it sends to the compiler too, which may have ended before we looked. */
int interrupts_came(void)
{
    sigset_t interrupts = held;
    sigdelset(&interrupts, SIGCHLD);
    sigdelset(&interrupts, SIGTSTP);
    int number = depth && !came ? sigtimedwait(&interrupts, NULL, &(struct timespec){0}) : 0;
    if (number > 0)
        came = number;
    return came;
}

void interrupts_release(void)
{
    if (depth == 1)
        interrupts_came();
    if (--depth)
        return;
    while (sigtimedwait(&held, NULL, &(struct timespec){0}) > 0) {
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

const sigset_t *interrupts_held(void)
{
    return &held;
}

const sigset_t *interrupts_before(void)
{
    return &before;
}

static void signal_children(pid_t parent, int number, int generations)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = generations ? fopen(path, "re") : NULL;
    while (file && fscanf(file, "%d", &child) == 1) {
        signal_children(child, number, generations - 1);
        kill(child, number);
    }
    if (file)
        fclose(file);
}

void signal_descendants(pid_t process, int number)
{
    enum { MOST_GENERATIONS = 20 };
    signal_children(process, number, MOST_GENERATIONS);
}

static void handle(pid_t process, int number)
{
    if (number == SIGTSTP) {
        raise(SIGSTOP); /* the terminal has stopped the others */
    } else if (number != SIGCHLD && number > 0) {
        came = number;
        signal_descendants(process, SIGTERM);
        kill(process, SIGTERM);
    }
}

bool interrupts_wait(pid_t process, int *state)
{
    pid_t ended;
    while ((ended = waitpid(process, state, WNOHANG)) == 0 || (ended < 0 && errno == EINTR))
        handle(process, sigwaitinfo(&held, NULL));
    return ended == process;
}
