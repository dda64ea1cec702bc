/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small classics.
 *
 * philosophers         Dijkstra's dining philosophers, the left fork first.
 * philosophers-atomic  Evangelista and Pajault, "Solving the ignoring problem for partial order reduction",
 *                      figure 4: both forks at once.
 * readers-writers      a pool of permits: a reader takes one, a writer takes all.
 * kanban               Ciardo and Tilgner, "On the use of Kronecker operators for the solution of
 *                      generalized stochastic Petri nets", the kanban system of four cells.
 * unbounded            producers and a consumer around a buffer without a bound.
 */
#include "front/petri/generate/draw.h"
#include "front/petri/generate/families.h"

struct net *build_philosophers(const long *parameter)
{
    static const char *const state[] = {"thinks", "has_left", "eats"};
    enum { THINKS, HAS_LEFT, EATS, STATES };
    uint32_t n = (uint32_t)parameter[0];
    struct net_builder *b = net_builder_new("philosophers");
    if (!b)
        return NULL;
    uint32_t fork = draw_row(b, n, 1, "fork");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = draw_states(b, state, STATES, i + 1);
        uint32_t left = fork + i, right = fork + (i + 1) % n;
        uint32_t take_left = draw_step(b, at + THINKS, at + HAS_LEFT, "take_left_%u", i + 1);
        draw_consume(b, take_left, left);
        uint32_t take_right = draw_step(b, at + HAS_LEFT, at + EATS, "take_right_%u", i + 1);
        draw_consume(b, take_right, right);
        uint32_t put_back = draw_step(b, at + EATS, at + THINKS, "put_back_%u", i + 1);
        draw_produce(b, put_back, left);
        draw_produce(b, put_back, right);
    }
    return net_builder_finish(b, NULL);
}

struct net *build_philosophers_atomic(const long *parameter)
{
    static const char *const state[] = {"idle", "eating"};
    enum { IDLE, EATING, STATES };
    uint32_t n = (uint32_t)parameter[0];
    struct net_builder *b = net_builder_new("philosophers-atomic");
    if (!b)
        return NULL;
    uint32_t fork = draw_row(b, n, 1, "fork");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = draw_states(b, state, STATES, i + 1);
        uint32_t sit = draw_step(b, at + IDLE, at + EATING, "sit_%u", i + 1);
        uint32_t rise = draw_step(b, at + EATING, at + IDLE, "rise_%u", i + 1);
        for (uint32_t side = 0; side < 2; side++) {
            draw_consume(b, sit, fork + (i + side) % n);
            draw_produce(b, rise, fork + (i + side) % n);
        }
    }
    return net_builder_finish(b, NULL);
}

/* A process that takes `permits` tokens of the pool while it is active. */
static void draw_pool_user(struct net_builder *b, const char *const *state, const char *kind, uint32_t number,
                           uint32_t pool, uint32_t permits)
{
    uint32_t at = draw_states(b, state, 2, number);
    uint32_t begin = draw_step(b, at, at + 1, "begin_%s_%u", kind, number);
    net_builder_arc(b, NET_CONSUME, pool, begin, permits);
    uint32_t end = draw_step(b, at + 1, at, "end_%s_%u", kind, number);
    net_builder_arc(b, NET_PRODUCE, pool, end, permits);
}

struct net *build_readers_writers(const long *parameter)
{
    static const char *const reader[] = {"reader_idle", "reading"};
    static const char *const writer[] = {"writer_idle", "writing"};
    uint32_t readers = (uint32_t)parameter[0], writers = (uint32_t)parameter[1];
    struct net_builder *b = net_builder_new("readers-writers");
    if (!b)
        return NULL;
    uint32_t permits = draw_place(b, readers, "permits");
    for (uint32_t i = 1; i <= readers; i++)
        draw_pool_user(b, reader, "read", i, permits, 1);
    for (uint32_t i = 1; i <= writers; i++)
        draw_pool_user(b, writer, "write", i, permits, readers);
    return net_builder_finish(b, NULL);
}

/* A cell of the kanban system: FREE tickets, parts in work, parts to redo, parts that are finished. */
enum { FREE, WORK, REDO, FINISHED, CELL_PLACES };

static uint32_t draw_cell(struct net_builder *b, uint32_t tickets, uint32_t number)
{
    uint32_t cell = draw_place(b, tickets, "free_%u", number);
    draw_place(b, 0, "work_%u", number);
    draw_place(b, 0, "redo_%u", number);
    draw_place(b, 0, "finished_%u", number);
    draw_step(b, cell + WORK, cell + REDO, "reject_%u", number);
    draw_step(b, cell + REDO, cell + WORK, "return_%u", number);
    draw_step(b, cell + WORK, cell + FINISHED, "accept_%u", number);
    if (tickets == 1) /* with more tickets a cell holds several tokens */
        draw_unit(b, cell, CELL_PLACES);
    return cell;
}

struct net *build_kanban(const long *parameter)
{
    struct net_builder *b = net_builder_new("kanban");
    if (!b)
        return NULL;
    uint32_t cell[4];
    for (uint32_t i = 0; i < 4; i++)
        cell[i] = draw_cell(b, (uint32_t)parameter[0], i + 1);
    draw_step(b, cell[0] + FREE, cell[0] + WORK, "enter_1");
    uint32_t split = draw_step(b, cell[0] + FINISHED, cell[0] + FREE, "split_1_to_2_3");
    draw_move(b, split, cell[1] + FREE, cell[1] + WORK);
    draw_move(b, split, cell[2] + FREE, cell[2] + WORK);
    uint32_t join = draw_step(b, cell[3] + FREE, cell[3] + WORK, "join_2_3_to_4");
    draw_move(b, join, cell[1] + FINISHED, cell[1] + FREE);
    draw_move(b, join, cell[2] + FINISHED, cell[2] + FREE);
    draw_step(b, cell[3] + FINISHED, cell[3] + FREE, "leave_4");
    return net_builder_finish(b, NULL);
}

struct net *build_unbounded(const long *parameter)
{
    static const char *const producer[] = {"ready", "made"};
    struct net_builder *b = net_builder_new("unbounded");
    if (!b)
        return NULL;
    uint32_t buffer = draw_place(b, 0, "buffer");
    for (uint32_t i = 1; i <= (uint32_t)parameter[0]; i++) {
        uint32_t at = draw_states(b, producer, 2, i);
        draw_step(b, at, at + 1, "make_%u", i);
        draw_produce(b, draw_step(b, at + 1, at, "put_%u", i), buffer);
    }
    uint32_t hungry = draw_place(b, 1, "hungry");
    uint32_t eating = draw_place(b, 0, "eating");
    draw_unit(b, hungry, 2);
    draw_consume(b, draw_step(b, hungry, eating, "take"), buffer);
    draw_step(b, eating, hungry, "finish");
    return net_builder_finish(b, NULL);
}
