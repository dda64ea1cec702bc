/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Channels: messages in order, from one end to the other.
 *
 * To the search every message is an object of its own, a semaphore that its sender posts and its receiver waits for:
 * who has sent three messages will send the fourth, whatever others do, so sending one and receiving an earlier one are
 * independent, as are messages of different channels.  Receiving happens after sending.  When several threads send to a
 * channel, or receive from it, which message is whose depends on who comes first: then the channel is one object, a
 * semaphore that counts.  Which channels are like that is learned, and the search begins again.
 *
 * That a receiver has gone is looked up by senders, where receivers ever go before that.
 */
#include "native/channels.h"
#include "native/choices.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/memory.h"
#include "native/objects.h"
#include "native/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OBJECT_BITS = 20, ONE_FOR_ALL = (1 << OBJECT_BITS) - 1, REFUSAL = ONE_FOR_ALL - 1 };

/* These belong to an execution: fields of the sender's, fields of the receiver's. */
static KEPT struct channel {
    struct segment *first, *last;
    uint32_t sent, sender; /* the latter + 1 */
    struct segment *taken; /* the last one that was taken as a whole */
    size_t offset;         /* how much was taken of the next one, ... */
    bool is_granted;       /* ... which was waited for */
    uint32_t received, receiver;
    size_t bytes; /* received; the sender's are counted in its own field */
    size_t sent_bytes;
    uint32_t holder; /* + 1: takes several messages at once */
} * channels;
static KEPT bool are_used; /* in this execution */

/* In whatever execution. */
static KEPT bool is_crowded[MOST_CHANNELS], is_ever_refused[MOST_CHANNELS];

bool channels_make(void)
{
    channels = reserve(MOST_CHANNELS * sizeof *channels);
    return channels;
}

void channels_reset(void)
{
    if (are_used)
        memset(channels, 0, MOST_CHANNELS * sizeof *channels);
    are_used = false;
}

static uintptr_t object_address(uint32_t channel, uint32_t which)
{
    return CHANNEL_OBJECTS + (((uint64_t)channel << OBJECT_BITS) + which) * 8;
}

static unsigned operate(enum operation kind, uint32_t channel, uint32_t which, int error, struct call *call)
{
    entered = call->frame;
    return (unsigned)visible(&(struct pending){.kind = kind,
                                               .size = 8,
                                               .address = object_address(channel, which),
                                               .error = error,
                                               .operand = call->context,
                                               .caller = call->caller});
}

/* The semaphore of a message. */
static uint32_t token(uint32_t channel, uint32_t message)
{
    if (message >= REFUSAL)
        fail_run(FAILED_REFUSED, 0, "sends more than a million messages through one channel");
    return is_crowded[channel] ? ONE_FOR_ALL : message;
}

static void learn(bool *fact, const char *what)
{
    if (*fact)
        return;
    *fact = true;
    if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "%s", what);
}

/* Notes who is at an end of the channel. */
static void come_to(uint32_t channel, uint32_t *end)
{
    if (*end && *end != agents.current + 1)
        learn(&is_crowded[channel], "several threads are at one end of a channel");
    are_used = true;
    if (*end == agents.current + 1)
        return;
    will_write(end, sizeof *end);
    *end = agents.current + 1;
}

/* --- sending */

static void append(struct channel *c, struct segment *segment)
{
    struct segment **link = c->last ? &c->last->next : &c->first;
    will_write(link, sizeof *link);
    will_write(c, sizeof *c);
    *link = segment;
    c->last = segment;
    c->sent++;
    c->sent_bytes += segment->size;
}

void channel_send(uint32_t channel, const void *bytes, size_t size, uint64_t tag, bool is_end, struct call *call)
{
    struct channel *c = &channels[channel];
    come_to(channel, &c->sender);
    struct segment *segment = program_malloc(sizeof *segment + size, 0);
    if (!segment)
        return;
    will_write(segment, sizeof *segment + size);
    *segment = (struct segment){.size = size, .tag = tag, .is_end = is_end};
    if (size)
        memcpy(segment->bytes, bytes, size);
    operate(OP_SEMAPHORE_POST, channel, token(channel, c->sent), 0, call);
    append(c, segment);
    if (c->sent_bytes - c->bytes > LARGEST_BACKLOG)
        fail_run(FAILED_REFUSED, call->caller,
                 "writes more than %d bytes that nobody has read: writers that wait for readers are not modelled",
                 LARGEST_BACKLOG);
}

void channel_refuse(uint32_t channel, struct call *call)
{
    if (channels[channel].sender != agents.current + 1)
        learn(&is_ever_refused[channel], "nobody reads from a channel any more");
    operate(OP_SEMAPHORE_POST, channel, REFUSAL, 0, call);
}

bool channel_is_refused(uint32_t channel, struct call *call)
{
    return is_ever_refused[channel] && operate(OP_SEMAPHORE_VALUE, channel, REFUSAL, 0, call);
}

/* --- receiving */

static struct segment *next_segment(const struct channel *c)
{
    return c->taken ? c->taken->next : c->first;
}

/* Where there is one object for all, whoever leaves a part of a message, or only looks, takes its token and puts it
 * back. To find nothing in between is no execution: the order in which it is back by then is another one. */
static const struct segment *nothing(uint32_t channel, struct call *call)
{
    if (chosen.exploring && is_crowded[channel] && next_segment(&channels[channel]))
        rule_out(call->caller);
    return NULL;
}

/* Neither is it one to come between the messages that somebody takes at once. */
static void keep_out(const struct channel *c, struct call *call)
{
    if (chosen.exploring && c->holder && c->holder != agents.current + 1)
        rule_out(call->caller);
}

/* Whoever has a message's token takes the next one; where there is one object for all, in the same step. */
static const struct segment *grant(uint32_t channel, struct call *call)
{
    struct channel *c = &channels[channel];
    keep_out(c, call);
    will_write(c, sizeof *c);
    c->is_granted = !is_crowded[channel];
    return next_segment(c);
}

const struct segment *channel_wait(uint32_t channel, struct call *call)
{
    struct channel *c = &channels[channel];
    come_to(channel, &c->receiver);
    if (!c->is_granted)
        operate(OP_SEMAPHORE_WAIT, channel, token(channel, c->received), 0, call);
    return grant(channel, call);
}

const struct segment *channel_try(uint32_t channel, struct call *call)
{
    struct channel *c = &channels[channel];
    come_to(channel, &c->receiver);
    bool fails = !c->is_granted && operate(OP_SEMAPHORE_TRY_WAIT, channel, token(channel, c->received), EAGAIN, call);
    return fails ? nothing(channel, call) : grant(channel, call);
}

const struct segment *channel_look(uint32_t channel, struct call *call)
{
    struct channel *c = &channels[channel];
    come_to(channel, &c->receiver);
    bool is_there = c->is_granted || operate(OP_SEMAPHORE_VALUE, channel, token(channel, c->received), 0, call);
    keep_out(c, call);
    if (is_there)
        return next_segment(c);
    return nothing(channel, call);
}

void channel_wait_in_vain(struct call *call)
{
    operate(OP_SEMAPHORE_WAIT, MOST_CHANNELS - 1, ONE_FOR_ALL, 0, call);
}

void channel_look_in_vain(struct call *call)
{
    operate(OP_SEMAPHORE_VALUE, MOST_CHANNELS - 1, ONE_FOR_ALL, 0, call);
}

const struct segment *channel_next(uint32_t channel)
{
    return next_segment(&channels[channel]);
}

bool channel_is_crowded(uint32_t channel)
{
    return is_crowded[channel];
}

void channel_hold(uint32_t channel, bool holds)
{
    uint32_t *holder = &channels[channel].holder, now = holds ? agents.current + 1 : 0;
    if (!is_crowded[channel] || *holder == now)
        return;
    will_write(holder, sizeof *holder);
    *holder = now;
}

size_t channel_offset(uint32_t channel)
{
    return channels[channel].offset;
}

void channel_leave(uint32_t channel, struct call *call)
{
    if (is_crowded[channel])
        operate(OP_SEMAPHORE_POST, channel, ONE_FOR_ALL, 0, call);
}

void channel_take(uint32_t channel, size_t size, struct call *call)
{
    struct channel *c = &channels[channel];
    struct segment *segment = next_segment(c);
    will_write(c, sizeof *c);
    c->offset += size;
    c->bytes += size;
    if (c->offset < segment->size) {
        channel_leave(channel, call);
        return;
    }
    c->taken = segment;
    c->offset = 0;
    c->is_granted = false;
    c->received++;
}

void channel_drop(uint32_t channel, struct call *call)
{
    const struct channel *c = &channels[channel];
    channel_take(channel, next_segment(c)->size - c->offset, call);
}

/* --- for the scheduler and reports */

bool channel_is_ready(uint32_t channel)
{
    const struct channel *c = &channels[channel];
    if (c->is_granted)
        return true;
    uint32_t object = object_at(object_address(channel, is_crowded[channel] ? ONE_FOR_ALL : c->received), 8);
    if (object == UINT32_MAX)
        fail_exhausted();
    return object != UINT32_MAX && object_state(object)->count;
}

bool is_about_channel(const struct pending *op)
{
    return op->address >= CHANNEL_OBJECTS && (op->address - CHANNEL_OBJECTS) / 8 >> OBJECT_BITS < MOST_CHANNELS;
}

const char *channel_word(enum operation kind)
{
    switch (kind) {
    case OP_SEMAPHORE_POST: return "send";
    case OP_SEMAPHORE_WAIT: return "receive";
    case OP_SEMAPHORE_TRY_WAIT: return "try to receive";
    default: return "look for";
    }
}

bool describe_channel(uintptr_t address, char *text, size_t size)
{
    uint64_t number = (address - CHANNEL_OBJECTS) / 8, channel = number >> OBJECT_BITS, which = number & ONE_FOR_ALL;
    if (address >= DESCRIPTOR_OBJECTS && address < DESCRIPTOR_OBJECTS + MOST_CHANNELS * 8) {
        snprintf(text, size, "the descriptors");
        return true;
    }
    if (address < CHANNEL_OBJECTS || channel >= MOST_CHANNELS)
        return false;
    char name[60];
    channel_name((uint32_t)channel, name, sizeof name);
    if (which == REFUSAL)
        snprintf(text, size, "the reader of %s", name);
    else if (which == ONE_FOR_ALL)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "message %u of %s", (unsigned)which + 1, name);
    return true;
}
