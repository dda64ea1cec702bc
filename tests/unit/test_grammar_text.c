/* SPDX-License-Identifier: Apache-2.0 */
/* Graph grammars as text: what is read, that what is written says the same, and errors with their places. */
#include "support.h"

#include "front/grammar/grammar_text.h"

static struct grammar *read_text(const char *text)
{
    struct grammar *grammar = NULL;
    struct portolan_error error = {0};
    if (gg_parse(text, strlen(text), "test.gg", NULL, &grammar, &error) != PORTOLAN_OK)
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    return grammar;
}

static char *written(const struct grammar *grammar)
{
    char *text = NULL;
    size_t size;
    struct portolan_error error = {0};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    if (gg_write(grammar, out, &error) != PORTOLAN_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return text;
}

static const struct rule *only_rule(const struct grammar *grammar)
{
    assert_int_equal(grammar->rules.count, 1);
    return &grammar->rules.item[0];
}

static const char *label_of(const struct grammar *grammar, const struct rule_edge *edge)
{
    return grammar->labels.item[edge->label].text;
}

/* ------------------------------------------------------------------ graphs */

static void test_a_graph(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph start { a: T [f] -x-> b <-y- a; a -n-> 3; b -n-> 3; b -s-> \"t\" }\n"
                                  "graph other { c }");
    const struct host_graph *start = &g->start;
    assert_string_equal(start->name, "start");
    assert_int_equal(start->nodes.count, 4); /* 3 is one node */
    assert_int_equal(start->edges.count, 7);
    assert_int_equal(start->edges.item[3].from, 0); /* a -y-> b, written backwards */
    assert_int_equal(start->edges.item[3].to, 1);
    assert_true(g->up_to_isomorphism);
    assert_false(g->is_typed);
    assert_int_equal(g->labels.item[start->edges.item[0].label].kind, LABEL_TYPE);
    assert_int_equal(g->labels.item[start->edges.item[1].label].kind, LABEL_FLAG);
    grammar_free(g);
}

static void test_a_start_graph_is_chosen(void **state)
{
    (void)state;
    static const char text[] = "graph one { a }\ngraph two { a; b }";
    struct grammar *g = NULL;
    struct portolan_error error = {0};
    assert_int_equal(gg_parse(text, strlen(text), "test.gg", "two", &g, &error), PORTOLAN_OK);
    assert_int_equal(g->start.nodes.count, 2);
    grammar_free(g);
    assert_int_equal(gg_parse(text, strlen(text), "test.gg", "three", &g, &error), PORTOLAN_BAD_INPUT);
    assert_null(g);
}

/* ------------------------------------------------------------------ rules */

static void test_roles(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { a }\n"
                                  "rule r { a -x-> b -y-> c; - a -x-> b; - c; + a -z-> d; not e -w-> a; a != b }");
    const struct rule *r = only_rule(g);
    assert_int_equal(r->nodes.count, 5);
    assert_int_equal(r->nodes.item[0].role, ROLE_READER);
    assert_int_equal(r->nodes.item[2].role, ROLE_ERASER);
    assert_int_equal(r->nodes.item[3].role, ROLE_CREATOR);
    assert_int_equal(r->nodes.item[4].role, ROLE_EMBARGO);
    assert_int_equal(r->edges.count, 5);
    assert_int_equal(r->edges.item[0].role, ROLE_ERASER); /* x, found and deleted: one edge */
    assert_int_equal(r->edges.item[1].role, ROLE_ERASER); /* y goes with c */
    assert_int_equal(r->edges.item[2].role, ROLE_CREATOR);
    assert_int_equal(r->edges.item[3].role, ROLE_EMBARGO);
    assert_int_equal(r->edges.item[4].kind, EDGE_EQUAL);
    assert_int_equal(r->embargoes.count, 2);
    assert_int_equal(r->edges.item[3].embargo, 0);
    assert_int_equal(r->edges.item[4].embargo, 1);
    grammar_free(g);
}

static void test_names_end_with_their_embargo(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { a }\nrule r { a; not q -x-> a; not { q -y-> a; q -z-> a } }");
    const struct rule *r = only_rule(g);
    assert_int_equal(r->nodes.count, 3); /* two different q */
    assert_int_equal(r->nodes.item[1].embargo, 0);
    assert_int_equal(r->nodes.item[2].embargo, 1);
    assert_int_equal(r->edges.item[1].from, 2);
    assert_int_equal(r->edges.item[2].from, 2);
    grammar_free(g);
}

static void test_what_is_created_unless_it_is_there(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { a }\nrule r { a; + not a -x-> b }");
    const struct rule *r = only_rule(g);
    assert_int_equal(r->embargoes.count, 1);
    assert_int_equal(r->nodes.count, 3);
    assert_int_equal(r->nodes.item[1].role, ROLE_EMBARGO);
    assert_int_equal(r->nodes.item[2].role, ROLE_CREATOR);
    assert_int_equal(r->edges.item[0].role, ROLE_EMBARGO);
    assert_int_equal(r->edges.item[1].role, ROLE_CREATOR);
    grammar_free(g);
}

static void test_settings_of_a_rule(void **state)
{
    (void)state;
    struct grammar *g = read_text("isomorphism off\ngraph s { a }\n"
                                  "rule r(a, out n, hidden b) priority 7 injective dangling disabled\n"
                                  "{ a -x-> b; a -n-> n: int }");
    const struct rule *r = only_rule(g);
    assert_false(g->up_to_isomorphism);
    assert_int_equal(r->priority, 7);
    assert_true(r->is_injective && r->checks_dangling && !r->is_enabled);
    assert_int_equal(r->parameters.count, 3);
    assert_int_equal(r->parameters.item[1].direction, PARAMETER_OUT);
    assert_int_equal(r->nodes.item[r->parameters.item[1].node].sort, SORT_INT);
    assert_true(r->parameters.item[2].is_hidden);
    grammar_free(g);
}

static void test_levels(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { a }\n"
                                  "rule r { a; forall nonempty count n: int { b -x-> a; exists { b -y-> c } } "
                                  "where n > 1 }");
    const struct rule *r = only_rule(g);
    assert_int_equal(r->levels.count, 3);
    assert_int_equal(r->levels.item[1].kind, LEVEL_FORALL_NON_EMPTY);
    assert_int_equal(r->levels.item[1].parent, 0);
    assert_int_equal(r->levels.item[2].kind, LEVEL_EXISTS);
    assert_int_equal(r->levels.item[2].parent, 1);
    assert_int_equal(r->levels.item[1].count, 1);
    assert_int_equal(r->nodes.item[2].level, 1);
    assert_int_equal(r->edges.item[1].level, 2);
    assert_int_equal(r->operations.count, 1);
    assert_int_equal(r->operations.item[0].kind, OPERATOR_GT);
    grammar_free(g);
}

static void test_values(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { a }\n"
                                  "rule r { a -n-> x: int; where x < -3 && x != 4; + a -n-> (x * 2 + 1); "
                                  "not { b -n-> y: int; where y > x } }");
    const struct rule *r = only_rule(g);
    assert_int_equal(r->operations.count, 5);
    static const enum operator_kind kinds[] = {OPERATOR_LT, OPERATOR_NEQ, OPERATOR_MUL, OPERATOR_ADD, OPERATOR_GT};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(r->operations.item[i].kind, kinds[i]);
    assert_int_equal(r->operations.item[3].operand[0], r->operations.item[2].result);
    assert_int_equal(r->operations.item[4].embargo, 0);
    const struct value *minus_three = &g->values.item[r->nodes.item[r->operations.item[0].operand[1]].value];
    assert_int_equal(minus_three->integer, -3);
    grammar_free(g);
}

static void test_patterns(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { a }\nrule r { a -?x[^n]-> b -{n.n*}-> c; b -?x-> a; c [?] }");
    const struct rule *r = only_rule(g);
    assert_int_equal(r->edges.item[0].kind, EDGE_CHOICE);
    assert_int_equal(r->edges.item[1].kind, EDGE_PATH);
    assert_string_equal(r->paths.item[0].text, "n.n*");
    assert_int_equal(r->choices.item[r->edges.item[2].choice].variable, 0);
    assert_int_equal(r->choices.item[r->edges.item[3].choice].kind, LABEL_FLAG);
    assert_int_equal(r->label_variables, 1);
    grammar_free(g);
}

static void test_types(void **state)
{
    (void)state;
    struct grammar *g = read_text("types { abstract A [f]; B < A; A -x-> A in 0..2 out 1..*; A -n-> int }\n"
                                  "graph s { b: B [f] -x-> b; b -n-> 1 }\n"
                                  "rule r { a: #B; c: A -x-> a; + d: B -n-> 2 }");
    assert_true(g->is_typed);
    assert_int_equal(g->node_types.count, 2);
    assert_true(g->node_types.item[0].is_abstract);
    assert_int_equal(g->edge_types.count, 3);
    assert_int_equal(g->edge_types.item[1].most_in, 2);
    assert_int_equal(g->edge_types.item[1].least_out, 1);
    assert_int_equal(g->edge_types.item[1].most_out, NO_NUMBER);
    assert_true(only_rule(g)->nodes.item[0].is_exact_type);
    assert_string_equal(label_of(g, &only_rule(g)->edges.item[0]), "x");
    grammar_free(g);
}

/* ------------------------------------------------------------------ writing */

static const char everything[] =
    "grammar everything\nisomorphism off\n"
    "types { abstract Animal [hungry, 'in love']; Dog < Animal; Cat < Animal;\n"
    "  Animal -friend-> Animal in 0..3 out 0..*; Animal -age-> int; Animal -name-> string; Animal -weight-> real;\n"
    "  Animal -well-> bool }\n"
    "graph start { a: Dog [hungry] -friend-> b: Cat; a -age-> -3; a -name-> \"Rex \\\"the\\\" dog\";\n"
    "  b -weight-> 2.5; b -weight-> real \"1e300\"; a -well-> true; 'not' : Cat }\n"
    "rule grow(a, out m, hidden n) priority 3 injective dangling { a: Animal [hungry] -age-> n: int;\n"
    "  where n < 10 && n != 7; let m = n + 1; - a -age-> n; + a -age-> m;\n"
    "  not { b: #Cat -friend-> a; b -age-> k: int; where k > n }; not a ['in love', ?x] }\n"
    "rule paths { a: ?t -{friend.friend*|-friend}-> b: ?t; a -?l[^friend]-> c; - a -?l-> c; a != b; a -?-> b;\n"
    "  not { d: Cat -friend-> a; d != b } }\n"
    "rule everyone { a: Dog; forall count n: int { b: Animal -friend-> a;\n"
    "  exists optional { b -age-> k: int; + b -age-> (max(k, 3) * 2) } - b -friend-> a }\n"
    "  + c: Cat; + c -age-> n; where n > 0 }\n"
    "rule merge disabled { a: Dog; b: Dog; + a = b; + not d: Dog -friend-> a }\n"
    "control { alap { grow; } // ends with } here\n try paths; }\n";

static void test_what_is_written_says_the_same(void **state)
{
    (void)state;
    struct grammar *first = read_text(everything);
    char *once = written(first);
    struct grammar *second = read_text(once);
    char *twice = written(second);
    struct grammar *third = read_text(twice);
    char *thrice = written(third);
    assert_string_equal(twice, thrice);
    assert_int_equal(first->rules.count, second->rules.count);
    for (size_t i = 0; i < first->rules.count; i++) {
        const struct rule *a = &first->rules.item[i], *b = &second->rules.item[i];
        assert_int_equal(a->nodes.count, b->nodes.count);
        assert_int_equal(a->edges.count, b->edges.count);
        assert_int_equal(a->operations.count, b->operations.count);
        assert_int_equal(a->embargoes.count, b->embargoes.count);
        assert_int_equal(a->levels.count, b->levels.count);
        assert_int_equal(a->parameters.count, b->parameters.count);
    }
    assert_non_null(second->control);
    assert_string_equal(first->control_text, second->control_text);
    grammar_free(first);
    grammar_free(second);
    grammar_free(third);
    free(once);
    free(twice);
    free(thrice);
}

static void test_a_rule_is_written_as_a_person_would(void **state)
{
    (void)state;
    struct grammar *g = read_text("graph s { p: P -l-> f: F }\n"
                                  "rule take(p) { p: P; f: F; p -l-> f; not { q: P; q -h-> f }; + p -h-> f }\n");
    char *text = written(g);
    assert_string_equal(text, "grammar test\n\ngraph s {\n    p: P;\n    f: F;\n    p -l-> f;\n}\n\nrule take(p) {\n"
                              "    p: P -l-> f: F;\n    not q: P -h-> f;\n    + p -h-> f;\n}\n");
    grammar_free(g);
    free(text);
}

/* ------------------------------------------------------------------ errors */

struct mistake {
    const char *text;
    unsigned line, column;
    const char *message;
};

static const struct mistake mistakes[] = {
    {"", 1, 1, "the grammar has no start graph"},
    {"grph s { }", 1, 1, "expected 'graph', 'rule', 'types' or 'control', found 'grph'"},
    {"graph s { a -x-> }", 1, 18, "expected a number, found '}'"},
    {"graph s { a -x- b }", 1, 15, "expected '->', found '-'"},
    {"graph s { a b }", 1, 13, "expected ';' or '}', found 'b'"},
    {"graph s { 3 -x-> a }", 1, 14, "an edge cannot start at a value"},
    {"graph s { a -n-> n: int }", 1, 18, "variables belong in rules"},
    {"graph s { a -?-> b }", 1, 14, "patterns and '=' belong in rules"},
    {"graph s { a }\nrule r { a }\nrule r { a }", 3, 6, "there are two rules 'r'"},
    {"graph s { a }\nrule r(b) { a }", 2, 8, "the rule has no node 'b'"},
    {"graph s { a }\nrule r { a; + b; b -x-> a }", 2, 18, "'b' is created by this rule (line 2)"},
    {"graph s { a }\nrule r { - a: T -x-> b }", 2, 12, "is 'a' deleted, too, or only the edge?"},
    {"graph s { a }\nrule r { a; - a; + a -x-> a }", 2, 23, "one end of this edge is deleted"},
    {"graph s { a }\nrule r { a -{x.}-> b }", 2, 16, "a label is expected"},
    {"graph s { a }\nrule r { a -{x-> b }", 2, 14, "the path is not closed"},
    {"graph s { a }\nrule r { + a -{x.y}-> b }", 2, 16, "a path can neither be created nor deleted"},
    {"graph s { a }\nrule r { a; where a > 1 }", 2, 19, "'a' is a node, not a value"},
    {"graph s { a }\nrule r { a; where n > 1 }", 2, 19, "there is no value 'n'"},
    {"graph s { a }\nrule r { a -n-> n: int; where n > true }", 2, 31, "one operand is int, the other bool"},
    {"graph s { a }\nrule r { a -n-> n: int; where n + 1 }", 2, 31, "a condition is true or false, this is int"},
    {"graph s { a }\nrule r { a -n-> n: int; where mix(n) > 1 }", 2, 31, "there is no function 'mix'"},
    {"types { A }\ngraph s { a }", 2, 11, "'a' has no type"},
    {"types { Fork }\ngraph s { a: Frok }", 2, 14, "there is no type 'Frok'"},
    {"types { A; A -x-> A }\ngraph s { a: A -y-> a }", 2, 17, "the types allow no edge 'y' from A to A"},
    {"types { A }\ngraph s { a: A [f] }", 2, 17, "'A' has no flag 'f'"},
    {"types { abstract A }\ngraph s { a: A }", 2, 14, "the type 'A' is abstract"},
    {"types { A; A }\ngraph s { a: A }", 1, 12, "the type 'A' is already declared"},
    {"types { A; A -x-> A in 1..0 }\ngraph s { a: A }", 1, 24, "the lower bound is above the upper one"},
    {"graph s { a }\ntypes { A }", 2, 1, "'types' must come before graphs and rules"},
    {"graph s { a }\nrule r { a }\ncontrol { r; q; }", 3, 14, "q"},
    {"graph s { a }\ncontrol { r", 2, 9, "the block is not closed"}};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        const struct mistake *m = &mistakes[i];
        struct grammar *grammar;
        struct portolan_error error = {0};
        if (gg_parse(m->text, strlen(m->text), "test.gg", NULL, &grammar, &error) != PORTOLAN_BAD_INPUT)
            fail_msg("no error in: %s", m->text);
        assert_null(grammar);
        if (error.line != m->line || error.column != m->column || !strstr(error.message, m->message))
            fail_msg("%s\nis at %u:%u: %s", m->text, error.line, error.column, error.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_graph),
                                       cmocka_unit_test(test_a_start_graph_is_chosen),
                                       cmocka_unit_test(test_roles),
                                       cmocka_unit_test(test_names_end_with_their_embargo),
                                       cmocka_unit_test(test_what_is_created_unless_it_is_there),
                                       cmocka_unit_test(test_settings_of_a_rule),
                                       cmocka_unit_test(test_levels),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_patterns),
                                       cmocka_unit_test(test_types),
                                       cmocka_unit_test(test_what_is_written_says_the_same),
                                       cmocka_unit_test(test_a_rule_is_written_as_a_person_would),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
