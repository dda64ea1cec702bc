/* SPDX-License-Identifier: Apache-2.0 */
#include "system/arguments.h"

#include "base/diagnostic.h"
#include "base/enabled.h"

#include <math.h>

enum portolan_status check_pointer(const void *pointer, const char *name, struct portolan_error *error)
{
    return pointer ? PORTOLAN_OK : fail(error, PORTOLAN_BAD_OPTION, "%s is NULL", name);
}

/* Offsets that never fall, numbers below the limit. */
static bool is_list(const struct portolan_lists *lists, uint32_t count, uint32_t limit)
{
    if (!lists->offset || (lists->offset[count] && !lists->item))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (lists->offset[i] > lists->offset[i + 1])
            return false;
    for (uint32_t i = lists->offset[0]; i < lists->offset[count]; i++)
        if (lists->item[i] >= limit)
            return false;
    return true;
}

enum portolan_status check_lists(const struct portolan_system *system, struct portolan_error *error)
{
    const struct portolan_relations *r = system->relations;
    if (!r)
        return PORTOLAN_OK;
    const struct {
        const struct portolan_lists *lists;
        const char *name;
        uint32_t count, limit;
    } all[] = {{&r->guards_of, "guards_of", r->transitions, r->guards},
               {&r->enablers, "enablers", r->guards, r->transitions},
               {&r->disablers, "disablers", r->guards, r->transitions},
               {&r->not_commuting, "not_commuting", r->transitions, r->transitions}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!is_list(all[i].lists, all[i].count, all[i].limit))
            return fail(error, PORTOLAN_BAD_OPTION, "the relation %s has a number that is out of range", all[i].name);
    return PORTOLAN_OK;
}

static enum portolan_status check_relations_view(const struct portolan_system *system, struct portolan_error *error)
{
    const struct portolan_relations *r = system->relations;
    if (!r)
        return PORTOLAN_OK;
    if (r->transitions != system->actions)
        return fail(error, PORTOLAN_BAD_OPTION, "the relations are of %u transitions, the system has %u actions",
                    r->transitions, system->actions);
    if (!r->holds || !r->guards_of.offset || !r->enablers.offset || !r->disablers.offset || !r->not_commuting.offset)
        return fail(error, PORTOLAN_BAD_OPTION, "the relations view lacks a list, or the function 'holds'");
    return PORTOLAN_OK;
}

enum portolan_status check_system(const struct portolan_system *system, struct portolan_error *error)
{
    if (!system)
        return check_pointer(system, "the system", error);
    if (system->size)
        return fail(error, PORTOLAN_BAD_OPTION, "the system was not made by portolan_system_new or portolan_open");
    bool fixed = has_fixed_actions(system);
    if (!system->initial || !system->fire || (fixed ? !system->enabled : !system->find_enabled))
        return fail(error, PORTOLAN_BAD_OPTION, "a system needs the functions 'initial', '%s' and 'fire'",
                    fixed ? "enabled" : "find_enabled");
    if (!fixed && (system->relations || system->changers.offset || system->leave_out))
        return fail(error, PORTOLAN_BAD_OPTION, "'%s' needs actions that are counted in advance",
                    system->relations         ? "relations"
                    : system->changers.offset ? "changers"
                                              : "leave_out");
    if (system->state_bytes % 8 != 0)
        return fail(error, PORTOLAN_BAD_OPTION, "state_bytes is %zu, not a multiple of 8", system->state_bytes);
    if (system->key_bytes > system->state_bytes)
        return fail(error, PORTOLAN_BAD_OPTION, "key_bytes is %zu, more than state_bytes", system->key_bytes);
    if (system->widen && !system->convert)
        return fail(error, PORTOLAN_BAD_OPTION, "a system with 'widen' needs 'convert'");
    if (system->successors && (!fixed || system->most_enabled > system->actions))
        return fail(error, PORTOLAN_BAD_OPTION,
                    "'successors' needs actions that are counted in advance, and most_enabled at most as many");
    if (system->resting && (system->resting > system->variables + system->unlisted || !system->value))
        return fail(error, PORTOLAN_BAD_OPTION, "'resting' is none of the variables");
    if (system->stated_count && !system->stated)
        return fail(error, PORTOLAN_BAD_OPTION, "the stated properties are NULL");
    if (system->footprint && !system->footprint->next)
        return fail(error, PORTOLAN_BAD_OPTION, "the footprint view needs the function 'next'");
    return check_relations_view(system, error);
}

enum portolan_status check_search_options(const struct portolan_system *system, const struct portolan_options *options,
                                          struct portolan_error *error)
{
    if (options->property_count && !options->properties)
        return check_pointer(options->properties, "the list of properties", error);
    for (size_t i = 0; i < options->property_count; i++)
        if (!options->properties[i])
            return check_pointer(options->properties[i], "a property", error);
    if (!(options->time_limit >= 0) || isinf(options->time_limit))
        return fail(error, PORTOLAN_BAD_OPTION, "the time limit is not a number of seconds");
    if ((unsigned)options->engine > PORTOLAN_NATIVE)
        return fail(error, PORTOLAN_BAD_OPTION, "unknown engine");
    if ((unsigned)options->fairness > PORTOLAN_FAIR_AGENTS)
        return fail(error, PORTOLAN_BAD_OPTION, "there is no such fairness");
    if (options->callbacks.execution && !system->footprint)
        return fail(error, PORTOLAN_REFUSED, "only a system with the footprint view has executions");
    return PORTOLAN_OK;
}
