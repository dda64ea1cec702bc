/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of effects: what an action does once it is chosen.  It is plain data, runs on registers of its process and
 * on the cells of the state, and ends by resting at a location.  Registers hold 64-bit numbers.  Operands a, b and d
 * are registers, or the number itself where the flag says so.
 *
 * "Blocks" means: where this cannot go on, the action is not enabled, and nothing of it happens.
 */
#ifndef MODEL_CODE_H
#define MODEL_CODE_H

#include "expression/arithmetic.h"

#include <stdbool.h>
#include <stdint.h>

enum code {
    CODE_REST, /* the end: the process is at location c; of an action of nobody c is MODEL_NONE */
    /* on registers */
    CODE_MOVE,      /* dst = a */
    CODE_TRUTH,     /* dst = a != 0 */
    CODE_CALCULATE, /* dst = a operation b, of the type; to d when that fails */
    CODE_SUM,       /* the same with a frequent operation, which the machine need not look up: ... */
    CODE_PRODUCT,   /* ... found by model_system, as are CODE_JUMP_NOT_EQUAL and CODE_JUMP_NOT_LESS */
    CODE_REMAINDER,
    CODE_CONVERT,        /* dst = a as a number of the type; to d when it does not fit */
    CODE_JUMP,           /* to c */
    CODE_JUMP_BACK,      /* to c; to d after too many of them in one step */
    CODE_JUMP_NOT,       /* to c unless a operation b, a comparison */
    CODE_JUMP_NOT_EQUAL, /* to c unless a == b */
    CODE_JUMP_NOT_LESS,  /* to c unless a < b */
    CODE_CHECK_INDEX,    /* to d unless 0 <= a < b, a number */
    CODE_REGISTER_LOAD,  /* dst = register c + a, one of `length` from c on */
    CODE_REGISTER_STORE, /* register c + b = a, one of `length` from c on */
    CODE_CLEAR,          /* registers dst ... dst + c - 1 = 0 */
    CODE_FOREIGN,        /* block c of C on registers dst ..., `length` of them: model/foreign.h */
    CODE_REQUIRE,        /* blocks unless a */
    /* on cells: the cell is c + b, one of `length` from c on; these touch its object */
    CODE_LOAD,      /* dst = cell */
    CODE_STORE,     /* cell = a */
    CODE_ADD,       /* cell += a, a number; nothing when the cell is dead (see struct location) */
    CODE_CAS,       /* dst = cell == a, and then cell = d */
    CODE_FETCH_ADD, /* dst = cell, cell += a, of the type; to d when that fails */
    CODE_LOCK,      /* blocks unless the cell is 0, then it is the process + 1 */
    CODE_UNLOCK,    /* to d unless the cell is the process + 1, then it is 0 */
    CODE_TRYLOCK,   /* dst = cell == 0, and then it is the process + 1 */
    /* on condition variables: runs of cells, one for each process; the first is c + b * processes, one of `length` */
    CODE_WAIT,      /* lock at cell dst + a, one of `locks`: releases and joins the waiters; to d when not its owner */
    CODE_WAKE,      /* blocks until there is a permit, and takes it */
    CODE_SIGNAL,    /* one permit, when there are more waiters than permits */
    CODE_BROADCAST, /* a permit for every waiter */
    /* on processes that have a cell of their own that says whether they are born, live or have ended */
    CODE_SPAWN, /* dst = the process started, the first of c ... c + b - 1 not born, with registers 0 ... from those at
                 * a on, `length` of them; to d when there is none */
    CODE_JOIN,  /* blocks until process a has ended; to d when there is no such */
    /* on queues of numbers other than 0: a run of `length` cells from c on, the head first, 0 behind the last.  Other
     * instructions may change such cells, too, if that is so again when the next of these comes, or the end. */
    CODE_APPEND, /* puts a at the end; to d when it is full (d negative: it is lost) */
    CODE_TAKE    /* dst = the head, and the others move up */
};

enum { /* flags */
       A_IS_NUMBER = 1,
       B_IS_NUMBER = 2,
       D_IS_NUMBER = 4,
       SYNCHRONISES = 8, /* its accesses are never a data race with each other */
       NEVER_FULL = 16,  /* CODE_APPEND: there is always room */
       DECIDED = 32,     /* found by model_system: from here on nothing blocks any more, ... */
       UNTOUCHING = 64,  /* ... and no cell is touched any more */
       WANTS_HEAD = 128  /* CODE_LOAD of the head of a queue: where that is 0 the action blocks, and before this
                          * instruction it has changed nothing in the queue */
};

struct instruction {
    uint8_t code, flags;
    uint8_t operation; /* enum operation */
    uint8_t type;      /* in model.types */
    uint32_t length;
    uint32_t locks; /* CODE_WAIT */
    int32_t dst, a, b, c, d;
};

/* What an instruction reads (the flags above stand for operands that may be registers), and what else it may do. */
enum {
    READS_A = A_IS_NUMBER,
    READS_B = B_IS_NUMBER,
    READS_D = D_IS_NUMBER,
    WRITES = 8 /* dst */,
    FAILS = 16 /* to d */
};

static const uint8_t code_facts[] = {
    [CODE_MOVE] = READS_A | WRITES,
    [CODE_TRUTH] = READS_A | WRITES,
    [CODE_CALCULATE] = READS_A | READS_B | WRITES | FAILS,
    [CODE_SUM] = READS_A | READS_B | WRITES | FAILS,
    [CODE_PRODUCT] = READS_A | READS_B | WRITES | FAILS,
    [CODE_REMAINDER] = READS_A | READS_B | WRITES | FAILS,
    [CODE_CONVERT] = READS_A | WRITES | FAILS,
    [CODE_JUMP_BACK] = FAILS,
    [CODE_JUMP_NOT... CODE_JUMP_NOT_LESS] = READS_A | READS_B,
    [CODE_CHECK_INDEX] = READS_A | FAILS,
    [CODE_REGISTER_LOAD] = READS_A | WRITES,
    [CODE_REGISTER_STORE] = READS_A | READS_B,
    [CODE_REQUIRE] = READS_A,
    [CODE_LOAD] = READS_B | WRITES,
    [CODE_STORE] = READS_A | READS_B,
    [CODE_ADD] = READS_B,
    [CODE_CAS] = READS_A | READS_B | READS_D | WRITES,
    [CODE_FETCH_ADD] = READS_A | READS_B | WRITES | FAILS,
    [CODE_LOCK] = READS_B,
    [CODE_UNLOCK] = READS_B | FAILS,
    [CODE_TRYLOCK] = READS_B | WRITES,
    [CODE_WAIT] = READS_A | READS_B | FAILS,
    [CODE_WAKE... CODE_BROADCAST] = READS_B,
    [CODE_SPAWN] = WRITES | FAILS,
    [CODE_JOIN] = READS_A | FAILS,
    [CODE_APPEND] = READS_A | FAILS,
    [CODE_TAKE] = WRITES,
};

static inline unsigned operands_read(const struct instruction *i)
{
    return code_facts[i->code] & (READS_A | READS_B | READS_D);
}

static inline bool has_failure_jump(const struct instruction *i)
{
    return code_facts[i->code] & FAILS && i->d >= 0;
}

static inline bool has_jump(const struct instruction *i)
{
    return i->code >= CODE_JUMP && i->code <= CODE_JUMP_NOT_LESS;
}

/* Does control come to the next instruction? */
static inline bool goes_on(const struct instruction *i)
{
    return i->code != CODE_REST && i->code != CODE_JUMP && i->code != CODE_JUMP_BACK;
}

static inline bool blocks(const struct instruction *i)
{
    return i->code == CODE_REQUIRE || i->code == CODE_LOCK || i->code == CODE_WAKE || i->code == CODE_JOIN;
}

static inline bool touches_cells(const struct instruction *i)
{
    return i->code >= CODE_LOAD;
}

struct register_run {
    uint32_t first, count;
};

/* The registers that an instruction may write. */
static inline struct register_run registers_written(const struct instruction *i)
{
    switch (i->code) {
    case CODE_REGISTER_STORE: return (struct register_run){(uint32_t)i->c, i->length};
    case CODE_CLEAR: return (struct register_run){(uint32_t)i->dst, (uint32_t)i->c};
    case CODE_FOREIGN: return (struct register_run){(uint32_t)i->dst, i->length};
    default: return (struct register_run){(uint32_t)i->dst, code_facts[i->code] & WRITES ? 1 : 0};
    }
}

enum { UNBORN = 0, BORN = 1, ENDED = 2 }; /* the cell of a process that is spawned */

#endif
