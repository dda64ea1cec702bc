// expected: memory error
// An entry of a cache is looked up under the lock, and used under the lock, but not under the same: in between it may
// be thrown out and freed.  No data race, since the lock orders everything.
#include <pthread.h>
#include <stdlib.h>

struct entry {
    int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *cached;

static struct entry *look_up(void)
{
    pthread_mutex_lock(&lock);
    struct entry *found = cached;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *user(void *argument)
{
    struct entry *found = look_up();
    if (found) {
        pthread_mutex_lock(&lock);
        found->uses++;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *cleaner(void *argument)
{
    pthread_mutex_lock(&lock);
    free(cached);
    cached = NULL;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    cached = calloc(1, sizeof *cached);
    pthread_create(&threads[0], NULL, user, NULL);
    pthread_create(&threads[1], NULL, cleaner, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
