/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What views whose entities are single tokens share: tokens and actions get their numbers when they are first met.
 *
 * A token is numbered with its neighbours: tokens 0, 1, 2 to 3, 4 to 7 and so on of a place get consecutive numbers
 * at once, so that a place has less than twice as many entities as it ever has tokens, and nothing grows with the
 * number of places times that of tokens.
 */
#ifndef FRONT_PETRI_TOKEN_VIEW_H
#define FRONT_PETRI_TOKEN_VIEW_H

#include "base/sequences.h"
#include "front/petri/net.h"
#include "system/touch_table.h"

enum { TOKEN_GROUPS = 25 };

struct token_view {
    const struct portolan_system *system;
    const struct net *net;
    struct portolan_lists users;            /* place -> transitions */
    struct sequences actions;               /* a transition, then what the view says of its tokens */
    struct touch_table touches;             /* of the actions met so far; not indexed */
    uint32_t (*group)[TOKEN_GROUPS];        /* per place: the first entity of each group that was met, from 0 on */
    uint32_t *groups;                       /* per place: how many */
    VECTOR(uint32_t) place;                 /* per entity */
    uint32_t *marking;                      /* scratch */
    VECTOR(uint32_t) draft;                 /* the action being put together */
    VECTOR(struct portolan_touch) arranged; /* its touches */
};

/* Meets the tokens of the initial marking.  False when memory is exhausted; close it all the same. */
bool token_view_open(struct token_view *v, const struct portolan_system *system);
/* Releases what it holds, not the view itself. */
void token_view_close(struct token_view *v);

/* Tokens 0, 1, 2-3, 4-7, ... */
static inline uint32_t token_group(uint32_t index)
{
    return index ? 32 - (uint32_t)__builtin_clz(index) : 0;
}

static inline bool token_is_met(const struct token_view *v, uint32_t place, uint32_t index)
{
    return token_group(index) < v->groups[place];
}

/* Of a token that was met. */
static inline uint32_t token_entity(const struct token_view *v, uint32_t place, uint32_t index)
{
    uint32_t group = token_group(index), first = group ? UINT32_C(1) << (group - 1) : 0;
    return v->group[place][group] + (index - first);
}

/* Which token of its place an entity is; UINT32_MAX when it is none. */
uint32_t token_index(const struct token_view *v, uint32_t entity);

/* Is the token there, by counts that were made when `known` entities were met? */
static inline bool token_is_there(const struct token_view *v, const uint32_t *count, uint32_t known, uint32_t place,
                                  uint32_t index)
{
    if (!token_is_met(v, place, index))
        return false;
    uint32_t entity = token_entity(v, place, index);
    return entity < known && count[entity];
}

/* Reads, forbids, deletes or creates a token of the action that is being arranged, which is met if it was not. */
bool token_view_touch(struct token_view *v, uint32_t place, uint32_t index, bool present, int32_t by);
/* The same of any entity. */
bool token_view_arrange(struct token_view *v, struct portolan_touch touch);
/* Gives the number of the action in v->draft; one that is new is arranged first. */
bool token_view_give(struct token_view *v, bool (*arrange)(struct token_view *v),
                     const struct portolan_receiver *receiver);

/* The functions of a view with the same names. */
uint32_t token_view_entities(const void *view);
void token_view_initial(const void *view, uint32_t *count);
const struct portolan_touch *token_view_touches(const void *view, uint32_t action, uint32_t *count);
uint32_t token_view_action(const void *view, uint32_t action);

#endif
