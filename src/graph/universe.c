/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/universe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { ASKED_BITS = 14 };

bool universe_make(struct universe *u, struct grammar *grammar)
{
    bool is_new;
    *u = (struct universe){.grammar = grammar, .node_label = (uint32_t)grammar->labels.count};
    u->asked = calloc((size_t)1 << ASKED_BITS, sizeof *u->asked);
    return u->asked && sequence_insert(&u->graphs, NULL, 0, &is_new) == 0; /* graph 0 is empty */
}

void universe_clear(struct universe *u)
{
    for (size_t i = 0; i < u->nodes.count; i++)
        free((char *)u->nodes.item[i].name);
    sequences_clear(&u->node_keys);
    sequences_clear(&u->entities);
    sequences_clear(&u->pieces);
    sequences_clear(&u->graphs);
    names_clear(&u->node_names);
    free(u->asked);
    free(u->named.item);
    free(u->written_pieces.item);
    free(u->open_piece.item);
    free(u->nodes.item);
}

/* ------------------------------------------------------------------- nodes */

static uint64_t hash_of_value(const struct value *value)
{
    return value->sort == SORT_STRING ? XXH3_64bits_withSeed(value->string, strlen(value->string), value->sort)
                                      : XXH3_64bits_withSeed(&value->integer, sizeof value->integer, value->sort);
}

static uint32_t add_node(struct universe *u, const uint32_t *key, size_t length, struct node node)
{
    bool is_new;
    uint32_t number = sequence_insert(&u->node_keys, key, length, &is_new);
    if (number == SEQUENCE_NONE || number < u->nodes.count)
        return number;
    return vector_push(&u->nodes, node) ? number : NO_NUMBER;
}

uint32_t node_of_value(struct universe *u, uint32_t value)
{
    return value == NO_NUMBER ? NO_NUMBER
                              : add_node(u, (uint32_t[]){NODE_VALUE, value}, 2,
                                         (struct node){.origin = hash_of_value(&u->grammar->values.item[value]),
                                                       .value = value,
                                                       .creator = NO_NUMBER});
}

uint32_t node_of_name(struct universe *u, uint32_t index, const char *name)
{
    char text[16];
    snprintf(text, sizeof text, "n%" PRIu32, index);
    const char *given = name ? name : text;
    uint32_t number =
        add_node(u, (uint32_t[]){NODE_NAMED, index}, 2,
                 (struct node){.origin = XXH3_64bits(given, strlen(given)), .value = NO_NUMBER, .creator = NO_NUMBER});
    if (number == NO_NUMBER || u->nodes.item[number].name)
        return number;
    return (u->nodes.item[number].name = strdup(given)) ? number : NO_NUMBER;
}

uint32_t node_of_creation(struct universe *u, const uint32_t *how, size_t length)
{
    enum { HEAD = 4 }; /* rule, level, creator, k */
    uint32_t key[64], *room = length < 64 ? key : malloc((length + 1) * sizeof *room);
    if (!room)
        return NO_NUMBER;
    const char *rule = u->grammar->rules.item[how[0]].name;
    uint64_t origin = XXH3_64bits_withSeed(rule, strlen(rule), XXH3_64bits(how + 1, 3 * sizeof *how));
    room[0] = NODE_CREATED;
    memcpy(room + 1, how, length * sizeof *how);
    for (size_t i = HEAD; i < length; i++) {
        uint64_t of = how[i] < u->nodes.count ? u->nodes.item[how[i]].origin : how[i];
        origin = XXH3_64bits_withSeed(&of, sizeof of, origin);
    }
    uint32_t node =
        add_node(u, room, length + 1, (struct node){.origin = origin, .value = NO_NUMBER, .creator = how[0]});
    if (room != key)
        free(room);
    return node;
}

static void write_value(const struct value *v, char *text, size_t size)
{
    switch (v->sort) {
    case SORT_INT: snprintf(text, size, "%" PRId64, v->integer); break;
    case SORT_BOOL: snprintf(text, size, "%s", v->integer ? "true" : "false"); break;
    case SORT_REAL: snprintf(text, size, "%.17g", v->real); break;
    default: snprintf(text, size, "\"%.200s\"", v->string); break;
    }
}

/* Letters of a hash: enough that two names hardly ever clash, short enough to be read. */
static void write_origin(const struct universe *u, uint32_t node, size_t letters, char *text, size_t size)
{
    static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
    const struct node *n = &u->nodes.item[node];
    size_t used = (size_t)snprintf(text, size, "%.100s.", u->grammar->rules.item[n->creator].name);
    uint64_t hash = n->origin;
    for (size_t i = 0; i < letters && used + 1 < size; i++, hash /= 32)
        text[used++] = digits[hash % 32];
    text[used] = 0;
}

static bool take_name(struct universe *u, uint32_t node, const char *text)
{
    uint32_t number;
    if (!names_add(&u->node_names, text, &number))
        return false;
    if (number == u->named.count && !vector_push(&u->named, node))
        return false;
    return u->named.item[number] == node;
}

const char *node_name(struct universe *u, uint32_t node)
{
    enum { SHORT = 7, LONG = 13 };
    char text[256];
    if (node >= u->nodes.count)
        return "?";
    struct node *n = &u->nodes.item[node];
    if (n->name)
        return n->name;
    if (n->value != NO_NUMBER)
        write_value(&u->grammar->values.item[n->value], text, sizeof text);
    else
        for (size_t letters = SHORT; letters <= LONG; letters++) {
            write_origin(u, node, letters, text, sizeof text);
            if (take_name(u, node, text))
                break;
        }
    return n->name = strdup(text);
}

/* ---------------------------------------------------------------- entities */

/* Most are asked for again and again, so a look at what was asked before comes first. */
uint32_t entity_of(struct universe *u, uint32_t from, uint32_t label, uint32_t to)
{
    bool is_new;
    if (from == NO_NUMBER || to == NO_NUMBER)
        return NO_NUMBER;
    uint32_t *asked = &u->asked[((from * 31 + label) * 31 + to) * UINT32_C(0x9e3779b1) >> (32 - ASKED_BITS)];
    if (*asked) {
        const struct entity *e = entity_get(u, *asked - 1);
        if (e->from == from && e->label == label && e->to == to)
            return *asked - 1;
    }
    uint32_t entity = sequence_insert(&u->entities, (uint32_t[]){from, label, to}, 3, &is_new);
    if (entity != NO_NUMBER)
        *asked = entity + 1;
    return entity;
}

/* ------------------------------------------------------------------ graphs */

/* Does a piece end behind this entity? */
static bool ends_piece(uint32_t entity)
{
    return ((entity * UINT32_C(0x9e3779b1)) >> 29) == 0;
}

/* A graph that is being written, entity by entity or piece by piece. */
struct writer {
    struct universe *universe;
    numbers pieces, open; /* open: entities behind the last piece */
    bool failed;
};

/* The universe keeps the memory of the last writer for the next. */
static struct writer writer_begin(struct universe *u)
{
    struct writer w = {.universe = u, .pieces = u->written_pieces, .open = u->open_piece};
    w.pieces.count = w.open.count = 0;
    return w;
}

static void close_piece(struct writer *w)
{
    bool is_new;
    uint32_t piece = sequence_insert(&w->universe->pieces, w->open.item, w->open.count, &is_new);
    w->failed |= piece == SEQUENCE_NONE || !vector_push(&w->pieces, piece);
    w->open.count = 0;
}

static void write_entity(struct writer *w, uint32_t entity)
{
    w->failed |= !vector_push(&w->open, entity);
    if (!w->failed && ends_piece(entity))
        close_piece(w);
}

static uint32_t writer_end(struct writer *w)
{
    bool is_new;
    if (w->open.count && !w->failed)
        close_piece(w);
    uint32_t graph =
        w->failed ? NO_NUMBER : sequence_insert(&w->universe->graphs, w->pieces.item, w->pieces.count, &is_new);
    w->universe->written_pieces = w->pieces;
    w->universe->open_piece = w->open;
    return graph;
}

uint32_t graph_of(struct universe *u, const numbers *entities)
{
    struct writer w = writer_begin(u);
    for (size_t i = 0; i < entities->count && !w.failed; i++)
        write_entity(&w, entities->item[i]);
    return writer_end(&w);
}

/* What is still to be changed, smallest first. */
struct changes {
    const uint32_t *removed, *removed_end, *added, *added_end;
};

static void write_added_below(struct writer *w, struct changes *c, uint64_t below)
{
    for (; c->added < c->added_end && *c->added < below && !w->failed; c->added++)
        write_entity(w, *c->added);
}

/* Takes a piece over as it is when nothing in it changes, else entity by entity. */
static void write_piece(struct writer *w, struct changes *c, uint32_t piece)
{
    size_t length;
    const uint32_t *entities = sequence_get(&w->universe->pieces, piece, &length);
    uint32_t last = entities[length - 1];
    bool whole = ends_piece(last) && (c->removed == c->removed_end || *c->removed > last) &&
                 (c->added == c->added_end || *c->added > last);
    if (whole && w->open.count == 0) {
        w->failed |= !vector_push(&w->pieces, piece);
        return;
    }
    for (size_t i = 0; i < length && !w->failed; i++) {
        uint32_t entity = sequence_get(&w->universe->pieces, piece, &length)[i]; /* pieces move when one is added */
        write_added_below(w, c, entity);
        while (c->removed < c->removed_end && *c->removed < entity)
            c->removed++;
        if ((c->added < c->added_end && *c->added == entity) || (c->removed < c->removed_end && *c->removed == entity))
            continue;
        write_entity(w, entity);
    }
}

uint32_t graph_change(struct universe *u, uint32_t graph, const numbers *removed, const numbers *added)
{
    struct writer w = writer_begin(u);
    struct changes c = {removed->item, removed->item + removed->count, added->item, added->item + added->count};
    size_t count;
    sequence_get(&u->graphs, graph, &count);
    for (size_t i = 0; i < count && !w.failed; i++)
        write_piece(&w, &c, sequence_get(&u->graphs, graph, &count)[i]);
    write_added_below(&w, &c, UINT64_MAX);
    return writer_end(&w);
}

/* ------------------------------------------------------------- differences */

static bool append_piece(const struct universe *u, uint32_t piece, numbers *out)
{
    size_t length;
    const uint32_t *entities = sequence_get(&u->pieces, piece, &length);
    if (!vector_reserve(out, length))
        return false;
    memcpy(out->item + out->count, entities, length * sizeof *entities);
    out->count += length;
    return true;
}

static uint32_t first_of_piece(const struct universe *u, uint32_t piece)
{
    size_t length;
    return sequence_get(&u->pieces, piece, &length)[0];
}

/* Takes out of both what both have. */
static void drop_common(numbers *a, numbers *b)
{
    size_t i = 0, j = 0, i_kept = 0, j_kept = 0;
    while (i < a->count || j < b->count) {
        if (j == b->count || (i < a->count && a->item[i] < b->item[j]))
            a->item[i_kept++] = a->item[i++];
        else if (i == a->count || b->item[j] < a->item[i])
            b->item[j_kept++] = b->item[j++];
        else
            i++, j++;
    }
    a->count = i_kept;
    b->count = j_kept;
}

bool graph_difference(const struct universe *u, uint32_t from, uint32_t to, numbers *only_from, numbers *only_to)
{
    size_t a_count, b_count, i = 0, j = 0;
    const uint32_t *a = sequence_get(&u->graphs, from, &a_count), *b = sequence_get(&u->graphs, to, &b_count);
    bool fine = true;
    while ((i < a_count || j < b_count) && fine) {
        if (i < a_count && j < b_count && a[i] == b[j])
            i++, j++;
        else if (j == b_count || (i < a_count && first_of_piece(u, a[i]) <= first_of_piece(u, b[j])))
            fine = append_piece(u, a[i++], only_from);
        else
            fine = append_piece(u, b[j++], only_to);
    }
    if (fine)
        drop_common(only_from, only_to);
    return fine;
}

static void sort_few(uint32_t *item, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t moved = item[i];
        size_t at = i;
        for (; at > 0 && item[at - 1] > moved; at--)
            item[at] = item[at - 1];
        item[at] = moved;
    }
}

/* By some bits of the numbers at a time, the lowest first; spare has as much room. */
static void sort_many(uint32_t *item, uint32_t *spare, size_t count)
{
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++)
        all |= item[i];
    unsigned length = all ? 32 - (unsigned)__builtin_clz(all) : 1, passes = (length + 7) / 8;
    unsigned bits = (length + passes - 1) / passes;
    uint32_t digits = (UINT32_C(1) << bits) - 1;
    for (unsigned shift = 0; shift < 32 && all >> shift; shift += bits) {
        uint32_t first[257];
        memset(first, 0, (digits + 2) * sizeof *first);
        for (size_t i = 0; i < count; i++)
            first[(item[i] >> shift & digits) + 1]++;
        for (uint32_t i = 1; i <= digits; i++)
            first[i] += first[i - 1];
        for (size_t i = 0; i < count; i++)
            spare[first[item[i] >> shift & digits]++] = item[i];
        memcpy(item, spare, count * sizeof *item);
    }
}

void numbers_sort(numbers *some)
{
    enum { FEW = 48 };
    size_t kept = 0;
    if (some->count > FEW && vector_reserve(some, some->count)) /* behind them is room to sort in */
        sort_many(some->item, some->item + some->count, some->count);
    else
        sort_few(some->item, some->count);
    for (size_t i = 0; i < some->count; i++)
        if (i == 0 || some->item[i] != some->item[kept - 1])
            some->item[kept++] = some->item[i];
    some->count = kept;
}
