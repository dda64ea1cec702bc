/* SPDX-License-Identifier: Apache-2.0 */
#include "random_model.h"

#include <string.h>

enum effect { GOES_ON, BLOCKS, FAILS, OVERFLOWS };

static bool is_dead(const struct model_draft *d, const struct naive_state *s, int cell)
{
    for (int p = 0; p < d->processes; p++)
        if (d->dead[p][s->at[p]][cell])
            return true;
    return false;
}

/* The value as one of the cell's type; false when it does not fit. */
static bool fit(const struct draft_cell *cell, int *value)
{
    int size = cell->high - cell->low + 1;
    if (cell->wraps)
        *value = cell->low + (((*value - cell->low) % size) + size) % size;
    return cell->low <= *value && *value <= cell->high;
}

static enum effect put(const struct model_draft *d, struct naive_state *s, int cell, int value)
{
    if (!fit(&d->cells[cell], &value))
        return FAILS;
    s->cell[cell] = value;
    return GOES_ON;
}

static enum effect queue_append(const struct model_draft *d, struct naive_state *s, int value)
{
    for (int i = MODEL_QUEUE_AT; i < MODEL_QUEUE_AT + d->capacity; i++)
        if (s->cell[i] == 0) {
            s->cell[i] = value;
            break;
        }
    return GOES_ON;
}

/* The message in the place. */
static enum effect queue_take(const struct model_draft *d, struct naive_state *s, int place)
{
    for (int i = MODEL_QUEUE_AT + place; i < MODEL_QUEUE_AT + d->capacity; i++)
        s->cell[i] = i + 1 < MODEL_QUEUE_AT + d->capacity ? s->cell[i + 1] : 0;
    return GOES_ON;
}

static enum effect queue_sort(const struct model_draft *d, struct naive_state *s, int value)
{
    for (int i = MODEL_QUEUE_AT; i < MODEL_QUEUE_AT + d->capacity; i++)
        if (s->cell[i] == 0 || value < s->cell[i]) {
            int moved = s->cell[i];
            s->cell[i] = value;
            value = moved;
        }
    return GOES_ON;
}

static enum effect count(const struct model_draft *d, struct naive_state *s, int cell, int change)
{
    if (is_dead(d, s, cell))
        return GOES_ON;
    s->cell[cell] += change;
    return s->cell[cell] > d->cells[cell].high ? OVERFLOWS : GOES_ON;
}

/* Of those waiting, whoever began before the oldest permit that the process may take could have taken it too. */
static enum effect wake(const struct model_draft *d, struct naive_state *s, int process)
{
    int *waits = s->cell + MODEL_CONDITION, mine = waits[process];
    if (mine < 2)
        return BLOCKS;
    for (int p = 0; p < d->processes; p++)
        waits[p] = p == process ? 0 : waits[p] < mine ? waits[p] : waits[p] - 1;
    return GOES_ON;
}

/* Permits for so many of those waiting as have none. */
static enum effect give_permits(const struct model_draft *d, struct naive_state *s, int most)
{
    int *waits = s->cell + MODEL_CONDITION, without = 0, permits = 0;
    for (int p = 0; p < d->processes; p++) {
        without += waits[p] > 0;
        permits = waits[p] - 1 > permits ? waits[p] - 1 : permits;
    }
    without -= permits;
    for (int p = 0; p < d->processes; p++)
        if (waits[p] > 0 && without > 0)
            waits[p] += without < most ? without : most;
    return GOES_ON;
}

static enum effect take_shared_step(const struct model_draft *d, struct naive_state *s, int process,
                                    const struct draft_step *t)
{
    int child = d->processes - 1;
    switch (t->kind) {
    case STEP_WAIT:
        if (s->cell[MODEL_LOCK] != process + 1)
            return FAILS;
        s->cell[MODEL_LOCK] = 0;
        s->cell[MODEL_CONDITION + process] = 1;
        return GOES_ON;
    case STEP_WAKE: return wake(d, s, process);
    case STEP_SIGNAL: return give_permits(d, s, 1);
    case STEP_BROADCAST: return give_permits(d, s, d->processes);
    case STEP_SPAWN:
        if (s->cell[MODEL_LIFE] != 0)
            return FAILS;
        s->cell[MODEL_LIFE] = 1;
        s->kept[child] = d->live[child][0] ? t->value : 0;
        return GOES_ON;
    case STEP_JOIN: return s->cell[MODEL_LIFE] == 2 ? GOES_ON : BLOCKS;
    case STEP_END: s->cell[MODEL_LIFE] = 2; return GOES_ON;
    case STEP_SORT: return queue_sort(d, s, t->value);
    case STEP_WANT:
        if (t->value == 0)
            s->kept[process] = s->cell[MODEL_QUEUE_AT];
        return (t->value ? s->cell[MODEL_QUEUE_AT] == t->value : s->cell[MODEL_QUEUE_AT] != 0) ? GOES_ON : BLOCKS;
    case STEP_PICK: return queue_take(d, s, d->capacity - 1);
    default: return GOES_ON;
    }
}

static enum effect take_step(const struct model_draft *d, struct naive_state *s, int process,
                             const struct draft_step *t)
{
    switch (t->kind) {
    case STEP_NOTHING: return GOES_ON;
    case STEP_SET: return put(d, s, t->cell, t->value);
    case STEP_ADD:
    case STEP_FETCH_ADD: return put(d, s, t->cell, s->cell[t->cell] + t->value);
    case STEP_COPY: return put(d, s, t->cell, s->cell[t->other]);
    case STEP_CAS: return s->cell[t->cell] == t->other ? put(d, s, t->cell, t->value) : GOES_ON;
    case STEP_AT:
        if (s->cell[t->other] < 0 || s->cell[t->other] >= MODEL_ARRAY)
            return FAILS;
        return put(d, s, s->cell[t->other], t->value);
    case STEP_REQUIRE: return s->cell[t->cell] <= t->value ? GOES_ON : BLOCKS;
    case STEP_SEND: return count(d, s, t->cell, 1);
    case STEP_RECEIVE: return count(d, s, t->cell, -1);
    case STEP_APPEND:
    case STEP_PUT: return queue_append(d, s, t->value);
    case STEP_TAKE:
        if (t->value == 2)
            s->kept[process] = s->cell[MODEL_QUEUE_AT];
        return queue_take(d, s, 0);
    case STEP_LOCK:
        if (s->cell[MODEL_LOCK])
            return BLOCKS;
        s->cell[MODEL_LOCK] = process + 1;
        return GOES_ON;
    case STEP_UNLOCK:
        if (s->cell[MODEL_LOCK] != process + 1)
            return FAILS;
        s->cell[MODEL_LOCK] = 0;
        return GOES_ON;
    case STEP_MOVE: s->at[t->other] = t->value; return GOES_ON;
    case STEP_KEEP: s->kept[process] = s->cell[t->cell]; return GOES_ON;
    case STEP_RECALL: return put(d, s, t->cell, s->kept[process]);
    case STEP_COUNT:
        if (s->kept[process] + t->value < MODEL_LEAST_KEPT || s->kept[process] + t->value > MODEL_MOST_KEPT)
            return FAILS;
        s->kept[process] += t->value;
        return GOES_ON;
    case STEP_INDEX:
        if (s->kept[process] < 0 || s->kept[process] >= MODEL_ARRAY)
            return FAILS;
        return put(d, s, s->kept[process], t->value);
    default: return take_shared_step(d, s, process, t);
    }
}

static bool tests_hold(const struct draft_action *a, const struct naive_state *s)
{
    for (int i = 0; i < MODEL_TESTS; i++) {
        const struct draft_test *t = &a->tests[i];
        int value = t->cell < 0 ? 0 : t->cell < MODEL_CELLS ? s->cell[t->cell] : s->at[t->cell - MODEL_CELLS];
        if (t->cell >= 0 && (value < t->low || value > t->high))
            return false;
    }
    return true;
}

static enum naive_fired run(const struct model_draft *d, struct naive_state *s, const struct draft_action *a,
                            const struct draft_edge *e)
{
    int to = e->to, process = a->process;
    enum effect effect = take_step(d, s, process, &a->common);
    for (int i = 0; i < MODEL_STEPS && effect == GOES_ON; i++)
        effect = take_step(d, s, process, &e->steps[i]);
    if (effect == BLOCKS)
        return NAIVE_DISABLED;
    if (effect == OVERFLOWS)
        return NAIVE_OVERFLOW;
    if (effect == FAILS)
        to = MODEL_LOCATIONS - 1;
    else if (e->branches && s->cell[e->cell] > e->value)
        to = e->otherwise;
    s->at[process] = to;
    if (!d->live[process][to])
        s->kept[process] = 0;
    for (int c = 0; c < MODEL_CELLS; c++)
        if (d->dead[process][to][c])
            s->cell[c] = 0;
    return NAIVE_FIRED;
}

void naive_initial(const struct model_draft *d, struct naive_state *s)
{
    memset(s, 0, sizeof *s);
    for (int c = 0; c < MODEL_CELLS; c++)
        s->cell[c] = d->cells[c].initial;
}

static enum naive_fired fire_alone(const struct model_draft *d, const struct naive_state *s, int action,
                                   struct naive_state *next)
{
    const struct draft_action *a = &d->action[action];
    *next = *s;
    for (int i = 0; i < a->edges; i++)
        if (a->edge[i].from == s->at[a->process])
            return tests_hold(a, s) ? run(d, next, a, &a->edge[i]) : NAIVE_DISABLED;
    return NAIVE_DISABLED;
}

enum naive_fired naive_fire(const struct model_draft *d, const struct naive_state *s, int action,
                            struct naive_state *next)
{
    for (int other = 0; other < d->actions && d->action[action].is_fallback; other++)
        if (!d->action[other].is_fallback && fire_alone(d, s, other, next) != NAIVE_DISABLED)
            return NAIVE_DISABLED;
    return fire_alone(d, s, action, next);
}

int naive_failed(const struct model_draft *d, const struct naive_state *s)
{
    int failed = 0;
    for (int p = 0; p < d->processes; p++)
        failed += s->at[p] == MODEL_LOCATIONS - 1;
    return failed;
}

bool naive_is_final(const struct model_draft *d, const struct naive_state *s)
{
    int there = d->spawns && s->cell[MODEL_LIFE] == 0 ? d->processes - 1 : d->processes;
    for (int p = 0; p < there; p++)
        if (s->at[p] != MODEL_LOCATIONS - 1 && !d->is_end[p][s->at[p]])
            return false;
    return true;
}
