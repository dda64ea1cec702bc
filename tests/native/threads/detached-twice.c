/* SPDX-License-Identifier: Apache-2.0 */
// expected: misuse
// Two threads detach a third one, in whatever order.
#include <pthread.h>

static pthread_t shared;

static void *does_nothing(void *unused)
{
    return unused;
}

static void *detaches(void *unused)
{
    pthread_detach(shared);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&shared, NULL, does_nothing, NULL);
    pthread_create(&thread, NULL, detaches, NULL);
    pthread_detach(shared);
    pthread_join(thread, NULL);
    return 0;
}
