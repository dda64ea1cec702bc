/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes: portolan_send and portolan_receive.  What a thread sends to a mailbox of a kind comes in order; messages
 * of different threads, or of different kinds, in any.  So each sender has a channel for each mailbox and kind, which
 * is made when it first sends; whoever receives takes messages out of several, at once.  Which channels there are is
 * learned, and the search begins again when there is a new one.
 *
 * To receive several messages at once is a quorum transition: P. Bokor, J. Kinder, M. Serafini, N. Suri: Efficient
 * model checking of fault-tolerant distributed protocols, DSN 2011.
 */
#include "native/accesses.h"
#include "native/descriptors.h"
#include "native/selection.h"
#include "native/settings.h"
#include "native/symbols.h"
#include "portolan/program.h"

enum { FIRST_MAILBOX_CHANNEL = MOST_DESCRIPTORS, MOST_MAILBOX_CHANNELS = 512 };
_Static_assert(MOST_DESCRIPTORS + MOST_MAILBOX_CHANNELS < (int)MOST_CHANNELS, "each has a channel");

/* In whatever execution; a channel's number is its place here. */
static KEPT struct sender {
    int mailbox;
    unsigned kind;
    uint32_t agent;
} senders[MOST_MAILBOX_CHANNELS];
static KEPT uint32_t sender_count;

static uint32_t channel_to(int mailbox, unsigned kind, struct call *call)
{
    for (uint32_t i = 0; i < sender_count; i++)
        if (senders[i].mailbox == mailbox && senders[i].kind == kind && senders[i].agent == agents.current)
            return FIRST_MAILBOX_CHANNEL + i;
    if (sender_count == MOST_MAILBOX_CHANNELS)
        fail_run(FAILED_REFUSED, call->caller, "sends messages of more than %d kinds to mailboxes",
                 MOST_MAILBOX_CHANNELS);
    senders[sender_count++] = (struct sender){mailbox, kind, agents.current};
    if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a thread sends what it has not sent before");
    return FIRST_MAILBOX_CHANNEL + sender_count - 1;
}

EXPORT void portolan_send(int mailbox, unsigned kind, const void *message, size_t size)
{
    struct call call = this_call(CALLER);
    if (!in_program())
        return;
    if (kind >= PORTOLAN_KINDS)
        fail_run(FAILED_MISUSE, call.caller, "sends a message of kind %u: kinds are below %d", kind, PORTOLAN_KINDS);
    reads(message, size, call.caller);
    channel_send(channel_to(mailbox, kind, &call), message, size, 0, false, &call);
}

void mailbox_name(uint32_t channel, char *text, size_t size)
{
    const struct sender *s = &senders[channel - FIRST_MAILBOX_CHANNEL];
    char name[32];
    if (channel - FIRST_MAILBOX_CHANNEL >= sender_count) {
        snprintf(text, size, "nobody");
        return;
    }
    agent_name(s->agent, name, sizeof name);
    snprintf(text, size, "kind %u from %s to mailbox %d", s->kind, name, s->mailbox);
}

/* --- receiving */

static uint32_t kind_of(uint32_t channel)
{
    return senders[channel - FIRST_MAILBOX_CHANNEL].kind;
}

static uint32_t sender_of(uint32_t channel)
{
    return senders[channel - FIRST_MAILBOX_CHANNEL].agent;
}

static void find_channels(int mailbox, uint64_t kinds, unsigned count, struct selection *s, struct call *call)
{
    for (uint32_t i = 0; i < sender_count; i++) {
        if (senders[i].mailbox != mailbox || !(kinds >> senders[i].kind & 1))
            continue;
        if (s->channel_count == MOST_SELECTED)
            fail_run(FAILED_REFUSED, call->caller, "receives from more than %d senders and kinds", MOST_SELECTED);
        if (count > 1 && channel_is_crowded(FIRST_MAILBOX_CHANNEL + i))
            fail_run(FAILED_REFUSED, call->caller,
                     "receives several messages at once from a mailbox from which other threads receive, too");
        s->channels[s->channel_count++] = FIRST_MAILBOX_CHANNEL + i;
    }
}

/* Adds all sets of so many more channels, from a place on, of senders that are not in the set. */
static void add_sets(struct selection *s, uint64_t set, uint32_t from, uint32_t more, struct call *call)
{
    if (more == 0) {
        if (s->alternative_count == MOST_ALTERNATIVES)
            fail_run(FAILED_REFUSED, call->caller, "receives in more than %d ways at once", MOST_ALTERNATIVES);
        s->alternatives[s->alternative_count++] = set;
        return;
    }
    for (uint32_t i = from; i < s->channel_count; i++) {
        bool is_other = true;
        for (uint32_t k = 0; k < i && is_other; k++)
            is_other = !(set >> k & 1) || sender_of(s->channels[k]) != sender_of(s->channels[i]);
        if (is_other)
            add_sets(s, set | UINT64_C(1) << i, i + 1, more - 1, call);
    }
}

static void take_message(uint32_t channel, struct portolan_message *message, struct call *call)
{
    const struct segment *segment = channel_next(channel);
    writes(message, sizeof *message, call->caller);
    size_t room = message->size < segment->size ? message->size : segment->size;
    if (room) {
        writes(message->data, room, call->caller);
        memcpy(message->data, segment->bytes, room);
    }
    message->size = segment->size;
    message->kind = kind_of(channel);
    message->sender = sender_of(channel);
    channel_drop(channel, call);
}

EXPORT void portolan_receive(int mailbox, uint64_t kinds, struct portolan_message *messages, unsigned count)
{
    struct call call = this_call(CALLER);
    uint64_t alternatives[MOST_ALTERNATIVES];
    struct selection selection = {.alternatives = alternatives};
    if (!in_program() || count == 0)
        return;
    do { /* a program that just runs has not learned who sends */
        selection.channel_count = selection.alternative_count = 0;
        find_channels(mailbox, kinds, count, &selection, &call);
        add_sets(&selection, 0, 0, count, &call);
    } while (!chosen.exploring && selection_ready(&selection, &call) == NONE_READY);
    uint64_t chosen_set = alternatives[select_from(&selection, &call)];
    for (uint32_t i = 0, taken = 0; i < selection.channel_count; i++)
        if (chosen_set >> i & 1)
            take_message(selection.channels[i], &messages[taken++], &call);
}
