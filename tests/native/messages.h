/* SPDX-License-Identifier: Apache-2.0 */
// What the generated C programs of tests/random_messages.c share.
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <poll.h>
#include <portolan/program.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "outcome.h"

enum { PIPES = 3, THREADS = 3, MAILBOX = 4 };

static int ends[PIPES][2], event;
static int out[THREADS];

#define SEE(value)                                                                                                     \
    do {                                                                                                               \
        int seen = value;                                                                                              \
        r = (r * 7 + seen + 1) % 9973;                                                                                 \
    } while (0)

static void put_into(int pipe, int value)
{
    assert(write(ends[pipe][1], &value, sizeof value) == sizeof value);
}

// What was put there, as a number; 0 at the end.
static int get_from(int pipe, int most)
{
    int values[2] = {0, 0};
    ssize_t size = read(ends[pipe][0], values, (size_t)most * sizeof *values);
    assert(size >= 0);
    return values[0] + values[1] * 10;
}

// Bits of those that are ready.
static int look_at(int one, int other, int timeout)
{
    struct pollfd entries[2] = {{ends[one][0], POLLIN, 0}, {ends[other][0], POLLIN, 0}};
    poll(entries, 2, timeout);
    return (entries[0].revents != 0) + 2 * (entries[1].revents != 0);
}

static int get_from_any(int one, int other)
{
    int epoll = epoll_create1(0);
    struct epoll_event events[2] = {{.events = EPOLLIN, .data.u32 = (unsigned)one},
                                    {.events = EPOLLIN, .data.u32 = (unsigned)other}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[one][0], &events[0]);
    epoll_ctl(epoll, EPOLL_CTL_ADD, ends[other][0], &events[1]);
    assert(epoll_wait(epoll, events, 1, -1) == 1);
    return get_from((int)events[0].data.u32, 1) + 100 * ((int)events[0].data.u32 + 1);
}

static void add(uint64_t value)
{
    assert(write(event, &value, sizeof value) == sizeof value);
}

static int get_sum(void)
{
    uint64_t sum;
    assert(read(event, &sum, sizeof sum) == sizeof sum);
    return (int)sum;
}

static void mail(unsigned kind, int value)
{
    portolan_send(MAILBOX, kind, &value, sizeof value);
}

// Of this many senders at once; in which order makes no difference.
static int get_mail(uint64_t kinds, unsigned count)
{
    int values[2] = {0, 0}, sum = 0;
    struct portolan_message messages[2] = {{&values[0], sizeof values[0], 0, 0}, {&values[1], sizeof values[1], 0, 0}};
    portolan_receive(MAILBOX, kinds, messages, count);
    for (unsigned i = 0; i < count; i++)
        sum += values[i] * (int)(messages[i].kind * 10 + 1);
    return sum;
}

// A connection, of which one end is written to and the other read from.
static void connect_ends(int ends[2], const struct sockaddr *address, socklen_t size)
{
    int listener = socket(address->sa_family, SOCK_STREAM, 0);
    ends[1] = socket(address->sa_family, SOCK_STREAM, 0);
    assert(bind(listener, address, size) == 0 && listen(listener, 1) == 0 && connect(ends[1], address, size) == 0);
    ends[0] = accept(listener, NULL, NULL);
    assert(ends[0] >= 0);
}

// All that carry bytes in order are alike to those who talk through them.
static void open_ends(int kind, int which)
{
    struct sockaddr_in tcp = {AF_INET, htons((uint16_t)(4000 + which)), {htonl(INADDR_LOOPBACK)}, {0}};
    struct sockaddr_un local = {AF_UNIX, {'s', (char)('0' + which)}};
    switch (kind % 5) {
    case 0: assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[which]) == 0); break;
    case 1: connect_ends(ends[which], (const struct sockaddr *)&tcp, sizeof tcp); break;
    case 2: connect_ends(ends[which], (const struct sockaddr *)&local, sizeof local); break;
    default: assert(pipe(ends[which]) == 0); break;
    }
}

static void run_threads(void *(*const *threads)(void *), int count, int program, int file)
{
    pthread_t t[THREADS];
    char line[100], *at = line;
    for (int i = 0; i < PIPES; i++)
        open_ends(program + i, i);
    event = eventfd(0, 0);
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, threads[i], NULL);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS; i++)
        at = put(at, out[i]);
    at[-1] = '\n';
    if (write(file, line, (size_t)(at - line)) != at - line)
        abort();
}
