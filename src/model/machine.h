/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running code.  It is inlined three times: to fire, to find out whether an action blocks, and to write down what it
 * touches; what is not wanted vanishes.
 *
 * A waiter of a condition variable has in its cell 1 + the permits issued since it began to wait that nobody has taken:
 * signal issues one when there are more waiters than permits, and whoever wakes takes the oldest permit it may take. So
 * signal wakes any one of those waiting at that moment, without choosing which.
 */
#ifndef MODEL_MACHINE_H
#define MODEL_MACHINE_H

#include "model/derived.h"

#include <string.h>

enum { MOST_ROUNDS = 100000 }; /* jumps back in one step */

enum purpose { TO_FIRE, TO_TRY, TO_RECORD };
enum outcome { RAN, BLOCKED, NARROW };

struct run {
    const struct instance *in;
    const struct instruction *code;
    const struct field *field; /* of the cells */
    const struct integer_type *types;
    uint64_t *state;
    int64_t *registers;
    uint32_t process;
    struct portolan_step *step; /* TO_RECORD */
};

static inline struct run make_run(const struct instance *in, uint64_t *state, int64_t *registers, uint32_t process)
{
    return (struct run){
        in, in->model->code.item, in->packed.layout.field, in->model->types.item, state, registers, process, NULL};
}

static inline int64_t operand_a(const struct instruction *i, const int64_t *registers)
{
    return i->flags & A_IS_NUMBER ? i->a : registers[i->a];
}

static inline int64_t operand_b(const struct instruction *i, const int64_t *registers)
{
    return i->flags & B_IS_NUMBER ? i->b : registers[i->b];
}

static inline int64_t operand_d(const struct instruction *i, const int64_t *registers)
{
    return i->flags & D_IS_NUMBER ? i->d : registers[i->d];
}

static inline uint32_t place_of(const struct instruction *i, const int64_t *registers)
{
    return (uint32_t)(i->c + operand_b(i, registers));
}

static inline int64_t read_cell(const struct run *r, uint32_t cell)
{
    return field_get(&r->field[cell], r->state);
}

/* Takes a note for widen, which follows where the system is compact. */
static inline bool put_cell(const struct run *r, uint32_t cell, int64_t value)
{
    if (__builtin_expect(!field_fits(&r->field[cell], value), 0)) {
        misfit = (struct misfit){.field = cell, .value = value};
        return false;
    }
    field_put(&r->field[cell], r->state, value);
    return true;
}

/* ------------------------------------------------------------------- recording */

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

static inline void touch_cell(const struct run *r, uint32_t cell, bool writes, bool synchronises)
{
    uint32_t object = r->in->model->cells.item[cell].object;
    if (object != MODEL_NONE)
        touch(r->step, object, writes, synchronises);
}

/* ---------------------------------------------------------- condition variables */

struct waiters {
    int64_t count, permits;
};

/* The first of the cells of a condition variable. */
static inline uint32_t condition_of(const struct run *r, const struct instruction *i)
{
    return (uint32_t)(i->c + operand_b(i, r->registers) * (int64_t)r->in->model->processes.count);
}

static inline struct waiters count_waiters(const struct run *r, uint32_t condition)
{
    struct waiters waiters = {0};
    for (uint32_t p = 0; p < r->in->model->processes.count; p++) {
        int64_t value = read_cell(r, condition + p);
        waiters.count += value > 0;
        if (value - 1 > waiters.permits)
            waiters.permits = value - 1;
    }
    return waiters;
}

static inline bool issue(const struct run *r, uint32_t condition, int64_t permits)
{
    for (uint32_t p = 0; p < r->in->model->processes.count; p++) {
        int64_t value = read_cell(r, condition + p);
        if (value > 0 && !put_cell(r, condition + p, value + permits))
            return false;
    }
    return true;
}

/* The process takes the oldest permit it may take; whoever could have taken that one has one less. */
static inline void wake(const struct run *r, uint32_t condition)
{
    int64_t own = read_cell(r, condition + r->process);
    put_cell(r, condition + r->process, 0);
    for (uint32_t p = 0; p < r->in->model->processes.count; p++) {
        int64_t value = read_cell(r, condition + p);
        if (value >= own)
            put_cell(r, condition + p, value - 1);
    }
}

/* -------------------------------------------------------------------- processes */

static inline uint32_t life_of(const struct run *r, int64_t process)
{
    const struct model *m = r->in->model;
    return process >= 0 && (size_t)process < m->processes.count ? m->processes.item[process].life : MODEL_NONE;
}

static inline uint32_t child_to_spawn(const struct run *r, const struct instruction *i)
{
    for (uint32_t child = (uint32_t)i->c; child < (uint32_t)(i->c + i->b); child++)
        if (read_cell(r, life_of(r, child)) == UNBORN)
            return child;
    return MODEL_NONE;
}

/* ------------------------------------------------------- what blocks, what touches */

static inline bool may_run(const struct run *r, const struct instruction *i)
{
    switch (i->code) {
    case CODE_REQUIRE: return operand_a(i, r->registers) != 0;
    case CODE_LOCK: return read_cell(r, place_of(i, r->registers)) == 0;
    case CODE_WAKE: return read_cell(r, condition_of(r, i) + r->process) > 1;
    case CODE_JOIN: {
        uint32_t life = life_of(r, operand_a(i, r->registers));
        return life == MODEL_NONE || read_cell(r, life) == ENDED;
    }
    default: return true;
    }
}

/* What an instruction touches in this state. */
void machine_touch(const struct run *run, const struct instruction *instruction);

/* ------------------------------------------------------------------ instructions */

static inline bool put_in_queue(const struct run *r, const struct instruction *i, const struct instruction **next,
                                bool *fits)
{
    for (uint32_t k = 0; k < i->length; k++)
        if (read_cell(r, (uint32_t)i->c + k) == 0) {
            *fits = put_cell(r, (uint32_t)i->c + k, operand_a(i, r->registers));
            return true;
        }
    if (i->d >= 0)
        *next = r->code + i->d;
    return false;
}

static inline bool take_from_queue(const struct run *r, const struct instruction *i)
{
    bool fits = true;
    r->registers[i->dst] = read_cell(r, (uint32_t)i->c);
    for (uint32_t k = 0; k < i->length && fits; k++)
        fits = put_cell(r, (uint32_t)i->c + k, k + 1 < i->length ? read_cell(r, (uint32_t)i->c + k + 1) : 0);
    return fits;
}

/* Is the cell one whose value no longer matters where its owner is? */
static inline bool is_dead(const struct run *r, uint32_t cell)
{
    uint32_t owner = r->in->model->cells.item[cell].owner;
    if (owner == MODEL_NONE || !r->in->keep)
        return false;
    uint32_t set = r->in->model->locations.item[location_of(r->in, r->state, owner)].dead;
    const struct field *field = &r->field[cell];
    return set != MODEL_NONE && field->word >= r->in->keep_first_word[owner] &&
           field->word < r->in->keep_first_word[owner] + r->in->keep_words[owner] &&
           !(r->in->keep[set][field->word - r->in->keep_first_word[owner]] >> field->shift & 1);
}

static inline bool run_spawn(const struct run *r, const struct instruction *i, const struct instruction **next)
{
    uint32_t child = child_to_spawn(r, i), first;
    if (child == MODEL_NONE) {
        *next = r->code + i->d;
        return true;
    }
    if (!put_cell(r, life_of(r, child), BORN))
        return false;
    first = r->in->model->processes.item[child].first_register;
    for (uint32_t k = 0; k < i->length; k++)
        if (!put_cell(r, first + k, r->registers[i->a + (int32_t)k]))
            return false;
    r->registers[i->dst] = child;
    return true;
}

/* Runs an instruction that is no plain access, and may; false when a value does not fit.  It is given the parts of a
 * run, so that the compiler need not keep one in memory for it. */
bool machine_run_rare(const struct instance *in, uint64_t *state, int64_t *registers, uint32_t process,
                      const struct instruction *instruction, const struct instruction **next);

/* The process rests: its location, the registers that its action writes and that live there, and no dead cells. */
static inline __attribute__((always_inline)) bool rest(const struct run *r, const struct action_summary *s,
                                                       uint32_t location, uint32_t live_before, const uint16_t *written)
{
    const struct arrival *l = &r->in->arrivals[location];
    const struct field *field = r->field + s->first_cell;
    r->state[l->word] = (r->state[l->word] & l->keep) | l->bits;
    for (const uint16_t *k = written, *end = written + s->writes; k < end; k++)
        if (*k < l->live && !put_cell(r, s->first_cell + *k, r->registers[*k]))
            return false;
    for (uint32_t k = l->live; k < live_before; k++)
        field_put(&field[k], r->state, 0);
    if (__builtin_expect(l->dead != MODEL_NONE, 0))
        for (uint32_t w = 0; w < r->in->keep_words[r->process]; w++)
            r->state[r->in->keep_first_word[r->process] + w] &= r->in->keep[l->dead][w];
    return true;
}

/* The instruction that follows. */
static inline __attribute__((always_inline)) const struct instruction *
calculate(const struct run *r, const struct instruction *i, enum operation operation)
{
    int64_t value;
    if (arithmetic(operation, &r->types[i->type], operand_a(i, r->registers), operand_b(i, r->registers), &value))
        return r->code + i->d;
    r->registers[i->dst] = value;
    return i + 1;
}

static inline __attribute__((always_inline)) const struct instruction *convert(const struct run *r,
                                                                               const struct instruction *i)
{
    int64_t value;
    if (arithmetic_convert(&r->types[i->type], operand_a(i, r->registers), &value))
        return r->code + i->d;
    r->registers[i->dst] = value;
    return i + 1;
}

/*
 * Runs from `at` to the end.  To try is to find out whether it blocks, so it ends where nothing can any more; to record
 * is to write down what is touched.  Neither lets the process rest.  *end is where it would.
 */
static inline __attribute__((always_inline)) enum outcome run_code(const struct run *r, uint32_t at,
                                                                   enum purpose purpose, uint32_t *end)
{
    int64_t *registers = r->registers, value;
    uint32_t rounds = 0, cell;
    for (const struct instruction *i = r->code + at, *next;;) {
        if ((purpose == TO_TRY && i->flags & DECIDED) ||
            (purpose == TO_RECORD && (~i->flags & (DECIDED | UNTOUCHING)) == 0))
            return RAN;
        switch ((enum code)i->code) {
        case CODE_REST: *end = (uint32_t)i->c; return RAN;
        case CODE_MOVE: registers[i->dst] = operand_a(i, registers); break;
        case CODE_TRUTH: registers[i->dst] = operand_a(i, registers) != 0; break;
        case CODE_CALCULATE: i = calculate(r, i, i->operation); continue;
        case CODE_SUM: i = calculate(r, i, OPERATION_ADD); continue;
        case CODE_PRODUCT: i = calculate(r, i, OPERATION_MULTIPLY); continue;
        case CODE_REMAINDER: i = calculate(r, i, OPERATION_REMAINDER); continue;
        case CODE_CONVERT: i = convert(r, i); continue;
        case CODE_JUMP: i = r->code + i->c; continue;
        case CODE_JUMP_BACK: i = r->code + (++rounds < MOST_ROUNDS ? i->c : i->d); continue;
        case CODE_JUMP_NOT:
            i = compare(i->operation, operand_a(i, registers), operand_b(i, registers)) ? i + 1 : r->code + i->c;
            continue;
        case CODE_JUMP_NOT_EQUAL:
            i = operand_a(i, registers) == operand_b(i, registers) ? i + 1 : r->code + i->c;
            continue;
        case CODE_JUMP_NOT_LESS:
            i = operand_a(i, registers) < operand_b(i, registers) ? i + 1 : r->code + i->c;
            continue;
        case CODE_CHECK_INDEX:
            i = (uint64_t)operand_a(i, registers) < (uint64_t)i->b ? i + 1 : r->code + i->d;
            continue;
        case CODE_REGISTER_LOAD: registers[i->dst] = registers[i->c + operand_a(i, registers)]; break;
        case CODE_REGISTER_STORE: registers[i->c + operand_b(i, registers)] = operand_a(i, registers); break;
        case CODE_CLEAR: memset(registers + i->dst, 0, (size_t)i->c * sizeof *registers); break;
        case CODE_FOREIGN: r->in->model->foreign->functions[i->c](registers + i->dst); break;
        case CODE_REQUIRE:
            if (purpose != TO_FIRE && !may_run(r, i))
                return BLOCKED;
            break;
        case CODE_LOAD:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            registers[i->dst] = read_cell(r, place_of(i, registers));
            break;
        case CODE_STORE:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            if (!put_cell(r, place_of(i, registers), operand_a(i, registers)))
                return NARROW;
            break;
        case CODE_ADD:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            cell = place_of(i, registers);
            if (!is_dead(r, cell) && !put_cell(r, cell, read_cell(r, cell) + i->a))
                return NARROW;
            break;
        case CODE_CAS:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            cell = place_of(i, registers);
            value = read_cell(r, cell) == operand_a(i, registers);
            if (value && !put_cell(r, cell, operand_d(i, registers)))
                return NARROW;
            registers[i->dst] = value;
            break;
        case CODE_UNLOCK:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            cell = place_of(i, registers);
            if (read_cell(r, cell) != (int64_t)r->process + 1) {
                i = r->code + i->d;
                continue;
            }
            field_put(&r->field[cell], r->state, 0); /* which it has held before */
            break;
        case CODE_LOCK:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            if (purpose != TO_FIRE && !may_run(r, i))
                return BLOCKED;
            if (purpose == TO_TRY && i[1].flags & DECIDED)
                return RAN;
            if (!put_cell(r, place_of(i, registers), (int64_t)r->process + 1))
                return NARROW;
            break;
        case CODE_FETCH_ADD:
        case CODE_TRYLOCK:
        case CODE_WAIT:
        case CODE_WAKE:
        case CODE_SIGNAL:
        case CODE_BROADCAST:
        case CODE_SPAWN:
        case CODE_JOIN:
        case CODE_APPEND:
        case CODE_TAKE:
            if (purpose == TO_RECORD)
                machine_touch(r, i);
            if (purpose != TO_FIRE && blocks(i)) {
                if (!may_run(r, i))
                    return BLOCKED;
                if (purpose == TO_TRY && i[1].flags & DECIDED)
                    return RAN;
            }
            next = i + 1;
            if (!machine_run_rare(r->in, r->state, registers, r->process, i, &next))
                return NARROW;
            i = next;
            continue;
        default: __builtin_unreachable(); /* so that nobody tests for it */
        }
        i++;
    }
}

static inline uint32_t live_registers(const struct instance *in, const uint64_t *state, const struct action_summary *s)
{
    return s->process == MODEL_NONE ? 0 : in->arrivals[location_of(in, state, s->process)].live;
}

/* The registers that an action uses, as they are where its process rests: 0 for those that live in a step only. */
static inline uint32_t load_registers(const struct instance *in, const uint64_t *state, uint32_t action,
                                      int64_t *registers)
{
    const struct action_summary *summary = &in->derived->summaries[action];
    uint32_t live = summary->is_plain ? summary->live : live_registers(in, state, summary);
    const struct field *field = in->packed.layout.field + summary->first_cell;
    const uint16_t *first = in->derived->registers.item + summary->first_register, *end = first + summary->uses;
    for (const uint16_t *k = first; k < end; k++)
        registers[*k] = *k < live ? field_get(&field[*k], state) : 0;
    return live;
}

#endif
