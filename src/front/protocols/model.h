/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A protocol as a system.  A state holds for each process its local state (and whether it has crashed or failed), then
 * the queues, then a count for each message that can be on its way.  Counts have as many bits as the largest so far
 * needs.
 */
#ifndef FRONT_PROTOCOLS_MODEL_H
#define FRONT_PROTOCOLS_MODEL_H

#include "base/names.h"
#include "front/protocols/protocol.h"
#include "system/action_footprint.h"

enum action_kind {
    ACTION_STEP,  /* a process takes a rule */
    ACTION_KEEP,  /* the same, and the messages it takes stay: they were duplicated */
    ACTION_LOSE,  /* a message is lost */
    ACTION_FORGE, /* a Byzantine process sends something */
    ACTION_CRASH
};

struct action {
    enum action_kind kind;
    uint32_t process; /* that acts; for a loss, the receiver */
    uint32_t column;
    uint32_t first_need, need_count; /* in needs: messages that must be there */
    uint32_t sends;                  /* of a forgery: the message */
};

struct field { /* of a state */
    uint32_t word, shift;
    uint64_t mask;
};

struct place { /* of the next field */
    uint32_t word, bit;
};

static inline uint64_t get(const uint64_t *state, const struct field *f)
{
    return state[f->word] >> f->shift & f->mask;
}

static inline void put(uint64_t *state, const struct field *f, uint64_t value)
{
    state[f->word] = (state[f->word] & ~(f->mask << f->shift)) | value << f->shift;
}

enum standing { IS_LIVE, HAS_CRASHED, HAS_FAILED };

struct message_queue {
    VECTOR(uint32_t) messages; /* that it may hold; 0 in a slot is none, else its number in this list + 1 */
    struct field *slots;
    bool may_be_full; /* when something is sent */
};

/* The messages of a process that are counted, and which of them it may yet take: dead.c. */
struct inbox {
    uint32_t first, count; /* in counted */
    uint32_t *set_of;      /* local state -> set; NULL: no message is ever dropped */
    struct sequences sets; /* bit k: message first + k may yet be taken */
    uint32_t first_word, words;
    uint64_t *keep; /* per set, `words` each, and at the end for a process that has stopped: the bits that stay */
};

struct listed_variable {
    enum { LISTS_CELL, LISTS_CRASHED, LISTS_FAILED, LISTS_CONDITION, LISTS_CONSTANT } kind;
    uint32_t process, cell;
    int32_t constant;
    const struct condition *condition;
};

struct protocol_relations {
    struct portolan_relations view;
    struct portolan_lists changers;
    uint32_t *local_process; /* per local guard, behind those of the messages and the one of crashes: whose */
    uint64_t **local_states; /* in which of its local states it holds */
    size_t local_count;
};

struct protocol_model {
    struct protocol protocol;
    char *name;
    VECTOR(struct action) actions;
    VECTOR(uint32_t) needs;
    /* layout */
    struct field *process_field;
    struct message_queue *queues;
    uint32_t *in_queue; /* per message: its number there + 1 */
    uint32_t *counted;  /* the messages that are counted, by receiver */
    uint32_t counted_messages;
    struct field *count_fields; /* per message */
    bool keeps_dead;            /* messages */
    struct inbox *inboxes;      /* per process, and one for what is no message */
    uint32_t count_word;        /* the first word of the counts */
    unsigned width, old_width;  /* of a count: 1, 2, 4 or 8 bits */
    /* enabling: the actions of each local state, and those of nobody */
    struct portolan_lists candidates;
    uint32_t *first_state; /* per process: its first list */
    VECTOR(uint32_t) faults;
    /* crashes that no deadlock can show, and whether they are left out */
    struct portolan_lists stops;
    bool without_stops;
    /* names */
    struct names action_names, variable_names;
    VECTOR(struct listed_variable) variables;
    uint32_t listed;
    VECTOR(struct portolan_stated_property) stated;
    char **stated_texts; /* two each */
    struct protocol_relations relations;
    struct action_footprint footprint;
    struct portolan_messages messages;
    struct portolan_rules rules;
};

/* ------------------------------------------------------------------- model.c */

bool model_make_actions(struct protocol_model *m);
bool model_make_layout(struct protocol_model *m);
void model_clear(struct protocol_model *m);
/* Room for one of so many values. */
struct field take_field(struct place *place, uint64_t values);
size_t model_words(const struct protocol_model *m);

uint32_t local_state(const struct protocol_model *m, const uint64_t *state, uint32_t process, enum standing *standing);
/* Is the message there: on its way, or at the head of its queue? */
bool message_is_there(const struct protocol_model *m, const uint64_t *state, uint32_t message);
bool action_is_enabled(const struct protocol_model *m, const uint64_t *state, uint32_t action);
uint32_t model_enabled(const struct protocol_model *m, const uint64_t *state, uint32_t *out);
enum portolan_fired model_fire(const struct protocol_model *m, const uint64_t *state, uint32_t action,
                               uint64_t *successor);
void model_initial(const struct protocol_model *m, uint64_t *state);
/* Rewrites the counts of a state of the old width. */
void model_convert(const struct protocol_model *m, const uint64_t *old_state, uint64_t *new_state);
/* The edge of a step in a local state, NULL when there is none. */
static inline const struct edge *model_edge(const struct protocol_model *m, const struct action *a, uint32_t local)
{
    uint32_t edge = m->protocol.automata[a->process].columns.item[a->column].edges.item[local];
    return edge == NO_EDGE ? NULL : &m->protocol.edges.item[edge];
}
static inline struct field count_field_at(const struct protocol_model *m, unsigned width, uint32_t position)
{
    uint32_t bit = position * width;
    return (struct field){m->count_word + bit / 64, bit % 64, UINT64_MAX >> (64 - width)};
}
static inline bool is_step(const struct action *a)
{
    return a->kind == ACTION_STEP || a->kind == ACTION_KEEP;
}

/* ------------------------------------------------------------------- queues.c */

/* First of all: finds out which queues may be full. */
bool model_find_full_queues(struct protocol_model *m);
bool model_make_queues(struct protocol_model *m, struct place *place);
bool model_may_fail(const struct protocol_model *m);
bool may_send_to(const struct protocol_model *m, const struct action *a, uint32_t queue);
bool takes_from(const struct protocol_model *m, const struct action *a, uint32_t queue);
/* Does a step that is enabled fail because a queue has no room for what it sends? */
bool step_overflows(const struct protocol_model *m, const uint64_t *state, const struct action *a);

/* -------------------------------------------------------------------- dead.c */

bool model_place_messages(struct protocol_model *m);
/* Finds out which messages are dead where. */
bool model_find_dead(struct protocol_model *m);
/* To be called again when the width has changed. */
void model_lay_out_counts(struct protocol_model *m);
/* Drops the messages to a process that it can take no more. */
void drop_dead(const struct protocol_model *m, uint64_t *state, uint32_t process);
bool is_dead(const struct protocol_model *m, const uint64_t *state, uint32_t message);
void inboxes_clear(struct protocol_model *m);
/* Is message k of the inbox in the set?  The set behind the last is empty. */
static inline bool inbox_has(const struct inbox *inbox, uint32_t set, uint32_t k)
{
    size_t length;
    return set < inbox->sets.count && sequence_get(&inbox->sets, set, &length)[k / 32] >> k % 32 & 1;
}

/* --------------------------------------------------------------- relations.c */

/* Says which relations there are, exactly but for what the local states overestimate; false when memory is out, with
 * *too_large set when the pairs do not fit. */
bool model_make_relations(struct protocol_model *m, bool *too_large);
bool model_make_footprint(struct protocol_model *m);
bool guard_holds(const struct protocol_model *m, const uint64_t *state, uint32_t guard);
void relations_clear(struct protocol_relations *r);

/* ------------------------------------------------------------------ lasting.c */

/* Does the condition stay false once it is?  False when memory is out. */
bool condition_lasts(const struct protocol_model *m, const struct condition *condition, bool *lasts);

/* ------------------------------------------------------------------- names.c */

bool model_make_names(struct protocol_model *m);
void message_text(const struct protocol_model *m, uint32_t message, char *text, size_t size);
int64_t model_value(const struct protocol_model *m, const uint64_t *state, uint32_t variable);
void model_value_text(const struct protocol_model *m, uint32_t variable, int64_t value, char *text, size_t size);
/* A condition about the whole state, given the variables of each process. */
bool condition_holds(const struct condition *c, const int32_t *const *all, const bool *crashed);
bool model_is_final(const struct protocol_model *m, const uint64_t *state);
/* Fills m->messages. */
void model_make_messages(struct protocol_model *m);
/* Fills m->rules. */
void model_make_rules(struct protocol_model *m);

#endif
