/* SPDX-License-Identifier: Apache-2.0 */
/* What properties ask for. */
#include "base/enabled.h"
#include "property/property.h"
#include "soundness/soundness.h"

const char *why_unreduced(const struct portolan_options *options, const struct portolan_property *property)
{
    if (property_is_temporal(property) && options->fairness != PORTOLAN_UNFAIR)
        return "fairness looks at every action";
    return property_why_every_state(property);
}

unsigned demand_of(const struct portolan_options *options, const struct portolan_property *property)
{
    unsigned formula = property_is_temporal(property) ? ASKS_FORMULA : 0;
    if (property->kind == PORTOLAN_NO_RACE)
        return ASKS_DEADLOCKS | ASKS_RACES;
    if (property_needs_only_deadlocks(property))
        return ASKS_DEADLOCKS;
    if (why_unreduced(options, property))
        return ASKS_EVERY_STATE | formula;
    unsigned maximum = property->kind == PORTOLAN_MAXIMUM ? ASKS_MAXIMUM : 0;
    return (property_needs_runs(property) ? ASKS_RUNS : ASKS_STATES) | formula | maximum;
}

static unsigned traits_of_model(const struct portolan_system *system)
{
    bool meets_graphs = system->graphs && !has_fixed_actions(system);
    unsigned lacks = (system->relations ? 0 : LACKS_RELATIONS) | (system->entities ? 0 : LACKS_ENTITIES) |
                     (system->footprint ? 0 : LACKS_FOOTPRINT);
    bool has_classes = system->graphs && system->graphs->up_to_isomorphism;
    return lacks | (meets_graphs ? lacks * GRAPHS_LACK_RELATIONS : 0) | (system->widen ? WIDENS : 0) |
           (has_classes ? UP_TO_ISOMORPHISM : 0) | (system->has_priorities ? HAS_PRIORITIES : 0) |
           (system->relations && system->relations->has_fallbacks ? HAS_FALLBACKS : 0) |
           (system->rests_within_steps && !system->resting ? RESTS_WITHIN_STEPS : 0);
}

struct traits traits_of_request(const struct portolan_system *system, const struct portolan_options *options)
{
    struct traits traits = {.option = traits_of_options(options), .model = system ? traits_of_model(system) : 0};
    for (size_t i = 0; i < options->property_count; i++)
        traits.demand |= demand_of(options, options->properties[i]);
    if (!(traits.demand & ASKS_FORMULA))
        traits.demand |= ASKS_NO_FORMULA;
    if (!options->property_count)
        traits.demand |= ASKS_NOTHING;
    return traits;
}

/* The property that the rule speaks of. */
static const struct portolan_property *property_meant(const struct rule *rule, const struct portolan_options *options)
{
    for (size_t i = 0; i < options->property_count; i++)
        if (demand_of(options, options->properties[i]) & rule->traits.demand)
            return options->properties[i];
    return NULL;
}

enum portolan_status check_soundness(const struct traits *traits, const struct part_names *names,
                                     const struct portolan_options *options, struct portolan_error *error)
{
    const struct rule *rule = broken_rule(traits);
    if (!rule)
        return PORTOLAN_OK;
    struct part_names all = *names;
    const struct portolan_property *property = property_meant(rule, options);
    all.property = portolan_property_text(property);
    all.why = property ? why_unreduced(options, property) : NULL;
    return refuse_by_rule(rule, &all, error);
}
