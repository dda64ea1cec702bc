/* Faults of the program, and runs that do not end, are failures of the run: the search survives them. */
#include "native/signals.h"
#include "native/runtime.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

enum { PATIENCE = 10 }; /* seconds without a visible operation */

static const char *fault_text(int number, uintptr_t address, const struct thread *thread)
{
    if (number == SIGFPE)
        return "divides by zero, or the like";
    if (number == SIGILL || number == SIGTRAP)
        return "comes to an instruction that does not exist";
    if (address - (uintptr_t)thread->stack < STACK_GUARD)
        return "has used up its stack";
    return address < 4096 ? "follows a null pointer" : "touches memory that is not there";
}

/* One instruction that may fault, so that it can be told from those of the program. */
void native_touch(const volatile void *address);
__asm__(".text\n.hidden native_touch\n.globl native_touch\n.type native_touch,@function\n"
        "native_touch:\n.cfi_startproc\nmovb (%rdi),%al\nret\n.cfi_endproc\n"
        ".size native_touch,.-native_touch\n");

void touch(const volatile void *address, uintptr_t caller)
{
    runtime->accessing = caller;
    native_touch(address);
}

/* The place in the program: not that in libc, which writes for it, or in the journal. */
static uintptr_t place_of_fault(uintptr_t instruction)
{
    bool ours = !is_program_text(instruction) || instruction == (uintptr_t)native_touch;
    return ours && runtime->accessing ? runtime->accessing : instruction + 1;
}

static void on_fault(int number, siginfo_t *information, void *context)
{
    if (!in_program()) { /* ours: die as usual */
        signal(number, SIG_DFL);
        return;
    }
    uintptr_t caller = place_of_fault((uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
    if (number == SIGABRT) /* the program's own abort is not libc's */
        fail_run(FAILED_ABORT, caller, "calls a library function that aborts");
    uintptr_t address = number == SIGFPE || number == SIGILL || number == SIGTRAP ? 0 : (uintptr_t)information->si_addr;
    fail_run(FAILED_FAULT, caller, "%s (%s, address %#zx)", fault_text(number, address, current_thread()),
             number == SIGFPE    ? "SIGFPE"
             : number == SIGILL  ? "SIGILL"
             : number == SIGBUS  ? "SIGBUS"
             : number == SIGTRAP ? "SIGTRAP"
                                 : "SIGSEGV",
             (size_t)address);
}

/* Every second: has anything visible happened since?  Between them the program may only have come from one place. */
static void on_tick(int number, siginfo_t *information, void *context)
{
    (void)number, (void)information;
    uint64_t progress = runtime->runs + runtime->taken;
    runtime->idle_seconds = progress == runtime->seen_progress ? runtime->idle_seconds + 1 : 0;
    runtime->seen_progress = progress;
    uintptr_t caller = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1;
    if (runtime->idle_seconds >= PATIENCE && in_program() && is_program_text(caller))
        fail_run(FAILED_HANG, caller, "goes on for %d seconds without an operation that others could see", PATIENCE);
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
    sigaddset(&action.sa_mask, SIGVTALRM); /* would overwrite the stack on which the fault is kept */
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction(faults[i], &action, NULL);
    action.sa_sigaction = on_tick;
    action.sa_flags |= SA_RESTART;
    sigaction(SIGVTALRM, &action, NULL);
    struct itimerval second = {{1, 0}, {1, 0}};
    return setitimer(ITIMER_VIRTUAL, &second, NULL) == 0;
}
