/* SPDX-License-Identifier: Apache-2.0 */
#include "base/generations.h"

#include "base/apart.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

#ifndef GENERATION_BLOCK /* bytes; tests have smaller ones */
#define GENERATION_BLOCK (1 << 16)
#endif

struct generation_block {
    struct generation_block *next;
    max_align_t bytes[];
};

static void free_generation(struct generation *generation)
{
    while (generation && generation->blocks) {
        struct generation_block *next = generation->blocks->next;
        free(generation->blocks);
        generation->blocks = next;
    }
    free(generation);
}

static struct generation *new_generation(const struct generations *all)
{
    return calloc_apart(1, sizeof(struct generation) + all->root_bytes);
}

bool holder_make(struct holder *holder, const struct holder *beside, size_t root_bytes, size_t most)
{
    *holder = (struct holder){.all = beside ? beside->all : calloc_apart(1, sizeof *holder->all)};
    struct generations *all = holder->all;
    if (!all)
        return false;
    if (!beside) {
        all->root_bytes = root_bytes;
        all->most = most;
        pthread_mutex_init(&all->mutex, NULL);
    }
    pthread_mutex_lock(&all->mutex);
    all->users++;
    pthread_mutex_unlock(&all->mutex);
    return true;
}

/* Under the mutex.  What is to be released: it, when nobody else holds it, and nobody may begin to. */
static struct generation *let_go(struct holder *holder)
{
    struct generation *held = holder->held;
    holder->held = NULL;
    holder->left = 0;
    return held && --held->holders == 0 && held != holder->all->present ? held : NULL;
}

void holder_move_on(struct holder *holder)
{
    struct generations *all = holder->all;
    pthread_mutex_lock(&all->mutex);
    struct generation *old = let_go(holder);
    if (!all->present)
        __atomic_store_n(&all->present, new_generation(all), __ATOMIC_RELAXED);
    holder->held = all->present;
    if (holder->held)
        holder->held->holders++;
    pthread_mutex_unlock(&all->mutex);
    free_generation(old);
}

void holder_let_go(struct holder *holder)
{
    struct generations *all = holder->all;
    pthread_mutex_lock(&all->mutex);
    if (holder->held && holder->held == all->present && holder->held->holders == 1)
        __atomic_store_n(&all->present, NULL, __ATOMIC_RELAXED);
    struct generation *old = let_go(holder);
    pthread_mutex_unlock(&all->mutex);
    free_generation(old);
}

void holder_clear(struct holder *holder)
{
    struct generations *all = holder->all;
    if (!all)
        return;
    holder_let_go(holder);
    pthread_mutex_lock(&all->mutex);
    bool is_last = --all->users == 0;
    pthread_mutex_unlock(&all->mutex);
    if (!is_last)
        return;
    free_generation(all->present);
    pthread_mutex_destroy(&all->mutex);
    free(all);
}

/* An empty generation after the one that is held; where there is no memory for it, that stays, and stays full. */
static void begin_next(const struct holder *holder)
{
    struct generations *all = holder->all;
    pthread_mutex_lock(&all->mutex);
    struct generation *next = all->present == holder->held ? new_generation(all) : NULL;
    if (next)
        __atomic_store_n(&all->present, next, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&all->mutex);
}

static void add_block(struct generation *generation, struct generation_block *block)
{
    block->next = __atomic_load_n(&generation->blocks, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&generation->blocks, &block->next, block, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

static bool take_block(struct holder *holder, size_t bytes)
{
    struct generation *generation = holder->held;
    bytes = bytes > GENERATION_BLOCK ? bytes : GENERATION_BLOCK;
    if (__atomic_fetch_add(&generation->taken, bytes, __ATOMIC_RELAXED) + bytes > holder->all->most) {
        begin_next(holder);
        return false;
    }
    struct generation_block *block = malloc(sizeof *block + bytes);
    if (!block)
        return false;
    add_block(generation, block);
    holder->next = (unsigned char *)block->bytes;
    holder->left = bytes;
    return true;
}

void *holder_take(struct holder *holder, size_t bytes)
{
    bytes = (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
    if (bytes > holder->left && !take_block(holder, bytes))
        return NULL;
    void *taken = holder->next;
    holder->next += bytes;
    holder->left -= bytes;
    return taken;
}

void *holder_take_apart(struct holder *holder, size_t bytes)
{
    struct generation_block *block = limits_allow(bytes) ? malloc(sizeof *block + bytes) : NULL;
    if (!block)
        return NULL;
    /* Written now: memory of calloc that is read first and then written costs each thread of the process an interrupt
     * for every page. */
    memset(block->bytes, 0, bytes);
    add_block(holder->held, block);
    __atomic_fetch_add(&holder->held->apart, bytes, __ATOMIC_RELAXED);
    return block->bytes;
}

size_t holder_bytes(const struct holder *holder)
{
    const struct generation *held = holder->held;
    if (!held)
        return 0;
    size_t taken = __atomic_load_n(&held->taken, __ATOMIC_RELAXED), most = holder->all->most;
    return ((taken < most ? taken : most) + __atomic_load_n(&held->apart, __ATOMIC_RELAXED)) / holder->all->users;
}
