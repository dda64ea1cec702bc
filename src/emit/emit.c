/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a model: which actions are enabled where its processes are, and what they lead to. */
#include "emit/emitter.h"

#include "emit_texts.h" /* generated: the text of headers */

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_INSTRUCTIONS = 60000, FEW_DEPARTURES = 64 };

void emit_prelude(FILE *out)
{
    fputs(EMIT_ARITHMETIC, out);
    fputs(EMIT_LAYOUT, out);
    fputs("typedef uint64_t u64; typedef int64_t i64; typedef uint32_t u32;\n"
          "struct native_code { const char *version; u32 words, bytes, actions, enabled;\n"
          "u32 (*successors)(const u64 *, u32 *, u64 *); u32 (*list)(const u64 *, u32 *);\n"
          "int (*fire)(const u64 *, u32, u64 *); void (*const **foreign)(i64 *); };\n"
          "static inline void sort(u32 *a, u64 *o, u32 count, u32 words)\n"
          "{ u64 t[words + 1]; for (u32 i = 1; i < count; i++) { if (a[i - 1] <= a[i]) continue;\n"
          "u32 action = a[i], k = i; for (u32 w = 0; w < words; w++) t[w] = o[i * words + w];\n"
          "for (; k > 0 && a[k - 1] > action; k--) { a[k] = a[k - 1];\n"
          "for (u32 w = 0; w < words; w++) o[k * words + w] = o[(k - 1) * words + w]; }\n"
          "a[k] = action; for (u32 w = 0; w < words; w++) o[k * words + w] = t[w]; } }\n",
          out);
}

static void emit_tables(struct emitter *e)
{
    const struct model *m = e->model;
    fprintf(e->out, "static const struct integer_type t%u[] = {", e->number);
    for (size_t i = 0; i < m->types.count; i++) {
        const struct integer_type *t = &m->types.item[i];
        fputs("{", e->out);
        emit_number(e, t->low);
        fputs(", ", e->out);
        emit_number(e, t->high);
        fprintf(e->out, ", %u, %d}, ", t->bits, t->wraps);
    }
    fprintf(e->out, "{0}};\nstatic const struct field f%u[] = {", e->number);
    for (uint32_t i = 0; i < e->in->packed.layout.fields; i++) {
        const struct field *f = &e->in->packed.layout.field[i];
        fputs("{", e->out);
        emit_number(e, f->low);
        fprintf(e->out, ", 0x%" PRIx64 "u, %u, %u, %u},%s", f->mask, f->word, f->shift, f->bits,
                i % 8 == 7 ? "\n" : "");
    }
    fputs("{0}};\n", e->out);
}

/* ------------------------------------------------------------------------- tests */

/* A test is a comparison when it leaves one of the values that the field can hold. */
static bool is_comparison(const struct field *f, const struct test *t, uint64_t *want)
{
    int64_t low = f->low, high = (int64_t)((uint64_t)f->low + f->mask);
    int64_t from = t->values.low > low ? t->values.low : low, to = t->values.high < high ? t->values.high : high;
    *want = ((uint64_t)from - (uint64_t)low) << f->shift;
    return from == to && f->bits;
}

static void emit_test(struct emitter *e, const struct test *t)
{
    if (t->values.low > INT64_MIN) {
        fputs(" && ", e->out);
        emit_cell(e, "s", t->cell);
        fputs(" >= ", e->out);
        emit_number(e, t->values.low);
    }
    if (t->values.high < INT64_MAX) {
        fputs(" && ", e->out);
        emit_cell(e, "s", t->cell);
        fputs(" <= ", e->out);
        emit_number(e, t->values.high);
    }
}

/* A condition of the emitted text.  Comparisons of one word are one. */
static void emit_tests(struct emitter *e, const struct action *a)
{
    const struct test *first = e->model->tests.item + a->first_test, *end = first + a->tests;
    uint64_t want;
    fputs("1", e->out);
    for (const struct test *t = first; t < end; t++) {
        const struct field *f = &e->in->packed.layout.field[t->cell];
        uint64_t mask = 0, all = 0;
        if (!is_comparison(f, t, &want)) {
            emit_test(e, t);
            continue;
        }
        for (const struct test *other = first; other < end; other++) {
            const struct field *g = &e->in->packed.layout.field[other->cell];
            if (g->word != f->word || !is_comparison(g, other, &want))
                continue;
            if (other < t)
                break; /* it stands there */
            if (mask & g->mask << g->shift)
                emit_test(e, other); /* of a cell that is tested already: they may contradict each other */
            else {
                mask |= g->mask << g->shift;
                all |= want;
            }
        }
        if (mask)
            fprintf(e->out, " && (s[%u] & 0x%" PRIx64 "u) == 0x%" PRIx64 "u", f->word, mask, all);
    }
}

/* -------------------------------------------------------------------- departures */

static uint32_t edge_of(const struct model *m, uint32_t action, uint32_t from)
{
    const struct action *a = &m->actions.item[action];
    uint32_t edge = a->first_edge;
    while (m->edges.item[edge].from != from)
        edge++;
    return edge;
}

/* An action that is left out is never enabled. */
static bool is_left_out(const struct emitter *e, uint32_t action)
{
    return e->in->without_stops && e->in->derived->is_stop[action];
}

/* One action, from one of its edges. */
static void emit_departure(struct emitter *e, enum emitted what, uint32_t action, uint32_t edge)
{
    const struct action *a = &e->model->actions.item[action];
    bool may_block = e->in->derived->summaries[action].may_block;
    if (is_left_out(e, action))
        return;
    fputs("if (", e->out);
    emit_tests(e, a);
    fputs(") { ", e->out);
    if (what == EMIT_STEP)
        fprintf(e->out, "int k = s%u_%u(s, o); if (k == %d) return ~0u; if (k == %d) { out[c++] = %uu; o += %u; } }\n",
                e->number, edge, STEP_UNDECIDED, STEP_DONE, action, e->in->packed.layout.words);
    else if (may_block)
        fprintf(e->out, "int k = c%u_%u(s, 0); if (k == %d) return ~0u; if (k == %d) out[c++] = %uu; }\n", e->number,
                edge, STEP_UNDECIDED, STEP_DONE, action);
    else
        fprintf(e->out, "out[c++] = %uu; }\n", action);
}

static int by_action(const void *left, const void *right)
{
    const struct departure *const *a = left, *const *b = right;
    return ((*a)->action > (*b)->action) - ((*a)->action < (*b)->action);
}

/* In the order in which the interpreter lists them. */
static void emit_location(struct emitter *e, enum emitted what, uint32_t location)
{
    const struct derived *d = e->in->derived;
    uint32_t first = d->first_departure[location], count = d->first_departure[location + 1] - first;
    const struct departure **sorted = malloc((count + 1) * sizeof *sorted);
    e->failed |= !sorted;
    for (uint32_t k = 0; sorted && k < count; k++)
        sorted[k] = &d->departures[first + k];
    if (sorted && e->in->quick)
        qsort(sorted, count, sizeof *sorted, by_action);
    for (uint32_t k = 0; sorted && k < count; k++)
        if (sorted[k]->is_fallback == e->of_fallbacks)
            emit_departure(e, what, sorted[k]->action, edge_of(e->model, sorted[k]->action, location));
    free(sorted);
}

/* In front of the names of functions of processes. */
static char letter_of(const struct emitter *e, enum emitted what)
{
    return e->of_fallbacks ? (what == EMIT_STEP ? 'P' : 'Q') : what == EMIT_STEP ? 'p' : 'q';
}

static void emit_head(struct emitter *e, enum emitted what, uint32_t process)
{
    fprintf(e->out, "static %s u32 %c%u_%u(const u64 *restrict s, u32 *restrict out%s) { u32 c = 0; (void)s;\n",
            e->model->edges.count > FEW_DEPARTURES ? "__attribute__((noinline))" : "inline", letter_of(e, what),
            e->number, process, what == EMIT_STEP ? ", u64 *restrict o" : "");
}

/* A function that lists what a process may do; its number is behind the last for the actions of nobody. */
static void emit_process(struct emitter *e, enum emitted what, uint32_t process)
{
    const struct process *p = &e->model->processes.item[process];
    emit_head(e, what, process);
    fputs("switch (", e->out);
    emit_cell(e, "s", p->location_cell);
    fputs(") {\n", e->out);
    for (uint32_t l = 0; l < p->locations && !e->failed; l++) {
        fprintf(e->out, "case %u:\n", l);
        emit_location(e, what, p->first_location + l);
        fputs("break;\n", e->out);
    }
    fputs("} return c; }\n", e->out);
}

static void emit_nobodys(struct emitter *e, enum emitted what)
{
    const struct derived *d = e->in->derived;
    emit_head(e, what, (uint32_t)e->model->processes.count);
    for (uint32_t k = 0; k < d->nobodys_count && !e->failed; k++)
        emit_departure(e, what, d->nobodys[k], e->model->actions.item[d->nobodys[k]].first_edge);
    fputs("return c; }\n", e->out);
}

/* The actions of one process have lower numbers than those of the next. */
static bool is_in_order(const struct emitter *e)
{
    const struct model *m = e->model;
    uint32_t processes = (uint32_t)m->processes.count, owner = 0;
    for (size_t a = 0; a < m->actions.count; a++) {
        uint32_t process = m->actions.item[a].process == MODEL_NONE ? processes : m->actions.item[a].process;
        if (process < owner)
            return false;
        owner = process;
    }
    return true;
}

/* Calls the functions of processes, one after the other. */
static void emit_calls(struct emitter *e, enum emitted what, size_t functions)
{
    for (size_t p = 0; p < functions; p++)
        if (what == EMIT_STEP)
            fprintf(e->out, "k = %c%u_%zu(s, out + c, o + (u64)c * %u); if (k == ~0u) return k; c += k;\n",
                    letter_of(e, what), e->number, p, e->in->packed.layout.words);
        else
            fprintf(e->out, "k = %c%u_%zu(s, out + c); if (k == ~0u) return k; c += k;\n", letter_of(e, what),
                    e->number, p);
}

static void emit_processes(struct emitter *e, enum emitted what)
{
    for (uint32_t p = 0; p < e->model->processes.count && !e->failed; p++)
        emit_process(e, what, p);
}

/* What is enabled; where nothing is, what waits for that. */
static void emit_all(struct emitter *e, enum emitted what)
{
    size_t processes = e->model->processes.count;
    emit_processes(e, what);
    emit_nobodys(e, what);
    e->of_fallbacks = true;
    if (e->in->derived->has_fallbacks)
        emit_processes(e, what);
    e->of_fallbacks = false;
    fprintf(e->out, "static u32 %s%u(const u64 *restrict s, u32 *restrict out%s) { u32 c = 0, k;\n",
            what == EMIT_STEP ? "successors" : "list", e->number, what == EMIT_STEP ? ", u64 *restrict o" : "");
    emit_calls(e, what, processes + 1);
    if (e->in->quick && !is_in_order(e))
        fprintf(e->out, what == EMIT_STEP ? "sort(out, o, c, %u);\n" : "sort(out, 0, c, 0);\n",
                e->in->packed.layout.words);
    if (e->in->derived->has_fallbacks) {
        fputs("if (c) return c;\n", e->out);
        e->of_fallbacks = true;
        emit_calls(e, what, processes);
        e->of_fallbacks = false;
    }
    fputs("return c; }\n", e->out);
}

static void emit_fire(struct emitter *e)
{
    const struct model *m = e->model;
    fprintf(e->out, "static int fire%u(const u64 *restrict s, u32 a, u64 *restrict o) { switch (a) {\n", e->number);
    for (uint32_t a = 0; a < m->actions.count; a++) {
        const struct action *action = &m->actions.item[a];
        if (is_left_out(e, a) || action->edges == 0)
            continue;
        fprintf(e->out, "case %u: ", a);
        if (action->edges == 1) {
            fprintf(e->out, "return s%u_%u(s, o);\n", e->number, action->first_edge);
            continue;
        }
        const struct process *p = &m->processes.item[action->process];
        fputs("switch (", e->out);
        emit_cell(e, "s", p->location_cell);
        fputs(") {\n", e->out);
        for (uint32_t k = action->first_edge; k < action->first_edge + action->edges; k++)
            fprintf(e->out, "case %u: return s%u_%u(s, o);\n", m->edges.item[k].from - p->first_location, e->number, k);
        fputs("} break;\n", e->out);
    }
    fprintf(e->out, "} return %d; }\n", STEP_UNDECIDED);
}

/* ------------------------------------------------------------------------ models */

static void emit_functions(struct emitter *e, enum emitted what)
{
    const struct model *m = e->model;
    for (uint32_t a = 0; a < m->actions.count; a++) {
        const struct action *action = &m->actions.item[a];
        if (is_left_out(e, a) || (what == EMIT_TRIAL && !e->in->derived->summaries[a].may_block))
            continue;
        for (uint32_t k = action->first_edge; k < action->first_edge + action->edges && !e->failed; k++)
            emit_function(e, what, a, k);
    }
}

static uint32_t most_enabled(const struct derived *d)
{
    uint32_t most = d->nobodys_count;
    for (size_t p = 0; p < d->model->processes.count; p++) {
        const struct process *process = &d->model->processes.item[p];
        uint32_t of_process = 0;
        for (uint32_t l = process->first_location; l < process->first_location + process->locations; l++)
            if (d->first_departure[l + 1] - d->first_departure[l] > of_process)
                of_process = d->first_departure[l + 1] - d->first_departure[l];
        most += of_process;
    }
    return most;
}

static void emit_parts(struct emitter *e, enum emitted_parts parts)
{
    const struct layout *layout = &e->in->packed.layout;
    emit_tables(e);
    if (e->model->foreign)
        fprintf(e->out, "static void (*const *foreign%u)(i64 *);\n", e->number);
    emit_functions(e, EMIT_STEP);
    if (parts & EMIT_SUCCESSORS)
        emit_all(e, EMIT_STEP);
    if (parts & EMIT_LIST_AND_FIRE) {
        emit_functions(e, EMIT_TRIAL);
        emit_all(e, EMIT_TRIAL);
        emit_fire(e);
    }
    fprintf(e->out,
            "__attribute__((visibility(\"default\"))) const struct native_code portolan_native_%u = {\"" EMITTED_VERSION
            "\", %u, %u, %u, %u, ",
            e->number, layout->words, (unsigned)layout->bytes, (unsigned)e->model->actions.count,
            most_enabled(e->in->derived));
    fprintf(e->out, parts & EMIT_SUCCESSORS ? "successors%u, " : "0, ", e->number);
    fprintf(e->out, parts & EMIT_LIST_AND_FIRE ? "list%u, fire%u, " : "0, 0, ", e->number, e->number);
    fprintf(e->out, e->model->foreign ? "&foreign%u};\n" : "0};\n", e->number);
}

bool emit_model(FILE *out, const struct instance *in, unsigned number, enum emitted_parts parts)
{
    struct emitter e = {.out = out, .in = in, .model = in->model, .number = number, .counts_at = MODEL_NONE};
    e.most_instructions = MOST_INSTRUCTIONS;
    e.failed = !walk_make(&e.walk, in->model);
    if (!e.failed)
        emit_parts(&e, parts);
    walk_clear(&e.walk);
    free(e.reached.item);
    return !e.failed && !ferror(out);
}
