/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between threads: what pipes, sockets, eventfds and mailboxes are made of. */
#ifndef NATIVE_CHANNELS_H
#define NATIVE_CHANNELS_H

#include "native/threads.h"

enum { MOST_CHANNELS = 1 << 13, LARGEST_BACKLOG = 1 << 16 };

/* Objects have addresses where no memory is: those of channels, and of descriptors. */
#define CHANNEL_OBJECTS UINT64_C(0x200000000000)
#define DESCRIPTOR_OBJECTS UINT64_C(0x210000000000)

/* Where the program has called: for operations after which other threads may have run. */
struct call {
    uintptr_t caller;
    void *frame;
    uint64_t context; /* what the call knows by now, if it may be one of a loop that waits */
};

static inline struct call this_call(uintptr_t caller)
{
    return (struct call){.caller = caller, .frame = entered};
}

/* What was sent at once; it is in the sender's heap. */
struct segment {
    struct segment *next;
    size_t size;
    uint64_t tag; /* for the sender's purposes */
    bool is_end;  /* nothing comes after it */
    unsigned char bytes[];
};

bool channels_make(void);
/* Before each execution. */
void channels_reset(void);

/* Appends some bytes, or the end. */
void channel_send(uint32_t channel, const void *bytes, size_t size, uint64_t tag, bool is_end, struct call *call);
/* Waits for the next segment, or gives NULL when there is none now.  Whoever gets one takes it, some of it, all, or
 * leaves it there; the end is left there. */
const struct segment *channel_wait(uint32_t channel, struct call *call);
const struct segment *channel_try(uint32_t channel, struct call *call);
void channel_take(uint32_t channel, size_t size, struct call *call);
void channel_drop(uint32_t channel, struct call *call);
void channel_leave(uint32_t channel, struct call *call);
/* For a message that nobody ever sends. */
void channel_wait_in_vain(struct call *call);
void channel_look_in_vain(struct call *call);
/* The segment that was waited for. */
const struct segment *channel_next(uint32_t channel);
/* Do several threads receive from it, or send? */
bool channel_is_crowded(uint32_t channel);
/* From here on, until it says otherwise, the thread takes messages as one. */
void channel_hold(uint32_t channel, bool holds);
/* How much of the next segment was taken before. */
size_t channel_offset(uint32_t channel);
/* The next segment, or NULL when there is none now, without a claim to it. */
const struct segment *channel_look(uint32_t channel, struct call *call);

/* Nobody receives any more. */
void channel_refuse(uint32_t channel, struct call *call);
/* Is that so?  Looks only where it ever happens. */
bool channel_is_refused(uint32_t channel, struct call *call);

/* In the scheduler: could its next segment be taken now? */
bool channel_is_ready(uint32_t channel);
/* Is it an operation of a channel?  "send", "receive" and the like. */
bool is_about_channel(const struct pending *operation);
const char *channel_word(enum operation kind);
/* Describes an operation's address, if it is one of a channel. */
bool describe_channel(uintptr_t address, char *text, size_t size);

/* descriptors.c, mailboxes.c: "pipe 512". */
void channel_name(uint32_t channel, char *text, size_t size);
void mailbox_name(uint32_t channel, char *text, size_t size);

#endif
