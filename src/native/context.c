/* Contexts of the program's threads, all on one kernel thread: switching, stopping before an operation, failing. */
#include "native/runtime.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#if !defined(__x86_64__)
#error "contexts are switched by code for x86-64"
#endif

/* Saves what a call must preserve, and the stack pointer; goes on where another context stopped. */
void native_switch(void **save, void *load);
__asm__(".text\n.hidden native_switch\n.globl native_switch\n.type native_switch,@function\n"
        "native_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size native_switch,.-native_switch\n");

void context_make(uint32_t agent, void (*entry)(void))
{
    struct thread *thread = &runtime->threads[agent];
    uintptr_t *top = (uintptr_t *)(thread->stack + thread->stack_size - 64);
    *--top = 0; /* the entry never returns */
    *--top = (uintptr_t)entry;
    top -= 6; /* registers */
    memset(top, 0, 6 * sizeof *top);
    thread->stack_pointer = top;
}

bool context_divert(uint32_t agent, void (*function)(void))
{
    struct thread *thread = &runtime->threads[agent];
    uintptr_t *old = thread->stack_pointer, *new = old - 1;
    if (old[6] == (uintptr_t)main_entry || old[6] == (uintptr_t)thread_entry)
        return false;
    memmove(new, old, 6 * sizeof *new); /* registers */
    new[6] = (uintptr_t)function;       /* where it was to go on is now where the function returns to */
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
    bool is_own = stopped >= thread->stack && stopped < thread->stack + thread->stack_size; /* else a signal's */
    if (!is_own || (thread->lowest && thread->lowest <= stopped))
        return;
    bool is_news = thread->lowest && runtime->has_loops && runtime->exploring;
    thread->lowest = stopped;
    if (is_news)
        fail_run(SEARCH_AGAIN, 0, "a thread stops deeper than it did before");
}

void resume(uint32_t agent)
{
    struct thread *thread = &runtime->threads[agent];
    int error_number = errno;
    if (runtime->has_loops)
        clear_old_frames(thread);
    if (runtime->locals.size)
        memcpy(runtime->locals.start, thread->local, runtime->locals.size);
    errno = thread->error_number;
    thread->plain_accesses = 0;
    runtime->current = agent;
    native_switch(&runtime->scheduler, thread->stack_pointer);
    runtime->current = NO_AGENT;
    thread->error_number = errno;
    errno = error_number;
    if (runtime->locals.size)
        memcpy(thread->local, runtime->locals.start, runtime->locals.size);
    note_lowest(thread);
}

unsigned __int128 visible(struct pending *operation)
{
    if (!in_program()) /* before main, or after it: there is one thread */
        return 0;
    struct thread *thread = current_thread();
    thread->pending = *operation;
    stop();
    return thread->result;
}

void stop(void)
{
    struct thread *thread = current_thread();
    native_switch(&thread->stack_pointer, runtime->scheduler);
    while (runtime->announces) { /* a debugger wants to see the thread here */
        announce();
        native_switch(&thread->stack_pointer, runtime->scheduler);
    }
}

void leave_context(void)
{
    if (runtime->debugging && runtime->failure.kind != NO_FAILURE)
        announce();
    stop();
    __builtin_unreachable();
}

void fail_run(enum failure_kind kind, uintptr_t caller, const char *format, ...)
{
    struct failure *failure = &runtime->failure;
    va_list arguments;
    if (failure->kind == NO_FAILURE) {
        failure->kind = kind;
        failure->agent = runtime->current;
        failure->caller = caller;
        va_start(arguments, format);
        vsnprintf(failure->text, sizeof failure->text, format, arguments);
        va_end(arguments);
    }
    if (in_program())
        leave_context();
}
