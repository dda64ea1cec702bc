/* SPDX-License-Identifier: Apache-2.0 */
/* The variables of a protocol, the conditions about them, and what of all this is a property. */
#include "front/protocols/lowering.h"

#include "base/names.h"
#include "front/protocols/evaluate.h"

#include <stdio.h>

struct naming {
    struct lowering *l;
    struct model *m;
    struct names names;
};

uint32_t local_state(const void *system_model, const void *state, uint32_t process, enum standing *standing)
{
    const struct model *m = model_of(system_model);
    uint32_t states = lowering_of(system_model)->protocol.automata[process].states.count;
    uint32_t at = model_location_of(system_model, state, process) - m->processes.item[process].first_location;
    *standing = (enum standing)(at / states);
    return at % states;
}

/* ------------------------------------------------------------------- variables */

/* False when the name is taken: it was cut off, or is that of a value and of an invariant. */
static bool add_variable(struct naming *n, const char *name, struct listed_variable listed, struct variable variable)
{
    uint32_t number, before = names_count(&n->names);
    if (names_find(&n->names, name, &number))
        return false;
    n->m->failed |= !names_add(&n->names, name, &number) || before != number;
    n->m->failed |= !vector_push(&n->l->variables, listed);
    variable.name = model_copy(n->m, name);
    model_variable(n->m, variable);
    return true;
}

/* A variable that the location of a process decides. */
static void add_table(struct naming *n, const char *name, struct listed_variable listed)
{
    const struct automaton *a = &n->l->protocol.automata[listed.process];
    struct variable variable = {.kind = VARIABLE_TABLE, .process = listed.process, .what = (uint32_t)n->m->table.count};
    uint32_t locations = 0;
    for (size_t i = 0; i < n->m->locations.count; i++)
        locations += n->m->locations.item[i].process == listed.process;
    if (!add_variable(n, name, listed, variable))
        return;
    for (uint32_t i = 0; i < locations && !n->m->failed; i++) {
        int64_t value = listed.kind == LISTS_CRASHED ? i / a->states.count == HAS_CRASHED
                                                     : local_cells(a, i % a->states.count)[listed.cell];
        n->m->failed |= !vector_push(&n->m->table, value);
    }
}

static void add_variables(struct naming *n, uint32_t process)
{
    const struct automaton *a = &n->l->protocol.automata[process];
    char name[640];
    for (const struct declared *v = a->type->variables; v; v = v->next)
        for (uint32_t i = 0; i < v->cells; i++) {
            if (v->is_set || v->is_array)
                snprintf(name, sizeof name, "%s.%s[%d]", a->name, v->name, (int)i + v->index.low);
            else
                snprintf(name, sizeof name, "%s.%s", a->name, v->name);
            add_table(n, name,
                      (struct listed_variable){
                          .kind = LISTS_CELL, .process = process, .cell = v->base + i, .type = v->holds});
        }
}

static void add_crashed(struct naming *n)
{
    char name[300];
    for (uint32_t i = 0; i < n->l->protocol.process_count; i++) {
        snprintf(name, sizeof name, "%s.crashed", n->l->protocol.automata[i].name);
        add_table(n, name, (struct listed_variable){.kind = LISTS_CRASHED, .process = i, .type.kind = VALUE_BOOLEAN});
    }
}

/* Values that have names may be asked for by these. */
static void add_constant(struct naming *n, const char *name, int32_t value, struct value_type type)
{
    struct variable variable = {.kind = VARIABLE_NUMBER, .what = (uint32_t)n->m->table.count};
    if (add_variable(n, name, (struct listed_variable){.kind = LISTS_CONSTANT, .type = type}, variable))
        n->m->failed |= !vector_push(&n->m->table, (int64_t)value);
}

static void add_constants(struct naming *n)
{
    for (const struct literal *k = n->l->protocol.syntax.literals; k; k = k->next)
        add_constant(n, k->name, k->value, (struct value_type){.kind = VALUE_NAMED, .values = k->values});
    for (const struct constant *c = n->l->protocol.syntax.constants; c; c = c->next)
        if (c->value)
            add_constant(n, c->name, c->number, c->value->gives);
}

/* ------------------------------------------------------------------ conditions */

/* The variables that a condition reads: those of all processes it may mean. */
static bool may_mean(const struct node *node, const struct listed_variable *v)
{
    uint32_t first = node->process->first, count = domain_size(node->process->index);
    if (v->process < first || v->process >= first + count)
        return false;
    if (!node->variable)
        return v->kind == LISTS_CRASHED;
    return v->kind == LISTS_CELL && v->cell >= node->variable->base &&
           v->cell < node->variable->base + node->variable->cells;
}

static void add_reads(struct naming *n, const struct node *node, uint32_t variable)
{
    if (!node)
        return;
    for (uint32_t v = 0; node->kind == NODE_MEMBER && v < n->m->listed; v++)
        if (may_mean(node, &n->l->variables.item[v]))
            lists_add(&n->m->reads, variable, v);
    add_reads(n, node->a, variable);
    add_reads(n, node->b, variable);
    add_reads(n, node->c, variable);
}

static void state(struct naming *n, const char *text, const char *name, bool lasts)
{
    struct portolan_stated_property stated = {
        .kind = PORTOLAN_INVARIANT, .text = model_copy(n->m, text), .name = model_copy(n->m, name), .lasting = lasts};
    n->m->failed |= !vector_push(&n->m->stated, stated);
}

static void add_condition(struct naming *n, const struct condition *c)
{
    char text[300], name[300];
    bool lasts = false;
    uint32_t number = (uint32_t)n->m->variables.count;
    struct listed_variable listed = {.kind = LISTS_CONDITION, .condition = c, .type.kind = VALUE_BOOLEAN};
    snprintf(text, sizeof text, "%s == 1", c->name);
    snprintf(name, sizeof name, "invariant %s", c->name);
    if (add_variable(n, c->name, listed, (struct variable){.kind = VARIABLE_CONDITION}))
        add_reads(n, c->expression, number);
    n->m->failed |= !condition_lasts(n->l, c, &lasts);
    state(n, text, name, lasts);
}

/* 1 or 0; or PORTOLAN_NO_VALUE, and the evaluation says why and where there is none. */
static int64_t condition_value(const void *model, const void *state, const struct condition *c,
                               struct evaluation *evaluation)
{
    const struct lowering *l = lowering_of(model);
    const int32_t *rows[MOST_PROCESSES + 1];
    int32_t crashed[MOST_PROCESSES];
    for (uint32_t i = 0; i < l->protocol.process_count; i++) {
        enum standing standing;
        rows[i] = local_cells(&l->protocol.automata[i], local_state(model, state, i, &standing));
        crashed[i] = standing == HAS_CRASHED;
    }
    rows[l->protocol.process_count] = crashed;
    bool holds = condition_holds(c, rows, evaluation);
    return evaluation->failure ? PORTOLAN_NO_VALUE : holds;
}

/* The value of all `final` lines together, up to the first that is not true. */
static int64_t final_value(const void *model, const void *state, struct evaluation *evaluation)
{
    int64_t value = 1;
    for (const struct condition *c = lowering_of(model)->protocol.syntax.conditions; c && value == 1; c = c->next)
        if (c->is_final)
            value = condition_value(model, state, c, evaluation);
    return value;
}

static bool is_final(const void *model, const void *state)
{
    struct evaluation evaluation;
    return final_value(model, state, &evaluation) == 1;
}

static void tell_failure(const struct evaluation *evaluation, char *text, size_t size)
{
    snprintf(text, size, "%s, at %u:%u of the model", evaluation->failure, evaluation->failed_at->at.line,
             evaluation->failed_at->at.column);
}

static bool why_not_final(const void *model, const void *state, char *text, size_t size)
{
    struct evaluation evaluation;
    char why[100];
    if (final_value(model, state, &evaluation) != PORTOLAN_NO_VALUE)
        return false;
    tell_failure(&evaluation, why, sizeof why);
    snprintf(text, size, "the final condition has no value: %s", why);
    return true;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    struct evaluation evaluation;
    return condition_value(model, state, lowering_of(model)->variables.item[variable].condition, &evaluation);
}

static void why_no_value(const void *model, const void *state, uint32_t variable, char *text, size_t size)
{
    struct evaluation evaluation;
    const struct condition *c = lowering_of(model)->variables.item[variable].condition;
    if (c && condition_value(model, state, c, &evaluation) == PORTOLAN_NO_VALUE)
        tell_failure(&evaluation, text, size);
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    static const struct portolan_type boolean = {.kind = PORTOLAN_BOOLEAN},
                                      partial = {.kind = PORTOLAN_BOOLEAN, .is_partial = true};
    const struct listed_variable *v = &lowering_of(model)->variables.item[variable];
    if (v->type.kind == VALUE_BOOLEAN)
        return v->condition ? &partial : &boolean;
    return v->type.kind == VALUE_NAMED ? v->type.values : NULL;
}

void lower_variables(struct lowering *l, struct model *m)
{
    struct naming n = {.l = l, .m = m};
    bool has_final = false;
    for (uint32_t i = 0; i < l->protocol.process_count; i++)
        add_variables(&n, i);
    add_crashed(&n);
    const struct variable failed = {.kind = VARIABLE_FAILED};
    add_variable(&n, "failed", (struct listed_variable){.kind = LISTS_FAILED}, failed);
    m->listed = (uint32_t)m->variables.count;
    if (may_fail(l))
        state(&n, "failed == 0", "no step fails", true);
    for (const struct condition *c = l->protocol.syntax.conditions; c && !m->failed; c = c->next) {
        has_final |= c->is_final;
        if (!c->is_final)
            add_condition(&n, c);
    }
    add_constants(&n);
    m->extras.value = value;
    m->extras.value_text = value_text;
    m->extras.variable_type = variable_type;
    m->extras.why_no_value = why_no_value;
    m->extras.is_final = has_final ? is_final : NULL;
    m->extras.why_not_final = has_final ? why_not_final : NULL;
    m->extras.messages = messages_view(l);
    m->extras.rules = rules_view(l);
    names_clear(&n.names);
}
