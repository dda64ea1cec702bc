/* SPDX-License-Identifier: Apache-2.0 */
/* Expanding a state: choose, fire, insert. */
#include "search/saved.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "property/property.h"
#include "search/crew.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ATTEMPTS = 8, /* reduced sets offered to a proviso before the state is expanded fully */
    FEW = 16           /* actions, after which limits are looked at */
};

static void load_bytes(struct explorer *x, uint32_t state, unsigned char *bytes)
{
    struct search *s = x->search;
    size_t key = x->system->key_bytes;
    if (s->frontier)
        memcpy(bytes, x->taken, key);
    else
        store_copy(&s->store, state, bytes);
    memset(bytes + key, 0, x->system->state_bytes - key);
    if (x->system->restore)
        x->system->restore(x->system->model, bytes);
}

static inline unsigned char *successor(struct explorer *x, uint32_t index)
{
    return x->now.successor + (size_t)index * x->system->state_bytes;
}

/* The enabled actions and their successors at once; false: they are to be listed and fired. */
static inline bool list_successors(const struct explorer *x, struct expansion *e)
{
    const struct portolan_system *system = x->system;
    if (!system->successors || !x->fires_all || !room_for_successors(x, e, system->most_enabled))
        return false;
    e->enabled_count = system->successors(system->model, e->bytes, e->enabled, e->successor);
    e->all_fired = e->enabled_count != PORTOLAN_NO_SUCCESSORS;
    if (!e->all_fired)
        return false;
    const unsigned char *reached = e->successor;
    size_t bytes = system->state_bytes, key = system->key_bytes;
    for (uint32_t i = 0; i < e->enabled_count; i++, reached += bytes) {
        e->hash[i] = store_hash(reached, key);
        e->fired[i] = e->stamp;
        store_prefetch(&x->search->store, e->hash[i]);
    }
    return true;
}

static inline bool load(struct explorer *x, struct expansion *e, uint32_t state)
{
    e->state = state;
    e->all_fired = false;
    load_bytes(x, state, e->bytes);
    if (++e->stamp == 0) {
        memset(e->fired, 0, e->capacity * sizeof *e->fired);
        e->stamp = 1;
    }
    return list_successors(x, e) ||
           (enabled_list(x->system, e->bytes, &e->enabled, &e->enabled_capacity, &e->enabled_count) &&
            room_for_successors(x, e, e->enabled_count));
}

bool load_state(struct explorer *x, uint32_t state)
{
    if ((x->layout == x->search->layout || follow_layout(x)) && load(x, &x->now, state))
        return true;
    end_short_of_memory(x->search);
    return false;
}

/* --- a wider layout */

struct conversion {
    const struct portolan_system *system;
    size_t old_key_bytes;
    unsigned char *old_state, *new_state;
};

static void convert_key(void *user, const unsigned char *old_key, unsigned char *new_key)
{
    struct conversion *c = user;
    memcpy(c->old_state, old_key, c->old_key_bytes);
    c->system->convert(c->system->model, c->old_state, c->new_state);
    memcpy(new_key, c->new_state, c->system->key_bytes);
}

static bool widen_alone(struct explorer *x)
{
    struct search *s = x->search;
    size_t old_state_bytes = x->system->state_bytes;
    struct conversion c = {.system = x->system, .old_key_bytes = x->system->key_bytes};
    enum portolan_status status = x->system->widen(x->system);
    if (status == PORTOLAN_OK) {
        c.old_state = calloc(1, old_state_bytes);
        c.new_state = calloc(1, x->system->state_bytes);
        if (!c.old_state || !c.new_state || !resize_states(x) ||
            !store_rewrite(&s->store, x->system->key_bytes, convert_key, &c))
            status = PORTOLAN_NO_MEMORY;
        free(c.old_state);
        free(c.new_state);
    }
    if (status == PORTOLAN_NO_MEMORY)
        end_short_of_memory(s);
    else if (status != PORTOLAN_OK)
        x->status = fail(x->error, status, "%s while widening states", portolan_status_text(status));
    x->layout = ++s->layout;
    return status == PORTOLAN_OK;
}

/* Widens the layout and rewrites the store; what was loaded or fired must be loaded or fired again. */
bool widen_states(struct explorer *x)
{
    struct crew *crew = x->search->crew;
    if (!crew)
        return widen_alone(x);
    if (!crew_stop_others(crew))
        return !x->search->ended; /* another has perhaps widened what was too narrow here */
    bool fine = widen_alone(x);
    if (x->status != PORTOLAN_OK)
        end_search(x->search, PORTOLAN_INTERRUPTED); /* an error of one ends all */
    crew_let_go(crew);
    return fine;
}

static void report_overflow(struct explorer *x, uint32_t action)
{
    const struct portolan_system *system = x->system;
    const char *name = system->action_name ? system->action_name(system->model, action) : "an action";
    if (system->too_large)
        x->status = fail(x->error, PORTOLAN_OVERFLOW, "'%s' cannot be done: %s", name, system->too_large);
    else
        x->status = fail(x->error, PORTOLAN_OVERFLOW,
                         "firing '%s' would exceed the largest count that can be held (%d)", name, INT32_MAX);
}

static uint32_t find_state(const struct search *s, const void *key, uint64_t hash)
{
    return s->crew ? store_find_shared(&s->store, key, hash) : store_find(&s->store, key, hash);
}

/* Of a successor.  What a store has forgotten may have been expanded. */
static enum standing standing_of(struct explorer *x, uint32_t state)
{
    if (state == STORE_NONE)
        return STANDING_NEW;
    return state == STORE_SEEN ? STANDING_CLOSED : x->strategy->standing(x, state);
}

/* --- firing */

enum outcome { DONE, AGAIN /* the layout changed */, OVER };

static inline enum portolan_fired fire_of(const struct explorer *x, struct expansion *e, uint32_t index)
{
    const struct portolan_system *system = x->system;
    unsigned char *reached = e->successor + (size_t)index * system->state_bytes;
    if (e->fired[index] == e->stamp)
        return PORTOLAN_FIRED;
    enum portolan_fired fired = system->fire(system->model, e->bytes, e->enabled[index], reached);
    if (fired == PORTOLAN_FIRED) {
        e->fired[index] = e->stamp;
        e->hash[index] = store_hash(reached, system->key_bytes);
    }
    return fired;
}

static inline enum portolan_fired try_to_fire(struct explorer *x, uint32_t index)
{
    return fire_of(x, &x->now, index);
}

static enum outcome does_not_fit(struct explorer *x, enum portolan_fired fired, uint32_t action)
{
    if (fired == PORTOLAN_TOO_NARROW && !x->puts_off)
        return widen_states(x) ? AGAIN : OVER;
    x->was_put_off = fired == PORTOLAN_TOO_NARROW;
    if (!x->was_put_off)
        report_overflow(x, action);
    return OVER;
}

static inline enum outcome fire(struct explorer *x, uint32_t index)
{
    enum portolan_fired fired = try_to_fire(x, index);
    return fired == PORTOLAN_FIRED ? DONE : does_not_fit(x, fired, x->now.enabled[index]);
}

/* Fires without widening; false when the successor does not fit the layout. */
static bool fire_if_it_fits(struct explorer *x, uint32_t index)
{
    return try_to_fire(x, index) == PORTOLAN_FIRED;
}

/* For the reduction: is the successor by this action stored already, and one that the proviso lets us reach?  One that
 * does not fit the layout is not stored. */
static enum successor successor_standing(void *user, uint32_t index)
{
    struct explorer *x = user;
    struct search *s = x->search;
    if (!fire_if_it_fits(x, index))
        return SUCCESSOR_NEW;
    uint32_t state = find_state(s, successor(x, index), x->now.hash[index]);
    if (state == STORE_NONE)
        return SUCCESSOR_NEW;
    if (s->proviso_class->form == PROVISO_FREE)
        return SUCCESSOR_SEEN;
    struct seen_successor seen = {.state = state, .standing = standing_of(x, state)};
    bool accepted = s->proviso_class->accept(x->strategy->proviso, x->now.state, &seen, 1);
    return accepted ? SUCCESSOR_SEEN : SUCCESSOR_REFUSED;
}

/* All successors will be asked for: bring their slots and records nearer. */
static void look_ahead(void *user)
{
    struct explorer *x = user;
    struct search *s = x->search;
    struct expansion *e = &x->now;
    for (uint32_t i = 0; i < e->enabled_count; i++)
        if (fire_if_it_fits(x, i))
            store_prefetch(&s->store, e->hash[i]);
    for (uint32_t i = 0; i < e->enabled_count; i++)
        if (e->fired[i] == e->stamp)
            (void)store_guess(&s->store, e->hash[i]);
}

static void note_fired(struct explorer *x, uint32_t action)
{
    bool *fired = &x->search->result->fired[action];
    x->not_fired -= !__atomic_load_n(fired, __ATOMIC_RELAXED);
    __atomic_store_n(fired, true, __ATOMIC_RELAXED);
}

/* --- chains: states with a single explored action are passed through, not stored */

/* Moves a successor along its chain to the state that is to be stored.  A chain that runs into a cycle is cut where
 * it meets the anchor, which is set anew after 1, 2, 4, ... steps (Brent). */
static enum outcome follow_chain(struct explorer *x, uint32_t index)
{
    struct search *s = x->search;
    struct expansion *e = &x->now;
    unsigned char *state = successor(x, index);
    size_t key = x->system->key_bytes, bytes = x->system->state_bytes;
    memcpy(x->chain_anchor, state, bytes);
    for (uint64_t steps = 1, next_anchor = 2;; steps++) {
        if (find_state(s, state, e->hash[index]) != STORE_NONE)
            return DONE;
        uint32_t action = chain_action(x, state);
        if (action == UINT32_MAX)
            return DONE;
        enum portolan_fired fired = x->system->fire(x->system->model, state, action, x->chain_next);
        if (fired != PORTOLAN_FIRED)
            return does_not_fit(x, fired, action);
        note_fired(x, action);
        memcpy(state, x->chain_next, bytes);
        e->hash[index] = store_hash(state, key);
        x->counted.visited++;
        x->counted.transitions++;
        if (memcmp(state, x->chain_anchor, key) == 0)
            return DONE;
        if (steps == next_anchor) {
            memcpy(x->chain_anchor, state, bytes);
            next_anchor *= 2;
        }
        observe_limits(x);
        if (s->ended)
            return OVER;
    }
}

/* --- firing what is to be inserted */

static enum outcome fire_some(struct explorer *x, uint32_t first, uint32_t end)
{
    struct search *s = x->search;
    const struct expansion *e = &x->now;
    bool chains = s->options->chains;
    for (uint32_t i = first; i < end; i++) {
        uint32_t index = e->chosen[i];
        enum outcome outcome = fire(x, index);
        if (outcome == DONE && chains)
            outcome = follow_chain(x, index);
        if (outcome != DONE)
            return outcome;
        store_prefetch(&s->store, e->hash[index]);
    }
    return DONE;
}

/* The same where everything is explored: nothing is chosen, and nothing has been fired before.  Stops at an action that
 * cannot be fired (*failed). */
static inline enum portolan_fired fire_in_order(const struct explorer *x, const struct expansion *e, uint32_t first,
                                                uint32_t end, uint32_t *failed)
{
    const struct portolan_system *system = x->system;
    size_t bytes = system->state_bytes, key = system->key_bytes;
    unsigned char *reached = e->successor + first * bytes;
    const uint32_t *enabled = e->enabled;
    uint64_t *hash = e->hash;
    for (uint32_t i = first; i < end; i++, reached += bytes) {
        enum portolan_fired fired = system->fire(system->model, e->bytes, enabled[i], reached);
        if (fired != PORTOLAN_FIRED) {
            *failed = enabled[i];
            return fired;
        }
        hash[i] = store_hash(reached, key);
        store_prefetch(&x->search->store, hash[i]);
    }
    return PORTOLAN_FIRED;
}

static enum outcome fire_all(struct explorer *x, uint32_t first, uint32_t end)
{
    uint32_t failed = 0;
    enum portolan_fired fired = fire_in_order(x, &x->now, first, end, &failed);
    return fired == PORTOLAN_FIRED ? DONE : does_not_fit(x, fired, failed);
}

static inline struct expansion *ahead_at(struct ahead *ahead, uint32_t place)
{
    place += ahead->first;
    return &ahead->states[place < ahead->most_fired ? place : place - ahead->most_fired];
}

static bool fire_state_ahead(struct explorer *x, struct expansion *e, uint32_t state)
{
    uint32_t failed;
    bool fine = room_ahead(x, e) && load(x, e, state);
    for (uint32_t first = 0; fine && !e->all_fired && first < e->enabled_count; first += FEW)
        fine = search_goes_on(x) &&
               fire_in_order(x, e, first, e->enabled_count - first > FEW ? first + FEW : e->enabled_count, &failed) ==
                   PORTOLAN_FIRED;
    e->all_fired = fine;
    return fine;
}

/* Fires what is enabled in the states that come next, before the successors of the present one are looked up: what is
 * wanted of the store is under way meanwhile.  What cannot be fired is left to when it is that state's turn. */
static void fire_ahead(struct explorer *x)
{
    struct ahead *ahead = &x->ahead;
    while (ahead->fired < ahead->most_fired && x->next + ahead->fired < x->next_end &&
           fire_state_ahead(x, ahead_at(ahead, ahead->fired), x->next + ahead->fired))
        ahead->fired++;
}

/* The same for a reduction: fires the sets that are known without asking where successors stand, which may depend on
 * those of the present state.  Choosing stops at the first state whose set is not. */
static bool choose_state_ahead(struct explorer *x, struct expansion *e, uint32_t state)
{
    if (x->unready == state)
        return false;
    x->unready = STORE_NONE;
    if (!room_ahead(x, e) || !load(x, e, state))
        return false;
    struct choice choice = {.state = e->bytes, .enabled = e->enabled, .enabled_count = e->enabled_count};
    e->chosen_count = x->search->reduction_class->choose_early(x->reduction, &choice, e->chosen);
    x->unready = state;
    x->was_asked = e->chosen_count == 0;
    if (x->was_asked)
        return false;
    for (uint32_t i = 0; i < e->chosen_count; i++) {
        if (i % FEW == FEW - 1 && !search_goes_on(x))
            return false;
        if (fire_of(x, e, e->chosen[i]) != PORTOLAN_FIRED)
            return false;
        store_prefetch(&x->search->store, e->hash[e->chosen[i]]);
    }
    x->unready = STORE_NONE;
    return true;
}

static void choose_ahead(struct explorer *x)
{
    struct ahead *ahead = &x->ahead;
    while (ahead->fired < ahead->most_fired && x->next + ahead->fired < x->next_end &&
           choose_state_ahead(x, ahead_at(ahead, ahead->fired), x->next + ahead->fired))
        ahead->fired++;
}

/* Has the state been fired ahead?  Then it is the present one. */
static inline bool take_ahead(struct explorer *x, uint32_t state)
{
    struct ahead *ahead = &x->ahead;
    struct expansion *e = &ahead->states[ahead->first], before;
    if (!ahead->guessed)
        return false;
    if (e->state != state || x->layout != x->search->layout) {
        ahead->fired = ahead->guessed = 0;
        return false;
    }
    before = x->now;
    x->now = *e;
    *e = before;
    if (++ahead->first == ahead->most_fired)
        ahead->first = 0;
    ahead->fired--;
    ahead->guessed--;
    return true;
}

/* Is it still loaded, though it could not be fired ahead? */
static inline bool take_loaded(struct explorer *x, uint32_t state)
{
    struct expansion *e = &x->ahead.states[x->ahead.first], before;
    if (x->ahead.fired || e->state != state || x->layout != x->search->layout)
        return false;
    before = x->now;
    x->now = *e;
    *e = before;
    return true;
}

/* Of all successors: which states they probably are.  Their slots have been fetched; now their records are. */
static inline void guess_all(const struct explorer *x, struct expansion *e)
{
    const struct store *store = &x->search->store;
    const uint64_t *hash = e->hash;
    uint32_t *target = e->target, count = e->enabled_count;
    e->guessed = store->settled;
    for (uint32_t i = 0; i < count; i++)
        target[i] = store_guess(store, hash[i]);
}

static inline void guess_chosen(const struct explorer *x, struct expansion *e)
{
    const struct store *store = &x->search->store;
    e->guessed = store->settled;
    for (uint32_t i = 0; i < e->chosen_count; i++)
        e->target[i] = store_guess(store, e->hash[e->chosen[i]]);
}

static void guess_ahead(struct explorer *x)
{
    struct ahead *ahead = &x->ahead;
    while (ahead->guessed < ahead->fired && ahead->guessed < ahead->most_guessed)
        (x->fires_all ? guess_all : guess_chosen)(x, ahead_at(ahead, ahead->guessed++));
}

/* --- inserting */

static inline __attribute__((always_inline)) enum outcome insert(struct explorer *x, uint32_t first, uint32_t end,
                                                                 bool all)
{
    struct search *s = x->search;
    const struct expansion *e = &x->now;
    const struct portolan_callbacks *callbacks = &s->options->callbacks;
    uint64_t limit = s->options->state_limit && !is_saved(s) ? s->options->state_limit : UINT64_MAX;
    bool is_near = limit - s->store.count < end - first, tells = callbacks->edge;
    const bool *fired = x->not_fired ? s->result->fired : NULL;
    const uint32_t *enabled = e->enabled, *chosen = e->chosen;
    const uint64_t *hash = e->hash;
    const unsigned char *successors = e->successor;
    size_t bytes = x->system->state_bytes;
    uint32_t *action = e->action, *target = e->target;
    for (uint32_t i = first; i < end; i++) {
        uint32_t index = all ? i : chosen[i];
        const unsigned char *key = successors + index * bytes;
        action[i] = enabled[index];
        if (fired && !fired[action[i]])
            note_fired(x, action[i]);
        if (is_near && s->store.count >= limit && store_find(&s->store, key, hash[index]) == STORE_NONE) {
            end_search(s, PORTOLAN_STATE_LIMIT);
            return OVER;
        }
        if (!store_is_right(&s->store, target[i], key) &&
            (target[i] = store_insert(&s->store, key, hash[index])) == STORE_NONE) {
            end_short_of_memory(s);
            return OVER;
        }
        if (tells)
            callbacks->edge(callbacks->user, e->state, action[i], target[i]);
    }
    return DONE;
}

/* The store is full: a larger one, made by whoever comes first, or the end. */
static enum outcome enlarge_store(struct explorer *x)
{
    struct search *s = x->search;
    if (crew_stop_others(s->crew)) {
        store_settle(&s->store);
        if (!s->ended && s->store.count >= s->store.most)
            end_search(s, PORTOLAN_STATE_LIMIT);
        else if (!s->ended && !store_grow_shared(&s->store, crew_together, s->crew))
            end_short_of_memory(s);
        crew_let_go(s->crew);
    }
    if (s->ended)
        return OVER;
    return x->layout == s->layout ? DONE : AGAIN;
}

static void tell_edges(const struct explorer *x)
{
    const struct portolan_callbacks *callbacks = &x->search->options->callbacks;
    const struct expansion *e = &x->now;
    if (!callbacks->edge)
        return;
    crew_lock(x->search->crew);
    for (uint32_t i = 0; i < e->chosen_count; i++)
        callbacks->edge(callbacks->user, e->state, e->action[i], e->target[i]);
    crew_unlock(x->search->crew);
}

/* A successor that found no room in the store, again. */
static __attribute__((noinline)) enum outcome insert_with_room(struct explorer *x, uint32_t i, uint32_t index,
                                                               bool *is_new)
{
    struct search *s = x->search;
    uint32_t *target = &x->now.target[i];
    while (*target == STORE_FULL) {
        enum outcome outcome = enlarge_store(x);
        if (outcome != DONE)
            return outcome;
        *target = store_insert_shared(&s->store, successor(x, index), x->now.hash[index], x->worker, is_new);
    }
    if (*target != STORE_NONE)
        return DONE;
    if (!s->ended)
        end_short_of_memory(s);
    return OVER;
}

/* The same beside other workers. */
static inline __attribute__((always_inline)) enum outcome insert_beside(struct explorer *x, uint32_t first,
                                                                        uint32_t end, bool all)
{
    struct search *s = x->search;
    const struct expansion *e = &x->now;
    const bool *fired = x->not_fired ? s->result->fired : NULL;
    const uint32_t *enabled = e->enabled, *chosen = e->chosen;
    const uint64_t *hash = e->hash;
    const unsigned char *successors = e->successor;
    size_t bytes = x->system->state_bytes;
    uint32_t *action = e->action, *target = e->target, worker = x->worker;
    bool (*found)(struct explorer *, uint32_t, const unsigned char *, uint32_t) = x->strategy->found;
    for (uint32_t i = first; i < end; i++) {
        uint32_t index = all ? i : chosen[i];
        enum outcome outcome = DONE;
        bool is_new;
        action[i] = enabled[index];
        if (fired && !__atomic_load_n(&fired[action[i]], __ATOMIC_RELAXED))
            note_fired(x, action[i]);
        if (e->guessed == s->store.settled && store_is_right(&s->store, target[i], successors + index * bytes))
            continue;
        target[i] = store_insert_shared(&s->store, successors + index * bytes, hash[index], worker, &is_new);
        if (__builtin_expect(target[i] >= STORE_FULL, 0) && (outcome = insert_with_room(x, i, index, &is_new)) != DONE)
            return outcome;
        if (found && is_new && !found(x, target[i], successors + index * bytes, action[i])) {
            end_short_of_memory(s);
            return OVER;
        }
    }
    return DONE;
}

static enum outcome insert_some_beside(struct explorer *x, uint32_t first, uint32_t end)
{
    return insert_beside(x, first, end, false);
}

static enum outcome insert_all_beside(struct explorer *x, uint32_t first, uint32_t end)
{
    return insert_beside(x, first, end, true);
}

static enum outcome insert_some(struct explorer *x, uint32_t first, uint32_t end)
{
    return insert(x, first, end, false);
}

static enum outcome insert_all(struct explorer *x, uint32_t first, uint32_t end)
{
    return insert(x, first, end, true);
}

/* Does something with the chosen actions.  Most states have few, and limits are looked at behind each state anyway. */
static inline enum outcome for_chosen(struct explorer *x, enum outcome (*some)(struct explorer *, uint32_t, uint32_t))
{
    uint32_t count = x->now.chosen_count, first = 0;
    for (; count - first > FEW; first += FEW) {
        enum outcome outcome = some(x, first, first + FEW);
        if (outcome != DONE)
            return outcome;
        if (!search_goes_on(x))
            return OVER;
    }
    return some(x, first, count);
}

/* Edges are told when all have been inserted, since that may begin again. */
static enum outcome insert_shared(struct explorer *x, bool all)
{
    enum outcome outcome = for_chosen(x, all ? insert_all_beside : insert_some_beside);
    if (outcome == DONE)
        tell_edges(x);
    return outcome;
}

static enum outcome record(struct explorer *x)
{
    struct search *s = x->search;
    const struct expansion *e = &x->now;
    crew_lock(s->crew);
    bool fine = recording_add(x->strategy->recording, e->state, e->bytes, e->enabled_count, e->action, e->target,
                              e->chosen_count);
    crew_unlock(s->crew);
    if (!fine) {
        end_short_of_memory(s);
        return OVER;
    }
    return DONE;
}

static enum outcome insert_chosen(struct explorer *x, bool was_ahead)
{
    struct expansion *e = &x->now;
    uint64_t visited = x->counted.visited, transitions = x->counted.transitions;
    enum outcome outcome = was_ahead ? DONE : for_chosen(x, fire_some);
    if (outcome == AGAIN || x->was_put_off) { /* chains are followed, and counted, once more */
        x->counted.visited = visited;
        x->counted.transitions = transitions;
    }
    if (outcome != DONE)
        return outcome;
    bool knows_next = x->next_end;
    if (knows_next && !was_ahead)
        distance_ahead(x);
    if (knows_next)
        choose_ahead(x);
    if (!was_ahead)
        guess_chosen(x, e);
    outcome = x->search->crew ? insert_shared(x, false) : for_chosen(x, insert_some);
    if (knows_next)
        guess_ahead(x);
    return outcome == DONE && x->strategy->recording ? record(x) : outcome;
}

/* What is enabled, all of it. */
static enum outcome explore_all(struct explorer *x, bool was_ahead)
{
    struct expansion *e = &x->now;
    e->chosen_count = e->enabled_count;
    enum outcome outcome = e->all_fired ? DONE : for_chosen(x, fire_all);
    if (outcome != DONE)
        return outcome;
    if (!was_ahead) {
        guess_all(x, e);
        distance_ahead(x);
    }
    if (x->fires_all)
        fire_ahead(x);
    outcome = x->search->crew ? insert_shared(x, true) : for_chosen(x, insert_all);
    guess_ahead(x);
    return outcome == DONE && x->strategy->recording ? record(x) : outcome;
}

static void choose_all(struct expansion *e)
{
    for (uint32_t i = 0; i < e->enabled_count; i++)
        e->chosen[i] = i;
    e->chosen_count = e->enabled_count;
}

/* Tells the proviso where the successors of the chosen set stand. */
static enum outcome ask_proviso(struct explorer *x, bool *accepted)
{
    struct search *s = x->search;
    struct expansion *e = &x->now;
    for (uint32_t i = 0; i < e->chosen_count; i++) {
        enum outcome outcome = fire(x, e->chosen[i]);
        if (outcome != DONE)
            return outcome;
        uint32_t index = e->chosen[i];
        uint32_t state = find_state(s, successor(x, index), e->hash[index]);
        e->seen[i].state = state;
        e->seen[i].standing = standing_of(x, state);
    }
    *accepted = s->proviso_class->accept(x->strategy->proviso, e->state, e->seen, e->chosen_count);
    return DONE;
}

/* Valmari's condition I: an infinite run of invisible actions is kept only when the set has an invisible action,
 * where one is enabled.  Invariants have no such runs. */
static bool keeps_runs(const struct explorer *x)
{
    struct search *s = x->search;
    const struct expansion *e = &x->now;
    if (!s->needs_runs || !s->visible)
        return true;
    for (uint32_t i = 0; i < e->chosen_count; i++)
        if (!s->visible[e->enabled[e->chosen[i]]])
            return true;
    for (uint32_t i = 0; i < e->enabled_count; i++)
        if (!s->visible[e->enabled[i]])
            return false;
    return true;
}

static enum outcome choose(struct explorer *x)
{
    struct search *s = x->search;
    struct expansion *e = &x->now;
    /* A chain's path must depend on its states alone, not on what was seen before. */
    struct choice choice = {.state = e->bytes,
                            .enabled = e->enabled,
                            .enabled_count = e->enabled_count,
                            .successor = s->options->chains ? NULL : successor_standing,
                            .look_ahead = s->options->chains ? NULL : look_ahead,
                            .was_asked = x->was_asked && x->unready == e->state,
                            .user = x};
    x->unready = STORE_NONE;
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        e->chosen_count = s->reduction_class->choose(x->reduction, &choice, attempt, e->chosen);
        if (e->chosen_count == e->enabled_count || x->reduction->complete)
            return DONE;
        if (!keeps_runs(x))
            continue;
        if (s->proviso_class->form == PROVISO_FREE)
            return DONE;
        bool accepted = false;
        enum outcome outcome = ask_proviso(x, &accepted);
        if (outcome != DONE || accepted)
            return outcome;
    }
    choose_all(e);
    return DONE;
}

bool expand(struct explorer *x, uint32_t state)
{
    enum outcome outcome;
    do { /* again when states were widened on the way; what was inserted by then keeps its number */
        bool was_ahead = take_ahead(x, state);
        outcome = was_ahead || (x->unready == state && take_loaded(x, state)) || load_state(x, state) ? DONE : OVER;
        if (outcome == DONE && x->fires_all)
            outcome = explore_all(x, was_ahead);
        else if (outcome == DONE && (was_ahead || (outcome = choose(x)) == DONE))
            outcome = insert_chosen(x, was_ahead);
    } while (outcome == AGAIN);
    x->now.fully = x->now.chosen_count == x->now.enabled_count;
    x->now.complete = x->now.fully || x->reduction->complete;
    return outcome == DONE;
}

bool expand_fully(struct explorer *x, uint32_t state)
{
    enum outcome outcome;
    do {
        bool was_ahead = x->fires_all && take_ahead(x, state);
        if (!was_ahead && !load_state(x, state))
            return false;
        outcome = explore_all(x, was_ahead);
    } while (outcome == AGAIN);
    x->now.fully = x->now.complete = true;
    return outcome == DONE;
}

bool expand_by(struct explorer *x, uint32_t state, const uint32_t *actions, uint32_t count)
{
    struct expansion *e = &x->now;
    enum outcome outcome;
    do {
        if (!load_state(x, state))
            return false;
        e->chosen_count = 0;
        for (uint32_t i = 0; i < e->enabled_count; i++)
            for (uint32_t j = 0; j < count; j++)
                if (e->enabled[i] == actions[j])
                    e->chosen[e->chosen_count++] = i;
        outcome = insert_chosen(x, false);
    } while (outcome == AGAIN);
    return outcome == DONE;
}

bool insert_initial(struct explorer *x)
{
    struct search *s = x->search;
    if (s->options->resume)
        return resume_states(x);
    x->system->initial(x->system->model, x->now.bytes);
    uint64_t hash = store_hash(x->now.bytes, x->system->key_bytes);
    bool is_new;
    uint32_t number = s->crew ? store_insert_shared(&s->store, x->now.bytes, hash, x->worker, &is_new)
                              : store_insert(&s->store, x->now.bytes, hash);
    if (number == 0)
        return true;
    end_short_of_memory(s);
    return false;
}
