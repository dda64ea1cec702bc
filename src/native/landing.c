/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a thread that has stopped: its stack, its thread-local variables, and the registers that a call
 * preserves. The frames of the runtime at the end of the stack are no part of it: there may be anything in their gaps.
 * But they have the program's registers, and nobody but the code itself knows where.  So the thread is let go to where
 * it would return to the program, where native_landed writes them down, and is put back.
 */
#include "native/landing.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/locals.h"
#include "native/run.h"
#include "native/unused.h"

#include <string.h>
#include <xxhash.h>

enum { REGISTERS = 6, MOST_BYTES = 1 << 14 };

extern uint64_t native_registers[REGISTERS];
__attribute__((visibility("hidden"))) KEPT uint64_t native_registers[REGISTERS];
static KEPT unsigned char frames[MOST_BYTES];

void native_landed(void);
__asm__(".text\n.hidden native_landed\n.globl native_landed\n.type native_landed,@function\n"
        "native_landed:\n"
        "leaq native_registers(%rip),%rax\n"
        "movq %rbx,(%rax)\nmovq %rbp,8(%rax)\nmovq %r12,16(%rax)\n"
        "movq %r13,24(%rax)\nmovq %r14,32(%rax)\nmovq %r15,40(%rax)\n"
        "call native_end_landing\nhlt\n"
        ".size native_landed,.-native_landed\n");

__attribute__((used, visibility("hidden"))) void native_end_landing(void);
void native_end_landing(void)
{
    leave_context();
}

/* A result with which the runtime has nothing more to do. */
static unsigned __int128 harmless_result(const struct pending *op)
{
    return op->kind == OP_COMPARE_EXCHANGE ? op->expected : 0;
}

/* Lets the thread return to the program, and no further. */
static bool land(struct thread *thread)
{
    unsigned char *start = thread->stack_pointer, *end = (unsigned char *)(thread->return_slot + 1);
    if (start >= end || (size_t)(end - start) > MOST_BYTES)
        return false;
    enum { CHANGES = offsetof(struct thread, clock) }; /* the program's own code changes no more of it */
    unsigned char before[CHANGES];
    struct failure failure = run.failure;
    bool was_journaling = journaling, was_trying = trying;
    memcpy(before, thread, CHANGES);
    memcpy(frames, start, (size_t)(end - start));
    memset(native_registers, 0, sizeof native_registers);
    *thread->return_slot = (uintptr_t)native_landed;
    thread->result = harmless_result(&thread->pending);
    journaling = false;
    trying = true;
    resume((uint32_t)(thread - threads));
    trying = was_trying;
    journaling = was_journaling;
    run.failure = failure;
    memcpy(thread, before, CHANGES);
    memcpy(start, frames, (size_t)(end - start));
    return true;
}

uint64_t local_state(struct thread *thread)
{
    const unsigned char *top = thread->stack + thread->stack_size, *own = (unsigned char *)(thread->return_slot + 1);
    bool has_landed = land(thread);
    if (!has_landed)
        own = thread->stack_pointer;
    uint64_t hash = XXH3_64bits(own, (size_t)(top - own));
    for (uint32_t i = 0; i < REGISTERS && has_landed; i++)
        if (dead_registers(thread->pending.caller) >> i & 1)
            native_registers[i] = 0;
    if (has_landed)
        hash = XXH3_64bits_withSeed(native_registers, sizeof native_registers, hash);
    if (locals.size)
        hash = XXH3_64bits_withSeed(thread->local, locals.size, hash);
    return hash ^ (thread->ticks * 31 + thread->heap_used * 7 + thread->replaced * 127 + thread->random);
}
