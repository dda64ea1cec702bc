// SPDX-License-Identifier: Apache-2.0
// expected: holds, 4 executions
// Two connect to a name, in either order; the second may be there when the first is accepted. Each is answered.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "/tmp/nobody-makes-this"};

static void *client(void *argument)
{
    long value = (long)argument, answer = 0;
    int number = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(connect(number, (struct sockaddr *)&name, sizeof name) == 0);
    assert(send(number, &value, sizeof value, MSG_NOSIGNAL) == sizeof value);
    assert(recv(number, &answer, sizeof answer, MSG_WAITALL) == sizeof answer);
    assert(answer == value + 10);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0 && listen(listener, 5) == 0);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, client, (void *)(i + 1));
    for (int i = 0; i < 2; i++) {
        int number = accept(listener, NULL, NULL);
        long value;
        assert(number >= 0 && recv(number, &value, sizeof value, 0) == sizeof value);
        value += 10;
        assert(send(number, &value, sizeof value, 0) == sizeof value);
        close(number);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
