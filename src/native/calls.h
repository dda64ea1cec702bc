/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of POSIX threads, for those of C++ that do the same: `caller` is where the program called. */
#ifndef NATIVE_CALLS_H
#define NATIVE_CALLS_H

#include "native/operations.h"

#include <pthread.h>
#include <time.h>

/* --- threads.c; errors are those of POSIX */

int create_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument,
                  uintptr_t caller);
void *join_thread(pthread_t thread, uintptr_t caller);
void detach_thread(pthread_t thread, uintptr_t caller);
int operate_on(enum thing thing, volatile void *object, enum operation kind, int operand, int error, uintptr_t caller);
/* At a condition variable, with a mutex; `wake` is OP_WAKE or OP_TIMED_WAKE. */
int wait_for(enum thing condition_thing, void *condition, enum thing mutex_thing, pthread_mutex_t *mutex,
             enum operation wake, uintptr_t caller);
/* OP_ONCE: is the caller the one who does it?  OP_ONCE_DONE: it has, or it `undoes` that it began. */
int operate_once(enum operation kind, void *flag, bool undoes, uintptr_t caller);

/* --- chance.c */

/* For the present thread it is at least so late: it has waited in vain. */
void time_is_over(const struct timespec *until);

/* --- cplusplus_threads.c */

/* What a std::thread begins with. */
void *run_cplusplus_thread(void *state);

/* --- cplusplus_locals.c */

/* Destroys the thread-local objects of C++ that the present thread has. */
void end_locals(void);
/* It begins, and has none. */
void begin_locals(void);

/* --- exceptions.c */

/* Before anything of C++ is used. */
void exceptions_make(void);
/* The present thread begins: it handles no exception. */
void begin_exceptions(void);
/* The name of something in C++ as its source has it; other names as they are. */
const char *demangled(const char *name, char *text, size_t size);

#endif
