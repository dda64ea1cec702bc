// SPDX-License-Identifier: Apache-2.0
// The stacks of liburcu (liburcu-dev), lock-free or wait-free: two threads push, one takes what it finds, main the
// rest.
#include <assert.h>
#include <pthread.h>
#ifdef WAIT_FREE
#include <urcu/wfstack.h>
typedef struct cds_wfs_node node;
static struct cds_wfs_stack stack;
#define MAKE() cds_wfs_init(&stack)
#define MAKE_NODE(n) cds_wfs_node_init(n)
#define PUSH(n) cds_wfs_push(&stack, n)
#define POP() cds_wfs_pop_blocking(&stack)
#define POP_ALONE() __cds_wfs_pop_blocking(&stack)
#else
#include <urcu/lfstack.h>
typedef struct cds_lfs_node node;
static struct cds_lfs_stack stack;
#define MAKE() cds_lfs_init(&stack)
#define MAKE_NODE(n) cds_lfs_node_init(n)
#define PUSH(n) cds_lfs_push(&stack, n)
#define POP() cds_lfs_pop_blocking(&stack)
#define POP_ALONE() __cds_lfs_pop(&stack)
#endif

static struct item {
    node node;
    int taken;
} items[2];

static void *push(void *item)
{
    PUSH(&((struct item *)item)->node);
    return NULL;
}

static void *pop(void *unused)
{
    struct item *item = (struct item *)POP();
    if (item)
        item->taken++;
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    MAKE();
    for (int i = 0; i < 2; i++) {
        MAKE_NODE(&items[i].node);
        pthread_create(&threads[i], NULL, push, &items[i]);
    }
    pthread_create(&threads[2], NULL, pop, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    for (struct item *item; (item = (struct item *)POP_ALONE());)
        item->taken++;
    assert(items[0].taken == 1 && items[1].taken == 1);
    return 0;
}
