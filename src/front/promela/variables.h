/* SPDX-License-Identifier: Apache-2.0 */
/* What lives as long as a system of a Promela model. */
#ifndef FRONT_PROMELA_VARIABLES_H
#define FRONT_PROMELA_VARIABLES_H

#include "front/promela/actions.h"

enum shown_kind { SHOWS_CELL, SHOWS_PROCESS, SHOWS_LABEL, SHOWS_PLACE, SHOWS_TRUTH };

/* Per variable of the model. */
struct promela_shown {
    enum shown_kind kind;
    const struct declared *declared; /* SHOWS_CELL */
    struct promela_type type;        /* SHOWS_CELL, SHOWS_PLACE */
    uint32_t slot;
    const struct node *truth; /* SHOWS_TRUTH */
};

struct cell_name {
    uint32_t cell;
    const char *name;
    const struct declared *declared;
};

struct noted_action { /* what charts and replays say of an action */
    const struct statement *statement;
    struct actor actor, partner;
    uint32_t state, partner_state; /* elements, where they are before */
    const struct channel *channel;
};

struct promela_language {
    struct syntax syntax;
    struct lowering lowering; /* what is needed of it afterwards: slots, states, channels */
    VECTOR(struct promela_shown) shown;
    VECTOR(struct cell_name) cells;
    VECTOR(struct noted_action) actions;
    uint32_t *cell_variable;    /* per cell */
    uint32_t *process_variable; /* per slot */
    struct portolan_messages messages;
    struct pairs seen;
};

void promela_name_cell(struct lowering *l, uint32_t cell, const char *name, const struct declared *declared);
void promela_note_action(struct lowering *l, const struct step *s);
bool promela_lower_variables(struct lowering *l);
void promela_language_free(void *language);
void promela_lowering_clear(struct lowering *l);

/* A truth of a process, by its locations. */
void promela_show_table(struct lowering *l, const char *name, struct variable variable);
void promela_show_truth(struct lowering *l, const char *name, const struct node *truth);

/* evaluate.c: the value of an expression in a state; false where it has none. */
struct view {
    const struct promela_language *language;
    const void *model, *state;
};
/* Can the process take a step, or, where slot is negative, can nobody? */
bool promela_is_enabled(const struct view *view, int64_t slot, int64_t *value);
/* The state of the process in a slot, NULL where there is none. */
const struct element *promela_element_at(const struct lowering *l, uint32_t slot, uint32_t location);
bool promela_evaluate(const struct view *view, const struct node *node, int64_t *value);

/* The same with the variables of a process. */
bool promela_evaluate_as(const struct view *view, struct actor actor, const struct node *node, int64_t *value);

/* messages.c: who sends what to whom, for charts. */
void promela_messages(struct lowering *l);

/* properties.c */
enum portolan_status promela_properties(struct parser *parser, struct lowering *l);

#endif
