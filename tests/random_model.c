/* SPDX-License-Identifier: Apache-2.0 */
#include "random_model.h"

#include "model/model.h"
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
    if (random_chance(r, 20) && a->common.kind == STEP_NOTHING && !d->is_threads) {
        int cell = plain_cell(r, a->process, d);
        a->common = (struct draft_step){.kind = STEP_SET, .cell = cell, .value = value_of(r, &d->cells[cell])};
        if (random_chance(r, 40)) /* what the common part has set decides */
            a->edge[0].steps[0] =
                (struct draft_step){.kind = STEP_REQUIRE, .cell = cell, .value = value_of(r, &d->cells[cell])};
    }
    if (random_chance(r, 20)) {
        int cell = plain_cell(r, a->process, d), value = value_of(r, &d->cells[cell]);
        a->tests[1] = (struct draft_test){cell, d->cells[cell].low, value};
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
    draw_cells(d, &r);
    d->actions = 5 + (int)random_below(&r, MODEL_ACTIONS - 4);
    d->is_threads = random_chance(&r, 50);
    d->is_straight = d->is_threads && random_chance(&r, 75);
    int ways = MODEL_LOCATIONS - (d->is_straight ? 2 : 1);
    if (d->is_threads && d->actions > d->processes * ways)
        d->actions = d->processes * ways;
    for (int a = 0; a < d->actions; a++)
        draw_action(d, &r, a, &d->action[a]);
    bool keeps = random_chance(&r, 60);
    for (int p = 0; p < d->processes; p++)
        for (int l = 0; l < MODEL_LOCATIONS; l++) {
            d->is_end[p][l] = random_chance(&r, 25) || (d->is_threads && !action_at(d, p, l));
            d->live[p][l] = keeps && random_chance(&r, 70);
        }
    bool has_fallbacks = !d->is_threads && random_chance(&r, 30);
    for (int a = 0; a < d->actions && has_fallbacks; a++)
        d->action[a].is_fallback = random_chance(&r, 35);
    if (d->is_threads && random_chance(&r, 40))
        draw_waiters(d, &r);
    if (d->is_threads && random_chance(&r, 35))
        draw_spawning(d, &r);
    model_draft_settle(d);
}

/* ----------------------------------------------------------------------- building */

enum { KEPT, FIRST, SECOND, REGISTERS }; /* the one that is kept, two for calculating */

struct builder {
    struct model *model;
    const struct model_draft *draft;
    uint32_t cell[MODEL_CELLS + MODEL_PROCESSES]; /* the model's numbers */
    uint32_t location[MODEL_PROCESSES][MODEL_LOCATIONS];
    uint32_t failing; /* code that ends where the process has failed */
    int process;
};

static struct integer_type type_of(const struct draft_cell *c)
{
    return (struct integer_type){.low = c->low, .high = c->high, .bits = c->wraps ? 2 : 32, .wraps = c->wraps};
}

static void build_cells(struct builder *b)
{
    for (int c = 0; c < MODEL_CELLS; c++) {
        const struct draft_cell *d = &b->draft->cells[c];
        bool counter = c >= MODEL_COUNTERS && c < MODEL_PLAIN, private = d->owner >= 0 && !counter;
        char name[16];
        snprintf(name, sizeof name, "c%d", c);
        bool in_queue = (c > MODEL_QUEUE_AT && c < MODEL_QUEUE_AT + MODEL_QUEUE) ||
                        (c > MODEL_CONDITION && c < MODEL_CONDITION + MODEL_PROCESSES);
        uint32_t object = private    ? MODEL_NONE
                          : in_queue ? b->model->cells.item[b->cell[c - 1]].object
                                     : model_object(b->model, name);
        struct cell cell = {.values = {d->low, d->high},
                            .initial = d->initial,
                            .object = object,
                            .alike = (uint32_t)c,
                            .owner = d->owner >= 0 ? (uint32_t)d->owner : MODEL_NONE,
                            .widens = d->widens};
        b->cell[c] = model_cells(b->model, cell, 1);
    }
}

static void build_locations(struct builder *b, int p)
{
    for (int l = 0; l < MODEL_LOCATIONS; l++) {
        struct location location = {.process = (uint32_t)p,
                                    .failure = l == MODEL_LOCATIONS - 1 ? "it failed" : NULL,
                                    .is_end = b->draft->is_end[p][l],
                                    .is_unborn = b->draft->spawns && p == b->draft->processes - 1 && l == 0,
                                    .live = b->draft->live[p][l] ? KEPT + 1 : 0,
                                    .dead = MODEL_NONE};
        for (int c = 0; c < MODEL_CELLS; c++)
            if (b->draft->dead[p][l][c]) {
                if (location.dead == MODEL_NONE)
                    location.dead = model_dead_set(b->model, (uint32_t)p);
                model_dead_cell(b->model, location.dead, b->cell[c]);
            }
        b->location[p][l] = model_location(b->model, location);
    }
}

static uint32_t emit(struct builder *b, struct instruction i)
{
    return model_emit(b->model, i);
}

static uint32_t emit_rest(struct builder *b, int location)
{
    return emit(b, (struct instruction){.code = CODE_REST, .c = (int32_t)b->location[b->process][location]});
}

static void emit_load(struct builder *b, int cell, int reg)
{
    emit(b, (struct instruction){.code = CODE_LOAD,
                                 .flags = B_IS_NUMBER | SYNCHRONISES,
                                 .length = 1,
                                 .dst = reg,
                                 .c = (int32_t)b->cell[cell]});
}

static void emit_store(struct builder *b, int cell, int value, bool is_number)
{
    emit(b, (struct instruction){.code = CODE_STORE,
                                 .flags = (uint8_t)(B_IS_NUMBER | SYNCHRONISES | (is_number ? A_IS_NUMBER : 0)),
                                 .length = 1,
                                 .a = value,
                                 .c = (int32_t)b->cell[cell]});
}

/* The process that is spawned. */
static void emit_spawning(struct builder *b, const struct draft_step *s)
{
    int child = b->draft->processes - 1;
    switch (s->kind) {
    case STEP_SPAWN:
        emit(b, (struct instruction){.code = CODE_MOVE, .flags = A_IS_NUMBER, .dst = FIRST, .a = s->value});
        emit(b, (struct instruction){.code = CODE_SPAWN,
                                     .flags = SYNCHRONISES,
                                     .length = b->draft->live[child][0],
                                     .dst = SECOND,
                                     .a = FIRST,
                                     .b = 1,
                                     .c = child,
                                     .d = (int32_t)b->failing});
        break;
    case STEP_JOIN:
        emit(b, (struct instruction){
                    .code = CODE_JOIN, .flags = A_IS_NUMBER | SYNCHRONISES, .a = child, .d = (int32_t)b->failing});
        break;
    case STEP_END: emit_store(b, MODEL_LIFE, 2, true); break;
    default: break;
    }
}

/* The condition variable. */
static void emit_waiting(struct builder *b, const struct draft_step *s)
{
    static const uint8_t codes[] = {[STEP_WAIT] = CODE_WAIT,
                                    [STEP_WAKE] = CODE_WAKE,
                                    [STEP_SIGNAL] = CODE_SIGNAL,
                                    [STEP_BROADCAST] = CODE_BROADCAST};
    if (s->kind < STEP_WAIT || s->kind > STEP_BROADCAST) {
        emit_spawning(b, s);
        return;
    }
    emit(b, (struct instruction){.code = codes[s->kind],
                                 .flags = A_IS_NUMBER | B_IS_NUMBER | SYNCHRONISES,
                                 .length = 1,
                                 .locks = 1,
                                 .dst = s->kind == STEP_WAIT ? (int32_t)b->cell[MODEL_LOCK] : 0,
                                 .c = (int32_t)b->cell[MODEL_CONDITION],
                                 .d = (int32_t)b->failing});
}

/* Messages, locks, a rendezvous. */
static void emit_exchange(struct builder *b, const struct draft_step *s)
{
    int32_t at = (int32_t)b->cell[s->cell], fails = (int32_t)b->failing;
    uint8_t fixed = B_IS_NUMBER | SYNCHRONISES;
    switch (s->kind) {
    case STEP_SEND:
    case STEP_RECEIVE:
        emit(b, (struct instruction){.code = CODE_ADD,
                                     .flags = fixed | A_IS_NUMBER,
                                     .length = 1,
                                     .a = s->kind == STEP_SEND ? 1 : -1,
                                     .c = at});
        break;
    case STEP_APPEND:
        emit(b, (struct instruction){.code = CODE_APPEND,
                                     .flags = A_IS_NUMBER | SYNCHRONISES,
                                     .length = MODEL_QUEUE,
                                     .a = s->value,
                                     .c = (int32_t)b->cell[MODEL_QUEUE_AT],
                                     .d = -1});
        break;
    case STEP_TAKE:
        emit(b, (struct instruction){.code = CODE_TAKE,
                                     .flags = SYNCHRONISES,
                                     .length = MODEL_QUEUE,
                                     .dst = FIRST,
                                     .c = (int32_t)b->cell[MODEL_QUEUE_AT]});
        break;
    case STEP_LOCK:
    case STEP_UNLOCK:
        emit(b, (struct instruction){.code = s->kind == STEP_LOCK ? CODE_LOCK : CODE_UNLOCK,
                                     .flags = fixed,
                                     .length = 1,
                                     .c = (int32_t)b->cell[MODEL_LOCK],
                                     .d = fails});
        break;
    case STEP_MOVE: emit_store(b, MODEL_CELLS + s->other, s->value, true); break;
    default: emit_waiting(b, s); break;
    }
}

/* An index, a condition. */
static void emit_special(struct builder *b, const struct draft_step *s)
{
    uint8_t type = model_type(b->model, type_of(&b->draft->cells[s->cell]));
    int32_t fails = (int32_t)b->failing;
    switch (s->kind) {
    case STEP_AT:
        emit_load(b, s->other, FIRST);
        emit(b, (struct instruction){
                    .code = CODE_CHECK_INDEX, .flags = B_IS_NUMBER, .a = FIRST, .b = MODEL_ARRAY, .d = fails});
        emit(b, (struct instruction){.code = CODE_STORE,
                                     .flags = A_IS_NUMBER | SYNCHRONISES,
                                     .length = MODEL_ARRAY,
                                     .a = s->value,
                                     .b = FIRST,
                                     .c = (int32_t)b->cell[0]});
        break;
    case STEP_INDEX:
        emit(b, (struct instruction){
                    .code = CODE_CHECK_INDEX, .flags = B_IS_NUMBER, .a = KEPT, .b = MODEL_ARRAY, .d = fails});
        emit(b, (struct instruction){.code = CODE_STORE,
                                     .flags = A_IS_NUMBER | SYNCHRONISES,
                                     .length = MODEL_ARRAY,
                                     .a = s->value,
                                     .b = KEPT,
                                     .c = (int32_t)b->cell[0]});
        break;
    case STEP_KEEP: emit_load(b, s->cell, KEPT); break;
    case STEP_RECALL:
        emit(b, (struct instruction){.code = CODE_CONVERT, .type = type, .dst = SECOND, .a = KEPT, .d = fails});
        emit_store(b, s->cell, SECOND, false);
        break;
    case STEP_COUNT:
        emit(b, (struct instruction){
                    .code = CODE_CALCULATE,
                    .flags = B_IS_NUMBER,
                    .operation = OPERATION_ADD,
                    .type = model_type(b->model, (struct integer_type){MODEL_LEAST_KEPT, MODEL_MOST_KEPT, 32, false}),
                    .dst = KEPT,
                    .a = KEPT,
                    .b = s->value,
                    .d = fails});
        break;
    case STEP_REQUIRE:
        emit_load(b, s->cell, FIRST);
        emit(b, (struct instruction){.code = CODE_CALCULATE,
                                     .flags = B_IS_NUMBER,
                                     .operation = OPERATION_LESS_EQUAL,
                                     .type = type,
                                     .dst = SECOND,
                                     .a = FIRST,
                                     .b = s->value,
                                     .d = fails});
        emit(b, (struct instruction){.code = CODE_REQUIRE, .a = SECOND});
        break;
    default: emit_exchange(b, s); break;
    }
}

static void emit_step(struct builder *b, const struct draft_step *s)
{
    const struct draft_cell *cell = &b->draft->cells[s->cell];
    uint8_t type = model_type(b->model, type_of(cell));
    int32_t at = (int32_t)b->cell[s->cell], fails = (int32_t)b->failing;
    uint8_t fixed = B_IS_NUMBER | SYNCHRONISES;
    switch (s->kind) {
    case STEP_NOTHING: break;
    case STEP_SET: emit_store(b, s->cell, s->value, true); break;
    case STEP_ADD:
        emit_load(b, s->cell, FIRST);
        emit(b, (struct instruction){.code = CODE_CALCULATE,
                                     .flags = B_IS_NUMBER,
                                     .operation = OPERATION_ADD,
                                     .type = type,
                                     .dst = SECOND,
                                     .a = FIRST,
                                     .b = s->value,
                                     .d = fails});
        emit_store(b, s->cell, SECOND, false);
        break;
    case STEP_FETCH_ADD:
        emit(b, (struct instruction){.code = CODE_FETCH_ADD,
                                     .flags = fixed | A_IS_NUMBER,
                                     .type = type,
                                     .length = 1,
                                     .dst = FIRST,
                                     .a = s->value,
                                     .c = at,
                                     .d = fails});
        break;
    case STEP_COPY:
        emit_load(b, s->other, FIRST);
        emit(b, (struct instruction){.code = CODE_CONVERT, .type = type, .dst = SECOND, .a = FIRST, .d = fails});
        emit_store(b, s->cell, SECOND, false);
        break;
    case STEP_CAS:
        emit(b, (struct instruction){.code = CODE_CAS,
                                     .flags = fixed | A_IS_NUMBER | D_IS_NUMBER,
                                     .length = 1,
                                     .dst = FIRST,
                                     .a = s->other,
                                     .c = at,
                                     .d = s->value});
        break;
    default: emit_special(b, s); break;
    }
}

static uint32_t emit_edge(struct builder *b, const struct draft_edge *e)
{
    uint32_t first = (uint32_t)b->model->code.count;
    for (int i = 0; i < MODEL_STEPS; i++)
        emit_step(b, &e->steps[i]);
    if (!e->branches) {
        emit_rest(b, e->to);
        return first;
    }
    emit_load(b, e->cell, FIRST);
    uint32_t jump = emit(
        b,
        (struct instruction){
            .code = CODE_JUMP_NOT, .flags = B_IS_NUMBER, .operation = OPERATION_LESS_EQUAL, .a = FIRST, .b = e->value});
    emit_rest(b, e->to);
    uint32_t otherwise = emit_rest(b, e->otherwise);
    if (!b->model->failed)
        b->model->code.item[jump].c = (int32_t)otherwise;
    return first;
}

static void build_action(struct builder *b, const struct draft_action *a, int number)
{
    uint32_t code[MODEL_EDGES];
    char name[16];
    snprintf(name, sizeof name, "a%d", number);
    b->process = a->process;
    b->failing = emit_rest(b, MODEL_LOCATIONS - 1);
    struct action action = {.name = model_copy(b->model, name),
                            .process = (uint32_t)a->process,
                            .common = MODEL_NONE,
                            .is_fallback = a->is_fallback};
    if (a->common.kind != STEP_NOTHING) {
        action.common = (uint32_t)b->model->code.count;
        emit_step(b, &a->common);
        emit(b, (struct instruction){.code = CODE_REST, .c = (int32_t)MODEL_NONE});
    }
    for (int i = 0; i < a->edges; i++)
        code[i] = emit_edge(b, &a->edge[i]);
    model_action(b->model, action);
    for (int i = 0; i < MODEL_TESTS; i++)
        if (a->tests[i].cell >= 0)
            model_test(b->model, b->cell[a->tests[i].cell], a->tests[i].low, a->tests[i].high);
    for (int i = 0; i < a->edges; i++)
        model_edge(b->model, b->location[a->process][a->edge[i].from], code[i]);
}

static void build_variables(struct builder *b)
{
    char name[16];
    for (int c = 0; c < MODEL_CELLS + b->draft->processes; c++) {
        snprintf(name, sizeof name, c < MODEL_CELLS ? "c%d" : "l%d", c < MODEL_CELLS ? c : c - MODEL_CELLS);
        model_variable(
            b->model, (struct variable){.name = model_copy(b->model, name), .kind = VARIABLE_CELL, .what = b->cell[c]});
    }
    for (int p = 0; p < b->draft->processes; p++) {
        snprintf(name, sizeof name, "r%d", p);
        model_variable(b->model, (struct variable){.name = model_copy(b->model, name),
                                                   .kind = VARIABLE_REGISTER,
                                                   .process = (uint32_t)p,
                                                   .what = KEPT,
                                                   .to = UINT32_MAX});
    }
    model_variable(b->model, (struct variable){.name = "failed", .kind = VARIABLE_FAILED});
    b->model->listed = (uint32_t)b->model->variables.count;
}

enum portolan_status model_draft_system(const struct model_draft *d, struct portolan_system **system,
                                        struct portolan_error *error)
{
    struct builder b = {.model = model_new("test"), .draft = d};
    if (!b.model)
        return PORTOLAN_NO_MEMORY;
    b.model->name = "random";
    b.model->in_columns = true; /* so that ends count as proper ones */
    build_cells(&b);
    for (int p = 0; p < d->processes; p++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", p);
        uint32_t process = model_process(b.model, name);
        if (!b.model->failed) {
            b.model->processes.item[process].most_registers = REGISTERS;
            b.model->processes.item[process].values = (struct range){MODEL_LEAST_KEPT, MODEL_MOST_KEPT};
            if (d->spawns && p == d->processes - 1)
                b.model->processes.item[process].life = b.cell[MODEL_LIFE];
            b.cell[MODEL_CELLS + p] = b.model->processes.item[process].location_cell;
        }
        build_locations(&b, p);
    }
    for (int a = 0; a < d->actions; a++)
        build_action(&b, &d->action[a], a);
    build_variables(&b);
    return model_system(b.model, system, error);
}

/* ----------------------------------------------------------------------- printing */

static void print_step(const struct draft_step *s)
{
    static const char *const names[] = {"nothing", "set",       "add",     "fetch-add", "copy",  "cas",  "at",
                                        "require", "send",      "receive", "append",    "take",  "lock", "unlock",
                                        "move",    "keep",      "recall",  "count",     "index", "wait", "wake",
                                        "signal",  "broadcast", "spawn",   "join",      "end"};
    if (s->kind != STEP_NOTHING)
        printf(" %s(cell %d, other %d, value %d)", names[s->kind], s->cell, s->other, s->value);
}

void model_draft_print(const struct model_draft *d)
{
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
