/* SPDX-License-Identifier: Apache-2.0 */
/* What was found: the failing schedule, run again and shown with a column for each thread. */
#include "native/report.h"
#include "native/awaits.h"
#include "native/births.h"
#include "native/channels.h"
#include "native/choices.h"
#include "native/live.h"
#include "native/machine.h"
#include "native/memory.h"
#include "native/objects.h"
#include "native/orders.h"
#include "native/reservations.h"
#include "native/settings.h"
#include "native/stacks.h"
#include "native/symbols.h"

#include "report/run_summary.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXIT_HOLDS = 0, EXIT_FAILED = 1, EXIT_WRONG = 2, EXIT_UNDECIDED = 3, WIDEST_TABLE = 150, STEP_TEXT = 320 };

struct shown_step {
    uint32_t agent;
    char text[STEP_TEXT];
    uintptr_t caller;
};

struct shown {
    VECTOR(struct shown_step) steps;
    struct place {
        uintptr_t caller;
        char text[120];
    } * places;
    size_t place_count;
    struct stacks stacks;
    char *output; /* of the program */
    size_t output_size;
};

/* --- texts */

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

static bool is_atomic(enum operation kind)
{
    return kind <= OP_WAIT_VALUE;
}

static int64_t as_signed(uint64_t value, uint8_t size)
{
    switch (size) {
    case 1: return (int8_t)value;
    case 2: return (int16_t)value;
    case 4: return (int32_t)value;
    default: return (int64_t)value;
    }
}

static void describe_value(uint64_t value, uint8_t size, char *text, size_t room)
{
    if (size != 8 || !describe_pointer(value, text, room))
        snprintf(text, room, "%" PRId64, as_signed(value, size));
}

static bool is_about_thread(enum operation kind)
{
    return kind == OP_CREATE || kind == OP_JOIN || kind == OP_EXIT;
}

static void describe_operation(const struct step_record *step, char *text, size_t size)
{
    const struct pending *op = &step->operation;
    char name[120];
    if (is_about_thread(op->kind)) {
        agent_name((uint32_t)op->operand, name, sizeof name);
        bool other = op->kind == OP_CREATE || op->kind == OP_JOIN;
        snprintf(text, size, "%s%s%s", operation_word(op->kind), other ? " " : "", other ? name : "");
        return;
    }
    describe_address(op->address, name, sizeof name);
    char before[80], after[80], expected[80];
    describe_value(step->before[0], op->size, before, sizeof before);
    describe_value(step->after, op->size, after, sizeof after);
    describe_value((uint64_t)op->expected, op->size, expected, sizeof expected);
    if (!is_atomic(op->kind))
        snprintf(text, size, "%s %s%s", is_about_channel(op) ? channel_word(op->kind) : operation_word(op->kind), name,
                 step->result && op->error && op->kind != OP_COMPARE_EXCHANGE ? " (fails)" : "");
    else if (op->kind == OP_LOAD || op->kind == OP_VOLATILE_READ || op->kind == OP_WAIT_VALUE)
        snprintf(text, size, "read %s: %s%s", name, before, value_is_unwanted(op, step->before[0]) ? ", waits" : "");
    else if (op->kind == OP_STORE || op->kind == OP_VOLATILE_WRITE)
        snprintf(text, size, "%s = %s", name, after);
    else if (op->kind == OP_COMPARE_EXCHANGE && step->before[0] != (uint64_t)op->expected)
        snprintf(text, size, "compare %s: %s, not %s", name, before, expected);
    else
        snprintf(text, size, "%s: %s -> %s", name, before, after);
}

/* --- places in the source, each looked up once */

static const char *place_of(const struct shown *shown, uintptr_t caller)
{
    for (size_t i = 0; i < shown->place_count; i++)
        if (shown->places[i].caller == caller)
            return shown->places[i].text;
    return "";
}

static void take_place(void *user, size_t index, const char *function, const char *place)
{
    (void)function;
    struct place *places = user;
    snprintf(places[index].text, sizeof places->text, "%s", place);
}

static bool find_places(struct shown *shown)
{
    shown->places = calloc(shown->steps.count + 1, sizeof *shown->places);
    uintptr_t *callers = calloc(shown->steps.count + 1, sizeof *callers);
    for (size_t i = 0; i < shown->steps.count && shown->places && callers; i++) {
        uintptr_t caller = shown->steps.item[i].caller;
        if (!caller || place_of(shown, caller)[0])
            continue;
        struct place *place = &shown->places[shown->place_count];
        place->caller = callers[shown->place_count++] = caller;
        snprintf(place->text, sizeof place->text, "%#zx", (size_t)caller);
    }
    bool fine = shown->places && callers;
    if (fine)
        find_frames(callers, shown->place_count, false, take_place, shown->places);
    free(callers);
    return fine;
}

/* --- running the schedule again */

static bool is_birth_of_chooser(const struct step_record *step)
{
    return step->operation.kind == OP_CREATE && is_chooser((uint32_t)step->operation.operand);
}

static bool show_operation(struct shown *shown, const struct step_record *step)
{
    struct shown_step text = {.agent = step->agent, .caller = step->operation.caller};
    bool is_choice = is_about_choice(&step->operation);
    if ((is_choice && step->operation.kind != OP_LOAD) || is_birth_of_chooser(step))
        return true;
    describe_operation(step, text.text, sizeof text.text);
    if (is_choice)
        snprintf(text.text, sizeof text.text, "chooses %" PRIu64, step->before[0]);
    return vector_push(&shown->steps, text);
}

/* What happened at once since the last step. */
static bool show_silent(struct shown *shown)
{
    bool fine = true;
    for (size_t i = 0; i < silent.list.count && fine; i++) {
        const struct silent *done = &silent.list.item[i];
        fine = show_operation(shown, &(struct step_record){.agent = done->agent, .operation = done->operation});
    }
    silent.list.count = 0;
    return fine;
}

static bool show_step(struct shown *shown)
{
    return show_operation(shown, &run.steps.item[run.top - 1]) && show_silent(shown);
}

static void keep_output(struct shown *shown, int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    shown->output = size > 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (shown->output && pread(file, shown->output, (size_t)size, 0) == size)
        shown->output_size = (size_t)size;
}

/* Takes the steps of failing.agents; false when one of them cannot be taken. */
static bool run_schedule(struct shown *shown)
{
    int file = memfd_create("output", 0), nothing = dup(1);
    bool fine = true;
    dup2(file, 1);
    dup2(file, 2);
    silent.wanted = true;
    silent.list.count = 0;
    begin_run();
    fine = show_silent(shown);
    for (size_t i = 0; i < failing.agents.count && fine; i++) {
        fine = failing.agents.item[i] < agents.limit && can_step(failing.agents.item[i]) &&
               take_step(failing.agents.item[i]) && show_step(shown);
        if (!fine && run.failure.kind != NO_FAILURE)
            fine = true; /* it fails earlier in this order */
    }
    fflush(stdout);
    dup2(nothing, 1);
    dup2(nothing, 2);
    keep_output(shown, file);
    close(file);
    close(nothing);
    return find_places(shown) && fine;
}

static void shown_clear(struct shown *shown)
{
    stacks_clear(&shown->stacks);
    free(shown->steps.item);
    free(shown->places);
    free(shown->output);
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
        shown_clear(shown);
        *shown = (struct shown){0};
        fine = machine_prepare(agents.limit) && run_schedule(shown);
    }
    return fine;
}

/* --- the table */

static int step_width(const struct shown *shown, size_t i)
{
    const struct shown_step *step = &shown->steps.item[i];
    return (int)(strlen(step->text) + (step->caller ? strlen(place_of(shown, step->caller)) + 2 : 0));
}

static void print_step(const struct shown *shown, size_t i, FILE *out)
{
    const struct shown_step *step = &shown->steps.item[i];
    fprintf(out, "%s%s%s\n", step->text, step->caller ? "  " : "", step->caller ? place_of(shown, step->caller) : "");
}

static void print_schedule(const struct shown *shown, FILE *out)
{
    int width[MOST_THREADS] = {0}, sum = 0;
    char name[32];
    for (size_t i = 0; i < shown->steps.count; i++) {
        uint32_t agent = shown->steps.item[i].agent;
        width[agent] = step_width(shown, i) > width[agent] ? step_width(shown, i) : width[agent];
    }
    for (uint32_t agent = 0; agent < MOST_THREADS; agent++)
        sum += width[agent] ? width[agent] + 2 : 0;
    bool columns = sum <= WIDEST_TABLE;
    if (columns && shown->steps.count) {
        fprintf(out, "      ");
        for (uint32_t agent = 0, left = 0; agent < MOST_THREADS; agent++)
            if (width[agent]) {
                agent_name(agent, name, sizeof name);
                width[agent] = (int)strlen(name) > width[agent] ? (int)strlen(name) : width[agent];
                fprintf(out, "%*s  %s", (int)left, "", name);
                left = (uint32_t)(width[agent] - (int)strlen(name));
            }
        fputc('\n', out);
    }
    for (size_t i = 0; i < shown->steps.count; i++) {
        int before = 0;
        for (uint32_t agent = 0; columns && agent < shown->steps.item[i].agent; agent++)
            before += width[agent] ? width[agent] + 2 : 0;
        agent_name(shown->steps.item[i].agent, name, sizeof name);
        fprintf(out, "  %4zu  %*s", i + 1, before, "");
        if (!columns)
            fprintf(out, "%-9s  ", name);
        print_step(shown, i, out);
    }
}

/* --- the failure */

static void describe_owner(const struct pending *op, uint32_t agent, char *text, size_t size)
{
    bool is_lock = op->kind == OP_LOCK || op->kind == OP_READ_LOCK || op->kind == OP_WRITE_LOCK;
    const struct object *object = is_lock ? object_state(op->object) : NULL;
    char holder[32];
    text[0] = '\0';
    if (!object || !object->owner)
        return;
    agent_name(object->owner - 1, holder, sizeof holder);
    snprintf(text, size, ", held by %s", object->owner == agent + 1 ? "itself" : holder);
}

/* "main waits at a.c:12: lock m, held by thread 1"; false when the thread does not wait. */
static bool describe_waiting(uint32_t agent, char *text, size_t size)
{
    const struct thread *thread = &threads[agent];
    const struct pending *op = &thread->pending;
    char name[32], what[120], place[120], owner[64];
    if (!thread->exists || thread->ended || is_chooser(agent))
        return false;
    agent_name(agent, name, sizeof name);
    describe_place(op->caller, place, sizeof place);
    describe_owner(op, agent, owner, sizeof owner);
    if (op->kind == OP_JOIN)
        agent_name((uint32_t)op->operand, what, sizeof what);
    else
        describe_address(op->address, what, sizeof what);
    if (op->kind == OP_STALL && !op->address)
        snprintf(text, size, "%s loops for ever at %s", name, place);
    else
        snprintf(text, size, "%s waits at %s: %s %s%s", name, place,
                 is_about_channel(op)                    ? channel_word(op->kind)
                 : may_await(op) || op->kind == OP_STALL ? "spins on"
                                                         : operation_word(op->kind),
                 what, owner);
    return true;
}

static void print_waiting(const struct stacks *stacks, FILE *out)
{
    char text[STEP_TEXT + 200];
    for (uint32_t agent = 0; agent < agents.limit; agent++)
        if (describe_waiting(agent, text, sizeof text)) {
            fprintf(out, "  %s\n", text);
            stack_print(stacks, agent, out);
        }
}

/* A deadlock in one line; as many of those who wait as fit. */
static void describe_deadlock(struct failure *failure)
{
    size_t used = 0, size = sizeof failure->text;
    char text[STEP_TEXT + 200];
    for (uint32_t agent = 0; agent < agents.limit && used < size; agent++)
        if (describe_waiting(agent, text, sizeof text))
            used += (size_t)snprintf(failure->text + used, size - used, "%s%s", used ? "; " : "", text);
}

/* The step that was expected is still there, as is what came instead. */
static void print_difference(const struct failure *failure, FILE *out)
{
    const struct step_record *step = &run.steps.item[run.top];
    const struct thread *thread = &threads[failure->agent];
    const struct pending *op = &thread->pending;
    char text[STEP_TEXT], place[120];
    describe_operation(step, text, sizeof text);
    describe_place(step->operation.caller, place, sizeof place);
    fprintf(out, "  the step was %s  %s\n", text, place);
    if (!thread->exists || thread->ended) {
        fprintf(out, "  now there is none\n");
        return;
    }
    describe_place(op->caller, place, sizeof place);
    describe_address(op->address, text, sizeof text);
    fprintf(out, "  now it is %s %s  %s\n",
            op->kind == OP_LOAD    ? "read"
            : op->kind == OP_STORE ? "write"
                                   : operation_word(op->kind),
            is_about_thread(op->kind) ? "" : text, place);
}

static void print_failure(const struct failure *failure, const struct stacks *stacks, FILE *out)
{
    char name[32], place[200], what[300];
    if (failure->kind == FAILED_DEADLOCK) {
        print_waiting(stacks, out);
        return;
    }
    if (failure->agent < MOST_THREADS) {
        agent_name(failure->agent, name, sizeof name);
        describe_place(failure->caller, place, sizeof place);
        if (failure->kind == FAILED_RACE)
            fprintf(out, "  %s at %s\n", name, place);
        else
            fprintf(out, "  %s at %s: %s\n", name, place, failure->text);
        stack_print(stacks, failure->agent, out);
    } else {
        fprintf(out, "  %s\n", failure->text);
    }
    if (failure->kind == FAILED_DIVERGED && failure->agent < MOST_THREADS)
        print_difference(failure, out);
    if (failure->kind == FAILED_RACE) {
        agent_name(failure->other, name, sizeof name);
        describe_place(failure->other_caller, place, sizeof place);
        fprintf(out, "  %s at %s\n", name, place);
        stack_print(stacks, failure->other, out);
        describe_address(failure->address, what, sizeof what);
        fprintf(out, "  %s: %s\n", failure->text, what);
    } else if (failure->address) {
        describe_address(failure->address, what, sizeof what);
        fprintf(out, "  the address is %s\n", what);
    }
}

static size_t switches(const struct shown *shown)
{
    size_t count = 0;
    for (size_t i = 1; i < shown->steps.count; i++)
        count += shown->steps.item[i].agent != shown->steps.item[i - 1].agent;
    return count;
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

static void write_json(const struct portolan_result *result, const struct failure *failure, const struct shown *shown,
                       FILE *out)
{
    struct json json;
    json_start(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "format", "c");
    json_string(&json, "verdict", run_verdict(verdict(result, failure->kind)));
    if (result)
        json_counts(result, &json);
    reservations_json(&json);
    orders_json(&json);
    if (failure->kind != NO_FAILURE) {
        json_string(&json, "error", failure_word(failure->kind));
        json_string(&json, "message", failure->text);
        json_open(&json, "schedule", '[');
        for (size_t i = 0; i < shown->steps.count; i++) {
            json_open(&json, NULL, '{');
            json_integer(&json, "thread", shown->steps.item[i].agent);
            json_string(&json, "step", shown->steps.item[i].text);
            json_string(&json, "place", place_of(shown, shown->steps.item[i].caller));
            json_close(&json, '}');
        }
        json_close(&json, ']');
        stacks_json(&shown->stacks, &json);
        json_string(&json, "output", shown->output ? shown->output : "");
    }
    json_close(&json, '}');
}

static void print_text(const struct portolan_result *result, const struct portolan_options *options,
                       const struct failure *failure, const struct shown *shown, bool quiet, FILE *out)
{
    char why[120];
    if (failure->kind != NO_FAILURE)
        fprintf(out, "%-10s %s\n", failure->kind == FAILED_TOO_LONG ? "unknown" : "found", failure_word(failure->kind));
    else if (!result)
        fprintf(out, "%-10s no error in this schedule\n", "replayed");
    else if (verdict(result, NO_FAILURE) == EXIT_HOLDS)
        fprintf(out, "%-10s no error in any schedule%s\n", "holds", orders_condition());
    else {
        describe_unknown(result, options, undecided_because(), why, sizeof why);
        fprintf(out, "%-10s %s\n", "unknown", why);
    }
    if (failure->kind != NO_FAILURE) {
        print_failure(failure, &shown->stacks, out);
        unseen_print(out);
    } else if (result) {
        reservations_print(out);
    }
    if (result)
        print_counts(result, options, out);
    if ((failure->kind == NO_FAILURE && result) || quiet)
        return;
    fprintf(out, "schedule   %zu step%s, %zu context switch%s\n", shown->steps.count,
            shown->steps.count == 1 ? "" : "s", switches(shown), switches(shown) == 1 ? "" : "es");
    print_schedule(shown, out);
    if (shown->output_size) {
        fprintf(out, "output of this execution:\n");
        fwrite(shown->output, 1, shown->output_size, out);
    }
}

/* The same text, in a file for CI systems. */
static void write_junit(const struct portolan_result *result, const struct portolan_options *options,
                        const struct failure *failure, const struct shown *shown, FILE *out)
{
    char *text = NULL, why[120] = "", message[500];
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return;
    print_text(result, options, failure, shown, false, memory);
    if (failure->kind == NO_FAILURE)
        describe_unknown(result, options, undecided_because(), why, sizeof why);
    const char *kind = failure_word(failure->kind);
    snprintf(message, sizeof message, "%s%s%s", failure->kind == NO_FAILURE ? why : kind, failure->text[0] ? ": " : "",
             failure->text);
    if (fclose(memory) == 0)
        run_junit(&(struct run_answer){.result = result,
                                       .program = chosen.arguments[0],
                                       .kind = kind,
                                       .message = message,
                                       .exit_status = verdict(result, failure->kind),
                                       .text = text,
                                       .text_size = size,
                                       .reservations = {reservation_text(0), reservation_text(1), reservation_text(2)}},
                  out);
    free(text);
}

static void write_part(enum part part, const struct portolan_result *result, const struct portolan_options *options,
                       const struct failure *failure, const struct shown *shown)
{
    FILE *file = part_open(part);
    if (!file)
        return;
    switch (part) {
    case PART_TEXT: print_text(result, options, failure, shown, supervision->settings.quiet, file); break;
    case PART_JSON: write_json(result, failure, shown, file); break;
    case PART_JUNIT:
        if (result)
            write_junit(result, options, failure, shown, file);
        break;
    case PART_TRACE:
        if (failure->kind != NO_FAILURE)
            write_schedule(file);
        break;
    default: break;
    }
    part_close(file, part);
}

/* What the supervisor will say if this process does not get to its report. */
static void tell_supervisor(const struct failure *found)
{
    struct supervision *s = supervision;
    if (found->kind != NO_FAILURE)
        snprintf(s->failure, sizeof s->failure, "%s", failure_word(found->kind));
    atomic_store(&s->state, SUPERVISION_REPORTING);
}

/* The failure, as running its schedule again gives it. */
static struct failure judge_again(const struct portolan_result *result, struct shown *shown)
{
    if (is_stuck()) {
        run.failure = (struct failure){.kind = FAILED_DEADLOCK, .agent = NO_AGENT};
        describe_deadlock(&run.failure);
    } else if (chosen.leaks) {
        look_for_leaks();
    }
    if (result && run.failure.kind == NO_FAILURE) /* another error, in an equivalent order, is one too */
        return (struct failure){.kind = FAILED_DIVERGED, .agent = NO_AGENT, .text = "the error did not show up again"};
    struct failure found = run.failure;
    stacks_find(&shown->stacks, &found);
    return found;
}

int report(const struct portolan_result *result, const struct portolan_options *options, FILE *errors)
{
    struct failure found = run.failure;
    struct shown shown = {0};
    bool again =
        !result || (found.kind != NO_FAILURE && found.kind != FAILED_DIVERGED && found.kind != FAILED_INTERNAL);
    tell_supervisor(&found);
    orders_conclude();
    awaits_are_off = true; /* it is run in another order than it was found in */
    if (again && !run_again(&shown)) {
        fprintf(errors, "error: the schedule cannot be run: step %zu is not possible\n", shown.steps.count + 1);
        shown_clear(&shown);
        return EXIT_WRONG;
    }
    if (again)
        found = judge_again(result, &shown);
    for (enum part part = PART_TEXT; part < PART_ERRORS; part++)
        write_part(part, result, options, &found, &shown);
    awaits_are_off = false;
    shown_clear(&shown);
    return verdict(result, found.kind);
}
