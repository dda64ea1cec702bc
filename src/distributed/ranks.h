/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank knows of the search by levels, and what the files of this directory do for each other. */
#ifndef DISTRIBUTED_RANKS_H
#define DISTRIBUTED_RANKS_H

#include "distributed/transport.h"
#include "search/search.h"

enum {
    BATCH = 1 << 16,      /* bytes that are sent at once */
    STATES_PER_POLL = 16, /* between looks for messages */
    HEAD = 4              /* bytes before each state in a message: who asks where it stands, + 1; 0: nobody */
};

struct batch {
    unsigned char *bytes;
    size_t count;
};

/* A state whose reduced set is still to be accepted. */
struct waiting {
    uint32_t state;
    uint32_t later, asked;
};

/* Answers go back in the next round; until then they are kept behind each other. */
struct answer {
    uint32_t to, who;
    bool later;
};

/* The file from which a search goes on: saved.c. */
struct saving {
    const char *file, *from;  /* to write, or NULL; to read, or NULL: it begins */
    const char *const *words; /* for the file */
    double every, next;       /* seconds */
    uint64_t id;              /* of the last one; its parts have it in their names.  0: there is none */
    uint64_t parts;           /* of the last one */
    uint64_t written;
};

struct levels {
    struct explorer *x;
    struct transport *transport;
    const struct portolan_system *wire; /* whose states are sent */
    size_t wire_bytes;
    unsigned char *scratch; /* an opened state */
    bool asks;              /* a proviso judges reduced sets: senders ask where successors stand */
    struct batch *batch;    /* per rank, like peer: mail.c */
    struct peer *peer;
    unsigned char *layout_message, *packed;
    size_t description_bytes;
    uint32_t layout, told;  /* that layout_message describes, and that the others know of */
    VECTOR(uint32_t) level; /* where each level begins in the store of this rank */
    uint32_t next_level;    /* states from this number on are of the next level */
    uint32_t present;       /* the state to expand next */
    VECTOR(struct waiting) waiting;
    VECTOR(struct answer) answers_to_send;
    bool dropped;    /* a state was lost for want of memory: the search is not complete */
    uint32_t *found; /* per property: the state that decides it, or STORE_NONE */
    uint32_t *valueless;
    struct saving saving;
};

/* --- levels.c */

static inline struct search *search_of(const struct levels *l)
{
    return l->x->search;
}

/* What each rank has for itself becomes what all have: the largest values, which actions fired. */
void levels_agree(struct transport *transport, struct search *search);
/* The rank with the smallest number of those who have something; ranks when nobody has. */
uint32_t first_who(struct levels *l, bool has);

/* --- mail.c */

bool mail_make(struct levels *l);
void mail_clear(struct levels *l);
size_t mail_bytes(const struct levels *l);
/* A state is lost, and with it the claim to have seen everything. */
void out_of_memory(struct levels *l);
/* As the opened system has it, in which all ranks agree; and to whom it belongs. */
void to_wire(const struct levels *l, const void *state, unsigned char *wire);
uint32_t owner_of(const struct levels *l, const unsigned char *wire);
/* Stores a state that this rank owns, as it is stored or as it is opened; false when that is not possible. */
bool keep_packed(struct levels *l, const void *state, uint64_t hash, uint32_t *number);
bool keep_opened(struct levels *l, const unsigned char *wire, uint32_t *number);
/* Sends a state, soon; head: who of the waiting asks where it stands, + 1; 0: nobody. */
void post_state(struct levels *l, uint32_t to, uint32_t head, const void *state);
/* Takes what has come. */
void receive_some(struct levels *l);
/* Sends what is left and takes what comes until the round is over. */
void end_round(struct levels *l);
/* A round in which those who asked are answered; and one answer, of the waiting. */
void send_answers(struct levels *l);
void take_answer(struct levels *l, uint32_t who, bool later);

/* --- path.c */

/* All ranks together: the path to a state of the rank `who`, which knows its number, backwards. */
bool find_path(struct levels *l, uint32_t who, uint32_t state, size_t level, struct portolan_answer *answer);

/* --- saved.c: all ranks together, between two rounds */

/* Writes the file when it is time, or `now`. */
void levels_save(struct levels *l, bool now);
/* Instead of the initial state: what this rank owns of all that the file holds.  False: x->status or search->ended. */
bool levels_resume(struct levels *l);
/* The search is over: removes a file that nobody needs any more. */
void levels_saving_ends(struct levels *l);

#endif
