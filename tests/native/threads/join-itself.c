/* SPDX-License-Identifier: Apache-2.0 */
// expected: misuse
// A thread that joins itself waits for nobody else.
#include <pthread.h>

int main(void)
{
    pthread_join(pthread_self(), NULL);
    return 0;
}
