/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates: valid ones are accepted, each way of tampering is refused for the right reason. */
#include "support.h"

#include "certify/certify.h"

#include <stdio.h>

/* token-ring 2: two stations; the states in words are not needed, firing gives them. */
static const char ring[] = "portolan certificate 1\n"
                           "model token-ring-2\n"
                           "claim invariant critical_1 + critical_2 <= 1\n"
                           "cycles safety\n"
                           "actions 8\n"
                           "a0 want_1\n"
                           "a1 enter_1\n"
                           "a2 leave_1\n"
                           "a3 pass_1\n"
                           "a4 want_2\n"
                           "a5 enter_2\n"
                           "a6 leave_2\n"
                           "a7 pass_2\n"
                           "t0 3 0\n"
                           "s0 r2 t0 0>1 3>2\n"
                           "t1 1 2/4 3/2 5/1 6/7\n"
                           "s1 r3 t1 1>3\n"
                           "t2 4 7\n"
                           "s2 r1 t2 4>4 7>0\n"
                           "t3 2 1/0 3/0 5/1 6/7 7/1\n"
                           "s3 r2 t3 2>2\n"
                           "s4 r0 * 0>5 5>6\n"
                           "s5 r0 * 5>7\n"
                           "s6 r0 * 0>7 6>0\n"
                           "s7 r0 * 6>1\n"
                           "end 8 12\n";

/* The same by goal-directed sets. */
static const char directed[] = "portolan certificate 1\n"
                               "model token-ring-2\n"
                               "claim invariant critical_1 + critical_2 <= 1\n"
                               "cycles safety\n"
                               "actions 8\n"
                               "a0 want_1\n"
                               "a1 enter_1\n"
                               "a2 leave_1\n"
                               "a3 pass_1\n"
                               "a4 want_2\n"
                               "a5 enter_2\n"
                               "a6 leave_2\n"
                               "a7 pass_2\n"
                               "g0 0 3 1/3 2/4 5/1\n"
                               "s0 r0 g0 0>1 3>2\n"
                               "g1 1 2/4 3/2 5/1\n"
                               "s1 r0 g1 1>3\n"
                               "g2 4 7 1/0 5/6 6/7\n"
                               "s2 r0 g2 4>4 7>0\n"
                               "g3 2 0/2 1/3 3/2 5/1\n"
                               "s3 r0 g3 2>2\n"
                               "g4 5 1/0 6/7 7/5\n"
                               "s4 r0 g4 5>5\n"
                               "g5 6 1/0 4/5 5/6 7/5\n"
                               "s5 r0 g5 6>0\n"
                               "end 6 8\n";

/* weak-safety: what a search explores that takes any way to a fully expanded state for a way along keys. */
static const char weak[] = "portolan certificate 1\n"
                           "model weak-safety\n"
                           "claim never bad = 1\n"
                           "cycles safety\n"
                           "actions 4\n"
                           "a0 turn\n"
                           "a1 fail\n"
                           "a2 take\n"
                           "a3 spin\n"
                           "t0 3 2\n"
                           "s0 r1 t0 2>1 3>0\n"
                           "s1 r0 * 0>2\n"
                           "s2 r0 *\n"
                           "end 3 3\n";

static enum portolan_status check(struct portolan_system *system, const char *text, struct portolan_error *error)
{
    struct certificate_report report;
    FILE *in = fmemopen((void *)text, strlen(text), "r");
    assert_non_null(in);
    enum portolan_status status = certificate_check(system, "test", in, &report, error);
    if (status == PORTOLAN_OK)
        certificate_report_clear(&report);
    fclose(in);
    return status;
}

static void expect(struct portolan_system *system, const char *text, enum portolan_status wanted, const char *message)
{
    struct portolan_error error = {0};
    enum portolan_status status = check(system, text, &error);
    if (status != wanted || !strstr(error.message, message))
        fail_msg("status %d, not %d: '%s' is not '%s' in\n%s", status, wanted, error.message, message, text);
}

/* The text with one part, which must be there, put in place of another. */
static char *changed(const char *text, const char *old, const char *new)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    char *result = calloc(1, strlen(text) + strlen(new) + 1);
    assert_non_null(result);
    memcpy(result, text, (size_t)(at - text));
    strcat(result, new);
    strcat(result, at + strlen(old));
    return result;
}

static struct portolan_system *opened(const char *path)
{
    struct portolan_system *system;
    assert_int_equal(portolan_open(path, &system, NULL), PORTOLAN_OK);
    return system;
}

static void test_tampering(void **state)
{
    static const struct {
        const char *old, *new, *message;
    } tampered[] = {
        /* edges */
        {"s1 r3 t1 1>3", "s1 r3 t1", "state 1: 'enter_1' is in set 1 and not explored"},
        {"s4 r0 * 0>5 5>6", "s4 r0 * 0>5", "state 4 is not fully expanded: 1 of 2 enabled actions"},
        {"s7 r0 * 6>1", "s7 r0 * 6>2", "state 7: 'leave_2' does not lead to state 2"},
        {"s7 r0 * 6>1", "s7 r0 * 6>9", "state 7: 'leave_2' leads to state 9, but the next new one is 8"},
        {"s7 r0 * 6>1", "s7 r0 * 6>1 6>1", "state 7: 'leave_2' is listed twice"},
        {"s7 r0 * 6>1", "s7 r0 * 6>1 0>1", "state 7: 'want_1' is not enabled"},
        /* states */
        {"s5 r0 * 5>7\n", "", "state 6 was found where state 5 was expected"},
        {"s7 r0 * 6>1\n", "", "state 7 is reached, but not described"},
        {"s7 r0 * 6>1\n", "s7 r0 * 6>1\ns8 r0 *\n", "state 8 has not been reached"},
        {"end 8 12", "end 8 13", "there are 8 states and 12 edges, not 8 and 13"},
        /* sets */
        {"t1 1 2/4 3/2", "t1 1 3/2", "'enter_1' is visible, and so is 'leave_1', which is not in it"},
        {"t0 3 0\n", "t0 3\n", "'pass_1' is the key and may be disabled by 'want_1', which is not in it"},
        {"t0 3 0\n", "t0 0\n", "'want_1' may disable 'pass_1', which is not in it"},
        {"t3 2 1/0 3/0 5/1 6/7 7/1", "t3 2 1/0 3/0 5/1 6/7",
         "'enter_1' may be enabled by 'pass_2', which is not in it"},
        {"t0 3 0\n", "t0\n", "set 0 has no key"},
        {"t1 1 2/4", "t1 1 2/5", "'leave_1' has no guard 5"},
        {"s7 r0 *", "s7 r0 t9", "state 7: set 9 has not been listed"},
        {"s1 r3 t1 1>3", "s1 r3 t3 1>3", "state 1: 'leave_1' is in set 3 and not explored"},
        {"s3 r2 t3 2>2", "s3 r2 t1 2>2", "state 3: 'enter_1' is in set 1 and not explored"},
        /* ranks */
        {"s0 r2", "s0 r1", "the rank does not fall from state 0 to state 2"},
        {"s2 r1", "s2 r2", "the rank does not fall from state 0 to state 2"},
        {"t2 4 7\n", "t2 7 4\n", "the rank does not fall from state 2 to state 0"},
        {"cycles safety", "cycles liveness", "the rank does not fall from state 0 to state 1"},
        {"cycles safety", "cycles free", "the claims need the cycle condition 'safety', not 'free'"},
        /* claims */
        {"<= 1\n", "<= 0\n", "'invariant critical_1 + critical_2 <= 0' is false in state 3"},
        {"invariant critical_1 + critical_2 <= 1", "never critical_1 = 1",
         "'never critical_1 = 1' is false in state 3"},
        {"critical_1 + critical_2 <= 1", "wants_1 + critical_1 <= 1", "is visible, and so is"},
        /* the model */
        {"actions 8", "actions 7", "the certificate has 7 actions, the model 8"},
        {"a3 pass_1", "a3 pass_9", "action 3 of the model is 'pass_1', not 'pass_9'"},
    };
    (void)state;
    struct portolan_system *system = system_of_family("token-ring", 2);
    expect(system, ring, PORTOLAN_OK, "");
    for (size_t i = 0; i < sizeof tampered / sizeof *tampered; i++) {
        char *text = changed(ring, tampered[i].old, tampered[i].new);
        /* a set that is listed after the state that uses it, has to come first */
        if (strstr(tampered[i].new, "s1 r3 t3")) {
            char *without = changed(text, "t3 2 1/0 3/0 5/1 6/7 7/1\n", "");
            free(text);
            text =
                changed(without, "t1 1 2/4 3/2 5/1 6/7\n", "t1 1 2/4 3/2 5/1 6/7\nt2 4 7\nt3 2 1/0 3/0 5/1 6/7 7/1\n");
            free(without);
        }
        expect(system, text, PORTOLAN_REFUSED, tampered[i].message);
        free(text);
    }
    portolan_system_free(system);
}

static void test_goal_directed(void **state)
{
    static const struct {
        const char *old, *new, *message;
    } tampered[] = {
        /* every attractor must be there, and what it needs: enter_1 and enter_2 add to the sum */
        {"g0 0 3 1/3 2/4 5/1", "g0", "state 0: something outside of set 0 may lead to where 'invariant"},
        {"g1 1 2/4 3/2 5/1", "g1 1 2/4 3/2", "may lead to where 'invariant critical_1 + critical_2 <= 1' is false"},
        {"g3 2 0/2 1/3 3/2 5/1", "g3 5/1", "'enter_2' may be enabled by 'leave_1', which is not in it"},
        {"g0 0 3 1/3 2/4 5/1", "g0 3 1/3 2/4 5/1", "'enter_1' may be enabled by 'want_1', which is not in it"},
        {"g0 0 3 1/3", "g0 0 3 1/0", "'enter_1' may be enabled by 'leave_2', which is not in it"},
        {"s1 r0 g1 1>3", "s1 r0 g1", "state 1: 'enter_1' is in set 1 and not explored"},
        /* what is not listed as directed does not count as such, and the other way round */
        {"s1 r0 g1", "s1 r0 t1", "state 1: set 1 has not been listed"},
        {"g0 0 3 1/3 2/4 5/1\ns0 r0 g0", "t0 3 0\ns0 r0 g0", "state 0: set 0 has not been listed"},
        /* other claims */
        {"invariant critical_1 + critical_2 <= 1", "no deadlock", "proves nothing of deadlocks and runs"},
        {"invariant critical_1 + critical_2 <= 1", "ltl G !(critical_1 > 1)", "proves nothing of deadlocks and runs"},
        {"invariant critical_1 + critical_2 <= 1", "never token_1 + token_2 > 1", "may lead to where 'never"},
    };
    (void)state;
    struct portolan_system *system = system_of_family("token-ring", 2);
    expect(system, directed, PORTOLAN_OK, "");
    for (size_t i = 0; i < sizeof tampered / sizeof *tampered; i++) {
        char *text = changed(directed, tampered[i].old, tampered[i].new);
        expect(system, text, PORTOLAN_REFUSED, tampered[i].message);
        free(text);
    }
    portolan_system_free(system);
}

/* A set may have more members than it must; a guard that holds is no reason to be disabled. */
static void test_disabled_members(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("token-ring", 2);
    char *more = changed(ring, "t0 3 0\n", "t0 3 0 1/3\n");
    expect(system, more, PORTOLAN_OK, "");
    free(more);
    char *holds = changed(ring, "t0 3 0\n", "t0 3 0 1/0 2/4 5/1 6/7 7/1\n");
    expect(system, holds, PORTOLAN_REFUSED, "state 0: guard 0 of 'enter_1' is not false, as set 0 says");
    free(holds);
    portolan_system_free(system);
}

static void test_broken_texts(void **state)
{
    static const struct {
        const char *old, *new, *message;
        unsigned line, column;
    } broken[] = {
        {"certificate 1", "certificate 2", "expected 'portolan certificate 1'", 1, 1},
        {"end 8 12\n", "", "the certificate ends early", 25, 0},
        {"s1 r3 t1 1>3", "s1 r3 t1 1>", "expected an action of the model", 17, 12},
        {"s1 r3 t1 1>3", "s1 r3 t1 99>3", "expected an action of the model", 17, 12},
        {"s1 r3 t1", "s1 t1", "expected the rank of the state", 17, 3},
        {"s1 r3 t1", "s1 r3 x1", "expected '*' or a set", 17, 6},
        {"s1 r3", "s r3", "expected the number of a state", 17, 2},
        {"t1 1 2/4", "t7 1 2/4", "expected the number of the next set", 16, 3},
        {"t1 1 2/4", "t1 1 2/", "expected a guard", 16, 8},
        {"t1 1 2/4 3/2", "t1 2/4 1 3/2", "enabled members come first", 16, 9},
        {"t2 4 7", "x2 4 7", "expected a state, a set or 'end'", 18, 1},
        {"end 8 12", "end 8", "expected the numbers of states and edges", 26, 6},
        {"cycles safety", "cycles some", "expected 'free', 'safety' or 'liveness'", 4, 8},
        {"claim invariant critical_1", "claim invariant critical_7", "unknown variable 'critical_7'", 3, 7},
        {"claim invariant", "claim sometimes", "cannot be certified", 3, 7},
        {"claim invariant critical_1 + critical_2 <= 1\n", "", "expected 'claim'", 3, 1},
        {"s1 r3 t1 1>3", "s1 r3 t1 1>4294967296", "expected an action of the model", 17, 12},
    };
    (void)state;
    struct portolan_system *system = system_of_family("token-ring", 2);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct portolan_error error = {0};
        char *text = changed(ring, broken[i].old, broken[i].new);
        assert_int_equal(check(system, text, &error), PORTOLAN_BAD_INPUT);
        if (!strstr(error.message, broken[i].message) || error.line != broken[i].line ||
            error.column != broken[i].column)
            fail_msg("%u:%u: %s, not %u:%u: %s", error.line, error.column, error.message, broken[i].line,
                     broken[i].column, broken[i].message);
        free(text);
    }
    portolan_system_free(system);
}

/* A weak set with the key spin; take is no key, so the way to a fully expanded state may not go by it. */
static void test_only_keys_lead_on(void **state)
{
    (void)state;
    struct portolan_system *system = opened(SOURCE_DIR "/tests/nets/weak-safety.pnml");
    expect(system, weak, PORTOLAN_REFUSED, "the rank does not fall from state 0 to state 0");
    char *key = changed(weak, "t0 3 2", "t0 2 3");
    expect(system, key, PORTOLAN_REFUSED, "'take' is the key and may be disabled by 'turn', which is not in it");
    free(key);
    portolan_system_free(system);
}

/* --------------------------------------------------------- from real searches */

/* The certificate of a search with this property, for this claim; NULL when it is refused. */
static char *certified(struct portolan_system *system, const char *reduction, const char *proviso,
                       const struct portolan_property *property, const char *claim)
{
    struct record record = {0};
    struct portolan_options options = {.reduction = reduction,
                                       .proviso = proviso,
                                       .properties = &property,
                                       .property_count = property != NULL,
                                       .certifiable = true,
                                       .callbacks = record_callbacks(&record)};
    struct portolan_result result;
    struct certificate_size size;
    struct portolan_error error = {0};
    assert_int_equal(search_system(system, &options, &result, NULL), PORTOLAN_OK);
    assert_int_equal(result.stop, PORTOLAN_COMPLETE);
    result_clear(&result);
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    enum portolan_status status = certificate_write(system, &record, NULL, &claim, 1, out, &size, &error);
    fclose(out);
    if (status == PORTOLAN_OK)
        return text;
    assert_int_equal(status, PORTOLAN_REFUSED);
    free(text);
    return NULL;
}

static void test_families(void **state)
{
    static const struct {
        const char *family;
        long parameter;
        const char *invariant;
    } nets[] = {{"szymanski", 2, "true || false"},
                {"peer-to-peer", 4, NULL},
                {"philosophers-atomic", 4, NULL},
                {"token-ring", 4, "critical_1 + critical_2 + critical_3 + critical_4 <= 1"}};
    static const char *const reductions[] = {"none", "stubborn", "stubborn:closure", "lpor"};
    (void)state;
    for (size_t n = 0; n < sizeof nets / sizeof *nets; n++)
        for (size_t r = 0; r < sizeof reductions / sizeof *reductions; r++) {
            struct portolan_system *system = system_of_family(nets[n].family, nets[n].parameter);
            struct portolan_property *property;
            enum portolan_kind kind = nets[n].invariant ? PORTOLAN_INVARIANT : PORTOLAN_NO_DEADLOCK;
            assert_int_equal(portolan_property_new(system, kind, nets[n].invariant, &property, NULL), PORTOLAN_OK);
            char *claim = certificate_claim(property);
            char *text = certified(system, reductions[r], "auto", property, claim);
            assert_non_null(text);
            expect(system, text, PORTOLAN_OK, "");
            free(text);
            free(claim);
            portolan_property_free(property);
            portolan_system_free(system);
        }
}

/* What is put off forever has no certificate. */
static void test_ignoring_is_not_certified(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("figure3-002", 0);
    assert_null(certified(system, "stubborn", "none", NULL, "never bad = 1"));
    char *text = certified(system, "stubborn", "none", NULL, "no deadlock");
    assert_non_null(text);
    expect(system, text, PORTOLAN_OK, "");
    free(text);
    portolan_system_free(system);
}

/* The checker has its own layout, which grows as that of the search did. */
static void test_widening(void **state)
{
    (void)state;
    struct portolan_system *system = opened(SOURCE_DIR "/tests/nets/widening.pnml");
    char *text = certified(system, "none", "none", NULL, "invariant true");
    assert_non_null(text);
    portolan_system_free(system);
    system = opened(SOURCE_DIR "/tests/nets/widening.pnml");
    size_t before = system->key_bytes;
    expect(system, text, PORTOLAN_OK, "");
    assert_true(system->key_bytes >= before);
    portolan_system_free(system);
    free(text);
}

static void test_other_languages(void **state)
{
    static const char *const models[] = {"/examples/threads/dekker.dl", "/examples/threads/bounded-buffer.dl",
                                         "/examples/entities/philosophers.ent"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", SOURCE_DIR, models[i]);
        struct portolan_system *system = opened(path);
        char *text = certified(system, "stubborn", "none", NULL, "invariant deadlock -> true");
        assert_non_null(text);
        expect(system, text, PORTOLAN_OK, "");
        free(text);
        portolan_system_free(system);
    }
}

static void test_formulas(void **state)
{
    static const struct {
        const char *claim, *message; /* NULL: true */
    } claims[] = {
        {"ltl G(critical_1 = 0 || critical_2 = 0)", NULL},
        {"ltl G(critical_1 = 1 -> F critical_1 = 0)", NULL},
        {"ltl GF critical_1 = 1", "is false: a cycle through state"},
        {"ltl GF critical_1 = 1 || GF critical_1 = 0", NULL},
        {"ltl !deadlock", NULL},
        {"ltl G X !deadlock", NULL},
        {"ltl F deadlock", "is false: a cycle"},
    };
    (void)state;
    struct portolan_system *system = system_of_family("token-ring", 2);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        char *text = certified(system, "none", "none", NULL, claims[i].claim);
        assert_non_null(text);
        if (claims[i].message)
            expect(system, text, PORTOLAN_REFUSED, claims[i].message);
        else
            expect(system, text, PORTOLAN_OK, "");
        free(text);
    }
    portolan_system_free(system);
}

/* A state without successors repeats itself. */
static void test_formula_at_the_end(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("figure2-002", 0);
    char *text = certified(system, "none", "none", NULL, "ltl F G deadlock");
    assert_non_null(text);
    struct portolan_error error = {0};
    bool ends = check(system, text, &error) == PORTOLAN_OK;
    free(text);
    text = certified(system, "none", "none", NULL, "ltl G !deadlock");
    assert_non_null(text);
    bool goes_on = check(system, text, &error) == PORTOLAN_OK;
    free(text);
    assert_true(ends != goes_on); /* figure 2 either always ends or never does */
    portolan_system_free(system);
}

/* On a reduced graph a formula needs stuttering to make no difference, an invisible key, and the liveness form. */
static void test_formulas_on_reduced_graphs(void **state)
{
    (void)state;
    struct portolan_system *system = system_of_family("token-ring", 2);
    char *text = changed(ring, "invariant critical_1 + critical_2 <= 1", "ltl G critical_1 + critical_2 <= 1");
    expect(system, text, PORTOLAN_OK, ""); /* a safety property */
    free(text);
    text = changed(ring, "invariant critical_1 + critical_2 <= 1", "ltl GF critical_1 = 0");
    expect(system, text, PORTOLAN_REFUSED, "the claims need the cycle condition 'liveness', not 'safety'");
    char *live = changed(text, "cycles safety", "cycles liveness");
    expect(system, live, PORTOLAN_REFUSED, "set 1: its key 'enter_1' is visible");
    free(live);
    free(text);
    text = changed(ring, "invariant critical_1 + critical_2 <= 1", "ltl G(critical_1 = 1 -> X critical_1 = 0)");
    expect(system, text, PORTOLAN_REFUSED, "not invariant under stuttering");
    free(text);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tampering),
                                       cmocka_unit_test(test_goal_directed),
                                       cmocka_unit_test(test_disabled_members),
                                       cmocka_unit_test(test_broken_texts),
                                       cmocka_unit_test(test_only_keys_lead_on),
                                       cmocka_unit_test(test_families),
                                       cmocka_unit_test(test_ignoring_is_not_certified),
                                       cmocka_unit_test(test_widening),
                                       cmocka_unit_test(test_other_languages),
                                       cmocka_unit_test(test_formulas),
                                       cmocka_unit_test(test_formula_at_the_end),
                                       cmocka_unit_test(test_formulas_on_reduced_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
