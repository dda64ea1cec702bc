// SPDX-License-Identifier: Apache-2.0
// The ring of Concurrency Kit (libck-dev) for one producer, with PRODUCERS of them.
#include <assert.h>
#include <ck_ring.h>
#include <pthread.h>

enum { ITEMS = 2 };
static ck_ring_t ring;
static ck_ring_buffer_t buffer[8];
static int items[PRODUCERS][ITEMS];

static void *produce(void *mine)
{
    for (int i = 0; i < ITEMS; i++)
        while (!ck_ring_enqueue_spsc(&ring, buffer, (int *)mine + i))
            ;
    return NULL;
}

int main(void)
{
    pthread_t producers[PRODUCERS];
    int last[PRODUCERS] = {0};
    ck_ring_init(&ring, 8);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, produce, items[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (int i = 0; i < PRODUCERS * ITEMS; i++) {
        void *found;
        assert(ck_ring_dequeue_spsc(&ring, buffer, &found));
        int place = (int)((int *)found - items[0]);
        assert(place % ITEMS == last[place / ITEMS]++);
    }
    return 0;
}
