/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vectors of a certificate by probe sets, numbered in the order in which
 * they are found.  A certificate lists one probe set a vector; all that follows
 * from it, the vectors behind its actions and behind what they miss, is found here
 * from the entities view, by trying every case.  docs/certificates.md says why
 * the conditions are enough.
 */
#ifndef CERTIFY_VECTORS_H
#define CERTIFY_VECTORS_H

#include "base/sequences.h"
#include "portolan/portolan.h"

enum { NO_KEEPER = UINT32_MAX };

/* One action of a probe set and what it discharges: actions of the trace, which holds each once. */
struct probed_action {
    uint32_t action;
    uint32_t first, count; /* in probe_set.discharged */
};

struct probe_set {
    uint32_t keeper; /* an action; NO_KEEPER when every enabled one is explored */
    VECTOR(struct probed_action) actions;
    VECTOR(uint32_t) discharged;
};

/* What an action touches; the view may move its own list. */
struct touched {
    struct portolan_touch *touch;
    uint32_t count;
    uint32_t system_action;
    bool idle; /* changes nothing, so it leads nowhere */
};

struct vectors {
    const struct portolan_system *system;
    const struct portolan_entities *entities;
    const bool *visible; /* per action of the system; NULL: visibility does not matter */
    void *view;
    uint32_t entity_count;
    VECTOR(struct touched) actions; /* of the view */
    uint32_t *view_action;          /* per action of the system; UINT32_MAX: none */
    bool ambiguous;                 /* two actions of the view are one of the system, or entities are met on the fly */

    struct sequences states;  /* counts */
    struct sequences vectors; /* a start state, then the trace in its least order */

    /* the vector that was loaded */
    uint32_t number, start;
    VECTOR(uint32_t) trace; /* actions of the view */
    bool *before;           /* row i: the events that must come before event i */
    size_t before_capacity, rows;
    uint32_t *begin, *target, *scratch; /* counts: of the start state, of the target */
    VECTOR(uint32_t) enabled;           /* in the target, without idle ones */
    uint32_t enabled_count;             /* with idle ones */
    unsigned char *state;               /* the target as the system has it */

    /* scratch: sets of events */
    bool *set, *kept;
    size_t set_capacity, kept_capacity;
    VECTOR(uint32_t) draft, rest, added;
    bool failed; /* memory ran out, or a limit was reached */
};

/* Begins with the initial state and an empty trace as vector 0; false when memory ran out. */
bool vectors_make(struct vectors *vectors, const struct portolan_system *system, const bool *visible);
void vectors_clear(struct vectors *vectors);
/* Makes a vector the present one; false when memory ran out. */
bool vectors_load(struct vectors *vectors, uint32_t number);
/* Writes what a vector with these counts and this trace, of actions of the system, is stored as into vectors->draft;
 * false when memory ran out. */
bool vectors_key(struct vectors *vectors, const uint32_t *count, const uint32_t *trace, size_t length);
/* Marks the prime cause of an action of the view in the present trace. */
void vectors_cause(const struct vectors *vectors, uint32_t action, bool *cause);
/* What is wrong with a probe set of the present vector, or NULL; *action is then the one to be named.  Its actions are
 * the system's. */
const char *vectors_judge(struct vectors *vectors, const struct probe_set *set, uint32_t *action);
/* Adds all vectors that follow from a set that was judged; false when memory ran out. */
bool vectors_follow(struct vectors *vectors, const struct probe_set *set);

void probe_set_clear(struct probe_set *set);

#endif
