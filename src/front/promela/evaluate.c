/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of claims and formulas, evaluated in a state. */
#include "front/promela/variables.h"

#include <stdlib.h>
#include <string.h>

static bool evaluate_in(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value);

/* The cell that a reference means; false when an index is outside. */
static bool find_cell(const struct view *v, const struct actor *actor, const struct node *n, uint32_t *cell)
{
    const struct lowering *l = &v->language->lowering;
    if (n->variable->proctype && !actor)
        return false;
    *cell = (n->variable->proctype ? host_of(l, *actor)->frame : l->globals) + n->variable->offset;
    for (const struct node *part = n; part; part = part->b) {
        int64_t index = 0;
        if (part != n)
            *cell += part->variable->offset;
        if (part->a && (!evaluate_in(v, actor, part->a, &index) || index < 0 || index >= part->variable->length))
            return false;
        *cell += (uint32_t)index * promela_cells(part->variable);
    }
    return true;
}

static int64_t location_number(const struct view *v, uint32_t slot)
{
    const struct lowering *l = &v->language->lowering;
    return model_location_of(v->model, v->state, l->slot[slot].process);
}

static bool is_now_of(const struct view *v, uint32_t slot, const struct proctype *p)
{
    const struct lowering *l = &v->language->lowering;
    int64_t location = location_number(v, slot), first = l->slot[slot].hosts[p->number].first_location;
    return location >= first && location < first + l->states[p->number].count;
}

/* A process of the type: the one that is asked for, or the first that there is now. */
static bool find_process(const struct view *v, const struct actor *actor, const struct node *n, uint32_t *slot)
{
    const struct lowering *l = &v->language->lowering;
    const struct proctype *p = promela_proctype(l->syntax, n->name);
    int64_t wanted = -1;
    if (n->a && !evaluate_in(v, actor, n->a, &wanted))
        return false;
    for (*slot = 0; *slot < l->slots; ++*slot)
        if (runs_in(l, *slot, p) && (n->a ? wanted == *slot : is_now_of(v, *slot, p)))
            return true;
    return false;
}

static bool evaluate_remote(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value)
{
    const struct lowering *l = &v->language->lowering;
    const struct proctype *p = promela_proctype(l->syntax, n->name);
    uint32_t slot, cell;
    *value = 0;
    if (!find_process(v, actor, n, &slot))
        return true;
    struct actor other = {slot, p};
    if (n->kind == NODE_REMOTE) {
        if (!find_cell(v, &other, n->b, &cell))
            return false;
        *value = model_cell_value(v->model, v->state, cell);
        return true;
    }
    uint32_t element = flow_label(p->flow, n->owner);
    *value =
        p->flow->elements.item[element].is_state && location_number(v, slot) == (int64_t)location_at(l, other, element);
    return true;
}

static const struct channel *channel_of(const struct view *v, const struct actor *actor, const struct node *n)
{
    const struct lowering *l = &v->language->lowering;
    uint32_t cell;
    if (!find_cell(v, actor, n, &cell))
        return NULL;
    int64_t id = model_cell_value(v->model, v->state, cell);
    return id > 0 && (size_t)id <= l->channels.count ? &l->channels.item[id - 1] : NULL;
}

static int64_t at_place(const struct view *v, const struct channel *c, uint32_t queue, uint32_t place)
{
    return model_cell_value(v->model, v->state, c->first_cells[queue] + place);
}

static bool evaluate_length(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value)
{
    const struct channel *c = channel_of(v, actor, n->a);
    uint32_t length = 0;
    if (!c)
        return false;
    while (length < c->shape->capacity && at_place(v, c, c->presence, length))
        length++;
    switch (n->operation) {
    case ASKS_FULL: *value = c->shape->capacity && length == c->shape->capacity; break;
    case ASKS_NOT_FULL: *value = length < c->shape->capacity || c->shape->capacity == 0; break;
    case ASKS_EMPTY: *value = length == 0; break;
    case ASKS_NOT_EMPTY: *value = length > 0; break;
    default: *value = length; break;
    }
    return true;
}

static bool evaluate_poll(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value)
{
    const struct channel *c = channel_of(v, actor, n->a);
    *value = 0;
    if (!c)
        return false;
    uint32_t places = n->operation ? c->shape->capacity : c->shape->capacity > 0;
    for (uint32_t place = 0; place < places && !*value && at_place(v, c, c->presence, place); place++) {
        uint32_t k = 0;
        *value = 1;
        for (const struct node *wanted = n->b; wanted && k < c->shape->fields; wanted = wanted->next, k++) {
            int64_t there = at_place(v, c, k, place), number;
            if (wanted->kind == NODE_VAR || wanted->kind == NODE_ANY)
                continue;
            if (!evaluate_in(v, actor, wanted, &number))
                return false;
            *value &= (there > 0 ? there - 1 : there) == number;
        }
    }
    return true;
}

/* Is no process at a state with a progress label?  Or, is one at a state with an accept label? */
static int64_t no_progress(const struct view *v, bool asks_accepting)
{
    const struct lowering *l = &v->language->lowering;
    for (uint32_t slot = 0; slot < l->slots; slot++) {
        uint32_t location = (uint32_t)location_number(v, slot);
        const struct element *e = promela_element_at(l, slot, location);
        if (e && (asks_accepting ? e->is_accepting : e->is_progress))
            return asks_accepting;
    }
    return !asks_accepting;
}

const struct element *promela_element_at(const struct lowering *l, uint32_t slot, uint32_t location)
{
    for (size_t p = 0; p < l->syntax->proctypes.count; p++) {
        const struct proctype *type = l->syntax->proctypes.item[p];
        if (!runs_in(l, slot, type))
            continue;
        uint32_t first = l->slot[slot].hosts[p].first_location;
        if (location >= first && location < first + l->states[p].count)
            return &type->flow->elements.item[l->states[p].element[location - first]];
    }
    return NULL;
}

static bool evaluate_logical(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value)
{
    bool decided = n->operation == OPERATION_OR;
    if (!evaluate_in(v, actor, n->a, value))
        return false;
    if ((*value != 0) != decided && !evaluate_in(v, actor, n->b, value))
        return false;
    *value = *value != 0;
    return true;
}

static bool evaluate_cell(const struct view *v, uint32_t cell, int64_t *value)
{
    *value = model_cell_value(v->model, v->state, cell);
    return true;
}

static bool run_c(const struct view *v, const struct actor *actor, uint32_t text, enum c_use use, int64_t *value)
{
    const struct lowering *l = &v->language->lowering;
    const struct c_block *block = promela_find_c(l, text, use, actor ? actor->type : NULL);
    int64_t *values = block ? calloc(block->cells + 1, sizeof *values) : NULL;
    for (uint32_t k = 0; values && k < block->cells; k++) {
        const struct c_cell *c = &l->c_cells.item[block->first + k];
        uint32_t cell = c->cell + (c->is_local ? host_of(l, *actor)->frame : 0);
        values[k + 1] = c->is_pid ? actor->slot : model_cell_value(v->model, v->state, cell) + c->more;
    }
    if (values)
        model_of(v->model)->foreign->functions[block->number](values);
    *value = values ? values[0] : 0;
    free(values);
    return values != NULL;
}

static bool evaluate_c(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value)
{
    const struct c_text *text = &v->language->syntax.c_texts.item[n->value];
    if (text->condition && (!run_c(v, actor, (uint32_t)n->value, C_CONDITION, value) || !*value))
        return false;
    return run_c(v, actor, (uint32_t)n->value, C_VALUE, value);
}

static bool evaluate_in(const struct view *v, const struct actor *actor, const struct node *n, int64_t *value)
{
    const struct integer_type numbers = PROMELA_NUMBERS;
    const struct lowering *l = &v->language->lowering;
    int64_t a = 0, b;
    uint32_t cell;
    switch (n->kind) {
    case NODE_NUMBER: *value = n->value; return true;
    case NODE_VAR: return find_cell(v, actor, n, &cell) && evaluate_cell(v, cell, value);
    case NODE_EVAL: return evaluate_in(v, actor, n->a, value);
    case NODE_AT_LABEL:
    case NODE_REMOTE: return evaluate_remote(v, actor, n, value);
    case NODE_LENGTH: return evaluate_length(v, actor, n, value);
    case NODE_POLL: return evaluate_poll(v, actor, n, value);
    case NODE_PROCESS_ID: *value = actor ? actor->slot : 0; return actor;
    case NODE_PROCESSES:
        if (!evaluate_cell(v, l->processes, value))
            return false;
        *value += promela_has_claims(l->syntax);
        return true;
    case NODE_LAST: return evaluate_cell(v, l->last, value);
    case NODE_NO_PROGRESS:
        *value = no_progress(v, n->value == 1);
        if (n->value == 2 && *value) /* a run that has ended goes round no cycle */
            *value = !model_is_stuck(v->model, v->state);
        return true;
    case NODE_PC_VALUE:
        if (!evaluate_in(v, actor, n->a, &a) || a < 0 || a >= l->slots)
            return false;
        *value = location_number(v, (uint32_t)a) - l->slot[a].first_location;
        return true;
    case NODE_PRIORITY:
        if (!evaluate_in(v, actor, n->a, &a))
            return false;
        *value = 0; /* there is no such process */
        return a < 0 || a >= l->slots || evaluate_cell(v, l->priorities + (uint32_t)a, value);
    case NODE_ENABLED: return evaluate_in(v, actor, n->a, &a) && promela_is_enabled(v, a, value);
    case NODE_TIMEOUT: return promela_is_enabled(v, -1, value);
    case NODE_UNARY: return evaluate_in(v, actor, n->a, &b) && !arithmetic(n->operation, &numbers, 0, b, value);
    case NODE_CONDITIONAL: return evaluate_in(v, actor, n->a, &a) && evaluate_in(v, actor, a ? n->b : n->c, value);
    case NODE_C: return evaluate_c(v, actor, n, value);
    case NODE_BINARY: break;
    default: return false;
    }
    if (is_logical(n->operation))
        return evaluate_logical(v, actor, n, value);
    return evaluate_in(v, actor, n->a, &a) && evaluate_in(v, actor, n->b, &b) &&
           !arithmetic(n->operation, &numbers, a, b, value);
}

bool promela_evaluate(const struct view *view, const struct node *node, int64_t *value)
{
    return evaluate_in(view, NULL, node, value);
}

bool promela_evaluate_as(const struct view *view, struct actor actor, const struct node *node, int64_t *value)
{
    return evaluate_in(view, &actor, node, value);
}
