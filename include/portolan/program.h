/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a C program can say to `portolan run`.  The functions are in the runtime that `portolan cc` links in; a program
 * that just runs chooses 0, and stops where an assumption does not hold.
 */
#ifndef PORTOLAN_PROGRAM_H
#define PORTOLAN_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Executions in which the condition does not hold are none that matter: this one ends here, silently. */
void portolan_assume(int condition);
/* Any of 0 ... count - 1: each is explored. */
unsigned portolan_choose(unsigned count);

/*
 * Messages.  A mailbox is any number; kinds are below PORTOLAN_KINDS.  What a thread sends of one kind to one mailbox
 * comes in order, everything else in any order; nothing is lost.
 */
enum { PORTOLAN_KINDS = 64 };

struct portolan_message {
    void *data;            /* given: where to put it, with room for ... */
    size_t size;           /* ... so many bytes; found: how many it has */
    unsigned kind, sender; /* found; the same number for the same thread */
};

void portolan_send(int mailbox, unsigned kind, const void *message, size_t size);
/* Waits for `count` messages from as many threads, each of one of these kinds (bits), and takes them together: any that
 * are there; each choice is explored. */
void portolan_receive(int mailbox, uint64_t kinds, struct portolan_message *messages, unsigned count);

#ifdef __cplusplus
}
#endif

#ifndef PORTOLAN_LONG_NAMES_ONLY
#define assume(condition) portolan_assume(!!(condition))
#define choose(count) portolan_choose(count)
#endif

#endif
