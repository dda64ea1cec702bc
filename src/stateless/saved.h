/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stateless search in a file, from which it can go on.  The stack of choices is enough: who took the steps of the
 * present execution, and of each node what sleeps there and what is still to be explored.  The execution itself is had
 * again by taking its steps.  One worker does all of it.
 */
#ifndef STATELESS_SAVED_H
#define STATELESS_SAVED_H

#include "checkpoint/archive.h"
#include "stateless/shared.h"

struct saved {
    uint64_t mark; /* of the question: a file with another one is refused */
    enum archive_kind kind;
    const char *file, *from;  /* to write, or NULL; to read, or NULL: it begins */
    const char *const *words; /* for the file */
    double every, next;       /* seconds */
    uint64_t written;
    bool can_resume;
    bool stays; /* the file, also when nothing is left to do */
    char trouble[160];
    /* more of the machine's own, into a file or out of it; may be NULL */
    void (*keep)(struct archive *archive);
    /* read from the file: what was known of races and events, and what else the worker knew; see saved_follow */
    bool resumed;
    VECTOR(struct race) races;
    VECTOR(struct dependence) open;
    uint64_t seen_events, favourite;
};

/* Fills it by the options; true when something is to be saved or resumed. */
bool saved_make(struct saved *saved, const struct portolan_options *options, enum archive_kind kind, uint64_t mark);
/* Does a search that ended for this reason leave nothing to go on with? */
bool saved_is_over(enum portolan_stop stop);
/* Tells the result, and removes a file that nobody needs any more. */
void saved_end(struct saved *saved, struct portolan_result *result);

/* Before the search begins: the worker's stack, and the path to it, from the file. */
enum portolan_status saved_read(struct worker *worker, struct portolan_error *error);
/* When that path has been followed: what was known of its events. */
bool saved_follow(struct worker *worker);

/* Between two steps: writes the file when it is time; ends the search and does so when a limit is due. */
void save_when_due(struct worker *worker);
void save_at_limit(struct worker *worker);
/* The search has ended, with something left to do. */
void save_at_end(struct worker *worker);

#endif
