/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/exclusion.h"

#include "base/bits.h"
#include "base/limits.h"
#include "base/lists.h"

#include <stdlib.h>
#include <string.h>

/* Above these sizes nothing is excluded: the table of places would have more than 12.5 MB, the pairs of transitions
 * would be too many. */
enum { LARGEST_TABLE = 10000, MOST_TRANSITIONS = 4096 };

/* A square bit matrix over the places. */
struct place_matrix {
    uint32_t places;
    size_t words; /* of a row */
    uint64_t *bits;
};

static bool matrix_make(struct place_matrix *m, uint32_t places)
{
    m->places = places;
    m->words = places / 64 + 1;
    m->bits = calloc(m->words * places + 1, sizeof *m->bits);
    return m->bits != NULL;
}

static uint64_t *row(const struct place_matrix *m, uint32_t p)
{
    return m->bits + m->words * p;
}

bool place_meets(const struct place_matrix *m, uint32_t place, uint32_t other)
{
    return bit_get(row(m, place), other);
}

struct relation {
    const struct net *net;
    struct place_matrix *together;
    struct place_matrix excluded; /* by a proven unit: never set, whatever the fixpoint would derive */
    uint64_t *marked;             /* places that may carry a token at all */
    uint64_t *beside;             /* scratch: what may be marked once a transition has fired */
    bool changed;
};

/* Is the number of tokens on a unit's places at most one initially, and never raised by a transition? */
static bool unit_is_safe(const struct net *net, const uint64_t *member)
{
    uint64_t tokens = 0;
    for (uint32_t p = 0; p < net->places; p++)
        if (bit_get(member, p))
            tokens += net->initial[p];
    if (tokens > 1)
        return false;
    for (uint32_t t = 0; t < net->transitions; t++) {
        int64_t difference = 0;
        for_arcs (arc, net, t)
            if (bit_get(member, arc->place))
                difference += (int64_t)arc->produce - arc->consume;
        if (difference > 0)
            return false;
    }
    return true;
}

static void exclude_units(struct relation *r)
{
    const struct net *net = r->net;
    uint64_t *member = r->beside;
    for (uint32_t u = 0; u < net->units; u++) {
        const uint32_t *places = net->unit_places + net->unit[u].first;
        uint32_t count = net->unit[u].count;
        memset(member, 0, r->together->words * sizeof *member);
        for (uint32_t i = 0; i < count; i++)
            bit_set(member, places[i]);
        if (!unit_is_safe(net, member))
            continue;
        for (uint32_t i = 0; i < count; i++)
            for (size_t w = 0; w < r->together->words; w++)
                row(&r->excluded, places[i])[w] |= member[w];
    }
}

/* Marks p as possibly marked together with every place of a set. */
static void add_row(struct relation *r, uint32_t p, const uint64_t *set)
{
    uint64_t *mine = row(r->together, p);
    const uint64_t *never = row(&r->excluded, p);
    for (size_t w = 0; w < r->together->words; w++) {
        uint64_t fresh = set[w] & ~mine[w] & ~never[w];
        if (!fresh)
            continue;
        mine[w] |= fresh;
        r->changed = true;
        for (; fresh; fresh &= fresh - 1)
            bit_set(row(r->together, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(fresh)), p);
    }
}

static bool inputs_together(const struct relation *r, uint32_t t)
{
    const struct net *net = r->net;
    for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1]; i++) {
        const struct net_arc *one = &net->arc[i];
        if (!one->need)
            continue;
        if (!bit_get(r->marked, one->place) || (one->need > 1 && !bit_get(row(r->together, one->place), one->place)))
            return false;
        for (uint32_t j = i + 1; j < net->arc_offset[t + 1]; j++)
            if (net->arc[j].need && !bit_get(row(r->together, one->place), net->arc[j].place))
                return false;
    }
    return true;
}

/* What may be marked after t beside a fresh token of t: places marked together with all inputs of t (a consumed
 * input itself only when it may carry two tokens), inputs that t only reads, and the outputs of t. */
static void fire(struct relation *r, uint32_t t)
{
    const struct net *net = r->net;
    size_t words = r->together->words;
    memcpy(r->beside, r->marked, words * sizeof *r->beside);
    for_arcs (arc, net, t)
        if (arc->need)
            for (size_t w = 0; w < words; w++)
                r->beside[w] &= row(r->together, arc->place)[w];
    for_arcs (arc, net, t)
        if (arc->need > arc->consume)
            bit_set(r->beside, arc->place);
    for_arcs (out, net, t) {
        if (!out->produce)
            continue;
        if (!bit_get(r->marked, out->place)) {
            bit_set(r->marked, out->place);
            r->changed = true;
        }
        add_row(r, out->place, r->beside);
        bit_set(r->beside, out->place); /* later outputs are marked together with this one */
        if (out->produce > 1)
            add_row(r, out->place, r->beside);
    }
}

static void start(struct relation *r)
{
    const struct net *net = r->net;
    exclude_units(r);
    for (uint32_t p = 0; p < net->places; p++)
        if (net->initial[p])
            bit_set(r->marked, p);
    for (uint32_t p = 0; p < net->places; p++) {
        if (!net->initial[p])
            continue;
        memcpy(r->beside, r->marked, r->together->words * sizeof *r->beside);
        if (net->initial[p] == 1)
            r->beside[p / 64] &= ~(UINT64_C(1) << (p % 64));
        add_row(r, p, r->beside);
    }
}

struct place_matrix *places_together(const struct net *net)
{
    if (net->places > LARGEST_TABLE || net->transitions > MOST_TRANSITIONS)
        return NULL;
    struct place_matrix *together = calloc(1, sizeof *together);
    struct relation r = {.net = net, .together = together};
    size_t words = net->places / 64 + 1;
    r.marked = calloc(words, sizeof *r.marked);
    r.beside = calloc(words, sizeof *r.beside);
    bool fine =
        together && matrix_make(together, net->places) && matrix_make(&r.excluded, net->places) && r.marked && r.beside;
    if (fine) {
        start(&r);
        do {
            r.changed = false;
            for (uint32_t t = 0; t < net->transitions && !limits_reached(); t++)
                if (inputs_together(&r, t))
                    fire(&r, t);
        } while (r.changed && !limits_reached());
    }
    free(r.excluded.bits);
    free(r.marked);
    free(r.beside);
    if (!fine) {
        place_matrix_free(together);
        return NULL;
    }
    return together;
}

void place_matrix_free(struct place_matrix *matrix)
{
    if (matrix)
        free(matrix->bits);
    free(matrix);
}

static bool excluded_by_place(const struct net_arc *a, const struct net_arc *b)
{
    return (a->inhibit && b->need >= a->inhibit) || (b->inhibit && a->need >= b->inhibit);
}

/* The places that never have a token when t is enabled, as far as that is known. */
static void find_apart(const struct net *net, const struct place_matrix *together, uint32_t t, uint64_t *apart)
{
    memset(apart, 0, (net->places / 64 + 1) * sizeof *apart);
    for (uint32_t i = net->arc_offset[t]; together && i < net->arc_offset[t + 1]; i++) {
        uint32_t place = net->arc[i].place;
        if (!net->arc[i].need)
            continue;
        bool known = bit_get(apart, place); /* a place says nothing about itself */
        for (size_t w = 0; w < together->words; w++)
            apart[w] |= ~row(together, place)[w];
        if (!known)
            bit_clear(apart, place);
    }
}

static bool inhibits_other(const struct net *net, uint32_t t, uint32_t u)
{
    for_arcs (arc, net, t)
        for (uint32_t j = net->arc_offset[u]; j < net->arc_offset[u + 1]; j++)
            if (arc->place == net->arc[j].place && excluded_by_place(arc, &net->arc[j]))
                return true;
    return false;
}

static bool never_enabled_together(const struct net *net, const uint64_t *apart, bool inhibits, uint32_t t, uint32_t u)
{
    for_arcs (arc, net, u)
        if (arc->need && bit_get(apart, arc->place))
            return true;
    return inhibits && inhibits_other(net, t, u);
}

static void exclude(const struct net *net, const struct place_matrix *together, const struct portolan_lists *users,
                    uint32_t *seen, uint64_t *apart, uint64_t *rows)
{
    size_t words = bit_words(net->transitions);
    bool inhibits = net_has_inhibitors(net);
    for (uint32_t t = 0; t < net->transitions; t++) {
        find_apart(net, together, t, apart);
        for (uint32_t i = net->arc_offset[t]; i < net->arc_offset[t + 1] && !limits_reached(); i++)
            for_list (u, *users, net->arc[i].place) {
                if (*u <= t || seen[*u] == t + 1)
                    continue;
                seen[*u] = t + 1;
                if (never_enabled_together(net, apart, inhibits, t, *u)) {
                    bit_set(rows + t * words, *u);
                    bit_set(rows + *u * words, t);
                }
            }
    }
}

bool exclude_transitions(const struct net *net, const struct place_matrix *together,
                         struct portolan_lists *never_together)
{
    struct lists_builder uses = {0};
    struct portolan_lists users = {0};
    if (net->transitions > MOST_TRANSITIONS)
        return lists_finish(&uses, net->transitions, never_together);
    uint32_t *seen = calloc((size_t)net->transitions + 1, sizeof *seen);
    uint64_t *rows = calloc(net->transitions * bit_words(net->transitions) + 1, sizeof *rows);
    uint64_t *apart = calloc(net->places / 64 + 1, sizeof *apart);
    for (uint32_t t = 0; t < net->transitions; t++)
        for_arcs (arc, net, t)
            lists_add(&uses, arc->place, t);
    bool fine = lists_finish(&uses, net->places, &users) && seen && rows && apart;
    if (fine) {
        exclude(net, together, &users, seen, apart, rows);
        fine = lists_from_rows(rows, net->transitions, never_together);
    }
    lists_clear(&users);
    free(seen);
    free(apart);
    free(rows);
    return fine;
}
