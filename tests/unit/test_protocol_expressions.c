/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of protocols: random expressions, each as an invariant of a file, against a naive recursive evaluator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/protocols/protocols.h"

/* Three processes; the step of process 2 makes the second of two states. */
static const char model[] = "type Phase = {idle, busy, done}\n"
                            "process P[i: 1..3] {\n"
                            "    var x: 0..4 = i\n"
                            "    var a: array[0..2] of 0..4 = 4 - i\n"
                            "    var s: set of 0..2\n"
                            "    var phase: Phase\n"
                            "    rule go when i == 2 and phase == idle { phase = done x = 0 a[1] = 0 add 1 to s }\n"
                            "}\n"
                            "final true\n";

enum { PROCESSES = 3 };

struct cells {
    int x, a[3], s[3], phase;
};

static const struct cells states[2][PROCESSES] = {
    {{1, {3, 3, 3}, {0}, 0}, {2, {2, 2, 2}, {0}, 0}, {3, {1, 1, 1}, {0}, 0}},
    {{1, {3, 3, 3}, {0}, 0}, {0, {2, 0, 2}, {0, 1, 0}, 2}, {3, {1, 1, 1}, {0}, 0}},
};

enum form { NUMBER, BOUND, X, A, S, PHASE, ARITHMETIC, COMPARISON, LOGICAL, NOT, CHOICE, ALL, SOME, COUNT };

struct tree {
    enum form form;
    int number; /* the operator, the bound name, the phase */
    struct tree *a, *b, *c;
};

static uint64_t random_state = 88172645463325252u;

static int below(int limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)((random_state >> 33) % (uint64_t)limit);
}

static struct tree *make(enum form form, int number, struct tree *a, struct tree *b, struct tree *c)
{
    struct tree *tree = calloc(1, sizeof *tree);
    assert_non_null(tree);
    *tree = (struct tree){form, number, a, b, c};
    return tree;
}

static void free_tree(struct tree *tree)
{
    if (!tree)
        return;
    free_tree(tree->a);
    free_tree(tree->b);
    free_tree(tree->c);
    free(tree);
}

static struct tree *boolean(int depth, int bound);

static struct tree *integer(int depth, int bound)
{
    int kind = below(depth > 0 ? 8 : 2);
    if (kind == 0 && bound)
        return make(BOUND, below(bound), NULL, NULL, NULL);
    if (kind < 2)
        return make(NUMBER, below(5), NULL, NULL, NULL);
    struct tree *a = integer(depth - 1, bound);
    if (kind == 2)
        return make(X, 0, a, NULL, NULL);
    if (kind == 3)
        return make(A, 0, a, integer(depth - 1, bound), NULL);
    if (kind < 6)
        return make(ARITHMETIC, below(5), a, integer(depth - 1, bound), NULL);
    if (kind == 6)
        return make(CHOICE, 0, boolean(depth - 1, bound), a, integer(depth - 1, bound));
    free_tree(a);
    return make(COUNT, bound, boolean(depth - 1, bound + 1), NULL, NULL);
}

static struct tree *boolean(int depth, int bound)
{
    int kind = below(depth > 0 ? 9 : 2);
    if (kind == 0)
        return make(S, 0, integer(0, bound), integer(0, bound), NULL);
    if (kind == 1)
        return make(PHASE, below(3), integer(0, bound), NULL, NULL);
    if (kind < 5)
        return make(COMPARISON, below(6), integer(depth - 1, bound), integer(depth - 1, bound), NULL);
    if (kind < 7)
        return make(LOGICAL, below(3), boolean(depth - 1, bound), boolean(depth - 1, bound), NULL);
    if (kind == 7)
        return make(NOT, 0, boolean(depth - 1, bound), NULL, NULL);
    return make(below(2) ? ALL : SOME, bound, boolean(depth - 1, bound + 1), NULL, NULL);
}

static void print(const struct tree *t, FILE *out)
{
    static const char *const arithmetic[] = {"+", "-", "*", "/", "%"};
    static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const logical[] = {"and", "or", "->"};
    static const char *const phases[] = {"idle", "busy", "done"};
    const char *infix = t->form == ARITHMETIC   ? arithmetic[t->number]
                        : t->form == COMPARISON ? comparisons[t->number]
                        : t->form == LOGICAL    ? logical[t->number]
                                                : NULL;
    static const char *const before[] = {
        [X] = "P[", [A] = "P[", [S] = "P[", [PHASE] = "P[", [NOT] = "not (", [CHOICE] = "("};
    static const char *const behind_a[] = {
        [X] = "].x", [A] = "].a[", [S] = "].s[", [PHASE] = "].phase == ", [NOT] = ")", [CHOICE] = " ? "};
    if (t->form == NUMBER)
        fprintf(out, "%d", t->number);
    else if (t->form == BOUND)
        fprintf(out, "q%d", t->number);
    else if (t->form >= ALL)
        fprintf(out, "(%s q%d in 0..3: ", t->form == ALL ? "forall" : t->form == SOME ? "exists" : "count", t->number);
    else
        fprintf(out, "%s", infix || t->form == PHASE ? "(" : "");
    if (t->form >= X && t->form <= CHOICE && !infix)
        fprintf(out, "%s", before[t->form]);
    if (t->a)
        print(t->a, out);
    if (t->form >= X && t->form <= CHOICE)
        fprintf(out, infix ? " %s " : "%s", infix ? infix : behind_a[t->form]);
    if (t->form == PHASE)
        fprintf(out, "%s", phases[t->number]);
    if (t->b)
        print(t->b, out);
    if (t->form == A || t->form == S)
        fprintf(out, "]");
    if (t->form == CHOICE) {
        fprintf(out, " : ");
        print(t->c, out);
    }
    if (infix || t->form >= CHOICE || t->form == PHASE)
        fprintf(out, ")");
}

static bool failed;

static int fails(void)
{
    failed = true;
    return 0;
}

static int apply(const struct tree *t, int a, int b)
{
    switch (t->form == ARITHMETIC ? t->number : 5 + t->number) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return b ? a / b : fails();
    case 4: return b ? a % b : fails();
    case 5: return a == b;
    case 6: return a != b;
    case 7: return a < b;
    case 8: return a <= b;
    case 9: return a > b;
    default: return a >= b;
    }
}

static int naive(const struct tree *t, const struct cells *p, int *bound)
{
    int count = 0, a = 0;
    if (t->form < ALL && t->a)
        a = naive(t->a, p, bound);
    if (failed)
        return 0;
    bool is_process = a >= 1 && a <= PROCESSES;
    switch (t->form) {
    case NUMBER: return t->number;
    case BOUND: return bound[t->number];
    case X: return is_process ? p[a - 1].x : fails();
    case PHASE: return is_process ? p[a - 1].phase == t->number : fails();
    case A:
    case S: {
        int b = naive(t->b, p, bound);
        if (failed || !is_process || b < 0 || b > 2)
            return fails();
        return t->form == A ? p[a - 1].a[b] : p[a - 1].s[b];
    }
    case NOT: return !a;
    case CHOICE: return naive(a ? t->b : t->c, p, bound);
    case LOGICAL:
        if (t->number == 1 ? a : !a)
            return t->number != 0;
        return naive(t->b, p, bound);
    case ARITHMETIC:
    case COMPARISON: {
        int b = naive(t->b, p, bound);
        return failed ? 0 : apply(t, a, b);
    }
    default:
        for (bound[t->number] = 0; bound[t->number] <= 3; bound[t->number]++) {
            int value = naive(t->a, p, bound);
            if (failed || (t->form != COUNT && (value != 0) == (t->form == SOME)))
                return t->form == SOME;
            count += value;
        }
        return t->form == COUNT ? count : t->form == ALL;
    }
}

static void compare(const struct portolan_system *system, const struct tree *tree, const char *text,
                    unsigned *without_value)
{
    unsigned char bytes[2][64];
    uint32_t variable, actions[8];
    assert_true(system->state_bytes <= sizeof bytes[0]);
    assert_true(system->find_variable(system->model, "claim", &variable));
    system->initial(system->model, bytes[0]);
    assert_int_equal(system->enabled(system->model, bytes[0], actions), 1);
    assert_int_equal(system->fire(system->model, bytes[0], actions[0], bytes[1]), PORTOLAN_FIRED);
    for (int i = 0; i < 2; i++) {
        int bound[16];
        failed = false;
        int64_t expected = naive(tree, states[i], bound);
        if (failed)
            expected = PORTOLAN_NO_VALUE;
        *without_value += failed;
        int64_t found = system->value(system->model, bytes[i], variable);
        if (found != expected)
            fail_msg("state %d: %s is %lld, not %lld", i, text, (long long)found, (long long)expected);
    }
}

static void random_conditions_agree_with_a_naive_evaluator(void **unused)
{
    (void)unused;
    unsigned without_value = 0;
    for (int round = 0; round < 4000; round++) {
        struct tree *tree = boolean(1 + below(5), 0);
        char *text;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        assert_non_null(out);
        fprintf(out, "%sinvariant claim: ", model);
        print(tree, out);
        fclose(out);
        struct portolan_system *system = NULL;
        struct portolan_error error = {0};
        if (protocols_open_text("test.mp", text, length, NULL, 0, &system, &error) != PORTOLAN_OK)
            fail_msg("%s\n%u:%u: %s", text, error.line, error.column, error.message);
        compare(system, tree, text + sizeof model - 1, &without_value);
        portolan_system_free(system);
        free(text);
        free_tree(tree);
    }
    assert_in_range(without_value, 1000, 7000);
}

/* What is compared, assigned, sent or indexed with must be of the type; 0 and 1 may stand for false and true. */
static void types_are_checked(void **unused)
{
    (void)unused;
#define TYPES "type Colour = {red, green} type Way = {north, south} message m(c: Colour, b: bool)\n"
#define IN_RULE(text) TYPES "process P { var c: Colour var w: Way var b: bool var x: 0..3 var s: set of Way\n" text " }"
    static const struct {
        const char *text;
        unsigned column; /* of line 2 or 3; 0: it is right */
        const char *message, *hint;
    } cases[] = {
        {IN_RULE("\nrule r when c == north { }"), 18, "expected a value of Colour, found a value of Way",
         "it is one of red, green"},
        {IN_RULE("\nrule r when c == w { }"), 18, "expected a value of Colour, found a value of Way", "red, green"},
        {IN_RULE("\nrule r when b == 5 { }"), 18, "expected a boolean, found an integer", "true or false"},
        {IN_RULE("\nrule r when x == true { }"), 18, "expected an integer, found a boolean", "<->"},
        {IN_RULE("\nrule r when c + 1 == 2 { }"), 13, "expected an integer, found a value of Colour", "arithmetic"},
        {IN_RULE("\nrule r when x { }"), 13, "expected a boolean, found an integer", "x > 0"},
        {IN_RULE("\nrule r when not x { }"), 17, "expected a boolean, found an integer", "binds tighter"},
        {IN_RULE("\nrule r when b < true { }"), 13, "expected an integer, found a boolean", "ordered"},
        {IN_RULE("\nrule r when red in s { }"), 13, "expected a value of Way, found a value of Colour", "north, south"},
        {IN_RULE("\nrule r when b and (c == green ? x : b) == 1 { }"), 37, "expected an integer, found a boolean", ""},
        {IN_RULE("\nrule r { c = 1 }"), 14, "expected a value of Colour, found an integer", "red, green"},
        {IN_RULE("\nrule r { x = b }"), 14, "expected an integer, found a boolean", ""},
        {IN_RULE("\nrule r { send m(north, true) to P }"), 17, "expected a value of Colour, found a value of Way", ""},
        {IN_RULE("\nrule r on m(c, 3) { }"), 16, "expected a boolean, found an integer", "true or false"},
        {IN_RULE("\nrule r on m(k, v) { x = k }"), 25, "expected an integer, found a value of Colour", ""},
        {IN_RULE("\nrule r { assert x }"), 17, "expected a boolean, found an integer", ""},
        {IN_RULE("\nrule r any v in Way { if v == red { } }"), 31, "expected a value of Way, found a value of Colour",
         ""},
        {IN_RULE("\nvar y: {left, right} = red"), 24, "expected one of {left, right}, found a value of Colour", ""},
        {IN_RULE("") "\ninvariant i: P.c == P.w", 21, "expected a value of Colour, found a value of Way", ""},
        {IN_RULE("") "\ninvariant i: count q in Way: 1 == 2", 14, "expected a boolean, found an integer", ""},
        {IN_RULE("\nrule r when b == 1 and c != red and x + 1 > 2 and b == (x == 2) and north in s and c <= green "
                 "{ b = 0 c = x > 1 ? red : green send m(red, 1) to P }"),
         0, "", ""},
        {TYPES "process P { var c: {red, green, blue} var d: Colour rule r when c == d and d != red { c = d } }", 0, "",
         ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_system *system = NULL;
        struct portolan_error error = {0};
        enum portolan_status status =
            protocols_open_text("test.mp", cases[i].text, strlen(cases[i].text), NULL, 0, &system, &error);
        if ((status == PORTOLAN_OK) != (cases[i].column == 0) || error.column != cases[i].column ||
            strcmp(error.message, cases[i].message) != 0 || !strstr(error.hint, cases[i].hint))
            fail_msg("%s\n%u:%u: %s (%s)", cases[i].text, error.line, error.column, error.message, error.hint);
        portolan_system_free(system);
    }
}

/* The same on the command line, where the values of an enumeration have their names. */
static void properties_know_the_types(void **unused)
{
    (void)unused;
    static const char text[] = IN_RULE("rule r when c == red { c = green }") " invariant i: 1 / P.x == 1";
    static const struct {
        const char *text, *message; /* NULL: it is right */
    } cases[] = {
        {"P.c == green", NULL},
        {"P.c != red && P.b == 0 && !P.b && P.s[0] == false", NULL},
        {"i", NULL},
        {"i == 1", NULL},
        {"P.crashed == true || P.x < 2", NULL},
        {"P.c == north", "expected a value of Colour, found a value of Way"},
        {"P.c == P.w", "expected a value of Colour, found a value of Way"},
        {"P.b == 5", "expected a boolean, found an integer"},
        {"P.x == red", "expected an integer, found a value of Colour"},
        {"P.x && P.b", "expected a boolean, found an integer"},
    };
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    assert_int_equal(protocols_open_text("test.mp", text, strlen(text), NULL, 0, &system, &error), PORTOLAN_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct portolan_property *property = NULL;
        enum portolan_status status =
            portolan_property_new(system, PORTOLAN_INVARIANT, cases[i].text, &property, &error);
        if ((status == PORTOLAN_OK) != !cases[i].message || (status && strcmp(error.message, cases[i].message) != 0))
            fail_msg("%s: %s", cases[i].text, status ? error.message : "no error");
        portolan_property_free(property);
    }
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_conditions_agree_with_a_naive_evaluator),
                                       cmocka_unit_test(types_are_checked),
                                       cmocka_unit_test(properties_know_the_types)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
