// expected: holds, 2 executions
// Where another thread has written to variables there is a parameter later, of which nobody but the function knows.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { MANY = 32, OWN = 7 };

static atomic_int flag, seen;
static _Atomic(int *) place;

static void *writer(void *argument)
{
    int *written;
    while (!(written = atomic_load(&place)))
        ;
    int value = atomic_load(&seen);
    for (int i = 0; i < MANY; i++)
        written[i] = value;
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
    int values[MANY];
    for (int i = 0; i < MANY; i++)
        values[i] = OWN;
    atomic_store(&place, values);
    while (!atomic_load(&flag))
        ;
    return values[0];
}

__attribute__((noinline)) static int count_up(int from)
{
    int rounds = 0;
    while (from < 3 || from == OWN) {
        int found = atomic_load(&flag);
        if (from != OWN) {
            rounds += found;
            from++;
        }
    }
    return rounds;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, setter, NULL);
    int value = receive();
    assert(value != OWN);
    assert(count_up(value) == 3 - value);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}
