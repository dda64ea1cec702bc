/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stutter invariance, decided on automata.
 *
 * T. Michaud, A. Duret-Lutz, "Practical stutter-invariance checks for
 * ω-regular languages", SPIN 2015.  Self-loopisation sl(A) accepts the words of A
 * with letters repeated any (finite) number of times.  Two words that differ
 * only in repetitions have a common word with still more of them.  So
 *
 *     f is stutter-invariant  iff  sl(A_f) and sl(A_!f) have no word in common.
 *
 * The product is built with explicit letters over the atoms that the automata
 * mention: its states are a state of each and the letter just read, with which
 * one of the two may stay where it is.  Staying forever is not accepting.
 */
#include "ltl/automaton.h"

#include "base/diagnostic.h"

#include <string.h>

enum { MAX_ATOMS = 12, MAX_STATES = 1 << 20, MAX_EDGES = 1 << 21 };

struct looped {
    const struct automaton *one, *other;
    uint64_t atoms;   /* those that matter */
    uint32_t letters; /* 2 to the power of their number; as the last letter it means "none yet" */
    uint32_t *number; /* + 1 */
    VECTOR(uint64_t) list;
    struct automaton_edges edges;
};

static uint64_t mentioned(const struct automaton *automaton)
{
    uint64_t atoms = 0;
    for (uint32_t e = 0; e < automaton->first[automaton->states]; e++)
        atoms |= automaton->edges[e].positive | automaton->edges[e].negative;
    return atoms;
}

/* Spreads the bits of a small number over the atoms. */
static uint64_t letter_of(uint64_t atoms, uint32_t number)
{
    uint64_t letter = 0;
    for (; atoms; atoms &= atoms - 1, number >>= 1)
        letter |= number & 1 ? atoms & -atoms : 0;
    return letter;
}

static uint32_t number_of(struct looped *looped, uint32_t one, uint32_t other, uint32_t letter)
{
    uint64_t place = ((uint64_t)one * looped->other->states + other) * (looped->letters + 1) + letter;
    if (!looped->number[place] && vector_push(&looped->list, place))
        looped->number[place] = (uint32_t)looped->list.count;
    looped->edges.failed |= !looped->number[place];
    return looped->number[place] - 1;
}

/* One step of both, of one, or (NULL) none of one side. */
static void add_step(struct looped *looped, uint32_t source, uint32_t one, uint32_t other, uint32_t letter,
                     const struct automaton_edge *a, const struct automaton_edge *b)
{
    /* set 0: the first automaton moves; set 1: the second does; behind them their own sets */
    struct automaton_edge edge = {.source = source,
                                  .target = number_of(looped, a ? a->target : one, b ? b->target : other, letter),
                                  .acceptance = (a ? 1 | a->acceptance << 2 : 0) |
                                                (b ? 2 | b->acceptance << (2 + looped->one->sets) : 0)};
    edges_add(&looped->edges, edge);
}

static void expand(struct looped *looped, uint32_t source)
{
    uint64_t place = looped->list.item[source];
    uint32_t last = (uint32_t)(place % (looped->letters + 1));
    uint32_t one = (uint32_t)(place / (looped->letters + 1) / looped->other->states);
    uint32_t other = (uint32_t)(place / (looped->letters + 1) % looped->other->states);
    for (uint32_t l = 0; l < looped->letters; l++) {
        uint64_t letter = letter_of(looped->atoms, l);
        for_edges(a, looped->one, one) for_edges(b, looped->other, other)
        {
            if (automaton_edge_takes(a, letter) && automaton_edge_takes(b, letter))
                add_step(looped, source, one, other, l, a, b);
        }
    }
    if (last == looped->letters)
        return;
    uint64_t letter = letter_of(looped->atoms, last);
    for_edges(a, looped->one, one) if (automaton_edge_takes(a, letter))
        add_step(looped, source, one, other, last, a, NULL);
    for_edges(b, looped->other, other) if (automaton_edge_takes(b, letter))
        add_step(looped, source, one, other, last, NULL, b);
}

/* Whether sl(one) and sl(other) have a word in common; *answer stays as it is when that is too much work. */
static bool compare(const struct automaton *one, const struct automaton *other, enum ltl_answer *answer)
{
    struct looped looped = {.one = one, .other = other, .atoms = mentioned(one) | mentioned(other)};
    uint32_t count = (uint32_t)__builtin_popcountll(looped.atoms);
    if (count > MAX_ATOMS || one->sets + other->sets > 62)
        return true;
    looped.letters = UINT32_C(1) << count;
    uint64_t places = (uint64_t)one->states * other->states * (looped.letters + 1);
    if (places > MAX_STATES)
        return true;
    looped.number = calloc(places, sizeof *looped.number);
    looped.edges.failed = !looped.number;
    if (looped.number)
        number_of(&looped, one->initial, other->initial, looped.letters);
    for (uint32_t i = 0; i < looped.list.count && !looped.edges.failed && looped.edges.list.count < MAX_EDGES; i++)
        expand(&looped, i);
    bool decided = looped.edges.list.count < MAX_EDGES, empty, fine = !looped.edges.failed;
    struct automaton *product =
        fine && decided ? automaton_new((uint32_t)looped.list.count, 0, 2 + one->sets + other->sets, NULL) : NULL;
    if (product) {
        fine = automaton_set_edges(product, &looped.edges) && automaton_is_empty(product, &empty);
        if (fine)
            *answer = empty ? LTL_YES : LTL_NO;
    } else {
        fine &= !decided;
        free(looped.edges.list.item);
    }
    automaton_free(product);
    free(looped.number);
    free(looped.list.item);
    return fine;
}

enum portolan_status ltl_stutter_invariant(struct ltl *ltl, uint32_t formula, enum ltl_answer *answer,
                                           struct portolan_error *error)
{
    struct automaton *one = NULL, *other = NULL;
    uint32_t simple = ltl_simplify(ltl, ltl_normal_form(ltl, formula, false));
    if (ltl->failed)
        return fail_memory(error);
    *answer = LTL_YES;
    if (!ltl->nodes.item[formula].has_next || !ltl->nodes.item[simple].has_next)
        return PORTOLAN_OK;
    *answer = LTL_UNKNOWN;
    enum portolan_status status = automaton_of_formula(ltl, formula, &(struct automaton_options){0}, &one, error);
    if (!status)
        status = automaton_of_formula(ltl, formula, &(struct automaton_options){.negated = true}, &other, error);
    if (!status && !compare(one, other, answer))
        status = fail_memory(error);
    automaton_free(one);
    automaton_free(other);
    return status == PORTOLAN_OVERFLOW ? PORTOLAN_OK : status;
}
