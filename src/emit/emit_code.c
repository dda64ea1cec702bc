/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of an action as a function of C.  Cells are read and written in a copy n of the state, at offsets that are
 * numbers; the registers are an array r, which the compiler takes apart; what is still open is one of the results in
 * emitter.h.  Instructions mean what they mean in model/machine.h, one by one.
 */
#include "emit/emitter.h"
#include "model/quick.h"

#include <inttypes.h>
#include <stdlib.h>

void emit_number(struct emitter *e, int64_t value)
{
    if (value > INT32_MIN && value <= INT32_MAX)
        fprintf(e->out, "(i64)(%" PRId64 ")", value);
    else
        fprintf(e->out, "(i64)0x%" PRIx64 "u", (uint64_t)value);
}

/* ------------------------------------------------------------------------ fields */

static void emit_low(struct emitter *e, int64_t low)
{
    if (low)
        fprintf(e->out, " + 0x%" PRIx64 "u", (uint64_t)low);
}

void emit_cell(struct emitter *e, const char *words, uint32_t cell)
{
    const struct field *f = &e->in->packed.layout.field[cell];
    if (f->bits == 0) {
        emit_number(e, f->low);
        return;
    }
    fprintf(e->out, "(i64)((%s[%u] >> %u & 0x%" PRIx64 "u)", words, f->word, f->shift, f->mask);
    emit_low(e, f->low);
    fputc(')', e->out);
}

/* Writes the value v, which is one of the emitted text. */
static void emit_put(struct emitter *e, uint32_t cell, const char *v)
{
    const struct field *f = &e->in->packed.layout.field[cell];
    if (f->mask != UINT64_MAX)
        fprintf(e->out, "if ((u64)%s - 0x%" PRIx64 "u > 0x%" PRIx64 "u) return %d; ", v, (uint64_t)f->low, f->mask,
                STEP_UNDECIDED);
    if (f->bits)
        fprintf(e->out, "n[%u] = (n[%u] & 0x%" PRIx64 "u) | ((u64)%s - 0x%" PRIx64 "u) << %u; ", f->word, f->word,
                ~(f->mask << f->shift), v, (uint64_t)f->low, f->shift);
}

/* Fields of a run of cells that are alike and stand one behind the other need no table. */
struct shape {
    bool is_regular;
    uint32_t first, stride; /* in bits */
    const struct field *like;
};

static struct shape shape_of(const struct emitter *e, uint32_t first, uint32_t length)
{
    const struct field *f = &e->in->packed.layout.field[first];
    struct shape shape = {.first = f->word * 64 + f->shift, .like = f, .is_regular = true};
    for (uint32_t k = 1; k < length && shape.is_regular; k++) {
        uint32_t at = f[k].word * 64 + f[k].shift, before = f[k - 1].word * 64 + f[k - 1].shift;
        if (k == 1)
            shape.stride = at - before;
        shape.is_regular = f[k].mask == f->mask && f[k].low == f->low && at - before == shape.stride && at > before;
    }
    shape.is_regular &= f->bits > 0;
    return shape;
}

/* A place is a cell that is known, or cells of which one is meant: "place" is then a number of the emitted text. */
struct place {
    bool is_known;
    uint32_t cell, length; /* the first */
};

static void emit_get_place(struct emitter *e, struct place p)
{
    struct shape shape = shape_of(e, p.cell, p.length);
    if (p.is_known)
        emit_cell(e, "n", p.cell);
    else if (!shape.is_regular)
        fprintf(e->out, "field_get(&f%u[place], n)", e->number);
    else {
        fprintf(e->out, "(i64)((n[bit >> 6] >> (bit & 63) & 0x%" PRIx64 "u)", shape.like->mask);
        emit_low(e, shape.like->low);
        fputc(')', e->out);
    }
}

static void emit_put_place(struct emitter *e, struct place p, const char *v)
{
    struct shape shape = shape_of(e, p.cell, p.length);
    if (p.is_known)
        emit_put(e, p.cell, v);
    else if (!shape.is_regular)
        fprintf(e->out, "if (!field_fits(&f%u[place], %s)) return %d; field_put(&f%u[place], n, %s); ", e->number, v,
                STEP_UNDECIDED, e->number, v);
    else
        fprintf(e->out,
                "if ((u64)%s - 0x%" PRIx64 "u > 0x%" PRIx64
                "u) return %d; n[bit >> 6] = (n[bit >> 6] & ~((u64)0x%" PRIx64
                "u << (bit & 63))) | ((u64)%s - 0x%" PRIx64 "u) << (bit & 63); ",
                v, (uint64_t)shape.like->low, shape.like->mask, STEP_UNDECIDED, shape.like->mask, v,
                (uint64_t)shape.like->low);
}

/* ---------------------------------------------------------------------- operands */

/* Where an instruction goes on that fails; one that has no such place never does. */
static void emit_failure(struct emitter *e, const struct instruction *i)
{
    if (i->d >= 0)
        fprintf(e->out, "goto L%d; ", i->d);
    else
        fprintf(e->out, "return %d; ", STEP_UNDECIDED);
}

static void emit_operand(struct emitter *e, bool is_number, int32_t operand)
{
    if (is_number)
        emit_number(e, operand);
    else
        fprintf(e->out, "r[%d]", operand);
}

static void emit_a(struct emitter *e, const struct instruction *i)
{
    emit_operand(e, i->flags & A_IS_NUMBER, i->a);
}

static void emit_b(struct emitter *e, const struct instruction *i)
{
    emit_operand(e, i->flags & B_IS_NUMBER, i->b);
}

/* Begins a block in which the place c + b can be used. */
static struct place emit_place(struct emitter *e, const struct instruction *i)
{
    bool is_known = i->flags & B_IS_NUMBER;
    struct place p = {is_known, (uint32_t)(is_known ? i->c + i->b : i->c), is_known || !i->length ? 1 : i->length};
    struct shape shape = shape_of(e, p.cell, p.length);
    fputs("{ ", e->out);
    if (p.is_known)
        return p;
    if (shape.is_regular)
        fprintf(e->out, "u32 bit = %uu + (u32)r[%d] * %uu; ", shape.first, i->b, shape.stride);
    else
        fprintf(e->out, "u32 place = %uu + (u32)r[%d]; ", p.cell, i->b);
    return p;
}

/* ----------------------------------------------------------------------- resting */

static void emit_registers_at_rest(struct emitter *e, const struct action_summary *s, uint32_t from, uint32_t to)
{
    const struct location *l = &e->model->locations.item[to];
    const uint16_t *written = e->in->derived->registers.item + s->first_register;
    char name[24];
    for (uint32_t k = 0; k < s->writes; k++)
        if (written[k] < l->live) {
            snprintf(name, sizeof name, "r[%u]", written[k]);
            emit_put(e, s->first_cell + written[k], name);
        }
    for (uint32_t k = l->live; k < e->model->locations.item[from].live; k++) {
        const struct field *f = &e->in->packed.layout.field[s->first_cell + k];
        if (f->bits)
            fprintf(e->out, "n[%u] = (n[%u] & 0x%" PRIx64 "u) | 0x%" PRIx64 "u; ", f->word, f->word,
                    ~(f->mask << f->shift), (0 - (uint64_t)f->low) << f->shift);
    }
}

static void emit_rest(struct emitter *e, const struct action_summary *s, uint32_t from, uint32_t to)
{
    const struct instance *in = e->in;
    if (s->process != MODEL_NONE) {
        const struct field *f = &in->packed.layout.field[s->location_cell];
        uint32_t dead = e->model->locations.item[to].dead, first = in->keep ? in->keep_first_word[s->process] : 0;
        if (f->bits)
            fprintf(e->out, "n[%u] = (n[%u] & 0x%" PRIx64 "u) | 0x%" PRIx64 "u; ", f->word, f->word,
                    ~(f->mask << f->shift), ((uint64_t)(to - s->first_location) - (uint64_t)f->low) << f->shift);
        emit_registers_at_rest(e, s, from, to);
        for (uint32_t w = 0; dead != MODEL_NONE && w < in->keep_words[s->process]; w++)
            fprintf(e->out, "n[%u] &= 0x%" PRIx64 "u; ", first + w, in->keep[dead][w]);
    }
    for (uint32_t w = 0; w < in->packed.layout.words; w++)
        fprintf(e->out, "o[%u] = n[%u]; ", w, w);
    fprintf(e->out, "return %d;\n", STEP_DONE);
}

/* ------------------------------------------------------------- rare instructions */

static void emit_calculation(struct emitter *e, const struct instruction *i, enum operation operation)
{
    static const char *const overflowing[] = {
        [OPERATION_ADD] = "add", [OPERATION_SUBTRACT] = "sub", [OPERATION_MULTIPLY] = "mul"};
    static const char *const bits[] = {[OPERATION_BIT_AND] = "&", [OPERATION_BIT_OR] = "|", [OPERATION_BIT_XOR] = "^"};
    bool overflows = operation >= OPERATION_ADD && operation <= OPERATION_MULTIPLY;
    fputs("{ i64 a = ", e->out);
    emit_a(e, i);
    fputs(", b = ", e->out);
    emit_b(e, i);
    fputs(", v; if (", e->out);
    if (overflows)
        fprintf(e->out,
                "__builtin_%s_overflow(a, b, &v) ? arithmetic_beyond(&t%u[%u], v, &v) : "
                "arithmetic_convert(&t%u[%u], v, &v)",
                overflowing[operation], e->number, i->type, e->number, i->type);
    else if (operation >= OPERATION_BIT_AND && operation <= OPERATION_BIT_XOR)
        fprintf(e->out, "arithmetic_convert(&t%u[%u], a %s b, &v)", e->number, i->type, bits[operation]);
    else
        fprintf(e->out, "arithmetic(%d, &t%u[%u], a, b, &v)", (int)operation, e->number, i->type);
    fputs(") ", e->out);
    emit_failure(e, i);
    fprintf(e->out, "r[%d] = v; }\n", i->dst);
}

static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};

static void emit_jump_not(struct emitter *e, const struct instruction *i, enum operation operation)
{
    bool compares_them = compares(operation);
    fputs("if (!(", e->out);
    emit_a(e, i);
    fprintf(e->out, " %s ", comparisons[compares_them ? operation - OPERATION_EQUAL : 0]);
    emit_b(e, i);
    fprintf(e->out, ")) goto L%d;\n", i->c);
}

/* The cells of a condition variable begin at "first"; begins a block. */
static void emit_condition(struct emitter *e, const struct instruction *i)
{
    fprintf(e->out, "{ u32 first = %du + (u32)", i->c);
    emit_b(e, i);
    fprintf(e->out, " * %uu; ", (unsigned)e->model->processes.count);
}

static void emit_wait(struct emitter *e, const struct instruction *i, uint32_t process)
{
    unsigned x = e->number;
    emit_condition(e, i);
    fprintf(e->out, "const struct field *lock = &f%u[%d + (u32)", x, i->dst);
    emit_a(e, i);
    fprintf(e->out, "], *own = &f%u[first + %uu]; if (field_get(lock, n) != %" PRId64 ") ", x, process,
            (int64_t)process + 1);
    emit_failure(e, i);
    fprintf(e->out,
            "if (!field_fits(lock, 0) || !field_fits(own, 1)) return %d; field_put(lock, n, 0); "
            "field_put(own, n, 1); }\n",
            STEP_UNDECIDED);
}

static void emit_wake(struct emitter *e, const struct instruction *i, uint32_t process)
{
    unsigned processes = (unsigned)e->model->processes.count;
    emit_condition(e, i);
    fprintf(e->out,
            "const struct field *f = &f%u[first]; i64 own = field_get(f + %u, n); if (own <= 1) return %d; "
            "field_put(f + %u, n, 0); for (u32 p = 0; p < %uu; p++) { i64 v = field_get(f + p, n); if (v >= own) "
            "field_put(f + p, n, v - 1); } }\n",
            e->number, process, STEP_BLOCKS, process, processes);
}

static void emit_signal(struct emitter *e, const struct instruction *i)
{
    unsigned processes = (unsigned)e->model->processes.count;
    emit_condition(e, i);
    fprintf(e->out,
            "const struct field *f = &f%u[first]; i64 count = 0, permits = 0; for (u32 p = 0; p < %uu; p++) { i64 v = "
            "field_get(f + p, n); count += v > 0; if (v - 1 > permits) permits = v - 1; } i64 more = %s; "
            "for (u32 p = 0; count > permits && p < %uu; p++) { i64 v = field_get(f + p, n); if (v > 0) { "
            "if (!field_fits(f + p, v + more)) return %d; field_put(f + p, n, v + more); } } }\n",
            e->number, processes, i->code == CODE_SIGNAL ? "1" : "count - permits", processes, STEP_UNDECIDED);
}

static void emit_spawn(struct emitter *e, const struct instruction *i)
{
    char name[24];
    for (int32_t child = i->c; child < i->c + i->b; child++) {
        const struct process *p = &e->model->processes.item[child];
        fputs("if (", e->out);
        emit_cell(e, "n", p->life);
        fprintf(e->out, " == %d) { ", UNBORN);
        snprintf(name, sizeof name, "(i64)%d", BORN);
        emit_put(e, p->life, name);
        for (uint32_t k = 0; k < i->length; k++) {
            snprintf(name, sizeof name, "r[%d]", i->a + (int32_t)k);
            emit_put(e, p->first_register + k, name);
        }
        fprintf(e->out, "r[%d] = %d; } else ", i->dst, child);
    }
    emit_failure(e, i);
    fputc('\n', e->out);
}

static void emit_join(struct emitter *e, const struct instruction *i)
{
    fputs("switch (", e->out);
    emit_a(e, i);
    fputs(") { ", e->out);
    for (uint32_t p = 0; p < e->model->processes.count; p++) {
        uint32_t life = e->model->processes.item[p].life;
        if (life == MODEL_NONE)
            continue;
        fprintf(e->out, "case %u: if (", p);
        emit_cell(e, "n", life);
        fprintf(e->out, " != %d) return %d; break; ", ENDED, STEP_BLOCKS);
    }
    fputs("default: ", e->out);
    emit_failure(e, i);
    fputs("}\n", e->out);
}

static void emit_append(struct emitter *e, const struct instruction *i)
{
    fputs("{ i64 v = ", e->out);
    emit_a(e, i);
    fputs("; ", e->out);
    for (uint32_t k = 0; k < i->length; k++) {
        fputs("if (", e->out);
        emit_cell(e, "n", (uint32_t)i->c + k);
        fputs(" == 0) { ", e->out);
        emit_put(e, (uint32_t)i->c + k, "v");
        fputs("} else ", e->out);
    }
    if (i->d >= 0)
        fprintf(e->out, "goto L%d; }\n", i->d);
    else
        fputs("(void)v; }\n", e->out);
}

static void emit_take(struct emitter *e, const struct instruction *i)
{
    fprintf(e->out, "r[%d] = ", i->dst);
    emit_cell(e, "n", (uint32_t)i->c);
    fputs("; ", e->out);
    for (uint32_t k = 0; k < i->length; k++) {
        fputs("{ i64 v = ", e->out);
        if (k + 1 < i->length)
            emit_cell(e, "n", (uint32_t)i->c + k + 1);
        else
            fputs("0", e->out);
        fputs("; ", e->out);
        emit_put(e, (uint32_t)i->c + k, "v");
        fputs("} ", e->out);
    }
    fputc('\n', e->out);
}

static bool is_dead_at(const struct emitter *e, uint32_t cell, uint32_t location)
{
    const struct location *l = &e->model->locations.item[location];
    const struct field *f = &e->in->packed.layout.field[cell];
    uint32_t at = f->word - e->in->keep_first_word[l->process];
    return l->dead != MODEL_NONE && at < e->in->keep_words[l->process] && !(e->in->keep[l->dead][at] >> f->shift & 1);
}

/* Begins a block that is not run where the owner of the cell is at a location at which it is dead. */
static void emit_unless_dead(struct emitter *e, uint32_t cell)
{
    const struct process *p = &e->model->processes.item[e->model->cells.item[cell].owner];
    bool any = false;
    for (uint32_t l = 0; l < p->locations; l++) {
        if (!is_dead_at(e, cell, p->first_location + l))
            continue;
        fputs(any ? "case " : "switch (", e->out);
        if (!any) {
            emit_cell(e, "n", p->location_cell);
            fputs(") { case ", e->out);
        }
        fprintf(e->out, "%u: ", l);
        any = true;
    }
    if (any)
        fputs("break; default:; ", e->out);
    else
        fputs("{ ", e->out);
}

static void emit_add(struct emitter *e, const struct instruction *i)
{
    struct place p = emit_place(e, i);
    uint32_t owner = e->model->cells.item[p.cell].owner;
    bool may_be_dead = owner != MODEL_NONE && e->in->keep;
    if (may_be_dead && p.is_known && e->counts_at != MODEL_NONE &&
        e->model->locations.item[e->counts_at].process == owner) {
        may_be_dead = false;
        if (is_dead_at(e, p.cell, e->counts_at)) {
            fputs("}\n", e->out);
            return;
        }
    }
    e->failed |= may_be_dead && !p.is_known; /* no language has that */
    if (may_be_dead)
        emit_unless_dead(e, p.cell);
    else
        fputs("{ ", e->out);
    fputs("i64 v = ", e->out);
    emit_get_place(e, p);
    fprintf(e->out, " + %d; ", i->a);
    emit_put_place(e, p, "v");
    fputs("} }\n", e->out);
}

/* ------------------------------------------------------------------ instructions */

static void emit_store(struct emitter *e, const struct instruction *i)
{
    struct place p = emit_place(e, i);
    fputs("i64 v = ", e->out);
    emit_a(e, i);
    fputs("; ", e->out);
    emit_put_place(e, p, "v");
    fputs("}\n", e->out);
}

static void emit_cas(struct emitter *e, const struct instruction *i)
{
    struct place p = emit_place(e, i);
    fputs("i64 is = ", e->out);
    emit_get_place(e, p);
    fputs(" == ", e->out);
    emit_a(e, i);
    fputs("; if (is) { i64 v = ", e->out);
    emit_operand(e, i->flags & D_IS_NUMBER, i->d);
    fputs("; ", e->out);
    emit_put_place(e, p, "v");
    fprintf(e->out, "} r[%d] = is; }\n", i->dst);
}

static void emit_fetch_add(struct emitter *e, const struct instruction *i)
{
    struct place p = emit_place(e, i);
    fputs("i64 was = ", e->out);
    emit_get_place(e, p);
    fputs(", v; if (__builtin_add_overflow(was, ", e->out);
    emit_a(e, i);
    fprintf(e->out, ", &v) ? arithmetic_beyond(&t%u[%u], v, &v) : arithmetic_convert(&t%u[%u], v, &v)) ", e->number,
            i->type, e->number, i->type);
    emit_failure(e, i);
    fprintf(e->out, "r[%d] = was; ", i->dst);
    emit_put_place(e, p, "v");
    fputs("}\n", e->out);
}

static void emit_lock(struct emitter *e, const struct instruction *i, uint32_t process)
{
    char self[32];
    struct place p = emit_place(e, i);
    snprintf(self, sizeof self, "(i64)%" PRId64, (int64_t)process + 1);
    fputs("i64 v = ", e->out);
    emit_get_place(e, p);
    if (i->code == CODE_LOCK) {
        fprintf(e->out, "; if (v != 0) return %d; ", STEP_BLOCKS);
        emit_put_place(e, p, self);
    } else if (i->code == CODE_TRYLOCK) {
        fputs("; if (v == 0) { ", e->out);
        emit_put_place(e, p, self);
        fprintf(e->out, "} r[%d] = v == 0; ", i->dst);
    } else {
        fprintf(e->out, "; if (v != %s) ", self);
        emit_failure(e, i);
        emit_put_place(e, p, "(i64)0");
    }
    fputs("}\n", e->out);
}

static void emit_load(struct emitter *e, const struct instruction *i)
{
    struct place p = emit_place(e, i);
    fprintf(e->out, "r[%d] = ", i->dst);
    emit_get_place(e, p);
    fputs("; }\n", e->out);
}

/* Instructions on registers; false: it is none. */
static bool emit_on_registers(struct emitter *e, const struct instruction *i)
{
    switch (i->code) {
    case CODE_MOVE:
    case CODE_TRUTH:
        fprintf(e->out, "r[%d] = ", i->dst);
        emit_a(e, i);
        fputs(i->code == CODE_TRUTH ? " != 0;\n" : ";\n", e->out);
        return true;
    case CODE_CALCULATE: emit_calculation(e, i, i->operation); return true;
    case CODE_SUM: emit_calculation(e, i, OPERATION_ADD); return true;
    case CODE_PRODUCT: emit_calculation(e, i, OPERATION_MULTIPLY); return true;
    case CODE_REMAINDER: emit_calculation(e, i, OPERATION_REMAINDER); return true;
    case CODE_CONVERT:
        fprintf(e->out, "{ i64 v; if (arithmetic_convert(&t%u[%u], ", e->number, i->type);
        emit_a(e, i);
        fputs(", &v)) ", e->out);
        emit_failure(e, i);
        fprintf(e->out, "r[%d] = v; }\n", i->dst);
        return true;
    case CODE_CHECK_INDEX:
        fputs("if ((u64)", e->out);
        emit_a(e, i);
        fprintf(e->out, " >= %du) ", i->b);
        emit_failure(e, i);
        fputc('\n', e->out);
        return true;
    case CODE_REGISTER_LOAD:
        fprintf(e->out, "r[%d] = r[%d + ", i->dst, i->c);
        emit_a(e, i);
        fputs("];\n", e->out);
        return true;
    case CODE_REGISTER_STORE:
        fprintf(e->out, "r[%d + ", i->c);
        emit_b(e, i);
        fputs("] = ", e->out);
        emit_a(e, i);
        fputs(";\n", e->out);
        return true;
    case CODE_CLEAR:
        for (int32_t k = 0; k < i->c; k++)
            fprintf(e->out, "r[%d] = 0;\n", i->dst + k);
        return true;
    case CODE_FOREIGN: fprintf(e->out, "foreign%u[%d](r + %d);\n", e->number, i->c, i->dst); return true;
    case CODE_REQUIRE:
        fputs("if (", e->out);
        emit_a(e, i);
        fprintf(e->out, " == 0) return %d;\n", STEP_BLOCKS);
        return true;
    default: return false;
    }
}

static bool emit_jump(struct emitter *e, const struct instruction *i)
{
    switch (i->code) {
    case CODE_JUMP: fprintf(e->out, "goto L%d;\n", i->c); return true;
    case CODE_JUMP_BACK:
        fprintf(e->out, "if (++rounds < %d) goto L%d; else ", MOST_ROUNDS, i->c);
        emit_failure(e, i);
        fputc('\n', e->out);
        return true;
    case CODE_JUMP_NOT: emit_jump_not(e, i, i->operation); return true;
    case CODE_JUMP_NOT_EQUAL: emit_jump_not(e, i, OPERATION_EQUAL); return true;
    case CODE_JUMP_NOT_LESS: emit_jump_not(e, i, OPERATION_LESS); return true;
    default: return false;
    }
}

static void emit_instruction(struct emitter *e, const struct instruction *i, uint32_t process)
{
    if (emit_on_registers(e, i) || emit_jump(e, i))
        return;
    switch (i->code) {
    case CODE_LOAD: emit_load(e, i); break;
    case CODE_STORE: emit_store(e, i); break;
    case CODE_ADD: emit_add(e, i); break;
    case CODE_CAS: emit_cas(e, i); break;
    case CODE_FETCH_ADD: emit_fetch_add(e, i); break;
    case CODE_LOCK:
    case CODE_UNLOCK:
    case CODE_TRYLOCK: emit_lock(e, i, process); break;
    case CODE_WAIT: emit_wait(e, i, process); break;
    case CODE_WAKE: emit_wake(e, i, process); break;
    case CODE_SIGNAL:
    case CODE_BROADCAST: emit_signal(e, i); break;
    case CODE_SPAWN: emit_spawn(e, i); break;
    case CODE_JOIN: emit_join(e, i); break;
    case CODE_APPEND: emit_append(e, i); break;
    case CODE_TAKE: emit_take(e, i); break;
    default: e->failed = true; break; /* the interpreter runs models that have it */
    }
}

/* ---------------------------------------------------------------------- functions */

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The instructions that may be run from `at` on, in order. */
static void find_reached(struct emitter *e, uint32_t at)
{
    e->reached.count = 0;
    walk_begin(&e->walk, at);
    for (uint32_t k; walk_next(&e->walk, &k) && !e->failed;)
        e->failed |= !vector_push(&e->reached, k) || ++e->instructions > e->most_instructions;
    e->failed |= e->walk.failed;
    if (e->reached.count)
        qsort(e->reached.item, e->reached.count, sizeof *e->reached.item, by_number);
}

struct function {
    enum emitted what;
    const struct action_summary *summary;
    uint32_t from;
    bool is_common; /* the part in front, which goes on behind its end */
};

static void emit_code(struct emitter *e, const struct function *f, uint32_t at)
{
    find_reached(e, at);
    fprintf(e->out, "{ __label__ end;\n");
    for (size_t k = 0; k < e->reached.count && !e->failed; k++)
        fprintf(e->out, "__label__ L%u;\n", e->reached.item[k]);
    fprintf(e->out, "u32 rounds = 0; goto L%u;\n", at);
    for (size_t k = 0; k < e->reached.count && !e->failed; k++) {
        const struct instruction *i = &e->model->code.item[e->reached.item[k]];
        fprintf(e->out, "L%u: ", e->reached.item[k]);
        if (f->what == EMIT_TRIAL && !f->is_common && i->flags & DECIDED)
            fprintf(e->out, "return %d;\n", STEP_DONE);
        else if (i->code != CODE_REST)
            emit_instruction(e, i, f->summary->process);
        else if (f->is_common)
            fprintf(e->out, "goto end;\n");
        else if (f->what == EMIT_TRIAL)
            fprintf(e->out, "return %d;\n", STEP_DONE);
        else
            emit_rest(e, f->summary, f->from, (uint32_t)i->c);
    }
    fputs("end: (void)rounds; }\n", e->out);
}

/* Registers that are kept where the process is; those that live in a step only are 0. */
static void emit_registers(struct emitter *e, const struct action_summary *s, uint32_t from)
{
    const uint16_t *used = e->in->derived->registers.item + s->first_register;
    fprintf(e->out, "i64 r[%u]; (void)r; ", e->in->derived->most_registers + 1);
    if (s->process == MODEL_NONE)
        return;
    for (uint32_t k = 0; k < s->uses; k++) {
        fprintf(e->out, "r[%u] = ", used[k]);
        if (used[k] < e->model->locations.item[from].live)
            emit_cell(e, "s", s->first_cell + used[k]);
        else
            fputs("0", e->out);
        fputs("; ", e->out);
    }
}

/* Code that only counts is run as if the process were at its next location (model/quick.h), which may spare it an
 * overflow; that location, or MODEL_NONE for other code. */
static uint32_t counting_end(const struct emitter *e, uint32_t action, uint32_t code)
{
    const struct quick *q = e->in->quick;
    if (!q || !q->actions[action].is_plain || !q->codes[code].is_plain ||
        e->in->derived->summaries[action].process == MODEL_NONE)
        return MODEL_NONE;
    return (uint32_t)e->model->code.item[code + q->codes[code].counts].c;
}

void emit_function(struct emitter *e, enum emitted what, uint32_t action, uint32_t edge)
{
    const struct action_summary *s = &e->in->derived->summaries[action];
    const struct edge *at = &e->model->edges.item[edge];
    struct function f = {.what = what, .summary = s, .from = at->from};
    fprintf(e->out, "static inline int %c%u_%u(const u64 *s, u64 *o) { (void)o; u64 n[%u]; ",
            what == EMIT_STEP ? 's' : 'c', e->number, edge, e->in->packed.layout.words);
    for (uint32_t w = 0; w < e->in->packed.layout.words; w++)
        fprintf(e->out, "n[%u] = s[%u]; ", w, w);
    emit_registers(e, s, at->from);
    fputc('\n', e->out);
    if (s->common != MODEL_NONE) {
        f.is_common = true;
        emit_code(e, &f, s->common);
        f.is_common = false;
    }
    e->counts_at = counting_end(e, action, at->code);
    emit_code(e, &f, at->code);
    e->counts_at = MODEL_NONE;
    fprintf(e->out, "return %d; }\n", STEP_UNDECIDED);
}
