/* SPDX-License-Identifier: Apache-2.0 */
/* Between steps.c, which knows when a step can be taken and what it does, and actions.c, which makes actions of steps.
 */
#ifndef FRONT_PROMELA_ACTIONS_H
#define FRONT_PROMELA_ACTIONS_H

#include "front/promela/lowering.h"

/* A way in which a transition of a state may be taken: on this channel, with this partner. */
struct step {
    struct actor actor;
    uint32_t state;
    struct transition transition;
    const struct channel *channel; /* NULL: none */
    struct channel_set among;      /* of a rendezvous on any of several channels alike; `channel` is one of them ... */
    uint32_t alike;                /* ... 0: on no other */
    bool is_lost;                  /* the channel that it is to use is none of those there are */
    struct actor partner;          /* of a rendezvous: who receives; its type is NULL where there is none */
    uint32_t partner_state;
    struct transition receipt;
};

struct steps {
    struct step *item;
    size_t count, capacity;
};

static inline const struct element *element_of(struct actor actor, uint32_t element)
{
    return &actor.type->flow->elements.item[element];
}

static inline const struct element *step_element(const struct step *s)
{
    return element_of(s->actor, s->transition.element);
}

static inline bool is_rendezvous(const struct step *s)
{
    return s->channel && s->channel->shape->capacity == 0;
}

/* The location of an actor that is at a state, and its number in the cell that says so. */
static inline uint32_t location_at(const struct lowering *l, struct actor actor, uint32_t state)
{
    return host_of(l, actor)->first_location + l->states[actor.type->number].number[state];
}

static inline uint32_t location_cell(const struct lowering *l, uint32_t slot)
{
    return l->m->processes.item[l->slot[slot].process].location_cell;
}

/* low <= cell <= high, when the condition, or its opposite, says just that. */
bool pml_as_range(const struct lowering *l, const struct node *n, bool sense, uint32_t *cell, struct range *range);
/* All steps from a state, in Spin's order. */
bool pml_list_steps(struct lowering *l, struct actor actor, uint32_t state, struct steps *out);
/* Jumps unless the step can be taken.  Where l->testing, tests of the action are made of what can be. */
void pml_emit_unless_possible(struct lowering *l, const struct step *s, const struct steps *all,
                              struct patches *patches);
/* Can it always be taken? */
bool pml_is_always_possible(const struct lowering *l, const struct step *s);
/* Jumps when a process, in one of its states, can do something. */
void pml_jump_if_able(struct lowering *l, struct actor other, struct patches *able);
/* The actions that leave a state. */
void pml_lower_state(struct lowering *l, struct actor actor, uint32_t state);
/* What it does but for moving the actor; the partner has moved. */
void pml_emit_effect(struct lowering *l, const struct step *s);
bool pml_step_mentions_timeout(const struct step *s, const struct steps *all);

#endif
