/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transition is a step of an agent.  Its guards are "the agent is at this step" and, where it may wait, "the agent
 * is elsewhere, or the step can go on".  Who can be reached from a step, and what it may touch, is found by walking
 * its code along every branch; an index that is not constant may be any element.
 */
#include "front/threads/relations.h"

#include "base/lists.h"

#include <stdlib.h>
#include <string.h>

struct walk {
    const struct program *program;
    struct thread_relations *relations;
    struct lists_builder next;          /* point -> points, with those of ends left out */
    struct lists_builder reads, writes; /* point -> objects */
    struct lists_builder slots;         /* point -> cells of frames it may change */
    struct lists_builder lines;         /* point -> lines at which the agent may be after it */
    struct lists_builder rests;         /* point -> code at which the agent may be after it */
    bool *fails;                        /* point -> the agent may fail */
    uint32_t *seen, stamp;              /* instruction -> the walk that saw it */
    VECTOR(uint32_t) open;
    bool out_of_memory;
};

/* ---------------------------------------------------------- a step, statically */

static void add_range(struct lists_builder *lists, uint32_t point, uint32_t first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        lists_add(lists, point, first + k);
}

static void note_spawn(struct walk *w, uint32_t point, const struct instruction *i)
{
    const struct program *p = w->program;
    for (uint32_t child = (uint32_t)i->c; child < (uint32_t)(i->c + i->b); child++) {
        lists_add(&w->writes, point, agent_object(p, child));
        add_range(&w->slots, point, p->agents.item[child].frame + 1, i->parameters);
    }
}

static void note_objects(struct walk *w, uint32_t point, const struct instruction *i)
{
    const struct program *p = w->program;
    uint32_t agent = p->points.item[point].agent, place = (uint32_t)i->c;
    switch (i->code) {
    case CODE_LOAD: add_range(&w->reads, point, place, i->length); break;
    case CODE_STORE:
    case CODE_CAS:
    case CODE_FETCH_ADD:
    case CODE_LOCK:
    case CODE_UNLOCK:
    case CODE_TRYLOCK: add_range(&w->writes, point, place, i->length); break;
    case CODE_WAIT:
        add_range(&w->writes, point, (uint32_t)i->dst, i->locks);
        add_range(&w->writes, point, condition_object(p, place), i->length);
        break;
    case CODE_WAKE:
    case CODE_SIGNAL:
    case CODE_BROADCAST: add_range(&w->writes, point, condition_object(p, place), i->length); break;
    case CODE_SPAWN: note_spawn(w, point, i); break;
    case CODE_BEGIN: lists_add(&w->reads, point, agent_object(p, agent)); break;
    case CODE_EXIT: lists_add(&w->writes, point, agent_object(p, agent)); break;
    case CODE_JOIN: add_range(&w->reads, point, p->shared, p->spawned); break;
    default: break;
    }
}

static bool has_result(const struct instruction *i)
{
    switch (i->code) {
    case CODE_MOVE:
    case CODE_TRUTH:
    case CODE_CALCULATE:
    case CODE_LOCAL_LOAD:
    case CODE_LOAD:
    case CODE_CAS:
    case CODE_FETCH_ADD:
    case CODE_TRYLOCK:
    case CODE_SPAWN: return true;
    default: return false;
    }
}

static void note_slots(struct walk *w, uint32_t point, const struct instruction *i)
{
    uint32_t frame = w->program->agents.item[w->program->points.item[point].agent].frame;
    if (has_result(i))
        lists_add(&w->slots, point, frame + (uint32_t)i->dst);
    else if (i->code == CODE_LOCAL_STORE)
        add_range(&w->slots, point, frame + (uint32_t)i->c, i->length);
    else if (i->code == CODE_CLEAR)
        add_range(&w->slots, point, frame + (uint32_t)i->dst, (uint32_t)i->c);
}

/* The agent may rest here: at a step, ended or failed. */
static void note_rest(struct walk *w, uint32_t point, const struct instruction *i)
{
    const struct program *p = w->program;
    const struct agent *agent = &p->agents.item[p->points.item[point].agent];
    uint32_t live = i->flags & IS_STEP ? i->live : i->code == CODE_END ? 1 : agent->slots;
    add_range(&w->slots, point, agent->frame + live, agent->slots - live);
    lists_add(&w->rests, point, (uint32_t)(i - p->code.item));
    if (i->flags & IS_STEP) {
        lists_add(&w->next, point, i->point);
        lists_add(&w->lines, point, p->points.item[i->point].line);
    } else if (i->code == CODE_FAIL) {
        lists_add(&w->lines, point, p->failures.item[i->c].line);
        w->fails[point] = true;
        w->relations->can_fail = true;
    }
}

static void push(struct walk *w, int32_t at)
{
    if (at >= 0 && !vector_push(&w->open, (uint32_t)at))
        w->out_of_memory = true;
}

static void push_successors(struct walk *w, uint32_t at)
{
    const struct instruction *i = &w->program->code.item[at];
    if (i->code >= CODE_JUMP && i->code <= CODE_JUMP_NOT)
        push(w, i->c);
    if (i->code != CODE_CAS)
        push(w, i->d);
    if (i->code != CODE_JUMP && i->code != CODE_JUMP_BACK)
        push(w, (int32_t)at + 1);
}

static void walk_step(struct walk *w, uint32_t point)
{
    const struct program *p = w->program;
    uint32_t first = p->points.item[point].at;
    w->stamp++;
    note_objects(w, point, &p->code.item[first]);
    note_slots(w, point, &p->code.item[first]);
    lists_add(&w->lines, point, p->points.item[point].line);
    push_successors(w, first);
    while (w->open.count) {
        uint32_t at = w->open.item[--w->open.count];
        const struct instruction *i = &p->code.item[at];
        if (w->seen[at] == w->stamp)
            continue;
        w->seen[at] = w->stamp;
        if (i->flags & IS_STEP || i->code <= CODE_FAIL) {
            note_rest(w, point, i);
            continue;
        }
        note_objects(w, point, i);
        note_slots(w, point, i);
        push_successors(w, at);
    }
}

/* ------------------------------------------------------------------ relations */

struct access_lists {
    struct portolan_lists next, before, reads, writes, readers, writers, slots, lines, rests;
};

static bool may_wait(const struct instruction *i)
{
    return i->code == CODE_LOCK || i->code == CODE_WAKE || i->code == CODE_BEGIN || i->code == CODE_JOIN ||
           (i->code == CODE_ATOMIC && i->length);
}

enum { MOST_PAIRS = 1 << 24 }; /* beyond which they are not listed */

struct pairs { /* of transitions, each once per left side */
    const struct program *program;
    uint32_t *seen, stamp;
    size_t left; /* that may still be added */
};

/* Adds to list those of `from` that belong to other agents. */
static void add_others(struct pairs *pairs, struct lists_builder *lists, uint32_t list, uint32_t agent,
                       const struct portolan_lists *from, uint32_t object)
{
    for_list (t, *from, object) {
        if (pairs->program->points.item[*t].agent == agent || pairs->seen[*t] == pairs->stamp)
            continue;
        if (pairs->left == 0)
            return;
        pairs->left--;
        pairs->seen[*t] = pairs->stamp;
        lists_add(lists, list, *t);
    }
}

static void relate_pairs(struct pairs *pairs, const struct access_lists *a, struct lists_builder *not_commuting)
{
    const struct program *p = pairs->program;
    for (uint32_t t = 0; t < p->points.count; t++) {
        uint32_t agent = p->points.item[t].agent;
        pairs->stamp++;
        for_list (o, a->reads, t)
            add_others(pairs, not_commuting, t, agent, &a->writers, *o);
        for_list (o, a->writes, t) {
            add_others(pairs, not_commuting, t, agent, &a->writers, *o);
            add_others(pairs, not_commuting, t, agent, &a->readers, *o);
        }
    }
}

/* "At this step": the steps before it lead there, only itself leads away. */
static void relate_places(const struct program *p, const struct access_lists *a, struct lists_builder *guards_of,
                          struct lists_builder *enablers, struct lists_builder *disablers)
{
    for (uint32_t t = 0; t < p->points.count; t++) {
        lists_add(guards_of, t, t);
        lists_add(disablers, t, t);
        for_list (u, a->before, t)
            lists_add(enablers, t, *u);
    }
}

/* "Elsewhere, or can go on": whoever writes what the step touches; arriving there may make it false. */
static void relate_waiting(struct thread_relations *r, struct pairs *pairs, const struct access_lists *a,
                           struct lists_builder *guards_of, struct lists_builder *enablers,
                           struct lists_builder *disablers)
{
    const struct program *p = pairs->program;
    uint32_t guard = (uint32_t)p->points.count;
    for (uint32_t t = 0; t < p->points.count; t++) {
        if (!may_wait(&p->code.item[p->points.item[t].at]))
            continue;
        uint32_t agent = p->points.item[t].agent;
        struct lists_builder *both[] = {enablers, disablers};
        for (unsigned k = 0; k < 2; k++) {
            pairs->stamp++;
            for_list (o, a->reads, t)
                add_others(pairs, both[k], guard, agent, &a->writers, *o);
            for_list (o, a->writes, t)
                add_others(pairs, both[k], guard, agent, &a->writers, *o);
        }
        for_list (u, a->before, t)
            lists_add(disablers, guard, *u);
        lists_add(guards_of, t, guard);
        r->waiting[guard++ - p->points.count] = t;
    }
    r->view.guards = guard;
}

/* An agent is at one step at a time. */
static void relate_exclusions(const struct program *p, struct lists_builder *never)
{
    enum { MOST_STEPS = 64 }; /* of an agent, beyond which the pairs are not worth their memory */
    for (uint32_t first = 0, end; first < p->points.count; first = end) {
        for (end = first + 1; end < p->points.count && p->points.item[end].agent == p->points.item[first].agent;)
            end++;
        for (uint32_t t = first; end - first <= MOST_STEPS && t < end; t++)
            for (uint32_t u = first; u < end; u++)
                if (t != u)
                    lists_add(never, t, u);
    }
}

/* ------------------------------------------------------------------- changers */

static uint32_t object_of(const struct program *p, const struct variable *v)
{
    return v->kind == VARIABLE_CELL ? v->what : condition_object(p, v->what);
}

/* Steps into or out of the scope of a local variable. */
static void list_scope_changers(const struct program *p, const struct access_lists *a, uint32_t variable,
                                struct lists_builder *changers)
{
    const struct variable *v = &p->variables.item[variable];
    const struct agent *agent = &p->agents.item[v->agent];
    for (uint32_t t = agent->first_point; t < agent->first_point + agent->points; t++) {
        bool before = is_in_scope(p, v, p->points.item[t].at), crosses = false;
        for_list (at, a->rests, t)
            crosses |= is_in_scope(p, v, *at) != before;
        if (crosses)
            lists_add(changers, variable, t);
    }
}

static void list_changers(const struct walk *w, const struct access_lists *a, const struct portolan_lists *by_slot,
                          struct lists_builder *changers)
{
    const struct program *p = w->program;
    for (uint32_t k = 0; k < p->variables.count; k++) {
        const struct variable *v = &p->variables.item[k];
        if (v->kind == VARIABLE_CELL || v->kind == VARIABLE_CONDITION) {
            for_list (t, a->writers, object_of(p, v))
                lists_add(changers, k, *t);
        } else if (v->kind == VARIABLE_SLOT) {
            for_list (t, *by_slot, p->agents.item[v->agent].frame + v->what)
                lists_add(changers, k, *t);
            list_scope_changers(p, a, k, changers);
        }
        for (uint32_t t = 0; t < p->points.count && v->kind == VARIABLE_FAILED; t++)
            if (w->fails[t])
                lists_add(changers, k, t);
    }
}

/* A step moves its own agent, and brings another to its first step when it starts it. */
static void list_movers(const struct program *p, const struct access_lists *a, struct lists_builder *changers)
{
    for (uint32_t t = 0; t < p->points.count; t++) {
        for_list (line, a->lines, t)
            lists_add(changers, location_variable(p, p->points.item[t].agent, *line), t);
        for_list (object, a->writes, t) {
            if (*object < p->shared || *object >= p->shared + p->spawned)
                continue;
            uint32_t child = p->first_spawned + *object - p->shared;
            uint32_t first = p->code.item[p->agents.item[child].entry].point;
            lists_add(changers, location_variable(p, child, p->points.item[first].line), t);
        }
    }
}

/* --------------------------------------------------------------------- making */

static bool finish_walk(struct walk *w, struct access_lists *a)
{
    const struct program *p = w->program;
    uint32_t points = (uint32_t)p->points.count, objects = program_objects(p);
    bool fine = !w->out_of_memory;
    fine &= lists_finish(&w->next, points, &a->next);
    fine &= lists_finish(&w->reads, points, &a->reads);
    fine &= lists_finish(&w->writes, points, &a->writes);
    fine &= lists_finish(&w->slots, points, &a->slots);
    fine &= lists_finish(&w->lines, points, &a->lines);
    fine &= lists_finish(&w->rests, points, &a->rests);
    return fine && lists_transpose(&a->next, points, points, &a->before) &&
           lists_transpose(&a->reads, points, objects, &a->readers) &&
           lists_transpose(&a->writes, points, objects, &a->writers);
}

static void clear_lists(struct access_lists *a)
{
    struct portolan_lists *all[] = {&a->next,    &a->before, &a->reads, &a->writes, &a->readers,
                                    &a->writers, &a->slots,  &a->lines, &a->rests};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lists_clear(all[i]);
}

static void count_accesses(struct program *p, const struct access_lists *a)
{
    p->most_accesses = 2; /* of wait; the others have one */
    for (uint32_t t = 0; t < p->points.count; t++) {
        const struct instruction *i = &p->code.item[p->points.item[t].at];
        if (i->code != CODE_ATOMIC)
            continue;
        bool wide = i->length && !(i->flags & WAITS_FOR_ONE);
        uint32_t count = wide ? program_objects(p) : list_length(&a->reads, t) + list_length(&a->writes, t);
        if (count > p->most_accesses)
            p->most_accesses = count;
    }
}

static bool relate(struct thread_relations *r, struct walk *w, struct access_lists *a)
{
    const struct program *p = w->program;
    uint32_t points = (uint32_t)p->points.count;
    struct lists_builder guards_of = {0}, enablers = {0}, disablers = {0}, not_commuting = {0}, never = {0},
                         changers = {0};
    struct portolan_lists by_slot = {0};
    struct pairs pairs = {.program = p, .left = MOST_PAIRS};
    pairs.seen = calloc((size_t)points + 1, sizeof *pairs.seen);
    r->waiting = calloc((size_t)points + 1, sizeof *r->waiting);
    bool fine = pairs.seen && r->waiting && lists_transpose(&a->slots, points, p->cells, &by_slot);
    if (fine) {
        relate_places(p, a, &guards_of, &enablers, &disablers);
        relate_waiting(r, &pairs, a, &guards_of, &enablers, &disablers);
        relate_pairs(&pairs, a, &not_commuting);
        relate_exclusions(p, &never);
        list_changers(w, a, &by_slot, &changers);
        list_movers(p, a, &changers);
    }
    r->view.transitions = points;
    r->too_large = pairs.left == 0;
    fine &= lists_finish(&guards_of, points, &r->view.guards_of);
    fine &= lists_finish(&enablers, r->view.guards, &r->view.enablers);
    fine &= lists_finish(&disablers, r->view.guards, &r->view.disablers);
    fine &= lists_finish(&not_commuting, points, &r->view.not_commuting);
    fine &= lists_finish(&never, points, &r->view.never_together);
    fine &= lists_finish(&changers, (uint32_t)p->variables.count, &r->changers);
    lists_clear(&by_slot);
    free(pairs.seen);
    return fine;
}

/* An agent may fail before its first step. */
static void note_early_failures(struct walk *w)
{
    const struct program *p = w->program;
    for (size_t k = 0; k < p->agents.count && !w->relations->can_fail; k++) {
        w->stamp++;
        push(w, (int32_t)p->agents.item[k].entry);
        while (w->open.count) {
            uint32_t at = w->open.item[--w->open.count];
            const struct instruction *i = &p->code.item[at];
            w->relations->can_fail |= i->code == CODE_FAIL;
            if (w->seen[at] != w->stamp && !(i->flags & IS_STEP) && i->code > CODE_FAIL)
                push_successors(w, at);
            w->seen[at] = w->stamp;
        }
    }
}

bool thread_relations_make(struct thread_relations *r, struct program *program)
{
    memset(r, 0, sizeof *r);
    struct walk w = {.program = program, .relations = r};
    struct access_lists a = {0};
    w.seen = calloc(program->code.count + 1, sizeof *w.seen);
    w.fails = calloc(program->points.count + 1, sizeof *w.fails);
    w.out_of_memory = !w.seen || !w.fails;
    for (uint32_t t = 0; t < program->points.count && !w.out_of_memory; t++)
        walk_step(&w, t);
    if (!w.out_of_memory)
        note_early_failures(&w);
    bool fine = finish_walk(&w, &a);
    if (fine)
        count_accesses(program, &a);
    fine = fine && relate(r, &w, &a);
    clear_lists(&a);
    free(w.seen);
    free(w.fails);
    free(w.open.item);
    if (!fine)
        thread_relations_clear(r);
    return fine;
}

void thread_relations_clear(struct thread_relations *r)
{
    lists_clear(&r->view.guards_of);
    lists_clear(&r->view.enablers);
    lists_clear(&r->view.disablers);
    lists_clear(&r->view.not_commuting);
    lists_clear(&r->view.never_together);
    lists_clear(&r->changers);
    free(r->waiting);
    memset(r, 0, sizeof *r);
}
