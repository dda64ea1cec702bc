/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When mutexes and their like begin and end.  Their first word tells: nothing else is kept there, since their state is
 * kept beside the program's memory.  Zero is what the static initialisers of POSIX leave, and is as good as initialised
 * where there is one; memory that was cleared is taken for that.  Such an object begins when it is first used, and is
 * marked then.  So a program may write an initialiser over whatever was there before, and a local variable has nothing
 * to do with one that was at its place.
 *
 * Beginning and ending are plain writes for the race detector, and using is an atomic read: whoever comes without order
 * is found to race, in whatever order the two are explored.
 */
#include "native/lifetimes.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/objects.h"
#include "native/races.h"
#include "native/settings.h"
#include "native/signals.h"

#include <pthread.h>
#include <string.h>

static const uint32_t LIVE = 0x6576696c, BEGUN = 0x6e756762, DESTROYED = 0x64616564;

static const char *name_of(enum thing thing)
{
    static const char *const names[] = {[A_MUTEX] = "mutex",
                                        [A_CONDITION] = "condition variable",
                                        [A_READ_WRITE_LOCK] = "read-write lock",
                                        [A_SPINLOCK] = "spinlock",
                                        [A_BARRIER] = "barrier",
                                        [A_SEMAPHORE] = "semaphore",
                                        [A_C11_MUTEX] = "mutex",
                                        [A_C11_CONDITION] = "condition variable",
                                        [A_LATCH] = "latch",
                                        [A_QUEUE] = "futex"};
    return names[thing];
}

static bool has_initialiser(enum thing thing)
{
    return thing == A_MUTEX || thing == A_CONDITION || thing == A_READ_WRITE_LOCK || thing == A_LATCH;
}

static void check(const volatile void *object, enum thing thing, const char *verb, uintptr_t caller)
{
    touch(object, caller); /* a bad address must fail for the caller */
    uint32_t mark = *(const volatile uint32_t *)object;
    bool is_there = mark == LIVE || ((mark == 0 || mark == BEGUN) && has_initialiser(thing));
    if (!is_inside() || !chosen.exploring || is_there)
        return;
    run.failure.address = (uintptr_t)object;
    fail_run(FAILED_MISUSE, caller, "%s a %s that %s", verb, name_of(thing),
             mark == DESTROYED ? "was destroyed before" : "was not initialised");
}

void check_life(const volatile void *object, enum thing thing, uintptr_t caller)
{
    check(object, thing, "uses", caller);
}

/* A local variable may be gone without having been destroyed, and another one may have come to its place. */
static void check_is_new(const volatile void *object, enum thing thing, uintptr_t caller)
{
    uint32_t mark = *(const volatile uint32_t *)object;
    if (mark != LIVE || !chosen.exploring || is_on_stack(current_thread(), (uintptr_t)object))
        return;
    run.failure.address = (uintptr_t)object;
    fail_run(FAILED_MISUSE, caller, "initialises a %s that is initialised already", name_of(thing));
}

static void tell(enum operation kind, const volatile void *object, enum thing thing, unsigned count, uintptr_t caller)
{
    visible(&(struct pending){.kind = kind,
                              .thing = (uint8_t)thing,
                              .size = thing == A_SPINLOCK ? sizeof(pthread_spinlock_t) : 8,
                              .address = (uintptr_t)object,
                              .operand = count,
                              .caller = caller});
}

void begin_life(volatile void *object, size_t size, enum thing thing, unsigned count, uintptr_t caller)
{
    if (!in_program())
        return;
    touch(object, caller);
    check_is_new(object, thing, caller);
    will_write((const void *)(uintptr_t)object, size);
    note_access((uintptr_t)object, sizeof LIVE, true, caller);
    *(volatile uint32_t *)object = LIVE;
    memset((uint32_t *)(uintptr_t)object + 1, 0, size - sizeof LIVE);
    tell(OP_RESET, object, thing, count, caller);
}

void end_life(volatile void *object, enum thing thing, uintptr_t caller)
{
    if (!in_program())
        return;
    check(object, thing, "destroys", caller);
    note_access((uintptr_t)object, sizeof DESTROYED, true, caller);
    tell(OP_DESTROY, object, thing, 0, caller);
    will_write((const void *)(uintptr_t)object, sizeof DESTROYED);
    *(volatile uint32_t *)object = DESTROYED;
}

/* --- in the scheduler */

static bool waits_at(uint32_t agent, uint32_t object)
{
    const struct thread *thread = &threads[agent];
    const struct pending *op = &thread->pending;
    return thread->exists && !thread->ended && op->thing && object_with_state(op) == object && may_wait(op) &&
           !is_enabled(op, agent, object_value(op, 0));
}

/* Who holds it, or NULL. */
static const char *use_of(const struct object *object, enum thing thing)
{
    bool is_mutex = thing == A_MUTEX || thing == A_C11_MUTEX || thing == A_SPINLOCK;
    if (object->thing != thing)
        return NULL;
    if (is_mutex || thing == A_READ_WRITE_LOCK)
        return object->owner || (!is_mutex && object->count) ? "is held" : NULL;
    return thing == A_BARRIER && object->owner ? "threads wait at" : NULL;
}

void check_use(uint32_t agent, const struct pending *op, uint32_t number)
{
    const char *use = use_of(object_state(number), op->thing);
    for (uint32_t other = 0; other < agents.limit && !use; other++)
        use = other != agent && waits_at(other, number) ? "threads wait at" : NULL;
    if (!use || !chosen.exploring)
        return;
    run.failure.address = op->address;
    fail_run(FAILED_MISUSE, op->caller, "%s a %s that %s", op->kind == OP_DESTROY ? "destroys" : "initialises",
             name_of(op->thing), use);
    run.failure.agent = agent;
}

/* Those who were let go at an earlier one at this place, of whatever kind, may still be about to leave it. */
void begin_object(uint32_t number, const struct pending *op)
{
    struct object *object = object_state(number);
    agent_set leaving = object_value(&(struct pending){.kind = OP_WAKE, .object = number}, 0);
    uint32_t generation = object->generation;
    journal_save_object(number, true);
    object_clear(object);
    object->count = (uint32_t)op->operand;
    object->thing = op->thing;
    object->generation = op->thing == A_LATCH ? 0 : generation;
    object->leaving = leaving;
    object->began = run.top;
}

/* Does it use an object that its first user may find to be zero? */
static bool may_begin(const struct pending *op)
{
    bool goes = op->kind == OP_WAKE || op->kind == OP_TIMED_WAKE; /* the object need not be there any more */
    return op->kind == OP_ONCE || (has_initialiser(op->thing) && !goes);
}

void begin_by_use(const struct pending *op)
{
    volatile uint32_t *mark = (volatile uint32_t *)op->address;
    if (!may_begin(op) || *mark)
        return;
    begin_object(op->object, &(struct pending){.thing = op->thing});
    journal_save_memory(op->address, sizeof *mark);
    *mark = BEGUN;
}
