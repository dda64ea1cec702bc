/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that threads add to and that is forgotten as a whole (src/base/generations.c), with room for few things:
 * whatever the schedule, what is found was published whole, and is there as long as somebody looks at it.
 *
 * The argument has a word for each thread: 'k' keeps something, 'f' looks for what there is, 'l' lets go.
 */
#include "base/generations.h"

#include <assert.h>
#include <stdint.h>

enum { THREADS = 3, ROOM = 32 /* for two things */ };

struct thing {
    struct thing *next;
    uint32_t one, other; /* equal, and not 0 */
};

static struct holder holders[THREADS];
static const char *words[THREADS];

static void look(struct thing *const *first)
{
    for (const struct thing *t = __atomic_load_n(first, __ATOMIC_ACQUIRE); t; t = t->next)
        assert(t->one == t->other && t->one);
}

static void keep(struct holder *holder, struct thing **first, uint32_t value)
{
    struct thing *t = holder_take(holder, sizeof *t);
    if (!t)
        return;
    t->one = t->other = value;
    t->next = __atomic_load_n(first, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(first, &t->next, t, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
    look(first);
}

static void *work(void *argument)
{
    uint32_t thread = (uint32_t)(uintptr_t)argument;
    struct holder *holder = &holders[thread];
    for (const char *c = words[thread]; *c; c++) {
        if (*c == 'l') {
            holder_let_go(holder);
            continue;
        }
        struct thing **first = holder_root(holder);
        if (*c == 'k')
            keep(holder, first, thread + 1);
        else
            look(first);
    }
    holder_clear(holder);
    return NULL;
}

int main(int count, char **arguments)
{
    pthread_t others[THREADS];
    uint32_t threads = (uint32_t)count - 1;
    if (count < 2 || threads > THREADS)
        return 1;
    for (uint32_t i = 0; i < threads; i++) {
        words[i] = arguments[i + 1];
        if (!holder_make(&holders[i], i ? &holders[0] : NULL, sizeof(struct thing *), ROOM))
            return 1;
    }
    for (uint32_t i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, work, (void *)(uintptr_t)i);
    work(NULL);
    for (uint32_t i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    return 0;
}
