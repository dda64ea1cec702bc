/* SPDX-License-Identifier: Apache-2.0 */
#include "property/property.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "base/limits.h"
#include "system/arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the model itself states with the same expression; NULL when it does not. */
static const struct portolan_stated_property *find_stated(const struct portolan_system *system, enum portolan_kind kind,
                                                          const char *text)
{
    for (size_t i = 0; i < system->stated_count; i++)
        if ((int)kind == system->stated[i].kind && text && strcmp(text, system->stated[i].text) == 0)
            return &system->stated[i];
    return NULL;
}

/* The word for each kind, which its expression follows. */
static const char *const kind_text[] = {
    [PORTOLAN_NO_DEADLOCK] = "no deadlock",
    [PORTOLAN_INVARIANT] = "invariant",
    [PORTOLAN_REACH] = "reach",
    [PORTOLAN_NO_RACE] = "no data race",
    [PORTOLAN_LTL] = "ltl",
    [PORTOLAN_AUTOMATON] = "automaton",
};

static enum portolan_status fill(struct portolan_property *property, const struct portolan_system *system,
                                 const char *text, struct portolan_error *error)
{
    const char *word = kind_text[property->kind];
    if (property->kind == PORTOLAN_NO_DEADLOCK || property->kind == PORTOLAN_NO_RACE)
        text = NULL;
    else if (!text)
        return fail(error, PORTOLAN_BAD_INPUT, "the property '%s' needs an expression", word);
    const struct portolan_stated_property *stated = find_stated(system, property->kind, text);
    property->lasting = stated && stated->lasting;
    property->name = stated ? stated->name : NULL;
    size_t size = strlen(word) + (text ? strlen(text) + 1 : 0) + 1;
    property->text = malloc(size);
    if (!property->text)
        return fail_memory(error);
    snprintf(property->text, size, "%s%s%s", word, text ? " " : "", text ? text : "");
    if (property->kind == PORTOLAN_LTL)
        return ltl_property_of_formula(system, text, &property->ltl, error);
    if (property->kind == PORTOLAN_AUTOMATON)
        return ltl_property_of_automaton(system, text, &property->ltl, error);
    return text ? expression_parse(system, text, &property->expression, error) : PORTOLAN_OK;
}

enum portolan_status portolan_property_new(const struct portolan_system *system, enum portolan_kind kind,
                                           const char *text, struct portolan_property **property,
                                           struct portolan_error *error)
{
    if (check_pointer(property, "the place for the property", error))
        return PORTOLAN_BAD_OPTION;
    *property = NULL;
    if (check_pointer(system, "the system", error))
        return PORTOLAN_BAD_OPTION;
    if ((unsigned)kind >= sizeof kind_text / sizeof *kind_text)
        return fail(error, PORTOLAN_BAD_OPTION, "unknown kind of property");
    struct portolan_property *made = calloc(1, sizeof *made);
    if (!made)
        return fail_memory(error);
    made->kind = kind;
    enum portolan_status status = fill(made, system, text, error);
    if (limits_stop() != PORTOLAN_COMPLETE)
        status = fail_memory(error); /* something may be missing in it */
    if (status) {
        portolan_property_free(made);
        return status;
    }
    *property = made;
    return PORTOLAN_OK;
}

void portolan_property_free(struct portolan_property *property)
{
    if (!property)
        return;
    expression_free(property->expression);
    ltl_property_free(property->ltl);
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
    bool holds = expression_holds(property->expression, system, state, is_deadlock);
    /* a model may give up in the middle of evaluating when a limit is reached */
    return (property->kind == PORTOLAN_INVARIANT ? !holds : holds) && limits_stop() == PORTOLAN_COMPLETE;
}

bool property_has_no_value(const struct portolan_property *property, const struct portolan_system *system,
                           const void *state, bool is_deadlock)
{
    return property->expression &&
           expression_value(property->expression, system, state, is_deadlock) == EXPRESSION_NO_VALUE;
}

bool property_needs_only_deadlocks(const struct portolan_property *property)
{
    switch (property->kind) {
    case PORTOLAN_NO_DEADLOCK:
    case PORTOLAN_NO_RACE: return true;
    case PORTOLAN_INVARIANT: return expression_only_fails_in_deadlocks(property->expression);
    case PORTOLAN_REACH: return expression_only_in_deadlocks(property->expression);
    case PORTOLAN_LTL:
    case PORTOLAN_AUTOMATON: return false;
    }
    return false;
}

const char *property_why_every_state(const struct portolan_property *property)
{
    static const char *const live = "it tells live states from deadlocks";
    if (!property_is_temporal(property))
        return property->expression && expression_mentions_deadlock(property->expression) &&
                       !property_needs_only_deadlocks(property)
                   ? live
                   : NULL;
    if (property->ltl->stutter_invariant == LTL_NO)
        return "it can tell how often a state is repeated";
    if (property->ltl->stutter_invariant == LTL_UNKNOWN)
        return "whether it can tell how often a state is repeated is not known";
    return ltl_property_mentions_deadlock(property->ltl) ? live : NULL;
}

bool property_needs_runs(const struct portolan_property *property)
{
    return property_is_temporal(property) && property->ltl->safety != LTL_YES;
}

void property_mark_visible(const struct portolan_property *property, const struct portolan_system *system,
                           bool *visible)
{
    if (property_needs_only_deadlocks(property))
        return;
    if (!property_needs_every_state(property)) {
        if (property_is_temporal(property))
            ltl_property_mark_visible(property->ltl, system, visible);
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
    snprintf(answer->note, sizeof answer->note, "it was decided, but the limit came before the trace was replayed");
    *stop = limits_stop_or_memory();
}
