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
            add_table(n, name, (struct listed_variable){.kind = LISTS_CELL, .process = process, .cell = v->base + i});
        }
}

static void add_crashed(struct naming *n)
{
    char name[300];
    for (uint32_t i = 0; i < n->l->protocol.process_count; i++) {
        snprintf(name, sizeof name, "%s.crashed", n->l->protocol.automata[i].name);
        add_table(n, name, (struct listed_variable){.kind = LISTS_CRASHED, .process = i});
    }
}

/* Values that have names may be asked for by these. */
static void add_constant(struct naming *n, const char *name, int32_t value)
{
    struct variable variable = {.kind = VARIABLE_NUMBER, .what = (uint32_t)n->m->table.count};
    if (add_variable(n, name, (struct listed_variable){.kind = LISTS_CONSTANT, .constant = value}, variable))
        n->m->failed |= !vector_push(&n->m->table, (int64_t)value);
}

static void add_constants(struct naming *n)
{
    for (const struct literal *k = n->l->protocol.syntax.literals; k; k = k->next)
        add_constant(n, k->name, k->value);
    for (const struct constant *c = n->l->protocol.syntax.constants; c; c = c->next)
        if (c->value)
            add_constant(n, c->name, c->number);
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
    struct listed_variable listed = {.kind = LISTS_CONDITION, .condition = c};
    snprintf(text, sizeof text, "%s == 1", c->name);
    snprintf(name, sizeof name, "invariant %s", c->name);
    if (add_variable(n, c->name, listed, (struct variable){.kind = VARIABLE_CONDITION}))
        add_reads(n, c->expression, number);
    n->m->failed |= !condition_lasts(n->l, c, &lasts);
    state(n, text, name, lasts);
}

bool condition_holds(const struct condition *c, const int32_t *const *all, const bool *crashed)
{
    struct environment e;
    e.all = all;
    e.crashed = crashed;
    e.failure = NULL;
    int64_t value = protocols_evaluate(&e, c->expression);
    return !e.failure && value;
}

static bool holds_in(const void *model, const void *state, const struct condition *c)
{
    const struct lowering *l = lowering_of(model);
    const int32_t *all[MOST_PROCESSES];
    bool crashed[MOST_PROCESSES];
    for (uint32_t i = 0; i < l->protocol.process_count; i++) {
        enum standing standing;
        all[i] = local_cells(&l->protocol.automata[i], local_state(model, state, i, &standing));
        crashed[i] = standing == HAS_CRASHED;
    }
    return condition_holds(c, all, crashed);
}

static bool is_final(const void *model, const void *state)
{
    for (const struct condition *c = lowering_of(model)->protocol.syntax.conditions; c; c = c->next)
        if (c->is_final && !holds_in(model, state, c))
            return false;
    return true;
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    return holds_in(model, state, lowering_of(model)->variables.item[variable].condition);
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
    m->extras.is_final = has_final ? is_final : NULL;
    m->extras.messages = messages_view(l);
    names_clear(&n.names);
}
