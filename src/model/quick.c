/* SPDX-License-Identifier: Apache-2.0 */
#include "model/quick.h"

#include "base/bits.h"

/* --------------------------------------------------------------------------- tests */

/* The comparisons of an action, those of one word together. */
static bool add_comparison(struct quick *q, struct quick_action *a, const struct word_test *test)
{
    for (uint32_t k = a->first_test; k < a->first_test + a->tests && !test->is_not_zero; k++)
        if (q->tests.item[k].word == test->word && !q->tests.item[k].is_not_zero) {
            q->tests.item[k].mask |= test->mask;
            q->tests.item[k].want |= test->want;
            return true;
        }
    a->tests++;
    return vector_push(&q->tests, *test);
}

/* A test is a comparison when it leaves one of the values that the field can hold, or all but the lowest. */
static bool add_test(struct instance *in, struct quick_action *a, const struct test *test)
{
    const struct field *field = &in->layout.field[test->cell];
    int64_t low = field->low, high = (int64_t)((uint64_t)field->low + field->mask);
    int64_t from = test->values.low > low ? test->values.low : low;
    int64_t to = test->values.high < high ? test->values.high : high;
    struct word_test made = {.mask = field->mask << field->shift, .word = field->word};
    if (from == low && to == high)
        return true;
    if (from == to)
        made.want = ((uint64_t)from - (uint64_t)low) << field->shift;
    else if (from == low + 1 && to == high)
        made.is_not_zero = true;
    else
        a->is_slow = true;
    return a->is_slow || add_comparison(in->quick, a, &made);
}

static bool make_tests(struct instance *in, uint32_t action)
{
    const struct action *a = &in->model->actions.item[action];
    struct quick_action *quick = &in->quick->actions[action];
    bool fine = true;
    quick->first_test = (uint32_t)in->quick->tests.count;
    quick->is_slow = in->derived->is_stop[action] || in->derived->summaries[action].may_block;
    for (uint32_t k = 0; k < a->tests && fine; k++)
        fine = add_test(in, quick, &in->model->tests.item[a->first_test + k]);
    return fine;
}

/* The first comparison stands with the departure. */
static void make_departures(struct instance *in)
{
    const struct derived *d = in->derived;
    const struct quick *q = in->quick;
    for (uint32_t l = 0; l < in->model->locations.count; l++)
        for (uint32_t k = d->first_departure[l]; k < d->first_departure[l + 1]; k++) {
            const struct quick_action *a = &q->actions[d->departures[k].action];
            const struct word_test *first = q->tests.item + a->first_test;
            bool has_first = a->tests && !first->is_not_zero, is_checked = a->is_slow || a->tests > has_first;
            q->departures[k] = (struct quick_departure){.action = d->departures[k].action | (is_checked ? CHECKED : 0),
                                                        .from = l,
                                                        .code = d->departures[k].code};
            if (has_first) {
                q->departures[k].word = first->word;
                q->departures[k].mask = first->mask;
                q->departures[k].want = first->want;
            }
        }
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

static bool adds(const struct instruction *i, int32_t number)
{
    return i->code == CODE_ADD && i->flags & B_IS_NUMBER && i->a == number;
}

/* What is taken away from one word is taken at once, and never twice from the same cell. */
static bool add_taking(struct quick *q, struct quick_action *a, const struct count *count)
{
    for (uint32_t k = a->first; k < a->first + a->counts; k++)
        if (q->counts.item[k].word == count->word) {
            a->is_plain &= !(q->counts.item[k].full & count->full);
            q->counts.item[k].one += count->one;
            q->counts.item[k].full |= count->full;
            return true;
        }
    a->counts++;
    return vector_push(&q->counts, *count);
}

static bool make_taking(struct instance *in, uint32_t action, const uint64_t *may_die)
{
    const struct model *m = in->model;
    const struct action *a = &m->actions.item[action];
    struct quick_action *quick = &in->quick->actions[action];
    bool fine = true;
    quick->process = a->process;
    quick->first = (uint32_t)in->quick->counts.count;
    quick->is_plain = a->process == MODEL_NONE || m->processes.item[a->process].registers == 0;
    for (const struct instruction *i = a->common == MODEL_NONE ? NULL : &m->code.item[a->common];
         i && i->code != CODE_REST && quick->is_plain && fine; i++) {
        uint32_t cell = (uint32_t)(i->c + i->b);
        quick->is_plain = adds(i, -1) && has_one_to_take(in, a, cell);
        struct count count = quick->is_plain ? count_of(in, cell, may_die) : (struct count){0};
        fine = !quick->is_plain || add_taking(in->quick, quick, &count);
    }
    return fine;
}

static bool make_code(struct instance *in, uint32_t at, const uint64_t *may_die)
{
    struct quick_code *code = &in->quick->codes[at];
    const struct instruction *i = &in->model->code.item[at];
    *code = (struct quick_code){.first = (uint32_t)in->quick->counts.count};
    for (; adds(i, 1); i++) {
        code->counts++;
        if (!vector_push(&in->quick->counts, count_of(in, (uint32_t)(i->c + i->b), may_die)))
            return false;
    }
    code->is_plain = i->code == CODE_REST;
    code->target = (uint32_t)i->c;
    return true;
}

static bool make_actions(struct instance *in, const uint64_t *may_die)
{
    const struct model *m = in->model;
    bool fine = true;
    for (uint32_t t = 0; t < m->actions.count && fine; t++) {
        const struct action *a = &m->actions.item[t];
        fine = make_tests(in, t) && make_taking(in, t, may_die);
        for (uint32_t k = a->first_edge; k < a->first_edge + a->edges && fine; k++)
            if (in->quick->codes[m->edges.item[k].code].first == MODEL_NONE)
                fine = make_code(in, m->edges.item[k].code, may_die);
    }
    return fine;
}

/* -------------------------------------------------------------------------- making */

static void find_places(struct instance *in)
{
    const struct model *m = in->model;
    for (uint32_t p = 0; p < m->processes.count; p++) {
        const struct field *field = &in->layout.field[m->processes.item[p].location_cell];
        in->quick->where[p] =
            (struct where){field->mask, field->word, field->shift, m->processes.item[p].first_location};
    }
    for (uint32_t l = 0; l < m->locations.count; l++) {
        const struct location *location = &m->locations.item[l];
        in->quick->keep[l] =
            location->dead == MODEL_NONE ? NULL : in->keep[location->dead] - in->keep_first_word[location->process];
    }
}

static bool allocate(struct quick *q, const struct model *m)
{
    q->where = calloc(m->processes.count + 1, sizeof *q->where);
    q->departures = calloc(m->edges.count + 1, sizeof *q->departures);
    q->actions = calloc(m->actions.count + 1, sizeof *q->actions);
    q->codes = malloc((m->code.count + 1) * sizeof *q->codes);
    q->keep = calloc(m->locations.count + 1, sizeof *q->keep);
    q->hint = calloc(m->actions.count + 1, sizeof *q->hint);
    if (!q->where || !q->departures || !q->actions || !q->codes || !q->keep || !q->hint)
        return false;
    for (size_t i = 0; i < m->code.count; i++)
        q->codes[i] = (struct quick_code){.first = MODEL_NONE};
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
        find_places(in);
    fine = fine && make_actions(in, may_die);
    if (fine)
        make_departures(in);
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
    free(q->keep);
    free(q->hint);
    free(q);
    in->quick = NULL;
}

/* -------------------------------------------------------------------------- firing */

/* The code of an action where its process is: most often that of the departure which was found enabled. */
static inline const struct quick_code *code_to_fire(const struct instance *in, const uint64_t *state, uint32_t action)
{
    const struct quick *q = in->quick;
    const struct quick_departure *hint = &q->departures[q->hint[action]];
    uint32_t process = q->actions[action].process;
    if (process != MODEL_NONE && (hint->action & ~CHECKED) == action &&
        hint->from == quick_location(&q->where[process], state))
        return &q->codes[hint->code];
    return &q->codes[machine_code(in, state, action)];
}

/* Nothing is added to a cell that is dead where its owner is; false when something does not fit. */
static inline bool give(const struct quick *q, const struct quick_code *giving, uint64_t *state)
{
    const struct count *count = q->counts.item + giving->first, *end = count + giving->counts;
    for (; count < end; count++) {
        const uint64_t *keep =
            count->owner == MODEL_NONE ? NULL : q->keep[quick_location(&q->where[count->owner], state)];
        if (keep && !(keep[count->word] & count->one))
            continue;
        if ((state[count->word] & count->full) == count->full)
            return false;
        state[count->word] += count->one;
    }
    return true;
}

static inline void move(const struct instance *in, uint32_t process, uint32_t location, uint64_t *state)
{
    const struct where *where = &in->quick->where[process];
    const uint64_t *keep = in->quick->keep[location];
    state[where->word] = (state[where->word] & ~(where->mask << where->shift)) |
                         (uint64_t)(location - where->first_location) << where->shift;
    if (!keep)
        return;
    uint32_t first = in->keep_first_word[process], end = first + in->keep_words[process];
    for (uint32_t w = first; w < end; w++)
        state[w] &= keep[w];
}

bool quick_fire(const struct instance *in, const uint64_t *state, uint32_t action, uint64_t *successor)
{
    const struct quick *q = in->quick;
    const struct quick_action *a = &q->actions[action];
    const struct quick_code *giving = a->is_plain ? code_to_fire(in, state, action) : NULL;
    if (!giving || !giving->is_plain)
        return false;
    for (uint32_t w = 0; w < in->layout.words; w++)
        successor[w] = state[w];
    for (const struct count *count = q->counts.item + a->first, *end = count + a->counts; count < end; count++)
        successor[count->word] -= count->one;
    if (!give(q, giving, successor))
        return false;
    if (a->process != MODEL_NONE)
        move(in, a->process, giving->target, successor);
    return true;
}
