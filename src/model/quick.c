/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
#include "model/quick.h"

#include "base/bits.h"

#include <string.h>

enum { WORTH_A_GROUP = 3 }; /* departures */

/* --------------------------------------------------------------------------- tests */

/* The tests of an action, comparisons of one word together. */
static bool add_word_test(struct quick *q, struct quick_action *a, const struct word_test *test)
{
    for (uint32_t k = a->first_test; k < a->first_test + a->tests && !test->span; k++)
        if (q->tests.item[k].word == test->word && !q->tests.item[k].span &&
            !(q->tests.item[k].mask & test->mask)) { /* two tests of one cell may contradict each other */
            q->tests.item[k].mask |= test->mask;
            q->tests.item[k].want |= test->want;
            return true;
        }
    a->tests++;
    return vector_push(&q->tests, *test);
}

/* A range is tested where the field is: below its lowest value the difference wraps round to more than any span. */
static bool add_test(struct instance *in, struct quick_action *a, const struct test *test)
{
    const struct field *field = &in->packed.layout.field[test->cell];
    int64_t low = field->low, high = (int64_t)((uint64_t)field->low + field->mask);
    int64_t from = test->values.low > low ? test->values.low : low;
    int64_t to = test->values.high < high ? test->values.high : high;
    struct word_test made = {.mask = field->mask << field->shift, .word = field->word};
    if (from == low && to == high)
        return true;
    made.want = ((uint64_t)from - (uint64_t)low) << field->shift;
    made.span = ((uint64_t)to - (uint64_t)from) << field->shift;
    if (from > to) /* no value that the field can hold: a range, so that nothing is joined with it */
        made = (struct word_test){.want = 1, .span = UINT64_MAX - 1, .word = field->word};
    return add_word_test(in->quick, a, &made);
}

static bool make_tests(struct instance *in, uint32_t action)
{
    const struct action *a = &in->model->actions.item[action];
    struct quick_action *quick = &in->quick->actions[action];
    bool fine = true;
    quick->first_test = (uint32_t)in->quick->tests.count;
    quick->is_stop = in->derived->is_stop[action];
    quick->is_slow = in->derived->summaries[action].may_block;
    for (uint32_t k = 0; k < a->tests && fine; k++)
        fine = add_test(in, quick, &in->model->tests.item[a->first_test + k]);
    return fine;
}

/* Of what an action needs, the last is the one that is there least often. */
static struct group group_of(const struct quick *q, uint32_t action)
{
    const struct quick_action *a = &q->actions[action];
    if (a->tests == 0)
        return (struct group){0};
    const struct word_test *last = q->tests.item + a->first_test + a->tests - 1;
    if (!last->want)
        return (struct group){0};
    uint64_t bits = last->span ? last->mask : UINT64_C(1) << (63 - __builtin_clzll(last->want));
    return (struct group){.bits = bits, .word = last->word};
}

static int by_action(const void *left, const void *right)
{
    uint32_t a = ((const struct quick_departure *)left)->action & ~CHECKED;
    uint32_t b = ((const struct quick_departure *)right)->action & ~CHECKED;
    return (a > b) - (a < b);
}

static int by_group(const void *left, const void *right, void *quick)
{
    uint32_t a = ((const struct quick_departure *)left)->action & ~CHECKED;
    uint32_t b = ((const struct quick_departure *)right)->action & ~CHECKED;
    struct group of_a = group_of(quick, a), of_b = group_of(quick, b);
    if (of_a.word != of_b.word)
        return of_a.word < of_b.word ? -1 : 1;
    if (of_a.bits != of_b.bits)
        return of_a.bits < of_b.bits ? -1 : 1;
    return by_action(left, right);
}

/* The first comparison stands with the departure. */
static struct quick_departure departure_of(const struct quick *q, const struct departure *departure, uint32_t from)
{
    const struct quick_action *a = &q->actions[departure->action];
    const struct word_test *first = q->tests.item + a->first_test;
    bool has_first = a->tests && !first->span, is_checked = a->is_slow || a->is_stop || a->tests > has_first;
    struct quick_departure made = {.action = departure->action | (is_checked ? CHECKED : 0),
                                   .from = a->is_plain ? from : MODEL_NONE,
                                   .code = departure->code};
    if (has_first) {
        made.word = first->word;
        made.mask = first->mask;
        made.want = first->want;
    }
    return made;
}

/* Departures next to each other that need the same are one group; coarse: something of the same word. */
static bool list_groups(struct quick *q, uint32_t first, uint32_t end, bool coarse)
{
    for (uint32_t k = first; k < end; k++) {
        struct group group = group_of(q, q->departures[k].action & ~CHECKED);
        struct group *last = k > first ? &q->groups.item[q->groups.count - 1] : NULL;
        group.first = k;
        group.end = k + 1;
        if (last && last->word == group.word && (last->bits == group.bits || (coarse && last->bits && group.bits))) {
            last->bits |= group.bits;
            last->end++;
        } else if (!vector_push(&q->groups, group)) {
            return false;
        }
    }
    return true;
}

/* A test for each group pays when it leaves out several departures; else groups are coarse, or all are one, which asks
 * nothing. */
static bool make_groups(struct quick *q, uint32_t first, uint32_t end)
{
    size_t before = q->groups.count;
    qsort_r(q->departures + first, end - first, sizeof *q->departures, by_group, q);
    if (!list_groups(q, first, end, false))
        return false;
    if ((q->groups.count - before) * WORTH_A_GROUP <= end - first)
        return true;
    q->groups.count = before;
    qsort(q->departures + first, end - first, sizeof *q->departures, by_action);
    if (!list_groups(q, first, end, true))
        return false;
    if ((q->groups.count - before) * WORTH_A_GROUP <= end - first)
        return true;
    q->groups.item[before] = (struct group){.first = first, .end = end};
    q->groups.count = before + 1;
    return true;
}

static bool make_departures(struct instance *in)
{
    const struct derived *d = in->derived;
    struct quick *q = in->quick;
    bool fine = true;
    uint32_t locations = (uint32_t)in->model->locations.count;
    for (uint32_t l = 0; l < locations && fine; l++) {
        q->first_group[l] = (uint32_t)q->groups.count;
        for (uint32_t k = d->first_departure[l]; k < d->first_departure[l + 1]; k++)
            q->departures[k] = departure_of(q, &d->departures[k], l);
        fine = d->first_departure[l] == d->first_departure[l + 1] ||
               make_groups(q, d->first_departure[l], d->first_departure[l + 1]);
    }
    q->first_group[locations] = (uint32_t)q->groups.count;
    return fine;
}

/* ---------------------------------------------------------------------------- code */

/* Does the action ask for a value from which one can be taken away? */
static bool has_one_to_take(const struct instance *in, const struct action *a, uint32_t cell)
{
    const struct test *test = in->model->tests.item + a->first_test, *end = test + a->tests;
    while (test < end && (test->cell != cell || test->values.low <= in->packed.layout.field[cell].low))
        test++;
    return test < end;
}

static struct count count_of(const struct instance *in, uint32_t cell, const uint64_t *may_die)
{
    const struct field *field = &in->packed.layout.field[cell];
    return (struct count){.one = UINT64_C(1) << field->shift,
                          .full = field->mask << field->shift,
                          .word = field->word,
                          .owner = bit_get(may_die, cell) ? in->model->cells.item[cell].owner : MODEL_NONE};
}

static bool adds(const struct instruction *i, int32_t number)
{
    return i->code == CODE_ADD && i->flags & B_IS_NUMBER && i->a == number;
}

/* Never twice from the same cell. */
static void make_taking(struct instance *in, uint32_t action)
{
    const struct model *m = in->model;
    const struct action *a = &m->actions.item[action];
    struct quick_action *quick = &in->quick->actions[action];
    uint64_t *taken = in->quick->taken + (size_t)action * in->packed.layout.words;
    quick->process = a->process;
    quick->is_plain = true;
    for (const struct instruction *i = a->common == MODEL_NONE ? NULL : &m->code.item[a->common];
         i && i->code != CODE_REST && quick->is_plain; i++) {
        uint32_t cell = (uint32_t)(i->c + i->b);
        const struct field *field = &in->packed.layout.field[cell];
        quick->is_plain =
            adds(i, -1) && has_one_to_take(in, a, cell) && !(taken[field->word] >> field->shift & field->mask);
        if (quick->is_plain)
            taken[field->word] += UINT64_C(1) << field->shift;
    }
}

static bool make_code(struct instance *in, uint32_t process, uint32_t at, const uint64_t *may_die)
{
    struct quick *q = in->quick;
    struct quick_code *code = &q->codes[at];
    const struct instruction *i = &in->model->code.item[at];
    *code = (struct quick_code){.first = (uint32_t)q->counts.count};
    for (; adds(i, 1); i++) {
        code->counts++;
        if (!vector_push(&q->counts, count_of(in, (uint32_t)(i->c + i->b), may_die)))
            return false;
    }
    code->is_plain = i->code == CODE_REST;
    code->stays = q->everything;
    if (!code->is_plain || process == MODEL_NONE)
        return true;
    const struct where *where = &q->where[process];
    code->word = where->word;
    code->bits = (uint64_t)((uint32_t)i->c - where->first_location) << where->shift;
    code->stays = q->stays_at[i->c];
    return true;
}

static bool make_actions(struct instance *in, const uint64_t *may_die)
{
    const struct model *m = in->model;
    struct quick *q = in->quick; /* places in lists are pointed to, also in empty ones */
    bool fine = vector_reserve(&q->tests, 1) && vector_reserve(&q->counts, 1) && vector_reserve(&q->groups, 1);
    for (uint32_t t = 0; t < m->actions.count && fine; t++) {
        const struct action *a = &m->actions.item[t];
        fine = make_tests(in, t);
        make_taking(in, t);
        for (uint32_t k = a->first_edge; k < a->first_edge + a->edges && fine; k++)
            if (in->quick->codes[m->edges.item[k].code].first == MODEL_NONE)
                fine = make_code(in, a->process, m->edges.item[k].code, may_die);
    }
    return fine;
}

/* -------------------------------------------------------------------------- making */

static void find_places(struct instance *in)
{
    const struct model *m = in->model;
    struct quick *q = in->quick;
    for (uint32_t p = 0; p < m->processes.count; p++) {
        const struct field *field = &in->packed.layout.field[m->processes.item[p].location_cell];
        q->where[p] = (struct where){field->mask, field->word, field->shift, m->processes.item[p].first_location};
    }
}

/* What stays when a process comes to a location where these cells are dead. */
static uint64_t *make_row(const struct instance *in, uint64_t *row, uint32_t process, const uint64_t *keep)
{
    const struct where *where = &in->quick->where[process];
    for (uint32_t w = 0; w < in->packed.layout.words; w++) {
        uint32_t at = keep ? w - in->keep_first_word[process] : 0;
        row[w] = keep && at < in->keep_words[process] ? keep[at] : UINT64_MAX;
    }
    row[where->word] &= ~(where->mask << where->shift);
    return row;
}

static void make_rows(struct instance *in)
{
    const struct model *m = in->model;
    struct quick *q = in->quick;
    uint32_t sets = (uint32_t)m->dead_sets.count, processes = (uint32_t)m->processes.count;
    size_t words = in->packed.layout.words;
    for (uint32_t set = 0; set < sets; set++)
        make_row(in, q->stays + set * words, m->dead_sets.item[set], in->keep[set]);
    for (uint32_t p = 0; p < processes; p++)
        make_row(in, q->stays + (sets + p) * words, p, NULL);
    q->everything = q->stays + (sets + processes) * words;
    memset(q->everything, 0xff, words * sizeof *q->everything);
    for (uint32_t l = 0; l < m->locations.count; l++) {
        const struct location *location = &m->locations.item[l];
        q->stays_at[l] = q->stays + (location->dead == MODEL_NONE ? sets + location->process : location->dead) * words;
    }
}

static bool allocate(struct quick *q, const struct model *m, size_t words, bool with_hints)
{
    size_t rows = m->dead_sets.count + m->processes.count + 1;
    q->where = calloc(m->processes.count + 1, sizeof *q->where);
    q->departures = calloc(m->edges.count + 1, sizeof *q->departures);
    q->first_group = calloc(m->locations.count + 1, sizeof *q->first_group);
    q->actions = calloc(m->actions.count + 1, sizeof *q->actions);
    q->codes = malloc((m->code.count + 1) * sizeof *q->codes);
    q->taken = calloc(m->actions.count * words + 1, sizeof *q->taken);
    q->stays = calloc(rows * words, sizeof *q->stays);
    q->stays_at = calloc(m->locations.count + 1, sizeof *q->stays_at);
    q->hint = with_hints ? calloc(m->actions.count + 1, sizeof *q->hint) : NULL;
    for (size_t i = 0; q->codes && i < m->code.count; i++)
        q->codes[i] = (struct quick_code){.first = MODEL_NONE};
    if (q->departures) /* behind the last: one of no action, for those that have not been found yet */
        q->departures[m->edges.count].action = ~CHECKED;
    for (size_t t = 0; q->departures && q->hint && t < m->actions.count; t++)
        atomic_init(&q->hint[t], q->departures + m->edges.count);
    return q->where && q->departures && q->first_group && q->actions && q->codes && q->taken && q->stays &&
           q->stays_at && (q->hint || !with_hints);
}

/* It pays where processes have nothing but a location. */
static bool is_worth_it(const struct model *m)
{
    for (size_t p = 0; p < m->processes.count; p++)
        if (m->processes.item[p].registers || m->processes.item[p].life != MODEL_NONE)
            return false;
    return true;
}

bool quick_make(struct instance *in)
{
    const struct model *m = in->model;
    quick_clear(in);
    if (in->derived->has_fallbacks || m->priorities != MODEL_NONE || !is_worth_it(m))
        return true;
    in->quick = calloc(1, sizeof *in->quick);
    uint64_t *may_die = calloc(bit_words((uint32_t)m->cells.count) + 1, sizeof *may_die);
    bool fine = in->quick && may_die && allocate(in->quick, m, in->packed.layout.words, in->is_compact);
    for (uint32_t set = 0; fine && set < m->dead_sets.count; set++)
        for_list (cell, in->derived->dead_cells, set)
            bit_set(may_die, *cell);
    if (fine) {
        find_places(in);
        make_rows(in);
    }
    fine = fine && make_actions(in, may_die) && make_departures(in);
    free(may_die);
    return fine;
}

void quick_clear(struct instance *in)
{
    struct quick *q = in->quick;
    if (!q)
        return;
    free(q->where);
    free(q->departures);
    free(q->actions);
    free(q->codes);
    free(q->tests.item);
    free(q->counts.item);
    free(q->groups.item);
    free(q->first_group);
    free(q->taken);
    free(q->stays);
    free(q->stays_at);
    free(q->hint);
    free(q);
    in->quick = NULL;
}

/* ------------------------------------------------------------------------- enabled */

/* Do all tests hold, from this one on? */
static bool tests_pass(const struct quick *q, const uint64_t *state, const struct quick_action *a, uint32_t from)
{
    for (const struct word_test *t = q->tests.item + a->first_test + from,
                                *end = q->tests.item + a->first_test + a->tests;
         t < end; t++)
        if ((state[t->word] & t->mask) - t->want > t->span)
            return false;
    return true;
}

static bool is_enabled(const struct instance *in, const uint64_t *state, uint32_t action, uint32_t code, uint32_t from)
{
    const struct quick_action *a = &in->quick->actions[action];
    return !(a->is_stop && in->without_stops) && tests_pass(in->quick, state, a, from) &&
           (!a->is_slow || machine_can_go_on(in, state, action, code));
}

/* The process is where the departure begins, and its first comparison, if it has one, holds. */
static inline bool can_depart(const struct instance *in, const uint64_t *state, const struct quick_departure *departure)
{
    return !(departure->action & CHECKED) ||
           is_enabled(in, state, departure->action & ~CHECKED, departure->code, departure->mask != 0);
}

/* Appends to out; the place behind the last. */
static inline __attribute__((always_inline)) uint32_t *scan_group(const struct instance *in, const uint64_t *state,
                                                                  const struct group *group, uint32_t *out)
{
    const struct quick *q = in->quick;
    const struct quick_departure *departure = q->departures + group->first, *end = q->departures + group->end;
    _Atomic(const struct quick_departure *) *hint = q->hint;
    for (; departure < end; departure++) {
        if ((state[departure->word] & departure->mask) != departure->want || !can_depart(in, state, departure))
            continue;
        *out = departure->action & ~CHECKED;
        if (hint && atomic_load_explicit(&hint[*out], memory_order_relaxed) != departure)
            atomic_store_explicit(&hint[*out], departure, memory_order_relaxed);
        out++;
    }
    return out;
}

/* By number, whatever the groups are: nearly so they are already. */
static void sort(uint32_t *actions, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (actions[i - 1] <= actions[i])
            continue;
        uint32_t action = actions[i], k = i;
        for (; k > 0 && actions[k - 1] > action; k--)
            actions[k] = actions[k - 1];
        actions[k] = action;
    }
}

uint32_t quick_enabled(const void *model, const void *bytes, uint32_t *out)
{
    const struct instance *in = model;
    const uint64_t *state = bytes;
    const struct derived *d = in->derived;
    const struct quick *q = in->quick;
    uint32_t *next = out;
    const struct where *where = q->where, *last_process = where + in->model->processes.count;
    for (; where < last_process; where++) {
        uint32_t location = quick_location(where, state);
        const struct group *group = q->groups.item + q->first_group[location],
                           *last = q->groups.item + q->first_group[location + 1];
        for (; group < last; group++)
            if (!group->bits || state[group->word] & group->bits)
                next = scan_group(in, state, group, next);
    }
    for (uint32_t i = 0; i < d->nobodys_count; i++)
        if (is_enabled(in, state, d->nobodys[i], machine_code(in, state, d->nobodys[i]), 0))
            *next++ = d->nobodys[i];
    sort(out, (uint32_t)(next - out));
    return (uint32_t)(next - out);
}

/* -------------------------------------------------------------------------- firing */

/* Nothing is added to a cell that is dead where its owner is; false when something does not fit. */
static inline bool give(const struct quick *q, const struct quick_code *giving, uint64_t *state)
{
    const struct count *count = q->counts.item + giving->first, *end = count + giving->counts;
    for (; count < end; count++) {
        if (count->owner != MODEL_NONE &&
            !(q->stays_at[quick_location(&q->where[count->owner], state)][count->word] & count->one))
            continue;
        if ((state[count->word] & count->full) == count->full)
            return false;
        state[count->word] += count->one;
    }
    return true;
}

static inline __attribute__((always_inline)) enum portolan_fired fire_code(const struct instance *in,
                                                                           const uint64_t *state, uint32_t action,
                                                                           const struct quick_code *code,
                                                                           uint64_t *successor)
{
    const struct quick *q = in->quick;
    if (!code->is_plain)
        return machine_fire(in, state, action, successor);
    uint32_t words = in->packed.layout.words;
    const uint64_t *taken = q->taken + (size_t)action * words, *stays = code->stays;
    successor[0] = (state[0] - taken[0]) & stays[0]; /* often the only one */
    for (uint32_t w = 1; w < words; w++)
        successor[w] = (state[w] - taken[w]) & stays[w];
    successor[code->word] |= code->bits;
    if (code->counts && !give(q, code, successor))
        return machine_fire(in, state, action, successor);
    return PORTOLAN_FIRED;
}

/* Apart, so that nothing has to be saved where the code is known. */
static __attribute__((noinline)) enum portolan_fired look_up_and_fire(const struct instance *in, const uint64_t *state,
                                                                      uint32_t action, uint64_t *successor)
{
    if (!in->quick->actions[action].is_plain)
        return machine_fire(in, state, action, successor);
    return fire_code(in, state, action, &in->quick->codes[machine_code(in, state, action)], successor);
}

/* Most often the code is that of the departure which was found enabled last. */
enum portolan_fired quick_fire(const void *model, const void *before, uint32_t action, void *after)
{
    const struct instance *in = model;
    const struct quick *q = in->quick;
    const struct quick_action *a = &q->actions[action];
    const struct quick_departure *hint = q->hint ? atomic_load_explicit(&q->hint[action], memory_order_relaxed) : NULL;
    if (!hint || (hint->action & ~CHECKED) != action || hint->from != quick_location(&q->where[a->process], before))
        return look_up_and_fire(in, before, action, after);
    return fire_code(in, before, action, &q->codes[hint->code], after);
}
