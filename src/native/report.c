/* SPDX-License-Identifier: Apache-2.0 */
/* What was found: the failing schedule is run again, with everything recorded, and put into the record. */
#include "native/report.h"
#include "native/awaits.h"
#include "native/births.h"
#include "native/errors.h"
#include "native/live.h"
#include "native/machine.h"
#include "native/memory.h"
#include "native/recorder.h"
#include "native/reservations.h"
#include "native/settings.h"
#include "native/symbols.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXIT_HOLDS = 0, EXIT_FAILED = 1, EXIT_WRONG = 2, EXIT_UNDECIDED = 3 };

/* --- words */

const char *failure_word(enum failure_kind kind)
{
    switch (kind) {
    case FAILED_ASSERTION: return "assertion";
    case FAILED_ABORT: return "abort";
    case FAILED_EXCEPTION: return "exception";
    case FAILED_DEADLOCK: return "deadlock";
    case FAILED_RACE: return "data race";
    case FAILED_FAULT: return "crash";
    case FAILED_MEMORY: return "memory error";
    case FAILED_LEAK: return "memory leak";
    case FAILED_MISUSE: return "misuse";
    case FAILED_STATUS: return "exit status";
    case FAILED_TOO_LONG: return "no end in sight";
    case FAILED_REFUSED: return "refused";
    case FAILED_DIVERGED: return "nondeterminism";
    default: return "internal error";
    }
}

const char *operation_word(enum operation kind)
{
    static const char *const words[] = {[OP_LOAD] = "read",
                                        [OP_STORE] = "write",
                                        [OP_LOCK] = "lock",
                                        [OP_TRY_LOCK] = "trylock",
                                        [OP_UNLOCK] = "unlock",
                                        [OP_WAIT] = "wait",
                                        [OP_WAKE] = "wake up",
                                        [OP_TIMED_WAKE] = "wake up",
                                        [OP_SIGNAL] = "signal",
                                        [OP_BROADCAST] = "broadcast",
                                        [OP_DISTURB] = "disturb",
                                        [OP_CREATE] = "create",
                                        [OP_EXIT] = "end",
                                        [OP_JOIN] = "join",
                                        [OP_ONCE] = "once",
                                        [OP_ONCE_DONE] = "once done",
                                        [OP_READ_LOCK] = "read lock",
                                        [OP_WRITE_LOCK] = "write lock",
                                        [OP_TRY_READ_LOCK] = "try read lock",
                                        [OP_TRY_WRITE_LOCK] = "try write lock",
                                        [OP_READ_WRITE_UNLOCK] = "unlock",
                                        [OP_SEMAPHORE_WAIT] = "wait",
                                        [OP_SEMAPHORE_TRY_WAIT] = "try wait",
                                        [OP_SEMAPHORE_POST] = "post",
                                        [OP_SEMAPHORE_VALUE] = "get value",
                                        [OP_ARRIVE] = "arrive",
                                        [OP_LEAVE] = "leave",
                                        [OP_WAIT_VALUE] = "wait",
                                        [OP_PLAIN_READ] = "read",
                                        [OP_PLAIN_WRITE] = "write"};
    return kind < sizeof words / sizeof *words && words[kind] ? words[kind] : "update";
}

/* --- running the schedule again */

static void keep_output(struct shown *shown, int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    shown->output = size > 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (shown->output && pread(file, shown->output, (size_t)size, 0) == size)
        shown->output_size = (size_t)size;
}

static bool take_and_record(uint32_t agent)
{
    struct recorded_event *event = record_step_begins(agent);
    if (!take_step(agent))
        return false;
    record_step_ends(event, &run.steps.item[run.top - 1]);
    return true;
}

/* Takes the steps of failing.agents; false when one of them cannot be taken. */
static bool run_schedule(struct shown *shown)
{
    int file = memfd_create("output", 0), nothing = dup(1);
    bool fine = recorder_start();
    dup2(file, 1);
    dup2(file, 2);
    silent.wanted = true;
    begin_run();
    for (size_t i = 0; i < failing.agents.count && fine; i++) {
        shown->taken = i;
        fine = failing.agents.item[i] < agents.limit && can_step(failing.agents.item[i]) &&
               take_and_record(failing.agents.item[i]);
        if (!fine && run.failure.kind != NO_FAILURE)
            fine = true; /* it fails earlier in this order */
    }
    recorder_stop();
    fflush(stdout);
    dup2(nothing, 1);
    dup2(nothing, 2);
    keep_output(shown, file);
    close(file);
    close(nothing);
    return fine;
}

bool learn_from_schedule(void)
{
    do {
        if (!machine_prepare(agents.limit))
            return false;
        begin_run();
        for (size_t i = 0; i < failing.agents.count && run.failure.kind == NO_FAILURE; i++)
            if (failing.agents.item[i] >= agents.limit || !can_step(failing.agents.item[i]) ||
                !take_step(failing.agents.item[i]))
                return true; /* whoever shows it will say so */
    } while (run.failure.kind == SEARCH_AGAIN);
    return true;
}

/* A replay has to learn what the search had learned before. */
static bool run_again(struct shown *shown)
{
    bool fine = run_schedule(shown);
    while (run.failure.kind == SEARCH_AGAIN) {
        free(shown->output);
        *shown = (struct shown){0};
        fine = machine_prepare(agents.limit) && run_schedule(shown);
    }
    return fine;
}

/* --- the report */

static int verdict(const struct portolan_result *result, enum failure_kind kind)
{
    if (kind == FAILED_REFUSED || kind == FAILED_DIVERGED || kind == FAILED_INTERNAL)
        return EXIT_WRONG;
    if (kind == FAILED_TOO_LONG)
        return EXIT_UNDECIDED;
    if (kind != NO_FAILURE)
        return EXIT_FAILED;
    if (!result)
        return EXIT_HOLDS;
    bool complete = result->stop == PORTOLAN_COMPLETE && !result->statistics.cut && !undecided_because();
    return complete ? EXIT_HOLDS : EXIT_UNDECIDED;
}

/* What the supervisor will say if this process does not get to its report. */
static void tell_supervisor(const struct failure *found)
{
    struct supervision *s = supervision;
    if (found->kind != NO_FAILURE)
        snprintf(s->failure, sizeof s->failure, "%s", failure_word(found->kind));
    atomic_store(&s->state, SUPERVISION_REPORTING);
}

static struct failure not_again(const struct failure *found)
{
    struct failure failure = {.kind = FAILED_DIVERGED, .agent = NO_AGENT, .caller = found->caller};
    snprintf(failure.text, sizeof failure.text, "the error did not show up again: %s: %.200s",
             failure_word(found->kind), found->text);
    return failure;
}

/* The failure, as running its schedule again gives it. */
static struct failure judge_again(const struct portolan_result *result, const struct failure *found)
{
    if (is_stuck())
        run.failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
    else if (chosen.leaks)
        look_for_leaks();
    if (result && run.failure.kind == NO_FAILURE) /* another error, in an equivalent order, is one too */
        return not_again(found);
    return run.failure;
}

static void write_trace(void)
{
    FILE *file = part_open(PART_TRACE);
    if (!file)
        return;
    write_schedule(file);
    part_close(file, PART_TRACE);
}

/* Runs the failing schedule and records it; false when it cannot be run. */
static bool show_again(const struct portolan_result *result, struct failure *found, FILE *errors)
{
    struct shown shown = {0};
    bool again =
        !result || (found->kind != NO_FAILURE && found->kind != FAILED_DIVERGED && found->kind != FAILED_INTERNAL);
    bool fine = !again || run_again(&shown);
    if (!fine)
        fprintf(errors, "error: the schedule cannot be run: step %zu is not possible\n", shown.taken + 1);
    if (fine && again)
        *found = judge_again(result, found);
    if (fine && (!result || found->kind != NO_FAILURE))
        record_error(found, &shown);
    free(shown.output);
    return fine;
}

/* With --all: those after which the search went on. */
static bool show_others(const struct portolan_result *result, FILE *errors, enum failure_kind *first)
{
    bool fine = true;
    for (size_t i = 0; i < errors_count() && fine; i++) {
        fine = errors_choose(i);
        struct failure found = run.failure;
        fine = fine && show_again(result, &found, errors);
        if (*first == NO_FAILURE) {
            *first = found.kind;
            write_trace();
        }
    }
    return fine;
}

int report(const struct portolan_result *result, FILE *errors)
{
    struct failure found = run.failure;
    enum failure_kind kind = NO_FAILURE;
    tell_supervisor(&found);
    awaits_are_off = true; /* it is run in another order than it was found in */
    if (!record_open())
        return EXIT_WRONG;
    if (found.kind != NO_FAILURE || !errors_count()) {
        if (!show_again(result, &found, errors))
            return EXIT_WRONG;
        if (found.kind != NO_FAILURE)
            write_trace();
        kind = found.kind;
    }
    if (!show_others(result, errors, &kind))
        return EXIT_WRONG;
    int exit_status = verdict(result, kind);
    record_search(result, exit_status);
    record_close();
    return exit_status;
}
