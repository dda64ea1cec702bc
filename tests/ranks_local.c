/* SPDX-License-Identifier: Apache-2.0 */
#include "ranks_local.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_RANKS = 8, ARENA = 1 << 26, MOST_NUMBERS = 64, MOST_SHARED = 1 << 16 };

struct message {
    uint32_t from, to, count;
    bool taken;
    unsigned char bytes[];
};

/* Messages of a round stand behind each other; the next round begins at the start again. */
struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t ranks;
    size_t used, left; /* bytes of the arena; messages not taken */
    uint32_t idle, round;
    uint32_t arrived, generation;                            /* at what is agreed upon */
    uint64_t numbers[MOST_NUMBERS], agreed[2][MOST_NUMBERS]; /* of this and the last time */
    unsigned char copied[MOST_SHARED];
    unsigned char arena[ARENA];
};

struct local {
    struct transport base;
    struct shared *shared;
    bool is_idle;
    size_t next; /* where to look for messages */
    unsigned char taken[MOST_SHARED];
    uint32_t round;
};

static struct local *own(struct transport *transport)
{
    return (struct local *)transport;
}

static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

static bool send_bytes(struct transport *transport, uint32_t to, const void *bytes, size_t count)
{
    struct local *l = own(transport);
    struct shared *s = l->shared;
    pthread_mutex_lock(&s->mutex);
    if (l->is_idle || s->used + rounded(sizeof(struct message) + count) > ARENA)
        abort(); /* against the contract */
    struct message *message = (struct message *)(void *)(s->arena + s->used);
    *message = (struct message){.from = transport->rank, .to = to, .count = (uint32_t)count};
    memcpy(message->bytes, bytes, count);
    s->used += rounded(sizeof *message + count);
    s->left++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    return true;
}

static const void *receive(struct transport *transport, uint32_t *from, size_t *count)
{
    struct local *l = own(transport);
    struct shared *s = l->shared;
    const void *bytes = NULL;
    pthread_mutex_lock(&s->mutex);
    if (s->round != l->round) { /* it is over, and this rank will hear of it */
        pthread_mutex_unlock(&s->mutex);
        return NULL;
    }
    while (l->next < s->used && !bytes) {
        struct message *message = (struct message *)(void *)(s->arena + l->next);
        l->next += rounded(sizeof *message + message->count);
        if (message->to != transport->rank)
            continue;
        if (message->count > sizeof l->taken)
            abort();
        bytes = memcpy(l->taken, message->bytes, message->count); /* the next round may write there */
        *from = message->from;
        *count = message->count;
        s->left--;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->mutex);
    return bytes;
}

static bool is_over(struct transport *transport)
{
    struct local *l = own(transport);
    struct shared *s = l->shared;
    pthread_mutex_lock(&s->mutex);
    if (s->round == l->round && !l->is_idle) {
        l->is_idle = true;
        s->idle++;
    }
    if (s->round == l->round && s->idle == s->ranks && s->left == 0) {
        s->round++;
        s->idle = 0;
        s->used = 0;
        pthread_cond_broadcast(&s->changed);
    }
    bool over = s->round != l->round;
    if (!over && l->next >= s->used)
        pthread_cond_wait(&s->changed, &s->mutex);
    pthread_mutex_unlock(&s->mutex);
    if (over) {
        l->round++;
        l->is_idle = false;
        l->next = 0;
    }
    return over;
}

static void meet(struct transport *transport, uint64_t *numbers, size_t count, bool adds)
{
    struct shared *s = own(transport)->shared;
    if (count > MOST_NUMBERS)
        abort();
    pthread_mutex_lock(&s->mutex);
    uint32_t generation = s->generation;
    for (size_t i = 0; i < count; i++) {
        uint64_t before = s->arrived ? s->numbers[i] : 0;
        s->numbers[i] = adds ? before + numbers[i] : before > numbers[i] ? before : numbers[i];
    }
    if (++s->arrived == s->ranks) {
        s->arrived = 0;
        s->generation++;
        memcpy(s->agreed[generation % 2], s->numbers, sizeof s->numbers);
        pthread_cond_broadcast(&s->changed);
    }
    while (s->generation == generation)
        pthread_cond_wait(&s->changed, &s->mutex);
    memcpy(numbers, s->agreed[generation % 2], count * sizeof *numbers);
    pthread_mutex_unlock(&s->mutex);
}

static void add_up(struct transport *transport, uint64_t *numbers, size_t count)
{
    meet(transport, numbers, count, true);
}

static void largest(struct transport *transport, uint64_t *numbers, size_t count)
{
    meet(transport, numbers, count, false);
}

static void share(struct transport *transport, uint32_t from, void *bytes, size_t count)
{
    struct shared *s = own(transport)->shared;
    if (count > MOST_SHARED)
        abort();
    if (transport->rank == from)
        memcpy(s->copied, bytes, count);
    meet(transport, &(uint64_t){0}, 1, true);
    memcpy(bytes, s->copied, count);
    meet(transport, &(uint64_t){0}, 1, true);
}

static struct shared *make_shared(uint32_t ranks)
{
    static struct shared *s; /* mapped once, used again and again */
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    if (!s)
        s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s == MAP_FAILED)
        abort();
    memset(s, 0, offsetof(struct shared, copied));
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->mutex, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&s->changed, &condition);
    s->ranks = ranks;
    return s;
}

int ranks_run(uint32_t ranks, int (*task)(struct transport *transport, void *user), void *user)
{
    struct local l = {.shared = make_shared(ranks)};
    pid_t children[MOST_RANKS] = {0};
    l.base = (struct transport){.version = TRANSPORT_VERSION,
                                .ranks = ranks,
                                .send = send_bytes,
                                .receive = receive,
                                .is_over = is_over,
                                .add_up = add_up,
                                .largest = largest,
                                .share = share};
    for (uint32_t i = 1; i < ranks; i++) {
        children[i] = fork();
        if (children[i] < 0)
            abort();
        if (children[i] == 0) {
            l.base.rank = i;
            _exit(task(&l.base, user));
        }
    }
    int result = task(&l.base, user);
    for (uint32_t i = 1; i < ranks; i++) {
        int status;
        if (waitpid(children[i], &status, 0) != children[i] || status != 0)
            result = result ? result : -1;
    }
    return result;
}
