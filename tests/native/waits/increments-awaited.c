// expected: assertion
// A loop waits for the second of three increments, whichever those are.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum, last;

static void *run(void *argument)
{
    atomic_store(&last, (int)(long)argument);
    atomic_fetch_add(&sum, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)(i + 1));
    while (atomic_load(&sum) < 2)
        ;
    assert(atomic_load(&sum) == 3 || atomic_load(&last) != 1);
    return 0;
}
