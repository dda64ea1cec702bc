/* SPDX-License-Identifier: Apache-2.0 */
// Store buffering: under sequential consistency one of the two sees the other's store.  WEAKER asks for less than that;
// it matters where there is another thread.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAKER
#define STORE(object) atomic_store_explicit(&object, 1, memory_order_relaxed)
#define LOAD(object) atomic_load_explicit(&object, memory_order_acquire)
#define FENCE() atomic_thread_fence(memory_order_release)
#else
#define STORE(object) atomic_store(&object, 1)
#define LOAD(object) atomic_load(&object)
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#endif

static atomic_int x, y;
static int seen[2];

static void *other(void *argument)
{
    FENCE();           // weaker
    STORE(x);          // weaker
    seen[0] = LOAD(y); // weaker
    return argument;
}

int main(void)
{
    pthread_t thread;
    atomic_init(&x, 0);
    STORE(y);
    atomic_store(&y, 0);
    pthread_create(&thread, NULL, other, NULL);
    STORE(y);          // weaker
    seen[1] = LOAD(x); // weaker
    pthread_join(thread, NULL);
    assert(seen[0] || seen[1]);
    return !LOAD(x);
}
