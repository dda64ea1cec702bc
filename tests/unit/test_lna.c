/* SPDX-License-Identifier: Apache-2.0 */
/* Helena's language: what expressions and functions give, what declarations leave, and errors with their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "highlevel/net.h"

static struct colour_net *read_text(const char *text, const char *const *definitions, size_t count)
{
    struct portolan_error error = {0};
    struct colour_net *net = NULL;
    if (lna_read_text("test.lna", text, strlen(text), definitions, count, &net, &error) != PORTOLAN_OK)
        fail_msg("%u:%u: %s (%s) in %s", error.line, error.column, error.message, error.hint, text);
    return net;
}

/* ---------------------------------------------------------------- expressions */

static const char declarations[] =
    "type small: range 1 .. 10;  type big: range 0 .. 255;  type ring: mod 5;\n"
    "type color: enum(chestnut, dark_blue, green, blue, pink, yellow);\n"
    "subtype light: color range green .. yellow;  subtype tiny: big range 0 .. 15;\n"
    "type matrix: vector [bool, bool] of bool;  type loads: vector [small] of int;\n"
    "type pair: struct { int i; bool b; };\n"
    "type ints: list [nat] of int with capacity 10;  type far: list [short] of int with capacity 4;\n"
    "type bag: set of int with capacity 10;\n"
    "constant matrix m1 := [false, false, true];  constant pair s := {-35, false};\n"
    "constant ints l := |3, 5, 12, -5, 10|;  constant far f := |7, 8|;\n"
    "constant bag b1 := |1, 2, 3|;  constant bag b4 := 0 or |1, 2| or 5;  constant bag none := empty;\n"
    "constant bag b7 := |3, 1, 2, 1|;  constant ring r := 3;\n"
    "constant int zero := 0;  constant ints nothing := empty;\n"
    "function power(int i, int j) -> int { if (0 = j) return 1; else return i * power(i, j - 1); }\n"
    "function odd(int i) -> bool;\n"
    "function even(int i) -> bool return i = 0 ? true : odd(i - 1);\n"
    "function odd(int i) -> bool { if (i = 0) return false; return even(i - 1); }\n"
    "function total(bag s) -> int { int result := 0; for (item in s) result := result + item; return result; }\n"
    "function word(int i) -> color { case (i) { 1 : return green; 2 : { return blue; } default : return pink; }\n"
    "   return yellow; }\n"
    "function none_of(int i) -> int { case (i) { 1 : return 7; } return 9; }\n"
    "function swap(pair p) -> pair { pair result := p; constant int one := 1; result.i := result.i + one;\n"
    "   result.b := not p.b; return result; }\n"
    "function fill(int v) -> loads { loads x; small i := 1; while (i < 10) { x[i] := v * int(i); i := i + 1; }\n"
    "   assert: x[1] = v; return x; }\n"
    "function rest(ints x) -> ints { ints y := x; y[1] := 99; return y'suffix & y'first; }\n"
    "function chosen(color c) -> int { int k := 0; for (d in color range c .. yellow, j in int range 1 .. 2)\n"
    "   k := k + j; return k; }\n";

static const char *const truths[] = {
    "1 + 2 * 3 = 7",
    "-7 / 2 = -3 and -7 % 2 = -1",
    "(1 + 2) * 3 = 9",
    "not (1 = 2) and not false",
    "+3 = 3",
    "1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3 and 3 != 4",
    "zero = 0 or 1 / zero = 1",
    "zero = 1 ? false : true",
    /* cyclic types wrap round, also in the middle */
    "succ r = 4 and succ (succ r) = 0",
    "r + 4 = 2 and r - 4 = 4 and r * 2 - 1 = 0",
    "pred (r - 3) = 4",
    "- r = 2",
    /* enumerations */
    "succ yellow = chestnut and pred chestnut = yellow and succ green = blue",
    "red_is(blue)",
    "blue > green and light(pink) = pink",
    "int(green) = 2 and color(2) = green",
    "color'card = 6 and light'card = 4 and light'first = green and light'last = yellow",
    "bool'first = false and bool'card = 2",
    /* ranges are tested where a value is used, not in the middle */
    "small(1) - 1 = 0",
    "small'first = 1 and small'last = 10 and ring'last = 4 and ring'card = 5",
    "small(big(3)) = 3",
    /* vectors and structs */
    "m1[false, false] = false and m1[false, true] = false and m1[true, false] and m1[true, true]",
    "m1 :: ([true, false] := false) = [false, false, false, true]",
    "s.i = -35 and not s.b",
    "(s :: (b := not s.b)).b and (s :: (.i := 4)).i = 4",
    "s = {-35, false} and s != {1, false}",
    /* lists */
    "l[0] = 3 and l[4] = 10",
    "l[1 .. 3] = |5, 12, -5| and l[3 .. 1] = nothing",
    "l :: ([2] := 10) = |3, 5, 10, -5, 10|",
    "|1, 2, 3, 4| & 5 = nothing & |1, 2, 3, 4, 5|",
    "1 & (nothing & |1, 2, 3|) & 5 = nothing & |1, 1, 2, 3, 5|",
    "5 in l and not (6 in l) and l'first in l",
    "l'first = 3 and l'last = 10 and l'prefix = |3, 5, 12, -5| and l'suffix = |5, 12, -5, 10|",
    "l'first_index = 0 and l'last_index = 4 and l'size = 5 and l'length = 5",
    "l'space = 5 and l'capacity = 10 and not l'full and not l'empty and nothing'empty",
    "f[-32768] = 7 and f'first_index = -32768 and f'last_index = -32767 and f[f'last_index] = 8",
    /* sets */
    "b4 = |0, 1, 2, 5| and b7 = b1",
    "(b1 or |2, 3, 4|) = |1, 2, 3, 4|",
    "(b1 and |2, 3, 4|) = |2, 3| and b1 - |1, 2| = |3| and b1 - 1 = |2, 3|",
    "3 in b1 and not (4 in b1)",
    "b1 > |1, 2| and not (b1 > b1) and b1 >= b1 and |1| < b1 and none <= b1 and not (|7| <= b1)",
    "b4'size = 4 and none'empty",
    /* iterators */
    "forall(i in small : i > 0) and exists(i in small | i = 10) and not exists(i in small | i > 10)",
    "card(i in small | i % 2 = 0) = 5 and card(i in ring, c in bool | c) = 5",
    "sum(i in l : i) = 25 and product(i in small range 1 .. 4 : int(i)) = 24",
    "min(i in l : i) = -5 and max(i in b4 : i) = 5 and max(i in b1 | i < 3 : i) = 2",
    "forall(i in small, j in small | i < j : j - i < 10)",
    "sum(i in ring : i) = 0",
    /* functions */
    "power(2, 10) = 1024",
    "even(10) and odd(7) and not odd(4)",
    "total(b4) = 8",
    "word(1) = green and word(2) = blue and word(3) = pink and none_of(1) = 7 and none_of(2) = 9",
    "swap(s) = {-34, true}",
    "fill(3)[9] = 27 and fill(3)[10] = -2147483648",
    "rest(l) = |99, 12, -5, 10, 3|",
    "chosen(pink) = 6",
};

static void test_expressions(void **state)
{
    (void)state;
    char text[8192];
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        snprintf(text, sizeof text,
                 "t {\n%sfunction red_is(color c) -> bool return c = blue;\n"
                 "constant bool it := %s;\nproposition p: it;\n}\n",
                 declarations, truths[i]);
        struct colour_net *net = read_text(text, NULL, 0);
        const struct node *value = net->propositions.item[0].value;
        int64_t truth = value->kind == NODE_NUMBER ? value->value : value->cells[0];
        if (truth != 1)
            fail_msg("not true: %s", truths[i]);
        colour_net_free(net);
    }
}

/* --------------------------------------------------------------- declarations */

static void test_declarations(void **state)
{
    (void)state;
    static const char text[] =
        "ring (N := 3, M := 2) {\n"
        "#ifdef LONG\n"
        "constant int K := 7;\n"
        "#else\n"
        "constant int K := 1; /* \n#endif in a comment */\n"
        "#endif\n"
        "type id: mod N;\n"
        "place idle { dom: id * bool; init: for(i in id) 2 * M * <( i, false )>; capacity: K; }\n"
        "place free { dom: epsilon; init: (N - 1) * epsilon; type: shared; }\n"
        "transition go {\n"
        "   in { idle: <( x, b )> + for(j in id) if(j != x) <( j, b )>; free: epsilon; }\n"
        "   out { idle: 2 * <( succ x, v )>; }\n"
        "   inhibit { idle: <( x, not b )>; }\n"
        "   pick { v in bool; }\n"
        "   let { id y := x + 1; }\n"
        "   guard: y != 0 and f(y)>0;\n"
        "   priority: y = 1 ? 1 : 0;\n"
        "   description: \"%d goes \\\n"
        "to %s\", x, y;\n"
        "}\n"
        "proposition some: exists(t in idle | t->2 and t->1 = 0) or free'card > idle'mult;\n"
        "}\n";
    char with_function[2048];
    const char *cut = strstr(text, "place idle");
    snprintf(with_function, sizeof with_function, "%.*sfunction f(id i) -> int return int(i);\n%s", (int)(cut - text),
             text, cut);
    const char *definitions[] = {"N=5", "LONG"};
    struct colour_net *net = read_text(with_function, definitions, 2);
    assert_string_equal(net->name, "ring");
    assert_int_equal(net->places.count, 2);
    assert_int_equal(net->places.item[0].domain.item[0]->high, 4);
    assert_int_equal(net->places.item[0].capacity->value, 7);
    assert_int_equal(net->places.item[0].initial->multiplicity->value, 4);
    assert_int_equal(net->places.item[1].initial->multiplicity->value, 4);
    const struct colour_transition *t = &net->transitions.item[0];
    static const enum variable_source sources[] = {VARIABLE_TOKEN, VARIABLE_TOKEN, VARIABLE_PICK, VARIABLE_LET};
    assert_int_equal(t->variables.count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(t->variables.item[i].source, sources[i]);
    assert_string_equal(t->description, "%d goes to %d");
    assert_true(t->guard && t->priority && t->inhibit && t->described->next);
    assert_true(t->in->label->next->condition && t->in->label->next->iterators);
    colour_net_free(net);
}

/* A variable that stands behind `for` alone can be any value: the tokens decide. */
static void test_iterated_variable(void **state)
{
    (void)state;
    struct colour_net *net = read_text("n { type t: range 1 .. 3; place p { dom: t * t; }\n"
                                       "transition a { in { p: for(j in t) <( i, j )>; } out { } } }",
                                       NULL, 0);
    assert_int_equal(net->transitions.item[0].variables.count, 1);
    assert_int_equal(net->transitions.item[0].variables.item[0].source, VARIABLE_FREE);
    colour_net_free(net);
}

/* --------------------------------------------------------------------- errors */

static const struct wrong {
    const char *text;
    unsigned line, column;
    const char *message, *hint;
} wrong[] = {
    {"n { type t: range 3 .. 1; }", 1, 13, "the range 3 .. 1 is empty", ""},
    {"n { type t: mod 0; }", 1, 17, "a modulus must be at least 1", ""},
    {"n { type t: enum(a, a); }", 1, 21, "there is already a value 'a'", ""},
    {"n { type t: range 1 .. x; }", 1, 24, "there is no variable, constant or value 'x' here", ""},
    {"n (Count := 3) { type t: range 1 .. Cuont; }", 1, 37, "no variable, constant or value", "did you mean Count?"},
    {"n { place p { dom: colour; } }", 1, 20, "there is no type 'colour'", ""},
    {"n { type color: enum(a); place p { dom: colour; } }", 1, 41, "there is no type", "did you mean color?"},
    {"n { place p { dom: int; init: <( 1, 2 )>; } }", 1, 31, "have 1 components, not 2", ""},
    {"n { place p { dom: epsilon; init: <( 1 )>; } }", 1, 35, "have no value: epsilon", ""},
    {"n { type t: range 1 .. 3; place p { dom: t; init: <( 4 )>; } }", 1, 54, "4 is not a value of 't'", ""},
    {"n { type a: range 1 .. 3; type b: range 1 .. 3; constant a x := 1; constant b y := x; }", 1, 84,
     "this is of type 'a', but 'b' is expected", "b(...) converts it"},
    {"n { constant bool x := 1 + true; }", 1, 28, "this is of type 'bool', but 'int' is expected", ""},
    {"n { constant int x := 1 and 2; }", 1, 23, "but 'bool' is expected", ""},
    {"n { constant int x := 1 / 0; }", 1, 23, "this has no value: division by zero", ""},
    {"n { constant int x := 1; constant int x := 2; }", 1, 39, "there is already a constant 'x'", ""},
    {"n { function f(int i) -> int; }", 1, 14, "the function 'f' has no body", ""},
    {"n { function f(int i) -> int; function f(bool b) -> int return 1; }", 1, 40, "declared with different types", ""},
    {"n { function f(int i) -> int return g(i); }", 1, 37, "there is no function or type 'g'", ""},
    {"n { function f(int i) -> int return f(i, 1); }", 1, 37, "'f' takes 1 arguments", ""},
    {"n { function f(int i) -> int { for(j in int range 1 .. 2) j := 1; return 1; } }", 1, 59,
     "'j' cannot be assigned to", ""},
    {"n { function f(int i) -> int { case(i) { 1 : return 1; 1 : return 2; } return 1; } }", 1, 56,
     "already an alternative for this value", ""},
    {"n { place work { dom: int; } transition t { in { wrok: <( x )>; } out { } } }", 1, 50, "there is no place 'wrok'",
     "did you mean work?"},
    {"n { place p { dom: int; } transition t { in { p: <( one )>; } out { p: <( onn )>; } } }", 1, 75,
     "no variable, constant or value 'onn' here", "did you mean one?"},
    {"n { place p { dom: int; } transition t { in { p: <( x )>; } out { } guard: p'card > 1; } }", 1, 76,
     "cannot be asked for here", "propositions can ask for them"},
    {"n { place p { dom: int; } transition t { in { p: <( x )>; } out { } description: \"%d %d\", x; } }", 1, 82,
     "more %d than values", ""},
    {"n { place p { dom: int; } proposition q: exists(t in p | t->2 = 1); }", 1, 58, "has no component '2'", ""},
    {"n { constant int x := |1|'size; }", 1, 23, "no type has such values", ""},
    {"n { type a: set of int with capacity 2; type b: list[nat] of int with capacity 2;\n"
     "constant int x := |1|'size; }",
     2, 19, "this may be of type 'a' or 'b'", "a constant has a type"},
    {"n { type v: vector[int] of int; }", 1, 13, "takes more than 1048576 numbers", ""},
    {"n { type l: list[nat] of int with capacity 2; constant l x := |1, 2, 3|; }", 1, 63,
     "has room for only 2 elements", ""},
    {"n { transition t { in { } out { } if: 1; } }", 1, 35, "expected guard, priority, safe, description or '}'", ""},
    {"n { place place { dom: int; } }", 1, 11, "'place' is a word of the language", ""},
    {"n { } x", 1, 7, "expected the end of the file", ""},
    {"n {\n#ifdef A\n}\n", 2, 1, "the condition has no #endif", ""},
    {"n {\n#endif\n}\n", 2, 1, "#endif without", ""},
    {"n {\n#include <x>\n}\n", 2, 1, "unknown directive", "directives are"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct portolan_error error = {0};
        struct colour_net *net = NULL;
        const struct wrong *w = &wrong[i];
        assert_int_equal(lna_read_text("t.lna", w->text, strlen(w->text), NULL, 0, &net, &error), PORTOLAN_BAD_INPUT);
        assert_null(net);
        if (error.line != w->line || error.column != w->column || !strstr(error.message, w->message) ||
            !strstr(error.hint, w->hint))
            fail_msg("%u:%u: %s (%s) for %s", error.line, error.column, error.message, error.hint, w->text);
    }
}

static void test_definitions(void **state)
{
    (void)state;
    static const char text[] = "n (Clients := 3) { }";
    const char *const misspelt[] = {"Client=4"}, *const no_number[] = {"Clients=many"};
    struct portolan_error error = {0};
    struct colour_net *net = NULL;
    assert_int_equal(lna_read_text("t", text, strlen(text), misspelt, 1, &net, &error), PORTOLAN_BAD_OPTION);
    assert_string_equal(error.message, "the net has no parameter 'Client'");
    assert_string_equal(error.hint, "did you mean Clients?");
    assert_int_equal(lna_read_text("t", text, strlen(text), no_number, 1, &net, &error), PORTOLAN_BAD_OPTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),       cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_iterated_variable), cmocka_unit_test(test_errors),
        cmocka_unit_test(test_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
