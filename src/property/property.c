/* SPDX-License-Identifier: Apache-2.0 */
#include "property/property.h"

#include "base/enabled.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tells_live_states[] = "it distinguishes live states from deadlocks";

void portolan_property_free(struct portolan_property *property)
{
    if (!property)
        return;
    expression_free(property->expression);
    if (property->ltl)
        property->runs->free(property->ltl);
    free(property->text);
    free(property);
}

const char *portolan_property_text(const struct portolan_property *property)
{
    return !property ? "" : property->name ? property->name : property->text;
}

bool property_is_decided_by(const struct portolan_property *property, const struct portolan_system *system,
                            const void *state, bool is_deadlock)
{
    if (property->kind == PORTOLAN_NO_DEADLOCK)
        return is_deadlock && limits_stop() == PORTOLAN_COMPLETE;
    if (property->kind == PORTOLAN_NO_RACE || property_is_temporal(property))
        return false; /* two steps decide it, or a run: not a state */
    if (property->kind == PORTOLAN_MAXIMUM) {
        int64_t number;
        return !expression_number(property->expression, system, state, &number) && limits_stop() == PORTOLAN_COMPLETE;
    }
    bool holds = expression_holds(property->expression, system, state, is_deadlock);
    /* a model may give up in the middle of evaluating when a limit is reached */
    return (property->kind == PORTOLAN_INVARIANT ? !holds : holds) && limits_stop() == PORTOLAN_COMPLETE;
}

bool property_has_no_value(const struct portolan_property *property, const struct portolan_system *system,
                           const void *state, bool is_deadlock, char *text, size_t size)
{
    bool none;
    if (property->kind == PORTOLAN_NO_DEADLOCK)
        none = is_deadlock && system->why_not_final && system->why_not_final(system->model, state, text, size);
    else if (property->ltl)
        none = property->runs->why_no_value(property->ltl, system, state, is_deadlock, text, size);
    else
        none = property->expression &&
               expression_why_no_value(property->expression, system, state, is_deadlock, text, size);
    return none && limits_stop() == PORTOLAN_COMPLETE; /* or the model gave up */
}

bool property_needs_only_deadlocks(const struct portolan_property *property)
{
    switch (property->kind) {
    case PORTOLAN_NO_DEADLOCK:
    case PORTOLAN_NO_RACE: return true;
    case PORTOLAN_INVARIANT: return expression_only_fails_in_deadlocks(property->expression);
    case PORTOLAN_REACH: return expression_only_in_deadlocks(property->expression);
    case PORTOLAN_LTL:
    case PORTOLAN_AUTOMATON:
    case PORTOLAN_MAXIMUM: return false;
    }
    return false;
}

const char *property_why_every_state(const struct portolan_property *property)
{
    if (property_is_temporal(property))
        return property->runs->why_every_state(property->ltl);
    bool tells = property->expression && expression_mentions_deadlock(property->expression) &&
                 !property_needs_only_deadlocks(property);
    return tells ? tells_live_states : NULL;
}

bool property_needs_runs(const struct portolan_property *property)
{
    return property_is_temporal(property) && property->runs->needs_runs(property->ltl);
}

void property_mark_visible(const struct portolan_property *property, const struct portolan_system *system,
                           bool *visible)
{
    if (property_needs_only_deadlocks(property))
        return;
    if (!property_needs_every_state(property)) {
        if (property_is_temporal(property))
            property->runs->mark_visible(property->ltl, system, visible);
        else
            expression_mark_visible(property->expression, system, visible);
        return;
    }
    for (uint32_t action = 0; action < fixed_actions(system); action++)
        visible[action] = true;
}

void answer_withdraw(struct portolan_answer *answer, enum portolan_stop *stop)
{
    free(answer->trace);
    *answer = (struct portolan_answer){.verdict = PORTOLAN_UNKNOWN, .cycle_start = PORTOLAN_NO_CYCLE};
    snprintf(answer->note, sizeof answer->note,
             "it was decided, but a limit was reached before the trace was replayed");
    *stop = limits_stop_or_memory();
}
