/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choices of the program, and assumptions.
 *
 * A choice between n is a race: a thread of ours counts from 0 to n - 1, and the thread that chooses reads the number
 * at whatever moment.  So the search needs to know nothing of it, and explores each once.  Each thread that chooses has
 * one such counter, which waits for the next choice when it has counted to the end.
 *
 * A thread that finds an assumption broken stops forever, and the others go on: what they do could have come before.
 * The execution does not count, and that somebody waits forever at its end is no deadlock.
 *
 * The names of the Competition on Software Verification (SV-COMP) do the same.  Of types with too many values a few are
 * chosen, and the verdict says so.
 */
#include "native/choices.h"
#include "native/births.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/reservations.h"
#include "native/run.h"
#include "native/settings.h"
#include "portolan/program.h"

#include <limits.h>
#include <pthread.h>

/* Of each thread; a part of the program's variables, so it begins anew in each execution. */
static struct choice {
    uint64_t number;         /* that is counted up */
    uint64_t asked, counted; /* semaphores, as far as the search knows */
    uint32_t count;
    bool has_counter;
} choices[MOST_THREADS];

static void post_or_wait(enum operation kind, uint64_t *semaphore)
{
    visible(&(struct pending){.kind = kind, .size = 8, .address = (uintptr_t)semaphore});
}

static void *count_up(void *argument)
{
    struct choice *choice = argument;
    for (;;) {
        post_or_wait(OP_SEMAPHORE_WAIT, &choice->asked);
        for (uint64_t i = 1; i < choice->count; i++)
            visible(&(struct pending){.kind = OP_STORE,
                                      .size = 8,
                                      .order = __ATOMIC_RELAXED,
                                      .address = (uintptr_t)&choice->number,
                                      .operand = i});
        post_or_wait(OP_SEMAPHORE_POST, &choice->counted);
    }
    return NULL;
}

bool is_chooser(uint32_t agent)
{
    return threads[agent].function == count_up;
}

bool is_about_choice(const struct pending *op)
{
    return op->address - (uintptr_t)choices < sizeof choices;
}

/* One of several steps of a call: others may have entered since the last one. */
static uint64_t step_of(void *frame, struct pending operation)
{
    entered = frame;
    return (uint64_t)visible(&operation);
}

unsigned choose_among(unsigned count, uintptr_t caller)
{
    if (!in_program() || count < 2 || !chosen.exploring)
        return 0;
    void *frame = entered;
    struct choice *choice = &choices[agents.current];
    struct pending number = {
        .size = 8, .order = __ATOMIC_RELAXED, .address = (uintptr_t)&choice->number, .caller = caller};
    if (choice->has_counter) {
        post_or_wait(OP_SEMAPHORE_WAIT, &choice->counted);
        number.kind = OP_STORE;
        step_of(frame, number);
    }
    will_write(choice, sizeof *choice); /* not before: it may still count for the last choice */
    choice->count = count;
    if (!choice->has_counter) {
        choice->has_counter = true;
        create_counter(count_up, choice, caller);
    }
    post_or_wait(OP_SEMAPHORE_POST, &choice->asked);
    number.kind = OP_LOAD;
    return (unsigned)step_of(frame, number);
}

void rule_out(uintptr_t caller)
{
    for (;;)
        visible(&(struct pending){.kind = OP_RULED_OUT, .size = 1, .caller = caller});
}

static void assume_here(bool holds, uintptr_t caller)
{
    if (!holds && in_program())
        rule_out(caller);
}

bool is_ruled_out(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++)
        if (has_step(agent) && threads[agent].pending.kind == OP_RULED_OUT)
            return true;
    return false;
}

#undef assume
#undef choose

EXPORT unsigned portolan_choose(unsigned count)
{
    return choose_among(count, CALLER);
}

EXPORT void portolan_assume(int condition)
{
    assume_here(condition, CALLER);
}

/* --- SV-COMP */

EXPORT void __VERIFIER_assume(int condition);
EXPORT void __VERIFIER_assume(int condition)
{
    assume_here(condition, CALLER);
}

EXPORT __attribute__((weak)) void reach_error(void);
EXPORT __attribute__((weak)) void reach_error(void)
{
    if (in_program())
        fail_run(FAILED_ASSERTION, CALLER, "calls reach_error");
    __builtin_trap();
}

EXPORT void __VERIFIER_error(void);
EXPORT void __VERIFIER_error(void)
{
    if (in_program())
        fail_run(FAILED_ASSERTION, CALLER, "calls __VERIFIER_error");
    __builtin_trap();
}

/* All values of a small type. */
#define ALL(type, name, first, count)                                                                                  \
    EXPORT type __VERIFIER_nondet_##name(void);                                                                        \
    EXPORT type __VERIFIER_nondet_##name(void)                                                                         \
    {                                                                                                                  \
        return (type)((first) + (int)choose_among(count, CALLER));                                                     \
    }

/* A few of a large one. */
#define SOME(type, name, least, most)                                                                                  \
    EXPORT type __VERIFIER_nondet_##name(void);                                                                        \
    EXPORT type __VERIFIER_nondet_##name(void)                                                                         \
    {                                                                                                                  \
        static const type some[] = {0, 1, 2, (type)-1, least, most};                                                   \
        static KEPT bool is_known;                                                                                     \
        if (in_program() && chosen.exploring && !is_known)                                                             \
            add_reservation(true, "other values of __VERIFIER_nondet_" #name " than 0, 1, 2, -1, the least and the "   \
                                  "greatest");                                                                         \
        is_known = true;                                                                                               \
        return some[choose_among(sizeof some / sizeof *some, CALLER)];                                                 \
    }

ALL(_Bool, bool, 0, 2)
ALL(char, char, CHAR_MIN, 256)
ALL(unsigned char, uchar, 0, 256)
SOME(short, short, SHRT_MIN, SHRT_MAX)
SOME(unsigned short, ushort, 0, USHRT_MAX)
SOME(int, int, INT_MIN, INT_MAX)
SOME(unsigned, uint, 0, UINT_MAX)
SOME(unsigned, unsigned, 0, UINT_MAX)
SOME(long, long, LONG_MIN, LONG_MAX)
SOME(unsigned long, ulong, 0, ULONG_MAX)
SOME(long long, longlong, LLONG_MIN, LLONG_MAX)
SOME(unsigned long long, ulonglong, 0, ULLONG_MAX)
