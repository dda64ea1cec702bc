/* SPDX-License-Identifier: Apache-2.0 */
// What constructors and destructors do is part of each execution: threads, locks, blocks, and calls that are refused.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_t thread;
static pthread_mutex_t mutex;
static sem_t semaphore;
static int x, which;
static char *block;

static void *adds(void *unused)
{
    sem_wait(&semaphore);
    if (which != 2)
        pthread_mutex_lock(&mutex);
    x++;
    if (which != 2)
        pthread_mutex_unlock(&mutex);
    return unused;
}

__attribute__((constructor)) static void constructor(int count, char **arguments)
{
    which = count > 1 ? atoi(arguments[1]) : 1;
    pthread_mutex_init(&mutex, NULL);
    sem_init(&semaphore, 0, 0);
    block = malloc(10);
    pthread_create(&thread, NULL, adds, NULL);
    if (which == 3)
        syscall(SYS_gettid);
}

__attribute__((destructor)) static void destructor(void)
{
    assert(which != 4);
    free(block);
    if (which == 5)
        free(block);
}

int main(void)
{
    pthread_mutex_lock(&mutex);
    sem_post(&semaphore);
    x++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    assert(x == 2);
    return 0;
}
