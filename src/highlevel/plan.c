/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order the variables of a transition are bound: as joins of databases are ordered, by what is known already.
 * Whatever can be tested is tested at once; a pattern of which everything is known is looked up; then come the
 * patterns of which most is known, and those that bind without knowing anything only when nothing else is left.
 */
#include "highlevel/binder.h"

#include "base/limits.h"

#include <string.h>

struct planning {
    struct binder *binder;
    const struct rule *rule;
    struct plan *plan;
    bool *is_known;   /* per variable */
    bool *is_matched; /* per pattern */
    bool *is_checked; /* per part of the guard */
};

static bool knows(const struct planning *p, const struct formula *formula)
{
    for (uint32_t i = 0; i < formula->use_count; i++)
        if (!p->is_known[formula->uses[i]])
            return false;
    return true;
}

static struct step *add_step(struct planning *p, enum step_kind kind, uint32_t number)
{
    struct step *step = &p->plan->step[p->plan->steps++];
    step->kind = kind;
    step->number = number;
    return step;
}

/* ------------------------------------------------------------------ matching */

/* How many components are keys; UINT32_MAX when one could only be compared later. */
static uint32_t known_components(const struct planning *p, const struct pattern *pattern)
{
    uint32_t keys = 0;
    for (uint32_t c = 0; c < pattern->components; c++) {
        if (knows(p, &pattern->component[c].value))
            keys++;
        else if (pattern->component[c].variable == NO_VARIABLE)
            return UINT32_MAX;
    }
    return keys;
}

static enum role choose_role(const struct planning *p, const struct pattern *pattern, uint32_t number)
{
    const struct component *component = &pattern->component[number];
    if (knows(p, &component->value))
        return ROLE_KEY;
    if (component->variable == NO_VARIABLE)
        return ROLE_LATER;
    for (uint32_t c = 0; c < number; c++)
        if (pattern->component[c].variable == component->variable)
            return ROLE_SAME;
    return ROLE_BIND;
}

/* Keys that do not tell the whole token get an index. */
static bool choose_index(struct planning *p, const struct pattern *pattern, struct step *step)
{
    uint32_t keys = 0;
    uint32_t *key = calloc(pattern->components + 1, sizeof *key);
    for (uint32_t c = 0; key && c < pattern->components; c++)
        if (step->role[c] == ROLE_KEY)
            key[keys++] = c;
    step->is_look_up = keys == pattern->components;
    bool wants = key && keys && !step->is_look_up;
    if (wants)
        step->index = token_index_for(&p->binder->indexes, p->binder->tokens, pattern->place, key, keys);
    free(key);
    return key && (!wants || step->index);
}

static bool plan_match(struct planning *p, uint32_t number)
{
    const struct pattern *pattern = &p->rule->pattern[number];
    struct step *step = add_step(p, STEP_MATCH, number);
    struct arena *arena = &p->binder->arena;
    step->role = arena_get(arena, pattern->components + 1);
    step->is_wild = arena_get(arena, (pattern->components + 1) * sizeof *step->is_wild);
    step->key = arena_get(arena, (tuple_cells(p->binder->net, pattern->place) + 1) * sizeof *step->key);
    if (!step->role || !step->is_wild || !step->key)
        return false;
    for (uint32_t c = 0; c < pattern->components; c++)
        step->role[c] = choose_role(p, pattern, c);
    if (!choose_index(p, pattern, step))
        return false;
    for (uint32_t c = 0; c < pattern->components; c++)
        if (step->role[c] == ROLE_BIND)
            p->is_known[pattern->component[c].variable] = true;
    p->is_matched[number] = true;
    return true;
}

/* The pattern of which most is known; all of it is better than anything.  NO_PATTERN: none knows that much. */
static uint32_t best_pattern(const struct planning *p, uint32_t at_least)
{
    uint32_t best = NO_PATTERN, most = 0;
    for (uint32_t i = 0; i < p->rule->patterns; i++) {
        if (p->is_matched[i])
            continue;
        uint32_t keys = known_components(p, &p->rule->pattern[i]);
        if (keys == UINT32_MAX)
            continue;
        if (keys == p->rule->pattern[i].components)
            return i;
        if (keys >= at_least && (best == NO_PATTERN || keys > most)) {
            best = i;
            most = keys;
        }
    }
    return best;
}

static uint32_t any_pattern(const struct planning *p)
{
    for (uint32_t i = 0; i < p->rule->patterns; i++)
        if (!p->is_matched[i])
            return i;
    return NO_PATTERN;
}

/* ------------------------------------------------------------------ tests */

/* Can it be evaluated whatever its variables are?  As far as that is plain to see. */
static bool never_fails(const struct planning *p, const struct node *node)
{
    if (!node)
        return true;
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_CONSTANT:
    case NODE_LOCAL: return true;
    case NODE_BINARY:
        if (node->operation < OPERATION_EQUAL)
            return false;
        break;
    case NODE_UNARY:
        if (node->operation != OPERATION_NOT)
            return false;
        break;
    case NODE_EQUAL:
    case NODE_FIELD:
    case NODE_PART:
    case NODE_CONDITIONAL: break;
    default: return false;
    }
    return !node->next && never_fails(p, node->a) && never_fails(p, node->b) && never_fails(p, node->c);
}

static bool is_safe_check(const struct planning *p, const struct formula *check)
{
    for (uint32_t i = 0; i < check->use_count; i++) {
        enum variable_source source = p->rule->transition->variables.item[check->uses[i]].source;
        if (source == VARIABLE_LET || source == VARIABLE_PICK)
            return false;
    }
    return never_fails(p, check->node);
}

/* Parts that may fail keep their place among the others: "x != 0 and 6 / x = 2" never fails, the other way round it
 * does. */
static void plan_checks(struct planning *p)
{
    for (uint32_t i = 0; i < p->rule->checks; i++) {
        const struct formula *check = &p->rule->check[i];
        if (p->is_checked[i])
            continue;
        if (knows(p, check)) {
            add_step(p, STEP_CHECK, i);
            p->is_checked[i] = true;
        } else if (!is_safe_check(p, check)) {
            return;
        }
    }
}

/* Components of matched patterns that have become known. */
static void plan_comparisons(struct planning *p)
{
    for (uint32_t s = 0, end = p->plan->steps; s < end; s++) {
        struct step *match = &p->plan->step[s];
        for (uint32_t c = 0; match->kind == STEP_MATCH && c < p->rule->pattern[match->number].components; c++) {
            if (match->role[c] != ROLE_LATER || match->is_wild[c] ||
                !knows(p, &p->rule->pattern[match->number].component[c].value))
                continue;
            match->is_wild[c] = true; /* planned; cleared in the end */
            add_step(p, STEP_COMPARE, match->number)->component = c;
        }
    }
}

/* ------------------------------------------------------------------ other variables */

enum others { LETS, PICKS_AND_FREE, REST }; /* the rest: those that no pattern has bound */

static bool is_among(enum variable_source source, enum others others)
{
    return others == LETS             ? source == VARIABLE_LET
           : others == PICKS_AND_FREE ? source == VARIABLE_PICK || source == VARIABLE_FREE
                                      : source != VARIABLE_LET;
}

static bool plan_variable(struct planning *p, enum others others)
{
    const struct colour_transition *transition = p->rule->transition;
    for (uint32_t v = 0; v < transition->variables.count; v++) {
        enum variable_source source = transition->variables.item[v].source;
        if (p->is_known[v] || !is_among(source, others) || !knows(p, &p->rule->value[v]))
            continue;
        add_step(p, source == VARIABLE_LET ? STEP_LET : STEP_EACH, v);
        p->is_known[v] = true;
        return true;
    }
    return false;
}

static bool plan_next(struct planning *p, bool *fine)
{
    uint32_t pattern = best_pattern(p, 1);
    if (pattern == NO_PATTERN && plan_variable(p, LETS))
        return true;
    if (pattern == NO_PATTERN)
        pattern = best_pattern(p, 0);
    if (pattern == NO_PATTERN && plan_variable(p, PICKS_AND_FREE))
        return true;
    if (pattern == NO_PATTERN)
        pattern = any_pattern(p);
    if (pattern == NO_PATTERN)
        return plan_variable(p, REST);
    *fine = plan_match(p, pattern);
    return *fine;
}

static bool make_plan(struct planning *p, uint32_t first)
{
    bool fine = first == NO_PATTERN || plan_match(p, first);
    do {
        plan_checks(p);
        plan_comparisons(p);
        fine = fine && !limits_reached();
    } while (fine && plan_next(p, &fine));
    for (uint32_t s = 0; s < p->plan->steps; s++)
        for (uint32_t c = 0;
             p->plan->step[s].kind == STEP_MATCH && c < p->rule->pattern[p->plan->step[s].number].components; c++)
            p->plan->step[s].is_wild[c] = false;
    return fine;
}

static uint32_t most_steps(const struct rule *rule)
{
    uint32_t most = rule->patterns + rule->checks + (uint32_t)rule->transition->variables.count;
    for (uint32_t i = 0; i < rule->patterns; i++)
        most += rule->pattern[i].components;
    return most;
}

struct plan *plan_for(struct binder *binder, struct rule *rule, uint32_t first)
{
    struct plan *plan = &rule->plan[first == NO_PATTERN ? rule->patterns : first];
    if (plan->step)
        return plan;
    struct planning p = {.binder = binder, .rule = rule, .plan = plan};
    size_t variables = rule->transition->variables.count;
    bool *flags = calloc(variables + rule->patterns + rule->checks + 1, sizeof *flags);
    plan->step = arena_get(&binder->arena, (most_steps(rule) + 1) * sizeof *plan->step);
    p.is_known = flags;
    p.is_matched = flags + variables;
    p.is_checked = p.is_matched + rule->patterns;
    bool fine = flags && plan->step && make_plan(&p, first);
    free(flags);
    if (!fine)
        *plan = (struct plan){0};
    return fine ? plan : NULL;
}
