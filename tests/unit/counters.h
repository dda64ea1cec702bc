/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of expressions and properties: a small system of bounded counters. */
#ifndef TESTS_UNIT_COUNTERS_H
#define TESTS_UNIT_COUNTERS_H

#include "property/expression.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Variables x, y, "place 1" and deadlock (a name that is a keyword).  Action inc.x adds to x below 3, "dec-x"
 * takes from x above 0, move takes from x and adds to y, idle changes nothing and is always enabled while y < 2.
 */
enum { VARIABLES = 4, ACTIONS = 4 };
enum { X, Y, PLACE, DEADLOCK };
enum { INC, DEC, MOVE, IDLE };
enum { X_BELOW_3, X_ABOVE_0, Y_BELOW_2, GUARDS };

static const char *const variable_names[VARIABLES] = {"x", "y", "place 1", "deadlock"};
static const char *const action_names[ACTIONS] = {"inc.x", "dec-x", "move", "idle"};

static inline const char *variable_name(const void *model, uint32_t variable)
{
    (void)model;
    return variable_names[variable];
}

static inline const char *action_name(const void *model, uint32_t action)
{
    (void)model;
    return action_names[action];
}

static inline bool find_in(const char *const *names, uint32_t count, const char *name, uint32_t *index)
{
    for (*index = 0; *index < count; ++*index)
        if (strcmp(names[*index], name) == 0)
            return true;
    return false;
}

static inline bool find_variable(const void *model, const char *name, uint32_t *variable)
{
    (void)model;
    return find_in(variable_names, VARIABLES, name, variable);
}

static inline bool find_action(const void *model, const char *name, uint32_t *action)
{
    (void)model;
    return find_in(action_names, ACTIONS, name, action);
}

static inline int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return ((const int64_t *)state)[variable];
}

static inline bool guard_holds(const void *model, const void *state, uint32_t guard)
{
    (void)model;
    const int64_t *v = state;
    return guard == X_BELOW_3 ? v[X] < 3 : guard == X_ABOVE_0 ? v[X] > 0 : v[Y] < 2;
}

static const uint32_t guards_offset[] = {0, 1, 2, 4, 5};
static const uint32_t guards_item[] = {X_BELOW_3, X_ABOVE_0, X_ABOVE_0, Y_BELOW_2, Y_BELOW_2};
static const uint32_t enablers_offset[] = {0, 2, 3, 3};
static const uint32_t enablers_item[] = {DEC, MOVE, INC};
static const uint32_t disablers_offset[] = {0, 1, 3, 4};
static const uint32_t disablers_item[] = {INC, DEC, MOVE, MOVE};
static const uint32_t changers_offset[] = {0, 3, 4, 4, 4};
static const uint32_t changers_item[] = {INC, DEC, MOVE, MOVE};

static const struct portolan_relations relations = {
    .transitions = ACTIONS,
    .guards = GUARDS,
    .guards_of = {guards_offset, guards_item},
    .enablers = {enablers_offset, enablers_item},
    .disablers = {disablers_offset, disablers_item},
    .holds = guard_holds,
};

static inline uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t action = 0; action < ACTIONS; action++) {
        bool all = true;
        for (uint32_t i = guards_offset[action]; i < guards_offset[action + 1]; i++)
            all = all && guard_holds(model, state, guards_item[i]);
        if (all)
            out[count++] = action;
    }
    return count;
}

static inline enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    (void)model;
    int64_t *v = successor;
    memcpy(v, state, VARIABLES * sizeof *v);
    v[X] += action == INC ? 1 : action == DEC || action == MOVE ? -1 : 0;
    v[Y] += action == MOVE;
    return PORTOLAN_FIRED;
}

static inline struct portolan_system make_system(void)
{
    return (struct portolan_system){
        .name = "counters",
        .format = "test",
        .state_bytes = VARIABLES * sizeof(int64_t),
        .key_bytes = VARIABLES * sizeof(int64_t),
        .actions = ACTIONS,
        .enabled = enabled,
        .fire = fire,
        .action_name = action_name,
        .find_action = find_action,
        .variables = VARIABLES,
        .variable_name = variable_name,
        .find_variable = find_variable,
        .value = value,
        .changers = {changers_offset, changers_item},
        .relations = &relations,
    };
}

static const int64_t some_state[VARIABLES] = {2, -5, 7, 1};

static inline struct expression *parse(const struct portolan_system *system, const char *text)
{
    struct expression *expression;
    struct portolan_error error = {0};
    if (expression_parse(system, text, &expression, &error))
        fail_msg("'%.100s': %s (column %u)", text, error.message, error.column);
    return expression;
}

static inline bool holds_in(const struct portolan_system *system, const char *text, const int64_t *state,
                            bool is_deadlock)
{
    struct expression *expression = parse(system, text);
    bool result = expression_holds(expression, system, state, is_deadlock);
    expression_free(expression);
    return result;
}

#endif
