/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops without a visible operation.  A thread that comes to the same place in the same state, having written nothing,
 * will go round forever: while it runs nobody else does, and what it reads nobody can change later without a data
 * race, which is found when they do.  So it is left where it is and the others go on; in the end it waits forever.
 *
 * The state is compared with that at the last access whose number is a power of two, so that loops of any length are
 * found (R. P. Brent: An improved Monte Carlo factorization algorithm, 1980, section 2).  Loops that call nothing of
 * ours are found by a timer (signals.c).
 */
#include "native/rounds.h"
#include "native/context.h"
#include "native/locals.h"
#include "native/settings.h"

#include <xxhash.h>

/* Everything but the stack that decides what the thread does next, if it has written nothing. */
static uint64_t state_beside_stack(const struct thread *thread)
{
    uint64_t hash = thread->ticks * 31 + thread->heap_used * 7 + thread->random;
    return locals.size ? XXH3_64bits_withSeed(thread->local, locals.size, hash) : hash;
}

__attribute__((used, visibility("hidden"))) uint64_t running_state(const struct thread *thread,
                                                                   const unsigned char *stack_pointer)
{
    const unsigned char *top = thread->stack + thread->stack_size;
    return XXH3_64bits_withSeed(stack_pointer, (size_t)(top - stack_pointer), state_beside_stack(thread));
}

/* Calls running_state with all registers that a call preserves on the stack: others hold nothing that is needed later.
 */
uint64_t native_state(const struct thread *thread);
__asm__(".text\n.hidden native_state\n.globl native_state\n.type native_state,@function\n"
        "native_state:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp,%rsi\nsubq $8,%rsp\ncall running_state\naddq $56,%rsp\nret\n"
        ".size native_state,.-native_state\n");

void stall(uintptr_t address, uintptr_t caller)
{
    for (;;)
        visible(&(struct pending){.kind = OP_STALL, .size = 1, .address = address, .caller = caller});
}

static bool is_power_of_two(uint64_t number)
{
    return (number & (number - 1)) == 0;
}

void look_for_round(uintptr_t address, bool writes, uintptr_t caller)
{
    volatile struct round *round = &current_thread()->round; /* what differs from round to round is in no register */
    round->wrote |= writes;
    round->is_reference = is_power_of_two(current_thread()->plain_accesses);
    if (!round->is_reference && (round->wrote || round->caller != caller || round->address != address))
        return;
    uint64_t state = native_state(current_thread());
    if (round->is_reference) {
        round->caller = caller;
        round->address = address;
        round->state = state;
        round->wrote = writes;
    } else if (round->state == state) {
        stall(address, caller);
    }
}

void pass_time(uintptr_t caller)
{
    if (is_inside() && chosen.exploring)
        come_by(0, false, caller);
}

void goes_on(uintptr_t caller)
{
    current_thread()->wrote = true;
    if (chosen.exploring)
        come_by(0, true, caller);
}
