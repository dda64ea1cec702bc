/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs before main and after it: constructors, destructors and the functions of atexit are part of every
 * execution. So the process starts with its lists of them switched off, and the thread of main goes through these
 * itself.
 */
#include "native/calls.h"
#include "native/context.h"
#include "native/environment.h"
#include "native/failure.h"
#include "native/journal.h"
#include "native/settings.h"
#include "native/unseen.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef void constructor(int count, char **arguments, char **environment);
typedef void destructor(void);

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
extern constructor *__init_array_start[] __attribute__((visibility("hidden")));
extern constructor *__init_array_end[] __attribute__((visibility("hidden")));
extern destructor *__fini_array_start[] __attribute__((visibility("hidden")));
extern destructor *__fini_array_end[] __attribute__((visibility("hidden")));

/* A function of atexit, of on_exit, or a destructor of an object of C++. */
struct at_exit {
    void (*plain)(void);
    void (*told)(int status, void *argument);
    void (*destroy)(void *object);
    void *argument;
};

enum { MOST_AT_EXIT = 1024 };

static KEPT uint32_t exit_count;
static KEPT struct at_exit at_exit[MOST_AT_EXIT];
static KEPT size_t destroyed_count; /* destructors that have run */
static KEPT bool threads_add;       /* in some run a thread called atexit while others existed */

void constructors_reset(void)
{
    exit_count = 0;
    destroyed_count = 0;
}

const void *functions_at_exit(size_t *size)
{
    *size = exit_count * sizeof *at_exit;
    return at_exit;
}

/* The loader reads here how long a list is. */
static void switch_off(ElfW(Dyn) * entry)
{
    uintptr_t start = (uintptr_t)entry & ~(uintptr_t)(PAGE - 1), end = (uintptr_t)(entry + 1);
    if (mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) == 0)
        entry->d_un.d_val = 0;
}

static void switch_off_lists(int count, char **arguments, char **environment)
{
    (void)count, (void)arguments, (void)environment;
    for (ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_INIT_ARRAYSZ || entry->d_tag == DT_FINI_ARRAYSZ)
            switch_off(entry);
}

/* Comes before all constructors. */
__attribute__((section(".preinit_array"), used)) static constructor *const before_all = switch_off_lists;

void run_constructors(void)
{
    for (constructor **each = __init_array_start; each < __init_array_end; each++)
        (*each)(given.argument_count, given.arguments, given.environment);
}

static uint64_t list_at_exit; /* only its address is used */

static void touch_list_at_exit(enum operation kind, uintptr_t caller)
{
    visible(&(struct pending){.kind = kind, .size = 8, .address = (uintptr_t)&list_at_exit, .caller = caller});
}

/* The last one first; one that calls exit does not come again.  What other threads add may come before or after. */
void run_destructors(int status, uintptr_t caller)
{
    end_locals();
    if (threads_add)
        touch_list_at_exit(OP_SEMAPHORE_VALUE, caller);
    size_t count = (size_t)(__fini_array_end - __fini_array_start);
    while (exit_count) {
        journal_save(&exit_count, sizeof exit_count);
        const struct at_exit *last = &at_exit[--exit_count];
        if (last->plain)
            last->plain();
        else if (last->destroy)
            last->destroy(last->argument);
        else
            last->told(status, last->argument);
    }
    if (count == 1) /* that of the compiler, which has nothing to do */
        return;
    calls_unseen(); /* it writes, too, and nobody reports that */
    while (destroyed_count < count) {
        journal_save(&destroyed_count, sizeof destroyed_count);
        __fini_array_start[count - ++destroyed_count]();
    }
}

/* --- atexit */

/* Without other threads, nothing can end the program before atexit is called: the call need not be a step. */
static void learn_whether_there_are_others(void)
{
    bool others = false;
    for (uint32_t i = 0; i < agents.limit; i++)
        others |= i != agents.current && threads[i].exists;
    if (!others || threads_add)
        return;
    threads_add = true;
    if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a thread adds a function to be called at exit");
}

static int add(struct at_exit function, uintptr_t caller)
{
    if (!in_program())
        return -1;
    if (exit_count == MOST_AT_EXIT)
        fail_run(FAILED_REFUSED, caller, "has more than %d functions called at exit", MOST_AT_EXIT);
    learn_whether_there_are_others();
    touch_list_at_exit(OP_SEMAPHORE_POST, caller); /* who comes first is called last */
    journal_save(&at_exit[exit_count], sizeof *at_exit);
    journal_save(&exit_count, sizeof exit_count);
    at_exit[exit_count++] = function;
    return 0;
}

EXPORT int __wrap_atexit(void (*function)(void));
EXPORT int __wrap_atexit(void (*function)(void))
{
    return add((struct at_exit){.plain = function}, CALLER);
}

EXPORT int __wrap_on_exit(void (*function)(int, void *), void *argument);
EXPORT int __wrap_on_exit(void (*function)(int, void *), void *argument)
{
    return add((struct at_exit){.told = function, .argument = argument}, CALLER);
}

/* Destructors of objects of C++ that live as long as the program. */
EXPORT int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library);
EXPORT int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)library;
    return add((struct at_exit){.destroy = destroy, .argument = object}, CALLER);
}
