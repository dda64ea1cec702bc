/* SPDX-License-Identifier: Apache-2.0 */
// What happens before what, and whether the search tries both orders where that depends on who comes first.  Without
// an argument it lists its cases and what is expected of each; with one it runs that case.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;

static atomic_flag flag = ATOMIC_FLAG_INIT;
static atomic_int x;
int p, q; // of which the compiler cannot know all uses
static union {
    _Alignas(16) wide all;
    unsigned long half[2];
    unsigned char byte[16];
} u;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;

enum { RELAXED = memory_order_relaxed, ACQUIRE = memory_order_acquire, RELEASE = memory_order_release };
#define LOAD(order) atomic_load_explicit(&x, order)
#define STORE(value, order) atomic_store_explicit(&x, value, order)
#define EXCHANGE(value, order) atomic_exchange_explicit(&x, value, order)
#define THREAD(name) static void *name(void *argument)
#define END return argument

// A thread is a line here.
// clang-format off
// Nothing changes the value, but who comes second comes after.
THREAD(set_flag) { p = 1; atomic_flag_test_and_set(&flag); END; }
THREAD(find_flag) { atomic_flag_test_and_set(&flag); p = 2; END; }
THREAD(put_back) { p = 1; EXCHANGE(0, RELEASE); END; }
THREAD(take_back) { EXCHANGE(0, ACQUIRE); p = 2; END; }
static void swap_same(int order) { int old = 0; atomic_compare_exchange_strong_explicit(&x, &old, 0, order, RELAXED); }
THREAD(swap_releasing) { p = 1; swap_same(RELEASE); END; }
THREAD(swap_acquiring) { swap_same(ACQUIRE); p = 2; END; }
THREAD(put_back_fenced) { p = 1; atomic_thread_fence(RELEASE); EXCHANGE(0, RELAXED); END; }
THREAD(or_nothing) { p = 1; atomic_fetch_or(&x, 0); END; }
THREAD(and_everything) { atomic_fetch_and(&x, -1); p = 2; END; }

// These give nothing, in whatever order they come.
THREAD(try_and_fail) { p = 1; pthread_mutex_trylock(&mutex); END; }
THREAD(fail_to_try) { pthread_mutex_trylock(&mutex); p = 2; END; }
THREAD(post) { p = 1; sem_post(&semaphore); END; }
THREAD(look_at_semaphore) { int value; sem_getvalue(&semaphore, &value); if (value) p = 2; END; }
THREAD(wait_for_semaphore) { if (sem_trywait(&semaphore) == 0) p = 2; END; }

// Compare-exchanges that fail read.
THREAD(publish) { p = 1; STORE(1, RELEASE); END; }
static int fails(int order) { int old = 0; return !atomic_compare_exchange_strong_explicit(&x, &old, 5, order, order); }
THREAD(fail_acquiring) { if (fails(ACQUIRE)) p = 2; END; }
THREAD(fail_relaxed) { if (fails(RELAXED)) p = 2; END; }
THREAD(fail_fenced) { if (fails(RELAXED)) { atomic_thread_fence(ACQUIRE); p = 2; } END; }

// Release sequences.
THREAD(store_again) { p = 1; STORE(1, RELEASE); STORE(2, RELAXED); END; }
THREAD(store_in_between) { if (LOAD(RELAXED) == 1) STORE(2, RELAXED); END; }
THREAD(add_in_between) { if (LOAD(RELAXED) == 1) atomic_fetch_add_explicit(&x, 1, RELAXED); END; }
THREAD(see_two) { if (LOAD(ACQUIRE) == 2) p = 2; END; }
THREAD(store_later) { p = 1; STORE(1, RELEASE); if (LOAD(RELAXED) == 3) STORE(2, RELAXED); END; }
THREAD(head_another) { if (LOAD(RELAXED) == 1) { q = 1; atomic_fetch_add_explicit(&x, 2, RELEASE); } END; }
THREAD(see_two_for_q) { if (LOAD(ACQUIRE) == 2) q = 2; END; }
THREAD(see_three_for_q) { if (LOAD(ACQUIRE) == 3) q = 2; END; }

// Parts of a word, and of two.
THREAD(publish_byte) { p = 1; __atomic_store_n(&u.byte[0], 1, __ATOMIC_RELEASE); END; }
THREAD(show_byte) { p = 1; __atomic_store_n(&u.byte[0], 1, __ATOMIC_RELAXED); END; }
THREAD(see_word) { __atomic_store_n(&u.byte[1], 1, __ATOMIC_RELEASE); if (__atomic_load_n(&u.half[0], __ATOMIC_ACQUIRE) & 1) p = 2; END; }
THREAD(see_other_byte) { if (__atomic_load_n(&u.byte[1], __ATOMIC_ACQUIRE) == 0) p = 2; END; }
THREAD(publish_word) { p = 1; __atomic_store_n(&u.half[0], 0x101, __ATOMIC_RELEASE); END; }
THREAD(see_byte) { if (__atomic_load_n(&u.byte[1], __ATOMIC_ACQUIRE)) p = 2; END; }
THREAD(publish_all) { p = 1; __atomic_store_n(&u.all, (wide)1 << 64, __ATOMIC_RELEASE); END; }
THREAD(see_half) { if (__atomic_load_n(&u.half[1], __ATOMIC_ACQUIRE)) p = 2; END; }
THREAD(publish_half) { p = 1; __atomic_store_n(&u.half[1], 1, __ATOMIC_RELEASE); END; }
THREAD(see_all) { if (__atomic_load_n(&u.all, __ATOMIC_ACQUIRE)) p = 2; END; }

// What functions write for the program.
THREAD(write_p) { p = 1; END; }
THREAD(have_p_written) { sem_getvalue(&semaphore, &p); END; }

// clang-format on
static const struct {
    const char *name, *expected;
    void *(*threads[3])(void *);
} cases[] = {
    {"test-and-set", "data race", {set_flag, find_flag}},
    {"exchange", "data race", {put_back, take_back}},
    {"compare-exchange", "data race", {swap_releasing, swap_acquiring}},
    {"exchange-fenced", "data race", {put_back_fenced, take_back}},
    {"or-and", "data race", {or_nothing, and_everything}},
    {"trylock-fails", "data race", {try_and_fail, fail_to_try}},
    {"semaphore-value", "data race", {post, look_at_semaphore}},
    {"semaphore-wait", "holds", {post, wait_for_semaphore}},
    {"failed-acquire", "holds", {publish, fail_acquiring}},
    {"failed-relaxed", "data race", {publish, fail_relaxed}},
    {"failed-fenced", "holds", {publish, fail_fenced}},
    {"same-thread", "holds", {store_again, see_two}},
    {"other-thread", "data race", {publish, see_two, store_in_between}},
    {"read-modify-write", "holds", {publish, see_two, add_in_between}},
    {"first-head", "holds", {store_later, see_two, head_another}},
    {"second-head-ended", "data race", {store_later, see_two_for_q, head_another}},
    {"second-head", "holds", {publish, see_three_for_q, head_another}},
    {"byte-and-word", "holds", {publish_byte, see_word}},
    {"byte-not-released", "data race", {show_byte, see_word}},
    {"other-byte", "data race", {publish_byte, see_other_byte}},
    {"word-and-byte", "holds", {publish_word, see_byte}},
    {"all-and-half", "holds", {publish_all, see_half}},
    {"half-and-all", "holds", {publish_half, see_all}},
    {"written-by-function", "data race", {write_p, have_p_written}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void run(void *(*const *threads)(void *))
{
    pthread_t t[3];
    int count = threads[2] ? 3 : 2;
    atomic_flag_test_and_set(&flag);
    pthread_mutex_lock(&mutex);
    sem_init(&semaphore, 0, 0);
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, threads[i], NULL);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
}

int main(int count, char **arguments)
{
    for (int i = 0; i < CASES; i++)
        if (count < 2)
            printf("%s %s\n", cases[i].name, cases[i].expected);
        else if (strcmp(cases[i].name, arguments[1]) == 0)
            run(cases[i].threads);
    return 0;
}
