/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest system of one's own: two jugs that hold five and three litres, and a tap.  How does one measure four?
 * Three functions make the system; two more give its state names, so that a property can speak of it.
 *
 * Build against an installed library with
 *     cc jugs.c $(pkg-config --cflags --libs portolan)
 */
#include <portolan/portolan.h>

#include <stdio.h>

enum { FILL_LARGE, FILL_SMALL, EMPTY_LARGE, EMPTY_SMALL, POUR_INTO_SMALL, POUR_INTO_LARGE, ACTIONS };
enum { LARGE = 5, SMALL = 3 };

struct jugs { /* 8 bytes: a state's size must be a multiple of 8 */
    int32_t large, small;
};

static void initial(const void *model, void *state)
{
    (void)model;
    *(struct jugs *)state = (struct jugs){0, 0};
}

static struct jugs after(struct jugs now, uint32_t action)
{
    int32_t both = now.large + now.small;
    switch (action) {
    case FILL_LARGE: return (struct jugs){LARGE, now.small};
    case FILL_SMALL: return (struct jugs){now.large, SMALL};
    case EMPTY_LARGE: return (struct jugs){0, now.small};
    case EMPTY_SMALL: return (struct jugs){now.large, 0};
    case POUR_INTO_SMALL: return both > SMALL ? (struct jugs){both - SMALL, SMALL} : (struct jugs){0, both};
    default: return both > LARGE ? (struct jugs){LARGE, both - LARGE} : (struct jugs){both, 0};
    }
}

/* What changes something. */
static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct jugs *now = state;
    uint32_t count = 0;
    (void)model;
    for (uint32_t action = 0; action < ACTIONS; action++)
        if (after(*now, action).large != now->large || after(*now, action).small != now->small)
            out[count++] = action;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    (void)model;
    *(struct jugs *)successor = after(*(const struct jugs *)state, action);
    return PORTOLAN_FIRED;
}

static const char *variable_name(const void *model, uint32_t variable)
{
    (void)model;
    return variable ? "small" : "large";
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    const struct jugs *now = state;
    (void)model;
    return variable ? now->small : now->large;
}

static void show(const struct portolan_result *result)
{
    static const char *const names[] = {"fill the large jug",        "fill the small jug",
                                        "empty the large jug",       "empty the small jug",
                                        "pour large into small jug", "pour small into large jug"};
    const struct portolan_answer *answer = &result->answers[0];
    for (size_t i = 0; i < answer->trace_length; i++)
        printf("%s\n", names[answer->trace[i]]);
    printf("four litres after %lu states\n", (unsigned long)result->statistics.states);
}

int main(void)
{
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    struct portolan_property *property = NULL;
    struct portolan_result *result = NULL;
    struct portolan_system jugs =
        PORTOLAN_SYSTEM(.state_bytes = sizeof(struct jugs), .actions = ACTIONS, .initial = initial, .enabled = enabled,
                        .fire = fire, .variables = 2, .variable_name = variable_name, .value = value);
    enum portolan_status status = portolan_system_new(&jugs, &system, &error);
    if (status == PORTOLAN_OK)
        status = portolan_property_new(system, PORTOLAN_REACH, "large = 4", &property, &error);
    if (status == PORTOLAN_OK) {
        const struct portolan_property *const properties[] = {property};
        struct portolan_options options = PORTOLAN_OPTIONS(.properties = properties, .property_count = 1);
        status = portolan_search(system, &options, &result, &error);
    }
    if (status == PORTOLAN_OK)
        show(result);
    else
        fprintf(stderr, "%s\n", error.message);
    portolan_result_free(result);
    portolan_property_free(property);
    portolan_system_free(system);
    return status == PORTOLAN_OK ? 0 : 1;
}
