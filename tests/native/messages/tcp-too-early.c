// SPDX-License-Identifier: Apache-2.0
// expected: assertion
// A client may connect before anybody listens.
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in name = {.sin_family = AF_INET};

static void *client(void *argument)
{
    int number = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(number, (struct sockaddr *)&name, sizeof name) == 0);
    write(number, "x", 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    char c;
    name.sin_port = htons(4000);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr *)&name, sizeof name) == 0);
    pthread_create(&thread, NULL, client, NULL);
    listen(listener, 5);
    int number = accept(listener, NULL, NULL);
    assert(read(number, &c, 1) == 1 && c == 'x');
    pthread_join(thread, NULL);
    return 0;
}
