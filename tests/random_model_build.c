/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts as models of src/model. */
#include "random_model.h"

#include "model/model.h"

#include <stdio.h>

enum { KEPT, FIRST, SECOND, REGISTERS }; /* the one that is kept, two for calculating */

struct builder {
    struct model *model;
    const struct model_draft *draft;
    uint32_t cell[MODEL_CELLS + MODEL_PROCESSES]; /* the model's numbers */
    uint32_t location[MODEL_PROCESSES][MODEL_LOCATIONS];
    uint32_t failing; /* code that ends where the process has failed */
    int process;
    const struct draft_action *action;
    bool is_first; /* nothing of the action comes before the step */
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

static void emit_jump(struct builder *b, uint32_t *at, enum operation operation, int value)
{
    *at = emit(b, (struct instruction){
                      .code = CODE_JUMP_NOT, .flags = B_IS_NUMBER, .operation = operation, .a = FIRST, .b = value});
}

static void jump_here(struct builder *b, uint32_t at)
{
    if (!b->model->failed)
        b->model->code.item[at].c = (int32_t)b->model->code.count;
}

/* Before the first that is larger; all behind it move. */
static void emit_sorted(struct builder *b, int value)
{
    uint32_t ends[MODEL_QUEUE] = {0}, skip, there;
    for (int place = 0; place < b->draft->capacity; place++) {
        emit_load(b, MODEL_QUEUE_AT + place, FIRST);
        emit_jump(b, &skip, OPERATION_NOT_EQUAL, 0);
        emit_jump(b, &there, OPERATION_GREATER, value);
        jump_here(b, skip);
        for (int i = b->draft->capacity - 1; i > place; i--) {
            emit_load(b, MODEL_QUEUE_AT + i - 1, FIRST);
            emit_store(b, MODEL_QUEUE_AT + i, FIRST, false);
        }
        emit_store(b, MODEL_QUEUE_AT + place, value, true);
        ends[place] = emit(b, (struct instruction){.code = CODE_JUMP});
        jump_here(b, there);
    }
    for (int place = 0; place < b->draft->capacity; place++)
        jump_here(b, ends[place]);
}

/* The head is wanted where nothing has been done to the queue before: that is what the flag says. */
static void emit_want(struct builder *b, int value)
{
    emit_load(b, MODEL_QUEUE_AT, FIRST);
    if (b->is_first && !b->model->failed)
        b->model->code.item[b->model->code.count - 1].flags |= WANTS_HEAD;
    emit(b, (struct instruction){.code = CODE_CALCULATE,
                                 .flags = B_IS_NUMBER,
                                 .operation = value ? OPERATION_EQUAL : OPERATION_NOT_EQUAL,
                                 .type = model_type(b->model, INTEGER_64),
                                 .dst = SECOND,
                                 .a = FIRST,
                                 .b = value});
    emit(b, (struct instruction){.code = CODE_REQUIRE, .a = SECOND});
    if (value == 0)
        emit(b, (struct instruction){.code = CODE_MOVE, .dst = KEPT, .a = FIRST});
}

/* Is there a test that there is room, so that the first thing that is put there finds it? */
static bool has_room(const struct builder *b)
{
    for (int i = 0; i < MODEL_TESTS; i++) {
        const struct draft_test *t = &b->action->tests[i];
        if (t->cell == MODEL_QUEUE_AT + b->draft->capacity - 1 && t->low == 0 && t->high == 0)
            return b->is_first;
    }
    return false;
}

static void emit_queue(struct builder *b, const struct draft_step *s)
{
    int32_t first = (int32_t)b->cell[MODEL_QUEUE_AT];
    uint32_t length = (uint32_t)b->draft->capacity;
    switch (s->kind) {
    case STEP_APPEND:
    case STEP_PUT:
        emit(b, (struct instruction){.code = CODE_APPEND,
                                     .flags = (uint8_t)(A_IS_NUMBER | SYNCHRONISES |
                                                        (s->kind == STEP_PUT && has_room(b) ? NEVER_FULL : 0)),
                                     .length = length,
                                     .a = s->value,
                                     .c = first,
                                     .d = -1});
        break;
    case STEP_TAKE:
        emit(b, (struct instruction){.code = CODE_TAKE,
                                     .flags = SYNCHRONISES,
                                     .length = length,
                                     .dst = s->value == 2 ? KEPT : FIRST,
                                     .c = first});
        break;
    case STEP_SORT: emit_sorted(b, s->value); break;
    case STEP_WANT: emit_want(b, s->value); break;
    case STEP_PICK: emit_store(b, MODEL_QUEUE_AT + b->draft->capacity - 1, 0, true); break;
    default: break;
    }
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
    default: emit_queue(b, s); break;
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
    for (int i = 0; i < MODEL_STEPS; i++) {
        b->is_first = i == 0 && b->action->common.kind == STEP_NOTHING;
        emit_step(b, &e->steps[i]);
    }
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
    b->action = a;
    b->is_first = true;
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
