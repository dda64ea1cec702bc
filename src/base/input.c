/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* fopencookie */
#endif
#include "base/input.h"

#include "base/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

int input_open(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe that nobody has opened for writing is opened, too */
}

static bool wait_for_input(int descriptor)
{
    enum { MILLISECONDS = 20 };
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    while (poll(&wanted, 1, limits_present ? MILLISECONDS : -1) <= 0)
        if (limits_present && limits_look(limits_present))
            return false;
    return true;
}

ssize_t input_read(int descriptor, void *buffer, size_t size)
{
    ssize_t got;
    do {
        if (!wait_for_input(descriptor)) {
            errno = ECANCELED;
            return -1;
        }
        got = read(descriptor, buffer, size);
    } while (got < 0 && (errno == EINTR || errno == EAGAIN));
    return got;
}

static ssize_t read_cookie(void *cookie, char *buffer, size_t size)
{
    return input_read((int)(intptr_t)cookie, buffer, size);
}

static int close_cookie(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *input_stream(const char *path)
{
    int descriptor = input_open(path);
    if (descriptor < 0)
        return NULL;
    cookie_io_functions_t functions = {.read = read_cookie, .close = close_cookie};
    FILE *stream = fopencookie((void *)(intptr_t)descriptor, "r", functions);
    if (!stream)
        close(descriptor);
    return stream;
}
