/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which invariants last: once false, they stay false.
 *
 * An invariant reads some variables of some processes.  Seen only through these, each process is a small automaton. The
 * invariant lasts when no step of any of them leads from a combination of values in which it is false to one in which
 * it is true.  Combinations that are never reached are looked at too, so "no" may be too careful, "yes" is never wrong.
 */
#include "front/protocols/lowering.h"

#include "front/protocols/evaluate.h"

enum { MOST_COMBINATIONS = 1 << 16 };

struct dimension { /* a process, seen through what is read of it */
    uint32_t process;
    bool is_crash; /* not its variables, but whether it has crashed */
    uint32_t count, stride;
    VECTOR(uint32_t) shown_by;   /* value -> a local state that has it */
    struct portolan_lists moves; /* value -> the values after one step */
};

struct product {
    const struct lowering *l;
    const struct condition *condition;
    VECTOR(struct dimension) dimensions;
    uint32_t combinations; /* 0: too many */
    bool failed;
};

/* --- what is read */

static bool means(const struct node *member, const struct lowering *l, uint32_t process)
{
    const struct automaton *a = &l->protocol.automata[process];
    return member->process == a->type && (!member->a || member->a->kind != NODE_NUMBER || member->a->value == a->index);
}

/* Marks the cells of the process that the expression may read, *any when there is one, *crashed when it asks that. */
static void mark_reads(const struct lowering *l, const struct node *node, uint32_t process, bool *cells, bool *any,
                       bool *crashed)
{
    if (!node)
        return;
    if (node->kind == NODE_MEMBER && means(node, l, process)) {
        for (uint32_t c = 0; node->variable && c < node->variable->cells; c++)
            *any = cells[node->variable->base + c] = true;
        *crashed |= !node->variable;
    }
    mark_reads(l, node->a, process, cells, any, crashed);
    mark_reads(l, node->b, process, cells, any, crashed);
    mark_reads(l, node->c, process, cells, any, crashed);
}

/* --- dimensions */

static void add_dimension(struct product *p, struct dimension *d, struct lists_builder *moves)
{
    d->stride = p->combinations;
    p->combinations = d->count <= MOST_COMBINATIONS / (p->combinations + 1) ? p->combinations * d->count : 0;
    p->failed |= !lists_finish(moves, d->count, &d->moves);
    if (!vector_push(&p->dimensions, *d)) {
        free(d->shown_by.item);
        lists_clear(&d->moves);
        p->failed = true;
    }
}

static void add_crash(struct product *p, uint32_t process)
{
    struct dimension d = {.process = process, .is_crash = true, .count = 2};
    struct lists_builder moves = {0};
    lists_add(&moves, 0, 1);
    add_dimension(p, &d, &moves);
}

static void add_process(struct product *p, uint32_t process, const bool *is_read)
{
    const struct lowering *l = p->l;
    const struct automaton *a = &l->protocol.automata[process];
    struct dimension d = {.process = process};
    struct sequences seen = {0};
    struct lists_builder moves = {0};
    uint32_t states = a->states.count, cells = a->type->cells;
    uint32_t *value_of = calloc((size_t)states + 1, sizeof *value_of), *read = calloc((size_t)cells + 1, sizeof *read);
    p->failed |= !value_of || !read;
    for (uint32_t s = 0; s < states && !p->failed; s++) {
        bool is_new = false;
        size_t count = 0;
        for (uint32_t c = 0; c < cells; c++)
            if (is_read[c])
                read[count++] = (uint32_t)local_cells(a, s)[c];
        value_of[s] = sequence_insert(&seen, read, count, &is_new);
        p->failed |= value_of[s] == SEQUENCE_NONE || (is_new && !vector_push(&d.shown_by, s));
    }
    for (uint32_t s = 0; s < states && !p->failed; s++)
        for_list (action, l->candidates, l->first_state[process] + s) {
            uint32_t next = move_of(l, &l->actions.item[*action], s)->next;
            if (value_of[s] != value_of[next])
                lists_add(&moves, value_of[s], value_of[next]);
        }
    d.count = seen.count;
    add_dimension(p, &d, &moves);
    sequences_clear(&seen);
    free(value_of);
    free(read);
}

static void find_dimensions(struct product *p)
{
    for (uint32_t i = 0; i < p->l->protocol.process_count && !p->failed && p->combinations; i++) {
        uint32_t cells = p->l->protocol.automata[i].type->cells;
        bool *is_read = calloc((size_t)cells + 1, sizeof *is_read), any = false, crashed = false;
        if (!is_read) {
            p->failed = true;
            return;
        }
        mark_reads(p->l, p->condition->expression, i, is_read, &any, &crashed);
        if (any)
            add_process(p, i, is_read);
        if (crashed && p->combinations)
            add_crash(p, i);
        free(is_read);
    }
}

/* --- combinations */

static uint32_t value_in(const struct dimension *d, uint32_t combination)
{
    return combination / d->stride % d->count;
}

static bool holds_in(const struct product *p, uint32_t combination)
{
    const int32_t *rows[MOST_PROCESSES + 1];
    int32_t crashed[MOST_PROCESSES] = {0};
    struct evaluation evaluation;
    for (uint32_t i = 0; i < p->l->protocol.process_count; i++)
        rows[i] = local_cells(&p->l->protocol.automata[i], 0);
    rows[p->l->protocol.process_count] = crashed;
    for (size_t k = 0; k < p->dimensions.count; k++) {
        const struct dimension *d = &p->dimensions.item[k];
        uint32_t value = value_in(d, combination);
        if (d->is_crash)
            crashed[d->process] = (int32_t)value;
        else
            rows[d->process] = local_cells(&p->l->protocol.automata[d->process], d->shown_by.item[value]);
    }
    return condition_holds(p->condition, rows, &evaluation);
}

static bool stays_false(const struct product *p, const bool *holds, uint32_t combination)
{
    for (size_t k = 0; k < p->dimensions.count; k++) {
        const struct dimension *d = &p->dimensions.item[k];
        uint32_t value = value_in(d, combination);
        for_list (next, d->moves, value)
            if (holds[combination + (*next - value) * d->stride])
                return false;
    }
    return true;
}

bool condition_lasts(const struct lowering *l, const struct condition *condition, bool *lasts)
{
    struct product p = {.l = l, .condition = condition, .combinations = 1};
    find_dimensions(&p);
    bool *holds = calloc((size_t)p.combinations + 1, sizeof *holds);
    p.failed |= !holds;
    *lasts = p.combinations;
    for (uint32_t i = 0; i < p.combinations && !p.failed; i++)
        holds[i] = holds_in(&p, i);
    for (uint32_t i = 0; i < p.combinations && !p.failed; i++)
        *lasts = *lasts && (holds[i] || stays_false(&p, holds, i));
    for (size_t k = 0; k < p.dimensions.count; k++) {
        free(p.dimensions.item[k].shown_by.item);
        lists_clear(&p.dimensions.item[k].moves);
    }
    free(p.dimensions.item);
    free(holds);
    return !p.failed;
}
