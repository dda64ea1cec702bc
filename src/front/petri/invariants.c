/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which places others tell is found by elimination modulo a prime, one place after the other: its row of effects less
 * those of the places kept so far is zero, or it is kept.  The factors that come out are taken for small integers, and
 * the equation is checked in integers: a wrong guess keeps a place, it never leaves one out.
 */
#include "front/petri/invariants.h"

#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

#ifndef LEAST_TOLD_PLACES /* tests have fewer */
#define LEAST_TOLD_PLACES 24
#define LEAST_TOLD_PART 4
#endif

enum {
    LEAST = LEAST_TOLD_PLACES,    /* places left out: three bytes of the key, ... */
    LEAST_PART = LEAST_TOLD_PART, /* ... and a quarter of them: a state that is loaded is to be completed */
    MOST_SIZE = 1024              /* places, and transitions */
};
static const uint64_t prime = (UINT64_C(1) << 61) - 1;
static const uint64_t most_work = 10000000; /* multiplications, a few milliseconds */
static const int64_t most_factor = 1 << 20;

static uint64_t times(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    uint64_t sum = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + prime - b;
}

static uint64_t inverse(uint64_t a)
{
    uint64_t result = 1;
    for (uint64_t exponent = prime - 2; exponent; exponent >>= 1, a = times(a, a))
        if (exponent & 1)
            result = times(result, a);
    return result;
}

struct elimination {
    const struct net *net;
    uint32_t columns; /* transitions, then one for each place in the basis */
    VECTOR(uint64_t *) row;
    VECTOR(uint32_t) pivot; /* of each row, where it has a one */
    VECTOR(uint32_t) place;
    int32_t *effect; /* places times transitions */
    uint64_t *now;   /* the row that is reduced */
    int64_t *sum;    /* of effects, per transition */
    uint64_t work;
};

static int64_t effect_on(const struct elimination *e, uint32_t place, uint32_t t)
{
    return e->effect[(size_t)place * e->net->transitions + t];
}

/* The effects on a place less what the basis tells of them; behind them the factors, negative.  False: nothing is left
 * of them. */
static bool reduce(struct elimination *e, uint32_t place)
{
    uint32_t transitions = e->net->transitions;
    memset(e->now, 0, e->columns * sizeof *e->now);
    for (uint32_t t = 0; t < transitions; t++) {
        int64_t effect = effect_on(e, place, t);
        e->now[t] = effect < 0 ? prime - (uint64_t)-effect : (uint64_t)effect;
    }
    for (size_t i = 0; i < e->row.count; i++) {
        uint64_t factor = e->now[e->pivot.item[i]];
        if (!factor)
            continue;
        uint32_t end = transitions + (uint32_t)i + 1;
        for (uint32_t c = 0; c < end; c++)
            if (e->row.item[i][c])
                e->now[c] = less(e->now[c], times(factor, e->row.item[i][c]));
        e->work += end;
    }
    for (uint32_t t = 0; t < transitions; t++)
        if (e->now[t])
            return true;
    return false;
}

/* What is left becomes a row of the basis. */
static bool add_row(struct elimination *e, uint32_t place)
{
    uint32_t pivot = 0, end = e->net->transitions + (uint32_t)e->row.count + 1;
    while (!e->now[pivot])
        pivot++;
    uint64_t *row = calloc(e->columns, sizeof *row), scale = inverse(e->now[pivot]);
    e->now[end - 1] = 1;
    for (uint32_t c = 0; row && c < end; c++)
        row[c] = times(e->now[c], scale);
    bool fine = row && vector_push(&e->row, row);
    if (!fine)
        free(row);
    return fine && vector_push(&e->pivot, pivot) && vector_push(&e->place, place);
}

static int64_t factor_of(const struct elimination *e, size_t i)
{
    uint64_t negative = e->now[e->net->transitions + i];
    return negative > prime / 2 ? (int64_t)(prime - negative) : -(int64_t)negative;
}

/* Is the place told by the basis, with these factors? */
static bool is_told(struct elimination *e, uint32_t place)
{
    uint32_t transitions = e->net->transitions;
    memset(e->sum, 0, transitions * sizeof *e->sum);
    for (size_t i = 0; i < e->row.count; i++) {
        int64_t factor = factor_of(e, i), product;
        if (factor == 0)
            continue;
        if (factor > most_factor || factor < -most_factor)
            return false;
        for (uint32_t t = 0; t < transitions; t++)
            if (__builtin_mul_overflow(factor, effect_on(e, e->place.item[i], t), &product) ||
                __builtin_add_overflow(e->sum[t], product, &e->sum[t]))
                return false;
        e->work += transitions;
    }
    for (uint32_t t = 0; t < transitions; t++)
        if (e->sum[t] != effect_on(e, place, t))
            return false;
    return true;
}

static bool note_told(struct invariants *v, const struct elimination *e, uint32_t place, uint32_t *factors)
{
    size_t room = (size_t)*factors + e->row.count + 1;
    int64_t *factor = realloc(v->factor, room * sizeof *factor);
    v->factor = factor ? factor : v->factor;
    uint32_t *places = realloc(v->place, room * sizeof *places);
    v->place = places ? places : v->place;
    if (!factor || !places)
        return false;
    for (size_t i = 0; i < e->row.count; i++)
        if (factor_of(e, i)) {
            v->factor[*factors] = factor_of(e, i);
            v->place[(*factors)++] = e->place.item[i];
        }
    v->offset[v->told + 1] = *factors;
    v->order[e->net->places - 1 - v->told++] = place; /* from behind, for now */
    return true;
}

static bool look_at(struct invariants *v, struct elimination *e, uint32_t place, bool stays, bool *is_kept,
                    uint32_t *factors)
{
    *is_kept = true;
    if (e->work > most_work)
        return true;
    if (reduce(e, place))
        return add_row(e, place);
    *is_kept = stays || !is_told(e, place);
    return *is_kept || note_told(v, e, place, factors);
}

static bool eliminate(struct invariants *v, struct elimination *e, const uint32_t *order, const bool *must_stay)
{
    uint32_t places = e->net->places, factors = 0;
    bool *kept = calloc((size_t)places + 1, sizeof *kept), fine = kept;
    for (int others = 0; others < 2; others++) /* what stays in any case first: the more it tells */
        for (uint32_t i = 0; fine && i < places; i++)
            if (must_stay[order[i]] != others)
                fine = look_at(v, e, order[i], !others, &kept[order[i]], &factors);
    for (uint32_t i = 0; fine && i < places; i++)
        if (kept[order[i]])
            v->order[v->kept++] = order[i];
    for (uint32_t a = v->kept, b = places; fine && a + 1 < b; a++) { /* as their factors are */
        uint32_t last = v->order[--b];
        v->order[b] = v->order[a];
        v->order[a] = last;
    }
    free(kept);
    return fine;
}

static bool fill_effects(struct elimination *e)
{
    size_t cells = (size_t)e->net->places * e->net->transitions;
    e->effect = calloc(cells + 1, sizeof *e->effect);
    e->columns = e->net->transitions + e->net->places + 1;
    e->now = calloc(e->columns, sizeof *e->now);
    e->sum = calloc((size_t)e->net->transitions + 1, sizeof *e->sum);
    if (!e->effect || !e->now || !e->sum)
        return false;
    for (uint32_t t = 0; t < e->net->transitions; t++)
        for_arcs (arc, e->net, t)
            e->effect[(size_t)arc->place * e->net->transitions + t] = (int32_t)((int64_t)arc->produce - arc->consume);
    return true;
}

static void elimination_clear(struct elimination *e)
{
    for (size_t i = 0; i < e->row.count; i++)
        free(e->row.item[i]);
    free(e->row.item);
    free(e->pivot.item);
    free(e->place.item);
    free(e->effect);
    free(e->now);
    free(e->sum);
}

bool invariants_find(struct invariants *v, const struct net *net, const uint32_t *order, const bool *must_stay)
{
    struct elimination e = {.net = net};
    *v = (struct invariants){.order = calloc((size_t)net->places + 1, sizeof *v->order),
                             .offset = calloc((size_t)net->places + 2, sizeof *v->offset)};
    bool fine = v->order && v->offset, is_large = net->places > MOST_SIZE || net->transitions > MOST_SIZE;
    if (fine && !is_large && net->places >= LEAST)
        fine = fill_effects(&e) && eliminate(v, &e, order, must_stay);
    elimination_clear(&e);
    if (fine && (v->told < LEAST || v->told < net->places / LEAST_PART)) {
        memcpy(v->order, order, net->places * sizeof *order);
        v->kept = net->places;
        v->told = 0;
    }
    if (!fine)
        invariants_clear(v);
    return fine;
}

void invariants_clear(struct invariants *v)
{
    free(v->order);
    free(v->offset);
    free(v->place);
    free(v->factor);
    *v = (struct invariants){0};
}

int64_t told_tokens(const struct invariants *v, uint32_t number, const struct net *net, const struct layout *layout,
                    const uint64_t *state)
{
    uint64_t sum = net->initial[v->order[v->kept + number]];
    for (uint32_t f = v->offset[number]; f < v->offset[number + 1]; f++) {
        uint32_t place = v->place[f];
        sum += (uint64_t)v->factor[f] * ((uint64_t)field_get(&layout->field[place], state) - net->initial[place]);
    }
    return (int64_t)sum;
}

/* --- of a layout */

/* Adds the parts of one word: of each field of the key, what all places in the word take from it.  Fields hold counts,
 * none less than 0, and the sums fit, so carries between them cancel out modulo 2^64. */
static uint32_t fill_word(struct told_words *w, const struct invariants *v, const struct net *net,
                          const struct layout *layout, uint32_t word, uint64_t *sum)
{
    uint32_t parts = w->offset[word - w->first];
    memset(sum, 0, net->places * sizeof *sum);
    for (uint32_t i = 0; i < v->told; i++) {
        uint32_t place = v->order[v->kept + i];
        const struct field *field = &layout->field[place];
        if (field->word != word || field->bits == 0)
            continue;
        uint64_t base = net->initial[place];
        for (uint32_t f = v->offset[i]; f < v->offset[i + 1]; f++) {
            base -= (uint64_t)v->factor[f] * net->initial[v->place[f]];
            sum[v->place[f]] += (uint64_t)v->factor[f] << field->shift;
        }
        w->base[word - w->first] += base << field->shift;
    }
    for (uint32_t i = 0; i < v->kept; i++) {
        const struct field *field = &layout->field[v->order[i]];
        if (sum[v->order[i]] && field->bits)
            w->part[parts++] = (struct told_part){field->mask, sum[v->order[i]], field->word, field->shift};
    }
    return parts;
}

bool told_words_make(struct told_words *w, const struct invariants *v, const struct net *net,
                     const struct layout *layout)
{
    uint32_t first = (uint32_t)((layout->key_bytes + 7) / 8), words = layout->words - first;
    *w = (struct told_words){.first = first, .end = v->told ? layout->words : first};
    if (w->first == w->end)
        return true;
    uint64_t *sum = calloc((size_t)net->places + 1, sizeof *sum);
    w->base = calloc(words, sizeof *w->base);
    w->offset = calloc((size_t)words + 1, sizeof *w->offset);
    w->part = calloc((size_t)words * v->kept + 1, sizeof *w->part);
    bool fine = sum && w->base && w->offset && w->part;
    for (uint32_t word = w->first; fine && word < w->end; word++)
        w->offset[word - w->first + 1] = fill_word(w, v, net, layout, word, sum);
    free(sum);
    return fine;
}

void told_words_clear(struct told_words *w)
{
    free(w->base);
    free(w->offset);
    free(w->part);
    *w = (struct told_words){0};
}

void told_words_compute(const struct told_words *w, uint64_t *state)
{
    for (uint32_t word = w->first; word < w->end; word++) {
        const struct told_part *part = w->part + w->offset[word - w->first],
                               *end = w->part + w->offset[word - w->first + 1];
        uint64_t sum = w->base[word - w->first];
        for (; part < end; part++)
            sum += (state[part->word] >> part->shift & part->mask) * part->factor;
        state[word] = sum;
    }
}
