/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// The timed wait comes before or after the post; both ways the value is what it should be.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static sem_t semaphore;

static void *post(void *unused)
{
    sem_post(&semaphore);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec until = {0};
    int value;
    sem_init(&semaphore, 0, 2);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 2);
    assert(sem_trywait(&semaphore) == 0 && sem_wait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    pthread_create(&thread, NULL, post, NULL);
    int result = sem_timedwait(&semaphore, &until);
    assert(result == 0 || (result == -1 && errno == ETIMEDOUT));
    pthread_join(thread, NULL);
    sem_getvalue(&semaphore, &value);
    assert(value == (result ? 1 : 0));
    sem_destroy(&semaphore);
    return 0;
}
