/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations at which what a process does next concerns nobody else: what of it is enabled there is a persistent set, as
 * Spin's local statements are (Holzmann and Peled, "An improvement in formal verification", 1994).  Process P is local
 * at location l when, as long as it is there,
 *   - nobody else looks at, or changes, where it is;
 *   - its actions from there touch nothing that another process may change, nor change what another may touch;
 *   - nobody else minds where they lead: only actions that are enabled nowhere but there, which P enables by coming.
 * What of them is enabled then stays so, and commutes with all that others do.
 *
 * Beyond that our own rule, for atomic sequences.  An action f of B may be of two parts, the second of which is looked
 * at only after the first: where nothing of the second can be done, B pauses between them (struct action).  Such an f
 * may mind that P comes to location r, though only in its second part: it pauses where P is at l, and goes on where P
 * is at r.  So f and P's action t do not commute; after t, f, which goes on, the same is reached as after f, t and what
 * B then does.  P is local nevertheless if the first part of each such f is B's own, just as t is P's:
 *   - it touches nothing that others may change or touch while B is where f begins or where it pauses;
 *   - nobody else looks at, or changes, where B is while it is at one of these two.
 * For let w be a path to a deadlock from a state where P is at l.  If P does nothing in it, what is enabled of P is so
 * in the end, which is no deadlock.  Else w = u t v, where P does nothing in u.  Let f! be the first part of f alone,
 * which pauses whether B could go on or not.  In u replace each f that pauses by f!, which commutes with t, as does all
 * else: t u' v leads to the same state.  It is no path of the model, where B paused though it could go on; but each
 * such f! can be put off until B's next action g, since nobody minds, and f! g is one of the actions that begin as f
 * does; or, if there is none, until nothing that B could do is enabled, at the latest in the end, and there f! is f. So
 * a path to the same state begins with t, and what is left of it has fewer actions than w.  With a property in between,
 * t and each f must be invisible; then it is the same when f! comes, or that it never does.  All other steps of the
 * proofs of stubborn sets are as they were, as they are about paths of the model.  Provisos see to it that t, where it
 * is not in w, is not put before it for ever. Second parts may themselves be of two parts, to which the same applies.
 */
#include "model/relating.h"

#include "base/limits.h"

#include <string.h>

struct finding {
    struct relating *r;
    struct lists_builder beside;
    struct portolan_lists testers; /* cell -> actions with a test of it */
    struct portolan_lists leavers; /* location -> actions */
    bool *is_special;              /* per cell: it is changed by more than the accesses to it */
    unsigned char *first_part;     /* per action: what is known of has_own_first_part */
};

/* Where a process may be while others move: at one of these. */
struct standing {
    uint32_t process, places[2];
    unsigned count;
};

static bool tests_place(const struct relating *r, const struct test *test, uint32_t process, uint32_t location)
{
    const struct process *p = &r->m->processes.item[process];
    int64_t value = (int64_t)location - p->first_location;
    return test->cell == p->location_cell && test->values.low <= value && value <= test->values.high;
}

/* Do tests of the action exclude that the process is at any of the places? */
static bool is_excluded(const struct relating *r, uint32_t action, const struct standing *s)
{
    const struct action *a = &r->m->actions.item[action];
    uint32_t cell = r->m->processes.item[s->process].location_cell;
    for (uint32_t k = 0; k < a->tests; k++) {
        const struct test *test = &r->m->tests.item[a->first_test + k];
        bool excluded = test->cell == cell;
        for (unsigned i = 0; excluded && i < s->count; i++)
            excluded = !tests_place(r, test, s->process, s->places[i]);
        if (excluded)
            return true;
    }
    return false;
}

static bool comes_about(const struct relating *r, uint32_t access, const struct standing *s)
{
    if (r->only_with[access] != s->process)
        return true;
    for (unsigned i = 0; i < s->count; i++)
        if (list_has(&r->only_at, access, s->places[i]))
            return true;
    return false;
}

/* May the process touch the cell, or change it, while it is at these places, without anybody else who notices, or
 * interferes? */
static bool is_own(const struct finding *f, const struct standing *s, uint32_t cell, bool changes)
{
    const struct relating *r = f->r;
    uint32_t owner = r->m->cells.item[cell].owner;
    if (f->is_special[cell] || (owner != MODEL_NONE && owner != s->process))
        return false;
    for_list (access, r->touchers, cell) {
        uint32_t other = r->owner[*access];
        if (r->m->actions.item[other].process != s->process && (changes || is_change(&r->d->accesses.item[*access])) &&
            comes_about(r, *access, s) && !is_excluded(r, other, s))
            return false;
    }
    if (changes)
        for_list (other, f->testers, cell)
            if (r->m->actions.item[*other].process != s->process && !is_excluded(r, *other, s))
                return false;
    return true;
}

/* Does nobody else mind that the process is at these places? */
static bool is_unobserved(const struct finding *f, const struct standing *s)
{
    const struct relating *r = f->r;
    uint32_t cell = r->m->processes.item[s->process].location_cell;
    for_list (access, r->touchers, cell)
        for (unsigned i = 0; i < s->count; i++)
            if (r->m->actions.item[r->owner[*access]].process != s->process && minds_place(r, *access, s->places[i]))
                return false;
    for_list (other, f->testers, cell)
        if (r->m->actions.item[*other].process != s->process && !is_excluded(r, *other, s))
            return false;
    return true;
}

/* Cells that die on the way become 0. */
static bool dies_alone(const struct finding *f, const struct standing *s, uint32_t from, uint32_t to)
{
    const struct model *m = f->r->m;
    uint32_t before = m->locations.item[from].dead, after = m->locations.item[to].dead;
    if (after == MODEL_NONE || after == before)
        return true;
    for_list (cell, f->r->d->dead_cells, after)
        if (!is_own(f, s, *cell, true))
            return false;
    return true;
}

/* One edge, and nothing but its tests and its code says when it can be taken. */
static bool is_simple(const struct finding *f, uint32_t action)
{
    const struct action *a = &f->r->m->actions.item[action];
    return a->process != MODEL_NONE && a->edges == 1 && a->common == MODEL_NONE && !a->is_fallback;
}

static uint32_t source(const struct finding *f, uint32_t action)
{
    return f->r->m->edges.item[f->r->m->actions.item[action].first_edge].from;
}

static bool tests_own(const struct finding *f, const struct standing *s, uint32_t action)
{
    const struct action *a = &f->r->m->actions.item[action];
    for (uint32_t k = 0; k < a->tests; k++)
        if (!is_own(f, s, f->r->m->tests.item[a->first_test + k].cell, false))
            return false;
    return true;
}

/* --------------------------------------------------------------- first parts */

static bool always_blocks(const struct instruction *i)
{
    return i->code == CODE_REQUIRE && i->flags & A_IS_NUMBER && i->a == 0;
}

static bool touches_own(const struct finding *f, const struct standing *s, const struct instruction *i)
{
    if (i->code != CODE_LOAD && i->code != CODE_STORE && i->code != CODE_ADD)
        return false;
    uint32_t first = (uint32_t)(i->flags & B_IS_NUMBER ? i->c + i->b : i->c);
    uint32_t count = i->flags & B_IS_NUMBER || !i->length ? 1 : i->length;
    for (uint32_t cell = first; cell < first + count; cell++)
        if (!is_own(f, s, cell, i->code != CODE_LOAD))
            return false;
    return true;
}

/* Does the code up to where the second part begins come there, block or fail, and touch nothing but what is its own? */
static bool is_own_code(const struct finding *f, const struct standing *s, const struct action *a)
{
    struct walk *walk = &f->r->walk;
    uint32_t code = f->r->m->edges.item[a->first_edge].code, at;
    if (code == a->pause_code)
        return true;
    walk_begin(walk, code);
    walk->seen[a->pause_code] = walk->stamp; /* it goes no further */
    while (walk_next(walk, &at)) {
        const struct instruction *i = &f->r->m->code.item[at];
        if (always_blocks(i)) { /* what comes behind it does not */
            walk->open.count -= walk->open.count && walk->open.item[walk->open.count - 1] == at + 1;
            walk->seen[at + 1] = 0;
            continue;
        }
        bool ends = i->code == CODE_REST && !f->r->m->locations.item[i->c].failure;
        if (ends || i->code == CODE_FOREIGN || i->code == CODE_JUMP_BACK ||
            (touches_cells(i) && !touches_own(f, s, i))) {
            walk->open.count = 0;
            return false;
        }
    }
    return true;
}

/* Is the first part of the action its process's own? */
static bool has_own_first_part(const struct finding *f, uint32_t action)
{
    enum { UNKNOWN, NO, YES };
    const struct action *a = &f->r->m->actions.item[action];
    if (f->first_part[action] == UNKNOWN) {
        struct standing s = {a->process, {source(f, action), a->pause}, 2};
        bool fine = is_unobserved(f, &s) && tests_own(f, &s, action) && dies_alone(f, &s, s.places[0], s.places[1]) &&
                    is_own_code(f, &s, a);
        f->first_part[action] = fine ? YES : NO;
    }
    return f->first_part[action] == YES;
}

/* Does the action look at others in its second part only? */
static bool pauses_first(const struct finding *f, uint32_t action)
{
    return f->r->m->actions.item[action].pause_code && is_simple(f, action) && has_own_first_part(f, action);
}

/* ------------------------------------------------------------------ locations */

/* What is done from the location is the process's own. */
static bool is_own_action(const struct finding *f, const struct standing *s, uint32_t action)
{
    const struct derived *d = f->r->d;
    const struct action_summary *summary = &d->summaries[action];
    if (!is_simple(f, action) || summary->may_fail || !tests_own(f, s, action))
        return false;
    for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++)
        if (!is_own(f, s, d->accesses.item[k].cell, is_change(&d->accesses.item[k])))
            return false;
    for_list (target, d->targets, action)
        if (!dies_alone(f, s, s->places[0], *target))
            return false;
    return true;
}

/* Does nobody mind that the process comes to the location, but for those whom that enables, or who pause otherwise? */
static bool may_come_to(struct finding *f, uint32_t process, uint32_t number, uint32_t location)
{
    struct relating *r = f->r;
    for_list (access, r->touchers, r->m->processes.item[process].location_cell) {
        uint32_t other = r->owner[*access];
        if (r->m->actions.item[other].process == process || !minds_place(r, *access, location) ||
            r->minds[*access] == MINDS_TESTED)
            continue;
        if (!pauses_first(f, other))
            return false;
        lists_add(&f->beside, number, other);
    }
    return true;
}

static bool is_local(struct finding *f, uint32_t location, uint32_t number)
{
    const struct model *m = f->r->m;
    const struct location *l = &m->locations.item[location];
    const struct standing s = {l->process, {location}, 1};
    if (l->is_unborn || l->failure || !is_unobserved(f, &s))
        return false;
    for_list (t, f->leavers, location) {
        if (!is_own_action(f, &s, *t))
            return false;
        for_list (target, f->r->d->targets, *t)
            if (!may_come_to(f, l->process, number, *target))
                return false;
    }
    return !limits_reached();
}

/* ----------------------------------------------------------------------- making */

static bool list_special(struct finding *f)
{
    const struct model *m = f->r->m;
    f->is_special = calloc(m->cells.count + 1, sizeof *f->is_special);
    for (size_t p = 0; f->is_special && p < m->processes.count; p++) {
        const struct process *process = &m->processes.item[p];
        f->is_special[process->location_cell] = true;
        for (uint32_t k = 0; k < process->registers; k++)
            f->is_special[process->first_register + k] = true;
        if (process->life != MODEL_NONE)
            f->is_special[process->life] = true;
    }
    f->first_part = calloc(m->actions.count + 1, sizeof *f->first_part);
    return f->is_special && f->first_part;
}

static bool list_actions(struct finding *f)
{
    const struct model *m = f->r->m;
    struct lists_builder testers = {0}, leavers = {0};
    for (uint32_t t = 0; t < m->actions.count; t++) {
        const struct action *a = &m->actions.item[t];
        for (uint32_t k = 0; k < a->tests; k++)
            lists_add(&testers, m->tests.item[a->first_test + k].cell, t);
        for (uint32_t k = 0; k < a->edges && a->process != MODEL_NONE; k++)
            lists_add(&leavers, m->edges.item[a->first_edge + k].from, t);
    }
    bool fine = lists_finish(&testers, (uint32_t)m->cells.count, &f->testers);
    return lists_finish(&leavers, (uint32_t)m->locations.count, &f->leavers) && fine;
}

bool find_local(struct relating *r)
{
    const struct model *m = r->m;
    struct finding f = {.r = r};
    struct derived *d = r->d;
    bool fine = list_special(&f) && list_actions(&f);
    d->local = malloc((m->actions.count + 1) * sizeof *d->local);
    fine = fine && d->local;
    if (fine)
        memset(d->local, 0xff, (m->actions.count + 1) * sizeof *d->local);
    for (uint32_t l = 0; fine && l < m->locations.count && !d->has_fallbacks; l++)
        if (list_length(&f.leavers, l) && is_local(&f, l, f.leavers.item[f.leavers.offset[l]]))
            for_list (t, f.leavers, l)
                d->local[*t] = f.leavers.item[f.leavers.offset[l]];
    fine = lists_finish(&f.beside, (uint32_t)m->actions.count, &d->relations.local_beside) && fine && !r->walk.failed;
    d->relations.local = d->local;
    lists_clear(&f.testers);
    lists_clear(&f.leavers);
    free(f.is_special);
    free(f.first_part);
    return fine && !limits_reached();
}
