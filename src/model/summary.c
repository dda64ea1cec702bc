/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be known of actions before they run: their code is walked along every branch; an index that is not constant
 * may be any element.
 */
#include "model/derived.h"

#include <string.h>

/* ----------------------------------------------------------------------- walking */

bool walk_make(struct walk *w, const struct model *model)
{
    *w = (struct walk){.model = model};
    w->seen = calloc(model->code.count + 1, sizeof *w->seen);
    return w->seen;
}

void walk_clear(struct walk *w)
{
    free(w->seen);
    free(w->open.item);
}

static void walk_to(struct walk *w, uint32_t at)
{
    if (w->seen[at] == w->stamp)
        return;
    w->seen[at] = w->stamp;
    w->failed |= !vector_push(&w->open, at);
}

void walk_begin(struct walk *w, uint32_t code)
{
    w->stamp++;
    w->failed |= limits_reached();
    walk_to(w, code);
}

bool walk_next(struct walk *w, uint32_t *at)
{
    if (w->open.count == 0)
        return false;
    *at = w->open.item[--w->open.count];
    const struct instruction *i = &w->model->code.item[*at];
    if (has_jump(i))
        walk_to(w, (uint32_t)i->c);
    if (has_failure_jump(i))
        walk_to(w, (uint32_t)i->d);
    if (goes_on(i))
        walk_to(w, *at + 1);
    return true;
}

/* A flag stays where neither the instruction itself nor one that may follow loses it; true when one was lost. */
static bool lose_flags(struct model *m, uint32_t at)
{
    struct instruction *i = &m->code.item[at];
    unsigned keep = ~(unsigned)((blocks(i) ? DECIDED : 0) | (touches_cells(i) ? UNTOUCHING : 0));
    if (has_jump(i))
        keep &= m->code.item[i->c].flags | ~(unsigned)(DECIDED | UNTOUCHING);
    if (has_failure_jump(i))
        keep &= m->code.item[i->d].flags | ~(unsigned)(DECIDED | UNTOUCHING);
    if (goes_on(i))
        keep &= m->code.item[at + 1].flags | ~(unsigned)(DECIDED | UNTOUCHING);
    uint8_t flags = i->flags & (uint8_t)keep;
    bool lost = flags != i->flags;
    i->flags = flags;
    return lost;
}

static void find_flags(struct model *m)
{
    bool lost = true;
    for (size_t at = 0; at < m->code.count; at++)
        m->code.item[at].flags |= DECIDED | UNTOUCHING;
    while (lost && !limits_reached()) {
        lost = false;
        for (size_t at = m->code.count; at > 0; at--)
            lost |= lose_flags(m, (uint32_t)at - 1);
    }
}

/* What is frequent has an instruction of its own. */
static void name_frequent(struct model *m)
{
    static const uint8_t calculations[OPERATION_IFF + 1] = {
        [OPERATION_ADD] = CODE_SUM, [OPERATION_MULTIPLY] = CODE_PRODUCT, [OPERATION_REMAINDER] = CODE_REMAINDER};
    static const uint8_t jumps[OPERATION_IFF + 1] = {
        [OPERATION_EQUAL] = CODE_JUMP_NOT_EQUAL, [OPERATION_LESS] = CODE_JUMP_NOT_LESS};
    for (struct instruction *i = m->code.item, *end = i + m->code.count; i < end; i++) {
        uint8_t code = i->code == CODE_CALCULATE  ? calculations[i->operation]
                       : i->code == CODE_JUMP_NOT ? jumps[i->operation]
                                                  : i->code;
        if (code)
            i->code = code;
    }
}

/* ---------------------------------------------------------------------- accesses */

struct summarising {
    struct derived *d;
    struct walk walk;
    struct lists_builder objects, targets;
    uint32_t action;
    bool decides;  /* the instruction that is looked at: see struct access */
    uint8_t *used; /* registers of the action */
    bool failed;
};

static void add_access(struct summarising *s, uint32_t cell, enum access_kind kind, int64_t value)
{
    struct access access = {.cell = cell, .kind = kind, .value = value, .decides = s->decides};
    uint32_t process = s->d->model->actions.item[s->action].process;
    bool is_own = process != MODEL_NONE && cell == s->d->model->processes.item[process].location_cell;
    if (!is_own || !is_change(&access)) /* where its process is in the end, the targets say */
        s->failed |= !vector_push(&s->d->accesses, access);
    uint32_t object = s->d->model->cells.item[cell].object;
    if (object != MODEL_NONE)
        lists_add(&s->objects, s->action, object);
}

/* The places c + b that an instruction may mean. */
static struct range places_of(const struct instruction *i)
{
    if (i->flags & B_IS_NUMBER)
        return (struct range){(int64_t)i->c + i->b, (int64_t)i->c + i->b};
    return (struct range){i->c, i->c + (int64_t)(i->length ? i->length : 1) - 1};
}

static void add_places(struct summarising *s, const struct instruction *i, enum access_kind kind, int64_t value)
{
    struct range places = places_of(i);
    for (int64_t cell = places.low; cell <= places.high; cell++)
        add_access(s, (uint32_t)cell, kind, value);
}

/* A condition variable has a cell for each process; who begins to wait writes only its own. */
static void add_condition(struct summarising *s, const struct instruction *i, uint32_t process)
{
    uint32_t processes = (uint32_t)s->d->model->processes.count, conditions = i->length ? i->length : 1;
    uint32_t first = (uint32_t)i->c;
    if (i->flags & B_IS_NUMBER) {
        first += (uint32_t)i->b * processes;
        conditions = 1;
    }
    for (uint32_t k = 0; k < conditions; k++, first += processes)
        for (uint32_t p = 0; p < processes; p++)
            if (i->code != CODE_WAIT || p == process)
                add_access(s, first + p, i->code == CODE_WAIT ? ACCESS_SETS : ACCESS_WRITES, 1);
}

static void add_wait(struct summarising *s, const struct instruction *i, uint32_t process)
{
    uint32_t locks = i->flags & A_IS_NUMBER ? 1 : i->locks;
    for (uint32_t k = 0; k < locks; k++) {
        uint32_t cell = (uint32_t)i->dst + (i->flags & A_IS_NUMBER ? (uint32_t)i->a : k);
        add_access(s, cell, ACCESS_READS, 0);
        add_access(s, cell, ACCESS_SETS, 0);
    }
    add_condition(s, i, process);
}

static void add_spawn(struct summarising *s, const struct instruction *i)
{
    const struct model *m = s->d->model;
    for (int32_t child = i->c; child < i->c + i->b; child++) {
        const struct process *p = &m->processes.item[child];
        add_access(s, p->life, ACCESS_READS, 0);
        add_access(s, p->life, ACCESS_SETS, BORN);
        for (uint32_t k = 0; k < i->length; k++)
            add_access(s, p->first_register + k, ACCESS_WRITES, 0);
    }
}

static void add_queue(struct summarising *s, const struct instruction *i)
{
    bool appends = i->code == CODE_APPEND;
    enum access_kind kind = !appends ? ACCESS_TAKES : i->flags & NEVER_FULL ? ACCESS_APPENDS : ACCESS_MAY_APPEND;
    for (uint32_t k = 0; k < i->length; k++)
        add_access(s, (uint32_t)i->c + k, kind, appends && i->flags & A_IS_NUMBER ? i->a : 0);
}

static void add_instruction(struct summarising *s, const struct instruction *i, uint32_t process)
{
    const struct model *m = s->d->model;
    int64_t self = (int64_t)process + 1;
    switch (i->code) {
    case CODE_LOAD: add_places(s, i, i->flags & WANTS_HEAD ? ACCESS_READS_HEAD : ACCESS_READS, 0); break;
    case CODE_STORE: add_places(s, i, i->flags & A_IS_NUMBER ? ACCESS_SETS : ACCESS_WRITES, i->a); break;
    case CODE_ADD: add_places(s, i, ACCESS_ADDS, i->a); break;
    case CODE_CAS:
        add_places(s, i, ACCESS_READS, 0);
        add_places(s, i, i->flags & D_IS_NUMBER ? ACCESS_SETS : ACCESS_WRITES, i->d);
        break;
    case CODE_FETCH_ADD: add_places(s, i, ACCESS_WRITES, 0); break;
    case CODE_LOCK:
    case CODE_TRYLOCK:
    case CODE_UNLOCK:
        add_places(s, i, ACCESS_READS, 0);
        add_places(s, i, ACCESS_SETS, i->code == CODE_UNLOCK ? 0 : self);
        break;
    case CODE_WAIT: add_wait(s, i, process); break;
    case CODE_WAKE:
    case CODE_SIGNAL:
    case CODE_BROADCAST: add_condition(s, i, process); break;
    case CODE_SPAWN: add_spawn(s, i); break;
    case CODE_JOIN:
        for (size_t p = 0; p < m->processes.count; p++)
            if (m->processes.item[p].life != MODEL_NONE)
                add_access(s, m->processes.item[p].life, ACCESS_READS, 0);
        break;
    case CODE_APPEND:
    case CODE_TAKE: add_queue(s, i); break;
    default: break;
    }
}

/* ---------------------------------------------------------------------- blocking */

/* Do the tests of the action say already that this does not block? */
static bool is_tested(const struct model *m, const struct action *a, const struct instruction *i)
{
    if (!(i->flags & B_IS_NUMBER) || (i->code != CODE_LOCK && i->code != CODE_WAKE))
        return false;
    bool locks = i->code == CODE_LOCK;
    uint32_t cell = (uint32_t)(locks ? i->c + i->b : i->c + i->b * (int32_t)m->processes.count + (int32_t)a->process);
    for (uint32_t k = 0; k < a->tests; k++) {
        const struct test *test = &m->tests.item[a->first_test + k];
        if (test->cell == cell && (locks ? test->values.low == 0 && test->values.high == 0 : test->values.low >= 2))
            return true;
    }
    return false;
}

/* The one object that an instruction touches, MODEL_NONE when that is not known. */
static uint32_t object_of(const struct model *m, const struct instruction *i)
{
    if (!(i->flags & B_IS_NUMBER) || i->code >= CODE_WAIT)
        return MODEL_NONE;
    return m->cells.item[i->c + i->b].object;
}

struct waiting { /* on what it depends whether an action is enabled */
    uint32_t count, object;
    bool several;
};

static void depend(struct waiting *w, uint32_t object)
{
    if (w->count++ == 0)
        w->object = object;
    else
        w->several |= object == MODEL_NONE || object != w->object;
}

static void depend_on_code(struct waiting *w, const struct model *m, const struct instruction *i)
{
    if (touches_cells(i) && !(i->flags & DECIDED))
        depend(w, object_of(m, i));
}

/* Where the code goes round and what it looks at is not always the same, it may look at several. */
static bool goes_round(const struct instruction *i)
{
    return i->code == CODE_JUMP_BACK && !(i->flags & DECIDED);
}

static uint32_t wait_for(const struct model *m, const struct action *a, bool may_block, struct waiting *w, bool round)
{
    struct waiting all = may_block ? *w : (struct waiting){0};
    for (uint32_t k = 0; k < a->tests; k++)
        depend(&all, m->cells.item[m->tests.item[a->first_test + k].cell].object);
    if (all.count == 0 && !may_block)
        return PORTOLAN_NO_OBJECT;
    return all.several || (round && all.object == MODEL_NONE) ? PORTOLAN_SEVERAL_OBJECTS : 0;
}

/* Does what a step touches depend on what it reads?  Not if it runs straight through accesses to fixed places, and
 * waits or fails only after them all. */
static bool code_varies(const struct model *m, uint32_t at)
{
    bool may_stop = false;
    for (const struct instruction *i = &m->code.item[at]; !(i->flags & UNTOUCHING); i++) {
        switch (i->code) {
        case CODE_LOAD:
        case CODE_STORE:
        case CODE_ADD:
            if (!(i->flags & B_IS_NUMBER) || may_stop)
                return true;
            break;
        case CODE_REQUIRE:
        case CODE_CALCULATE: may_stop = true; break;
        case CODE_MOVE:
        case CODE_TRUTH: break;
        default: return true;
        }
    }
    return false;
}

static bool single_varies(const struct instruction *i)
{
    return i->code == CODE_CAS || i->code == CODE_TRYLOCK || i->code == CODE_SIGNAL || i->code == CODE_BROADCAST;
}

/* --------------------------------------------------------------------- registers */

static void mark_register(struct summarising *s, uint32_t number, uint8_t how)
{
    if (number < s->d->most_registers)
        s->used[number] |= how;
}

enum { IS_READ = 1, IS_WRITTEN = 2 };

/* The registers that an instruction reads: its operands, and a run of others. */
static struct register_run run_read(const struct instruction *i)
{
    if (i->code == CODE_FOREIGN)
        return registers_written(i);
    if (i->code == CODE_SPAWN)
        return (struct register_run){(uint32_t)i->a, i->length};
    return (struct register_run){(uint32_t)i->c, i->code == CODE_REGISTER_LOAD ? i->length : 0};
}

static void mark_registers(struct summarising *s, const struct instruction *i)
{
    struct register_run written = registers_written(i), run = run_read(i);
    unsigned read = operands_read(i) & ~(unsigned)i->flags;
    for (uint32_t k = 0; k < written.count; k++)
        mark_register(s, written.first + k, IS_WRITTEN);
    for (uint32_t k = 0; k < run.count; k++)
        mark_register(s, run.first + k, IS_READ);
    if (read & A_IS_NUMBER)
        mark_register(s, (uint32_t)i->a, IS_READ);
    if (read & B_IS_NUMBER)
        mark_register(s, (uint32_t)i->b, IS_READ);
    if (read & D_IS_NUMBER)
        mark_register(s, (uint32_t)i->d, IS_READ);
}

/* First those that are written, then those that are only read. */
static void list_registers(struct summarising *s, struct action_summary *summary)
{
    struct derived *d = s->d;
    summary->first_register = (uint32_t)d->registers.count;
    for (int written = 1; written >= 0; written--)
        for (uint32_t k = 0; k < d->most_registers; k++) {
            if (!s->used[k] || (s->used[k] & IS_WRITTEN) != (written ? IS_WRITTEN : 0))
                continue;
            s->failed |= !vector_push(&d->registers, (uint16_t)k);
            summary->writes += (uint32_t)written;
            summary->uses++;
        }
    memset(s->used, 0, d->most_registers);
}

/* --------------------------------------------------------- locations and registers */

static void place_locations(struct model *m)
{
    for (uint32_t l = 0; l < m->locations.count; l++) {
        struct process *p = &m->processes.item[m->locations.item[l].process];
        if (p->locations++ == 0)
            p->first_location = l;
        if (m->locations.item[l].live > p->registers)
            p->registers = m->locations.item[l].live;
    }
    for (uint32_t i = 0; i < m->processes.count && !m->failed; i++) {
        struct process *p = &m->processes.item[i];
        m->cells.item[p->location_cell].values.high = p->locations ? (int64_t)p->locations - 1 : 0;
        struct cell cell = {.values = p->values, .object = MODEL_NONE, .owner = i, .widens = true};
        cell.alike = (uint32_t)INT32_MAX;
        if (p->registers > p->most_registers)
            p->most_registers = p->registers;
        p->first_register = (uint32_t)m->cells.count;
        for (uint32_t k = 0; k < p->registers; k++, cell.alike++) /* those of one number, in all processes */
            model_cells(m, cell, 1);
    }
}

/* The object of a process, behind those of the model, which all its steps write when actions are the agents. */
static void watch(struct derived *d, uint32_t cell)
{
    struct model *m = d->model;
    uint32_t owner = m->cells.item[cell].owner;
    if (owner == MODEL_NONE || m->processes.item[owner].location_cell != cell)
        return;
    m->cells.item[cell].object = (uint32_t)m->objects.count + owner;
    d->agents_are_processes = false;
}

/* Where somebody looks at where a process is, or moves it, that is shared. */
static void watch_locations(struct derived *d)
{
    const struct model *m = d->model;
    for (size_t k = 0; k < m->tests.count; k++)
        watch(d, m->tests.item[k].cell);
    for (size_t at = 0; at < m->code.count; at++) {
        const struct instruction *i = &m->code.item[at];
        bool places = i->code >= CODE_LOAD && i->code <= CODE_TRYLOCK;
        struct range cells = places_of(i);
        for (int64_t cell = cells.low; places && cell <= cells.high; cell++)
            watch(d, (uint32_t)cell);
    }
}

static bool list_departures(struct derived *d)
{
    const struct model *m = d->model;
    size_t locations = m->locations.count;
    uint32_t *next = d->first_departure = calloc(locations + 2, sizeof *d->first_departure);
    d->departures = calloc(m->edges.count + 1, sizeof *d->departures);
    d->nobodys = calloc(m->actions.count + 1, sizeof *d->nobodys);
    if (!d->first_departure || !d->departures || !d->nobodys)
        return false;
    d->agents_are_processes = m->in_columns; /* an agent without a next step has ended, as threads do */
    for (size_t k = 0; k < m->edges.count; k++)
        if (m->edges.item[k].from != MODEL_NONE)
            next[m->edges.item[k].from + 2]++;
    for (size_t l = 0; l < locations; l++) {
        const struct location *location = &m->locations.item[l];
        bool ends = location->is_end || location->is_unborn || location->failure;
        d->agents_are_processes &= next[l + 2] == 1 || (next[l + 2] == 0 && ends);
        next[l + 2] += next[l + 1];
    }
    for (uint32_t t = 0; t < m->actions.count; t++) {
        const struct action *a = &m->actions.item[t];
        d->agents_are_processes &= a->process != MODEL_NONE && a->edges == 1 && a->common == MODEL_NONE;
        if (a->process == MODEL_NONE)
            d->nobodys[d->nobodys_count++] = t;
        for (uint32_t k = a->first_edge; k < a->first_edge + a->edges && a->process != MODEL_NONE; k++)
            d->departures[next[m->edges.item[k].from + 1]++] =
                (struct departure){.action = t, .code = m->edges.item[k].code};
    }
    return true;
}

/* Code that begins with a lock and blocks nowhere else. */
static void find_lock(const struct model *m, const struct action *a, struct departure *departure)
{
    const struct instruction *i = &m->code.item[departure->code];
    departure->lock = departure->lock_index = MODEL_NONE;
    if (i->code != CODE_LOCK || !(i[1].flags & DECIDED) || a->common != MODEL_NONE)
        return;
    departure->lock = (uint32_t)i->c;
    if (i->flags & B_IS_NUMBER)
        departure->lock += (uint32_t)i->b;
    else
        departure->lock_index = m->processes.item[a->process].first_register + (uint32_t)i->b;
}

/* What the machine looks up in every step, side by side. */
static void fill_departures(struct derived *d)
{
    const struct model *m = d->model;
    for (uint32_t k = 0; k < d->first_departure[m->locations.count]; k++) {
        struct departure *departure = &d->departures[k];
        const struct action *a = &m->actions.item[departure->action];
        departure->first_test = a->first_test;
        departure->tests = (uint16_t)a->tests;
        departure->may_block = d->summaries[departure->action].may_block;
        departure->is_stop = d->is_stop[departure->action];
        departure->is_fallback = a->is_fallback;
        departure->is_rare = departure->is_stop || a->is_fallback;
        d->has_fallbacks |= a->is_fallback;
        find_lock(m, a, departure);
    }
}

static void fill_summary(struct action_summary *summary, const struct model *m, const struct action *a)
{
    const struct edge *edge = m->edges.item + a->first_edge;
    summary->process = a->process;
    summary->common = a->common;
    summary->code = a->edges == 1 ? edge->code : MODEL_NONE;
    if (a->process == MODEL_NONE)
        return;
    const struct process *p = &m->processes.item[a->process];
    summary->is_plain = a->edges == 1 && a->common == MODEL_NONE;
    summary->live = a->edges == 1 ? m->locations.item[edge->from].live : MODEL_NONE;
    summary->location_cell = p->location_cell;
    summary->first_location = p->first_location;
    summary->first_cell = p->first_register;
}

/* --------------------------------------------------------------------- summaries */

struct seen_code {
    struct waiting waiting;
    uint32_t touching, back; /* instructions that touch cells, jumps to the start */
    bool round;
};

static void see_code(struct summarising *s, const struct action *a, uint32_t code, struct seen_code *seen)
{
    struct derived *d = s->d;
    const struct model *m = d->model;
    struct action_summary *summary = &d->summaries[s->action];
    uint32_t at;
    if (s->walk.seen[code] == s->walk.stamp)
        return;
    for (walk_to(&s->walk, code); walk_next(&s->walk, &at);) {
        const struct instruction *i = &m->code.item[at];
        seen->touching += touches_cells(i);
        seen->back += has_jump(i) && (uint32_t)i->c == code;
        seen->round |= goes_round(i);
        s->decides = !(i->flags & DECIDED);
        add_instruction(s, i, a->process);
        mark_registers(s, i);
        depend_on_code(&seen->waiting, m, i);
        summary->may_block |= blocks(i) && !is_tested(m, a, i);
        bool ends_trying = blocks(i) && m->code.item[at + 1].flags & DECIDED;
        summary->writes_first |= i->code > CODE_LOAD && !(i->flags & DECIDED) && !ends_trying;
        if (i->code == CODE_REST && i->c >= 0 && a->process != MODEL_NONE) {
            lists_add(&s->targets, s->action, (uint32_t)i->c);
            summary->may_fail |= m->locations.item[i->c].failure != NULL;
        }
    }
}

static int by_access(const void *left, const void *right)
{
    const struct access *a = left, *b = right;
    if (a->cell != b->cell)
        return a->cell < b->cell ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static void sort_accesses(struct derived *d, struct action_summary *summary)
{
    size_t count = d->accesses.count - summary->first_access, kept = 0;
    if (count == 0)
        return;
    struct access *first = d->accesses.item + summary->first_access;
    qsort(first, count, sizeof *first, by_access);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_access(&first[kept - 1], &first[i]) != 0)
            first[kept++] = first[i];
        else
            first[kept - 1].decides |= first[i].decides;
    d->accesses.count = summary->first_access + kept;
    summary->accesses = (uint32_t)kept;
}

static void summarise(struct summarising *s)
{
    struct derived *d = s->d;
    const struct model *m = d->model;
    const struct action *a = &m->actions.item[s->action];
    struct action_summary *summary = &d->summaries[s->action];
    const struct edge *edge = m->edges.item + a->first_edge;
    struct seen_code seen = {0};
    fill_summary(summary, m, a);
    summary->first_access = (uint32_t)d->accesses.count;
    s->walk.stamp++;
    for (uint32_t k = 0; k < a->tests; k++) {
        uint32_t object = m->cells.item[m->tests.item[a->first_test + k].cell].object;
        if (object != MODEL_NONE)
            lists_add(&s->objects, s->action, object);
    }
    for (uint32_t k = 0; k < a->edges; k++)
        see_code(s, a, edge[k].code, &seen);
    s->decides = true; /* what the common part finds, the rest may look at */
    if (a->common != MODEL_NONE)
        for (uint32_t at = a->common; m->code.item[at].code != CODE_REST; at++) {
            add_instruction(s, &m->code.item[at], a->process);
            mark_registers(s, &m->code.item[at]);
        }
    sort_accesses(d, summary);
    list_registers(s, summary);
    bool alone = a->edges == 1 && a->common == MODEL_NONE;
    summary->is_single =
        alone && seen.touching == 1 && seen.back == 0 && touches_cells(&m->code.item[edge->code]) && !seen.round;
    summary->varies =
        summary->is_single ? single_varies(&m->code.item[edge->code]) : !alone || code_varies(m, edge->code);
    summary->waits_for = wait_for(m, a, summary->may_block, &seen.waiting, seen.round);
    d->may_fail |= summary->may_fail;
}

static void note_early_failures(struct summarising *s)
{
    const struct model *m = s->d->model;
    for (size_t p = 0; p < m->processes.count; p++) {
        uint32_t at;
        if (m->processes.item[p].start == MODEL_NONE)
            continue;
        for (walk_begin(&s->walk, m->processes.item[p].start); walk_next(&s->walk, &at);)
            s->d->may_fail |= m->code.item[at].code == CODE_REST && m->locations.item[m->code.item[at].c].failure;
    }
}

bool derive_summaries(struct derived *d)
{
    struct model *m = d->model;
    struct summarising s = {.d = d};
    place_locations(m);
    if (m->failed)
        return false;
    find_flags(m);
    for (size_t p = 0; p < m->processes.count; p++)
        if (m->processes.item[p].most_registers > d->most_registers)
            d->most_registers = m->processes.item[p].most_registers;
    d->most_registers++; /* none is an array too */
    d->summaries = calloc(m->actions.count + 1, sizeof *d->summaries);
    d->is_stop = calloc(m->actions.count + 1, sizeof *d->is_stop);
    s.used = calloc(d->most_registers, 1);
    bool fine = s.used && d->summaries && d->is_stop && vector_reserve(&d->registers, 1) && list_departures(d) &&
                walk_make(&s.walk, m);
    if (fine)
        watch_locations(d);
    if (fine && m->stops.offset)
        for_list (stop, m->stops, 0)
            d->is_stop[*stop] = true;
    for (s.action = 0; fine && !s.walk.failed && s.action < m->actions.count; s.action++)
        summarise(&s);
    if (fine) {
        note_early_failures(&s);
        fill_departures(d);
    }
    name_frequent(m);
    fine &= !s.failed && !s.walk.failed && !limits_reached();
    fine &= lists_finish(&s.objects, (uint32_t)m->actions.count, &d->objects);
    fine &= lists_finish(&s.targets, (uint32_t)m->actions.count, &d->targets);
    fine &= lists_finish(&m->dead_builder, (uint32_t)m->dead_sets.count, &d->dead_cells);
    walk_clear(&s.walk);
    free(s.used);
    return fine;
}
