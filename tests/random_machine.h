/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random machines for the tester of stateless searches: agents with short programs over a few shared objects, with what
 * the searches must know of programs: reads, writes, writes that commute, steps whose footprint varies, steps that wait
 * for one object or for several, locks, branches on what was read; agents that are born by others and join them, which
 * are no steps but come before some (machine->follows).  Agents mostly keep to objects of their own liking, so that
 * many sleep for long and are woken by different steps: more agents than every interleaving of a program would allow.
 *
 * The second half is an explorer that shares nothing with src/stateless: every interleaving, or only sleep sets
 * (Godefroid 1996), which alone run each trace once.
 */
#ifndef TESTS_RANDOM_MACHINE_H
#define TESTS_RANDOM_MACHINE_H

#include "random_net.h"
#include "stateless/machine.h"

enum { MACHINE_AGENTS = 8, MACHINE_OBJECTS = 8, MACHINE_STEPS = 5, MACHINE_DEPTH = MACHINE_AGENTS * MACHINE_STEPS + 1 };

enum step_kind { DO_READ, DO_WRITE, DO_ADD, DO_CAS, DO_INDEXED, DO_AWAIT, DO_AWAIT_EITHER, DO_LOCK, DO_UNLOCK };

struct program_step {
    enum step_kind kind;
    uint8_t object, other; /* `other` is the first of two for DO_INDEXED */
    uint8_t value, next;   /* compared with or written; written by a DO_CAS that succeeds */
    uint8_t only_if;       /* 0: always; else only where the agent last read this - 1 */
    uint8_t joins;         /* 0, or an agent + 1 that must have ended before */
};

struct program {
    uint32_t agents, objects;
    struct program_agent {
        uint8_t parent; /* 0: there from the beginning; else born by this agent + 1 ... */
        uint8_t after;  /* ... when that has so many steps behind it */
        uint8_t length;
        struct program_step step[MACHINE_STEPS];
    } agent[MACHINE_AGENTS];
};

void program_draw(struct program *program, struct random *random);
void program_print(const struct program *program);
/* A machine that runs the program, which it does not own; NULL when memory is out. */
struct machine *program_machine(const struct program *program);

/* Traces as sums of hashes. */
struct trace_set {
    uint64_t *item;
    size_t count, capacity;
};

/* Every trace of the program, by all interleavings or with sleep sets; false when there are too many points. */
bool program_traces(const struct program *program, bool sleeps, size_t most_points, struct trace_set *traces);
/* The trace of a run, given by its agents; 0 when it is no run to the end. */
uint64_t program_trace(const struct program *program, const uint32_t *agents, size_t count);
/* Sorts; false when one is there twice. */
bool trace_set_sort(struct trace_set *traces);

#endif
