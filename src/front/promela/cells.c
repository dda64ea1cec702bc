/* SPDX-License-Identifier: Apache-2.0 */
/* Cells for variables and channels, processes and their locations; which channels a variable may hold. */
#include "base/limits.h"
#include "front/promela/variables.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------- variables */

/* The value of an expression before anything has happened; variables that it reads come before it. */
int64_t promela_initial(const struct lowering *l, const struct node *n)
{
    const struct integer_type numbers = PROMELA_NUMBERS;
    int64_t a = 0, b, result = 0;
    if (!n || promela_fold(n, &result))
        return result;
    switch (n->kind) {
    case NODE_VAR:
        if (!n->variable->proctype && !n->b && !l->m->failed) {
            a = n->a ? promela_initial(l, n->a) : 0;
            if (a >= 0 && a < n->variable->length && l->globals + n->variable->offset + (size_t)a < l->m->cells.count)
                result = l->m->cells.item[l->globals + n->variable->offset + a].initial;
        }
        return result;
    case NODE_UNARY:
        b = promela_initial(l, n->a);
        return arithmetic(n->operation, &numbers, 0, b, &result) ? 0 : result;
    case NODE_BINARY:
        a = promela_initial(l, n->a);
        b = promela_initial(l, n->b);
        return arithmetic(n->operation, &numbers, a, b, &result) ? 0 : result;
    case NODE_CONDITIONAL: return promela_initial(l, promela_initial(l, n->a) ? n->b : n->c);
    default: return 0;
    }
}

struct place { /* whose cells are made */
    uint32_t slot;
    const char *prefix;
};

static void make_cells(struct lowering *l, const struct declared *v, bool is_global, const struct place *place,
                       const char *outer)
{
    char name[300];
    struct integer_type type = promela_values(v);
    struct cell cell = {.values = {type.low, type.high}, .owner = MODEL_NONE, .widens = true};
    const struct node *initial = v->initials;
    cell.alike = (uint32_t)l->m->cells.count;
    for (uint32_t i = 0; i < v->length && !l->m->failed; i++) {
        if (v->is_array)
            snprintf(name, sizeof name, "%.150s%s%.100s[%u]", outer, *outer ? "." : "", v->name, i);
        else
            snprintf(name, sizeof name, "%.150s%s%.100s", outer, *outer ? "." : "", v->name);
        if (v->type.kind == TYPE_RECORD) {
            for (size_t k = 0; k < v->type.record->fields.count; k++)
                make_cells(l, v->type.record->fields.item[k], is_global, place, name);
            continue;
        }
        cell.initial = 0;
        if (is_global && (v->initial || initial))
            arithmetic_convert(&type, promela_initial(l, initial ? initial : v->initial), &cell.initial);
        initial = initial ? initial->next : NULL;
        char object[600];
        snprintf(object, sizeof object, "%s%s", place->prefix, name);
        cell.object = model_object(l->m, object);
        uint32_t made = model_cells(l->m, cell, 1);
        promela_name_cell(l, made, object, v);
    }
}

/* -------------------------------------------------------------------------- channels */

static bool is_signed(struct promela_type type)
{
    return type.kind == TYPE_SHORT || type.kind == TYPE_INT;
}

static void make_queues(struct lowering *l, struct channel *c)
{
    uint32_t object = model_object(l->m, c->name);
    c->presence = MODEL_NONE;
    c->queues = c->shape->fields;
    for (uint32_t k = 0; k < c->shape->fields; k++)
        if (!is_signed(c->shape->types[k]) && c->presence == MODEL_NONE)
            c->presence = k;
    if (c->presence == MODEL_NONE)
        c->presence = c->queues++;
    for (uint32_t k = 0; k < c->queues && !l->m->failed; k++) {
        struct cell cell = {.values = {0, 1}, .object = object, .owner = MODEL_NONE, .widens = true};
        cell.alike = (uint32_t)l->m->cells.count;
        if (k < c->shape->fields) {
            struct integer_type type = promela_stored(c->shape, k);
            cell.values = (struct range){type.low, type.high + 1};
        }
        c->first_cells[k] = model_cells(l->m, cell, c->shape->capacity);
    }
}

/* The channels that a variable is made with; `cell` is its first. */
static void make_channels(struct lowering *l, const struct declared *v, struct actor owner, uint32_t cell,
                          const char *prefix)
{
    char name[400];
    for (uint32_t i = 0; i < v->length && !l->m->failed; i++) {
        snprintf(name, sizeof name, v->is_array ? "%.150s%.100s[%u]" : "%.150s%.100s", prefix, v->name, i);
        if (v->type.kind == TYPE_RECORD) {
            strcat(name, ".");
            for (size_t k = 0; k < v->type.record->fields.count; k++) {
                const struct declared *field = v->type.record->fields.item[k];
                make_channels(l, field, owner, cell + i * v->type.record->cells + field->offset, name);
            }
        } else if (v->type.kind == TYPE_CHAN && v->shape) {
            struct channel c = {.name = model_copy(l->m, name), .shape = v->shape, .slot = owner.slot};
            c.host = owner.type ? owner.type->number : 0;
            c.cell = cell + i;
            c.id = (uint32_t)l->channels.count + 1;
            if (c.id > MOST_CHANNELS)
                l->too_many_channels = true;
            if (c.shape->capacity && !l->too_many_channels)
                make_queues(l, &c);
            l->m->failed |= l->too_many_channels || !vector_push(&l->channels, c);
            if (!owner.type && !l->m->failed)
                l->m->cells.item[cell + i].initial = c.id;
        }
    }
}

/* ------------------------------------------------------------------------ processes */

static void make_frame(struct lowering *l, uint32_t slot, const struct proctype *p)
{
    struct host *host = &l->slot[slot].hosts[p->number];
    char prefix[200];
    snprintf(prefix, sizeof prefix, "%.140s[%u]:", promela_type_name(p), slot);
    struct place place = {slot, prefix};
    host->frame = (uint32_t)l->m->cells.count;
    for (size_t i = 0; i < p->variables.count; i++)
        make_cells(l, p->variables.item[i], false, &place, "");
    host->first_channel = (uint32_t)l->channels.count;
    for (size_t i = 0; i < p->variables.count; i++)
        make_channels(l, p->variables.item[i], (struct actor){slot, p}, host->frame + p->variables.item[i]->offset,
                      prefix);
}

const char *promela_type_name(const struct proctype *p)
{
    return p->is_init ? "init" : p->name;
}

static const char *slot_name(const struct lowering *l, uint32_t slot)
{
    const struct proctype *only = NULL;
    unsigned count = 0;
    char name[200];
    for (size_t i = 0; i < l->syntax->proctypes.count; i++)
        if (runs_in(l, slot, l->syntax->proctypes.item[i])) {
            only = l->syntax->proctypes.item[i];
            count++;
        }
    if (only && only == l->claim)
        snprintf(name, sizeof name, "claim %.150s", only->name);
    else
        snprintf(name, sizeof name, "%.150s[%u]", count == 1 ? promela_type_name(only) : "process", slot);
    return model_copy(l->m, name);
}

static void make_failure(struct lowering *l, uint32_t slot, const char *reason)
{
    struct location failed = {.process = l->slot[slot].process, .failure = reason, .dead = MODEL_NONE};
    uint32_t location = model_location(l->m, failed);
    pml_emit_code(l, CODE_REST)->c = (int32_t)location;
}

static const char *index_reason(struct lowering *l, const struct declared *v)
{
    char reason[160];
    snprintf(reason, sizeof reason, "the index of '%.60s' is out of bounds: it has %u element%s", v->name, v->length,
             v->length == 1 ? "" : "s");
    return model_copy(l->m, reason);
}

static void make_failures(struct lowering *l, uint32_t slot)
{
    static const char *const reasons[] = {
        [FAILURE_INDEX] = "an index is out of bounds",
        [FAILURE_DIVISION] = "division by zero",
        [FAILURE_SHIFT] = "a shift by a negative number or too many bits",
        [FAILURE_CHANNEL] = "a channel that does not exist is used",
        [FAILURE_D_STEP] = "a statement blocks within d_step",
        [FAILURE_ENDLESS] = "a loop within one step does not end",
        [FAILURE_ASSERTION] = "the assertion of another process does not hold",
        [FAILURE_C_CONDITION] = "the condition in front of a block of C does not hold",
        [FAILURE_PRIORITY] = "a priority is not between 1 and 255",
        [FAILURE_TRACE] = "the trace assertion does not allow this message here",
        [FAILURE_TRACE_CHOICE] = "two moves of the trace assertion match this message",
        [FAILURE_TRACE_MATCHED] = "the messages match what notrace rules out",
        [FAILURE_REMOTE] = "a remote reference is to a process that does not exist or has another type"};
    l->slot[slot].failures = (uint32_t)l->m->code.count;
    for (int i = 0; i < FAILURES; i++)
        make_failure(l, slot, reasons[i]);
    for (size_t i = 0; i < l->arrays.count; i++)
        make_failure(l, slot, index_reason(l, l->arrays.item[i]));
}

static unsigned line_of(const struct lowering *l, const struct element *e)
{
    if (!e->statement || e->statement->at.line == 0 || e->statement->at.line > l->syntax->lines.count)
        return 0;
    return l->syntax->lines.item[e->statement->at.line - 1].line;
}

static bool asserts(const struct element *e)
{
    return e->kind == ELEMENT_PLAIN && e->statement->kind == STATEMENT_ASSERT;
}

static void make_assertion(struct lowering *l, uint32_t process, const struct element *e)
{
    char why[200];
    const struct node *condition = e->statement->a;
    int length = condition->length < 100 ? (int)condition->length : 100;
    snprintf(why, sizeof why, "assertion %.*s does not hold (line %u)", length, condition->start, line_of(l, e));
    for (char *c = why; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    model_location(l->m, (struct location){.process = process, .failure = model_copy(l->m, why), .dead = MODEL_NONE});
}

uint32_t promela_assertion(const struct lowering *l, struct actor actor, uint32_t element)
{
    uint32_t before = 0;
    const struct slot *acting = &l->slot[l->acting.slot];
    if (actor.slot != l->acting.slot)
        return (uint32_t)l->m->code.item[acting->failures + FAILURE_ASSERTION].c;
    for (uint32_t e = 0; e < element; e++)
        before += asserts(&actor.type->flow->elements.item[e]);
    return host_of(l, actor)->first_assertion + before;
}

/* Location 0 is that of no process; those of each proctype follow. */
static void make_locations(struct lowering *l, uint32_t slot)
{
    struct slot *s = &l->slot[slot];
    s->process = model_process(l->m, slot_name(l, slot));
    s->first_location = model_location(
        l->m, (struct location){.process = s->process, .is_end = true, .is_unborn = true, .dead = MODEL_NONE});
    for (size_t i = 0; i < l->syntax->proctypes.count; i++) {
        const struct proctype *p = l->syntax->proctypes.item[i];
        struct host *host = &s->hosts[i];
        host->frame = MODEL_NONE;
        if (!runs_in(l, slot, p))
            continue;
        host->first_location = (uint32_t)l->m->locations.count;
        for (uint32_t k = 0; k < l->states[i].count; k++) {
            const struct element *e = &p->flow->elements.item[l->states[i].element[k]];
            model_location(l->m,
                           (struct location){
                               .process = s->process, .line = line_of(l, e), .is_end = e->is_end, .dead = MODEL_NONE});
        }
        host->first_assertion = (uint32_t)l->m->locations.count;
        for (size_t k = 0; k < p->flow->elements.count; k++)
            if (asserts(&p->flow->elements.item[k]))
                make_assertion(l, s->process, &p->flow->elements.item[k]);
    }
    make_failures(l, slot);
}

static void note_array(struct lowering *l, const struct declared *v)
{
    if (v->is_array)
        l->m->failed |= !vector_push(&l->arrays, v);
}

/* Whose indexes may be out of bounds. */
static void find_arrays(struct lowering *l)
{
    const struct syntax *s = l->syntax;
    for (size_t i = 0; i < s->globals.count; i++)
        note_array(l, s->globals.item[i]);
    for (const struct record *r = s->records; r; r = r->next)
        for (size_t i = 0; i < r->fields.count; i++)
            note_array(l, r->fields.item[i]);
    for (size_t p = 0; p < s->proctypes.count; p++)
        for (size_t i = 0; i < s->proctypes.item[p]->variables.count; i++)
            note_array(l, s->proctypes.item[p]->variables.item[i]);
}

static bool number_states(struct lowering *l)
{
    size_t proctypes = l->syntax->proctypes.count;
    l->states = calloc(proctypes + 1, sizeof *l->states);
    for (size_t i = 0; i < proctypes && l->states; i++) {
        const struct flow *f = l->syntax->proctypes.item[i]->flow;
        struct states *s = &l->states[i];
        s->number = calloc(f->elements.count + 1, sizeof *s->number);
        s->element = calloc(f->elements.count + 1, sizeof *s->element);
        if (!s->number || !s->element)
            return false;
        for (uint32_t e = 0; e < f->elements.count; e++)
            if (f->elements.item[e].is_state) {
                s->number[e] = s->count;
                s->element[s->count++] = e;
            }
    }
    return l->states;
}

/* Start code of a process that is there from the start: its variables' initial values. */
static void make_start(struct lowering *l, uint32_t slot)
{
    const struct proctype *p = l->slot[slot].initial;
    uint32_t start = (uint32_t)l->m->code.count;
    l->actor = l->acting = (struct actor){slot, p};
    pml_emit_initial_values(l, p);
    pml_emit_code(l, CODE_REST)->c =
        (int32_t)(l->slot[slot].hosts[p->number].first_location + l->states[p->number].number[p->flow->start]);
    if (!l->m->failed)
        l->m->processes.item[l->slot[slot].process].start = start;
}

static uint32_t plain_cell(struct lowering *l, const char *name, int64_t initial, int64_t most)
{
    struct cell cell = {.values = {0, most}, .initial = initial, .owner = MODEL_NONE, .alike = MODEL_NONE};
    cell.object = model_object(l->m, name);
    return model_cells(l->m, cell, 1);
}

static void make_priorities(struct lowering *l)
{
    l->priorities = MODEL_NONE;
    for (uint32_t slot = 0; slot < l->slots + (l->claim != NULL) && l->syntax->has_priorities; slot++) {
        const struct proctype *p = l->slot[slot].initial;
        int64_t priority = p != NULL;
        if (p && p->priority)
            promela_fold(p->priority, &priority);
        uint32_t cell = plain_cell(l, "_priority", priority, UINT8_MAX);
        l->priorities = slot ? l->priorities : cell;
    }
    l->m->priorities = l->priorities;
}

bool promela_make_cells(struct lowering *l)
{
    struct syntax *s = l->syntax;
    struct place everybody = {MODEL_NONE, ""};
    l->numbers = model_type(l->m, PROMELA_NUMBERS);
    l->globals = (uint32_t)l->m->cells.count;
    for (size_t i = 0; i < s->globals.count; i++)
        make_cells(l, s->globals.item[i], true, &everybody, "");
    for (size_t i = 0; i < s->globals.count; i++)
        make_channels(l, s->globals.item[i], (struct actor){MODEL_NONE, NULL}, l->globals + s->globals.item[i]->offset,
                      "");
    l->global_channels = (uint32_t)l->channels.count;
    find_arrays(l);
    if (!number_states(l))
        return false;
    for (uint32_t slot = 0; slot < l->slots + (l->claim != NULL) && !l->m->failed; slot++) {
        make_locations(l, slot);
        for (size_t i = 0; i < s->proctypes.count; i++)
            if (runs_in(l, slot, s->proctypes.item[i]))
                make_frame(l, slot, s->proctypes.item[i]);
    }
    l->processes = plain_cell(l, "_nr_pr", l->active, l->slots);
    make_priorities(l);
    l->event = MODEL_NONE;
    if (s->trace)
        l->event = plain_cell(l, "trace", s->trace->flow->start, (int64_t)s->trace->flow->elements.count);
    l->last = s->has_last ? plain_cell(l, "_last", 0, l->slots) : MODEL_NONE;
    l->exclusive = MODEL_NONE;
    if (l->wants_exclusive) /* a claim moves first */
        l->exclusive = plain_cell(l, "exclusive", l->claim ? l->slots + 1 : 0, l->slots + 1);
    return !l->m->failed;
}

void promela_make_starts(struct lowering *l)
{
    for (uint32_t slot = 0; slot < l->active && !l->m->failed; slot++)
        make_start(l, slot);
    if (l->claim && !l->m->failed)
        make_start(l, l->slots);
}

/* ----------------------------------------------------------- which channels there are */

static struct channel_set *set_of(struct lowering *l, const struct declared *v)
{
    static struct channel_set none;
    for (size_t i = 0; i < l->holds.count; i++)
        if (l->holds.item[i].variable == v)
            return &l->holds.item[i].set;
    struct holding holding = {.variable = v};
    l->m->failed |= !vector_push(&l->holds, holding);
    return l->m->failed ? &none : &l->holds.item[l->holds.count - 1].set;
}

static bool include(struct channel_set *to, const struct channel_set *from)
{
    bool changed = false;
    for (size_t i = 0; i < sizeof to->bits / sizeof *to->bits; i++) {
        changed |= (from->bits[i] & ~to->bits[i]) != 0;
        to->bits[i] |= from->bits[i];
    }
    return changed;
}

static struct channel_set all_channels(const struct lowering *l)
{
    struct channel_set set = {0};
    for (size_t i = 0; i < l->channels.count; i++)
        set.bits[i / 64] |= UINT64_C(1) << i % 64;
    return set;
}

/* ----- which channels a number may be that flows from variable to variable, through messages, and by accident */

struct flowing {
    struct lowering *l;
    struct channel_set *content; /* per channel and field: what messages hold */
    bool changed;
};

static struct channel_set one_channel(const struct lowering *l, int64_t id)
{
    struct channel_set set = {0};
    if (id > 0 && (size_t)id <= l->channels.count)
        set.bits[(id - 1) / 64] = UINT64_C(1) << (id - 1) % 64;
    return set;
}

/* What an expression may be, as the number of a channel. */
static struct channel_set value_set(struct lowering *l, const struct node *n)
{
    int64_t number;
    if (promela_fold(n, &number))
        return one_channel(l, number & UINT8_MAX);
    if (n->kind == NODE_EVAL)
        return value_set(l, n->a);
    if (n->kind == NODE_CONDITIONAL) {
        struct channel_set b = value_set(l, n->b), c = value_set(l, n->c);
        include(&b, &c);
        return b;
    }
    return n->kind == NODE_VAR && !l->syntax->c_texts.count ? *set_of(l, promela_leaf(n)) : all_channels(l);
}

/* What does not fit into the type becomes another number. */
static void flow_into(struct flowing *f, struct channel_set *to, struct integer_type type, struct channel_set from)
{
    struct channel_set none = {0};
    if (type.bits < 8 && memcmp(&from, &none, sizeof none) != 0)
        from = all_channels(f->l);
    f->changed |= include(to, &from);
}

static void flow_to_variable(struct flowing *f, const struct declared *v, struct channel_set from)
{
    flow_into(f, set_of(f->l, v), promela_values(v), from);
}

static void join_runs(struct flowing *f, const struct node *n)
{
    struct lowering *l = f->l;
    if (!n || l->m->failed)
        return;
    const struct proctype *p = n->kind == NODE_RUN ? promela_proctype(l->syntax, n->name) : NULL;
    const struct node *given = n->b;
    for (size_t i = 0; p && i < p->variables.count && p->variables.item[i]->is_parameter && given; i++) {
        flow_to_variable(f, p->variables.item[i], value_set(l, given));
        given = given->next;
    }
    join_runs(f, n->a);
    for (const struct node *b = n->b; b; b = b->next)
        join_runs(f, b);
}

/* Every channel that the statement may use. */
static void join_messages(struct flowing *f, const struct statement *s)
{
    struct lowering *l = f->l;
    struct channel_set used = value_set(l, s->a);
    for (uint32_t i = 0; i < l->channels.count && !l->m->failed; i++) {
        const struct channel_shape *shape = l->channels.item[i].shape;
        const struct node *n = s->b;
        if (!(used.bits[i / 64] >> i % 64 & 1))
            continue;
        for (uint32_t k = 0; k < shape->fields && n; k++, n = n->next) {
            struct channel_set *content = &f->content[(size_t)i * MOST_FIELDS + k];
            if (s->kind == STATEMENT_SEND)
                flow_into(f, content, promela_stored(shape, k), value_set(l, n));
            else if (n->kind == NODE_VAR)
                flow_to_variable(f, promela_leaf(n), *content);
        }
    }
}

static void join_statement(struct flowing *f, const struct statement *s)
{
    join_runs(f, s->a);
    for (const struct node *n = s->b; n; n = n->next)
        join_runs(f, n);
    if (s->kind == STATEMENT_ASSIGN)
        flow_to_variable(f, promela_leaf(s->a), value_set(f->l, s->b));
    if (s->kind == STATEMENT_SEND || s->kind == STATEMENT_RECEIVE)
        join_messages(f, s);
}

/* Variables hold the channels that they are made with, ... */
static void seed(struct lowering *l, const struct declared *v)
{
    if (v->type.kind == TYPE_RECORD)
        for (size_t k = 0; k < v->type.record->fields.count; k++)
            seed(l, v->type.record->fields.item[k]);
    for (uint32_t i = 0; v->shape && i < l->channels.count; i++)
        if (l->channels.item[i].shape == v->shape)
            set_of(l, v)->bits[i / 64] |= UINT64_C(1) << i % 64;
    for (const struct node *n = v->initial ? v->initial : v->initials; n; n = n->next) {
        struct channel_set set = value_set(l, n);
        include(set_of(l, v), &set);
    }
}

/* ... and those that are assigned, passed or received. */
bool promela_find_channels(struct lowering *l)
{
    const struct syntax *s = l->syntax;
    for (size_t i = 0; i < s->globals.count; i++)
        seed(l, s->globals.item[i]);
    for (size_t p = 0; p < s->proctypes.count; p++)
        for (size_t i = 0; i < s->proctypes.item[p]->variables.count; i++)
            seed(l, s->proctypes.item[p]->variables.item[i]);
    struct flowing flowing = {.l = l, .changed = true};
    flowing.content = calloc(l->channels.count * MOST_FIELDS + 1, sizeof *flowing.content);
    l->m->failed |= !flowing.content;
    while (flowing.changed && !l->m->failed && !limits_reached()) {
        flowing.changed = false;
        for (size_t p = 0; p < s->proctypes.count; p++) {
            const struct flow *f = s->proctypes.item[p]->flow;
            for (size_t e = 0; e < f->elements.count; e++)
                if (f->elements.item[e].kind == ELEMENT_PLAIN)
                    join_statement(&flowing, f->elements.item[e].statement);
        }
    }
    free(flowing.content);
    return !l->m->failed;
}
