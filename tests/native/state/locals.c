/* SPDX-License-Identifier: Apache-2.0 */
// Thread-local variables: each thread has its own, and others may be told where they are.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    atomic_int locked;
};

struct record {
    struct record *next;
    int value;
};

static _Thread_local _Alignas(64) char aligned[64] = {1};
static _Thread_local struct node node;
static _Thread_local struct record record = {NULL, 10};
static _Thread_local atomic_int own_atomic;
static _Thread_local pthread_mutex_t own_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local void *own_pointer;
static _Atomic(struct node *) tail;
static _Atomic(struct record *) shared_record;
static struct record *list;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_int flag;
static int count, x;

/* 1: records of all threads in one list, as in userspace RCU */
static void *registers(void *me)
{
    int sum = 0;
    assert((uintptr_t)aligned % 64 == 0 && aligned[0] == 1 && record.value == 10);
    aligned[0] = 2;
    record.value = (int)(long)me;
    pthread_mutex_lock(&mutex);
    record.next = list;
    list = &record;
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    for (struct record *r = list; r; r = r->next)
        sum += r->value;
    pthread_mutex_unlock(&mutex);
    assert(sum == 3);
    pthread_barrier_wait(&barrier);
    return NULL;
}

/* 2: a lock of Mellor-Crummey and Scott */
static void *queues(void *unused)
{
    atomic_store(&node.next, NULL);
    atomic_store(&node.locked, 1);
    struct node *before = atomic_exchange(&tail, &node), *next, *self = &node;
    if (before) {
        atomic_store(&before->next, &node);
        while (atomic_load(&node.locked))
            ;
    }
    count++;
    next = atomic_load(&node.next);
    if (!next && atomic_compare_exchange_strong(&tail, &self, NULL))
        return unused;
    while (!(next = atomic_load(&node.next)))
        ;
    atomic_store(&next->locked, 0);
    return unused;
}

/* 3: an atomic of one's own orders nothing */
static void *adds(void *me)
{
    if (me != (void *)1 && !atomic_load_explicit(&flag, memory_order_relaxed))
        return NULL;
    x++;
    atomic_fetch_add(&own_atomic, 1);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return NULL;
}

/* 4: nor does a lock of one's own, ... */
static void *locks(void *unused)
{
    pthread_mutex_lock(&own_mutex);
    x++;
    pthread_mutex_unlock(&own_mutex);
    return unused;
}

/* 5: ... and nobody waits for it */
static void *meets(void *unused)
{
    pthread_mutex_lock(&own_mutex);
    pthread_barrier_wait(&barrier);
    pthread_mutex_unlock(&own_mutex);
    return unused;
}

/* 6: the variable of another thread, without order */
static void *lends(void *me)
{
    if (me == (void *)1) {
        atomic_store(&shared_record, &record);
        record.value = 1;
        pthread_barrier_wait(&barrier);
        return NULL;
    }
    struct record *other = atomic_load(&shared_record);
    if (other)
        other->value = 2;
    pthread_barrier_wait(&barrier);
    return NULL;
}

/* 7: of a thread that has ended */
static void *leaves(void *me)
{
    if (me == (void *)1)
        atomic_store(&shared_record, &record);
    return NULL;
}

/* 8: what only a thread-local variable of a thread that waits forever points to is not lost */
static void *keeps(void *me)
{
    own_pointer = malloc(10);
    if (me == (void *)1)
        exit(0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    return NULL;
}

int main(int argument_count, char **arguments)
{
    static void *(*const functions[])(void *) = {registers, queues, adds, locks, meets, lends, leaves, keeps};
    pthread_t a, b;
    int which = argument_count > 1 ? atoi(arguments[1]) : 1;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&a, NULL, functions[which - 1], (void *)1);
    pthread_create(&b, NULL, functions[which - 1], (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(which != 2 || count == 2);
    return which == 7 ? atomic_load(&shared_record)->value - 10 : 0;
}
