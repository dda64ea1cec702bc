/* SPDX-License-Identifier: Apache-2.0 */
/* Bad programs: the message, its place and its hint. */
#include "threads_support.h"

#include "front/threads/system.h"

static const struct bad {
    const char *program;
    unsigned line, column;
    const char *message, *hint;
} bad[] = {
    {"int x; thread t { y = 1; }", 1, 19, "'y' is not declared", ""},
    {"int count;\nthread t {\n  cuont = 1;\n}", 3, 3, "'cuont' is not declared", "did you mean count?"},
    {"const N = 1; thread t { N = 1; }", 1, 25, "'N' is constant and cannot be assigned", ""},
    {"thread t(id) * 2 { id = 1; }", 1, 20, "'id' is constant and cannot be assigned", ""},
    {"thread t { for (i in 1..2) i = 1; }", 1, 28, "'i' is a loop counter and cannot be assigned", ""},
    {"lock m; int x; thread t { x = m; }", 1, 31, "'m' is a lock and has no value", ""},
    {"lock m; thread t { m = 1; }", 1, 20, "'m' is a lock and cannot be assigned", "use lock(m) and unlock(m)"},
    {"int x; thread t { lock(x); }", 1, 24, "'x' is a variable, a lock is needed here", ""},
    {"lock m; thread t { signal(m); }", 1, 27, "'m' is a lock, a condition is needed here", ""},
    {"thread t { int i; cas(i, 0, 1); }", 1, 23, "'i' is a local variable, a shared variable is needed here", ""},
    {"int a[2]; thread t { a = 1; }", 1, 22, "'a' is an array of 2: which element?", ""},
    {"int x; thread t { x[0] = 1; }", 1, 19, "'x' is not an array", ""},
    {"int a[2]; thread t { a[2] = 1; }", 1, 24, "index 2 is out of bounds: 'a' has 2 elements",
     "the first element has index 0"},
    {"int a[0]; thread t { }", 1, 7, "an array has from 1 to 65536 elements, not 0", ""},
    {"int a[2] = {1, 2, 3}; thread t { }", 1, 19, "'a' has 2 elements, this value is one too many", ""},
    {"int x;\nint x; thread t { }", 2, 5, "'x' is declared twice", "the first time on line 1"},
    {"thread t { int i; int i; }", 1, 19, "'i' is declared twice", "the first time on line 1"},
    {"int x; int y = x; thread t { }", 1, 16, "this must be constant", ""},
    {"int f(n) { return f(n - 1); } thread t { f(3); }", 1, 19, "'f' calls itself: functions are not recursive",
     "a loop does the same"},
    {"int f(n) { return g(n); } int g(n) { return f(n); } thread t { f(3); }", 1, 45,
     "'f' calls itself: functions are not recursive", "a loop does the same"},
    {"int f(n) { return n; } thread t { f(1, 2); }", 1, 35, "'f' takes 1 argument, not 2", ""},
    {"int f() { return y; } thread t { }", 1, 18, "'y' is not declared", ""},
    {"void f() { return 1; } thread t { f(); }", 1, 19, "a void function gives no value", ""},
    {"int f() { return; } thread t { f(); }", 1, 11, "'f' must return a value", ""},
    {"int x; thread t { x(); }", 1, 19, "'x' is a variable, not a function", ""},
    {"thread t { t(); }", 1, 12, "'t' is a thread, not a function", "spawn t(...) starts a thread"},
    {"thread t { spawn t(); }", 1, 12, "thread 't' starts by itself", "declare it as: thread t() { ... }"},
    {"thread w() { spawn w(); } thread t { spawn w(); }", 1, 14, "thread 'w' would start itself endlessly",
     "every thread a program can have must be known before it runs"},
    {"thread w() { } thread t { for (i in 1..20) spawn w(); }", 1, 44, "this may start 20 threads, more than 16",
     "declare them as instances: thread w(id) * 20"},
    {"int x; thread t { x := 1; }", 1, 21, "expected '=' or ';', found ':='",
     "':=' assigns in programs that start with '<'; here it is '='"},
    {"int x; thread t { x = 1 }", 1, 25, "expected ';', found '}'", ""},
    {"int x; thread t { 3 = x; }", 1, 19, "only a variable can be assigned", ""},
    {"thread t { break; }", 1, 12, "this is not inside a loop", ""},
    {"int f() { break; return 1; } thread t { while (true) f(); }", 1, 11, "this is not inside a loop", ""},
    {"int x;\n", 2, 1, "the program has no thread that starts by itself",
     "write thread NAME { ... } or thread NAME(id) * 3 { ... }"},
    {"int x; thread t { cas(x, 1); }", 1, 19, "cas takes 3 arguments, not 2",
     "cas(x, old, new) writes new to x when x is old, and is true then"},
    {"thread t { return 3; }", 1, 19, "a thread gives no value", ""},
    {"thread t(a, b) * 3 { }", 1, 8, "a thread with instances has one parameter, its number",
     "write thread t(id) * 3, or start the threads with spawn"},
    {"thread t(i) * 0 { }", 1, 15, "a thread has at least one instance", ""},
    {"thread t(i) * 2000 { }", 1, 8, "there are more than 1000 threads", ""},
    {"lock m; cond c; thread t { atomic { wait(c, m); } }", 1, 37, "wait cannot be part of an atomic step",
     "within atomic { } use await(...)"},
    {"int x; thread t { x = 99999999999; }", 1, 23, "the integer is larger than 2147483647", ""},
    {"int while; thread t { }", 1, 5, "'while' is a word of the language and cannot be a name", ""},
    {"int failed; thread t { }", 1, 5, "'failed' is a word of the language and cannot be a name", ""},
    {"x = 1;", 1, 1, "expected a declaration (const, int, bool, atomic, lock, cond, void or thread), found 'x'", ""},
    {"thread t {", 1, 11, "expected an expression, found the end of the input", ""},
    {"thread t { @ }", 1, 12, "unexpected character '@'", ""},
    /* the document's syntax; places are those of the file, not of the repeated text */
    {"<\"a\" 3, x 1>\n<{2\n  [ x := 1\n    y$ := 2 ]\n}>\n[x := 1]", 4, 5, "'y0' is not declared", ""},
    {"<\"a\" 3, x 1>\n<{2 [ x := 1 ] }>", 1, 6, "3 processes are announced, but there are 2",
     "the number after the name counts the [ ... ] blocks, repeated ones included"},
    {"<2, x 1>\n<{2 [ x := 1 ]", 2, 1, "the repetition block is not closed by '}>'", ""},
    {"<2, x 1>\n<{2 [ <{2 x := 1 }> ] }>", 2, 7, "repetition blocks do not nest", ""},
    {"<2, x 1>\n<{ [ x := 1 ] }>", 2, 4, "expected the number of repetitions", ""},
    {"<2, x 1>\n<{2 [ x := $ + ] }>", 2, 16, "expected a variable, an integer or '(', found ']'", ""},
    {"<1, x 1, m 1> [ indexer(max=x, size=x, m=m, w=m, h=m, target=x, nprocs=3) ]", 1, 29, "'x' must be constant here",
     "declare it as: const x 1 VALUE"},
    {"<1, const n 1 2, x 1> [ indexer(max=n, size=n, m=x, w=x, h=x, target=x, nprocs=3) ]", 1, 50,
     "'x' must be local here", "declare it as: local x 1"},
    {"<1, x 1> [ if x = 1 ]", 1, 17, "expected '<', '>' or '==', found '='", ""},
    {"<1, x 1> [ ]", 1, 12, "expected a statement or ']', found ']'", ""},
    {"<1, const n 1 2> [ n := 1 ]", 1, 20, "'n' is constant and cannot be assigned", ""},
    {"<1, const n 2 2> [ n := 1 ]", 1, 11, "a constant has length 1 and one value", ""},
    {"<x 1> [ x := 1 ]", 1, 2, "expected the number of processes, found 'x'", ""},
};

static void bad_programs(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct portolan_system *system = NULL;
        struct portolan_error error = {0};
        assert_int_equal(threads_open_text("bad.dl", bad[i].program, strlen(bad[i].program), &system, &error),
                         PORTOLAN_BAD_INPUT);
        assert_null(system);
        assert_string_equal(error.message, bad[i].message);
        assert_string_equal(error.hint, bad[i].hint);
        assert_string_equal(error.file, "bad.dl");
        if (error.line != bad[i].line || error.column != bad[i].column)
            fail_msg("'%s': at %u:%u, not %u:%u", bad[i].program, error.line, error.column, bad[i].line, bad[i].column);
    }
}

/* What grows without bound is refused, quickly. */
static void too_much(void **unused)
{
    (void)unused;
    static const struct {
        const char *before, *repeated, *after, *message;
    } cases[] = {
        {"int x; thread t { x = ", "(", "1; }", "this is nested too deeply (more than 200 levels)"},
        {"int x; thread t { x = ", "- ", "1; }", "this is nested too deeply (more than 200 levels)"},
        {"int x; thread t { x = 1", " + x", "; }", "this is nested too deeply (more than 400 levels)"},
        {"thread t ", "{", "", "this is nested too deeply (more than 200 levels)"},
        {"int x; thread t { ", "if (x) ", "x = 1; }", "this is nested too deeply (more than 200 levels)"},
        {"int x; thread t { x = ", "x ? x : ", "1; }", "this is nested too deeply (more than 200 levels)"},
        {"<1, x 1> [ x := ", "(", "", "this is nested too deeply (more than 200 levels)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = calloc(1, 10000);
        assert_non_null(text);
        strcpy(text, cases[i].before);
        for (unsigned k = 0; k < 1000; k++)
            strcat(text, cases[i].repeated);
        strcat(text, cases[i].after);
        struct portolan_system *system = NULL;
        struct portolan_error error = {0};
        assert_int_equal(threads_open_text("large.dl", text, strlen(text), &system, &error), PORTOLAN_BAD_INPUT);
        assert_string_equal(error.message, cases[i].message);
        free(text);
    }
    /* functions that call each other's copies twice: 2^30 of them */
    char text[2000] = "int x; void f0() { x = 1; }", *end = text + strlen(text);
    for (unsigned k = 1; k <= 30; k++)
        end += sprintf(end, " void f%u() { f%u(); f%u(); }", k, k - 1, k - 1);
    strcpy(end, " thread t { f30(); }");
    struct portolan_system *system = NULL;
    struct portolan_error error = {0};
    assert_int_equal(threads_open_text("large.dl", text, strlen(text), &system, &error), PORTOLAN_BAD_INPUT);
    assert_string_equal(error.message, "the program is too large (more than 131072 instructions)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_programs), cmocka_unit_test(too_much)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
