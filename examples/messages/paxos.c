/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1152 executions
// Single-decree Paxos, two proposers and three acceptors, as threads that send messages: examples/protocols/paxos.mp in
// C. Each way in which messages can be received is one execution: 1,152 of them, as in the model.
#include <assert.h>
#include <portolan/program.h>
#include <pthread.h>
#include <stdint.h>

enum { PROPOSERS = 2, ACCEPTORS = 3, MAJORITY = 2 };
enum { PREPARE = 0, ACCEPT = 4, PROMISE = 8, ACCEPTED = 9, DECIDED = 10 }; // of the first two one for each ballot
enum { OBSERVER = 0, PROPOSER = 0, ACCEPTOR = 10 };                        // mailboxes: proposers have 1 and 2

struct message {
    int ballot, voted, value;
};

static void send_to_acceptors(unsigned kind, struct message message)
{
    for (int i = 0; i < ACCEPTORS; i++)
        portolan_send(ACCEPTOR + i, kind, &message, sizeof message);
}

static void receive(int mailbox, uint64_t kinds, struct message *messages, unsigned count, unsigned *kind)
{
    struct portolan_message found[MAJORITY];
    for (unsigned i = 0; i < count; i++)
        found[i] = (struct portolan_message){.data = &messages[i], .size = sizeof messages[i]};
    portolan_receive(mailbox, kinds, found, count);
    *kind = found[0].kind;
}

static void *proposer(void *argument)
{
    int ballot = (int)(intptr_t)argument;
    struct message promises[MAJORITY], votes[MAJORITY];
    unsigned kind;
    send_to_acceptors((unsigned)(PREPARE + ballot), (struct message){.ballot = ballot});
    receive(PROPOSER + ballot, 1 << PROMISE, promises, MAJORITY, &kind);
    // The value of the highest ballot among the promises, or the own one.
    struct message best = promises[promises[1].voted > promises[0].voted];
    int value = best.voted ? best.value : ballot;
    send_to_acceptors((unsigned)(ACCEPT + ballot), (struct message){.ballot = ballot, .value = value});
    receive(PROPOSER + ballot, 1 << ACCEPTED, votes, MAJORITY, &kind);
    portolan_send(OBSERVER, DECIDED, &votes[0], sizeof votes[0]);
    return NULL;
}

// Promises to higher ballots, votes for no lower one; what comes too late is not received.
static void *acceptor(void *argument)
{
    int me = (int)(intptr_t)argument, promised = 0, voted = 0, value = 0;
    for (;;) {
        uint64_t kinds = 0;
        for (int ballot = 1; ballot <= PROPOSERS; ballot++) {
            kinds |= ballot > promised ? 1u << (PREPARE + ballot) : 0;
            kinds |= ballot >= promised ? 1u << (ACCEPT + ballot) : 0;
        }
        struct message message;
        unsigned kind;
        receive(ACCEPTOR + me, kinds, &message, 1, &kind);
        promised = message.ballot;
        struct message answer = {message.ballot, voted, value};
        if (kind >= ACCEPT) {
            voted = answer.voted = message.ballot;
            value = answer.value = message.value;
        }
        portolan_send(PROPOSER + message.ballot, kind >= ACCEPT ? ACCEPTED : PROMISE, &answer, sizeof answer);
    }
    return NULL;
}

static void *observer(void *argument)
{
    struct message decisions[PROPOSERS];
    unsigned kind;
    receive(OBSERVER, 1 << DECIDED, decisions, PROPOSERS, &kind);
    assert(decisions[0].value == decisions[1].value);
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (intptr_t i = 1; i <= PROPOSERS; i++)
        pthread_create(&thread, NULL, proposer, (void *)i);
    for (intptr_t i = 0; i < ACCEPTORS; i++)
        pthread_create(&thread, NULL, acceptor, (void *)i);
    pthread_create(&thread, NULL, observer, NULL);
    return 0; // a proposer that is overtaken waits forever: a proper end
}
