/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is read only to find out whether an action blocks: a number is loaded, compared with a number, and the action
 * blocks unless the comparison holds; nothing else is done with it.  Such a read is part of the guard and no more, so
 * the action commutes with whoever writes there, wherever both orders are possible; and what is stored there can only
 * enable the action when the comparison holds of it, and only disable it when it does not.
 */
#include "model/relating.h"

#include "base/limits.h"

#include <stdlib.h>

struct wanting {
    const struct model *m;
    bool *is_target; /* per instruction: it may come after another one than that before it */
    struct walk walk;
};

/* May the register be read from here on?  That something else is written to it first does not count. */
static bool is_read_later(struct wanting *w, uint32_t from, int32_t reg)
{
    uint32_t at;
    for (walk_begin(&w->walk, from); walk_next(&w->walk, &at);) {
        const struct instruction *i = &w->m->code.item[at];
        unsigned read = operands_read(i) & ~(unsigned)i->flags;
        if (i->code == CODE_FOREIGN || i->code == CODE_SPAWN || i->code == CODE_REGISTER_LOAD ||
            (read & READS_A && i->a == reg) || (read & READS_B && i->b == reg) || (read & READS_D && i->d == reg)) {
            w->walk.open.count = 0;
            return true;
        }
    }
    return false;
}

static bool always_blocks(const struct instruction *i)
{
    return i->code == CODE_REQUIRE && i->flags & A_IS_NUMBER && i->a == 0;
}

/* The comparison of a register with a number; false where it is another one. */
static bool compares_with_number(const struct instruction *i, int32_t reg, enum operation *operation, int64_t *number)
{
    *operation = i->code == CODE_JUMP_NOT_EQUAL  ? OPERATION_EQUAL
                 : i->code == CODE_JUMP_NOT_LESS ? OPERATION_LESS
                                                 : (enum operation)i->operation;
    bool compares = i->code == CODE_JUMP_NOT_EQUAL || i->code == CODE_JUMP_NOT_LESS || i->code == CODE_JUMP_NOT ||
                    (i->code == CODE_CALCULATE && (*operation == OPERATION_EQUAL || *operation == OPERATION_NOT_EQUAL));
    *number = i->b;
    return compares && !(i->flags & A_IS_NUMBER) && i->a == reg && i->flags & B_IS_NUMBER;
}

/* Is the register one that may be kept while the process of the action rests? */
static bool is_kept(const struct model *m, const struct action *a, int32_t reg)
{
    return a->process != MODEL_NONE && reg < (int32_t)m->processes.item[a->process].registers;
}

/* What the load wants to go on, WANTS_MORE when something else is done with what it finds. */
static enum wants wanted_by_load(struct wanting *w, const struct action *a, uint32_t at, int64_t *number)
{
    const struct instruction *load = &w->m->code.item[at], *compare = load + 1, *require = load + 2;
    enum operation operation;
    if (at + 2 < w->m->code.count && !w->is_target[at + 1] && !is_kept(w->m, a, load->dst) &&
        compares_with_number(compare, load->dst, &operation, number)) {
        uint32_t next = at + 2;
        bool blocks = has_jump(compare) && always_blocks(&w->m->code.item[compare->c]);
        if (compare->code == CODE_CALCULATE) {
            next = at + 3;
            blocks = !w->is_target[at + 2] && require->code == CODE_REQUIRE && !(require->flags & A_IS_NUMBER) &&
                     require->a == compare->dst && next < w->m->code.count &&
                     (compare->dst == load->dst || !is_read_later(w, next, compare->dst));
        }
        if (blocks && !is_read_later(w, next, load->dst))
            return operation == OPERATION_EQUAL       ? WANTS_EQUAL
                   : operation == OPERATION_NOT_EQUAL ? WANTS_OTHER
                                                      : WANTS_SOME;
    }
    return WANTS_MORE;
}

static bool touches(const struct instruction *i, uint32_t cell)
{
    if (i->code < CODE_LOAD)
        return false;
    if (i->code > CODE_TRYLOCK)
        return true; /* whatever it is */
    if (i->flags & B_IS_NUMBER)
        return (uint32_t)(i->c + i->b) == cell;
    return cell >= (uint32_t)i->c && cell < (uint32_t)i->c + (i->length ? i->length : 1);
}

/* What all loads of the cell want. */
static void find_wants(struct wanting *w, const struct action *a, struct access *access, uint32_t *code, size_t count)
{
    access->wants = WANTS_MORE;
    for (size_t k = 0; k < count && a->common == MODEL_NONE; k++) {
        const struct instruction *i = &w->m->code.item[code[k]];
        int64_t number = 0;
        if (!touches(i, access->cell))
            continue;
        enum wants wants = i->code == CODE_LOAD ? wanted_by_load(w, a, code[k], &number) : WANTS_MORE;
        bool differs = access->wants != WANTS_MORE && (wants != access->wants || number != access->wanted);
        access->wants = wants != WANTS_MORE && differs ? WANTS_SOME : wants;
        access->wanted = number;
        if (wants == WANTS_MORE)
            return;
    }
}

static void mark_targets(struct wanting *w)
{
    const struct model *m = w->m;
    for (size_t at = 0; at < m->code.count; at++) {
        const struct instruction *i = &m->code.item[at];
        if (has_jump(i))
            w->is_target[i->c] = true;
        if (has_failure_jump(i))
            w->is_target[i->d] = true;
    }
    for (size_t k = 0; k < m->edges.count; k++)
        w->is_target[m->edges.item[k].code] = true;
}

bool find_what_is_wanted(struct derived *d)
{
    const struct model *m = d->model;
    struct wanting w = {.m = m, .is_target = calloc(m->code.count + 1, sizeof *w.is_target)};
    VECTOR(uint32_t) code = {0};
    bool fine = walk_make(&w.walk, m) && w.is_target;
    if (fine)
        mark_targets(&w);
    for (uint32_t t = 0; t < m->actions.count && fine; t++) {
        const struct action_summary *summary = &d->summaries[t];
        const struct action *a = &m->actions.item[t];
        uint32_t at;
        code.count = 0;
        for (uint32_t k = 0; k < a->edges && summary->may_block; k++)
            for (walk_begin(&w.walk, m->edges.item[a->first_edge + k].code); fine && walk_next(&w.walk, &at);)
                fine = !touches_cells(&m->code.item[at]) || vector_push(&code, at);
        for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses && code.count; k++)
            if (d->accesses.item[k].kind == ACCESS_READS)
                find_wants(&w, a, &d->accesses.item[k], code.item, code.count);
        fine = fine && !limits_reached() && !w.walk.failed;
    }
    walk_clear(&w.walk);
    free(code.item);
    free(w.is_target);
    return fine;
}

bool may_satisfy(const struct access *read, const struct access *write)
{
    if (write->kind != ACCESS_SETS || (read->wants != WANTS_EQUAL && read->wants != WANTS_OTHER))
        return true;
    return (write->value == read->wanted) == (read->wants == WANTS_EQUAL);
}

bool may_dissatisfy(const struct access *read, const struct access *write)
{
    if (write->kind != ACCESS_SETS || (read->wants != WANTS_EQUAL && read->wants != WANTS_OTHER))
        return true;
    return (write->value == read->wanted) != (read->wants == WANTS_EQUAL);
}
