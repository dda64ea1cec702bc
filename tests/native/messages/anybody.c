// SPDX-License-Identifier: Apache-2.0
// expected: holds, 6 executions
// Three send, one receives: in any order.
#include <assert.h>
#include <portolan/program.h>
#include <pthread.h>

static void *sender(void *argument)
{
    portolan_send(1, 0, &argument, sizeof argument);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    long sum = 0;
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, sender, (void *)(1L << i));
    for (int i = 0; i < 3; i++) {
        long value = 0;
        struct portolan_message message = {&value, sizeof value, 0, 0};
        portolan_receive(1, 1, &message, 1);
        assert(message.size == sizeof value && message.kind == 0);
        sum += value;
    }
    assert(sum == 7);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
