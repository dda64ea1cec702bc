/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 1 executions
// Loops that go on by what is no memory of the program: options that were read, and a thread's own data.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

static atomic_int limit = 20;
static atomic_bool is_over;

int main(void)
{
    char *arguments[] = {"program", "-vvvvvvvvvv", "-v", NULL};
    pthread_key_t key;
    pthread_key_create(&key, NULL);
    while (getopt(3, arguments, "v") != -1)
        if (is_over)
            return 1;
    while (limit > (intptr_t)pthread_getspecific(key))
        pthread_setspecific(key, (char *)pthread_getspecific(key) + 1);
    return 0;
}
