/* SPDX-License-Identifier: Apache-2.0 */
// A structure on a stack that a call returns: gcc does not report that it is written, which matters if another thread
// knows it (SHARED).
#include <pthread.h>

struct both {
    int a[10];
};

static __attribute__((noinline)) struct both make(int first)
{
    struct both made = {{first}};
    return made;
}

static __attribute__((noinline)) int use(const struct both *both)
{
    return both->a[0];
}

static void *other(void *argument)
{
    if (SHARED)
        use(argument);
    return NULL;
}

int main(void)
{
    struct both local = {{0}};
    pthread_t thread;
    pthread_create(&thread, NULL, other, &local);
    local = make(1);
    pthread_join(thread, NULL);
    return use(&local) != 1;
}
