/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of pipes, sockets and the like: numbers that the kernel does not give. */
#ifndef NATIVE_DESCRIPTORS_H
#define NATIVE_DESCRIPTORS_H

#include "native/channels.h"

#include <sys/types.h>

enum {
    OF_MAIN = 256, /* descriptors, and of other threads */
    OF_OTHERS = 32,
    MOST_DESCRIPTORS = OF_MAIN + (MOST_THREADS - 1) * OF_OTHERS,
    MOST_WATCHED = 32
};

enum endpoint_kind { NO_ENDPOINT, A_PIPE, A_STREAM, A_PACKETS, AN_EVENT, A_SOCKET_WITHOUT_PEER, A_LISTENER, AN_EPOLL };

/* What descriptors stand for: several may stand for one. */
struct endpoint {
    enum endpoint_kind kind;
    bool reads, writes; /* there is a channel to read from, to write to, */
    uint32_t in, out;   /* these */
    bool is_nonblocking, counts_down;
    uint32_t references;
    agent_set users;
    agent_set changed_by; /* those that changed it by other means than messages while others were there */
    uint16_t name;        /* of a listener, of a socket that has one: sockets.c; 0: none */
    struct watched {
        int number;
        uint32_t events;
        uint64_t data;
    } watched[MOST_WATCHED]; /* of an epoll */
    uint32_t watched_count;
};

bool descriptors_make(void);
/* Before each execution. */
void descriptors_reset(void);

/* A file was opened. */
void descriptor_opened(void);
/* The endpoint of a descriptor of ours, NULL when it is none. */
struct endpoint *endpoint_of(int number, struct call *call);
/* Is the number one of ours? */
bool is_descriptor(int number);

/* A new one; NULL and a failure when there are too many. */
struct endpoint *endpoint_new(enum endpoint_kind kind, int flags, int *number, struct call *call);
/* Messages to an endpoint come through this channel. */
uint32_t channel_into(const struct endpoint *endpoint);
/* Two that are connected to each other. */
void endpoints_connect(struct endpoint *one, struct endpoint *other);
/* It will be changed. */
void endpoint_changes(struct endpoint *endpoint);
/* The same by a call that sends no message: a step, where other threads use the endpoint. */
void endpoint_changes_in_order(struct endpoint *endpoint, struct call *call);

/* read and write, recv and send on a descriptor of ours. */
ssize_t descriptor_read(int number, void *to, size_t size, int flags, struct call *call);
ssize_t descriptor_write(int number, const void *from, size_t size, int flags, struct call *call);
int descriptor_close(int number, struct call *call);

/* Could a message, or the end, be an event of it for somebody who wants these? */
bool may_show(const struct endpoint *endpoint, short wanted);
/* Can one read, or is there an end; can one write without waiting?  The events of poll. */
short endpoint_events(struct endpoint *endpoint, short wanted, struct call *call);

#endif
