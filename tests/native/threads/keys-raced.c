/* SPDX-License-Identifier: Apache-2.0 */
// expected: assertion
// Which of two threads makes its key first is for the schedule to say.
#include <assert.h>
#include <pthread.h>

static pthread_key_t keys[2];

static void *make(void *which)
{
    pthread_key_create(&keys[(long)which], NULL);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, make, (void *)1);
    make((void *)0);
    pthread_join(thread, NULL);
    assert(keys[0] < keys[1]);
    return 0;
}
