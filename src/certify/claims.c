/* SPDX-License-Identifier: Apache-2.0 */
#include "certify/claims.h"

#include "base/diagnostic.h"
#include "base/enabled.h"
#include "certify/certify.h"
#include "certify/goal.h"
#include "ltl/automaton.h"
#include "property/property.h"

#include <string.h>

const char *const cycles_word[] = {
    [CYCLES_FREE] = "free", [CYCLES_SAFETY] = "safety", [CYCLES_LIVENESS] = "liveness", NULL};

char *certificate_claim(const struct portolan_property *property)
{
    const char *text = property->text, *expression = strchr(text, ' ');
    char *claim = NULL;
    if (property->kind != PORTOLAN_REACH || !expression)
        return strdup(text);
    size_t size = strlen("never") + strlen(expression) + 1;
    claim = malloc(size);
    if (claim)
        snprintf(claim, size, "never%s", expression);
    return claim;
}

/* The part behind a word and a blank, NULL when the text begins otherwise. */
static const char *behind(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && text[length] == ' ' ? text + length + 1 : NULL;
}

static enum portolan_status read_property(struct claim *claim, const struct portolan_system *system,
                                          enum portolan_kind kind, const char *expression, struct portolan_error *error)
{
    enum portolan_status status = portolan_property_new(system, kind, expression, &claim->property, error);
    if (status == PORTOLAN_OK)
        claim->needs = property_needs_only_deadlocks(claim->property) ? CYCLES_FREE : CYCLES_SAFETY;
    return status;
}

/* A safety property fails after finitely many steps, which the safety form keeps in their visible order. */
static enum portolan_status read_formula(struct claim *claim, const struct portolan_system *system, const char *formula,
                                         struct portolan_error *error)
{
    enum ltl_answer safety;
    claim->ltl = calloc(1, sizeof *claim->ltl);
    if (!claim->ltl || !ltl_init(claim->ltl)) {
        free(claim->ltl);
        claim->ltl = NULL;
        return fail_memory(error);
    }
    enum portolan_status status = ltl_parse(claim->ltl, system, "<formula>", formula, &claim->formula, error);
    if (status == PORTOLAN_OK)
        status = ltl_safety(claim->ltl, claim->formula, &safety, error);
    if (status == PORTOLAN_OK)
        claim->needs = safety == LTL_YES ? CYCLES_SAFETY : CYCLES_LIVENESS;
    return status ? status : ltl_overlook(claim->ltl, system, error);
}

static enum portolan_status read_claim(struct claim *claim, const struct portolan_system *system,
                                       struct portolan_error *error)
{
    const char *text = claim->text, *rest;
    if (strcmp(text, "no deadlock") == 0)
        return read_property(claim, system, PORTOLAN_NO_DEADLOCK, NULL, error);
    if ((rest = behind(text, "invariant")) != NULL)
        return read_property(claim, system, PORTOLAN_INVARIANT, rest, error);
    if ((rest = behind(text, "never")) != NULL)
        return read_property(claim, system, PORTOLAN_REACH, rest, error);
    if ((rest = behind(text, "ltl")) != NULL)
        return read_formula(claim, system, rest, error);
    return fail(error, PORTOLAN_BAD_INPUT, "'%.200s' cannot be certified", text);
}

/* `deadlock` in a formula tells live states from others everywhere: then every action matters. */
static void mark_formula(const struct claim *claim, const struct portolan_system *system, bool *visible)
{
    for (size_t i = 0; i < claim->ltl->atoms.count; i++) {
        const struct expression *atom = claim->ltl->atoms.item[i].expression;
        if (expression_mentions_deadlock(atom))
            memset(visible, true, system->actions * sizeof *visible);
        else
            expression_mark_visible(atom, system, visible);
    }
}

static void clear_claim(struct claim *claim)
{
    free(claim->text);
    portolan_property_free(claim->property);
    if (claim->ltl)
        ltl_clear(claim->ltl);
    free(claim->ltl);
    if (claim->goal)
        goal_clear(claim->goal);
    free(claim->goal);
    free(claim->letters.item);
}

enum portolan_status claims_add(struct claims *claims, const struct portolan_system *system, const char *text,
                                struct portolan_error *error)
{
    if (!has_fixed_actions(system))
        return fail(error, PORTOLAN_REFUSED,
                    "a certificate names every action, so the actions must be known in advance");
    struct claim claim = {.text = strdup(text)};
    enum portolan_status status = claim.text ? read_claim(&claim, system, error) : fail_memory(error);
    if (status == PORTOLAN_OK && claim.needs != CYCLES_FREE && !claims->visible) {
        claims->visible = calloc((size_t)system->actions + 1, sizeof *claims->visible);
        status = claims->visible ? PORTOLAN_OK : fail_memory(error);
    }
    if (status == PORTOLAN_OK && !vector_push(&claims->list, claim))
        status = fail_memory(error);
    if (status != PORTOLAN_OK) {
        clear_claim(&claim);
        return status;
    }
    if (claim.needs > claims->needs)
        claims->needs = claim.needs;
    if (claim.ltl)
        mark_formula(&claim, system, claims->visible);
    else if (claim.needs != CYCLES_FREE)
        property_mark_visible(claim.property, system, claims->visible);
    return PORTOLAN_OK;
}

bool claims_seek(struct claims *claims, const struct portolan_system *system)
{
    for (size_t i = 0; i < claims->list.count; i++) {
        struct claim *claim = &claims->list.item[i];
        claim->goal = calloc(1, sizeof *claim->goal);
        if (!claim->goal || !goal_make(claim->goal, system, claim))
            return false;
    }
    return true;
}

bool claims_are_of_states(const struct claims *claims)
{
    for (size_t i = 0; i < claims->list.count; i++)
        if (claims->list.item[i].ltl || claims->list.item[i].needs == CYCLES_FREE)
            return false;
    return true;
}

const struct claim *claims_unmet(const struct claims *claims, const struct states *states, const struct goal_set *set)
{
    for (size_t i = 0; i < claims->list.count; i++)
        if (!goal_is_met(claims->list.item[i].goal, states, set))
            return &claims->list.item[i];
    return NULL;
}

enum portolan_status certificate_allows(const struct portolan_system *system, const char *claim,
                                        struct portolan_error *error)
{
    struct claims claims = {0};
    enum portolan_status status = claims_add(&claims, system, claim, error);
    claims_clear(&claims);
    return status;
}

void claims_clear(struct claims *claims)
{
    for (size_t i = 0; i < claims->list.count; i++)
        clear_claim(&claims->list.item[i]);
    free(claims->list.item);
    free(claims->visible);
    memset(claims, 0, sizeof *claims);
}
