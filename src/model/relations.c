/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r */
#endif
/*
 * The relations of a model.
 *
 *  - Guards are "the process is at one of these locations", one for each set of sources; the tests on cells, each once;
 *    and for an action whose code may block "its process is elsewhere, or the code goes on".
 *  - A location guard is enabled by actions with an edge from outside the set into it, and disabled the other way
 * round.
 *  - A test is enabled and disabled by what writes its cell, as far as is known of what is written: a constant is in
 *    the range or not, an addition leads up or down; what is put at the end of a queue goes to a place that was empty,
 *    taking its head empties one.  Cells that die hold 0 from then on.
 *  - Which actions commute: commuting.c.
 *  - Fallbacks share a guard, "nothing else is enabled": see struct portolan_relations.
 */
#include "model/relating.h"

#include "base/limits.h"
#include "base/sequences.h"

#include <string.h>

enum { MOST_PAIRS = 1 << 24, MOST_RELATED = 1 << 26 };

/* ------------------------------------------------------------------ location guards */

/* Which guards hold at a location: those whose sets it is in. */
struct sets {
    struct sequences keys;
    struct lists_builder members;
    struct portolan_lists guards_at; /* location -> guards */
};

static void find_sets(struct relating *r, struct sets *sets)
{
    const struct model *m = r->m;
    VECTOR(uint32_t) key = {0};
    for (uint32_t t = 0; t < m->actions.count && !r->failed; t++) {
        const struct action *a = &m->actions.item[t];
        bool is_new = false;
        key.count = 0;
        for (uint32_t k = 0; k < a->edges && a->process != MODEL_NONE; k++)
            r->failed |= !vector_push(&key, m->edges.item[a->first_edge + k].from);
        if (key.count == 0 || r->failed)
            continue;
        uint32_t guard = sequence_insert(&sets->keys, key.item, key.count, &is_new);
        r->failed |= guard == SEQUENCE_NONE;
        for (size_t k = 0; is_new && k < key.count; k++)
            lists_add(&sets->members, guard, key.item[k]);
        lists_add(&r->guards_of, t, guard);
    }
    free(key.item);
    r->d->location_guards = sets->keys.count;
    r->failed |= !lists_finish(&sets->members, sets->keys.count, &r->d->guard_locations);
    r->failed |= r->failed || !lists_transpose(&r->d->guard_locations, sets->keys.count, (uint32_t)m->locations.count,
                                               &sets->guards_at);
}

/* Adds the action to the list of each item of list `here` that is not in list `there`, which may be none. */
static void add_difference(struct lists_builder *lists, const struct portolan_lists *items, uint32_t here,
                           uint32_t there, uint32_t action)
{
    const uint32_t *other = there == MODEL_NONE ? NULL : items->item + items->offset[there];
    const uint32_t *end = there == MODEL_NONE ? NULL : items->item + items->offset[there + 1];
    for_list (item, *items, here) {
        while (other < end && *other < *item)
            other++;
        if (other == end || *other != *item)
            lists_add(lists, *item, action);
    }
}

static void add_killed(struct relating *r, uint32_t from, uint32_t to, uint32_t action)
{
    uint32_t before = r->m->locations.item[from].dead, after = r->m->locations.item[to].dead;
    if (after != MODEL_NONE && after != before)
        add_difference(&r->dying, &r->d->dead_cells, after, before, action);
}

static void relate_edges(struct relating *r, const struct sets *sets)
{
    const struct model *m = r->m;
    for (uint32_t t = 0; t < m->actions.count && !r->failed; t++) {
        const struct action *a = &m->actions.item[t];
        r->failed |= r->walk.failed;
        for (uint32_t k = a->first_edge; a->process != MODEL_NONE && k < a->first_edge + a->edges; k++) {
            uint32_t from = m->edges.item[k].from, at;
            for (walk_begin(&r->walk, m->edges.item[k].code); walk_next(&r->walk, &at);) {
                const struct instruction *i = &m->code.item[at];
                if (i->code != CODE_REST)
                    continue;
                add_difference(&r->enablers, &sets->guards_at, (uint32_t)i->c, from, t);
                add_difference(&r->disablers, &sets->guards_at, from, (uint32_t)i->c, t);
                add_killed(r, from, (uint32_t)i->c, t);
            }
        }
    }
    r->failed |= !lists_finish(&r->dying, (uint32_t)m->cells.count, &r->killers);
}

/* What another process stores to where a process is, as a rendezvous does. */
static void relate_moves_of_others(struct relating *r, const struct sets *sets)
{
    const struct model *m = r->m;
    for (uint32_t p = 0; p < m->processes.count; p++)
        for_list (access, r->touchers, m->processes.item[p].location_cell) {
            const struct access *a = &r->d->accesses.item[*access];
            const struct process *process = &m->processes.item[p];
            for (uint32_t l = process->first_location; l < process->first_location + process->locations; l++)
                for_list (guard, sets->guards_at, l) {
                    if (is_change(a) && (a->kind != ACCESS_SETS || process->first_location + a->value == l))
                        lists_add(&r->enablers, *guard, r->owner[*access]);
                    if (is_change(a) && minds_place(r, *access, l))
                        lists_add(&r->disablers, *guard, r->owner[*access]);
                }
        }
}

/* ---------------------------------------------------------------------- test guards */

static bool is_in(const struct range *range, int64_t value)
{
    return range->low <= value && value <= range->high;
}

/* Is the cell in the range whenever it is not 0? */
static bool has_all_but_0(const struct range *range, const struct range *values)
{
    return range->low <= (values->low < 0 ? values->low : 1) && range->high >= values->high;
}

/* Can the access lead from outside of the range into it (or, with out, out of it)? */
static bool may_cross(const struct relating *r, const struct access *a, const struct range *range, bool out)
{
    const struct range *values = &r->m->cells.item[a->cell].values;
    bool above = range->high<values->high, below = range->low> values->low; /* is there anything? */
    bool empty = is_in(range, 0);
    switch (a->kind) {
    case ACCESS_READS:
    case ACCESS_READS_HEAD: return false;
    case ACCESS_SETS: return is_in(range, a->value) != out;
    case ACCESS_ADDS: return (a->value > 0) == out ? above : below;
    case ACCESS_APPENDS:
    case ACCESS_MAY_APPEND: /* a place that was empty */
        return empty == out && (a->value == 0 || is_in(range, a->value) != out);
    case ACCESS_TAKES: /* a place that was not, and may be now */
        return out ? range->low != 0 || range->high != 0 : !has_all_but_0(range, values);
    default: return true;
    }
}

/* The test is about where the process of action t is: t may come there, or leave. */
static void relate_move(struct relating *r, uint32_t guard, const struct test *test, uint32_t t,
                        uint32_t first_location)
{
    const struct action *a = &r->m->actions.item[t];
    bool comes = false, leaves = false;
    for_list (location, r->d->targets, t)
        comes |= is_in(&test->values, (int64_t)*location - first_location);
    for (uint32_t k = 0; k < a->edges; k++)
        leaves |= is_in(&test->values, (int64_t)r->m->edges.item[a->first_edge + k].from - first_location);
    if (comes)
        lists_add(&r->enablers, guard, t);
    if (leaves)
        lists_add(&r->disablers, guard, t);
}

/* The same of a guard that holds for 0 as well: it is made false only where the cell is not 0, see find_heads. */
static bool may_cross_or_empty(const struct access *a, const struct range *range, bool out)
{
    if (a->kind == ACCESS_SETS)
        return (a->value == 0 || is_in(range, a->value)) != out;
    return is_change(a) && !appends(a);
}

/* Equal tests, by number, and the actions that have them. */
struct same_tests {
    const uint32_t *test, *action_of;
    size_t count;
};

/* Can an action be enabled that has the test where the access comes about? */
static bool is_asked_there(const struct relating *r, const struct same_tests *same, uint32_t access)
{
    for (size_t k = 0; k < same->count; k++)
        if (comes_about_at_source(r, access, same->action_of[same->test[k]]))
            return true;
    return false;
}

static void relate_test(struct relating *r, uint32_t guard, const struct same_tests *same)
{
    const struct test *test = &r->m->tests.item[same->test[0]];
    for_list (access, r->touchers, test->cell) {
        const struct access *a = &r->d->accesses.item[*access];
        const struct range *range = &test->values;
        if (test->or_empty ? may_cross_or_empty(a, range, false) : may_cross(r, a, range, false))
            lists_add(&r->enablers, guard, r->owner[*access]);
        if ((test->or_empty ? may_cross_or_empty(a, range, true) : may_cross(r, a, range, true)) &&
            is_asked_there(r, same, *access))
            lists_add(&r->disablers, guard, r->owner[*access]);
    }
    for_list (killer, r->killers, test->cell)
        lists_add(test->or_empty || is_in(&test->values, 0) ? &r->enablers : &r->disablers, guard, *killer);
    uint32_t owner = r->m->cells.item[test->cell].owner;
    if (owner == MODEL_NONE || test->cell != r->m->processes.item[owner].location_cell)
        return;
    for_list (t, r->of, owner)
        relate_move(r, guard, test, *t, r->m->processes.item[owner].first_location);
}

static int by_test(const void *left, const void *right, void *model)
{
    const struct test *tests = ((const struct model *)model)->tests.item;
    const struct test *a = &tests[*(const uint32_t *)left], *b = &tests[*(const uint32_t *)right];
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (a->values.low != b->values.low)
        return a->values.low < b->values.low ? -1 : 1;
    if (a->values.high != b->values.high)
        return a->values.high < b->values.high ? -1 : 1;
    return a->or_empty - b->or_empty;
}

static bool is_in_queue(const struct relating *r, uint32_t cell)
{
    for_list (access, r->touchers, cell)
        if (appends(&r->d->accesses.item[*access]))
            return true;
    return false;
}

/* Where a message must be there and be a certain one, that is two guards: "there is one", and "if there is one, it is
 * this".  What is sent then enables the first only, where the queue is empty; where another message is at the head,
 * only taking it enables the second.  What is sent to an empty queue may make the second one false, but no action that
 * has it is enabled there, so that is no way to disable one. */
static void find_heads(struct relating *r)
{
    const struct model *m = r->m;
    for (size_t t = 0; t < m->actions.count; t++) {
        const struct action *a = &m->actions.item[t];
        for (uint32_t k = 0; k < a->tests; k++) {
            struct test *test = &m->tests.item[a->first_test + k];
            if (is_in(&test->values, 0) || !is_in_queue(r, test->cell))
                continue;
            for (uint32_t j = 0; j < a->tests; j++) {
                const struct test *other = &m->tests.item[a->first_test + j];
                const struct range *all = &m->cells.item[test->cell].values;
                if (other->cell == test->cell && !is_in(&other->values, 0) && has_all_but_0(&other->values, all) &&
                    !has_all_but_0(&test->values, all))
                    test->or_empty = true;
            }
        }
    }
}

static void relate_tests(struct relating *r)
{
    struct derived *d = r->d;
    const struct model *m = r->m;
    size_t count = m->tests.count;
    uint32_t *sorted = calloc(count + 1, sizeof *sorted), *guard_of = calloc(count + 1, sizeof *guard_of);
    uint32_t *action_of = calloc(count + 1, sizeof *action_of);
    d->guard_tests = calloc(count + 1, sizeof *d->guard_tests);
    r->failed |= !sorted || !guard_of || !action_of || !d->guard_tests;
    for (uint32_t k = 0; !r->failed && k < count; k++)
        sorted[k] = k;
    for (uint32_t t = 0; !r->failed && t < m->actions.count; t++)
        for (uint32_t k = 0; k < m->actions.item[t].tests; k++)
            action_of[m->actions.item[t].first_test + k] = t;
    find_heads(r);
    if (!r->failed && count)
        qsort_r(sorted, count, sizeof *sorted, by_test, (void *)m);
    for (size_t k = 0; !r->failed && k < count; k++) {
        r->failed |= limits_reached();
        if (k == 0 || by_test(&sorted[k - 1], &sorted[k], (void *)m) != 0) {
            struct same_tests same = {sorted + k, action_of, 1};
            while (k + same.count < count && by_test(&sorted[k], &sorted[k + same.count], (void *)m) == 0)
                same.count++;
            d->guard_tests[d->test_guards++] = sorted[k];
            relate_test(r, d->location_guards + d->test_guards - 1, &same);
        }
        guard_of[sorted[k]] = d->location_guards + d->test_guards - 1;
    }
    for (uint32_t t = 0; !r->failed && t < m->actions.count; t++)
        for (uint32_t k = 0; k < m->actions.item[t].tests; k++)
            lists_add(&r->guards_of, t, guard_of[m->actions.item[t].first_test + k]);
    free(sorted);
    free(guard_of);
    free(action_of);
}

/* --------------------------------------------------------------------- trial guards */

static void add_both(struct relating *r, uint32_t guard, uint32_t action)
{
    lists_add(&r->enablers, guard, action);
    lists_add(&r->disablers, guard, action);
}

/* The code looks at where other processes are: they move with every step. */
static void relate_watched(struct relating *r, uint32_t guard, uint32_t action)
{
    const struct model *m = r->m;
    const struct action_summary *summary = &r->d->summaries[action];
    for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++) {
        uint32_t cell = r->d->accesses.item[k].cell, owner = m->cells.item[cell].owner;
        if (!r->d->accesses.item[k].decides || owner == MODEL_NONE || owner == m->actions.item[action].process ||
            m->processes.item[owner].location_cell != cell)
            continue;
        for_list (t, r->of, owner)
            if (code_minds_move(r, k, *t))
                add_both(r, guard, *t);
    }
}

/* The same cells are often touched many times: each action is listed once in each list. */
static void add_once(struct relating *r, uint32_t guard, uint32_t action, bool enables, bool disables)
{
    enum { IN_ENABLERS = 1, IN_DISABLERS = 2 };
    uint32_t listed = r->seen[action] >= r->stamp ? r->seen[action] - r->stamp : 0;
    uint32_t more = ((enables ? IN_ENABLERS : 0) | (disables ? IN_DISABLERS : 0)) & ~listed;
    if (more & IN_ENABLERS)
        lists_add(&r->enablers, guard, action);
    if (more & IN_DISABLERS)
        lists_add(&r->disablers, guard, action);
    r->seen[action] = r->stamp + (listed | more);
}

/* Does the access move the process of the action from where its code may block? */
static bool moves_from_source(const struct relating *r, uint32_t access, const struct action *self)
{
    for (uint32_t k = 0; k < self->edges; k++)
        if (minds_place(r, access, r->m->edges.item[self->first_edge + k].from))
            return true;
    return false;
}

/* Whoever writes what the code may look at; its own process where it stays at such a location. Coming there may make it
 * false, but where it comes from the action is not enabled. */
static void relate_trial(struct relating *r, uint32_t guard, uint32_t action)
{
    const struct model *m = r->m;
    const struct action_summary *summary = &r->d->summaries[action];
    const struct action *self = &m->actions.item[action];
    r->stamp += 4;
    for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++) {
        const struct access *own = &r->d->accesses.item[k];
        for_list (access, r->touchers, own->cell) {
            const struct access *other = &r->d->accesses.item[*access];
            uint32_t t = r->owner[*access];
            if (!own->decides || r->is_twin[own->cell] || !is_change(other) ||
                m->actions.item[t].process == self->process || !code_comes_about_around(r, k, t) ||
                !comes_about_at_source(r, *access, action))
                continue;
            bool behind =
                own->kind == ACCESS_READS_HEAD && appends(other); /* what comes behind a head does not matter */
            add_once(r, guard, t, may_satisfy(own, other), !behind && may_dissatisfy(own, other));
        }
    }
    relate_watched(r, guard, action);
    if (self->process == MODEL_NONE)
        return;
    for_list (t, r->of, self->process) {
        const struct action *other = &m->actions.item[*t];
        bool comes = false, leaves = false;
        for_list (location, r->d->targets, *t)
            comes |= edge_code(m, self, *location) != MODEL_NONE;
        for (uint32_t k = 0; k < other->edges; k++)
            leaves |= edge_code(m, self, m->edges.item[other->first_edge + k].from) != MODEL_NONE;
        if (comes && leaves)
            lists_add(&r->disablers, guard, *t);
        if (leaves && *t != action) /* where its process is elsewhere, nothing blocks */
            lists_add(&r->enablers, guard, *t);
    }
    for_list (access, r->touchers, m->processes.item[self->process].location_cell)
        if (is_change(&r->d->accesses.item[*access]) && moves_from_source(r, *access, self))
            add_both(r, guard, r->owner[*access]);
}

static void relate_trials(struct relating *r)
{
    struct derived *d = r->d;
    d->guard_actions = calloc(r->m->actions.count + 1, sizeof *d->guard_actions);
    r->failed |= !d->guard_actions;
    for (uint32_t t = 0; !r->failed && r->pairs_left >= 2 && t < r->m->actions.count; t++) {
        r->failed |= limits_reached();
        if (!d->summaries[t].may_block)
            continue;
        uint32_t guard = d->location_guards + d->test_guards + d->trial_guards;
        d->guard_actions[d->trial_guards++] = t;
        lists_add(&r->guards_of, t, guard);
        relate_trial(r, guard, t);
        if (r->enablers.pairs.count + r->disablers.pairs.count > MOST_RELATED)
            r->pairs_left = 0;
    }
}

/* --------------------------------------------------------------------------- making */

static void relate_stops(struct relating *r)
{
    struct derived *d = r->d;
    uint32_t guard = d->location_guards + d->test_guards + d->trial_guards;
    if (!r->m->stops.offset)
        return;
    for_list (stop, r->m->stops, 0)
        lists_add(&r->guards_of, *stop, guard);
}

/* The last guard, that of fallbacks. */
static void relate_fallbacks(struct relating *r)
{
    struct derived *d = r->d;
    const struct model *m = r->m;
    uint32_t guard = d->location_guards + d->test_guards + d->trial_guards + (m->stops.offset != NULL);
    for (uint32_t t = 0; t < m->actions.count && d->has_fallbacks && !r->failed; t++) {
        if (!m->actions.item[t].is_fallback)
            continue;
        lists_add(&r->guards_of, t, guard);
        lists_add(&r->disablers, guard, t); /* where it holds nothing else can happen */
    }
}

static bool are_twins(const struct relating *r, uint32_t cell, uint32_t before)
{
    const uint32_t *one = r->touchers.item + r->touchers.offset[cell];
    const uint32_t *other = r->touchers.item + r->touchers.offset[before];
    uint32_t count = list_length(&r->touchers, cell);
    if (count != list_length(&r->touchers, before))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        const struct access *a = &r->d->accesses.item[one[k]], *b = &r->d->accesses.item[other[k]];
        if (r->owner[one[k]] != r->owner[other[k]] || a->kind != b->kind || a->value != b->value ||
            a->decides != b->decides || a->wants != b->wants || a->wanted != b->wanted)
            return false;
    }
    return true;
}

/* The cells of an array or a queue often are: then one of them tells all there is to know of pairs of actions. */
static bool find_twins(struct relating *r)
{
    r->is_twin = calloc(r->m->cells.count + 1, sizeof *r->is_twin);
    for (uint32_t cell = 1; r->is_twin && cell < r->m->cells.count; cell++)
        r->is_twin[cell] = are_twins(r, cell, cell - 1);
    return r->is_twin;
}

static bool index_actions(struct relating *r)
{
    struct lists_builder builder = {0}, of = {0};
    for (uint32_t t = 0; t < r->m->actions.count; t++)
        if (r->m->actions.item[t].process != MODEL_NONE)
            lists_add(&of, r->m->actions.item[t].process, t);
    if (!lists_finish(&of, (uint32_t)r->m->processes.count, &r->of))
        return false;
    r->owner = calloc(r->d->accesses.count + 1, sizeof *r->owner);
    for (uint32_t t = 0; r->owner && t < r->m->actions.count; t++) {
        const struct action_summary *summary = &r->d->summaries[t];
        for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++) {
            r->owner[k] = t;
            lists_add(&builder, r->d->accesses.item[k].cell, k);
        }
    }
    return lists_finish(&builder, (uint32_t)r->m->cells.count, &r->touchers) && r->owner && find_twins(r);
}

/* A process is at one location at a time. */
static bool list_exclusive(struct derived *d)
{
    uint32_t *process = d->guard_process = malloc(((size_t)d->relations.guards + 1) * sizeof *process);
    if (!process)
        return false;
    memset(process, 0xff, ((size_t)d->relations.guards + 1) * sizeof *process);
    for (uint32_t g = 0; g < d->location_guards; g++)
        if (list_length(&d->guard_locations, g) == 1)
            process[g] = d->model->locations.item[d->guard_locations.item[d->guard_locations.offset[g]]].process;
    d->relations.exclusive = process;
    return true;
}

static void forget(struct lists_builder *builder)
{
    free(builder->pairs.item);
    *builder = (struct lists_builder){.failed = builder->failed};
}

/* Too many pairs: nobody is told of any, nor of guards. */
static void forget_all(struct relating *r)
{
    forget(&r->guards_of);
    forget(&r->enablers);
    forget(&r->disablers);
    forget(&r->not_commuting);
    forget(&r->never);
}

static bool finish(struct relating *r)
{
    struct portolan_relations *view = &r->d->relations;
    view->transitions = (uint32_t)r->m->actions.count;
    view->guards = r->d->location_guards + r->d->test_guards + r->d->trial_guards + (r->m->stops.offset != NULL) +
                   r->d->has_fallbacks;
    view->has_fallbacks = r->d->has_fallbacks;
    bool fine = !r->failed && !r->walk.failed;
    r->d->too_many_pairs = r->pairs_left < 2;
    if (r->d->too_many_pairs)
        forget_all(r);
    fine &= lists_finish(&r->guards_of, view->transitions, &view->guards_of);
    fine &= lists_finish(&r->enablers, view->guards, &view->enablers);
    fine &= lists_finish(&r->disablers, view->guards, &view->disablers);
    fine &= lists_finish(&r->not_commuting, view->transitions, &view->not_commuting);
    fine &= lists_finish(&r->never, view->transitions, &view->never_together);
    return fine && list_exclusive(r->d);
}

bool derive_relations(struct derived *d)
{
    struct relating r = {.d = d, .m = d->model, .pairs_left = MOST_PAIRS};
    struct sets sets = {0};
    r.seen = calloc(d->model->actions.count + 1, sizeof *r.seen);
    r.failed =
        !walk_make(&r.walk, d->model) || !r.seen || !find_what_is_wanted(d) || !index_actions(&r) || !find_places(&r);
    if (!r.failed) { /* first, as there may be too many */
        relate_pairs(&r);
        relate_processes(&r);
    }
    if (!r.failed && r.pairs_left >= 2)
        find_sets(&r, &sets);
    if (!r.failed && r.pairs_left >= 2) {
        relate_edges(&r, &sets);
        relate_moves_of_others(&r, &sets);
        relate_tests(&r);
        relate_trials(&r);
        relate_stops(&r);
        relate_fallbacks(&r);
        r.failed |= r.failed || !find_local(&r);
    }
    bool fine = finish(&r);
    sequences_clear(&sets.keys);
    lists_clear(&sets.guards_at);
    lists_clear(&r.touchers);
    lists_clear(&r.killers);
    lists_clear(&r.of);
    lists_clear(&r.places);
    lists_clear(&r.only_at);
    walk_clear(&r.walk);
    free(r.owner);
    free(r.minds);
    free(r.only_with);
    free(r.only_by_test);
    free(r.is_twin);
    free(r.seen);
    return fine;
}
