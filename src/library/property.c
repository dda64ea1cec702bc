/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a property: the table of kinds. */
#include "property/property.h"

#include "base/diagnostic.h"
#include "base/limits.h"
#include "ltl/ltl_property.h"
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
    [PORTOLAN_MAXIMUM] = "maximum",
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
    property->runs = &ltl_property_class;
    if (property->kind == PORTOLAN_LTL)
        return ltl_property_of_formula(system, text, &property->ltl, error);
    if (property->kind == PORTOLAN_AUTOMATON)
        return ltl_property_of_automaton(system, text, &property->ltl, error);
    if (property->kind == PORTOLAN_MAXIMUM)
        return expression_parse_number(system, text, &property->expression, error);
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
    if (kind == PORTOLAN_NO_DEADLOCK && system->never_ends) {
        free(made);
        fail(error, PORTOLAN_REFUSED, "deadlocks are not looked for in a model that has a claim within it");
        hint(error, "as in Spin the claim is part of the model; without it, deadlocks can be asked for");
        return PORTOLAN_REFUSED;
    }
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
