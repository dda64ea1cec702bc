/* SPDX-License-Identifier: Apache-2.0 */
/* A small system that tells the truth, and one lie of each kind about it. */
#include "system/check_relations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * Variables x, y and z.  `raise` adds to x below 2, `lower` takes from x above 0, `twice` doubles y and `more` adds
 * one to it, both while y is below 4 (so they do not commute), `idle` needs z above 0, which never is.
 */
enum { RAISE, LOWER, TWICE, MORE, IDLE, ACTIONS };
enum { X_BELOW_2, X_ABOVE_0, Y_BELOW_4, Z_ABOVE_0, GUARDS };
enum { X, Y, Z, VARIABLES };

static const char *const action_names[ACTIONS] = {"raise", "lower", "twice", "more", "idle"};
static const char *const variable_names[VARIABLES] = {"x", "y", "z"};

/* States are 8 bytes, of which the first VARIABLES count. */
enum { STATE_BYTES = 8 };

struct model {
    struct portolan_system system;
    struct portolan_relations relations;
    bool wrong_enabled; /* `idle` is said to be enabled */
    bool forgets;       /* `lower` is never enabled */
    bool narrow;        /* nothing fits */
};

static void initial(const void *model, void *state)
{
    (void)model;
    memset(state, 0, STATE_BYTES);
}

static bool holds(const void *model, const void *state, uint32_t guard)
{
    const unsigned char *v = state;
    (void)model;
    switch (guard) {
    case X_BELOW_2: return v[X] < 2;
    case X_ABOVE_0: return v[X] > 0;
    case Y_BELOW_4: return v[Y] < 4;
    default: return v[Z] > 0;
    }
}

static uint32_t enabled(const void *model, const void *state, uint32_t *out)
{
    const struct model *m = model;
    const unsigned char *v = state;
    uint32_t count = 0;
    if (v[X] < 2)
        out[count++] = RAISE;
    if (v[X] > 0 && !m->forgets)
        out[count++] = LOWER;
    if (v[Y] < 4) {
        out[count++] = TWICE;
        out[count++] = MORE;
    }
    if (v[Z] > 0 || m->wrong_enabled)
        out[count++] = IDLE;
    return count;
}

static enum portolan_fired fire(const void *model, const void *state, uint32_t action, void *successor)
{
    unsigned char *v = successor;
    if (((const struct model *)model)->narrow)
        return PORTOLAN_TOO_NARROW;
    memcpy(successor, state, STATE_BYTES);
    switch (action) {
    case RAISE: v[X]++; break;
    case LOWER: v[X]--; break;
    case TWICE: v[Y] = (unsigned char)(v[Y] * 2); break;
    case MORE: v[Y]++; break;
    default: break;
    }
    return PORTOLAN_FIRED;
}

static const char *action_name(const void *model, uint32_t action)
{
    (void)model;
    return action_names[action];
}

static const char *variable_name(const void *model, uint32_t variable)
{
    (void)model;
    return variable_names[variable];
}

static int64_t value(const void *model, const void *state, uint32_t variable)
{
    (void)model;
    return ((const unsigned char *)state)[variable];
}

/* The truth. */
static const struct portolan_lists guards_of = {(uint32_t[]){0, 1, 2, 3, 4, 5},
                                                (uint32_t[]){X_BELOW_2, X_ABOVE_0, Y_BELOW_4, Y_BELOW_4, Z_ABOVE_0}};
static const struct portolan_lists enablers = {(uint32_t[]){0, 1, 2, 2, 2}, (uint32_t[]){LOWER, RAISE}};
static const struct portolan_lists disablers = {(uint32_t[]){0, 1, 2, 4, 4}, (uint32_t[]){RAISE, LOWER, TWICE, MORE}};
static const struct portolan_lists not_commuting = {(uint32_t[]){0, 0, 0, 1, 2, 2}, (uint32_t[]){MORE, TWICE}};
static const struct portolan_lists never_together = {(uint32_t[]){0, 1, 1, 1, 1, 2}, (uint32_t[]){IDLE, RAISE}};
static const struct portolan_lists changers = {(uint32_t[]){0, 2, 4, 4}, (uint32_t[]){RAISE, LOWER, TWICE, MORE}};
/* Lists that say nothing at all. */
static const struct portolan_lists nothing = {(uint32_t[]){0, 0, 0, 0, 0, 0}, (uint32_t[]){0}};

static void tell_truth(struct model *m)
{
    memset(m, 0, sizeof *m);
    m->relations = (struct portolan_relations){.transitions = ACTIONS,
                                               .guards = GUARDS,
                                               .guards_of = guards_of,
                                               .enablers = enablers,
                                               .disablers = disablers,
                                               .not_commuting = not_commuting,
                                               .never_together = never_together,
                                               .holds = holds};
    m->system = (struct portolan_system){.model = m,
                                         .state_bytes = STATE_BYTES,
                                         .key_bytes = VARIABLES,
                                         .actions = ACTIONS,
                                         .initial = initial,
                                         .enabled = enabled,
                                         .fire = fire,
                                         .action_name = action_name,
                                         .variables = VARIABLES,
                                         .variable_name = variable_name,
                                         .value = value,
                                         .changers = changers,
                                         .relations = &m->relations};
}

/* Checks the state x = 1, y = 1. */
static enum portolan_status check_one(const struct model *m, struct portolan_error *error)
{
    struct relation_check check;
    unsigned char state[STATE_BYTES] = {1, 1};
    memset(error, 0, sizeof *error);
    enum portolan_status status = relation_check_make(&check, &m->system, error);
    if (status == PORTOLAN_OK) {
        status = check_relations(&check, state, error);
        relation_check_clear(&check);
    }
    return status;
}

static void assert_lie(const struct model *m, const char *first, const char *second)
{
    struct portolan_error error;
    assert_int_equal(check_one(m, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, first));
    assert_non_null(strstr(error.message, second));
}

static void the_truth_passes_in_every_state(void **unused)
{
    (void)unused;
    struct model m;
    struct portolan_error error;
    struct relation_check check;
    tell_truth(&m);
    assert_int_equal(relation_check_make(&check, &m.system, &error), PORTOLAN_OK);
    for (unsigned char x = 0; x <= 2; x++)
        for (unsigned char y = 0; y <= 6; y++) {
            unsigned char state[STATE_BYTES] = {x, y};
            assert_int_equal(check_relations(&check, state, &error), PORTOLAN_OK);
        }
    relation_check_clear(&check);
}

static void optional_relations_may_be_missing(void **unused)
{
    (void)unused;
    struct model m;
    struct portolan_error error;
    tell_truth(&m);
    m.relations.never_together = (struct portolan_lists){0};
    m.system.changers = (struct portolan_lists){0};
    assert_int_equal(check_one(&m, &error), PORTOLAN_OK);
    m.system.relations = NULL;
    assert_int_equal(check_one(&m, &error), PORTOLAN_REFUSED);
}

static void a_guard_that_does_not_hold_is_reported(void **unused)
{
    (void)unused;
    struct model m;
    tell_truth(&m);
    m.wrong_enabled = true;
    assert_lie(&m, "'idle' is enabled", "x = 1, y = 1");
}

static void a_disabled_action_without_a_false_guard_is_reported(void **unused)
{
    (void)unused;
    struct model m;
    tell_truth(&m);
    m.forgets = true;
    assert_lie(&m, "'lower' is disabled", "all its guards hold");
}

static void a_missing_enabler_is_reported(void **unused)
{
    (void)unused;
    struct model m;
    struct portolan_error error;
    struct relation_check check;
    unsigned char state[STATE_BYTES] = {0, 1};
    tell_truth(&m);
    m.relations.enablers = nothing;
    assert_int_equal(relation_check_make(&check, &m.system, &error), PORTOLAN_OK);
    assert_int_equal(check_relations(&check, state, &error), PORTOLAN_BAD_INPUT);
    assert_non_null(strstr(error.message, "'raise' is not declared to enable"));
    assert_non_null(strstr(error.message, "'lower'"));
    assert_non_null(strstr(error.message, "in y = 1"));
    relation_check_clear(&check);
}

static void a_missing_disabler_is_reported(void **unused)
{
    (void)unused;
    struct model m;
    tell_truth(&m);
    m.relations.disablers = nothing;
    assert_lie(&m, "'raise' is not declared to disable", "'raise'");
}

static void a_pair_that_does_not_commute_is_reported(void **unused)
{
    (void)unused;
    struct model m;
    tell_truth(&m);
    m.relations.not_commuting = nothing;
    assert_lie(&m, "'twice' is declared to commute", "'more'");
}

static void a_pair_enabled_together_is_reported(void **unused)
{
    (void)unused;
    const struct portolan_lists wrong = {(uint32_t[]){0, 1, 2, 2, 2, 2}, (uint32_t[]){LOWER, RAISE}};
    struct model m;
    tell_truth(&m);
    m.relations.never_together = wrong;
    assert_lie(&m, "'raise' is enabled together with", "'lower'");
}

static void a_missing_changer_is_reported(void **unused)
{
    (void)unused;
    const struct portolan_lists wrong = {(uint32_t[]){0, 1, 3, 3}, (uint32_t[]){RAISE, TWICE, MORE}};
    struct model m;
    tell_truth(&m);
    m.system.changers = wrong;
    assert_lie(&m, "'lower' changes a variable", "changer");
}

static void a_relation_that_is_not_symmetric_is_reported(void **unused)
{
    (void)unused;
    const struct portolan_lists wrong = {(uint32_t[]){0, 0, 0, 1, 1, 1}, (uint32_t[]){MORE}};
    struct model m;
    tell_truth(&m);
    m.relations.not_commuting = wrong;
    assert_lie(&m, "not_commuting", "not symmetric");
    tell_truth(&m);
    m.relations.never_together = wrong;
    assert_lie(&m, "never_together", "not symmetric");
}

static void an_entry_out_of_range_is_reported(void **unused)
{
    (void)unused;
    const struct portolan_lists wrong = {(uint32_t[]){0, 1, 1, 1, 1, 1}, (uint32_t[]){ACTIONS}};
    const struct portolan_lists backwards = {(uint32_t[]){1, 0, 0, 0, 0, 0}, (uint32_t[]){0}};
    struct model m;
    tell_truth(&m);
    m.relations.enablers = wrong;
    assert_lie(&m, "enablers", "out of range");
    tell_truth(&m);
    m.relations.guards_of = backwards;
    assert_lie(&m, "guards_of", "ends before it starts");
    tell_truth(&m);
    m.relations.disablers = (struct portolan_lists){0};
    assert_lie(&m, "disablers", "missing");
    tell_truth(&m);
    m.relations.transitions--;
    assert_lie(&m, "transitions", "actions");
}

static void successors_that_do_not_fit_are_passed_by(void **unused)
{
    (void)unused;
    struct model m;
    struct portolan_error error;
    tell_truth(&m);
    m.relations.disablers = nothing;
    m.narrow = true;
    assert_int_equal(check_one(&m, &error), PORTOLAN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_truth_passes_in_every_state),
        cmocka_unit_test(optional_relations_may_be_missing),
        cmocka_unit_test(a_guard_that_does_not_hold_is_reported),
        cmocka_unit_test(a_disabled_action_without_a_false_guard_is_reported),
        cmocka_unit_test(a_missing_enabler_is_reported),
        cmocka_unit_test(a_missing_disabler_is_reported),
        cmocka_unit_test(a_pair_that_does_not_commute_is_reported),
        cmocka_unit_test(a_pair_enabled_together_is_reported),
        cmocka_unit_test(a_missing_changer_is_reported),
        cmocka_unit_test(a_relation_that_is_not_symmetric_is_reported),
        cmocka_unit_test(an_entry_out_of_range_is_reported),
        cmocka_unit_test(successors_that_do_not_fit_are_passed_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
