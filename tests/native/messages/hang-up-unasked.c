// SPDX-License-Identifier: Apache-2.0
// expected: holds, 1 executions
// POLLHUP comes whether or not somebody asks for it.
#include <assert.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    struct pollfd entry = {.fd = ends[0]};
    assert(poll(&entry, 1, 0) == 0);
    close(ends[1]);
    assert(poll(&entry, 1, 0) == 1 && entry.revents == POLLHUP);
    return 0;
}
