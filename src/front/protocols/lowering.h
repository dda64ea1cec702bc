/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An unfolded protocol becomes a model (src/model).  The locations of a process are its local states, live, then those
 * in which it has crashed, then those in which it has failed.  Each message that can be on its way is a cell that
 * counts it, or the number of a message in the cells of a queue.  An action is a rule with what it takes, or a fault.
 */
#ifndef FRONT_PROTOCOLS_LOWERING_H
#define FRONT_PROTOCOLS_LOWERING_H

#include "front/protocols/protocol.h"
#include "model/model.h"

enum action_kind {
    ACTION_STEP,  /* a process takes a rule */
    ACTION_KEEP,  /* the same, and the messages it takes stay: they were duplicated */
    ACTION_LOSE,  /* a message is lost */
    ACTION_FORGE, /* a Byzantine process sends something */
    ACTION_CRASH
};

struct protocol_action {
    enum action_kind kind;
    uint32_t process; /* that acts; for a loss, the receiver */
    uint32_t column;
    uint32_t first_need, need_count; /* in needs: messages that must be there */
    uint32_t sends;                  /* of a forgery: the message */
};

enum standing { IS_LIVE, HAS_CRASHED, HAS_FAILED };

struct message_queue {
    uint32_t messages;   /* that it may hold */
    uint32_t first_cell; /* of its slots, the head first */
    bool may_be_full;    /* when something is sent */
};

/* The messages to a process that are counted, and which of them it may yet take: dead.c. */
struct inbox {
    VECTOR(uint32_t) messages;
    uint32_t *set_of;      /* local state -> set; NULL: no message is ever dropped */
    struct sequences sets; /* bit k: message k may yet be taken */
};

/* A variable of the system, by what it shows. */
struct listed_variable {
    enum { LISTS_CELL, LISTS_CRASHED, LISTS_FAILED, LISTS_CONDITION, LISTS_CONSTANT } kind;
    uint32_t process, cell;
    const struct condition *condition;
    struct value_type type;
};

struct lowering {
    struct protocol protocol;
    VECTOR(struct protocol_action) actions; /* numbered as those of the model */
    VECTOR(uint32_t) needs;
    /* the steps that each local state allows */
    struct portolan_lists candidates;
    uint32_t *first_state; /* per process: its first list */
    struct message_queue *queues;
    uint32_t *in_queue; /* per message: its number there, from 1 */
    uint32_t *cell_of;  /* per message that is counted */
    struct inbox *inboxes;
    VECTOR(struct listed_variable) variables; /* numbered as those of the model */
    struct portolan_messages messages;
    struct portolan_rules rules;
};

void lowering_free(void *lowering);
/* The lowering behind the first argument of the functions of a system. */
static inline const struct lowering *lowering_of(const void *system_model)
{
    return model_of(system_model)->extras.language;
}

/* Where a step leads in a local state, NULL when it is not possible there. */
static inline const struct local_step *move_of(const struct lowering *l, const struct protocol_action *a,
                                               uint32_t local)
{
    uint32_t number = l->protocol.automata[a->process].columns.item[a->column].edges.item[local];
    return number == NO_EDGE ? NULL : &l->protocol.edges.item[number];
}

static inline bool is_step(const struct protocol_action *a)
{
    return a->kind == ACTION_STEP || a->kind == ACTION_KEEP;
}

/* ----------------------------------------------------------------- actions.c */

bool list_actions(struct lowering *l);

/* ------------------------------------------------------------------ queues.c */

/* Numbers the messages of each queue, and finds out which queues may be full. */
bool find_queues(struct lowering *l);
bool may_fail(const struct lowering *l);
/* What a step sends to a queue. */
uint32_t sent_to(const struct lowering *l, const struct local_step *move, uint32_t queue);
/* Does a step that is enabled fail because a queue has no room for what it sends? */
bool step_overflows(const void *system_model, const void *state, const struct protocol_action *a);

/* -------------------------------------------------------------------- dead.c */

/* Finds out which messages are dead where. */
bool find_dead(struct lowering *l);

/* ------------------------------------------------------------------- lower.c */

/* Fills a model but for its variables and properties. */
bool lower(struct lowering *l, struct model *m);

/* ----------------------------------------------------------------- lasting.c */

/* Does the condition stay false once it is?  False when memory is out. */
bool condition_lasts(const struct lowering *l, const struct condition *condition, bool *lasts);

/* ------------------------------------------------------------------- names.c */

void protocol_action_text(const struct lowering *l, uint32_t action, char *text, size_t size);
void value_text(const void *system_model, uint32_t variable, int64_t value, char *text, size_t size);
const struct portolan_messages *messages_view(struct lowering *l);
const struct portolan_rules *rules_view(struct lowering *l);
void message_text(const struct lowering *l, uint32_t message, char *text, size_t size);
enum { LONGEST_NAME = 4096, LONGEST_MESSAGE = 256 };

/* --------------------------------------------------------------- variables.c */

/* Gives the model its variables and properties, and what must be asked of the protocol about them. */
void lower_variables(struct lowering *l, struct model *m);
uint32_t local_state(const void *system_model, const void *state, uint32_t process, enum standing *standing);

#endif
