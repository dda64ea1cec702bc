/* SPDX-License-Identifier: Apache-2.0 */
/* Names that a high-level net has beside its own, whether it is grounded or run as it is. */
#ifndef HIGHLEVEL_WORDS_H
#define HIGHLEVEL_WORDS_H

#include "highlevel/net.h"

/* A truth: no place has more of a token than its capacity. */
#define CAPACITIES_HOLD "capacities hold"

/* The place that is marked when something cannot be evaluated: "error", unless the net has one of that name. */
const char *error_name(const struct colour_net *net);
/* The expression that says it is not. */
const char *error_is_absent(const struct colour_net *net);

/* Is it the name of a token, "place<(1,red)>", by the domain of its place?  Domains with very many values are not gone
 * through to the end. */
bool token_is_possible(const struct colour_net *net, const char *name);

/* Why there is no value; where it is outside a type, which one: "the value is not in 't', 0 .. 3". */
size_t failure_words(const char *why, const struct node *at, char *text, size_t size);

/* A binding as traces name it: "t(c=1)", or "t(c=1) fails, 8:12: division by zero" where there is a failure. */
size_t binding_words(const struct colour_net *net, uint32_t transition, const int64_t *frame, const char *failure,
                     const struct node *failed_at, char *text, size_t size);
/* What the transition says of a binding, by its `description`; false when it says nothing. */
bool binding_description(const struct colour_net *net, uint32_t transition, const int64_t *frame, char *text,
                         size_t size);

/* Tokens of a place as markings show them, whatever their numbers are: "<(1,red)> + 2*<(2,blue)>", "empty"; a place
 * without colours has a number.  The tokens are sorted. */
struct shown_token {
    const int64_t *cells;
    uint32_t count;
};
void marking_text(const struct colour_place *place, struct shown_token *tokens, uint32_t count, char *text,
                  size_t size);

#endif
