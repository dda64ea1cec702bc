/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll, select and epoll on pipes, sockets and their like.  Like the kernel's they look at one descriptor after the
 * other, and each look is a step.  A call that waits forever waits for any one of those that could become ready
 * (selection.c): the first that it finds so, in the last of its rounds through the list.  So it looks at those before
 * it in the list, waits, and looks at those behind; if one before it is ready, the execution in which it had waited for
 * that one is the same.  A call with a time limit may come to its end at any moment, so it only looks.
 *
 * epoll does not go through a list: what is ready before another one is given with it, so it waits first.
 * epoll_wait gives no more than it is asked for: with room for one event, any of those that have happened.
 */
#include "native/accesses.h"
#include "native/choices.h"
#include "native/descriptors.h"
#include "native/rounds.h"
#include "native/selection.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* What is to be polled, in a form that all three share. */
struct poll_list {
    struct pollfd entries[MOST_SELECTED];
    uint64_t data[MOST_SELECTED]; /* of epoll */
    uint32_t count;
    bool is_scanned; /* from its beginning to its end */
};

static int fails(int error)
{
    errno = error;
    return -1;
}

/* A thread that is only tried may write to its own stack. */
static void will_be_written(void *address, size_t size, struct call *call)
{
    if (is_inside())
        note_access((uintptr_t)address, size, true, call->caller);
}

static short events_of(const struct pollfd *entry, struct call *call)
{
    if (entry->fd < 0)
        return 0;
    if (!is_descriptor(entry->fd)) {
        struct pollfd real = *entry;
        return poll(&real, 1, 0) < 0 ? POLLNVAL : real.revents;
    }
    struct endpoint *e = endpoint_of(entry->fd, call);
    return e ? endpoint_events(e, entry->events, call) : POLLNVAL;
}

static bool look_at(struct pollfd *entry, struct call *call)
{
    entry->revents = events_of(entry, call);
    call->context = call->context * 1024 + (uint64_t)entry->revents + 1;
    return entry->revents;
}

/* Is something ready whatever others do?  Then nobody waits. */
static bool is_ready_anyway(const struct poll_list *list, struct call *call)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct pollfd *entry = &list->entries[i];
        const struct endpoint *e = is_descriptor(entry->fd) ? endpoint_of(entry->fd, call) : NULL;
        if (entry->fd >= 0 && (!e || (entry->events & POLLOUT && e->writes) || e->kind == A_SOCKET_WITHOUT_PEER))
            return true;
    }
    return false;
}

static void look_at_those_before(struct poll_list *list, uint32_t first, struct call *call)
{
    for (uint32_t i = 0; i < first; i++)
        if (look_at(&list->entries[i], call))
            rule_out(call->caller);
}

/* Waits for one of those that may become ready to read; its place in the list.  In one that is scanned, those
 * before it are not. */
static uint32_t wait_for_any(struct poll_list *list, struct call *call)
{
    struct selection selection = {0};
    uint64_t alternatives[MOST_SELECTED];
    uint32_t places[MOST_SELECTED] = {0};
    for (uint32_t i = 0; i < list->count; i++) {
        const struct endpoint *e = is_descriptor(list->entries[i].fd) ? endpoint_of(list->entries[i].fd, call) : NULL;
        if (!e || !e->reads || !may_show(e, list->entries[i].events))
            continue;
        if (!(list->entries[i].events & POLLIN) && e->kind != A_PIPE)
            fail_run(FAILED_REFUSED, call->caller, "waits for a socket without POLLIN, which is not modelled");
        places[selection.channel_count] = i;
        alternatives[selection.channel_count] = UINT64_C(1) << selection.channel_count;
        selection.channels[selection.channel_count++] = e->in;
    }
    selection.alternatives = alternatives;
    selection.alternative_count = selection.channel_count;
    uint32_t which = select_choose(&selection, call);
    if (list->is_scanned)
        look_at_those_before(list, places[which], call);
    select_wait(&selection, call);
    channel_leave(selection.channels[which], call);
    return places[which];
}

/* Fills in what has happened, up to so many; how many that are. */
static int poll_all(struct poll_list *list, bool waits, uint32_t most, struct call *call)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < list->count; i++)
        list->entries[i].revents = 0;
    uint32_t first = waits && !is_ready_anyway(list, call) ? wait_for_any(list, call) : 0;
    for (uint32_t i = first; i < list->count && found < most; i++)
        found += look_at(&list->entries[i], call);
    if (!list->is_scanned && found < most)
        look_at_those_before(list, first, call);
    return (int)found;
}

/* --- poll */

static int poll_entries(struct pollfd *entries, nfds_t count, bool waits, struct call *call)
{
    struct poll_list list = {.count = (uint32_t)count, .is_scanned = true};
    if (count > MOST_SELECTED)
        fail_run(FAILED_REFUSED, call->caller, "polls more than %d descriptors", MOST_SELECTED);
    if (count == 0 && !waits)
        return 0;
    will_be_written(entries, count * sizeof *entries, call);
    memcpy(list.entries, entries, count * sizeof *entries);
    int found = poll_all(&list, waits, MOST_SELECTED, call);
    memcpy(entries, list.entries, count * sizeof *entries);
    return found;
}

EXPORT int __wrap_poll(struct pollfd *entries, nfds_t count, int timeout);
EXPORT int __wrap_poll(struct pollfd *entries, nfds_t count, int timeout)
{
    struct call call = this_call(CALLER);
    pass_time(call.caller);
    return is_inside() ? poll_entries(entries, count, timeout < 0, &call) : 0;
}

EXPORT int __wrap_ppoll(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const void *mask);
EXPORT int __wrap_ppoll(struct pollfd *entries, nfds_t count, const struct timespec *timeout, const void *mask)
{
    struct call call = this_call(CALLER);
    (void)mask;
    pass_time(call.caller);
    return is_inside() ? poll_entries(entries, count, !timeout, &call) : 0;
}

/* --- select */

static bool is_in(int number, const fd_set *set)
{
    return set && FD_ISSET(number, set);
}

static int give_set(const struct poll_list *list, short events, fd_set *set, struct call *call)
{
    int count = 0;
    if (!set)
        return 0;
    will_be_written(set, sizeof *set, call);
    FD_ZERO(set);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].revents & events) {
            FD_SET(list->entries[i].fd, set);
            count++;
        }
    return count;
}

static void will_be_used(fd_set *set, struct call *call)
{
    if (set)
        will_be_written(set, sizeof *set, call);
}

static int select_descriptors(int limit, fd_set *to_read, fd_set *to_write, bool waits, struct call *call)
{
    struct poll_list list = {.is_scanned = true};
    will_be_used(to_read, call);
    will_be_used(to_write, call);
    for (int number = 0; number < limit; number++) {
        short events = (short)((is_in(number, to_read) ? POLLIN : 0) | (is_in(number, to_write) ? POLLOUT : 0));
        if (events && list.count == MOST_SELECTED)
            fail_run(FAILED_REFUSED, call->caller, "selects from more than %d descriptors", MOST_SELECTED);
        if (events)
            list.entries[list.count++] = (struct pollfd){.fd = number, .events = events};
    }
    if (list.count == 0 && !waits)
        return 0;
    poll_all(&list, waits, MOST_SELECTED, call);
    for (uint32_t i = 0; i < list.count; i++)
        if (list.entries[i].revents & POLLNVAL)
            return fails(EBADF);
    return give_set(&list, POLLIN | POLLHUP, to_read, call) + give_set(&list, POLLOUT | POLLERR, to_write, call);
}

EXPORT int __wrap_select(int limit, fd_set *to_read, fd_set *to_write, fd_set *others, const struct timeval *timeout);
EXPORT int __wrap_select(int limit, fd_set *to_read, fd_set *to_write, fd_set *others, const struct timeval *timeout)
{
    struct call call = this_call(CALLER);
    pass_time(call.caller);
    if (others)
        FD_ZERO(others);
    return is_inside() ? select_descriptors(limit, to_read, to_write, !timeout, &call) : 0;
}

EXPORT int __wrap_pselect(int limit, fd_set *to_read, fd_set *to_write, fd_set *others, const struct timespec *timeout,
                          const void *mask);
EXPORT int __wrap_pselect(int limit, fd_set *to_read, fd_set *to_write, fd_set *others, const struct timespec *timeout,
                          const void *mask)
{
    struct call call = this_call(CALLER);
    (void)mask;
    pass_time(call.caller);
    if (others)
        FD_ZERO(others);
    return is_inside() ? select_descriptors(limit, to_read, to_write, !timeout, &call) : 0;
}

/* --- epoll */

static int make_epoll(struct call *call)
{
    int number;
    endpoint_new(AN_EPOLL, 0, &number, call);
    return number;
}

EXPORT int __wrap_epoll_create(int size);
EXPORT int __wrap_epoll_create(int size)
{
    struct call call = this_call(CALLER);
    (void)size;
    return in_program() ? make_epoll(&call) : fails(EMFILE);
}

EXPORT int __wrap_epoll_create1(int flags);
EXPORT int __wrap_epoll_create1(int flags)
{
    struct call call = this_call(CALLER);
    (void)flags;
    return in_program() ? make_epoll(&call) : fails(EMFILE);
}

static struct endpoint *epoll_of(int number, struct call *call)
{
    struct endpoint *e = is_descriptor(number) ? endpoint_of(number, call) : NULL;
    errno = !e ? EBADF : EINVAL;
    return e && e->kind == AN_EPOLL ? e : NULL;
}

static int change_epoll(struct endpoint *epoll, int what, int number, const struct epoll_event *event,
                        struct call *call)
{
    uint32_t at = 0;
    while (at < epoll->watched_count && epoll->watched[at].number != number)
        at++;
    bool is_there = at < epoll->watched_count;
    if ((what == EPOLL_CTL_ADD) == is_there)
        return fails(is_there ? EEXIST : ENOENT);
    if (at == MOST_WATCHED)
        fail_run(FAILED_REFUSED, call->caller, "watches more than %d descriptors by epoll", MOST_WATCHED);
    endpoint_changes_in_order(epoll, call);
    if (what == EPOLL_CTL_DEL) {
        epoll->watched_count--;
        memmove(&epoll->watched[at], &epoll->watched[at + 1], (epoll->watched_count - at) * sizeof *epoll->watched);
        return 0;
    }
    reads(event, sizeof *event, call->caller);
    if (event->events & (EPOLLET | EPOLLONESHOT))
        fail_run(FAILED_REFUSED, call->caller, "asks epoll for EPOLLET or EPOLLONESHOT, which are not modelled");
    epoll->watched[at] = (struct watched){number, event->events, event->data.u64};
    epoll->watched_count += !is_there;
    return 0;
}

EXPORT int __wrap_epoll_ctl(int number, int what, int watched, struct epoll_event *event);
EXPORT int __wrap_epoll_ctl(int number, int what, int watched, struct epoll_event *event)
{
    struct call call = this_call(CALLER);
    struct endpoint *epoll = is_inside() ? epoll_of(number, &call) : NULL;
    return epoll ? change_epoll(epoll, what, watched, event, &call) : -1;
}

static int wait_for_events(int number, struct epoll_event *events, int most, bool waits, struct call *call)
{
    struct poll_list list = {0};
    const struct endpoint *epoll = epoll_of(number, call);
    if (!epoll || most <= 0)
        return epoll ? fails(EINVAL) : -1;
    for (; list.count < epoll->watched_count; list.count++) {
        const struct watched *w = &epoll->watched[list.count];
        list.entries[list.count] = (struct pollfd){.fd = w->number, .events = (short)(w->events & (POLLIN | POLLOUT))};
        list.data[list.count] = w->data;
    }
    poll_all(&list, waits, (uint32_t)most, call);
    int count = 0;
    for (uint32_t i = 0; i < list.count; i++)
        if (list.entries[i].revents > 0 && !(list.entries[i].revents & POLLNVAL)) {
            will_be_written(&events[count], sizeof *events, call);
            events[count++] = (struct epoll_event){(uint32_t)list.entries[i].revents, {.u64 = list.data[i]}};
        }
    return count;
}

EXPORT int __wrap_epoll_wait(int number, struct epoll_event *events, int most, int timeout);
EXPORT int __wrap_epoll_wait(int number, struct epoll_event *events, int most, int timeout)
{
    struct call call = this_call(CALLER);
    pass_time(call.caller);
    return is_inside() ? wait_for_events(number, events, most, timeout < 0, &call) : 0;
}

EXPORT int __wrap_epoll_pwait(int number, struct epoll_event *events, int most, int timeout, const void *mask);
EXPORT int __wrap_epoll_pwait(int number, struct epoll_event *events, int most, int timeout, const void *mask)
{
    struct call call = this_call(CALLER);
    (void)mask;
    pass_time(call.caller);
    return is_inside() ? wait_for_events(number, events, most, timeout < 0, &call) : 0;
}
