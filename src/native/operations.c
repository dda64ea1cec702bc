/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the visible operations mean: POSIX threads and C11 atomics under sequential consistency.  The state of a
 * mutex and its like is kept beside the program's memory (struct object); atomics are where the program has them.
 * Who depends on whom, and what happens before what, is said by effects.c.
 *
 * A signal of a condition variable lets one of those who wait go on, whichever is first to take the permit: which one
 * POSIX does not say, so all are tried.  It is written so that every step waits for at most one object.
 */
#include "native/operations.h"
#include "native/awaits.h"
#include "native/clocks.h"
#include "native/journal.h"
#include "native/memory.h"
#include "native/races.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

/* --- atomics */

static unsigned __int128 load(uintptr_t address, uint8_t size)
{
    switch (size) {
    case 1: return *(volatile uint8_t *)address;
    case 2: return *(volatile uint16_t *)address;
    case 4: return *(volatile uint32_t *)address;
    case 8: return *(volatile uint64_t *)address;
    default: {
        unsigned __int128 value;
        memcpy(&value, (void *)address, sizeof value);
        return value;
    }
    }
}

static void store(uintptr_t address, uint8_t size, unsigned __int128 value)
{
    memcpy((void *)address, &value, size);
}

/* --- values, and what follows from them */

static agent_set wakeable(const struct object *object)
{
    agent_set able = object->released;
    for (uint32_t i = 0; i < object->permits; i++)
        able |= object->permitted[i];
    return (able & object->waiting) | object->leaving;
}

object_content object_value(const struct pending *op, uint32_t which)
{
    const struct object *object = object_state(which ? op->mutex : object_with_state(op));
    if (which && op->kind == OP_WAIT_VALUE)
        return wakeable(object);
    if (which)
        return object->owner | (uint64_t)object->count << 32;
    switch (op->kind) {
    case OP_LOAD:
    case OP_STORE:
    case OP_EXCHANGE:
    case OP_ADD:
    case OP_SUB:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NAND:
    case OP_COMPARE_EXCHANGE:
    case OP_VOLATILE_READ:
    case OP_VOLATILE_WRITE:
    case OP_WAIT_VALUE:
    case OP_PLAIN_READ:
    case OP_PLAIN_WRITE: return (uint64_t)load(op->address, op->size);
    case OP_WAIT:
    case OP_WAKE:
    case OP_TIMED_WAKE:
    case OP_DISTURB:
    case OP_SIGNAL:
    case OP_BROADCAST: return wakeable(object);
    case OP_ARRIVE:
    case OP_LEAVE: return object->generation;
    default: return object->owner | (uint64_t)object->count << 32;
    }
}

static bool holds_recursively(const struct pending *op, uint32_t owner, uint32_t agent)
{
    return owner == agent + 1 && op->operand != PTHREAD_MUTEX_NORMAL;
}

bool is_enabled(const struct pending *op, uint32_t agent, object_content value)
{
    uint32_t owner = (uint32_t)value, count = (uint32_t)(value >> 32);
    switch (op->kind) {
    case OP_LOCK: return owner == 0 || holds_recursively(op, owner, agent);
    case OP_WAKE: return value & agent_bit(agent);
    case OP_ONCE: return count != 1;
    case OP_READ_LOCK: return owner == 0;
    case OP_WRITE_LOCK: return owner == 0 && count == 0;
    case OP_SEMAPHORE_WAIT: return count;
    case OP_LEAVE: return value != op->operand;
    default: return !op->await || leads_on(op, (uint64_t)value);
    }
}

bool may_wait(const struct pending *op)
{
    switch (op->kind) {
    case OP_LOCK:
    case OP_WAKE:
    case OP_ONCE:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_SEMAPHORE_WAIT:
    case OP_LEAVE: return true;
    default: return op->await;
    }
}

/* --- doing it */

static void misuse(uint32_t agent, const struct pending *op, const char *what)
{
    fail_run(FAILED_MISUSE, op->caller, "%s", what);
    run.failure.agent = agent;
}

static bool perform_atomic(uint32_t agent, const struct pending *op)
{
    unsigned __int128 old = load(op->address, op->size), value = value_after(op, old);
    struct effect effect = effect_of(op, agent, old);
    exchange_clocks_of_memory(agent, op, &effect);
    check_heap(op->address, op->size, effect.writes, op->caller);
    if (run.failure.kind == FAILED_MEMORY)
        run.failure.agent = agent;
    note_atomic(agent, op, effect.writes);
    if (value != old || op->kind == OP_VOLATILE_WRITE)
        journal_save_memory(op->address, op->size);
    if (value != old)
        store(op->address, op->size, value);
    threads[agent].result = old;
    if (value_is_unwanted(op, (uint64_t)old)) {
        struct object *queue = object_state(op->mutex);
        journal_save_object(op->mutex, true);
        queue->thing = A_QUEUE;
        queue->waiting |= agent_bit(agent);
        return true;
    }
    return effect.changes || (op->size > 8 && op->kind != OP_LOAD); /* of which others are told the first half */
}

static int lock(struct object *mutex, uint32_t agent, const struct pending *op)
{
    bool mine = mutex->owner == agent + 1;
    if (mutex->owner && !(mine && op->operand == PTHREAD_MUTEX_RECURSIVE)) {
        bool tells = mine && op->operand == PTHREAD_MUTEX_ERRORCHECK && op->error != EBUSY;
        return op->kind == OP_TRY_LOCK && !tells ? op->error : EDEADLK;
    }
    mutex->owner = agent + 1;
    mutex->count++;
    return 0;
}

static int unlock(struct object *mutex, uint32_t agent, const struct pending *op)
{
    if (mutex->owner != agent + 1) {
        if (op->operand != PTHREAD_MUTEX_NORMAL)
            return EPERM;
        misuse(agent, op,
               mutex->owner ? "unlocks a mutex that another thread holds" : "unlocks a mutex that nobody holds");
        return EPERM;
    }
    if (--mutex->count == 0)
        mutex->owner = 0;
    return 0;
}

/* Those who wait in excess of the permits can use another; a permit is for those who wait now. */
static void signal_one(struct object *condition)
{
    agent_set others = condition->waiting & ~condition->released;
    if (agent_count(others) > condition->permits)
        condition->permitted[condition->permits++] = others;
}

static void broadcast(struct object *condition)
{
    condition->released |= condition->waiting;
    condition->permits = 0;
}

/* Takes the oldest permit: whoever may use that may use the later ones too, not the other way round. */
static bool wake(struct object *condition, uint32_t agent)
{
    bool awake = condition->released & agent_bit(agent);
    if (condition->leaving & agent_bit(agent)) { /* whatever is there now is none of its business */
        condition->leaving &= ~agent_bit(agent);
        return true;
    }
    for (uint32_t i = 0; i < condition->permits && !awake; i++)
        if (condition->permitted[i] & agent_bit(agent)) {
            awake = true;
            condition->permits--;
            memmove(condition->permitted + i, condition->permitted + i + 1,
                    (condition->permits - i) * sizeof *condition->permitted);
        }
    condition->released &= ~agent_bit(agent);
    condition->waiting &= ~agent_bit(agent);
    for (uint32_t i = 0; i < condition->permits; i++)
        condition->permitted[i] &= ~agent_bit(agent);
    return awake;
}

/* One who does not hold the mutex is told so, and does not wait. */
static int wait(struct object *condition, uint32_t agent, const struct pending *op)
{
    int error = unlock(object_state(op->mutex), agent, op);
    condition->waiting |= error ? 0 : agent_bit(agent);
    return error;
}

static int perform_condition(struct object *condition, uint32_t agent, const struct pending *op)
{
    switch (op->kind) {
    case OP_WAIT: return wait(condition, agent, op);
    case OP_SIGNAL: signal_one(condition); return 0;
    case OP_BROADCAST: broadcast(condition); return 0;
    case OP_DISTURB: condition->released |= condition->waiting & op->operand & ~wakeable(condition); return 0;
    default: return wake(condition, agent) ? 0 : ETIMEDOUT;
    }
}

/* What readers give back orders writers only: their clock is that of an object beside the lock. */
static uint32_t readers_of(const struct pending *op)
{
    uint32_t readers = object_at(op->address + 8, 8);
    if (readers == UINT32_MAX)
        fail_exhausted();
    return readers == UINT32_MAX ? op->object : readers;
}

static void read_write_unlock(struct object *object, uint32_t agent, const struct pending *op)
{
    if (object->owner == agent + 1) {
        object->owner = 0;
    } else if (object->waiting & agent_bit(agent)) {
        object->count--;
        if (--object->permitted[agent] == 0)
            object->waiting &= ~agent_bit(agent);
        exchange_clocks(agent, readers_of(op), &(struct effect){.gives = ALL_SO_FAR});
    } else {
        misuse(agent, op, "unlocks a read-write lock that it does not hold");
    }
}

static int read_write_lock(struct object *object, uint32_t agent, const struct pending *op)
{
    bool writes = op->kind == OP_WRITE_LOCK || op->kind == OP_TRY_WRITE_LOCK;
    if (object->owner || (writes && object->count))
        return op->error;
    if (writes) {
        exchange_clocks(agent, readers_of(op), &(struct effect){.takes = TAKES_AT_ONCE});
        object->owner = agent + 1;
        return 0;
    }
    object->count++;
    if (!(object->waiting & agent_bit(agent)))
        object->permitted[agent] = 0;
    object->waiting |= agent_bit(agent); /* here: those who read, and how often */
    object->permitted[agent]++;
    return 0;
}

static int semaphore(struct object *object, const struct pending *op)
{
    switch (op->kind) {
    case OP_SEMAPHORE_POST: object->count++; return 0;
    case OP_SEMAPHORE_VALUE: return (int)object->count;
    default:
        if (!object->count)
            return op->error;
        object->count--;
        return 0;
    }
}

static int barrier(struct object *object, const struct pending *op)
{
    if (op->kind == OP_LEAVE)
        return 0;
    object->dropped += op->operand == ARRIVES_AND_DROPS;
    bool is_last = ++object->owner == object->count;
    int round = (int)object->generation * 2 + is_last;
    if (is_last) {
        object->owner = 0;
        object->count -= object->dropped;
        object->dropped = 0;
        object->generation++;
    }
    return round;
}

static int latch(struct object *object, uint32_t agent, const struct pending *op)
{
    if (op->kind == OP_SEMAPHORE_VALUE)
        return (int)object->generation;
    if (op->kind == OP_LEAVE)
        return 0;
    object->owner += (uint32_t)op->operand;
    if (object->owner == (uint32_t)op->expected)
        object->generation = 1;
    if (object->owner > (uint32_t)op->expected)
        misuse(agent, op, "counts a latch down below zero");
    return 0;
}

static int once(struct object *object, const struct pending *op)
{
    if (op->kind == OP_ONCE_DONE) {
        object->count = op->operand ? 0 : 2; /* an exception came in between: somebody else does it */
        return 0;
    }
    if (object->count == 2)
        return 0;
    object->count = 1;
    return 1; /* the caller does it */
}

/* Does it need the object to be there still?  One who was let go at a condition variable or a barrier does not. */
static bool needs_memory(const struct pending *op)
{
    if (op->thing == A_QUEUE)
        return false;
    switch (op->kind) {
    case OP_LOCK:
    case OP_TRY_LOCK:
    case OP_UNLOCK:
    case OP_WAIT:
    case OP_SIGNAL:
    case OP_BROADCAST:
    case OP_ONCE:
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_TRY_WRITE_LOCK:
    case OP_READ_WRITE_UNLOCK:
    case OP_SEMAPHORE_WAIT:
    case OP_SEMAPHORE_TRY_WAIT:
    case OP_SEMAPHORE_POST:
    case OP_SEMAPHORE_VALUE:
    case OP_ARRIVE: return true;
    default: return false;
    }
}

static bool has_permits(enum operation kind)
{
    switch (kind) {
    case OP_WAIT:
    case OP_WAKE:
    case OP_TIMED_WAKE:
    case OP_DISTURB:
    case OP_SIGNAL:
    case OP_BROADCAST:
    case OP_READ_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_READ_WRITE_UNLOCK: return true;
    default: return false;
    }
}

static int change_object(struct object *object, uint32_t agent, const struct pending *op)
{
    if (op->thing == A_LATCH)
        return latch(object, agent, op);
    switch (op->kind) {
    case OP_LOCK:
    case OP_TRY_LOCK: return lock(object, agent, op);
    case OP_UNLOCK: return unlock(object, agent, op);
    case OP_WAIT:
    case OP_WAKE:
    case OP_TIMED_WAKE:
    case OP_DISTURB:
    case OP_SIGNAL:
    case OP_BROADCAST: return perform_condition(object, agent, op);
    case OP_ONCE:
    case OP_ONCE_DONE: return once(object, op);
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_TRY_WRITE_LOCK: return read_write_lock(object, agent, op);
    case OP_READ_WRITE_UNLOCK: read_write_unlock(object, agent, op); return 0;
    case OP_SEMAPHORE_WAIT:
    case OP_SEMAPHORE_TRY_WAIT:
    case OP_SEMAPHORE_POST:
    case OP_SEMAPHORE_VALUE: return semaphore(object, op);
    case OP_ARRIVE:
    case OP_LEAVE: return barrier(object, op);
    default: return 0;
    }
}

static bool perform_on_object(uint32_t agent, const struct pending *op)
{
    struct effect effect = effect_of(op, agent, object_value(op, 0));
    struct object *object = object_state(object_with_state(op));
    if (needs_memory(op))
        note_object(agent, op);
    journal_save_object(object_with_state(op), has_permits(op->kind));
    if (needs_memory(op))
        object->thing = op->thing;
    if (op->kind == OP_WAIT)
        journal_save_object(op->mutex, false);
    threads[agent].result = (unsigned)change_object(object, agent, op);
    exchange_clocks(agent, op->object, &effect);
    if (op->kind == OP_WAIT && !threads[agent].result)
        exchange_clocks(agent, op->mutex, &(struct effect){.gives = ALL_SO_FAR});
    return effect.changes;
}

bool perform(uint32_t agent, const struct pending *op)
{
    bool changes = op->kind == OP_PLAIN_WRITE;
    if (op->kind < OP_PLAIN_READ)
        changes = perform_atomic(agent, op);
    else if (op->kind > OP_PLAIN_WRITE)
        changes = perform_on_object(agent, op);
    threads[agent].clock[agent]++;
    return changes;
}
