/* SPDX-License-Identifier: Apache-2.0 */
#include "model/quick.h"

#include "base/bits.h"

/* --------------------------------------------------------------------------- tests */

/* Adds a comparison of a field with one value to those of an action, of which the first is in the table. */
static bool add_comparison(struct quick *q, uint32_t action, const struct field *field, uint64_t value)
{
    struct word_test *first = &q->tests[action], *test = first;
    uint64_t mask = field->mask << field->shift, want = value << field->shift;
    for (uint32_t k = 0; test->mask && test->word != field->word && k < first->more; k++)
        test = &q->more.item[first->first_more + k];
    if (test->mask && test->word != field->word) {
        if (first->more++ == 0)
            first->first_more = (uint32_t)q->more.count;
        return vector_push(&q->more, ((struct word_test){.mask = mask, .want = want, .word = field->word}));
    }
    test->word = field->word;
    test->mask |= mask;
    test->want |= want;
    return true;
}

/* A test is a comparison when only one value that the field can hold is in the range. */
static bool add_test(struct instance *in, uint32_t action, const struct test *test)
{
    const struct field *field = &in->layout.field[test->cell];
    int64_t low = field->low, high = (int64_t)((uint64_t)field->low + field->mask);
    if (test->values.low <= low && high <= test->values.high)
        return true;
    int64_t from = test->values.low > low ? test->values.low : low;
    int64_t to = test->values.high < high ? test->values.high : high;
    if (from != to) {
        in->quick->tests[action].is_slow = true;
        return true;
    }
    return add_comparison(in->quick, action, field, (uint64_t)from - (uint64_t)low);
}

static bool make_tests(struct instance *in)
{
    const struct model *m = in->model;
    bool fine = true;
    for (uint32_t t = 0; t < m->actions.count && fine; t++) {
        const struct action *a = &m->actions.item[t];
        in->quick->tests[t].is_slow = in->derived->is_stop[t] || in->derived->summaries[t].may_block;
        for (uint32_t k = 0; k < a->tests && fine; k++)
            fine = add_test(in, t, &m->tests.item[a->first_test + k]);
    }
    return fine;
}

/* ---------------------------------------------------------------------------- code */

/* Does the action ask for a value from which one can be taken away? */
static bool has_one_to_take(const struct instance *in, const struct action *a, uint32_t cell)
{
    const struct test *test = in->model->tests.item + a->first_test, *end = test + a->tests;
    while (test < end && (test->cell != cell || test->values.low <= in->layout.field[cell].low))
        test++;
    return test < end;
}

static struct count count_of(const struct instance *in, uint32_t cell, const uint64_t *may_die)
{
    const struct field *field = &in->layout.field[cell];
    return (struct count){.one = UINT64_C(1) << field->shift,
                          .full = field->mask << field->shift,
                          .word = field->word,
                          .owner = bit_get(may_die, cell) ? in->model->cells.item[cell].owner : MODEL_NONE};
}

static bool counts_twice(const struct quick *q, const struct quick_code *code, const struct count *count)
{
    for (uint32_t k = code->first; k < code->first + code->counts; k++)
        if (q->counts.item[k].word == count->word && q->counts.item[k].one == count->one)
            return true;
    return false;
}

/* Code that adds `by` to cells and rests; where it takes away, each cell must be known to hold something. */
static bool make_code(struct instance *in, const struct action *a, uint32_t at, int32_t by, const uint64_t *may_die,
                      struct quick_code *code)
{
    const struct model *m = in->model;
    *code = (struct quick_code){.first = (uint32_t)in->quick->counts.count};
    for (const struct instruction *i = &m->code.item[at];; i++) {
        if (i->code == CODE_REST) {
            code->target = (uint32_t)i->c;
            code->is_plain = true;
            return true;
        }
        if (i->code != CODE_ADD || !(i->flags & B_IS_NUMBER) || i->a != by)
            return true;
        uint32_t cell = (uint32_t)(i->c + i->b);
        struct count count = count_of(in, cell, may_die);
        if (by < 0 && (!has_one_to_take(in, a, cell) || counts_twice(in->quick, code, &count)))
            return true;
        code->counts++;
        if (!vector_push(&in->quick->counts, count))
            return false;
    }
}

static bool make_codes(struct instance *in, const uint64_t *may_die)
{
    const struct model *m = in->model;
    struct quick *q = in->quick;
    bool fine = true;
    for (uint32_t t = 0; t < m->actions.count && fine; t++) {
        const struct action *a = &m->actions.item[t];
        q->taking[t].is_plain = a->process == MODEL_NONE || m->processes.item[a->process].registers == 0;
        if (q->taking[t].is_plain && a->common != MODEL_NONE)
            fine = make_code(in, a, a->common, -1, may_die, &q->taking[t]);
        for (uint32_t k = a->first_edge; k < a->first_edge + a->edges && fine; k++) {
            uint32_t code = m->edges.item[k].code;
            if (q->giving[code].first == MODEL_NONE)
                fine = make_code(in, a, code, 1, may_die, &q->giving[code]);
        }
    }
    return fine;
}

/* -------------------------------------------------------------------------- making */

static void point_at_masks(struct instance *in)
{
    const struct model *m = in->model;
    for (uint32_t l = 0; l < m->locations.count; l++) {
        const struct location *location = &m->locations.item[l];
        in->quick->keep[l] =
            location->dead == MODEL_NONE ? NULL : in->keep[location->dead] - in->keep_first_word[location->process];
    }
}

static bool allocate(struct quick *q, const struct model *m)
{
    q->tests = calloc(m->actions.count + 1, sizeof *q->tests);
    q->taking = calloc(m->actions.count + 1, sizeof *q->taking);
    q->giving = malloc((m->code.count + 1) * sizeof *q->giving);
    q->keep = calloc(m->locations.count + 1, sizeof *q->keep);
    q->hint = calloc(m->actions.count + 1, sizeof *q->hint);
    if (!q->tests || !q->taking || !q->giving || !q->keep || !q->hint)
        return false;
    for (size_t i = 0; i < m->code.count; i++)
        q->giving[i] = (struct quick_code){.first = MODEL_NONE};
    return true;
}

bool quick_make(struct instance *in)
{
    const struct model *m = in->model;
    quick_clear(in);
    in->quick = calloc(1, sizeof *in->quick);
    uint64_t *may_die = calloc(bit_words((uint32_t)m->cells.count) + 1, sizeof *may_die);
    bool fine = in->quick && may_die && allocate(in->quick, m);
    for (uint32_t set = 0; fine && set < m->dead_sets.count; set++)
        for_list (cell, in->derived->dead_cells, set)
            bit_set(may_die, *cell);
    if (fine)
        point_at_masks(in);
    fine = fine && make_tests(in) && make_codes(in, may_die);
    free(may_die);
    return fine;
}

void quick_clear(struct instance *in)
{
    struct quick *q = in->quick;
    if (!q)
        return;
    free(q->tests);
    free(q->more.item);
    free(q->taking);
    free(q->giving);
    free(q->counts.item);
    free(q->keep);
    free(q->hint);
    free(q);
    in->quick = NULL;
}

/* -------------------------------------------------------------------------- firing */

/* The code of an action where its process is: most often that of the departure which was found enabled. */
static uint32_t code_to_fire(const struct instance *in, const uint64_t *state, uint32_t action)
{
    const struct derived *d = in->derived;
    const struct action *a = &in->model->actions.item[action];
    if (a->edges == 1)
        return in->model->edges.item[a->first_edge].code;
    uint32_t hint = in->quick->hint[action], location = location_of(in, state, a->process);
    if (d->first_departure[location] <= hint && hint < d->first_departure[location + 1] &&
        d->departures[hint].action == action)
        return d->departures[hint].code;
    return machine_code(in, state, action);
}

/* Is a cell dead where its owner is? */
static bool is_gone(const struct instance *in, const uint64_t *state, const struct count *count)
{
    if (count->owner == MODEL_NONE)
        return false;
    const uint64_t *keep = in->quick->keep[location_of(in, state, count->owner)];
    return keep && !(keep[count->word] & count->one);
}

static bool give(const struct instance *in, const struct quick_code *giving, uint64_t *state)
{
    const struct count *count = in->quick->counts.item + giving->first, *end = count + giving->counts;
    for (; count < end; count++) {
        if (is_gone(in, state, count))
            continue;
        if ((state[count->word] & count->full) == count->full)
            return false;
        state[count->word] += count->one;
    }
    return true;
}

static void move(const struct instance *in, uint32_t process, uint32_t location, uint64_t *state)
{
    const struct process *p = &in->model->processes.item[process];
    const uint64_t *keep = in->quick->keep[location];
    field_put(&in->layout.field[p->location_cell], state, location - p->first_location);
    if (!keep)
        return;
    uint32_t first = in->keep_first_word[process], words = in->keep_words[process];
    for (uint32_t w = first; w < first + words; w++)
        state[w] &= keep[w];
}

bool quick_fire(const struct instance *in, const uint64_t *state, uint32_t action, uint64_t *successor)
{
    const struct quick *q = in->quick;
    if (!q->taking[action].is_plain)
        return false;
    const struct quick_code *giving = &q->giving[code_to_fire(in, state, action)];
    if (!giving->is_plain)
        return false;
    for (uint32_t w = 0; w < in->layout.words; w++)
        successor[w] = state[w];
    const struct count *count = q->counts.item + q->taking[action].first, *end = count + q->taking[action].counts;
    for (; count < end; count++)
        successor[count->word] -= count->one;
    if (!give(in, giving, successor))
        return false;
    uint32_t process = in->model->actions.item[action].process;
    if (process != MODEL_NONE)
        move(in, process, giving->target, successor);
    return true;
}
