/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread program, compiled.  Every agent (an instance of a thread) has code of
 * its own, in which its number and parameters are constants.  A step starts at an
 * instruction marked as one and runs, through local instructions, to the next; so
 * an agent at rest is always at a shared access.
 *
 * A state is an array of 32-bit cells: shared variables and locks, a cell for each
 * agent that is spawned, `agents` cells for each condition variable, then the frames
 * of the agents: program counter and locals.
 *
 * Objects of the footprint are the shared cells, then the spawned agents, then the conditions.
 */
#ifndef FRONT_THREADS_PROGRAM_H
#define FRONT_THREADS_PROGRAM_H

#include "base/arena.h"
#include "base/vector.h"
#include "front/threads/ast.h"
#include "portolan/portolan.h"

enum code {
    CODE_END,  /* the agent has ended */
    CODE_FAIL, /* the agent has failed; c: number of the failure */
    /* local: operands a and b are slots of the frame, or the number itself where the flag says so */
    CODE_MOVE,        /* dst = a */
    CODE_TRUTH,       /* dst = a != 0 */
    CODE_CALCULATE,   /* dst = a operation b; to d when that fails */
    CODE_JUMP,        /* to c */
    CODE_JUMP_BACK,   /* to c; to d after too many of them in one step */
    CODE_JUMP_NOT,    /* to c unless a operation b, a comparison */
    CODE_CHECK_INDEX, /* to d unless 0 <= a < b */
    CODE_LOCAL_LOAD,  /* dst = frame[c + a] */
    CODE_LOCAL_STORE, /* frame[c + b] = a */
    CODE_CLEAR,       /* frame[dst] ... frame[dst + c - 1] = 0 */
    /* shared: the cell is c + b */
    CODE_LOAD,      /* dst = cell */
    CODE_STORE,     /* cell = a */
    CODE_CAS,       /* dst = cell == a, and then cell = d */
    CODE_FETCH_ADD, /* dst = cell, cell += a; to d when that overflows */
    CODE_LOCK,      /* waits until the cell is 0, then it is the agent + 1 */
    CODE_UNLOCK,    /* to d unless the cell is the agent + 1, then it is 0 */
    CODE_TRYLOCK,   /* dst = cell == 0, and then it is the agent + 1 */
    CODE_WAIT,      /* condition c + b, lock at cell dst + a: releases and joins the waiters; to d when not its owner */
    CODE_WAKE,      /* condition c + b: waits for a permit and takes it */
    CODE_SIGNAL,    /* condition c + b */
    CODE_BROADCAST, /* condition c + b */
    CODE_ATOMIC,    /* what follows up to CODE_ATOMIC_END is one step */
    CODE_ATOMIC_END,
    CODE_REQUIRE, /* within an atomic: it waits unless a */
    CODE_SPAWN, /* dst = the agent started: the first of c ... c + b - 1 not born; parameters from slot a; else to d */
    CODE_BEGIN, /* waits to be born */
    CODE_EXIT,  /* tells those that join */
    CODE_JOIN   /* waits for the end of agent a; to d when there is no such */
};

enum {
    A_IS_NUMBER = 1,
    B_IS_NUMBER = 2,
    D_IS_NUMBER = 4,
    IS_STEP = 8,
    SYNCHRONISES = 16, /* its accesses are never a data race with each other */
    WAITS_FOR_ONE = 32 /* CODE_ATOMIC: whether it waits depends on one object only */
};

struct instruction {
    uint8_t code;
    uint8_t flags;
    uint8_t operation;  /* enum operation */
    uint8_t parameters; /* CODE_SPAWN */
    uint32_t live;      /* slots of the frame in use before it; those above are 0 when an agent rests here */
    uint32_t length;    /* shared: how many places c + b may be; CODE_ATOMIC: whether it may wait */
    uint32_t locks;     /* CODE_WAIT: how many cells the lock may be */
    uint32_t point;     /* IS_STEP: the action */
    int32_t dst, a, b, c, d;
};

struct point { /* an action: a step of an agent */
    uint32_t agent;
    uint32_t at; /* in the code */
    unsigned line;
    const char *name;
};

struct failure {
    uint32_t agent;
    unsigned line;
    uint32_t scope; /* a place in the code that sees the same variables */
    const char *reason;
};

struct agent {
    const char *name;
    const struct declaration *thread;
    uint32_t parent;                    /* who spawns it, UINT32_MAX when it starts by itself */
    int32_t number;                     /* instance */
    uint32_t entry;                     /* where its code starts */
    uint32_t first_point, points;       /* its steps */
    uint32_t frame;                     /* cell of its program counter */
    uint32_t slots;                     /* of the frame, the program counter included */
    uint32_t first_location, locations; /* variables that say where it is, by increasing line */
};

/* A name for expressions. */
struct variable {
    const char *name;
    enum {
        VARIABLE_CELL,      /* what = cell */
        VARIABLE_CONDITION, /* what = condition: number of waiters */
        VARIABLE_SLOT,      /* what = slot of agent */
        VARIABLE_FAILED,
        VARIABLE_LOCATION /* what = line, of agent */
    } kind;
    uint32_t agent, what;
    uint32_t from, to; /* VARIABLE_SLOT: the code in which it has a meaning; elsewhere it is 0 */
};

struct program {
    VECTOR(struct instruction) code;
    VECTOR(struct point) points;
    VECTOR(struct failure) failures;
    VECTOR(struct agent) agents;
    VECTOR(struct variable) variables;
    VECTOR(int32_t) initial_cells; /* of the shared part */
    uint32_t shared;               /* variables and locks */
    uint32_t first_spawned;        /* agents from here on are spawned */
    uint32_t spawned;
    uint32_t conditions;
    uint32_t condition_cells; /* where they start */
    uint32_t cells;           /* in all */
    uint32_t most_accesses;
    const char **object_names; /* shared cells and conditions; in the order of objects, NULL for agents */
    struct arena arena;        /* of all names */
};

static inline uint32_t program_objects(const struct program *p)
{
    return p->shared + p->spawned + p->conditions;
}

static inline uint32_t agent_object(const struct program *p, uint32_t agent)
{
    return p->shared + agent - p->first_spawned;
}

static inline uint32_t condition_object(const struct program *p, uint32_t condition)
{
    return p->shared + p->spawned + condition;
}

/* The cell in which an agent waits for a condition. */
static inline uint32_t waiting_cell(const struct program *p, uint32_t condition, uint32_t agent)
{
    return p->condition_cells + condition * (uint32_t)p->agents.count + agent;
}

enum { UNBORN = 0, BORN = 1, ENDED = 2 }; /* the cell of a spawned agent */

/* Whether a variable has its meaning when its agent rests at an instruction. */
static inline bool is_in_scope(const struct program *p, const struct variable *v, uint32_t at)
{
    const struct instruction *i = &p->code.item[at];
    uint32_t place = i->code == CODE_FAIL ? p->failures.item[i->c].scope : at;
    return v->from <= place && place < v->to;
}

/* The variable that says whether the agent is at the line, UINT32_MAX when it never is. */
static inline uint32_t location_variable(const struct program *p, uint32_t agent, uint32_t line)
{
    uint32_t low = p->agents.item[agent].first_location, end = low + p->agents.item[agent].locations, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (p->variables.item[middle].what < line)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && p->variables.item[low].what == line ? low : UINT32_MAX;
}

/* Compiles; on failure the program is empty. */
enum portolan_status program_compile(struct program *program, const struct syntax *syntax,
                                     struct portolan_error *error);
void program_clear(struct program *program);

#endif
