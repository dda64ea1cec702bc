/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens, numbered as they are met, and the bindings of a transition: what its variables may be, given tokens that may
 * be there, and what it then takes, adds and forbids.  Grounding asks with all tokens that can ever be there, a search
 * on the fly with those of a state.
 */
#ifndef HIGHLEVEL_BINDINGS_H
#define HIGHLEVEL_BINDINGS_H

#include "highlevel/evaluate.h"

/* A token is a tuple in a place: numbered from 0 on over all places. */
struct tokens;

struct tokens *tokens_new(const struct colour_net *net);
void tokens_free(struct tokens *tokens);
uint32_t tokens_count(const struct tokens *tokens);
/* Numbers it where it is new; UINT32_MAX when memory is exhausted. */
uint32_t token_number(struct tokens *tokens, uint32_t place, const int64_t *cells);
bool token_find(const struct tokens *tokens, uint32_t place, const int64_t *cells, uint32_t *token);
uint32_t token_place(const struct tokens *tokens, uint32_t token);
const int64_t *token_cells(const struct tokens *tokens, uint32_t token);
/* "place<(1,red)>", or "place" where the domain is epsilon. */
size_t token_text(const struct tokens *tokens, uint32_t token, char *text, size_t size);

/* "<(1,red)>": the tuple alone. */
size_t tuple_text(const struct colour_place *place, const int64_t *cells, char *text, size_t size);

struct token_count {
    uint32_t token, count;
};

struct binding {
    uint32_t transition;
    const int64_t *frame; /* the values of the variables; 0 in cells of iterators, and of variables without a value */
    /* each by increasing token, each token once */
    const struct token_count *in, *out, *inhibit; /* inhibit: enabled only while there are fewer than count */
    uint32_t in_count, out_count, inhibit_count;
    int64_t priority;
    /* not NULL: it cannot be evaluated; in and inhibit are what is known, out is empty.  A component of an input arc
     * that cannot be evaluated matches every value, so such bindings of one frame may differ in what they take. */
    const char *failure;
    const struct node *failed_at;
};

/* The tokens that may be there: of a place, each once.  While bindings are found, the answers stay the same, but the
 * array may move. */
struct token_source {
    const void *user;
    const uint32_t *(*tokens)(const void *user, uint32_t place, uint32_t *count);
    /* how many of it there may be at once: UINT32_MAX for any number */
    uint32_t (*most)(const void *user, uint32_t token);
};

struct binder; /* what is prepared once per net: in which order variables are bound */

struct binder *binder_new(const struct colour_net *net, struct tokens *tokens, struct portolan_error *error);
void binder_free(struct binder *binder);
/* Gives every binding whose guard holds and whose input tokens the source has, each once; tokens that it produces or
 * forbids are numbered.  With `anchor` other than UINT32_MAX only those that take this token.  Inhibitor arcs and
 * priorities are not looked at.  What is given is valid until give() returns.  False when memory is exhausted, a limit
 * is reached, or give() returned false. */
bool find_bindings(struct binder *binder, uint32_t transition, const struct token_source *source, uint32_t anchor,
                   bool (*give)(void *user, const struct binding *binding), void *user);
/* "transition(c=1,s=2)", or the name alone where there are no variables; what lets give is not shown. */
size_t binding_text(const struct colour_net *net, uint32_t transition, const int64_t *frame, char *text, size_t size);
/* The initial marking, by increasing token; false with the error when it cannot be evaluated. */
bool initial_tokens(struct binder *binder, const struct token_count **initial, uint32_t *count,
                    struct portolan_error *error);
/* The capacity of a place that has one; as above. */
bool place_capacity(struct binder *binder, uint32_t place, int64_t *capacity, struct portolan_error *error);
/* From now on find_bindings returns false after so many steps in all (binder_is_spent); without this after any. */
void binder_limit(struct binder *binder, uint64_t steps);
bool binder_is_spent(const struct binder *binder);

#endif
