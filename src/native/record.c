/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the record. */
#include "native/awaits.h"
#include "native/births.h"
#include "native/channels.h"
#include "native/choices.h"
#include "native/environment.h"
#include "native/live.h"
#include "native/machine.h"
#include "native/memory.h"
#include "native/objects.h"
#include "native/orders.h"
#include "native/recorder.h"
#include "native/report.h"
#include "native/reservations.h"
#include "native/stacks.h"
#include "native/symbols.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_MEMORY = 8 << 20, /* bytes of the program's memory that are told, of each error */
    LARGEST_PIECE = 1 << 16,
    MOST_BLOCKS = 20000
};

static KEPT FILE *record;

bool record_open(void)
{
    record = part_open(PART_RECORD);
    return record;
}

void record_close(void)
{
    part_close(record, PART_RECORD);
}

static void put_two(enum record_item item, const void *first, size_t first_size, const void *content, size_t size)
{
    static const char padding[8];
    struct record_head head = {item, (uint32_t)(first_size + size)};
    fwrite(&head, sizeof head, 1, record);
    fwrite(first, 1, first_size, record);
    fwrite(content, 1, size, record);
    fwrite(padding, 1, -head.size & 7, record);
}

void record_put(enum record_item item, const void *content, size_t size)
{
    put_two(item, "", 0, content, size);
}

/* --- the search */

static int put_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    struct recorded_module module = {.base = info->dlpi_addr};
    if (info->dlpi_name[0])
        snprintf(module.path, sizeof module.path, "%s", info->dlpi_name);
    else if (readlink("/proc/self/exe", module.path, sizeof module.path - 1) < 0)
        return 0;
    record_put(RECORD_MODULE, &module, sizeof module);
    return 0;
}

void record_search(const struct portolan_result *result, int exit_status)
{
    struct recorded_search search = {.is_replay = !result, .exit_status = exit_status};
    if (result)
        search.result = *result;
    for (uint32_t agent = 0; agent < agents.count; agent++)
        search.threads += !is_disturber(agent) && !is_chooser(agent);
    record_put(RECORD_SEARCH, &search, sizeof search);
    dl_iterate_phdr(put_module, NULL);
    reservations_record();
    orders_record();
}

/* --- threads */

static void put_threads(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct thread *thread = &threads[agent];
        if (!thread->exists)
            continue;
        struct recorded_thread item = {.agent = agent,
                                       .kind = agent == 0            ? AGENT_MAIN
                                               : is_disturber(agent) ? AGENT_DISTURBER
                                               : is_chooser(agent)   ? AGENT_CHOOSER
                                                                     : AGENT_THREAD,
                                       .parent = agents.births[agent].parent,
                                       .ended = thread->ended,
                                       .function = agent ? (uintptr_t)thread->function : 0,
                                       .stack = (uintptr_t)thread->stack,
                                       .stack_size = thread->stack_size,
                                       .local = (uintptr_t)thread->local,
                                       .local_size = locals.size};
        record_put(RECORD_THREAD, &item, sizeof item);
    }
}

static uint32_t owner_of(const struct pending *op)
{
    bool is_lock = op->kind == OP_LOCK || op->kind == OP_READ_LOCK || op->kind == OP_WRITE_LOCK;
    return is_lock ? object_state(op->object)->owner : 0;
}

static void put_name(uintptr_t address)
{
    struct recorded_name name = {.address = address};
    describe_address(address, name.text, sizeof name.text);
    record_put(RECORD_NAME, &name, sizeof name);
}

static void put_waiting(void)
{
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        const struct thread *thread = &threads[agent];
        const struct pending *op = &thread->pending;
        if (!thread->exists || thread->ended || is_chooser(agent))
            continue;
        struct recorded_wait wait = {.agent = agent,
                                     .owner = owner_of(op),
                                     .other = op->kind == OP_JOIN ? (uint32_t)op->operand : 0,
                                     .is_join = op->kind == OP_JOIN,
                                     .is_spin = !is_about_channel(op) && (may_await(op) || op->kind == OP_STALL),
                                     .is_loop = op->kind == OP_STALL && !op->address,
                                     .caller = op->caller,
                                     .address = op->address};
        snprintf(wait.word, sizeof wait.word, "%s",
                 is_about_channel(op) ? channel_word(op->kind) : operation_word(op->kind));
        record_put(RECORD_WAIT, &wait, sizeof wait);
        put_name(op->address);
    }
}

static void put_stack(void *unused, const struct stack *stack, bool of_error)
{
    (void)unused;
    for (uint32_t i = 0; i < stack->count; i++) {
        struct recorded_frame frame = stack->frames[i];
        frame.of_error = of_error;
        record_put(RECORD_FRAME, &frame, sizeof frame);
    }
}

/* --- memory, from which names of what is in it are found */

static void put_memory(const void *start, size_t size, size_t *left)
{
    size = size < LARGEST_PIECE ? size : LARGEST_PIECE;
    size = size < *left ? size : *left;
    uint64_t address = (uintptr_t)start;
    *left -= size;
    if (size)
        put_two(RECORD_MEMORY, &address, sizeof address, start, size);
}

static void put_variables(size_t *left)
{
    for (int i = 0; i < PIECES; i++) {
        const struct piece *piece = &program_variables()[i];
        for (size_t done = 0; done < piece->size; done += LARGEST_PIECE)
            put_memory(piece->start + done, piece->size - done, left);
    }
}

static void put_thread_memory(const struct thread *thread, size_t *left)
{
    const unsigned char *from = thread->stack_pointer;
    put_memory(thread->local, locals.size, left);
    if (!thread->ended && is_on_stack(thread, (uintptr_t)from))
        put_memory(from, (size_t)(thread->stack + thread->stack_size - from), left);
}

static void put_blocks(uint32_t agent, size_t *left)
{
    uint32_t number = 0;
    for (struct block *b = NULL; number < MOST_BLOCKS && (b = block_after(b, agent));) {
        number++;
        struct recorded_block item = {.start = (uintptr_t)(b + 1),
                                      .size = b->size,
                                      .allocated = b->allocated,
                                      .freed = b->freed,
                                      .agent = agent,
                                      .number = number};
        record_put(RECORD_BLOCK, &item, sizeof item);
        put_memory(b + 1, b->size, left);
    }
}

static void put_all_memory(void)
{
    size_t left = MOST_MEMORY;
    put_variables(&left);
    for (uint32_t agent = 0; agent < agents.limit; agent++)
        if (threads[agent].exists) {
            put_thread_memory(&threads[agent], &left);
            put_blocks(agent, &left);
        }
}

/* --- the execution */

static int compare_addresses(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* The names that the program knows of what the events are about, each once. */
static void put_names(void)
{
    uint64_t *addresses = calloc(recorder.count + 1, sizeof *addresses);
    size_t count = 0;
    for (size_t i = 0; i < recorder.count && addresses; i++)
        if (recorder.events[i].address && recorder.events[i].is_step)
            addresses[count++] = recorder.events[i].address;
    if (count)
        qsort(addresses, count, sizeof *addresses, compare_addresses);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || addresses[i] != addresses[i - 1])
            put_name(addresses[i]);
    free(addresses);
}

static void put_events(void)
{
    for (size_t i = 0; i < recorder.count; i++)
        if (recorder.events[i].form != FORM_NONE)
            record_put(RECORD_EVENT, &recorder.events[i], sizeof *recorder.events);
}

static void put_remark(const char *what, const struct pending *op)
{
    char text[200], name[120];
    uint64_t caller = op->caller;
    describe_address(op->address, name, sizeof name);
    snprintf(text, sizeof text, "%s %s %s", what, operation_word(op->kind), name);
    put_two(RECORD_REMARK, &caller, sizeof caller, text, strlen(text));
}

/* The step that was expected is still there, as is what came instead. */
static void put_difference(const struct failure *failure)
{
    static const char none[] = "now there is none";
    const struct thread *thread = &threads[failure->agent];
    uint64_t nowhere = 0;
    put_remark("the step was", &run.steps.item[run.top].operation);
    if (thread->exists && !thread->ended)
        put_remark("now it is", &thread->pending);
    else
        put_two(RECORD_REMARK, &nowhere, sizeof nowhere, none, strlen(none));
}

void record_error(const struct failure *failure, const struct shown *shown)
{
    bool has_agent = failure->kind != NO_FAILURE && failure->agent < MOST_THREADS;
    struct recorded_error error = {.is_race = failure->kind == FAILED_RACE,
                                   .is_deadlock = failure->kind == FAILED_DEADLOCK,
                                   .is_leak = failure->kind == FAILED_LEAK,
                                   .is_unknown = failure->kind == FAILED_TOO_LONG,
                                   .agent = has_agent ? failure->agent : UINT32_MAX,
                                   .other = failure->other,
                                   .caller = failure->caller,
                                   .other_caller = failure->other_caller,
                                   .address = failure->address,
                                   .left_out = recorder.left_out};
    if (failure->kind != NO_FAILURE)
        snprintf(error.kind, sizeof error.kind, "%s", failure_word(failure->kind));
    snprintf(error.text, sizeof error.text, "%s", failure->text);
    record_put(RECORD_ERROR, &error, sizeof error);
    put_threads();
    put_events();
    put_names();
    if (failure->address)
        put_name(failure->address);
    if (failure->kind == FAILED_DEADLOCK)
        put_waiting();
    if (failure->kind == FAILED_DIVERGED && has_agent)
        put_difference(failure);
    put_all_memory();
    record_put(RECORD_OUTPUT, shown->output ? shown->output : "", shown->output_size);
    if (failure->kind != NO_FAILURE)
        stacks_find(failure, put_stack, NULL);
}
