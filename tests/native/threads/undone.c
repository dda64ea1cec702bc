/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 20 executions
// What the runtime and libc write for the program is undone like its own writes: here between steps that are gone back
// over.  Three steps of main come before, between or after three of another thread.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

static atomic_int x;
static pthread_t thread;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t lock;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static struct timespec now;
static struct tm date;
static char text[40], words[] = "a b c", *rest, *word, *made, *end;
static unsigned char bytes[5];
static int number;
static void *aligned;

static void *other(void *unused)
{
    assert(x++ >= 0); // the result is used: the order matters
    assert(x++ >= 0); // the result is used: the order matters
    assert(x++ >= 0); // the result is used: the order matters
    return unused;
}

static void use_objects(void)
{
    pthread_mutex_init(&mutex, NULL);
    pthread_cond_init(&condition, NULL);
    pthread_rwlock_init(&lock, NULL);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 3);
    sem_getvalue(&semaphore, &number);
    assert(number == 3);
}

static void use_library(void)
{
    time_t seconds = 86400;
    assert(clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec > 0);
    gmtime_r(&seconds, &date);
    snprintf(text, sizeof text, "%d-%s", date.tm_mday, "x");
    strcat(text, "y");
    assert(strcmp(text, "2-xy") == 0);
    word = strtok_r(words, " ", &rest);
    assert(*rest == 'b' && strtol("12z", &end, 10) == 12 && *end == 'z');
    getrandom(bytes, sizeof bytes, 0);
    assert(asprintf(&made, "%p", (void *)text) > 2);
    free(made);
    assert(posix_memalign(&aligned, 64, 8) == 0);
    free(aligned);
}

int main(void)
{
    pthread_create(&thread, NULL, other, NULL);
    assert(x++ >= 0); // the result is used: the order matters
    assert(thread && !*text && !number && !aligned && !end && words[1] == ' ' && !now.tv_sec);
    use_objects();
    assert(x++ >= 0); // the result is used: the order matters
    use_library();
    assert(x++ >= 0); // the result is used: the order matters
    pthread_join(thread, NULL);
    return 0;
}
