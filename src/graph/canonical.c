/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Canonical forms by refinement and search (McKay, "Practical graph isomorphism", 1981): nodes are told apart by what
 * is around them until that tells no more; then a node of a cell is set apart, each in turn, and the smallest of the
 * graphs at the leaves is the answer.  Most graphs need no search, and of those most no partitions either: rounds of
 * hashing (Weisfeiler and Leman 1968) give every node a signature of its own.  A leaf that equals the best one gives an
 * automorphism, which saves what would look the same.  What is compared depends on labels, colours and places only,
 * never on the numbers of nodes, so a clash of two signatures costs time but changes nothing.
 */
#include "graph/canonical.h"

#include "base/limits.h"

#include <string.h>

#ifndef SIGNATURE_MASK
#define SIGNATURE_MASK UINT64_MAX /* tests keep few bits, so that signatures clash */
#endif

enum { MOST_AUTOMORPHISMS = 64, NO_RETURN = INT32_MAX };

static uint64_t mixed(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
    value = (value ^ value >> 27) * 0x94d049bb133111ebU;
    return (value ^ value >> 31) & SIGNATURE_MASK;
}

/* ---------------------------------------------------------------------- partitions */

static bool make_level(struct canonical *c, uint32_t depth)
{
    while (c->levels.count <= depth)
        if (!vector_push(&c->levels, (struct canonical_partition){0}))
            return false;
    struct canonical_partition *p = &c->levels.item[depth];
    return vector_reserve(&p->cell, c->nodes) && vector_reserve(&p->order, c->nodes);
}

/* Sorts by signature; cells are small, or nearly sorted. */
static void sort_nodes(const struct canonical *c, uint32_t *node, uint32_t count)
{
    const uint64_t *key = c->signature.item;
    for (uint32_t gap = count > 16 ? count / 2 : 1; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t moved = node[i], k = i;
            for (; k >= gap && key[node[k - gap]] > key[moved]; k -= gap)
                node[k] = node[k - gap];
            node[k] = moved;
        }
}

static void enqueue(struct canonical *c, uint32_t cell)
{
    if (!c->is_queued.item[cell])
        c->queue.item[c->queue.count++] = cell;
    c->is_queued.item[cell] = true;
}

/* Splits a cell by the signatures of its nodes; the parts are looked at again.  Returns what that looked like, whatever
 * the nodes are called. */
static uint64_t split(struct canonical *c, struct canonical_partition *p, uint32_t start)
{
    uint32_t *order = p->order.item + start, length = c->length.item[start], first = 0;
    const uint64_t *signature = c->signature.item;
    uint64_t trace = mixed(start + signature[order[0]]);
    uint32_t same = 1;
    while (same < length && signature[order[same]] == signature[order[0]])
        same++;
    if (same == length)
        return trace;
    sort_nodes(c, order, length);
    trace = mixed(start + signature[order[0]]);
    for (uint32_t i = 1; i <= length; i++) {
        if (i < length && signature[order[i]] == signature[order[i - 1]])
            continue;
        c->length.item[start + first] = i - first;
        for (uint32_t k = first; k < i; k++)
            p->cell.item[order[k]] = start + first;
        c->cells += first > 0;
        enqueue(c, start + first);
        trace = mixed(trace + i + signature[order[i - 1]]);
        first = i;
    }
    return trace;
}

/* Signs the nodes around a cell, but not those that stand alone. */
static void sign_around(struct canonical *c, const struct canonical_partition *p, uint32_t start)
{
    c->touched.count = 0;
    for (uint32_t i = start; i < start + c->length.item[start]; i++) {
        uint32_t node = p->order.item[i];
        for (uint32_t k = c->first_end.item[node]; k < c->first_end.item[node + 1]; k++) {
            const struct canonical_end *end = &c->ends.item[k];
            uint32_t cell = p->cell.item[end->other];
            if (c->length.item[cell] == 1)
                continue;
            c->signature.item[end->other] += end->hash;
            if (!c->is_touched.item[cell])
                c->touched.item[c->touched.count++] = cell;
            c->is_touched.item[cell] = true;
        }
    }
}

/* Cells in the order of their places, so that nothing depends on how nodes are called. */
static void sort_touched(struct canonical *c)
{
    uint32_t *cell = c->touched.item;
    for (size_t i = 1; i < c->touched.count; i++) {
        uint32_t moved = cell[i];
        size_t at = i;
        for (; at > 0 && cell[at - 1] > moved; at--)
            cell[at] = cell[at - 1];
        cell[at] = moved;
    }
}

static uint64_t split_touched(struct canonical *c, struct canonical_partition *p, uint64_t trace)
{
    sort_touched(c);
    for (size_t i = 0; i < c->touched.count; i++) {
        uint32_t start = c->touched.item[i], length = c->length.item[start];
        trace = mixed(trace + split(c, p, start));
        for (uint32_t k = start; k < start + length; k++)
            c->signature.item[p->order.item[k]] = 0;
        c->is_touched.item[start] = false;
    }
    return trace;
}

static void measure(struct canonical *c, const struct canonical_partition *p)
{
    c->cells = 0;
    for (uint32_t start = 0, end; start < c->nodes; start = end) {
        for (end = start + 1; end < c->nodes && p->cell.item[p->order.item[end]] == start;)
            end++;
        c->length.item[start] = end - start;
        c->cells++;
    }
}

/* Tells nodes apart, by what is around these cells first, until nothing changes; returns what that looked like. */
static uint64_t refine(struct canonical *c, struct canonical_partition *p, uint32_t first, uint32_t last)
{
    uint64_t trace = 0;
    measure(c, p);
    memset(c->signature.item, 0, c->nodes * sizeof *c->signature.item);
    memset(c->is_queued.item, 0, c->nodes * sizeof *c->is_queued.item);
    c->queue.count = 0;
    for (uint32_t start = first; start <= last && start < c->nodes; start += c->length.item[start])
        enqueue(c, start);
    for (size_t i = 0; i < c->queue.count && c->cells < c->nodes; i++) {
        uint32_t start = c->queue.item[i];
        c->is_queued.item[start] = false;
        sign_around(c, p, start);
        trace = split_touched(c, p, trace + start);
    }
    return trace;
}

/* The first of the smallest cells with several nodes; the number of nodes when there is none. */
static uint32_t target_cell(const struct canonical *c, const struct canonical_partition *p, uint32_t *size)
{
    uint32_t best = c->nodes;
    *size = UINT32_MAX;
    for (uint32_t start = 0, end; start < c->nodes; start = end) {
        for (end = start + 1; end < c->nodes && p->cell.item[p->order.item[end]] == start;)
            end++;
        if (end - start > 1 && end - start < *size) {
            *size = end - start;
            best = start;
        }
    }
    return best;
}

/* The partition of the next depth: one node of a cell comes before the others. */
static void set_apart(struct canonical *c, uint32_t depth, uint32_t start, uint32_t node)
{
    const struct canonical_partition *p = &c->levels.item[depth];
    struct canonical_partition *next = &c->levels.item[depth + 1];
    memcpy(next->cell.item, p->cell.item, c->nodes * sizeof *p->cell.item);
    memcpy(next->order.item, p->order.item, c->nodes * sizeof *p->order.item);
    uint32_t *order = next->order.item, at = start;
    while (order[at] != node)
        at++;
    order[at] = order[start];
    order[start] = node;
    for (uint32_t i = start + 1; i < c->nodes && p->cell.item[order[i]] == start; i++)
        next->cell.item[order[i]] = start + 1;
}

/* -------------------------------------------------------------------------- leaves */

static int compare_words(const void *one, const void *two)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;
    return a < b ? -1 : a > b;
}

static void fill_leaf(struct canonical *c, const uint32_t *place)
{
    for (uint32_t i = 0; i < c->edges; i++) {
        const struct canonical_edge *e = &c->edge[i];
        c->leaf.item[i] = (uint64_t)place[e->from] << 44 | (uint64_t)e->label << 20 | place[e->to];
    }
    if (c->edges)
        qsort(c->leaf.item, c->edges, sizeof *c->leaf.item, compare_words);
}

static int compare_leaf(const struct canonical *c)
{
    for (uint32_t i = 0; i < c->edges; i++)
        if (c->leaf.item[i] != c->best_leaf.item[i])
            return c->leaf.item[i] < c->best_leaf.item[i] ? -1 : 1;
    return 0;
}

static bool keep_best(struct canonical *c, const uint32_t *place)
{
    c->best_path.count = c->best_trace.count = 0;
    for (size_t i = 0; i < c->path.count; i++)
        if (!vector_push(&c->best_path, c->path.item[i]))
            return false;
    for (size_t i = 0; i < c->trace.count; i++)
        if (!vector_push(&c->best_trace, c->trace.item[i]))
            return false;
    memcpy(c->best_place.item, place, c->nodes * sizeof *place);
    if (c->edges)
        memcpy(c->best_leaf.item, c->leaf.item, c->edges * sizeof *c->leaf.item);
    c->has_best = true;
    return true;
}

/* Two leaves with equal graphs: what stands at one place in both is mapped to each other. */
static bool add_automorphism(struct canonical *c, const uint32_t *place)
{
    size_t first = c->automorphisms.count;
    if (first == (size_t)MOST_AUTOMORPHISMS * c->nodes)
        first = c->automorphisms.count = 0;
    if (!vector_reserve(&c->automorphisms, c->nodes) || !vector_reserve(&c->orbit, c->nodes))
        return false;
    for (uint32_t i = 0; i < c->nodes; i++)
        c->orbit.item[place[i]] = i;
    for (uint32_t i = 0; i < c->nodes; i++)
        c->automorphisms.item[first + i] = c->orbit.item[c->best_place.item[i]];
    c->automorphisms.count = first + c->nodes;
    return true;
}

/* Returns the depth to which the search can go back: where the path left that of an equal leaf. */
static int32_t visit_leaf(struct canonical *c, uint32_t depth, int order)
{
    const uint32_t *place = c->levels.item[depth].cell.item;
    fill_leaf(c, place);
    if (c->has_best && order == 0) /* of equal traces the shorter one, which is not cut off where the other ends */
        order = c->trace.count < c->best_trace.count ? -1 : compare_leaf(c);
    if (!c->has_best || order < 0) {
        c->failed |= !keep_best(c, place);
        return NO_RETURN;
    }
    if (order > 0)
        return NO_RETURN;
    c->failed |= !add_automorphism(c, place);
    int32_t common = 0;
    while (c->path.item[common] == c->best_path.item[common])
        common++;
    return common;
}

/* -------------------------------------------------------------------------- search */

static uint32_t find(uint32_t *orbit, uint32_t node)
{
    while (orbit[node] != node)
        node = orbit[node] = orbit[orbit[node]];
    return node;
}

static bool fixes_path(const struct canonical *c, const uint32_t *automorphism, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        if (automorphism[c->path.item[i]] != c->path.item[i])
            return false;
    return true;
}

/* Does some automorphism that leaves the path as it is lead from a node that was tried to this one? */
static bool is_like_tried(struct canonical *c, uint32_t depth, const uint32_t *tried, uint32_t count, uint32_t node)
{
    uint32_t *orbit = c->orbit.item;
    if (count == 0 || c->automorphisms.count == 0)
        return false;
    for (uint32_t i = 0; i < c->nodes; i++)
        orbit[i] = i;
    for (size_t first = 0; first < c->automorphisms.count; first += c->nodes)
        if (fixes_path(c, c->automorphisms.item + first, depth))
            for (uint32_t i = 0; i < c->nodes; i++) {
                uint32_t a = find(orbit, i), b = find(orbit, c->automorphisms.item[first + i]);
                orbit[a] = b;
            }
    for (uint32_t i = 0; i < count; i++)
        if (find(orbit, tried[i]) == find(orbit, node))
            return true;
    return false;
}

/* How the traces so far compare with the best ones: 0, or the sign of the first difference. */
static int compare_traces(const struct canonical *c)
{
    for (size_t i = 0; i < c->trace.count && c->has_best; i++)
        if (i >= c->best_trace.count || c->trace.item[i] != c->best_trace.item[i])
            return i < c->best_trace.count && c->trace.item[i] < c->best_trace.item[i] ? -1 : 1;
    return 0;
}

/* An edge as one of its ends sees it; a loop has one end. */
static bool seen_from(const struct canonical_edge *e, int end, uint32_t *node, uint64_t *word)
{
    uint32_t other = e->from == e->to ? UINT32_MAX : end == 0 ? e->to : e->from;
    *node = end == 0 ? e->from : e->to;
    *word = (uint64_t)end << 63 | (uint64_t)e->label << 32 | other;
    return end == 0 || e->from != e->to;
}

static bool has_word(const uint64_t *word, size_t count, uint64_t wanted)
{
    for (size_t i = 0; i < count; i++)
        if (word[i] == wanted)
            return true;
    return false;
}

/* Do all nodes of a cell have the same edges, none of them to each other?  Then they can be exchanged for each other,
 * and one is as good as the next. */
static bool are_twins(struct canonical *c, const struct canonical_partition *p, uint32_t start, uint32_t size)
{
    const uint32_t *members = p->order.item + start;
    uint32_t *degree = c->orbit.item, node; /* as scratch, like the leaf */
    uint64_t word;
    size_t count = 0;
    memset(degree, 0, c->nodes * sizeof *degree);
    for (uint32_t i = 0; i < 2 * c->edges; i++)
        if (seen_from(&c->edge[i / 2], (int)(i % 2), &node, &word) && node == members[0])
            c->leaf.item[count++] = word;
    for (uint32_t i = 0; i < 2 * c->edges; i++) {
        if (!seen_from(&c->edge[i / 2], (int)(i % 2), &node, &word) || p->cell.item[node] != start)
            continue;
        uint32_t other = (uint32_t)word;
        if ((other != UINT32_MAX && p->cell.item[other] == start) || !has_word(c->leaf.item, count, word))
            return false;
        degree[node]++;
    }
    for (uint32_t i = 0; i < size; i++)
        if (degree[members[i]] != count)
            return false;
    return true;
}

static int32_t search(struct canonical *c, uint32_t depth)
{
    uint32_t size, start = target_cell(c, &c->levels.item[depth], &size);
    int order = compare_traces(c);
    if (order > 0 || c->failed)
        return NO_RETURN;
    if (start == c->nodes)
        return visit_leaf(c, depth, order);
    if (limits_reached() || !make_level(c, depth + 1)) {
        c->failed = true;
        return NO_RETURN;
    }
    if (are_twins(c, &c->levels.item[depth], start, size))
        size = 1;
    for (uint32_t i = 0; i < size && !c->failed; i++) {
        const uint32_t *members = c->levels.item[depth].order.item + start;
        if (is_like_tried(c, depth, members, i, members[i]))
            continue;
        set_apart(c, depth, start, members[i]);
        c->path.count = c->trace.count = depth;
        if (!vector_push(&c->path, members[i]) ||
            !vector_push(&c->trace, refine(c, &c->levels.item[depth + 1], start, start + 1))) {
            c->failed = true;
            break;
        }
        int32_t back = search(c, depth + 1);
        if (back < (int32_t)depth)
            return back;
    }
    return NO_RETURN;
}

/* -------------------------------------------------------------------------- rounds */

/* Each of these nodes is signed by what is around it. */
static void sign_active(struct canonical *c)
{
    uint64_t *signature = c->signature.item, *next = c->next_signature.item;
    for (size_t a = 0; a < c->active.count; a++) {
        uint32_t node = c->active.item[a];
        uint64_t sum = signature[node];
        const struct canonical_end *end = c->ends.item + c->first_end.item[node],
                                   *last = c->ends.item + c->first_end.item[node + 1];
        for (; end < last; end++) {
            uint64_t seen = (end->hash ^ signature[end->other]) * 0x9e3779b97f4a7c15U;
            sum += seen ^ seen >> 32;
        }
        next[a] = mixed(sum);
    }
    for (size_t a = 0; a < c->active.count; a++)
        signature[c->active.item[a]] = next[a];
}

/* Keeps the nodes whose signature another one has, too; returns how many signatures there were. */
static uint32_t keep_alike(struct canonical *c)
{
    const uint64_t *signature = c->signature.item;
    uint32_t *table = c->classes.item, slots = 4, classes = 0;
    size_t kept = 0;
    while (slots < 2 * c->active.count)
        slots *= 2;
    memset(table, 0, slots * sizeof *table);
    for (uint32_t a = 0; a < c->active.count; a++) {
        uint64_t wanted = signature[c->active.item[a]];
        uint32_t at = (uint32_t)(wanted >> 8) & (slots - 1);
        while (table[at] && signature[c->active.item[table[at] - 1]] != wanted)
            at = (at + 1) & (slots - 1);
        c->is_alike.item[a] = table[at];
        if (table[at])
            c->is_alike.item[table[at] - 1] = true;
        else
            classes++;
        table[at] = a + 1;
    }
    for (size_t a = 0; a < c->active.count; a++)
        if (c->is_alike.item[a])
            c->active.item[kept++] = c->active.item[a];
    c->active.count = kept;
    return classes;
}

/* Goes on as long as that tells more nodes apart.  A node that is alone with its signature keeps it. */
static void sign_in_rounds(struct canonical *c, const uint64_t *colour)
{
    uint32_t classes = 0, before;
    memcpy(c->signature.item, colour, c->nodes * sizeof *colour);
    for (uint32_t i = 0; i < c->nodes; i++)
        c->active.item[i] = i;
    c->active.count = c->nodes;
    sign_active(c);
    for (uint32_t i = 0; i < c->nodes; i++)
        c->first_signature.item[i] = c->signature.item[i] >> 1 | (colour[i] ? UINT64_C(1) << 63 : 0);
    classes = keep_alike(c);
    do {
        size_t active = c->active.count;
        before = classes - (c->nodes - (uint32_t)active);
        sign_active(c);
        uint32_t found = keep_alike(c);
        classes = found + c->nodes - (uint32_t)active;
        before += c->nodes - (uint32_t)active;
    } while (classes > before && c->active.count);
}

/* Nodes of colour 0 first, then by what is next to a node, which few steps change, then by all that is around it. */
static bool comes_before(const struct canonical *c, uint32_t a, uint32_t b)
{
    const uint64_t *key = c->first_signature.item;
    return key[a] != key[b] ? key[a] < key[b] : c->signature.item[a] < c->signature.item[b];
}

static void sort_by_signature(const struct canonical *c, uint32_t *node)
{
    /* a graph that comes from a canonical one is nearly in order */
    for (uint32_t gap = c->nodes > 64 ? c->nodes / 2 : 1; gap; gap /= 2)
        for (uint32_t i = gap; i < c->nodes; i++) {
            uint32_t moved = node[i], k = i;
            for (; k >= gap && comes_before(c, moved, node[k - gap]); k -= gap)
                node[k] = node[k - gap];
            node[k] = moved;
        }
}

/* ------------------------------------------------------------------------ entrance */

/* Of an edge as one of its ends sees it. */
static uint64_t hash_of_end(const struct canonical *c, uint32_t label, unsigned end)
{
    return label < CANONICAL_FEW_LABELS ? c->end_hash[2 * label + end] : mixed(2 * (uint64_t)label + 2 + end);
}

/* The edges as both of their nodes see them. */
static void list_ends(struct canonical *c)
{
    for (uint32_t i = 0; i < 2 * CANONICAL_FEW_LABELS && !c->has_hashes; i++)
        c->end_hash[i] = mixed(i + 2);
    c->has_hashes = true;
    uint32_t *first = c->first_end.item;
    memset(first, 0, (c->nodes + 2) * sizeof *first);
    for (uint32_t i = 0; i < c->edges; i++) {
        first[c->edge[i].from + 2]++;
        first[c->edge[i].to + 2]++;
    }
    for (uint32_t i = 2; i <= c->nodes; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < c->edges; i++) {
        const struct canonical_edge *e = &c->edge[i];
        c->ends.item[first[e->from + 1]++] = (struct canonical_end){hash_of_end(c, e->label, 0), e->to};
        c->ends.item[first[e->to + 1]++] = (struct canonical_end){hash_of_end(c, e->label, 1), e->from};
    }
}

static bool reserve(struct canonical *c)
{
    size_t nodes = (size_t)c->nodes + 2;
    return make_level(c, 0) && vector_reserve(&c->signature, nodes) && vector_reserve(&c->next_signature, nodes) &&
           vector_reserve(&c->first_signature, nodes) && vector_reserve(&c->is_alike, nodes) &&
           vector_reserve(&c->active, nodes) && vector_reserve(&c->classes, 4 * nodes) &&
           vector_reserve(&c->best_place, nodes) && vector_reserve(&c->orbit, nodes) &&
           vector_reserve(&c->length, nodes) &&
           vector_grow((void **)&c->queue.item, &c->queue.capacity, 4 * nodes, sizeof *c->queue.item) &&
           vector_reserve(&c->is_queued, nodes) && vector_reserve(&c->is_touched, nodes) &&
           vector_grow((void **)&c->touched.item, &c->touched.capacity, nodes, sizeof *c->touched.item) &&
           vector_reserve(&c->first_end, nodes) && vector_reserve(&c->ends, 2 * (size_t)c->edges) &&
           vector_reserve(&c->leaf, c->edges) && vector_reserve(&c->best_leaf, c->edges);
}

/* The partition of signatures; false when all nodes are told apart. */
static bool begin(struct canonical *c, const uint64_t *colour)
{
    struct canonical_partition *p = &c->levels.item[0];
    list_ends(c);
    bool are_apart = true;
    sign_in_rounds(c, colour);
    for (uint32_t i = 0; i < c->nodes; i++)
        p->order.item[i] = i;
    sort_by_signature(c, p->order.item);
    for (uint32_t i = 0, cell = 0; i < c->nodes; i++) {
        uint32_t node = p->order.item[i], before = i ? p->order.item[i - 1] : node;
        if (i == 0 || comes_before(c, before, node))
            cell = i;
        else
            are_apart = false;
        p->cell.item[node] = cell;
    }
    if (are_apart)
        return false;
    memset(c->is_touched.item, 0, c->nodes * sizeof *c->is_touched.item);
    refine(c, p, 0, c->nodes);
    return true;
}

bool canonical_form(struct canonical *c, uint32_t nodes, const uint64_t *colour, uint32_t edges,
                    const struct canonical_edge *edge, uint32_t *place)
{
    c->nodes = nodes;
    c->edges = edges;
    c->edge = edge;
    c->has_best = c->failed = false;
    c->path.count = c->trace.count = c->automorphisms.count = 0;
    if (nodes == 0)
        return true;
    if (nodes >= CANONICAL_NODES || !reserve(c))
        return false;
    uint32_t size;
    if (!begin(c, colour) || target_cell(c, &c->levels.item[0], &size) == nodes) { /* there is only one leaf */
        memcpy(place, c->levels.item[0].cell.item, nodes * sizeof *place);
        return true;
    }
    search(c, 0);
    if (!c->failed)
        memcpy(place, c->best_place.item, nodes * sizeof *place);
    return !c->failed;
}

void canonical_clear(struct canonical *c)
{
    for (size_t i = 0; i < c->levels.count; i++) {
        free(c->levels.item[i].cell.item);
        free(c->levels.item[i].order.item);
    }
    free(c->levels.item);
    free(c->signature.item);
    free(c->next_signature.item);
    free(c->first_signature.item);
    free(c->is_alike.item);
    free(c->active.item);
    free(c->classes.item);
    free(c->length.item);
    free(c->queue.item);
    free(c->touched.item);
    free(c->is_queued.item);
    free(c->is_touched.item);
    free(c->first_end.item);
    free(c->ends.item);
    free(c->path.item);
    free(c->best_path.item);
    free(c->trace.item);
    free(c->best_trace.item);
    free(c->leaf.item);
    free(c->best_leaf.item);
    free(c->best_place.item);
    free(c->automorphisms.item);
    free(c->orbit.item);
    *c = (struct canonical){0};
}
