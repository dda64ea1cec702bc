/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small random models of guarded commands, as a plain description of their own: what src/model makes of one is compared
 * with what random_model_naive.c says, which shares nothing with src/ but this description.
 */
#ifndef TESTS_RANDOM_MODEL_H
#define TESTS_RANDOM_MODEL_H

#include "portolan/portolan.h"

enum {
    MODEL_CELLS = 14,
    MODEL_PROCESSES = 3,
    MODEL_LOCATIONS = 5, /* the last of a process is the one where it has failed */
    MODEL_ACTIONS = 14,
    MODEL_EDGES = 2,
    MODEL_TESTS = 3, /* the last says that a process that is spawned is born */
    MODEL_STEPS = 3,
    MODEL_ARRAY = 2, /* cells 0 and 1 */
    MODEL_QUEUE = 2, /* at most so many cells from MODEL_QUEUE_AT on: a queue of numbers 1 and 2, the head first */
    MODEL_QUEUE_AT = 2,
    MODEL_LOCK = 4,     /* a cell */
    MODEL_COUNTERS = 5, /* cells from here on count messages to process cell % processes */
    MODEL_PLAIN = 7,    /* cells from here on, and those of the array, are variables ... */
    MODEL_PLAIN_END = 10,
    MODEL_CONDITION = 10, /* a condition variable: a cell for each process */
    MODEL_LIFE = 13       /* of the last process, when it is spawned: 0 unborn, 1 born, 2 ended */
};

enum step_kind {
    STEP_NOTHING,
    STEP_SET,       /* cell = value */
    STEP_ADD,       /* cell = cell + value, of the cell's type */
    STEP_FETCH_ADD, /* the same at once */
    STEP_COPY,      /* cell = other, if it fits the cell's type */
    STEP_CAS,       /* if cell == other, a number, then cell = value */
    STEP_AT,        /* array[value of other] = value */
    STEP_REQUIRE,   /* blocks unless cell <= value */
    STEP_SEND,      /* counter += 1, unless its receiver is where it is dead */
    STEP_RECEIVE,   /* counter -= 1; a test says that there is one */
    STEP_APPEND,    /* value to the queue; lost when it is full */
    STEP_TAKE,      /* the head of the queue, with value 2 into the register; a test says that there is one */
    STEP_LOCK,
    STEP_UNLOCK, /* fails unless it is the owner's */
    STEP_MOVE,   /* process `other` is at location `value` from now on: a rendezvous; mostly a test says where it is */
    /* the register of the process: what it holds stays where it is live */
    STEP_KEEP,   /* register = cell */
    STEP_RECALL, /* cell = register, if it fits the cell's type */
    STEP_COUNT,  /* register += value; fails beyond MODEL_LEAST_KEPT .. MODEL_MOST_KEPT */
    STEP_INDEX,  /* array[register] = value */
    /* the condition variable */
    STEP_WAIT, /* releases the lock, and fails unless it is the owner's */
    STEP_WAKE,
    STEP_SIGNAL,
    STEP_BROADCAST,
    /* the process that is spawned */
    STEP_SPAWN, /* with value in its register; fails unless it is unborn */
    STEP_JOIN,  /* blocks until it has ended */
    STEP_END,   /* it says so */
    /* more of the queue; tests say that there is room, or a message in the last place */
    STEP_PUT,  /* value at its end */
    STEP_SORT, /* value before the first that is larger */
    STEP_WANT, /* blocks unless value is the head; 0: unless there is one, which goes into the register */
    STEP_PICK  /* the message in the last place is taken out */
};

enum { MODEL_LEAST_KEPT = -3, MODEL_MOST_KEPT = 5 };

struct draft_cell {
    int low, high, initial;
    bool wraps, widens;
    int owner; /* -1: shared */
};

struct draft_step {
    enum step_kind kind;
    int cell, other, value;
};

struct draft_edge {
    int from, to;
    struct draft_step steps[MODEL_STEPS];
    bool branches; /* to `otherwise` unless cell <= value, after the steps */
    int cell, value, otherwise;
};

struct draft_test {
    int cell; /* from MODEL_CELLS on: the location of a process; -1: none */
    int low, high;
};

struct draft_action {
    int process;
    bool is_fallback; /* enabled only where no action is that is not one */
    struct draft_test tests[MODEL_TESTS];
    struct draft_step common; /* before the steps of whichever edge; neither blocks nor fails */
    int edges;
    struct draft_edge edge[MODEL_EDGES]; /* by increasing source */
};

struct model_draft {
    int processes, actions;
    int capacity;                                /* of the queue */
    bool is_threads;                             /* at each location there is one action at most */
    bool is_straight;                            /* and these only go forward */
    bool spawns;                                 /* threads only: the last process is spawned */
    bool live[MODEL_PROCESSES][MODEL_LOCATIONS]; /* where the register of a process keeps its value; else it is 0 */
    struct draft_cell cells[MODEL_CELLS];
    struct draft_action action[MODEL_ACTIONS];
    bool is_end[MODEL_PROCESSES][MODEL_LOCATIONS];
    bool dead[MODEL_PROCESSES][MODEL_LOCATIONS][MODEL_CELLS]; /* counters that no step from there on takes */
};

void model_draft_random(struct model_draft *draft, uint64_t seed, uint64_t number);
/* Finds out what is dead; to be called after every change. */
void model_draft_settle(struct model_draft *draft);
void model_draft_print(const struct model_draft *draft);
/* Cells are variables c0 c1 ..., locations l0 l1 ..., registers r0 r1 ..., and `failed`. */
enum portolan_status model_draft_system(const struct model_draft *draft, struct portolan_system **system,
                                        struct portolan_error *error);

/* --- the second interpreter */

struct naive_state {
    int cell[MODEL_CELLS], at[MODEL_PROCESSES], kept[MODEL_PROCESSES];
};

enum naive_fired { NAIVE_DISABLED, NAIVE_FIRED, NAIVE_OVERFLOW };

void naive_initial(const struct model_draft *draft, struct naive_state *state);
enum naive_fired naive_fire(const struct model_draft *draft, const struct naive_state *state, int action,
                            struct naive_state *next);
/* Has every process ended or failed? */
bool naive_is_final(const struct model_draft *draft, const struct naive_state *state);
int naive_failed(const struct model_draft *draft, const struct naive_state *state);

#endif
