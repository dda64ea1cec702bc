/* SPDX-License-Identifier: Apache-2.0 */
#include "soundness/soundness.h"

#include "base/diagnostic.h"
#include "property/property.h"

#include <stdio.h>
#include <string.h>

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
    return (property_needs_runs(property) ? ASKS_RUNS : ASKS_STATES) | formula;
}

static unsigned traits_of_options(const struct portolan_options *options)
{
    return (options->chains ? WITH_CHAINS : 0) | (options->check_relations ? CHECKS_RELATIONS : 0) |
           (options->bound ? BOUNDS_STEPS : 0) | (options->callbacks.execution ? LISTS_EXECUTIONS : 0) |
           (options->threads > 1 ? SEVERAL_THREADS : 0) | (options->fairness != PORTOLAN_UNFAIR ? FAIR_RUNS : 0) |
           (options->fairness == PORTOLAN_FAIR_AGENTS ? FAIR_TO_AGENTS : 0) |
           (options->bounds_preemptions ? BOUNDS_PREEMPTIONS : 0) |
           (options->callbacks.expanded || options->callbacks.edge ? EXPORTS_GRAPH : 0);
}

static unsigned traits_of_model(const struct portolan_system *system)
{
    return (system->relations ? 0 : LACKS_RELATIONS) | (system->entities ? 0 : LACKS_ENTITIES) |
           (system->footprint ? 0 : LACKS_FOOTPRINT) | (system->widen ? WIDENS : 0);
}

struct traits traits_of_request(const struct portolan_system *system, const struct portolan_options *options)
{
    struct traits traits = {.option = traits_of_options(options), .model = system ? traits_of_model(system) : 0};
    for (size_t i = 0; i < options->property_count; i++)
        traits.demand |= demand_of(options, options->properties[i]);
    if (!(traits.demand & ASKS_FORMULA))
        traits.demand |= ASKS_NO_FORMULA;
    return traits;
}

static bool meets(unsigned rule, unsigned traits)
{
    return !rule || rule & traits;
}

static bool breaks(const struct traits *traits, const struct traits *rule)
{
    return meets(rule->reduction, traits->reduction) && meets(rule->demand, traits->demand) &&
           meets(rule->proviso, traits->proviso) && meets(rule->search, traits->search) &&
           meets(rule->option, traits->option) && meets(rule->model, traits->model);
}

static const struct rule *broken_rule(const struct traits *traits)
{
    for (const struct rule *rule = rules; rule->reason; rule++)
        if (breaks(traits, &rule->traits))
            return rule;
    return NULL;
}

bool is_sound(const struct traits *traits)
{
    return !broken_rule(traits);
}

/* The property that the rule speaks of. */
static const struct portolan_property *property_meant(const struct rule *rule, const struct portolan_options *options)
{
    for (size_t i = 0; i < options->property_count; i++)
        if (demand_of(options, options->properties[i]) & rule->traits.demand)
            return options->properties[i];
    return NULL;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* Writes the sentence with the names in place of the words in braces. */
static void fill_in(const char *sentence, const struct part_names *names, const struct portolan_property *property,
                    const char *why, char *text, size_t size)
{
    const char *const words[][2] = {{"{reduction}", names->reduction},
                                    {"{proviso}", names->proviso},
                                    {"{search}", names->search},
                                    {"{property}", portolan_property_text(property)},
                                    {"{why}", why}};
    size_t used = 0;
    while (*sentence && used + 1 < size) {
        size_t word = 0, count = sizeof words / sizeof *words;
        while (word < count && strncmp(sentence, words[word][0], strlen(words[word][0])) != 0)
            word++;
        int length = word < count ? snprintf(text + used, size - used, "%.200s", or_empty(words[word][1]))
                                  : snprintf(text + used, size - used, "%c", *sentence);
        used += (size_t)length;
        sentence += word < count ? strlen(words[word][0]) : 1;
    }
    text[used < size ? used : size - 1] = '\0';
}

enum portolan_status check_soundness(const struct traits *traits, const struct part_names *names,
                                     const struct portolan_options *options, struct portolan_error *error)
{
    char text[512];
    const struct rule *rule = broken_rule(traits);
    if (!rule)
        return PORTOLAN_OK;
    const struct portolan_property *property = property_meant(rule, options);
    enum portolan_status status = rule->status ? rule->status : PORTOLAN_REFUSED;
    fill_in(rule->reason, names, property, property ? why_unreduced(options, property) : NULL, text, sizeof text);
    fail(error, status, "%s", text);
    if (rule->hint)
        hint(error, "%s", rule->hint);
    return status;
}
