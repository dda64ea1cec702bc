/*
 * Local partial-order reduction (Bokor, Kinder, Serafini, Suri, "Efficient
 * model checking of fault-tolerant distributed protocols" and "Supporting
 * domain-specific state space reductions through local partial-order
 * reduction", ASE 2011).
 *
 * LPOR starts from one enabled transition and adds enabled ones until nothing
 * outside the set can ever do anything that a member depends on.  Its two
 * relations come from the relations view: t depends on u when one may disable
 * the other or they do not commute; t can enable u through a guard of u.
 * The forward enable sets are pre-computed, transposed: for each t the
 * transitions from which a chain of enablings leads to something t depends on.
 * A set then costs a few word operations (`plain`).
 *
 * NET, the necessary enabling transitions, in the generalised, state-conditional
 * form: a disabled transition needs an enabler of each of its false guards.  So
 * what the outside can reach is found as a fixpoint, and a member's dependency
 * that the outside cannot reach asks for nothing.
 *
 * Sets are strongly stubborn: deadlocks are preserved, and with visibility and
 * a proviso invariants.  No search path is needed, so any search will do.
 */
#include "base/bits.h"
#include "base/diagnostic.h"
#include "reduce/stubborn.h"

#include <stdlib.h>
#include <string.h>

struct lpor {
    struct reduction base;
    struct portolan_stubborn *lists; /* conflicts, users, may_enable, and guards by stamp */
    bool plain;                      /* without NET */
    bool first;                      /* the first enabled transition is the initial one; else the best is found */

    size_t words;
    uint64_t *depends_on;    /* row t: what t depends on */
    uint64_t *leads_to;      /* row t: the transitions whose forward enable set meets row t of depends_on */
    uint64_t *enabled, *set; /* of the present state; set: its members, all enabled */
    uint64_t *reach;         /* what can happen outside the set */
    uint32_t *queue;         /* members, or reached ones, still to be looked at */
    uint32_t *reachable_g;   /* per guard, by round: an enabler of it is reached */
    uint32_t round;
};

static uint64_t *row(const struct lpor *l, uint64_t *rows, uint32_t t)
{
    return rows + t * l->words;
}

/* --- pre-computation */

static void fill_dependencies(struct lpor *l)
{
    const struct portolan_stubborn *s = l->lists;
    uint32_t n = s->relations->transitions;
    for (uint32_t t = 0; t < n; t++)
        for_list(u, s->conflicts, t) if (*u < n) bit_set(row(l, l->depends_on, t), *u);
    for (uint32_t i = 0; i < s->visible_count; i++)
        for (uint32_t j = 0; j < s->visible_count; j++)
            if (i != j)
                bit_set(row(l, l->depends_on, s->visible[i]), s->visible[j]);
}

/* Backwards along "can enable" from what t depends on. */
static void fill_forward_index(struct lpor *l, uint32_t t)
{
    const struct portolan_relations *r = l->lists->relations;
    uint64_t *found = row(l, l->leads_to, t);
    uint32_t count = 0, u;
    for (size_t w = 0; w < l->words; w++)
        for_bits(u, row(l, l->depends_on, t)[w], w) l->queue[count++] = u;
    for (uint32_t i = 0; i < count; i++)
        for_list(g, r->guards_of, l->queue[i]) for_list(enabler, r->enablers, *g) if (!bit_get(found, *enabler))
        {
            bit_set(found, *enabler);
            if (!bit_get(row(l, l->depends_on, t), *enabler)) /* those are queued already */
                l->queue[count++] = *enabler;
        }
}

/* --- NET: what can happen outside the set */

static bool every_false_guard_reachable(struct lpor *l, const void *state, uint32_t t)
{
    for_list(g, l->lists->relations->guards_of,
             t) if (l->reachable_g[*g] != l->round && !stubborn_guard_holds(l->lists, state, *g)) return false;
    return true;
}

static void find_reach(struct lpor *l, const void *state)
{
    uint32_t count = 0, t;
    l->round++;
    for (size_t w = 0; w < l->words; w++) {
        l->reach[w] = l->enabled[w] & ~l->set[w];
        for_bits(t, l->reach[w], w) l->queue[count++] = t;
    }
    for (uint32_t i = 0; i < count; i++)
        for_list(g, l->lists->may_enable, l->queue[i])
        {
            if (l->reachable_g[*g] == l->round)
                continue;
            l->reachable_g[*g] = l->round;
            for_list(u, l->lists->users, *g) if (!bit_get(l->reach, *u) && !bit_get(l->enabled, *u) &&
                                                 every_false_guard_reachable(l, state, *u))
            {
                bit_set(l->reach, *u);
                l->queue[count++] = *u;
            }
        }
}

/* The first enabled transition that must join on behalf of member t, UINT32_MAX when none must. */
static uint32_t must_join(const struct lpor *l, uint32_t t)
{
    const uint64_t *depends_on = l->depends_on + t * l->words, *leads_to = l->leads_to + t * l->words;
    uint64_t reached = 0;
    uint32_t u;
    for (size_t w = 0; w < l->words; w++) {
        for_bits(u, depends_on[w] & l->enabled[w] & ~l->set[w], w) return u;
        reached |= depends_on[w] & l->reach[w];
    }
    for (size_t w = 0; reached && w < l->words; w++)
        for_bits(u, leads_to[w] & l->enabled[w] & ~l->set[w], w) return u;
    return UINT32_MAX;
}

/* Returns the size of the set, or gives up as soon as it reaches the limit. */
static uint32_t close_with_net(struct lpor *l, const void *state, uint32_t limit)
{
    uint32_t size = 1;
    for (bool changed = true; changed && size < limit;) {
        changed = false;
        find_reach(l, state);
        for (size_t w = 0; w < l->words && !changed; w++) {
            uint32_t t;
            for_bits(t, l->set[w], w)
            {
                uint32_t u = must_join(l, t);
                if (u == UINT32_MAX)
                    continue;
                bit_set(l->set, u); /* its joining may cut off others: look again */
                size++;
                changed = true;
                break;
            }
        }
    }
    return size;
}

/* --- the plain algorithm: everything pre-computed */

static uint32_t close_plainly(struct lpor *l, uint32_t initial)
{
    uint32_t count = 0, u;
    l->queue[count++] = initial;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *depends_on = row(l, l->depends_on, l->queue[i]), *leads_to = row(l, l->leads_to, l->queue[i]);
        for (size_t w = 0; w < l->words; w++) {
            uint64_t joining = (depends_on[w] | leads_to[w]) & l->enabled[w] & ~l->set[w];
            l->set[w] |= joining;
            for_bits(u, joining, w) l->queue[count++] = u;
        }
    }
    return count;
}

static uint32_t close_from(struct lpor *l, const void *state, uint32_t initial, uint32_t limit)
{
    memset(l->set, 0, l->words * sizeof *l->set);
    bit_set(l->set, initial);
    return l->plain ? close_plainly(l, initial) : close_with_net(l, state, limit);
}

/* --- choosing */

static void begin_state(struct lpor *l, const struct choice *choice)
{
    struct portolan_stubborn *s = l->lists;
    if (++s->stamp == 0) {
        s->stamp = 1;
        memset(s->guard_stamp, 0, s->relations->guards * sizeof *s->guard_stamp);
    }
    if (l->round > UINT32_MAX / 2) { /* at most a round a member, far fewer than what is left */
        l->round = 0;
        memset(l->reachable_g, 0, s->relations->guards * sizeof *l->reachable_g);
    }
    memset(l->enabled, 0, l->words * sizeof *l->enabled);
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        bit_set(l->enabled, choice->enabled[i]);
}

static uint32_t members(const struct choice *choice, const uint64_t *set, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < choice->enabled_count; i++)
        if (bit_get(set, choice->enabled[i]))
            out[count++] = i;
    return count;
}

/* The smallest set over all initial transitions. */
static uint32_t choose_best(struct lpor *l, const struct choice *choice, uint32_t *out)
{
    uint32_t smallest = UINT32_MAX, count = 0;
    for (uint32_t i = 0; i < choice->enabled_count && smallest > 1; i++) {
        uint32_t size = close_from(l, choice->state, choice->enabled[i], smallest);
        if (size < smallest) {
            smallest = size;
            count = members(choice, l->set, out);
        }
    }
    return count;
}

/* Attempt k > 0, for a proviso that refused the sets before, takes the k-th enabled transition as the initial one. */
static uint32_t choose(struct reduction *reduction, const struct choice *choice, unsigned attempt, uint32_t *out)
{
    struct lpor *l = (struct lpor *)reduction;
    if (choice->enabled_count == 0)
        return 0;
    begin_state(l, choice);
    if (attempt == 0 && !l->first)
        return choose_best(l, choice, out);
    close_from(l, choice->state, choice->enabled[attempt % choice->enabled_count], UINT32_MAX);
    return members(choice, l->set, out);
}

static uint32_t choose_with(struct reduction *reduction, const struct choice *choice, uint32_t action, uint32_t *out)
{
    struct lpor *l = (struct lpor *)reduction;
    begin_state(l, choice);
    close_from(l, choice->state, action, UINT32_MAX);
    return members(choice, l->set, out);
}

/* --- the class */

static void free_lpor(struct reduction *reduction)
{
    struct lpor *l = (struct lpor *)reduction;
    portolan_stubborn_free(l->lists);
    free(l->depends_on);
    free(l->leads_to);
    free(l->enabled);
    free(l->set);
    free(l->reach);
    free(l->queue);
    free(l->reachable_g);
    free(l);
}

static bool allocate(struct lpor *l)
{
    uint32_t n = l->lists->relations->transitions, guards = l->lists->relations->guards;
    l->words = bit_words(n);
    l->depends_on = calloc(n * l->words + 1, sizeof *l->depends_on);
    l->leads_to = calloc(n * l->words + 1, sizeof *l->leads_to);
    l->enabled = calloc(l->words + 1, sizeof *l->enabled);
    l->set = calloc(l->words + 1, sizeof *l->set);
    l->reach = calloc(l->words + 1, sizeof *l->reach);
    l->queue = calloc((size_t)n + 1, sizeof *l->queue);
    l->reachable_g = calloc((size_t)guards + 1, sizeof *l->reachable_g);
    return l->depends_on && l->leads_to && l->enabled && l->set && l->reach && l->queue && l->reachable_g;
}

static enum portolan_status read_options(struct lpor *l, const char *options, struct portolan_error *error)
{
    struct option_word word;
    while (next_option(&options, &word)) {
        if (strcmp(word.text, "plain") == 0)
            l->plain = true;
        else if (strcmp(word.text, "net") == 0)
            l->plain = false;
        else if (strcmp(word.text, "first") == 0)
            l->first = true;
        else
            return fail(error, PORTOLAN_BAD_OPTION, "reduction 'lpor' has no option '%s'", word.text);
    }
    return PORTOLAN_OK;
}

static enum portolan_status make(const struct portolan_system *system, const char *options,
                                 const struct reduction_demands *demands, struct reduction **reduction,
                                 struct portolan_error *error)
{
    struct lpor *l = calloc(1, sizeof *l);
    if (!l)
        return fail_memory(error);
    l->base.class = &reduction_lpor;
    enum portolan_status status = read_options(l, options, error);
    if (status == PORTOLAN_OK)
        status = stubborn_make(system, "strong", demands, &l->lists, error);
    if (status == PORTOLAN_OK && !l->lists->pairwise)
        status =
            fail(error, PORTOLAN_REFUSED, "lpor takes models of up to %d transitions: use stubborn", STUBBORN_PAIRWISE);
    if (status == PORTOLAN_OK && !allocate(l))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        free_lpor(&l->base);
        return status;
    }
    fill_dependencies(l);
    for (uint32_t t = 0; t < system->relations->transitions; t++)
        fill_forward_index(l, t);
    *reduction = &l->base;
    return PORTOLAN_OK;
}

static bool is_weak(const struct reduction *reduction)
{
    (void)reduction;
    return false;
}

static size_t bytes(const struct reduction *reduction)
{
    const struct lpor *l = (const struct lpor *)reduction;
    return 2 * l->lists->relations->transitions * l->words * sizeof *l->depends_on;
}

const struct reduction_class reduction_lpor = {.name = "lpor",
                                               .summary = "local partial-order reduction, pre-computed",
                                               .options = "net | plain, first (do not look for the best initial one)",
                                               .preserves = "deadlocks; with a proviso invariants, and LTL without X",
                                               .needs_relations = true,
                                               .reduces = true,
                                               .make = make,
                                               .choose = choose,
                                               .choose_with = choose_with,
                                               .is_weak = is_weak,
                                               .bytes = bytes,
                                               .free = free_lpor};
