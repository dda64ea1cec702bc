/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of C++ that are made when they are first needed: static ones in functions, and those of threads. */
#include "native/calls.h"
#include "native/context.h"
#include "native/failure.h"
#include "native/guards.h"
#include "native/journal.h"
#include "native/settings.h"

/* --- static objects in functions */

/*
 * A guard is a word of which the program reads the first byte; when that is 0 it calls __cxa_guard_acquire.  To the
 * search that is one step, as pthread_once is: so reading the byte of what is known to be a guard is none, and gives 0
 * always.  Nothing is lost: who finds out in __cxa_guard_acquire that the object is there does what it would have done.
 */
KEPT struct guards guards;

static void learn_of_guard(void *guard)
{
    if (is_guard((uintptr_t)guard) || guards.count == MOST_GUARDS || !chosen.exploring)
        return;
    guards.list[guards.count++] = (uintptr_t)guard;
    fail_run(SEARCH_AGAIN, 0, "there is a static object in a function");
}

/* What `pthread_once` would write stands where the program does not look. */
static void *once_of(void *guard)
{
    return (char *)guard + 4;
}

static void end_guard(void *guard, bool undoes, uintptr_t caller)
{
    if (in_program())
        operate_once(OP_ONCE_DONE, once_of(guard), undoes, caller);
    if (!undoes && !is_guard((uintptr_t)guard)) {
        will_write(guard, 1);
        *(volatile char *)guard = 1;
    }
}

EXPORT int __cxa_guard_acquire(void *guard);
EXPORT int __cxa_guard_acquire(void *guard)
{
    if (!in_program())
        return !*(volatile char *)guard;
    learn_of_guard(guard);
    return operate_once(OP_ONCE, once_of(guard), false, CALLER);
}

EXPORT void __cxa_guard_release(void *guard);
EXPORT void __cxa_guard_release(void *guard)
{
    end_guard(guard, false, CALLER);
}

EXPORT void __cxa_guard_abort(void *guard);
EXPORT void __cxa_guard_abort(void *guard)
{
    end_guard(guard, true, CALLER);
}

/* --- objects of threads */

enum { MOST_LOCAL_OBJECTS = 64 };

static KEPT struct {
    uint32_t count;
    struct local_object {
        void (*destroy)(void *object);
        void *object;
    } list[MOST_LOCAL_OBJECTS];
} local_objects[MOST_THREADS];

void begin_locals(void)
{
    local_objects[agents.current].count = 0;
}

void end_locals(void)
{
    uint32_t *count = &local_objects[agents.current].count;
    while (*count) {
        journal_save(count, sizeof *count);
        struct local_object last = local_objects[agents.current].list[--*count];
        last.destroy(last.object);
    }
}

static int add_local(void (*destroy)(void *object), void *object, uintptr_t caller)
{
    uint32_t *count = &local_objects[agents.current].count;
    struct local_object *list = local_objects[agents.current].list;
    if (*count == MOST_LOCAL_OBJECTS)
        fail_run(FAILED_REFUSED, caller, "has more than %d objects of its own with destructors", MOST_LOCAL_OBJECTS);
    journal_save(count, sizeof *count);
    journal_save(&list[*count], sizeof *list);
    list[(*count)++] = (struct local_object){destroy, object};
    return 0;
}

EXPORT int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *library);
EXPORT int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *library)
{
    (void)library;
    return in_program() ? add_local(destroy, object, CALLER) : 0;
}

EXPORT int __wrap___cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library);
EXPORT int __wrap___cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library)
{
    (void)library;
    return in_program() ? add_local(destroy, object, CALLER) : 0;
}
