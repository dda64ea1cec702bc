/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine.  A waiter of a condition variable has in its cell 1 + the permits issued since it began to wait that
 * nobody has taken: signal issues one when there are more waiters than permits, and whoever wakes takes the oldest
 * permit it may take.  So signal wakes any one of those waiting at that moment, without choosing which.
 */
#include "front/threads/machine.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROUNDS = 100000 }; /* jumps back in one step */

struct record {
    struct portolan_step *step; /* NULL: nothing is recorded */
    bool synchronises;
};

static inline int32_t operand_a(const struct instruction *i, const int32_t *frame)
{
    return i->flags & A_IS_NUMBER ? i->a : frame[i->a];
}

static inline int32_t operand_b(const struct instruction *i, const int32_t *frame)
{
    return i->flags & B_IS_NUMBER ? i->b : frame[i->b];
}

static inline int32_t operand_d(const struct instruction *i, const int32_t *frame)
{
    return i->flags & D_IS_NUMBER ? i->d : frame[i->d];
}

static inline uint32_t place_of(const struct instruction *i, const int32_t *frame)
{
    return (uint32_t)(i->c + operand_b(i, frame));
}

static inline __attribute__((always_inline)) bool apply(enum operation operation, int32_t a, int32_t b, int32_t *result)
{
    switch (operation) {
    case OPERATION_ADD: return !__builtin_add_overflow(a, b, result);
    case OPERATION_SUBTRACT: return !__builtin_sub_overflow(a, b, result);
    case OPERATION_MULTIPLY: return !__builtin_mul_overflow(a, b, result);
    case OPERATION_DIVIDE:
    case OPERATION_REMAINDER:
        if (b == 0 || (a == INT32_MIN && b == -1))
            return false;
        *result = operation == OPERATION_DIVIDE ? a / b : a % b;
        return true;
    case OPERATION_SHIFT_LEFT:
        if (b < 0 || b > 31 || a < 0 || (int64_t)a << b > INT32_MAX)
            return false;
        *result = (int32_t)((int64_t)a << b);
        return true;
    case OPERATION_SHIFT_RIGHT:
        if (b < 0 || b > 31)
            return false;
        *result = (int32_t)((int64_t)a >> b);
        return true;
    case OPERATION_BIT_AND: *result = a & b; return true;
    case OPERATION_BIT_OR: *result = a | b; return true;
    case OPERATION_BIT_XOR: *result = a ^ b; return true;
    case OPERATION_EQUAL: *result = a == b; return true;
    case OPERATION_NOT_EQUAL: *result = a != b; return true;
    case OPERATION_LESS: *result = a < b; return true;
    case OPERATION_LESS_EQUAL: *result = a <= b; return true;
    case OPERATION_GREATER: *result = a > b; return true;
    case OPERATION_GREATER_EQUAL: *result = a >= b; return true;
    default: return false;
    }
}

bool calculate(enum operation operation, int32_t a, int32_t b, int32_t *result)
{
    return apply(operation, a, b, result);
}

/* ---------------------------------------------------------------- footprint */

static inline void touch(struct portolan_step *step, uint32_t object, bool writes, bool synchronises)
{
    for (uint32_t i = 0; i < step->access_count; i++)
        if (step->accesses[i].object == object) {
            step->accesses[i].writes |= writes;
            step->accesses[i].synchronises &= synchronises;
            return;
        }
    step->accesses[step->access_count++] =
        (struct portolan_access){.object = object, .writes = writes, .synchronises = synchronises};
}

/* ------------------------------------------------------- condition variables */

struct waiters {
    int32_t count, permits;
};

static struct waiters count_waiters(const struct program *p, const int32_t *state, uint32_t condition)
{
    const int32_t *cell = state + waiting_cell(p, condition, 0);
    struct waiters waiters = {0};
    for (size_t i = 0; i < p->agents.count; i++) {
        waiters.count += cell[i] > 0;
        if (cell[i] - 1 > waiters.permits)
            waiters.permits = cell[i] - 1;
    }
    return waiters;
}

static void issue(const struct program *p, int32_t *state, uint32_t condition, int32_t permits)
{
    int32_t *cell = state + waiting_cell(p, condition, 0);
    for (size_t i = 0; i < p->agents.count; i++)
        if (cell[i] > 0)
            cell[i] += permits;
}

/* The agent takes the oldest permit it may take; whoever could have taken that one has one less. */
static void wake(const struct program *p, int32_t *state, uint32_t condition, uint32_t agent)
{
    int32_t *cell = state + waiting_cell(p, condition, 0), own = cell[agent];
    cell[agent] = 0;
    for (size_t i = 0; i < p->agents.count; i++)
        if (cell[i] >= own)
            cell[i]--;
}

/* -------------------------------------------------------- shared instructions */

static uint32_t child_to_spawn(const struct program *p, const struct instruction *i, const int32_t *state)
{
    for (uint32_t child = (uint32_t)i->c; child < (uint32_t)i->c + (uint32_t)i->b; child++)
        if (state[agent_object(p, child)] == UNBORN)
            return child;
    return UINT32_MAX;
}

static bool can_be_joined(const struct program *p, int32_t agent)
{
    return agent >= 0 && (uint32_t)agent >= p->first_spawned && (uint32_t)agent < p->agents.count;
}

/* Whether a shared instruction can go on now. */
static bool may_run(const struct program *p, const struct instruction *i, const int32_t *state, uint32_t agent)
{
    const int32_t *frame = state + p->agents.item[agent].frame;
    switch (i->code) {
    case CODE_LOCK: return state[place_of(i, frame)] == 0;
    case CODE_WAKE: return state[waiting_cell(p, place_of(i, frame), agent)] > 1;
    case CODE_BEGIN: return state[agent_object(p, agent)] == BORN;
    case CODE_JOIN: {
        int32_t other = operand_a(i, frame);
        return !can_be_joined(p, other) || state[agent_object(p, (uint32_t)other)] == ENDED;
    }
    case CODE_REQUIRE: return operand_a(i, frame) != 0;
    default: return true;
    }
}

static void touch_cell(const struct instruction *i, const int32_t *state, const int32_t *frame, uint32_t agent,
                       struct portolan_step *step, bool synchronises)
{
    uint32_t cell = place_of(i, frame);
    int32_t value = state[cell], sum;
    bool writes = false;
    switch (i->code) {
    case CODE_STORE:
    case CODE_LOCK: writes = true; break;
    case CODE_CAS: writes = value == operand_a(i, frame); break;
    case CODE_FETCH_ADD: writes = !__builtin_add_overflow(value, operand_a(i, frame), &sum); break;
    case CODE_TRYLOCK: writes = value == 0; break;
    case CODE_UNLOCK: writes = value == (int32_t)agent + 1; break;
    default: break;
    }
    touch(step, cell, writes, synchronises || i->flags & SYNCHRONISES);
}

static void touch_condition(const struct program *p, const struct instruction *i, const int32_t *state, uint32_t agent,
                            struct portolan_step *step)
{
    const int32_t *frame = state + p->agents.item[agent].frame;
    uint32_t condition = place_of(i, frame);
    bool writes = true;
    if (i->code == CODE_WAIT) {
        uint32_t lock = (uint32_t)(i->dst + operand_a(i, frame));
        writes = state[lock] == (int32_t)agent + 1;
        touch(step, lock, writes, true);
        if (!writes)
            return;
    } else if (i->code == CODE_SIGNAL || i->code == CODE_BROADCAST) {
        struct waiters waiters = count_waiters(p, state, condition);
        writes = waiters.count > waiters.permits;
    }
    touch(step, condition_object(p, condition), writes, true);
}

/* What one shared instruction accesses in this state. */
static void touch_objects(const struct program *p, const struct instruction *i, const int32_t *state, uint32_t agent,
                          struct portolan_step *step, bool synchronises)
{
    const int32_t *frame = state + p->agents.item[agent].frame;
    switch (i->code) {
    case CODE_LOAD:
    case CODE_STORE:
    case CODE_CAS:
    case CODE_FETCH_ADD:
    case CODE_LOCK:
    case CODE_UNLOCK:
    case CODE_TRYLOCK: touch_cell(i, state, frame, agent, step, synchronises); break;
    case CODE_WAIT:
    case CODE_WAKE:
    case CODE_SIGNAL:
    case CODE_BROADCAST: touch_condition(p, i, state, agent, step); break;
    case CODE_SPAWN: {
        uint32_t child = child_to_spawn(p, i, state);
        if (child != UINT32_MAX)
            touch(step, agent_object(p, child), true, true);
        break;
    }
    case CODE_BEGIN: touch(step, agent_object(p, agent), false, true); break;
    case CODE_EXIT: touch(step, agent_object(p, agent), true, true); break;
    case CODE_JOIN: {
        int32_t other = operand_a(i, frame);
        if (can_be_joined(p, other))
            touch(step, agent_object(p, (uint32_t)other), false, true);
        break;
    }
    default: break;
    }
}

static uint32_t run_spawn(const struct program *p, const struct instruction *i, int32_t *state, int32_t *frame,
                          uint32_t next)
{
    uint32_t child = child_to_spawn(p, i, state);
    if (child == UINT32_MAX)
        return (uint32_t)i->d;
    state[agent_object(p, child)] = BORN;
    memcpy(state + p->agents.item[child].frame + 1, frame + i->a, i->parameters * sizeof *frame);
    frame[i->dst] = (int32_t)child;
    return next;
}

/* Runs one shared instruction, which may; returns where to go on. */
static uint32_t run_shared(const struct program *p, const struct instruction *i, int32_t *state, uint32_t agent,
                           uint32_t next)
{
    int32_t *frame = state + p->agents.item[agent].frame, *cell, value, self = (int32_t)agent + 1;
    struct waiters waiters;
    switch (i->code) {
    case CODE_LOAD: frame[i->dst] = state[place_of(i, frame)]; break;
    case CODE_STORE: state[place_of(i, frame)] = operand_a(i, frame); break;
    case CODE_CAS:
        cell = state + place_of(i, frame);
        value = *cell == operand_a(i, frame);
        if (value)
            *cell = operand_d(i, frame);
        frame[i->dst] = value;
        break;
    case CODE_FETCH_ADD:
        cell = state + place_of(i, frame);
        if (__builtin_add_overflow(*cell, operand_a(i, frame), &value))
            return (uint32_t)i->d;
        frame[i->dst] = *cell;
        *cell = value;
        break;
    case CODE_LOCK: state[place_of(i, frame)] = self; break;
    case CODE_UNLOCK:
        cell = state + place_of(i, frame);
        if (*cell != self)
            return (uint32_t)i->d;
        *cell = 0;
        break;
    case CODE_TRYLOCK:
        cell = state + place_of(i, frame);
        value = *cell == 0;
        if (value)
            *cell = self;
        frame[i->dst] = value;
        break;
    case CODE_WAIT:
        cell = state + i->dst + operand_a(i, frame);
        if (*cell != self)
            return (uint32_t)i->d;
        *cell = 0;
        state[waiting_cell(p, place_of(i, frame), agent)] = 1;
        break;
    case CODE_WAKE: wake(p, state, place_of(i, frame), agent); break;
    case CODE_SIGNAL:
    case CODE_BROADCAST:
        waiters = count_waiters(p, state, place_of(i, frame));
        if (waiters.count > waiters.permits)
            issue(p, state, place_of(i, frame), i->code == CODE_SIGNAL ? 1 : waiters.count - waiters.permits);
        break;
    case CODE_SPAWN: return run_spawn(p, i, state, frame, next);
    case CODE_EXIT: state[agent_object(p, agent)] = ENDED; break;
    case CODE_JOIN: return can_be_joined(p, operand_a(i, frame)) ? next : (uint32_t)i->d;
    default: break;
    }
    return next;
}

/* --------------------------------------------------------------------- steps */

enum outcome { RAN, BLOCKED };

/*
 * Runs from `at` until the agent rests: at a step, at its end, or failed.  With a record, runs one step only as far
 * as it accesses anything, writes down what, and leaves the program counter alone.
 */
static enum outcome run(const struct program *p, int32_t *state, uint32_t agent, uint32_t at, bool first,
                        struct record *record)
{
    const struct agent *self = &p->agents.item[agent];
    int32_t *frame = state + self->frame, value;
    uint32_t rounds = 0;
    for (;; first = false) {
        const struct instruction *i = &p->code.item[at];
        uint32_t next = at + 1;
        if (i->flags & IS_STEP && !first)
            break;
        switch (i->code) {
        case CODE_END: memset(frame + 1, 0, (self->slots - 1) * sizeof *frame); goto rest;
        case CODE_FAIL: goto rest;
        case CODE_MOVE: frame[i->dst] = operand_a(i, frame); break;
        case CODE_TRUTH: frame[i->dst] = operand_a(i, frame) != 0; break;
        case CODE_CALCULATE:
            if (apply(i->operation, operand_a(i, frame), operand_b(i, frame), &value))
                frame[i->dst] = value;
            else
                next = (uint32_t)i->d;
            break;
        case CODE_JUMP: next = (uint32_t)i->c; break;
        case CODE_JUMP_BACK: next = (uint32_t)(++rounds < MOST_ROUNDS ? i->c : i->d); break;
        case CODE_JUMP_NOT:
            if (!apply(i->operation, operand_a(i, frame), operand_b(i, frame), &value) || !value)
                next = (uint32_t)i->c;
            break;
        case CODE_CHECK_INDEX:
            value = operand_a(i, frame);
            if (value < 0 || value >= i->b)
                next = (uint32_t)i->d;
            break;
        case CODE_LOCAL_LOAD: frame[i->dst] = frame[i->c + operand_a(i, frame)]; break;
        case CODE_LOCAL_STORE: frame[i->c + operand_b(i, frame)] = operand_a(i, frame); break;
        case CODE_CLEAR: memset(frame + i->dst, 0, (size_t)i->c * sizeof *frame); break;
        case CODE_ATOMIC: break;
        case CODE_ATOMIC_END:
            if (record)
                return RAN;
            break;
        default:
            if (record)
                touch_objects(p, i, state, agent, record->step, record->synchronises);
            if (!may_run(p, i, state, agent))
                return BLOCKED;
            next = run_shared(p, i, state, agent, next);
            break;
        }
        at = next;
    }
    for (uint32_t slot = p->code.item[at].live; slot < self->slots; slot++)
        frame[slot] = 0;
rest:
    frame[0] = (int32_t)at;
    return RAN;
}

const struct instruction *machine_next(const struct program *p, const int32_t *state, uint32_t agent)
{
    const struct instruction *i = &p->code.item[state[p->agents.item[agent].frame]];
    if (!(i->flags & IS_STEP) || (i->code == CODE_BEGIN && state[agent_object(p, agent)] == UNBORN))
        return NULL;
    return i;
}

void machine_fire(const struct program *p, int32_t *state, uint32_t agent)
{
    uint32_t at = (uint32_t)state[p->agents.item[agent].frame];
    run(p, state, agent, at, true, NULL);
}

/* An atomic step is tried on a copy. */
static enum outcome try_atomic(const struct program *p, const int32_t *state, uint32_t agent,
                               struct portolan_step *step)
{
    int32_t copy[p->cells];
    memcpy(copy, state, p->cells * sizeof *copy);
    uint32_t at = (uint32_t)state[p->agents.item[agent].frame];
    struct portolan_access accesses[p->most_accesses + 1];
    struct portolan_step scratch = {.accesses = accesses};
    struct record record = {.step = step ? step : &scratch, .synchronises = p->code.item[at].flags & SYNCHRONISES};
    return run(p, copy, agent, at, true, &record);
}

bool machine_enabled(const struct program *p, const int32_t *state, uint32_t agent)
{
    const struct instruction *i = machine_next(p, state, agent);
    if (!i)
        return false;
    if (i->code != CODE_ATOMIC)
        return may_run(p, i, state, agent);
    return !i->length || try_atomic(p, state, agent, NULL) == RAN;
}

/* Whether an atomic step waits may depend on what it would read if other values were there: all that it can read. */
static void touch_all(const struct program *p, const struct instruction *i, struct portolan_step *step)
{
    bool synchronises = i->flags & SYNCHRONISES;
    for (i++; i->code != CODE_ATOMIC_END; i++) {
        uint32_t places = i->length ? i->length : 1;
        if (i->code >= CODE_LOAD && i->code <= CODE_TRYLOCK)
            for (uint32_t k = 0; k < places; k++)
                touch(step, (uint32_t)i->c + (i->flags & B_IS_NUMBER ? (uint32_t)i->b : k), false,
                      synchronises || i->flags & SYNCHRONISES);
        else if (i->code >= CODE_WAIT && i->code <= CODE_BROADCAST)
            for (uint32_t k = 0; k < p->conditions; k++)
                touch(step, condition_object(p, k), false, true);
        else if (i->code == CODE_SPAWN || i->code == CODE_JOIN)
            for (uint32_t k = 0; k < p->spawned; k++)
                touch(step, p->shared + k, false, true);
    }
}

void machine_footprint(const struct program *p, const int32_t *state, uint32_t agent, struct portolan_step *step)
{
    const struct instruction *i = &p->code.item[state[p->agents.item[agent].frame]];
    step->access_count = 0;
    step->waits_for = PORTOLAN_NO_OBJECT;
    if (i->code == CODE_ATOMIC) {
        step->enabled = try_atomic(p, state, agent, step) == RAN;
        if (i->length && !(i->flags & WAITS_FOR_ONE)) {
            step->waits_for = PORTOLAN_SEVERAL_OBJECTS;
            touch_all(p, i, step);
        } else if (i->length && step->access_count)
            step->waits_for = step->accesses[0].object;
        return;
    }
    step->enabled = may_run(p, i, state, agent);
    touch_objects(p, i, state, agent, step, false);
    if ((i->code == CODE_LOCK || i->code == CODE_WAKE || i->code == CODE_BEGIN || i->code == CODE_JOIN) &&
        step->access_count)
        step->waits_for = step->accesses[0].object;
}

void machine_initial(const struct program *p, int32_t *state)
{
    memset(state, 0, p->cells * sizeof *state);
    if (p->shared)
        memcpy(state, p->initial_cells.item, p->shared * sizeof *state);
    for (uint32_t agent = 0; agent < p->agents.count; agent++)
        run(p, state, agent, p->agents.item[agent].entry, false, NULL);
}

/* ---------------------------------------------------------------------- words */

void machine_describe(const struct program *p, const int32_t *state, uint32_t agent, char *text, size_t size)
{
    const int32_t *frame = state + p->agents.item[agent].frame;
    const struct instruction *i = &p->code.item[frame[0]];
    const char *name = p->points.item[i->point].name;
    const char *object = "?", *said = strchr(name, ' '); /* behind "thread:line" */
    if (i->code >= CODE_LOAD && i->code <= CODE_TRYLOCK)
        object = p->object_names[place_of(i, frame)];
    int32_t value = i->code >= CODE_LOAD && i->code <= CODE_TRYLOCK ? state[place_of(i, frame)] : 0;
    switch (i->code) {
    case CODE_LOAD: snprintf(text, size, "read %s = %d", object, value); break;
    case CODE_STORE: snprintf(text, size, "%s = %d", object, operand_a(i, frame)); break;
    case CODE_CAS:
        snprintf(text, size, "cas(%s, %d, %d) (%s: it is %d)", object, operand_a(i, frame), operand_d(i, frame),
                 value == operand_a(i, frame) ? "true" : "false", value);
        break;
    case CODE_FETCH_ADD: snprintf(text, size, "fetch_add(%s, %d) = %d", object, operand_a(i, frame), value); break;
    case CODE_LOCK: snprintf(text, size, "lock(%s)%s", object, value ? " (waits)" : ""); break;
    case CODE_UNLOCK: snprintf(text, size, "unlock(%s)", object); break;
    case CODE_TRYLOCK: snprintf(text, size, "trylock(%s) (%s)", object, value ? "false" : "true"); break;
    default:
        snprintf(text, size, "%s%s", said ? said + 1 : name, machine_enabled(p, state, agent) ? "" : " (waits)");
        break;
    }
}
