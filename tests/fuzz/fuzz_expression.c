/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libFuzzer target: any text is parsed or refused, and a parsed expression
 * evaluates without undefined behaviour and as its deadlock analyses promise.
 */
#include "property/expression.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VARIABLES = 3, ACTIONS = 3 };

static const char *const variable_names[VARIABLES] = {"x", "p.1", "a b"};
static const char *const action_names[ACTIONS] = {"t", "u", "t-u"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *variable_name(const void *model, uint32_t variable)
{
    (void)model;
    return variable_names[variable];
}

static const char *action_name(const void *model, uint32_t action)
{
    (void)model;
    return action_names[action];
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return ((const int64_t *)state)[variable];
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    (void)model;
    uint32_t count = 0;
    for (uint32_t action = 0; action < ACTIONS; action++)
        if (((const int64_t *)state)[action] > 0)
            out[count++] = action;
    return count;
}

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void evaluate(const struct expression *expression, const struct portolan_system *system)
{
    static const int64_t states[][VARIABLES] = {{0, 1, 2}, {INT64_MAX, INT64_MIN, -1}, {-7, 3, INT64_MAX}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        bool alive = expression_holds(expression, system, states[i], false);
        bool dead = expression_holds(expression, system, states[i], true);
        require(!alive || !expression_only_in_deadlocks(expression));
        require(alive || !expression_only_fails_in_deadlocks(expression));
        require(alive == dead || expression_mentions_deadlock(expression));
    }
    bool visible[ACTIONS] = {false};
    expression_mark_visible(expression, system, visible);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct portolan_system system = {.actions = ACTIONS,
                                           .enabled = enabled,
                                           .action_name = action_name,
                                           .variables = VARIABLES,
                                           .variable_name = variable_name,
                                           .value = value};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    struct expression *expression;
    struct portolan_error error = {0};
    if (expression_parse(&system, text, &expression, &error) == PORTOLAN_OK)
        evaluate(expression, &system);
    else
        require(error.status == PORTOLAN_BAD_INPUT && error.message[0] && error.line && error.column);
    expression_free(expression);
    free(text);
    return 0;
}
