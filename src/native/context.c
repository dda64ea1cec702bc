/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of the program's threads, all on one kernel thread: switching, stopping before an operation, failing. */
#include "native/context.h"
#include "native/locals.h"
#include "native/report.h"
#include "native/run.h"
#include "native/settings.h"
#include "native/spinning.h"

#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>

#if !defined(__x86_64__)
#error "contexts are switched by code for x86-64"
#endif

/* The kernel lets programs change the thread pointer without a system call. */
extern bool native_has_wrfsbase;
__attribute__((visibility("hidden"))) bool native_has_wrfsbase;

/* Saves what a call must preserve, how numbers are rounded and what was exceptional, and the stack pointer; goes on
 * where another context stopped, with its thread pointer (158 is arch_prctl, 0x1002 ARCH_SET_FS).  The modes of both
 * units for numbers take long to change, and seldom differ: r9, r8 and r10 hold those of the context that stops.  Of
 * the old unit's status only the exceptions (0x3f) are kept. */
void native_switch(void **save, void *load, uintptr_t base);
__asm__(".text\n.hidden native_switch\n.globl native_switch\n.type native_switch,@function\n"
        "native_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "subq $8,%rsp\nstmxcsr (%rsp)\nfnstcw 4(%rsp)\nfnstsw %ax\nandl $0x3f,%eax\nmovw %ax,6(%rsp)\n"
        "movl (%rsp),%r9d\nmovzwl 4(%rsp),%r8d\nmovl %eax,%r10d\n"
        "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "cmpq %fs:0,%rdx\nje 2f\n"
        "cmpb $0,native_has_wrfsbase(%rip)\nje 1f\n"
        "wrfsbase %rdx\njmp 2f\n"
        "1:\nmovl $158,%eax\nmovl $0x1002,%edi\nmovq %rdx,%rsi\nsyscall\n"
        "2:\ncmpl (%rsp),%r9d\nje 3f\nldmxcsr (%rsp)\n"
        "3:\ncmpw 4(%rsp),%r8w\nje 4f\nfldcw 4(%rsp)\n"
        "4:\ncmpw 6(%rsp),%r10w\nje 5f\n"
        "movw 6(%rsp),%cx\nsubq $32,%rsp\nfnstenv (%rsp)\n"
        "andw $0x7f00,4(%rsp)\norw %cx,4(%rsp)\nfldenv (%rsp)\naddq $32,%rsp\n"
        "5:\naddq $8,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size native_switch,.-native_switch\n");

KEPT void *entered;
static KEPT void *scheduler; /* the scheduler's stack pointer */
static KEPT uint64_t mode_before_main;

enum { SAVED = 7 }; /* words on the stack of a context that has stopped, before where it goes on */

void contexts_make(void)
{
    enum { FSGSBASE = 2 };
    native_has_wrfsbase = getauxval(AT_HWCAP2) & FSGSBASE;
    mode_before_main = float_mode();
}

uint64_t first_float_mode(void)
{
    return mode_before_main;
}

uint64_t float_mode(void)
{
    uint32_t vectors;
    uint16_t old, exceptions;
    __asm__ volatile("stmxcsr %0\nfnstcw %1\nfnstsw %2" : "=m"(vectors), "=m"(old), "=m"(exceptions));
    return vectors | (uint64_t)old << 32 | (uint64_t)(exceptions & 0x3f) << 48;
}

void context_make(uint32_t agent, void (*entry)(void))
{
    struct thread *thread = &threads[agent];
    uintptr_t *top = (uintptr_t *)(thread->stack + thread->stack_size - 64);
    *--top = 0; /* the entry never returns */
    *--top = (uintptr_t)entry;
    top -= SAVED;
    memset(top, 0, SAVED * sizeof *top);
    *top = thread->float_mode;
    thread->stack_pointer = top;
}

bool context_divert(uint32_t agent, void (*function)(void))
{
    struct thread *thread = &threads[agent];
    uintptr_t *old = thread->stack_pointer, *new = old - 1;
    if (old[SAVED] == (uintptr_t)main_entry || old[SAVED] == (uintptr_t)thread_entry)
        return false;
    memmove(new, old, SAVED * sizeof *new);
    new[SAVED] = (uintptr_t)function; /* where it was to go on is now where the function returns to */
    thread->stack_pointer = new;
    return true;
}

/* What is left on the stack of calls that have returned depends on how the search got here, and parts of it are in the
 * frames to come.  Whoever compares states of a thread must not see it. */
static void clear_old_frames(const struct thread *thread)
{
    unsigned char *from = thread->lowest, *to = thread->stack_pointer;
    if (from && from < to)
        memset(from, 0, (size_t)(to - from));
}

static void note_lowest(struct thread *thread)
{
    unsigned char *stopped = thread->stack_pointer;
    if (trying)
        return;
    bool is_own = stopped >= thread->stack && stopped < thread->stack + thread->stack_size; /* else a signal's */
    if (!is_own || (thread->lowest && thread->lowest <= stopped))
        return;
    bool is_news = thread->lowest && loops.exist && chosen.exploring;
    thread->lowest = stopped;
    if (is_news)
        fail_run(SEARCH_AGAIN, 0, "a thread stops deeper than it did before");
}

static int *error_number_of(uintptr_t base)
{
    return (int *)(base + (uintptr_t)locals.error_number);
}

void resume(uint32_t agent)
{
    struct thread *thread = &threads[agent];
    int *error_number = error_number_of(thread->base); /* of main it is ours too */
    int own_error_number = *error_number_of(locals.base);
    if (loops.exist)
        clear_old_frames(thread);
    *error_number = thread->error_number;
    thread->plain_accesses = 0;
    agents.current = agent;
    native_switch(&scheduler, thread->stack_pointer, thread->base);
    agents.current = NO_AGENT;
    thread->error_number = *error_number;
    *error_number_of(locals.base) = own_error_number;
    note_lowest(thread);
}

unsigned __int128 visible(struct pending *operation)
{
    if (!is_inside()) /* before main, or after it: there is one thread */
        return 0;
    struct thread *thread = current_thread();
    thread->pending = *operation;
    thread->return_slot = (uintptr_t *)entered + 1; /* above the frame pointer that was saved */
    stop();
    return thread->result;
}

void stop(void)
{
    struct thread *thread = current_thread();
    native_switch(&thread->stack_pointer, scheduler, locals.base);
    while (debugger.announces) { /* a debugger wants to see the thread here */
        announce();
        native_switch(&thread->stack_pointer, scheduler, locals.base);
    }
}

void leave_context(void)
{
    if (debugger.follows && run.failure.kind != NO_FAILURE)
        announce();
    stop();
    __builtin_unreachable();
}

void fail_run(enum failure_kind kind, uintptr_t caller, const char *format, ...)
{
    struct failure *failure = &run.failure;
    va_list arguments;
    if (!threads) /* a library that begins before the program */
        return;
    if (failure->kind == NO_FAILURE) {
        failure->kind = kind;
        failure->agent = agents.current;
        failure->caller = caller;
        va_start(arguments, format);
        vsnprintf(failure->text, sizeof failure->text, format, arguments);
        va_end(arguments);
    }
    if (is_inside())
        leave_context();
}

void fail_exhausted(void)
{
    fail_run(FAILED_INTERNAL, 0, "out of memory");
}
