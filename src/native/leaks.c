/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaks: at the end of an execution, blocks that were not freed and that nothing points to or into.  Looked through are
 * the variables, the environment, the stacks of threads that have not returned, their thread-local storage and keys,
 * results that nobody has joined for, and the blocks that are found in this way.  What libraries remember is not seen.
 */
#include "native/environment.h"
#include "native/locals.h"
#include "native/memory.h"
#include "native/run.h"

#include <sys/mman.h>

enum {
    REACHED = 1, /* as who freed it: no code is at this address */
    LARGE_BLOCK = 1 << 20
};

typedef VECTOR(struct block *) block_list;

static bool reach(uintptr_t address, block_list *found)
{
    struct block *block = block_with(address);
    if (!block || block->freed)
        return true;
    block->freed = REACHED;
    return vector_push(found, block);
}

static bool look_through(const void *start, size_t size, block_list *found)
{
    uintptr_t end = (uintptr_t)start + size;
    for (uintptr_t at = ((uintptr_t)start + 7) & ~(uintptr_t)7; at + 8 <= end; at += 8)
        if (!reach(*(const uintptr_t *)at, found))
            return false;
    return true;
}

/* What was never touched is zero, and is left alone. */
static bool look_through_block(const struct block *block, block_list *found)
{
    uintptr_t start = (uintptr_t)(block + 1), end = start + block->size;
    for (uintptr_t at = start, next; at < end; at = next) {
        unsigned char there = 1;
        uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
        next = page + PAGE < end ? page + PAGE : end;
        if (block->size > LARGE_BLOCK && mincore((void *)page, PAGE, &there) != 0)
            there = 1;
        if (there && !look_through((void *)at, next - at, found))
            return false;
    }
    return true;
}

static bool look_through_thread(const struct thread *thread, block_list *found)
{
    if (!thread->exists)
        return true;
    bool called_exit = thread->pending.kind == OP_EXIT && thread->pending.expected;
    if (thread->ended && !called_exit) /* it has returned */
        return thread->joined || thread->detached || reach((uintptr_t)thread->value, found);
    const unsigned char *from = thread->stack_pointer;
    return look_through(from, (size_t)(thread->stack + thread->stack_size - from), found) &&
           look_through(thread->local, locals.size, found) && look_through(thread->keys, sizeof thread->keys, found) &&
           reach((uintptr_t)thread->argument, found);
}

static bool mark_reached(void)
{
    block_list found = {0};
    size_t size;
    const void *at_exit = functions_at_exit(&size);
    bool fine = look_through(given.place, given.room, &found) && look_through(at_exit, size, &found);
    for (int i = 0; i < PIECES && fine; i++)
        fine = look_through(program_variables()[i].start, program_variables()[i].size, &found);
    for (uint32_t agent = 0; agent < agents.limit && fine; agent++)
        fine = look_through_thread(&threads[agent], &found);
    while (fine && found.count) {
        const struct block *block = found.item[--found.count];
        fine = look_through_block(block, &found);
    }
    free(found.item);
    return fine;
}

/* Nobody can go on, and that is no deadlock. */
static bool is_over(void)
{
    bool waits = false;
    for (uint32_t agent = 0; agent < agents.limit; agent++) {
        if (can_step(agent))
            return false;
        waits = waits || (threads[agent].exists && !threads[agent].ended);
    }
    return run.process_exits || !waits;
}

void look_for_leaks(void)
{
    size_t blocks = 0, bytes = 0;
    uintptr_t first = 0;
    if (run.failure.kind != NO_FAILURE || !is_over())
        return;
    if (!mark_reached()) {
        fail_exhausted();
        return;
    }
    for (uint32_t agent = 0; agent < agents.limit; agent++)
        for (struct block *b = NULL; threads[agent].exists && (b = block_after(b, agent));) {
            if (b->freed == REACHED)
                b->freed = 0;                     /* as it was: the run may be gone back in */
            else if (!b->freed && b->allocated) { /* else a message */
                first = first ? first : (uintptr_t)(b + 1);
                blocks++;
                bytes += b->size;
            }
        }
    if (!blocks)
        return;
    fail_run(FAILED_LEAK, 0, "%zu block%s of %zu byte%s in all %s lost at the end", blocks, blocks == 1 ? "" : "s",
             bytes, bytes == 1 ? "" : "s", blocks == 1 ? "is" : "are");
    run.failure.agent = NO_AGENT;
    run.failure.address = first;
}
