/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the program, and runs that do not end, are failures of the run: the search survives them. */
#include "native/signals.h"
#include "native/coverage.h"
#include "native/memory.h"
#include "native/rounds.h"
#include "native/run.h"
#include "native/settings.h"
#include "native/stacks.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>
#include <xxhash.h>

#define NO_ADDRESS UINTPTR_MAX

enum { KNOWN_STATES = 8 };
enum { TICK = 100000, TICKS_PER_SECOND = 1000000 / TICK, PATIENCE = 10 }; /* microseconds; seconds */

KEPT uintptr_t accessing;
static KEPT struct failure interruption; /* what a signal found, for the context that it interrupted */
static KEPT bool signals_are_blocked;    /* by a handler that was left */
static KEPT struct {
    uint64_t progress; /* seen by the timer */
    uint32_t idle;     /* how often it came by since there was any */
    uint64_t states[KNOWN_STATES];
    uint32_t state_count;
} timer;

static const char *fault_text(int number, uintptr_t address, const struct thread *thread)
{
    if (number == SIGFPE)
        return "divides by zero, or makes a similar arithmetic error";
    if (number == SIGILL || number == SIGTRAP)
        return "executes an illegal instruction";
    if (address - (uintptr_t)thread->stack < thread->stack_guard)
        return "overflows its stack";
    if (address == NO_ADDRESS)
        return "dereferences an invalid pointer";
    return address < 4096 ? "dereferences a null pointer" : "accesses memory that is not mapped";
}

/* One instruction that may fault, so that it can be told from those of the program. */
void native_touch(const volatile void *address);
__asm__(".text\n.hidden native_touch\n.globl native_touch\n.type native_touch,@function\n"
        "native_touch:\n.cfi_startproc\nmovb (%rdi),%al\nret\n.cfi_endproc\n"
        ".size native_touch,.-native_touch\n");

void touch(const volatile void *address, uintptr_t caller)
{
    accessing = caller;
    native_touch(address);
}

/* The place in the program: not that in libc, which writes for it, or in the journal. */
static uintptr_t place_of_fault(uintptr_t instruction)
{
    bool ours = !is_program_text(instruction) || instruction == (uintptr_t)native_touch;
    return ours && accessing ? accessing : instruction + 1;
}

/* --- leaving a handler */

/*
 * Where a handler returns to instead of where it came from, on the stack of the thread: so no signal stays blocked, and
 * the stack for signals is free again.  It looks like a call from the interrupted instruction, below the red zone.
 */
enum { RED_ZONE = 128, CALL_FRAME = RED_ZONE + 16 };
void native_interrupted(void);
__asm__(".text\n.hidden native_interrupted\n.globl native_interrupted\n.type native_interrupted,@function\n"
        "native_interrupted:\n.cfi_startproc\n.cfi_signal_frame\n"
        ".cfi_def_cfa_offset 144\n.cfi_offset %rip,-144\n"
        "pushq %rbp\n.cfi_def_cfa_offset 152\n.cfi_offset %rbp,-152\n"
        "movq %rsp,%rbp\n.cfi_def_cfa_register %rbp\n"
        "andq $-16,%rsp\ncall native_leave\nhlt\n.cfi_endproc\n"
        ".size native_interrupted,.-native_interrupted\n");

__attribute__((used, visibility("hidden"))) void native_leave(void);
void native_leave(void)
{
    const struct failure *found = &interruption;
    if (found->kind == NO_FAILURE)
        stall(0, found->caller);
    fail_run(found->kind, found->caller, "%s", found->text);
}

/* Is there room on the thread's own stack? */
static bool has_room(const struct thread *thread, uintptr_t stack_pointer)
{
    enum { ROOM = 16384 };
    uintptr_t lowest = (uintptr_t)thread->stack;
    return stack_pointer > lowest + thread->stack_guard + ROOM && stack_pointer <= lowest + thread->stack_size;
}

static void leave_handler(ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t stack_pointer = (uintptr_t)registers[REG_RSP];
    if (!has_room(current_thread(), stack_pointer)) { /* its frames stay on the stack for signals: no other may come */
        signals_are_blocked = true;
        native_leave();
    }
    stack_pointer -= CALL_FRAME;
    *(uintptr_t *)stack_pointer = (uintptr_t)registers[REG_RIP];
    registers[REG_RSP] = (greg_t)stack_pointer;
    registers[REG_RIP] = (greg_t)(uintptr_t)native_interrupted;
}

void signals_release(void)
{
    sigset_t blocked;
    if (!signals_are_blocked)
        return;
    signals_are_blocked = false;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPROF);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

/* --- faults */

static const char *signal_word(int number)
{
    switch (number) {
    case SIGFPE: return "SIGFPE";
    case SIGILL: return "SIGILL";
    case SIGBUS: return "SIGBUS";
    case SIGTRAP: return "SIGTRAP";
    default: return "SIGSEGV";
    }
}

/* The processor tells no address when it is none that could exist. */
static uintptr_t address_of(int number, const siginfo_t *information)
{
    if (number != SIGSEGV && number != SIGBUS)
        return 0;
    return number == SIGSEGV && information->si_code == SI_KERNEL ? NO_ADDRESS : (uintptr_t)information->si_addr;
}

/* A call of what is no code has happened, and so has what it left on the stack: goes back to where it was called, if
 * that is where it came from. */
static bool undo_call(uintptr_t address, ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t stack_pointer = (uintptr_t)registers[REG_RSP];
    if (address != (uintptr_t)registers[REG_RIP] || !has_room(current_thread(), stack_pointer) ||
        !is_program_text(*(const uintptr_t *)stack_pointer - 1))
        return false;
    registers[REG_RIP] = (greg_t)(*(const uintptr_t *)stack_pointer - 1);
    registers[REG_RSP] += (greg_t)sizeof stack_pointer;
    return true;
}

static void on_fault(int number, siginfo_t *information, void *context)
{
    if (number == SIGTRAP && coverage_is_hit(context))
        return;
    if (!is_inside()) {
        if (!stack_is_broken(context))
            signal(number, SIG_DFL); /* ours: die as usual */
        return;
    }
    struct failure *found = &interruption;
    uintptr_t address = address_of(number, information);
    bool was_call = undo_call(address, context);
    found->kind = number == SIGABRT ? FAILED_ABORT : FAILED_FAULT;
    found->caller = place_of_fault((uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
    const char *what =
        was_call ? "calls an address that is not a function" : fault_text(number, address, current_thread());
    if (number == SIGABRT) /* the program's own abort is not libc's */
        snprintf(found->text, sizeof found->text, "calls a library function that aborts");
    else if (address == NO_ADDRESS)
        snprintf(found->text, sizeof found->text, "%s (%s)", what, signal_word(number));
    else
        snprintf(found->text, sizeof found->text, "%s (%s, address %#zx)", what, signal_word(number), (size_t)address);
    leave_handler(context);
}

/* --- runs that do not come to a visible operation */

/* Was the thread, which calls nothing of ours, in this state before? */
static bool is_in_known_state(const ucontext_t *context)
{
    const struct thread *thread = current_thread();
    const greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t stack_pointer = (uintptr_t)registers[REG_RSP];
    if (!has_room(thread, stack_pointer))
        return false;
    uint64_t state = XXH3_64bits(registers, REG_EFL * sizeof *registers) ^
                     running_state(thread, (const unsigned char *)stack_pointer - RED_ZONE) ^ thread->plain_accesses;
    for (uint32_t i = 0; i < timer.state_count; i++)
        if (timer.states[i % KNOWN_STATES] == state)
            return true;
    timer.states[timer.state_count % KNOWN_STATES] = state;
    if (timer.state_count < KNOWN_STATES)
        timer.state_count++;
    return false;
}

/* Has anything visible happened since the last time? */
static bool is_idle(void)
{
    uint64_t progress = run.count + run.taken;
    if (progress == timer.progress)
        return ++timer.idle;
    timer.progress = progress;
    timer.idle = timer.state_count = 0;
    return false;
}

static void on_tick(int number, siginfo_t *information, void *context)
{
    (void)number, (void)information;
    uintptr_t caller = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1;
    if (!is_idle() || !is_inside() || !chosen.exploring || !is_program_text(caller))
        return;
    bool too_long = timer.idle >= PATIENCE * TICKS_PER_SECOND;
    if (!too_long && !is_in_known_state(context))
        return;
    struct failure *found = &interruption;
    timer.idle = timer.state_count = 0;
    found->kind = too_long ? FAILED_TOO_LONG : NO_FAILURE;
    found->caller = too_long && current_thread()->plain_accesses ? accessing : caller; /* it may be in our code */
    snprintf(found->text, sizeof found->text, "runs for %d seconds without an operation that other threads could see",
             PATIENCE);
    leave_handler(context);
}

bool signals_make(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    size_t size = 65536;
    stack_t stack = {.ss_sp = malloc(size), .ss_size = size};
    if (!stack.ss_sp || sigaltstack(&stack, NULL) != 0)
        return false;
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGPROF);
    sigaddset(&action.sa_mask, SIGCHLD);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, NULL);
    action.sa_sigaction = on_tick;
    action.sa_flags |= SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    struct itimerval tick = {{0, TICK}, {0, TICK}};
    return setitimer(ITIMER_PROF, &tick, NULL) == 0;
}
