/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search by probe sets.
 *
 * Kastenberg & Rensink, "Dynamic Partial Order Reduction Using Probe Sets"
 * (CONCUR 2008), algorithm 2, and Burgman's thesis on it (DRoP), with
 * corrections: missed actions and their prefixes are found exactly (missed.c), a
 * node is a vector (a start state q and a trace w from it up to equivalence),
 * and no trace holds an action twice.
 *
 * Preserved: every run is, up to the order of independent actions, the
 * beginning of an explored one.  So all deadlocks are found; and with visible
 * actions made to depend on each other, a state with every truth value
 * that a run can give the properties.  Required: the entities view.
 *
 * Why.  Let (q, w) be explored and z be a run from q; it is to be shown that
 * an explored trace begins with z.  Let v be the common beginning of w and z
 * (traces have greatest common prefixes), w = v w', z = v z', and suppose that
 * every action that is first in z' is independent of w'.  This holds at the
 * start, where w is empty.  If z' is empty, z is a beginning of w.
 * Otherwise let X be the actions first in z'; they are enabled behind w.
 *
 *   a. The probe set holds an x of X.  What x discharges is in its prime cause
 *      in w, which is that in v, so it is a part of z and may go from both.
 *      Then z' is shorter by x.  An action c that has become first in
 *      z' depends on x.  If it depends on w' too, it is enabled behind the prefix v x,
 *      which holds the last event x, and an event outside depends on it: it
 *      is missed.  The search goes on behind (prime cause of c in v x) c with an
 *      empty trace, and z is shorter.
 *   b. It holds none.  Let b be its keeper.  No x depends on b (condition 1 of
 *      choose.c), so X stays first in z' and independent of w' b; and what b
 *      discharges is in the prime cause of x, so in v (condition 2).  The events
 *      of w outside the prime cause of x have gained one whose action was not
 *      among them (condition 4).  There are finitely many actions, so b cannot
 *      happen forever: fairness follows from the form of the traces.
 *
 * So (length of z, length of z', actions not in w outside the prime cause of x)
 * decreases in lexicographic order.
 *
 * Fairness rests on (q, w) alone.  So ages, where the proviso asks for them, only
 * guide the choice and need not be in the key of a vector; nor can they
 * keep vectors apart forever.  Termination: a finite system has finitely many
 * states and actions, so finitely many traces without repetition, so finitely
 * many vectors, and each is explored once.
 *
 * Opening.  On cyclic systems traces multiply.  So when there are too many
 * vectors, one whose target has had more than it has enabled actions is not explored;
 * its start state q is opened instead: behind each action a that is enabled in
 * q there is a vector (q a, empty), and no vector that starts in q is explored
 * any more.  A run z from q that is not empty begins with some a, and the rest of
 * it is a shorter run from q a, so the measure above decreases for every vector
 * that starts in q, whenever q was opened.  If z is empty, q itself is seen.  The same is done when a view
 * cannot list what may have been missed.
 * Each state is opened once, and each is the target of a bounded number of vectors that are explored
 * while there are too many.  It is not enough to expand the target and to forget the
 * trace: an action that was missed along it may need several more steps to show.
 *
 * An equivalent trace may end with another event.  So missed actions are looked
 * for at every step, also one that leads to a vector that is known.
 */
#include "search/probe/probe.h"

#include "base/diagnostic.h"
#include "proviso/all.h"

#include <string.h>

static void out_of_memory(struct prober *p)
{
    if (!p->explorer->search->ended)
        end_short_of_memory(p->explorer->search);
}

static bool over(const struct prober *p)
{
    return p->explorer->search->ended || p->explorer->status != PORTOLAN_OK;
}

/* ---------------------------------------------------------------------- states */

void count_work_of_view(struct prober *p)
{
    uint64_t now = p->entities->work ? p->entities->work(p->view) : 0;
    p->work += now - p->work_of_view;
    p->work_of_view = now;
}

static bool give_enabled(void *user, uint32_t action)
{
    struct prober *p = user;
    if (!learn_action(p, action))
        return false;
    p->work += 2;
    if (!p->actions.item[action].idle)
        return vector_push(&p->seen, action);
    p->enabled_idle = true;
    return true;
}

/* Lists the enabled actions that change something into p->seen. */
static bool list_enabled(struct prober *p, const uint32_t *count)
{
    const struct portolan_receiver receiver = {.give = give_enabled, .user = p};
    p->seen.count = 0;
    p->enabled_idle = false;
    if (!p->entities->enabled(p->view, count + 1, &receiver) || !trace_make_room(p))
        return false;
    count_work_of_view(p);
    numbers_sort(&p->seen);
    return true;
}

/* Gives the state a number when it has none. */
static bool number_state(struct prober *p, uint32_t state)
{
    struct search *s = p->explorer->search;
    if (p->state_number.item[shown_state(p, state)] != NOTHING)
        return true;
    if (s->options->state_limit && p->numbered >= s->options->state_limit) {
        end_search(s, PORTOLAN_STATE_LIMIT);
        return false;
    }
    p->state_number.item[shown_state(p, state)] = p->numbered++;
    explain_state(p, state);
    return true;
}

/* The state as the system has it. */
static bool write_state(struct prober *p, const uint32_t *count)
{
    struct explorer *x = p->explorer;
    const struct portolan_system *system = x->search->system;
    for (;;) {
        enum portolan_fired written = p->entities->state(p->view, count + 1, x->now.bytes);
        if (written == PORTOLAN_FIRED)
            return true;
        if (written == PORTOLAN_TOO_LARGE || !system->widen) {
            x->status =
                fail(x->error, PORTOLAN_OVERFLOW, "%s while widening states", portolan_status_text(PORTOLAN_OVERFLOW));
            return false;
        }
        if (!widen_states(x))
            return false;
    }
}

/* Shows a state to properties and callbacks, once.  Its enabled actions are in p->seen, its path in p->path. */
static bool observe(struct prober *p, uint32_t state, const uint32_t *count, uint32_t explored)
{
    struct explorer *x = p->explorer;
    if (p->state_done.item[shown_state(p, state)])
        return true;
    p->state_done.item[shown_state(p, state)] = true;
    if (!number_state(p, state) || !write_state(p, count))
        return false;
    x->now.state = p->state_number.item[shown_state(p, state)];
    x->now.enabled_count = (uint32_t)p->seen.count + p->enabled_idle;
    x->now.chosen_count = explored;
    x->now.fully = explored == p->seen.count;
    observe_state(x);
    return !over(p);
}

/* ----------------------------------------------------------------------- paths */

static bool append_origin(const struct prober *p, uint32_t state, struct numbers *starts)
{
    starts->count = 0;
    for (size_t length; p->origin.item[state] != NOTHING;) {
        if (!vector_push(starts, p->origin.item[state]))
            return false;
        state = sequence_get(&p->origins, p->origin.item[state], &length)[0];
    }
    return true;
}

/* The start state's origin, back to the initial state, then the actions from there. */
static size_t path(struct explorer *x, uint32_t state, uint32_t **actions)
{
    const struct prober *p = x->strategy->own;
    struct numbers starts = {0}, all = {0};
    (void)state;
    bool fine = append_origin(p, p->path_start, &starts);
    for (size_t i = starts.count; fine && i-- > 0;) {
        size_t length;
        const uint32_t *item = sequence_get(&p->origins, starts.item[i], &length);
        for (size_t j = 1; fine && j < length; j++)
            fine = vector_push(&all, p->entities->action(p->view, item[j]));
    }
    for (size_t i = 0; fine && i < p->path.count; i++)
        fine = vector_push(&all, p->entities->action(p->view, p->path.item[i]));
    free(starts.item);
    if (!fine) {
        free(all.item);
        return SIZE_MAX;
    }
    *actions = all.item;
    return all.count;
}

/* Notes how a new start state is reached: from the present start state by the actions in p->path. */
static bool set_origin(struct prober *p, uint32_t state)
{
    bool is_new;
    if (p->origin.item[state] != NOTHING || state == 0)
        return true;
    p->draft.count = 0;
    if (!vector_reserve(&p->draft, p->path.count + 1))
        return false;
    p->draft.item[p->draft.count++] = p->trace.start;
    for (size_t i = 0; i < p->path.count; i++)
        p->draft.item[p->draft.count++] = p->path.item[i];
    uint32_t origin = sequence_insert(&p->origins, p->draft.item, p->draft.count, &is_new);
    p->origin.item[state] = origin;
    return origin != SEQUENCE_NONE;
}

/* --------------------------------------------------------------------- vectors */

/* A vector that is new, or known but with actions asleep that are awake now. */
static bool push_pending(struct prober *p, uint32_t vector, uint32_t ages, uint32_t sleep)
{
    struct pending pending = {.vector = vector, .ages = ages};
    return sleep_set_keep(p, vector, sleep) && vector_push(&p->pending, pending);
}

/* The number of the vector in p->draft.  As printed, with other ages it is another vector. */
static uint32_t insert_vector(struct prober *p, uint32_t ages, bool *is_new)
{
    uint32_t vector = sequence_insert(&p->vectors, p->draft.item, p->draft.count, is_new);
    if (vector == SEQUENCE_NONE || !p->age_printed)
        return vector;
    uint32_t pair[] = {vector, ages};
    return sequence_insert(&p->aged, pair, 2, is_new) == SEQUENCE_NONE ? SEQUENCE_NONE : vector;
}

/* The same of a vector without a trace. */
static uint32_t insert_start(struct prober *p, uint32_t state, bool *is_new)
{
    p->draft.count = 0;
    return vector_push(&p->draft, state) ? insert_vector(p, NOTHING, is_new) : SEQUENCE_NONE;
}

/* A known vector is explored again when fewer actions are asleep than were. */
static bool wake_vector(struct prober *p, uint32_t vector, uint32_t ages, uint32_t sleep)
{
    uint32_t both = sleep_set_meet(p, p->vector_sleep.item[vector], sleep);
    if (both == p->vector_sleep.item[vector])
        return true;
    return both != NOTHING && push_pending(p, vector, ages, both);
}

/* Does an action to the counts in the scratch array, which begin as those of the start state. */
static bool change_scratch(struct prober *p, uint32_t action)
{
    const struct touch *touch = touches_of(p, action);
    for (uint32_t i = 0; i < p->actions.item[action].count; i++) {
        p->trace.scratch[touch[i].entity] += (uint32_t)touch[i].change;
        if (touch[i].change && !vector_push(&p->changed, touch[i].entity))
            return false;
    }
    return true;
}

static void restore_scratch(struct prober *p)
{
    struct trace *t = &p->trace;
    for (size_t i = 0; i < p->changed.count; i++)
        t->scratch[p->changed.item[i]] = t->start_count[p->changed.item[i]];
    p->changed.count = 0;
}

/* The state behind what was done to the scratch array. */
static uint32_t scratch_state(struct prober *p)
{
    return state_of_counts(p, p->trace.start, p->trace.scratch);
}

static void tell_edge(const struct prober *p, uint32_t from, uint32_t action, uint32_t to)
{
    const struct portolan_callbacks *callbacks = &p->explorer->search->options->callbacks;
    if (callbacks->edge)
        callbacks->edge(callbacks->user, p->state_number.item[shown_state(p, from)],
                        p->entities->action(p->view, action), p->state_number.item[shown_state(p, to)]);
}

/* One step of the way to a missed action: the state in t->scratch, then the action. */
static bool pass_by(struct prober *p, uint32_t action, bool last, uint32_t *state)
{
    struct trace *t = &p->trace;
    if (!p->state_done.item[shown_state(p, *state)] &&
        (!list_enabled(p, t->scratch) || !observe(p, *state, t->scratch, 1)))
        return false;
    uint32_t from = *state;
    *state = change_scratch(p, action) ? scratch_state(p) : NOTHING;
    if (*state == NOTHING || !vector_push(&p->path, action) || !number_state(p, *state))
        return false;
    if (!last || p->explorer->search->options->callbacks.edge)
        tell_edge(p, from, action, *state);
    p->explorer->counted.transitions++;
    return true;
}

/* Goes from the start state through the prefix and the action, seeing each state on the way. */
static bool walk_missed(struct prober *p, const uint64_t *prefix, uint32_t action)
{
    struct trace *t = &p->trace;
    uint32_t state = t->start, event;
    p->path.count = 0;
    p->path_start = t->start;
    for (size_t i = 0; i < t->words; i++)
        for_bits(event, prefix[i], i) if (!pass_by(p, t->action[event], false, &state)) return false;
    bool fine = pass_by(p, action, true, &state) && set_origin(p, state);
    restore_scratch(p);
    return fine;
}

bool add_missed(struct prober *p, const uint64_t *prefix, uint32_t action)
{
    struct trace *t = &p->trace;
    uint32_t event;
    bool is_new;
    observe_limits(p->explorer); /* one step may miss very many */
    if (over(p))
        return false;
    for (size_t i = 0; i < t->words; i++)
        for_bits(event, prefix[i], i) if (!change_scratch(p, t->action[event])) return false;
    /* what made no dependency, as printed, still disables */
    bool enabled = counts_enable(p, t->scratch, action, true);
    uint32_t start = enabled && change_scratch(p, action) ? scratch_state(p) : NOTHING;
    restore_scratch(p);
    if (!enabled)
        return true;
    if (start == NOTHING)
        return false;
    uint32_t vector = insert_start(p, start, &is_new);
    if (vector == SEQUENCE_NONE)
        return false;
    explain_missing(p, prefix, action, start, is_new);
    if (!is_new)
        return wake_vector(p, vector, NOTHING, SLEEP_NONE);
    p->explorer->counted.missed++;
    return walk_missed(p, prefix, action) && push_pending(p, vector, NOTHING, SLEEP_NONE);
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The Foata normal form of the trace without the discharged events, behind the start state in p->draft. */
static bool write_vector(struct prober *p, uint32_t start, const uint64_t *discharged)
{
    const struct trace *t = &p->trace;
    uint32_t below;
    p->keys.count = 0;
    p->draft.count = 0;
    if (!vector_reserve(&p->keys, t->events) || !vector_reserve(&p->draft, (size_t)t->events + 1) ||
        !vector_reserve(&p->levels, t->events))
        return false;
    bool whole = set_size(discharged, t->words) == 0;
    for (uint32_t i = 0; i < t->events; i++) {
        uint32_t level = whole ? t->level[i] : 1;
        if (!whole && bit_get(discharged, i))
            continue;
        for (size_t w = 0; !whole && w < t->words; w++)
            for_bits(below, events_below(t, i)[w] & ~discharged[w], w) if (p->levels.item[below] >= level) level =
                p->levels.item[below] + 1;
        p->levels.item[i] = level;
        p->keys.item[p->keys.count++] = (uint64_t)level << 32 | t->action[i];
    }
    if (p->keys.count)
        qsort(p->keys.item, p->keys.count, sizeof *p->keys.item, by_value);
    p->draft.item[p->draft.count++] = start;
    for (size_t i = 0; i < p->keys.count; i++)
        p->draft.item[p->draft.count++] = (uint32_t)p->keys.item[i];
    return true;
}

/* The state behind the discharged events. */
static uint32_t discharged_start(struct prober *p, const uint64_t *discharged)
{
    struct trace *t = &p->trace;
    uint32_t event;
    if (set_size(discharged, t->words) == 0)
        return t->start;
    p->path.count = 0;
    for (size_t i = 0; i < t->words; i++)
        for_bits(event, discharged[i], i) if (!change_scratch(p, t->action[event]) ||
                                              !vector_push(&p->path, t->action[event])) return NOTHING;
    uint32_t state = scratch_state(p);
    restore_scratch(p);
    return state != NOTHING && set_origin(p, state) ? state : NOTHING;
}

/* The vector behind one action of the probe set, which is the last event of the trace now. */
static bool add_successor(struct prober *p, const struct probed *probed, uint32_t ages, uint32_t sleep)
{
    bool is_new;
    uint32_t start = discharged_start(p, probed->discharged);
    if (start == NOTHING || !write_vector(p, start, probed->discharged))
        return false;
    uint32_t vector = insert_vector(p, ages, &is_new);
    if (vector == SEQUENCE_NONE)
        return false;
    explain_step(p, probed, vector, is_new);
    if (is_new || p->explorer->search->options->callbacks.edge) {
        uint32_t target = target_state(p);
        if (target == NOTHING || !number_state(p, target))
            return false;
        tell_edge(p, p->target, probed->action, target);
    }
    uint32_t asleep = sleep_set_behind(p, sleep, probed);
    if (asleep == NOTHING)
        return false;
    return is_new ? push_pending(p, vector, ages, asleep) : wake_vector(p, vector, ages, asleep);
}

/* As printed: a step to a state that was seen is not followed, whatever led there. */
static bool is_known_state(struct prober *p)
{
    uint32_t state = target_state(p);
    return state != NOTHING && p->state_number.item[shown_state(p, state)] != NOTHING;
}

/* --------------------------------------------------------------------- opening */

static bool is_opened(const struct prober *p, uint32_t state)
{
    return p->explored.item[state] & OPENED;
}

/* Are there too many vectors altogether, and with this target more than its enabled actions? */
static bool is_crowded(const struct prober *p)
{
    enum { FEW = 125 }; /* states: small models may have any number of vectors */
    return p->bound != PROBE_UNBOUNDED && p->explorer->counted.vectors > (uint64_t)p->bound * (p->numbered + FEW) &&
           p->explored.item[p->target] > p->enabled.count;
}

/* One step from the start state of the trace: a vector without a trace behind it. */
static bool open_by(struct prober *p, uint32_t action)
{
    struct trace *t = &p->trace;
    bool is_new;
    uint32_t state = change_scratch(p, action) ? scratch_state(p) : NOTHING;
    restore_scratch(p);
    p->path.count = 0;
    if (state == NOTHING || !number_state(p, state) || !vector_push(&p->path, action) || !set_origin(p, state))
        return false;
    tell_edge(p, t->start, action, state);
    uint32_t vector = insert_start(p, state, &is_new);
    if (vector == SEQUENCE_NONE)
        return false;
    return is_new ? push_pending(p, vector, NOTHING, SLEEP_NONE) : wake_vector(p, vector, NOTHING, SLEEP_NONE);
}

/* Expands the start state of the loaded vector by all its enabled actions. */
static bool open_start(struct prober *p)
{
    struct trace *t = &p->trace;
    p->explored.item[t->start] |= OPENED;
    p->path_start = t->start;
    p->path.count = 0;
    explain_opened(p);
    if (!list_enabled(p, t->start_count))
        return false;
    if (p->state_done.item[shown_state(p, t->start)])
        p->explorer->counted.transitions += p->seen.count;
    else if (!observe(p, t->start, t->start_count, (uint32_t)p->seen.count))
        return false;
    for (size_t i = 0; i < p->seen.count; i++)
        if (!open_by(p, p->seen.item[i]))
            return false;
    explain_flush(p);
    return true;
}

/* ------------------------------------------------------------------------ ages */

static bool is_chosen(const struct prober *p, uint32_t action)
{
    for (size_t i = 0; i < p->chosen.count; i++)
        if (p->chosen.item[i].action == action)
            return true;
    return false;
}

static bool add_age(struct prober *p, uint32_t action, uint32_t age)
{
    return is_chosen(p, action) || (vector_push(&p->draft, action) && vector_push(&p->draft, age));
}

/* Those of the enabled actions that are not explored now: one more than before. */
static bool add_ages(struct prober *p)
{
    for (uint32_t i = 0; i < p->enabled.count; i++)
        if (!add_age(p, p->enabled.item[i], p->age[i] + 1))
            return false;
    return true;
}

/* Algorithm 3 of the thesis, line 11: those that have an age grow older, enabled or not; the enabled others begin. */
static bool add_ages_as_printed(struct prober *p)
{
    size_t length = 0, k = 0;
    const uint32_t *item = p->ages_now == NOTHING ? NULL : sequence_get(&p->ages, p->ages_now, &length);
    for (uint32_t i = 0; i <= p->enabled.count; i++) {
        uint32_t action = i < p->enabled.count ? p->enabled.item[i] : NOTHING;
        for (; k < length && item[k] < action; k += 2)
            if (!add_age(p, item[k], item[k + 1] + 1))
                return false;
        bool has_age = k < length && item[k] == action;
        if (action != NOTHING && !add_age(p, action, has_age ? item[k + 1] + 1 : 0))
            return false;
        k += has_age ? 2 : 0;
    }
    return true;
}

static bool next_ages(struct prober *p, uint32_t *ages)
{
    bool is_new;
    *ages = NOTHING;
    if (!p->aging)
        return true;
    p->draft.count = 0;
    if (!(p->age_printed ? add_ages_as_printed(p) : add_ages(p)))
        return false;
    if (p->age_printed && p->draft.count == 0)
        return true;
    *ages = sequence_insert(&p->ages, p->draft.item, p->draft.count, &is_new);
    return *ages != SEQUENCE_NONE;
}

/* ------------------------------------------------------------------- the search */

static bool explore_successors(struct prober *p)
{
    uint32_t ages, sleep = p->vector_sleep.item[p->vector];
    if (!next_ages(p, &ages))
        return false;
    for (size_t i = 0; i < p->chosen.count && !over(p); i++) {
        const struct probed *probed = &p->chosen.item[i];
        if (sleep_set_skips(p, sleep, probed))
            continue;
        if (!trace_push(p, probed->action))
            return false;
        bool skipped = p->options->printed_keys && is_known_state(p);
        bool knows_missed = true;
        if (!skipped && (!add_successor(p, probed, ages, sleep) || !find_missed(p, &knows_missed)))
            return false;
        explain_flush(p);
        trace_pop(p);
        if (!knows_missed)
            return open_start(p);
        if (!beside_take_turn(p) || p->beside.won)
            return p->beside.won;
    }
    return true;
}

static bool note_path(struct prober *p)
{
    const struct trace *t = &p->trace;
    p->path_start = t->start;
    p->path.count = 0;
    for (uint32_t i = 0; i < t->events; i++)
        if (!vector_push(&p->path, t->action[i]))
            return false;
    return true;
}

static bool explore_vector(struct prober *p, struct pending pending)
{
    struct portolan_statistics *statistics = &p->explorer->counted;
    p->vector = pending.vector;
    if (!trace_load(p, pending.vector) || !list_enabled(p, p->trace.count))
        return false;
    p->enabled.count = 0;
    for (size_t i = 0; i < p->seen.count; i++)
        if (!vector_push(&p->enabled, p->seen.item[i]))
            return false;
    p->target = target_state(p);
    if (p->target == NOTHING)
        return false;
    statistics->vectors++;
    p->work += 10 + p->trace.entities / 16;
    if (is_crowded(p))
        return open_start(p);
    p->work += 4 * p->enabled.count + (uint64_t)p->enabled.count * p->enabled.count / 4; /* that choosing costs */
    if (!beside_take_turn(p) || p->beside.won)
        return p->beside.won;
    p->explored.item[p->target]++;
    p->ages_now = pending.ages;
    if (!choose_probe_set(p) || !note_path(p))
        return false;
    if (p->trace.events > statistics->depth)
        statistics->depth = p->trace.events;
    if (p->state_done.item[shown_state(p, p->target)]) {
        statistics->visited++;
        statistics->transitions += p->chosen.count;
    } else if (!observe(p, p->target, p->trace.count, (uint32_t)p->chosen.count)) {
        return false;
    }
    explain_vector(p);
    return tell_vector(p) && explore_successors(p);
}

static struct pending take_pending(struct prober *p)
{
    if (!p->breadth_first)
        return p->pending.item[--p->pending.count];
    struct pending taken = p->pending.item[p->taken++];
    if (p->taken * 2 > p->pending.count) { /* the front half is done with */
        memmove(p->pending.item, p->pending.item + p->taken, (p->pending.count - p->taken) * sizeof *p->pending.item);
        p->pending.count -= p->taken;
        p->taken = 0;
    }
    return taken;
}

static uint32_t start_of(const struct prober *p, uint32_t vector)
{
    size_t length;
    return sequence_get(&p->vectors, vector, &length)[0];
}

static bool start(struct prober *p)
{
    bool is_new;
    if (!trace_make_room(p) || !sleep_sets_start(p) || !states_start(p))
        return false;
    p->entities->initial(p->view, p->trace.scratch + 1);
    for (uint32_t e = 1; e < p->trace.entities; e++)
        if (p->trace.scratch[e] && !vector_push(&p->changed, e))
            return false;
    uint32_t state = scratch_state(p);
    restore_scratch(p);
    uint32_t vector = state == NOTHING ? SEQUENCE_NONE : insert_start(p, state, &is_new);
    return vector != SEQUENCE_NONE && number_state(p, state) && push_pending(p, vector, NOTHING, SLEEP_NONE);
}

static size_t bytes(const struct strategy *strategy)
{
    const struct prober *p = strategy->own;
    return sequences_bytes(&p->states) + sequences_bytes(&p->nodes) + sequences_bytes(&p->vectors) +
           sequences_bytes(&p->ages) + sequences_bytes(&p->aged) + sequences_bytes(&p->origins) +
           sequences_bytes(&p->sleep_sets) + p->pending.capacity * sizeof *p->pending.item +
           p->states.count * (3 * sizeof(uint32_t) + sizeof(bool)) + p->touches.capacity * sizeof *p->touches.item;
}

static uint64_t states(const struct strategy *strategy)
{
    return ((const struct prober *)strategy->own)->numbered;
}

static void clear(struct prober *p)
{
    if (p->view)
        p->entities->close(p->view);
    sequences_clear(&p->states);
    sequences_clear(&p->nodes);
    sequences_clear(&p->vectors);
    sequences_clear(&p->ages);
    sequences_clear(&p->aged);
    sequences_clear(&p->origins);
    sequences_clear(&p->sleep_sets);
    trace_release(&p->trace);
    void *parts[] = {p->touches.item,      p->actions.item,    p->in_trace,        p->met,
                     p->state_number.item, p->state_done.item, p->origin.item,     p->explored.item,
                     p->pending.item,      p->path.item,       p->enabled.item,    p->seen.item,
                     p->draft.item,        p->changed.item,    p->candidates.item, p->cause,
                     p->discharge,         p->conflict,        p->member,          p->age,
                     p->chosen.item,       p->prefix,          p->readers.item,    p->line.item,
                     p->keys.item,         p->levels.item,     p->new_states.item, p->vector_sleep.item,
                     p->sleeping.item,     p->told.item,       p->shown.item};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
}

void search_probe(struct explorer *x)
{
    const struct search *s = x->search;
    const struct probe *options = (const struct probe *)x->reduction;
    bool unbounded = s->proviso_class->may_not_end || s->options->callbacks.vector; /* certificates know vectors only */
    struct prober p = {.explorer = x,
                       .options = options,
                       .entities = options->view,
                       .aging = s->proviso_class != &proviso_nodup,
                       .age_printed = s->proviso_class == &proviso_age_printed,
                       .bound = unbounded ? PROBE_UNBOUNDED : options->bound,
                       .breadth_first = s->order->order == BREADTH_FIRST,
                       .random = options->seed * 2 + 1};
    x->strategy->own = &p; // cppcheck-suppress autoVariables
    x->strategy->path = path;
    x->strategy->bytes = bytes;
    x->strategy->states = states;
    p.view = p.entities->open(s->system);
    bool fine = p.view && start(&p);
    p.beside.wanted = beside_is_wanted(&p);
    explain_start(&p);
    while (fine && !over(&p) && !p.beside.won && p.pending.count > p.taken) {
        struct pending pending = take_pending(&p);
        fine = is_opened(&p, start_of(&p, pending.vector)) || explore_vector(&p, pending);
        fine = fine && beside_take_turn(&p);
        observe_limits(x);
    }
    if (!fine && !over(&p))
        out_of_memory(&p);
    observe_completion(x);
    clear(&p);
    beside_end(&p);
    x->strategy->own = NULL;
}
