// SPDX-License-Identifier: Apache-2.0
// expected: holds, 6 executions
// With room for one event, epoll_wait gives any of those that have happened.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[3][2];

static void *writer(void *argument)
{
    long i = (long)argument;
    send(ends[i][1], &i, sizeof i, 0);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    int epoll = epoll_create1(0);
    long sum = 0;
    for (long i = 0; i < 3; i++) {
        socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)i};
        assert(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[i][0], &event) == 0);
        pthread_create(&threads[i], NULL, writer, (void *)i);
    }
    for (int i = 0; i < 3; i++) {
        struct epoll_event event;
        long value;
        assert(epoll_wait(epoll, &event, 1, -1) == 1 && event.events == EPOLLIN);
        assert(recv(ends[event.data.u32][0], &value, sizeof value, 0) == sizeof value);
        assert(value == (long)event.data.u32);
        sum += value + 1;
        assert(epoll_ctl(epoll, EPOLL_CTL_DEL, ends[value][0], NULL) == 0);
    }
    assert(sum == 6);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
