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
#include "distributed/ranks.h"
#include "property/property.h"
#include "property/verdict.h"
#include "search/combination.h"
#include "system/arguments.h"
#include "system/compact.h"
#include "system/deadlock.h"
#include "system/replay.h"
#include "system/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ROUND_SECONDS = 0.5;

static bool goes_on(const struct levels *l)
{
    return l->x->status == PORTOLAN_OK && !search_of(l)->ended;
}

/* ------------------------------------------------------------------------- expanding */

static void note_fired(struct levels *l, uint32_t action)
{
    struct explorer *x = l->x;
    if (!x->not_fired || search_of(l)->result->fired[action])
        return;
    search_of(l)->result->fired[action] = true;
    x->not_fired--;
}

static unsigned char *successor_of(const struct levels *l, uint32_t i)
{
    return l->x->now.successor + (size_t)i * l->x->system->state_bytes;
}

/* Fires what is chosen, one successor behind the other; false when the search must end. */
static bool fire_chosen(struct levels *l, bool *again)
{
    struct explorer *x = l->x;
    const struct expansion *e = &x->now;
    *again = false;
    for (uint32_t i = 0; i < e->chosen_count; i++) {
        uint32_t action = e->enabled[e->chosen[i]];
        note_fired(l, action);
        if (e->all_fired)
            continue;
        enum portolan_fired fired = x->system->fire(x->system->model, e->bytes, action, successor_of(l, i));
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
    }
    return true;
}

/* Every successor to its owner; `judged` says that the set must be accepted. */
static void dispatch(struct levels *l, uint32_t state, bool judged)
{
    struct expansion *e = &l->x->now;
    uint32_t head = 0, kept = 0, number;
    struct waiting waiting = {.state = state, .asked = e->chosen_count};
    if (judged) {
        if (!vector_push(&l->waiting, waiting)) {
            out_of_memory(l);
            return;
        }
        head = (uint32_t)l->waiting.count;
    }
    for (uint32_t i = 0; i < e->chosen_count; i++) {
        const unsigned char *successor = successor_of(l, i);
        to_wire(l, successor, l->scratch);
        uint32_t owner = owner_of(l, l->scratch);
        if (owner != l->transport->rank) {
            post_state(l, owner, head, successor);
            continue;
        }
        e->hash[kept] = store_hash(successor, l->x->system->key_bytes);
        store_prefetch(&search_of(l)->store, e->hash[kept]);
        e->target[kept++] = i;
    }
    for (uint32_t i = 0; i < kept; i++)
        (void)store_guess(&search_of(l)->store, e->hash[i]);
    for (uint32_t i = 0; i < kept; i++)
        if (keep_packed(l, successor_of(l, e->target[i]), e->hash[i], &number) && judged)
            take_answer(l, head - 1, number >= l->next_level);
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

/* False when the search must end before. */
static bool expand_state(struct levels *l, uint32_t state)
{
    struct explorer *x = l->x;
    bool again;
    do {
        if (!load_state(x, state))
            return false;
        choose(l);
        if (!fire_chosen(l, &again))
            return false;
    } while (again);
    bool judged = x->now.chosen_count < x->now.enabled_count && search_of(l)->proviso_class->form != PROVISO_FREE;
    observe(l);
    dispatch(l, state, judged);
    return true;
}

/* A state whose set was refused: by everything.  What was sent before is known to its owner already. */
static bool expand_rest(struct levels *l, const struct waiting *waiting)
{
    struct explorer *x = l->x;
    struct expansion *e = &x->now;
    bool again;
    do {
        if (!load_state(x, waiting->state))
            return false;
        choose_all(e);
        if (!fire_chosen(l, &again))
            return false;
    } while (again);
    x->counted.transitions += e->chosen_count - waiting->asked;
    x->counted.expanded_fully++;
    dispatch(l, waiting->state, false);
    return true;
}

static bool is_accepted(const struct levels *l, const struct waiting *waiting)
{
    return search_of(l)->proviso_class->form == PROVISO_LIVENESS ? waiting->later == waiting->asked : waiting->later;
}

/* This rank's own limits; the others hear of them at the end of the round. */
static void look_at_limits(struct levels *l)
{
    struct search *s = search_of(l);
    if (!s->ended && (limits_reached() || limits_due() != PORTOLAN_COMPLETE))
        end_search(s, limits_reached() ? limits_stop() : limits_due());
    if (!s->ended && s->options->state_limit && s->store.count > s->options->state_limit)
        end_search(s, PORTOLAN_STATE_LIMIT);
}

/* States of this level, for a while: sums, limits and checkpoints are due more often than levels end. */
static void explore_some(struct levels *l)
{
    double end = seconds_since(&search_of(l)->start) + ROUND_SECONDS;
    bool is_time = false;
    while (l->present < l->next_level && goes_on(l) && !is_time) {
        if (!expand_state(l, l->present))
            break;
        l->present++;
        look_at_limits(l);
        if (l->present % STATES_PER_POLL)
            continue;
        receive_some(l);
        is_time = seconds_since(&search_of(l)->start) > end;
    }
    end_round(l);
}

/* A limit waits until this is done: what was begun must be whole when it is saved. */
static void expand_refused(struct levels *l)
{
    for (size_t i = 0; i < l->waiting.count && l->x->status == PORTOLAN_OK && !l->dropped; i++) {
        if (!is_accepted(l, &l->waiting.item[i]) && !expand_rest(l, &l->waiting.item[i]))
            l->dropped = true;
        receive_some(l);
        look_at_limits(l);
    }
    end_round(l);
}

static void explore_round(struct levels *l)
{
    l->waiting.count = 0;
    explore_some(l);
    if (!l->asks)
        return;
    send_answers(l);
    expand_refused(l);
}

/* ------------------------------------------------------------------------- the end of a round */

uint32_t first_who(struct levels *l, bool has)
{
    uint32_t ranks = l->transport->ranks;
    uint64_t most = has ? ranks - l->transport->rank : 0;
    l->transport->largest(l->transport, &most, 1);
    return ranks - (uint32_t)most;
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
                 "a state that decides it was found, but a limit was reached before its trace could be built");
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
    if (s->options->property_count && s->undecided == 0 && !s->options->all)
        end_search(s, PORTOLAN_DECIDED); /* also where a limit was reached: everybody must say the same */
}

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
    return store_bytes(&s->store) + s->reduction_class->bytes(l->x->reduction) + mail_bytes(l) +
           l->level.capacity * sizeof *l->level.item + l->waiting.capacity * sizeof *l->waiting.item;
}

enum { STATES, VISITED, TRANSITIONS, FULLY, DEADLOCKS, BYTES, LEFT, FRESH, NUMBERS };

static void add_up(struct levels *l, uint64_t *numbers)
{
    const struct portolan_statistics *counted = &l->x->counted;
    numbers[STATES] = search_of(l)->store.count;
    numbers[VISITED] = counted->visited;
    numbers[TRANSITIONS] = counted->transitions;
    numbers[FULLY] = counted->expanded_fully;
    numbers[DEADLOCKS] = counted->deadlocks;
    numbers[BYTES] = bytes_of(l);
    numbers[LEFT] = l->next_level - l->present;
    numbers[FRESH] = search_of(l)->store.count - l->next_level;
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

static void enter_level(struct levels *l)
{
    l->present = l->next_level;
    l->next_level = search_of(l)->store.count;
    if (!vector_push(&l->level, l->present))
        out_of_memory(l);
}

/* Everybody learns why somebody must end, and whether anything is left.  True: there is another round. */
static bool round_ends(struct levels *l)
{
    struct search *s = search_of(l);
    uint64_t worst[3] = {s->ended ? s->result->stop : PORTOLAN_COMPLETE, l->x->status != PORTOLAN_OK, l->dropped};
    uint64_t numbers[NUMBERS];
    l->transport->largest(l->transport, worst, 3);
    if (worst[1]) {
        share_error(l);
        return false;
    }
    uint64_t stop = worst[0];
    settle_all(l);
    add_up(l, numbers);
    tell_progress(l, numbers);
    if (stop == PORTOLAN_COMPLETE && s->options->state_limit && numbers[STATES] > s->options->state_limit)
        stop = PORTOLAN_STATE_LIMIT;
    if (stop == PORTOLAN_COMPLETE && s->options->memory_limit && numbers[BYTES] > s->options->memory_limit)
        stop = PORTOLAN_MEMORY_LIMIT;
    if (stop != PORTOLAN_COMPLETE && !(s->ended && s->result->stop == PORTOLAN_DECIDED))
        end_search(s, (enum portolan_stop)stop);
    bool is_over = s->ended && s->result->stop == PORTOLAN_DECIDED;
    bool is_left = numbers[LEFT] || numbers[FRESH];
    if (is_left && !is_over && !worst[2])
        levels_save(l, s->ended);
    bool is_another = is_left && !s->ended; /* for all ranks, whatever happens to this one now */
    if (is_another && !numbers[LEFT])
        enter_level(l);
    return is_another;
}

/* The first states, which every rank explores for itself, in the same order, and forgets: they make the layouts of all
 * as wide as most of the search needs, and the same, so that what is sent need not be converted. */
static bool warm_up(struct levels *l)
{
    enum { FIRST = 10000 };
    struct explorer *x = l->x;
    struct store *store = &x->search->store;
    uint32_t number;
    bool fine = true, again;
    if (!x->system->opened || l->transport->ranks == 1)
        return true;
    l->wire->initial(l->wire->model, l->scratch);
    fine = keep_opened(l, l->scratch, &number);
    for (uint32_t state = 0; fine && state < store->count && state < FIRST; state++) {
        do {
            fine = load_state(x, state);
            if (fine)
                choose_all(&x->now);
            fine = fine && fire_chosen(l, &again);
        } while (fine && again);
        for (uint32_t i = 0; fine && i < x->now.chosen_count; i++)
            fine = keep_packed(l, successor_of(l, i), store_hash(successor_of(l, i), x->system->key_bytes), &number);
    }
    if (x->status == PORTOLAN_OVERFLOW) { /* the search will tell, if it gets there */
        x->status = PORTOLAN_OK;
        fine = true;
    }
    store_clear(store);
    return store_make(store, x->system->key_bytes) && fine;
}

static bool make(struct levels *l)
{
    size_t properties = search_of(l)->options->property_count;
    l->wire = l->x->system->opened ? l->x->system->opened : l->x->system;
    l->wire_bytes = l->wire->key_bytes;
    l->asks = search_of(l)->proviso_class->form != PROVISO_FREE && search_of(l)->reduction_class->reduces;
    l->found = calloc(properties + 1, sizeof *l->found);
    l->valueless = calloc(properties + 1, sizeof *l->valueless);
    l->scratch = calloc(1, l->wire->state_bytes + 1);
    bool fine = l->scratch && warm_up(l) && mail_make(l) && l->found && l->valueless;
    for (size_t i = 0; fine && i < properties; i++)
        l->found[i] = l->valueless[i] = STORE_NONE;
    return fine;
}

static void clear(struct levels *l)
{
    mail_clear(l);
    free(l->found);
    free(l->valueless);
    free(l->scratch);
    free(l->level.item);
    free(l->waiting.item);
}

static void store_initial(struct levels *l)
{
    uint32_t number;
    l->wire->initial(l->wire->model, l->scratch);
    if (owner_of(l, l->scratch) == l->transport->rank)
        keep_opened(l, l->scratch, &number);
}

static struct {
    struct transport *transport;
    const struct portolan_options *options; /* as they were given */
    uint64_t states, bytes;                 /* of all ranks, at the end */
} present;                                  /* a task has no room for it */

/* The first states: the initial one, or those of a file. */
static void begin(struct levels *l)
{
    const struct portolan_options *options = present.options;
    l->saving = (struct saving){.file = options->checkpoint,
                                .from = options->resume,
                                .words = options->checkpoint_words,
                                .every = options->checkpoint_every};
    if (options->resume) {
        levels_resume(l);
        return;
    }
    store_initial(l);
    enter_level(l);
}

static void run(struct explorer *x)
{
    struct levels l = {.x = x, .transport = present.transport};
    bool is_made = make(&l);
    if (!transport_meet(l.transport, is_made)) {
        x->status = is_made ? fail(x->error, PORTOLAN_IO, "another rank could not begin") : fail_memory(x->error);
        clear(&l);
        return;
    }
    begin(&l);
    do
        explore_round(&l);
    while (round_ends(&l));
    uint64_t numbers[NUMBERS];
    add_up(&l, numbers);
    x->counted.visited = numbers[VISITED];
    x->counted.transitions = numbers[TRANSITIONS];
    x->counted.expanded_fully = numbers[FULLY];
    x->counted.deadlocks = numbers[DEADLOCKS];
    x->counted.depth = l.level.count;
    x->counted.checkpoints = l.saving.written;
    present.states = numbers[STATES];
    present.bytes = numbers[BYTES];
    levels_saving_ends(&l);
    clear(&l);
}

void levels_agree(struct transport *transport, struct search *s)
{
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
}

static enum portolan_status conclude(struct explorer *x)
{
    struct search *s = x->search;
    enum portolan_status status = PORTOLAN_OK;
    levels_agree(present.transport, s);
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

static enum portolan_status search_together(struct portolan_system *system, const struct portolan_options *options,
                                            struct transport *transport, struct portolan_result *result,
                                            struct portolan_error *error)
{
    struct portolan_options own = *options;
    memset(result, 0, sizeof *result);
    own.search = "bfs";
    own.walk = 0;
    own.engine = PORTOLAN_INTERPRETED;
    own.store = "plain";
    own.checkpoint = own.resume = NULL; /* a file of ranks is another one */
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
    if (options->checkpoint)
        limits_be_patient(&limits);
    struct portolan_system *compact = compact_begin(system);
    present.transport = transport;
    present.options = options;
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

enum portolan_status search_distributed(struct portolan_system *system, const struct portolan_options *options,
                                        struct transport *transport, struct portolan_result *result,
                                        struct portolan_error *error)
{
    enum portolan_status status = search_together(system, options, transport, result, error);
    if (!transport->has_met)
        transport_meet(transport, false);
    return status;
}
