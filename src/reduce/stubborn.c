/* SPDX-License-Identifier: Apache-2.0 */
#include "reduce/stubborn.h"

#include "base/apart.h"
#include "base/diagnostic.h"
#include "base/limits.h"
#include "system/arguments.h"

#include <stdlib.h>
#include <string.h>

/* Effort: what may be spent in advance, what a success earns, what a state that is passed by pays back; and what
 * keeping to one order of transitions may cost in all. */
enum { CREDIT = 4000000, REWARD = 8, REPAID_PER_STATE = 8, REPAID_PER_ACTION = 1, MOST_ORDER_EFFORT = 200000 };
/* Between two looks at whether sets pay, how many times as many states they then rest; what a state, an action and a
 * unit of effort cost, in about nanoseconds; what it costs to find out whether a successor was seen. */
enum { EFFORT_PER_LOOK = 20000000, FIRST_REST = 8, PER_STATE = 100, PER_ACTION = 60, PER_EFFORT = 6 };
enum { EFFORT_PER_SUCCESSOR = 50 };

static struct portolan_stubborn *stubborn(struct reduction *reduction)
{
    return (struct portolan_stubborn *)reduction;
}

/* Before guards are asked for. */
static void begin_guards(struct portolan_stubborn *s)
{
    if (++s->stamp == 0) { /* after 2^32 states every old stamp must go */
        s->stamp = 1;
        memset(s->enabled_stamp, 0, s->relations->transitions * sizeof *s->enabled_stamp);
        memset(s->guard_stamp, 0, s->relations->guards * sizeof *s->guard_stamp);
        if (s->directed)
            memset(s->attractor_stamp, 0, s->relations->transitions * sizeof *s->attractor_stamp);
        closure_forget(s);
    }
}

/* And before sets are computed. */
static void begin_enabled(struct portolan_stubborn *s, const struct choice *choice)
{
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (!s->idle[choice->enabled[i]])
            s->enabled_stamp[choice->enabled[i]] = s->stamp;
}

static void begin_state(struct portolan_stubborn *s, const struct choice *choice)
{
    begin_guards(s);
    begin_enabled(s, choice);
}

static uint32_t choose_all(const struct choice *choice, uint32_t *out)
{
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        out[i] = i;
    return choice->enabled_count;
}

static void look_at_successors(struct portolan_stubborn *s, const struct choice *choice)
{
    if (choice->look_ahead)
        choice->look_ahead(choice->user);
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        s->standing[i] =
            choice->successor ? (unsigned char)choice->successor(choice->user, i) : (unsigned char)SUCCESSOR_NEW;
}

/* What goes first by where its successor stands: what a proviso refuses, then what costs a new state; when such a set
 * has been refused, what costs none. */
static uint64_t standing_score(enum successor standing, bool new_first)
{
    static const unsigned char new_gladly[] = {[SUCCESSOR_NEW] = 1, [SUCCESSOR_SEEN] = 0, [SUCCESSOR_REFUSED] = 2};
    return new_first ? new_gladly[standing] : standing == SUCCESSOR_SEEN;
}

/* How gladly an enabled transition is deleted: it has nothing to do with the goal, its successor is not wanted, it has
 * many conflicts, comes early in the flow (tokens that are nearly through are drained before others are let in). */
static uint64_t deletion_score(struct portolan_stubborn *s, const struct choice *choice, uint32_t index, bool new_first)
{
    uint32_t t = choice->enabled[index], conflicts = list_length(&s->conflicts, t);
    uint32_t enabled_conflicts = deletion_enabled_conflicts(s, t);
    return (uint64_t)!stubborn_is_relevant(s, t) << 63 | standing_score(s->standing[index], new_first) << 61 |
           (uint64_t)(enabled_conflicts & 0xfffff) << 41 | (uint64_t)(conflicts & 0xfffff) << 21 |
           (~s->rank[t] & 0x1fffff);
}

static void order_for_deletion(struct portolan_stubborn *s, const struct choice *choice, bool new_first)
{
    for (uint32_t i = 0; i < choice->enabled_count; i++) {
        uint64_t score = deletion_score(s, choice, i, new_first);
        uint32_t at = i;
        for (; at > 0 && s->score[at - 1] < score; at--) {
            s->score[at] = s->score[at - 1];
            s->order[at] = s->order[at - 1];
        }
        s->score[at] = score;
        s->order[at] = i;
    }
}

/* The order that deletes enabled[last] last and the others from the last to the first. */
static void order_around(struct portolan_stubborn *s, const struct choice *choice, uint32_t last)
{
    uint32_t at = 0;
    for (uint32_t i = choice->enabled_count; i-- > 0;)
        if (i != last)
            s->order[at++] = i;
    s->order[at] = last;
}

/* What deletion leaves in the present order or, where that is no larger, when each in turn is deleted last; full sets
 * are minimal in any order. */
static uint32_t delete_closely(struct portolan_stubborn *s, const struct choice *choice, bool new_first, uint32_t *out)
{
    uint32_t count = deletion_choose(s, choice, s->order, out), best = UINT32_MAX;
    if (!s->closely || count <= 1 || count == choice->enabled_count)
        return count;
    for (uint32_t last = 0; last < choice->enabled_count && count > 1 && !limits_reached(); last++) {
        deletion_begin(s, choice);
        order_around(s, choice, last);
        uint32_t other = deletion_choose(s, choice, s->order, out);
        if (other < count || (best == UINT32_MAX && other == count)) {
            count = other;
            best = last;
        }
    }
    deletion_begin(s, choice); /* once more, for its reasons */
    if (best == UINT32_MAX)
        order_for_deletion(s, choice, new_first);
    else
        order_around(s, choice, best);
    return deletion_choose(s, choice, s->order, out);
}

/* What is known without looking at successors; 0: nothing.  Kind tells apart what is computed in one state. */
static uint32_t remember(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind, uint32_t *out)
{
    uint32_t count = s->remembered ? remembered_find(s, choice, kind, out) : 0;
    return count == 0 && s->remembered && remembered_gives_up(s, choice) ? choose_all(choice, out) : count;
}

/* What deletion leaves. */
static uint32_t delete_or_remember(struct portolan_stubborn *s, const struct choice *choice, uint32_t kind,
                                   bool new_first, uint32_t *out)
{
    bool is_asked = choice->was_asked && s->asked_early && kind == 0;
    s->work += is_asked ? s->early_work : 0;
    uint32_t count = is_asked ? 0 : remember(s, choice, kind, out);
    if (count)
        return count;
    if (s->judged) {
        look_at_successors(s, choice);
        if (s->remembered && (count = remembered_find_judged(s, choice, out)))
            return count;
    }
    begin_enabled(s, choice);
    deletion_begin(s, choice);
    bool is_full = s->learned && !s->seeks_goal && learned_is_full(s, choice);
    if (!s->judged && !is_full)
        look_at_successors(s, choice);
    if (!is_full)
        order_for_deletion(s, choice, new_first);
    if (!s->remembered)
        return delete_closely(s, choice, new_first, out);
    count = is_full ? 0 : remembered_carry_over(s, choice, out);
    if (is_full) {
        count = choose_all(choice, out);
        remembered_keep(s, choice, out, count);
    } else if (count == 0) {
        count = delete_closely(s, choice, new_first, out);
        if (count)
            remembered_keep(s, choice, out, count);
    }
    if (!s->seeks_goal)
        outlook_learn(s, choice, out, count);
    return count;
}

/* The next best set of the algorithm, 0 when it has no more.  Deletion has two; where a proviso refuses both, the
 * closure has others. */
static uint32_t compute(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out)
{
    unsigned attempt = s->attempts++;
    if (s->algorithm == STUBBORN_CLOSURE || attempt > 1)
        begin_enabled(s, choice);
    if (s->algorithm == STUBBORN_CLOSURE)
        return closure_choose(s, choice, attempt, out);
    if (attempt > 1)
        return closure_choose(s, choice, attempt - 2, out);
    return delete_or_remember(s, choice, attempt, attempt == 0, out);
}

/* Keeps the cost small where sets keep coming out full. */
static bool passed_by(struct portolan_stubborn *s, const struct choice *choice)
{
    if (!s->adaptive || (s->balance >= 0 && s->rest_left == 0))
        return false;
    if (s->rest_left > 0) {
        if (--s->rest_left == 0)
            s->states = s->offered = s->taken = 0;
        return true;
    }
    s->balance += REPAID_PER_STATE + REPAID_PER_ACTION * (int64_t)choice->enabled_count;
    return true;
}

/* Would it have been cheaper without sets?  A state costs what it does to list, fire and insert its actions, and with
 * sets their computation besides.  One action of each leads on; of the others sets leave a part, and of the states
 * about the square of that: several ways lead to each.  If so, sets are left alone for some time, each time for longer.
 */
static void look_whether_sets_pay(struct portolan_stubborn *s)
{
    double states = (double)s->states, offered = (double)s->offered, taken = (double)s->taken;
    double left = offered > states ? (taken - states) / (offered - states) : 1;
    double without = PER_STATE * states + PER_ACTION * offered;
    double with = PER_STATE * states + PER_ACTION * taken + PER_EFFORT * (double)s->effort;
    bool pays = left * left * with <= without;
    s->rest = pays ? 0 : s->rest ? 2 * s->rest : FIRST_REST * s->states;
    s->rest_left = s->rest;
    s->states = s->offered = s->taken = 0;
    s->effort = 0;
}

static void account(struct portolan_stubborn *s, bool reduced)
{
    s->effort += s->work;
    if (s->effort > EFFORT_PER_LOOK)
        look_whether_sets_pay(s);
    s->balance_if_refused = s->balance - s->work;
    s->balance += reduced ? REWARD * s->work : -s->work;
    if (s->balance > CREDIT)
        s->balance = CREDIT;
}

/* Is the first enabled transition a set by itself, though it has conflicts?  Taking it keeps to one order, which makes
 * for short paths; on a large model that gains little, so the effort for it is bounded once and for all. */
static bool first_is_single(struct portolan_stubborn *s, const struct choice *choice)
{
    if (!s->adaptive || s->order_effort > MOST_ORDER_EFFORT || s->idle[choice->enabled[0]])
        return false;
    begin_state(s, choice);
    s->work = 0;
    bool single = closure_is_alone(s, choice, choice->enabled[0]);
    s->order_effort += s->work;
    return single;
}

/* Does a transition without conflicts lead to a state that was seen before?  Where that hardly ever happens, nobody
 * asks for a while. */
static bool is_seen(struct portolan_stubborn *s, const struct choice *choice, uint32_t index)
{
    if (!choice->successor)
        return false;
    if (s->adaptive && s->seen_balance < 0) {
        s->seen_balance++;
        return false;
    }
    bool seen = choice->successor(choice->user, index) == SUCCESSOR_SEEN;
    s->seen_balance += seen ? REWARD * EFFORT_PER_SUCCESSOR : -EFFORT_PER_SUCCESSOR;
    if (s->seen_balance > CREDIT)
        s->seen_balance = CREDIT;
    return seen;
}

/* Is no other one of the same number enabled beside this one, which is local? */
static bool is_alone(const struct portolan_stubborn *s, const struct choice *choice, uint32_t index)
{
    uint32_t number = s->local ? s->local[choice->enabled[index]] : UINT32_MAX, count = 0;
    for (uint32_t i = 0; number != UINT32_MAX && i < choice->enabled_count; i++)
        count += s->local[choice->enabled[i]] == number;
    return count == 1;
}

static bool is_single(const struct portolan_stubborn *s, const struct choice *choice, uint32_t index)
{
    return !list_length(&s->conflicts, choice->enabled[index]) || is_alone(s, choice, index);
}

/* A transition without conflicts is a stubborn set by itself.  One whose successor was seen before costs nothing; else
 * the first is taken, and the very first of all when that will do: always in the same order, so that equal sequences
 * are not mixed. */
static bool choose_single(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; s->has_singles && i < choice->enabled_count; i++) {
        uint32_t t = choice->enabled[i];
        if (!is_single(s, choice, i) || s->idle[t] || !stubborn_is_relevant(s, t))
            continue;
        if (is_seen(s, choice, i)) {
            out[0] = i;
            return true;
        }
        if (best == UINT32_MAX)
            best = i;
    }
    if (best == UINT32_MAX)
        return false;
    out[0] = best > 0 && first_is_single(s, choice) ? 0 : best;
    return true;
}

/* What the attractors bring along; none when no goal can be reached. */
static uint32_t seek_goal(struct portolan_stubborn *s, const struct choice *choice, uint32_t *out)
{
    uint32_t count;
    begin_state(s, choice);
    s->seeks_goal = true;
    s->attractor_count = s->goal->attractors(s->goal->user, choice, s->attractor_stamp, s->stamp, s->attractors);
    s->work = s->attractor_count;
    if (s->algorithm == STUBBORN_CLOSURE) {
        count = closure_of(s, choice, s->attractors, s->attractor_count, out);
    } else {
        count = delete_or_remember(s, choice, 2, true, out);
    }
    s->seeks_goal = false;
    return count;
}

static uint32_t choose_undirected(struct portolan_stubborn *s, const struct choice *choice, unsigned attempt,
                                  uint32_t *out)
{
    if (choice->enabled_count <= 1)
        return choose_all(choice, out);
    if (attempt == 0) {
        s->attempts = 0;
        s->balance_if_refused = s->balance;
        if (choose_single(s, choice, out))
            return 1;
    }
    s->balance = s->balance_if_refused;
    if (passed_by(s, choice))
        return choose_all(choice, out);
    begin_guards(s);
    s->work = 0;
    uint32_t count = compute(s, choice, out);
    account(s, count > 0 && count < choice->enabled_count);
    return count ? count : choose_all(choice, out);
}

/* The directed set, or another one where that is smaller and the proviso does not mind. */
static uint32_t choose_directed(struct portolan_stubborn *s, const struct choice *choice, unsigned attempt,
                                uint32_t *out)
{
    if (choice->enabled_count == 0)
        return 0;
    if (attempt == 0) {
        if (passed_by(s, choice))
            return choose_all(choice, out);
        s->goal_set_count = seek_goal(s, choice, s->goal_set);
        account(s, s->goal_set_count < choice->enabled_count);
        uint32_t others = s->has_others && s->goal_set_count > 1 ? choose_undirected(s, choice, 0, out) : UINT32_MAX;
        if (others < s->goal_set_count)
            return others;
    }
    memcpy(out, s->goal_set, s->goal_set_count * sizeof *out);
    s->base.complete = true;
    return s->goal_set_count;
}

static void count_state(struct portolan_stubborn *s, const struct choice *choice, uint32_t taken)
{
    s->states++;
    s->offered += choice->enabled_count;
    s->taken += taken;
}

static uint32_t choose(struct reduction *reduction, const struct choice *choice, unsigned attempt, uint32_t *out)
{
    struct portolan_stubborn *s = stubborn(reduction);
    reduction->complete = false;
    uint32_t count =
        s->directed ? choose_directed(s, choice, attempt, out) : choose_undirected(s, choice, attempt, out);
    if (attempt == 0)
        count_state(s, choice, count);
    return count;
}

static bool has_single(const struct portolan_stubborn *s, const struct choice *choice)
{
    for (uint32_t i = 0; s->has_singles && i < choice->enabled_count; i++)
        if (is_single(s, choice, i))
            return true;
    return false;
}

/* What is remembered, where that is what choose asks first. */
static uint32_t choose_early(struct reduction *reduction, const struct choice *choice, uint32_t *out)
{
    struct portolan_stubborn *s = stubborn(reduction);
    s->asked_early = false;
    if (s->directed || !s->remembered || has_single(s, choice) || (s->adaptive && (s->balance < 0 || s->rest_left > 0)))
        return 0;
    begin_guards(s);
    s->work = 0;
    uint32_t count = choice->enabled_count <= 1 ? choose_all(choice, out) : remember(s, choice, 0, out);
    s->asked_early = count == 0;
    s->early_work = s->work;
    if (count == 0)
        return 0;
    s->attempts = 1;
    s->balance_if_refused = s->balance;
    if (choice->enabled_count > 1)
        account(s, count < choice->enabled_count);
    count_state(s, choice, count);
    return count;
}

static uint32_t choose_complete(struct reduction *reduction, const struct choice *choice, uint32_t *out)
{
    struct portolan_stubborn *s = stubborn(reduction);
    return s->directed ? seek_goal(s, choice, out) : choose_all(choice, out);
}

static uint32_t choose_with(struct reduction *reduction, const struct choice *choice, uint32_t action, uint32_t *out)
{
    struct portolan_stubborn *s = stubborn(reduction);
    begin_state(s, choice);
    if (!s->idle[action])
        return closure_of(s, choice, &action, 1, out);
    for (*out = 0; choice->enabled[*out] != action;)
        ++*out;
    return 1;
}

static bool is_weak(const struct reduction *reduction)
{
    return ((const struct portolan_stubborn *)reduction)->weak;
}

static size_t bytes(const struct reduction *reduction)
{
    const struct portolan_stubborn *s = (const struct portolan_stubborn *)reduction;
    uint32_t n = s->relations->transitions;
    return sizeof(uint32_t) *
               ((size_t)s->conflicts.offset[n] * 2 + (size_t)s->overrides.offset[n] * 2 + (size_t)n * 16) +
           (s->remembered ? remembered_bytes(s->remembered) + carried_bytes(s->carried) : 0) +
           (s->learned ? learned_bytes(s->learned) : 0);
}

static void free_stubborn(struct reduction *reduction)
{
    portolan_stubborn_free(stubborn(reduction));
}

void portolan_stubborn_free(struct portolan_stubborn *s)
{
    if (!s)
        return;
    lists_clear(&s->conflicts);
    lists_clear(&s->overrides);
    lists_clear(&s->users);
    lists_clear(&s->may_enable);
    lists_clear(&s->may_disable);
    closure_free(s->closure);
    deletion_free(s->deletion);
    remembered_free(s->remembered);
    carried_free(s->carried);
    outlook_free(s->outlook);
    learned_free(s->learned);
    free(s->standing);
    free(s->visible);
    free(s->enabled_stamp);
    free(s->guard_stamp);
    free(s->guard_value);
    free(s->idle);
    free(s->order);
    free(s->score);
    free(s->rank);
    free(s->relevant);
    free(s->local);
    free(s->enabled);
    free(s->attractor_stamp);
    free(s->attractors);
    free(s->goal_set);
    free(s);
}

static enum portolan_status read_options(struct portolan_stubborn *s, const char *options, struct portolan_error *error)
{
    bool closure = false, weak = false;
    s->pairwise = s->relations->transitions <= STUBBORN_PAIRWISE;
    s->algorithm = STUBBORN_DELETION;
    s->adaptive = true;
    struct option_word word;
    while (next_option(&options, &word)) {
        if (strcmp(word.text, "weak") == 0)
            s->weak = weak = s->weak_asked = true;
        else if (strcmp(word.text, "strong") == 0)
            s->weak = false;
        else if (strcmp(word.text, "closure") == 0)
            closure = true;
        else if (strcmp(word.text, "deletion") == 0)
            closure = false;
        else if (strcmp(word.text, "guards") == 0)
            s->pairwise = false;
        else if (strcmp(word.text, "persistent") == 0)
            s->adaptive = false;
        else if (strcmp(word.text, "goal") == 0)
            s->directed = true;
        else
            return unknown_option(&reduction_stubborn, word.text, error);
    }
    if (s->directed && !s->goal)
        return fail(error, PORTOLAN_REFUSED, "'goal' needs an invariant or a reachability property to be directed at");
    if (s->directed && s->relations->has_fallbacks)
        return fail(error, PORTOLAN_REFUSED, "goal-directed sets take no account of timeouts, which this model has");
    closure |= !s->pairwise;
    if (closure && weak)
        return fail(error, PORTOLAN_BAD_OPTION,
                    "weak stubborn sets are computed by deletion, pair by pair, not by closure or guards");
    if (closure) {
        s->algorithm = STUBBORN_CLOSURE;
        s->weak = false;
    }
    return PORTOLAN_OK;
}

enum portolan_status stubborn_make(const struct portolan_system *system, const char *options,
                                   const struct reduction_demands *demands, struct portolan_stubborn **result,
                                   struct portolan_error *error)
{
    if (!system->relations)
        return fail(error, PORTOLAN_REFUSED, "this system does not provide the relations that stubborn sets need");
    struct portolan_stubborn *s = calloc_apart(1, sizeof *s);
    if (!s)
        return fail_memory(error);
    s->base.class = &reduction_stubborn;
    s->system = system;
    s->relations = system->relations;
    s->balance = s->seen_balance = CREDIT;
    s->goal = demands->goal;
    s->has_others = demands->visible;
    s->without_idle = demands->without_idle;
    s->judged = demands->judged;
    s->weak = !demands->prefer_strong; /* unless the options say otherwise */
    enum portolan_status status = read_options(s, options, error);
    if (status != PORTOLAN_OK) {
        free(s);
        return status;
    }
    s->closely = !s->adaptive; /* where effort does not count, sets are compared more closely */
    s->judged |= s->closely;
    s->adaptive &= !demands->repeatable;
    const struct portolan_stubborn *beside = (const struct portolan_stubborn *)demands->beside;
    size_t n = (size_t)s->relations->transitions + 1;
    s->enabled_stamp = calloc_apart(n, sizeof *s->enabled_stamp);
    s->guard_stamp = calloc_apart((size_t)s->relations->guards + 1, sizeof *s->guard_stamp);
    s->guard_value = calloc_apart((size_t)s->relations->guards + 1, sizeof *s->guard_value);
    s->standing = calloc_apart(n, sizeof *s->standing);
    s->order = calloc_apart(n, sizeof *s->order);
    s->score = calloc_apart(n, sizeof *s->score);
    s->enabled = calloc_apart(n, sizeof *s->enabled);
    s->attractor_stamp = calloc_apart(s->directed ? n : 1, sizeof *s->attractor_stamp);
    s->attractors = calloc_apart(s->directed ? n : 1, sizeof *s->attractors);
    s->goal_set = calloc_apart(s->directed ? n : 1, sizeof *s->goal_set);
    if (!s->attractor_stamp || !s->attractors || !s->goal_set || !s->enabled_stamp || !s->guard_stamp ||
        !s->guard_value || !s->standing || !s->order || !s->score || !s->enabled || !stubborn_prepare(s, demands) ||
        !closure_make(s) || (s->algorithm == STUBBORN_DELETION && !deletion_make(s)) ||
        (s->algorithm == STUBBORN_DELETION && !demands->repeatable &&
         (!remembered_make(s, beside) || !carried_make(s, beside) || !outlook_make(s) || !learned_make(s)))) {
        portolan_stubborn_free(s);
        return fail_memory(error);
    }
    *result = s;
    return PORTOLAN_OK;
}

static enum portolan_status make(const struct portolan_system *system, const char *options,
                                 const struct reduction_demands *demands, struct reduction **reduction,
                                 struct portolan_error *error)
{
    struct portolan_stubborn *s;
    enum portolan_status status = stubborn_make(system, options, demands, &s, error);
    if (status == PORTOLAN_OK)
        *reduction = &s->base;
    return status;
}

static const struct reduction_variant variants[] = {{"stubborn", true},
                                                    {"stubborn:strong", true},
                                                    {"stubborn:weak", false},
                                                    {"stubborn:closure", true},
                                                    {"stubborn:persistent", false},
                                                    {"stubborn:strong,persistent", false},
                                                    {"stubborn:weak,persistent", false},
                                                    {"stubborn:closure,persistent", false},
                                                    {"stubborn:guards", false},
                                                    {"stubborn:goal", true},
                                                    {"stubborn:goal,persistent", false},
                                                    {"stubborn:goal,closure", false},
                                                    {"stubborn:goal,guards", false},
                                                    {NULL, false}};

const struct reduction_class reduction_stubborn = {
    .name = "stubborn",
    .summary = "strong or weak stubborn sets",
    .options = "goal, weak | strong, deletion | closure | guards (as for large models), persistent (never pause)",
    .preserves = "deadlocks; with a proviso invariants, and LTL without X; with 'goal' invariants without a proviso",
    .variants = variants,
    .needs_relations = true,
    .reduces = true,
    .make = make,
    .choose = choose,
    .choose_early = choose_early,
    .choose_complete = choose_complete,
    .choose_with = choose_with,
    .is_weak = is_weak,
    .bytes = bytes,
    .free = free_stubborn};

enum portolan_status portolan_stubborn_new(const struct portolan_system *system, const char *options,
                                           struct portolan_stubborn **result, struct portolan_error *error)
{
    struct reduction_demands demands = {.repeatable = true};
    if (check_system(system, error) || check_pointer(result, "the place for the result", error))
        return PORTOLAN_BAD_OPTION;
    *result = NULL;
    if (check_lists(system, error))
        return PORTOLAN_BAD_OPTION;
    return stubborn_make(system, options ? options : "", &demands, result, error);
}

uint32_t portolan_stubborn_set(struct portolan_stubborn *s, const void *state, uint32_t *out)
{
    if (!s || !state || !out)
        return 0;
    struct choice choice = {.state = state, .enabled = s->enabled};
    choice.enabled_count = s->system->enabled(s->system->model, state, s->enabled);
    uint32_t count = choose(&s->base, &choice, 0, out);
    for (uint32_t i = 0; i < count; i++)
        out[i] = s->enabled[out[i]];
    return count;
}
