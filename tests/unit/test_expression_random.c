/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions against a naive evaluator, how far states are from deciding them, and which actions change them.
 */
#include "counters.h"
#include "property/distance.h"
#include "property/property.h"

/* A random tree, printed with only the parentheses it needs, and evaluated as the documentation says. */
struct tree {
    const struct form *form;
    struct tree *left, *right;
    int64_t number; /* of a leaf: a constant, a variable or an action */
};

struct form {
    char code;
    const char *text;
    int precedence; /* as in the documentation; the higher binds the tighter */
};

enum { UNARY = 8, LEAF = 9 };

static const struct form integer_forms[] = {{'+', "+", 6}, {'-', "-", 6}, {'*', "*", 7}, {'/', "/", 7}, {'%', "%", 7}};
static const struct form comparison_forms[] = {{'=', "=", 5},  {'#', "!=", 5}, {'<', "<", 5},
                                               {'l', "<=", 5}, {'>', ">", 5},  {'g', ">=", 5}};
static const struct form boolean_forms[] = {{'&', "&&", 4}, {'|', "or", 3}, {'i', "->", 2}, {'e', "<->", 1}};
static const struct form negate = {'n', "-", UNARY}, not = {'!', "!", UNARY}, constant = {'c', "", LEAF},
                         variable = {'v', "", LEAF}, boolean = {'c', "", LEAF}, fireable = {'f', "", LEAF},
                         deadlock = {'d', "", LEAF};

static uint64_t random_state = 88172645463325252u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % limit;
}

static struct tree *new_tree(const struct form *form, struct tree *left, struct tree *right, int64_t number)
{
    struct tree *tree = calloc(1, sizeof *tree);
    assert_non_null(tree);
    *tree = (struct tree){form, left, right, number};
    return tree;
}

static void free_tree(struct tree *tree)
{
    if (!tree)
        return;
    free_tree(tree->left);
    free_tree(tree->right);
    free(tree);
}

static struct tree *random_integer(unsigned depth)
{
    static const int64_t constants[] = {0, 1, 2, 3, 7, INT64_MAX, INT64_MAX - 1, 3037000500, 5};
    if (!depth || random_below(4) == 0)
        return random_below(2) ? new_tree(&constant, NULL, NULL, constants[random_below(9)])
                               : new_tree(&variable, NULL, NULL, random_below(VARIABLES));
    if (random_below(6) == 0)
        return new_tree(&negate, random_integer(depth - 1), NULL, 0);
    struct tree *left = random_integer(depth - 1);
    return new_tree(&integer_forms[random_below(5)], left, random_integer(depth - 1), 0);
}

static struct tree *random_boolean(unsigned depth, bool with_deadlock)
{
    uint32_t choice = random_below(depth ? 12 : 4);
    if (choice == 0)
        return new_tree(&boolean, NULL, NULL, random_below(2));
    if (choice == 1)
        return new_tree(&fireable, NULL, NULL, random_below(ACTIONS));
    if (choice == 2 && with_deadlock)
        return new_tree(&deadlock, NULL, NULL, 0);
    if (choice <= 5) {
        struct tree *left = random_integer(depth < 2 ? depth : 2);
        return new_tree(&comparison_forms[random_below(6)], left, random_integer(depth < 2 ? depth : 2), 0);
    }
    if (choice == 6)
        return new_tree(&not, random_boolean(depth - 1, with_deadlock), NULL, 0);
    struct tree *left = random_boolean(depth - 1, with_deadlock);
    return new_tree(&boolean_forms[random_below(4)], left, random_boolean(depth - 1, with_deadlock), 0);
}

static void print_leaf(const struct tree *tree, FILE *out)
{
    if (tree->form == &constant)
        fprintf(out, "%lld", (long long)tree->number);
    else if (tree->form == &variable)
        fprintf(out, "\"%s\"", variable_names[tree->number]);
    else if (tree->form == &boolean)
        fprintf(out, "%s", tree->number ? "true" : "false");
    else if (tree->form == &fireable)
        fprintf(out, "fireable('%s')", action_names[tree->number]);
    else
        fprintf(out, "deadlock");
}

static void print_tree(const struct tree *tree, int minimum, FILE *out)
{
    int precedence = tree->form->precedence;
    bool groups_right = tree->form->code == 'i';
    fprintf(out, "%s", precedence < minimum ? "(" : "");
    if (precedence == LEAF) {
        print_leaf(tree, out);
    } else if (precedence == UNARY) {
        fprintf(out, "%s", tree->form->text);
        print_tree(tree->left, UNARY, out);
    } else {
        print_tree(tree->left, precedence + groups_right, out);
        fprintf(out, " %s ", tree->form->text);
        print_tree(tree->right, precedence + !groups_right, out);
    }
    fprintf(out, "%s", precedence < minimum ? ")" : "");
}

/* Set when the naive evaluator meets something without a value. */
static bool naive_failed;

static int64_t fit(__int128 wide)
{
    naive_failed |= wide > INT64_MAX || wide < INT64_MIN;
    return (int64_t)wide;
}

static bool is_zero(__int128 divisor)
{
    naive_failed |= divisor == 0;
    return divisor == 0;
}

static bool naive_fireable(int64_t action, const int64_t *state)
{
    uint32_t out[ACTIONS], count = enabled(NULL, state, out);
    for (uint32_t i = 0; i < count; i++)
        if (out[i] == action)
            return true;
    return false;
}

static int64_t naive(const struct tree *tree, const int64_t *state, bool is_deadlock)
{
    char code = tree->form->code;
    __int128 a = tree->left ? naive(tree->left, state, is_deadlock) : 0;
    if (naive_failed || (code == '&' && !a) || (code == '|' && a) || (code == 'i' && !a))
        return code == '|' || code == 'i';
    __int128 b = tree->right ? naive(tree->right, state, is_deadlock) : 0;
    switch (tree->form->code) {
    case 'c': return tree->number;
    case 'v': return state[tree->number];
    case 'f': return naive_fireable(tree->number, state);
    case 'd': return is_deadlock;
    case 'n': return fit(-a);
    case '!': return !a;
    case '+': return fit(a + b);
    case '-': return fit(a - b);
    case '*': return fit(a * b);
    case '/': return is_zero(b) ? 0 : fit(a / b);
    case '%': return is_zero(b) ? 0 : (int64_t)(a % b);
    case '=': return a == b;
    case '#': return a != b;
    case '<': return a < b;
    case 'l': return a <= b;
    case '>': return a > b;
    case 'g': return a >= b;
    case '&': return a && b;
    case '|': return a || b;
    case 'i': return !a || b;
    default: return a == b; /* <-> */
    }
}

static void random_fill(int64_t *state)
{
    static const int64_t values[] = {-1, 0, 1, 2, 3, INT64_MAX, INT64_MIN, 4000000000};
    for (int i = 0; i < VARIABLES; i++)
        state[i] = values[random_below(random_below(4) ? 5 : 8)];
}

static struct expression *parse_tree(const struct portolan_system *system, const struct tree *tree, char **text)
{
    size_t length;
    FILE *out = open_memstream(text, &length);
    assert_non_null(out);
    print_tree(tree, 0, out);
    fclose(out);
    return parse(system, *text);
}

static uint32_t distance_in(struct expression *expression, enum portolan_kind kind,
                            const struct portolan_system *system, const int64_t *state, uint32_t enabled_count)
{
    struct portolan_property asked = {.kind = kind, .expression = expression};
    struct distance *scratch = distance_make(&asked);
    assert_non_null(scratch);
    uint32_t distance = property_distance(&asked, scratch, system, state, enabled_count);
    free(scratch);
    return distance;
}

static void test_random_trees_agree_with_a_naive_evaluator(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    uint32_t without_value = 0;
    for (int round = 0; round < 20000; round++) {
        system.relations = random_below(2) ? &relations : NULL;
        struct tree *tree = random_boolean(random_below(7), true);
        char *text;
        struct expression *expression = parse_tree(&system, tree, &text);
        for (int i = 0; i < 8; i++) {
            int64_t state[VARIABLES];
            random_fill(state);
            bool is_deadlock = i % 2;
            naive_failed = false;
            bool expected = naive(tree, state, is_deadlock) && !naive_failed;
            enum expression_value wanted = naive_failed ? EXPRESSION_NO_VALUE
                                           : expected   ? EXPRESSION_TRUE
                                                        : EXPRESSION_FALSE;
            without_value += naive_failed;
            if (expression_value(expression, &system, state, is_deadlock) != wanted)
                fail_msg("%s: not %d", text, wanted);
            if (!is_deadlock && ((expression_only_in_deadlocks(expression) && expected) ||
                                 (expression_only_fails_in_deadlocks(expression) && !expected)))
                fail_msg("%s: wrong about deadlocks", text);
            if (!naive_failed &&
                ((distance_in(expression, PORTOLAN_REACH, &system, state, !is_deadlock) == 0) != expected ||
                 (distance_in(expression, PORTOLAN_INVARIANT, &system, state, !is_deadlock) == 0) == expected))
                fail_msg("%s: wrong about the distance", text);
        }
        expression_free(expression);
        free(text);
        free_tree(tree);
    }
    assert_true(without_value > 1000);
}

static void test_distances(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t to_true, to_false;
    } cases[] = {
        /* x is 2, y is -5, "place 1" is 7 */
        {"x == 2", 0, 1},
        {"x == 9", 7, 0},
        {"y > 0", 6, 0},
        {"y >= 0", 5, 0},
        {"x < 1", 2, 0},
        {"x <= 1", 1, 0},
        {"x != 2", 1, 0},
        {"x + 3 * y > 1", 15, 0},
        {"x > 5 && y > 0", 10, 0},
        {"x > 5 || y > 0", 4, 0},
        {"x == 2 && y == -5", 0, 1},
        {"x == 2 || y == -5", 0, 2},
        {"x == 2 -> y > 0", 1, 0},
        {"x > 5 <-> y == -5", 1, 0},
        {"!(x > 5)", 0, 4},
        {"-x > 0", 3, 0},
        {"fireable(inc.x)", 0, 1},
        {"x == 9223372036854775807", FARTHEST, 0},
        {"y == 9223372036854775807", FARTHEST, 0},
        {"deadlock", 3, 0},
    };
    struct portolan_system system = make_system();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct expression *expression = parse(&system, cases[i].text);
        uint32_t to_true = distance_in(expression, PORTOLAN_REACH, &system, some_state, 3);
        uint32_t to_false = distance_in(expression, PORTOLAN_INVARIANT, &system, some_state, 3);
        if (to_true != cases[i].to_true || to_false != cases[i].to_false)
            fail_msg("'%s': %u and %u", cases[i].text, to_true, to_false);
        expression_free(expression);
    }
}

static void test_invisible_actions_never_change_the_value(void **unused)
{
    (void)unused;
    struct portolan_system system = make_system();
    uint32_t invisible = 0;
    for (int round = 0; round < 20000; round++) {
        bool visible[ACTIONS] = {false};
        struct tree *tree = random_boolean(random_below(4), false);
        char *text;
        struct expression *expression = parse_tree(&system, tree, &text);
        expression_mark_visible(expression, &system, visible);
        int64_t state[VARIABLES] = {random_below(4), random_below(3), random_below(9), random_below(2)};
        int64_t successor[VARIABLES];
        for (uint32_t a = 0; a < ACTIONS; a++) {
            if (visible[a] || !naive_fireable(a, state))
                continue;
            invisible++;
            fire(NULL, state, a, successor);
            if (expression_holds(expression, &system, state, false) !=
                expression_holds(expression, &system, successor, false))
                fail_msg("%s: %s changes it", text, action_names[a]);
        }
        expression_free(expression);
        free(text);
        free_tree(tree);
    }
    assert_true(invisible > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees_agree_with_a_naive_evaluator),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_invisible_actions_never_change_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
