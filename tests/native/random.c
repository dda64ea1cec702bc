/* SPDX-License-Identifier: Apache-2.0 */
// A random program: threads do what a seed says, with every kind of synchronisation.  Each execution appends what it
// saw to an open file, so that the sets of outcomes of two searches can be compared.  Usage: random SEED FILE-NUMBER
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, STEPS = 3, VARIABLES = 2, KINDS = 19 };

struct work {
    unsigned seen; // a digest of all that the thread has read
    unsigned random;
};

static atomic_int variable[VARIABLES];
static _Atomic unsigned char small[4];
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int go, under_lock, threads, steps;
static atomic_int initialised;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int under_flag;

static unsigned draw(struct work *w, unsigned range)
{
    w->random = w->random * 1103515245u + 12345u;
    return (w->random >> 16) % range;
}

static void see(struct work *w, int value)
{
    w->seen = w->seen * 31 + (unsigned)value + 1;
}

static void initialise(void)
{
    atomic_fetch_add(&initialised, 1);
}

static void lock_and_add(struct work *w)
{
    unsigned which = draw(w, 2);
    pthread_mutex_lock(&mutex[which]);
    if (draw(w, 3) == 0)
        see(w, atomic_load(&variable[0]));
    if (which == 0)
        see(w, under_lock++);
    pthread_mutex_unlock(&mutex[which]);
}

static void try_lock(struct work *w)
{
    if (pthread_mutex_trylock(&mutex[0]) == 0) {
        see(w, under_lock++);
        pthread_mutex_unlock(&mutex[0]);
    } else {
        see(w, -1);
    }
}

static void wait_to_go(struct work *w, int kind)
{
    pthread_mutex_lock(&mutex[1]);
    if (kind == 0) {
        go++;
        pthread_cond_signal(&condition);
    } else if (kind == 1) {
        go++;
        pthread_cond_broadcast(&condition);
    } else if (go == 0) {
        see(w, pthread_cond_timedwait(&condition, &mutex[1], &(struct timespec){0}));
    }
    pthread_mutex_unlock(&mutex[1]);
}

static void *child(void *argument)
{
    struct work *w = argument;
    see(w, atomic_fetch_add(&variable[1], 5));
    return NULL;
}

static void spawn(struct work *w)
{
    pthread_t thread;
    struct work *mine = malloc(sizeof *mine);
    *mine = (struct work){0};
    pthread_create(&thread, NULL, child, mine);
    see(w, atomic_load(&variable[1]));
    pthread_join(thread, NULL);
    see(w, (int)mine->seen);
    free(mine);
}

static void spin(struct work *w, bool by_reading)
{
    while (atomic_flag_test_and_set(&flag)) {
    }
    see(w, under_flag++);
    if (by_reading)
        see(w, atomic_load(&variable[0]));
    atomic_flag_clear(&flag);
}

static void step(struct work *w)
{
    atomic_int *x = &variable[draw(w, VARIABLES)];
    int expected = (int)draw(w, 2);
    switch (draw(w, KINDS)) {
    case 0: see(w, atomic_load(x)); break;
    case 1: atomic_store(x, (int)draw(w, 3)); break;
    case 2: see(w, atomic_fetch_add(x, 1)); break;
    case 3: see(w, atomic_exchange(x, (int)draw(w, 2))); break;
    case 4: see(w, atomic_compare_exchange_strong(x, &expected, (int)draw(w, 3)) + 2 * expected); break;
    case 5: see(w, atomic_fetch_or(x, 1)); break;
    case 6: see(w, atomic_load(&small[draw(w, 4)])); break;
    case 7: atomic_store(&small[draw(w, 4)], 1); break;
    case 8: lock_and_add(w); break;
    case 9: try_lock(w); break;
    case 10:
        pthread_rwlock_rdlock(&shared_lock);
        see(w, atomic_load(x));
        pthread_rwlock_unlock(&shared_lock);
        break;
    case 11:
        pthread_rwlock_wrlock(&shared_lock);
        atomic_fetch_add(x, 2);
        pthread_rwlock_unlock(&shared_lock);
        break;
    case 12: sem_post(&semaphore); break;
    case 13: see(w, sem_trywait(&semaphore)); break;
    case 14: pthread_once(&once, initialise); break;
    case 16: spin(w, draw(w, 2)); break;
    case 17:
        while (pthread_mutex_trylock(&mutex[0])) {
        }
        see(w, under_lock++);
        pthread_mutex_unlock(&mutex[0]);
        break;
    case 15: wait_to_go(w, (int)draw(w, 3)); break;
    default: spawn(w);
    }
}

static void *run(void *argument)
{
    struct work *w = argument;
    for (int i = 0; i < steps; i++)
        step(w);
    return NULL;
}

// By hand: what is written by library functions may be undone in another way than what the program writes.
struct line {
    char text[200];
    size_t used;
};

static void put(struct line *line, unsigned value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        line->text[line->used++] = "0123456789abcdef"[value >> shift & 15];
    line->text[line->used++] = ' ';
}

static unsigned number(const char *text)
{
    unsigned value = 0;
    for (; *text; text++)
        value = value * 10 + (unsigned)(*text - '0');
    return value;
}

int main(int count, char **arguments)
{
    struct line line = {.used = 0};
    pthread_t thread[THREADS];
    struct work works[THREADS];
    struct work all = {.random = number(arguments[1])};
    draw(&all, 2);
    threads = 2 + (int)draw(&all, THREADS - 1);
    steps = 1 + (int)draw(&all, threads == 2 ? STEPS : 2);
    sem_init(&semaphore, 0, draw(&all, 2));
    for (int i = 0; i < threads; i++) {
        works[i] = (struct work){.random = all.random + 7919u * (unsigned)i};
        pthread_create(&thread[i], NULL, run, &works[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    int value;
    sem_getvalue(&semaphore, &value);
    for (int i = 0; i < threads; i++)
        put(&line, works[i].seen);
    put(&line, (unsigned)variable[0]);
    put(&line, (unsigned)variable[1]);
    put(&line, (unsigned)value);
    put(&line, (unsigned)under_lock);
    line.text[line.used++] = '\n';
    return write(count > 2 ? (int)number(arguments[2]) : 1, line.text, line.used) < 0;
}
