/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sockets between threads: AF_UNIX, and AF_INET and AF_INET6 by TCP, whatever the address, which nobody outside is
 * asked for.  A name begins to be listened to in one step, which those who connect look at; a connection is two
 * channels, and a message to the listener that says which socket is its other end.  It is accepted when that is
 * received.
 */
#include "native/accesses.h"
#include "native/context.h"
#include "native/descriptors.h"
#include "native/journal.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { MOST_NAMES = 16, LONGEST_NAME = sizeof(struct sockaddr_un), FIRST_PORT = 49152 };

/* Of an execution.  A name is the bytes of an address. */
static struct socket_name {
    unsigned char bytes[LONGEST_NAME];
    uint8_t size;
    uint16_t listener; /* its descriptor; 0: none */
} names[MOST_NAMES];
static uint32_t name_count;
static uint64_t naming; /* a semaphore, as far as the search knows */

static int fails(int error)
{
    errno = error;
    return -1;
}

static void look_at_names(enum operation kind, struct call *call)
{
    entered = call->frame;
    visible(&(struct pending){.kind = kind, .size = 8, .address = (uintptr_t)&naming, .caller = call->caller});
}

static struct endpoint *socket_of(int number, struct call *call)
{
    struct endpoint *e = is_descriptor(number) ? endpoint_of(number, call) : NULL;
    bool is_socket =
        e && (e->kind == A_STREAM || e->kind == A_PACKETS || e->kind == A_LISTENER || e->kind == A_SOCKET_WITHOUT_PEER);
    errno = e ? ENOTSOCK : EBADF;
    return is_socket ? e : NULL;
}

EXPORT int __wrap_socket(int domain, int type, int protocol);
EXPORT int __wrap_socket(int domain, int type, int protocol)
{
    struct call call = this_call(CALLER);
    int number, kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool is_unix = domain == AF_UNIX && (kind == SOCK_STREAM || kind == SOCK_SEQPACKET);
    (void)protocol;
    if (!in_program())
        return fails(EMFILE);
    if (!is_unix && !((domain == AF_INET || domain == AF_INET6) && kind == SOCK_STREAM))
        fail_run(FAILED_REFUSED, call.caller, "asks for a socket that is neither of AF_UNIX with connections nor TCP");
    struct endpoint *e = endpoint_new(A_SOCKET_WITHOUT_PEER, type, &number, &call);
    endpoint_changes(e);
    e->counts_down = kind == SOCK_SEQPACKET; /* what it will be */
    return number;
}

/* --- names */

/* What of an address tells it from others: of TCP the port. */
static uint8_t key_of(const struct sockaddr *address, socklen_t size, unsigned char *key, struct call *call)
{
    reads(address, size, call->caller);
    memset(key, 0, LONGEST_NAME);
    if (address->sa_family != AF_UNIX) {
        in_port_t port = address->sa_family == AF_INET
                             ? ((const struct sockaddr_in *)(const void *)address)->sin_port
                             : ((const struct sockaddr_in6 *)(const void *)address)->sin6_port;
        memcpy(key, &port, sizeof port);
        return sizeof port;
    }
    uint8_t length = (uint8_t)(size < LONGEST_NAME ? size : LONGEST_NAME);
    memcpy(key, address, length);
    return length;
}

/* The place of a name, + 1; 0: there is none. */
static uint16_t find_name(const unsigned char *key, uint8_t size)
{
    for (uint32_t i = 0; i < name_count; i++)
        if (names[i].size == size && memcmp(names[i].bytes, key, size) == 0)
            return (uint16_t)(i + 1);
    return 0;
}

static uint16_t add_name(const unsigned char *key, uint8_t size, struct call *call)
{
    if (name_count == MOST_NAMES)
        fail_run(FAILED_REFUSED, call->caller, "binds more than %d names", MOST_NAMES);
    struct socket_name *name = &names[name_count];
    will_write(name, sizeof *name);
    will_write(&name_count, sizeof name_count);
    memcpy(name->bytes, key, size);
    name->size = size;
    return (uint16_t)++name_count;
}

EXPORT int __wrap_bind(int number, const struct sockaddr *address, socklen_t size);
EXPORT int __wrap_bind(int number, const struct sockaddr *address, socklen_t size)
{
    struct call call = this_call(CALLER);
    unsigned char key[LONGEST_NAME];
    struct endpoint *e = in_program() ? socket_of(number, &call) : NULL;
    if (!e)
        return -1;
    uint8_t length = key_of(address, size, key, &call);
    look_at_names(OP_SEMAPHORE_POST, &call);
    if (address->sa_family != AF_UNIX && key[0] == 0 && key[1] == 0) { /* any port */
        in_port_t port = htons((uint16_t)(FIRST_PORT + name_count));
        memcpy(key, &port, sizeof port);
    }
    if (find_name(key, length))
        return fails(EADDRINUSE);
    endpoint_changes(e);
    e->name = add_name(key, length, &call);
    return 0;
}

EXPORT int __wrap_listen(int number, int backlog);
EXPORT int __wrap_listen(int number, int backlog)
{
    struct call call = this_call(CALLER);
    struct endpoint *e = in_program() ? socket_of(number, &call) : NULL;
    (void)backlog;
    if (!e)
        return -1;
    if (e->kind != A_SOCKET_WITHOUT_PEER || !e->name)
        return fails(EINVAL);
    look_at_names(OP_SEMAPHORE_POST, &call);
    endpoint_changes(e);
    e->kind = A_LISTENER;
    e->reads = true;
    e->in = channel_into(e);
    will_write(&names[e->name - 1], sizeof *names);
    names[e->name - 1].listener = (uint16_t)number;
    return 0;
}

static struct endpoint *listener_at(const struct sockaddr *address, socklen_t size, struct call *call)
{
    unsigned char key[LONGEST_NAME];
    uint8_t length = key_of(address, size, key, call);
    look_at_names(OP_SEMAPHORE_VALUE, call);
    uint16_t name = find_name(key, length);
    struct endpoint *e = name && names[name - 1].listener ? endpoint_of(names[name - 1].listener, call) : NULL;
    return e && e->kind == A_LISTENER ? e : NULL;
}

EXPORT int __wrap_connect(int number, const struct sockaddr *address, socklen_t size);
EXPORT int __wrap_connect(int number, const struct sockaddr *address, socklen_t size)
{
    struct call call = this_call(CALLER);
    struct endpoint *e = in_program() ? socket_of(number, &call) : NULL, *other;
    int peer;
    if (!e)
        return -1;
    if (e->kind != A_SOCKET_WITHOUT_PEER)
        return fails(EISCONN);
    const struct endpoint *listener = listener_at(address, size, &call);
    if (!listener)
        return fails(address->sa_family == AF_UNIX ? ENOENT : ECONNREFUSED);
    enum endpoint_kind kind = e->counts_down ? A_PACKETS : A_STREAM;
    other = endpoint_new(kind, 0, &peer, &call);
    endpoints_connect(e, other);
    e->kind = kind;
    channel_send(listener->in, NULL, 0, (uint64_t)peer, false, &call);
    return 0;
}

static int accept_connection(int number, int flags, struct call *call)
{
    struct endpoint *e = socket_of(number, call);
    if (!e)
        return -1;
    if (e->kind != A_LISTENER)
        return fails(EINVAL);
    const struct segment *connection = e->is_nonblocking ? channel_try(e->in, call) : channel_wait(e->in, call);
    if (!connection)
        return fails(EAGAIN);
    int peer = (int)connection->tag;
    channel_drop(e->in, call);
    struct endpoint *made = endpoint_of(peer, call);
    endpoint_changes(made);
    made->is_nonblocking = flags & SOCK_NONBLOCK;
    return peer;
}

/* Who has connected has no name. */
static void give_no_name(struct sockaddr *address, socklen_t *size, struct call *call)
{
    if (!address || !size)
        return;
    writes(size, sizeof *size, call->caller);
    writes(address, sizeof address->sa_family, call->caller);
    address->sa_family = AF_UNIX;
    *size = sizeof address->sa_family;
}

EXPORT int __wrap_accept(int number, struct sockaddr *address, socklen_t *size);
EXPORT int __wrap_accept(int number, struct sockaddr *address, socklen_t *size)
{
    struct call call = this_call(CALLER);
    if (!in_program())
        return -1;
    give_no_name(address, size, &call);
    return accept_connection(number, 0, &call);
}

EXPORT int __wrap_accept4(int number, struct sockaddr *address, socklen_t *size, int flags);
EXPORT int __wrap_accept4(int number, struct sockaddr *address, socklen_t *size, int flags)
{
    struct call call = this_call(CALLER);
    if (!in_program())
        return -1;
    give_no_name(address, size, &call);
    return accept_connection(number, flags, &call);
}

EXPORT int __wrap_getsockname(int number, struct sockaddr *address, socklen_t *size);
EXPORT int __wrap_getsockname(int number, struct sockaddr *address, socklen_t *size)
{
    struct call call = this_call(CALLER);
    const struct endpoint *e = in_program() ? socket_of(number, &call) : NULL;
    if (!e)
        return -1;
    if (!e->name || names[e->name - 1].size != sizeof(in_port_t)) {
        give_no_name(address, size, &call);
        return 0;
    }
    struct sockaddr_in found = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    memcpy(&found.sin_port, names[e->name - 1].bytes, sizeof found.sin_port);
    writes(size, sizeof *size, call.caller);
    size_t room = *size < sizeof found ? *size : sizeof found;
    writes(address, room, call.caller);
    memcpy(address, &found, room);
    *size = sizeof found;
    return 0;
}

/* --- options: none makes a difference */

EXPORT int __wrap_setsockopt(int number, int level, int option, const void *value, socklen_t size);
EXPORT int __wrap_setsockopt(int number, int level, int option, const void *value, socklen_t size)
{
    struct call call = this_call(CALLER);
    (void)level;
    if (!in_program() || !socket_of(number, &call))
        return -1;
    reads(value, size, call.caller);
    if (level == SOL_SOCKET && (option == SO_RCVTIMEO || option == SO_SNDTIMEO || option == SO_RCVLOWAT))
        fail_run(FAILED_REFUSED, call.caller, "sets a time limit or a low-water mark of a socket");
    return 0;
}

EXPORT int __wrap_getsockopt(int number, int level, int option, void *value, socklen_t *size);
EXPORT int __wrap_getsockopt(int number, int level, int option, void *value, socklen_t *size)
{
    struct call call = this_call(CALLER);
    if (!in_program() || !socket_of(number, &call))
        return -1;
    if (level != SOL_SOCKET || option != SO_ERROR || *size < sizeof(int))
        fail_run(FAILED_REFUSED, call.caller, "asks for an option of a socket other than SO_ERROR");
    writes(value, sizeof(int), call.caller);
    memset(value, 0, sizeof(int));
    return 0;
}

/* --- sending and receiving */

EXPORT ssize_t __wrap_send(int number, const void *from, size_t size, int flags);
EXPORT ssize_t __wrap_send(int number, const void *from, size_t size, int flags)
{
    struct call call = this_call(CALLER);
    return in_program() && socket_of(number, &call) ? descriptor_write(number, from, size, flags, &call) : -1;
}

EXPORT ssize_t __wrap_sendto(int number, const void *from, size_t size, int flags, const void *to, socklen_t to_size);
EXPORT ssize_t __wrap_sendto(int number, const void *from, size_t size, int flags, const void *to, socklen_t to_size)
{
    struct call call = this_call(CALLER);
    (void)to_size;
    if (!in_program() || !socket_of(number, &call))
        return -1;
    return to ? fails(EISCONN) : descriptor_write(number, from, size, flags, &call);
}

EXPORT ssize_t __wrap_recv(int number, void *to, size_t size, int flags);
EXPORT ssize_t __wrap_recv(int number, void *to, size_t size, int flags)
{
    struct call call = this_call(CALLER);
    return in_program() && socket_of(number, &call) ? descriptor_read(number, to, size, flags, &call) : -1;
}

EXPORT ssize_t __wrap_recvfrom(int number, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length);
EXPORT ssize_t __wrap_recvfrom(int number, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length)
{
    struct call call = this_call(CALLER);
    if (!in_program() || !socket_of(number, &call))
        return -1;
    give_no_name(from, length, &call);
    return descriptor_read(number, to, size, flags, &call);
}
