/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of a DVE model: where processes are (P, an enumeration; P.state, a truth), variables (x, a[1],
 * P.x), the messages in buffers (c.length), and truths about all of it: assertions, and the guards of the property,
 * which becomes an automaton in the HOA format.
 */
#include "front/dve/variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void dve_language_free(void *language)
{
    struct dve_language *d = language;
    free(d->shown.item);
    free(d->enumerations);
    dve_syntax_clear(&d->syntax);
    free(d);
}

/* ------------------------------------------------------------------------ evaluation */

struct view {
    const struct dve_language *language;
    const void *model, *state;
};

static bool evaluate(const struct view *v, const struct node *n, int64_t *value);

static bool evaluate_element(const struct view *v, const struct node *n, int64_t *value)
{
    int64_t index = 0;
    if (n->a && (!evaluate(v, n->a, &index) || index < 0 || index > n->domain.high))
        return false;
    uint32_t cell = v->language->syntax.variables.item[n->type].cell + (uint32_t)index;
    *value = model_cell_value(v->model, v->state, cell);
    return true;
}

static bool evaluate_at(const struct view *v, const struct node *n, int64_t *value)
{
    uint32_t process = v->language->syntax.processes.item[n->value].model_process;
    uint32_t first = model_of(v->model)->processes.item[process].first_location;
    *value = model_location_of(v->model, v->state, process) == first + (uint32_t)n->domain.low;
    return true;
}

/* and, or, imply stop early */
static bool evaluate_logical(const struct view *v, const struct node *n, int64_t *value)
{
    bool stops = n->operation != OPERATION_AND; /* the truth of a at which b is not asked, but for imply */
    if (!evaluate(v, n->a, value))
        return false;
    *value = n->operation == OPERATION_IMPLIES ? *value == 0 : *value != 0;
    if ((*value != 0) == stops)
        return true;
    if (!evaluate(v, n->b, value))
        return false;
    *value = *value != 0;
    return true;
}

static bool evaluate(const struct view *v, const struct node *n, int64_t *value)
{
    const struct integer_type numbers = DVE_NUMBERS;
    int64_t a = 0, b;
    switch (n->kind) {
    case NODE_NUMBER: *value = n->value; return true;
    case NODE_ELEMENT: return evaluate_element(v, n, value);
    case NODE_AT: return evaluate_at(v, n, value);
    case NODE_UNARY: return evaluate(v, n->a, &b) && !arithmetic(n->operation, &numbers, 0, b, value);
    default: break;
    }
    if (is_logical(n->operation))
        return evaluate_logical(v, n, value);
    return evaluate(v, n->a, &a) && evaluate(v, n->b, &b) && !arithmetic(n->operation, &numbers, a, b, value);
}

static int64_t messages_in(const struct view *v, const struct dve_channel *c)
{
    uint32_t length = 0;
    while (length < c->capacity && model_cell_value(v->model, v->state, c->first_cells.item[0] + length))
        length++;
    return length;
}

static int64_t condition_value(const void *model, const void *state, uint32_t variable)
{
    struct view view = {model_of(model)->extras.language, model, state};
    const struct dve_shown *shown = &view.language->shown.item[variable];
    int64_t value;
    if (shown->kind == SHOWS_LENGTH)
        return messages_in(&view, &view.language->syntax.channels.item[shown->number]);
    return evaluate(&view, shown->truth, &value) ? value != 0 : PORTOLAN_NO_VALUE;
}

/* What has gone wrong is told as that, not as a deadlock. */
static bool has_failed(const void *model, const void *state)
{
    const struct model *m = model_of(model);
    for (uint32_t p = 0; p < m->processes.count; p++)
        if (m->locations.item[model_location_of(model, state, p)].failure)
            return true;
    return false;
}

static void why_no_value(const void *model, const void *state, uint32_t variable, char *text, size_t size)
{
    (void)model, (void)state, (void)variable;
    snprintf(text, size, "an index is out of bounds, or a division is by zero");
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    static const struct portolan_type truth = {.kind = PORTOLAN_BOOLEAN},
                                      partial = {PORTOLAN_BOOLEAN, .is_partial = true};
    const struct dve_language *d = model_of(model)->extras.language;
    switch (d->shown.item[variable].kind) {
    case SHOWS_PROCESS: return &d->enumerations[d->shown.item[variable].number];
    case SHOWS_STATE: return &truth;
    case SHOWS_TRUTH: return &partial;
    default: return NULL;
    }
}

static void value_text(const void *model, uint32_t variable, int64_t value, char *text, size_t size)
{
    const struct portolan_type *type = variable_type(model, variable);
    const struct dve_language *d = model_of(model)->extras.language;
    const struct dve_shown *shown = &d->shown.item[variable];
    if (shown->kind == SHOWS_SLOT && value == 0)
        snprintf(text, size, "empty");
    else if (type && type->kind == PORTOLAN_ENUMERATION && value >= 0 && value < type->value_count)
        snprintf(text, size, "%s", type->values[value]);
    else if (type && type->kind == PORTOLAN_BOOLEAN)
        snprintf(text, size, "%s", value ? "true" : "false");
    else
        snprintf(text, size, "%" PRId64, value - shown->shift);
}

/* --------------------------------------------------------------------------- adding */

static uint32_t show(struct lowering *l, const char *name, struct dve_shown shown, struct variable variable)
{
    struct dve_language *d = l->m->extras.language;
    l->m->failed |= !vector_push(&d->shown, shown);
    variable.name = model_copy(l->m, name);
    return model_variable(l->m, variable);
}

/* What a process that has failed shows instead of a state. */
static const char *failure_name(struct lowering *l, uint32_t location)
{
    char text[100];
    if (l->m->failed)
        return "";
    snprintf(text, sizeof text, "failed (%.80s)", l->m->locations.item[location].failure);
    return model_copy(l->m, text);
}

/* The variable that says where the process is, or how it has failed. */
static void show_process(struct lowering *l, uint32_t number)
{
    struct dve_language *d = l->m->extras.language;
    const struct dve_process *p = &l->syntax->processes.item[number];
    uint32_t states = (uint32_t)p->states.count, count = states + dve_failures(l);
    const char **names = arena_get(&l->m->arena, count * sizeof *names);
    l->m->failed |= !names;
    struct variable variable = {
        .kind = VARIABLE_TABLE, .process = p->model_process, .what = (uint32_t)l->m->table.count};
    for (uint32_t i = 0; names && i < count; i++) {
        names[i] =
            i < states ? model_copy(l->m, p->states.item[i].name) : failure_name(l, l->first_location[number] + i);
        l->m->failed |= !vector_push(&l->m->table, (int64_t)i);
    }
    d->enumerations[number] =
        (struct portolan_type){PORTOLAN_ENUMERATION, model_copy(l->m, p->name), names, count, false};
    show(l, p->name, (struct dve_shown){.kind = SHOWS_PROCESS, .number = number}, variable);
}

static void show_states(struct lowering *l, uint32_t number)
{
    const struct dve_process *p = &l->syntax->processes.item[number];
    char name[300];
    for (size_t s = 0; s < p->states.count; s++) {
        struct variable variable = {
            .kind = VARIABLE_TABLE, .process = p->model_process, .what = (uint32_t)l->m->table.count};
        for (size_t i = 0; i < p->states.count + dve_failures(l); i++)
            l->m->failed |= !vector_push(&l->m->table, (int64_t)(i == s));
        snprintf(name, sizeof name, "%.140s.%.140s", p->name, p->states.item[s].name);
        show(l, name, (struct dve_shown){.kind = SHOWS_STATE}, variable);
    }
}

static void show_cells(struct lowering *l, const struct dve_variable *v)
{
    char name[330], index[20] = "";
    for (uint32_t i = 0; i < v->length && !v->is_const; i++) {
        if (v->is_array)
            snprintf(index, sizeof index, "[%u]", i);
        if (v->process == NO_PROCESS)
            snprintf(name, sizeof name, "%.140s%s", v->name, index);
        else
            snprintf(name, sizeof name, "%.140s.%.140s%s", l->syntax->processes.item[v->process].name, v->name, index);
        uint32_t shown =
            show(l, name, (struct dve_shown){0}, (struct variable){.kind = VARIABLE_CELL, .what = v->cell + i});
        if (!l->m->failed)
            l->cell_variable[v->cell + i] = shown;
    }
}

/* One field of the messages in a buffer, as traces show them. */
static void show_field(struct lowering *l, const struct dve_channel *c, uint32_t field)
{
    char name[300], which[20] = "";
    struct dve_shown shown = {.kind = SHOWS_SLOT, .shift = dve_shift(c, field)};
    if (c->are_int.count > 1)
        snprintf(which, sizeof which, ".%u", field + 1);
    for (uint32_t i = 0; i < c->capacity && !l->m->failed; i++) {
        uint32_t cell = c->first_cells.item[field] + i;
        snprintf(name, sizeof name, "%.140s.slot[%u]%s", c->name, i, which);
        l->cell_variable[cell] = show(l, name, shown, (struct variable){.kind = VARIABLE_CELL, .what = cell});
    }
}

static void show_channel(struct lowering *l, uint32_t number)
{
    const struct dve_channel *c = &l->syntax->channels.item[number];
    for (uint32_t field = 0; c->capacity && field < c->are_int.count; field++)
        show_field(l, c, field);
}

static void show_length(struct lowering *l, uint32_t number)
{
    const struct dve_channel *c = &l->syntax->channels.item[number];
    char name[300];
    snprintf(name, sizeof name, "%.140s.length", c->name);
    struct dve_shown length = {.kind = SHOWS_LENGTH, .number = number};
    uint32_t shown = show(l, name, length, (struct variable){.kind = VARIABLE_CONDITION});
    for (uint32_t i = 0; i < c->capacity && !l->m->failed; i++)
        lists_add(&l->m->reads, shown, l->cell_variable[c->first_cells.item[0] + i]);
}

static void add_reads(struct lowering *l, const struct node *n, uint32_t variable)
{
    if (!n || l->m->failed)
        return;
    const struct dve_variable *v = n->kind == NODE_ELEMENT ? &l->syntax->variables.item[n->type] : NULL;
    for (uint32_t i = 0; v && !v->is_const && i < v->length; i++)
        if (!n->a || n->a->kind != NODE_NUMBER || n->a->value == i)
            lists_add(&l->m->reads, variable, l->cell_variable[v->cell + i]);
    if (n->kind == NODE_AT)
        lists_add(&l->m->reads, variable, l->process_variable[n->value]);
    add_reads(l, n->a, variable);
    add_reads(l, n->b, variable);
}

static void show_truth(struct lowering *l, const char *name, const struct node *truth)
{
    struct dve_shown whether = {.kind = SHOWS_TRUTH, .truth = truth};
    uint32_t shown = show(l, name, whether, (struct variable){.kind = VARIABLE_CONDITION});
    add_reads(l, truth, shown);
}

/* ------------------------------------------------------------------------ properties */

static void state_property(struct lowering *l, enum portolan_kind kind, const char *text, const char *name)
{
    struct portolan_stated_property stated = {
        .kind = kind, .text = model_copy(l->m, text), .name = model_copy(l->m, name)};
    l->m->failed |= !vector_push(&l->m->stated, stated);
}

/* In its state the condition holds. */
static void state_assertion(struct lowering *l, uint32_t process, uint32_t number)
{
    const struct dve_process *p = &l->syntax->processes.item[process];
    const struct dve_assertion *assertion = &p->assertions.item[number];
    struct node *at = arena_get(&l->m->arena, sizeof *at), *truth = arena_get(&l->m->arena, sizeof *truth);
    char name[300], text[400], words[400];
    l->m->failed |= !at || !truth;
    if (l->m->failed)
        return;
    *at = (struct node){.kind = NODE_AT, .value = process, .domain.low = (int32_t)assertion->state};
    *truth = (struct node){.kind = NODE_BINARY, .operation = OPERATION_IMPLIES, .a = at, .b = assertion->condition};
    snprintf(name, sizeof name, "%.140s.assertion.%u", p->name, number + 1);
    show_truth(l, name, truth);
    snprintf(text, sizeof text, "%s", name);
    snprintf(words, sizeof words, "the assertion of %.140s in line %u", p->name, assertion->at.line);
    state_property(l, PORTOLAN_INVARIANT, text, words);
}

static void append_text(struct lowering *l, struct dve_text *out, const char *text)
{
    for (; *text; text++)
        l->m->failed |= !vector_push(out, *text);
}

static void write_edges(struct lowering *l, struct dve_text *out, const struct dve_process *p, uint32_t state)
{
    char line[100];
    for (uint32_t i = 0; i < p->transitions.count; i++) {
        const struct dve_transition *t = &p->transitions.item[i];
        if (t->from != state)
            continue;
        if (t->guard)
            snprintf(line, sizeof line, "[%u] %u\n", i, t->to);
        else
            snprintf(line, sizeof line, "[t] %u\n", t->to);
        append_text(l, out, line);
    }
}

/* The automaton of the runs that are wrong; atom i is the guard of transition i. */
static void state_automaton(struct lowering *l)
{
    const struct dve_process *p = &l->syntax->processes.item[l->syntax->property];
    struct dve_text out = {0};
    char line[400];
    snprintf(line, sizeof line, "HOA: v1\nStates: %zu\nStart: %u\nAcceptance: 1 Inf(0)\nacc-name: Buchi\nAP: %zu",
             p->states.count, p->initial, p->transitions.count);
    append_text(l, &out, line);
    for (size_t i = 0; i < p->transitions.count; i++) {
        snprintf(line, sizeof line, " \"%.140s.guard.%zu\"", p->name, i + 1);
        append_text(l, &out, line);
    }
    append_text(l, &out, "\n--BODY--\n");
    for (uint32_t s = 0; s < p->states.count; s++) {
        snprintf(line, sizeof line, "State: %u%s\n", s, p->states.item[s].is_accepting ? " {0}" : "");
        append_text(l, &out, line);
        write_edges(l, &out, p, s);
    }
    append_text(l, &out, "--END--\n");
    l->m->failed |= !vector_push(&out, '\0');
    snprintf(line, sizeof line, "the property %.200s", p->name);
    if (!l->m->failed)
        state_property(l, PORTOLAN_AUTOMATON, out.item, line);
    free(out.item);
}

static void show_guards(struct lowering *l)
{
    static const struct node always = {.kind = NODE_NUMBER, .value = 1};
    const struct dve_process *p = &l->syntax->processes.item[l->syntax->property];
    char name[300];
    for (size_t i = 0; i < p->transitions.count; i++) {
        snprintf(name, sizeof name, "%.140s.guard.%zu", p->name, i + 1);
        show_truth(l, name, p->transitions.item[i].guard ? p->transitions.item[i].guard : &always);
    }
}

/* ------------------------------------------------------------------------------ all */

/* First those that are printed. */
static void show_listed(struct lowering *l)
{
    const struct syntax *s = l->syntax;
    for (uint32_t p = 0; p < s->processes.count; p++)
        if (p != s->property) {
            l->process_variable[p] = (uint32_t)l->m->variables.count;
            show_process(l, p);
        }
    for (size_t v = 0; v < s->variables.count; v++)
        if (s->variables.item[v].process == NO_PROCESS || s->variables.item[v].process != s->property)
            show_cells(l, &s->variables.item[v]);
    for (uint32_t c = 0; c < s->channels.count; c++)
        show_channel(l, c);
    l->m->listed = (uint32_t)l->m->variables.count;
}

bool dve_lower_variables(struct lowering *l)
{
    const struct syntax *s = l->syntax;
    show_listed(l);
    for (size_t v = 0; v < s->variables.count; v++)
        if (s->variables.item[v].process != NO_PROCESS && s->variables.item[v].process == s->property)
            show_cells(l, &s->variables.item[v]);
    for (uint32_t p = 0; p < s->processes.count; p++)
        if (p != s->property)
            show_states(l, p);
    show(l, "failed", (struct dve_shown){0}, (struct variable){.kind = VARIABLE_FAILED});
    for (uint32_t c = 0; c < s->channels.count; c++)
        if (s->channels.item[c].capacity && s->channels.item[c].are_int.count)
            show_length(l, c);
    for (uint32_t p = 0; p < s->processes.count; p++)
        for (uint32_t i = 0; p != s->property && i < s->processes.item[p].assertions.count; i++)
            state_assertion(l, p, i);
    if (s->property != NO_PROCESS) {
        show_guards(l);
        state_automaton(l);
    }
    if (l->may_fail)
        state_property(l, PORTOLAN_INVARIANT, "failed = 0", "nothing fails");
    l->m->extras.value = condition_value;
    l->m->extras.is_final = has_failed;
    l->m->extras.value_text = value_text;
    l->m->extras.variable_type = variable_type;
    l->m->extras.why_no_value = why_no_value;
    return !l->m->failed;
}
