/* SPDX-License-Identifier: Apache-2.0 */
#include "search/ancestry.h"

#include "search/numbered.h"

#include <stdlib.h>

struct ancestor {
    struct descent arrival;
    uint32_t references;
};

struct ancestry {
    struct numbered ancestors;
    uint32_t count;
    struct free_ones {
        VECTOR(uint32_t) list;
    } * free; /* one list per worker */
    uint32_t workers;
};

struct ancestry *ancestry_new(uint32_t workers)
{
    struct ancestry *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->workers = workers;
    a->free = calloc(workers, sizeof *a->free);
    if (numbered_make(&a->ancestors, sizeof(struct ancestor)) && a->free)
        return a;
    ancestry_free(a);
    return NULL;
}

void ancestry_free(struct ancestry *a)
{
    if (!a)
        return;
    for (uint32_t i = 0; a->free && i < a->workers; i++)
        free(a->free[i].list.item);
    free(a->free);
    numbered_clear(&a->ancestors);
    free(a);
}

size_t ancestry_bytes(const struct ancestry *a)
{
    return numbered_bytes(&a->ancestors);
}

static struct ancestor *at(const struct ancestry *a, uint32_t number)
{
    return numbered_at((struct numbered *)&a->ancestors, number);
}

static bool make_mine(struct ancestry *a, uint32_t worker, struct descent arrival, uint32_t *mine)
{
    struct free_ones *free_ones = &a->free[worker];
    uint32_t number = free_ones->list.count ? free_ones->list.item[--free_ones->list.count]
                                            : __atomic_fetch_add(&a->count, 1, __ATOMIC_RELAXED);
    struct ancestor *ancestor = at(a, number);
    if (!ancestor)
        return false;
    ancestor->arrival = arrival;
    __atomic_store_n(&ancestor->references, 1, __ATOMIC_RELAXED); /* while its state is expanded */
    *mine = number;
    return true;
}

bool ancestry_found(struct ancestry *a, uint32_t worker, struct descent arrival, uint32_t *mine)
{
    if (*mine == NO_ANCESTOR && !make_mine(a, worker, arrival, mine))
        return false;
    __atomic_fetch_add(&at(a, *mine)->references, 1, __ATOMIC_RELAXED);
    return true;
}

/* One reference less; without any it is given up, and with it one to what came before. */
static void release(struct ancestry *a, uint32_t worker, uint32_t number)
{
    while (number != NO_ANCESTOR) {
        struct ancestor *ancestor = at(a, number);
        if (__atomic_sub_fetch(&ancestor->references, 1, __ATOMIC_ACQ_REL) > 0)
            return;
        uint32_t before = ancestor->arrival.parent;
        (void)vector_push(&a->free[worker].list, number); /* without memory it is not used again */
        number = before;
    }
}

void ancestry_done(struct ancestry *a, uint32_t worker, struct descent arrival, uint32_t mine)
{
    release(a, worker, mine != NO_ANCESTOR ? mine : arrival.parent);
}

size_t ancestry_path(const struct ancestry *a, struct descent arrival, uint32_t **actions)
{
    size_t length = 0;
    for (struct descent i = arrival; i.parent != NO_ANCESTOR; i = at(a, i.parent)->arrival)
        length++;
    *actions = calloc(length + 1, sizeof **actions);
    if (!*actions)
        return SIZE_MAX;
    size_t left = length;
    for (struct descent i = arrival; left; i = at(a, i.parent)->arrival)
        (*actions)[--left] = i.action;
    return length;
}
