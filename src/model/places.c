/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where another process must be for an action to notice.  A rendezvous looks whether its partner is at a certain
 * location, and moves it from there; within an atomic sequence it may also find the partner elsewhere and do without.
 * Wherever the partner moves among the other locations, that is all the same to the action.
 *
 * What is done only where the partner was found at some locations, as storing into its variables, is noted besides:
 * that does not come about around a move among others.
 *
 * Found by following the code along every branch, with what is known of the location: that it is unknown, or which one
 * it was found to be.  Whatever is not a comparison with a number, or a number stored where the location is known,
 * makes every location matter.
 */
#include "model/relating.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN = UINT32_MAX, NO_POINT = UINT32_MAX, NO_REGISTER = -1, MOST_POINTS = 1 << 14 };

/* A point in the code, and what is known there. */
struct point {
    uint32_t at;
    uint32_t before; /* the point met before there, NO_POINT: none */
    uint32_t known;  /* where the process is, counted from its first location; UNKNOWN */
    uint32_t found;  /* where it was before the action, as far as has been found */
    int32_t holder;  /* the register that holds the same */
};

struct following {
    const struct model *m;
    uint32_t cell;
    int32_t kept;                /* registers that the process of the action keeps while it rests are below this one */
    VECTOR(struct point) points; /* met, in this order */
    uint32_t *last;              /* per instruction: the point met last there, if there is one that says so */
    VECTOR(uint32_t) places;     /* that matter, some of them more than once */
    bool all, failed;
};

static void go_to(struct following *f, struct point point)
{
    uint32_t last = f->last[point.at];
    point.before = last < f->points.count && f->points.item[last].at == point.at ? last : NO_POINT;
    for (uint32_t i = point.before; i != NO_POINT; i = f->points.item[i].before) {
        const struct point *p = &f->points.item[i];
        if (p->known == point.known && p->found == point.found && p->holder == point.holder)
            return;
    }
    f->last[point.at] = (uint32_t)f->points.count;
    f->all |= f->points.count == MOST_POINTS;
    f->failed |= limits_reached() || !vector_push(&f->points, point);
}

static bool is_number_of_holder(const struct instruction *i, int32_t holder, int64_t *number)
{
    if (!(i->flags & A_IS_NUMBER) && i->a == holder && i->flags & B_IS_NUMBER)
        *number = i->b;
    else if (!(i->flags & B_IS_NUMBER) && i->b == holder && i->flags & A_IS_NUMBER)
        *number = i->a;
    else
        return false;
    return true;
}

/* Does the instruction read the register? */
static bool reads(const struct instruction *i, int32_t holder)
{
    unsigned read = operands_read(i) & ~(unsigned)i->flags;
    if (i->code == CODE_FOREIGN || i->code == CODE_SPAWN || i->code == CODE_REGISTER_LOAD)
        return true; /* runs of registers: not worth telling apart */
    return (read & READS_A && i->a == holder) || (read & READS_B && i->b == holder) ||
           (read & READS_D && i->d == holder);
}

static bool writes(const struct instruction *i, int32_t holder)
{
    struct register_run run = registers_written(i);
    return holder >= (int32_t)run.first && holder < (int32_t)(run.first + run.count);
}

/* Does it touch the cell?  What names cells in another way is no matter of locations. */
static bool touches(const struct instruction *i, uint32_t cell)
{
    if (i->code < CODE_LOAD || i->code > CODE_TRYLOCK)
        return false;
    if (i->flags & B_IS_NUMBER)
        return (uint32_t)(i->c + i->b) == cell;
    return cell >= (uint32_t)i->c && cell < (uint32_t)i->c + (i->length ? i->length : 1);
}

/* A comparison of the location with a number goes on knowing it where they are equal. */
static bool follow_comparison(struct following *f, const struct point *p, const struct instruction *i)
{
    int64_t number;
    bool jumps_if_equal = i->code == CODE_JUMP_NOT && i->operation == OPERATION_NOT_EQUAL;
    if ((i->code != CODE_JUMP_NOT_EQUAL && !jumps_if_equal) || p->holder == NO_REGISTER ||
        !is_number_of_holder(i, p->holder, &number) || number < 0 || number >= UNKNOWN)
        return false;
    struct point jumped = *p, next = *p;
    jumped.at = (uint32_t)i->c;
    next.at++;
    struct point *equal = jumps_if_equal ? &jumped : &next, *other = jumps_if_equal ? &next : &jumped;
    f->failed |= !vector_push(&f->places, (uint32_t)number);
    if (p->known == UNKNOWN || p->known != (uint32_t)number)
        go_to(f, *other);
    if (p->known == UNKNOWN || p->known == (uint32_t)number) {
        if (equal->known == UNKNOWN)
            equal->known = equal->found = (uint32_t)number;
        go_to(f, *equal);
    }
    return true;
}

static void follow_access(struct following *f, const struct instruction *i, struct point *next)
{
    bool is_plain = i->flags & B_IS_NUMBER, is_known = next->known != UNKNOWN;
    if (is_plain && i->code == CODE_LOAD && i->dst >= f->kept) {
        next->holder = i->dst;
    } else if (is_plain && i->code == CODE_STORE && is_known && i->flags & A_IS_NUMBER && i->a >= 0) {
        next->known = (uint32_t)i->a;
        next->holder = NO_REGISTER;
    } else {
        f->all = true;
    }
}

static void follow_point(struct following *f, struct point p)
{
    const struct instruction *i = &f->m->code.item[p.at];
    if (follow_comparison(f, &p, i))
        return;
    struct point next = p;
    if (p.holder != NO_REGISTER && reads(i, p.holder))
        f->all = true;
    if (p.holder != NO_REGISTER && writes(i, p.holder))
        next.holder = NO_REGISTER;
    if (touches(i, f->cell))
        follow_access(f, i, &next);
    next.at = (uint32_t)i->c;
    if (has_jump(i))
        go_to(f, next);
    next.at = (uint32_t)i->d;
    if (has_failure_jump(i))
        go_to(f, next);
    next.at = p.at + 1;
    if (goes_on(i))
        go_to(f, next);
}

/* The location that the tests of the action leave for the process, UNKNOWN: there are several. */
static uint32_t tested_place(const struct model *m, const struct action *a, uint32_t cell)
{
    for (uint32_t k = 0; k < a->tests; k++) {
        const struct test *test = &m->tests.item[a->first_test + k];
        if (test->cell == cell && test->values.low == test->values.high && test->values.low >= 0 &&
            test->values.low < UNKNOWN && !test->or_empty)
            return (uint32_t)test->values.low;
    }
    return UNKNOWN;
}

static void follow(struct following *f, const struct action *a, uint32_t tested)
{
    f->points.count = f->places.count = 0;
    f->all = a->common != MODEL_NONE;
    f->kept = a->process == MODEL_NONE ? 0 : (int32_t)f->m->processes.item[a->process].registers;
    if (tested != UNKNOWN)
        f->failed |= !vector_push(&f->places, tested);
    for (uint32_t k = 0; k < a->edges; k++)
        go_to(f, (struct point){.at = f->m->edges.item[a->first_edge + k].code,
                                .known = tested,
                                .found = tested,
                                .holder = NO_REGISTER});
    for (size_t next = 0; next < f->points.count && !f->all && !f->failed; next++)
        follow_point(f, f->points.item[next]);
}

/* May the instruction touch the cell? */
static bool may_touch(const struct instruction *i, uint32_t cell)
{
    return i->code > CODE_TRYLOCK || touches(i, cell);
}

/* Is the cell touched only where the process was found somewhere? */
static bool is_found_first(const struct following *f, uint32_t cell)
{
    for (size_t i = 0; i < f->points.count; i++)
        if (f->points.item[i].found == UNKNOWN && may_touch(&f->m->code.item[f->points.item[i].at], cell))
            return false;
    return true;
}

/* Notes which of the other accesses come about only where the process was found at the places. */
static void note_conditional(struct relating *r, const struct following *f, uint32_t action, uint32_t process,
                             bool is_tested, struct lists_builder *where)
{
    const struct action_summary *summary = &r->d->summaries[action];
    uint32_t first = r->m->processes.item[process].first_location;
    for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++) {
        if (r->only_with[k] != MODEL_NONE || !is_found_first(f, r->d->accesses.item[k].cell))
            continue;
        r->only_with[k] = process;
        r->only_by_test[k] = is_tested;
        for (size_t i = 0; i < f->places.count; i++)
            lists_add(where, k, first + f->places.item[i]);
    }
}

/* An access to where another process is. */
static bool follow_access_to_place(struct relating *r, struct following *f, uint32_t access,
                                   struct lists_builder *places, struct lists_builder *only_at)
{
    const struct model *m = r->m;
    uint32_t cell = r->d->accesses.item[access].cell, process = m->cells.item[cell].owner, action = r->owner[access];
    const struct action *a = &m->actions.item[action];
    uint32_t tested = tested_place(m, a, cell), first = m->processes.item[process].first_location;
    bool is_same = access > 0 && r->owner[access - 1] == action && r->d->accesses.item[access - 1].cell == cell;
    if (!is_same) {
        f->cell = cell;
        follow(f, a, tested);
        if (!f->all)
            note_conditional(r, f, action, process, tested != UNKNOWN, only_at);
    }
    r->minds[access] = f->all ? MINDS_ALL : tested != UNKNOWN ? MINDS_TESTED : MINDS_SOME;
    for (size_t i = 0; !f->all && i < f->places.count; i++)
        lists_add(places, access, first + f->places.item[i]);
    return !f->failed;
}

bool find_places(struct relating *r)
{
    const struct model *m = r->m;
    struct lists_builder places = {0}, only_at = {0};
    struct following f = {.m = m, .last = calloc(m->code.count + 1, sizeof *f.last)};
    uint32_t count = (uint32_t)r->d->accesses.count;
    r->minds = calloc((size_t)count + 1, sizeof *r->minds);
    r->only_by_test = calloc((size_t)count + 1, sizeof *r->only_by_test);
    r->only_with = malloc(((size_t)count + 1) * sizeof *r->only_with);
    bool fine = f.last && r->minds && r->only_by_test && r->only_with;
    if (fine)
        memset(r->only_with, 0xff, ((size_t)count + 1) * sizeof *r->only_with);
    for (uint32_t k = 0; k < count && fine; k++) {
        uint32_t cell = r->d->accesses.item[k].cell, process = m->cells.item[cell].owner;
        r->minds[k] = MINDS_ALL;
        if (process != MODEL_NONE && process != m->actions.item[r->owner[k]].process &&
            m->processes.item[process].location_cell == cell)
            fine = follow_access_to_place(r, &f, k, &places, &only_at);
    }
    free(f.points.item);
    free(f.places.item);
    free(f.last);
    fine = lists_finish(&places, count, &r->places) && fine;
    return lists_finish(&only_at, count, &r->only_at) && fine;
}

bool minds_place(const struct relating *r, uint32_t access, uint32_t location)
{
    return r->minds[access] == MINDS_ALL || list_has(&r->places, access, location);
}

bool minds_move(const struct relating *r, uint32_t access, uint32_t action)
{
    const struct action *a = &r->m->actions.item[action];
    if (r->minds[access] == MINDS_ALL)
        return true;
    for (uint32_t k = 0; k < a->edges; k++)
        if (minds_place(r, access, r->m->edges.item[a->first_edge + k].from))
            return true;
    for_list (location, r->d->targets, action)
        if (minds_place(r, access, *location))
            return true;
    return false;
}

bool code_minds_move(const struct relating *r, uint32_t access, uint32_t action)
{
    return r->minds[access] == MINDS_TESTED || minds_move(r, access, action);
}

bool minds_departure(const struct relating *r, uint32_t access, uint32_t action)
{
    const struct action *a = &r->m->actions.item[action];
    if (r->minds[access] != MINDS_TESTED)
        return minds_move(r, access, action);
    for (uint32_t k = 0; k < a->edges; k++)
        if (minds_place(r, access, r->m->edges.item[a->first_edge + k].from))
            return true;
    return false;
}

bool comes_about_at_source(const struct relating *r, uint32_t access, uint32_t action)
{
    const struct action *a = &r->m->actions.item[action];
    if (r->only_with[access] == MODEL_NONE || r->only_with[access] != a->process)
        return true;
    for (uint32_t k = 0; k < a->edges; k++)
        if (list_has(&r->only_at, access, r->m->edges.item[a->first_edge + k].from))
            return true;
    return false;
}

bool comes_about_around(const struct relating *r, uint32_t access, uint32_t action)
{
    if (comes_about_at_source(r, access, action))
        return true;
    for_list (location, r->d->targets, action)
        if (list_has(&r->only_at, access, *location))
            return true;
    return false;
}

bool code_comes_about_around(const struct relating *r, uint32_t access, uint32_t action)
{
    return r->only_by_test[access] || comes_about_around(r, access, action);
}
