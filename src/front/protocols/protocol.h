/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A protocol, unfolded.  Each process is an automaton: its local states are the combinations of values that its
 * variables can get when every message that anybody could ever send may come at any time.  A column is a rule with its
 * choices and the messages it consumes; in a local state it has an edge (the next local state, what is sent) or none.
 * The messages, the local states and the columns are found together, as a least fixpoint.
 *
 * So all that a rule may read is known before the search begins, a step of the search is a look-up, and which column
 * can enable, disable or not commute with which is read off the tables.
 */
#ifndef FRONT_PROTOCOLS_PROTOCOL_H
#define FRONT_PROTOCOLS_PROTOCOL_H

#include "base/sequences.h"
#include "front/protocols/ast.h"
#include "portolan/portolan.h"

enum { NO_EDGE = UINT32_MAX, NO_QUEUE = UINT32_MAX, NO_PROCESS = UINT32_MAX };

enum message_kind {
    MESSAGE_SENT,
    MESSAGE_TOKEN, /* a Byzantine process has not sent the message of this content yet */
    MESSAGE_CRASH  /* how many processes may still crash */
};

struct message {
    enum message_kind kind;
    const struct message_type *type;
    uint32_t from, to;
    uint32_t queue; /* NO_QUEUE: unordered */
    uint32_t initial;
    uint32_t sequence; /* of its key, with the fields */
};

struct local_step {
    uint32_t next;    /* local state */
    uint32_t sends;   /* sequence of messages */
    uint32_t failure; /* number + 1 */
};

struct column {
    const struct rule *rule;
    uint32_t sequence;      /* its key: rule, choices, messages */
    VECTOR(uint32_t) edges; /* by local state; NO_EDGE */
    bool is_used;           /* has an edge */
};

struct automaton {
    const struct process_type *type;
    int32_t index;
    char *name;
    int32_t slot[MOST_SLOTS]; /* parameter and constants */
    struct sequences states;  /* of cells */
    struct sequences keys;    /* of columns */
    VECTOR(struct column) columns;
    uint32_t seen; /* messages when the columns were last looked for */
};

struct failure {
    const char *reason;
    unsigned line;
};

struct protocol {
    struct syntax syntax;
    uint32_t process_count;
    struct automaton *automata;
    struct sequences message_keys;
    VECTOR(struct message) messages;
    struct sequences sends;
    struct sequences edge_keys;
    VECTOR(struct local_step) edges; /* each once */
    VECTOR(struct failure) failures;
    size_t table_entries;
    uint32_t queue_count;
};

/* Unfolds a resolved protocol; it must be cleared in any case. */
enum portolan_status protocol_unfold(struct protocol *protocol, struct portolan_error *error);
void protocol_clear(struct protocol *protocol);

static inline const uint32_t *column_messages(const struct automaton *a, const struct column *c, size_t *count)
{
    size_t length;
    const uint32_t *key = sequence_get(&a->keys, c->sequence, &length);
    *count = c->rule->size;
    return key + length - c->rule->size;
}

/* The fields of a message. */
static inline const int32_t *message_fields(const struct protocol *p, const struct message *m)
{
    size_t length;
    return (const int32_t *)sequence_get(&p->message_keys, m->sequence, &length) + 4;
}

static inline const int32_t *local_cells(const struct automaton *a, uint32_t state)
{
    size_t length;
    return (const int32_t *)sequence_get(&a->states, state, &length);
}

#endif
