/* SPDX-License-Identifier: Apache-2.0 */
/* A model as a system: the opened one, whose layout is the widest and never changes, and compact ones of the same. */
#include "base/diagnostic.h"
#include "model/quick.h"

#include <string.h>

static const struct portolan_stated_property nothing_fails = {
    .kind = PORTOLAN_INVARIANT, .text = "failed == 0", .name = "assertions hold", .lasting = true};

/* ------------------------------------------------------------------------- states */

static void initial(const void *model, void *state)
{
    const struct instance *in = model;
    const struct derived *d = in->derived;
    layout_convert(&d->widest->packed.layout, d->initial, &in->packed.layout, state);
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    return machine_guard_holds(model, state, guard);
}

static bool all_are(const void *model, const void *state, const uint32_t *guards, uint32_t count, bool value)
{
    return machine_guards_are(model, state, guards, count, value);
}

static bool is_final(const void *model, const void *state)
{
    const struct instance *in = model;
    for (uint32_t p = 0; p < in->model->processes.count; p++) {
        const struct location *l = &in->model->locations.item[location_of(in, state, p)];
        if (!l->is_end && !l->failure && !(l->is_unborn && !machine_next(in, state, p)))
            return false;
    }
    return true;
}

const struct model *model_of(const void *system_model)
{
    return ((const struct instance *)system_model)->model;
}

int64_t model_cell_value(const void *system_model, const void *state, uint32_t cell)
{
    return cell_value(system_model, state, cell);
}

uint32_t model_location_of(const void *system_model, const void *state, uint32_t process)
{
    return location_of(system_model, state, process);
}

/* ---------------------------------------------------------------------- instances */

enum portolan_status model_widen(struct portolan_system *system)
{
    if (!instance_widen(system->model))
        return PORTOLAN_NO_MEMORY;
    packed_describe(system, system->model);
    return PORTOLAN_OK;
}

void model_free_instance(void *model)
{
    if (model)
        instance_clear(model);
    free(model);
}

/* Another instance of the same model. */
static struct instance *another(const struct portolan_system *system, bool is_compact, bool without_stops)
{
    struct instance *in = calloc(1, sizeof *in);
    if (in && !instance_make(in, ((const struct instance *)system->model)->derived, is_compact)) {
        model_free_instance(in);
        return NULL;
    }
    if (in)
        in->without_stops = without_stops;
    return in;
}

static struct portolan_system *made(struct portolan_system *copy, struct instance *in)
{
    if (!copy) {
        model_free_instance(in);
        return NULL;
    }
    copy->model = in;
    copy->leave_out = NULL;
    copy->destroy = model_free_instance;
    return copy;
}

struct portolan_system *model_compact(const struct portolan_system *system)
{
    struct instance *in = another(system, true, ((const struct instance *)system->model)->without_stops);
    return made(in ? packed_compact(system, &in->packed, model_widen) : NULL, in);
}

static struct portolan_system *leave_out(const struct portolan_system *system)
{
    struct instance *in = another(system, false, true);
    struct portolan_system *copy = in ? malloc(sizeof *copy) : NULL;
    if (copy)
        *copy = *system;
    return made(copy, in);
}

bool is_of_model(const struct portolan_system *system)
{
    return system->initial == initial;
}

/* ------------------------------------------------------------------------- making */

static void relations_clear(struct portolan_relations *r)
{
    lists_clear(&r->guards_of);
    lists_clear(&r->enablers);
    lists_clear(&r->disablers);
    lists_clear(&r->not_commuting);
    lists_clear(&r->never_together);
    lists_clear(&r->local_beside);
}

static void derived_free(struct derived *d)
{
    model_free_instance(d->widest);
    relations_clear(&d->relations);
    lists_clear(&d->dead_cells);
    lists_clear(&d->objects);
    lists_clear(&d->targets);
    lists_clear(&d->guard_locations);
    lists_clear(&d->changers);
    free(d->summaries);
    free(d->accesses.item);
    free(d->registers.item);
    free(d->first_departure);
    free(d->departures);
    free(d->nobodys);
    free(d->is_stop);
    free(d->guard_process);
    free(d->local);
    free(d->guard_tests);
    free(d->guard_actions);
    free(d->action_names);
    free(d->variable_names);
    free(d->initial);
    free(d->limits);
    free(d->alike);
    model_free(d->model);
    free(d);
}

static void destroy(void *model)
{
    derived_free((struct derived *)((struct instance *)model)->derived);
}

/* How wide cells may become, and which of them become so together. */
static bool list_limits(struct derived *d)
{
    size_t cells = d->model->cells.count;
    d->limits = calloc(cells + 1, sizeof *d->limits);
    d->alike = calloc(cells + 1, sizeof *d->alike);
    for (size_t i = 0; d->limits && d->alike && i < cells; i++) {
        d->limits[i] = d->model->cells.item[i].values;
        d->alike[i] = d->model->cells.item[i].alike;
    }
    return d->limits && d->alike;
}

static bool derive_views(struct derived *d)
{
    return (d->model->lacks_relations || derive_relations(d)) && guards_make(d->widest) && derive_changers(d) &&
           derive_footprint(d) && derive_names(d);
}

static bool derive(struct derived *d)
{
    if (d->model->failed || !derive_summaries(d) || !list_limits(d) || !(d->widest = calloc(1, sizeof *d->widest)) ||
        !instance_make(d->widest, d, false) ||
        !(d->initial = calloc(d->widest->packed.layout.words, sizeof *d->initial)))
        return false;
    machine_initial(d->widest, d->initial);
    struct portolan_stated_property stated = nothing_fails;
    for (size_t i = 0; i < d->model->variables.count && d->may_fail && d->model->in_columns; i++)
        if (d->model->variables.item[i].kind == VARIABLE_FAILED && !vector_push(&d->model->stated, stated))
            return false;
    return d->model->is_tried || derive_views(d);
}

/* Else the language says what a proper end is, or nothing is one. */
static bool has_ends(const struct model *m)
{
    bool has = m->in_columns;
    for (size_t l = 0; l < m->locations.count && !has; l++)
        has = m->locations.item[l].is_end;
    return has;
}

static void fill_system(struct portolan_system *system, struct derived *d)
{
    struct model *m = d->model;
    d->relations.holds = holds;
    d->relations.all_are = all_are;
    d->relations.guard_text = guard_text;
    derive_rules(d);
    bool has_priorities = m->priorities != MODEL_NONE;
    bool lacks_relations = m->lacks_relations || d->too_many_pairs || has_priorities;
    *system = (struct portolan_system){.model = d->widest,
                                       .name = m->name,
                                       .format = m->format,
                                       .actions = (uint32_t)m->actions.count,
                                       .initial = initial,
                                       .enabled = d->widest->quick ? quick_enabled : machine_enabled,
                                       .fire = d->widest->quick ? quick_fire : machine_fire,
                                       .compact = model_compact,
                                       .too_large = m->too_large,
                                       .is_bounded = m->is_bounded,
                                       .action_name = action_name,
                                       .find_action = find_action,
                                       .variables = m->listed,
                                       .unlisted = (uint32_t)m->variables.count - m->listed,
                                       .variable_name = variable_name,
                                       .find_variable = find_variable,
                                       .value = variable_value,
                                       .value_text = m->extras.value_text,
                                       .variable_type = m->extras.variable_type,
                                       .why_no_value = m->extras.why_no_value,
                                       .changers = d->changers,
                                       .is_final = m->extras.is_final ? m->extras.is_final
                                                   : has_ends(m)      ? is_final
                                                                      : NULL,
                                       .why_not_final = m->extras.why_not_final,
                                       .stated = m->stated.item,
                                       .stated_count = m->stated.count,
                                       .stops = m->stops,
                                       .leave_out = m->stops.offset ? leave_out : NULL,
                                       .relations = lacks_relations ? NULL : &d->relations,
                                       .footprint = d->has_fallbacks || has_priorities ? NULL : &d->footprint,
                                       .has_priorities = has_priorities,
                                       .rests_within_steps = m->rests_within_steps,
                                       .resting = m->resting,
                                       .never_ends = m->never_ends,
                                       .columns = derive_columns(d),
                                       .messages = m->extras.messages,
                                       .prints = m->extras.prints,
                                       .failure = failure,
                                       .rules = m->extras.rules ? m->extras.rules : &d->rules,
                                       .destroy = destroy};
    packed_describe(system, &d->widest->packed);
}

enum portolan_status model_system(struct model *m, struct portolan_system **result, struct portolan_error *error)
{
    struct portolan_system *system = calloc(1, sizeof *system);
    struct derived *d = calloc(1, sizeof *d);
    if (!system || !d) {
        free(system);
        free(d);
        model_free(m);
        return fail_memory(error);
    }
    d->model = m;
    if (!derive(d)) {
        derived_free(d);
        free(system);
        return fail_memory(error);
    }
    fill_system(system, d);
    *result = system;
    return PORTOLAN_OK;
}

enum portolan_status model_finish(struct portolan_system *system, struct portolan_error *error)
{
    struct derived *d = (struct derived *)((struct instance *)system->model)->derived;
    d->model->is_tried = false;
    if (!derive_views(d))
        return fail_memory(error);
    fill_system(system, d);
    return PORTOLAN_OK;
}
