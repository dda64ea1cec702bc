/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/vectors.h"

#include "base/limits.h"

#include <string.h>

/* ------------------------------------------------------------------ actions */

static bool is_visible_action(const struct vectors *v, uint32_t action)
{
    return v->visible && v->visible[v->actions.item[action].system_action];
}

/* Do they touch a common entity that one of them changes, or can both be seen? */
static bool depend(const struct vectors *v, uint32_t a, uint32_t b)
{
    const struct touched *x = &v->actions.item[a], *y = &v->actions.item[b];
    if (is_visible_action(v, a) && is_visible_action(v, b))
        return true;
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t j = 0; j < y->count; j++)
            if (x->touch[i].entity == y->touch[j].entity && (x->touch[i].change || y->touch[j].change))
                return true;
    return false;
}

static bool is_enabled(const struct vectors *v, const uint32_t *count, uint32_t action)
{
    const struct touched *x = &v->actions.item[action];
    for (uint32_t i = 0; i < x->count; i++)
        if (count[x->touch[i].entity] < x->touch[i].low || count[x->touch[i].entity] > x->touch[i].high)
            return false;
    return true;
}

static void fire(const struct vectors *v, uint32_t *count, uint32_t action)
{
    const struct touched *x = &v->actions.item[action];
    for (uint32_t i = 0; i < x->count; i++)
        count[x->touch[i].entity] += (uint32_t)x->touch[i].change;
}

static bool learn(struct vectors *v, uint32_t action)
{
    struct touched touched = {.idle = true};
    const struct portolan_touch *touch = v->entities->touches(v->view, action, &touched.count);
    touched.system_action = v->entities->action(v->view, action);
    if (!vector_push(&v->actions, touched))
        return false;
    struct touched *own = &v->actions.item[v->actions.count - 1];
    own->touch = malloc(((size_t)own->count + 1) * sizeof *own->touch);
    if (!own->touch)
        return false;
    for (uint32_t i = 0; i < own->count; i++) {
        own->touch[i] = touch[i];
        own->idle &= touch[i].change == 0;
    }
    v->ambiguous |= v->view_action[own->system_action] != UINT32_MAX;
    v->view_action[own->system_action] = action;
    return true;
}

static bool meet(void *user, uint32_t action)
{
    struct vectors *v = user;
    while (v->actions.count <= action)
        if (!learn(v, (uint32_t)v->actions.count))
            return false;
    return true;
}

static bool meet_enabled(void *user, uint32_t action)
{
    struct vectors *v = user;
    v->enabled_count++;
    return meet(v, action) && (v->actions.item[action].idle || vector_push(&v->enabled, action));
}

/* Every action that touches something, whatever the counts are. */
static bool learn_all(struct vectors *v)
{
    const struct portolan_receiver receiver = {.give = meet, .user = v};
    uint32_t *none = calloc((size_t)v->entity_count + 1, sizeof *none);
    uint32_t *much = malloc(((size_t)v->entity_count + 1) * sizeof *much);
    bool fine = none && much;
    if (fine)
        memset(much, 0xff, v->entity_count * sizeof *much);
    for (uint32_t e = 0; fine && e < v->entity_count; e++)
        fine = v->entities->possible(v->view, e, none, much, &receiver) && !limits_reached();
    free(none);
    free(much);
    v->ambiguous |= v->entities->entities(v->view) != v->entity_count;
    return fine;
}

/* ------------------------------------------------------------------ vectors */

static bool *row(const struct vectors *v, size_t event)
{
    return v->before + event * v->rows;
}

/* What comes before the event at the end of v->trace, with the rows of all others known. */
static void order_last(struct vectors *v)
{
    size_t last = v->trace.count - 1;
    memset(row(v, last), 0, v->rows);
    for (size_t i = last; i-- > 0;)
        if (!row(v, last)[i] && depend(v, v->trace.item[i], v->trace.item[last])) {
            row(v, last)[i] = true;
            for (size_t j = 0; j < i; j++)
                row(v, last)[j] |= row(v, i)[j];
        }
}

void vectors_cause(const struct vectors *v, uint32_t action, bool *cause)
{
    size_t events = v->trace.count;
    memset(cause, 0, events);
    for (size_t i = events; i-- > 0;)
        if (!cause[i] && depend(v, v->trace.item[i], action)) {
            cause[i] = true;
            for (size_t j = 0; j < i; j++)
                cause[j] |= row(v, i)[j];
        }
}

/* Of the least equivalent order: again and again the least action that no other one in v->rest must precede.  Appends
 * to v->draft. */
static bool append_least_order(struct vectors *v)
{
    while (v->rest.count) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < v->rest.count; i++) {
            bool first = best == SIZE_MAX || v->rest.item[i] < v->rest.item[best];
            for (size_t j = 0; first && j < i; j++)
                first = !depend(v, v->rest.item[j], v->rest.item[i]);
            best = first ? i : best;
        }
        if (!vector_push(&v->draft, v->rest.item[best]))
            return false;
        memmove(v->rest.item + best, v->rest.item + best + 1, (v->rest.count - best - 1) * sizeof *v->rest.item);
        v->rest.count--;
    }
    return true;
}

/* The start state and the least order of the trace in v->rest, in v->draft. */
static bool write_key(struct vectors *v, const uint32_t *count)
{
    bool is_new;
    uint32_t state = sequence_insert(&v->states, count, v->entity_count, &is_new);
    v->draft.count = 0;
    return state != SEQUENCE_NONE && vector_push(&v->draft, state) && append_least_order(v);
}

/* A new vector gets the next number. */
static bool add_vector(struct vectors *v, const uint32_t *count)
{
    bool is_new;
    return write_key(v, count) && sequence_insert(&v->vectors, v->draft.item, v->draft.count, &is_new) != SEQUENCE_NONE;
}

bool vectors_key(struct vectors *v, const uint32_t *count, const uint32_t *trace, size_t length)
{
    v->rest.count = 0;
    for (size_t i = 0; i < length; i++)
        if (!vector_push(&v->rest, v->view_action[trace[i]]))
            return false;
    return write_key(v, count);
}

bool vectors_make(struct vectors *v, const struct portolan_system *system, const bool *visible)
{
    *v = (struct vectors){.system = system, .entities = system->entities[0], .visible = visible};
    v->view = v->entities->open(system);
    size_t actions = (size_t)system->actions + 1;
    v->view_action = malloc(actions * sizeof *v->view_action);
    if (!v->view || !v->view_action)
        return false;
    memset(v->view_action, 0xff, actions * sizeof *v->view_action);
    v->entity_count = v->entities->entities(v->view);
    size_t counts = (size_t)v->entity_count + 1;
    v->begin = calloc(counts, sizeof *v->begin);
    v->target = calloc(counts, sizeof *v->target);
    v->scratch = calloc(counts, sizeof *v->scratch);
    v->state = malloc(system->state_bytes + 1);
    if (!v->begin || !v->target || !v->scratch || !v->state || !learn_all(v))
        return false;
    v->entities->initial(v->view, v->begin);
    v->rest.count = 0;
    return add_vector(v, v->begin);
}

void vectors_clear(struct vectors *v)
{
    if (v->view)
        v->entities->close(v->view);
    for (size_t i = 0; i < v->actions.count; i++)
        free(v->actions.item[i].touch);
    sequences_clear(&v->states);
    sequences_clear(&v->vectors);
    void *parts[] = {v->actions.item, v->view_action,  v->added.item, v->trace.item, v->before,
                     v->begin,        v->target,       v->scratch,    v->state,      v->set,
                     v->kept,         v->enabled.item, v->draft.item, v->rest.item};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    memset(v, 0, sizeof *v);
}

void probe_set_clear(struct probe_set *set)
{
    free(set->actions.item);
    free(set->discharged.item);
    memset(set, 0, sizeof *set);
}

/* Room for the trace and one event more. */
static bool make_room(struct vectors *v, size_t length)
{
    v->rows = length + 1;
    return limits_allow(v->rows * v->rows) &&
           vector_grow((void **)&v->before, &v->before_capacity, v->rows * v->rows, sizeof *v->before) &&
           vector_grow((void **)&v->set, &v->set_capacity, v->rows, sizeof *v->set) &&
           vector_grow((void **)&v->kept, &v->kept_capacity, v->rows, sizeof *v->kept);
}

bool vectors_load(struct vectors *v, uint32_t number)
{
    size_t length;
    const uint32_t *vector = sequence_get(&v->vectors, number, &length);
    size_t bytes = v->entity_count * sizeof *v->begin;
    v->number = number;
    v->start = vector[0];
    v->trace.count = 0;
    if (!make_room(v, length - 1))
        return false;
    memcpy(v->begin, sequence_get(&v->states, v->start, &(size_t){0}), bytes);
    memcpy(v->target, v->begin, bytes);
    for (size_t i = 1; i < length; i++) {
        if (!vector_push(&v->trace, vector[i]))
            return false;
        order_last(v);
        fire(v, v->target, vector[i]);
    }
    v->enabled.count = v->enabled_count = 0;
    if (!v->entities->enabled(v->view, v->target, &(struct portolan_receiver){.give = meet_enabled, .user = v}))
        return false;
    return v->entities->state(v->view, v->target, v->state) == PORTOLAN_FIRED && !limits_reached();
}

/* ---------------------------------------------------------- the conditions */

static const struct probed_action *find_probed(const struct vectors *v, const struct probe_set *set, uint32_t action)
{
    for (size_t i = 0; i < set->actions.count; i++)
        if (v->view_action[set->actions.item[i].action] == action)
            return &set->actions.item[i];
    return NULL;
}

/* Puts what the action discharges into v->set; false when that is no set of events. */
static bool mark_discharged(struct vectors *v, const struct probe_set *set, const struct probed_action *probed)
{
    memset(v->set, 0, v->rows);
    for (uint32_t i = 0; i < probed->count; i++) {
        uint32_t action = v->view_action[set->discharged.item[probed->first + i]];
        size_t event = 0;
        while (event < v->trace.count && v->trace.item[event] != action)
            event++;
        if (event == v->trace.count)
            return false;
        v->set[event] = true;
    }
    return true;
}

/* Conditions 3 and 4: a beginning of its own prime cause, and no trace holds an action twice. */
static const char *judge_discharged(struct vectors *v, uint32_t action)
{
    vectors_cause(v, action, v->kept);
    for (size_t i = 0; i < v->trace.count; i++) {
        if (!v->set[i] && v->trace.item[i] == action)
            return "would occur twice in the trace";
        if (v->set[i] && !v->kept[i])
            return "discharges what is not in its prime cause";
        for (size_t j = 0; v->set[i] && j < i; j++)
            if (row(v, i)[j] && !v->set[j])
                return "discharges an event, but not what comes before that";
    }
    return NULL;
}

/* Conditions 1 and 2, for an enabled action that is passed over. */
static const char *judge_passed_over(struct vectors *v, const struct probe_set *set, uint32_t action)
{
    if (set->keeper == NO_KEEPER)
        return "is enabled and not explored, and there is no keeper";
    for (size_t i = 0; i < set->actions.count; i++)
        if (depend(v, v->view_action[set->actions.item[i].action], action))
            return "depends on an action of the probe set and is not in it";
    const struct probed_action *keeper = find_probed(v, set, v->view_action[set->keeper]);
    if (!keeper || !mark_discharged(v, set, keeper))
        return "is passed over, but the keeper is not in the probe set";
    vectors_cause(v, action, v->kept);
    for (size_t i = 0; i < v->trace.count; i++)
        if (v->set[i] && !v->kept[i])
            return "is passed over, but the keeper discharges what is not in its prime cause";
    return NULL;
}

static const char *judge_probed(struct vectors *v, const struct probe_set *set, const struct probed_action *probed)
{
    uint32_t action = v->view_action[probed->action];
    if (action == UINT32_MAX || v->actions.item[action].idle || !is_enabled(v, v->target, action))
        return "is not enabled, or changes nothing";
    if (find_probed(v, set, action) != probed)
        return "is listed twice";
    return mark_discharged(v, set, probed) ? judge_discharged(v, action) : "discharges what is not in the trace";
}

const char *vectors_judge(struct vectors *v, const struct probe_set *set, uint32_t *action)
{
    const char *wrong = NULL;
    for (size_t i = 0; !wrong && i < set->actions.count; i++) {
        *action = set->actions.item[i].action;
        wrong = judge_probed(v, set, &set->actions.item[i]);
    }
    for (size_t i = 0; !wrong && i < v->enabled.count; i++) {
        if (find_probed(v, set, v->enabled.item[i]))
            continue;
        *action = v->actions.item[v->enabled.item[i]].system_action;
        wrong =
            set->actions.count ? judge_passed_over(v, set, v->enabled.item[i]) : "is enabled and nothing is explored";
    }
    return wrong;
}

/* ------------------------------------------------------------ what follows */

/* The action comes behind the events in v->set, with an empty trace behind it. */
static void hand_on(struct vectors *v, uint32_t action)
{
    memcpy(v->scratch, v->begin, v->entity_count * sizeof *v->scratch);
    for (size_t i = 0; i < v->trace.count; i++)
        if (v->set[i])
            fire(v, v->scratch, v->trace.item[i]);
    if (!is_enabled(v, v->scratch, action))
        return;
    fire(v, v->scratch, action);
    v->rest.count = 0;
    v->failed |= !add_vector(v, v->scratch);
}

static void include_event(struct vectors *v, size_t event)
{
    for (size_t i = 0; i <= event; i++) {
        if (v->set[i] || (i < event && !row(v, event)[i]))
            continue;
        v->set[i] = true;
        v->failed |= !vector_push(&v->added, (uint32_t)i);
    }
}

/*
 * Tries every prefix that ends in the events which the action depends on, from v->set on; those below `event` are open.
 * What brings them along is in it too; other events can neither enable the action nor be prevented by it.  From the
 * last event to the first, an event that was left out is never brought along by one that is taken later.
 */
static void try_prefixes(struct vectors *v, uint32_t action, size_t event, bool something_outside)
{
    while (event > 0 && (v->set[event - 1] || !depend(v, v->trace.item[event - 1], action)))
        event--;
    v->failed |= limits_reached();
    if (v->failed)
        return;
    if (event == 0) {
        if (something_outside)
            hand_on(v, action);
        return;
    }
    try_prefixes(v, action, event - 1, true);
    size_t added = v->added.count;
    include_event(v, event - 1);
    try_prefixes(v, action, event - 1, something_outside);
    while (v->added.count > added)
        v->set[v->added.item[--v->added.count]] = false;
}

/* Every action that was missed because of the last event: enabled behind a prefix with that event, it depends on it and
 * on an event outside. */
static void follow_missed(struct vectors *v)
{
    size_t last = v->trace.count - 1;
    for (uint32_t a = 0; a < v->actions.count && !v->failed; a++) {
        if (v->actions.item[a].idle || !depend(v, a, v->trace.item[last]))
            continue;
        memset(v->set, 0, v->rows);
        v->added.count = 0;
        include_event(v, last);
        try_prefixes(v, a, last, false);
    }
}

/* The vector behind an action of the probe set; the events that it discharges are in v->set. */
static bool follow_probed(struct vectors *v, uint32_t action)
{
    memcpy(v->scratch, v->begin, v->entity_count * sizeof *v->scratch);
    v->rest.count = 0;
    for (size_t i = 0; i < v->trace.count; i++) {
        if (v->set[i])
            fire(v, v->scratch, v->trace.item[i]);
        else if (!vector_push(&v->rest, v->trace.item[i]))
            return false;
    }
    return vector_push(&v->rest, action) && add_vector(v, v->scratch);
}

bool vectors_follow(struct vectors *v, const struct probe_set *set)
{
    for (size_t i = 0; i < set->actions.count && !v->failed; i++) {
        uint32_t action = v->view_action[set->actions.item[i].action];
        mark_discharged(v, set, &set->actions.item[i]);
        if (!follow_probed(v, action) || !vector_push(&v->trace, action))
            return false;
        order_last(v);
        follow_missed(v);
        v->trace.count--;
    }
    return !v->failed;
}
