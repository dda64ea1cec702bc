/* SPDX-License-Identifier: Apache-2.0 */
/* Property files of the Model Checking Contest: what they ask, what is refused, errors with their place; random
 * formulas about random nets against a naive exploration; maxima with every reduction. */
#include "base/diagnostic.h"
#include "differential_naive.h"
#include "front/contest/contest.h"
#include "front/petri/system.h"
#include "library/properties.h"
#include "property/property.h"
#include "random_net.h"
#include "search/search_system.h"
#include "system/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_OF(properties) "<property-set xmlns=\"http://mcc.lip6.fr/\">" properties "</property-set>"
#define PROPERTY(id, formula)                                                                                          \
    "<property><id>" id "</id><description>d</description><formula>" formula "</formula></property>"
#define TOKENS(place) "<tokens-count><place>" place "</place></tokens-count>"
#define NUMBER(n) "<integer-constant>" n "</integer-constant>"
#define AT_MOST(a, b) "<integer-le>" a b "</integer-le>"
#define SOME_PATH(f) "<exists-path>" f "</exists-path>"
#define ALL_PATHS(f) "<all-paths>" f "</all-paths>"
#define FINALLY(f) "<finally>" f "</finally>"
#define GLOBALLY(f) "<globally>" f "</globally>"

/* One token goes from a to b and back; "c" is the name of b, and the id of a place that is always empty. */
static struct portolan_system *small_system(void)
{
    struct net_builder *builder = net_builder_new("small");
    net_builder_place(builder, "a", NULL, 1);
    net_builder_place(builder, "b\"\\", "c", 0);
    net_builder_place(builder, "c", "x y", 0);
    net_builder_transition(builder, "go", NULL);
    net_builder_transition(builder, "back", NULL);
    net_builder_arc(builder, NET_CONSUME, 0, 0, 1);
    net_builder_arc(builder, NET_PRODUCE, 1, 0, 1);
    net_builder_arc(builder, NET_CONSUME, 1, 1, 1);
    net_builder_arc(builder, NET_PRODUCE, 0, 1, 1);
    struct portolan_system *system;
    assert_int_equal(net_system_new(net_builder_finish(builder, NULL), &system, NULL), PORTOLAN_OK);
    return system;
}

static enum portolan_status read_text(const char *text, const struct portolan_system *system,
                                      struct questions *questions, struct portolan_error *error)
{
    memset(error, 0, sizeof *error);
    *questions = (struct questions){0};
    return contest_read_memory("test.xml", text, strlen(text), system, questions, error);
}

/* ------------------------------------------------------------------ what is asked */

static void test_what_is_asked(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum portolan_kind kind;
        bool is_negated;
        const char *asked;
    } cases[] = {
        {SOME_PATH(FINALLY(AT_MOST(NUMBER("2"), TOKENS("a")))), PORTOLAN_REACH, false, "(2 <= tokens(\"a\"))"},
        {"<negation>" SOME_PATH(FINALLY("<deadlock/>")) "</negation>", PORTOLAN_INVARIANT, false, "!(deadlock)"},
        {ALL_PATHS(GLOBALLY("<is-fireable><transition>go</transition><transition>back</transition></is-fireable>")),
         PORTOLAN_INVARIANT, false, "fireable(\"go\", \"back\")"},
        {ALL_PATHS(GLOBALLY(FINALLY("<true/>"))), PORTOLAN_LTL, false, "G (F (true))"},
        {SOME_PATH(GLOBALLY("<deadlock/>")), PORTOLAN_LTL, true, "!(G (deadlock))"},
        {ALL_PATHS("<until><before><true/></before><reach><deadlock/></reach></until>"), PORTOLAN_LTL, false,
         "(true U deadlock)"},
        {"<place-bound><place>a</place><place>b\"\\</place></place-bound>", PORTOLAN_MAXIMUM, false,
         "tokens(\"a\", \"b\\\"\\\\\")"},
        {AT_MOST(TOKENS("c"), NUMBER("0")), PORTOLAN_LTL, false, "(tokens(\"id:c\") <= 0)"},
        {SOME_PATH(FINALLY(SOME_PATH(FINALLY("<deadlock/>")))), PORTOLAN_REACH, false, "deadlock"},
        {SOME_PATH(
             FINALLY("<integer-eq><integer-sum>" TOKENS("a") NUMBER("1") "</integer-sum>" NUMBER("2") "</integer-eq>")),
         PORTOLAN_REACH, false, "((tokens(\"a\") + 1) == 2)"},
    };
    struct portolan_system *system = small_system();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct questions questions;
        struct portolan_error error;
        char text[2000];
        snprintf(text, sizeof text, FILE_OF("%s%s%s"), "<property><id>x</id><formula>", cases[i].text,
                 "</formula></property>");
        enum portolan_status status = read_text(text, system, &questions, &error);
        if (status != PORTOLAN_OK)
            diagnostic_write(&error, stderr);
        assert_int_equal(status, PORTOLAN_OK);
        assert_int_equal(questions.list.count, 1);
        const struct question *question = &questions.list.item[0];
        assert_null(question->refusal);
        assert_int_equal(question->asked.count, 1);
        assert_string_equal(question->asked.item[0].text, cases[i].asked);
        assert_int_equal(question->asked.item[0].kind, cases[i].kind);
        assert_int_equal(question->asked.item[0].is_negated, cases[i].is_negated);
        struct portolan_property *property; /* our own language knows what it means */
        assert_int_equal(portolan_property_new(system, cases[i].kind, cases[i].asked, &property, &error), PORTOLAN_OK);
        portolan_property_free(property);
        questions_clear(&questions);
    }
    portolan_system_free(system);
}

static void test_refusals_are_of_one_property(void **state)
{
    (void)state;
    struct portolan_system *system = small_system();
    struct questions questions;
    struct portolan_error error;
    enum portolan_status status = read_text(
        FILE_OF(PROPERTY("ctl", ALL_PATHS(GLOBALLY(SOME_PATH(FINALLY("<deadlock/>")))))
                    PROPERTY("live", "<is-live><level>l4</level></is-live>") PROPERTY("bare", GLOBALLY("<deadlock/>"))
                        PROPERTY("bound", "<negation><place-bound><place>a</place></place-bound></negation>")
                            PROPERTY("fine", SOME_PATH(FINALLY("<deadlock/>")))),
        system, &questions, &error);
    assert_int_equal(status, PORTOLAN_OK);
    assert_int_equal(questions.list.count, 5);
    assert_non_null(strstr(questions.list.item[0].refusal, "CTL with nested path quantifiers"));
    assert_non_null(strstr(questions.list.item[1].refusal, "<is-live> is not supported"));
    assert_non_null(strstr(questions.list.item[2].refusal, "no quantifier over paths"));
    assert_non_null(strstr(questions.list.item[3].refusal, "a bound is a number"));
    assert_null(questions.list.item[4].refusal);
    assert_string_equal(questions.list.item[4].name, "fine");
    questions_clear(&questions);
    portolan_system_free(system);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        unsigned line, column;
    } cases[] = {
        {"<property-set>\n <property>\n  <formula><deadlock/></formula>\n </property></property-set>",
         "a property has no id", 2, 2},
        {"<property-set>\n <property><id>x</id></property></property-set>", "the property 'x' has no formula", 2, 2},
        {"<pnml/>", "the root element is <pnml>, not <property-set>", 1, 1},
        {FILE_OF("\n" PROPERTY("x", SOME_PATH(FINALLY(AT_MOST(TOKENS("nowhere"), NUMBER("1")))))),
         "the model has no place with the id 'nowhere'", 2, 0},
        {FILE_OF("\n" PROPERTY("x", SOME_PATH(FINALLY("<is-fireable><transition>a</transition></is-fireable>")))),
         "the model has no transition with the id 'a'", 2, 0},
        {FILE_OF("\n" PROPERTY("x", SOME_PATH(FINALLY("<is-fireable/>")))), "a list of transitions is empty", 2, 0},
        {FILE_OF("\n" PROPERTY("x", SOME_PATH(FINALLY(AT_MOST(NUMBER("1"), NUMBER("two")))))),
         "'two' is not a number of at most 18 digits", 2, 0},
        {FILE_OF("\n" PROPERTY("x", SOME_PATH(FINALLY(AT_MOST(NUMBER("1"), ""))))),
         "an operator on numbers has 1 operands", 2, 0},
        {FILE_OF("\n" PROPERTY("x", "<negation><true/><true/></negation>")), "<negation> has 2 operands", 2, 0},
        {FILE_OF("\n" PROPERTY("x", "<true/><true/>")), "there are two formulas where one is expected", 2, 0},
        {FILE_OF("\n" PROPERTY("x", "")), "there is no formula in it", 2, 0},
    };
    struct portolan_system *system = small_system();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct questions questions;
        struct portolan_error error;
        assert_int_equal(read_text(cases[i].text, system, &questions, &error), PORTOLAN_BAD_INPUT);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, cases[i].line);
        assert_true(cases[i].column == 0 ? error.column > 1 : error.column == cases[i].column);
        assert_string_equal(error.file, "test.xml");
        questions_clear(&questions);
    }
    struct questions questions = {0};
    struct portolan_error error;
    assert_int_equal(questions_read("x.unknown", system, &questions, &error), PORTOLAN_BAD_INPUT);
    assert_int_equal(questions_read("/nonexistent.xml", system, &questions, &error), PORTOLAN_IO);
    portolan_system_free(system);
}

/* Equivalences in each other double what is asked: at some depth that is refused, soon. */
static void test_equivalences_in_each_other(void **state)
{
    (void)state;
    struct portolan_system *system = small_system();
    struct questions questions;
    struct portolan_error error;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("<property-set><property><id>x</id><formula>", out);
    for (int i = 0; i < 40; i++)
        fputs("<equivalence>" SOME_PATH(FINALLY("<deadlock/>")), out);
    fputs(SOME_PATH(FINALLY("<deadlock/>")), out);
    for (int i = 0; i < 40; i++)
        fputs("</equivalence>", out);
    fputs("</formula></property></property-set>", out);
    fclose(out);
    assert_int_equal(read_text(text, system, &questions, &error), PORTOLAN_OK);
    assert_string_equal(questions.list.item[0].refusal, "it is made of too many properties");
    questions_clear(&questions);
    free(text);
    portolan_system_free(system);
}

/* ------------------------------------------------------------------ random formulas */

/* A formula about states, as XML and as its value in each marking; and formulas made of EF and AG of those. */
struct writer {
    FILE *out;
    struct random random;
    const struct naive *naive;
};

static void set_all(bool *value, uint32_t count, bool truth)
{
    for (uint32_t i = 0; i < count; i++)
        value[i] = truth;
}

static int64_t tokens_in(const struct naive *naive, uint32_t state, uint32_t mask)
{
    int64_t sum = 0;
    for (uint32_t p = 0; p < naive->net->places; p++)
        sum += mask >> p & 1 ? naive_marking(naive, state)[p] : 0;
    return sum;
}

static uint32_t write_places(struct writer *w)
{
    uint32_t mask = 1u << random_below(&w->random, w->naive->net->places);
    mask |= random_chance(&w->random, 40) ? 1u << random_below(&w->random, w->naive->net->places) : 0;
    for (uint32_t p = 0; p < w->naive->net->places; p++)
        if (mask >> p & 1)
            fprintf(w->out, "<place>p%u</place>", p);
    return mask;
}

static void write_comparison(struct writer *w, bool *value)
{
    static const char *const elements[] = {"integer-le", "integer-lt", "integer-eq", "integer-ge"};
    uint32_t which = random_below(&w->random, 4), constant = random_below(&w->random, 4);
    fprintf(w->out, "<%s><integer-constant>%u</integer-constant><tokens-count>", elements[which], constant);
    uint32_t mask = write_places(w);
    fprintf(w->out, "</tokens-count></%s>", elements[which]);
    for (uint32_t s = 0; s < w->naive->count; s++) {
        int64_t tokens = tokens_in(w->naive, s, mask);
        value[s] = which == 0   ? constant <= tokens
                   : which == 1 ? constant < tokens
                   : which == 2 ? constant == tokens
                                : constant >= tokens;
    }
}

static void write_fireable(struct writer *w, bool *value)
{
    uint32_t a = random_below(&w->random, w->naive->net->transitions);
    uint32_t b = random_below(&w->random, w->naive->net->transitions);
    fprintf(w->out, "<is-fireable><transition>t%u</transition><transition>t%u</transition></is-fireable>", a, b);
    for (uint32_t s = 0; s < w->naive->count; s++)
        value[s] = naive_step(w->naive, s, a) != NAIVE_NONE || naive_step(w->naive, s, b) != NAIVE_NONE;
}

/* How the values of two operands are joined. */
static const char *const joints[] = {"conjunction", "disjunction", "implication", "equivalence",
                                     "exclusive-disjunction"};

static bool join(uint32_t joint, bool a, bool b)
{
    const bool joined[] = {a && b, a || b, !a || b, a == b, a != b};
    return joined[joint];
}

static void write_state(struct writer *w, unsigned depth, bool *value)
{
    uint32_t choice = random_below(&w->random, depth ? 6 : 3), count = w->naive->count;
    if (choice == 0) {
        write_comparison(w, value);
    } else if (choice == 1) {
        write_fireable(w, value);
    } else if (choice == 2) {
        fputs("<deadlock/>", w->out);
        for (uint32_t s = 0; s < count; s++)
            value[s] = naive_enabled(w->naive, s) == 0;
    } else if (choice == 3) {
        fputs("<negation>", w->out);
        write_state(w, depth - 1, value);
        fputs("</negation>", w->out);
        for (uint32_t s = 0; s < count; s++)
            value[s] = !value[s];
    } else {
        bool *other = calloc(count, sizeof *other);
        uint32_t joint = random_below(&w->random, 5);
        fprintf(w->out, "<%s>", joints[joint]);
        write_state(w, depth - 1, value);
        write_state(w, depth - 1, other);
        fprintf(w->out, "</%s>", joints[joint]);
        for (uint32_t s = 0; s < count; s++)
            value[s] = join(joint, value[s], other[s]);
        free(other);
    }
}

static bool write_formula(struct writer *w, unsigned depth, bool *value)
{
    uint32_t choice = random_below(&w->random, depth ? 6 : 2), count = w->naive->count;
    if (choice < 2) {
        fputs(choice ? "<all-paths><globally>" : "<exists-path><finally>", w->out);
        write_state(w, 2, value);
        fputs(choice ? "</globally></all-paths>" : "</finally></exists-path>", w->out);
        for (uint32_t s = 0; s < count; s++)
            if (value[s] != (choice == 1))
                return choice == 0;
        return choice == 1;
    }
    if (choice == 2) {
        write_state(w, 1, value); /* of the initial marking */
        return value[0];
    }
    if (choice == 3) {
        fputs("<negation>", w->out);
        bool truth = write_formula(w, depth - 1, value);
        fputs("</negation>", w->out);
        return !truth;
    }
    uint32_t joint = random_below(&w->random, 5);
    fprintf(w->out, "<%s>", joints[joint]);
    bool a = write_formula(w, depth - 1, value), b = write_formula(w, depth - 1, value);
    fprintf(w->out, "</%s>", joints[joint]);
    return join(joint, a, b);
}

static enum portolan_verdict answer(struct portolan_system *system, const struct question *question)
{
    struct portolan_answer *answers = calloc(question->asked.count + 1, sizeof *answers);
    for (size_t i = 0; i < question->asked.count; i++) {
        struct portolan_property *property;
        struct portolan_result result;
        struct portolan_error error;
        assert_int_equal(portolan_property_new(system, question->asked.item[i].kind, question->asked.item[i].text,
                                               &property, &error),
                         PORTOLAN_OK);
        struct portolan_options options = {.properties = (const struct portolan_property *const *)&property,
                                           .property_count = 1};
        assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
        answers[i].verdict = result.answers[0].verdict;
        result_clear(&result);
        portolan_property_free(property);
    }
    enum portolan_verdict verdict = question_verdict(question, answers);
    free(answers);
    return verdict;
}

enum { RANDOM_NETS = 150, FORMULAS = 6, MOST_MARKINGS = 2000 };

static void check_random_formula(struct portolan_system *system, const struct naive *naive, uint64_t number)
{
    char *text = NULL;
    size_t size;
    struct writer w = {.out = open_memstream(&text, &size), .random = random_from(7, number), .naive = naive};
    bool *value = calloc(naive->count + 1, sizeof *value);
    set_all(value, naive->count, false);
    fputs("<property-set><property><id>x</id><formula>", w.out);
    bool truth = write_formula(&w, 2, value);
    fputs("</formula></property></property-set>", w.out);
    fclose(w.out);
    struct questions questions;
    struct portolan_error error;
    enum portolan_status status = read_text(text, system, &questions, &error);
    if (status != PORTOLAN_OK)
        diagnostic_write(&error, stderr);
    assert_int_equal(status, PORTOLAN_OK);
    assert_null(questions.list.item[0].refusal);
    enum portolan_verdict verdict = answer(system, &questions.list.item[0]);
    if (verdict != (truth ? PORTOLAN_HOLDS : PORTOLAN_VIOLATED))
        fail_msg("formula %" PRIu64 " is %s: %s", number, truth ? "true" : "false", text);
    questions_clear(&questions);
    free(value);
    free(text);
}

/* The largest value is the same with every reduction that is allowed, and the true one. */
static void check_maximum(struct portolan_system *system, const struct naive *naive, uint64_t number)
{
    static const char *const tried[] = {"none", "stubborn", "stubborn:strong", "lpor", NULL};
    struct random random = random_from(11, number);
    uint32_t a = random_below(&random, naive->net->places), b = random_below(&random, naive->net->places);
    int64_t most = 0;
    char text[80];
    for (uint32_t s = 0; s < naive->count; s++) {
        int64_t tokens = naive_marking(naive, s)[a] + 2 * (int64_t)naive_marking(naive, s)[b];
        most = tokens > most ? tokens : most;
    }
    snprintf(text, sizeof text, "p%u + 2 * p%u", a, b);
    for (size_t i = 0; tried[i]; i++) {
        struct portolan_property *property;
        struct portolan_result result;
        struct portolan_error error;
        assert_int_equal(portolan_property_new(system, PORTOLAN_MAXIMUM, text, &property, &error), PORTOLAN_OK);
        struct portolan_options options = {.properties = (const struct portolan_property *const *)&property,
                                           .property_count = 1,
                                           .reduction = tried[i],
                                           .search = number % 2 ? "bfs" : "dfs"};
        assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
        assert_int_equal(result.answers[0].verdict, PORTOLAN_HOLDS);
        if (result.answers[0].maximum != most)
            fail_msg("net %" PRIu64 ", %s: the maximum of %s is %" PRId64 ", not %" PRId64, number, tried[i], text,
                     most, result.answers[0].maximum);
        result_clear(&result);
        portolan_property_free(property);
    }
}

static void test_random(void **state)
{
    (void)state;
    unsigned checked = 0;
    for (uint64_t i = 0; i < RANDOM_NETS; i++) {
        struct draft draft;
        struct random random = random_from(3, i);
        draft_random(&draft, &random);
        struct net *net = draft_net(&draft, "random");
        struct naive naive;
        if (naive_explore(&naive, net, MOST_MARKINGS) == NAIVE_COMPLETE) {
            struct portolan_system *system; /* takes a net of its own */
            assert_int_equal(net_system_new(draft_net(&draft, "random"), &system, NULL), PORTOLAN_OK);
            for (uint64_t j = 0; j < FORMULAS; j++)
                check_random_formula(system, &naive, i * FORMULAS + j);
            check_maximum(system, &naive, i);
            portolan_system_free(system);
            checked++;
        }
        naive_clear(&naive);
        net_free(net);
    }
    assert_true(checked > RANDOM_NETS / 2);
}

/* ------------------------------------------------------------------ maxima */

static void test_maxima(void **state)
{
    (void)state;
    struct portolan_system *system = small_system();
    struct portolan_property *property;
    struct portolan_error error;
    struct portolan_result result;
    assert_int_equal(portolan_property_new(system, PORTOLAN_MAXIMUM, "a > 1", &property, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.message, "expected an integer, found a boolean");
    assert_int_equal(portolan_property_new(system, PORTOLAN_MAXIMUM, "10 / a", &property, &error), PORTOLAN_OK);
    struct portolan_options options = {.properties = (const struct portolan_property *const *)&property,
                                       .property_count = 1};
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
    assert_int_equal(result.answers[0].verdict, PORTOLAN_VIOLATED); /* it has no value in some state */
    assert_true(result.answers[0].has_no_value);
    assert_int_equal(result.answers[0].trace_length, 1);
    result_clear(&result);
    options.reduction = "probe";
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_REFUSED);
    options.reduction = "optimal";
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_REFUSED);
    portolan_property_free(property);
    assert_int_equal(portolan_property_new(system, PORTOLAN_MAXIMUM, "a", &property, &error), PORTOLAN_OK);
    options = (struct portolan_options){.properties = (const struct portolan_property *const *)&property,
                                        .property_count = 1,
                                        .reduction = "none",
                                        .state_limit = 1};
    assert_int_equal(search_system(system, &options, &result, &error), PORTOLAN_OK);
    assert_int_equal(result.answers[0].verdict, PORTOLAN_UNKNOWN); /* what was seen is no answer */
    result_clear(&result);
    portolan_property_free(property);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_asked), cmocka_unit_test(test_refusals_are_of_one_property),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_equivalences_in_each_other),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_maxima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
