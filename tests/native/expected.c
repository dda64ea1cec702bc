/* SPDX-License-Identifier: Apache-2.0 */
// The expected value of a compare-exchange is read, and written when it fails, like any other memory.  Without an
// argument it lists its cases; with one it runs that case.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int pushed;
};

static atomic_int x = 7, stop;
static int expected, *block;
static _Atomic(struct node *) list;
static struct node nodes[3];

static void *swap_global(void *argument)
{
    atomic_compare_exchange_strong(&x, &expected, 1);
    return argument;
}

static void *swap_freed(void *argument)
{
    atomic_compare_exchange_strong(&x, block, 1);
    return argument;
}

static void *write_expected(void *argument)
{
    expected = 3;
    return argument;
}

// Only read: it succeeds.
static void *swap_seven(void *argument)
{
    block[0] = 7;
    __atomic_compare_exchange_n((int *)&x, block, 7, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    return argument;
}

static void push(struct node *node)
{
    while (!atomic_compare_exchange_weak(&list, &node->next, node)) {
    }
}

static void *push_one(void *node)
{
    push(node);
    return NULL;
}

// No wait: each round finds another head.
static void *push_unless_stopped(void *argument)
{
    struct node *node = argument;
    do {
        if (atomic_load(&stop))
            return NULL;
    } while (!atomic_compare_exchange_strong(&list, &node->next, node));
    return NULL;
}

static void *push_twice_at_most(void *argument)
{
    struct node *node = argument;
    node->next = atomic_load(&list);
    for (int i = 0; i < 2 && !node->pushed; i++)
        node->pushed = atomic_compare_exchange_strong(&list, &node->next, node);
    return NULL;
}

static const struct {
    const char *name, *expected;
    void *(*threads[3])(void *);
} cases[] = {
    {"two-writers", "data race", {swap_global, swap_global}},
    {"writer", "data race", {swap_global, write_expected}},
    {"freed", "memory error", {swap_freed}},
    {"own", "holds", {swap_seven}},
    {"push", "holds", {push_one, push_one}},
    {"push-unless-stopped", "holds", {push_unless_stopped, push_unless_stopped, push_unless_stopped}},
    {"push-twice-at-most", "holds", {push_twice_at_most, push_twice_at_most}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void run(const char *name, void *(*const *threads)(void *))
{
    pthread_t t[3];
    int length = 0, pushed = 0;
    block = malloc(sizeof *block);
    *block = 0;
    if (strcmp(name, "freed") == 0)
        free(block);
    for (int i = 0; i < 3 && threads[i]; i++)
        pthread_create(&t[i], NULL, threads[i], &nodes[i]);
    for (int i = 0; i < 3 && threads[i]; i++)
        pthread_join(t[i], NULL);
    for (const struct node *n = atomic_load(&list); n; n = n->next)
        assert(++length <= 3);
    for (int i = 0; i < 3; i++)
        pushed += nodes[i].pushed;
    assert(strcmp(name, "push-twice-at-most") != 0 || length == pushed);
    assert(strncmp(name, "push", 4) != 0 || length >= 2 - (pushed == 1));
}

int main(int count, char **arguments)
{
    for (int i = 0; i < CASES; i++)
        if (count < 2)
            printf("%s %s\n", cases[i].name, cases[i].expected);
        else if (strcmp(cases[i].name, arguments[1]) == 0)
            run(arguments[1], cases[i].threads);
    return 0;
}
