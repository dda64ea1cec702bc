/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which proctypes may run under which process number.  Numbers are given as Spin does: the lowest that is free, and a
 * process only ends when no process with a higher number is there.  So a process that has number r runs others with
 * numbers above r.  A walk along the flow of each proctype that runs others finds how many may be there when it does:
 * within an atomic sequence nobody else starts or ends, as long as it does not wait.
 */
#include "base/limits.h"
#include "front/promela/lowering.h"

#include <string.h>

struct counts { /* processes there may be at an element */
    uint32_t low, high;
    bool is_known;
};

struct finding {
    struct lowering *l;
    uint32_t bound;
    uint32_t runners; /* processes that run others; 2 stands for more */
    bool anyone_ends; /* a process that is run may end */
    bool changed;
};

static const struct node *find_run(const struct node *n)
{
    if (!n || n->kind == NODE_RUN)
        return n;
    const struct node *found = find_run(n->a);
    if (!found)
        found = find_run(n->b);
    return found ? found : find_run(n->c);
}

bool promela_runs(const struct node *node)
{
    return find_run(node);
}

static const struct node *run_of(const struct element *e)
{
    const struct statement *s = e->statement;
    const struct node *found = NULL;
    if (e->kind != ELEMENT_PLAIN || !s)
        return NULL;
    for (const struct node *n = s->b; n && !found; n = n->next)
        found = find_run(n);
    return found ? found : find_run(s->a);
}

bool promela_is_run(const struct syntax *s, const struct proctype *p)
{
    for (size_t i = 0; i < s->proctypes.count; i++)
        for (size_t e = 0; e < s->proctypes.item[i]->flow->elements.count; e++) {
            const struct node *run = run_of(&s->proctypes.item[i]->flow->elements.item[e]);
            if (run && promela_proctype(s, run->name) == p)
                return true;
        }
    return false;
}

static bool ends(const struct proctype *p)
{
    for (size_t e = 0; e < p->flow->elements.count; e++)
        if (p->flow->elements.item[e].kind == ELEMENT_END && p->flow->elements.item[e].is_state)
            return true;
    return false;
}

static void mark(struct finding *f, uint32_t slot, const struct proctype *p)
{
    bool *runs = &f->l->runs_in[slot * f->l->syntax->proctypes.count + p->number];
    f->changed |= !*runs;
    *runs = true;
}

static void join(struct counts *to, struct counts from, bool *changed)
{
    struct counts before = *to;
    if (!to->is_known)
        *to = from;
    to->low = from.low < to->low ? from.low : to->low;
    to->high = from.high > to->high ? from.high : to->high;
    *changed |= !before.is_known || before.low != to->low || before.high != to->high;
}

/* Can others move before or after this element?  Within an atomic sequence when it may have to wait, and where there
 * are priorities: one with a higher priority comes first there, too. */
static bool others_may_move(const struct finding *f, const struct proctype *p, const struct element *e)
{
    if (e->in_d_step)
        return false;
    if (!e->in_atomic || f->l->syntax->has_priorities || p->provided)
        return true;
    if (e->kind != ELEMENT_PLAIN || !e->statement)
        return false;
    int64_t value;
    switch (e->statement->kind) {
    case STATEMENT_SEND:
    case STATEMENT_RECEIVE: return true;
    case STATEMENT_EXPRESSION: return !run_of(e) && !(promela_fold(e->statement->a, &value) && value);
    default: return false;
    }
}

/* One element of the flow: what it runs, and how many there are behind it. */
static struct counts pass(struct finding *f, uint32_t runner, const struct proctype *in, const struct element *e,
                          struct counts c)
{
    const struct node *run = run_of(e);
    const struct proctype *p = run ? promela_proctype(f->l->syntax, run->name) : NULL;
    if (p)
        for (uint32_t s = c.low; s <= c.high && s < f->bound; s++)
            mark(f, s, p);
    if (run) {
        c.low += c.low < f->bound;
        c.high += c.high < f->bound;
    }
    if (others_may_move(f, in, e)) {
        if (f->anyone_ends)
            c.low = runner + 1;
        if (f->runners > 1)
            c.high = f->bound;
    }
    return c;
}

/* Follows all ways; elements within choices, blocks and d_steps one by one. */
static bool follow(struct finding *f, uint32_t runner, const struct proctype *p, struct counts start)
{
    const struct flow *flow = p->flow;
    size_t count = flow->elements.count;
    struct counts *at = calloc(count + 1, sizeof *at);
    bool changed = at != NULL;
    if (at)
        at[flow->start] = start;
    if (at)
        at[flow->start].is_known = true;
    while (changed && !limits_reached()) {
        changed = false;
        for (uint32_t e = 0; e < count; e++) {
            const struct element *element = &flow->elements.item[e];
            if (!at[e].is_known)
                continue;
            struct counts c = pass(f, runner, p, element, at[e]);
            for (uint32_t k = 0; k < element->subs; k++)
                join(&at[flow->subs.item[element->first_sub + k]], at[e], &changed);
            for (uint32_t k = 0; k < element->escapes; k++)
                join(&at[flow->escapes.item[element->first_escape + k]], at[e], &changed);
            uint32_t next = element->kind == ELEMENT_GOTO ? element->target : element->next;
            bool goes_on = element->kind != ELEMENT_CHOICE && element->kind != ELEMENT_BLOCK &&
                           element->kind != ELEMENT_UNLESS && element->kind != ELEMENT_D_STEP;
            if (goes_on && next != NO_ELEMENT)
                join(&at[next], c, &changed);
        }
    }
    bool fine = at != NULL;
    free(at);
    return fine;
}

static bool has_runs(const struct proctype *p)
{
    for (size_t e = 0; e < p->flow->elements.count; e++)
        if (run_of(&p->flow->elements.item[e]))
            return true;
    return false;
}

/* May the processes from this slot up to the last active one all end? */
static bool above_end(const struct lowering *l, uint32_t slot)
{
    for (uint32_t s = slot + 1; s < l->active; s++)
        if (!ends(l->slot[s].initial))
            return false;
    return slot + 1 < l->active;
}

/* Runs of each process in each slot that it may have. */
static bool find_pairs(struct finding *f)
{
    struct lowering *l = f->l;
    bool fine = true;
    do {
        f->changed = false;
        f->runners = 0;
        for (uint32_t s = 0; s < f->bound; s++)
            for (size_t p = 0; p < l->syntax->proctypes.count; p++)
                f->runners += runs_in(l, s, l->syntax->proctypes.item[p]) && has_runs(l->syntax->proctypes.item[p]);
        for (uint32_t s = 0; s < f->bound && fine; s++)
            for (size_t i = 0; i < l->syntax->proctypes.count && fine; i++) {
                const struct proctype *p = l->syntax->proctypes.item[i];
                if (!runs_in(l, s, p) || !has_runs(p))
                    continue;
                bool is_initial = s < l->active && l->slot[s].initial == p;
                uint32_t low = is_initial && !above_end(l, s) && !f->anyone_ends ? l->active : s + 1;
                uint32_t high = is_initial && f->runners == 1 ? l->active : f->bound;
                if (is_initial && !above_end(l, s) && f->runners == 1)
                    low = l->active;
                fine = follow(f, s, p, (struct counts){low, high, true});
            }
    } while (f->changed && fine && !limits_reached());
    return fine;
}

static bool place_active(struct lowering *l, uint32_t bound)
{
    size_t proctypes = l->syntax->proctypes.count;
    l->active = 0;
    for (size_t i = 0; i < proctypes; i++)
        l->active += l->syntax->proctypes.item[i]->active;
    l->slots = bound > l->active ? bound : l->active;
    l->slot = calloc(l->slots + 1, sizeof *l->slot);
    l->runs_in = calloc((l->slots + 1) * (proctypes + 1), sizeof *l->runs_in);
    if (!l->slot || !l->runs_in)
        return false;
    for (uint32_t s = 0; s <= l->slots; s++)
        if (!(l->slot[s].hosts = calloc(proctypes + 1, sizeof *l->slot[s].hosts)))
            return false;
    uint32_t slot = 0;
    for (size_t i = 0; i < proctypes; i++)
        for (uint32_t k = 0; k < l->syntax->proctypes.item[i]->active; k++) {
            l->slot[slot].initial = l->syntax->proctypes.item[i];
            l->runs_in[slot++ * proctypes + i] = true;
        }
    return true;
}

/* ------------------------------------------------------------------------- guessing */

static bool is_seen(const struct pairs *seen, uint32_t slot, const struct proctype *p)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->item[i].slot == slot && seen->item[i].type == p)
            return true;
    return false;
}

static bool note_run(struct pairs *seen, const struct syntax *syntax, const struct element *e, uint32_t slot)
{
    const struct node *run = run_of(e);
    struct pair pair = {slot, run ? promela_proctype(syntax, run->name) : NULL};
    return !run || slot >= MOST_SLOTS || is_seen(seen, pair.slot, pair.type) || vector_push(seen, pair);
}

/* In a d_step: whatever it runs, in any order. */
static bool note_all_runs(struct pairs *seen, const struct syntax *syntax, const struct flow *flow, uint32_t slot)
{
    enum { MOST_IN_D_STEP = 4 };
    bool fine = true;
    for (size_t e = 0; e < flow->elements.count; e++)
        for (uint32_t k = 0; k < MOST_IN_D_STEP && fine && flow->elements.item[e].in_d_step; k++)
            fine = note_run(seen, syntax, &flow->elements.item[e], slot + k);
    return fine;
}

bool promela_note_runs(struct pairs *seen, const struct syntax *syntax, const struct proctype *runner, uint32_t state,
                       uint32_t processes)
{
    enum { MOST_AT_ONCE = 8 }; /* when there are more the next look tells */
    const struct flow *flow = runner->flow;
    size_t states = flow->elements.count;
    bool *met = calloc(states * (MOST_AT_ONCE + 1), sizeof *met), fine = met;
    VECTOR(uint32_t) open = {0}; /* how many it has run, and where it is */
    struct transitions t = {0};
    fine = fine && vector_push(&open, state);
    while (open.count && fine) {
        uint32_t at = open.item[--open.count], there = at / (uint32_t)states;
        if (met[at])
            continue;
        met[at] = true;
        fine = flow_transitions(flow, at % (uint32_t)states, &t);
        for (size_t i = 0; i < t.count && fine; i++) {
            const struct element *e = &flow->elements.item[t.item[i].element];
            uint32_t then = there + (run_of(e) != NULL);
            fine = note_run(seen, syntax, e, processes + there) &&
                   (e->kind != ELEMENT_D_STEP || note_all_runs(seen, syntax, flow, processes + there));
            if (t.item[i].goes_on && t.item[i].target != NO_ELEMENT && then <= MOST_AT_ONCE && fine)
                fine = vector_push(&open, then * (uint32_t)states + t.item[i].target);
        }
    }
    free(met);
    free(open.item);
    free(t.item);
    return fine;
}

/* Where there would be too many, only those that have been seen are there. */
static void guess(struct lowering *l)
{
    enum { MOST_PAIRS = 40 };
    size_t pairs = 0, proctypes = l->syntax->proctypes.count;
    for (size_t i = l->active * proctypes; i < l->slots * proctypes; i++)
        pairs += l->runs_in[i];
    l->guesses = l->seen && (l->seen->count || pairs > MOST_PAIRS);
    for (uint32_t slot = 0; slot < l->slots && l->guesses; slot++)
        for (size_t p = 0; p < proctypes; p++)
            l->runs_in[slot * proctypes + p] =
                (slot < l->active && l->slot[slot].initial == l->syntax->proctypes.item[p]) ||
                is_seen(l->seen, slot, l->syntax->proctypes.item[p]);
}

bool promela_find_slots(struct lowering *l, uint32_t bound)
{
    if (!place_active(l, bound))
        return false;
    struct finding f = {.l = l, .bound = l->slots};
    for (size_t i = 0; i < l->syntax->proctypes.count; i++) {
        const struct proctype *p = l->syntax->proctypes.item[i];
        if (!p->is_claim)
            f.anyone_ends |= ends(p) && (!p->is_init || l->slot[0].initial != p);
    }
    if (!find_pairs(&f))
        return false;
    guess(l);
    while (l->slots > l->active) { /* slots in which nobody ever runs */
        bool used = false;
        for (size_t i = 0; i < l->syntax->proctypes.count; i++)
            used |= runs_in(l, l->slots - 1, l->syntax->proctypes.item[i]);
        if (used)
            break;
        free(l->slot[l->slots].hosts);
        l->slot[l->slots].hosts = NULL;
        l->slots--;
    }
    l->grows = l->slots == f.bound && l->slots > l->active;
    return !l->claim || promela_place_claim(l);
}
