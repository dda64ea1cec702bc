/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the guards of a model hold.  Stubborn sets ask for many of them in every state, so what a guard looks at is
 * laid out for the layout at hand: a field, and a range of its values or a set of locations.  That is made anew when
 * the layout becomes wider.
 */
#include "model/derived.h"

#include "base/limits.h"

#include <stdlib.h>

enum guard_kind {
    GUARD_RANGE,  /* the field is in a range */
    GUARD_PLACES, /* the process is at one of some locations */
    GUARD_TRIAL,  /* it is at none of them, or the code of an action does not block there */
    GUARD_OTHER   /* all that must be looked up */
};

struct guard {
    uint64_t mask;        /* of the field, which is in this word from this bit on; its lowest value counts as 0 */
    uint64_t first, span; /* GUARD_RANGE: from the first on so many more, ... */
    uint64_t zero;        /* ... or this */
    uint64_t places;      /* a bit for each value of the field */
    uint32_t word;
    uint8_t shift, kind;
};

static struct guard guard_of_field(const struct field *field, enum guard_kind kind)
{
    return (struct guard){
        .mask = field->mask, .zero = UINT64_MAX, .word = field->word, .shift = field->shift, .kind = (uint8_t)kind};
}

static struct guard guard_of_test(const struct instance *in, const struct test *test)
{
    const struct field *field = &in->packed.layout.field[test->cell];
    struct guard guard = guard_of_field(field, GUARD_RANGE);
    int64_t low = field->low, high = (int64_t)((uint64_t)low + field->mask);
    int64_t from = test->values.low > low ? test->values.low : low;
    int64_t to = test->values.high < high ? test->values.high : high;
    if (from <= to)
        guard.span = (uint64_t)to - (uint64_t)from;
    guard.first = from <= to ? (uint64_t)from - (uint64_t)low : field->mask + 1; /* which no field has */
    if (test->or_empty && low <= 0 && high >= 0)
        guard.zero = 0 - (uint64_t)low;
    return guard;
}

/* Notes that the process may be at the location; false where there is no bit for it. */
static bool add_place(const struct instance *in, struct guard *guard, uint32_t process, uint32_t location)
{
    const struct process *p = &in->model->processes.item[process];
    int64_t value = (int64_t)location - p->first_location - in->packed.layout.field[p->location_cell].low;
    if (value >= 0 && value < 64)
        guard->places |= UINT64_C(1) << value;
    return value < 64;
}

static struct guard guard_of_locations(const struct instance *in, uint32_t number)
{
    const struct portolan_lists *locations = &in->derived->guard_locations;
    uint32_t process = in->model->locations.item[locations->item[locations->offset[number]]].process;
    uint32_t cell = in->model->processes.item[process].location_cell;
    const struct field *field = &in->packed.layout.field[cell];
    if (list_length(locations, number) == 1) {
        int64_t at =
            (int64_t)locations->item[locations->offset[number]] - in->model->processes.item[process].first_location;
        return guard_of_test(in, &(struct test){.cell = cell, .values = {at, at}});
    }
    struct guard guard = guard_of_field(field, GUARD_PLACES);
    bool fits = guard.mask < 64;
    for_list (location, *locations, number)
        fits = fits && add_place(in, &guard, process, *location);
    return fits ? guard : (struct guard){.kind = GUARD_OTHER};
}

static struct guard guard_of_trial(const struct instance *in, uint32_t number)
{
    const struct action *a = &in->model->actions.item[in->derived->guard_actions[number]];
    if (a->process == MODEL_NONE)
        return (struct guard){.kind = GUARD_OTHER};
    uint32_t cell = in->model->processes.item[a->process].location_cell;
    struct guard guard = guard_of_field(&in->packed.layout.field[cell], GUARD_TRIAL);
    bool fits = guard.mask < 64;
    for (uint32_t k = a->first_edge; k < a->first_edge + a->edges; k++)
        fits = fits && add_place(in, &guard, a->process, in->model->edges.item[k].from);
    return fits ? guard : (struct guard){.kind = GUARD_OTHER};
}

bool guards_make(struct instance *in)
{
    const struct derived *d = in->derived;
    uint32_t count = d->relations.guards;
    in->guards = NULL;
    if (count == 0)
        return true;
    in->guards = limits_allow(count * sizeof *in->guards) ? malloc(count * sizeof *in->guards) : NULL;
    for (uint32_t g = 0; in->guards && g < count; g++) {
        uint32_t test = g - d->location_guards, trial = test - d->test_guards;
        in->guards[g] = g < d->location_guards    ? guard_of_locations(in, g)
                        : test < d->test_guards   ? guard_of_test(in, &in->model->tests.item[d->guard_tests[test]])
                        : trial < d->trial_guards ? guard_of_trial(in, trial)
                                                  : (struct guard){.kind = GUARD_OTHER};
    }
    return in->guards;
}

/* ------------------------------------------------------------------------- asking */

static bool is_at_one(const struct instance *in, const uint64_t *state, uint32_t guard)
{
    const struct derived *d = in->derived;
    uint32_t first = d->guard_locations.item[d->guard_locations.offset[guard]];
    return list_has(&d->guard_locations, guard, location_of(in, state, in->model->locations.item[first].process));
}

static bool goes_on_there(const struct instance *in, const uint64_t *state, uint32_t guard)
{
    uint32_t trial = guard - in->derived->location_guards - in->derived->test_guards;
    uint32_t action = in->derived->guard_actions[trial], code = machine_code(in, state, action);
    return code == MODEL_NONE || machine_can_go_on(in, state, action, code);
}

static bool other_holds(const struct instance *in, const uint64_t *state, uint32_t guard)
{
    const struct derived *d = in->derived;
    if (guard < d->location_guards)
        return is_at_one(in, state, guard);
    uint32_t special = d->location_guards + d->test_guards + d->trial_guards;
    if (guard < special)
        return goes_on_there(in, state, guard);
    if (d->has_fallbacks && guard - special == (in->model->stops.offset != NULL))
        return !model_process_is_enabled(in, state, MODEL_NONE);
    return !in->without_stops;
}

static inline bool guard_holds(const struct instance *in, const uint64_t *state, uint32_t number)
{
    const struct guard *guard = &in->guards[number];
    uint64_t value = state[guard->word] >> guard->shift & guard->mask;
    switch (guard->kind) {
    case GUARD_RANGE: return value - guard->first <= guard->span || value == guard->zero;
    case GUARD_PLACES: return guard->places >> value & 1;
    case GUARD_TRIAL: return !(guard->places >> value & 1) || goes_on_there(in, state, number);
    default: return other_holds(in, state, number);
    }
}

bool machine_guard_holds(const struct instance *in, const uint64_t *state, uint32_t guard)
{
    return guard_holds(in, state, guard);
}

bool machine_guards_are(const struct instance *in, const uint64_t *state, const uint32_t *guards, uint32_t count,
                        bool value)
{
    for (uint32_t i = 0; i < count; i++)
        if (guard_holds(in, state, guards[i]) != value)
            return false;
    return true;
}
