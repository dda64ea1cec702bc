/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local partial-order reduction (Bokor, Kinder, Serafini, Suri, "Supporting domain-specific state space reductions
 * through local partial-order reduction", ASE 2011), algorithm 2.
 *
 * The set begins with one enabled transition.  On behalf of each member t, enabled transitions join until nothing that
 * t depends on can happen outside the set: those that t depends on themselves, and those that can begin a sequence
 * of enablings towards one that t depends on.  Without NET, that is read off the forward enable sets (lpor_tables.c).
 *
 * NET, the necessary enabling transitions, in the generalised, state-conditional form: a disabled transition waits for
 * each condition that it needs and that does not hold, and of a quorum of k, of which h hold, for k - h more.  What can
 * happen without the members of the set is a least fixpoint over conditions: one can come to hold when a transition
 * that may turn it true can come to be enabled.  The document carries along with each forward enable set which
 * transitions its sequences need (the `en` fields) and drops a sequence when a member is among them; in the fixpoint
 * such a sequence does not come about, nor one that needs what only another such sequence would bring.
 *
 * The fixpoint is found once a state, without any set.  It is larger than that of any set, so that what is not in it
 * needs no second look; and what is in it is there for a reason, a tree of enablings that ends in enabled transitions.
 * Only when a member is at such an end, the fixpoint is computed again, without the members.
 *
 * Required: the relations of portolan/lpor.h.  Sets are strongly stubborn (D1 and D2, every member is a key): deadlocks
 * are preserved; with visibility and a proviso invariants, and LTL without X.  No search path is needed.
 */
#include "reduce/lpor.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "system/arguments.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Effort, in list entries: what may be spent in advance, what earns the part of a set that NET makes superfluous, what
 * a state that is passed by repays. */
enum { CREDIT = 1000000, REWARD = 3, REPAID_PER_STATE = 4 };

static bool is_enabled(const struct portolan_lpor *l, uint32_t t)
{
    return bit_get(l->enabled_row, t);
}

static bool is_member(const struct portolan_lpor *l, uint32_t t)
{
    return bit_get(l->set, t);
}

static void join(struct portolan_lpor *l, uint32_t t, uint32_t *size)
{
    bit_set(l->set, t);
    l->members[(*size)++] = t;
}

/* -------------------------------------------------- without NET: forward enable sets */

static bool is_alone(struct portolan_lpor *l, uint32_t t)
{
    const uint64_t *leads = lpor_leads_to(l, t);
    uint64_t others = 0;
    for (uint32_t i = 0; i < l->live_count; i++)
        others |= leads[l->live[i]] & l->enabled_row[l->live[i]];
    return !others;
}

/* Returns the size of the set, or gives up when it reaches the limit; so does the other one. */
static uint32_t close_plainly(struct portolan_lpor *l, uint32_t initial, uint32_t limit)
{
    uint32_t size = 1, members = 0, u;
    join(l, initial, &members);
    for (uint32_t i = 0; i < members && size < limit; i++) {
        uint32_t t = l->members[i];
        const uint64_t *leads = lpor_leads_to(l, t);
        for (uint32_t k = 0; k < l->live_count; k++)
            for_bits(u, leads[l->live[k]] & l->enabled_row[l->live[k]] & ~l->set[l->live[k]], l->live[k])
            {
                join(l, u, &members);
                size++;
                if (l->is_transitive && row_has(&l->depends_on, t, u))
                    members--; /* it asks for nobody that its dependent does not ask for: not to be looked at */
            }
    }
    return size;
}

/* ------------------------------------------------------------ NET: what can happen */

static bool holds(struct portolan_lpor *l, uint32_t condition)
{
    if (condition >= l->r.conditions)
        return is_enabled(l, condition - l->r.conditions);
    if (l->known[condition] - l->known_stamp > 1)
        l->known[condition] = l->known_stamp + l->r.holds(l->r.user, l->state, condition);
    return l->known[condition] != l->known_stamp;
}

static bool may_hold(struct portolan_lpor *l, const struct reach *reach, uint32_t condition)
{
    return reach->condition[condition] == reach->round || holds(l, condition);
}

/* All that t needs, and enough of each quorum. */
static bool has_what_it_needs(struct portolan_lpor *l, const struct reach *reach, uint32_t t)
{
    for_list (c, l->needs, t)
        if (!may_hold(l, reach, *c))
            return false;
    if (!l->r.quorums)
        return true;
    for_list (q, l->r.quorums_of, t) {
        uint32_t there = 0;
        for_list (c, l->r.quorum, *q)
            there += may_hold(l, reach, *c);
        if (there < l->r.least[*q])
            return false;
    }
    return true;
}

static uint32_t take(struct portolan_lpor *l, struct reach *reach, uint32_t t, uint32_t count)
{
    for_list (c, l->enables, t) {
        l->work++;
        if (may_hold(l, reach, *c))
            continue;
        reach->condition[*c] = reach->round;
        reach->enabled_by[*c] = t;
        l->queue[count++] = *c;
        reach->order[*c] = count;
    }
    return count;
}

static void next_round(const struct portolan_lpor *l, struct reach *reach)
{
    if (++reach->round < UINT32_MAX / 2)
        return;
    reach->round = 1;
    memset(reach->condition, 0, l->conditions * sizeof *reach->condition);
    memset(reach->transition, 0, l->r.transitions * sizeof *reach->transition);
    memset(reach->taken, 0, l->r.transitions * sizeof *reach->taken);
}

/* The conditions that can come to hold when nothing of `without` is taken. */
static void find_reach(struct portolan_lpor *l, struct reach *reach, const uint64_t *without)
{
    uint32_t count = 0;
    next_round(l, reach);
    for (uint32_t i = 0; i < l->enabled_count; i++) {
        if (without && bit_get(without, l->enabled[i]))
            continue;
        reach->taken[l->kind[l->enabled[i]]] = reach->round;
        count = take(l, reach, l->enabled[i], count);
    }
    for (uint32_t i = 0; i < count; i++)
        for_list (t, l->users, l->queue[i]) {
            l->work++;
            if (reach->taken[l->kind[*t]] == reach->round || is_enabled(l, *t) || !has_what_it_needs(l, reach, *t))
                continue;
            reach->taken[l->kind[*t]] = reach->round;
            count = take(l, reach, *t, count);
        }
}

static void find_everything(struct portolan_lpor *l)
{
    find_reach(l, &l->everything, NULL);
    memset(l->impossible, 0, l->words * sizeof *l->impossible);
    for (uint32_t c = 0; l->needed_by && c < l->conditions; c++)
        if (!may_hold(l, &l->everything, c))
            for (size_t w = 0; w < l->words; w++)
                l->impossible[w] |= l->needed_by[c * l->words + w];
}

static bool is_possible(struct portolan_lpor *l, struct reach *reach, uint32_t t)
{
    if (is_enabled(l, t))
        return true;
    if (reach->transition[t] / 2 != reach->round)
        reach->transition[t] = 2 * reach->round + has_what_it_needs(l, reach, t);
    return reach->transition[t] & 1;
}

/* ------------------------------------------------------------- NET: why it can happen */

struct reason {
    uint32_t count;    /* disabled transitions on the way, in the queue */
    uint32_t first;    /* an enabled one at the end of the way, NONE before one is found */
    bool needs_member; /* some end is a member of the set */
};

static void explain_condition(struct portolan_lpor *l, const struct reach *reach, uint32_t condition, struct reason *r)
{
    if (l->walked[condition] == l->walk)
        return;
    l->walked[condition] = l->walk;
    uint32_t by = reach->enabled_by[condition];
    if (!is_enabled(l, by))
        l->queue[r->count++] = by;
    else if (is_member(l, by))
        r->needs_member = true;
    else if (r->first == NONE)
        r->first = by;
}

/* The first of the conditions to come that make up for what is missing: what came later may be the doing of the very
 * transition that waits for the quorum. */
static void explain_quorum(struct portolan_lpor *l, const struct reach *reach, uint32_t quorum, struct reason *r)
{
    uint32_t there = 0, last = 0;
    for_list (c, l->r.quorum, quorum)
        there += holds(l, *c);
    for (; there < l->r.least[quorum]; there++) {
        uint32_t next = NONE;
        for_list (c, l->r.quorum, quorum)
            if (!holds(l, *c) && may_hold(l, reach, *c) && reach->order[*c] > last &&
                (next == NONE || reach->order[*c] < reach->order[next]))
                next = *c;
        if (next == NONE)
            return;
        last = reach->order[next];
        explain_condition(l, reach, next, r);
    }
}

/* An enabled transition outside the set with which a way to the possible t begins; NONE when the way that is known
 * needs a member. */
static uint32_t origin(struct portolan_lpor *l, const struct reach *reach, uint32_t t)
{
    struct reason r = {.first = NONE};
    if (++l->walk == 0) {
        l->walk = 1;
        memset(l->walked, 0, l->conditions * sizeof *l->walked);
    }
    l->queue[r.count++] = t;
    for (uint32_t i = 0; i < r.count && !r.needs_member; i++) {
        for_list (c, l->needs, l->queue[i])
            if (!holds(l, *c))
                explain_condition(l, reach, *c, &r);
        if (l->r.quorums)
            for_list (q, l->r.quorums_of, l->queue[i])
                explain_quorum(l, reach, *q, &r);
        l->work++;
    }
    return r.needs_member ? NONE : r.first;
}

/* On behalf of a member that depends on t: who must join, NONE when t cannot happen outside the set. */
static uint32_t must_join(struct portolan_lpor *l, struct reach **reach, uint32_t t)
{
    l->work++;
    if (!is_possible(l, *reach, t)) {
        if (*reach == &l->everything)
            bit_set(l->impossible, t);
        return NONE;
    }
    if (is_enabled(l, t))
        return t;
    uint32_t first = origin(l, *reach, t);
    if (first != NONE)
        return first;
    *reach = &l->others;
    find_reach(l, *reach, l->set);
    return is_possible(l, *reach, t) ? origin(l, *reach, t) : NONE;
}

static bool depends_on_enabled(const struct portolan_lpor *l, uint32_t t)
{
    uint64_t common = 0;
    for (uint32_t i = 0; i < l->live_count; i++) {
        size_t w = l->live[i];
        uint64_t own = w == t / 64 ? UINT64_C(1) << t % 64 : 0;
        common |= row_word(&l->depends_on, t, w) & l->enabled_row[w] & ~own;
    }
    return common;
}

/* On behalf of a member that depends on those: enabled transitions join; false when that is too much. */
static bool join_for(struct portolan_lpor *l, struct reach **reach, uint64_t bits, size_t word, uint32_t *size,
                     uint32_t limit)
{
    uint32_t t, first;
    for_bits(t, bits, word)
    {
        while (!is_member(l, t) && (first = must_join(l, reach, t)) != NONE) {
            if (!bit_get(l->within, first))
                return false;
            join(l, first, size);
        }
        if (*size >= limit)
            return false;
    }
    return true;
}

static uint32_t close_with_net(struct portolan_lpor *l, uint32_t initial, uint32_t limit)
{
    struct reach *reach = &l->everything; /* or another one that was right when the set was smaller */
    uint32_t size = 0;
    join(l, initial, &size);
    for (uint32_t i = 0; i < size; i++)
        for (size_t b = 0; b < l->depends_on.blocks; b++) {
            uint32_t block = row_block(&l->depends_on, l->members[i], b);
            for (size_t k = 0; block && k < ROW_BLOCK; k++) {
                size_t w = b * ROW_BLOCK + k;
                uint64_t bits = block_word(&l->depends_on, block, k) & ~l->set[w] & ~l->impossible[w];
                if (!join_for(l, &reach, bits, w, &size, limit))
                    return limit;
            }
        }
    return size;
}

/* ------------------------------------------------------------------------ choosing */

static void begin_state(struct portolan_lpor *l, const void *state, const uint32_t *enabled, uint32_t count)
{
    l->state = state;
    l->enabled = enabled;
    l->enabled_count = count;
    for (uint32_t i = 0; i < l->live_count; i++)
        l->enabled_row[l->live[i]] = 0;
    l->live_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!l->enabled_row[enabled[i] / 64])
            l->live[l->live_count++] = enabled[i] / 64;
        bit_set(l->enabled_row, enabled[i]);
    }
    l->known_stamp += 2;
    if (l->known_stamp < 2) { /* after 2^31 states every old stamp must go */
        l->known_stamp = 2;
        memset(l->known, 0, l->conditions * sizeof *l->known);
    }
}

/* Tries one initial transition; keeps its set when it is smaller than the best so far. */
static void try_initial(struct portolan_lpor *l, uint32_t initial, bool with_net, uint32_t *smallest)
{
    memset(l->set, 0, l->words * sizeof *l->set);
    uint32_t size = with_net ? close_with_net(l, initial, *smallest) : close_plainly(l, initial, *smallest);
    if (size >= *smallest)
        return;
    *smallest = size;
    uint64_t *best = l->set;
    l->set = l->best;
    l->best = best;
}

/* Where NET keeps finding nothing better, it pauses. */
static bool passed_by(struct portolan_lpor *l)
{
    if (!l->options.adaptive || l->balance >= 0)
        return false;
    l->balance += REPAID_PER_STATE;
    return true;
}

static void account(struct portolan_lpor *l, uint32_t before, uint32_t after)
{
    l->balance += REWARD * l->work * (before - after) / before - l->work;
    if (l->balance > CREDIT)
        l->balance = CREDIT;
}

/* Looks for a smaller set within the plain one; first for a set of one, which is found fast.  What NET makes of a
 * member of the plain set is part of that set.  So whatever is reached with NET is reached without it too: it never
 * leaves more states, which smaller sets from elsewhere would not ensure. */
static uint32_t try_with_net(struct portolan_lpor *l, uint32_t plain_size)
{
    uint32_t smallest = plain_size, single = 2;
    l->work = 0;
    memcpy(l->within, l->best, l->words * sizeof *l->within);
    find_everything(l);
    for (uint32_t i = 0; i < l->enabled_count && single > 1 && !limits_reached(); i++)
        if (bit_get(l->within, l->enabled[i]) && !depends_on_enabled(l, l->enabled[i]))
            try_initial(l, l->enabled[i], true, &single);
    if (single == 1)
        smallest = 1;
    for (uint32_t i = 0; i < l->enabled_count && smallest > 2 && !limits_reached(); i++)
        if (bit_get(l->within, l->enabled[i]))
            try_initial(l, l->enabled[i], true, &smallest);
    account(l, plain_size, smallest);
    return smallest;
}

uint32_t lpor_choose(struct portolan_lpor *l, const void *state, const uint32_t *enabled, uint32_t count,
                     uint32_t initial)
{
    uint32_t smallest = UINT32_MAX;
    begin_state(l, state, enabled, count);
    if (initial != PORTOLAN_LPOR_BEST) {
        if (!l->options.plain) {
            memcpy(l->within, l->enabled_row, l->words * sizeof *l->within);
            find_everything(l);
        }
        try_initial(l, initial, !l->options.plain, &smallest);
        return smallest;
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_alone(l, enabled[i])) {
            try_initial(l, enabled[i], false, &smallest);
            return smallest;
        }
    for (uint32_t i = 0; i < count && smallest > 1 && (i == 0 || !limits_reached()); i++) /* any of them will do */
        try_initial(l, enabled[i], false, &smallest);
    return smallest == 1 || l->options.plain || passed_by(l) ? smallest : try_with_net(l, smallest);
}

/* ---------------------------------------------------------------------- the library */

uint32_t portolan_lpor_set(struct portolan_lpor *l, const void *state, const uint32_t *enabled, uint32_t count,
                           uint32_t initial, uint32_t *out)
{
    uint32_t members = 0;
    if (!l || !enabled || !out)
        return 0;
    if (count)
        lpor_choose(l, state, enabled, count, initial);
    for (uint32_t i = 0; i < count; i++)
        if (bit_get(l->best, enabled[i]))
            out[members++] = enabled[i];
    return members;
}

bool portolan_lpor_leads_to(struct portolan_lpor *l, uint32_t t, uint32_t u)
{
    if (!l || t >= l->r.transitions || u >= l->r.transitions)
        return false;
    begin_state(l, NULL, &t, 1); /* the words of that row are looked at which have something enabled */
    return bit_get(lpor_leads_to(l, u), t);
}

static bool make_reach(const struct portolan_lpor *l, struct reach *reach)
{
    reach->condition = calloc((size_t)l->conditions + 1, sizeof *reach->condition);
    reach->enabled_by = calloc((size_t)l->conditions + 1, sizeof *reach->enabled_by);
    reach->order = calloc((size_t)l->conditions + 1, sizeof *reach->order);
    reach->transition = calloc((size_t)l->r.transitions + 1, sizeof *reach->transition);
    reach->taken = calloc((size_t)l->r.transitions + 1, sizeof *reach->taken);
    return reach->condition && reach->enabled_by && reach->order && reach->transition && reach->taken;
}

static void clear_reach(struct reach *reach)
{
    free(reach->condition);
    free(reach->enabled_by);
    free(reach->order);
    free(reach->transition);
    free(reach->taken);
}

static bool make_scratch(struct portolan_lpor *l)
{
    l->enabled_row = calloc(l->words + 1, sizeof *l->enabled_row);
    l->set = calloc(l->words + 1, sizeof *l->set);
    l->best = calloc(l->words + 1, sizeof *l->best);
    l->within = calloc(l->words + 1, sizeof *l->within);
    l->live = calloc(l->words + 1, sizeof *l->live);
    l->impossible = calloc(l->words + 1, sizeof *l->impossible);
    l->members = calloc((size_t)l->r.transitions + 1, sizeof *l->members);
    l->known = calloc((size_t)l->conditions + 1, sizeof *l->known);
    l->walked = calloc((size_t)l->conditions + 1, sizeof *l->walked);
    bool fine = make_reach(l, &l->everything);
    return make_reach(l, &l->others) && fine && l->enabled_row && l->set && l->best && l->within && l->live &&
           l->impossible && l->members && l->known && l->walked;
}

enum portolan_status lpor_make(const struct portolan_lpor_relations *relations,
                               const struct lpor_dependencies *dependencies,
                               const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                               struct portolan_error *error)
{
    struct portolan_lpor *l = calloc(1, sizeof *l);
    if (!l)
        return fail_memory(error);
    l->r = *relations;
    l->options = *options;
    l->options.plain |= !relations->conditions;
    l->balance = CREDIT;
    enum portolan_status status = lpor_tables_make(l, dependencies, error);
    l->r.visible = NULL; /* part of the dependencies now */
    if (status == PORTOLAN_OK && !make_scratch(l))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        portolan_lpor_free(l);
        return status;
    }
    *lpor = l;
    return PORTOLAN_OK;
}

enum portolan_status lpor_new(const struct portolan_lpor_relations *relations,
                              const struct portolan_lpor_options *options, struct portolan_lpor **lpor,
                              struct portolan_error *error)
{
    if (check_pointer(lpor, "the place for the result", error))
        return PORTOLAN_BAD_OPTION;
    *lpor = NULL;
    enum portolan_status status = lpor_check_lists(relations, false, error);
    const struct lpor_dependencies listed = {lpor_listed_dependencies, relations};
    return status == PORTOLAN_OK ? lpor_make(relations, &listed, options, lpor, error) : status;
}

void portolan_lpor_free(struct portolan_lpor *l)
{
    if (!l)
        return;
    lpor_tables_clear(l);
    clear_reach(&l->everything);
    clear_reach(&l->others);
    free(l->enabled_row);
    free(l->set);
    free(l->best);
    free(l->within);
    free(l->live);
    free(l->impossible);
    free(l->members);
    free(l->known);
    free(l->walked);
    free(l);
}

size_t lpor_bytes(const struct portolan_lpor *l)
{
    return rows_bytes(&l->depends_on) + rows_bytes(&l->leads_to);
}
