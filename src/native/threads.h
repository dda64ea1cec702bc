/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of the program: what is known of each, and which of them runs. */
#ifndef NATIVE_THREADS_H
#define NATIVE_THREADS_H

#include "base/agent_set.h"
#include "native/operations.h"
#include "native/runtime.h"

#include <stddef.h>

#define NO_AGENT UINT32_MAX

enum { MOST_THREADS = MOST_SET_AGENTS, MOST_DISTURBED = 4, MOST_KEYS = 64, MOST_IN_LOOP = 32 };

struct thread {
    /* what the journal keeps, up to the clock of the last agent */
    bool exists, ended, detached, joined;
    bool exits;       /* it has ended the process: nobody joins it */
    bool wrote;       /* something outside its stack, since its last visible operation */
    int error_number; /* its errno */
    void *stack_pointer;
    struct pending pending;
    uintptr_t *return_slot; /* on its stack: what is above belongs to the program */
    unsigned __int128 result;
    void *(*function)(void *);
    void *argument, *value; /* what it returns */
    uint32_t children;
    uint32_t joiner;     /* who waits for its end: agent + 1 */
    uint32_t last_event; /* + 1; 0 for none */
    agent_set follows;   /* agents with events that its next step comes after, whatever it touches */
    size_t heap_used;
    uint32_t allocations; /* points at which its clock was another one */
    uint64_t ticks, random;
    uint32_t depth;          /* how many functions of the program it is in, as far as that is followed */
    uint64_t replaced;       /* how often it has put something else to where others had written: own_words.c */
    uint64_t plain_accesses; /* since the last visible operation, */
    struct round {           /* and what was known at one of them */
        uintptr_t caller, address;
        uint64_t state;
        bool wrote;        /* something outside its stack, since then */
        bool is_reference; /* this one is it */
    } round;
    uint32_t path;      /* where it has been in the loop in which it waits: awaits.c */
    bool path_is_raced; /* its last step there may be one half of a data race */
    uint32_t recent_count, history_count;
    uint64_t state_now;           /* in which it is about to read */
    uint32_t clock[MOST_THREADS]; /* what happened before, by synchronisation alone */
    /* the rest */
    uint64_t saved_at;     /* the step in which it was written down last */
    uintptr_t heap_before; /* where its heap ended then */
    unsigned char *stack;
    size_t stack_size, stack_guard;        /* of the former; nobody may touch the lowest part */
    unsigned char *lowest;                 /* where it has ever stopped */
    uintptr_t base;                        /* its thread pointer: locals.c */
    unsigned char *local;                  /* its thread-local variables */
    uint64_t float_mode;                   /* when it last created a thread, or began: the new one begins with it */
    unsigned char *heap;                   /* of its own, so that addresses depend on its own past only */
    uint32_t released[MOST_THREADS];       /* the clock at its last release fence */
    uint32_t to_be_acquired[MOST_THREADS]; /* what an acquire fence would add */
    uint32_t follow[MOST_THREADS];         /* per agent of `follows`, the event that its next step comes after, + 1 */
    void *keys[MOST_KEYS];
    void *cleanup;                       /* the handler that pthread_exit has to run first */
    uintptr_t disturbed[MOST_DISTURBED]; /* condition variables at which it wakes up for no reason */
    uintptr_t recent[MOST_IN_LOOP];      /* where it has read since it last changed something */
    struct loop_read {
        uintptr_t caller, address;
        uint64_t state;
    } history[MOST_IN_LOOP]; /* its reads in what may be a loop */
    bool stack_is_shared;    /* somebody else was seen to touch it, in whatever run */
};

extern struct thread *threads; /* MOST_THREADS */

/* To the search a thread is an agent; its number depends on who creates it, not on the schedule. */
extern struct agents {
    uint32_t current;      /* whose context is active; NO_AGENT: the scheduler's */
    uint32_t limit, count; /* agents have numbers below the limit; so many were ever seen */
    uint32_t width;        /* of a clock */
    struct birth {
        uint32_t parent, index;
    } births[MOST_THREADS];
} agents;

/* Called once; false when there is no memory. */
bool threads_make(void);

/* trial.c: the running thread is only tried; what would be more than reading ends that. */
extern bool trying;
void end_trial(void) __attribute__((noreturn));

/* Does a context of the program run, under our control? */
static inline bool is_inside(void)
{
    return agents.current != NO_AGENT;
}

/* The same, for what is no part of a loop that only waits. */
static inline bool in_program(void)
{
    if (__builtin_expect(trying, false) && is_inside())
        end_trial();
    return is_inside();
}

static inline struct thread *current_thread(void)
{
    return &threads[agents.current];
}

static inline bool is_on_stack(const struct thread *thread, uintptr_t address)
{
    return address - (uintptr_t)thread->stack < thread->stack_size;
}

/* The entries of contexts. */
void main_entry(void);
void thread_entry(void);
/* Is it a thread of ours that wakes another one up for no reason? */
bool is_disturber(uint32_t agent);
/* exit, and the same without what is to run then: the others are followed as if it came later. */
void exit_program(int status, uintptr_t caller) __attribute__((noreturn));
void end_process(int status, uintptr_t caller) __attribute__((noreturn));

/* --- keys.c: thread-specific data */

void keys_reset(void);
/* A thread begins, or ends. */
void keys_begin(struct thread *thread);
void keys_end(struct thread *thread);

#endif
