/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Missed actions, exactly.
 *
 * A prefix here is a down-closed set of events of the trace.  An action c is
 * missed with a prefix v when v enables it and some event outside v depends on
 * it: then v with c behind it is a run that no extension of the trace has as a
 * prefix.  It need be found only when the last event b of the trace is in v
 * and c depends on b; see search.c for why that suffices.
 *
 * Nothing is gained by enumerating prefixes.  The events that change one
 * entity are totally ordered, so its count is constant between two of them: on
 * intervals.  v enables c exactly when for every entity that c touches it ends
 * in an interval with a fitting count, that is, has the write at its lower end
 * and lacks the one at its upper end.  So one interval is chosen per entity; the
 * down-closure of the lower ends must avoid all upper ends.  Where c itself
 * changes the entity, the reads of the interval depend on c too: each is
 * either in the prefix, before c, or not, and then c prevents it.
 *
 * This goes beyond the documents in two points.  Their missed actions
 * are disabled at the end of the trace; but one that is enabled there may
 * also be able to come before an event that it would prevent.  And they hand on an
 * action once; but with another read before it, it is another run.
 */
#include "search/probe/probe.h"

#include "base/limits.h"

#include <string.h>

struct missing {
    struct prober *p;
    uint32_t action;
    bool failed;
};

/* After so many choices: the events that must be in the prefix, down-closed, and those that must not. */
static uint64_t *inside(const struct missing *m, size_t depth)
{
    return m->p->prefix + 2 * depth * m->p->trace.words;
}

static uint64_t *outside(const struct missing *m, size_t depth)
{
    return inside(m, depth) + m->p->trace.words;
}

static void copy_choice(const struct missing *m, size_t depth)
{
    memcpy(inside(m, depth + 1), inside(m, depth), 2 * m->p->trace.words * sizeof(uint64_t));
}

static bool make_room(struct prober *p, size_t depth)
{
    return vector_grow((void **)&p->prefix, &p->prefix_capacity, (depth + 2) * 2 * p->trace.words, sizeof *p->prefix);
}

/* Puts an event and all below into the prefix of this depth. */
static bool include(const struct missing *m, size_t depth, uint32_t event)
{
    uint64_t *set = inside(m, depth);
    const uint64_t *below = events_below(&m->p->trace, event);
    for (size_t i = 0; i < m->p->trace.words; i++)
        set[i] |= below[i];
    bit_set(set, event);
    return !sets_meet(set, outside(m, depth), m->p->trace.words);
}

/* Every read that c could prevent: before it or not?  Those from `reader` on are open. */
static void choose_readers(struct missing *m, size_t depth, size_t reader)
{
    struct prober *p = m->p;
    size_t words = p->trace.words;
    while (reader < p->readers.count && bit_get(inside(m, depth), p->readers.item[reader]))
        reader++;
    if (m->failed)
        return;
    if (reader == p->readers.count) {
        bool something_outside = set_size(outside(m, depth), words) > 0;
        if (something_outside && !add_missed(p, inside(m, depth), m->action))
            m->failed = true;
        return;
    }
    if (!make_room(p, depth + 1)) {
        m->failed = true;
        return;
    }
    copy_choice(m, depth);
    bit_set(outside(m, depth + 1), p->readers.item[reader]);
    choose_readers(m, depth + 1, reader + 1);
    copy_choice(m, depth);
    if (include(m, depth + 1, p->readers.item[reader]))
        choose_readers(m, depth + 1, reader + 1);
}

/* The reads between two writes; first is the first access behind the lower one. */
static bool collect_readers(struct prober *p, uint32_t first)
{
    for (uint32_t i = first; i != NOTHING && !p->trace.accesses.item[i].writes; i = p->trace.accesses.item[i].after)
        if (!vector_push(&p->readers, p->trace.accesses.item[i].event))
            return false;
    return true;
}

static uint32_t first_access(const struct trace *t, uint32_t entity)
{
    return t->chain[entity].stamp == t->stamp ? t->chain[entity].first : NOTHING;
}

static uint32_t next_write(const struct trace *t, uint32_t access)
{
    while (access != NOTHING && !t->accesses.item[access].writes)
        access = t->accesses.item[access].after;
    return access;
}

static void choose_intervals(struct missing *m, size_t depth);

/* Takes the interval between two writes (NOTHING: the end of the trace) and goes on with the next entity. */
static void take_interval(struct missing *m, size_t depth, uint32_t lower, uint32_t upper)
{
    struct prober *p = m->p;
    const struct trace *t = &p->trace;
    const struct touch *touch = &touches_of(p, m->action)[depth];
    copy_choice(m, depth);
    if (upper != NOTHING)
        bit_set(outside(m, depth + 1), t->accesses.item[upper].event);
    bool fine = lower == NOTHING ? !sets_meet(inside(m, depth + 1), outside(m, depth + 1), t->words)
                                 : include(m, depth + 1, t->accesses.item[lower].event);
    if (!fine)
        return;
    size_t readers = p->readers.count;
    uint32_t first = lower == NOTHING ? first_access(t, touch->entity) : t->accesses.item[lower].after;
    if (touch->writes && !collect_readers(p, first))
        m->failed = true;
    choose_intervals(m, depth + 1);
    p->readers.count = readers;
}

static void choose_intervals(struct missing *m, size_t depth)
{
    struct prober *p = m->p;
    const struct trace *t = &p->trace;
    if (m->failed)
        return;
    if (depth == p->actions.item[m->action].count) {
        choose_readers(m, depth, 0);
        return;
    }
    struct touch touch = touches_of(p, m->action)[depth];
    if (touch.silent) {
        copy_choice(m, depth);
        choose_intervals(m, depth + 1);
        return;
    }
    uint32_t count = t->start_count[touch.entity], lower = NOTHING;
    uint32_t upper = next_write(t, first_access(t, touch.entity));
    for (;;) {
        p->work++;
        bool passed = upper != NOTHING && bit_get(inside(m, depth), t->accesses.item[upper].event);
        if (!passed && touch.low <= count && count <= touch.high)
            take_interval(m, depth, lower, upper);
        m->failed |= limits_reached();
        if (upper == NOTHING || m->failed)
            return;
        lower = upper;
        count = t->accesses.item[lower].count;
        upper = next_write(t, t->accesses.item[lower].after);
    }
}

static bool try_action(struct prober *p, uint32_t action)
{
    struct missing m = {.p = p, .action = action};
    uint32_t last = p->trace.events - 1;
    if (p->options->printed_disabled && counts_enable(p, p->trace.count, action, false))
        return true; /* definition 13 */
    if (!make_room(p, p->actions.item[action].count))
        return false;
    p->readers.count = 0;
    memset(inside(&m, 0), 0, 2 * p->trace.words * sizeof(uint64_t));
    include(&m, 0, last);
    choose_intervals(&m, 0);
    return !m.failed;
}

/* ----------------------------------------------------------------- as printed */

static bool disables(const struct prober *p, uint32_t a, uint32_t b)
{
    const struct touch *x = touches_of(p, a), *y = touches_of(p, b);
    for (uint32_t i = 0; i < p->actions.item[a].count; i++)
        for (uint32_t j = 0; j < p->actions.item[b].count; j++)
            if (x[i].entity == y[j].entity && !y[j].silent &&
                ((x[i].change < 0 && y[j].low > 0) || (x[i].change > 0 && y[j].low == 0)))
                return true;
    return false;
}

static bool stimulates(const struct prober *p, uint32_t a, uint32_t b)
{
    const struct touch *x = touches_of(p, a), *y = touches_of(p, b);
    for (uint32_t i = 0; i < p->actions.item[a].count; i++)
        for (uint32_t j = 0; j < p->actions.item[b].count; j++)
            if (x[i].entity == y[j].entity && !y[j].silent &&
                ((x[i].change > 0 && y[j].low > 0) || (x[i].change < 0 && y[j].low == 0)))
                return true;
    return false;
}

/* Definition 29 of the thesis and proposition 19 of the paper: potentially missed, and enabled by its prime cause. */
static bool try_as_printed(struct prober *p, uint32_t action)
{
    struct trace *t = &p->trace;
    bool disabled = false;
    uint32_t last = t->events - 1, event;
    for (uint32_t i = 0; i < last; i++)
        disabled |= disables(p, t->action[i], action);
    if (!disabled || !stimulates(p, t->action[last], action) || counts_enable(p, t->count, action, false))
        return true;
    if (!make_room(p, 1))
        return false;
    trace_cause(p, action, p->prefix);
    p->draft.count = 0;
    if (!vector_reserve((&p->draft), (size_t)t->entities))
        return false;
    memcpy(p->draft.item, t->start_count, t->entities * sizeof *t->start_count);
    for (size_t i = 0; i < t->words; i++)
        for_bits(event, p->prefix[i], i)
        {
            const struct touch *touch = touches_of(p, t->action[event]);
            for (uint32_t j = 0; j < p->actions.item[t->action[event]].count; j++)
                p->draft.item[touch[j].entity] += (uint32_t)touch[j].change;
        }
    return !counts_enable(p, p->draft.item, action, false) || add_missed(p, p->prefix, action);
}

/* ----------------------------------------------------------------- candidates */

static bool give(void *user, uint32_t action)
{
    struct prober *p = user;
    if (!learn_action(p, action))
        return false;
    p->work += 3;
    if (p->met[action] == p->met_stamp || p->actions.item[action].idle)
        return true;
    p->met[action] = p->met_stamp;
    return vector_push(&p->candidates, action);
}

/* Of the candidates from `from` on, keeps those that depend on the last event because of this entity. */
static void keep_dependent(struct prober *p, uint32_t entity, bool last_writes, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < p->candidates.count; i++) {
        uint32_t action = p->candidates.item[i];
        const struct touch *touch = touches_of(p, action);
        bool depends = false;
        for (uint32_t j = 0; j < p->actions.item[action].count; j++)
            depends |= touch[j].entity == entity && !touch[j].silent && (touch[j].writes || last_writes);
        if (depends)
            p->candidates.item[kept++] = action;
        else
            p->met[action] = 0; /* another entity may make it a candidate */
    }
    p->candidates.count = kept;
}

/* Visible actions depend on a visible one whatever they touch, so they are looked for among the users of every entity
 * that a visible action touches. */
static bool collect_visible(struct prober *p, const struct portolan_receiver *receiver)
{
    size_t from = p->candidates.count;
    const struct trace *t = &p->trace;
    for (uint32_t e = 1; e < t->entities; e++)
        if (!p->entities->possible(p->view, e - 1, t->low + 1, t->high + 1, receiver) || !trace_make_room(p))
            return false;
    keep_dependent(p, VISIBLE_ENTITY, true, from);
    return true;
}

static bool collect_candidates(struct prober *p)
{
    const struct trace *t = &p->trace;
    uint32_t last = t->action[t->events - 1];
    const struct portolan_receiver receiver = {.give = give, .user = p};
    p->candidates.count = 0;
    if (++p->met_stamp == 0) {
        memset(p->met, 0, p->action_capacity * sizeof *p->met);
        p->met_stamp = 1;
    }
    for (uint32_t i = 0; i < p->actions.item[last].count; i++) {
        struct touch touch = touches_of(p, last)[i];
        size_t from = p->candidates.count;
        if (touch.silent)
            continue;
        if (touch.entity == VISIBLE_ENTITY) {
            if (!collect_visible(p, &receiver))
                return false;
            continue;
        }
        if (!p->entities->possible(p->view, touch.entity - 1, t->low + 1, t->high + 1, &receiver) ||
            !trace_make_room(p))
            return false;
        keep_dependent(p, touch.entity, touch.writes, from);
    }
    return true;
}

bool find_missed(struct prober *p, bool *is_known)
{
    bool fine = collect_candidates(p);
    count_work_of_view(p);
    *is_known = fine || !p->entities->gave_up || !p->entities->gave_up(p->view);
    if (!fine) /* entities may have been met before the view gave up */
        return !*is_known && trace_make_room(p);
    for (size_t i = 0; i < p->candidates.count; i++) {
        uint32_t action = p->candidates.item[i];
        if (limits_reached() || !(p->options->printed_missed ? try_as_printed(p, action) : try_action(p, action)))
            return false;
    }
    return true;
}
