/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The nets that two papers draw to explain themselves.
 *
 * figure2-002, figure3-002: Evangelista and Pajault, "Solving the ignoring problem for partial order
 * reduction", figures 2 and 3.  figure-003: Bokor, Kinder, Serafini and Suri, "Supporting domain-specific
 * state space reductions through local partial-order reduction" (LPOR), the Petri net of section III.
 *
 * The drawings are rebuilt from the texts, which fix the relations between transitions but not every
 * place.  Our choices: in figure 2 both processes end after v; in figure 3 the system beside t is one
 * process that may fail; in figure-003, t1 and t2 compete for one token, t4 and t5 together enable t3,
 * and t3 enables t2, so that can-enable is {(t3,t2), (t4,t3), (t5,t3)}, the dependency
 * {(t1,t2), (t2,t1)}, and t1, t4, t5 are enabled at the start.
 */
#include "front/petri/generate/draw.h"
#include "front/petri/generate/families.h"

struct net *build_figure2_002(const long *parameter)
{
    static const char *const left[] = {"p1", "p2", "p3", "p4"};
    static const char *const right[] = {"q1", "q2", "q3", "q4"};
    (void)parameter;
    struct net_builder *b = net_builder_new("figure2-002");
    if (!b)
        return NULL;
    uint32_t p[4], q[4];
    for (uint32_t i = 0; i < 4; i++)
        p[i] = draw_place(b, i == 0, "%s", left[i]);
    for (uint32_t i = 0; i < 4; i++)
        q[i] = draw_place(b, i == 0, "%s", right[i]);
    draw_unit(b, p[0], 4);
    draw_unit(b, q[0], 4);
    draw_step(b, p[0], p[1], "t1");
    draw_step(b, p[1], p[2], "t2");
    draw_step(b, q[0], q[1], "u1");
    draw_step(b, q[1], q[2], "u2");
    uint32_t v = draw_step(b, p[2], p[3], "v");
    draw_move(b, v, q[2], q[3]);
    return net_builder_finish(b, NULL);
}

struct net *build_figure3_002(const long *parameter)
{
    (void)parameter;
    struct net_builder *b = net_builder_new("figure3-002");
    if (!b)
        return NULL;
    uint32_t spin = draw_place(b, 1, "spin");
    draw_unit(b, spin, 1);
    uint32_t t = draw_transition(b, "t");
    draw_consume(b, t, spin);
    draw_produce(b, t, spin);
    uint32_t ready = draw_place(b, 1, "ready");
    uint32_t working = draw_place(b, 0, "working");
    uint32_t bad = draw_place(b, 0, "bad");
    draw_unit(b, ready, 3);
    draw_step(b, ready, working, "begin");
    draw_step(b, working, ready, "end");
    draw_step(b, working, bad, "fail");
    return net_builder_finish(b, NULL);
}

struct net *build_figure_003(const long *parameter)
{
    (void)parameter;
    struct net_builder *b = net_builder_new("figure-003");
    if (!b)
        return NULL;
    uint32_t shared = draw_place(b, 1, "shared");
    uint32_t by_t1 = draw_place(b, 0, "taken_by_t1");
    uint32_t by_t2 = draw_place(b, 0, "taken_by_t2");
    uint32_t before_t4 = draw_place(b, 1, "before_t4");
    uint32_t after_t4 = draw_place(b, 0, "after_t4");
    uint32_t before_t5 = draw_place(b, 1, "before_t5");
    uint32_t after_t5 = draw_place(b, 0, "after_t5");
    uint32_t after_t3 = draw_place(b, 0, "after_t3");
    draw_unit(b, shared, 3);
    draw_step(b, shared, by_t1, "t1");
    uint32_t t2 = draw_step(b, shared, by_t2, "t2");
    draw_consume(b, t2, after_t3);
    uint32_t t3 = draw_step(b, after_t4, after_t3, "t3");
    draw_consume(b, t3, after_t5);
    draw_step(b, before_t4, after_t4, "t4");
    draw_step(b, before_t5, after_t5, "t5");
    return net_builder_finish(b, NULL);
}
