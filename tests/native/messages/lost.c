// SPDX-License-Identifier: Apache-2.0
// expected: deadlock
// Nobody sends the third message.
#include <portolan/program.h>
#include <pthread.h>

static void *sender(void *argument)
{
    int value = 1;
    portolan_send(1, 0, &value, sizeof value);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    int values[3];
    struct portolan_message messages[3];
    for (int i = 0; i < 3; i++)
        messages[i] = (struct portolan_message){&values[i], sizeof values[i], 0, 0};
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sender, NULL);
    for (int i = 0; i < 3; i++)
        portolan_receive(1, 1, messages + i, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
