/* SPDX-License-Identifier: Apache-2.0 */
// expected: unknown
// options: --bound 20
// A round calls what is not tried, and comes back to where it was: that it ends is not known.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

atomic_int flag;
char text[32] = "abc";

static void *waiter(void *argument)
{
    while (atomic_load(&flag) == 0)
        if (memcmp(text, argument, sizeof text) == 0)
            break;
    return argument;
}

int main(void)
{
    static char other[32] = "abd";
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, other);
    pthread_join(thread, NULL);
    return 0;
}
