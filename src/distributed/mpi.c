/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks over MPI.  A round ends by the non-blocking consensus of Hoefler, Siebert and Lumsdaine ("Scalable
 * communication protocols for dynamic sparse data exchange", PPoPP 2010): sends are synchronous, so a rank whose sends
 * are complete knows that they were received; it then enters a barrier that does not block, and when that is over so is
 * the round.  A rank that is ahead may already send for the next round, so messages of even and odd rounds have
 * different tags.
 */
#include "distributed/transport.h"

#include <mpi.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct sent {
    MPI_Request request;
    void *bytes;
};

struct over_mpi {
    struct transport base;
    int tag; /* of this round */
    struct sent *sent;
    size_t count, capacity;
    void *received;
    size_t room;
    bool in_barrier;
    MPI_Request barrier;
};

static struct over_mpi *own(struct transport *transport)
{
    return (struct over_mpi *)transport;
}

/* MPI may never return when another rank has died: whoever watches this one can tell by the number of calls. */
static void call(struct over_mpi *m)
{
    atomic_fetch_add_explicit(&m->base.calls, 1, memory_order_relaxed);
}

/* Gives back what has arrived. */
static void sweep(struct over_mpi *m)
{
    call(m);
    for (size_t i = 0; i < m->count;) {
        int done = 0;
        MPI_Test(&m->sent[i].request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            i++;
            continue;
        }
        free(m->sent[i].bytes);
        m->sent[i] = m->sent[--m->count];
    }
    call(m);
}

static bool send_bytes(struct transport *transport, uint32_t to, const void *bytes, size_t count)
{
    struct over_mpi *m = own(transport);
    sweep(m);
    if (m->count == m->capacity) {
        size_t larger = m->capacity * 2 + 16;
        struct sent *moved = realloc(m->sent, larger * sizeof *moved);
        if (!moved)
            return false;
        m->sent = moved;
        m->capacity = larger;
    }
    void *copy = malloc(count + 1);
    if (!copy)
        return false;
    memcpy(copy, bytes, count);
    m->sent[m->count].bytes = copy;
    call(m);
    MPI_Issend(copy, (int)count, MPI_BYTE, (int)to, m->tag, MPI_COMM_WORLD, &m->sent[m->count].request);
    call(m);
    m->count++;
    transport->messages++;
    transport->bytes += count;
    return true;
}

static const void *receive(struct transport *transport, uint32_t *from, size_t *count)
{
    struct over_mpi *m = own(transport);
    MPI_Message message;
    MPI_Status status;
    int there = 0, bytes = 0;
    call(m);
    MPI_Improbe(MPI_ANY_SOURCE, m->tag, MPI_COMM_WORLD, &there, &message, &status);
    call(m);
    if (!there)
        return NULL;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if ((size_t)bytes > m->room) {
        free(m->received);
        m->room = (size_t)bytes;
        m->received = malloc(m->room);
        if (!m->received)
            MPI_Abort(MPI_COMM_WORLD, 3); /* without it the round would never be over */
    }
    call(m);
    MPI_Mrecv(m->received, bytes, MPI_BYTE, &message, &status);
    call(m);
    *from = (uint32_t)status.MPI_SOURCE;
    *count = (size_t)bytes;
    return m->received;
}

/* Somebody has asked everybody to end, or the time is over: those who live answer soon. */
static void look_for_the_lost(struct over_mpi *m, struct timespec *since)
{
    enum { WAITED = 200000000 };
    struct timespec now;
    bool asked = m->base.interrupt && *m->base.interrupt;
    if (!m->base.lost || (!asked && m->base.deadline == 0))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (m->base.deadline > 0 && (double)now.tv_sec + (double)now.tv_nsec / 1e9 > m->base.deadline)
        m->base.lost();
    if (!since->tv_sec)
        *since = now;
    if (!asked)
        since->tv_sec = 0;
    else if ((now.tv_sec - since->tv_sec) * 1000000000L + (now.tv_nsec - since->tv_nsec) > WAITED)
        m->base.lost();
}

/* Answers come soon, or not so soon: then, where there are more ranks than cores, whoever waits makes room for those
 * who work. */
static void pause_a_moment(uint32_t *waited)
{
    enum { SOON = 200 };
    if ((*waited)++ < SOON)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static bool is_over(struct transport *transport)
{
    static struct timespec since;
    static uint32_t waited;
    struct over_mpi *m = own(transport);
    sweep(m);
    if (!m->in_barrier && m->count == 0) {
        MPI_Ibarrier(MPI_COMM_WORLD, &m->barrier);
        m->in_barrier = true;
    }
    int done = 0;
    call(m);
    if (m->in_barrier)
        MPI_Test(&m->barrier, &done, MPI_STATUS_IGNORE);
    call(m);
    if (done) {
        m->in_barrier = false;
        m->tag ^= 1;
        since.tv_sec = 0;
        waited = 0;
        return true;
    }
    look_for_the_lost(m, &since);
    pause_a_moment(&waited);
    return false;
}

static void wait_for(struct over_mpi *m, MPI_Request *request)
{
    struct timespec since = {0};
    uint32_t waited = 0;
    int done = 0;
    for (;;) {
        call(m);
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        call(m);
        if (done)
            return;
        look_for_the_lost(m, &since);
        pause_a_moment(&waited);
    }
}

static void reduce(struct transport *transport, uint64_t *numbers, size_t count, MPI_Op operation)
{
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, numbers, (int)count, MPI_UINT64_T, operation, MPI_COMM_WORLD, &request);
    wait_for(own(transport), &request);
}

static void add_up(struct transport *transport, uint64_t *numbers, size_t count)
{
    reduce(transport, numbers, count, MPI_SUM);
}

static void largest(struct transport *transport, uint64_t *numbers, size_t count)
{
    reduce(transport, numbers, count, MPI_MAX);
}

static void share(struct transport *transport, uint32_t from, void *bytes, size_t count)
{
    MPI_Request request;
    MPI_Ibcast(bytes, (int)count, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
    wait_for(own(transport), &request);
}

static void close_transport(struct transport *transport)
{
    struct over_mpi *m = own(transport);
    MPI_Finalize();
    free(m->sent);
    free(m->received); /* but not m: somebody may still be watching */
}

__attribute__((visibility("default"))) struct transport *portolan_open_transport(void)
{
    int given, rank = 0, ranks = 1;
    struct over_mpi *m = calloc(1, sizeof *m);
    if (!m || MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
        free(m);
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    m->base = (struct transport){.version = TRANSPORT_VERSION,
                                 .rank = (uint32_t)rank,
                                 .ranks = (uint32_t)ranks,
                                 .send = send_bytes,
                                 .receive = receive,
                                 .is_over = is_over,
                                 .add_up = add_up,
                                 .largest = largest,
                                 .share = share,
                                 .close = close_transport};
    return &m->base;
}
