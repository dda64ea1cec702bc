// SPDX-License-Identifier: Apache-2.0
// expected: holds, 3 executions
// Two of three at once: which two, not in which order.
#include <portolan/program.h>
#include <pthread.h>

static void *sender(void *argument)
{
    portolan_send(1, 5, &argument, sizeof argument);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    long values[2];
    struct portolan_message messages[2] = {{&values[0], sizeof values[0], 0, 0}, {&values[1], sizeof values[1], 0, 0}};
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, sender, (void *)i);
    portolan_receive(1, 1 << 5, messages, 2);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return values[0] == values[1];
}
