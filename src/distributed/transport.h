/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the processes of one search, its ranks, reach each other.  Messages travel in rounds: within a round everybody
 * sends and receives as it likes, and a round is over when nobody has anything left to send and all that was sent has
 * arrived.  What is agreed upon (sums, copies) is agreed upon by all at the same point.
 *
 * MPI stands behind it, in a shared object of its own that is loaded when several ranks are asked for.
 */
#ifndef DISTRIBUTED_TRANSPORT_H
#define DISTRIBUTED_TRANSPORT_H

#include "portolan/portolan.h"

#include <stdatomic.h>

enum { TRANSPORT_VERSION = 2 };

struct transport {
    uint32_t version; /* TRANSPORT_VERSION of whoever made it */
    uint32_t rank, ranks;
    /* Sends bytes, of which it keeps a copy until they have arrived.  False when memory is short. */
    bool (*send)(struct transport *transport, uint32_t to, const void *bytes, size_t count);
    /* A message of this round that has arrived: its bytes, good until the next call; NULL when there is none. */
    const void *(*receive)(struct transport *transport, uint32_t *from, size_t *count);
    /* Asked again and again, with receive between: this rank has nothing left to send.  True when the round is over. */
    bool (*is_over)(struct transport *transport);
    /* Of all ranks, entry by entry, to all. */
    void (*add_up)(struct transport *transport, uint64_t *numbers, size_t count);
    void (*largest)(struct transport *transport, uint64_t *numbers, size_t count);
    /* What one rank has, to all. */
    void (*share)(struct transport *transport, uint32_t from, void *bytes, size_t count);
    void (*close)(struct transport *transport);
    uint64_t messages, bytes; /* that this rank has sent */
    bool has_met;             /* transport_meet was called */
    /* When somebody does not answer though an end was asked for, or the deadline (of the monotonic clock, in seconds;
     * 0: none) is past: called once, and does not return. */
    void (*lost)(void);
    const volatile sig_atomic_t *interrupt;
    double deadline;
    _Atomic uint64_t calls; /* goes up when this rank calls what is below, and when that returns: odd is within */
};

/* Before anything else all ranks meet once, and learn whether all of them can begin.  Whoever cannot says so and
 * leaves: others would wait forever. */
bool transport_meet(struct transport *transport, bool can_begin);

/* What the shared object exports; NULL when MPI could not be started. */
typedef struct transport *open_transport(void);
#define TRANSPORT_SYMBOL "portolan_open_transport"
struct transport *portolan_open_transport(void);

/* Loads it from beside the program, or from where libraries are installed. */
enum portolan_status transport_load(const char *directory, struct transport **transport, struct portolan_error *error);

#endif
