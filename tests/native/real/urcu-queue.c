// SPDX-License-Identifier: Apache-2.0
// The wait-free queue of liburcu: any number of threads may put something in; those that take something out must
// exclude each other.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <urcu/wfcqueue.h>

enum { PRODUCERS = 2 };

struct item {
    struct cds_wfcq_node node;
    int taken;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct item items[PRODUCERS];

static void *produce(void *argument)
{
    struct item *item = argument;
    cds_wfcq_node_init(&item->node);
    cds_wfcq_enqueue(&head, &tail, &item->node);
    return NULL;
}

static void *consume(void *argument)
{
    struct cds_wfcq_node *node;
#ifdef LOCKS
    node = cds_wfcq_dequeue_blocking(&head, &tail);
#else
    node = __cds_wfcq_dequeue_blocking(&head, &tail);
#endif
    if (node)
        assert(caa_container_of(node, struct item, node)->taken++ == 0);
    return argument;
}

int main(void)
{
    pthread_t producers[PRODUCERS], consumers[CONSUMERS];
    cds_wfcq_init(&head, &tail);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, produce, &items[i]);
    for (int i = 1; i < CONSUMERS; i++)
        pthread_create(&consumers[i], NULL, consume, NULL);
    consume(NULL);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (int i = 1; i < CONSUMERS; i++)
        pthread_join(consumers[i], NULL);
    while (__cds_wfcq_first_blocking(&head, &tail))
        consume(NULL);
    for (int i = 0; i < PRODUCERS; i++)
        assert(items[i].taken == 1);
    return 0;
}
