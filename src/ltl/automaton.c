/* SPDX-License-Identifier: Apache-2.0 */
#include "ltl/automaton.h"

#include <string.h>

/* ------------------------------------------------------- making and freeing */

static struct automaton *make(uint32_t states, uint32_t initial, uint32_t sets, uint32_t atom_count)
{
    struct automaton *automaton = calloc(1, sizeof *automaton);
    if (!automaton)
        return NULL;
    *automaton = (struct automaton){.states = states, .initial = initial, .sets = sets, .atom_count = atom_count};
    automaton->first = calloc((size_t)states + 1, sizeof *automaton->first);
    automaton->atoms = calloc((size_t)atom_count + 1, sizeof *automaton->atoms);
    automaton->edges = malloc(sizeof *automaton->edges); /* so that it can be pointed into, even without edges */
    if (!automaton->first || !automaton->atoms || !automaton->edges) {
        automaton->atom_count = automaton->atoms ? atom_count : 0;
        automaton_free(automaton);
        return NULL;
    }
    return automaton;
}

struct automaton *automaton_new(uint32_t states, uint32_t initial, uint32_t sets, const struct ltl *ltl)
{
    uint32_t count = ltl ? (uint32_t)ltl->atoms.count : 0;
    struct automaton *automaton = make(states, initial, sets, count);
    for (uint32_t i = 0; automaton && i < count; i++)
        if (!(automaton->atoms[i] = strdup(ltl->atoms.item[i].text))) {
            automaton_free(automaton);
            return NULL;
        }
    return automaton;
}

struct automaton *automaton_like(const struct automaton *other, uint32_t states, uint32_t initial, uint32_t sets)
{
    struct automaton *automaton = make(states, initial, sets, other->atom_count);
    for (uint32_t i = 0; automaton && i < other->atom_count; i++)
        if (!(automaton->atoms[i] = strdup(other->atoms[i]))) {
            automaton_free(automaton);
            return NULL;
        }
    return automaton;
}

void automaton_free(struct automaton *automaton)
{
    if (!automaton)
        return;
    for (uint32_t i = 0; i < automaton->atom_count; i++)
        free(automaton->atoms[i]);
    free(automaton->atoms);
    free(automaton->first);
    free(automaton->edges);
    free(automaton);
}

void automaton_take(struct automaton *automaton, struct automaton *other)
{
    automaton->states = other->states;
    automaton->initial = other->initial;
    automaton->sets = other->sets;
    automaton->strength = other->strength;
    free(automaton->first);
    free(automaton->edges);
    automaton->first = other->first;
    automaton->edges = other->edges;
    other->first = NULL;
    other->edges = NULL;
    automaton_free(other);
}

/* ------------------------------------------------------------------- edges */

static int by_place(const void *left, const void *right)
{
    const struct automaton_edge *a = left, *b = right;
    uint64_t keys[][2] = {{a->source, b->source},
                          {a->target, b->target},
                          {a->acceptance, b->acceptance},
                          {a->positive, b->positive},
                          {a->negative, b->negative}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? -1 : 1;
    return 0;
}

/* Whether the second edge, between the same states, can be left out. */
static bool makes_needless(const struct automaton_edge *one, const struct automaton_edge *other)
{
    return !(one->positive & ~other->positive) && !(one->negative & ~other->negative) &&
           !(other->acceptance & ~one->acceptance);
}

/* a & x and a & !x are a. */
static bool merges(const struct automaton_edge *one, const struct automaton_edge *other)
{
    uint64_t p = one->positive ^ other->positive, n = one->negative ^ other->negative;
    return one->acceptance == other->acceptance && p == n && p && !(p & (p - 1));
}

/* Fewer edges between the same two states, by the two rules above.  Returns how many are left. */
static size_t merge_parallel(struct automaton_edge *edges, size_t count)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count && !limits_reached(); i++)
            for (size_t j = 0; j < count; j++) {
                if (i == j)
                    continue;
                bool merged = merges(&edges[i], &edges[j]);
                if (merged) {
                    uint64_t atom = edges[i].positive ^ edges[j].positive;
                    edges[i].positive &= ~atom;
                    edges[i].negative &= ~atom;
                }
                if (merged || makes_needless(&edges[i], &edges[j])) {
                    edges[j] = edges[--count];
                    changed = true;
                    if (i == count)
                        break;
                    j--;
                }
            }
    }
    return count;
}

bool automaton_set_edges(struct automaton *automaton, struct automaton_edges *edges)
{
    struct automaton_edge *list = edges->list.item;
    size_t count = edges->list.count, kept = 0;
    uint32_t *first = calloc((size_t)automaton->states + 1, sizeof *first);
    if (edges->failed || !first || count >= UINT32_MAX) {
        free(first);
        free(list);
        *edges = (struct automaton_edges){0};
        return false;
    }
    if (count)
        qsort(list, count, sizeof *list, by_place);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && list[end].source == list[i].source && list[end].target == list[i].target; end++)
            ;
        size_t left = merge_parallel(list + i, end - i);
        memmove(list + kept, list + i, left * sizeof *list);
        kept += left;
    }
    if (kept)
        qsort(list, kept, sizeof *list, by_place);
    for (size_t i = 0; i < kept; i++)
        first[list[i].source + 1]++;
    for (uint32_t s = 0; s < automaton->states; s++)
        first[s + 1] += first[s];
    free(automaton->first);
    automaton->first = first;
    if (list) {
        free(automaton->edges);
        automaton->edges = list;
    }
    *edges = (struct automaton_edges){0};
    return true;
}

/* Atoms that one of the labels mentions beyond the given cube, where the label agrees with the cube. */
static uint64_t open_atom(uint64_t positive, uint64_t negative, const struct automaton_edge *label)
{
    uint64_t open = (label->positive & ~positive) | (label->negative & ~negative);
    bool agrees = !(label->positive & negative) && !(label->negative & positive);
    return agrees ? open & -open : 0;
}

bool label_is_covered(uint64_t positive, uint64_t negative, const struct automaton_edge *const *others, size_t count)
{
    uint64_t atom = 0;
    if (limits_reached()) /* whoever asks looks at the limits afterwards */
        return false;
    for (size_t i = 0; i < count; i++)
        if (!(others[i]->positive & ~positive) && !(others[i]->negative & ~negative))
            return true;
    for (size_t i = 0; i < count && !atom; i++)
        atom = open_atom(positive, negative, others[i]);
    return atom && label_is_covered(positive | atom, negative, others, count) &&
           label_is_covered(positive, negative | atom, others, count);
}

bool automaton_is_deterministic(const struct automaton *automaton)
{
    for (uint32_t s = 0; s < automaton->states; s++)
        for_edges(one, automaton, s) for (const struct automaton_edge *other = one + 1; other < one_end;
                                          other++) if (!(one->positive & other->negative) &&
                                                       !(one->negative & other->positive)) return false;
    return true;
}

/* ----------------------------------------------------------------- products */

struct pairs {
    uint32_t columns;
    uint32_t *number; /* of each pair, + 1; 0: not met */
    VECTOR(uint64_t) list;
};

static uint32_t number_of(struct pairs *pairs, uint32_t one, uint32_t other, bool *failed)
{
    uint32_t *number = &pairs->number[(size_t)one * pairs->columns + other];
    if (!*number && vector_push(&pairs->list, (uint64_t)one << 32 | other))
        *number = (uint32_t)pairs->list.count;
    *failed |= !*number;
    return *number - 1;
}

struct automaton *automaton_product(const struct automaton *one, const struct automaton *other)
{
    struct pairs pairs = {.columns = other->states};
    struct automaton_edges edges = {0};
    struct automaton *product = NULL;
    pairs.number = calloc((size_t)one->states * other->states, sizeof *pairs.number);
    edges.failed = !pairs.number || one->sets + other->sets > 64;
    if (!edges.failed)
        number_of(&pairs, one->initial, other->initial, &edges.failed);
    for (size_t i = 0; i < pairs.list.count && !edges.failed; i++) {
        uint32_t left = (uint32_t)(pairs.list.item[i] >> 32), right = (uint32_t)pairs.list.item[i];
        for_edges(a, one, left) for_edges(b, other, right)
        {
            if ((a->positive & b->negative) || (a->negative & b->positive))
                continue;
            struct automaton_edge edge = {.source = (uint32_t)i,
                                          .target = number_of(&pairs, a->target, b->target, &edges.failed),
                                          .positive = a->positive | b->positive,
                                          .negative = a->negative | b->negative,
                                          .acceptance =
                                              a->acceptance | (one->sets < 64 ? b->acceptance << one->sets : 0)};
            edges_add(&edges, edge);
        }
    }
    if (!edges.failed)
        product = automaton_like(one, (uint32_t)pairs.list.count, 0, one->sets + other->sets);
    if (!product)
        free(edges.list.item);
    else if (!automaton_set_edges(product, &edges)) {
        automaton_free(product);
        product = NULL;
    }
    free(pairs.number);
    free(pairs.list.item);
    return product;
}
