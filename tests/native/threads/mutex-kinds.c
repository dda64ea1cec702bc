/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// An error-checking mutex tells what is wrong; a recursive one counts.  The two threads meet at one lock only.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t checking, recursive, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t static_recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int inside;

static void enter(void)
{
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_lock(&recursive) == 0);
    assert(pthread_mutex_trylock(&recursive) == 0);
    inside++;
    assert(inside == 1);
    inside--;
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
    assert(pthread_mutex_unlock(&recursive) == 0);
}

static void *other(void *unused)
{
    enter();
    assert(pthread_mutex_unlock(&checking) == EPERM); /* which main holds */
    return unused;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_t thread;
    struct timespec soon = {0};
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    assert(pthread_mutex_lock(&checking) == 0);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    assert(pthread_mutex_trylock(&checking) == EBUSY && pthread_mutex_timedlock(&checking, &soon) == EDEADLK);
    assert(pthread_mutex_lock(&plain) == 0 && pthread_mutex_trylock(&plain) == EBUSY);
    assert(pthread_mutex_unlock(&plain) == 0);
    assert(pthread_mutex_lock(&static_recursive) == 0 && pthread_mutex_lock(&static_recursive) == 0);
    pthread_create(&thread, NULL, other, NULL);
    enter();
    pthread_join(thread, NULL);
    assert(pthread_mutex_unlock(&checking) == 0);
    assert(pthread_mutex_unlock(&recursive) == EPERM);
    pthread_mutex_destroy(&checking);
    return 0;
}
