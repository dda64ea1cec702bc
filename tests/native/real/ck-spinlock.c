// SPDX-License-Identifier: Apache-2.0
// Spinlocks of Concurrency Kit (libck-dev): LOCK is the name of one, as in ck_spinlock_fas_lock.
#include <assert.h>
#include <ck_spinlock.h>
#include <pthread.h>

#define PASTE(name, function) ck_spinlock_##name##_##function
#define CALL(name, function) PASTE(name, function)

static CALL(LOCK, t) lock;
static int counter;

static void *add(void *unused)
{
    for (int i = 0; i < 2; i++) {
        CALL(LOCK, lock)(&lock);
        counter++;
#ifndef FORGETS
        CALL(LOCK, unlock)(&lock);
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    CALL(LOCK, init)(&lock);
    pthread_create(&thread, NULL, add, NULL);
    add(NULL);
    pthread_join(thread, NULL);
    assert(counter == 4);
    return 0;
}
