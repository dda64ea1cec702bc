/* SPDX-License-Identifier: Apache-2.0 */
/* Every interleaving of a program of atomics, with happens-before as the standard writes it. */
#include "random_atomics.h"

#include <string.h>

enum { MOST_EVENTS = 64, MOST_INTERLEAVINGS = 300000, MOST_VISITS = 3000000, CELLS = 6, NO_EVENT = -1 };

/* A modification of a byte, in modification order.  X and Y are taken for bytes. */
struct modification {
    int event, thread, fence; /* the last release fence of the thread before it */
    bool is_release, is_rmw;
};

struct point {
    int next[ATOMICS_THREADS], value[ATOMICS_THREADS], digest[ATOMICS_THREADS];
    int wanted[ATOMICS_THREADS]; /* what a compare-exchange has found where its expected value is */
    int cells[CELLS], plain[PLAIN_PLACES];
    int events;
    uint64_t before[MOST_EVENTS]; /* what happens before each */
    int last[ATOMICS_THREADS], fence[ATOMICS_THREADS];
    uint64_t for_fence[ATOMICS_THREADS]; /* what an acquire fence will synchronise with */
    struct modification modifications[CELLS][MOST_EVENTS];
    int modified[CELLS];
    int changes; /* steps so far that were more than a look in a loop */
    bool is_ruled_out;
    struct {
        int changes, rounds, value; /* before the last round; so many were before; what it has read first */
        bool is_at_second;
    } loop[ATOMICS_THREADS];
    struct {
        int place, thread;
        bool writes;
    } access[MOST_EVENTS]; /* of plain places, -1 for other events */
};

struct search {
    const struct atomics_program *program;
    struct atomics_truth *truth;
    bool goes_on; /* behind races */
};

static bool acquires(enum atomics_order order)
{
    return order == ACQUIRE || order == ACQ_REL || order == SEQ_CST;
}

static bool releases(enum atomics_order order)
{
    return order == RELEASE || order == ACQ_REL || order == SEQ_CST;
}

static int new_event(struct point *p, int thread, uint64_t synchronised)
{
    int event = p->events++;
    p->access[event].place = -1;
    p->access[event].thread = thread;
    p->before[event] = 0;
    if (p->last[thread] != NO_EVENT)
        p->before[event] |= p->before[p->last[thread]] | UINT64_C(1) << p->last[thread];
    for (int e = 0; e < event; e++)
        if (synchronised >> e & 1)
            p->before[event] |= p->before[e] | UINT64_C(1) << e;
    p->last[thread] = event;
    return event;
}

/* --- atomics */

static int cells_of(enum atomics_place place, int *cells)
{
    static const int first[] = {[X] = 0, [Y] = 1, [W] = 2, [B0] = 2, [B1] = 3, [G] = 4, [F] = 5};
    cells[0] = first[place];
    cells[1] = 3;
    return place == W ? 2 : 1;
}

static int get(const struct point *p, enum atomics_place place)
{
    int cells[2], count = cells_of(place, cells);
    return p->cells[cells[0]] | (count == 2 ? p->cells[cells[1]] << 8 : 0);
}

static void set(struct point *p, enum atomics_place place, int value)
{
    int cells[2], count = cells_of(place, cells);
    p->cells[cells[0]] = place == X || place == Y ? value : value & 255;
    if (count == 2)
        p->cells[cells[1]] = value >> 8 & 255;
}

/* The events that a read of the cell synchronises with if it acquires: C17 5.1.2.4p10 and 11, 7.17.4p2 to 4. */
static uint64_t sources(const struct point *p, int cell)
{
    uint64_t found = 0;
    int count = p->modified[cell];
    for (int head = 0; head < count; head++) {
        const struct modification *a = &p->modifications[cell][head];
        bool is_in_sequence = true;
        for (int m = head + 1; m < count; m++)
            is_in_sequence =
                is_in_sequence && (p->modifications[cell][m].thread == a->thread || p->modifications[cell][m].is_rmw);
        if (is_in_sequence && a->is_release)
            found |= UINT64_C(1) << a->event;
        if (is_in_sequence && a->fence != NO_EVENT)
            found |= UINT64_C(1) << a->fence;
    }
    return found;
}

static void access_atomic(const struct search *search, struct point *p, int thread, const struct atomics_statement *s,
                          bool reads, bool writes, enum atomics_order order)
{
    if (search->program->is_volatile[s->place])
        order = RELAXED;
    int cells[2], count = cells_of(s->place, cells);
    uint64_t read_from = 0;
    for (int i = 0; i < count && reads; i++)
        read_from |= sources(p, cells[i]);
    p->for_fence[thread] |= read_from;
    int event = new_event(p, thread, acquires(order) ? read_from : 0);
    for (int i = 0; i < count && writes; i++)
        p->modifications[cells[i]][p->modified[cells[i]]++] =
            (struct modification){event, thread, p->fence[thread], releases(order), reads};
}

static void see(struct point *p, int thread, int value)
{
    p->value[thread] = value;
    p->digest[thread] = (p->digest[thread] * 5 + value + 1) % 9973;
}

static int result_of(const struct atomics_statement *s, int old)
{
    switch (s->kind) {
    case DO_ADD: return old + s->value;
    case DO_OR: return old | s->value;
    case DO_AND: return old & s->value;
    case DO_SET:
    case DO_LOCK: return 1;
    case DO_CLEAR:
    case DO_UNLOCK: return 0;
    default: return s->value;
    }
}

/* --- plain accesses; false: there is a race */

static bool access_plain(struct point *p, int thread, int place, bool writes)
{
    int event = new_event(p, thread, 0);
    p->access[event].place = place;
    p->access[event].writes = writes;
    for (int e = 0; e < event; e++)
        if (p->access[e].place == place && p->access[e].thread != thread && (writes || p->access[e].writes) &&
            !(p->before[event] >> e & 1))
            return false;
    return true;
}

static void pass_fence(struct point *p, int thread, enum atomics_order order)
{
    int event = new_event(p, thread, acquires(order) ? p->for_fence[thread] : 0);
    if (releases(order))
        p->fence[thread] = event;
}

static const struct atomics_statement *next_of(const struct search *s, const struct point *p, int thread)
{
    return p->next[thread] < s->program->count[thread] ? &s->program->statements[thread][p->next[thread]] : NULL;
}

/* Everything up to the next atomic step. */
static bool go_on(const struct search *search, struct point *p, int thread)
{
    const struct atomics_statement *s;
    for (; (s = next_of(search, p, thread)); p->next[thread]++) {
        if (s->guard >= 0 && p->value[thread] != s->guard)
            continue;
        if (s->kind == DO_SWAP && s->plain >= 0) {
            p->wanted[thread] = p->plain[s->plain];
            return access_plain(p, thread, s->plain, false);
        }
        if (s->kind < DO_FENCE)
            return true;
        if (s->kind == DO_ASSUME && p->value[thread] == s->value) {
            p->is_ruled_out = true; /* the others go on */
            return true;
        }
        if (s->kind == DO_ASSUME)
            continue;
        if (s->kind == DO_FENCE)
            pass_fence(p, thread, s->order);
        else if (!access_plain(p, thread, s->plain, s->kind == DO_WRITE))
            return false;
        if (s->kind == DO_WRITE)
            p->plain[s->plain] = s->value < 0 ? p->value[thread] : s->value;
        if (s->kind == DO_READ)
            see(p, thread, p->plain[s->plain]);
    }
    return true;
}

/* --- steps */

static bool swap(const struct search *search, struct point *p, int thread, const struct atomics_statement *s)
{
    int old = get(p, s->place);
    bool succeeds = old == (s->plain >= 0 ? p->wanted[thread] : s->expected);
    access_atomic(search, p, thread, s, true, succeeds, succeeds ? s->order : s->failure);
    if (succeeds)
        set(p, s->place, s->value);
    see(p, thread, succeeds);
    if (succeeds || s->plain < 0)
        return true;
    p->plain[s->plain] = old;
    return access_plain(p, thread, s->plain, true);
}

/* --- loops.  A round like the last, with no change between, adds nothing. */

static bool may_look(const struct point *p, int thread, const struct atomics_statement *s)
{
    return s->loop.most || p->loop[thread].is_at_second || p->loop[thread].changes != p->changes;
}

static void leave_loop(struct point *p, int thread, int value)
{
    see(p, thread, value);
    p->loop[thread].changes = NO_EVENT;
    p->loop[thread].rounds = 0;
    p->next[thread]++;
    p->changes++;
}

/* What a round does when its loads do not end the loop; false: there is a race. */
static bool end_round(struct point *p, int thread, const struct atomics_statement *s)
{
    const struct atomics_loop *loop = &s->loop;
    int value = p->loop[thread].value;
    if (loop->has_plain && (loop->found < 0 || loop->found == value)) {
        if (!access_plain(p, thread, s->plain, loop->writes))
            return false;
        if (loop->writes) {
            p->plain[s->plain] = 0;
            p->changes++;
        } else if (p->plain[s->plain] == loop->ending) {
            leave_loop(p, thread, 7);
            return true;
        }
    }
    if (++p->loop[thread].rounds == loop->most)
        leave_loop(p, thread, value);
    return true;
}

static bool look(const struct search *search, struct point *p, int thread, const struct atomics_statement *s)
{
    struct atomics_statement load = *s;
    bool is_second = p->loop[thread].is_at_second;
    if (!is_second)
        p->loop[thread].changes = p->changes;
    if (is_second)
        load.place = (enum atomics_place)s->loop.second;
    int value = get(p, load.place);
    access_atomic(search, p, thread, &load, true, s->loop.by_or && !is_second, s->order);
    p->loop[thread].is_at_second = false;
    if (is_second ? value == 1 : (value == s->value) != s->loop.differs) {
        leave_loop(p, thread, is_second ? 5 : value);
        return true;
    }
    if (!is_second)
        p->loop[thread].value = value;
    p->loop[thread].is_at_second = !is_second && s->loop.second >= 0;
    return p->loop[thread].is_at_second || end_round(p, thread, s);
}

static bool take_step(const struct search *search, struct point *p, int thread, int choice)
{
    const struct atomics_statement *s = next_of(search, p, thread);
    if (s->kind == DO_AWAIT) {
        int here = p->next[thread];
        return look(search, p, thread, s) && (p->next[thread] == here || go_on(search, p, thread));
    }
    p->changes++;
    bool stores = s->kind == DO_STORE || s->kind == DO_CLEAR || s->kind == DO_UNLOCK;
    if (s->kind == DO_SWAP) {
        if (!swap(search, p, thread, s))
            return false;
    } else if (s->kind == DO_CHOOSE) {
        see(p, thread, choice);
    } else {
        int old = get(p, s->place);
        access_atomic(search, p, thread, s, !stores, s->kind != DO_LOAD, s->order);
        if (s->kind != DO_LOAD)
            set(p, s->place, result_of(s, old));
        if (!stores && s->kind != DO_LOCK && !s->ignored)
            see(p, thread, old);
    }
    p->next[thread]++;
    return go_on(search, p, thread);
}

static void note_end(const struct search *search, const struct point *p)
{
    char line[200];
    snprintf(line, sizeof line, "%d %d %d %d %d %d %d %d %d %d %d", get(p, X), get(p, Y), get(p, W), get(p, G),
             p->plain[P], p->plain[Q], p->plain[E], p->plain[N], p->digest[0], p->digest[1], p->digest[2]);
    search->truth->interleavings++;
    if (!add_text(&search->truth->ends, line) || search->truth->interleavings > MOST_INTERLEAVINGS)
        search->truth->complete = false;
    if (search->truth->ends.count > 5000)
        make_set(&search->truth->ends);
}

static bool is_over(const struct search *search)
{
    return !search->truth->complete || (search->truth->race && !search->goes_on);
}

static void visit(const struct search *search, const struct point *p)
{
    bool ended = true, moves = false;
    if (p->events > MOST_EVENTS - 2 * ATOMICS_STATEMENTS || ++search->truth->visits > MOST_VISITS)
        search->truth->complete = false;
    for (int t = 0; t < search->program->threads && !is_over(search); t++) {
        const struct atomics_statement *s = next_of(search, p, t);
        if (!s)
            continue;
        ended = false;
        if (s->kind == DO_LOCK && get(p, F)) /* whoever has it gives it back */
            continue;
        if (s->kind == DO_ASSUME || (s->kind == DO_AWAIT && !may_look(p, t, s)))
            continue;
        moves = true;
        for (int choice = 0; choice < (s->kind == DO_CHOOSE ? s->value : 1) && !is_over(search); choice++) {
            struct point after = *p;
            if (take_step(search, &after, t, choice))
                visit(search, &after);
            else
                search->truth->race = true;
        }
    }
    if (ended)
        note_end(search, p);
    else if (!moves && !p->is_ruled_out && !is_over(search))
        search->truth->stuck = true;
}

void atomics_find_truth(const struct atomics_program *program, bool goes_on, struct atomics_truth *truth)
{
    struct search search = {program, truth, goes_on};
    struct point start = {0};
    *truth = (struct atomics_truth){.complete = true};
    for (int t = 0; t < ATOMICS_THREADS; t++)
        start.last[t] = start.fence[t] = start.loop[t].changes = NO_EVENT;
    for (int t = 0; t < program->threads && !truth->race; t++)
        truth->race = !go_on(&search, &start, t);
    if (!truth->race)
        visit(&search, &start);
    make_set(&truth->ends);
}
