/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing a net with few words: printf-style ids on top of struct net_builder.
 *
 * Nodes are numbered in the order they are drawn, so that a family finds a
 * place by arithmetic from the first of its row.  Out of memory is remembered
 * by the builder and surfaces in net_builder_finish, so nothing is returned here.
 */
#ifndef FRONT_PETRI_GENERATE_DRAW_H
#define FRONT_PETRI_GENERATE_DRAW_H

#include "front/petri/net.h"

enum { DRAW_ID_BYTES = 96 }; /* no id of a family comes near this */

uint32_t draw_place(struct net_builder *builder, uint32_t tokens, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
uint32_t draw_transition(struct net_builder *builder, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A transition that moves a token; from == to is a test. */
uint32_t draw_step(struct net_builder *builder, uint32_t from, uint32_t to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Places name_1 ... name_count with the same tokens; returns the first. */
uint32_t draw_row(struct net_builder *builder, uint32_t count, uint32_t tokens, const char *name);
/* The local states of process `number` as places state_number, the first one marked, and their unit. */
uint32_t draw_states(struct net_builder *builder, const char *const *state, uint32_t count, uint32_t number);
/* A variable with values 0 ... values - 1 as places NAME_is_0 ..., and their unit; returns the place of 0. */
uint32_t draw_variable(struct net_builder *builder, uint32_t values, uint32_t initial, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Places first ... first + count - 1 form a unit. */
void draw_unit(struct net_builder *builder, uint32_t first, uint32_t count);

void draw_consume(struct net_builder *builder, uint32_t transition, uint32_t place);
void draw_produce(struct net_builder *builder, uint32_t transition, uint32_t place);
void draw_test(struct net_builder *builder, uint32_t transition, uint32_t place);
void draw_inhibit(struct net_builder *builder, uint32_t transition, uint32_t place);
/* The transition also takes a token of `from` to `to`; from == to is a test. */
void draw_move(struct net_builder *builder, uint32_t transition, uint32_t from, uint32_t to);

#endif
