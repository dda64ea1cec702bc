/* SPDX-License-Identifier: Apache-2.0 */
/* Strong components of random graphs, against reachability by definition. */
#include "support.h"

#include "base/component_stack.h"

enum { NODES = 12, GRAPHS = 3000 };

struct graph {
    bool edge[NODES][NODES];
    bool reaches[NODES][NODES];
    uint32_t nodes;
};

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static void make_graph(struct graph *g, uint64_t *seed)
{
    *g = (struct graph){.nodes = 1 + next_random(seed) % NODES};
    uint32_t density = 1 + next_random(seed) % 40;
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint32_t j = 0; j < g->nodes; j++)
            g->edge[i][j] = next_random(seed) % 100 < density;
    for (uint32_t i = 0; i < g->nodes; i++)
        for (uint32_t j = 0; j < g->nodes; j++)
            g->reaches[i][j] = g->edge[i][j] || i == j;
    for (uint32_t k = 0; k < g->nodes; k++)
        for (uint32_t i = 0; i < g->nodes; i++)
            for (uint32_t j = 0; j < g->nodes; j++)
                g->reaches[i][j] |= g->reaches[i][k] && g->reaches[k][j];
}

/* The component on top is that of the node, and all that it leads to is complete. */
static void check_top(const struct graph *g, const struct component_stack *c, uint32_t node)
{
    uint32_t members = 0;
    for (uint32_t i = 0; i < g->nodes; i++) {
        bool together = g->reaches[node][i] && g->reaches[i][node];
        assert_int_equal(component_is_on_top(c, i), together);
        assert_true(!g->reaches[node][i] || together || (component_is_met(c, i) && !component_is_open(c, i)));
        members += together;
    }
    assert_int_equal(c->open.count - component_top(c), members);
}

static void walk(const struct graph *g, struct component_stack *c, uint32_t node)
{
    assert_true(component_enter(c, node));
    for (uint32_t to = 0; to < g->nodes; to++) {
        if (!g->edge[node][to])
            continue;
        if (!component_is_met(c, to))
            walk(g, c, to);
        else if (component_is_open(c, to))
            component_join(c, to);
    }
    if (component_is_root(c, node)) {
        check_top(g, c, node);
        component_complete(c);
    }
}

static void test_components_are_those_of_the_definition(void **state)
{
    (void)state;
    struct component_stack c = {0};
    uint64_t seed = 1;
    assert_true(component_stack_grow(&c, NODES));
    for (int i = 0; i < GRAPHS; i++) {
        struct graph g;
        make_graph(&g, &seed);
        component_stack_restart(&c);
        for (uint32_t node = 0; node < g.nodes; node++)
            if (!component_is_met(&c, node))
                walk(&g, &c, node);
        assert_int_equal(c.open.count, 0);
        assert_int_equal(c.roots.count, 0);
    }
    component_stack_clear(&c);
}

static void test_restarting_forgets_also_when_numbers_run_out(void **state)
{
    (void)state;
    struct component_stack c = {0};
    assert_true(component_stack_grow(&c, NODES));
    c.start = UINT32_MAX - 3 * NODES;
    for (int round = 0; round < 8; round++) {
        component_stack_restart(&c);
        assert_false(component_is_met(&c, 3));
        assert_true(component_enter(&c, 3));
        assert_true(component_is_open(&c, 3) && component_is_root(&c, 3));
        component_complete(&c);
        assert_true(component_is_met(&c, 3) && !component_is_open(&c, 3));
    }
    component_stack_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_components_are_those_of_the_definition),
        cmocka_unit_test(test_restarting_forgets_also_when_numbers_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
