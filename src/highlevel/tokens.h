/* SPDX-License-Identifier: Apache-2.0 */
/* What those who find bindings and ground nets know of tokens beyond bindings.h. */
#ifndef HIGHLEVEL_TOKENS_H
#define HIGHLEVEL_TOKENS_H

#include "highlevel/bindings.h"

struct token_list {
    uint32_t *item;
    size_t count, capacity;
};

const struct colour_net *tokens_net(const struct tokens *tokens);
/* All tokens of a place that were met, by increasing number. */
const struct token_list *tokens_of_place(const struct tokens *tokens, uint32_t place);
/* The cells of a tuple in it. */
uint32_t tuple_cells(const struct colour_net *net, uint32_t place);

#endif
