/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control programs, alone: the rules of a grammar are single letters, and each can be applied as often as a word has
 * that letter.  What a program then does is the set of words it can write, each with a dot where it can end.
 */
#include "letters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct world {
    struct grammar *grammar;
    char left[32];    /* letters that can still be taken */
    char written[64]; /* so far */
    char words[4000]; /* all, sorted by how they are found */
};

static struct grammar *letters(void)
{
    struct grammar *grammar = grammar_new("letters", "gps");
    for (const char *letter = "abcde"; *letter; letter++) {
        char name[] = {*letter, '\0'};
        struct rule *rule = grammar_rule(grammar, name);
        struct rule_node node = {.role = ROLE_ERASER,
                                 .embargo = NO_NUMBER,
                                 .type = NO_NUMBER,
                                 .type_variable = NO_NUMBER,
                                 .value = NO_NUMBER};
        assert_true(vector_push(&rule->nodes, node));
    }
    return grammar;
}

static void add_parameter(struct grammar *grammar, size_t rule, enum sort sort, enum direction direction)
{
    struct rule *r = &grammar->rules.item[rule];
    struct rule_node node = {.role = ROLE_READER,
                             .sort = sort,
                             .embargo = NO_NUMBER,
                             .type = NO_NUMBER,
                             .type_variable = NO_NUMBER,
                             .value = NO_NUMBER};
    struct rule_parameter parameter = {.direction = direction, .node = (uint32_t)r->nodes.count};
    assert_true(vector_push(&r->nodes, node));
    assert_true(vector_push(&r->parameters, parameter));
}

static char *can_take(struct world *world, const struct control_call *call)
{
    return strchr(world->left, world->grammar->rules.item[call->rule].name[0]);
}

static void note(struct world *world, const char *end)
{
    char word[80];
    snprintf(word, sizeof word, " %s%s ", world->written, end);
    if (strstr(world->words, word))
        return;
    size_t length = strlen(world->words);
    snprintf(world->words + length - (length > 0), sizeof world->words - length, "%s", word);
}

/* Walks on from a location; words are noted where the program is at its end or at a dead end. */
static void walk(struct world *world, uint32_t location)
{
    const struct control_program *program = world->grammar->control;
    bool moved = false;
    for (size_t most = program->locations.count; most > 0; most--) {
        const struct control_location *at = &program->locations.item[location];
        bool has_match = false;
        for (uint32_t i = 0; i < at->call_count; i++) {
            const struct control_call *call = &program->calls.item[at->first_call + i];
            char *letter = can_take(world, call);
            if (!letter)
                continue;
            has_match = moved = true;
            size_t length = strlen(world->written);
            char taken = *letter;
            *letter = '-';
            world->written[length] = taken;
            world->written[length + 1] = '\0';
            walk(world, call->to);
            world->written[length] = '\0';
            *letter = taken;
        }
        if (at->call_count == 0) {
            if (at->is_final || !moved)
                note(world, at->is_final ? "." : "");
            return;
        }
        location = has_match ? at->on_success : at->on_failure;
    }
    if (!moved) /* verdicts go round in a circle: a dead end */
        note(world, "");
}

static enum portolan_status read_text(struct grammar *grammar, const char *text, struct portolan_error *error)
{
    struct control_text source = {"t.gcp", text, strlen(text)};
    return control_read(grammar, &source, 1, error);
}

static void writes(const char *text, const char *left, const char *words)
{
    struct portolan_error error = {0};
    struct world world = {.grammar = letters()};
    if (read_text(world.grammar, text, &error))
        fail_msg("%s: line %u, %u: %s", text, error.line, error.column, error.message);
    assert_non_null(world.grammar->control);
    snprintf(world.left, sizeof world.left, "%s", left);
    walk(&world, world.grammar->control->start);
    char wanted[1000];
    snprintf(wanted, sizeof wanted, " %s ", words);
    if (strcmp(world.words, wanted) != 0)
        fail_msg("%s with %s writes\n%s\nand not\n%s", text, left, world.words, wanted);
    grammar_free(world.grammar);
}

static void refuses(struct grammar *grammar, const char *text, unsigned line, unsigned column, const char *message)
{
    struct portolan_error error = {0};
    struct grammar *mine = grammar ? grammar : letters();
    assert_int_equal(read_text(mine, text, &error), PORTOLAN_BAD_INPUT);
    if (strncmp(error.message, message, strlen(message)) != 0 || error.line != line || error.column != column)
        fail_msg("%s: %u:%u: %s", text, error.line, error.column, error.message);
    assert_null(mine->control);
    grammar_free(mine);
}

static void sequences_and_choices(void **state)
{
    (void)state;
    writes("a; b;", "ab", "ab.");
    writes("a; b;", "a", "a");
    writes("a | b;", "ab", "a. b.");
    writes("choice a; or { b; c; }", "abc", "a. bc.");
    writes("(a | b) ; c;", "abc", "ac. bc.");
    writes("a*; b;", "aab", "aab. ab. b.");
    writes("a+;", "aa", "aa. a.");
    writes("(a|b)*;", "ab", "ab. a. ba. b. .");
}

static void verdicts(void **state)
{
    (void)state;
    writes("try a; else b;", "ab", "a.");
    writes("try a; else b;", "b", "b.");
    writes("try a; else b;", "c", "");
    writes("try a; b;", "b", "b.");
    writes("if (a) b; else c;", "abc", "ab.");
    writes("if (a) b; else c;", "bc", "c.");
    writes("if (a) b; else c;", "ac", "a"); /* a was there: no way back */
    writes("if (a|b) c;", "bc", "bc.");
    writes("if (true) a; else b;", "b", "");
    writes("try { a; b; } else c;", "ac", "a"); /* the first rule decides */
    writes("choice try a; else b; or c;", "abc", "c. a.");
    writes("choice try a; else b; or c;", "bc", "c. b.");
}

static void loops(void **state)
{
    (void)state;
    writes("alap a; b;", "aab", "aab.");
    writes("#a; b;", "aab", "aab.");
    writes("alap { a; b; }", "aab", "aba");
    writes("while (a) b;", "aabb", "abab.");
    writes("while (a) b;", "b", ".");
    writes("until (a) b;", "abb", "a.");
    writes("until (a) b;", "bb", "bb");
    writes("do b; while (a)", "abb", "bab.");
    writes("do b; until (a)", "ab", "ba.");
    writes("while (true) { alap a; }", "a", "a");
    writes("alap { alap a; alap b; c; }", "abcc", "abcc.");
    writes("alap { alap a; alap b; c; } d;", "bd", "b"); /* the loop has begun and does not come to c */
}

static void groups(void **state)
{
    (void)state;
    writes("any;", "abcde", "a. b. c. d. e.");
    writes("a; other;", "abc", "ab. ac.");
    writes("alap any;", "ab", "ab. ba.");
    writes("any; recipe r() { a; b; }", "abc", "c. ab."); /* a and b are the recipe's */
    writes("recipe r() priority 2 { a; } recipe q() { b; } any;", "abc", "a.");
    writes("recipe r() priority 2 { a; } recipe q() { b; } any;", "bc", "c. b.");
    writes("recipe r() { a; }", "aab", "baa. aba. aab."); /* no statements: any, as long as possible */
}

static void functions(void **state)
{
    (void)state;
    writes("function f() { a; b; } f(); f;", "aabb", "abab.");
    writes("package p; function f() { a; } f();", "a", "a.");
    writes("package p; import p.f; function f() { a; } f(); p.f();", "aa", "aa.");
    writes("function f() { a; } function g() { f(); try f(); else b; } alap g();", "aaab", "aaab.");
}

static const struct control_location *after(const struct grammar *grammar, const char *rules)
{
    const struct control_program *program = grammar->control;
    const struct control_location *at = &program->locations.item[program->start];
    for (; *rules; rules++) {
        assert_int_equal(at->call_count, 1);
        assert_int_equal(grammar->rules.item[program->calls.item[at->first_call].rule].name[0], *rules);
        at = &program->locations.item[program->calls.item[at->first_call].to];
    }
    return at;
}

static void depths(void **state)
{
    (void)state;
    struct grammar *grammar = letters();
    assert_int_equal(read_text(grammar, "recipe r() { a; b; } <c; d;> r; e;", NULL), PORTOLAN_OK);
    assert_int_equal(after(grammar, "")->depth, 0);
    assert_int_equal(after(grammar, "c")->depth, 1);
    assert_false(after(grammar, "c")->is_hidden);
    assert_int_equal(after(grammar, "cd")->depth, 0);
    assert_int_equal(after(grammar, "cda")->depth, 1);
    assert_true(after(grammar, "cda")->is_hidden);
    assert_int_equal(after(grammar, "cdab")->depth, 0);
    assert_true(after(grammar, "cdabe")->is_final);
    const struct control_location *before = after(grammar, "cd");
    assert_string_equal(grammar->control->recipes.item[grammar->control->calls.item[before->first_call].recipe], "r");
    const struct control_location *within = after(grammar, "cda");
    assert_int_equal(grammar->control->calls.item[within->first_call].recipe, NO_NUMBER);
    grammar_free(grammar);
}

/* a(int), b(out int), c(node, out node) */
static struct grammar *with_parameters(void)
{
    struct grammar *grammar = letters();
    add_parameter(grammar, 0, SORT_INT, PARAMETER_IN);
    add_parameter(grammar, 1, SORT_INT, PARAMETER_OUT);
    add_parameter(grammar, 2, SORT_NONE, PARAMETER_BOTH);
    add_parameter(grammar, 2, SORT_NONE, PARAMETER_OUT);
    return grammar;
}

static const struct control_argument *argument_after(const struct grammar *grammar, const char *rules, unsigned number)
{
    const struct control_location *at = after(grammar, rules);
    const struct control_call *call = &grammar->control->calls.item[at->first_call];
    assert_true(number < call->argument_count);
    return &grammar->control->arguments.item[call->first_argument + number];
}

static void arguments(void **state)
{
    (void)state;
    struct grammar *grammar = with_parameters();
    assert_int_equal(read_text(grammar, "int x; node n; b(out x); a(x); x := b; a(-12); n := c(_); c(n, _);", NULL),
                     PORTOLAN_OK);
    assert_int_equal(argument_after(grammar, "", 0)->kind, CONTROL_RESULT);
    assert_int_equal(argument_after(grammar, "b", 0)->kind, CONTROL_GIVEN);
    assert_int_equal(argument_after(grammar, "b", 0)->number, argument_after(grammar, "", 0)->number);
    assert_int_equal(argument_after(grammar, "ba", 0)->kind, CONTROL_RESULT);
    assert_int_equal(argument_after(grammar, "bab", 0)->kind, CONTROL_VALUE);
    assert_int_equal(grammar->values.item[argument_after(grammar, "bab", 0)->number].integer, -12);
    assert_int_equal(argument_after(grammar, "baba", 0)->kind, CONTROL_ANY);
    assert_int_equal(argument_after(grammar, "baba", 1)->kind, CONTROL_RESULT);
    assert_int_equal(argument_after(grammar, "babac", 0)->kind, CONTROL_GIVEN);
    assert_int_equal(after(grammar, "")->live_count, 0);
    assert_int_equal(after(grammar, "b")->live_count, 1);
    assert_int_equal(after(grammar, "ba")->live_count, 0);
    assert_int_equal(after(grammar, "babac")->live_count, 1);
    grammar_free(grammar);
}

static void parameters_of_functions(void **state)
{
    (void)state;
    struct grammar *grammar = with_parameters();
    assert_int_equal(
        read_text(grammar, "function f(int i, out int o) { a(i); o := b; } int x; f(7, out x); a(x);", NULL),
        PORTOLAN_OK);
    assert_int_equal(argument_after(grammar, "", 0)->kind, CONTROL_VALUE);
    assert_int_equal(grammar->values.item[argument_after(grammar, "", 0)->number].integer, 7);
    assert_int_equal(argument_after(grammar, "a", 0)->kind, CONTROL_RESULT);
    assert_int_equal(argument_after(grammar, "ab", 0)->number, argument_after(grammar, "a", 0)->number);
    grammar_free(grammar);
}

static void errors(void **state)
{
    (void)state;
    refuses(NULL, "a;\n  bb;", 2, 3, "there is no rule, function or recipe 'bb'");
    refuses(NULL, "a", 1, 2, "expected ';'");
    refuses(NULL, "while a b;", 1, 7, "expected '('");
    refuses(NULL, "recipe r() { try a; } r;", 1, 8, "the recipe 'r' may end without a step");
    refuses(NULL, "function f() { a; f(); } f();", 1, 19, "'f' calls itself");
    refuses(NULL, "function f() { a; } function f() { b; } f();", 1, 30, "there is already a function or recipe 'f'");
    refuses(NULL, "function a() { b; } b;", 1, 10, "there is already a rule 'a'");
    refuses(with_parameters(), "a(_);", 1, 3, "'a' must be given an int here");
    refuses(with_parameters(), "a(\"x\");", 1, 3, "'a' takes an int here, and this is a string");
    refuses(with_parameters(), "int x; a(x);", 1, 5, "the variable 'x' may be used before it has a value");
    refuses(with_parameters(), "int x; choice b(out x); or d; a(x);", 1, 5, "the variable 'x' may be used before");
    refuses(with_parameters(), "a(1, 2);", 1, 6, "'a' has 1 parameters, but more are given");
    refuses(with_parameters(), "int x; b(x);", 1, 10, "'b' gives a value here and takes none");
    refuses(with_parameters(), "b(out y);", 1, 7, "there is no variable 'y'");
    refuses(NULL, "any(1);", 1, 4, "'any' takes no arguments");
}

/* ------------------------------------------------------------------ at work */

static uint32_t image_of(void *user, uint32_t application, uint32_t node)
{
    (void)user;
    return application + node;
}

static void show_states(struct control_run *run, uint32_t graph, uint32_t control, char *shown, size_t size)
{
    control_steps steps = {0};
    bool is_final;
    assert_true(control_allowed(run, graph, control, &steps, &is_final));
    for (size_t i = 0; i < steps.count; i++) {
        const struct control_step *step = &steps.item[i];
        size_t length = strlen(shown);
        snprintf(shown + length, size - length, "%s%c:%05x", i ? " " : "(",
                 step->recipe == NO_NUMBER ? "abcde"[step->application]
                                           : (char)(run->program->recipes.item[step->recipe][0] - 'a' + 'A'),
                 step->graph);
        show_states(run, step->graph, step->control, shown, size);
    }
    snprintf(shown + strlen(shown), size - strlen(shown), "%s", steps.count ? ")" : is_final ? "." : "!");
    free(steps.item);
}

static void steps_are(const char *text, uint32_t graph, const char *wanted)
{
    struct portolan_error error = {0};
    struct control_run run;
    struct grammar *grammar = letters();
    char shown[1000] = "";
    if (read_text(grammar, text, &error))
        fail_msg("%s: %s", text, error.message);
    control_run_make(&run, grammar, letters_host(image_of));
    show_states(&run, graph, control_start(&run), shown, sizeof shown);
    if (strcmp(shown, wanted) != 0)
        fail_msg("%s:\n%s\nand not\n%s", text, shown, wanted);
    control_run_clear(&run);
    grammar_free(grammar);
}

/* The number of letters: 0xEDCBA. */
static void atomic_blocks(void **state)
{
    (void)state;
    steps_are("a; b;", 0x00011, "(a:00010(b:00000.))");
    steps_are("<a; b;>", 0x00011, "(a:00010(b:00000.))");
    steps_are("a; b;", 0x00001, "(a:00000!)");
    steps_are("<a; b;>", 0x00001, "!");
    steps_are("try <a; a;> else c;", 0x00101, "(c:00001.)");
    steps_are("try <a; a;> else c;", 0x00102, "(a:00101(a:00100.))");
    steps_are("<a; try b;> c;", 0x00101, "(a:00100(c:00000.))");
    steps_are("<a; try <b; c;> else d;>", 0x01011, "(a:01010(d:00010.))");
}

static void recipes(void **state)
{
    (void)state;
    steps_are("recipe r() { a; b; } r; c;", 0x00111, "(R:00100(c:00000.))");
    steps_are("recipe r() { a; b; } r;", 0x00001, "!");
    steps_are("recipe r() { a; b; } try r; else c;", 0x00101, "(c:00001.)");
    steps_are("recipe r() { a; b*; } r;", 0x00021, "(R:00020. R:00010. R:00000.)");
    steps_are("recipe r() { a; alap b; } r; c;", 0x00121, "(R:00100(c:00000.))");
    steps_are("recipe r() { a; (b | c); } r;", 0x00111, "(R:00100. R:00010.)");
    steps_are("recipe r() { a | b; } <r; r; d;>", 0x01011, "(R:01010(R:01000(d:00000.)) R:01001(R:01000(d:00000.)))");
    steps_are("recipe r() { a | b; } <r; r; d;>", 0x00011, "!");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_and_choices),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(loops),
        cmocka_unit_test(groups),
        cmocka_unit_test(functions),
        cmocka_unit_test(depths),
        cmocka_unit_test(arguments),
        cmocka_unit_test(parameters_of_functions),
        cmocka_unit_test(errors),
        cmocka_unit_test(atomic_blocks),
        cmocka_unit_test(recipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
