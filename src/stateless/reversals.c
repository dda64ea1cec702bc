/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reversing races.  Event e' of agent q races with an earlier e when they conflict, nothing lies between them, and q's
 * step would be enabled before e.  The sequence to explore from the point before e is then: all events after e that do
 * not happen after it, and q's step (JACM 2017, section 5: notdep(e, E).e').
 *
 * Steps that may wait need more, since what disables is not what enables.  Suppose
 * q's step waits for one object.  When the event just before it on that object is
 * what enabled it (the release of a lock), the two cannot change places; but q's step
 * could have come before the last event that disabled it (the acquire).  All events
 * of other agents that matter for q are writes of the same object, hence in one
 * chain, so it is enough to walk back along the chain to where the step was last
 * enabled.  An agent that still waits at the end of an execution has such a
 * step too.
 *
 * A step that waits for several objects can be enabled before e with some of the
 * events beside e and disabled with others.  Then every set of those that matter is
 * tried that is closed under happens-before.  (Proof sketch: let w be an execution
 * from the point before e in which q's step comes before e's agent's.  The part of w
 * before q's step is independent of e, so it is among the events beside e, and it is
 * the set tried, up to events that q's step does not see.)
 */
#include "base/bits.h"
#include "base/limits.h"
#include "stateless/worker.h"

#include <string.h>

/* The second half of a race: a step that was taken, or one that still waits. */
struct second {
    uint32_t agent;
    uint32_t previous; /* event of the same agent, or NO_EVENT */
    const uint32_t *floor;
    uint32_t waits_for;
    uint32_t after; /* the last event that it follows directly, + 1 */
    bool varies;
    size_t depth; /* where the step was next */
    const struct portolan_access *accesses;
    uint32_t access_count;
};

struct reversal {
    struct worker *worker;
    struct second second;
    size_t limit;
    take_sequence *take;
    struct dependence depends; /* of the race, as in struct race */
    struct masks beside;       /* of the picked events */
    uint64_t agents;           /* theirs, a bit for each modulo 64 */
};

/* Is the event one that the second half follows whatever it touches? */
static bool is_below_floor(const struct reversal *r, uint32_t event)
{
    const struct event *e = &r->worker->execution.events.item[event];
    return r->second.floor && e->order <= r->second.floor[e->agent];
}

static bool conflicts_with_second(const struct reversal *r, uint32_t event)
{
    const struct execution *x = &r->worker->execution;
    return accesses_conflict(accesses_of(x, event), x->events.item[event].access_count, r->second.accesses,
                             r->second.access_count);
}

static bool writes_object(const struct execution *x, uint32_t event, uint32_t object)
{
    const struct portolan_access *access = accesses_of(x, event);
    for (uint32_t i = 0; i < x->events.item[event].access_count; i++)
        if (access[i].object == object && access[i].writes)
            return true;
    return false;
}

/* Need nothing be explored that begins with a step of this agent from this node?  If it sleeps, all of that was
 * explored; and where only first steps count, it will be if the agent is in the backtrack set. */
static bool covers(const struct reversal *r, const struct node *node, uint32_t agent)
{
    return bit_get(node->asleep, agent) ||
           (r->worker->method->sequences != WAKE_UP && bit_get(node->backtracks, agent));
}

/* Picks notdep(first): the events after it and before the limit that do not happen after it.  Stops at one that follows
 * nothing picked and whose agent the node covers: *covering. */
static bool pick_beside(struct reversal *r, uint32_t first, uint32_t *covering)
{
    struct worker *w = r->worker;
    const struct execution *x = &w->execution;
    const struct event *e = &x->events.item[first];
    const uint32_t *clock = clock_of(x, first) + e->agent;
    w->picked.count = 0;
    if (limits_reached() || !vector_reserve(&w->picked, x->events.count))
        return false;
    struct node *node = node_at(w, first);
    uint32_t *picked = w->picked.item, found = NO_EVENT;
    r->beside = (struct masks){0};
    r->agents = 0;
    node_lock(node);
    for (uint32_t i = first + 1; i < r->limit && found == NO_EVENT; i++) {
        clock += x->stride;
        if (*clock >= e->order)
            continue;
        *picked++ = i;
        masks_add(&r->beside, x->events.item[i].touched, x->events.item[i].written);
        r->agents |= UINT64_C(1) << (x->events.item[i].agent % 64);
        if (covering && x->events.item[i].after <= first && covers(r, node, x->events.item[i].agent))
            found = i;
    }
    node_unlock(node);
    w->picked.count = (size_t)(picked - w->picked.item);
    if (covering)
        *covering = found;
    return true;
}

/* How many of the picked events came before the second half. */
static uint32_t count_own(const struct reversal *r)
{
    const uint32_t *picked = r->worker->picked.item;
    uint32_t count = (uint32_t)r->worker->picked.count;
    while (count && picked[count - 1] > r->second.depth)
        count--;
    return count;
}

static bool give(struct reversal *r, uint32_t first, const struct portolan_access *accesses, uint32_t count)
{
    struct worker *w = r->worker;
    if (is_above_split(w, first))
        return true;
    struct sequence sequence = {.execution = &w->execution,
                                .events = w->picked.item,
                                .length = (uint32_t)w->picked.count + 1,
                                .own = count_own(r),
                                .last = footprint_of(r->second.agent, accesses, count),
                                .floor = r->second.floor,
                                .depends = ON_EVERYTHING};
    bool fine = r->take(w, first, &sequence);
    r->depends = sequence.depends;
    return fine;
}

/* The step of the second half after the picked events, from the point before the first. */
static bool step_after_picked(struct reversal *r, uint32_t first, bool *enabled)
{
    struct worker *w = r->worker;
    const struct execution *x = &w->execution;
    size_t count = w->picked.count;
    if (!vector_reserve(&w->picked, count))
        return false;
    uint32_t *agents = w->picked.item + count;
    for (size_t i = 0; i < count; i++)
        agents[i] = x->events.item[w->picked.item[i]].agent;
    *enabled = w->machine->class->next_after(w->machine, first, agents, count, r->second.agent, &w->other_step) &&
               w->other_step.enabled;
    return true;
}

/* Is the second half in a direct race that nothing but the first keeps behind the first, and does the node cover it? It
 * will for as long as both events are there. */
static bool is_covered_for_good(const struct reversal *r, uint32_t first)
{
    struct node *node = node_at(r->worker, first);
    if (r->second.after > first + 1)
        return false;
    node_lock(node);
    bool covered = covers(r, node, r->second.agent);
    node_unlock(node);
    return covered;
}

/* The same of a second half that follows more, for now: does nothing picked have to come before it? */
static bool is_covered(const struct reversal *r, uint32_t first)
{
    struct worker *w = r->worker;
    struct node *node = node_at(w, first);
    node_lock(node);
    bool covered = covers(r, node, r->second.agent);
    node_unlock(node);
    if (!covered || (r->second.previous != NO_EVENT && r->second.previous > first))
        return false;
    for (size_t i = 0; i < w->picked.count; i++)
        if (conflicts_with_second(r, w->picked.item[i]) || is_below_floor(r, w->picked.item[i]))
            return false;
    return true;
}

/* Does an event beside the first write the object too?  Only one that commutes with the first can. */
static bool is_written_beside(const struct reversal *r, uint32_t first, uint32_t object)
{
    const struct worker *w = r->worker;
    const struct portolan_access *access = accesses_of(&w->execution, first);
    bool commutes = false;
    for (uint32_t i = 0; i < w->execution.events.item[first].access_count; i++)
        commutes |= access[i].object == object && access[i].group;
    for (size_t i = 0; commutes && i < w->picked.count; i++)
        if (writes_object(&w->execution, w->picked.item[i], object))
            return true;
    return false;
}

/* Reverses a race of a step that would touch other objects before the first than it did. */
static bool reverse_varying(struct reversal *r, uint32_t first, bool *settled)
{
    const struct second *second = &r->second;
    struct worker *w = r->worker;
    /* One object, which nothing beside the first writes: it is as it was before the first. */
    if (second->access_count == 1 && !is_written_beside(r, first, second->accesses[0].object) &&
        w->machine->class->next_as_if(w->machine, second->depth, second->agent, first, &w->other_step) &&
        w->other_step.access_count == 1 && w->other_step.accesses[0].object == second->accesses[0].object) {
        /* If the first writes it, nothing beside the first touches it. */
        bool stays = writes_object(&w->execution, first, second->accesses[0].object);
        *settled = stays && is_covered_for_good(r, first);
        bool fine = *settled || give(r, first, w->other_step.accesses, 1);
        if (!stays)
            r->depends = ON_EVERYTHING;
        return fine;
    }
    bool enabled, fine = step_after_picked(r, first, &enabled) &&
                         (!enabled || give(r, first, w->other_step.accesses, w->other_step.access_count));
    r->depends = ON_EVERYTHING;
    return fine;
}

/* Does the race of another step that sleeps do what this one would?  For as long as nothing is in conflict with it. */
static bool is_reversed_otherwise(struct reversal *r, uint32_t first)
{
    const struct second *second = &r->second;
    if (r->worker->method->sequences != WAKE_UP || second->waits_for != PORTOLAN_NO_OBJECT)
        return false;
    struct footprint last = footprint_of(second->agent, second->accesses, second->access_count);
    struct node *node = node_at(r->worker, first);
    node_lock(node);
    const struct kept_step *step = node_reverses_otherwise(node, &last, &r->beside, r->agents);
    if (step)
        r->depends = (struct dependence){.steps = {step->touched, step->written}};
    node_unlock(node);
    return step;
}

/* The second half is known to be enabled before the first.  *settled when nothing can ever come of this race. */
static bool reverse(struct reversal *r, uint32_t first, bool *settled)
{
    const struct second *second = &r->second;
    const struct event *events = r->worker->execution.events.item;
    uint32_t covering;
    r->depends = ON_EVERYTHING;
    *settled = is_above_split(r->worker, first) || (!second->varies && is_covered_for_good(r, first));
    if (*settled)
        return true;
    if (!pick_beside(r, first, &covering))
        return false;
    *settled = covering < second->depth;
    if (covering != NO_EVENT) {
        r->depends =
            (struct dependence){.events = {events[covering].touched, events[covering].written}, .end = covering + 1};
        return true;
    }
    if (second->varies)
        return reverse_varying(r, first, settled);
    return is_covered(r, first) || is_reversed_otherwise(r, first) ||
           give(r, first, second->accesses, second->access_count);
}

static bool enabled_before(struct reversal *r, uint32_t first)
{
    struct worker *w = r->worker;
    return w->machine->class->next_as_if(w->machine, r->second.depth, r->second.agent, first, &w->other_step) &&
           w->other_step.enabled;
}

static bool precedes_second(const struct reversal *r, uint32_t event)
{
    const struct execution *x = &r->worker->execution;
    const struct event *e = &x->events.item[event];
    return e->agent == r->second.agent || is_below_floor(r, event) ||
           (r->second.previous != NO_EVENT && happens_before(x, event, r->second.previous));
}

/* Walks back along the writes of the object that the step waits for, to the last one that disabled it. */
static uint32_t last_disabler(struct reversal *r, uint32_t event)
{
    for (; event != NO_EVENT && !precedes_second(r, event) && !limits_reached();
         event = writer_before(&r->worker->execution, event, r->second.waits_for))
        if (enabled_before(r, event))
            return event;
    return NO_EVENT;
}

/* --- steps that wait for several objects */

/* Leaves out of the picked events those that happen after one that the set excludes, and offers the rest. */
static bool try_set(struct reversal *r, uint32_t first, uint64_t excluded)
{
    struct worker *w = r->worker;
    const struct execution *x = &w->execution;
    if (!pick_beside(r, first, NULL))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < w->picked.count; i++) {
        bool keep = true;
        for (size_t k = 0; k < w->relevant.count && keep; k++)
            keep = !(excluded >> k & 1) || !happens_before(x, w->relevant.item[k], w->picked.item[i]);
        if (keep)
            w->picked.item[kept++] = w->picked.item[i];
    }
    w->picked.count = kept;
    bool enabled;
    if (!step_after_picked(r, first, &enabled))
        return false;
    return !enabled || give(r, first, w->other_step.accesses, w->other_step.access_count);
}

/* Every choice of the events beside the first that the second half can see: closed under happens-before when what
 * follows an excluded one is excluded too. */
static bool try_sets(struct reversal *r, uint32_t first, size_t k, uint64_t excluded)
{
    struct worker *w = r->worker;
    const struct execution *x = &w->execution;
    if (k == w->relevant.count)
        return try_set(r, first, excluded);
    bool forced = false;
    for (size_t i = 0; i < k && !forced; i++)
        forced = excluded >> i & 1 && happens_before(x, w->relevant.item[i], w->relevant.item[k]);
    return (forced || try_sets(r, first, k + 1, excluded)) && try_sets(r, first, k + 1, excluded | UINT64_C(1) << k);
}

static bool reverse_wide(struct reversal *r)
{
    enum { MOST_RELEVANT = 63 };
    struct worker *w = r->worker;
    for (uint32_t first = 0; first < r->second.depth; first++) {
        if (limits_reached())
            return false;
        if (precedes_second(r, first) || !conflicts_with_second(r, first))
            continue;
        if (!pick_beside(r, first, NULL))
            return false;
        w->relevant.count = 0;
        for (size_t i = 0; i < w->picked.count; i++)
            if (conflicts_with_second(r, w->picked.item[i]) && !is_below_floor(r, w->picked.item[i]) &&
                w->relevant.count < MOST_RELEVANT && !vector_push(&w->relevant, w->picked.item[i]))
                return false;
        if (!try_sets(r, first, 0, 0))
            return false;
    }
    return true;
}

/* --- the entrances */

/* Has anything changed, since the races were reversed last, on which this depends? */
static bool is_changed(const struct worker *w, const struct dependence *depends)
{
    return masks_meet(&depends->steps, &w->news) ||
           (depends->end > w->seen_events && masks_meet(&depends->events, &w->news));
}

/* Could anything come of reversing the race of an event? */
static bool is_open(const struct worker *w, uint32_t event, const struct race *race)
{
    return !race->settled && (event >= w->seen_events || is_changed(w, &race->depends));
}

bool reverse_races(struct worker *w, uint32_t event, size_t limit, take_sequence *take)
{
    struct execution *x = &w->execution;
    const struct event *e = &x->events.item[event];
    if (!e->race_count && e->waits_for != PORTOLAN_SEVERAL_OBJECTS)
        return true;
    struct reversal r = {.worker = w,
                         .second = {.agent = e->agent,
                                    .previous = e->previous,
                                    .floor = floor_of(x, e),
                                    .waits_for = e->waits_for,
                                    .after = e->after,
                                    .varies = e->varies,
                                    .depth = event,
                                    .accesses = accesses_of(x, event),
                                    .access_count = e->access_count},
                         .limit = limit,
                         .take = take};
    if (e->waits_for == PORTOLAN_SEVERAL_OBJECTS)
        return reverse_wide(&r);
    struct race *races = races_of(x, event);
    bool fine = true;
    for (size_t i = 0; i < e->race_count && fine; i++) {
        if (!is_open(w, event, &races[i]))
            continue;
        bool may_disable = e->waits_for != PORTOLAN_NO_OBJECT && writes_object(x, races[i].first, e->waits_for);
        uint32_t first = may_disable ? last_disabler(&r, races[i].first) : races[i].first;
        races[i].settled = first == NO_EVENT; /* what comes before the event decides it */
        fine = first == NO_EVENT || reverse(&r, first, &races[i].settled);
        races[i].depends = r.depends;
    }
    return fine;
}

/* Adds what the races of an event that are not settled depend on. */
static void add_open_races(const struct execution *x, uint32_t event, struct dependence *open)
{
    const struct event *e = &x->events.item[event];
    if (e->waits_for == PORTOLAN_SEVERAL_OBJECTS)
        *open = ON_EVERYTHING;
    for (uint32_t i = 0; i < e->race_count; i++) {
        const struct race *race = &races_of(x, event)[i];
        if (!race->settled)
            dependence_add(open, &race->depends);
    }
}

/*
 * The paper reverses all races of every execution.  Those among events that were there before need not be reversed
 * again if nothing new can change what became of them.  The sequence of a race of e and e' is v.v'.e': events beside e
 * that come before e' (v) and behind it (v').  Suppose that a step sleeps that is a weak initial of it, or that a leaf
 * u of the wake-up tree is reached by taking weak initials out of it.  Another execution that begins with the same
 * events up to e' gives v.w.e'.  What was taken out of v.e' can be taken out of that too.  So can what was taken out of
 * v' if it is still there, with all that came before it: then only events that come after it are new.  Any other step
 * can if no event of w is in conflict with it.  race.depends remembers up to where of v' something was taken out
 * (end), what that touches (events), and what those touch that were not in the sequence (steps).  So there is still a
 * leaf for it; or u has been taken from the tree, and its first step sleeps.
 */
bool reverse_all_races(struct worker *w, take_sequence *take)
{
    struct execution *x = &w->execution;
    uint32_t length = (uint32_t)x->events.count, event = (uint32_t)w->seen_events;
    struct dependence open = event ? x->events.item[event - 1].open : (struct dependence){0};
    w->news = (struct masks){0};
    for (uint32_t i = event; i < length; i++)
        masks_add(&w->news, x->events.item[i].touched, x->events.item[i].written);
    if (is_changed(w, &open)) {
        event = 0;
        open = (struct dependence){0};
    }
    for (; event < length; event++) {
        if (!reverse_races(w, event, length, take))
            return false;
        add_open_races(x, event, &open);
        x->events.item[event].open = open;
    }
    w->seen_events = length;
    return true;
}

bool reverse_waits(struct worker *w, take_sequence *take)
{
    struct execution *x = &w->execution;
    bool fine = true;
    for (uint32_t agent = 0; w->somebody_waits && agent < w->machine->agents && fine; agent++) {
        if (!worker_next(w, agent, &w->step) || w->step.enabled)
            continue;
        size_t followed = worker_follows(w, agent);
        for (uint32_t i = 0; i < w->step.access_count && x->met; i++) {
            uint32_t event = last_writer(x, w->step.accesses[i].object);
            x->met[agent] |= event == NO_EVENT ? 0 : agent_bit(x->events.item[event].agent);
        }
        if (followed)
            make_floor(x, followed, w->floor);
        struct reversal r = {.worker = w,
                             .second = {.agent = agent,
                                        .previous = x->last_of[agent],
                                        .floor = followed ? w->floor : NULL,
                                        .waits_for = w->step.waits_for,
                                        .after = NO_EVENT,
                                        .varies = w->step.varies,
                                        .depth = x->events.count,
                                        .accesses = w->step.accesses,
                                        .access_count = w->step.access_count},
                             .limit = x->events.count,
                             .take = take};
        if (w->step.waits_for == PORTOLAN_SEVERAL_OBJECTS) {
            fine = reverse_wide(&r);
            continue;
        }
        uint32_t first = last_disabler(&r, last_writer(x, w->step.waits_for));
        bool settled;
        fine = first == NO_EVENT || reverse(&r, first, &settled);
    }
    return fine;
}
