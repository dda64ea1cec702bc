/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/compiled.h"

#include <stdlib.h>
#include <string.h>

static inline bool bits_pass(const struct bit_test *test, const struct bit_test *end, const uint64_t *state)
{
    for (; test < end; test++)
        if ((state[test->word] & test->mask) != test->value)
            return false;
    return true;
}

static inline bool fields_pass(const struct field_test *test, const struct field_test *end, const uint64_t *state)
{
    for (; test < end; test++) {
        uint32_t value = (uint32_t)(state[test->word] >> test->shift) & test->mask;
        if (value < test->low || value > test->high)
            return false;
    }
    return true;
}

static inline bool is_enabled(const struct compiled *c, uint32_t t, const uint64_t *state)
{
    const struct operations *now = &c->transition[t], *next = now + 1;
    return bits_pass(c->enabled_bits + now->enabled_bits, c->enabled_bits + next->enabled_bits, state) &&
           fields_pass(c->enabled_fields + now->enabled_fields, c->enabled_fields + next->enabled_fields, state);
}

static inline uint32_t enabled_among(const struct compiled *c, const uint32_t *item, const uint32_t *end,
                                     const uint64_t *state, uint32_t *out, uint32_t count)
{
    for (; item < end; item++)
        if (is_enabled(c, *item, state))
            out[count++] = *item;
    return count;
}

/* The watching places of one word that are marked, each as the lowest bit of its field. */
static inline uint64_t marked_in(const struct compiled *c, uint32_t word, uint64_t bits)
{
    uint64_t marked = bits & c->watched_bits[word];
    for (uint32_t i = c->wide_offset[word]; i < c->wide_offset[word + 1]; i++)
        if (bits & c->wide[i].mask)
            marked |= c->wide[i].lowest;
    return marked;
}

/* In the order of the watching places, whatever the widths of the fields: a search must not depend on them. */
uint32_t compiled_enabled(const struct compiled *c, const uint64_t *state, uint32_t *out)
{
    uint32_t count = enabled_among(c, c->unwatched, c->unwatched + c->unwatched_count, state, out, 0);
    for (uint32_t w = 0; w < c->words; w++) {
        for (uint64_t marked = state[w] ? marked_in(c, w, state[w]) : 0; marked; marked &= marked - 1) {
            uint32_t p = c->bit_place[w * 64 + (uint32_t)__builtin_ctzll(marked)];
            count = enabled_among(c, c->watch_item + c->watch_offset[p], c->watch_item + c->watch_offset[p + 1], state,
                                  out, count);
        }
    }
    return count;
}

bool compiled_fire(const struct compiled *c, const uint64_t *state, uint32_t t, uint64_t *successor)
{
    const struct operations *now = &c->transition[t], *next = now + 1;
    if (!bits_pass(c->room_bits + now->room_bits, c->room_bits + next->room_bits, state) ||
        !fields_pass(c->room_fields + now->room_fields, c->room_fields + next->room_fields, state))
        return false;
    for (uint32_t w = 0; w < c->words; w++)
        successor[w] = state[w];
    for (uint32_t i = now->changes; i < next->changes; i++)
        successor[c->changes[i].word] += c->changes[i].delta;
    return true;
}

/* Adds a one-bit requirement to the test of its word among those of the present transition. */
static void add_bit_test(struct bit_test *tests, uint32_t first, uint32_t *count, struct field field, bool set)
{
    uint64_t bit = UINT64_C(1) << field.shift;
    uint32_t i = first;
    while (i < *count && tests[i].word != field.word)
        i++;
    if (i == *count)
        tests[(*count)++] = (struct bit_test){.word = field.word};
    tests[i].mask |= bit;
    if (set)
        tests[i].value |= bit;
}

static struct field_test make_field_test(struct field field, uint32_t low, uint32_t high)
{
    return (struct field_test){
        .word = field.word, .shift = field.shift, .mask = (uint32_t)field.mask, .low = low, .high = high};
}

static void add_change(struct change *changes, uint32_t first, uint32_t *count, struct field field, int64_t difference)
{
    uint32_t i = first;
    while (i < *count && changes[i].word != field.word)
        i++;
    if (i == *count)
        changes[(*count)++] = (struct change){.word = field.word};
    /* Fields neither overflow nor underflow, so one wrapping addition moves all fields of the word at once. */
    changes[i].delta += (uint64_t)difference << field.shift;
}

static void compile_enabling(struct compiled *c, const struct operations *first, struct operations *end,
                             const struct net_arc *arc, struct field field)
{
    uint32_t most = (uint32_t)field.mask;
    uint32_t high = arc->inhibit && arc->inhibit - 1 < most ? arc->inhibit - 1 : most;
    if (arc->need == 0 && high == most)
        return;
    if (field.bits == 1 && arc->need <= 1 && !(arc->need == 1 && high == 0))
        add_bit_test(c->enabled_bits, first->enabled_bits, &end->enabled_bits, field, arc->need == 1);
    else /* also what can never hold: low above high, or above what the field can count */
        c->enabled_fields[end->enabled_fields++] = make_field_test(field, arc->need, high);
}

static void compile_effect(struct compiled *c, const struct operations *first, struct operations *end,
                           const struct net_arc *arc, struct field field)
{
    int64_t difference = (int64_t)arc->produce - arc->consume;
    if (difference == 0)
        return;
    add_change(c->changes, first->changes, &end->changes, field, difference);
    if (difference < 0)
        return;
    int64_t most = (int64_t)field.mask - difference;
    if (field.bits == 1 && most == 0)
        add_bit_test(c->room_bits, first->room_bits, &end->room_bits, field, false);
    else if (most >= 0)
        c->room_fields[end->room_fields++] = make_field_test(field, 0, (uint32_t)most);
    else
        c->room_fields[end->room_fields++] = make_field_test(field, 1, 0); /* never fits this layout */
}

/* The input place that the fewest transitions need: it is likely to be unmarked most of the time. */
static uint32_t choose_watch(const struct net *net, const uint32_t *users, uint32_t t)
{
    uint32_t best = UINT32_MAX;
    for_arcs (arc, net, t) {
        if (arc->need && (best == UINT32_MAX || users[arc->place] < users[best]))
            best = arc->place;
    }
    return best;
}

/* Gathers the wide watching fields by word; wide_offset[w + 1] holds the number of those of word w. */
static void lay_out_wide(struct compiled *c, const struct net *net, const struct layout *layout)
{
    for (uint32_t w = 0; w < c->words; w++)
        c->wide_offset[w + 1] += c->wide_offset[w];
    for (uint32_t p = 0; p < net->places; p++) {
        struct field field = layout->field[p];
        if (field.bits > 1 && c->watch_offset[p] < c->watch_offset[p + 1])
            c->wide[c->wide_offset[field.word]++] =
                (struct wide_field){field.mask << field.shift, UINT64_C(1) << field.shift};
    }
    for (uint32_t w = c->words; w > 0; w--) /* each start has moved to where the next begins */
        c->wide_offset[w] = c->wide_offset[w - 1];
    c->wide_offset[0] = 0;
}

static void choose_watches(const struct net *net, uint32_t *users, uint32_t *watch)
{
    for (uint32_t i = 0; i < net->arc_offset[net->transitions]; i++)
        users[net->arc[i].place] += net->arc[i].need > 0;
    for (uint32_t t = 0; t < net->transitions; t++)
        watch[t] = choose_watch(net, users, t);
}

bool find_watching_places(const struct net *net, bool *watches)
{
    uint32_t *users = calloc((size_t)net->places + 1, sizeof *users);
    uint32_t *watch = calloc((size_t)net->transitions + 1, sizeof *watch);
    bool fine = users && watch;
    if (fine)
        choose_watches(net, users, watch);
    for (uint32_t t = 0; fine && t < net->transitions; t++)
        if (watch[t] != UINT32_MAX)
            watches[watch[t]] = true;
    free(users);
    free(watch);
    return fine;
}

static void lay_out_watches(struct compiled *c, const struct net *net, const struct layout *layout, uint32_t *users,
                            uint32_t *watch)
{
    choose_watches(net, users, watch);
    for (uint32_t t = 0; t < net->transitions; t++) {
        if (watch[t] == UINT32_MAX)
            c->unwatched[c->unwatched_count++] = t;
        else
            c->watch_offset[watch[t] + 1]++;
    }
    for (uint32_t p = 0; p < net->places; p++)
        c->watch_offset[p + 1] += c->watch_offset[p];
    memset(users, 0, net->places * sizeof *users);
    for (uint32_t t = 0; t < net->transitions; t++)
        if (watch[t] != UINT32_MAX)
            c->watch_item[c->watch_offset[watch[t]] + users[watch[t]]++] = t;
    for (uint32_t p = 0; p < net->places; p++) {
        struct field field = layout->field[p];
        if (c->watch_offset[p] == c->watch_offset[p + 1])
            continue;
        uint64_t lowest = UINT64_C(1) << field.shift;
        c->bit_place[field.word * 64 + field.shift] = p;
        if (field.bits == 1) {
            c->watched_bits[field.word] |= lowest;
        } else {
            c->wide_offset[field.word + 1]++;
        }
    }
    lay_out_wide(c, net, layout);
}

static bool allocate(struct compiled *c, const struct net *net, const struct layout *layout)
{
    size_t arcs = (size_t)net->arc_offset[net->transitions] + 1;
    c->transition = calloc((size_t)net->transitions + 1, sizeof *c->transition);
    c->enabled_bits = calloc(arcs, sizeof *c->enabled_bits);
    c->enabled_fields = calloc(arcs, sizeof *c->enabled_fields);
    c->room_bits = calloc(arcs, sizeof *c->room_bits);
    c->room_fields = calloc(arcs, sizeof *c->room_fields);
    c->changes = calloc(arcs, sizeof *c->changes);
    c->watched_bits = calloc(layout->words, sizeof *c->watched_bits);
    c->bit_place = calloc((size_t)layout->words * 64, sizeof *c->bit_place);
    c->wide = calloc((size_t)net->places + 1, sizeof *c->wide);
    c->wide_offset = calloc((size_t)layout->words + 1, sizeof *c->wide_offset);
    c->watch_offset = calloc((size_t)net->places + 2, sizeof *c->watch_offset);
    c->watch_item = calloc((size_t)net->transitions + 1, sizeof *c->watch_item);
    c->unwatched = calloc((size_t)net->transitions + 1, sizeof *c->unwatched);
    return c->transition && c->enabled_bits && c->enabled_fields && c->room_bits && c->room_fields && c->changes &&
           c->watched_bits && c->bit_place && c->wide && c->wide_offset && c->watch_offset && c->watch_item &&
           c->unwatched;
}

bool compile_net(struct compiled *c, const struct net *net, const struct layout *layout)
{
    memset(c, 0, sizeof *c);
    c->transitions = net->transitions;
    c->words = layout->words;
    uint32_t *users = calloc((size_t)net->places + 1, sizeof *users);
    uint32_t *watch = calloc((size_t)net->transitions + 1, sizeof *watch);
    bool fine = users && watch && allocate(c, net, layout);
    if (fine) {
        struct operations end = {0};
        for (uint32_t t = 0; t < net->transitions; t++) {
            struct operations first = end;
            c->transition[t] = first;
            for_arcs (arc, net, t) {
                struct field field = layout->field[arc->place];
                compile_enabling(c, &first, &end, arc, field);
                compile_effect(c, &first, &end, arc, field);
            }
        }
        c->transition[net->transitions] = end;
        lay_out_watches(c, net, layout, users, watch);
    } else {
        compiled_clear(c);
    }
    free(users);
    free(watch);
    return fine;
}

void compiled_clear(struct compiled *c)
{
    free(c->transition);
    free(c->enabled_bits);
    free(c->enabled_fields);
    free(c->room_bits);
    free(c->room_fields);
    free(c->changes);
    free(c->watched_bits);
    free(c->bit_place);
    free(c->wide);
    free(c->wide_offset);
    free(c->watch_offset);
    free(c->watch_item);
    free(c->unwatched);
    memset(c, 0, sizeof *c);
}
