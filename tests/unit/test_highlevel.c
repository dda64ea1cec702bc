/* SPDX-License-Identifier: Apache-2.0 */
/* Values of high-level nets, by trees that are made by hand. */
#include "support.h"

#include "base/limits.h"
#include "highlevel/evaluate.h"

#include <signal.h>
#include <stdio.h>

/* ------------------------------------------------------------ types and trees */

#define SCALAR(letter, lowest, highest)                                                                                \
    {                                                                                                                  \
        .kind = letter, .cells = 1, .low = lowest, .high = highest                                                     \
    }
static struct colour_type small = SCALAR(COLOUR_RANGE, 1, 3), integer = SCALAR(COLOUR_RANGE, -1000000, 1000000),
                          ring = SCALAR(COLOUR_CYCLIC, 0, 4),
                          truth = {.kind = COLOUR_NAMED,
                                   .cells = 1,
                                   .high = 1,
                                   .names = (const char *const[]){"false", "true"}};
static struct colour_type pair, row, list, set;
static struct arena arena;
static int64_t frame[32];

static int setup(void **state)
{
    (void)state;
    static struct colour_field fields[] = {{"x", &small, 0}, {"ok", &truth, 1}};
    static const struct colour_type *indexes[] = {&small, &truth};
    pair = (struct colour_type){.kind = COLOUR_STRUCT, .cells = 2, .fields = {fields, 2, 2}};
    row = (struct colour_type){.kind = COLOUR_VECTOR, .cells = 6, .of = &ring, .indexes = {indexes, 2, 2}};
    list = (struct colour_type){.kind = COLOUR_LIST, .cells = 4, .of = &small, .capacity = 3};
    set = (struct colour_type){.kind = COLOUR_SET, .cells = 3, .of = &small, .capacity = 2};
    struct colour_type *all[] = {&small, &integer, &ring, &truth, &pair, &row, &list, &set};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->root = all[i];
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_clear(&arena);
    return 0;
}

static struct node *make(unsigned kind, unsigned operation, const struct colour_type *colour, struct node *a,
                         struct node *b)
{
    struct node *node = arena_get(&arena, sizeof *node);
    assert_non_null(node);
    node->kind = kind;
    node->operation = operation;
    node->colour = colour;
    node->a = a;
    node->b = b;
    return node;
}

static struct node *number(int64_t value)
{
    struct node *node = make(NODE_NUMBER, 0, &integer, NULL, NULL);
    node->value = value;
    return node;
}

static struct node *local(const struct colour_type *type, int64_t at)
{
    struct node *node = make(NODE_LOCAL, 0, type, NULL, NULL);
    node->value = at;
    return node;
}

static struct node *binary(unsigned operation, struct node *a, struct node *b)
{
    return make(NODE_BINARY, operation, &integer, a, b);
}

/* The numbers up to one that is 0. */
static struct node *made(const struct colour_type *type, const int64_t *numbers)
{
    struct node *node = make(NODE_MAKE, 0, type, NULL, NULL), **last = &node->a;
    for (; *numbers != 0; last = &(*last)->next)
        *last = number(*numbers++);
    return node;
}
#define MADE(type, ...) made(type, (const int64_t[]){__VA_ARGS__, 0})

/* The value as text, or what failed. */
static const char *text_of(const struct node *node)
{
    static char text[200];
    int64_t cells[16] = {0};
    struct colour_evaluation e = {.frame = frame};
    if (colour_value(node, &e, cells))
        colour_text(node->colour, cells, text, sizeof text);
    else
        snprintf(text, sizeof text, "%s", e.failure);
    colour_evaluation_clear(&e);
    return text;
}

/* ---------------------------------------------------------------------- tests */

static void test_scalars(void **state)
{
    (void)state;
    assert_string_equal(text_of(binary(OPERATION_ADD, number(2), number(3))), "5");
    assert_string_equal(text_of(binary(OPERATION_DIVIDE, number(2), number(0))), "division by zero");
    /* the right side is not looked at when the left one decides */
    struct node *bad = binary(OPERATION_DIVIDE, number(2), number(0));
    assert_string_equal(text_of(binary(OPERATION_AND, number(0), bad)), "0");
    assert_string_equal(text_of(binary(OPERATION_OR, number(7), bad)), "1");
    assert_string_equal(text_of(binary(OPERATION_IMPLIES, number(0), bad)), "1");
    assert_string_equal(text_of(make(NODE_CONVERT, 0, &ring, number(-1), NULL)), "4");
    assert_string_equal(text_of(make(NODE_CONVERT, 0, &ring, number(12), NULL)), "2");
    assert_string_equal(text_of(make(NODE_CONVERT, 0, &small, number(4), NULL)),
                        "the value is outside the range of its type");
    assert_string_equal(text_of(make(NODE_SUCCESSOR, 0, &ring, number(4), NULL)), "0");
    assert_string_equal(text_of(make(NODE_PREDECESSOR, 0, &ring, number(0), NULL)), "4");
    assert_string_equal(text_of(make(NODE_SUCCESSOR, 0, &small, number(3), NULL)), "the last value has no successor");
    assert_string_equal(text_of(make(NODE_EQUAL, OPERATION_EQUAL, &truth, MADE(&set, 2, 1), MADE(&set, 1, 2, 2))),
                        "true");
    assert_string_equal(text_of(make(NODE_UNARY, OPERATION_NOT, &truth, number(1), NULL)), "false");
    struct node *chosen = make(NODE_CONDITIONAL, 0, &set, number(0), bad);
    chosen->c = MADE(&set, 3);
    assert_string_equal(text_of(chosen), "|3|");
}

static void test_containers(void **state)
{
    (void)state;
    assert_string_equal(text_of(MADE(&list, 3, 1)), "|3, 1|");
    assert_string_equal(text_of(MADE(&set, 3, 1, 3)), "|1, 3|");
    assert_string_equal(text_of(MADE(&set, 3, 1, 2)), "there are more elements than the type has room for");
    assert_string_equal(text_of(MADE(&row, 1, 2)), "[1, 2, 2, 2, 2, 2]");
    assert_string_equal(text_of(MADE(&pair, 2, 1)), "{2, true}");
    struct node *element = make(NODE_ELEMENT, 0, &ring, MADE(&row, 1, 2, 3, 4, 1, 2), number(2));
    element->b->next = number(1);
    assert_string_equal(text_of(element), "4");
    element->b->next = number(2);
    assert_string_equal(text_of(element), "the index is out of bounds");
    assert_string_equal(text_of(make(NODE_ELEMENT, 0, &small, MADE(&list, 3, 1), number(1))), "1");
    assert_string_equal(text_of(make(NODE_ELEMENT, 0, &small, MADE(&list, 3, 1), number(2))),
                        "the list has no such element");
    struct node *field = make(NODE_FIELD, 0, &truth, MADE(&pair, 2, 1), NULL);
    field->value = 1;
    assert_string_equal(text_of(field), "true");
    struct node *changed = make(NODE_REPLACE, 0, &list, MADE(&list, 3, 1), number(0));
    changed->c = number(2);
    assert_string_equal(text_of(changed), "|2, 1|");
    changed = make(NODE_SET_FIELD, 0, &pair, MADE(&pair, 2, 1), NULL);
    changed->c = number(3);
    assert_string_equal(text_of(changed), "{3, true}");
    struct node *slice = make(NODE_SLICE, 0, &list, MADE(&list, 3, 1, 2), number(1));
    slice->c = number(2);
    assert_string_equal(text_of(slice), "|1, 2|");
    slice->c = number(0);
    assert_string_equal(text_of(slice), "||");
    slice->c = number(3);
    assert_string_equal(text_of(slice), "the list has no such element");
    slice->c = number(-1); /* nothing would be left, but there is no such end */
    assert_string_equal(text_of(slice), "the list has no such element");
    slice->b = number(3);
    slice->c = number(0);
    assert_string_equal(text_of(slice), "the list has no such element");
}

static void test_lists_and_sets(void **state)
{
    (void)state;
    assert_string_equal(text_of(make(NODE_JOIN, 0, &list, MADE(&list, 3), MADE(&list, 1, 2))), "|3, 1, 2|");
    assert_string_equal(text_of(make(NODE_JOIN, 0, &list, number(2), MADE(&list, 1, 2))), "|2, 1, 2|");
    assert_string_equal(text_of(make(NODE_JOIN, 0, &list, MADE(&list, 1, 2, 3), number(1))),
                        "there are more elements than the type has room for");
    assert_string_equal(text_of(make(NODE_UNION, 0, &set, MADE(&set, 3), number(1))), "|1, 3|");
    assert_string_equal(text_of(make(NODE_UNION, 0, &set, MADE(&set, 3, 1), MADE(&set, 2))),
                        "there are more elements than the type has room for");
    assert_string_equal(text_of(make(NODE_INTERSECT, 0, &set, MADE(&set, 3, 1), MADE(&set, 3, 2))), "|3|");
    assert_string_equal(text_of(make(NODE_WITHOUT, 0, &set, MADE(&set, 3, 1), MADE(&set, 3, 2))), "|1|");
    assert_string_equal(text_of(make(NODE_MEMBER_OF, 0, &truth, number(3), MADE(&set, 3, 1))), "true");
    assert_string_equal(text_of(make(NODE_MEMBER_OF, 0, &truth, number(2), MADE(&list, 3, 1))), "false");
    static const struct {
        unsigned operation;
        const struct colour_type *type;
        const char *text;
    } attributes[] = {{ATTRIBUTE_SIZE, &integer, "2"},       {ATTRIBUTE_SPACE, &integer, "1"},
                      {ATTRIBUTE_CAPACITY, &integer, "3"},   {ATTRIBUTE_IS_FULL, &truth, "false"},
                      {ATTRIBUTE_IS_EMPTY, &truth, "false"}, {ATTRIBUTE_FIRST, &small, "3"},
                      {ATTRIBUTE_LAST, &small, "1"},         {ATTRIBUTE_LAST_INDEX, &integer, "1"},
                      {ATTRIBUTE_PREFIX, &list, "|3|"},      {ATTRIBUTE_SUFFIX, &list, "|1|"}};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        assert_string_equal(
            text_of(make(NODE_ATTRIBUTE, attributes[i].operation, attributes[i].type, MADE(&list, 3, 1), NULL)),
            attributes[i].text);
    assert_string_equal(
        text_of(make(NODE_ATTRIBUTE, ATTRIBUTE_FIRST, &small, make(NODE_MAKE, 0, &list, NULL, NULL), NULL)),
        "it is empty");
}

/* Three tokens, <(1, true)> twice. */
static uint32_t distinct(const void *user, uint32_t place)
{
    (void)user;
    return place == 1 ? 2 : 0;
}

static const int64_t *token(const void *user, uint32_t place, uint32_t i, uint32_t *count)
{
    static const int64_t cells[2][2] = {{1, 1}, {3, 0}};
    (void)user;
    (void)place;
    *count = i == 0 ? 2 : 1;
    return cells[i];
}

static int64_t iterated(unsigned operation, struct iterator *iterators, struct node *condition, struct node *value)
{
    const struct colour_marking marking = {NULL, distinct, token};
    struct colour_evaluation e = {.frame = frame, .marking = &marking};
    struct node *node = make(NODE_ITERATION, operation, &integer, condition, value);
    node->iterators = iterators;
    int64_t result = colour_scalar(node, &e);
    if (e.failure)
        result = -1;
    colour_evaluation_clear(&e);
    return result;
}

static void test_iterations(void **state)
{
    (void)state;
    struct iterator second = {
        .colour = &ring, .local = 1, .place = NO_PLACE, .low = number(1), .high = local(&small, 0)};
    struct iterator first = {.colour = &small, .local = 0, .place = NO_PLACE, .next = &second};
    struct node *x = local(&small, 0), *y = local(&ring, 1);
    /* (1,1) (2,1) (2,2) (3,1) (3,2) (3,3) */
    assert_int_equal(iterated(ITERATION_CARDINALITY, &first, NULL, NULL), 6);
    assert_int_equal(iterated(ITERATION_SUM, &first, NULL, y), 10);
    assert_int_equal(iterated(ITERATION_PRODUCT, &first, binary(OPERATION_EQUAL, x, y), x), 6);
    assert_int_equal(iterated(ITERATION_MAX, &first, binary(OPERATION_LESS, x, number(3)), y), 2);
    assert_int_equal(iterated(ITERATION_MIN, &first, binary(OPERATION_LESS, x, number(1)), y), -1);
    assert_int_equal(iterated(ITERATION_FORALL, &first, NULL, binary(OPERATION_LESS_EQUAL, y, x)), 1);
    assert_int_equal(iterated(ITERATION_FORALL, &first, binary(OPERATION_LESS, y, x), NULL), 0);
    assert_int_equal(iterated(ITERATION_EXISTS, &first, binary(OPERATION_GREATER, y, x), NULL), 0);
    assert_int_equal(iterated(ITERATION_EXISTS, &first, NULL, binary(OPERATION_GREATER, y, number(2))), 1);
    struct iterator tokens = {.colour = &pair, .local = 4, .place = 1};
    assert_int_equal(iterated(ITERATION_CARDINALITY, &tokens, NULL, NULL), 2);
    assert_int_equal(iterated(ITERATION_MULTIPLICITY, &tokens, NULL, NULL), 3);
    assert_int_equal(iterated(ITERATION_MULTIPLICITY, &tokens, local(&truth, 5), NULL), 2);
    struct iterator members = {.colour = &small, .local = 6, .place = NO_PLACE, .container = MADE(&list, 3, 3, 2)};
    assert_int_equal(iterated(ITERATION_SUM, &members, NULL, local(&small, 6)), 8);
    struct iterator sets = {.colour = &set, .local = 8, .place = NO_PLACE};
    assert_int_equal(iterated(ITERATION_CARDINALITY, &sets, NULL, NULL), 7); /* 1 + 3 + 3 */
}

static uint64_t values_of(const struct colour_type *type)
{
    int64_t cells[8] = {0}, before[8];
    uint64_t count = 1;
    colour_first(type, cells);
    for (assert_true(colour_has(type, cells)); memcpy(before, cells, sizeof cells), colour_next(type, cells); count++) {
        assert_true(colour_has(type, cells));
        size_t i = 0;
        while (cells[i] == before[i])
            i++;
        assert_true(i < type->cells && cells[i] > before[i]); /* in increasing order */
    }
    return count;
}

static void test_values_in_order(void **state)
{
    (void)state;
    assert_int_equal(values_of(&small), 3);
    assert_int_equal(values_of(&pair), 6);
    assert_int_equal(values_of(&list), 1 + 3 + 9 + 27);
    assert_int_equal(values_of(&set), 1 + 3 + 3);
    assert_int_equal(values_of(&row), 5 * 5 * 5 * 5 * 5 * 5);
    struct colour_type large = set; /* more room than there are values */
    large.capacity = 5;
    large.cells = 6;
    assert_int_equal(values_of(&large), 8);
    assert_false(colour_has(&set, (const int64_t[]){2, 2, 1}));
    assert_false(colour_has(&list, (const int64_t[]){1, 2, 1, 0}));
    assert_false(colour_has(&pair, (const int64_t[]){4, 1}));
}

static struct statement *statement(enum statement_kind kind, struct node *target, struct node *value,
                                   struct statement *body, struct statement *next)
{
    struct statement *s = arena_get(&arena, sizeof *s);
    assert_non_null(s);
    *s = (struct statement){.kind = kind, .target = target, .value = value, .body = body, .next = next};
    return s;
}

static struct node *call(const struct colour_function *function, struct node *arguments)
{
    struct node *node = make(NODE_CALL, 0, function->result, arguments, NULL);
    node->function = function;
    return node;
}

static void test_functions(void **state)
{
    (void)state;
    static const struct colour_type *one[] = {&integer};
    /* factorial by recursion */
    struct colour_function factorial = {.name = "f", .result = &integer, .parameters = {one, 1, 1}, .frame = 1};
    struct node *n = local(&integer, 0);
    struct node *again = call(&factorial, binary(OPERATION_SUBTRACT, n, number(1)));
    struct node *value = make(NODE_CONDITIONAL, 0, &integer, binary(OPERATION_LESS, n, number(2)), number(1));
    value->c = binary(OPERATION_MULTIPLY, again, n);
    factorial.body = statement(STATEMENT_RETURN, NULL, value, NULL, NULL);
    assert_string_equal(text_of(call(&factorial, number(6))), "720");
    assert_string_equal(text_of(call(&factorial, number(900000))), "calls are nested too deeply");
    /* i := 3; l := ||; while (i > 0) { l := l & i; i := i - 1 }; l[0] := 1; assert l[2] = parameter; return l */
    struct colour_function loop = {.name = "g", .result = &list, .parameters = {one, 1, 1}, .frame = 8};
    struct node *i = local(&integer, 1), *l = local(&list, 2);
    struct statement *result = statement(STATEMENT_RETURN, NULL, l, NULL, NULL);
    struct node *holds = binary(OPERATION_EQUAL, make(NODE_ELEMENT, 0, &small, l, number(2)), local(&integer, 0));
    result = statement(STATEMENT_ASSERT, NULL, holds, NULL, result);
    result = statement(STATEMENT_ASSIGN, make(NODE_ELEMENT, 0, &small, l, number(0)), number(1), NULL, result);
    struct statement *body = statement(STATEMENT_ASSIGN, i, binary(OPERATION_SUBTRACT, i, number(1)), NULL, NULL);
    body = statement(STATEMENT_ASSIGN, l, make(NODE_JOIN, 0, &list, l, i), NULL, body);
    body = statement(STATEMENT_BLOCK, NULL, NULL, body, NULL);
    result = statement(STATEMENT_WHILE, NULL, binary(OPERATION_GREATER, i, number(0)), body, result);
    result = statement(STATEMENT_DECLARE, l, NULL, NULL, result);
    loop.body = statement(STATEMENT_DECLARE, i, number(3), NULL, result);
    assert_string_equal(text_of(call(&loop, number(1))), "|1, 2, 1|");
    assert_string_equal(text_of(call(&loop, number(2))), "an assertion fails");
    /* for (k in small) if (k = 2) return k */
    struct iterator k = {.colour = &small, .local = 1, .place = NO_PLACE};
    struct colour_function search = {.name = "h", .result = &integer, .parameters = {one, 1, 1}, .frame = 2};
    body = statement(STATEMENT_RETURN, NULL, local(&small, 1), NULL, NULL);
    body = statement(STATEMENT_IF, NULL, binary(OPERATION_EQUAL, local(&small, 1), local(&integer, 0)), body, NULL);
    search.body = statement(STATEMENT_FOR, NULL, NULL, body, NULL);
    search.body->iterators = &k;
    assert_string_equal(text_of(call(&search, number(2))), "2");
    assert_string_equal(text_of(call(&search, number(5))), "the function ends without a result");
}

/* A chain of operands is deep in the tree, but costs little depth; whatever is deeper fails and does not crash. */
static void test_depth(void **state)
{
    (void)state;
    struct node *chain = number(0), *deep = number(0);
    for (int i = 0; i < 50000; i++)
        chain = binary(OPERATION_ADD, chain, number(1));
    assert_string_equal(text_of(chain), "50000");
    for (int i = 0; i < 50000; i++)
        deep = make(NODE_UNARY, OPERATION_NEGATE, &integer, deep, NULL);
    assert_string_equal(text_of(deep), "calls are nested too deeply");
}

static void test_endless_loop(void **state)
{
    (void)state;
    struct colour_function endless = {.name = "e", .result = &integer, .frame = 1};
    endless.body = statement(STATEMENT_WHILE, NULL, number(1), NULL, NULL);
    struct colour_evaluation e = {.frame = frame};
    struct portolan_limits limits;
    limits_begin(&limits, 0.01, 0, NULL);
    colour_scalar(call(&endless, NULL), &e);
    limits_end(&limits);
    assert_true(e.is_out_of_memory);
    colour_evaluation_clear(&e);
}

static void test_net(void **state)
{
    (void)state;
    struct colour_net *net = colour_net_new("n");
    assert_non_null(net);
    for (uint32_t i = 0; i < 100; i++) {
        assert_true(arena_push(net->arena, &net->places, (struct colour_place){.name = "p"}));
        net->places.item[i].at.line = i;
    }
    assert_int_equal(net->places.count, 100);
    assert_int_equal(net->places.item[63].at.line, 63);
    colour_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scalars),         cmocka_unit_test(test_containers),
                                       cmocka_unit_test(test_lists_and_sets),  cmocka_unit_test(test_iterations),
                                       cmocka_unit_test(test_functions),       cmocka_unit_test(test_depth),
                                       cmocka_unit_test(test_values_in_order), cmocka_unit_test(test_net),
                                       cmocka_unit_test(test_endless_loop)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
