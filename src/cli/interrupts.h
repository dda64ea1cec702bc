/* SPDX-License-Identifier: Apache-2.0 */
/* SIGINT, SIGTERM and SIGHUP while a command starts other processes, one after the other: none is lost between two. */
#ifndef CLI_INTERRUPTS_H
#define CLI_INTERRUPTS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* From here on they wait, with SIGCHLD and SIGTSTP, until somebody asks for them; nested. */
void interrupts_hold(void);
/* What came too late to be of use is forgotten. */
void interrupts_release(void);

/* While they are held: which they are, and the mask for processes that we start. */
const sigset_t *interrupts_held(void);
const sigset_t *interrupts_before(void);

/* Waits for a process and tells how it ended; an interrupt ends it, and all that it has started. */
bool interrupts_wait(pid_t process, int *state);
/* Has that happened?  The signal, or 0. */
int interrupts_came(void);

/* Sends a signal to what a process has started, and what that has started. */
void signal_descendants(pid_t process, int number);

#endif
