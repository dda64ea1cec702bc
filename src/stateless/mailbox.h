/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a process that explores leaves, and the rank that has started it, leave letters for each other: memory that
 * both have mapped.  The rank knows it by a descriptor, and the other process by a name for that: a model's search, or
 * a C program that explores itself.
 */
#ifndef STATELESS_MAILBOX_H
#define STATELESS_MAILBOX_H

#include "stateless/leaves.h"

#include <signal.h>

/* The name is in the environment of whoever explores. */
#define MAILBOX_VARIABLE "PORTOLAN_MAILBOX"
enum { MAILBOX_NAME = 64, MAILBOX_WORDS = 1 << 24 }; /* or as many as files may be large */

struct mailbox {
    _Atomic uint32_t wish;                        /* enum leaf_wish */
    _Atomic uint32_t ended;                       /* there are no more leaves */
    _Atomic uint32_t asks;                        /* whoever explores waits for one */
    _Atomic uint32_t stop;                        /* why whoever explores ended early; PORTOLAN_COMPLETE: it did not */
    _Atomic uint64_t executions;                  /* so far */
    _Atomic enum { NOBODYS, REPORT, LEAF } holds; /* a letter is for the one who has not written it */
    uint32_t count;
    uint32_t room; /* for so many words */
    uint32_t letter[];
};

/* The rank's side; NULL when memory is short. */
struct mailbox *mailbox_make(char name[MAILBOX_NAME], int *file);
void mailbox_free(struct mailbox *mailbox, int file);

/* The other side. */
struct mailbox_source {
    struct leaf_source source;
    struct mailbox *mailbox;
    const volatile sig_atomic_t *interrupt; /* or NULL */
};
/* False when there is none of this name. */
bool mailbox_open(struct mailbox_source *source, const char *name, const volatile sig_atomic_t *interrupt);
/* The search has ended for this reason: the rank hears of it when it was ended early. */
void mailbox_close(struct mailbox_source *source, enum portolan_stop stop);

#endif
