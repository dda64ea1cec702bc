/* SPDX-License-Identifier: Apache-2.0 */
#include "random_model.h"

#include "random_net.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------ drawing */

static int plain_cell(struct random *r, int process, const struct model_draft *d)
{
    for (;;) {
        int c = (int)random_below(r, MODEL_CELLS);
        bool plain = c < MODEL_ARRAY || (c >= MODEL_PLAIN && c < MODEL_PLAIN_END);
        if (plain && (d->cells[c].owner < 0 || d->cells[c].owner == process))
            return c;
    }
}

static int value_of(struct random *r, const struct draft_cell *cell)
{
    return cell->low + (int)random_below(r, (uint32_t)(cell->high - cell->low + 1));
}

/* What blocks those who require it, at times. */
static int limit_of(struct random *r, const struct draft_cell *cell)
{
    return cell->low + (int)random_below(r, (uint32_t)(cell->high - cell->low));
}

static int counter_of(const struct model_draft *d, int process)
{
    for (int c = MODEL_COUNTERS; c < MODEL_PLAIN; c++)
        if (d->cells[c].owner == process)
            return c;
    return -1;
}

static void draw_cells(struct model_draft *d, struct random *r)
{
    for (int c = 0; c < MODEL_CELLS; c++) {
        struct draft_cell *cell = &d->cells[c];
        *cell = (struct draft_cell){.high = 1 + (int)random_below(r, 3), .owner = -1, .widens = random_chance(r, 50)};
        if (c >= MODEL_QUEUE_AT && c < MODEL_QUEUE_AT + MODEL_QUEUE)
            cell->high = 2;
        else if (c == MODEL_LOCK)
            cell->high = MODEL_PROCESSES;
        else if (c >= MODEL_COUNTERS && c < MODEL_PLAIN)
            *cell = (struct draft_cell){.high = 2, .owner = c % d->processes, .widens = true};
        else if (c >= MODEL_PLAIN_END)
            *cell = (struct draft_cell){.high = c == MODEL_LIFE ? 2 : MODEL_PROCESSES + 1, .owner = -1};
        else {
            if (c >= MODEL_PLAIN && random_chance(r, 30))
                cell->low = -2;
            if (random_chance(r, 30))
                *cell = (struct draft_cell){.high = 3, .wraps = true, .owner = -1, .widens = random_chance(r, 50)};
            if (c == MODEL_PLAIN_END - 1)
                cell->owner = (int)random_below(r, (uint32_t)d->processes);
            cell->initial = value_of(r, cell);
        }
    }
}

static struct draft_step draw_step(const struct model_draft *d, struct random *r, int process)
{
    static const enum step_kind kinds[] = {STEP_SET,    STEP_SET,    STEP_ADD,     STEP_FETCH_ADD, STEP_COPY,
                                           STEP_CAS,    STEP_AT,     STEP_REQUIRE, STEP_SEND,      STEP_APPEND,
                                           STEP_LOCK,   STEP_UNLOCK, STEP_ADD,     STEP_NOTHING,   STEP_KEEP,
                                           STEP_RECALL, STEP_COUNT,  STEP_INDEX,   STEP_SIGNAL,    STEP_BROADCAST};
    struct draft_step s = {.kind = kinds[random_below(r, sizeof kinds / sizeof *kinds)]};
    s.cell = plain_cell(r, process, d);
    s.other = plain_cell(r, process, d);
    s.value = value_of(r, &d->cells[s.cell]);
    switch (s.kind) {
    case STEP_ADD:
    case STEP_COUNT:
    case STEP_FETCH_ADD: s.value = random_chance(r, 50) ? 1 : -1; break;
    case STEP_CAS: s.other = value_of(r, &d->cells[s.cell]); break;
    case STEP_INDEX:
    case STEP_AT: s.value = (int)random_below(r, 2); break;
    case STEP_SEND: s.cell = MODEL_COUNTERS + (int)random_below(r, MODEL_PLAIN - MODEL_COUNTERS); break;
    case STEP_APPEND: s.value = 1 + (int)random_below(r, 2); break;
    default: break;
    }
    return s;
}

/* Threads without loops only go forward; they end at the last location but one. */
static int draw_target(const struct model_draft *d, struct random *r, int from)
{
    int last = MODEL_LOCATIONS - 1;
    if (d->is_straight)
        return from + 1 + (int)random_below(r, (uint32_t)(last - 1 - from));
    return random_chance(r, 75) && from + 1 < last ? from + 1 : (int)random_below(r, (uint32_t)last);
}

static void draw_edge(const struct model_draft *d, struct random *r, int process, struct draft_edge *e)
{
    e->to = draw_target(d, r, e->from);
    for (uint32_t i = 0, count = random_below(r, MODEL_STEPS + 1); i < count; i++)
        e->steps[i] = draw_step(d, r, process);
    if (random_chance(r, 25)) {
        e->branches = true;
        e->cell = plain_cell(r, process, d);
        e->value = value_of(r, &d->cells[e->cell]);
        e->otherwise = random_chance(r, 40) ? MODEL_LOCATIONS - 1 : draw_target(d, r, e->from);
    }
}

/* Something that needs a test: receiving, taking, a rendezvous. */
static void draw_special(const struct model_draft *d, struct random *r, struct draft_action *a)
{
    int counter = counter_of(d, a->process), other = (int)random_below(r, (uint32_t)d->processes), kind;
    struct draft_step step = {0};
    kind = (int)random_below(r, 5);
    if (kind == 0 && counter >= 0) {
        a->tests[0] = (struct draft_test){counter, 1, d->cells[counter].high};
        step = (struct draft_step){.kind = STEP_RECEIVE, .cell = counter};
    } else if (kind == 1) {
        a->tests[0] = (struct draft_test){MODEL_QUEUE_AT, 1 + (int)random_below(r, 2), 2};
        step = (struct draft_step){.kind = STEP_TAKE};
    } else if (kind == 2 && other != a->process && !d->is_threads) {
        int at = (int)random_below(r, MODEL_LOCATIONS - 1);
        if (random_chance(r, 60))
            a->tests[0] = (struct draft_test){MODEL_CELLS + other, at, at};
        step = (struct draft_step){.kind = STEP_MOVE, .other = other, .value = draw_target(d, r, at)};
    } else if (kind == 3 && counter >= 0) { /* who looks at a counter, or empties it, says so by a test */
        a->tests[0] = (struct draft_test){counter, 0, d->cells[counter].high};
        step = (struct draft_step){.kind = STEP_SET, .cell = counter};
        if (random_chance(r, 50))
            step = (struct draft_step){.kind = STEP_COPY, .cell = plain_cell(r, a->process, d), .other = counter};
    } else {
        int cell = plain_cell(r, a->process, d);
        int low = value_of(r, &d->cells[cell]), high = value_of(r, &d->cells[cell]);
        a->tests[0] = (struct draft_test){cell, low < high ? low : high, low < high ? high : low};
    }
    if (step.kind != STEP_NOTHING && step.kind != STEP_COPY && !d->is_threads && random_chance(r, 50))
        a->common = step;
    else if (step.kind != STEP_NOTHING)
        for (int i = 0; i < a->edges; i++)
            a->edge[i].steps[0] = step;
}

static struct draft_action *action_at(struct model_draft *d, int process, int location)
{
    int number = location * d->processes + process;
    return number < d->actions ? &d->action[number] : NULL;
}

/* Waiting is two actions, one after the other; only the second leaves where the process waits. */
static void draw_waiting(struct model_draft *d, struct random *r, int process)
{
    struct draft_action *wait = action_at(d, process, 0), *wake = action_at(d, process, 1);
    if (!wait || !wake)
        return;
    wait->edge[0].steps[1] = (struct draft_step){.kind = STEP_WAIT};
    wait->edge[0].steps[2] = (struct draft_step){0};
    if (random_chance(r, 80))
        wait->edge[0].steps[0] = (struct draft_step){.kind = STEP_LOCK};
    wait->edge[0].to = 1;
    wait->edge[0].branches = false;
    wake->edge[0].steps[0] = (struct draft_step){.kind = STEP_WAKE};
    if (random_chance(r, 70))
        wake->edge[0].steps[1] = (struct draft_step){.kind = STEP_LOCK};
}

/* All but one wait, and that one wakes some or all of them. */
static void draw_waiters(struct model_draft *d, struct random *r)
{
    int waking = (int)random_below(r, (uint32_t)d->processes);
    for (int p = 0; p < d->processes; p++)
        if (p != waking)
            draw_waiting(d, r, p);
    for (int l = 0; l < 2; l++) {
        struct draft_action *a = action_at(d, waking, l);
        if (a)
            a->edge[0].steps[l] = (struct draft_step){.kind = random_chance(r, 70) ? STEP_SIGNAL : STEP_BROADCAST};
    }
}

static int not_first(int location)
{
    return location == 0 ? 1 : location;
}

/* The last process begins with nothing but being born, and the first one spawns it. */
static void draw_spawning(struct model_draft *d, struct random *r)
{
    int child = d->processes - 1;
    struct draft_action *begin = action_at(d, child, 0), *end = action_at(d, child, 1 + (int)random_below(r, 2));
    struct draft_action *parent = action_at(d, 0, (int)random_below(r, 2)), *join = action_at(d, 0, 2);
    d->spawns = true;
    for (int l = 1; l < MODEL_LOCATIONS; l++) {
        struct draft_action *a = action_at(d, child, l);
        for (int e = 0; a && e < a->edges; e++) {
            a->edge[e].to = not_first(a->edge[e].to);
            a->edge[e].otherwise = not_first(a->edge[e].otherwise);
        }
    }
    *begin = (struct draft_action){.process = child, .edges = 1, .edge = {{.to = 1}}};
    for (int i = 0; i < MODEL_TESTS; i++)
        begin->tests[i].cell = -1;
    begin->tests[MODEL_TESTS - 1] = (struct draft_test){MODEL_LIFE, 1, 1};
    if (end)
        end->edge[0].steps[MODEL_STEPS - 1] = (struct draft_step){.kind = STEP_END};
    if (parent)
        parent->edge[0].steps[1] = (struct draft_step){.kind = STEP_SPAWN, .value = (int)random_below(r, 3)};
    if (join && random_chance(r, 60))
        join->edge[0].steps[0] = (struct draft_step){.kind = STEP_JOIN};
}

static struct draft_test tests_place(int place, int low, int high)
{
    return (struct draft_test){MODEL_QUEUE_AT + place, low, high};
}

/* What an action has to do with the queue. */
static void draw_with_queue(const struct model_draft *d, struct random *r, struct draft_action *a)
{
    int last = d->capacity - 1, place = (int)random_below(r, (uint32_t)d->capacity), value = 1 + random_chance(r, 50);
    struct draft_step first = {.value = value}, second = {0};
    struct draft_test test = {-1, 0, 0}, certain = {-1, 0, 0};
    int kind = (int)random_below(r, 24), cell = plain_cell(r, a->process, d);
    if (kind < 6) { /* to send */
        first.kind = kind == 0 ? STEP_SORT : STEP_PUT;
        test = tests_place(last, 0, 0);
    } else if (kind < 13) { /* to receive: any message, a certain one, one that the code wants */
        first.kind = kind == 12 ? STEP_WANT : STEP_TAKE;
        second.kind = kind == 12 ? STEP_TAKE : STEP_NOTHING;
        test = tests_place(0, 1, 2);
        if (kind >= 10)
            certain = tests_place(0, value, value);
    } else if (kind == 13 || kind > 21) {
        first.kind = STEP_PICK;
        test = tests_place(last, 1, 2);
        if (random_chance(r, 50))
            certain = tests_place(last, value, value);
    } else if (kind < 16) { /* to look, by a test */
        test = random_chance(r, 50) ? tests_place(place, 0, 0) : tests_place(place, value, 2);
    } else if (kind == 16) { /* or by code */
        first = (struct draft_step){.kind = STEP_COPY, .cell = cell, .other = MODEL_QUEUE_AT + place};
    } else if (kind == 17) {
        first = (struct draft_step){.kind = STEP_REQUIRE, .cell = MODEL_QUEUE_AT + place, .value = value - 1};
    } else if (kind == 18 || kind > 19) {
        first.kind = STEP_WANT;
        first.value = kind == 18 ? value : 0;
    } else {
        a->edge[0].branches = true;
        a->edge[0].cell = MODEL_QUEUE_AT + place;
        a->edge[0].value = value - 1;
        a->edge[0].otherwise = draw_target(d, r, a->edge[0].from);
    }
    a->common = (struct draft_step){0};
    a->tests[0] = test;
    if (certain.cell >= 0)
        a->tests[1] = certain;
    for (int e = 0; e < a->edges; e++)
        for (int i = 0; i < MODEL_STEPS; i++) {
            struct draft_step *step = &a->edge[e].steps[i];
            if (i == 0)
                *step = first;
            else if (i == 1 && second.kind != STEP_NOTHING)
                *step = second;
            else if (random_chance(r, 60) || step->kind == STEP_TAKE)
                *step = (struct draft_step){0};
        }
}

/* Most of what happens has to do with the queue. */
static void draw_queue(struct model_draft *d, struct random *r)
{
    d->capacity = 1 + random_chance(r, 70);
    for (int a = 0; a < d->actions; a++)
        if (random_chance(r, 65))
            draw_with_queue(d, r, &d->action[a]);
}

/* The first actions give each process a way to go, the others are anywhere. */
static void draw_action(struct model_draft *d, struct random *r, int number, struct draft_action *a)
{
    int way = number / d->processes;
    a->process = number % d->processes;
    for (int i = 0; i < MODEL_TESTS; i++)
        a->tests[i].cell = -1;
    int from = way < 3 || d->is_threads ? way : (int)random_below(r, MODEL_LOCATIONS - 1);
    a->edges = 1;
    a->edge[0].from = from;
    if (random_chance(r, 25) && from + 1 < MODEL_LOCATIONS - 1 && !d->is_threads) {
        a->edges = 2;
        a->edge[1].from = from + 1;
    }
    for (int i = 0; i < a->edges; i++)
        draw_edge(d, r, a->process, &a->edge[i]);
    if (a->edges == 2 && random_chance(r, 50)) /* it only moves on: two such may commute, or end elsewhere */
        for (int i = 0; i < 2; i++)
            a->edge[i] = (struct draft_edge){.from = a->edge[i].from, .to = a->edge[i].to};
    if (random_chance(r, 40))
        draw_special(d, r, a);
    if (random_chance(r, 30) && a->common.kind == STEP_NOTHING && !d->is_threads) {
        int cell = plain_cell(r, a->process, d);
        int other = plain_cell(r, a->process, d);
        bool fits = d->cells[cell].low <= d->cells[other].low && d->cells[other].high <= d->cells[cell].high;
        a->common = (struct draft_step){.kind = STEP_SET, .cell = cell, .value = value_of(r, &d->cells[cell])};
        if (fits && random_chance(r, 75))
            a->common = (struct draft_step){.kind = STEP_COPY, .cell = cell, .other = other};
        if (random_chance(r, a->common.kind == STEP_COPY ? 100 : 40)) /* what the common part has set decides */
            a->edge[0].steps[0] =
                (struct draft_step){.kind = STEP_REQUIRE, .cell = cell, .value = limit_of(r, &d->cells[cell])};
    }
    if (random_chance(r, 20)) {
        int cell = plain_cell(r, a->process, d), value = value_of(r, &d->cells[cell]);
        a->tests[1] = (struct draft_test){cell, d->cells[cell].low, value};
    }
}

static bool uses(const struct draft_step *s, int cell)
{
    return s->cell == cell || s->other == cell;
}

static void leave_alone(struct draft_action *a, int cell)
{
    for (int i = 0; i < MODEL_TESTS; i++)
        if (a->tests[i].cell == cell)
            a->tests[i].cell = -1;
    if (uses(&a->common, cell))
        a->common = (struct draft_step){0};
    for (int e = 0; e < a->edges; e++) {
        for (int i = 0; i < MODEL_STEPS; i++)
            if (uses(&a->edge[e].steps[i], cell))
                a->edge[e].steps[i] = (struct draft_step){0};
        a->edge[e].branches &= a->edge[e].cell != cell;
    }
}

/* Two cells that some actions set or read, all of them both, and nobody else has to do with: of how they are used, one
 * may tell what the other does not. */
static void draw_twins(struct model_draft *d, struct random *r)
{
    bool alike = random_chance(r, 50); /* they are set alike */
    for (int a = 0; a < d->actions; a++) {
        struct draft_step *steps = d->action[a].edge[0].steps;
        bool sets = random_chance(r, 50), turned = random_chance(r, 50), has_both = random_chance(r, 70);
        int value = random_chance(r, 50);
        leave_alone(&d->action[a], MODEL_PLAIN);
        leave_alone(&d->action[a], MODEL_PLAIN + 1);
        for (int i = 0; i < 2 && has_both; i++) {
            int cell = MODEL_PLAIN + (i ^ turned);
            enum step_kind kind = sets ? STEP_SET : random_chance(r, 60) ? STEP_REQUIRE : STEP_KEEP;
            steps[i] = (struct draft_step){.kind = kind, .cell = cell, .value = value};
            if (kind == STEP_REQUIRE)
                steps[i].value = limit_of(r, &d->cells[cell]);
            else if (!alike)
                steps[i].value = value_of(r, &d->cells[cell]);
        }
    }
}

/* What the common part of an action copies is set by another process. */
static void draw_sources(struct model_draft *d, struct random *r)
{
    for (int a = 0; a < d->actions; a++) {
        const struct draft_action *copies = &d->action[a];
        struct draft_action *sets = &d->action[random_below(r, (uint32_t)d->actions)];
        int cell = copies->common.other;
        if (copies->common.kind == STEP_COPY && sets->process != copies->process && d->cells[cell].owner < 0)
            sets->edge[0].steps[MODEL_STEPS - 1] =
                (struct draft_step){.kind = STEP_SET, .cell = cell, .value = value_of(r, &d->cells[cell])};
    }
}

static bool may_take(const struct draft_action *a, int cell)
{
    for (int i = 0; i < MODEL_TESTS; i++)
        if (a->tests[i].cell == cell)
            return true;
    return false;
}

static bool moves(const struct draft_step *s, int process)
{
    return s->kind == STEP_MOVE && s->other == process;
}

static bool is_moved(const struct model_draft *d, int process)
{
    for (int a = 0; a < d->actions; a++) {
        if (moves(&d->action[a].common, process))
            return true;
        for (int e = 0; e < d->action[a].edges; e++)
            for (int i = 0; i < MODEL_STEPS; i++)
                if (moves(&d->action[a].edge[e].steps[i], process))
                    return true;
    }
    return false;
}

/* Spreads backwards where a counter may yet be taken. */
static bool spread(const struct model_draft *d, int process, int cell, bool *taken)
{
    bool more = false;
    for (int i = 0; i < d->actions; i++) {
        const struct draft_action *a = &d->action[i];
        for (int e = 0; e < a->edges && a->process == process; e++) {
            const struct draft_edge *edge = &a->edge[e];
            bool now = may_take(a, cell) || taken[edge->to] || (edge->branches && taken[edge->otherwise]);
            more |= now && !taken[edge->from];
            taken[edge->from] |= now;
        }
    }
    return more;
}

void model_draft_settle(struct model_draft *d)
{
    memset(d->dead, 0, sizeof d->dead);
    for (int p = 0; p < d->processes; p++) /* who moves a process knows nothing of its register */
        for (int l = 0; l < MODEL_LOCATIONS && is_moved(d, p); l++)
            d->live[p][l] = d->live[p][0];
    for (int c = MODEL_COUNTERS; c < MODEL_PLAIN; c++) {
        bool taken[MODEL_LOCATIONS] = {false};
        int process = d->cells[c].owner;
        if (is_moved(d, process))
            continue;
        while (spread(d, process, c, taken))
            ;
        for (int l = 0; l < MODEL_LOCATIONS; l++)
            d->dead[process][l][c] = !taken[l];
    }
}

void model_draft_random(struct model_draft *d, uint64_t seed, uint64_t number)
{
    struct random r = random_from(seed, number);
    memset(d, 0, sizeof *d);
    d->processes = 2 + (int)random_below(&r, MODEL_PROCESSES - 1);
    d->capacity = MODEL_QUEUE;
    draw_cells(d, &r);
    d->actions = 5 + (int)random_below(&r, MODEL_ACTIONS - 4);
    d->is_threads = random_chance(&r, 50);
    d->is_straight = d->is_threads && random_chance(&r, 75);
    int ways = MODEL_LOCATIONS - (d->is_straight ? 2 : 1);
    if (d->is_threads && d->actions > d->processes * ways)
        d->actions = d->processes * ways;
    for (int a = 0; a < d->actions; a++)
        draw_action(d, &r, a, &d->action[a]);
    draw_sources(d, &r);
    bool keeps = random_chance(&r, 60);
    for (int p = 0; p < d->processes; p++)
        for (int l = 0; l < MODEL_LOCATIONS; l++) {
            d->is_end[p][l] = random_chance(&r, 25) || (d->is_threads && !action_at(d, p, l));
            d->live[p][l] = keeps && random_chance(&r, 70);
        }
    bool has_fallbacks = !d->is_threads && random_chance(&r, 30);
    for (int a = 0; a < d->actions && has_fallbacks; a++)
        d->action[a].is_fallback = random_chance(&r, 35);
    bool has_waiters = d->is_threads && random_chance(&r, 40);
    if (has_waiters)
        draw_waiters(d, &r);
    if (d->is_threads && random_chance(&r, 35))
        draw_spawning(d, &r);
    if (!d->spawns && !has_waiters && random_chance(&r, 50))
        draw_queue(d, &r);
    else if (!d->spawns && !has_waiters && random_chance(&r, 50))
        draw_twins(d, &r);
    model_draft_settle(d);
}

/* ----------------------------------------------------------------------- printing */

static void print_step(const struct draft_step *s)
{
    static const char *const names[] = {
        "nothing", "set",    "add",       "fetch-add", "copy", "cas",  "at",     "require", "send",  "receive",
        "append",  "take",   "lock",      "unlock",    "move", "keep", "recall", "count",   "index", "wait",
        "wake",    "signal", "broadcast", "spawn",     "join", "end",  "put",    "sort",    "want",  "pick"};
    if (s->kind != STEP_NOTHING)
        printf(" %s(cell %d, other %d, value %d)", names[s->kind], s->cell, s->other, s->value);
}

void model_draft_print(const struct model_draft *d)
{
    printf("capacity of the queue: %d\n", d->capacity);
    for (int c = 0; c < MODEL_CELLS; c++)
        printf("cell %d: %d..%d = %d%s%s, owner %d\n", c, d->cells[c].low, d->cells[c].high, d->cells[c].initial,
               d->cells[c].wraps ? ", wraps" : "", d->cells[c].widens ? ", widens" : "", d->cells[c].owner);
    for (int i = 0; i < d->actions; i++) {
        const struct draft_action *a = &d->action[i];
        printf("action a%d of process %d%s:", i, a->process, a->is_fallback ? ", a fallback" : "");
        for (int t = 0; t < MODEL_TESTS; t++)
            if (a->tests[t].cell >= 0)
                printf(" test(cell %d in %d..%d)", a->tests[t].cell, a->tests[t].low, a->tests[t].high);
        print_step(&a->common);
        for (int e = 0; e < a->edges; e++) {
            printf("\n  from %d:", a->edge[e].from);
            for (int s = 0; s < MODEL_STEPS; s++)
                print_step(&a->edge[e].steps[s]);
            if (a->edge[e].branches)
                printf(" to %d if cell %d > %d, else", a->edge[e].otherwise, a->edge[e].cell, a->edge[e].value);
            printf(" to %d", a->edge[e].to);
        }
        printf("\n");
    }
    for (int p = 0; p < d->processes; p++)
        for (int l = 0; l < MODEL_LOCATIONS; l++) {
            printf("%s%d%s%s", l ? " " : "process locations: ", l, d->is_end[p][l] ? " end" : "",
                   d->live[p][l] ? " live" : "");
            for (int c = 0; c < MODEL_CELLS; c++)
                if (d->dead[p][l][c])
                    printf(" dead c%d", c);
            printf(l == MODEL_LOCATIONS - 1 ? "\n" : ",");
        }
}
