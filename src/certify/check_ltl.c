/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has the listed graph a run on which a formula is false?  The product of the
 * graph with the automaton of the negation has an accepting cycle exactly then
 * (J.-M. Couvreur, "On-the-fly verification of linear temporal logic", 1999:
 * strong components with the acceptance sets seen in each).  A state without
 * successors repeats itself forever.
 */
#include "certify/check.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "ltl/automaton.h"

#include <inttypes.h>

enum { UNSEEN = 0, DEAD = UINT32_MAX };

struct frame {
    uint32_t node;
    uint32_t automaton_edge, edge; /* the next to follow, as offsets */
};

struct root {
    uint32_t index;
    uint64_t inside, entering; /* acceptance sets, of the component and of the edge into it */
};

struct product {
    const struct checker *checker;
    const struct claim *claim;
    const struct automaton *automaton;
    uint32_t *index; /* per node: state * automaton states + automaton state */
    uint32_t found;
    VECTOR(struct frame) frames;
    VECTOR(struct root) roots;
    VECTOR(uint32_t) live;
};

static bool enter(struct product *p, uint32_t node, uint64_t entering)
{
    struct frame frame = {.node = node};
    struct root root = {.index = ++p->found, .entering = entering};
    p->index[node] = p->found;
    return vector_push(&p->frames, frame) && vector_push(&p->roots, root) && vector_push(&p->live, node);
}

/* An edge back into the present components merges them; true when the result accepts. */
static bool merge(struct product *p, uint32_t index, uint64_t acceptance)
{
    while (p->roots.item[p->roots.count - 1].index > index) {
        const struct root *top = &p->roots.item[--p->roots.count];
        acceptance |= top->inside | top->entering;
    }
    struct root *root = &p->roots.item[p->roots.count - 1];
    root->inside |= acceptance;
    return root->inside == automaton_all_sets(p->automaton);
}

static void leave(struct product *p)
{
    uint32_t node = p->frames.item[--p->frames.count].node, member;
    if (p->roots.item[p->roots.count - 1].index != p->index[node])
        return;
    p->roots.count--;
    do {
        member = p->live.item[--p->live.count];
        p->index[member] = DEAD;
    } while (member != node);
}

/* The next successor of the top node; false when there are no more. */
static bool next_successor(struct product *p, uint32_t *successor, uint64_t *acceptance)
{
    const struct checker *c = p->checker;
    const struct automaton *a = p->automaton;
    struct frame *top = &p->frames.item[p->frames.count - 1];
    uint32_t state = top->node / a->states, place = top->node % a->states;
    size_t start = state ? c->edge_end.item[state - 1] : 0;
    uint32_t count = (uint32_t)(c->edge_end.item[state] - start);
    for (; a->first[place] + top->automaton_edge < a->first[place + 1]; top->automaton_edge++, top->edge = 0) {
        const struct automaton_edge *edge = &a->edges[a->first[place] + top->automaton_edge];
        if (top->edge >= (count ? count : 1) || !automaton_edge_takes(edge, p->claim->letters.item[state]))
            continue;
        uint32_t target = count ? c->edges.item[start + top->edge] : state;
        top->edge++;
        *successor = target * a->states + edge->target;
        *acceptance = edge->acceptance;
        return true;
    }
    return false;
}

/* Looks for an accepting cycle; false when memory ran out. */
static bool search(struct product *p, uint32_t *accepting)
{
    *accepting = UINT32_MAX;
    if (!enter(p, p->automaton->initial, 0))
        return false;
    while (p->frames.count) {
        uint32_t successor, node = p->frames.item[p->frames.count - 1].node;
        uint64_t acceptance;
        if (limits_reached())
            return false;
        if (!next_successor(p, &successor, &acceptance)) {
            leave(p);
        } else if (p->index[successor] == UNSEEN) {
            if (!enter(p, successor, acceptance))
                return false;
        } else if (p->index[successor] != DEAD && merge(p, p->index[successor], acceptance)) {
            *accepting = node / p->automaton->states;
            return true;
        }
    }
    return true;
}

static enum portolan_status check_product(struct checker *c, const struct claim *claim,
                                          const struct automaton *automaton)
{
    struct product p = {.checker = c, .claim = claim, .automaton = automaton};
    uint64_t nodes = (uint64_t)c->states.count * automaton->states;
    uint32_t accepting;
    if (nodes >= UINT32_MAX)
        return fail(c->error, PORTOLAN_OVERFLOW, "the product with the automaton of '%.200s' is too large",
                    claim->text);
    p.index = calloc(nodes + 1, sizeof *p.index);
    bool fine = p.index && search(&p, &accepting);
    free(p.index);
    free(p.frames.item);
    free(p.roots.item);
    free(p.live.item);
    if (!fine)
        return fail_memory(c->error);
    return accepting == UINT32_MAX ? PORTOLAN_OK
                                   : not_valid(c, "'%.200s' is false: a cycle through state %" PRIu32 " violates it",
                                               claim->text, accepting);
}

static enum portolan_status check_formula(struct checker *c, const struct claim *claim)
{
    enum ltl_answer stutter = LTL_YES;
    enum portolan_status status = PORTOLAN_OK;
    if (c->size.fully < c->size.states)
        status = ltl_stutter_invariant(claim->ltl, claim->formula, &stutter, c->error);
    if (status == PORTOLAN_OK && stutter != LTL_YES)
        status = not_valid(c, "no reduction preserves '%.200s': it is not invariant under stuttering", claim->text);
    struct automaton *automaton = NULL;
    struct automaton_options options = {.negated = true};
    if (status == PORTOLAN_OK)
        status = automaton_of_formula(claim->ltl, claim->formula, &options, &automaton, c->error);
    if (status == PORTOLAN_OK && !automaton_overlook(&automaton, claim->ltl))
        status = fail_memory(c->error);
    if (status == PORTOLAN_OK)
        status = check_product(c, claim, automaton);
    automaton_free(automaton);
    return status;
}

enum portolan_status check_formulas(struct checker *c)
{
    enum portolan_status status = PORTOLAN_OK;
    for (size_t i = 0; status == PORTOLAN_OK && i < c->claims.list.count; i++)
        if (c->claims.list.item[i].ltl)
            status = check_formula(c, &c->claims.list.item[i]);
    return status;
}
