/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of threads that others can see, and what they do to their objects (operations.c). */
#ifndef NATIVE_OPERATIONS_H
#define NATIVE_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What an object is like: a value in memory, an owner and a count, or a set of agents. */
typedef unsigned __int128 object_content;

enum operation {
    OP_LOAD,
    OP_STORE,
    OP_EXCHANGE,
    OP_ADD,
    OP_SUB,
    OP_AND,
    OP_OR,
    OP_XOR,
    OP_NAND,
    OP_COMPARE_EXCHANGE,
    OP_VOLATILE_READ, /* these two before the program itself accesses the memory */
    OP_VOLATILE_WRITE,
    OP_WAIT_VALUE, /* reads; if it finds a value, it joins those who wait at the address */
    OP_PLAIN_READ, /* only when races are explored as if they were atomic */
    OP_PLAIN_WRITE,
    OP_LOCK,
    OP_TRY_LOCK,
    OP_UNLOCK,
    OP_WAIT,       /* gives the mutex back and joins those who wait */
    OP_WAKE,       /* goes on when it was signalled */
    OP_TIMED_WAKE, /* the same, or the time is over */
    OP_SIGNAL,
    OP_BROADCAST,
    OP_CREATE, /* this and the next two are no steps of the search: births.c */
    OP_EXIT,
    OP_JOIN,
    OP_ONCE,
    OP_ONCE_DONE,
    OP_READ_LOCK,
    OP_WRITE_LOCK,
    OP_TRY_READ_LOCK,
    OP_TRY_WRITE_LOCK,
    OP_READ_WRITE_UNLOCK,
    OP_SEMAPHORE_WAIT,
    OP_SEMAPHORE_TRY_WAIT,
    OP_SEMAPHORE_POST,
    OP_SEMAPHORE_VALUE,
    OP_ARRIVE, /* at a barrier */
    OP_LEAVE,
    OP_RULED_OUT, /* not taken: an assumption does not hold */
    OP_STALL,     /* not taken: goes round forever in a loop that does nothing */
    OP_DISTURB,   /* wakes a thread up that waits at a condition variable, for no reason */
    OP_RESET,     /* not visible: the object begins anew, with a count, ... */
    OP_DESTROY    /* ... or ends */
};

/* What threads synchronise by, apart from atomics. */
enum thing {
    NO_THING,
    A_MUTEX,
    A_CONDITION,
    A_READ_WRITE_LOCK,
    A_SPINLOCK,
    A_BARRIER,
    A_SEMAPHORE,
    A_C11_MUTEX,
    A_C11_CONDITION,
    A_LATCH,
    A_QUEUE /* of those who wait at an address (futex.c) */
};

/* How a thread comes to a barrier: to wait there, or not, or to come never again. */
enum { ARRIVES, ARRIVES_ONLY, ARRIVES_AND_DROPS };

/* What a thread is about to do. */
struct pending {
    enum operation kind;
    uint8_t size;   /* of an atomic, in bytes */
    uint8_t thing;  /* what kind of object it is about */
    int order;      /* of an atomic, as the compiler numbers memory orders */
    int error;      /* what a try gives when it fails; the memory order of a failed exchange */
    bool fenced;    /* the thread has a release fence behind it */
    uint8_t group;  /* 0, or a kind of operation: those of one kind commute, since nobody asks for their results */
    uint32_t await; /* in a loop that only waits: where it has been there (awaits.c); 0: in none */
    uint32_t look;  /* the thread would have looked just before (looks.c); 0: no */
    uint32_t object;
    uint32_t
        mutex; /* that OP_WAIT gives back; the second half of 16 bytes; a barrier as a whole; who waits for a value */
    uintptr_t address;
    unsigned __int128 operand, expected;
    uintptr_t caller;
};

/* An atomic, or a plain access that is explored as one. */
static inline bool is_memory(const struct pending *operation)
{
    return operation->kind <= OP_PLAIN_WRITE;
}

static inline bool is_about_barrier(const struct pending *operation)
{
    return operation->kind == OP_ARRIVE || operation->kind == OP_LEAVE;
}

/* Of a wait for a value: does it have to wait? */
static inline bool value_is_unwanted(const struct pending *operation, uint64_t value)
{
    return operation->kind == OP_WAIT_VALUE && value == (uint64_t)operation->expected;
}

/* The object that has the state: to the search, a barrier is another one in each round. */
static inline uint32_t object_with_state(const struct pending *operation)
{
    return is_about_barrier(operation) ? operation->mutex : operation->object;
}

/* What an operation's object is like, as far as anybody's next step can depend on it. */
object_content object_value(const struct pending *operation, uint32_t which);
bool is_enabled(const struct pending *operation, uint32_t agent, object_content value);
bool may_wait(const struct pending *operation);
/* Does it, as far as others can see.  Does it change anything? */
bool perform(uint32_t agent, const struct pending *operation);

#endif
