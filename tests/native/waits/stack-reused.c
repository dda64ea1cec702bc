// expected: holds, 2 executions
// Where another thread has written to a variable there is a parameter later, with the same value or another one.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int flag, seen;
static _Atomic(int *) place;

static void *writer(void *argument)
{
    int *written;
    while (!(written = atomic_load(&place)))
        ;
    *written = atomic_load(&seen);
    atomic_store(&flag, 1);
    return argument;
}

static void *setter(void *argument)
{
    atomic_store(&seen, 1);
    return argument;
}

__attribute__((noinline)) static int receive(void)
{
    int value = 7;
    atomic_store(&place, &value);
    while (!atomic_load(&flag))
        ;
    return value;
}

__attribute__((noinline)) static int count_up(int from)
{
    int rounds = 0;
    while (from < 3) {
        rounds += atomic_load(&flag);
        from++;
    }
    return rounds;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    int value = receive();
    assert(value != 7 && count_up(value) == 3 - value);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
