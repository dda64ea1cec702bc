/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubborn sets against what they must do: random nets, and in every reachable state, in no order and several times,
 * one reduction is asked for its sets.  Each is judged on the naive graph, with no use of relations, by where the
 * transitions outside it lead: a member commutes with them and, once disabled, stays so; none does in a strong set,
 * one is always enabled in a weak one; nothing visible happens if a member is visible; no goal is met without a
 * directed set.  Where it is everything, a reduction that remembers nothing finds no smaller one.
 * A search that is reduced sees few states and hides a wrong set behind another way to the same answer; here every one
 * is looked at.  The sets that are remembered (src/reduce/stubborn_remembered.c) are met again with other reasons,
 * other attractors, in another form, and after nothing has been kept for a while.
 *
 *     stubborn_sets [--nets N] [--seed S] [--first K]
 */
#include "differential_naive.h"
#include "random_net.h"

#include "front/petri/system.h"
#include "reduce/stubborn.h"
#include "search/search_system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_STATES = 4, MOST_STATES = 600, ROUNDS = 2, MOST_ATTEMPTS = 4, JUDGED = 1 << 12 };
/* One net of so many is wide, and asked so often that in the end nothing is remembered. */
enum { PER_WIDE_NET = 200, PAIRS = DRAFT_PLACES / 2, UNTIL_GIVEN_UP = 3 << 13 };

/* What a set is for. */
struct form {
    bool strong, directed, visible, without_idle;
};

struct judged {
    uint32_t state, set; /* a bit per transition */
    bool as_directed;
    bool is_set;
};

struct bench {
    struct random random;
    struct net *net; /* the system's */
    struct portolan_system *system;
    struct naive naive;
    unsigned char *bytes; /* of every state */
    bool visible[DRAFT_TRANSITIONS], idle[DRAFT_TRANSITIONS];
    struct {
        uint32_t place, tokens;
    } goal[2];    /* both must be marked so */
    uint32_t now; /* the state asked about */
    bool any_standing;
    struct form form;
    struct reduction *plain; /* the same but that it remembers nothing; NULL where sets may rest */
    struct judged judged[JUDGED];
    uint32_t *queue;
    bool *met[2]; /* while the member is enabled, after it was disabled */
    uint64_t sets, given_up;
};

/* ----------------------------------------------------------------- the definition */

static bool misses_goal(const struct bench *b, uint32_t state, uint32_t part)
{
    return naive_marking(&b->naive, state)[b->goal[part].place] < b->goal[part].tokens;
}

static bool is_goal(const struct bench *b, uint32_t state)
{
    return !misses_goal(b, state, 0) && !misses_goal(b, state, 1);
}

static bool is_outside(const struct bench *b, uint32_t set, uint32_t t)
{
    return !(set >> t & 1) && !(b->form.without_idle && b->idle[t]);
}

/* What no member may be asked about: the states that are reached from outside, and what happens there. */
static const char *judge_outside(struct bench *b, uint32_t set, bool directed, uint32_t state, uint32_t action)
{
    bool has_visible = false;
    for (uint32_t t = 0; t < b->net->transitions; t++)
        has_visible |= (set >> t & 1) && b->visible[t];
    if (directed)
        return is_goal(b, naive_step(&b->naive, state, action)) ? "a goal is met without it" : NULL;
    return b->form.visible && has_visible && b->visible[action] ? "a visible transition is left out" : NULL;
}

/* The member t and the step u from outside, both enabled in a state; *after is the state after u. */
static const char *judge_pair(const struct naive *n, uint32_t state, uint32_t t, uint32_t u, uint32_t after)
{
    uint32_t both = naive_step(n, after, t), first = naive_step(n, state, t);
    return both != NAIVE_NONE && naive_step(n, first, u) != both ? "a member does not commute with one left out" : NULL;
}

/* Wherever transitions outside the set lead, as far as t is concerned; *is_key: t is enabled all the way.  With t ==
 * NAIVE_NONE there is no member. */
static const char *judge_member(struct bench *b, uint32_t from, uint32_t set, bool directed, uint32_t t, bool *is_key)
{
    const struct naive *n = &b->naive;
    const char *wrong = NULL;
    uint32_t first = 0, last = 0;
    memset(b->met[0], 0, n->count);
    memset(b->met[1], 0, n->count);
    *is_key = t != NAIVE_NONE;
    b->met[0][from] = true;
    b->queue[last++] = 2 * from;
    while (first < last && !wrong) {
        uint32_t state = b->queue[first] / 2, was_disabled = b->queue[first] % 2;
        first++;
        for (uint32_t i = n->edge_offset.item[state]; i < n->edge_offset.item[state + 1] && !wrong; i++) {
            uint32_t u = n->edges.item[i].action, after = n->edges.item[i].target;
            if (!is_outside(b, set, u))
                continue;
            wrong = judge_outside(b, set, directed, state, u);
            bool enabled = t != NAIVE_NONE && naive_step(n, after, t) != NAIVE_NONE, disabled = !enabled;
            if (!wrong && was_disabled && enabled)
                wrong = "a member is disabled and enabled again from outside";
            if (!wrong && !was_disabled && enabled)
                wrong = judge_pair(n, state, t, u, after);
            *is_key &= enabled;
            disabled = t != NAIVE_NONE && disabled;
            if (!b->met[disabled][after]) {
                b->met[disabled][after] = true;
                b->queue[last++] = 2 * after + disabled;
            }
        }
    }
    return wrong;
}

static const char *judge(struct bench *b, uint32_t state, uint32_t set, bool directed)
{
    bool has_key = false, is_key;
    if (!set)
        return directed ? judge_member(b, state, set, directed, NAIVE_NONE, &is_key) : "the set is empty";
    for (uint32_t t = 0; t < b->net->transitions; t++) {
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

/* Most sets come many times. */
static const char *judge_once(struct bench *b, uint32_t state, uint32_t set, bool directed)
{
    struct judged *known = &b->judged[(state * 31 + set * 7 + directed) % JUDGED];
    if (known->is_set && known->state == state && known->set == set && known->as_directed == directed)
        return NULL;
    *known = (struct judged){.state = state, .set = set, .as_directed = directed, .is_set = true};
    return judge(b, state, set, directed);
}

/* ------------------------------------------------------------------------ asking */

/* Whatever puts tokens where they are missing; of two such places now one, now the other. */
static uint32_t find_attractors(void *user, const struct choice *choice, uint32_t *member, uint32_t stamp,
                                uint32_t *list)
{
    const struct bench *b = user;
    (void)choice;
    uint32_t part = misses_goal(b, b->now, 0) && (!misses_goal(b, b->now, 1) || b->now % 2) ? 0 : 1, count = 0;
    for (uint32_t t = 0; t < b->net->transitions; t++)
        for (uint32_t i = b->net->arc_offset[t]; i < b->net->arc_offset[t + 1]; i++) {
            const struct net_arc *arc = &b->net->arc[i];
            if (arc->place != b->goal[part].place || arc->produce <= arc->consume)
                continue;
            member[t] = stamp;
            list[count++] = t;
        }
    return count;
}

static enum successor stand(void *user, uint32_t index)
{
    struct bench *b = user;
    (void)index;
    return b->any_standing || random_chance(&b->random, 5) ? (enum successor)random_below(&b->random, 3)
                                                           : SUCCESSOR_NEW;
}

static const char *ask(struct bench *b, struct reduction *reduction, uint32_t state)
{
    uint32_t enabled[DRAFT_TRANSITIONS], chosen[DRAFT_TRANSITIONS];
    struct choice choice = {
        .state = b->bytes + state * b->system->state_bytes, .enabled = enabled, .successor = stand, .user = b};
    choice.enabled_count = b->system->enabled(b->system->model, choice.state, enabled);
    b->now = state;
    if (choice.enabled_count != naive_enabled(&b->naive, state))
        return "the number of enabled transitions";
    if (!choice.enabled_count || (b->form.directed && is_goal(b, state)))
        return NULL;
    const char *wrong = NULL;
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS && !wrong; attempt++) {
        uint32_t set = 0, count = reduction_stubborn.choose(reduction, &choice, attempt, chosen);
        for (uint32_t i = 0; i < count; i++) {
            if (chosen[i] >= choice.enabled_count)
                return "a member that is not enabled";
            set |= UINT32_C(1) << enabled[chosen[i]];
        }
        if (count == choice.enabled_count)
            return attempt == 0 && b->plain && reduction_stubborn.choose(b->plain, &choice, 0, chosen) < count
                       ? "everything, though a smaller set would do"
                       : NULL;
        wrong = judge_once(b, state, set, reduction->complete);
        b->sets++;
        if (reduction->complete)
            break;
    }
    return wrong;
}

/* Every state some times, in no order. */
static const char *ask_everywhere(struct bench *b, struct reduction *reduction)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < ROUNDS * b->naive.count && !wrong; i++)
        wrong = ask(b, reduction, random_below(&b->random, b->naive.count));
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
        b->given_up += bytes < before;
        before = bytes;
        b->any_standing = random_chance(&b->random, 85);
        wrong = ask(b, reduction, b->any_standing ? 0 : random_below(&b->random, b->naive.count));
    }
    b->any_standing = false;
    return wrong ? wrong : ask_everywhere(b, reduction);
}

/* ---------------------------------------------------------------------- one net */

static const char *check_options(struct bench *b, const char *options, bool to_the_end, struct portolan_error *error)
{
    struct reduction *reduction;
    const struct reduction_goal goal = {.attractors = find_attractors, .user = b};
    b->form.directed = strstr(options, "goal");
    b->form.visible = random_chance(&b->random, 60);
    b->form.without_idle = random_chance(&b->random, 30);
    struct reduction_demands demands = {.visible = b->form.visible ? b->visible : NULL,
                                        .goal = &goal,
                                        .prefer_strong = random_chance(&b->random, 50),
                                        .without_idle = b->form.without_idle,
                                        .judged = to_the_end || random_chance(&b->random, 30),
                                        .breadth_first = random_chance(&b->random, 50)};
    if (reduction_stubborn.make(b->system, options, &demands, &reduction, error) != PORTOLAN_OK)
        return error->message;
    demands.repeatable = true;
    b->plain = NULL;
    if (!to_the_end && reduction_stubborn.make(b->system, options, &demands, &b->plain, error) != PORTOLAN_OK) {
        reduction_stubborn.free(reduction);
        return error->message;
    }
    b->form.strong = !reduction_stubborn.is_weak(reduction);
    memset(b->judged, 0, sizeof b->judged);
    const char *wrong = to_the_end ? ask_until_given_up(b, reduction) : ask_everywhere(b, reduction);
    reduction_stubborn.free(reduction);
    if (b->plain)
        reduction_stubborn.free(b->plain);
    return wrong;
}

static void draw_demands(struct bench *b)
{
    for (uint32_t t = 0; t < b->net->transitions; t++) {
        b->visible[t] = random_chance(&b->random, 25);
        b->idle[t] = true;
        for (uint32_t i = b->net->arc_offset[t]; i < b->net->arc_offset[t + 1]; i++)
            b->idle[t] &= b->net->arc[i].consume == b->net->arc[i].produce;
    }
    for (uint32_t part = 0; part < 2; part++) {
        b->goal[part].place = random_below(&b->random, b->net->places);
        b->goal[part].tokens = 1 + random_chance(&b->random, 30);
    }
}

/* Finds the bytes of every state; the search before has made the layout wide enough. */
static bool find_bytes(struct bench *b)
{
    struct portolan_result result;
    struct portolan_options options = {.reduction = "none"};
    if (search_system(b->system, &options, &result, NULL) != PORTOLAN_OK)
        return false;
    result_clear(&result);
    size_t size = b->system->state_bytes;
    b->bytes = calloc(b->naive.count, size);
    bool *known = calloc(b->naive.count, sizeof *known);
    b->queue = calloc(2 * (size_t)b->naive.count, sizeof *b->queue);
    b->met[0] = calloc(b->naive.count, sizeof *b->met[0]);
    b->met[1] = calloc(b->naive.count, sizeof *b->met[1]);
    bool fine = b->bytes && known && b->queue && b->met[0] && b->met[1];
    if (fine)
        b->system->initial(b->system->model, b->bytes);
    for (uint32_t s = 0; fine && s < b->naive.count; s++)
        for (uint32_t i = b->naive.edge_offset.item[s]; fine && i < b->naive.edge_offset.item[s + 1]; i++) {
            struct naive_edge edge = b->naive.edges.item[i];
            if (edge.target && !known[edge.target])
                fine = b->system->fire(b->system->model, b->bytes + s * size, edge.action,
                                       b->bytes + edge.target * size) == PORTOLAN_FIRED;
            known[edge.target] = true;
        }
    free(known);
    return fine;
}

static const char *check_bench(struct bench *b, bool is_wide, const char **options, struct portolan_error *error)
{
    static const char *const all[] = {"strong",          "weak",           "goal", "strong,persistent",
                                      "weak,persistent", "goal,persistent"};
    const char *wrong = find_bytes(b) ? NULL : "out of memory";
    draw_demands(b);
    for (size_t i = 0; i < sizeof all / sizeof *all && !wrong; i++)
        wrong = check_options(b, *options = all[i], false, error);
    if (!wrong && is_wide)
        wrong = check_options(b, *options = random_chance(&b->random, 50) ? "weak" : "strong", true, error);
    return wrong;
}

static void clear_bench(struct bench *b)
{
    naive_clear(&b->naive);
    portolan_system_free(b->system); /* and the net with it */
    free(b->bytes);
    free(b->queue);
    free(b->met[0]);
    free(b->met[1]);
}

/* Draws pairs of transitions in conflict, all enabled at first; one of a pair may be in the way of the next. */
static void draw_wide(struct draft *d, struct random *random)
{
    memset(d, 0, sizeof *d);
    d->places = d->transitions = 2 * PAIRS;
    for (uint32_t i = 0; i < PAIRS; i++) {
        struct draft_arc *one = d->arc[2 * i], *other = d->arc[2 * i + 1];
        d->tokens[2 * i] = one[2 * i].consume = one[2 * i + 1].produce = other[2 * i].consume = 1;
        if (random_chance(random, 40))
            other[2 * random_below(random, PAIRS) + 1].inhibit = 1;
    }
}

struct tally {
    uint64_t passed, skipped, sets, given_up;
};

static bool check_random(uint64_t seed, uint64_t number, struct tally *tally)
{
    static struct bench bench;
    struct bench *b = &bench;
    struct draft draft;
    struct portolan_error error = {.message = "out of memory"};
    *b = (struct bench){.random = random_from(seed, number)};
    bool is_wide = number % PER_WIDE_NET == PER_WIDE_NET - 1;
    if (is_wide)
        draw_wide(&draft, &b->random);
    else
        draft_random(&draft, &b->random);
    b->net = draft_net(&draft, "random");
    const char *options = "", *wrong = NULL;
    if (!b->net || net_system_new(b->net, &b->system, &error) != PORTOLAN_OK) {
        wrong = error.message;
    } else if (naive_explore(&b->naive, b->net, MOST_STATES) != NAIVE_COMPLETE || b->naive.count < FEWEST_STATES) {
        tally->skipped++;
    } else {
        wrong = check_bench(b, is_wide, &options, &error);
        tally->passed += !wrong;
    }
    if (wrong)
        printf("net %" PRIu64 " of seed %" PRIu64 ", stubborn:%s%s%s, state %u: %s\n  reproduce: stubborn_sets --seed "
               "%" PRIu64 " --first %" PRIu64 " --nets 1\n",
               number, seed, options, b->form.visible ? ", visible" : "", b->form.without_idle ? ", without idle" : "",
               b->now, wrong, seed, number);
    tally->sets += b->sets;
    tally->given_up += b->given_up;
    clear_bench(b);
    return !wrong;
}

int main(int count, char **words)
{
    uint64_t nets = 300, seed = 1, first = 0;
    struct tally tally = {0};
    for (int i = 1; i < count; i += 2) {
        uint64_t *number = strcmp(words[i], "--nets") == 0    ? &nets
                           : strcmp(words[i], "--seed") == 0  ? &seed
                           : strcmp(words[i], "--first") == 0 ? &first
                                                              : NULL;
        if (!number || i + 1 == count) {
            fprintf(stderr, "usage: stubborn_sets [--nets N] [--seed S] [--first K]\n");
            return 2;
        }
        *number = strtoull(words[i + 1], NULL, 10);
    }
    bool fine = true;
    for (uint64_t k = first; fine && k < first + nets; k++)
        fine = check_random(seed, k, &tally);
    if (fine && nets >= PER_WIDE_NET && !tally.given_up) {
        printf("nothing was ever given up\n");
        fine = false;
    }
    printf("stubborn_sets: %" PRIu64 " nets passed, %" PRIu64 " skipped, %" PRIu64 " sets\n", tally.passed,
           tally.skipped, tally.sets);
    return fine ? 0 : 1;
}
