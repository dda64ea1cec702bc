/*
 * What the visible operations mean: POSIX threads and C11 atomics under sequential consistency.  The state of a
 * mutex and its like is kept beside the program's memory (struct object); atomics are where the program has them.
 *
 * A signal of a condition variable lets one of those who wait go on, whichever is first to take the permit: which one
 * POSIX does not say, so all are tried.  It is written so that every step waits for at most one object.
 */
#include "native/runtime.h"

#include <errno.h>
#include <string.h>

#define BIT(agent) (UINT64_C(1) << (agent))

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

static unsigned __int128 cut_to(unsigned __int128 value, uint8_t size)
{
    return size == 16 ? value : value & (((unsigned __int128)1 << size * 8) - 1);
}

/* What an atomic leaves behind when it finds a value. */
static unsigned __int128 new_value(const struct pending *op, unsigned __int128 old)
{
    unsigned __int128 value;
    switch (op->kind) {
    case OP_STORE:
    case OP_EXCHANGE: value = op->operand; break;
    case OP_ADD: value = old + op->operand; break;
    case OP_SUB: value = old - op->operand; break;
    case OP_AND: value = old & op->operand; break;
    case OP_OR: value = old | op->operand; break;
    case OP_XOR: value = old ^ op->operand; break;
    case OP_NAND: value = ~(old & op->operand); break;
    case OP_COMPARE_EXCHANGE: value = old == cut_to(op->expected, op->size) ? op->operand : old; break;
    default: value = old;
    }
    return cut_to(value, op->size);
}

/* --- values, and what follows from them */

static uint64_t wakeable(const struct object *object)
{
    uint64_t agents = object->released;
    for (uint32_t i = 0; i < object->permits; i++)
        agents |= object->permitted[i];
    return agents & object->waiting;
}

uint64_t object_value(const struct pending *op, uint32_t which)
{
    const struct object *object = object_state(which ? op->mutex : op->object);
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
    case OP_COMPARE_EXCHANGE: return (uint64_t)load(op->address, op->size);
    case OP_PLAIN_READ:
    case OP_PLAIN_WRITE: return 0;
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

bool is_enabled(const struct pending *op, uint32_t agent, uint64_t value)
{
    uint32_t owner = (uint32_t)value, count = (uint32_t)(value >> 32);
    switch (op->kind) {
    case OP_LOAD:
    case OP_COMPARE_EXCHANGE:
    case OP_EXCHANGE:
    case OP_AND:
    case OP_OR:
    case OP_TRY_LOCK: return !op->spins || op->cycle || value != op->spin_value;
    case OP_LOCK: return owner == 0 || holds_recursively(op, owner, agent);
    case OP_WAKE: return value & BIT(agent);
    case OP_ONCE: return count != 1;
    case OP_READ_LOCK: return owner == 0;
    case OP_WRITE_LOCK: return owner == 0 && count == 0;
    case OP_SEMAPHORE_WAIT: return count;
    case OP_LEAVE: return value != op->operand;
    default: return true;
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
    default: return op->spins;
    }
}

bool may_vary(const struct pending *op)
{
    switch (op->kind) {
    case OP_EXCHANGE:
    case OP_AND:
    case OP_OR:
    case OP_NAND:
    case OP_COMPARE_EXCHANGE: return op->size <= 8;
    case OP_TRY_LOCK:
    case OP_SEMAPHORE_TRY_WAIT: return true;
    default: return false;
    }
}

bool has_effect(const struct pending *op, uint32_t agent, uint64_t value)
{
    uint32_t owner = (uint32_t)value, count = (uint32_t)(value >> 32);
    switch (op->kind) {
    case OP_LOAD:
    case OP_PLAIN_READ:
    case OP_LEAVE:
    case OP_READ_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_SEMAPHORE_VALUE: return false;
    case OP_EXCHANGE:
    case OP_AND:
    case OP_OR:
    case OP_NAND:
    case OP_COMPARE_EXCHANGE: return op->size > 8 || new_value(op, value) != value;
    case OP_TRY_LOCK: return owner == 0 || (owner == agent + 1 && op->operand == PTHREAD_MUTEX_RECURSIVE);
    case OP_READ_WRITE_UNLOCK: return owner == agent + 1; /* readers go in any order */
    case OP_SEMAPHORE_TRY_WAIT: return count;
    default: return true;
    }
}

/* --- happens-before by synchronisation (C11 5.1.2.4), for data races */

static void join(uint32_t *clock, const uint32_t *other)
{
    for (uint32_t i = 0; i < runtime->agent_limit; i++)
        clock[i] = clock[i] > other[i] ? clock[i] : other[i];
}

static void copy_clock(uint32_t *clock, const uint32_t *other)
{
    memcpy(clock, other, runtime->agent_limit * sizeof *clock);
}

static void acquire(uint32_t agent, uint32_t object)
{
    join(runtime->threads[agent].clock, object_clock(object));
}

static void release(uint32_t agent, uint32_t object)
{
    join(object_clock(object), runtime->threads[agent].clock);
}

static bool acquires(int order)
{
    return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* A store begins a release sequence, a read-modify-write goes on with it. */
static void synchronise(uint32_t agent, const struct pending *op, int order, bool reads, bool writes)
{
    struct thread *thread = &runtime->threads[agent];
    uint32_t *clock = object_clock(op->object);
    if (reads && acquires(order)) {
        join(thread->clock, clock);
    } else if (reads) {
        journal_save_clock(thread->to_be_acquired);
        join(thread->to_be_acquired, clock);
    }
    if (!writes)
        return;
    journal_save_clock(clock);
    const uint32_t *given = releases(order) ? thread->clock : thread->released;
    if (reads)
        join(clock, given);
    else
        copy_clock(clock, given);
}

void fence(int order)
{
    struct thread *thread = current_thread();
    if (acquires(order))
        join(thread->clock, thread->to_be_acquired);
    if (releases(order)) {
        journal_save_clock(thread->released);
        copy_clock(thread->released, thread->clock);
        thread->clock[runtime->current]++;
    }
}

/* --- doing it */

static void misuse(uint32_t agent, const struct pending *op, const char *what)
{
    fail_run(FAILED_MISUSE, op->caller, "%s", what);
    runtime->failure.agent = agent;
}

static void perform_atomic(uint32_t agent, const struct pending *op)
{
    unsigned __int128 old = load(op->address, op->size), value = new_value(op, old);
    bool fails = op->kind == OP_COMPARE_EXCHANGE && old != cut_to(op->expected, op->size);
    bool writes = op->kind != OP_LOAD && !fails;
    synchronise(agent, op, fails ? op->error : op->order, op->kind != OP_STORE, writes);
    check_heap(op->address, op->size, writes, op->caller);
    if (runtime->failure.kind == FAILED_MEMORY)
        runtime->failure.agent = agent;
    note_atomic(agent, op, writes);
    if (value != old) {
        journal_save_memory(op->address, op->size);
        store(op->address, op->size, value);
    }
    runtime->threads[agent].result = old;
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
    acquire(agent, op->object);
    return 0;
}

static int unlock(struct object *mutex, uint32_t number, uint32_t agent, const struct pending *op)
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
    release(agent, number);
    return 0;
}

/* Those who wait in excess of the permits can use another; a permit is for those who wait now. */
static void signal_one(struct object *condition)
{
    uint64_t others = condition->waiting & ~condition->released;
    if ((uint32_t)__builtin_popcountll(others) > condition->permits)
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
    bool awake = condition->released & BIT(agent);
    for (uint32_t i = 0; i < condition->permits && !awake; i++)
        if (condition->permitted[i] & BIT(agent)) {
            awake = true;
            condition->permits--;
            memmove(condition->permitted + i, condition->permitted + i + 1,
                    (condition->permits - i) * sizeof *condition->permitted);
        }
    condition->released &= ~BIT(agent);
    condition->waiting &= ~BIT(agent);
    for (uint32_t i = 0; i < condition->permits; i++)
        condition->permitted[i] &= ~BIT(agent);
    return awake;
}

static int perform_condition(struct object *condition, uint32_t agent, const struct pending *op)
{
    switch (op->kind) {
    case OP_WAIT: condition->waiting |= BIT(agent); return unlock(object_state(op->mutex), op->mutex, agent, op);
    case OP_SIGNAL: signal_one(condition); return 0;
    case OP_BROADCAST: broadcast(condition); return 0;
    case OP_DISTURB: condition->released |= condition->waiting & (uint64_t)op->operand & ~wakeable(condition); return 0;
    default: return wake(condition, agent) ? 0 : ETIMEDOUT;
    }
}

/* What readers give back orders writers only: their clock is that of an object beside the lock. */
static uint32_t readers_of(const struct pending *op)
{
    uint32_t readers = object_at(op->address + 8, 8);
    if (readers == UINT32_MAX)
        fail_run(FAILED_INTERNAL, 0, "memory is exhausted");
    return readers == UINT32_MAX ? op->object : readers;
}

static void read_write_unlock(struct object *object, uint32_t agent, const struct pending *op)
{
    if (object->owner == agent + 1) {
        object->owner = 0;
        release(agent, op->object);
    } else if (object->waiting & BIT(agent)) {
        object->count--;
        if (--object->permitted[agent] == 0)
            object->waiting &= ~BIT(agent);
        uint32_t readers = readers_of(op);
        journal_save_clock(object_clock(readers));
        release(agent, readers);
    } else {
        misuse(agent, op, "unlocks a read-write lock that it does not hold");
    }
}

static int read_write_lock(struct object *object, uint32_t agent, const struct pending *op)
{
    bool writes = op->kind == OP_WRITE_LOCK || op->kind == OP_TRY_WRITE_LOCK;
    if (object->owner || (writes && object->count))
        return op->error;
    acquire(agent, op->object);
    if (writes) {
        acquire(agent, readers_of(op));
        object->owner = agent + 1;
        return 0;
    }
    object->count++;
    if (!(object->waiting & BIT(agent)))
        object->permitted[agent] = 0;
    object->waiting |= BIT(agent); /* here: those who read, and how often */
    object->permitted[agent]++;
    return 0;
}

static int semaphore(struct object *object, uint32_t agent, const struct pending *op)
{
    switch (op->kind) {
    case OP_SEMAPHORE_POST:
        object->count++;
        release(agent, op->object);
        return 0;
    case OP_SEMAPHORE_VALUE: return (int)object->count;
    default:
        if (!object->count)
            return op->error;
        object->count--;
        acquire(agent, op->object);
        return 0;
    }
}

static int barrier(struct object *object, uint32_t agent, const struct pending *op)
{
    if (op->kind == OP_LEAVE) {
        acquire(agent, op->object);
        return 0;
    }
    release(agent, op->object);
    if (++object->owner < object->count)
        return (int)object->generation;
    object->owner = 0;
    object->generation++;
    acquire(agent, op->object);
    return -1; /* the last one */
}

static int once(struct object *object, uint32_t agent, const struct pending *op)
{
    if (op->kind == OP_ONCE_DONE) {
        object->count = 2;
        release(agent, op->object);
        return 0;
    }
    acquire(agent, op->object);
    if (object->count == 2)
        return 0;
    object->count = 1;
    return 1; /* the caller does it */
}

/* Does it need the object to be there still?  One who was let go at a condition variable or a barrier does not. */
static bool needs_memory(const struct pending *op)
{
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

void perform(uint32_t agent, const struct pending *op)
{
    struct thread *thread = &runtime->threads[agent];
    struct object *object = object_state(op->object);
    if (needs_memory(op))
        note_object(agent, op);
    if (op->kind > OP_PLAIN_WRITE) {
        journal_save_object(op->object, has_permits(op->kind));
        object->thing = op->thing;
    }
    if (op->kind == OP_WAIT)
        journal_save_object(op->mutex, false);
    switch (op->kind) {
    case OP_PLAIN_READ:
    case OP_PLAIN_WRITE:
    case OP_CREATE:
    case OP_EXIT:
    case OP_JOIN:
    case OP_RESET:
    case OP_DESTROY: break;
    case OP_LOCK:
    case OP_TRY_LOCK: thread->result = (unsigned)lock(object, agent, op); break;
    case OP_UNLOCK: thread->result = (unsigned)unlock(object, op->object, agent, op); break;
    case OP_WAIT:
    case OP_WAKE:
    case OP_TIMED_WAKE:
    case OP_DISTURB:
    case OP_SIGNAL:
    case OP_BROADCAST: thread->result = (unsigned)perform_condition(object, agent, op); break;
    case OP_ONCE:
    case OP_ONCE_DONE: thread->result = (unsigned)once(object, agent, op); break;
    case OP_READ_LOCK:
    case OP_WRITE_LOCK:
    case OP_TRY_READ_LOCK:
    case OP_TRY_WRITE_LOCK: thread->result = (unsigned)read_write_lock(object, agent, op); break;
    case OP_READ_WRITE_UNLOCK:
        thread->result = 0;
        read_write_unlock(object, agent, op);
        break;
    case OP_SEMAPHORE_WAIT:
    case OP_SEMAPHORE_TRY_WAIT:
    case OP_SEMAPHORE_POST:
    case OP_SEMAPHORE_VALUE: thread->result = (unsigned)semaphore(object, agent, op); break;
    case OP_ARRIVE:
    case OP_LEAVE: thread->result = (unsigned)barrier(object, agent, op); break;
    default: perform_atomic(agent, op);
    }
    thread->clock[agent]++;
}
