/* SPDX-License-Identifier: Apache-2.0 */
// Random threads that take a read-write lock, by the seed in the first argument; what they saw goes to the file in the
// second.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, STEPS = 3 };

struct work {
    unsigned random, seen;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int variable;
static int under_lock, steps;

static unsigned draw(struct work *w, unsigned limit)
{
    w->random = w->random * 1103515245u + 12345u;
    return (w->random >> 16) % limit;
}

static void see(struct work *w, int value)
{
    w->seen = w->seen * 31 + (unsigned)value;
}

static void read_under(struct work *w)
{
    see(w, under_lock);
    pthread_rwlock_unlock(&lock);
}

static void write_under(struct work *w)
{
    see(w, under_lock++);
    pthread_rwlock_unlock(&lock);
}

static void try_to(struct work *w, int (*take)(pthread_rwlock_t *), void (*use)(struct work *))
{
    int error = take(&lock);
    see(w, error);
    if (!error)
        use(w);
}

static void step(struct work *w)
{
    switch (draw(w, 8)) {
    case 0: see(w, variable); break;
    case 1: variable++; break;
    case 2:
    case 3:
        pthread_rwlock_rdlock(&lock);
        read_under(w);
        break;
    case 4:
    case 5:
        pthread_rwlock_wrlock(&lock);
        write_under(w);
        break;
    case 6: try_to(w, pthread_rwlock_tryrdlock, read_under); break;
    default: try_to(w, pthread_rwlock_trywrlock, write_under);
    }
}

static void *run(void *work)
{
    for (int i = 0; i < steps; i++)
        step(work);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t thread[THREADS];
    struct work works[THREADS], all = {.random = (unsigned)atoi(arguments[1])};
    draw(&all, 2);
    int threads = 2 + (int)draw(&all, THREADS - 1), used = 0;
    steps = 1 + (int)draw(&all, threads == 2 ? STEPS : 2);
    for (int i = 0; i < threads; i++) {
        works[i] = (struct work){.random = all.random + 7919u * (unsigned)i};
        pthread_create(&thread[i], NULL, run, &works[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    char line[200];
    for (int i = 0; i < threads; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%x ", works[i].seen);
    used += snprintf(line + used, sizeof line - (size_t)used, "%d %d\n", variable, under_lock);
    int file = count > 2 ? open(arguments[2], O_WRONLY | O_CREAT | O_APPEND, 0600) : 1;
    return write(file, line, (size_t)used) != used;
}
