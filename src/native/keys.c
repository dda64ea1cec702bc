/* SPDX-License-Identifier: Apache-2.0 */
/* Thread-specific data: POSIX and C11 keys. */
#include "native/accesses.h"
#include "native/context.h"
#include "native/journal.h"
#include "native/rounds.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

static KEPT uint32_t key_count;
static KEPT uint32_t most_keys; /* that any run has made */
static KEPT void (*key_destructors[MOST_KEYS])(void *);

/* Keys that libraries made before main, with their values in main's thread. */
static KEPT struct {
    uint32_t count;
    void (*destructors[MOST_KEYS])(void *);
    void *values[MOST_KEYS];
} before_main;

void keys_reset(void)
{
    key_count = before_main.count;
    memcpy(key_destructors, before_main.destructors, key_count * sizeof *key_destructors);
}

void keys_begin(struct thread *thread)
{
    memset(thread->keys, 0, most_keys * sizeof *thread->keys);
    if (thread == threads)
        memcpy(thread->keys, before_main.values, before_main.count * sizeof *thread->keys);
}

void keys_end(struct thread *thread)
{
    bool again = true;
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && again; round++) {
        again = false;
        for (uint32_t key = 0; key < key_count; key++) {
            void *value = thread->keys[key];
            journal_save(&thread->keys[key], sizeof thread->keys[key]);
            thread->keys[key] = NULL;
            if (!value || !key_destructors[key])
                continue;
            key_destructors[key](value);
            again = true;
        }
    }
}

static uint64_t thread_keys; /* only its address is used */

static int make_key_before_main(unsigned *key, void (*destructor)(void *))
{
    if (threads || before_main.count == MOST_KEYS)
        return EAGAIN;
    *key = before_main.count;
    before_main.destructors[before_main.count++] = destructor;
    most_keys = before_main.count;
    return 0;
}

static int make_key(unsigned *key, void (*destructor)(void *), uintptr_t caller)
{
    if (!in_program())
        return make_key_before_main(key, destructor);
    if (key_count == MOST_KEYS)
        return EAGAIN;
    visible(&(struct pending){.kind = OP_SEMAPHORE_POST, /* who comes first has the lower number */
                              .size = 8,
                              .address = (uintptr_t)&thread_keys,
                              .caller = caller});
    journal_save(&key_count, sizeof key_count);
    journal_save(&key_destructors[key_count], sizeof *key_destructors);
    writes(key, sizeof *key, caller);
    *key = key_count;
    key_destructors[key_count++] = destructor;
    if (most_keys < key_count)
        most_keys = key_count;
    return 0;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return make_key(key, destructor, CALLER);
}

EXPORT int pthread_key_delete(pthread_key_t key)
{
    if (!in_program() || key >= key_count)
        return EINVAL;
    journal_save(&key_destructors[key], sizeof key_destructors[key]);
    key_destructors[key] = NULL;
    return 0;
}

EXPORT void *pthread_getspecific(pthread_key_t key)
{
    if (key >= MOST_KEYS)
        return NULL;
    return in_program() ? current_thread()->keys[key] : before_main.values[key];
}

static int set_value(unsigned key, const void *value, uintptr_t caller)
{
    if (key >= (in_program() ? key_count : before_main.count))
        return EINVAL;
    if (in_program()) {
        journal_save(&current_thread()->keys[key], sizeof(void *));
        goes_on(caller);
        current_thread()->keys[key] = (void *)(uintptr_t)value;
    } else if (!threads) {
        before_main.values[key] = (void *)(uintptr_t)value;
    }
    return 0;
}

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    return set_value(key, value, CALLER);
}

/* --- C11 */

EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return make_key(key, destructor, CALLER) == 0 ? thrd_success : thrd_error;
}

EXPORT void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

EXPORT void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

EXPORT int tss_set(tss_t key, void *value)
{
    return set_value(key, value, CALLER) == 0 ? thrd_success : thrd_error;
}
