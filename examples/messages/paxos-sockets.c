/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 14112 executions
// Single-decree Paxos as in paxos.c, on sockets: each proposer has two connections to each acceptor, one for either
// phase. It takes one message at a time, so that the order counts: examples/protocols/paxos-single.mp has as many
// executions.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PROPOSERS = 2, ACCEPTORS = 3, MAJORITY = 2, PHASES = 2 };

struct message {
    int voted, value;
};

static int sockets[PROPOSERS][ACCEPTORS][PHASES][2]; // of the proposer, of the acceptor
static int decisions[PROPOSERS][2];

static void watch(int epoll, int socket, unsigned data)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = data};
    assert(epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event) == 0);
}

// Any of the sockets that has a message.
static unsigned wait_for_any(int epoll)
{
    struct epoll_event event;
    assert(epoll_wait(epoll, &event, 1, -1) == 1);
    return event.data.u32;
}

// Asks all acceptors and waits for the answers of a majority.
static void ask(int ballot, int phase, struct message message, struct message answers[MAJORITY])
{
    int epoll = epoll_create1(0);
    for (unsigned i = 0; i < ACCEPTORS; i++) {
        int socket = sockets[ballot - 1][i][phase][0];
        send(socket, &message, sizeof message, 0);
        watch(epoll, socket, i);
    }
    for (int i = 0; i < MAJORITY; i++) {
        int socket = sockets[ballot - 1][wait_for_any(epoll)][phase][0];
        assert(recv(socket, &answers[i], sizeof answers[i], 0) == sizeof answers[i]);
        epoll_ctl(epoll, EPOLL_CTL_DEL, socket, NULL);
    }
}

static void *proposer(void *argument)
{
    int ballot = (int)(intptr_t)argument;
    struct message answers[MAJORITY];
    ask(ballot, 0, (struct message){0, 0}, answers);
    struct message best = answers[answers[1].voted > answers[0].voted];
    int value = best.voted ? best.value : ballot;
    ask(ballot, 1, (struct message){ballot, value}, answers);
    send(decisions[ballot - 1][0], &answers[0], sizeof answers[0], 0);
    return NULL;
}

// Promises to higher ballots, votes for no lower one; what comes too late is not received.
static void *acceptor(void *argument)
{
    int me = (int)(intptr_t)argument, promised = 0, epoll = epoll_create1(0);
    struct message state = {0, 0};
    for (unsigned p = 0; p < PROPOSERS; p++)
        for (unsigned phase = 0; phase < PHASES; phase++)
            watch(epoll, sockets[p][me][phase][1], p * PHASES + phase);
    for (;;) {
        unsigned which = wait_for_any(epoll), ballot = which / PHASES + 1;
        int socket = sockets[which / PHASES][me][which % PHASES][1];
        struct message message;
        assert(recv(socket, &message, sizeof message, 0) == sizeof message);
        if (which % PHASES)
            state = message;
        for (unsigned p = (unsigned)(promised ? promised - 1 : 0); p < ballot; p++) {
            epoll_ctl(epoll, EPOLL_CTL_DEL, sockets[p][me][0][1], NULL);
            if (p + 1 < ballot || which % PHASES)
                epoll_ctl(epoll, EPOLL_CTL_DEL, sockets[p][me][1][1], NULL);
        }
        promised = (int)ballot;
        send(socket, &state, sizeof state, 0);
    }
    return NULL;
}

static void *observer(void *argument)
{
    struct message decided[PROPOSERS];
    for (int p = 0; p < PROPOSERS; p++)
        recv(decisions[p][1], &decided[p], sizeof decided[p], 0);
    assert(decided[0].value == decided[1].value);
    return argument;
}

int main(void)
{
    pthread_t thread;
    for (int p = 0; p < PROPOSERS; p++) {
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, decisions[p]);
        for (int a = 0; a < ACCEPTORS; a++)
            for (int phase = 0; phase < PHASES; phase++)
                socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets[p][a][phase]);
    }
    for (intptr_t i = 1; i <= PROPOSERS; i++)
        pthread_create(&thread, NULL, proposer, (void *)i);
    for (intptr_t i = 0; i < ACCEPTORS; i++)
        pthread_create(&thread, NULL, acceptor, (void *)i);
    pthread_create(&thread, NULL, observer, NULL);
    return 0; // a proposer that is overtaken waits forever: a proper end
}
