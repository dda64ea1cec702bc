/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pipes, connected sockets and eventfds, as ends of channels (channels.c).  Their numbers begin where those of the
 * kernel do not come to, and are not given out again within an execution.  Each thread has numbers of its own, so that
 * they do not depend on the schedule; the first ones fit into an fd_set.
 *
 * A pipe or stream gives as much as is there, up to what is asked for, which takes a look at each further message; with
 * --partial-io it may also give or take a single byte.
 */
#include "native/descriptors.h"
#include "native/accesses.h"
#include "native/choices.h"
#include "native/context.h"
#include "native/dispositions.h"
#include "native/environment.h"
#include "native/journal.h"
#include "native/memory.h"
#include "native/orders.h"
#include "native/reservations.h"
#include "native/settings.h"
#include "native/unseen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of an execution. */
static KEPT struct table {
    uint32_t counts[MOST_THREADS];      /* of descriptors that each thread has made */
    uint16_t numbers[MOST_DESCRIPTORS]; /* of endpoints + 1; 0: never given out */
    bool are_open[MOST_DESCRIPTORS];
    uint32_t opened, closed_at[MOST_DESCRIPTORS]; /* how many descriptors there had been by then, files too */
    struct endpoint endpoints[MOST_DESCRIPTORS];
} * table;
static KEPT bool is_used; /* in this execution */

/* In whatever execution: endpoints that one thread changes or closes and another uses, so that the order matters.  Each
 * use is a step then, whatever descriptor it is by. */
static KEPT bool is_contended[MOST_DESCRIPTORS];

bool descriptors_make(void)
{
    table = reserve(sizeof *table);
    return table && channels_make();
}

static uint32_t first_of(uint32_t agent)
{
    return agent ? OF_MAIN + (agent - 1) * OF_OTHERS : 0;
}

void descriptors_reset(void)
{
    for (uint32_t agent = 0; is_used && agent < MOST_THREADS; agent++)
        memset(&table->endpoints[first_of(agent)], 0, table->counts[agent] * sizeof *table->endpoints);
    if (is_used)
        memset(table, 0, offsetof(struct table, endpoints));
    is_used = false;
    channels_reset();
}

static int fails(int error)
{
    errno = error;
    return -1;
}

/* An endpoint is changed, or looked up. */
static void operate(enum operation kind, uint32_t which, struct call *call)
{
    entered = call->frame;
    visible(&(struct pending){.kind = kind,
                              .size = 8,
                              .address = DESCRIPTOR_OBJECTS + which * 8,
                              .operand = call->context,
                              .caller = call->caller});
}

void endpoint_changes(struct endpoint *endpoint)
{
    will_write(endpoint, sizeof *endpoint);
}

static void contend(uint32_t endpoint)
{
    if (is_contended[endpoint])
        return;
    is_contended[endpoint] = true;
    if (chosen.exploring)
        fail_run(SEARCH_AGAIN, 0, "a thread changes or closes what others use");
}

static agent_set myself(void)
{
    return agent_bit(agents.current);
}

void endpoint_changes_in_order(struct endpoint *endpoint, struct call *call)
{
    uint32_t which = channel_into(endpoint);
    endpoint_changes(endpoint);
    if (!is_alone())
        endpoint->changed_by |= myself();
    if (endpoint->users & ~myself())
        contend(which);
    if (is_contended[which])
        operate(OP_SEMAPHORE_POST, which, call);
    endpoint_changes(endpoint);
}

/* --- numbers */

enum { FIRST_OF_MAIN = 512, FIRST_OF_OTHERS = FIRST_OF_MAIN + OF_MAIN, FEW = 4, FIRST_OF_MORE = 1024 };

static int number_of(uint32_t which)
{
    uint32_t beyond = which - OF_MAIN, agent = beyond / OF_OTHERS, own = beyond % OF_OTHERS;
    return (int)(which < OF_MAIN ? FIRST_OF_MAIN + which
                 : own < FEW     ? FIRST_OF_OTHERS + agent * FEW + own
                                 : FIRST_OF_MORE + beyond);
}

/* The other way round; MOST_DESCRIPTORS: it is no number of ours. */
static uint32_t which_is(int number)
{
    uint32_t beyond = (uint32_t)(number - FIRST_OF_OTHERS), more = (uint32_t)(number - FIRST_OF_MORE);
    if (number >= FIRST_OF_MAIN && number < FIRST_OF_OTHERS)
        return (uint32_t)(number - FIRST_OF_MAIN);
    if (number >= FIRST_OF_OTHERS && beyond < (MOST_THREADS - 1) * FEW)
        return OF_MAIN + beyond / FEW * OF_OTHERS + beyond % FEW;
    return number >= FIRST_OF_MORE && more < MOST_DESCRIPTORS - OF_MAIN ? OF_MAIN + more : MOST_DESCRIPTORS;
}

bool is_descriptor(int number)
{
    return which_is(number) < MOST_DESCRIPTORS;
}

void descriptor_opened(void)
{
    will_write(&table->opened, sizeof table->opened);
    table->opened++;
    is_used = true;
}

/* The kernel would have given its number again. */
static void used_when_closed(uint32_t which)
{
    if (table->opened != table->closed_at[which] || !is_alone())
        add_reservation(
            true,
            "a descriptor is used after it was closed: its number may have been reused by then, which is not modelled");
}

/* For an endpoint, or for a new one: UINT32_MAX. */
static uint32_t give_number(uint32_t endpoint, struct call *call)
{
    uint32_t *count = &table->counts[agents.current], most = agents.current ? OF_OTHERS : OF_MAIN;
    if (*count == most)
        fail_run(FAILED_REFUSED, call->caller, "opens more than %u pipes and sockets in one thread", most);
    uint32_t which = first_of(agents.current) + *count;
    is_used = true;
    will_write(count, sizeof *count);
    will_write(&table->numbers[which], sizeof table->numbers[which]);
    will_write(&table->are_open[which], sizeof table->are_open[which]);
    table->numbers[which] = (uint16_t)((endpoint == UINT32_MAX ? which : endpoint) + 1);
    table->are_open[which] = true;
    descriptor_opened();
    ++*count;
    return which;
}

uint32_t channel_into(const struct endpoint *endpoint)
{
    return (uint32_t)(endpoint - table->endpoints);
}

struct endpoint *endpoint_new(enum endpoint_kind kind, int flags, int *number, struct call *call)
{
    uint32_t which = give_number(UINT32_MAX, call);
    struct endpoint *endpoint = &table->endpoints[which];
    *number = number_of(which);
    endpoint_changes(endpoint);
    *endpoint = (struct endpoint){.kind = kind, .is_nonblocking = flags & O_NONBLOCK, .references = 1};
    return endpoint;
}

struct endpoint *endpoint_of(int number, struct call *call)
{
    uint32_t which = which_is(number);
    if (!table->numbers[which])
        return NULL;
    struct endpoint *endpoint = &table->endpoints[table->numbers[which] - 1];
    if (endpoint->changed_by & ~myself())
        contend(channel_into(endpoint));
    if (is_contended[channel_into(endpoint)]) {
        operate(OP_SEMAPHORE_VALUE, channel_into(endpoint), call);
        call->context = call->context * 1024 + 1; /* a second look in one call is no loop */
    }
    if (!(endpoint->users & myself())) {
        will_write(&endpoint->users, sizeof endpoint->users);
        endpoint->users |= myself();
    }
    if (!table->are_open[which])
        used_when_closed(which);
    return table->are_open[which] ? endpoint : NULL;
}

void endpoints_connect(struct endpoint *one, struct endpoint *other)
{
    endpoint_changes(one);
    endpoint_changes(other);
    one->in = other->out = channel_into(one);
    one->out = other->in = channel_into(other);
    one->reads = one->writes = other->reads = other->writes = true;
}

void channel_name(uint32_t channel, char *text, size_t size)
{
    static const char *const names[] = {[A_PIPE] = "pipe",
                                        [A_STREAM] = "socket",
                                        [A_PACKETS] = "socket",
                                        [AN_EVENT] = "eventfd",
                                        [A_LISTENER] = "socket"};
    if (channel < MOST_DESCRIPTORS) {
        const char *name = names[table->endpoints[channel].kind];
        snprintf(text, size, "%s %d", name ? name : "socket", number_of(channel));
    } else {
        mailbox_name(channel, text, size);
    }
}

/* --- making */

static int make_pipe(int numbers[2], int flags, struct call *call)
{
    int reader, writer;
    struct endpoint *in = endpoint_new(A_PIPE, flags, &reader, call);
    struct endpoint *out = endpoint_new(A_PIPE, flags, &writer, call);
    endpoint_changes(in);
    in->reads = out->writes = true;
    in->in = out->out = channel_into(in);
    writes(numbers, 2 * sizeof *numbers, call->caller);
    numbers[0] = reader;
    numbers[1] = writer;
    return 0;
}

EXPORT int __wrap_pipe(int numbers[2]);
EXPORT int __wrap_pipe(int numbers[2])
{
    struct call call = this_call(CALLER);
    return in_program() ? make_pipe(numbers, 0, &call) : fails(EMFILE);
}

EXPORT int __wrap_pipe2(int numbers[2], int flags);
EXPORT int __wrap_pipe2(int numbers[2], int flags)
{
    struct call call = this_call(CALLER);
    return in_program() ? make_pipe(numbers, flags, &call) : fails(EMFILE);
}

EXPORT int __wrap_socketpair(int domain, int type, int protocol, int numbers[2]);
EXPORT int __wrap_socketpair(int domain, int type, int protocol, int numbers[2])
{
    struct call call = this_call(CALLER);
    int one, other, kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    (void)protocol;
    if (!in_program())
        return fails(EMFILE);
    if (domain != AF_UNIX)
        return fails(EOPNOTSUPP);
    if (kind != SOCK_STREAM && kind != SOCK_SEQPACKET && kind != SOCK_DGRAM)
        return fails(ESOCKTNOSUPPORT);
    enum endpoint_kind made = kind == SOCK_STREAM ? A_STREAM : A_PACKETS;
    struct endpoint *a = endpoint_new(made, type, &one, &call), *b = endpoint_new(made, type, &other, &call);
    endpoints_connect(a, b);
    writes(numbers, 2 * sizeof *numbers, call.caller);
    numbers[0] = one;
    numbers[1] = other;
    return 0;
}

EXPORT int __wrap_eventfd(unsigned value, int flags);
EXPORT int __wrap_eventfd(unsigned value, int flags)
{
    struct call call = this_call(CALLER);
    int number;
    if (!in_program())
        return fails(EMFILE);
    struct endpoint *event = endpoint_new(AN_EVENT, flags, &number, &call);
    endpoint_changes(event);
    event->reads = event->writes = true;
    event->in = event->out = channel_into(event);
    event->counts_down = flags & EFD_SEMAPHORE;
    uint64_t first = value;
    if (first)
        channel_send(event->out, &first, sizeof first, first, false, &call);
    return number;
}

/* --- closing */

/* What the last descriptor of an endpoint leaves behind. */
static void end_endpoint(struct endpoint *e, struct call *call)
{
    if (e->writes && e->kind != AN_EVENT)
        channel_send(e->out, NULL, 0, 0, true, call);
    if (e->reads && e->kind != AN_EVENT)
        channel_refuse(e->in, call);
    endpoint_changes(e);
    e->reads = e->writes = false;
}

int descriptor_close(int number, struct call *call)
{
    uint32_t which = which_is(number);
    struct endpoint *e = endpoint_of(number, call);
    if (!e)
        return fails(EBADF);
    endpoint_changes_in_order(e, call);
    if (!table->are_open[which]) /* by now */
        return fails(EBADF);
    will_write(&table->are_open[which], sizeof table->are_open[which]);
    table->are_open[which] = false;
    will_write(&table->closed_at[which], sizeof table->closed_at[which]);
    table->closed_at[which] = table->opened;
    if (--e->references == 0)
        end_endpoint(e, call);
    return 0;
}

EXPORT int __wrap_shutdown(int number, int how);
EXPORT int __wrap_shutdown(int number, int how)
{
    struct call call = this_call(CALLER);
    struct endpoint *e = in_program() && is_descriptor(number) ? endpoint_of(number, &call) : NULL;
    if (!e)
        return fails(EBADF);
    if (e->kind != A_STREAM && e->kind != A_PACKETS)
        return fails(e->kind == A_SOCKET_WITHOUT_PEER ? ENOTCONN : ENOTSOCK);
    endpoint_changes_in_order(e, &call);
    bool ends_writing = e->writes && how != SHUT_RD, ends_reading = e->reads && how != SHUT_WR;
    e->writes = e->writes && !ends_writing;
    e->reads = e->reads && !ends_reading;
    if (ends_writing)
        channel_send(e->out, NULL, 0, 0, true, &call);
    if (ends_reading)
        channel_refuse(e->in, &call);
    return 0;
}

/* --- reading */

/* How much of so much: all, or only one byte. */
static size_t part_of(size_t size, struct call *call)
{
    entered = call->frame;
    return chosen.partial_io && size > 1 && choose_among(2, call->caller) ? 1 : size;
}

static const struct segment *get(struct endpoint *e, bool waits, struct call *call)
{
    const struct segment *segment = waits ? channel_wait(e->in, call) : channel_try(e->in, call);
    if (segment && segment->is_end)
        channel_leave(e->in, call);
    return segment;
}

/* Up to so many bytes, of as many messages as are there from the first one on. */
static size_t read_stream(struct endpoint *e, const struct segment *segment, unsigned char *to, size_t size,
                          bool waits_for_all, struct call *call)
{
    size_t done = 0;
    while (segment && !segment->is_end) {
        size_t offset = channel_offset(e->in), here = segment->size - offset;
        here = here < size - done ? here : size - done;
        memcpy(to + done, segment->bytes + offset, here);
        done += here;
        channel_take(e->in, here, call);
        if (done == size)
            break;
        channel_hold(e->in, !waits_for_all);
        segment = get(e, waits_for_all, call);
    }
    channel_hold(e->in, false);
    return done;
}

/* One message, and what of it has no room is lost. */
static size_t read_packet(struct endpoint *e, const struct segment *segment, unsigned char *to, size_t size,
                          struct call *call)
{
    if (segment->is_end)
        return 0;
    size = segment->size < size ? segment->size : size;
    memcpy(to, segment->bytes, size);
    channel_drop(e->in, call);
    return size;
}

/* An eventfd: all that was added, or one of it. */
static uint64_t read_event(const struct endpoint *e, const struct segment *segment, struct call *call)
{
    uint64_t sum = 0;
    size_t offset = channel_offset(e->in); /* of one that counts down: how often it was read */
    if (e->counts_down) {
        if (offset + 1 == segment->tag)
            channel_drop(e->in, call);
        else
            channel_take(e->in, 1, call);
        return 1;
    }
    while (segment) {
        sum += segment->tag;
        channel_drop(e->in, call);
        channel_hold(e->in, true);
        segment = channel_try(e->in, call);
    }
    channel_hold(e->in, false);
    return sum;
}

static ssize_t read_from(struct endpoint *e, void *to, size_t size, int flags, struct call *call)
{
    bool waits = !e->is_nonblocking && !(flags & MSG_DONTWAIT);
    if (e->kind == A_SOCKET_WITHOUT_PEER || e->kind == A_LISTENER)
        return fails(ENOTCONN);
    if (!e->reads)
        return e->kind == A_STREAM || e->kind == A_PACKETS ? 0 : fails(EBADF);
    if (flags & MSG_PEEK)
        fail_run(FAILED_REFUSED, call->caller, "calls recv with MSG_PEEK, which is not modelled");
    if (e->kind == AN_EVENT && size < sizeof(uint64_t))
        return fails(EINVAL);
    if (size == 0)
        return 0;
    size = e->kind == AN_EVENT ? sizeof(uint64_t) : e->kind == A_PACKETS ? size : part_of(size, call);
    if (waits)
        writes(to, size, call->caller);
    const struct segment *first = get(e, waits, call);
    if (!first)
        return fails(EAGAIN);
    if (!waits)
        writes(to, size, call->caller);
    if (e->kind == AN_EVENT) {
        uint64_t sum = read_event(e, first, call);
        memcpy(to, &sum, sizeof sum);
        return sizeof sum;
    }
    return (ssize_t)(e->kind == A_PACKETS ? read_packet(e, first, to, size, call)
                                          : read_stream(e, first, to, size, flags & MSG_WAITALL, call));
}

/* --- writing */

static ssize_t write_to(struct endpoint *e, const void *from, size_t size, int flags, struct call *call)
{
    if (e->kind == A_SOCKET_WITHOUT_PEER || e->kind == A_LISTENER)
        return fails(ENOTCONN);
    if (!e->writes && (e->kind == A_PIPE || e->kind == AN_EPOLL))
        return fails(EBADF);
    if (!e->writes || (e->kind != AN_EVENT && channel_is_refused(e->out, call))) {
        if (!(flags & MSG_NOSIGNAL) && !survives_signal(SIGPIPE))
            fail_run(FAILED_FAULT, call->caller,
                     "is killed by SIGPIPE: it writes to a pipe or socket that nobody reads");
        return fails(EPIPE);
    }
    if (e->kind == AN_EVENT && size < sizeof(uint64_t))
        return fails(EINVAL);
    reads(from, size, call->caller);
    uint64_t added = 0;
    if (e->kind == AN_EVENT) {
        memcpy(&added, from, size = sizeof added);
        if (added == 0)
            return sizeof added;
    } else if (size == 0 && e->kind != A_PACKETS) {
        return 0;
    } else if (e->kind != A_PACKETS) {
        size = part_of(size, call);
    }
    channel_send(e->out, from, size, added, false, call);
    return (ssize_t)size;
}

/* POLLHUP comes unasked. */
bool may_show(const struct endpoint *e, short wanted)
{
    return wanted & POLLIN || e->kind == A_PIPE || e->kind == A_STREAM || e->kind == A_PACKETS;
}

short endpoint_events(struct endpoint *e, short wanted, struct call *call)
{
    short found = 0;
    if (e->kind == A_SOCKET_WITHOUT_PEER)
        return POLLHUP;
    if (wanted & POLLOUT && e->writes)
        found = POLLOUT;
    const struct segment *next = e->reads && may_show(e, wanted) ? channel_look(e->in, call) : NULL;
    if (next && !(next->is_end && e->kind == A_PIPE))
        found |= wanted & (POLLIN | POLLRDNORM);
    if (next && next->is_end)
        found |= POLLHUP;
    if (e->writes && e->kind == A_PIPE && channel_is_refused(e->out, call))
        found |= POLLERR;
    return found;
}

ssize_t descriptor_read(int number, void *to, size_t size, int flags, struct call *call)
{
    struct endpoint *e = endpoint_of(number, call);
    return e ? read_from(e, to, size, flags, call) : fails(EBADF);
}

ssize_t descriptor_write(int number, const void *from, size_t size, int flags, struct call *call)
{
    struct endpoint *e = endpoint_of(number, call);
    return e ? write_to(e, from, size, flags, call) : fails(EBADF);
}

/* --- more of the same */

EXPORT int __wrap_dup(int number);
EXPORT int __wrap_dup(int number)
{
    struct call call = this_call(CALLER);
    if (!in_program() || !is_descriptor(number))
        return opened_number(dup(number));
    struct endpoint *e = endpoint_of(number, &call);
    if (!e)
        return fails(EBADF);
    endpoint_changes_in_order(e, &call);
    e->references++;
    return number_of(give_number(channel_into(e), &call));
}

static int control(int number, int command, long argument, struct call *call)
{
    struct endpoint *e = endpoint_of(number, call);
    if (!e)
        return fails(EBADF);
    switch (command) {
    case F_GETFL: return (e->is_nonblocking ? O_NONBLOCK : 0) | (e->reads && e->writes ? O_RDWR : e->writes);
    case F_SETFL:
        endpoint_changes_in_order(e, call);
        e->is_nonblocking = argument & O_NONBLOCK;
        return 0;
    case F_GETFD:
    case F_SETFD: return 0;
    default:
        fail_run(FAILED_REFUSED, call->caller, "calls fcntl on a pipe or socket with a command that is not modelled");
        return fails(EINVAL);
    }
}

#define CONTROL(name)                                                                                                  \
    EXPORT int __wrap_##name(int number, int command, ...);                                                            \
    EXPORT int __wrap_##name(int number, int command, ...)                                                             \
    {                                                                                                                  \
        struct call call = this_call(CALLER);                                                                          \
        va_list arguments;                                                                                             \
        va_start(arguments, command);                                                                                  \
        long argument = va_arg(arguments, long);                                                                       \
        va_end(arguments);                                                                                             \
        if (in_program() && is_descriptor(number))                                                                     \
            return control(number, command, argument, &call);                                                          \
        calls_unseen();                                                                                                \
        number_used(number, call.caller);                                                                              \
        return name(number, command, argument);                                                                        \
    }

CONTROL(fcntl)
CONTROL(fcntl64)

EXPORT int __wrap_ioctl(int number, unsigned long request, ...);
EXPORT int __wrap_ioctl(int number, unsigned long request, ...)
{
    struct call call = this_call(CALLER);
    va_list arguments;
    va_start(arguments, request);
    int *argument = va_arg(arguments, int *);
    va_end(arguments);
    if (!in_program() || !is_descriptor(number))
        return ioctl(number, request, argument);
    struct endpoint *e = endpoint_of(number, &call);
    if (!e)
        return fails(EBADF);
    if (request != FIONBIO)
        fail_run(FAILED_REFUSED, call.caller, "calls ioctl on a pipe or socket with a request that is not modelled");
    reads(argument, sizeof *argument, call.caller);
    endpoint_changes_in_order(e, &call);
    e->is_nonblocking = *argument;
    return 0;
}
