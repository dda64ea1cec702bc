/* SPDX-License-Identifier: Apache-2.0 */
// expected: holds, 2 executions
// Thread-local variables begin with their values in every thread and every execution.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static _Thread_local int number = 42, zero;
static _Thread_local char text[6] = "local";
static __thread int *pointer;
static atomic_int last;

static void *work(void *value)
{
    assert(number == 42 && zero == 0 && strcmp(text, "local") == 0 && pointer == NULL);
    number = zero = (int)(long)value;
    pointer = &number;
    text[0] = 'L';
    last = number;
    assert(number == (int)(long)value && zero == number && *pointer == number && text[0] == 'L');
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, (void *)1);
    work((void *)2);
    pthread_join(thread, NULL);
    assert(number == 2);
    return 0;
}
