/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A level is explored in up to three rounds of messages (transport.h):
 *
 *   1. every rank expands its states of the level and sends each successor to the rank that owns it, which stores it;
 *   2. where a proviso judges reduced sets, owners answer which of the successors lie in the next level;
 *   3. states whose set is refused are expanded by the rest of their actions.
 *
 * The proviso is in-queue by levels: a reduced set is accepted when one of its successors (safety), or each of them
 * (liveness), belongs to a later level than the state.  That a state is in the queue of some rank would not do: two
 * ranks can close each other's cycle.  A later level can: whoever follows successors to later levels comes to one that
 * is fully expanded, since there is a last level.  It does not depend on who is faster, so neither does the result.
 */
#include "distributed/levels.h"

#include "base/clock.h"
#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "property/property.h"
#include "property/verdict.h"
#include "search/combination.h"
#include "search/search.h"
#include "system/arguments.h"
#include "system/compact.h"
#include "system/deadlock.h"
#include "system/replay.h"
#include "system/result.h"

#include <stdio.h>
#include <string.h>

enum {
    BATCH = 1 << 16,      /* bytes that are sent at once */
    STATES_PER_POLL = 16, /* between looks for messages */
    HEAD = 4              /* bytes before each state in a message: who asks where it stands, + 1; 0: nobody */
};

struct batch {
    unsigned char *bytes;
    size_t count;
};

/* A state whose reduced set is still to be accepted. */
struct waiting {
    uint32_t state;
    uint32_t later, asked;
};

struct levels {
    struct explorer *x;
    struct transport *transport;
    const struct portolan_system *wire; /* whose states are sent */
    size_t wire_bytes;
    unsigned char *opened; /* room for the successors of a state, as they are sent */
    size_t opened_room;
    unsigned char *scratch; /* an opened state */
    struct batch *batch;    /* per rank */
    VECTOR(uint32_t) level; /* where each level begins in the store of this rank */
    uint32_t next_level;    /* states from this number on are of the next level */
    VECTOR(struct waiting) waiting;
    bool answers;    /* messages of this round are answers */
    bool dropped;    /* a state was lost for want of memory: the search is not complete */
    uint32_t *found; /* per property: the state that decides it, or STORE_NONE */
    uint32_t *valueless;
    uint64_t known_bytes; /* of all ranks, at the end of the last level */
};

static struct search *search_of(const struct levels *l)
{
    return l->x->search;
}

static bool goes_on(const struct levels *l)
{
    return l->x->status == PORTOLAN_OK && !search_of(l)->ended;
}

static void out_of_memory(struct levels *l)
{
    l->dropped = true;
    if (!search_of(l)->ended)
        end_search(search_of(l), limits_stop_or_memory());
}

/* ------------------------------------------------------------------------- states on their way */

static uint32_t owner_of(const struct levels *l, const unsigned char *wire)
{
    return (uint32_t)((uint64_t)(uint32_t)store_hash(wire, l->wire_bytes) * l->transport->ranks >> 32);
}

static void to_wire(const struct levels *l, const void *state, unsigned char *wire)
{
    const struct portolan_system *system = l->x->system;
    if (system->opened)
        system->open_state(system->model, state, wire);
    else
        memcpy(wire, state, l->wire_bytes);
}

/* Stores a state that this rank owns; false when that is not possible. */
static bool keep_state(struct levels *l, const unsigned char *wire, uint32_t *number)
{
    struct explorer *x = l->x;
    const struct portolan_system *system = x->system;
    const unsigned char *state = wire;
    if (system->opened) {
        memcpy(l->scratch, wire, l->wire_bytes);
        while (system->close_state(system->model, l->scratch, x->now.bytes) != PORTOLAN_FIRED)
            if (!widen_states(x)) {
                l->dropped = true;
                return false;
            }
        state = x->now.bytes;
    }
    *number = store_insert(&x->search->store, state, store_hash(state, system->key_bytes));
    if (*number == STORE_NONE)
        out_of_memory(l);
    return *number != STORE_NONE;
}

static void flush(struct levels *l, uint32_t to)
{
    struct batch *batch = &l->batch[to];
    if (batch->count && !l->transport->send(l->transport, to, batch->bytes, batch->count))
        out_of_memory(l);
    batch->count = 0;
}

static void post(struct levels *l, uint32_t to, uint32_t head, const void *bytes, size_t count)
{
    struct batch *batch = &l->batch[to];
    if (batch->count + HEAD + count > BATCH)
        flush(l, to);
    memcpy(batch->bytes + batch->count, &head, HEAD);
    memcpy(batch->bytes + batch->count + HEAD, bytes, count);
    batch->count += HEAD + count;
}

/* An answer: the head says of whom, the byte whether the successor lies in the next level. */
static void take_answer(struct levels *l, uint32_t who, bool later)
{
    if (who < l->waiting.count)
        l->waiting.item[who].later += later;
}

/* Answers go back in the next round; until then they are kept behind each other. */
struct answer {
    uint32_t to, who;
    bool later;
};
static VECTOR(struct answer) answers_to_send;

static void take_message(struct levels *l, uint32_t from, const unsigned char *bytes, size_t count)
{
    size_t size = HEAD + (l->answers ? 1 : l->wire_bytes);
    for (size_t at = 0; at + size <= count; at += size) {
        uint32_t head, number;
        memcpy(&head, bytes + at, HEAD);
        if (l->answers) {
            take_answer(l, head, bytes[at + HEAD]);
            continue;
        }
        bool kept = keep_state(l, bytes + at + HEAD, &number);
        struct answer answer = {.to = from, .who = head - 1, .later = kept && number >= l->next_level};
        if (head && !vector_push(&answers_to_send, answer))
            out_of_memory(l);
    }
}

static bool receive_some(struct levels *l)
{
    uint32_t from;
    size_t count;
    const void *bytes = l->transport->receive(l->transport, &from, &count);
    if (bytes)
        take_message(l, from, bytes, count);
    return bytes;
}

/* Sends what is left and takes what comes until the round is over. */
static void end_round(struct levels *l)
{
    for (uint32_t to = 0; to < l->transport->ranks; to++)
        flush(l, to);
    do
        while (receive_some(l))
            ;
    while (!l->transport->is_over(l->transport));
}

/* ------------------------------------------------------------------------- expanding */

static bool make_room(struct levels *l, size_t successors)
{
    return vector_grow((void **)&l->opened, &l->opened_room, successors * l->wire->state_bytes + 1, 1);
}

/* Fires what is chosen, and writes the successors as they are sent; false when the search must end. */
static bool fire_chosen(struct levels *l, bool *again)
{
    struct explorer *x = l->x;
    const struct expansion *e = &x->now;
    *again = false;
    if (!make_room(l, e->chosen_count)) {
        out_of_memory(l);
        return false;
    }
    for (uint32_t i = 0; i < e->chosen_count; i++) {
        uint32_t action = e->enabled[e->chosen[i]];
        enum portolan_fired fired = x->system->fire(x->system->model, e->bytes, action, e->successor);
        if (fired == PORTOLAN_TOO_NARROW && x->system->widen) {
            *again = true;
            return widen_states(x);
        }
        if (fired != PORTOLAN_FIRED) {
            const char *name = x->system->action_name ? x->system->action_name(x->system->model, action) : "an action";
            x->status = fail(x->error, PORTOLAN_OVERFLOW, "'%s' cannot be done: %s", name,
                             x->system->too_large ? x->system->too_large : "a count is too large");
            return false;
        }
        if (x->not_fired && !search_of(l)->result->fired[action]) {
            search_of(l)->result->fired[action] = true;
            x->not_fired--;
        }
        to_wire(l, e->successor, l->opened + i * l->wire->state_bytes);
    }
    return true;
}

/* Every successor to its owner; `judged` says that the set must be accepted. */
static void dispatch(struct levels *l, uint32_t state, bool judged)
{
    uint32_t head = 0, own = l->transport->rank, number;
    struct waiting waiting = {.state = state, .asked = l->x->now.chosen_count};
    if (judged) {
        if (!vector_push(&l->waiting, waiting)) {
            out_of_memory(l);
            return;
        }
        head = (uint32_t)l->waiting.count;
    }
    uint32_t count = l->x->now.chosen_count; /* storing a state may widen what is at hand */
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *wire = l->opened + i * l->wire->state_bytes;
        uint32_t owner = owner_of(l, wire);
        if (owner != own)
            post(l, owner, head, wire, l->wire_bytes);
        else if (keep_state(l, wire, &number) && judged)
            take_answer(l, head - 1, number >= l->next_level);
    }
}

static void observe(struct levels *l)
{
    struct explorer *x = l->x;
    struct search *s = x->search;
    const struct expansion *e = &x->now;
    bool deadlock = is_deadlock(s->system, e->bytes, e->enabled_count);
    char why[120];
    x->counted.visited++;
    x->counted.transitions += e->chosen_count;
    x->counted.expanded_fully += e->chosen_count == e->enabled_count;
    x->counted.deadlocks += deadlock;
    for (size_t i = 0; i < s->options->property_count; i++) {
        const struct portolan_property *property = s->options->properties[i];
        if (s->decided[i] || l->found[i] != STORE_NONE)
            continue;
        if (property->kind == PORTOLAN_MAXIMUM) {
            struct portolan_answer *answer = &s->result->answers[i];
            int64_t value;
            if (expression_number(property->expression, s->system, e->bytes, &value) &&
                (!answer->has_maximum || value > answer->maximum)) {
                answer->maximum = value;
                answer->has_maximum = true;
            }
        }
        if (property_is_decided_by(property, s->system, e->bytes, deadlock))
            l->found[i] = e->state;
        else if (property->kind == PORTOLAN_REACH && l->valueless[i] == STORE_NONE &&
                 property_has_no_value(property, s->system, e->bytes, deadlock, why, sizeof why))
            l->valueless[i] = e->state;
    }
}

static void choose_all(struct expansion *e)
{
    e->chosen_count = e->enabled_count;
    for (uint32_t i = 0; i < e->enabled_count; i++)
        e->chosen[i] = i;
}

static void choose(struct levels *l)
{
    struct explorer *x = l->x;
    struct expansion *e = &x->now;
    struct choice choice = {.state = e->bytes, .enabled = e->enabled, .enabled_count = e->enabled_count};
    if (!x->fires_all) {
        e->chosen_count = search_of(l)->reduction_class->choose(x->reduction, &choice, 0, e->chosen);
        return;
    }
    choose_all(e);
}

static void expand_state(struct levels *l, uint32_t state)
{
    struct explorer *x = l->x;
    bool again;
    do {
        if (!load_state(x, state))
            return;
        choose(l);
        if (!fire_chosen(l, &again))
            return;
    } while (again);
    bool judged = x->now.chosen_count < x->now.enabled_count && search_of(l)->proviso_class->form != PROVISO_FREE;
    observe(l);
    dispatch(l, state, judged);
}

/* A state whose set was refused: by everything.  What was sent before is known to its owner already. */
static void expand_rest(struct levels *l, const struct waiting *waiting)
{
    struct explorer *x = l->x;
    struct expansion *e = &x->now;
    bool again;
    do {
        if (!load_state(x, waiting->state))
            return;
        choose_all(e);
        if (!fire_chosen(l, &again))
            return;
    } while (again);
    x->counted.transitions += e->chosen_count - waiting->asked;
    x->counted.expanded_fully++;
    dispatch(l, waiting->state, false);
}

static bool is_accepted(const struct levels *l, const struct waiting *waiting)
{
    return search_of(l)->proviso_class->form == PROVISO_LIVENESS ? waiting->later == waiting->asked : waiting->later;
}

/* This rank's own limits; the others hear of them at the end of the level. */
static void look_at_limits(struct levels *l)
{
    struct search *s = search_of(l);
    if (!s->ended && limits_reached())
        end_search(s, limits_stop());
    if (!s->ended && s->options->state_limit && s->store.count > s->options->state_limit)
        end_search(s, PORTOLAN_STATE_LIMIT);
}

static void explore_level(struct levels *l, uint32_t first, uint32_t end)
{
    l->waiting.count = 0;
    l->answers = false;
    for (uint32_t state = first; state < end && goes_on(l); state++) {
        expand_state(l, state);
        look_at_limits(l);
        if (state % STATES_PER_POLL == 0)
            while (receive_some(l))
                ;
    }
    end_round(l);
    if (search_of(l)->proviso_class->form == PROVISO_FREE || !search_of(l)->reduction_class->reduces)
        return;
    l->answers = true;
    for (size_t i = 0; i < answers_to_send.count; i++) {
        const struct answer *answer = &answers_to_send.item[i];
        post(l, answer->to, answer->who, &answer->later, 1);
    }
    answers_to_send.count = 0;
    end_round(l);
    l->answers = false;
    for (size_t i = 0; i < l->waiting.count && goes_on(l); i++) {
        if (!is_accepted(l, &l->waiting.item[i]))
            expand_rest(l, &l->waiting.item[i]);
        while (receive_some(l))
            ;
        look_at_limits(l);
    }
    end_round(l);
}

/* ------------------------------------------------------------------------- traces */

/* Looks in this rank's states of a level for a step to a state; false: there is none. */
static bool find_step_to(struct levels *l, size_t level, const unsigned char *target, uint32_t *action, uint32_t *from)
{
    struct explorer *x = l->x;
    uint32_t end = level + 1 < l->level.count ? l->level.item[level + 1] : x->search->store.count;
    for (*from = l->level.item[level]; *from < end; (*from)++) {
        bool again = true;
        while (again) {
            if (limits_reached() || !load_state(x, *from) || !make_room(l, 1))
                return false;
            again = false;
            for (uint32_t i = 0; i < x->now.enabled_count && !again; i++) {
                *action = x->now.enabled[i];
                enum portolan_fired fired = x->system->fire(x->system->model, x->now.bytes, *action, x->now.successor);
                if (fired == PORTOLAN_TOO_NARROW && x->system->widen)
                    again = widen_states(x);
                if (fired != PORTOLAN_FIRED)
                    continue;
                to_wire(l, x->now.successor, l->opened);
                if (memcmp(l->opened, target, l->wire_bytes) == 0)
                    return true;
            }
        }
    }
    return false;
}

/* The rank with the smallest number of those who have something; ranks when nobody has. */
static uint32_t first_who(struct levels *l, bool has)
{
    uint32_t ranks = l->transport->ranks;
    uint64_t most = has ? ranks - l->transport->rank : 0;
    l->transport->largest(l->transport, &most, 1);
    return ranks - (uint32_t)most;
}

/* All ranks together: the path to a state of the rank `who`, which knows its number, backwards. */
static bool find_path(struct levels *l, uint32_t who, uint32_t state, size_t level, struct portolan_answer *answer)
{
    unsigned char *target = calloc(1, l->wire->state_bytes + 1);
    struct action_path path = {0};
    bool fine = target;
    uint64_t all_fine = !fine;
    l->transport->largest(l->transport, &all_fine, 1);
    fine = all_fine == 0;
    if (fine && who == l->transport->rank && load_state(l->x, state))
        to_wire(l, l->x->now.bytes, target);
    if (fine)
        l->transport->share(l->transport, who, target, l->wire_bytes);
    while (fine && level-- > 0) {
        uint32_t action = 0, from = 0;
        bool has = find_step_to(l, level, target, &action, &from);
        who = first_who(l, has);
        if (who == l->transport->ranks) {
            fine = false;
            break;
        }
        if (who == l->transport->rank && load_state(l->x, from))
            to_wire(l, l->x->now.bytes, target);
        l->transport->share(l->transport, who, target, l->wire_bytes);
        l->transport->share(l->transport, who, &action, sizeof action);
        uint64_t pushed = vector_push(&path, action) ? 0 : 1;
        l->transport->largest(l->transport, &pushed, 1);
        fine = !pushed;
    }
    free(target);
    if (!fine) {
        free(path.item);
        return false;
    }
    for (size_t i = 0; i < path.count / 2; i++) {
        uint32_t swapped = path.item[i];
        path.item[i] = path.item[path.count - 1 - i];
        path.item[path.count - 1 - i] = swapped;
    }
    answer->trace = path.item;
    answer->trace_length = path.count;
    answer->has_trace = true;
    return true;
}

/* What the rank `who` has found in this level becomes an answer of all. */
static void settle(struct levels *l, size_t property, uint32_t who, uint32_t state, bool decides)
{
    struct search *s = search_of(l);
    struct portolan_answer *answer = &s->result->answers[property];
    if (decides) {
        free(answer->trace);
        *answer = (struct portolan_answer){0};
    }
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_A_PATH);
    bool has_path = find_path(l, who, state, l->level.count - 1, answer);
    enum portolan_stop stop = limits_stop();
    limits_end(&finishing);
    uint64_t reached = stop;
    l->transport->largest(l->transport, &reached, 1);
    if (!has_path) {
        snprintf(answer->note, sizeof answer->note,
                 "a state that decides it was found, but the limit came before the trace to it");
        if (!s->ended)
            end_search(s, reached ? (enum portolan_stop)reached : PORTOLAN_MEMORY_LIMIT);
        return;
    }
    answer->has_no_value = !decides;
    s->decided[property] = decides;
    s->undecided -= decides;
}

/* Of those who have found something, the rank with the smallest number tells; one agreement for a property. */
static void settle_all(struct levels *l)
{
    struct search *s = search_of(l);
    uint32_t ranks = l->transport->ranks, mine = ranks - l->transport->rank;
    for (size_t i = 0; i < s->options->property_count; i++) {
        if (s->decided[i])
            continue;
        uint64_t who[2] = {l->found[i] != STORE_NONE ? mine : 0, l->valueless[i] != STORE_NONE ? mine : 0};
        l->transport->largest(l->transport, who, 2);
        if (who[0])
            settle(l, i, ranks - (uint32_t)who[0], l->found[i], true);
        else if (who[1] && !s->result->answers[i].has_no_value)
            settle(l, i, ranks - (uint32_t)who[1], l->valueless[i], false);
        l->found[i] = l->valueless[i] = STORE_NONE;
    }
    if (s->options->property_count && s->undecided == 0 && !s->options->all && !s->ended)
        end_search(s, PORTOLAN_DECIDED);
}

/* ------------------------------------------------------------------------- the end of a level */

/* An error of one rank is one of all: the first that has one tells which. */
static void share_error(struct levels *l)
{
    struct explorer *x = l->x;
    uint32_t who = first_who(l, x->status != PORTOLAN_OK);
    struct portolan_error error = {0};
    if (who == l->transport->ranks)
        return;
    if (who == l->transport->rank && x->error)
        error = *x->error;
    l->transport->share(l->transport, who, &error, sizeof error);
    uint64_t status = who == l->transport->rank ? x->status : 0;
    l->transport->largest(l->transport, &status, 1);
    x->status = (enum portolan_status)status;
    if (x->error)
        *x->error = error;
}

static size_t bytes_of(const struct levels *l)
{
    const struct search *s = search_of(l);
    return store_bytes(&s->store) + s->reduction_class->bytes(l->x->reduction) + l->opened_room +
           (size_t)l->transport->ranks * BATCH + l->level.capacity * sizeof *l->level.item +
           l->waiting.capacity * sizeof *l->waiting.item;
}

enum { STATES, VISITED, TRANSITIONS, FULLY, DEADLOCKS, BYTES, FRESH, NUMBERS };

static void add_up(struct levels *l, uint32_t first, uint64_t *numbers)
{
    const struct portolan_statistics *counted = &l->x->counted;
    numbers[STATES] = search_of(l)->store.count;
    numbers[VISITED] = counted->visited;
    numbers[TRANSITIONS] = counted->transitions;
    numbers[FULLY] = counted->expanded_fully;
    numbers[DEADLOCKS] = counted->deadlocks;
    numbers[BYTES] = bytes_of(l);
    numbers[FRESH] = search_of(l)->store.count - first;
    l->transport->add_up(l->transport, numbers, NUMBERS);
}

static void tell_progress(struct levels *l, const uint64_t *numbers)
{
    struct search *s = search_of(l);
    const struct portolan_callbacks *callbacks = &s->options->callbacks;
    struct portolan_statistics sum = {.states = numbers[STATES],
                                      .visited = numbers[VISITED],
                                      .transitions = numbers[TRANSITIONS],
                                      .expanded_fully = numbers[FULLY],
                                      .deadlocks = numbers[DEADLOCKS],
                                      .bytes = numbers[BYTES],
                                      .depth = l->level.count,
                                      .seconds = seconds_since(&s->start)};
    if (callbacks->progress && sum.seconds >= s->next_progress) {
        callbacks->progress(callbacks->user, &sum);
        s->next_progress = sum.seconds + 0.25;
    }
}

/* Everybody learns why somebody must end, and whether anything is left.  True: there is another level. */
static bool begin_next_level(struct levels *l, uint32_t first)
{
    struct search *s = search_of(l);
    uint64_t worst[2] = {s->ended ? s->result->stop : PORTOLAN_COMPLETE, l->x->status != PORTOLAN_OK};
    uint64_t numbers[NUMBERS];
    l->transport->largest(l->transport, worst, 2);
    if (worst[1]) {
        share_error(l);
        return false;
    }
    uint64_t stop = worst[0];
    settle_all(l);
    add_up(l, first, numbers);
    l->known_bytes = numbers[BYTES];
    tell_progress(l, numbers);
    if (stop == PORTOLAN_COMPLETE && s->options->state_limit && numbers[STATES] > s->options->state_limit)
        stop = PORTOLAN_STATE_LIMIT;
    if (stop == PORTOLAN_COMPLETE && s->options->memory_limit && numbers[BYTES] > s->options->memory_limit)
        stop = PORTOLAN_MEMORY_LIMIT;
    if (stop != PORTOLAN_COMPLETE && !(s->ended && s->result->stop == PORTOLAN_DECIDED))
        end_search(s, (enum portolan_stop)stop);
    return numbers[FRESH] && !s->ended;
}

static bool make(struct levels *l)
{
    size_t properties = search_of(l)->options->property_count;
    l->found = calloc(properties + 1, sizeof *l->found);
    l->valueless = calloc(properties + 1, sizeof *l->valueless);
    l->batch = calloc(l->transport->ranks, sizeof *l->batch);
    l->scratch = calloc(1, l->wire->state_bytes + 1);
    bool fine = l->found && l->valueless && l->batch && l->scratch && HEAD + l->wire_bytes < BATCH;
    for (uint32_t i = 0; fine && i < l->transport->ranks; i++)
        fine = (l->batch[i].bytes = malloc(BATCH));
    for (size_t i = 0; fine && i < properties; i++)
        l->found[i] = l->valueless[i] = STORE_NONE;
    return fine;
}

static void clear(struct levels *l)
{
    for (uint32_t i = 0; l->batch && i < l->transport->ranks; i++)
        free(l->batch[i].bytes);
    free(l->batch);
    free(l->found);
    free(l->valueless);
    free(l->scratch);
    free(l->opened);
    free(l->level.item);
    free(l->waiting.item);
    free(answers_to_send.item);
    memset(&answers_to_send, 0, sizeof answers_to_send);
}

static void store_initial(struct levels *l)
{
    uint32_t number;
    l->wire->initial(l->wire->model, l->scratch);
    unsigned char *wire = l->opened;
    memcpy(wire, l->scratch, l->wire_bytes);
    if (owner_of(l, wire) == l->transport->rank)
        keep_state(l, wire, &number);
}

static struct {
    struct transport *transport;
    uint64_t states, bytes; /* of all ranks, at the end */
} present;                  /* a task has no room for it */

static void run(struct explorer *x)
{
    struct levels l = {.x = x, .transport = present.transport};
    l.wire = x->system->opened ? x->system->opened : x->system;
    l.wire_bytes = l.wire->key_bytes;
    uint64_t failed = !make(&l) || !make_room(&l, 1);
    l.transport->largest(l.transport, &failed, 1);
    if (failed)
        x->status = fail_memory(x->error);
    else
        store_initial(&l);
    for (uint32_t first = 0, end; !failed;) {
        end = x->search->store.count;
        if (!vector_push(&l.level, first))
            out_of_memory(&l);
        l.next_level = end;
        explore_level(&l, first, end);
        if (!begin_next_level(&l, end))
            break;
        first = end;
    }
    uint64_t numbers[NUMBERS];
    add_up(&l, 0, numbers);
    x->counted.visited = numbers[VISITED];
    x->counted.transitions = numbers[TRANSITIONS];
    x->counted.expanded_fully = numbers[FULLY];
    x->counted.deadlocks = numbers[DEADLOCKS];
    x->counted.depth = l.level.count;
    present.states = numbers[STATES];
    present.bytes = numbers[BYTES];
    clear(&l);
}

/* What each rank has for itself: the largest value, which actions fired. */
static enum portolan_status agree(struct explorer *x)
{
    struct transport *transport = present.transport;
    struct search *s = x->search;
    for (size_t i = 0; i < s->options->property_count; i++) {
        struct portolan_answer *answer = &s->result->answers[i];
        uint64_t numbers[2] = {answer->has_maximum, answer->has_maximum ? (uint64_t)answer->maximum ^ INT64_MIN : 0};
        transport->largest(transport, numbers, 2);
        answer->has_maximum = numbers[0];
        answer->maximum = answer->has_maximum ? (int64_t)(numbers[1] ^ (uint64_t)INT64_MIN) : 0;
    }
    enum { TOGETHER = 64 };
    for (uint32_t first = 0; s->result->fired && first < s->system->actions; first += TOGETHER) {
        uint64_t fired[TOGETHER] = {0};
        uint32_t count = s->system->actions - first < TOGETHER ? s->system->actions - first : TOGETHER;
        for (uint32_t i = 0; i < count; i++)
            fired[i] = s->result->fired[first + i];
        transport->largest(transport, fired, count);
        for (uint32_t i = 0; i < count; i++)
            s->result->fired[first + i] = fired[i];
    }
    return PORTOLAN_OK;
}

static enum portolan_status conclude(struct explorer *x)
{
    struct search *s = x->search;
    enum portolan_status status = agree(x);
    s->result->statistics.states = present.states;
    s->result->statistics.bytes = present.bytes;
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_REPLAYING);
    for (size_t i = 0; status == PORTOLAN_OK && i < s->options->property_count; i++) {
        const struct portolan_property *property = s->options->properties[i];
        struct portolan_answer *answer = &s->result->answers[i];
        struct portolan_error wrong;
        answer->verdict = verdict_of(property->kind, s->decided[i], s->result->stop);
        answer->cycle_start = PORTOLAN_NO_CYCLE;
        if (!answer->has_trace)
            continue;
        enum portolan_status replayed = replay_answer(s->system, property, answer, &wrong);
        if (replayed == PORTOLAN_STOPPED)
            answer_withdraw(answer, &s->result->stop);
        else if (replayed != PORTOLAN_OK)
            status = fail(x->error, replayed, "internal error: the trace of '%s' does not replay: %s",
                          portolan_property_text(property), wrong.message);
    }
    limits_end(&finishing);
    return status;
}

static const struct search_task of_ranks = {.run = run, .conclude = conclude, .is_repeatable = true};

/* ------------------------------------------------------------------------- the entrance */

static enum portolan_status check_request(const struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_error *error)
{
    const struct portolan_callbacks *callbacks = &options->callbacks;
    const char *words, *why = NULL;
    for (size_t i = 0; i < options->property_count && !why; i++)
        if (property_is_temporal(options->properties[i]))
            why = "properties of runs: looking for cycles needs one stack";
    if (wants_executions(options))
        why = "stateless searches, which share no states: use --shards";
    else if (!has_fixed_actions(system) || system->bytes)
        why = "this model: its states number things in the order in which a rank meets them";
    else if (options->search && strcmp(options->search, "auto") != 0 && strcmp(options->search, "bfs") != 0)
        why = "any search but bfs";
    else if (options->chains)
        why = "--chains";
    else if (options->check_relations)
        why = "--check-relations";
    else if (options->threads > 1)
        why = "--threads: start more ranks instead";
    else if (options->store && strcmp(options->store, "auto") != 0 && strcmp(options->store, "plain") != 0)
        why = "--store: each rank keeps its states as they are";
    else if (callbacks->edge || callbacks->expanded || callbacks->deadlock)
        why = "output that needs every state: graphs, certificates, coverage of messages";
    else if (options->checkpoint || options->resume)
        why = "--checkpoint";
    else if (options->reduction) {
        const struct reduction_class *reduction = reduction_find(options->reduction, &words);
        if (reduction && reduction->has_search)
            why = "probe sets, whose vectors are not states";
        else if (strstr(options->reduction, "goal"))
            why = "goal-directed sets";
    }
    return why ? fail(error, PORTOLAN_REFUSED, "--distributed cannot be combined with %s", why) : PORTOLAN_OK;
}

/* By itself it takes stubborn sets, where they are sound and there are any. */
static enum portolan_status perform(struct portolan_system *system, struct portolan_options *options,
                                    struct portolan_result *result, struct portolan_error *error)
{
    bool is_auto = !options->reduction || strcmp(options->reduction, "auto") == 0;
    if (is_auto)
        options->reduction = system->relations && options->property_count ? "stubborn" : "none";
    enum portolan_status status = search_perform(system, options, &of_ranks, result, error);
    if (!is_auto || status != PORTOLAN_REFUSED)
        return status;
    options->reduction = "none"; /* nothing has been sent yet: a combination is refused before it begins */
    return search_perform(system, options, &of_ranks, result, error);
}

enum portolan_status search_distributed(struct portolan_system *system, const struct portolan_options *options,
                                        struct transport *transport, struct portolan_result *result,
                                        struct portolan_error *error)
{
    struct portolan_options own = *options;
    memset(result, 0, sizeof *result);
    own.search = "bfs";
    own.walk = 0;
    own.engine = PORTOLAN_INTERPRETED;
    own.store = "plain";
    enum portolan_status status = check_system(system, error);
    if (status == PORTOLAN_OK)
        status = check_search_options(system, &own, error);
    if (status == PORTOLAN_OK)
        status = check_lists(system, error);
    if (status == PORTOLAN_OK)
        status = check_request(system, options, error);
    if (status != PORTOLAN_OK)
        return status;
    struct portolan_limits limits;
    limits_begin(&limits, options->time_limit, 0, options->interrupt);
    struct portolan_system *compact = compact_begin(system);
    present.transport = transport;
    if (!compact)
        status = fail_memory(error);
    else if (compact->opened && !compact->close_state)
        status = fail(error, PORTOLAN_REFUSED,
                      "--distributed cannot be used with this model: its states have no common form");
    else
        status = perform(compact, &own, result, error);
    if (compact)
        compact_end(compact, system);
    limits_end(&limits);
    return status;
}
