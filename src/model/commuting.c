/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which actions do not commute.  Those of different processes do unless they touch a cell in ways that do not:
 * additions do commute, and so do two stores of the same number, or putting something at the end of a queue that has
 * room and taking its head, or looking at it.  Those of one process are compared along their edges where these only add
 * and move on, and are else taken not to commute when they leave the same location.
 */
#include "model/relating.h"

#include "base/limits.h"
#include "base/sequences.h"

enum { MOST_TESTS = 1 << 28, MOST_EXCLUSIVE = 256 };

/* The head of a queue that is not empty stays where something is put at the end, which may be lost; and where something
 * is put there that is not, it is the same whether the head is taken before or after that. */
static bool commute_in_queue(const struct access *a, const struct access *b)
{
    return (a->kind == ACCESS_READS_HEAD && appends(b)) || (a->kind == ACCESS_TAKES && b->kind == ACCESS_APPENDS);
}

/* Is it the same in which order two actions, both enabled, do this to a cell? */
static bool commute(const struct access *a, const struct access *b)
{
    if (!is_change(a) && !is_change(b))
        return true;
    if (a->wants != WANTS_MORE || b->wants != WANTS_MORE)
        return true; /* one of them is only read to find out whether its action is enabled */
    if (a->kind == ACCESS_ADDS && b->kind == ACCESS_ADDS)
        return true;
    if (a->kind == ACCESS_SETS && b->kind == ACCESS_SETS)
        return a->value == b->value;
    return commute_in_queue(a, b) || commute_in_queue(b, a);
}

static void add_pair(struct relating *r, uint32_t t, uint32_t u)
{
    if (r->seen[u] == r->stamp || r->pairs_left == 0)
        return;
    r->pairs_left--;
    r->seen[u] = r->stamp;
    lists_add(&r->not_commuting, t, u);
}

/* A step moves its process: whoever looks at where that is, or moves it too, does not commute with it. */
static void relate_movers(struct relating *r, uint32_t t)
{
    const struct model *m = r->m;
    const struct action_summary *summary = &r->d->summaries[t];
    uint32_t process = m->actions.item[t].process;
    for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++) {
        uint32_t cell = r->d->accesses.item[k].cell, owner = m->cells.item[cell].owner;
        if (owner != MODEL_NONE && owner != process && m->processes.item[owner].location_cell == cell)
            for_list (u, r->of, owner)
                if (minds_departure(r, k, *u))
                    add_pair(r, t, *u);
    }
    if (process != MODEL_NONE)
        for_list (access, r->touchers, m->processes.item[process].location_cell)
            if (m->actions.item[r->owner[*access]].process != process && minds_departure(r, *access, t))
                add_pair(r, t, r->owner[*access]);
}

void relate_pairs(struct relating *r)
{
    const struct derived *d = r->d;
    for (uint32_t t = 0; t < r->m->actions.count && !r->failed && r->pairs_left >= 2; t++) {
        const struct action_summary *summary = &d->summaries[t];
        uint32_t process = r->m->actions.item[t].process;
        r->stamp++;
        r->failed |= limits_reached();
        relate_movers(r, t);
        for (uint32_t k = summary->first_access; k < summary->first_access + summary->accesses; k++) {
            const struct access *own = &d->accesses.item[k];
            if (r->is_twin[own->cell])
                continue;
            for_list (access, r->touchers, own->cell) {
                uint32_t u = r->owner[*access];
                bool other = u != t && (process == MODEL_NONE || r->m->actions.item[u].process != process);
                if (other && !commute(own, &d->accesses.item[*access]) && comes_about_around(r, k, u) &&
                    comes_about_around(r, *access, t))
                    add_pair(r, t, u);
            }
        }
    }
}

/* An effect that only adds to cells, puts something at the end of queues that have room, and moves on. */
struct plain {
    uint32_t next;
    bool is_plain, fails;
};

static bool is_addition(const struct instruction *i)
{
    return i->code == CODE_ADD && i->flags & B_IS_NUMBER;
}

static bool is_append(const struct instruction *i)
{
    return i->code == CODE_APPEND && i->flags & NEVER_FULL && i->flags & A_IS_NUMBER;
}

static struct plain plain_effect(const struct relating *r, uint32_t code)
{
    const struct model *m = r->m;
    for (const struct instruction *i = &m->code.item[code];; i++) {
        if (i->code == CODE_REST)
            return (struct plain){(uint32_t)i->c, true, m->locations.item[i->c].failure != NULL};
        if (!is_addition(i) && !is_append(i))
            return (struct plain){0};
    }
}

/* The common parts of two actions that can both be taken commute when they only count, or take from queues. */
static bool has_plain_common(const struct model *m, const struct action *a)
{
    if (a->common == MODEL_NONE)
        return true;
    const struct instruction *i = &m->code.item[a->common];
    while (is_addition(i) || i->code == CODE_TAKE)
        i++;
    return i->code == CODE_REST;
}

/* What a plain effect adds to a cell. */
static int64_t added(const struct model *m, uint32_t code, uint32_t cell)
{
    int64_t sum = 0;
    for (const struct instruction *i = &m->code.item[code]; i->code != CODE_REST; i++)
        sum += is_addition(i) && (uint32_t)(i->c + i->b) == cell ? i->a : 0;
    return sum;
}

/* Does every cell to which `code` adds get the same from the pairs (a, b) and (c, d)? */
static bool add_the_same(const struct model *m, uint32_t code, const uint32_t *one, const uint32_t *other)
{
    for (const struct instruction *i = &m->code.item[code]; i->code != CODE_REST; i++) {
        uint32_t cell = (uint32_t)(i->c + i->b);
        if (is_addition(i) &&
            added(m, one[0], cell) + added(m, one[1], cell) != added(m, other[0], cell) + added(m, other[1], cell))
            return false;
    }
    return true;
}

/* The next append of two effects, one after the other, from *at on; NULL behind the last. */
static const struct instruction *next_append(const struct model *m, const uint32_t *codes, uint32_t *which,
                                             uint32_t *at)
{
    for (; *which < 2; ++*which, *at = 0)
        for (const struct instruction *i; i = &m->code.item[codes[*which] + *at], i->code != CODE_REST;) {
            ++*at;
            if (is_append(i))
                return i;
        }
    return NULL;
}

static bool append_the_same(const struct model *m, const uint32_t *one, const uint32_t *other)
{
    uint32_t which[2] = {0}, at[2] = {0};
    const struct instruction *left, *right;
    do {
        left = next_append(m, one, &which[0], &at[0]);
        right = next_append(m, other, &which[1], &at[1]);
    } while (left && right && left->c == right->c && left->a == right->a);
    return !left && !right;
}

/* Two actions of one process, both of which leave the location. */
static bool commute_at(const struct relating *r, const struct action *a, const struct action *b, uint32_t first,
                       uint32_t second)
{
    const struct model *m = r->m;
    struct plain one = plain_effect(r, first), two = plain_effect(r, second);
    if (!one.is_plain || !two.is_plain)
        return false;
    if (one.fails || two.fails)
        return true; /* where one fails it disables the other, which the guards say */
    uint32_t then = edge_code(m, b, one.next), after = edge_code(m, a, two.next);
    if (then == MODEL_NONE || after == MODEL_NONE)
        return true; /* one disables the other: so say the guards */
    struct plain three = plain_effect(r, then), four = plain_effect(r, after);
    if (!three.is_plain || !four.is_plain || three.fails || four.fails || three.next != four.next)
        return false;
    uint32_t ways[2][2] = {{first, then}, {second, after}};
    if (!append_the_same(m, ways[0], ways[1]))
        return false;
    return (first == after && second == then) ||
           (add_the_same(m, first, ways[0], ways[1]) && add_the_same(m, then, ways[0], ways[1]) &&
            add_the_same(m, second, ways[0], ways[1]) && add_the_same(m, after, ways[0], ways[1]));
}

/* Two actions of one process: do they commute wherever both can be taken, and is there such a place? */
static bool commute_within(const struct relating *r, const struct action *a, const struct action *b, bool *together)
{
    const struct edge *left = r->m->edges.item + a->first_edge, *left_end = left + a->edges;
    const struct edge *right = r->m->edges.item + b->first_edge, *right_end = right + b->edges;
    bool fine = has_plain_common(r->m, a) && has_plain_common(r->m, b);
    *together = false;
    while (left < left_end && right < right_end) {
        if (left->from != right->from) {
            *(left->from < right->from ? &left : &right) += 1;
            continue;
        }
        *together = true;
        fine = fine && commute_at(r, a, b, left->code, right->code);
        left++;
        right++;
    }
    return fine;
}

/* Actions of a process whose edges are the same are one class: what is tested is tested on classes. */
struct classes {
    struct sequences keys;
    VECTOR(uint32_t) first;        /* an action of each */
    struct portolan_lists members; /* class -> actions */
};

static bool find_classes(const struct relating *r, struct classes *classes, const uint32_t *actions, uint32_t count)
{
    const struct model *m = r->m;
    struct lists_builder members = {0};
    VECTOR(uint32_t) key = {0};
    bool fine = true, is_new = false;
    for (uint32_t i = 0; i < count && fine; i++) {
        const struct action *a = &m->actions.item[actions[i]];
        key.count = 0;
        fine = vector_push(&key, has_plain_common(m, a));
        for (uint32_t k = a->first_edge; k < a->first_edge + a->edges && fine; k++)
            fine = vector_push(&key, m->edges.item[k].from) && vector_push(&key, m->edges.item[k].code);
        uint32_t class = fine ? sequence_insert(&classes->keys, key.item, key.count, &is_new) : SEQUENCE_NONE;
        fine = class != SEQUENCE_NONE && (!is_new || vector_push(&classes->first, actions[i]));
        lists_add(&members, class, actions[i]);
    }
    free(key.item);
    return lists_finish(&members, classes->keys.count, &classes->members) && fine;
}

static void add_all_pairs(struct relating *r, struct lists_builder *lists, const struct classes *classes, uint32_t c,
                          uint32_t d)
{
    for_list (t, classes->members, c)
        for_list (u, classes->members, d) {
            if (*t == *u || r->pairs_left < 2)
                continue;
            r->pairs_left -= lists == &r->not_commuting ? 2 : 0;
            lists_add(lists, *t, *u);
            lists_add(lists, *u, *t);
        }
}

static void relate_within(struct relating *r, const uint32_t *actions, uint32_t count)
{
    struct classes classes = {0};
    r->failed |= !find_classes(r, &classes, actions, count);
    bool guess = (size_t)classes.keys.count * classes.keys.count > MOST_TESTS / (count + 1);
    for (uint32_t c = 0; c < classes.keys.count && !r->failed && r->pairs_left >= 2; c++)
        for (uint32_t d = 0; d <= c && !r->failed; d++) {
            r->failed |= limits_reached();
            bool together = true,
                 fine = !guess && commute_within(r, &r->m->actions.item[classes.first.item[c]],
                                                 &r->m->actions.item[classes.first.item[d]], &together);
            if (!together && count <= MOST_EXCLUSIVE)
                add_all_pairs(r, &r->never, &classes, c, d);
            else if (!fine)
                add_all_pairs(r, &r->not_commuting, &classes, c, d);
        }
    sequences_clear(&classes.keys);
    free(classes.first.item);
    lists_clear(&classes.members);
}

void relate_processes(struct relating *r)
{
    for (uint32_t p = 0; p < r->m->processes.count && !r->failed && r->pairs_left >= 2; p++) {
        uint32_t count = list_length(&r->of, p);
        if (!r->d->agents_are_processes || count <= MOST_EXCLUSIVE) /* else no two leave one location */
            relate_within(r, r->of.item + r->of.offset[p], count);
    }
}
