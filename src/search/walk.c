/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random walks for a search of states: from the initial state, again and again, until a state decides a property.
 *
 * What they find is real and comes with its path; that they find nothing proves nothing, and the search goes on.  They
 * work on the opened system, whose states are wide enough for every value, and store no states.  What they do depends
 * on the seed and on steps, never on the clock.
 *
 * Walks of three kinds take turns: the next action is any; the one that leads nearest to a state that decides
 * (src/property/distance.c), most of the time; or the first by priorities drawn for the walk, so that some part of the
 * system hurries on while others wait, as in src/stateless/random_runs.c.  Nobody knows how long a walk must be, so as
 * much is spent on long walks as on short ones, whatever that means (after Luby, Sinclair and Zuckerman, "Optimal
 * speedup of Las Vegas algorithms", 1993).
 *
 * A path is cut wherever it comes back to a state.  One that decides is made shorter by leaving out pieces that are not
 * needed, larger ones first (after Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002).
 */
#include "search/walk.h"

#include "base/enabled.h"
#include "base/limits.h"
#include "base/random.h"
#include "property/distance.h"
#include "system/deadlock.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_STATES = 2048,  /* that a search stores before walks help it; again whenever it has twice as many, ... */
    SHARE = 4,            /* ... with this part of its own effort, ... */
    MOST_STEPS = 4000000, /* ... up to so much in all */
    SHORT_WALK = 256,     /* steps */
    MOST_CANDIDATES = 16, /* successors that are compared */
    ASIDE = 8,            /* one step of so many is any */
    REMEMBERED = 1 << 16, /* states of a path */
    SHORTENING = 100000   /* steps that may be spent on that */
};

enum walk_kind { ANY, NEAREST, BY_PRIORITY, KINDS };

struct walk {
    struct explorer *explorer;
    const struct portolan_system *system;
    unsigned char *state, *next, *nearest;
    uint32_t *enabled, *next_enabled;
    size_t enabled_capacity, next_capacity;
    uint32_t enabled_count, next_count;
    struct action_path path, shorter;
    VECTOR(uint64_t) hash; /* of the state before each action of the path */
    uint32_t *position;    /* on the path, of a state by its hash; some are forgotten */
    struct distance *scratch;
    /* the present walk */
    enum walk_kind kind;
    const struct portolan_property *towards;
    uint64_t random, priorities; /* the state of the generator; a seed */
    uint64_t end;                /* of all walks, in steps and walks */
};

/* --- one step */

static bool fire(struct walk *w, uint32_t action)
{
    return w->system->fire(w->system->model, w->state, action, w->next) == PORTOLAN_FIRED;
}

static void swap(unsigned char **a, unsigned char **b)
{
    unsigned char *swapped = *a;
    *a = *b;
    *b = swapped;
}

static bool list_enabled(struct walk *w)
{
    return enabled_list(w->system, w->state, &w->enabled, &w->enabled_capacity, &w->enabled_count);
}

static bool begin(struct walk *w)
{
    w->path.count = w->hash.count = 0;
    w->system->initial(w->system->model, w->state);
    return list_enabled(w);
}

static uint32_t first_by_priority(const struct walk *w)
{
    uint64_t highest = 0;
    uint32_t first = w->enabled[0];
    for (uint32_t i = 0; i < w->enabled_count; i++) {
        uint64_t priority = random_mix(w->priorities + w->enabled[i] * RANDOM_STRIDE);
        if (priority > highest) {
            highest = priority;
            first = w->enabled[i];
        }
    }
    return first;
}

/* How far the state in `next` is from one that decides. */
static bool measure_next(struct walk *w, uint32_t *distance)
{
    if (distance_counts_enabled(w->towards) &&
        !enabled_list(w->system, w->next, &w->next_enabled, &w->next_capacity, &w->next_count))
        return false;
    *distance = property_distance(w->towards, w->scratch, w->system, w->next, w->next_count);
    return true;
}

/* Moves to the nearest of the successors, or of some, the first of which is any; false when there is none. */
static bool step_to_nearest(struct walk *w, uint32_t *action)
{
    uint32_t count = w->enabled_count < MOST_CANDIDATES ? w->enabled_count : MOST_CANDIDATES;
    uint32_t first = random_below(&w->random, w->enabled_count), least = UINT32_MAX, distance;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t candidate = w->enabled[(first + i) % w->enabled_count];
        w->explorer->counted.walk_steps++;
        if (!fire(w, candidate) || !measure_next(w, &distance) || distance >= least)
            continue;
        least = distance;
        *action = candidate;
        swap(&w->next, &w->nearest);
    }
    if (least == UINT32_MAX)
        return false;
    swap(&w->state, &w->nearest);
    return true;
}

static bool step(struct walk *w, uint32_t *action)
{
    bool any = w->kind == ANY || random_below(&w->random, ASIDE) == 0;
    if (!any && w->kind == NEAREST)
        return step_to_nearest(w, action);
    *action = any ? w->enabled[random_below(&w->random, w->enabled_count)] : first_by_priority(w);
    w->explorer->counted.walk_steps++;
    if (!fire(w, *action))
        return false;
    swap(&w->state, &w->next);
    return true;
}

/* --- the path */

/* The present state is reached by the path: if that was here before, it goes back to then. */
static void cut_loop(struct walk *w, uint64_t hash)
{
    uint32_t *position = &w->position[hash % REMEMBERED];
    if (*position < w->path.count && w->hash.item[*position] == hash)
        w->path.count = w->hash.count = *position;
    *position = (uint32_t)w->path.count;
}

static bool decides(const struct walk *w, const struct portolan_property *property)
{
    return property_is_decided_by(property, w->system, w->state, is_deadlock(w->system, w->state, w->enabled_count));
}

static bool is_enabled(const struct walk *w, uint32_t action)
{
    for (uint32_t i = 0; i < w->enabled_count; i++)
        if (w->enabled[i] == action)
            return true;
    return false;
}

/* Takes the path without the actions from `first` to `end`, and without those that cannot be done then.  What was done
 * is in `shorter`; true when it leads to a state that decides. */
static bool follow(struct walk *w, const struct portolan_property *property, size_t first, size_t end)
{
    w->shorter.count = 0;
    w->system->initial(w->system->model, w->state);
    bool fine = list_enabled(w);
    for (size_t i = 0; fine && i < w->path.count && !decides(w, property); i++) {
        if ((i >= first && i < end) || !is_enabled(w, w->path.item[i]))
            continue;
        fine = !limits_reached() && fire(w, w->path.item[i]) && vector_push(&w->shorter, w->path.item[i]);
        swap(&w->state, &w->next);
        fine = fine && list_enabled(w);
    }
    return fine && decides(w, property);
}

static void take_shorter(struct walk *w)
{
    struct action_path longer = w->path;
    w->path = w->shorter;
    w->shorter = longer;
}

static void shorten(struct walk *w, const struct portolan_property *property)
{
    uint64_t spent = 0;
    for (size_t piece = w->path.count / 2 + 1; piece && spent < SHORTENING; piece /= 2)
        for (size_t first = 0; first < w->path.count && spent < SHORTENING; spent += w->path.count + 1)
            if (follow(w, property, first, first + piece))
                take_shorter(w);
            else
                first += piece;
}

/* --- a walk */

/* The path leads to a state that decides the property, unless different states had the same hash: then nothing was
 * found. */
static void decide(struct walk *w, size_t number)
{
    struct search *s = w->explorer->search;
    const struct portolan_property *property = s->options->properties[number];
    struct portolan_answer *answer = &s->result->answers[number];
    struct portolan_limits finishing;
    limits_begin_finishing(&finishing, FOR_A_PATH);
    if (follow(w, property, 0, 0)) {
        take_shorter(w);
        shorten(w, property);
        free(answer->trace);
        *answer = (struct portolan_answer){
            .has_trace = true, .trace = w->path.item, .trace_length = w->path.count, .by_walk = true};
        w->path = (struct action_path){0};
        s->decided[number] = true;
        s->undecided--;
    }
    limits_end(&finishing);
}

/* Does the present state decide something?  Then the walk has come to its end. */
static bool observe(struct walk *w)
{
    const struct search *s = w->explorer->search;
    for (size_t i = 0; i < s->options->property_count; i++)
        if (!s->decided[i] && decides(w, s->options->properties[i])) {
            decide(w, i);
            return true;
        }
    return false;
}

/* A walk costs something even where no step can be taken. */
static uint64_t effort(const struct explorer *x)
{
    return x->counted.walk_steps + x->counted.walks;
}

static bool is_over(const struct walk *w)
{
    return effort(w->explorer) >= w->end || limits_reached();
}

/* One walk of at most so many steps; false when the walks must end. */
static bool walk(struct walk *w, uint64_t steps)
{
    size_t key = w->system->key_bytes ? w->system->key_bytes : w->system->state_bytes;
    bool fine = begin(w);
    for (uint64_t i = 0; fine && !observe(w) && w->enabled_count && i < steps; i++) {
        uint32_t action;
        if (is_over(w))
            return false;
        uint64_t hash = store_hash(w->state, key);
        cut_loop(w, hash);
        if (!step(w, &action))
            return true; /* too large for this system: the search will tell */
        fine = vector_push(&w->path, action) && vector_push(&w->hash, hash) && list_enabled(w);
    }
    return fine;
}

/* The property that walks of this round go towards: the undecided ones take turns. */
static const struct portolan_property *goal_of(const struct search *s, uint64_t round)
{
    uint64_t before = round % s->undecided;
    for (size_t i = 0;; i++)
        if (!s->decided[i] && before-- == 0)
            return s->options->properties[i];
}

/* Every length that is a power of two times the shortest gets the same number of steps in all. */
static bool next_walk(struct walk *w)
{
    struct explorer *x = w->explorer;
    uint64_t number = x->counted.walks++, round = number / KINDS + 1;
    w->random = random_mix(x->search->options->seed + number * RANDOM_STRIDE);
    w->priorities = random_next(&w->random);
    w->kind = (enum walk_kind)(number % KINDS);
    w->towards = goal_of(x->search, round);
    free(w->scratch);
    w->scratch = distance_make(w->towards);
    return w->scratch && walk(w, SHORT_WALK * (round & -round));
}

/* --- walks */

static bool make(struct walk *w, struct explorer *x, uint64_t steps)
{
    w->explorer = x;
    w->system = x->system->opened ? x->system->opened : x->system;
    w->end = effort(x) + steps;
    w->state = malloc(w->system->state_bytes);
    w->next = malloc(w->system->state_bytes);
    w->nearest = malloc(w->system->state_bytes);
    w->position = calloc(REMEMBERED, sizeof *w->position);
    return w->state && w->next && w->nearest && w->position &&
           enabled_make(w->system, &w->enabled, &w->enabled_capacity) &&
           enabled_make(w->system, &w->next_enabled, &w->next_capacity);
}

static void clear(struct walk *w)
{
    free(w->state);
    free(w->next);
    free(w->nearest);
    free(w->position);
    free(w->enabled);
    free(w->next_enabled);
    free(w->path.item);
    free(w->shorter.item);
    free(w->hash.item);
    free(w->scratch);
}

void walk_about(struct explorer *x, uint64_t steps)
{
    struct search *s = x->search;
    struct walk w = {0};
    bool fine = make(&w, x, steps);
    while (fine && s->undecided && !is_over(&w))
        fine = next_walk(&w);
    if (s->undecided == 0 && !s->options->all)
        end_search(s, PORTOLAN_DECIDED);
    clear(&w);
}

/* The search has twice as many states as when it was last here. */
static void help(struct explorer *x)
{
    uint64_t done = effort(x), earned = (x->counted.visited + x->counted.transitions) / SHARE;
    x->strategy->next_watch = x->search->store.count < UINT32_MAX / 2 ? x->search->store.count * 2 : UINT32_MAX;
    if (earned > MOST_STEPS)
        earned = MOST_STEPS;
    if (earned > done)
        walk_about(x, earned - done);
}

void walk_beside(struct explorer *x)
{
    x->strategy->watch = help;
    x->strategy->next_watch = FIRST_STATES;
}
