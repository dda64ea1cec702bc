/* SPDX-License-Identifier: Apache-2.0 */
#include "stubborn_judge.h"

#include "base/lists.h"
#include "base/vector.h"
#include "reduce/reduction.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 2, MOST_ATTEMPTS = 4, JUDGED = 1 << 12, MOST_ACTIONS = 64, UNTIL_GIVEN_UP = 3 << 13 };

/* What a set is for. */
struct form {
    bool strong, directed, visible, without_idle;
};

struct judged {
    uint64_t set; /* a bit per action */
    uint32_t state;
    bool as_directed;
    bool is_set;
};

enum { NONE = UINT32_MAX };

struct edge {
    uint32_t action, target;
};

struct bench {
    struct random *random;
    const struct portolan_system *system;
    /* the whole graph */
    uint32_t count;
    size_t stride; /* of the states' bytes, which are aligned */
    VECTOR(unsigned char) bytes;
    VECTOR(uint32_t) edge_offset;
    VECTOR(struct edge) edges;
    uint32_t *steps; /* per state and action: the target, or NONE */

    bool visible[MOST_ACTIONS], idle[MOST_ACTIONS];
    uint32_t *distance; /* of every state from the goals; NONE: they cannot be reached */
    uint32_t now;       /* the state asked about */
    bool any_standing;
    struct form form;
    struct reduction *plain; /* the same but that it remembers nothing; NULL where sets may rest */
    struct reduction *other; /* another worker's, which shares what the first one remembers; or NULL */
    bool has_proviso;
    struct judged judged[JUDGED];
    uint32_t *queue;
    bool *met[2]; /* while the member is enabled, after it was disabled */
    struct judge_tally *tally;
};

/* --------------------------------------------------------------------- the graph */

static const unsigned char *state_bytes(const struct bench *b, uint32_t state)
{
    return b->bytes.item + state * b->stride;
}

/* The number of a state, a new one if need be; NONE when memory is short. */
static uint32_t number_of(struct bench *b, const unsigned char *bytes)
{
    uint32_t s = 0;
    while (s < b->count && memcmp(state_bytes(b, s), bytes, b->system->key_bytes) != 0)
        s++;
    if (s < b->count)
        return s;
    for (size_t i = 0; i < b->stride; i++)
        if (!vector_push(&b->bytes, bytes[i]))
            return NONE;
    return b->count++;
}

static bool explore(struct bench *b, uint32_t most, unsigned char *from, unsigned char *to)
{
    const struct portolan_system *system = b->system;
    uint32_t enabled[MOST_ACTIONS];
    system->initial(system->model, to);
    bool fine = number_of(b, to) == 0;
    for (uint32_t s = 0; fine && s < b->count; s++) {
        memcpy(from, state_bytes(b, s), system->state_bytes);
        uint32_t count = system->enabled(system->model, from, enabled);
        fine = vector_push(&b->edge_offset, (uint32_t)b->edges.count);
        for (uint32_t i = 0; fine && i < count; i++) {
            struct edge edge = {.action = enabled[i]};
            fine = system->fire(system->model, from, enabled[i], to) == PORTOLAN_FIRED &&
                   (edge.target = number_of(b, to)) < most && vector_push(&b->edges, edge);
        }
    }
    return fine && vector_push(&b->edge_offset, (uint32_t)b->edges.count);
}

/* What is looked up of the graph, for one state or one action. */
static bool make_tables(struct bench *b)
{
    size_t cells = (size_t)b->count * b->system->actions;
    b->steps = malloc((cells + 1) * sizeof *b->steps);
    b->distance = calloc(b->count, sizeof *b->distance);
    b->queue = calloc(2 * (size_t)b->count, sizeof *b->queue);
    b->met[0] = calloc(b->count, sizeof *b->met[0]);
    b->met[1] = calloc(b->count, sizeof *b->met[1]);
    if (!b->steps || !b->distance || !b->queue || !b->met[0] || !b->met[1])
        return false;
    memset(b->steps, 0xff, cells * sizeof *b->steps);
    memset(b->idle, true, sizeof b->idle);
    for (uint32_t s = 0; s < b->count; s++)
        for (uint32_t i = b->edge_offset.item[s]; i < b->edge_offset.item[s + 1]; i++) {
            struct edge edge = b->edges.item[i];
            b->steps[s * b->system->actions + edge.action] = edge.target;
            b->idle[edge.action] &= edge.target == s;
        }
    return true;
}

static uint32_t step(const struct bench *b, uint32_t state, uint32_t action)
{
    return b->steps[state * b->system->actions + action];
}

/* Draws some goals, and finds how far each state is from them. */
static void draw_goals(struct bench *b)
{
    for (uint32_t s = 0; s < b->count; s++)
        b->distance[s] = NONE;
    for (uint32_t i = 0; i < 1 + b->count / 50; i++)
        b->distance[random_below(b->random, b->count)] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t s = 0; s < b->count; s++)
            for (uint32_t i = b->edge_offset.item[s]; i < b->edge_offset.item[s + 1]; i++) {
                uint32_t next = b->distance[b->edges.item[i].target];
                if (next == NONE || next + 1 >= b->distance[s])
                    continue;
                b->distance[s] = next + 1;
                changed = true;
            }
    }
}

/* ----------------------------------------------------------------- the definition */

static bool is_outside(const struct bench *b, uint64_t set, uint32_t t)
{
    return !(set >> t & 1) && !(b->form.without_idle && b->idle[t]);
}

/* What no member may be asked about: the states that are reached from outside, and what happens there. */
static const char *judge_outside(struct bench *b, uint64_t set, bool directed, uint32_t state, uint32_t action)
{
    bool has_visible = false;
    for (uint32_t t = 0; t < b->system->actions; t++)
        has_visible |= (set >> t & 1) && b->visible[t];
    if (directed)
        return b->distance[step(b, state, action)] == 0 ? "a goal is met without it" : NULL;
    return b->form.visible && has_visible && b->visible[action] ? "a visible transition is left out" : NULL;
}

/* The member t and the step u from outside, both enabled in a state; *after is the state after u. */
static const char *judge_pair(const struct bench *b, uint32_t state, uint32_t t, uint32_t u, uint32_t after)
{
    uint32_t both = step(b, after, t), first = step(b, state, t);
    return both != NONE && step(b, first, u) != both ? "a member does not commute with one left out" : NULL;
}

/* Wherever transitions outside the set lead, as far as t is concerned; *is_key: t is enabled all the way.  With t ==
 * NONE there is no member. */
static const char *judge_member(struct bench *b, uint32_t from, uint64_t set, bool directed, uint32_t t, bool *is_key)
{
    const char *wrong = NULL;
    uint32_t first = 0, last = 0;
    memset(b->met[0], 0, b->count);
    memset(b->met[1], 0, b->count);
    *is_key = t != NONE;
    b->met[0][from] = true;
    b->queue[last++] = 2 * from;
    while (first < last && !wrong) {
        uint32_t state = b->queue[first] / 2, was_disabled = b->queue[first] % 2;
        first++;
        for (uint32_t i = b->edge_offset.item[state]; i < b->edge_offset.item[state + 1] && !wrong; i++) {
            uint32_t u = b->edges.item[i].action, after = b->edges.item[i].target;
            if (!is_outside(b, set, u))
                continue;
            wrong = judge_outside(b, set, directed, state, u);
            bool enabled = t != NONE && step(b, after, t) != NONE, disabled = !enabled;
            if (!wrong && was_disabled && enabled)
                wrong = "a member is disabled and enabled again from outside";
            if (!wrong && !was_disabled && enabled)
                wrong = judge_pair(b, state, t, u, after);
            *is_key &= enabled;
            disabled = t != NONE && disabled;
            if (!b->met[disabled][after]) {
                b->met[disabled][after] = true;
                b->queue[last++] = 2 * after + disabled;
            }
        }
    }
    return wrong;
}

static const char *judge(struct bench *b, uint32_t state, uint64_t set, bool directed)
{
    bool has_key = false, is_key;
    if (!set)
        return directed ? judge_member(b, state, set, directed, NONE, &is_key) : "the set is empty";
    for (uint32_t t = 0; t < b->system->actions; t++) {
        const char *wrong = set >> t & 1 ? judge_member(b, state, set, directed, t, &is_key) : NULL;
        if (wrong)
            return wrong;
        if (!(set >> t & 1))
            continue;
        if (!is_key && b->form.strong && !directed)
            return "a member of a strong set is disabled from outside";
        has_key |= is_key;
    }
    return has_key || directed ? NULL : "a weak set has no key";
}

/* The number by which the relations say that what is enabled of it is a set by itself; NONE: this set is none. */
static uint32_t local_number(const struct bench *b, uint32_t state, uint64_t set)
{
    const uint32_t *local = b->system->relations->local;
    uint32_t number = NONE;
    for (uint32_t t = 0; local && t < b->system->actions; t++)
        if (set >> t & 1)
            number = local[t];
    for (uint32_t t = 0; number != NONE && t < b->system->actions; t++)
        if (step(b, state, t) != NONE && (local[t] == number) != (set >> t & 1))
            return NONE;
    return number;
}

/* Which states can be reached from those in the queue, of which there are so many? */
static void reach(struct bench *b, bool *met, uint32_t count)
{
    memset(met, 0, b->count);
    for (uint32_t i = 0; i < count; i++)
        met[b->queue[i]] = true;
    for (uint32_t first = 0; first < count; first++)
        for (uint32_t i = b->edge_offset.item[b->queue[first]]; i < b->edge_offset.item[b->queue[first] + 1]; i++) {
            uint32_t target = b->edges.item[i].target;
            if (!met[target])
                b->queue[count++] = target;
            met[target] = true;
        }
}

/* After t, u does the same as before it, and perhaps more. */
static bool goes_further(const struct bench *b, uint32_t before, uint32_t after)
{
    bool found = before == after;
    for (uint32_t i = b->edge_offset.item[before]; i < b->edge_offset.item[before + 1] && !found; i++)
        found = b->edges.item[i].target == after;
    return found;
}

/* A set that is local: all deadlocks stay within reach; whatever others do, the same of the number is enabled and does
 * the same, but that those beside it may go further after it. */
static const char *judge_local(struct bench *b, uint32_t from, uint64_t set, uint32_t number)
{
    const struct portolan_relations *r = b->system->relations;
    uint32_t count = 0, first = 0;
    b->queue[0] = from;
    reach(b, b->met[0], 1);
    for (uint32_t t = 0; t < b->system->actions; t++)
        if (set >> t & 1)
            b->queue[count++] = step(b, from, t);
    reach(b, b->met[1], count);
    for (uint32_t s = 0; s < b->count; s++)
        if (b->met[0][s] && !b->met[1][s] && b->edge_offset.item[s] == b->edge_offset.item[s + 1])
            return "a deadlock is out of reach";
    memset(b->met[0], 0, b->count);
    b->met[0][from] = true;
    b->queue[0] = from;
    count = 1;
    while (first < count) {
        uint32_t state = b->queue[first++];
        for (uint32_t t = 0; t < b->system->actions; t++)
            if (r->local[t] == number && (step(b, state, t) != NONE) != (set >> t & 1))
                return "others enable or disable what is local";
        for (uint32_t i = b->edge_offset.item[state]; i < b->edge_offset.item[state + 1]; i++) {
            uint32_t u = b->edges.item[i].action, after = b->edges.item[i].target;
            if (r->local[u] == number)
                continue;
            bool beside = list_has(&r->local_beside, number, u);
            if (b->form.visible && beside && b->visible[u])
                return "what is beside a local member is visible";
            for (uint32_t t = 0; t < b->system->actions; t++) {
                if (!(set >> t & 1) || step(b, after, t) == NONE)
                    continue;
                uint32_t other = step(b, step(b, state, t), u);
                if (other == NONE && beside)
                    continue; /* only where it pauses, and another one then goes on */
                b->tally->beside += beside && step(b, after, t) != other;
                if (beside ? !goes_further(b, step(b, after, t), other) : step(b, after, t) != other)
                    return "what is local does not commute with others";
            }
            if (!b->met[0][after])
                b->queue[count++] = after;
            b->met[0][after] = true;
        }
    }
    for (uint32_t t = 0; t < b->system->actions; t++)
        if (b->form.visible && r->local[t] == number && b->visible[t])
            return "a local member is visible";
    return NULL;
}

/* Most sets come many times. */
static const char *judge_once(struct bench *b, uint32_t state, uint64_t set, bool directed)
{
    struct judged *known = &b->judged[(state * 31 + set * 7 + directed) % JUDGED];
    if (known->is_set && known->state == state && known->set == set && known->as_directed == directed)
        return NULL;
    *known = (struct judged){.state = state, .set = set, .as_directed = directed, .is_set = true};
    uint32_t number = directed ? NONE : local_number(b, state, set);
    const char *wrong = judge(b, state, set, directed);
    b->tally->local += wrong && number != NONE;
    return wrong && number != NONE ? judge_local(b, state, set, number) : wrong;
}

/* ------------------------------------------------------------------------ asking */

/* Whatever leads from farther away to within some distance of the goals: now nearer, now farther. */
static uint32_t find_attractors(void *user, const struct choice *choice, uint32_t *member, uint32_t stamp,
                                uint32_t *list)
{
    const struct bench *b = user;
    (void)choice;
    uint32_t count = 0, own = b->distance[b->now], within = own == NONE ? 0 : b->now % own;
    for (uint32_t s = 0; s < b->count; s++)
        for (uint32_t i = b->edge_offset.item[s]; i < b->edge_offset.item[s + 1]; i++) {
            struct edge edge = b->edges.item[i];
            if (b->distance[s] <= within || b->distance[edge.target] > within || member[edge.action] == stamp)
                continue;
            member[edge.action] = stamp;
            list[count++] = edge.action;
        }
    return count;
}

static enum successor stand(void *user, uint32_t index)
{
    struct bench *b = user;
    (void)index;
    return b->any_standing || random_chance(b->random, 5) ? (enum successor)random_below(b->random, 3) : SUCCESSOR_NEW;
}

/* What is known before anybody may ask where successors stand. */
static uint32_t ask_early(struct reduction *reduction, struct choice *choice, uint32_t *chosen)
{
    struct choice early = {.state = choice->state, .enabled = choice->enabled, .enabled_count = choice->enabled_count};
    uint32_t count = reduction_stubborn.choose_early(reduction, &early, chosen);
    choice->was_asked = count == 0;
    return count;
}

static const char *ask(struct bench *b, struct reduction *reduction, uint32_t state)
{
    uint32_t enabled[MOST_ACTIONS], chosen[MOST_ACTIONS];
    struct choice choice = {.state = state_bytes(b, state), .enabled = enabled, .successor = stand, .user = b};
    choice.enabled_count = b->system->enabled(b->system->model, choice.state, enabled);
    b->now = state;
    if (!choice.enabled_count || (b->form.directed && b->distance[state] == 0))
        return NULL;
    const char *wrong = NULL;
    reduction = b->other && random_chance(b->random, 50) ? b->other : reduction;
    uint32_t early = random_chance(b->random, 50) ? ask_early(reduction, &choice, chosen) : 0;
    if (early && early < choice.enabled_count && b->has_proviso)
        return "a set of which a proviso should have been told";
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS && !wrong; attempt++) {
        uint32_t count = attempt == 0 && early ? early : reduction_stubborn.choose(reduction, &choice, attempt, chosen);
        uint64_t set = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (chosen[i] >= choice.enabled_count)
                return "a member that is not enabled";
            set |= UINT64_C(1) << enabled[chosen[i]];
        }
        if (count == choice.enabled_count)
            return attempt == 0 && b->plain && reduction_stubborn.choose(b->plain, &choice, 0, chosen) < count
                       ? "everything, though a smaller set would do"
                       : NULL;
        wrong = judge_once(b, state, set, reduction->complete);
        b->tally->sets++;
        if (reduction->complete)
            break;
    }
    return wrong;
}

/* Every state some times, in no order. */
static const char *ask_everywhere(struct bench *b, struct reduction *reduction)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < ROUNDS * b->count && !wrong; i++)
        wrong = ask(b, reduction, random_below(b->random, b->count));
    return wrong;
}

/* Asks with successors that stand now here, now there, so that few keys come again, until nothing is kept; then as
 * before.  What is kept shows in the bytes. */
static const char *ask_until_given_up(struct bench *b, struct reduction *reduction)
{
    size_t before = 0;
    const char *wrong = NULL;
    for (uint32_t i = 0; i < UNTIL_GIVEN_UP && !wrong; i++) {
        size_t bytes = reduction_stubborn.bytes(reduction);
        b->tally->given_up += bytes < before;
        before = bytes;
        b->any_standing = random_chance(b->random, 95);
        wrong = ask(b, reduction, b->any_standing ? 0 : random_below(b->random, b->count));
    }
    b->any_standing = false;
    return wrong ? wrong : ask_everywhere(b, reduction);
}

/* ------------------------------------------------------------------- one system */

static const char *check_options(struct bench *b, const char *options, bool to_the_end, struct portolan_error *error)
{
    struct reduction *reduction;
    const struct reduction_goal goal = {.attractors = find_attractors, .user = b};
    b->form.directed = strstr(options, "goal");
    b->form.visible = random_chance(b->random, 60);
    b->form.without_idle = random_chance(b->random, 30);
    struct reduction_demands demands = {.visible = b->form.visible ? b->visible : NULL,
                                        .goal = &goal,
                                        .prefer_strong = random_chance(b->random, 50),
                                        .without_idle = b->form.without_idle,
                                        .judged = to_the_end || random_chance(b->random, 30),
                                        .breadth_first = random_chance(b->random, 50)};
    if (reduction_stubborn.make(b->system, options, &demands, &reduction, error) != PORTOLAN_OK)
        return error->message;
    demands.beside = reduction;
    b->has_proviso = demands.judged;
    b->other = NULL;
    if (!to_the_end && reduction_stubborn.make(b->system, options, &demands, &b->other, error) != PORTOLAN_OK) {
        reduction_stubborn.free(reduction);
        return error->message;
    }
    demands.beside = NULL;
    demands.repeatable = true;
    b->plain = NULL;
    if (!to_the_end && reduction_stubborn.make(b->system, options, &demands, &b->plain, error) != PORTOLAN_OK) {
        reduction_stubborn.free(reduction);
        reduction_stubborn.free(b->other);
        return error->message;
    }
    b->form.strong = !reduction_stubborn.is_weak(reduction);
    memset(b->judged, 0, sizeof b->judged);
    const char *wrong = to_the_end ? ask_until_given_up(b, reduction) : ask_everywhere(b, reduction);
    reduction_stubborn.free(reduction);
    if (b->other)
        reduction_stubborn.free(b->other);
    if (b->plain)
        reduction_stubborn.free(b->plain);
    return wrong;
}

static const char *judge_all(struct bench *b, bool to_the_end, const char **options, struct portolan_error *error)
{
    static const char *const all[] = {"strong",          "weak",           "goal", "strong,persistent",
                                      "weak,persistent", "goal,persistent"};
    const char *wrong = NULL;
    for (uint32_t t = 0; t < b->system->actions; t++)
        b->visible[t] = random_chance(b->random, 25);
    for (size_t i = 0; i < sizeof all / sizeof *all && !wrong; i++) {
        draw_goals(b);
        if (b->system->relations->has_fallbacks && strstr(all[i], "goal"))
            continue; /* refused */
        wrong = check_options(b, *options = all[i], false, error);
    }
    if (!wrong && to_the_end)
        wrong = check_options(b, *options = random_chance(b->random, 50) ? "weak" : "strong", true, error);
    return wrong;
}

/* ----------------------------------------------------- guards with larger numbers */

/* The same relations where guards have gaps between them, in which others stand that always hold: sets of guards then
 * have several words. */
struct gaps {
    struct portolan_relations relations;
    uint32_t *item, *enablers, *disablers, *exclusive;
};

static struct {
    const struct portolan_relations *narrow;
    uint32_t each; /* the last of so many is a real one */
} with_gaps;

static bool holds_with_gaps(const void *model, const void *state, uint32_t guard)
{
    return (guard + 1) % with_gaps.each || with_gaps.narrow->holds(model, state, guard / with_gaps.each);
}

static uint32_t *widen_offsets(const struct portolan_lists *lists, uint32_t count, uint32_t each)
{
    uint32_t *offset = calloc((size_t)count * each + 1, sizeof *offset);
    for (uint32_t i = 1; offset && i <= count * each; i++)
        offset[i] = lists->offset[i / each];
    return offset;
}

static bool make_gaps(const struct portolan_relations *narrow, uint32_t each, struct gaps *gaps)
{
    uint32_t guards = narrow->guards * each, items = narrow->guards_of.offset[narrow->transitions];
    gaps->relations = *narrow;
    gaps->item = malloc(((size_t)items + 1) * sizeof *gaps->item);
    gaps->enablers = widen_offsets(&narrow->enablers, narrow->guards, each);
    gaps->disablers = widen_offsets(&narrow->disablers, narrow->guards, each);
    gaps->exclusive = malloc(((size_t)guards + 1) * sizeof *gaps->exclusive);
    if (!gaps->item || !gaps->enablers || !gaps->disablers || !gaps->exclusive)
        return false;
    memset(gaps->exclusive, 0xff, guards * sizeof *gaps->exclusive);
    for (uint32_t g = 0; narrow->exclusive && g < narrow->guards; g++)
        gaps->exclusive[g * each + each - 1] = narrow->exclusive[g];
    for (uint32_t i = 0; i < items; i++)
        gaps->item[i] = narrow->guards_of.item[i] * each + each - 1;
    gaps->relations.guards = guards;
    gaps->relations.guards_of.item = gaps->item;
    gaps->relations.enablers.offset = gaps->enablers;
    gaps->relations.disablers.offset = gaps->disablers;
    gaps->relations.exclusive = gaps->exclusive;
    gaps->relations.all_are = NULL;
    gaps->relations.holds = holds_with_gaps;
    with_gaps.narrow = narrow;
    with_gaps.each = each;
    return true;
}

static void free_gaps(struct gaps *gaps)
{
    free(gaps->item);
    free(gaps->enablers);
    free(gaps->disablers);
    free(gaps->exclusive);
}

bool judge_stubborn_sets(const struct portolan_system *system, struct random *random, const struct judge_limits *limits,
                         struct judge_tally *tally, char *message, size_t size)
{
    struct bench *b = calloc(1, sizeof *b);
    const size_t stride = (system->state_bytes / alignof(max_align_t) + 1) * alignof(max_align_t);
    unsigned char *from = calloc(2, stride);
    const char *options = "", *wrong = NULL;
    struct portolan_error error = {.message = "out of memory"};
    bool fits = b && from && system->relations && system->enabled && system->actions <= MOST_ACTIONS;
    if (fits) {
        b->random = random;
        b->system = system;
        b->stride = stride;
        b->tally = tally;
        fits = explore(b, limits->most_states, from, from + stride) && make_tables(b);
    }
    struct gaps gaps = {.item = NULL};
    struct portolan_system wide;
    const uint32_t least[] = {0, 64, 128}, wanted = least[random_below(random, 3)];
    if (fits && wanted && system->relations->guards && system->relations->guards < wanted) {
        wide = *system;
        wide.relations = &gaps.relations;
        b->system = &wide;
        fits = make_gaps(system->relations, wanted / system->relations->guards + 1, &gaps);
    }
    if (fits)
        wrong = judge_all(b, limits->until_given_up, &options, &error);
    free_gaps(&gaps);
    if (wrong)
        snprintf(message, size, "stubborn:%s%s%s, state %u: %s", options, b->form.visible ? ", visible" : "",
                 b->form.without_idle ? ", without idle" : "", b->now, wrong);
    tally->judged += fits;
    if (b) {
        free(b->bytes.item);
        free(b->edge_offset.item);
        free(b->edges.item);
        free(b->steps);
        free(b->distance);
        free(b->queue);
        free(b->met[0]);
        free(b->met[1]);
    }
    free(b);
    free(from);
    return !wrong;
}
