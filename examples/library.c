/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Portolan as a library: describe a system of your own, say which of its
 * actions interfere, and ask for a verdict or for a stubborn set.  The first
 * three functions are all that a system needs.
 *
 * The system: workers that share a lock.  Each goes round
 *
 *     0: prepare (touches nothing shared)   1: lock   2: use and unlock   and back to 0
 *
 * Build against an installed library with
 *     cc library.c $(pkg-config --cflags --libs portolan)
 */
#include <portolan/portolan.h>

#include <stdio.h>
#include <string.h>

enum { WORKERS = 5, PREPARE = 0, LOCK = 1, UNLOCK = 2, STEPS = 3, ACTIONS = WORKERS * STEPS };

struct workers { /* 8 bytes: a state's size must be a multiple of 8 */
    unsigned char at[WORKERS];
    unsigned char locked;
    unsigned char unused[2];
};

/* Action STEPS * w + k is step k of worker w. */
static uint32_t action_of(uint32_t worker, uint32_t step)
{
    return worker * STEPS + step;
}

static void initial(const void *model, void *state)
{
    (void)model;
    memset(state, 0, sizeof(struct workers));
}

static bool is_enabled(const struct workers *state, uint32_t action)
{
    uint32_t step = action % STEPS;
    return state->at[action / STEPS] == step && (step != LOCK || !state->locked);
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    uint32_t count = 0;
    (void)model;
    for (uint32_t action = 0; action < ACTIONS; action++)
        if (is_enabled(state, action))
            out[count++] = action;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    struct workers *next = successor;
    uint32_t step = action % STEPS;
    (void)model;
    memcpy(next, state, sizeof *next);
    if (step != PREPARE)
        next->locked = step == LOCK;
    next->at[action / STEPS] = (unsigned char)((step + 1) % STEPS);
    return PORTOLAN_FIRED;
}

/* --- the relations: one guard an action, "it is enabled" (guard g belongs to action g) */

struct lists {
    uint32_t offset[ACTIONS + 1];
    uint32_t item[ACTIONS * (WORKERS + 2)];
};

static struct lists own, enablers, disablers, none, changers;

/* Lists are filled in their order, each starting where the one before ended. */
static void start(struct lists *lists, uint32_t list)
{
    lists->offset[list + 1] = lists->offset[list];
}

static void add(struct lists *lists, uint32_t list, uint32_t item)
{
    lists->item[lists->offset[list + 1]++] = item;
}

static void fill_relations(void)
{
    for (uint32_t action = 0; action < ACTIONS; action++) {
        uint32_t worker = action / STEPS, step = action % STEPS;
        start(&own, action);
        start(&enablers, action);
        start(&disablers, action);
        add(&own, action, action);
        add(&enablers, action, action_of(worker, (step + STEPS - 1) % STEPS)); /* the step before */
        add(&disablers, action, action);                                       /* it is done */
        for (uint32_t other = 0; step == LOCK && other < WORKERS; other++)
            if (other != worker) { /* locking waits for, and is stopped by, the others */
                add(&enablers, action, action_of(other, UNLOCK));
                add(&disablers, action, action_of(other, LOCK));
            }
    }
    for (uint32_t variable = 0; variable <= WORKERS; variable++) { /* a worker's place changes by its steps */
        start(&changers, variable);
        for (uint32_t action = 0; action < ACTIONS; action++)
            if (variable == WORKERS ? action % STEPS != PREPARE : action / STEPS == variable)
                add(&changers, variable, action);
    }
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    (void)model;
    return is_enabled(state, guard);
}

/* --- variables make expressions possible */

static const char *variable_name(const void *model, uint32_t variable)
{
    static const char *const names[] = {"at0", "at1", "at2", "at3", "at4", "locked"};
    (void)model;
    return names[variable];
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return ((const unsigned char *)state)[variable];
}

static void count_deadlocks(void *user, uint32_t state, const void *bytes)
{
    (void)state;
    (void)bytes;
    ++*(unsigned *)user;
}

/* Runs one search. */
static bool run(struct portolan_system *system, const struct portolan_property *property, const char *reduction,
                struct portolan_error *error)
{
    unsigned deadlocks = 0;
    struct portolan_result *result;
    struct portolan_options options =
        PORTOLAN_OPTIONS(.reduction = reduction, .properties = &property, .property_count = 1,
                         .check_relations = true, /* slow; while the relations are young */
                         .callbacks = {.user = &deadlocks, .deadlock = count_deadlocks});
    if (portolan_search(system, &options, &result, error) != PORTOLAN_OK)
        return false;
    bool fine = result->answers[0].verdict == PORTOLAN_HOLDS;
    printf("%-9s %4lu states, %u deadlocks: '%s' %s\n", result->reduction, (unsigned long)result->statistics.states,
           deadlocks, portolan_property_text(property), fine ? "holds" : "does not hold");
    portolan_result_free(result);
    return fine;
}

static enum portolan_status make_system(struct portolan_system **system, struct portolan_error *error)
{
    fill_relations();
    struct portolan_relations relations =
        PORTOLAN_RELATIONS(.transitions = ACTIONS, .guards = ACTIONS, .guards_of = {own.offset, own.item},
                           .enablers = {enablers.offset, enablers.item},
                           .disablers = {disablers.offset, disablers.item}, .not_commuting = {none.offset, none.item},
                           .holds = holds);
    struct portolan_system mine =
        PORTOLAN_SYSTEM(.state_bytes = sizeof(struct workers), .actions = ACTIONS, .initial = initial,
                        .enabled = enabled, .fire = fire, .variables = WORKERS + 1, .variable_name = variable_name,
                        .value = value,                                                         /* for expressions */
                        .changers = {changers.offset, changers.item}, .relations = &relations); /* for reductions */
    return portolan_system_new(&mine, system, error);
}

/* A reduction without a search: what must be explored first? */
static bool show_first_set(const struct portolan_system *system, struct portolan_error *error)
{
    struct portolan_stubborn *stubborn;
    if (portolan_stubborn_new(system, NULL, &stubborn, error) != PORTOLAN_OK)
        return false;
    struct workers state;
    uint32_t set[ACTIONS];
    initial(NULL, &state);
    printf("initially %u of %u enabled actions must be explored\n",
           (unsigned)portolan_stubborn_set(stubborn, &state, set), (unsigned)enabled(NULL, &state, set));
    portolan_stubborn_free(stubborn);
    return true;
}

/* Checks one property, fully and reduced. */
static bool check(struct portolan_system *system, enum portolan_kind kind, const char *text,
                  struct portolan_error *error)
{
    struct portolan_property *property;
    if (portolan_property_new(system, kind, text, &property, error) != PORTOLAN_OK)
        return false;
    bool fine = run(system, property, "none", error) && run(system, property, "stubborn", error);
    portolan_property_free(property);
    return fine;
}

int main(void)
{
    struct portolan_error error = {0};
    struct portolan_system *system = NULL;
    bool fine = make_system(&system, &error) == PORTOLAN_OK && show_first_set(system, &error) &&
                check(system, PORTOLAN_NO_DEADLOCK, NULL, &error) &&
                check(system, PORTOLAN_INVARIANT, "!(at0 = 2 && at1 = 2)", &error);
    if (error.status != PORTOLAN_OK)
        fprintf(stderr, "%s\n", error.message);
    portolan_system_free(system);
    return fine ? 0 : 1;
}
