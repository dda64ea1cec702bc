/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens, bindings and grounding, on a net that is made by hand. */
#include "support.h"

#include "highlevel/ground.h"

#include <stdio.h>

static struct colour_type digit = {.kind = COLOUR_RANGE, .cells = 1, .low = 0, .high = 2};
static struct colour_type one = {.kind = COLOUR_STRUCT, .cells = 1}, two = {.kind = COLOUR_STRUCT, .cells = 2};

static struct node *make(struct colour_net *net, unsigned kind, unsigned operation, struct node *a, struct node *b)
{
    struct node *node = arena_get(net->arena, sizeof *node);
    assert_non_null(node);
    node->kind = kind;
    node->operation = operation;
    node->colour = &digit;
    node->a = a;
    node->b = b;
    return node;
}

static struct node *with_value(struct colour_net *net, unsigned kind, int64_t value)
{
    struct node *node = make(net, kind, 0, NULL, NULL);
    node->value = value;
    return node;
}

static struct arc_term *term(struct colour_net *net, struct node *first, struct node *second, struct arc_term *next)
{
    struct arc_term *made = arena_get(net->arena, sizeof *made);
    assert_non_null(made);
    made->tuple = first;
    made->next = next;
    first->next = second;
    return made;
}

static struct colour_arc *arc(struct colour_net *net, uint32_t place, struct arc_term *label, struct colour_arc *next)
{
    struct colour_arc *made = arena_get(net->arena, sizeof *made);
    assert_non_null(made);
    *made = (struct colour_arc){.place = place, .label = label, .next = next};
    return made;
}

static void add_place(struct colour_net *net, const char *name, const struct colour_type *tuple,
                      struct arc_term *initial)
{
    struct colour_place place = {.name = name, .tuple = tuple, .initial = initial};
    for (size_t i = 0; i < tuple->fields.count; i++)
        assert_true(arena_push(net->arena, &place.domain, &digit));
    assert_true(arena_push(net->arena, &net->places, place));
}

#define X with_value(net, NODE_LOCAL, 0)
#define Y with_value(net, NODE_LOCAL, 1)
#define NUMBER(n) with_value(net, NODE_NUMBER, n)

static void add_transition(struct colour_net *net, const char *name, struct colour_arc *in, struct colour_arc *out,
                           struct node *guard)
{
    struct colour_transition transition = {.name = name, .frame = 2, .in = in, .out = out, .guard = guard};
    static const char *const names[] = {"x", "y"};
    for (uint32_t v = 0; v < 2; v++) {
        struct colour_variable variable = {.name = names[v], .colour = &digit, .local = v};
        assert_true(arena_push(net->arena, &transition.variables, variable));
    }
    assert_true(arena_push(net->arena, &net->transitions, transition));
}

/* p holds 0, 1, 2, and q (0,1) and twice (1,2). */
static struct colour_net *make_net(void)
{
    static struct colour_field fields[] = {{"1", &digit, 0}, {"2", &digit, 1}};
    one.fields.item = two.fields.item = fields;
    one.fields.count = 1;
    two.fields.count = 2;
    digit.root = &digit;
    struct colour_net *net = colour_net_new("hand");
    assert_non_null(net);
    net->file = "hand.lna";
    struct arc_term *twice = term(net, NUMBER(1), NUMBER(2), NULL);
    twice->multiplicity = NUMBER(2);
    add_place(net, "p", &one, term(net, NUMBER(0), NULL, term(net, NUMBER(1), NULL, term(net, NUMBER(2), NULL, NULL))));
    add_place(net, "q", &two, term(net, NUMBER(0), NUMBER(1), twice));
    return net;
}

/* p:<(x)> + <(y)> and q:<(x,y)> become q:<(y,x)>, p:<(y)>. */
static void add_swap(struct colour_net *net)
{
    struct colour_arc *in =
        arc(net, 1, term(net, X, Y, NULL), arc(net, 0, term(net, X, NULL, term(net, Y, NULL, NULL)), NULL));
    struct colour_arc *out = arc(net, 1, term(net, Y, X, NULL), arc(net, 0, term(net, Y, NULL, NULL), NULL));
    add_transition(net, "swap", in, out, make(net, NODE_BINARY, OPERATION_NOT_EQUAL, X, Y));
}

/* ------------------------------------------------------------------ bindings */

struct heard {
    const struct colour_net *net;
    const struct tokens *tokens;
    char text[1000];
};

static bool hear(void *user, const struct binding *b)
{
    struct heard *heard = user;
    size_t at = strlen(heard->text);
    at += binding_text(heard->net, b->transition, b->frame, heard->text + at, sizeof heard->text - at);
    for (uint32_t i = 0; i < b->in_count; i++) {
        at += (size_t)snprintf(heard->text + at, sizeof heard->text - at, " %u*", b->in[i].count);
        at += token_text(heard->tokens, b->in[i].token, heard->text + at, sizeof heard->text - at);
    }
    snprintf(heard->text + at, sizeof heard->text - at, "%s;", b->failure ? " fails" : "");
    return true;
}

static const uint32_t *all_of(const void *user, uint32_t place, uint32_t *count)
{
    static const uint32_t tokens[] = {0, 1, 2, 3, 4};
    (void)user;
    *count = place == 0 ? 3 : 2;
    return place == 0 ? tokens : tokens + 3;
}

static uint32_t any_number(const void *user, uint32_t token)
{
    (void)user;
    return token < 5 ? UINT32_MAX : 0;
}

static const char *bindings_of(struct colour_net *net, uint32_t anchor)
{
    static struct heard heard;
    struct token_source source = {NULL, all_of, any_number};
    const struct token_count *initial;
    uint32_t count;
    struct tokens *tokens = tokens_new(net);
    struct binder *binder = binder_new(net, tokens, NULL);
    assert_non_null(binder);
    assert_true(initial_tokens(binder, &initial, &count, NULL));
    assert_int_equal(count, 5);
    assert_int_equal(initial[4].count, 2);
    heard = (struct heard){.net = net, .tokens = tokens};
    assert_true(find_bindings(binder, 0, &source, anchor, hear, &heard));
    binder_free(binder);
    tokens_free(tokens);
    return heard.text;
}

static void test_joins(void **state)
{
    (void)state;
    struct colour_net *net = make_net();
    add_swap(net);
    const char *first = "swap(x=0,y=1) 1*p<(0)> 1*p<(1)> 1*q<(0,1)>;",
               *second = "swap(x=1,y=2) 1*p<(1)> 1*p<(2)> 1*q<(1,2)>;";
    char both[200];
    snprintf(both, sizeof both, "%s%s", first, second);
    assert_string_equal(bindings_of(net, UINT32_MAX), both);
    assert_string_equal(bindings_of(net, 0), first);
    assert_string_equal(bindings_of(net, 3), first);
    assert_string_equal(bindings_of(net, 4), second);
    snprintf(both, sizeof both, "%s%s", second, first); /* as x, then as y */
    assert_int_equal(strlen(bindings_of(net, 1)), strlen(both));
    colour_net_free(net);
}

static void test_failures(void **state)
{
    (void)state;
    struct colour_net *net = make_net();
    struct node *half = make(net, NODE_BINARY, OPERATION_DIVIDE, NUMBER(2), X);
    add_transition(net, "divide", arc(net, 0, term(net, X, NULL, NULL), arc(net, 1, term(net, half, Y, NULL), NULL)),
                   NULL, NULL);
    /* 2/0 cannot be compared, so it is with every token; 2/1 is 2, which no token has; 2/2 is 1 */
    assert_string_equal(bindings_of(net, UINT32_MAX), "divide(x=0,y=1) 1*p<(0)> 1*q<(0,1)> fails;"
                                                      "divide(x=0,y=2) 1*p<(0)> 1*q<(1,2)> fails;"
                                                      "divide(x=2,y=2) 1*p<(2)> 1*q<(1,2)>;");
    colour_net_free(net);
}

/* ------------------------------------------------------------------ grounding */

static void test_grounding(void **state)
{
    (void)state;
    struct colour_net *net = make_net();
    struct portolan_system *system;
    add_swap(net);
    assert_int_equal(ground_net(net, GROUND_AUTO, &system, NULL), PORTOLAN_OK);
    /* (0,1) and (1,2) can be swapped, and (1,0), (2,1) then */
    assert_int_equal(system->actions, 4);
    assert_int_equal(system->variables, 7);
    uint32_t variable, never;
    uint64_t *initial = calloc(1, system->state_bytes);
    system->initial(system->model, initial);
    assert_true(system->find_variable(system->model, "q", &variable));
    assert_int_equal(system->value(system->model, initial, variable), 3);
    assert_true(system->find_variable(system->model, "q<(1,2)>", &variable));
    assert_int_equal(system->value(system->model, initial, variable), 2);
    assert_true(system->find_variable(system->model, "q<(2,2)>", &never));
    assert_int_equal(system->value(system->model, initial, never), 0);
    assert_false(system->find_variable(system->model, "q<(2,3)>", &never));
    free(initial);
    struct portolan_statistics seen = explored(system, "none", NULL, "bfs");
    /* {0,1,2} with (0,1), (1,2): swap 0-1 takes 0; swap 1-2 takes 1, and then nothing goes on */
    assert_int_equal(seen.states, 4);
    portolan_system_free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_joins), cmocka_unit_test(test_failures),
                                       cmocka_unit_test(test_grounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
