/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of a Promela model: variables (x, a[1], r.f, P[1]:x), the messages in channels (q.slot[0].1), where
 * processes are (P[1], by lines; P[1]@label, a truth), and truths about all of it, which claims and formulas ask.
 */
#include "front/promela/variables.h"
#include "front/promela/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void promela_name_cell(struct lowering *l, uint32_t cell, const char *name, const struct declared *declared)
{
    struct cell_name named = {cell, model_copy(l->m, name), declared};
    l->m->failed |= !vector_push(&l->language->cells, named);
}

void promela_note_action(struct lowering *l, const struct step *s)
{
    struct noted_action noted = {.statement = step_element(s)->statement,
                                 .actor = s->actor,
                                 .partner = s->partner,
                                 .state = s->state,
                                 .partner_state = s->partner_state,
                                 .channel = s->channel};
    l->m->failed |= !vector_push(&l->language->actions, noted);
}

/* ---------------------------------------------------------------------------- values */

bool promela_is_enabled(const struct view *v, int64_t slot, int64_t *value)
{
    const struct lowering *l = &v->language->lowering;
    *value = 0;
    if (slot >= 0 && slot >= l->slots)
        return true;
    *value = model_process_is_enabled(v->model, v->state, slot < 0 ? MODEL_NONE : l->slot[slot].process);
    if (slot < 0)
        *value = !*value;
    return true;
}

static int64_t condition_value(const void *model, const void *state, uint32_t variable)
{
    struct view view = {model_of(model)->extras.language, model, state};
    const struct promela_shown *shown = &view.language->shown.item[variable];
    int64_t value;
    return promela_evaluate(&view, shown->truth, &value) ? value != 0 : PORTOLAN_NO_VALUE;
}

static bool has_failed(const void *model, const void *state, bool *all_end)
{
    const struct model *m = model_of(model);
    bool failed = false;
    *all_end = true;
    for (uint32_t p = 0; p < m->processes.count; p++) {
        const struct location *location = &m->locations.item[model_location_of(model, state, p)];
        failed |= location->failure != NULL;
        *all_end &= location->is_end;
    }
    return failed;
}

/* A valid end state: every process has ended or is where a label says that it may end, and where there are any so is
 * the trace.  What has failed is told as that. */
static bool is_valid_end(const void *model, const void *state)
{
    bool all_end;
    const struct promela_language *d = model_of(model)->extras.language;
    if (d->lowering.claim) /* which cannot move: a system that cannot has a step that says so */
        return true;
    if (has_failed(model, state, &all_end))
        return true;
    if (!all_end || !d->syntax.trace || model_cell_value(model, state, d->lowering.processes) == 0)
        return all_end;
    return promela_trace_may_end(&d->syntax, model_cell_value(model, state, d->lowering.event));
}

static void why_no_value(const void *model, const void *state, uint32_t variable, char *text, size_t size)
{
    (void)model, (void)state, (void)variable;
    snprintf(text, size, "an index is out of bounds, a division is by zero, or a channel does not exist");
}

static const struct portolan_type *variable_type(const void *model, uint32_t variable)
{
    static const struct portolan_type truth = {.kind = PORTOLAN_BOOLEAN},
                                      partial = {PORTOLAN_BOOLEAN, .is_partial = true};
    const struct promela_language *d = model_of(model)->extras.language;
    switch (d->shown.item[variable].kind) {
    case SHOWS_LABEL: return &truth;
    case SHOWS_TRUTH: return &partial;
    default: return NULL;
    }
}

static const char *mtype_text(const struct syntax *s, int64_t value)
{
    for (size_t i = 0; i < s->mtypes.count; i++)
        if (s->mtypes.item[i].value == value)
            return s->mtypes.item[i].name;
    return NULL;
}

enum { FAILED = -1 }; /* the line of a process that has failed */

static void value_text(const void *model, uint32_t variable, int64_t value, char *text, size_t size)
{
    const struct promela_language *d = model_of(model)->extras.language;
    const struct promela_shown *shown = &d->shown.item[variable];
    const struct portolan_type *type = variable_type(model, variable);
    bool is_variable = shown->kind == SHOWS_CELL || shown->kind == SHOWS_PLACE;
    if (shown->kind == SHOWS_PLACE && value == 0) {
        snprintf(text, size, "empty");
        return;
    }
    if (shown->kind == SHOWS_PLACE && value > 0)
        value--;
    const char *name = is_variable && shown->type.kind == TYPE_MTYPE ? mtype_text(&d->syntax, value) : NULL;
    if (name)
        snprintf(text, size, "%s", name);
    else if ((type && type->kind == PORTOLAN_BOOLEAN) || (is_variable && shown->type.kind == TYPE_BOOL))
        snprintf(text, size, "%s", value ? "true" : "false");
    else if (shown->kind == SHOWS_PROCESS && value <= 0)
        snprintf(text, size, value ? "failed" : "ended");
    else if (shown->kind == SHOWS_PROCESS)
        snprintf(text, size, "line %" PRId64, value);
    else
        snprintf(text, size, "%" PRId64, value);
}

/* --------------------------------------------------------------------------- adding */

static uint32_t show(struct lowering *l, const char *name, struct promela_shown shown, struct variable variable)
{
    l->m->failed |= !vector_push(&l->language->shown, shown);
    variable.name = model_copy(l->m, name);
    return model_variable(l->m, variable);
}

static void show_process(struct lowering *l, uint32_t slot)
{
    const struct model *m = l->m;
    struct variable variable = {
        .kind = VARIABLE_TABLE, .process = l->slot[slot].process, .what = (uint32_t)m->table.count};
    uint32_t first = l->slot[slot].first_location;
    for (uint32_t at = first; at < m->locations.count && m->locations.item[at].process == variable.process; at++)
        l->m->failed |=
            !vector_push(&l->m->table, m->locations.item[at].failure ? FAILED : (int64_t)m->locations.item[at].line);
    if (!l->m->failed)
        show(l, m->processes.item[variable.process].name, (struct promela_shown){.kind = SHOWS_PROCESS, .slot = slot},
             variable);
}

/* The state that a process is in, by number: lines do not tell all of them apart. */
static void show_state(struct lowering *l, uint32_t slot)
{
    char name[200];
    if (l->m->failed)
        return;
    uint32_t process = l->slot[slot].process;
    snprintf(name, sizeof name, "%.150s.state", l->m->processes.item[process].name);
    l->language->process_variable[slot] =
        show(l, name, (struct promela_shown){.kind = SHOWS_CELL, .type = {.kind = TYPE_INT}},
             (struct variable){.kind = VARIABLE_CELL, .what = l->m->processes.item[process].location_cell});
}

void promela_show_table(struct lowering *l, const char *name, struct variable variable)
{
    if (!l->m->failed)
        show(l, name, (struct promela_shown){.kind = SHOWS_LABEL}, variable);
}

static void show_labels(struct lowering *l, uint32_t slot, const struct proctype *p)
{
    char name[300];
    for (size_t i = 0; i < p->flow->labels.count && !l->m->failed; i++) {
        const struct flow_label *label = &p->flow->labels.item[i];
        struct variable variable = {
            .kind = VARIABLE_TABLE, .process = l->slot[slot].process, .what = (uint32_t)l->m->table.count};
        uint32_t first = l->slot[slot].first_location, at = location_at(l, (struct actor){slot, p}, label->element);
        if (!p->flow->elements.item[label->element].is_state || label->instance)
            continue;
        for (uint32_t k = first;
             k < l->m->locations.count && l->m->locations.item[k].process == variable.process && !l->m->failed; k++)
            l->m->failed |= !vector_push(&l->m->table, (int64_t)(k == at));
        snprintf(name, sizeof name, "%.140s[%u]@%.140s", promela_type_name(p), slot, label->name);
        show(l, name, (struct promela_shown){.kind = SHOWS_LABEL}, variable);
    }
}

static void show_cells(struct lowering *l)
{
    for (size_t i = 0; i < l->language->cells.count && !l->m->failed; i++) {
        const struct cell_name *c = &l->language->cells.item[i];
        struct promela_shown shown = {.kind = SHOWS_CELL, .declared = c->declared, .type = c->declared->type};
        bool is_hidden = c->declared->type.kind == TYPE_CHAN && c->declared->shape && !c->declared->is_assigned;
        if (is_hidden || (l->syntax->leaves_out_unread && !promela_is_kept(l->syntax, c->declared)))
            continue;
        uint32_t variable = show(l, c->name, shown, (struct variable){.kind = VARIABLE_CELL, .what = c->cell});
        if (!l->m->failed)
            l->language->cell_variable[c->cell] = variable;
    }
}

static void show_channel(struct lowering *l, const struct channel *c)
{
    char name[330], which[20] = "";
    for (uint32_t place = 0; place < c->shape->capacity; place++)
        for (uint32_t k = 0; k < c->queues && !l->m->failed; k++) {
            struct promela_shown shown = {.kind = SHOWS_PLACE};
            shown.type = k < c->shape->fields ? c->shape->types[k] : (struct promela_type){.kind = TYPE_BYTE};
            if (c->shape->fields > 1 && k < c->shape->fields)
                snprintf(which, sizeof which, ".%u", k + 1);
            else
                snprintf(which, sizeof which, "%s", k < c->shape->fields ? "" : ".is_there");
            snprintf(name, sizeof name, "%.250s.slot[%u]%s", c->name, place, which);
            uint32_t cell = c->first_cells[k] + place;
            uint32_t variable = show(l, name, shown, (struct variable){.kind = VARIABLE_CELL, .what = cell});
            if (!l->m->failed)
                l->language->cell_variable[cell] = variable;
        }
}

static void show_special(struct lowering *l, const char *name, uint32_t cell)
{
    if (cell == MODEL_NONE || l->m->failed)
        return;
    uint32_t variable = show(l, name, (struct promela_shown){.kind = SHOWS_CELL, .type = {.kind = TYPE_INT}},
                             (struct variable){.kind = VARIABLE_CELL, .what = cell});
    if (!l->m->failed)
        l->language->cell_variable[cell] = variable;
}

/* First those that are printed. */
bool promela_lower_variables(struct lowering *l)
{
    struct promela_language *d = l->language;
    free(d->cell_variable);
    free(d->process_variable);
    d->cell_variable = calloc(l->m->cells.count + 1, sizeof *d->cell_variable);
    d->process_variable = calloc(l->slots + 1, sizeof *d->process_variable);
    if (!d->cell_variable || !d->process_variable)
        return false;
    for (uint32_t slot = 0; slot < l->slots; slot++)
        show_process(l, slot);
    if (l->claim)
        show_process(l, l->slots);
    show_cells(l);
    for (size_t i = 0; i < l->channels.count; i++)
        show_channel(l, &l->channels.item[i]);
    l->m->listed = (uint32_t)l->m->variables.count;
    for (uint32_t slot = 0; slot < l->slots; slot++)
        show_state(l, slot);
    if (l->claim)
        promela_show_claim(l);
    for (uint32_t slot = 0; slot < l->slots; slot++)
        for (size_t p = 0; p < l->syntax->proctypes.count; p++)
            if (runs_in(l, slot, l->syntax->proctypes.item[p]))
                show_labels(l, slot, l->syntax->proctypes.item[p]);
    show_special(l, "_nr_pr", l->processes);
    show_special(l, "_last", l->last);
    show_special(l, "exclusive", l->exclusive);
    if (l->needs_exclusive && !l->m->failed)
        l->m->resting = d->cell_variable[l->exclusive] + 1;
    static const struct node no_progress = {.kind = NODE_NO_PROGRESS},
                             accepting = {.kind = NODE_NO_PROGRESS, .value = 1},
                             no_progress_ever = {.kind = NODE_NO_PROGRESS, .value = 2};
    show(l, "failed", (struct promela_shown){0}, (struct variable){.kind = VARIABLE_FAILED});
    promela_show_truth(l, "np_", &no_progress);
    promela_show_truth(l, "accept_", &accepting);
    promela_show_truth(l, "np_cycle_", &no_progress_ever);
    promela_messages(l);
    l->m->extras.value = condition_value;
    l->m->extras.is_final = is_valid_end;
    l->m->extras.value_text = value_text;
    l->m->extras.variable_type = variable_type;
    l->m->extras.why_no_value = why_no_value;
    return !l->m->failed;
}

/* ----------------------------------------------------------------------------- truths */

static void reads_cells(struct lowering *l, uint32_t variable, uint32_t first, uint32_t count)
{
    for (uint32_t cell = first; cell < first + count && !l->m->failed; cell++)
        if (l->language->cell_variable[cell])
            lists_add(&l->m->reads, variable, l->language->cell_variable[cell]);
}

static void reads_everything(struct lowering *l, uint32_t variable)
{
    reads_cells(l, variable, 0, (uint32_t)l->m->cells.count);
    for (uint32_t slot = 0; slot < l->slots && !l->m->failed; slot++)
        lists_add(&l->m->reads, variable, l->language->process_variable[slot]);
}

static void reads_channels(struct lowering *l, uint32_t variable)
{
    for (size_t i = 0; i < l->channels.count; i++) {
        const struct channel *c = &l->channels.item[i];
        for (uint32_t q = 0; q < c->queues && c->shape->capacity; q++)
            reads_cells(l, variable, c->first_cells[q], c->shape->capacity);
    }
}

static void reads_c(struct lowering *l, const struct node *n, uint32_t variable)
{
    const struct c_text *text = &l->syntax->c_texts.item[n->value];
    static const enum c_use uses[] = {C_VALUE, C_CONDITION};
    for (int i = 0; i < (text->condition ? 2 : 1); i++) {
        const struct c_block *block = promela_c_block(l, (uint32_t)n->value, uses[i], NULL);
        for (uint32_t k = 0; block && k < block->cells && !l->m->failed; k++)
            reads_cells(l, variable, l->c_cells.item[block->first + k].cell, 1);
    }
}

static void add_reads(struct lowering *l, const struct node *n, uint32_t variable)
{
    if (!n || l->m->failed)
        return;
    const struct proctype *p =
        n->kind == NODE_AT_LABEL || n->kind == NODE_REMOTE ? promela_proctype(l->syntax, n->name) : NULL;
    switch (n->kind) {
    case NODE_VAR:
        if (!n->variable->proctype)
            reads_cells(l, variable, l->globals + n->variable->offset,
                        promela_cells(n->variable) * n->variable->length);
        break;
    case NODE_LENGTH:
    case NODE_POLL: reads_channels(l, variable); break;
    case NODE_PROCESSES: reads_cells(l, variable, l->processes, 1); break;
    case NODE_PRIORITY: reads_cells(l, variable, l->priorities, l->slots); break;
    case NODE_LAST: reads_cells(l, variable, l->last, 1); break;
    case NODE_AT_LABEL:
    case NODE_REMOTE:
        for (uint32_t slot = 0; slot < l->slots && p; slot++) {
            if (!runs_in(l, slot, p))
                continue;
            lists_add(&l->m->reads, variable, l->language->process_variable[slot]);
            reads_cells(l, variable, l->slot[slot].hosts[p->number].frame, p->cells);
        }
        break;
    case NODE_C: reads_c(l, n, variable); break;
    case NODE_NO_PROGRESS:
    case NODE_PC_VALUE:
    case NODE_ENABLED:
    case NODE_TIMEOUT: reads_everything(l, variable); break;
    default: break;
    }
    add_reads(l, n->a, variable);
    for (const struct node *b = n->kind == NODE_VAR || n->kind == NODE_REMOTE ? NULL : n->b; b; b = b->next)
        add_reads(l, b, variable);
    for (const struct node *part = n->kind == NODE_VAR ? n->b : NULL; part; part = part->b)
        add_reads(l, part->a, variable);
    add_reads(l, n->c, variable);
}

/* A truth that claims and formulas name. */
void promela_show_truth(struct lowering *l, const char *name, const struct node *truth)
{
    struct promela_shown whether = {.kind = SHOWS_TRUTH, .truth = truth};
    uint32_t shown = show(l, name, whether, (struct variable){.kind = VARIABLE_CONDITION});
    add_reads(l, truth, shown);
}
