/* SPDX-License-Identifier: Apache-2.0 */
#include "front/petri/generate/draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FORMAT_ID(id, format)                                                                                          \
    char id[DRAW_ID_BYTES];                                                                                            \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    vsnprintf(id, sizeof id, format, arguments);                                                                       \
    va_end(arguments)

uint32_t draw_place(struct net_builder *builder, uint32_t tokens, const char *format, ...)
{
    FORMAT_ID(id, format);
    return net_builder_place(builder, id, NULL, tokens);
}

uint32_t draw_transition(struct net_builder *builder, const char *format, ...)
{
    FORMAT_ID(id, format);
    return net_builder_transition(builder, id, NULL);
}

uint32_t draw_step(struct net_builder *builder, uint32_t from, uint32_t to, const char *format, ...)
{
    FORMAT_ID(id, format);
    uint32_t transition = net_builder_transition(builder, id, NULL);
    draw_move(builder, transition, from, to);
    return transition;
}

uint32_t draw_row(struct net_builder *builder, uint32_t count, uint32_t tokens, const char *name)
{
    uint32_t first = draw_place(builder, tokens, "%s_1", name);
    for (uint32_t i = 2; i <= count; i++)
        draw_place(builder, tokens, "%s_%u", name, i);
    return first;
}

uint32_t draw_states(struct net_builder *builder, const char *const *state, uint32_t count, uint32_t number)
{
    uint32_t first = draw_place(builder, 1, "%s_%u", state[0], number);
    for (uint32_t i = 1; i < count; i++)
        draw_place(builder, 0, "%s_%u", state[i], number);
    draw_unit(builder, first, count);
    return first;
}

uint32_t draw_variable(struct net_builder *builder, uint32_t values, uint32_t initial, const char *format, ...)
{
    FORMAT_ID(name, format);
    uint32_t first = draw_place(builder, initial == 0, "%s_is_0", name);
    for (uint32_t value = 1; value < values; value++)
        draw_place(builder, value == initial, "%s_is_%u", name, value);
    draw_unit(builder, first, values);
    return first;
}

void draw_unit(struct net_builder *builder, uint32_t first, uint32_t count)
{
    uint32_t *places = malloc(count * sizeof *places);
    if (!places)
        return; /* a unit only adds what is known of the net, which is right without it */
    for (uint32_t i = 0; i < count; i++)
        places[i] = first + i;
    net_builder_unit(builder, places, count);
    free(places);
}

void draw_consume(struct net_builder *builder, uint32_t transition, uint32_t place)
{
    net_builder_arc(builder, NET_CONSUME, place, transition, 1);
}

void draw_produce(struct net_builder *builder, uint32_t transition, uint32_t place)
{
    net_builder_arc(builder, NET_PRODUCE, place, transition, 1);
}

void draw_test(struct net_builder *builder, uint32_t transition, uint32_t place)
{
    net_builder_arc(builder, NET_READ, place, transition, 1);
}

void draw_inhibit(struct net_builder *builder, uint32_t transition, uint32_t place)
{
    net_builder_arc(builder, NET_INHIBIT, place, transition, 1);
}

void draw_move(struct net_builder *builder, uint32_t transition, uint32_t from, uint32_t to)
{
    if (from == to) {
        draw_test(builder, transition, from);
        return;
    }
    draw_consume(builder, transition, from);
    draw_produce(builder, transition, to);
}
