/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A system whose actions nobody counts in advance: three jugs and some water.  An action is "pour so much from this jug
 * into that one", and which amounts there are shows only while the states are explored.
 *
 * The system numbers an action when it first meets it.  Searches, formulas and replaying need nothing else.
 *
 * Build against an installed library with
 *     cc on_the_fly.c $(pkg-config --cflags --libs --static portolan)
 */
#include <portolan/portolan.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JUGS = 3 };

static const unsigned char holds[JUGS] = {8, 5, 3};

struct water { /* 8 bytes: a state's size must be a multiple of 8 */
    unsigned char in[JUGS];
    unsigned char unused[8 - JUGS];
};

struct pouring {
    unsigned char from, to, amount;
    char name[32];
};

/* The actions met so far, by number.  Each is allocated for itself, so that its name stays where it is. */
struct jugs {
    struct pouring **met;
    uint32_t count;
};

static bool is_pouring(const struct pouring *p, unsigned from, unsigned to, unsigned amount)
{
    return p->from == from && p->to == to && p->amount == amount;
}

/* The number of an action, a new one when it has not been met; false when memory is exhausted. */
static bool number_of(struct jugs *jugs, unsigned from, unsigned to, unsigned amount, uint32_t *number)
{
    for (*number = 0; *number < jugs->count; ++*number)
        if (is_pouring(jugs->met[*number], from, to, amount))
            return true;
    struct pouring **more = realloc(jugs->met, (jugs->count + 1) * sizeof(struct pouring *));
    if (more)
        jugs->met = more;
    struct pouring *p = more ? malloc(sizeof *p) : NULL;
    if (!p)
        return false;
    p->from = (unsigned char)from;
    p->to = (unsigned char)to;
    p->amount = (unsigned char)amount;
    snprintf(p->name, sizeof p->name, "pour %u from %u to %u", amount, holds[from], holds[to]);
    jugs->met[jugs->count++] = p;
    return true;
}

static void initial(const void *model, void *state)
{
    (void)model;
    *(struct water *)state = (struct water){.in = {8, 0, 0}};
}

/* One pours until one jug is empty or the other full. */
static unsigned amount_between(const struct water *water, unsigned from, unsigned to)
{
    unsigned room = holds[to] - water->in[to];
    return from == to ? 0 : water->in[from] < room ? water->in[from] : room;
}

static bool find_enabled(void *model, const void *state, const struct portolan_receiver *receiver)
{
    for (unsigned from = 0; from < JUGS; from++)
        for (unsigned to = 0; to < JUGS; to++) {
            uint32_t number;
            unsigned amount = amount_between(state, from, to);
            if (amount && !(number_of(model, from, to, amount, &number) && receiver->give(receiver->user, number)))
                return false;
        }
    return true;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    const struct pouring *p = ((const struct jugs *)model)->met[action];
    struct water *next = successor;
    memcpy(next, state, sizeof *next);
    next->in[p->from] = (unsigned char)(next->in[p->from] - p->amount);
    next->in[p->to] = (unsigned char)(next->in[p->to] + p->amount);
    return PORTOLAN_FIRED;
}

static const char *action_name(const void *model, uint32_t action)
{
    const struct jugs *jugs = model;
    return action < jugs->count ? jugs->met[action]->name : NULL;
}

static const char *variable_name(const void *model, uint32_t variable)
{
    static const char *const names[JUGS] = {"large", "middle", "small"};
    (void)model;
    return names[variable];
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return ((const struct water *)state)->in[variable];
}

/* Checks one property and shows the trace that decides it. */
static bool check(struct portolan_system *system, enum portolan_kind kind, const char *text,
                  struct portolan_error *error)
{
    struct portolan_property *property;
    struct portolan_result *result;
    if (portolan_property_new(system, kind, text, &property, error) != PORTOLAN_OK)
        return false;
    const struct portolan_property *const properties[] = {property};
    struct portolan_options options = PORTOLAN_OPTIONS(.properties = properties, .property_count = 1);
    bool fine = portolan_search(system, &options, &result, error) == PORTOLAN_OK;
    if (fine) {
        const struct portolan_answer *answer = &result->answers[0];
        printf("%s: %s, %lu states\n", portolan_property_text(property),
               answer->verdict == PORTOLAN_HOLDS ? "holds" : "violated", (unsigned long)result->statistics.states);
        for (size_t i = 0; i < answer->trace_length; i++)
            printf("%s%s\n", i == answer->cycle_start ? "  repeated forever:\n  " : "  ",
                   system->action_name(system->model, answer->trace[i]));
        portolan_result_free(result);
    }
    portolan_property_free(property);
    return fine;
}

int main(void)
{
    struct jugs jugs = {0};
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    struct portolan_system mine =
        PORTOLAN_SYSTEM(.model = &jugs, .state_bytes = sizeof(struct water), .actions = PORTOLAN_ACTIONS_ON_THE_FLY,
                        .initial = initial, .find_enabled = find_enabled, .fire = fire, .action_name = action_name,
                        .variables = JUGS, .variable_name = variable_name, .value = value);
    bool fine = portolan_system_new(&mine, &system, &error) == PORTOLAN_OK &&
                check(system, PORTOLAN_REACH, "large = 4 && middle = 4", &error) &&
                check(system, PORTOLAN_INVARIANT, "large + middle + small = 8", &error) &&
                check(system, PORTOLAN_LTL, "F (small = 2)", &error);
    if (error.status != PORTOLAN_OK)
        fprintf(stderr, "%s\n", error.message);
    printf("%u actions were met\n", (unsigned)jugs.count);
    portolan_system_free(system);
    for (uint32_t i = 0; i < jugs.count; i++)
        free(jugs.met[i]);
    free(jugs.met);
    return fine ? 0 : 1;
}
