/* SPDX-License-Identifier: Apache-2.0 */
// expected: deadlock
// A normal mutex locked twice by its owner.
#include <pthread.h>

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    return 0;
}
