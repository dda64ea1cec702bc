/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of states that several threads share (src/store/shared.c), small, with threads that stand in each other's
 * way: what they insert has one hash value, so that all want the same slot.  Whatever the schedule, a key has one
 * number, whose record is the key, and is new to one thread.
 *
 * The argument has a word for each thread, of the keys that it inserts, after a word of those that are there before.
 */
#include "store/store.h"

#include <assert.h>
#include <pthread.h>

enum { THREADS = 3, KEYS = 8 };

static struct store store;
static const char *words[THREADS + 1];
static uint32_t number[THREADS + 1][KEYS];
static unsigned fresh[KEYS];
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

static void insert(uint32_t thread, uint32_t word)
{
    for (const char *c = words[word]; c && *c && *c != ' '; c++) {
        uint64_t key = (uint64_t)(*c - 'a');
        bool is_new;
        number[word][key] = store_insert_shared(&store, &key, UINT64_C(1) << 63, thread, &is_new) + 1;
        if (!is_new)
            continue;
        pthread_mutex_lock(&counting);
        fresh[key]++;
        pthread_mutex_unlock(&counting);
    }
}

static void *work(void *argument)
{
    uint32_t thread = (uint32_t)(uintptr_t)argument;
    insert(thread, thread + 1);
    return NULL;
}

static void check(uint32_t word, uint64_t key)
{
    uint64_t copy;
    if (!number[word][key])
        return;
    uint32_t state = number[word][key] - 1;
    assert(state < store.count && fresh[key] == 1);
    assert(store_find_shared(&store, &key, UINT64_C(1) << 63) == state);
    store_copy(&store, state, &copy);
    assert(copy == key);
}

int main(int count, char **arguments)
{
    pthread_t others[THREADS];
    uint32_t threads = (uint32_t)count - 2;
    if (count < 3 || threads > THREADS || !store_make(&store, sizeof(uint64_t)))
        return 1;
    for (int i = 1; i < count; i++)
        words[i - 1] = arguments[i];
    store.most = STORE_LAST;
#ifdef IN_BLOCKS
    if (!store_number_in_blocks(&store, threads))
        return 1;
#endif
    insert(0, 0);
    for (uint32_t i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, (void *)(uintptr_t)i);
    work(NULL);
    for (uint32_t i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
#ifndef IN_BLOCKS
    for (uint32_t i = 0; i <= threads; i++)
        for (uint64_t key = 0; key < KEYS; key++)
            check(i, key);
#else
    uint32_t keys = 0;
    store_settle(&store);
    for (uint64_t key = 0; key < KEYS; keys += fresh[key++]) {
        uint64_t copy = KEYS;
        uint32_t state = store_find_shared(&store, &key, UINT64_C(1) << 63);
        if (state != STORE_NONE)
            store_copy(&store, state, &copy);
        assert(fresh[key] ? copy == key && fresh[key] == 1 : state == STORE_NONE);
    }
    assert(store.count == keys);
#endif
    store_clear(&store);
    return 0;
}
